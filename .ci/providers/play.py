"""People sign in at OpenID providers, and what providers, strangers and other browsers must not bring about. Usage: play.py PROGRAM WORK [CLOCK]

CLOCK is the library of client/clock.swift, by which a day passes in a moment; without it what takes time is left out.
"""

import json
import pathlib
import random
import secrets
import signal
import sys
import time
import traceback
import urllib.parse

import breaking
from browsers import Chromium, Plain
from parties import Clock, Federation, Nano, Steered, eventually

# By which clause the edu-ID service refuses what breaks a rule: that of whichever standard says it.
CLAUSES = {
    "alg none": "threat-1",
    "HS256 by the public key": "RFC8725-3.1",
    "another's key under the same name": "RFC7515-5.2",
    "a key in the header": "threat-9",
    "no kid": "RFC7515-4.1.4",
    "unknown kid": "RFC7515-6",
    "a key that has vanished": "RFC7515-6",
    "typ of a logout token": "RFC8725-3.11",
    "other iss": "RFC8725-3.8",
    "iss with one slash more": "RFC8725-3.8",
    "other aud": "RFC7519-4.1.3",
    "second audience": "threat-24",
    "other azp": "OIC-8",
    "expired": "RFC7519-4.1.4",
    "old": "RFC7519-4.1.6",
    "made tomorrow": "RFC7519-4.1.6",
    "no nonce": "RFC7519-4",
    "other nonce": "OIC-8",
    "no sub": "RFC7519-4",
    "sub of 256 characters": "OIC-8",
    "at_hash of another token": "OIC-8",
    "callback with another iss": "RFC9207-2.4",
    "callback without iss": "RFC9207-2.4",
    "callback with another state": "OIC-5",
    "callback with a code and an error": "threat-37",
    "callback without code": "RFC6749-3.1",
    "callback with a foreign code": "OIC-7",
    "userinfo of somebody else": "OIC-9",
    "userinfo without sub": "RFC6749-3.1",
    "no ID token": "RFC6749-3.1",
    "token of another type": "OIC-7",
    "token endpoint refuses": "OIC-7",
    "token endpoint fails": "RFC6749-5.2",
    "token endpoint sends elsewhere": "RFC6749-5.2",
    "token endpoint answers a page": "RFC6749-5.1",
    "token endpoint answers 65 KiB": "threat-14",
    "description of another issuer": "OIC-10",
    "description with one slash more": "OIC-10",
    "description without token endpoint": "RFC6749-3.1",
    "description without code": "OIC-10",
}
# What is no answer at all, so that another time may help, as the app is told; anything else is the provider's failure.
ANOTHER_TIME = {
    rule for rule in breaking.TOKEN if rule.startswith("token endpoint ") and rule != "token endpoint refuses"
}
# What ends in the browser, because nobody knows to whom it belongs: the app hears nothing.
ENDS_THERE = {"callback with another state", "callback with a code and an error", "callback without code"}
LOGOUT_CLAUSES = {
    "nonce": "OIC-16",
    "other aud": "RFC7519-4.1.3",
    "other iss": "OIC-16",
    "other typ": "RFC8725-3.11",
    "no events": "RFC7519-4",
    "other event": "OIC-16",
    "nobody": "RFC7519-4",
    "no jti": "RFC7519-4",
    "another's key under the same name": "RFC7515-5.2",
    "alg none": "threat-1",
    "old": "RFC7519-4.1.6",
}


