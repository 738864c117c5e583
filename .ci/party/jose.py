"""Signed content and tokens: how a JWS is read and verified, how a JWT is checked and made (Fixtures/protocol/keys.md)."""

import re
from dataclasses import dataclass
from decimal import Decimal

from . import ed25519, keys
from .formats import (
    are_equal, base64url, base64url_bytes, check_name, compact_json, hmac, integer, json_type, member, optional_member, read_json, typed)
from .refusals import Flaw

KEY_SOURCES = {"jwk": "brings a key along", "jku": "points to a key elsewhere", "x5u": "points to a key elsewhere", "x5c": "brings a key along"}
# What RFC 7515 and RFC 7518 define is no extension.
STANDARD = {"alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c"}
CLAIM_CLAUSES = {"iss": "RFC7519-4.1.1", "sub": "RFC7519-4.1.2", "aud": "RFC7519-4.1.3", "jti": "RFC7519-4.1.7"}
END_OF_TIMES = 253_402_300_800
LEEWAY = 60
NO_KEY = "no registered key verifies the signature"


@dataclass(frozen=True)
class Key:
    """A JWK, and the issuer whose it is."""
    jwk: dict
    issuer: str | None = None

    @property
    def name(self):
        return self.jwk.get("kid")


@dataclass(frozen=True)
class Signed:
    """A text that is signed, as it was read: nothing is known yet of its signature."""
    header: dict
    payload: bytes
    signature: bytes
    content: bytes
    detached: bool = False

    @property
    def name(self):
        """The name of the key."""
        return self.header.get("kid")

    def claims(self):
        """The claims of a JWT."""
        try:
            return typed(read_json(self.payload, size=16384, depth=32, values=4096, members=1024), "object", "$")
        except Flaw as flaw:
            raise Flaw("RFC7519-7.2", f"the claims are malformed: {flaw.words}") from None


# Reading

def read_compact(text, detached=None, unencoded=False, sources=tuple(KEY_SOURCES)):
    """A signed text in the compact form; `sources` are the parameters of keys that its header may not have."""
    data = text.encode()
    if len(data) > 16384:
        raise Flaw("threat-14", f"{len(data)} bytes, at most 16384 allowed")
    dots = text.count(".")
    head, _, rest = text.partition(".")
    middle, _, tail = rest.rpartition(".")
    if dots < 2 or dots != 2 and not (head and tail):
        raise Flaw("RFC7515-7.1", f"{dots + 1} parts, expected 3")
    header = compact_header(head, dots, unencoded, sources)
    signature = part("signature", tail)
    if not signature:
        raise Flaw("threat-5", "the signature is empty")
    payload, signed = compact_payload(middle, detached, header.get("b64", True), dots)
    return Signed(header, payload, signature, head.encode() + b"." + signed, not middle)


def part(name, text):
    try:
        return base64url_bytes(text)
    except Flaw as flaw:
        raise Flaw("RFC7515-2", f"the {name} is not Base64url: {flaw.words}") from None


def compact_header(head, dots, unencoded, sources):
    try:
        data = part("header", head)
    except Flaw:
        if dots == 2:
            raise
        raise Flaw("RFC7515-7.1", f"{dots + 1} parts, expected 3") from None
    header = header_object(data)
    check_header(header, unencoded, sources)
    return header


def compact_payload(text, detached, encoded, dots):
    """The payload, and what is signed of it."""
    if detached is not None:
        if text:
            raise Flaw("RFC7515-F", "a payload in the text and one beside it")
        payload = detached.encode()
        if len(payload) > 1_048_576:
            raise Flaw("threat-14", f"{len(payload)} bytes, at most 1048576 allowed")
        return payload, base64url(payload).encode() if encoded else payload
    if dots > 2:
        raise Flaw("RFC7515-7.1", f"{dots + 1} parts, expected 3")
    if encoded:
        return part("payload", text), text.encode()
    if not re.fullmatch("[\x20-\x7e]*", text):
        raise Flaw("RFC7797-5.2", "the payload has characters that may not stand unencoded")
    return text.encode(), text.encode()


