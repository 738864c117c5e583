"""What a service asks the edu-ID service about an assertion (6)."""

from . import demands, formats, jose, replies
from .credentials import JWT_BEARER
from .json_text import read_object
from .messages import FORM_FIELDS
from .refusals import Refusal

CANNOT_ASK = "the edu-ID service cannot be asked about the assertion; try again later"
DISOWNED = "the edu-ID service does not stand by the assertion"
LIFETIME = 60


def ask_about(service, assertion) -> dict:
    """What the edu-ID service knows of the user beyond the assertion; nothing where it cannot be asked."""
    if "introspection" not in service.edu_id:
        return {}
    said = introspect(service, assertion.text)
    claims = assertion.claims
    expected = {"jti": claims["jti"], "sub": claims["sub"]}
    optional = {"client_id": claims["azp"], "iss": service.edu_id["issuer"]}
    if not said["active"] or any(said.get(name) != value for name, value in expected.items()):
        raise disowned()
    if any(said.get(name, value) != value for name, value in optional.items()):
        raise disowned()
    return attributes(service, said, claims["sub"])


def introspect(service, token: str) -> dict:
    proof = client_assertion(service)
    body = formats.form([("token", token), ("client_assertion_type", JWT_BEARER), ("client_assertion", proof)])
    answer = service.exchange.ask(
        {"method": "POST", "url": service.edu_id["introspection"], "headers": FORM_FIELDS, "body": body})
    if answer is None:
        raise cannot_ask()
    try:
        return replies.read_introspection(answer)
    except Refusal:
        raise cannot_ask() from None


def client_assertion(service) -> str:
    service.exchange.demand_signer()
    claims = {
        "iss": service.issuer,
        "sub": service.issuer,
        "aud": service.edu_id["issuer"],
        "iat": service.now,
        "exp": service.now + LIFETIME,
        "jti": service.chance.text(16),
    }
    return jose.issue(claims, service.key, "client-authentication+jwt")


def attributes(service, said: dict, subject: str) -> dict:
    """What the user token opens."""
    if "userinfo" not in service.edu_id or "user_token" not in said:
        return {}
    fields = {"Accept": "application/json", "Authorization": f"Bearer {said['user_token']}"}
    answer = service.exchange.ask({"method": "GET", "url": service.edu_id["userinfo"], "headers": fields})
    if answer is None or answer.status != 200:
        raise cannot_ask()
    try:
        known = read_object(answer.body or "", size=16_384, depth=16)
    except Refusal:
        raise cannot_ask() from None
    if known.pop("sub", None) != subject:
        raise disowned()
    return {name: value for name, value in known.items() if name not in demands.TOLD}


def cannot_ask() -> Refusal:
    return Refusal("temporarily_unavailable", "AST-8", CANNOT_ASK)


def disowned() -> Refusal:
    return Refusal("invalid_grant", "AST-8", DISOWNED)