class Play:
    """Scenes with one federation and one provider."""

    def __init__(self, federation, provider):
        self.federation, self.provider = federation, provider

    # MARK: signing in

    def plainly(self, asked, **more):
        return Plain().sign_in(asked.place, self.provider.name, self.provider.password, **more)

    def signs_in(self):
        """A sign-in that is good; who is signed in then."""
        asked = self.federation.asks()
        answer = self.plainly(asked)
        status, said = asked.ends()
        assert status == 0, f"{said}\n{answer.place}: {answer.text}\n{self.provider.steer('seen') if isinstance(self.provider, Steered) else ''}"
        assert "signed in" in said and answer.status == 200 and answer.place.startswith("http://127.0.0.1:"), (said, vars(answer))
        who = self.federation.who()
        assert who, "nobody is signed in"
        return who

    def is_refused(self, rule, clause, page=None):
        """A sign-in that comes to nothing: the app is told so, or nobody but the browser, by a page; and a clause stands in the records."""
        federation = self.federation
        federation.signs_out()
        begun = len(federation.records())
        asked = federation.asks()
        answer = self.plainly(asked)
        if answer.place.startswith(federation.home):
            assert answer.status == page, f"{rule}: {answer.status} {answer.text}"
            assert answer.fields["Cache-Control"] == "no-store" and "Location" not in answer.fields, answer.fields
            asked.given_up()
        else:
            assert not page, f"{rule}: came to {answer.place}"
            status, said = asked.ends()
            assert status != 0, f"{rule}: {said}"
            error = "temporarily_unavailable" if rule in ANOTHER_TIME else "server_error"
            assert error in said, f"{rule}: {said}"
        assert federation.who() is None, f"{rule}: somebody is signed in"
        found = federation.clauses(begun)
        assert found == {clause}, f"{rule}: refused by {found}, expected {clause}"
        return clause

    # MARK: scenes, each of which ends with what it has shown

    def in_chromium(self, cancels=True):
        """What people see, in a browser as they have it."""
        federation, provider = self.federation, self.provider
        browser = Chromium()
        try:
            if cancels:
                asked = federation.asks()
                browser.cancel(asked.place)
                status, said = asked.ends()
                assert status != 0 and "access_denied" in said and federation.who() is None, said
            asked = federation.asks()
            browser.sign_in(asked.place, provider.name, "not the password")
            assert asked.process.poll() is None, "the provider asks again"
            place = browser.types(provider.name, provider.password)
            status, said = asked.ends()
            assert status == 0, f"{said} {place} {browser.text}"
        finally:
            browser.quit()
        who = federation.who()
        assert who, "nobody is signed in"
        listed = federation.run("phone", "list")
        assert listed.returncode == 0 and "this one" in listed.stdout, listed
        return f"{'somebody' if who == 'yes' else who} signs in in Chromium" + (", after who cancelled did not" if cancels else "")

    def on_the_wire(self):
        """What the provider was asked in a good sign-in."""
        self.provider.seen()
        self.signs_in()
        seen = self.provider.seen()
        for once in ("POST /par", "GET /authorize", "POST /token", "GET /userinfo"):
            assert len([line for line in seen if line.startswith(once)]) == 1, (once, seen)
        assert "GET /authorize client_id,request_uri" in seen, f"more than a name goes through the browser: {seen}"
        assert any(line.startswith("GET /userinfo Bearer") for line in seen), seen
        token = next(line for line in seen if line.startswith("POST /token"))
        assert "code_verifier" in token and "redirect_uri" in token, token
        assert not any("offline_access" in line for line in seen)
        return "the request goes through the browser by its name alone"

    def harmless(self):
        for rule in breaking.HARMLESS:
            self.federation.signs_out()
            self.provider.steer("break", rule=rule)
            self.signs_in()
        return f"{len(breaking.HARMLESS)} unusual ID tokens are taken"

    def another_browser(self):
        """Who has only the URL has nothing."""
        federation, provider = self.federation, self.provider
        asked = federation.asks()
        own, stranger = Plain(), Plain()
        stopped = own.sign_in(asked.place, provider.name, provider.password, until=lambda place: place.startswith(federation.callback))
        provider.seen()
        begun = len(federation.records())
        answer = stranger.visit(stopped.place)
        assert answer.status == 400 and answer.place == stopped.place, vars(answer)
        assert "OIC-5" in federation.clauses(begun), federation.clauses(begun)
        assert asked.process.poll() is None and federation.who() is None
        assert not provider.seen(), "the provider is asked nothing"
        other = federation.callback.replace("/provider", "/another")
        answer = own.visit(stopped.place.replace(federation.callback, other))
        assert answer.status in (400, 404), vars(answer)
        # Whose it is comes later, and once.
        answer = own.visit(stopped.place)
        status, said = asked.ends()
        assert status == 0 and answer.status == 200, (said, vars(answer))
        provider.seen()
        answer = own.visit(stopped.place, until=lambda place: not place.startswith(federation.home))
        assert answer.status == 400 and not provider.seen(), "the answer counts twice"
        return "a stolen answer is worth nothing, and the owner's counts once"

    def names_of_requests(self):
        """The app's URL leads to the provider once, and unchanged."""
        federation = self.federation
        asked = federation.asks()
        parts = urllib.parse.urlsplit(asked.place)
        query = dict(urllib.parse.parse_qsl(parts.query))
        for changed in ({"client_id": "somebody-else"}, {"request_uri": query["request_uri"][:-1]}, {"request_uri": secrets.token_urlsafe(32)}):
            place = parts._replace(query=urllib.parse.urlencode(query | changed)).geturl()
            answer = Plain().visit(place)
            assert answer.status == 400 and answer.place == place, (changed, vars(answer))
        first = Plain()
        assert first.visit(asked.place).place.startswith(self.provider.issuer), "the provider is asked"
        [(name, cookie)] = first.cookies["localhost"].items()
        assert name == "__Host-eduid-signin" and len(cookie) == 43, first.cookies
        answer = Plain().visit(asked.place)
        assert answer.status == 400 and answer.place == asked.place, vars(answer)
        asked.given_up()
        return "the app's URL leads to the provider once, and not by another's name"

    def broken_answers(self):
        refused = {}
        for rule in (*breaking.CALLBACK, *breaking.USERINFO, *breaking.TOKEN, *breaking.ID_TOKEN):
            if rule == "a key that has vanished":
                continue
            self.provider.steer("break", rule=rule)
            refused[rule] = self.is_refused(rule, CLAUSES[rule], page=400 if rule in ENDS_THERE else None)
            left = self.provider.steer("seen")
            assert left["pending"] is None, f"{rule} was not broken: {left}"
            asked = [line for line in left["seen"] if line.startswith("POST /token")]
            assert not asked or rule not in breaking.CALLBACK or "foreign" in rule, f"{rule}: a code was redeemed"
        self.signs_in()
        return f"{len(refused)} broken answers are refused: " + ", ".join(f"{rule} ({clause})" for rule, clause in refused.items())

    def broken_descriptions(self):
        """A description is kept for an hour, so whoever reads it anew begins anew."""
        for rule in breaking.DESCRIPTION:
            self.federation.restart()
            self.provider.steer("break", rule=rule)
            self.is_refused(rule, CLAUSES[rule], page=500)
        self.federation.restart()
        self.signs_in()
        return f"{len(breaking.DESCRIPTION)} broken descriptions are not believed"

    def rotation(self):
        """The provider changes its keys: as it should, as it should not, and when time has passed."""
        provider, clock = self.provider, self.federation.clock
        provider.steer("rotate", how="prepare")
        self.federation.restart()
        self.signs_in()
        provider.steer("rotate", how="switch")
        self.federation.signs_out()
        self.signs_in()
        provider.steer("rotate", how="replace")
        clause = self.is_refused("a key that nobody announced", CLAUSES["unknown kid"])
        provider.seen()
        self.is_refused("a key that nobody announced", CLAUSES["unknown kid"])
        assert not any("/keys" in line for line in provider.seen()), "the keys are read more often than every five minutes"
        if not clock.library:
            self.federation.restart()
            self.signs_in()
            return f"announced keys are taken, others at once are not ({clause})"
        clock.move(301)
        self.signs_in()
        self.federation.signs_out()
        provider.steer("break", rule="a key that has vanished")
        self.is_refused("a key that has vanished", CLAUSES["a key that has vanished"])
        clock.move(301)
        self.signs_in()
        return f"announced keys are taken, others after five minutes ({clause}), and vanished ones never"

    # MARK: logout at the provider

    def told(self, by, **wish):
        return self.provider.steer("logout", by=by, **wish)

    def logout_refused(self):
        """Logout tokens that say nothing end nothing."""
        federation = self.federation
        self.signs_in()
        federation.authorizes()
        assert federation.reads() == 2
        for rule, clause in LOGOUT_CLAUSES.items():
            begun = len(federation.records())
            answer = self.told("both" if rule == "nobody" else "sub", rule=rule)
            assert answer["status"] == 400 and json.loads(answer["body"])["error"] == "invalid_request", (rule, answer)
            found = federation.clauses(begun)
            assert found == {clause}, f"{rule}: refused by {found}, expected {clause}"
        answer = self.told("id_token")
        assert answer["status"] == 400, f"an ID token passes for a logout token: {answer}"
        # Whom nobody knows here has nothing that could end.
        assert self.told("stranger")["status"] == 200
        assert federation.who() and federation.reads() == 2, "something has ended"
        return f"{len(LOGOUT_CLAUSES) + 1} broken logout tokens end nothing"

    def logout_of_session(self):
        """A session at the provider ends: nothing ends here at once, and the person is asked anew."""
        federation = self.federation
        shown = []
        for by in ("sid", "both", "library"):
            federation.signs_out()
            self.signs_in()
            federation.authorizes()
            answer = self.told(by)
            assert answer["status"] == 200 and answer["body"] == "", (by, answer)
            assert answer["fields"].get("Cache-Control") == "no-store", answer
            assert self.told("again")["status"] == 200, "the second time the answer is the same"
            assert federation.reads() == 2 and federation.who(), f"{by}: something has ended"
            if federation.clock.library:
                # What has to be renewed is not.
                federation.clock.move(3_700)
                listed = federation.run("phone", "list")
                assert listed.returncode != 0 and "sign in again" in listed.stderr, f"{by}: nobody is asked anew: {listed}"
                shown.append(listed.stderr.strip())
                self.signs_in()
                assert federation.run("phone", "list").returncode == 0
        return "who ends a session there is asked anew here" + (f": {shown[0]}" if shown else "")

    def logout_of_person(self):
        """All sessions of a person at the provider end, and with them everything that stands on them here."""
        federation = self.federation
        self.signs_in()
        federation.authorizes()
        assert federation.reads() == 2
        answer = self.told("sub")
        assert answer["status"] == 200 and answer["body"] == "", answer
        eventually("no service lets the reader in", lambda: federation.reads() == 0)
        listed = federation.run("phone", "list")
        assert listed.returncode != 0, f"the phone goes on: {listed}"
        # The word is told once more, after somebody has signed in anew.
        self.signs_in()
        federation.authorizes()
        assert self.told("again")["status"] == 200
        time.sleep(1)
        assert federation.reads() == 2 and federation.run("phone", "list").returncode == 0, "an old word has ended something"
        return "who signs out everywhere there has signed out here, once"

    def logout_in_browser(self):
        """The person signs out at the provider, and the provider tells it in its own way."""
        self.signs_in()
        page = Plain().visit(self.provider.base + "/end-session")
        assert "1 told: [200]" in page.text, page.text
        return "what the library itself makes of a logout is taken"

    def away(self):
        """The provider goes away while somebody types, and is still away when somebody comes."""
        federation = self.federation
        asked = federation.asks()
        person = Plain()
        stopped = person.sign_in(asked.place, self.provider.name, self.provider.password, until=lambda place: place.startswith(federation.callback))
        self.provider.stop()
        begun = len(federation.records())
        person.visit(stopped.place)
        status, said = asked.ends()
        assert status != 0 and "temporarily_unavailable" in said and federation.who() is None, said
        asked = federation.asks()
        answer = Plain().visit(asked.place)
        assert answer.status == 503 and answer.place == asked.place, vars(answer)
        asked.given_up()
        assert federation.clauses(begun) == {"OIC-7"}, federation.clauses(begun)
        return "while the provider is away nobody signs in, and is told to come again"

    # MARK: records

    def says_nothing(self):
        """Nothing of the provider's stands in records, and nothing of the person's."""
        records = json.dumps(self.federation.records()) + self.federation.log.read_text()
        known = ["Lovelace", "ada@uni-alpha", self.provider.password]
        if isinstance(self.provider, Steered):
            known += [each[name] for each in self.provider.steer("seen")["signed_in"] for name in ("sub", "sid")]
        for word in known:
            assert word not in records, f"'{word}' stands in the records"
        return "records name nobody"

    def all(self, *scenes):
        for scene in scenes:
            begun = time.monotonic()
            self.federation.signs_out()
            words = scene()
            print(f"  {words} ({time.monotonic() - begun:.1f} s)", flush=True)


