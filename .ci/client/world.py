"""The parties: processes of the program on one PostgreSQL, two for each party, behind nginx with TLS."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

APP_NAME = "ch.example.eduid"
PASSWORD = "secret of "


def run(*words, text=""):
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


class Host:
    """One process of a party, in a folder of its own; the first one's folder has keys and lists for both."""

    def __init__(self, program, folder, issuer, environment):
        self.program, self.folder, self.issuer = program, folder, issuer
        self.environment = {**os.environ, **environment}
        self.process = None

    def start(self):
        out = self.folder.with_suffix(".out")
        with open(out, "a") as output:
            begin = output.tell()
            self.process = subprocess.Popen([self.program, "serve", self.folder], stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                env=self.environment)
        for _ in range(300):
            if "is ready" in out.read_text()[begin:]:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(out.read_text()[-3000:])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def stop(self):
        """Ends it as a service manager does; answers how it ended."""
        if self.process is None or self.process.poll() is not None:
            return 0
        self.process.terminate()
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
            return None


class Party:
    """A party with two hosts, or with one where its store takes no more."""

    def __init__(self, world, name, words):
        self.world, self.name = world, name
        self.issuer = world.url(name)
        first = world.folder / f"{name}1"
        run(world.program, "init", first, "--issuer", self.issuer, "--listen", f"unix:{first}.http", *words)
        self.edit(first, world)
        folders = [first]
        if world.pairs:
            folders.append(world.folder / f"{name}2")
            folders[1].mkdir(0o700)
            self.second(*folders)
        self.hosts = [Host(world.program, folder, self.issuer, world.environment(name)) for folder in folders]

    def edit(self, folder, world):
        settings = {
            r"^# destinations: .*": "destinations: anywhere",
            r"^# authorities: .*": f"authorities: {world.folder}/ca.pem",
            r"^  # guard: .*": f"  guard: unix:{folder}.guard",
            r"^store: .*": world.store(self.name),
        }
        if world.dialect == "scgi":
            settings[r"^  http: .*"] = f"  scgi: unix:{folder}.scgi"
        path = folder / "eduid.yaml"
        text = path.read_text()
        for found, written in settings.items():
            text = re.sub(found, lambda _, written=written: written, text, flags=re.M)
        path.write_text(text)

    @staticmethod
    def second(first, second):
        """The same party, with sockets and records of its own."""
        text = (first / "eduid.yaml").read_text().replace(f"unix:{first}.", f"unix:{second}.")
        for name in ("signing.jwk", "secret", "service.json", "services.yaml", "versions.yaml"):
            text = re.sub(rf": {re.escape(name)}$", f": {first}/{name}", text, flags=re.M)
        text = re.sub(r"^accounts: .*", f"accounts: {first}/accounts", text, flags=re.M)
        (second / "eduid.yaml").write_text(text)

    @property
    def folder(self):
        return self.hosts[0].folder

    def start(self):
        for host in self.hosts:
            host.start()

    def reload(self):
        for host in self.hosts:
            host.reload()
        # Both have read it when both answer, and nobody tells when that was.
        time.sleep(1)

    def admin(self, *words):
        """What an operator does at the first host; the second one reads the same files."""
        told = run(self.world.program, "admin", *words)
        self.reload()
        return told

    def stop(self):
        return [host.stop() for host in self.hosts]


