"""How the edu-ID app reads, checks and answers the request of a third-party app (Fixtures/protocol/device.md)."""

from dataclasses import dataclass

from . import descriptions, jose, keys
from .formats import check_name, check_secret, digest, is_for_people
from .json_text import json_type, read_json
from .jws import Key, read_compact, verify
from .refusals import Flaw

ASSERTION = "urn:ietf:params:oauth:assertion"
LONGEST_AGE, MEMORY = 600, 601
MOST_PROTOCOLS, MOST_OF_AN_APP, MOST_OF_ALL = 64, 64, 1024


@dataclass(frozen=True)
class ProtocolRequest:
    """What an app wants: services that offer some protocols."""
    client_id: str
    app_id: str
    app_name: str
    protocols: tuple
    single: bool
    token: str | None

    @property
    def hash(self):
        """What the signature has to cover."""
        lines = (self.app_id, self.client_id, str(int(self.single)), *sorted(self.protocols, key=str.encode))
        return digest("".join(f"{line}\n" for line in lines))


# Reading

def read(text):
    value = read_json(text, size=65536, depth=8, values=4096, members=256)
    if not isinstance(value, dict):
        raise Flaw("NIF-2", "a request is an object")
    protocols = value.get("protocols")
    if not isinstance(protocols, list):
        raise Flaw("NIF-2", "'protocols' is no array")
    for name in protocols:
        read_name(name, 255)
    names = [read_name(value.get(member), 1024) for member in ("client_id", "app_id", "app_name")]
    single = value.get("single")
    if json_type(single) not in ("null", "boolean"):
        raise Flaw("NIF-2", "'single' is no boolean")
    if not is_for_people(names[2]):
        raise Flaw("threat-58", "'app_name' has what people do not see")
    protocols = tuple(dict.fromkeys(protocols))
    if len(protocols) > MOST_PROTOCOLS:
        raise Flaw("threat-14", f"{len(protocols)} protocols, at most {MOST_PROTOCOLS} allowed")
    if not protocols:
        raise Flaw("NIF-2", "no protocols")
    return ProtocolRequest(*names, protocols, bool(single), read_token(value.get("token")))


def read_name(value, limit):
    if not isinstance(value, str) or not value:
        raise Flaw("NIF-2", "a name that is no text, or empty")
    return check_name(value, limit=limit)


def read_token(value):
    if value is None:
        return None
    if not isinstance(value, str):
        raise Flaw("NIF-2", "'token' is no text")
    return check_secret(value, "token")


# Checking

def check(request, registry, seen, now, caller=None):
    """The key that the app wants its tokens bound to, if the request may be shown to the person."""
    if caller not in (None, request.app_id):
        raise Flaw("threat-58", "another app asks than the one that is named")
    registered = registry.get(request.app_id, [])
    if request.token is None:
        if registered:
            raise Flaw("NIF-3", "who can sign must")
        return None
    if not registered:
        raise Flaw("NIF-3", "no keys are registered for the app")
    claims = signed_claims(request, registered, now)
    if not isinstance(claims["name"], str):
        raise jose.wrong_claim_type("name", claims["name"], "string")
    if claims["name"] != request.app_name:
        raise Flaw("NIF-3", "the app is named otherwise")
    app_key = wanted_key(claims)
    for name in ("iat", "jti", "req_hash"):
        jose.check_present(claims, name)
    if now > jose.time_claim(claims, "iat") + LONGEST_AGE:
        raise Flaw("RFC7519-4.1.6", "the signature is too old")
    if claims["req_hash"] != request.hash:
        raise Flaw("threat-58", "the signature covers another request")
    check_fresh(request.app_id, claims["jti"], seen, now)
    return app_key


def signed_claims(request, registered, now):
    signed = read_compact(request.token)
    usable = [Key(jwk) for jwk in registered if keys.is_readable(jwk) and keys.is_usable(jwk)]
    key = verify(signed, usable, keys.HOLDERS)
    expected = jose.Expected(
        "protocol-request+jwt", untyped=True, requires=("iss", "sub", "aud", "name"), issuer=request.app_id,
        audience=ASSERTION, subject=request.client_id, endless=True)
    return jose.check_jwt(signed, key, expected, now)


def wanted_key(claims):
    if "cnf" not in claims:
        return None
    confirmation = jose.read_confirmation(claims["cnf"])
    if "jwk" not in confirmation:
        raise Flaw("RFC7800-3.2", "'cnf' must carry the public key as 'jwk'")
    return confirmation["jwk"]


def check_fresh(app, name, seen, now):
    """The name of a signature came from this app in no earlier request, and there is room to remember it."""
    remembered = {other: {jti for jti, until in names.items() if until > now} for other, names in seen.items()}
    name = digest(name) if len(name.encode()) > 64 else name
    own = remembered.get(app, set())
    if name in own or len(own) >= MOST_OF_AN_APP or sum(map(len, remembered.values())) >= MOST_OF_ALL:
        raise Flaw("threat-58", "the signature came before, or cannot be remembered")


# Answering

def response(request, documents):
    """The array for the app: what was granted, cut down to what was asked for."""
    if request.single and len(documents) > 1:
        raise Flaw("NIF-4", "more than the one service that was asked for")
    for document in documents:
        check_granted(request, document)
    return [descriptions.filtered(document, request.protocols) for document in documents]


def check_granted(request, document):
    if descriptions.service_url(document) is None:
        raise Flaw("RSD-3", "a service without a URL")
    for name in request.protocols:
        if name not in document["apis"]:
            raise Flaw("NAI-12", f"the service does not offer '{name}'")
    places = (document, *(document["apis"][name] for name in request.protocols))
    if not any("authorization" in place for place in places):
        raise Flaw("NIF-5", "the service has no authorization")


def readable(values):
    """The documents that can be read."""
    for value in values:
        try:
            yield descriptions.read(value)
        except Flaw:
            continue


# Kinds of vectors

def request_answer(given):
    request = read(given["request"])
    app_key = check(request, given["registry"], given.get("seen", {}), given["now"], given.get("caller"))
    checked = {
        "client_id": request.client_id, "app_id": request.app_id, "app_name": request.app_name,
        "protocols": [*request.protocols], "single": request.single} | ({"app_key": app_key} if app_key else {})
    if "grants" not in given:
        return {"checked": checked}
    try:
        return {"checked": checked, "answer": response(request, [*readable(given["grants"])])}
    except Flaw as flaw:
        return {"checked": checked, "refusal": {"clause": flaw.clause}}
