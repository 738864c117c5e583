"""How an instance answers a third-party app: request, choice and access (Fixtures/protocol/app-requests.md)."""

from . import descriptions, endpoints, jose, protocol_requests
from .formats import digest
from .instance import is_refused_with, permitted
from .instance_discovery import candidates
from .instance_introduction import authorization, regain_service
from .instance_store import identity
from .json_text import compact_json
from .jws import read_compact
from .modes import AuthorizationMode, Screen
from .proofs import later
from .refusals import Refusal

CODE_LIFETIME = 60
CONFIRMATION = ("jwk", "jwe", "jku", "jkt", "kid")
REFUSED = ("invalid_client", "invalid_token", "invalid_grant")


def answer_app(app, step):
    """The response to a request of an app: three interactions, one after the other."""
    request, app_key = yield from app.interaction(step["entropy"], 0, checked(app, step))
    found = yield from app.interaction(step["entropy"], 1, candidates(app, request))
    chosen = answered(app, request, app_key, found, step.get("pick", []))
    return (yield from app.interaction(step["entropy"], 2, chosen))


# The request

def checked(app, step):
    yield from ()
    request = protocol_requests.read(step["request"])
    seen = app.store.settings.get("seen", {})
    app_key = protocol_requests.check(request, step["registry"], seen, app.now)
    if request.token is not None:
        app.store.settings["seen"] = remembered(request, seen, app.now)
    return request, app_key


def remembered(request, seen, now):
    """The signatures that came, with that of a request; what has ended is forgotten."""
    kept = {app: {name: until for name, until in names.items() if until > now} for app, names in seen.items()}
    claims = read_compact(request.token).claims()
    name = claims["jti"] if len(claims["jti"].encode()) <= 64 else digest(claims["jti"])
    kept.setdefault(request.app_id, {})[name] = later(jose.time_claim(claims, "iat"), protocol_requests.MEMORY)
    return {app: names for app, names in kept.items() if names}


# The choice

def chosen_of(request, found, picks):
    """The candidates that a person accepts who picks some; the mode says what is possible."""
    picks = {identity(url) for url in picks}
    preselected = tuple(candidate.url for candidate in found if candidate.is_preselected)
    if request.single and len(preselected) > 1:
        preselected = ()
    mode = AuthorizationMode(request.single, True, tuple(candidate.url for candidate in found))
    mode.screen = Screen("selection", candidates=mode.services, picked=preselected)
    for candidate in found:
        is_picked = candidate.service.identity in picks
        if is_picked != (candidate.url in preselected):
            mode.step(f"{'pick' if is_picked else 'unpick'} {candidate.url}")
    mode.step("accept")
    granted = mode.errands[-1]["finish"]
    return [candidate.service for candidate in found if candidate.url in granted]


def answered(app, request, app_key, found, picks):
    chosen = chosen_of(request, found, picks)
    names = [service.identity for service in chosen]
    for name in names:
        app.store.protocols[name] = {*app.store.protocols.get(name, ()), *request.protocols}
    app.store.note_left_out(request.app_id, {candidate.service.identity for candidate in found}, {*names})
    granted = []
    for service in chosen:
        try:
            yield from authorization(app, service.url.text)
            granted.append((yield from access(app, request, app_key, service.url.text)))
        except Refusal:
            continue
    return granted


# Access

def access(app, request, app_key, url):
    """What an app gets of a service: its description with an authorization."""
    try:
        return (yield from attempt_of_access(app, request, app_key, url))
    except Refusal as refusal:
        if not is_refused_with(refusal, *REFUSED):
            raise
    yield from regain_service(app, url)
    return (yield from attempt_of_access(app, request, app_key, url))


def attempt_of_access(app, request, app_key, url):
    service = app.store.service(url)
    token, target = app.service_token(service.identity), permitted(service.token_target, service.url)
    pairs = [("grant_type", "authorization_code"), ("code", app_code(app, request, app_key, token, service)),
             ("scope", scope_of(service.document, request.protocols))]
    pairs += [("req_cnf", compact_json({"jwk": app_key}))] if app_key else []
    members = yield from app.form(target, pairs, bearer=app.request_token(target, token))
    app.store.tokens[request.app_id, service.identity, "app"] = members
    return descriptions.filtered(service.document, request.protocols) | {"authorization": for_app(members)}


def for_app(members):
    """An answer as the app gets it: of `cnf` the key and its name."""
    if "cnf" not in members:
        return members
    return members | {"cnf": {name: members["cnf"][name] for name in CONFIRMATION if name in members["cnf"]}}


def app_code(app, request, app_key, token, service):
    audience, now = service.endpoint("authorize"), app.signing_time(service.token_target)
    claims = {"iss": token.holder, "sub": request.app_id, "aud": audience, "iat": now, "exp": now + CODE_LIFETIME,
              "jti": app.chance.name()}
    claims |= {"cnf": {"jwk": app_key}} if app_key else {}
    return app.issue(claims, token.key | {"kid": token.kid}, "authorization-grant+jwt")


def scope_of(document, protocols):
    """The endpoints of protocols; one with a query is no word of a scope."""
    found = dict.fromkeys(endpoints.endpoint(document, name) for name in protocols)
    return " ".join(url for url in found if "?" not in url)
