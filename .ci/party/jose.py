"""Tokens: how a JWT is checked and made, and which key a confirmation means (Fixtures/protocol/keys.md)."""

from dataclasses import dataclass
from decimal import Decimal

from . import curves, ed25519, keys
from .formats import base64url, base64url_bytes, check_name, hmac
from .json_text import compact_json, integer, json_type, typed
from .jws import NO_KEY, Key, read_compact, read_general, verify
from .refusals import Flaw

CLAIM_CLAUSES = {"iss": "RFC7519-4.1.1", "sub": "RFC7519-4.1.2", "aud": "RFC7519-4.1.3", "jti": "RFC7519-4.1.7"}
END_OF_TIMES = 253_402_300_800
LEEWAY = 60


# Checking a JWT

@dataclass(frozen=True)
class Expected:
    """What a reader expects: `issuer` is one, several, or `True`, the owner of the key; `audience` `False` for none."""
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
    wanted = [expected] if isinstance(expected, str) else expected
    if isinstance(wanted, list) and claims["iss"] not in wanted:
        named = "', '".join(wanted)
        raise Flaw("RFC7519-4.1.1", f"'iss' is '{claims['iss']}', expected '{named}'")
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

def issue(claims, jwk, kind, /, **parameters):
    """A JWT, signed by a private or symmetric key."""
    keys.check_usable(jwk, "sign")
    algorithm = keys.algorithms_of(jwk)[0]
    header = {"alg": algorithm} | ({"kid": jwk["kid"]} if "kid" in jwk else {}) | {"typ": kind} | parameters
    content = ".".join(base64url(compact_json(value).encode()) for value in (header, claims))
    if jwk["kty"] == "oct":
        signature = hmac(keys.bytes_in(jwk, "k"), content, keys.HMACS[algorithm][0])
    elif jwk["kty"] == "EC":
        signature = curves.sign(keys.curve_of(jwk), keys.bytes_in(jwk, "d"), content.encode())
    else:
        signature = ed25519.sign(keys.bytes_in(jwk, "d"), content.encode())
    return f"{content}.{base64url(signature)}"


# Confirmations

def read_confirmation(value):
    """A confirmation that means one key."""
    confirmation_type("$", value, "object")
    name = malformed("kid", value)
    if name is not None:
        try:
            check_name(name)
        except Flaw as flaw:
            raise Flaw("RFC7800-3.4", f"the confirmation is malformed: {flaw.words}") from None
    means = [way for way in ("jwk", "jwe", "jku", "jkt") if way in value]
    if len(means) > 1:
        raise Flaw("RFC7800-3.1", "the confirmation is malformed: it names a key in more than one way")
    if means == ["jwk"]:
        read_confirmed_key(value["jwk"])
    elif means:
        malformed(means[0], value)
    elif name is None:
        raise Flaw("RFC7800-3.1", "the confirmation names no key in a way that is known here")
    if means == ["jkt"]:
        check_print(value["jkt"])
    return value


def confirmed_key(confirmation):
    """The public key that a confirmation brings along."""
    if "jwk" not in read_confirmation(confirmation):
        raise Flaw("RFC7800-3.2", "'cnf' must carry the public key as 'jwk'")
    return confirmation["jwk"]


def confirmation_type(path, value, expected):
    try:
        return typed(value, expected, path)
    except Flaw as flaw:
        raise Flaw("RFC7800-3.1", f"the confirmation is malformed: {flaw.words}") from None


def malformed(name, value):
    return confirmation_type(f"$.{name}", value[name], "string") if name in value else None


def read_confirmed_key(value):
    try:
        return keys.public_key(value)
    except Flaw as flaw:
        raise Flaw("RFC7800-3.2", f"the confirmation's key is refused: {flaw.words}") from None


def check_print(text):
    try:
        size = len(base64url_bytes(text))
    except Flaw as flaw:
        raise Flaw("RFC9449-6.1", f"$.jkt is not Base64url: {flaw.words}") from None
    if size != 32:
        raise Flaw("RFC9449-6.1", f"$.jkt has {size} bytes, expected 32")


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
        given["type"], untyped=given["type"].lower() == "jwt", requires=tuple(given.get("requires", ())),
        **{name: given[name] for name in ("issuer", "audience", "subject", "maximum_age", "endless") if name in given})
    return {"claims": check_jwt(signed, key, expected, integer(given["now"])), "key": key.name}


def issue_answer(given):
    keys.secret_key(given["key"])
    return {"text": issue(given["claims"], given["key"], given.get("type", "JWT"))}


ANSWERS = {"jwk": keys.jwk_answer, "jws": jws_answer, "jwt": jwt_answer, "issue": issue_answer}
