"""The statement with which a version of the edu-ID app vouches for an instance (Fixtures/protocol/registration.md)."""

from dataclasses import dataclass

from . import derivations, jose, keys
from .exchange import change
from .formats import check_name, is_name
from .json_text import compact_json, json_type
from .proofs import is_uuid, later
from .refusals import Flaw, Refusal, flaws_told_as

LEAD = "the app's request token: "
AGE = 600
UNDATED = 86_400
LONGEST_DESCRIPTION = 256
DEVICE = ("device_id", "name", "device_type", "os_version")
NOT_ADMITTED = LEAD + "this version of the app is no longer admitted"
# Flaws of the form that have clauses of their own here.
FORM = {"threat-1": "REQ-2", "threat-9": "REQ-14"}
SIGNATURE = {"RFC8725-3.1": "REQ-4", "RFC7515-5.2": "REQ-14", "RFC7515-6": "REQ-3"}


@dataclass(frozen=True)
class Statement:
    """A statement that was found right."""

    version: object
    instance: str
    device: dict
    key: dict | None
    claims: dict
    until: object

    def remembered(self, even_without_room=False):
        """The change that lets it pass once; one without a name passes again."""
        if "jti" not in self.claims:
            return None
        owner = f"kid:{len(self.version.kid.encode())}:{self.version.kid}{self.instance}"
        name = derivations.remembered("client assertion", owner, self.claims["jti"])
        return change("remember", key=name, until=self.until, evenWithoutRoom=even_without_room or None)

    def key_is_of(self, record, master):
        """Whether the key in it, if there is one, is that of an instance."""
        return self.key is None or derivations.is_same_key(self.key, derivations.key_of(record, master))


def read_statement(text):
    """A text that can be read as a statement."""
    with flaws_told_as("invalid_client", LEAD, FORM):
        if text.count(".") == 2 and not text.split(".")[1]:
            raise Flaw("REQ-1", "the payload is detached")
        signed = jose.read_compact(text)
        if signed.name is None:
            raise Flaw("REQ-3", "'kid' is missing")
        return signed


def check_statement(edu_id, signed):
    """All that a statement has to keep, beginning with its key."""
    version = edu_id.version(signed.name)
    with flaws_told_as("invalid_client", LEAD):
        verify(signed, version)
        claims = read_claims(signed)
        until = check_times(edu_id, claims)
        check_parties(claims, version, edu_id.issuer.name)
        device = read_device(claims)
        key = jose.confirmed_key(claims["cnf"]) if "cnf" in claims else None
    if edu_id.is_shut_out(version) or "withdrawn" in edu_id.version_attributes(version.kid):
        raise Refusal("unauthorized_client", "REG-4", NOT_ADMITTED)
    if "jti" not in claims and not edu_id.policy.get("strict_source"):
        raise Refusal("invalid_client", "threat-63", LEAD + "'jti' is missing")
    return Statement(version, claims["sub"].lower(), device, key, claims, until)


def verify(signed, version):
    """The statement is signed by the key of a version."""
    if version is None:
        raise Flaw("REQ-3", jose.NO_KEY)
    with flaws_told_as("", clauses=SIGNATURE):
        jose.verify(signed, [jose.Key(version.key)], keys.algorithms_of(version.key))
    jose.check_type(signed.header, jose.Expected("client-authentication+jwt", untyped=True))


def read_claims(signed):
    claims = signed.claims()
    for name in ("iss", "aud", "sub", "jti"):
        if name in claims:
            check_names(name, claims[name])
    return claims


def check_names(name, value):
    values = value if name == "aud" and isinstance(value, list) else [value]
    if not values:
        raise Flaw("REQ-6", f"'{name}' names nobody")
    for text in values:
        check_text(name, text)


def check_text(name, value, clause="REQ-6", limit=1024):
    """A text with content; what else a name may not have, has a clause of its own."""
    if not isinstance(value, str):
        raise Flaw(clause, f"'{name}' is a JSON {json_type(value)}, expected: string")
    try:
        check_name(value, limit=limit)
    except Flaw as flaw:
        raise Flaw(flaw.clause if value else clause, f"'{name}' is not a valid name: {flaw.words}") from None


def check_times(edu_id, claims):
    """Until when the statement is remembered, if it is one for now."""
    end, begin, made = (jose.time_claim(claims, name) for name in ("exp", "nbf", "iat"))
    now = edu_id.now
    if end is not None and now >= end:
        raise Flaw("REQ-8", f"'exp' is {compact_json(claims['exp'])}, now is {now}")
    if begin is not None and begin > now + jose.LEEWAY:
        raise Flaw("REQ-8", f"'nbf' is {compact_json(claims['nbf'])}, now is {now}")
    if made is not None and made > now + jose.LEEWAY:
        raise Flaw("RFC7519-4.1.6", f"'iat' is {compact_json(claims['iat'])}, now is {now}")
    if edu_id.policy.get("strict_source"):
        return now + UNDATED if end is None else min(later(now, UNDATED), later(end, 0))
    if made is None:
        raise Flaw("threat-63", "'iat' is missing")
    if now > made + AGE:
        raise Flaw("threat-63", f"'iat' is {compact_json(claims['iat'])}, too long before now, {now}")
    return later(made if end is None else min(made, end - AGE - 1), AGE + 1)


def check_parties(claims, version, issuer):
    for name in ("iss", "sub", "aud", "name"):
        if name not in claims:
            raise Flaw("REQ-6", f"'{name}' is missing")
        if name == "aud" and isinstance(claims["aud"], list):
            demand_sole(claims["aud"])
        else:
            check_text(name, claims[name])
    audience = jose.audiences(claims)[0]
    if claims["iss"] != version.app_name:
        raise Flaw("REQ-9", f"'iss' is '{claims['iss']}', expected '{version.app_name}'")
    if not is_uuid(claims["sub"]):
        raise Flaw("REQ-10", "'sub' is not a UUID")
    if audience != issuer:
        raise Flaw("REQ-11", f"'aud' is '{audience}', expected '{issuer}'")


def demand_sole(audiences):
    if len(audiences) != 1:
        raise Flaw("REQ-11", f"'aud' names {len(audiences)} audiences, exactly one is allowed")


def read_device(claims):
    for name in ("device_id", "device_type", "os_version"):
        if name not in claims:
            raise Flaw("REG-2", f"'{name}' is missing")
        check_text(name, claims[name], "REG-2", LONGEST_DESCRIPTION)
    check_text("name", claims["name"], limit=LONGEST_DESCRIPTION)
    return {name: claims[name] for name in DEVICE}


def is_description(text):
    """Whether a text may describe a device."""
    return isinstance(text, str) and is_name(text, LONGEST_DESCRIPTION)
