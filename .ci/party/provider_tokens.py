"""What an OpenID provider signs: ID tokens and logout tokens (Fixtures/protocol/provider.md)."""

import hashlib

from . import formats, jose
from .assertions import demand_key_name, read, told_about
from .edu_id_keys import published_keys
from .json_text import integer
from .provider_calls import description
from .refusals import Flaw, Refusal

ID_TOKEN = ("the ID token", "server_error")
LOGOUT_TOKEN = ("the logout token", "invalid_request")
MAXIMUM_AGE = 600
LEEWAY = 60
EVENT = "http://schemas.openid.net/event/backchannel-logout"
REQUIRED = {"JWT": ("iss", "sub", "aud", "exp", "iat", "nonce"),
            "logout+jwt": ("iss", "aud", "iat", "exp", "jti", "events")}
HASHES = {"ES384": "sha384", "ES512": "sha512", "EdDSA": "sha512", "Ed25519": "sha512"}


def checked(edu_id, signed, told, kind):
    """The claims of what the provider signed lately, with a key that it names among those that it publishes."""
    issuer = edu_id.provider["issuer"]
    trusted = published_keys(edu_id.exchange, told["jwks_uri"]).keys
    with told_about(ID_TOKEN if kind == "JWT" else LOGOUT_TOKEN):
        demand_key_name(signed)
        algorithms = [name for name in edu_id.provider.get("algorithms", ["RS256"]) if not name.startswith("HS")]
        key = jose.verify(signed, [jose.Key(jwk, issuer) for jwk in trusted], algorithms)
        expected = jose.Expected(
            kind, untyped=True, requires=REQUIRED[kind], issuer=True, maximum_age=MAXIMUM_AGE)
        claims = jose.check_jwt(signed, key, expected, edu_id.now)
        if claims["iss"] != issuer:
            raise Flaw("RFC7519-4.1.1", f"'iss' is '{claims['iss']}', expected '{issuer}'")
        return claims


# ID tokens

def check_identity(edu_id, text, told, kept, access):
    """The claims of an ID token that answers the request of which this was kept."""
    signed = read(ID_TOKEN, text)
    claims = checked(edu_id, signed, told, "JWT")
    client = edu_id.provider["client"]
    with told_about(ID_TOKEN):
        jose.check_sole_audience(claims, client.__eq__, client)
        if "azp" in claims and claims["azp"] != client:
            raise Flaw("OIC-8", f"'azp' is '{claims['azp']}', expected '{client}'")
        if formats.digest(claims["nonce"]) != kept["nonce"]:
            raise Flaw("OIC-8", "'nonce' is not the one of this request")
        check_subject(claims)
        check_authentication(claims, kept.get("max_age"), edu_id.now)
        check_class(claims, kept.get("acr_values", []))
        if "sid" in claims:
            jose.check_claim_name("sid", claims["sid"])
        if "at_hash" in claims and claims["at_hash"] != hash_half(access, signed.header["alg"]):
            raise Flaw("OIC-8", "'at_hash' is not the hash of the access token")
    return claims


def check_subject(claims):
    jose.check_claim_name("sub", claims["sub"])
    if not claims["sub"].isascii() or len(claims["sub"]) > 255:
        raise Flaw("OIC-8", "'sub' is not 1 to 255 characters of ASCII")


def check_authentication(claims, oldest, now):
    """When the person was asked for proof: not ahead, and not longer ago than was asked for."""
    if oldest is not None:
        jose.check_present(claims, "auth_time")
    time = jose.time_claim(claims, "auth_time")
    if time is None:
        return
    if time > now + LEEWAY:
        raise Flaw("OIC-8", f"'auth_time' is {time}, which is still to come")
    if oldest is not None and now - time > oldest + LEEWAY:
        raise Flaw("OIC-8", f"'auth_time' is {time}, more than the {oldest} s ago that were asked")


def check_class(claims, needed):
    found = claims.get("acr")
    if found is not None:
        jose.check_claim_name("acr", found)
    if needed and found not in needed:
        named = "', '".join(needed)
        raise Flaw("OIC-8", f"'acr' is {repr(found) if found else 'missing'}, accepted are '{named}'")


def hash_half(access, algorithm):
    """The left half of the hash of an access token, by the hash function of a signature."""
    digest = hashlib.new(HASHES.get(algorithm, "sha256"), access.encode()).digest()
    return formats.base64url(digest[:len(digest) // 2])


# Logout tokens

def check_logout(edu_id, text):
    """The claims of a logout token for this client."""
    signed = read(LOGOUT_TOKEN, text)
    if claimed_issuer(signed) != edu_id.provider["issuer"]:
        raise Refusal("invalid_request", "OIC-16", "the logout token is not by the provider of this service")
    claims = checked(edu_id, signed, description(edu_id), "logout+jwt")
    client = edu_id.provider["client"]
    with told_about(LOGOUT_TOKEN):
        if client not in jose.audiences(claims):
            named = "', '".join(jose.audiences(claims))
            raise Flaw("RFC7519-4.1.3", f"'aud' is '{named}', expected '{client}'")
        if "nonce" in claims:
            raise Flaw("OIC-16", "'nonce' has no place there")
        events = claims["events"]
        if not isinstance(events, dict) or not isinstance(events.get(EVENT), dict):
            raise Flaw("OIC-16", "'events' has no logout")
        if "sub" in claims:
            check_subject(claims)
        if "sid" in claims:
            jose.check_claim_name("sid", claims["sid"])
        if "sub" not in claims and "sid" not in claims:
            jose.check_present(claims, "sub")
    return claims | {"iat": integer(claims["iat"]), "exp": integer(claims["exp"])}


def claimed_issuer(signed):
    try:
        return signed.claims().get("iss")
    except Flaw:
        return None