def by_key(program, work, ports, clock):
    """ES256, a key of the service's own, and requests that are left at the provider."""
    federation = Federation(program, work / "key", next(ports), clock)
    federation.start()
    federation.stop()
    made = federation.run("key", "generate", "--algorithm", "ES256", "-o", ".eduid/edu-id/provider.jwk")
    assert made.returncode == 0, made
    shown = federation.run("key", "public", ".eduid/edu-id/provider.jwk")
    keys = federation.work / "client.jwks"
    keys.write_text(json.dumps({"keys": [json.loads(shown.stdout) | {"use": "sig"}]}))
    provider = Steered(federation.work, next(ports), federation, "--algorithm", "ES256", "--client-jwks", keys)
    federation.relies_on(
        {"issuer": provider.issuer, "client": "eduid", "key": "provider.jwk", "scope": "profile email", "algorithms": "[ES256]"}
    )
    federation.start()
    play = Play(federation, provider)
    scenes = [play.broken_descriptions, play.in_chromium, play.on_the_wire, play.harmless, play.another_browser, play.names_of_requests]
    scenes += [play.broken_answers, play.rotation, play.logout_refused, play.logout_of_session, play.logout_of_person, play.logout_in_browser]
    return federation, provider, play, [*scenes, play.says_nothing]


