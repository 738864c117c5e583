"""Plays (0) to (10) with an independent client, and then what goes wrong where parties run for years.

play.py PROGRAM FOLDER
"""

import concurrent.futures
import json
import pathlib
import sys
import threading
import time
import traceback

from app import PROTOCOL, App, Instance, renewed, signer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.utils import base64url_decode
from wire import Key, Refused, Wire
from world import APP_NAME, PASSWORD, World, folder_for

ARRIVAL = 45


class Person:
    """A person with a phone and an app on it, and what each of them was told."""

    def __init__(self, world, name):
        self.world, self.name = world, name
        self.wire = Wire(str(world.folder / "ca.pem"))
        self.phone = Instance(self.wire, world.url("eduid") + "/", version_key(world), APP_NAME)
        self.app = App(self.wire)

    def begin(self):
        self.phone.register()
        self.phone.sign_in(self.name, PASSWORD + self.name)
        self.services = self.phone.find([PROTOCOL])
        for service in self.services:
            self.phone.introduce(service, self.app)
        return self

    def works(self):
        return all(self.app.use(service) for service in self.services)

    def renew(self):
        self.phone.renew()
        for service in self.services:
            self.app.renew(service)


def version_key(world):
    key = json.loads((world.folder / "version.jwk").read_text())
    return Key(Ed25519PrivateKey.from_private_bytes(base64url_decode(key["d"])), key["kid"])


def eventually(what, holds):
    """Waits for what has to come to be true within a bounded time."""
    deadline = time.monotonic() + ARRIVAL
    while not holds():
        assert time.monotonic() < deadline, f"not within {ARRIVAL} s: {what}"
        time.sleep(0.3)


def together(count, work):
    """Does the same many times at once; answers what each came to."""
    gate = threading.Barrier(count)

    def one(number):
        gate.wait()
        try:
            return work(number)
        except Refused as refusal:
            return refusal

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


