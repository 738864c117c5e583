"""How many requests a service lets in behind nginx over SCGI, beside a constant of the same process.

Usage: load.py PROGRAM [ROUNDS], a release build. Each round makes proofs, each of which is good once, and has wrk use them; then the memory of the
process is told. Beside answers a second stands the processor's time that nginx and the process take for one, which is the same on a machine that
others use as well. Nothing here passes or fails.
"""

import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "client"))
import json  # noqa: E402

from app import PROTOCOL, App, Instance  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402
from jwt.utils import base64url_decode  # noqa: E402
from wire import Key, Wire  # noqa: E402

program, rounds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 3
# Of one holder's proofs 32,768 are remembered at a time; what comes beyond is refused.
SECONDS, TOKENS, CONNECTIONS = 2, 32_000, 16
LUA = """
local tokens, next = {}, 0
function init(args)
    for line in io.lines("tokens") do tokens[#tokens + 1] = line end
end
function request()
    next = next + 1
    return wrk.format("GET", "/api/reading/list", { Authorization = "Bearer " .. (tokens[next] or "spent") })
end
"""
NGINX = """
worker_processes 1; pid {work}/nginx.pid; error_log {work}/error.log; {user}
events {{ worker_connections 1024; }}
http {{
    access_log off; client_body_temp_path {work}/a; proxy_temp_path {work}/b; fastcgi_temp_path {work}/c;
    uwsgi_temp_path {work}/d; scgi_temp_path {work}/e;
    server {{ listen 127.0.0.1:{port}; location / {{ include /etc/nginx/scgi_params; scgi_pass unix:{work}/alpha.scgi; }} }}
}}
"""


def start(work, port):
    out = open(work / "out", "w")
    party = subprocess.Popen([program, "up", "fed", "--port", str(port)], cwd=work, stdout=out, stderr=out)
    for _ in range(300):
        if "Ctrl-C ends" in (work / "out").read_text():
            return party
        time.sleep(0.1)
    raise RuntimeError((work / "out").read_text())


def wrk(work, port, path, *more, seconds=SECONDS):
    """Answers a second, and how long one of a hundred takes."""
    words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", *more, f"http://127.0.0.1:{port}{path}"]
    told = subprocess.run(words, cwd=work, capture_output=True, text=True, check=True).stdout
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", told)
    done = int(re.search(r"(\d+) requests in", told)[1])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1])
    slow = re.search(r"99%\s+([\d.]+[a-z]+)", told)[1]
    return rate, slow, done, int(refused[1]) if refused else 0


def processor_time(*pids):
    """In seconds, of processes with all their threads."""
    fields = [pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def memory(party):
    return int(re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{party.pid}/status").read_text())[1]) / 1024


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="eduid-load."))
    port = 20_000 + 4 * random.randrange(9_000)
    party = start(work, port)
    party.terminate()
    party.wait()
    settings = work / "fed/alpha/eduid.yaml"
    text = settings.read_text().replace("  # scgi: unix:/run/eduid/scgi", f"  scgi: unix:{work}/alpha.scgi")
    settings.write_text(text.replace("log: info", "log: notice"))
    (work / "tokens.lua").write_text(LUA)
    user = "user root;" if subprocess.run(["id", "-u"], capture_output=True, text=True).stdout.strip() == "0" else ""
    (work / "nginx.conf").write_text(NGINX.format(work=work, port=port + 3, user=user))
    party = start(work, port)
    try:
        subprocess.run(["nginx", "-q", "-c", work / "nginx.conf"], check=True)
        people = dict(line.split() for line in (work / "fed/people").read_text().splitlines())
        jwk = json.loads(next((work / "fed/phone").glob("version*.jwk")).read_text())
        version = Key(Ed25519PrivateKey.from_private_bytes(base64url_decode(jwk["d"])), jwk["kid"])
        wire = Wire(None)
        phone = Instance(wire, f"http://localhost:{port}", version, "ch.example.eduid")
        phone.register()
        phone.sign_in("ada", people["ada"])
        alpha = next(service for service in phone.find([PROTOCOL]) if str(port + 1) in service.home)
        place = alpha.reading + "/list"
        master = (work / "nginx.pid").read_text().strip()
        worker = subprocess.run(["pgrep", "-P", master], capture_output=True, text=True, check=True).stdout.strip()

        def measure(path, *more):
            before = processor_time(party.pid, worker)
            rate, slow, done, refused = wrk(work, port + 3, path, *more)
            return rate, slow, 1e6 * (processor_time(party.pid, worker) - before) / done, (done, refused)

        wrk(work, port + 3, "/services.txt", seconds=2)
        for number in range(rounds):
            app = App(wire)
            phone.introduce(alpha, app)
            token = app.tokens[alpha.home]
            (work / "tokens").write_text("".join(token.header(place)["Authorization"][7:] + "\n" for _ in range(TOKENS)))
            before, quick, least, _ = measure("/services.txt")
            access, slow, cost, (done, refused) = measure("/", "-s", "tokens.lua")
            after, _, last, _ = measure("/services.txt")
            assert refused < 20, f"{refused} of {done} were refused"
            print(
                f"round {number + 1}: access {access:.0f} a second, p99 {slow}, {cost:.0f} us of processors; constant {before:.0f} and {after:.0f}, "
                f"p99 {quick}, {least:.0f} and {last:.0f} us; ratio by time {2 * access / (before + after):.2f}, by processors "
                f"{(least + last) / 2 / cost:.2f}; memory {memory(party):.0f} MiB",
                flush=True,
            )
    finally:
        party.terminate()
        party.wait()
        if (work / "nginx.pid").exists():
            subprocess.run(["kill", (work / "nginx.pid").read_text().strip()])
        shutil.rmtree(work, ignore_errors=True)


main()