def by_secret(program, work, ports, clock):
    """RS256, a secret of all kinds of characters, and an issuer identifier with a slash at its end."""
    federation = Federation(program, work / "secret", next(ports), clock)
    federation.start()
    federation.stop()
    secret = "a:b%c+d&e=" + secrets.token_urlsafe(16)
    federation.keeps("provider.secret", secret)
    provider = Steered(federation.work, next(ports), federation, "--algorithm", "RS256", "--client-secret", secret, slash=True)
    settings = {"issuer": provider.issuer, "client": "eduid", "secret": "provider.secret", "scope": "profile email", "algorithms": "[RS256]"}
    federation.relies_on(settings)
    federation.start()
    play = Play(federation, provider)

    def forged():
        rules = ["alg none", "HS256 by the public key", "another's key under the same name"]
        for rule in rules:
            provider.steer("break", rule=rule)
            play.is_refused(rule, CLAUSES[rule])
        return f"{len(rules)} forged ID tokens are refused"

    def without_slash():
        federation.relies_on(settings | {"issuer": provider.base})
        federation.restart()
        play.is_refused("an issuer without its slash", CLAUSES["description of another issuer"], page=500)
        return "an issuer identifier without its slash is another"

    def away():
        federation.relies_on(settings)
        federation.restart()
        return play.away()

    scenes = [play.in_chromium, play.on_the_wire, forged, play.logout_of_person, play.says_nothing, without_slash, away]
    return federation, provider, play, scenes


