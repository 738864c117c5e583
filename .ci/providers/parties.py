"""Who takes part: a federation as 'eduid up' makes it, and providers whose client its edu-ID service is."""

import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import time

import requests

HERE = pathlib.Path(__file__).parent
WAIT = 30


def eventually(what, condition, seconds=WAIT):
    for _ in range(seconds * 5):
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"not so: {what}")


class Clock:
    """By how much the time of the federation's processes is ahead, where there is a library for that."""

    def __init__(self, library, place):
        self.library, self.place, self.ahead = library, place, 0
        self.move(0)

    def move(self, seconds):
        self.ahead += seconds
        with open(self.place, "r+b" if self.place.exists() else "wb") as file:
            file.write(self.ahead.to_bytes(8, sys.byteorder, signed=True))

    @property
    def environment(self):
        return {"LD_PRELOAD": str(self.library), "EDUID_TEST_CLOCK": str(self.place)} if self.library else {}


class Asked:
    """A sign-in that the phone has begun, and that waits for a browser."""

    def __init__(self, process, place, said):
        self.process, self.place, self.said = process, place, said

    def ends(self, seconds=WAIT):
        """What it says at its end, and with which status it ends."""
        try:
            rest, complaint = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise AssertionError("the phone still waits for its browser")
        return self.process.returncode, self.said + rest + complaint

    def given_up(self):
        """Nothing will come back to it: the person stops waiting."""
        assert self.process.poll() is None, self.process.communicate()
        self.process.terminate()
        self.process.communicate(timeout=WAIT)


class Federation:
    """An edu-ID service, two services, a phone and a reader in one folder."""

    def __init__(self, program, work, port, clock):
        self.program, self.work, self.port, self.clock = program, work, port, clock
        self.work.mkdir(parents=True)
        self.folder = work / ".eduid"
        self.home = f"http://localhost:{port}"
        self.log = work / "served"
        self.process, self.plain, self.waiting = None, None, []

    @property
    def callback(self):
        return self.home + "/callback/provider"

    @property
    def logout(self):
        return self.home + "/backchannel-logout"

    def start(self):
        begun = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [self.program, "up", "--port", str(self.port)], cwd=self.work, stdout=log, stderr=log, env=os.environ | self.clock.environment
            )
        eventually("the federation is there", lambda: "Ctrl-C ends" in self.log.read_text()[begun:] or self.process.poll() is not None)
        if self.process.poll() is not None:
            raise AssertionError(self.log.read_text()[begun:])

    def stop(self):
        if self.process:
            self.process.terminate()
            status = self.process.wait(timeout=WAIT)
            self.process = None
            assert status == 0, f"ended with {status}"

    def abandon(self):
        """Ends what still runs, however it went."""
        for process in (*self.waiting, *([self.process] if self.process else [])):
            if process.poll() is None:
                process.terminate()
                process.wait(timeout=WAIT)

    def restart(self):
        self.stop()
        self.start()

    def relies_on(self, settings):
        """Writes down at which provider people sign in."""
        place = self.folder / "edu-id/eduid.yaml"
        self.plain = self.plain or place.read_text()
        lines = "\n".join(f"  {name}: {value}" for name, value in settings.items())
        place.write_text(f"{self.plain}\nprovider:\n{lines}\n")

    def keeps(self, name, text):
        place = self.folder / "edu-id" / name
        place.write_text(text)
        place.chmod(0o600)

    def run(self, *words, typed="\n"):
        return subprocess.run(
            [self.program, *words], cwd=self.work, input=typed, text=True, capture_output=True, timeout=120, env=os.environ | self.clock.environment
        )

    # MARK: phone and reader

    def asks(self):
        """Begins a sign-in at the phone, which says where a browser has to go."""
        process = subprocess.Popen(
            [self.program, "phone", "sign-in", "--browser"],
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | self.clock.environment,
        )
        self.waiting.append(process)
        said = ""
        for line in process.stdout:
            said += line
            found = re.search(r"http://\S+", line)
            if found:
                assert found[0].startswith(self.home + "/authorize?"), said
                return Asked(process, found[0], said)
        raise AssertionError(f"the phone names no place: {said}{process.communicate()[1]}")

    def who(self):
        """Who is signed in at the phone; None for nobody."""
        status = self.run("phone", "status")
        assert status.returncode == 0, status
        name = re.search(r"^signed in\s+(.*)$", status.stdout, re.MULTILINE)[1]
        return None if name == "no" else name

    def authorizes(self):
        asked = self.run("reader", "authorize")
        assert asked.returncode == 0, asked

    def reads(self):
        """How many services let the reader in."""
        return self.run("reader", "use").stdout.count(": 200 ")

    def signs_out(self):
        if self.who():
            ended = self.run("phone", "sign-out")
            assert ended.returncode == 0, ended

    # MARK: records

    def records(self, begun=0):
        lines = (self.folder / "edu-id/audit.jsonl").read_text().splitlines() if (self.folder / "edu-id/audit.jsonl").exists() else []
        return [json.loads(line) for line in lines[begun:]]

    def clauses(self, begun):
        """By which clauses anything was refused since, but that a browser is needed."""
        refused = [line for line in self.records(begun) if line["outcome"] != "done"]
        return {line.get("rule") for line in refused} - {"OIC-1"}


