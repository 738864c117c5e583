"""How a sign-in goes on in the app behind the password: in steps, and with the code (Fixtures/protocol/app-requests.md)."""

from dataclasses import dataclass, replace

from .formats import digest
from .instance import is_refused_with
from .instance_store import Ending
from .refusals import Flaw, Refusal, demand

SIGNING_IN = "signing-in"
STEPS = "otp"
LIFETIME = 600
LAST_WORDS = ("invalid_session", "invalid_grant", "access_denied")


@dataclass(frozen=True)
class SignIn:
    """A sign-in that waits for a step."""

    user: str
    begun: float
    auth_session: str
    verifier: str
    steps: list


def go_on(app, granted, user, verifier):
    """What a sign-in leads to by the first answer: it waits, or ends with a code."""
    if "auth_session" in granted:
        wait(app, SignIn(user, app.now, granted["auth_session"], verifier, granted.get("steps", [])), granted)
    return (yield from redeem(app, granted["authorization_code"], user, verifier))


def wait(app, sign_in, granted):
    app.keep(SIGNING_IN, sign_in)
    demand(granted["error"] != "insufficient_authorization", "", "FPA-3", "another step is needed")
    raise Refusal(granted["error"], "RFC6749-5.2")


def give_up(app):
    app.store.tokens.pop(app.token_place(SIGNING_IN), None)


def make_step(app, step, name, answer):
    """Answers the step for which a sign-in waits; `name` is that of the parameter."""
    sign_in = waiting(app)
    url = app.endpoint("authorization_challenge_endpoint")
    pairs = [("response_type", "code"), ("auth_session", sign_in.auth_session), ("step", step), (name, answer),
             ("client_id", app.uuid)]
    proof = app.request_token(url, app.instance_token())
    try:
        granted = yield from app.form(url, pairs, bearer=proof, reply="challenge")
    except Refusal as refusal:
        if is_refused_with(refusal, *LAST_WORDS):
            give_up(app)
        raise
    if "auth_session" in granted:
        news = {name: granted[name] for name in ("auth_session", "steps") if name in granted}
        wait(app, replace(sign_in, **news), granted)
    give_up(app)
    return (yield from redeem(app, granted["authorization_code"], sign_in.user, sign_in.verifier))


def waiting(app):
    sign_in = app.token(SIGNING_IN)
    if sign_in and app.now < sign_in.begun + LIFETIME:
        return sign_in
    give_up(app)
    raise Flaw("FPA-7", "no sign-in waits for a step")


# The code

def redeem(app, code, user, verifier):
    url = app.endpoint("token_endpoint")
    place = keep_ending(app, code)
    pairs = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier)]
    proof = app.request_token(url, app.instance_token())
    token = app.kept((yield from app.form(url, pairs, bearer=proof)))
    del app.store.tokens[place]
    begin_session(app, user, token)
    return True


def keep_ending(app, code):
    """Keeps what ends the session that a code opens, for who does not hear what came of it."""
    own = app.instance_token()
    cnf = {"cnf": {"kid": own.kid}}
    token = replace(own, members={"access_token": code} | cnf, expires=None)
    return app.store.keep_ending(app.uuid, app.issuer, Ending(token, None, None))


def begin_session(app, user, token):
    session, person = app.chance.text(16), digest(f"person:{app.uuid}:{user}")
    if app.store.settings.get("person") == person:
        own = app.token("personal")
        if own and own.kid == token.kid:
            # Whoever is signed in keeps what stands on a grant that goes on.
            app.keep("personal", token)
            return
        app.store.forget_user()
    else:
        app.store.forget_person()
    app.store.settings |= {"person": person, "session": session}
    app.keep("personal", token)