class World:
    """An edu-ID service, two universities with a page each, a web server, a database."""

    # Whether each party has two hosts.
    pairs = True

    def __init__(self, program, folder, dialect, port):
        self.program, self.folder, self.dialect, self.port = program, folder, dialect, port
        self.services = ["alpha", "beta"]
        self.people = [f"person{number}" for number in range(8)]
        self.parties = {}

    def store(self, name):
        """Where a party stores, as its configuration says it."""
        return f"store: 'postgresql:{os.environ['EDUID_TEST_POSTGRESQL']}'\nspace: {name}_{self.dialect}"

    def environment(self, name):
        """What the hosts of a party have in their environment beside what is there."""
        return {}

    def url(self, name):
        return f"https://{name}.localhost:{self.port}"

    def make(self):
        self.folder.mkdir()
        self.certify()
        self.parties["eduid"] = Party(self, "eduid", ["--role", "edu-id"])
        for name in self.services:
            words = ["--role", "service", "--edu-id", self.url("eduid"), "--name", name.title(), "--protocol", "org.example.reading=api/reading"]
            self.parties[name] = Party(self, name, words)
        home = self.parties["eduid"].folder
        listed = "".join(f"  - url: {self.url(name)}\n    releases: [given_name]\n" for name in self.services)
        (home / "services.yaml").write_text("services:\n" + listed)
        run(self.program, "key", "generate", "--id", "ios-1", "-o", self.folder / "version.jwk")
        run(self.program, "key", "public", self.folder / "version.jwk", "-o", home / "ios.jwk")
        (home / "versions.yaml").write_text(f"versions:\n  - {{app: {APP_NAME}, platform: ios, number: '1.0', key: ios.jwk}}\n")
        profile = self.folder / "profile.json"
        profile.write_text('{"given_name": "Ada"}')
        for person in self.people:
            run(self.program, "account", "add", home / "accounts", person, "--profile", profile, "--rounds", "1000", text=PASSWORD + person + "\n")

    def certify(self):
        new = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        place = self.folder
        run(*new, "-x509", "-days", "2", "-subj", "/CN=authority", "-keyout", place / "ca.key", "-out", place / "ca.pem")
        for name in ["eduid", *self.services]:
            host = f"{name}.localhost"
            (place / "names").write_text(f"subjectAltName=DNS:{host}\nbasicConstraints=CA:FALSE\n")
            run(*new, "-subj", f"/CN={host}", "-keyout", place / f"{host}.key", "-out", place / "ask.pem")
            run("openssl", "x509", "-req", "-in", place / "ask.pem", "-CA", place / "ca.pem", "-CAkey", place / "ca.key", "-CAcreateserial",
                "-days", "2", "-extfile", place / "names", "-out", place / f"{host}.pem")

    def web_server(self):
        """nginx as 'eduid init --print' configures it, with both hosts of each party behind one name."""
        place, text, groups = self.folder, "", ""
        for name, party in self.parties.items():
            printed = run(self.program, "init", party.folder, "--print", "nginx")
            for kind, module in (("http", "http://"), ("scgi", ""), ("guard", "http://")):
                sockets = [f"unix:{host.folder}.{kind}" for host in party.hosts]
                if f"{module}{sockets[0]}" in printed:
                    # A host that is down is asked again at once when it is up; the client repeats, with proofs of its own.
                    servers = "".join(f" server {socket} max_fails=0;" for socket in sockets)
                    groups += f"upstream {name}_{kind} {{{servers} }}\n"
                    printed = printed.replace(f"{module}{sockets[0]}:/", f"{module}{name}_{kind}/").replace(
                        f"{module}{sockets[0]}", f"{module}{name}_{kind}")
            text += re.sub(r"/etc/ssl/[a-z]+", str(place), printed).replace(f"/var/www/{name}.localhost", str(place / "www"))
        (place / "www/api/reading").mkdir(parents=True)
        (place / "www/api/reading/list").write_text("a page\n")
        temporary = "".join(f"{kind}_temp_path {place}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;\n" if os.geteuid() == 0 else ""
        whole = f"{user}pid {place}/nginx.pid; error_log {place}/error.log; events {{}}\nhttp {{ access_log off;\n{temporary}{groups}{text}}}\n"
        (place / "nginx.conf").write_text(whole.replace("include scgi_params", "include /etc/nginx/scgi_params"))
        run("nginx", "-q", "-c", str(place / "nginx.conf"))

    def start(self):
        self.make()
        for name in self.services:
            self.parties[name].start()
        self.web_server()
        self.parties["eduid"].start()

    def disturb_database(self, how):
        """Kills the database's primary: it is started again, or its replica takes its place."""
        subprocess.run([os.environ["EDUID_TEST_POSTGRESQL_SCRIPT"], how], check=True, capture_output=True, timeout=120)

    def stop(self):
        """Ends everything; answers how each process ended."""
        statuses = [status for party in self.parties.values() for status in party.stop()]
        pid = self.folder / "nginx.pid"
        if pid.exists():
            os.kill(int(pid.read_text()), signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)
        return statuses


def folder_for(base, dialect):
    return pathlib.Path(base) / dialect