def started(words, log, place, clock):
    """A provider's process, once something can be read there; it goes by the federation's time."""
    with open(log, "w") as out:
        environment = os.environ | clock.environment
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT, cwd=pathlib.Path(log).parent, env=environment)

    def is_there():
        if process.poll() is not None:
            raise AssertionError(pathlib.Path(log).read_text())
        try:
            return requests.get(place, timeout=5).status_code == 200
        except requests.ConnectionError:
            return False

    eventually("the provider is there", is_there)
    return process


class Steered:
    """The provider that breaks rules when told."""

    name, password = "ada", "a password of Ada's"

    def __init__(self, work, port, federation, *words, slash=False):
        self.base = f"http://127.0.0.1:{port}"
        self.issuer = self.base + "/" * slash
        more = ["--callback", federation.callback, "--backchannel", federation.logout, *(["--slash"] if slash else [])]
        program = [sys.executable, str(HERE / "provider.py"), "--port", str(port), *more, *map(str, words)]
        self.process = started(program, work / f"provider-{port}", self.base + "/keys", federation.clock)

    def steer(self, act, **wish):
        answer = requests.post(self.base + "/control", json={"act": act, **wish}, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def seen(self):
        """What it was asked since."""
        return self.steer("seen")["seen"]

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=WAIT)


class Nano:
    """A provider that is there already, and of which nothing is known but its configuration: nanoidp."""

    name, password = "ada", "a password of Ada's"

    def __init__(self, work, port, federation, secret, way):
        self.issuer = f"http://127.0.0.1:{port}"
        place = work / f"nanoidp-{port}"
        place.mkdir()
        client = {"client_id": "eduid", "client_secret": secret, "token_endpoint_auth_method": way}
        client |= {"redirect_uris": [federation.callback], "allowed_scopes": ["openid", "profile", "email"]}
        oauth = {"issuer": self.issuer, "audience": "somebody's", "require_pkce": True, "clients": [client]}
        server = {"host": "127.0.0.1", "port": port}
        people = {self.name: {"password": self.password, "email": "ada@uni-alpha.example", "roles": ["STAFF"], "attributes": {"given_name": "Ada"}}}
        # JSON is YAML.
        settings = {"config_version": 1, "server": server, "oauth": oauth, "jwt": {"keys_dir": "./keys"}}
        settings["session"] = {"secret_key": secrets.token_urlsafe(16)}
        (place / "settings.yaml").write_text(json.dumps(settings))
        (place / "users.yaml").write_text(json.dumps({"config_version": 1, "users": people}))
        program = [str(pathlib.Path(sys.executable).parent / "nanoidp"), "--config", ".", "--port", str(port)]
        self.process = started(program, place / "log", self.issuer + "/.well-known/openid-configuration", federation.clock)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=WAIT)
