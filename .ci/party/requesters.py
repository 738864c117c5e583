"""How a party finds out who asks: request tokens, DPoP proofs and access tokens, and that each proof is taken once."""

import re
from dataclasses import dataclass, field

from . import derivations, formats, jose, urls
from .exchange import change
from .refusals import Refusal, demand

PROOF_AGE = 60
PROOF_KEPT = 61
LONGEST_TOKEN = 34_560_000
LONG_EXPIRED = 345_600_000
HMACS = ("HS256", "HS384", "HS512")
UNKNOWN_TOKEN = Refusal("invalid_client", "threat-39", "the access token is unknown, expired or revoked")
NO_TOKEN = Refusal("invalid_client", "RFC6750-2.1", "the request carries no token in its Authorization header")
RESTORED = "the service was restored and does not know whether this still stands; "


@dataclass(frozen=True)
class Opening:
    """What an endpoint demands of who asks, and what it lets pass."""

    kinds: tuple
    even_expired: bool = False
    even_ended: bool = False
    even_unconfirmed: bool = False


@dataclass(frozen=True)
class Proof:
    """A proof of possession that was found right."""

    namespace: str
    key: dict
    claims: dict

    @property
    def other_claims(self):
        """What the caller said besides."""
        own = ("iss", "aud", "iat", "jti") if self.namespace == "request token" else ("jti", "htm", "htu", "iat", "ath", "nonce")
        return {name: value for name, value in self.claims.items() if name not in own}

    def remembered(self, even_without_room=False):
        """The change that lets it pass once."""
        owner = derivations.key_owner(self.key)
        name = derivations.remembered(self.namespace, owner, self.claims["jti"])
        return change("remember", key=name, until=self.claims["iat"] + PROOF_KEPT,
                      evenWithoutRoom=even_without_room or None)


@dataclass(frozen=True)
class Requester:
    """Who asks: the record whose token was presented, and the proof of its key, if it has one."""

    record: dict
    proof: Proof | None

    def remembered(self, even_without_room=False):
        return [self.proof.remembered(even_without_room)] if self.proof else []


@dataclass(frozen=True)
class Presented:
    """What a credential presents, and the name of the record that it means."""

    record: str | None
    request_token: object = None
    secret: str | None = None
    serial: str | None = None


def find_requester(exchange, request, credential, url, opening):
    """Who asks at an endpoint, proved for the request's method and this URL."""
    demand_token(credential)
    dpop = credential.proof and read_dpop(credential.proof)
    presented = read_token(exchange, credential, opening)
    record = known_record(exchange, presented)
    proof = None
    if dpop:
        demand("key" in record, "invalid_client", "RFC9449-7.1",
               "the access token: a proof of possession came with it, and it is bound to no key")
        demand_dpop_taken(exchange)
        proof = check_dpop(exchange, dpop, request.method, url, credential.token)
        demand_proof_key(proof, derivations.key_of(record, exchange.master))
    elif presented.request_token:
        key = derivations.key_of(record, exchange.master)
        proof = check_request_token(exchange, presented.request_token, key, record["holder"], url)
    else:
        demand("key" not in record, "invalid_client", "threat-36",
               "the access token: it is bound to a key, and the request does not prove possession of it")
    demand_life(exchange, record, opening)
    return Requester(record, proof)


def demand_token(credential):
    if credential.kind not in ("bearer", "dpop"):
        raise Refusal(NO_TOKEN.error, NO_TOKEN.clause, NO_TOKEN.words)


def unknown_token():
    return Refusal(UNKNOWN_TOKEN.error, UNKNOWN_TOKEN.clause, UNKNOWN_TOKEN.words)