def by_configuration(program, work, ports, clock):
    """A provider of other people's making: RS256, no pushed requests, no name in its answers."""
    federation = Federation(program, work / "nano", next(ports), clock)
    federation.start()
    federation.stop()
    secret = secrets.token_urlsafe(24)
    federation.keeps("provider.secret", secret)
    provider = Nano(federation.work, next(ports), federation, secret, "client_secret_post")
    settings = {"issuer": provider.issuer, "client": "eduid", "secret": "provider.secret", "secret-in": "body", "scope": "profile email"}
    federation.relies_on(settings | {"algorithms": "[RS256]"})
    federation.start()
    play = Play(federation, provider)

    def twice():
        # That it is the same person is not to be seen from outside: this provider tells no name.
        play.signs_in()
        federation.signs_out()
        play.signs_in()
        federation.authorizes()
        assert federation.reads() == 2
        return "who signs in twice is let in by services"

    def other_secret():
        federation.keeps("provider.secret", secrets.token_urlsafe(24))
        federation.restart()
        return f"the wrong secret redeems nothing ({play.is_refused('a wrong secret', 'OIC-7')})"

    def other_algorithm():
        federation.keeps("provider.secret", secret)
        federation.relies_on(settings | {"algorithms": "[ES256]"})
        federation.restart()
        return f"an algorithm that is not configured is refused ({play.is_refused('another algorithm', 'RFC8725-3.1')})"

    return federation, provider, play, [lambda: play.in_chromium(cancels=False), twice, other_secret, other_algorithm, play.says_nothing]


def main():
    program, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    # Whoever ends this ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    clock = Clock(sys.argv[3] if len(sys.argv) > 3 else None, work / "clock")
    # Below the ports that the system gives to whoever asks another.
    first = 20_000 + 30 * random.randrange(400)
    for number, world in enumerate((by_key, by_secret, by_configuration)):
        print(world.__doc__.strip(), flush=True)
        # A federation takes three ports.
        federation, provider, play, scenes = world(program, work, iter((first + 10 * number, first + 10 * number + 5)), clock)
        try:
            play.all(*scenes)
        except BaseException:
            traceback.print_exc()
            print("\n".join(federation.log.read_text().splitlines()[-20:]))
            for line in federation.records()[-8:]:
                print(json.dumps(line))
            sys.exit(1)
        finally:
            provider.stop()
            federation.abandon()
    print("people sign in at three providers, and nobody does whom a provider did not vouch for")


if __name__ == "__main__":
    main()
