"""How a party finds out who asks: the record that a credential means, the proof of its key, and whether it lives."""

from dataclasses import dataclass

from . import derivations, jose, keys
from .formats import are_equal, is_name
from .jws import Signed
from .proofs import (
    UNKNOWN_KEY, Proof, check_dpop, check_request_token, demand_dpop_taken, demand_proof_key, read_dpop,
)
from .refusals import Flaw, Refusal, demand
from .tree import grant_lives

LONGEST_TOKEN = 34_560_000
LONG_EXPIRED = 345_600_000
UNKNOWN_TOKEN = "the access token is unknown, expired or revoked"
UNKNOWN_REFRESH = "the refresh token is unknown, or of another client"
NOT_RENEWED = "the token was not renewed for this endpoint"
NO_TOKEN = "the request carries no token in its Authorization header"
RESTORED = "the service was restored and does not know whether this still stands; {} again"
AGAIN = {"edu-id": "sign in", "service": "authorize the service"}


@dataclass(frozen=True)
class Opening:
    """What an endpoint demands of who asks, and what it lets pass."""

    kinds: tuple
    even_expired: bool = False
    even_ended: bool = False
    even_unconfirmed: bool = False


@dataclass(frozen=True)
class Requester:
    """Who asks: the record whose token was presented, and what proved its key, if it has one."""

    record: dict
    proof: Proof | None

    def remembered(self, even_without_room=False):
        noted = self.proof and self.proof.remembered(even_without_room)
        return [noted] if noted else []


@dataclass(frozen=True)
class Presented:
    """What a credential presents, and the name of the record that it means."""

    record: str | None
    request_token: Signed | None = None
    secret: str | None = None
    serial: str | None = None

    def unknown(self):
        words = UNKNOWN_KEY if self.request_token else UNKNOWN_TOKEN
        return Refusal("invalid_client", "threat-39", words)


def find_requester(exchange, request, credential, url, opening):
    """Who asks at an endpoint, proved for the request's method and this URL."""
    exchange.bare_challenge = exchange.at_resource and credential.kind == "none"
    demand(credential.kind in ("bearer", "dpop"), "invalid_client", "RFC6750-2.1", NO_TOKEN)
    dpop = credential.proof and read_dpop(credential.proof)
    presented = read_token(exchange, credential, opening)
    record = known_record(exchange, presented)
    proof = prove(exchange, request, url, record, presented, credential.token, dpop)
    demand(record["kind"] in opening.kinds, "invalid_client", "threat-18",
           f"this endpoint takes tokens of the kind '{' or '.join(opening.kinds)}', not of the kind '{record['kind']}'")
    demand_life(exchange, record, opening)
    return Requester(record, proof)


# What a credential means

def read_token(exchange, credential, opening):
    if credential.kind == "bearer":
        signed = read_request_token(credential.token)
        if signed is not None:
            return Presented(signed.name, request_token=signed)
    if credential.token.count(".") == 1:
        name, _, secret = credential.token.partition(".")
        return Presented(name, secret=secret)
    jti = own_token_name(exchange, credential.token, opening.even_expired or opening.even_ended)
    name, _, serial = (jti or "").rpartition(".")
    return Presented(name or None, serial=serial)


def read_request_token(text):
    """What came as bearer, if it is a well-formed request token."""
    try:
        signed = jose.read_compact(text)
    except Flaw:
        return None
    kind = jose.media_type(signed.header.get("typ", "JWT"))
    return signed if kind in ("request+jwt", "jwt") else None


def own_token_name(exchange, text, even_expired=False):
    """The `jti` of an access token that this party made, or nothing."""
    try:
        claims = own_token_claims(exchange, text, even_expired)
    except Flaw:
        return None
    return claims["jti"]


def own_token_claims(exchange, text, even_expired):
    signed = jose.read_compact(text)
    if signed.name is None:
        raise Flaw("RFC7515-4.1.4", "'kid' is missing")
    published = [key for key in (exchange.party["key"], *exchange.party.get("keys", [])) if keys.is_usable(key)]
    key = jose.verify(signed, [jose.Key(key, exchange.issuer) for key in published], keys.SIGNATURES)
    expected = jose.Expected("at+jwt", requires=("iss", "sub", "aud", "client_id", "iat", "exp", "jti"),
                             issuer=exchange.issuer, audience=exchange.issuer, expires=not even_expired)
    claims = jose.check_jwt(signed, key, expected, exchange.now)
    jose.check_longest(claims, LONGEST_TOKEN, exchange.now)
    if exchange.now >= claims["exp"] + LONG_EXPIRED or not is_name(claims["client_id"]):
        raise Flaw("RFC7519-4.1.4", "expired long ago")
    return claims


def known_record(exchange, presented):
    record = exchange.tree.record(presented.record)
    attributes = record.get("attributes", {}) if record else {}
    is_meant = record is not None and (presented.request_token is None or "key" in record)
    if is_meant and presented.secret is not None:
        is_meant = are_equal(derivations.secret_digest(presented.secret), attributes.get("secret", ""))
    if is_meant and presented.serial is not None:
        is_meant = attributes.get("token", presented.serial) == presented.serial
    if not is_meant:
        raise presented.unknown()
    return record


# Proof and life

def bound_key(exchange, record):
    """The key of a record; one that this program cannot use is nobody else's fault."""
    try:
        return derivations.key_of(record, exchange.master)
    except Flaw:
        raise Refusal("server_error", "threat-32", "the service failed; its operator can find out why") from None


def prove(exchange, request, url, record, presented, token, dpop):
    key = bound_key(exchange, record)
    if dpop:
        demand(key, "invalid_client", "RFC9449-7.1",
               "the access token: a proof of possession came with it, and it is bound to no key")
        demand_dpop_taken(exchange)
        proof = check_dpop(exchange, dpop, request.method, url, token)
        demand_proof_key(proof, key)
        return proof
    if presented.request_token:
        return check_request_token(exchange, presented.request_token, key, record["holder"], url)
    demand(key is None, "invalid_client", "threat-36",
           "the access token: it is bound to a key, and the request does not prove possession of it")
    return None


def demand_life(exchange, record, opening):
    confirmed = exchange.tree.is_confirmed(record["id"])
    demand(confirmed or opening.even_unconfirmed or opening.even_ended, "invalid_client", "threat-67",
           RESTORED.format(AGAIN[exchange.party["role"]]))
    verdict = exchange.tree.judged(record["id"], exchange.now)
    lives = verdict["verdict"] in ("live", "unconfirmed") or opening.even_ended or (
        opening.even_expired and grant_lives(verdict))
    demand(lives, "invalid_client", "TOK-1", "the access token is expired or revoked")
