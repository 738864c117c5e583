"""Days pass: a service is away while somebody signs out, and a machine's clock goes wrong.

days.py PROGRAM FOLDER LIBRARY, the library of clock.swift
"""

import pathlib
import sys
import time
import traceback

import wire
from play import Person, eventually
from wire import Refused
from world import World

HOUR, DAY = 3_600, 86_400
# So long a message waits at most before it is tried again, in the parties' time.
LONGEST_WAIT = 6 * HOUR


class Clock:
    """By how much the time of a party's processes is ahead, whenever they ask."""

    def __init__(self, place):
        self.place, self.ahead = place, 0
        place.write_bytes(bytes(8))

    def move(self, seconds):
        self.ahead += seconds
        with open(self.place, "r+b") as file:
            file.write(self.ahead.to_bytes(8, sys.byteorder, signed=True))


class Days(World):
    """The parties, each with one host, a store that goes by its host's clock, and such a clock."""

    pairs = False
    people = ("ada", "ben")

    def __init__(self, program, folder, port, library):
        super().__init__(program, folder, "http", port)
        self.people, self.library, self.clocks = list(Days.people), library, {}

    def store(self, name):
        return "store: sqlite:store.sqlite" if name == "beta" else "store: journal:store"

    def environment(self, name):
        self.clocks[name] = Clock(self.folder / f"{name}.clock")
        return {"LD_PRELOAD": self.library, "EDUID_TEST_CLOCK": str(self.clocks[name].place)}

    def passes(self, seconds):
        """Time passes for everybody, parties and people."""
        for clock in self.clocks.values():
            clock.move(seconds)
        wire.ahead += seconds


def refuses(renew):
    """Whether nothing is given any more."""
    try:
        renew()
    except Refused as refusal:
        return refusal.error in ("invalid_grant", "invalid_client", "invalid_token")
    return False


def a_day(world, ada, ben):
    eduid, alpha = world.parties["eduid"], world.parties["alpha"]
    absent, present = sorted(ada.services, key=lambda service: not service.home.startswith(world.url("alpha")))
    alpha.stop()
    ada.phone.sign_out()
    eventually("who is there is told", lambda: not ada.app.use(present))
    world.passes(DAY)
    eventually("it is tried again a day later", lambda: "attempts 1 " not in eduid.admin("message", "list", eduid.folder))
    assert alpha.issuer in eduid.admin("message", "list", eduid.folder), "what was not confirmed is not given up"
    assert not ben.app.use(present), "an access token ends by itself"
    ben.phone.renew()
    ben.app.renew(present)
    assert ben.app.use(present), "who has not signed out goes on after a day"
    alpha.start()
    assert not ada.app.use(absent), "what was given for an hour is good for nothing a day later, whoever was told what"
    world.passes(LONGEST_WAIT)
    eventually("who was away for a day is told by itself", lambda: "none" in eduid.admin("message", "list", eduid.folder))
    assert refuses(lambda: ada.app.renew(absent)) and not ada.app.use(absent)
    ben.renew()
    assert ben.works()
    return "a service that was away for a day is told of a sign-out when it is back, and nobody else lost anything"


def ahead_and_back(world, ben):
    alpha, clock = world.parties["alpha"], world.clocks["alpha"]
    service, other = sorted(ben.services, key=lambda service: not service.home.startswith(world.url("alpha")))
    clock.move(2 * DAY)
    assert not ben.app.use(service), "whoever goes by another time is refused"
    assert ben.app.use(other), "and nowhere else"
    # All that timers do is done by the wrong time.
    alpha.admin("run", alpha.folder, "purge")
    clock.move(-2 * DAY)
    assert ben.app.use(service), "nothing that lives was removed, and nothing is refused for longer"
    ben.renew()
    assert ben.works()
    return "a clock that went two days ahead and back harmed nobody"


def followed(world, ben):
    """People's devices go by the time that they are told: so a machine that is ahead can remember times that are not yet."""
    clock = world.clocks["alpha"]
    service = next(service for service in ben.services if service.home.startswith(world.url("alpha")))
    clock.move(2 * DAY)
    wire.ahead += 2 * DAY
    ben.app.renew(service)
    for _ in range(4):
        assert ben.app.use(service)
        clock.move(300)
        wire.ahead += 300
    clock.move(-2 * DAY)
    wire.ahead -= 2 * DAY
    eventually("what was given by the wrong time is good by the right one", lambda: ben.app.use(service))
    ben.app.renew(service)
    assert ben.app.use(service)
    return "nor did one whose time people's devices followed"


def main():
    program, base, library = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
    world = Days(program, base / "days", 18545, library)
    print("over days", flush=True)
    try:
        world.start()
        place = world.parties["eduid"].folder / "directory.json"
        eventually("the edu-ID service knows the services", lambda: place.exists() and all(world.url(name) in place.read_text() for name in world.services))
        ada, ben = (Person(world, name).begin() for name in world.people)
        assert ada.works() and ben.works()
        for scene in (lambda: a_day(world, ada, ben), lambda: ahead_and_back(world, ben), lambda: followed(world, ben)):
            begun = time.monotonic()
            words = scene()
            print(f"  {words} ({time.monotonic() - begun:.1f} s)", flush=True)
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