def header_object(data):
    try:
        return typed(read_json(data, size=8192, depth=10, values=512, members=64), "object", "$")
    except Flaw as flaw:
        clause = "RFC7515-4" if flaw.words.startswith("duplicate member name") else "RFC7515-4.1"
        raise Flaw(clause, f"the header is malformed: {flaw.words}") from None


def header_text(header, name, required=False):
    try:
        return member(header, name, "string") if required else optional_member(header, name, "string")
    except Flaw as flaw:
        raise Flaw("RFC7515-4.1", f"the header is malformed: {flaw.words}") from None


def check_header(header, unencoded=False, sources=tuple(KEY_SOURCES)):
    if header_text(header, "alg", True).lower() == "none":
        raise Flaw("threat-1", "the algorithm is 'none'")
    name = header_text(header, "kid")
    if name is not None:
        try:
            check_name(name)
        except Flaw as flaw:
            raise Flaw("RFC7515-4.1.4", f"'kid' is not a valid name: {flaw.words}") from None
    header_text(header, "typ")
    header_text(header, "cty")
    if {"enc", "zip"} & header.keys():
        raise Flaw("RFC7516-9", "the content is encrypted or compressed")
    check_sources(header, sources)
    check_extensions(header, unencoded)


def check_sources(header, sources):
    for source in sources:
        if source in header:
            raise Flaw("threat-9", f"the header {KEY_SOURCES[source]} ('{source}')")


def check_extensions(header, unencoded):
    critical = header.get("crit", [])
    if not isinstance(critical, list) or not all(isinstance(name, str) for name in critical):
        raise Flaw("RFC7515-4.1", "the header is malformed: $.crit is no array of strings")
    if "crit" in header and not critical:
        raise Flaw("RFC7515-4.1.11", "the list of critical extensions is empty")
    for place, name in enumerate(critical):
        if name in critical[:place] or name in STANDARD or name not in header:
            raise Flaw("RFC7515-4.1.11", f"the critical extension '{name}' is repeated, standard or absent")
    if "b64" in header:
        check_unencoded(header, critical, unencoded)
    for name in critical:
        if name != "b64":
            raise Flaw("RFC7515-4.1.11", f"the critical extension '{name}' is not understood here")


def check_unencoded(header, critical, allowed):
    if not isinstance(header["b64"], bool):
        raise Flaw("RFC7515-4.1", f"the header is malformed: $.b64 is {json_type(header['b64'])}, expected boolean")
    if "b64" not in critical:
        raise Flaw("RFC7797-6", "'b64' is not listed as critical")
    if not allowed:
        raise Flaw("RFC7515-4.1.11", "the critical extension 'b64' is not understood here")


def read_general(text, detached=None, unencoded=False):
    """The signatures of a text in the JSON form."""
    content = malformed_as("RFC7515-7.2", lambda: typed(read_json(text, size=1_048_576, depth=12), "object", "$"))
    entries = [content]
    if "signatures" in content:
        if {"signature", "protected", "header"} & content.keys():
            raise Flaw("RFC7515-7.2.2", "both JSON forms at once")
        entries = malformed_as("RFC7515-7.2", lambda: member(content, "signatures", "array"))
        if not entries or not all(isinstance(entry, dict) for entry in entries):
            raise Flaw("RFC7515-7.2", "no signatures")
        if len(entries) > 8:
            raise Flaw("threat-14", f"{len(entries)} signatures, at most 8 allowed")
    payload = malformed_as("RFC7515-7.2", lambda: optional_member(content, "payload", "string"))
    if detached is not None and payload is not None:
        raise Flaw("RFC7515-F", "a payload in the text and one beside it")
    signatures = [read_entry(entry, payload, detached, unencoded) for entry in entries]
    if len({signed.header.get("b64", True) for signed in signatures}) > 1:
        raise Flaw("RFC7797-3", "the signatures do not agree on 'b64'")
    return signatures


