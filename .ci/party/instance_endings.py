"""How an instance ends what it holds, and tells it until somebody confirms (Fixtures/protocol/app-requests.md)."""

from .instance import NO_ANSWER, is_refused_with, permitted
from .instance_entry import proof_of_key, registration
from .instance_store import Ending, identity
from .refusals import Flaw, Refusal

CONFIRMED, PENDING = "confirmed", "pending"


def sign_out(app):
    token = app.user_token()
    app.store.forget_person()
    return (yield from begin_ending(app, app.issuer, token))


def unlink(app, url):
    name = identity(url)
    token = app.service_token(name)
    service = app.store.services[name]
    app.store.forget_service(name)
    app.store.note_ended(name)
    return (yield from begin_ending(app, service.endpoint("revoke"), token, service.url))


def begin_ending(app, target, token, home=None):
    until = None if token.refresh_token else token.expires
    place = app.store.keep_ending(app.uuid, target, Ending(token, home, until))
    try:
        yield from tell(app, place)
    except Refusal:
        return PENDING
    return CONFIRMED


def tell_endings(app):
    """Tells all endings, as far as somebody answers; how many are left."""
    for place in app.store.endings():
        try:
            yield from tell(app, place)
        except Refusal as refusal:
            if refusal.clause == NO_ANSWER:
                break
    return len(app.store.endings())


def tell_sessions(app):
    """Tells the endings of sessions before another one begins; ends with it where one of them is not confirmed."""
    for place in app.store.endings():
        if app.store.tokens[place].home is None:
            try:
                yield from tell(app, place)
            except Refusal:
                raise Flaw(NO_ANSWER, "the end of the last session cannot be told") from None


def tell(app, place):
    """Tells one ending; where it is confirmed its row goes."""
    ending = app.store.tokens[place]
    if ending.until is None or app.now < ending.until:
        yield from revocation(app, ending, place[1])
    del app.store.tokens[place]


def revocation(app, ending, target):
    """Revokes a token; what is unknown after a new registration too has ended."""
    try:
        return (yield from revocation_request(app, ending, target))
    except Refusal as refusal:
        if not is_refused_with(refusal, "invalid_client"):
            raise
    yield from registration(app)
    yield from proof_of_key(app)
    try:
        yield from revocation_request(app, ending, target)
    except Refusal as refusal:
        if not is_refused_with(refusal, "invalid_client"):
            raise


def revocation_request(app, ending, target):
    url = permitted(target, ending.home) if ending.home else app.endpoint("revocation_endpoint")
    pairs = [("token", ending.token.members["access_token"]), ("token_type_hint", "access_token")]
    yield from app.form(url, pairs, bearer=app.request_token(url, ending.token), reply="revocation")
