"""How an instance registers, signs a user in, and renews tokens (Fixtures/protocol/app-requests.md)."""

from dataclasses import replace

from .formats import digest
from .instance import is_refused_with, nonce_of, permitted
from .instance_steps import SIGNING_IN, STEPS, go_on
from .refusals import Flaw, Refusal, demand


def once_more(request, remedy, *words):
    """An interaction, made by `request`, and where it is refused with a word, the remedy and then the same again."""
    try:
        return (yield from request())
    except Refusal as refusal:
        if not is_refused_with(refusal, *words):
            raise
    yield from remedy()
    return (yield from request())


# Registration

def registration(app):
    if not app.token("client"):
        return (yield from first_registration(app))
    try:
        yield from proof_of_key(app)
    except Refusal as refusal:
        if not is_refused_with(refusal, "invalid_client"):
            raise
        yield from first_registration(app)
    return True


def proof_of_key(app):
    """The instance is registered, and proves its key."""
    url = app.endpoint("token_endpoint")
    proof = app.request_token(url, app.instance_token())
    pairs = [("grant_type", "client_credentials"), ("instance_assertion", proof), *app.statement()]
    app.keep("client", app.kept((yield from app.form(url, pairs))))


def first_registration(app):
    url = app.endpoint("token_endpoint")
    try:
        granted = yield from app.form(url, statement_form(app))
    except Refusal as refusal:
        if not is_refused_with(refusal, "invalid_client"):
            raise
        granted = yield from registration_by_proof(app, url)
    app.keep("client", app.kept(granted))
    app.store.forget_user()
    return True


def statement_form(app):
    return [("grant_type", "client_credentials"), *app.statement()]


def registration_by_proof(app, url):
    """A statement, and a DPoP proof beside it."""
    pairs = statement_form(app)
    try:
        return (yield from app.form(url, pairs, dpop=app.dpop_proof(url)))
    except Refusal as refusal:
        nonce = nonce_of(refusal)
        if nonce is None:
            raise
    pairs = statement_form(app)
    return (yield from app.form(url, pairs, dpop=app.dpop_proof(url, nonce=nonce)))


# Sign-in

def sign_in(app, user, password):
    if not app.token("client"):
        yield from registration(app)
    return (yield from once_more(
        lambda: attempt_to_sign_in(app, user, password), lambda: registration(app), "invalid_client"))


def attempt_to_sign_in(app, user, password):
    verifier = app.chance.text(32)
    app.store.tokens.pop(app.token_place(SIGNING_IN), None)
    url = app.endpoint("authorization_challenge_endpoint")
    pairs = [("response_type", "code"), ("username", user), ("password", password),
             ("steps_supported", STEPS), ("code_challenge", digest(verifier)), ("code_challenge_method", "S256"),
             ("client_id", app.uuid)]
    proof = app.request_token(url, app.instance_token())
    granted = yield from app.form(url, pairs, bearer=proof, reply="challenge")
    return (yield from go_on(app, granted, user, verifier))


# Renewal

def renewed(app, url, token):
    """A token in the place of one before, whose members it takes over."""
    pairs = [("grant_type", "refresh_token"), ("refresh_token", token.refresh_token)]
    granted = yield from app.form(url, pairs, bearer=app.request_token(url, token))
    inherited = {name: token.members[name] for name in ("refresh_token", "scope", "cnf") if name in token.members}
    return app.kept(inherited | granted, token.holder, token.key)


def renewal(app, token, target, keep, forget):
    """Renews a token at the URL that `target` tells; one that cannot be renewed any more is forgotten."""
    try:
        demand(token.refresh_token, "", "TOK-2", "there is nothing to renew it by")
    except Refusal:
        forget()
        raise
    url = target()
    try:
        keep((yield from renewed(app, url, token)))
    except Refusal as refusal:
        if is_refused_with(refusal, "invalid_grant", "invalid_client"):
            forget()
        raise


def regain_user(app):
    """Renews the personal token; one that is over leaves nobody signed in."""
    try:
        yield from renewal(app, app.user_token(), lambda: app.endpoint("token_endpoint"),
                           lambda token: app.keep("personal", token), app.store.forget_user)
    except Refusal as refusal:
        if refusal.clause == "TOK-2" or is_refused_with(refusal, "invalid_grant", "invalid_client"):
            raise Flaw("AUT-5", "nobody is signed in any more") from None
        raise


def renew_service(app, name):
    service = app.store.services[name]
    yield from renewal(app, app.service_token(name), lambda: permitted(service.token_target, service.url),
                       lambda token: app.store.keep_service(replace(service, token=token)),
                       lambda: app.store.forget_service(name))


def regaining_user(app, request, *words):
    """An interaction, made by `request`, and where it is refused with a word, once more after regaining the user."""
    return (yield from once_more(request, lambda: regain_user(app), *words))
