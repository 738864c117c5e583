"""How service tokens and app tokens are renewed (Fixtures/protocol/service-tokens.md)."""

from . import admission, grants, scopes
from .changes import described
from .derivations import RefreshToken, key_of, renewal_proof, request_digest, secret_digest
from .formats import base64url_bytes
from .messages import Answer
from .proofs import check_dpop, demand_dpop_taken, demand_proof_key, read_dpop
from .refusals import Refusal, demand
from .requesters import UNKNOWN_REFRESH, Opening, Requester, find_requester
from .tree import grant_lives

UNPROVED = "prove who asks: by the key of the token, or for a plain token by its app's 'client_id'"
ENDED = "the grant has ended, and nothing is recovered from it by refresh"
UNCONFIRMED = "the service was restored and does not know whether this still stands; authorize the service again"
REPLACED = "the refresh token was replaced before; the grant has been revoked"
REPLACED_OTHERWISE = "the refresh token was replaced before, for another request"
HOLDERS = Opening(("service", "app"), even_expired=True, even_ended=True)


def renew(service, request, asked) -> Answer:
    token = RefreshToken.read(asked.presented["refresh_token"])
    requester = find_holder(service, request, asked, token)
    record = requester.record
    demand(token and token.record == record["id"], "invalid_grant", "RFC6749-6", UNKNOWN_REFRESH)
    admission.admit_holder(service.policy, service.tree, record)
    admission.admit_kept_sign_in(service, record)
    demand(asked.client_id in (None, record["holder"]), "invalid_client", "RFC7521-4.2",
           "'client_id' is not the client that the proof is by")
    service.demand_own(asked.resource)
    present, is_repeated = next_token(service, asked, token, requester)
    scope = asked.scope_text or record["scope"]
    demand(scopes.contains(record["scope"], scope), "invalid_scope", "threat-30",
           "the scope exceeds what was granted")
    return answer(service, requester, present, is_repeated, scope)


# Who asks


def find_holder(service, request, asked, token: RefreshToken | None) -> Requester:
    if asked.credential.kind != "none":
        return find_requester(service.exchange, request, asked.credential, service.url("token"), HOLDERS)
    record = service.tree.record(token.record) if token else None
    if record is None or record["kind"] not in HOLDERS.kinds:
        is_unproved = asked.client_id is None and asked.proof is None
        raise Refusal("invalid_client", "RFC6749-6", UNPROVED) if is_unproved else unknown()
    if asked.proof:
        return Requester(record, prove_by_dpop(service, asked.proof, record))
    demand(asked.client_id and "key" not in record, "invalid_client", "RFC6749-6", UNPROVED)
    demand(asked.client_id == record.get("holder"), "invalid_grant", "RFC6749-6", UNKNOWN_REFRESH)
    return Requester(record, None)


def prove_by_dpop(service, text: str, record: dict):
    demand_dpop_taken(service.exchange)
    key = key_of(record, service.master)
    demand(key, "invalid_client", "RFC9449-7.1",
           "the access token: a proof of possession came with it, and it is bound to no key")
    proof = check_dpop(service.exchange, read_dpop(text), "POST", service.url("token"))
    demand_proof_key(proof, key)
    return proof


def unknown() -> Refusal:
    return Refusal("invalid_grant", "RFC6749-6", UNKNOWN_REFRESH)


# Which token follows


def next_token(service, asked, token: RefreshToken, requester: Requester) -> tuple[RefreshToken, bool]:
    """The refresh token that takes the place of the one that was presented, and whether it was told before."""
    record = requester.record
    known = record.get("refresh")
    is_its_own = known and token.is_of_family(record) and token.generation <= known["generation"] and (
        token.generation < known["generation"] or token.is_kept(known))
    if not is_its_own:
        raise unknown()
    demand_life(service, record)
    key = key_of(record, service.master)
    digest = request_digest(asked.scope_text, asked.resource, asked.key)
    successor = token.successor(base64url_bytes(known["salt"]), renewal_proof(key, digest))
    if token.generation == known["generation"]:
        return successor, False
    if is_timely(service, token, known) and requester.proof:
        demand(successor.is_kept(known), "invalid_grant", "threat-72", REPLACED_OTHERWISE)
        return successor, True
    ended = {"do": "revoke", "id": record["id"], "reason": "refreshReused"}
    changes = [*requester.remembered(even_without_room=True), ended]
    raise Refusal("invalid_grant", "threat-28", REPLACED, changes=changes)


def demand_life(service, record: dict) -> None:
    verdict = service.tree.judged(record["id"], service.now)
    demand(grant_lives(verdict), "invalid_grant", "TOK-3", ENDED)
    demand(verdict["verdict"] != "unconfirmed", "invalid_grant", "threat-67", UNCONFIRMED)


def is_timely(service, token: RefreshToken, known: dict) -> bool:
    """Whether an answer that was lost may be given again."""
    window = service.exchange.repetition_window
    is_last = token.generation + 1 == known["generation"] and "rotated" in known
    return bool(is_last and window and service.now <= known["rotated"] + window)


# What is answered


def answer(service, requester: Requester, present: RefreshToken, is_repeated: bool, scope: str) -> Answer:
    exchange, record = service.exchange, requester.record
    exchange.changes += requester.remembered()
    renewed = record
    if not is_repeated:
        refresh = present.kept(base64url_bytes(record["refresh"]["salt"]), service.now)
        access = grants.new_access(service, record["id"])
        exchange.change("rotate", id=record["id"], **{"from": record["refresh"]}, to=refresh, access=access)
        renewed = record | {"refresh": refresh, "access": access}
    attributes = dict(record.get("attributes", {}))
    narrow(attributes, record, scope)
    if "key" in record:
        token = grants.signed_token(service, renewed, scope)
    else:
        token, secret = grants.plain_token(service, record)
        attributes["secret"] = secret_digest(secret)
    if attributes != record.get("attributes", {}):
        exchange.changes.append(described(record, attributes))
    return grants.told(service, renewed, token, present, scope)


def narrow(attributes: dict, record: dict, scope: str) -> None:
    """Notes the scope of the access token where that is less than the grant's."""
    if scopes.contains(scope, record["scope"]):
        attributes.pop("narrowed_scope", None)
    else:
        attributes["narrowed_scope"] = scope