def malformed_as(clause, reading):
    try:
        return reading()
    except Flaw as flaw:
        raise Flaw(clause, flaw.words) from None


def read_entry(entry, payload, detached, unencoded):
    """One signature of a text in the JSON form."""
    head = malformed_as("RFC7515-7.2", lambda: optional_member(entry, "protected", "string")) or ""
    protected = header_object(part("header", head)) if head else {}
    beside = malformed_as("RFC7515-7.2", lambda: optional_member(entry, "header", "object")) or {}
    if protected.keys() & beside.keys():
        raise Flaw("RFC7515-7.2.1", "a parameter stands in both headers")
    header = protected | beside
    check_header(header, unencoded)
    for name, clause in (("alg", "RFC7515-10.7"), ("crit", "RFC7515-4.1.11"), ("b64", "RFC7797-3")):
        if name in beside:
            raise Flaw(clause, f"'{name}' is not protected")
    content, signed = general_payload(payload, detached, header.get("b64", True))
    signature = part("signature", malformed_as("RFC7515-7.2", lambda: member(entry, "signature", "string")))
    if not signature:
        raise Flaw("threat-5", "the signature is empty")
    return Signed(header, content, signature, head.encode() + b"." + signed, payload is None)


def general_payload(text, detached, encoded):
    if detached is not None:
        return compact_payload("", detached, encoded, 2)
    if text is None:
        raise Flaw("RFC7515-7.2", "$.payload is missing")
    return (part("payload", text), text.encode()) if encoded else (text.encode(), text.encode())


# Verifying

def verify(signed, candidates, algorithms):
    """The first of the keys that made the signature; `algorithms` are those that the reader takes."""
    named = [key for key in candidates if None in (signed.name, key.name) or signed.name == key.name]
    if not named:
        raise Flaw("RFC7515-6", NO_KEY)
    wrong = 0
    for key in named:
        if signed.header["alg"] not in algorithms or signed.header["alg"] not in keys.algorithms_of(key.jwk):
            continue
        if is_signed_by(signed, key.jwk):
            return key
        wrong += 1
        if wrong == 16:
            raise Flaw("threat-14", "too many keys to try")
    raise Flaw("RFC7515-5.2" if wrong else "RFC8725-3.1", NO_KEY)


def is_signed_by(signed, jwk):
    if jwk["kty"] == "oct":
        code = hmac(keys.bytes_in(jwk, "k"), signed.content, keys.HMACS[signed.header["alg"]][0])
        return are_equal(code, signed.signature)
    return ed25519.is_signature(keys.bytes_in(jwk, "x"), signed.content, signed.signature)


# Checking a JWT

@dataclass(frozen=True)
class Expected:
    """What a reader expects of a JWT: `issuer` is one, several, or `True` for the owner of the key; `audience` `False` for none."""
    type: str
    untyped: bool = False
    requires: tuple = ()
    issuer: str | list | bool | None = None
    audience: str | bool | None = None
    subject: str | None = None
    maximum_age: int | None = None
    endless: bool = False
    expires: bool = True


def check_jwt(signed, key, expected, now):
    """The claims of a JWT whose signature is a key's, if they are what is expected."""
    if signed.header.get("b64", True) is False:
        raise Flaw("RFC7797-7", "the payload is not encoded")
    check_type(signed.header, expected)
    claims = signed.claims()
    for name in expected.requires:
        check_present(claims, name, null=True)
    check_issuer(claims, key, expected.issuer)
    check_audience(claims, expected.audience)
    check_text_claim(claims, "sub", expected.subject)
    check_text_claim(claims, "jti")
    check_times(claims, expected, now)
    return claims


