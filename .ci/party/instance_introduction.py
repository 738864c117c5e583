"""How an instance comes to a token of a service: introduction and redemption (Fixtures/protocol/app-requests.md)."""

from dataclasses import replace

from . import keys
from .instance import is_refused_with, key_of_seed, nonce_of, permitted
from .instance_entry import regaining_user, renew_service
from .instance_store import identity
from .json_text import compact_json
from .reading import JWT_BEARER_GRANT
from .refusals import Refusal, demand


def authorization(app, url):
    """Holds a token of a service that has not expired."""
    service = app.store.service(url)
    if not service or not service.token:
        yield from introduction(app, url)
    elif service.token.is_expired(app.now):
        yield from regain_service(app, url)
    return True


def regain_service(app, url):
    try:
        return (yield from renew_service(app, identity(url)))
    except Refusal as refusal:
        if not refusal.error and refusal.clause != "TOK-2":
            raise
    yield from introduction(app, url)


def introduction(app, url):
    try:
        return (yield from attempts(app, url))
    except Refusal as refusal:
        if not is_refused_with(refusal, "invalid_grant"):
            raise
    yield from attempts(app, url)


def attempts(app, url):
    yield from regaining_user(app, lambda: attempt(app, url), "invalid_client", "invalid_token")


def attempt(app, url):
    app.user_token()
    service = app.store.service(url)
    demand(service, "", "DAT-2", "the service is not known")
    key = key_of_seed(app.chance.bytes(32))
    try:
        granted = yield from assertion(app, url, key)
    except Refusal as refusal:
        nonce = nonce_of(refusal)
        if nonce is None:
            raise
        granted = yield from assertion(app, url, key, nonce)
    target = permitted(granted["redirect_uri"], service.url)
    try:
        token = yield from redemption(app, target, granted, key)
    except Refusal as refusal:
        if is_refused_with(refusal, "access_denied"):
            app.store.note_refusing(service.identity, True)
        raise
    known = app.store.services[service.identity]
    if target != known.token_target:
        app.store.forget_given(service.identity)
    app.store.keep_service(replace(known, token=token, token_target=target))
    app.store.note_refusing(service.identity, False)


def assertion(app, url, key, nonce=None):
    """A service assertion by the edu-ID service (4)."""
    state = app.chance.text(16)
    endpoint = app.endpoint("authorization_endpoint")
    proof = app.request_token(endpoint, app.user_token())
    pairs = [("response_type", "code"), ("resource", url), ("state", state),
             ("req_cnf", compact_json({"jwk": keys.material(key)})),
             ("req_proof", app.dpop_proof(endpoint, key, nonce))]
    asked = {"issuer": app.issuer, "state": state}
    return (yield from app.form(endpoint, pairs, bearer=proof, reply="authorization", asked=asked))


def redemption(app, target, granted, key):
    """The token of a service for an assertion (5): the instance's own, or one by a name and key for this service."""
    pairs = [("grant_type", JWT_BEARER_GRANT), ("assertion", granted["code"])]
    if "client_id" not in granted:
        proof = app.request_token(target, app.instance_token())
        return app.kept((yield from app.form(target, pairs, bearer=proof)))
    pairs.append(("client_id", granted["client_id"]))
    try:
        members = yield from app.form(target, pairs, dpop=app.dpop_proof(target, key))
    except Refusal as refusal:
        nonce = nonce_of(refusal)
        if nonce is None:
            raise
        members = yield from app.form(target, pairs, dpop=app.dpop_proof(target, key, nonce))
    return app.kept(members, granted["client_id"], key)
