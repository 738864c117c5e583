"""Whether nginx in front and the readers behind it agree: what nginx passes on as one request is one, and the same one.

front-differential.py TESTKIT VECTORS FOLDER SEED COUNT

Every input goes to nginx as the bytes of a connection, to HTTP and to SCGI behind it. What arrives there is read by the testkit, and so is the
input itself. A request that nginx passes on must be one message to the last byte, or be refused; where the input is read directly as well, both
readings have the same method, target and body.
"""

import collections
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

PORTS = {"http": 18651, "scgi": 18652}
READERS = {"http": "http1-parse", "scgi": "scgi-parse"}


class Backend:
    """Takes what nginx passes on, byte for byte, and answers it with nothing."""

    def __init__(self, kind, path):
        self.kind, self.taken = kind, {}
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(256)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        with connection:
            connection.settimeout(3)
            octets = b""
            try:
                while not self.is_whole(octets):
                    piece = connection.recv(1 << 16)
                    if not piece:
                        break
                    octets += piece
                # Whatever follows a whole message would be another one.
                connection.settimeout(0.02)
                octets += connection.recv(1 << 16)
            except OSError:
                pass
            # nginx says in a field of its own which input it is.
            number = self.number(octets)
            self.taken.setdefault(number, []).append(octets)
            status = b"HTTP/1.1 200 OK\r\n" if self.kind == "http" else b"Status: 200 OK\r\n"
            try:
                connection.sendall(status + b"Content-Length: 0\r\nConnection: close\r\n\r\n")
            except OSError:
                pass

    def is_whole(self, octets):
        if self.kind == "scgi":
            digits, colon, rest = octets.partition(b":")
            if not colon or len(rest) <= int(digits):
                return False
            length = int(rest.split(b"\0", 2)[1])
            return len(rest) >= int(digits) + 1 + length
        head, end, body = octets.partition(b"\r\n\r\n")
        lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        return bool(end) and len(body) >= (int(lengths[0]) if lengths else 0)

    def number(self, octets):
        mark = b"x-differential: " if self.kind == "http" else b"X_DIFFERENTIAL\0"
        begin = octets.lower().find(mark) if self.kind == "http" else octets.find(mark)
        if begin < 0:
            return None
        rest = octets[begin + len(mark):]
        return rest.split(b"\r" if self.kind == "http" else b"\0", 1)[0].decode()


def configuration(folder):
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    # The port that a connection comes from tells which input it carries.
    http = (f"proxy_pass http://unix:{folder}/http; proxy_http_version 1.1; proxy_set_header Connection close; "
            "proxy_set_header X-Differential $remote_port;")
    scgi = f"include /etc/nginx/scgi_params; scgi_param X_DIFFERENTIAL $remote_port; scgi_pass unix:{folder}/scgi;"
    servers = "".join(
        f"server {{ listen 127.0.0.1:{port}; location / {{ {words} }} }}\n" for port, words in ((PORTS["http"], http), (PORTS["scgi"], scgi)))
    user = "user root; " if os.geteuid() == 0 else ""
    return (f"{user}pid {folder}/pid; error_log {folder}/error.log; worker_processes 2; events {{ worker_connections 1024; }}\n"
            f"http {{ access_log off; client_header_timeout 2s; client_body_timeout 2s;\n{temporary}{servers}}}\n")


def ask(port, octets):
    """Sends the bytes of a connection, waits for what comes back, and says from which port it went."""
    with socket.create_connection(("127.0.0.1", port), timeout=3) as connection:
        own = connection.getsockname()[1]
        try:
            connection.sendall(octets)
            # An answer, and whether another one follows.
            connection.settimeout(0.5)
            while connection.recv(1 << 16):
                connection.settimeout(0.1)
        except OSError:
            pass
    return str(own)


class Testkit:
    """One reader of ours."""

    def __init__(self, program, reader):
        self.process = subprocess.Popen([program, reader], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def read(self, octets):
        self.process.stdin.write(json.dumps({"id": "0", "hex": octets.hex()}).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def mutated(inputs, count, chance):
    """Inputs that nobody has thought of: pieces of those there are, put together, cut and bent."""
    bends = [b"\r\n", b"\n", b"\r", b" ", b"\t", b"\0", b":", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n", b"0\r\n\r\n",
             b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"Transfer-Encoding : chunked\r\n", b"\r\n\r\n", b"X: y\r\n z\r\n", b"Expect: 100-continue\r\n"]
    for _ in range(count):
        octets = bytearray(chance.choice(inputs))
        for _ in range(chance.randint(1, 4)):
            place = chance.randrange(len(octets) + 1)
            match chance.randrange(4):
                case 0: octets[place:place] = chance.choice(bends)
                case 1: del octets[place:place + chance.randint(1, 6)]
                case 2: octets[place:place + 1] = bytes([chance.randrange(256)])
                case 3: octets[place:] = chance.choice(inputs)[chance.randrange(1 + place):]
        yield bytes(octets)


def main():
    program, vectors, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    chance, count = random.Random(int(sys.argv[4])), int(sys.argv[5])
    (folder / "nginx.conf").write_text(configuration(folder))
    backends = {kind: Backend(kind, folder / kind) for kind in PORTS}
    subprocess.run(["nginx", "-q", "-c", folder / "nginx.conf"], check=True)
    time.sleep(0.5)
    inputs = [bytes.fromhex(json.loads(line)["in"]["hex"]) for line in open(vectors / "http1-parse.jsonl")]
    inputs = [octets for octets in inputs if 0 < len(octets) <= 1 << 16]
    inputs += list(mutated(inputs, count, chance))
    readers = {kind: Testkit(program, reader) for kind, reader in READERS.items()}
    counts, failures = collections.Counter(), []
    try:
        for kind, port in PORTS.items():
            with ThreadPoolExecutor(24) as pool:
                ports = list(pool.map(lambda octets, port=port: ask(port, octets), inputs))
            time.sleep(1)
            last = {own: number for number, own in enumerate(ports)}
            for own, messages in backends[kind].taken.items():
                # A port that was used twice does not tell which input it was.
                if own is None or ports.count(own) != 1:
                    counts[f"{kind}: of unknown origin"] += len(messages)
                    continue
                octets = inputs[last[own]]
                direct = readers["http"].read(octets)
                for position, message in enumerate(messages):
                    reading = readers[kind].read(message)
                    failures += judged(kind, octets, message, reading, direct if position == 0 else None, counts)
    finally:
        os.kill(int((folder / "pid").read_text()), signal.SIGTERM)
    for failure in failures[:10]:
        print(failure)
    for name, number in sorted(counts.items()):
        print(f"  {name}: {number}")
    print(f"{len(inputs)} inputs, {len(failures)} disagreements")
    sys.exit(1 if failures or counts["http: one and the same"] < 100 or counts["scgi: one and the same"] < 100 else 0)


def judged(kind, octets, message, reading, direct, counts):
    if reading is False:
        counts[f"{kind}: passed on by nginx, refused by us"] += 1
        return []
    if reading["consumed"] != len(message):
        return [f"{kind}: nginx passed on {message!r} as one request, of which {reading['consumed']} bytes were read; sent: {octets!r}"]
    if not direct:
        counts[f"{kind}: later in its connection, or refused where that is read directly"] += 1
        return []
    for part in ("method", "target", "body_hex"):
        if reading[part] != direct[part] and not (part == "target" and "://" in direct[part]):
            return [f"{kind}: {part} is {reading[part]!r} through nginx and {direct[part]!r} directly; sent: {octets!r}"]
    counts[f"{kind}: one and the same"] += 1
    return []


if __name__ == "__main__":
    main()