def check_type(header, expected):
    if "cty" in header:
        raise Flaw("RFC7519-5.2", "'cty' is there: the payload is of another kind")
    name = media_type(header["typ"]) if "typ" in header else None
    if name == media_type(expected.type) or expected.untyped and name in ("jwt", None):
        return
    found = "is absent" if name is None else f"is '{header['typ']}'"
    raise Flaw("RFC8725-3.11", f"'typ' {found}, expected '{expected.type}'")


def media_type(name):
    name = name.lower()
    short = name.removeprefix("application/")
    return name if "/" in short else short


def check_present(claims, name, null=False):
    if name not in claims or null and claims[name] is None:
        raise Flaw("RFC7519-4", f"'{name}' is missing")


def wrong_claim_type(name, value, expected):
    return Flaw(CLAIM_CLAUSES.get(name, "RFC7519-2"), f"'{name}' is a JSON {json_type(value)}, expected: {expected}")


def check_claim_name(name, value):
    """A claim that is a text and a name."""
    if not isinstance(value, str):
        raise wrong_claim_type(name, value, "string")
    try:
        check_name(value)
    except Flaw as flaw:
        raise Flaw(CLAIM_CLAUSES.get(name, "RFC7519-2"), f"'{name}' is not a valid name: {flaw.words}") from None


def check_text_claim(claims, name, expected=None):
    if expected is not None:
        check_present(claims, name)
    if name in claims:
        check_claim_name(name, claims[name])
    if expected not in (None, claims.get(name)):
        raise Flaw(CLAIM_CLAUSES[name], f"'{name}' is '{claims[name]}', expected '{expected}'")


def check_issuer(claims, key, expected):
    if "iss" in claims:
        check_claim_name("iss", claims["iss"])
    if expected is not None:
        check_present(claims, "iss")
    if isinstance(expected, (str, list)) and claims["iss"] not in ([expected] if isinstance(expected, str) else expected):
        wanted = expected if isinstance(expected, str) else "', '".join(expected)
        raise Flaw("RFC7519-4.1.1", f"'iss' is '{claims['iss']}', expected '{wanted}'")
    if expected is True and key.issuer is None:
        raise Flaw("RFC8725-3.8", NO_KEY)
    if key.issuer is not None:
        check_present(claims, "iss")
        if claims["iss"] != key.issuer:
            raise Flaw("RFC8725-3.8", NO_KEY)


def audiences(claims):
    return claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]


def check_audience(claims, expected):
    if "aud" in claims:
        if claims["aud"] == []:
            raise Flaw("RFC7519-4.1.3", "'aud' names nobody")
        for name in audiences(claims):
            check_claim_name("aud", name)
    if expected is False and "aud" in claims:
        raise Flaw("RFC7519-4.1.3", "'aud' is there and may not be")
    if isinstance(expected, str):
        check_present(claims, "aud")
        check_sole_audience(claims, lambda name: name == expected, expected, "RFC7519-4.1.3")


def check_sole_audience(claims, is_expected, wanted, many="threat-24"):
    """The one audience that a token names is the one that is expected."""
    named = audiences(claims)
    if len(named) != 1:
        raise Flaw(many, f"'aud' names {len(named)} audiences, exactly one is allowed")
    if not is_expected(named[0]):
        raise Flaw("RFC7519-4.1.3", f"'aud' is '{named[0]}', expected '{wanted}'")


def check_times(claims, expected, now):
    end, begin, made = (time_claim(claims, name) for name in ("exp", "nbf", "iat"))
    if end is None and not expected.endless:
        check_present(claims, "exp")
    if end is not None and expected.expires and now >= end:
        raise Flaw("RFC7519-4.1.4", f"'exp' is {compact_json(claims['exp'])}, now is {now}")
    if begin is not None and begin > now + LEEWAY:
        raise Flaw("RFC7519-4.1.5", f"'nbf' is {compact_json(claims['nbf'])}, now is {now}")
    if made is not None and made > now + LEEWAY:
        raise Flaw("RFC7519-4.1.6", f"'iat' is {compact_json(claims['iat'])}, now is {now}")
    if expected.maximum_age is not None:
        check_present(claims, "iat")
        if now > made + expected.maximum_age:
            raise Flaw("RFC7519-4.1.6", f"'iat' is {compact_json(claims['iat'])}, too long before now, {now}")


