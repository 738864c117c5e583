"""Proofs of possession: request tokens and DPoP proofs, for one request, taken once (Fixtures/protocol/proofs.md)."""

from dataclasses import dataclass

from . import derivations, jose, keys, urls
from .exchange import change
from .formats import digest
from .json_text import json_type, number_of
from .jws import check_sources
from .refusals import Flaw, Refusal, demand, flaws_told_as

AGE = 60
KEPT = 61
LEAD = {"request token": "the request token: ", "proof": "the proof of possession: "}
OWN_CLAIMS = {"request token": ("iss", "aud", "iat", "jti"), "proof": ("jti", "htm", "htu", "iat", "ath", "nonce")}
TAKES_NO_DPOP = "the access token: DPoP proofs are not taken here"
NOT_BY_THE_KEY = "the access token: the proof is not by the key that it is bound to"
UNKNOWN_KEY = LEAD["request token"] + jose.NO_KEY


def later(time, seconds):
    """A time that may have a fraction, and seconds after it; whole where it is whole."""
    sum_of = time + seconds
    return int(sum_of) if sum_of == int(sum_of) else number_of(f"{sum_of.normalize():f}")


@dataclass(frozen=True)
class Proof:
    """A proof of possession that was found right."""

    namespace: str
    key: dict
    claims: dict

    @property
    def other_claims(self):
        """What the caller said besides."""
        return {name: value for name, value in self.claims.items() if name not in OWN_CLAIMS[self.namespace]}

    def remembered(self, even_without_room=False):
        """The change that lets it pass once."""
        name = derivations.remembered(self.namespace, derivations.key_owner(self.key), self.claims["jti"])
        return change("remember", key=name, until=later(self.claims["iat"], KEPT),
                      evenWithoutRoom=even_without_room or None)


def url_of_request(url):
    return urls.read(url.partition("?")[0])


# Request tokens

def check_request_token(exchange, signed, key, holder, url):
    """A request token by the key of a token (a JWK with the key's name), for a URL."""
    with flaws_told_as("invalid_client", LEAD["request token"]):
        return Proof("request token", key, request_token_claims(exchange, signed, key, holder, url_of_request(url)))


def request_token_claims(exchange, signed, key, holder, url):
    if signed.name is None:
        raise Flaw("RFC7515-4.1.4", "'kid' is missing")
    if signed.name != key.get("kid"):
        raise Flaw("threat-36", jose.NO_KEY)
    jose.verify(signed, [jose.Key(key)], keys.algorithms_of(key))
    expected = jose.Expected("request+jwt", untyped=True, requires=("iss", "aud", "iat", "jti"),
                             maximum_age=AGE, endless=True)
    claims = jose.check_jwt(signed, jose.Key(key), expected, exchange.now)
    if jose.media_type(signed.header.get("typ", "JWT")) == "jwt" and {"exp", "sub"} <= claims.keys():
        raise Flaw("threat-18", "without a type and with 'exp' it is of another kind")
    if not is_holder(claims["iss"], holder):
        raise Flaw("RFC7519-4.1.1", f"'iss' is '{claims['iss']}', expected '{holder}'")
    jose.check_sole_audience(claims, lambda name: is_url(name, url), url.text)
    return claims


def is_holder(name, holder):
    return name == holder or is_uuid(holder) and name.lower() == holder


def is_uuid(text):
    parts = text.split("-")
    return [len(part) for part in parts] == [8, 4, 4, 4, 12] and all(
        letter in "0123456789abcdefABCDEF" for part in parts for letter in part)


def is_url(text, url):
    try:
        return urls.read(text).identity == url.identity
    except Flaw:
        return False


# DPoP proofs

def read_dpop(text):
    """A DPoP proof that is well-formed."""
    with flaws_told_as("invalid_dpop_proof", LEAD["proof"]):
        signed = jose.read_compact(text, sources=())
        check_sources(signed.header, ("jku", "x5u", "x5c"))
        if "jwk" not in signed.header:
            raise Flaw("RFC9449-4.2", "the header has no 'jwk'")
        keys.public_key(signed.header["jwk"])
        if signed.header["alg"] in keys.HMACS:
            raise Flaw("RFC9449-4.2", f"the algorithm '{signed.header['alg']}' is symmetric")
        return signed


def check_dpop(exchange, signed, method, url, access_token=None):
    """A DPoP proof that is right for a method and URL, and for an access token that goes with it."""
    with flaws_told_as("invalid_dpop_proof", LEAD["proof"]):
        claims = dpop_claims(exchange, signed, method, url_of_request(url))
        check_digest(claims, access_token)
        check_nonce(exchange, claims)
    return Proof("proof", keys.material(signed.header["jwk"]), claims)


def dpop_claims(exchange, signed, method, url):
    key = {name: value for name, value in signed.header["jwk"].items() if name != "kid"}
    keys.check_usable(key)
    jose.verify(signed, [jose.Key(key)], keys.algorithms_of(key))
    expected = jose.Expected("dpop+jwt", requires=("jti", "htm", "htu", "iat"), maximum_age=AGE, endless=True)
    claims = jose.check_jwt(signed, jose.Key(key), expected, exchange.now)
    if text_claim(claims, "htm") != method:
        raise Flaw("RFC9449-4.3", f"'htm' is '{claims['htm']}', expected '{method}'")
    if not is_url(text_claim(claims, "htu").partition("#")[0].partition("?")[0], url):
        raise Flaw("RFC9449-4.3", f"'htu' is '{claims['htu']}', expected '{url.text}'")
    return claims


def text_claim(claims, name):
    if not isinstance(claims[name], str):
        raise Flaw("RFC7519-2", f"'{name}' is a JSON {json_type(claims[name])}, expected: string")
    return claims[name]


def check_digest(claims, access_token):
    if access_token is None:
        return
    if "ath" not in claims:
        raise Flaw("RFC9449-4.3", "'ath' is missing")
    if claims["ath"] != digest(access_token):
        raise Flaw("RFC9449-4.3", "'ath' is not the digest of the access token")


def check_nonce(exchange, claims):
    """Where the party demands a nonce, the proof bears it."""
    nonce = exchange.policy.get("dpop_nonce")
    if nonce is None:
        return
    if "nonce" not in claims:
        raise without_nonce(nonce, "'nonce' is missing")
    if text_claim(claims, "nonce") != nonce:
        raise without_nonce(nonce, "'nonce' is not the one that was given out")


def without_nonce(nonce, words):
    return Refusal("use_dpop_nonce", "RFC9449-8", LEAD["proof"] + words, fields={"DPoP-Nonce": nonce})


def demand_dpop_taken(exchange):
    demand(exchange.policy.get("accepts_dpop", True), "invalid_client", "RFC9449-5", TAKES_NO_DPOP)


def demand_proof_key(proof, key):
    """The key in a DPoP proof is the one that the token is bound to; a symmetric one is never proved so."""
    is_it = key["kty"] != "oct" and derivations.is_same_key(proof.key, key)
    demand(is_it, "invalid_client", "RFC9449-7.1", NOT_BY_THE_KEY)