class Play:
    def __init__(self, world):
        self.world = world
        self.repeated = 0

    def all(self):
        for scene in (self.interactions, self.at_once, self.rotation, self.killed_hosts, self.database, self.absent_service, self.endings):
            begun = time.monotonic()
            words = scene()
            print(f"  {words} ({time.monotonic() - begun:.1f} s)", flush=True)

    # Each scene ends with what it has shown.

    def interactions(self):
        # The next keys are published long before they sign.
        for party in self.world.parties.values():
            party.admin("key", "prepare", party.folder)
        first = Person(self.world, self.world.people[0])
        first.phone.register()
        first.phone.sign_in(first.name, PASSWORD + first.name)
        eventually("the edu-ID service knows the services", lambda: len(first.phone.find([PROTOCOL])) == len(self.world.services))
        first.services = first.phone.find([PROTOCOL])
        for service in first.services:
            first.phone.introduce(service, first.app)
        assert first.phone.profile()["given_name"] == "Ada"
        assert first.works()
        # URLs are compared in their normal form (rsd2.md).
        used, homes = ({url.rstrip("/") for url in urls} for urls in (first.phone.used(), [each.home for each in first.services]))
        assert used == homes, (used, homes)
        assert len(first.phone.services()) == len(first.services)
        rest = self.world.people[1:]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            others = list(pool.map(lambda name: Person(self.world, name).begin(), rest))
        self.people = [first, *others]
        assert all(person.works() for person in self.people)
        return f"(0) to (9) for {len(self.people)} people at {len(self.world.services)} services"

    def at_once(self):
        person, service = self.people[0], self.people[0].services[0]
        assertion, place = person.phone.assertion(service)
        given = together(8, lambda _: person.phone.redeem(service, assertion, place))
        tokens = [token for token in given if not isinstance(token, Refused)]
        assert tokens and len({token.id for token in tokens}) == 1, given
        assert len({token.refresh for token in tokens}) == 1, "one grant, however often its answer is asked for"
        person.app.grounds[service.home] = tokens[0]
        person.app.tokens[service.home] = person.phone.authorize(service, person.app)

        before = person.app.tokens[service.home]
        given = together(8, lambda _: renewed(person.wire, before, service.token_endpoint))
        tokens = [token for token in given if not isinstance(token, Refused)]
        assert tokens and len({token.refresh for token in tokens}) == 1, given
        person.app.tokens[service.home] = tokens[0]
        assert person.works()

        # Whoever asks while the person signs out has a token that ends, or none.
        other = self.people[1]
        results = together(6, lambda number: other.phone.sign_out() if number == 0 else other.phone.assertion(service))
        assert not isinstance(results[0], Refused), results[0]
        eventually("a sign-out reaches all services", lambda: not any(other.app.use(each) for each in other.services))
        for assertion, place in (result for result in results[1:] if not isinstance(result, Refused)):
            try:
                other.app.grounds[service.home] = other.phone.redeem(service, assertion, place)
                other.app.tokens[service.home] = other.phone.authorize(service, other.app)
            except Refused:
                continue
            eventually("what was given late ends as well", lambda: not other.app.use(service))
        self.people.remove(other)
        return "eight redemptions of an assertion, eight renewals at once, and a sign-out among introductions"

    def rotation(self):
        for party in self.world.parties.values():
            party.admin("key", "rotate", party.folder)
        assert all(person.works() for person in self.people), "tokens of the former keys are good"
        person, service = self.people[0], self.people[0].services[0]
        former = signer(person.app.tokens[service.home]), signer(person.phone.personal)
        person.renew()
        person.phone.introduce(service, person.app)
        assert person.works()
        for one, token in zip(former, (person.app.tokens[service.home], person.phone.personal)):
            assert signer(token) != one, "the new key signs"
        for party in self.world.parties.values():
            party.admin("key", "retire", party.folder, "--force")
        assert person.works()
        fresh = Person(self.world, self.world.people[1]).begin()
        assert fresh.works()
        self.people.append(fresh)
        for person in self.people:
            person.renew()
        return "all keys were rotated, and the former ones retired"

    def loaded(self, disturb):
        """Lets everybody use and renew what they have while something is disturbed; everything acknowledged is kept."""
        done = threading.Event()
        counts = {"use": 0, "renewal": 0, "introduction": 0}

        def live(person):
            turn = 0
            while not done.is_set():
                turn += 1
                assert person.works(), f"{person.name} has lost a token"
                counts["use"] += len(person.services)
                if turn % 3 == 0:
                    person.renew()
                    counts["renewal"] += 1 + len(person.services)
                if turn % 5 == 0:
                    person.phone.introduce(person.services[turn % len(person.services)], person.app)
                    counts["introduction"] += 1
            assert person.works()

        with concurrent.futures.ThreadPoolExecutor(len(self.people)) as pool:
            running = [pool.submit(live, person) for person in self.people]
            try:
                time.sleep(1)
                disturb()
                time.sleep(1)
            finally:
                done.set()
            for future in running:
                future.result()
        repeated = sum(person.wire.repeated for person in self.people)
        self.repeated, repeated = repeated, repeated - self.repeated
        return f"{counts['use']} uses, {counts['renewal']} renewals and {counts['introduction']} introductions, {repeated} requests made again"

    def killed_hosts(self):
        def disturb():
            for round in range(2):
                for party in self.world.parties.values():
                    host = party.hosts[round % 2]
                    host.kill()
                    time.sleep(0.3)
                    host.start()

        return "each host was killed under load: " + self.loaded(disturb)

    def database(self):
        def disturb():
            self.world.disturb_database("restart")
            self.world.disturb_database("fail-over")

        return "the database was killed, and its replica took its place, under load: " + self.loaded(disturb)

    def absent_service(self):
        person = self.people.pop()
        absent = self.world.parties[self.world.services[0]]
        absent.stop()
        person.phone.sign_out()
        present = next(service for service in person.services if service.home.startswith(self.world.url(self.world.services[1])))
        eventually("who is there is told", lambda: not person.app.use(present))
        eduid = self.world.parties["eduid"]
        waiting = eduid.admin("message", "list", eduid.folder)
        assert absent.issuer in waiting, waiting
        absent.start()
        # Waits for the next attempt, or for an operator who does not.
        eduid.admin("message", "send", eduid.folder)
        eventually("who was away is told", lambda: not any(person.app.use(service) for service in person.services))
        # Who could not read the keys while the database was away is asked again when it may try that again.
        eventually("all messages are confirmed", lambda: self.are_confirmed(eduid))
        return "a service that was away is told when it is back"

    @staticmethod
    def are_confirmed(eduid):
        eduid.admin("message", "send", eduid.folder)
        return "none" in eduid.admin("message", "list", eduid.folder)

    def endings(self):
        leaver, service = self.people[0], self.people[0].services[0]
        leaver.phone.leave(service)
        eventually("a service that was left has ended", lambda: not leaver.app.use(service))
        assert leaver.app.use(leaver.services[1]), "what stands on something else stays"
        for person in self.people:
            person.phone.sign_out()
        eventually("everything has ended", lambda: not any(person.app.use(each) for person in self.people for each in person.services))
        for person in self.people:
            for renew in (person.phone.renew, *(lambda each=each: person.app.renew(each) for each in person.services)):
                try:
                    renew()
                except Refused as refusal:
                    assert refusal.error in ("invalid_grant", "invalid_client", "invalid_token"), refusal
                else:
                    raise AssertionError("what has ended was renewed")
        return f"everything of {len(self.people)} people has ended, everywhere, for good"


def main():
    program, base = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    for dialect, port in (("http", 18543), ("scgi", 18544)):
        world = World(program, folder_for(base, dialect), dialect, port)
        # Parties of the second world are others than those of the first.
        world.services = [f"{name}{dialect[0]}" for name in ("alpha", "beta")]
        print(f"over {dialect}", flush=True)
        try:
            world.start()
            Play(world).all()
        except BaseException:
            traceback.print_exc()
            for out in sorted(world.folder.glob("*.out")):
                print(f"--- {out.name}\n" + "\n".join(out.read_text().splitlines()[-15:]))
            world.stop()
            sys.exit(1)
        statuses = world.stop()
        assert statuses == [0] * len(statuses), f"processes ended with {statuses}"


if __name__ == "__main__":
    main()