def time_claim(claims, name):
    """A claim that is a time, exactly, or nothing."""
    if name not in claims:
        return None
    value = claims[name]
    if json_type(value) != "number":
        raise wrong_claim_type(name, value, "number")
    exact = Decimal(value)
    if not 0 <= exact < END_OF_TIMES or exact.normalize().as_tuple().exponent < -9:
        raise Flaw("RFC7519-2", f"'{name}' is no time")
    return exact


def check_longest(claims, longest, now):
    """How long a statement holds, from when it was made, or else from now."""
    start = time_claim(claims, "iat")
    holds = time_claim(claims, "exp") - (now if start is None else start)
    if holds > longest:
        raise Flaw("RFC7523-3", f"it holds for {holds} s, at most {longest} s are allowed")


# Making

def make(claims, jwk, kind, **parameters):
    """A JWT, signed by a private or symmetric key."""
    keys.check_usable(jwk, "sign")
    algorithm = keys.algorithms_of(jwk)[0]
    header = {"alg": algorithm} | ({"kid": jwk["kid"]} if "kid" in jwk else {}) | {"typ": kind} | parameters
    content = ".".join(base64url(compact_json(value).encode()) for value in (header, claims))
    if jwk["kty"] == "oct":
        signature = hmac(keys.bytes_in(jwk, "k"), content, keys.HMACS[algorithm][0])
    else:
        signature = ed25519.sign(keys.bytes_in(jwk, "d"), content.encode())
    return f"{content}.{base64url(signature)}"


# Kinds of vectors

def given_keys(given):
    """The keys of a vector, of which each can check signatures."""
    for entry in given["keys"]:
        jwk = entry["jwk"]
        (keys.secret_key if {"d", "k"} & jwk.keys() else keys.public_key)(jwk)
        keys.check_usable(jwk)
    return [Key(entry["jwk"], entry.get("issuer")) for entry in given["keys"]]


def first_verified(signatures, candidates, algorithms):
    """The payload and key of the first signature that verifies; of none the reason of the first is told."""
    reasons = []
    for signed in signatures:
        try:
            return signed, verify(signed, candidates, algorithms)
        except Flaw as flaw:
            reasons.append(flaw)
    raise reasons[0]


def read_signed(given):
    reading = read_general if given["text"].startswith("{") else lambda *more: [read_compact(*more)]
    return reading(given["text"], given.get("detached"), given.get("unencoded", False))


def jws_answer(given):
    signed, key = first_verified(read_signed(given), given_keys(given), given["algorithms"])
    return {"payload": signed.payload.decode(), "key": key.name}


def jwt_answer(given):
    if given["text"].startswith("{"):
        raise Flaw("RFC7519-3", "a token is compact")
    signed, key = first_verified(read_signed(given), given_keys(given), given["algorithms"])
    expected = Expected(
        given["type"], given["type"].lower() == "jwt", tuple(given.get("requires", ())), given.get("issuer"), given.get("audience"),
        given.get("subject"), given.get("maximum_age"), given.get("endless", False))
    return {"claims": check_jwt(signed, key, expected, integer(given["now"])), "key": key.name}


def issue_answer(given):
    keys.secret_key(given["key"])
    return {"text": make(given["claims"], given["key"], given.get("type", "JWT"))}


ANSWERS = {"jwk": keys.jwk_answer, "jws": jws_answer, "jwt": jwt_answer, "issue": issue_answer}
