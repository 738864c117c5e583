"""Renewal of a personal token at the edu-ID service."""

from . import derivations, scopes
from .clients import ANY_HOLDER, instance_by_token
from .derivations import RefreshToken
from .edu_id_service import USER_LIFETIME
from .formats import base64url_bytes
from .refusals import Refusal, demand
from .requesters import AGAIN, RESTORED, UNKNOWN_REFRESH
from .sign_in import demand_not_ended_elsewhere, personal_token


def renew(edu_id, request, asked):
    requester = instance_by_token(edu_id, request, asked.credential, "token", asked.client_id, ANY_HOLDER)
    record, presented = meant(edu_id, requester.record, asked.presented["refresh_token"])
    demand_life(edu_id, record)
    key = derivations.key_of(record, edu_id.exchange.master)
    wishes = derivations.request_digest(asked.scope_text, asked.resource, asked.key)
    salt = base64url_bytes(record["refresh"]["salt"])
    successor = presented.successor(salt, derivations.renewal_proof(key, wishes))
    is_repeated = is_repetition(edu_id, requester, record, presented, successor)
    scope = asked.scope_text or record["scope"]
    demand(scopes.contains(record["scope"], scope), "invalid_scope", "threat-30", "the scope exceeds what was granted")
    edu_id.remember(requester.proof)
    access = record["access"]
    if not is_repeated:
        access = edu_id.now + USER_LIFETIME
        edu_id.change("rotate", id=record["id"],
                      **{"from": record["refresh"], "to": successor.kept(salt, edu_id.now), "access": access})
    attributes = narrowed(record, scope)
    edu_id.describe(record, attributes)
    edu_id.change("touch", id=edu_id.tree.nearest(record["id"], "client")["id"])
    return personal_token(edu_id, record | {"attributes": attributes}, successor, scope, access)


def meant(edu_id, own, text):
    """The record that a refresh token renews, which is the requester's own or stands on it."""
    presented = RefreshToken.read(text)
    record = presented and edu_id.tree.record(presented.record)
    demand(record and record["kind"] == "personal" and edu_id.tree.stands_on(record["id"], own["id"]), "invalid_grant",
           "RFC6749-6", UNKNOWN_REFRESH)
    refresh = record["refresh"]
    is_known = presented.is_of_family(record) and presented.generation <= refresh["generation"] and (
        presented.generation < refresh["generation"] or presented.is_kept(refresh))
    demand(is_known, "invalid_grant", "RFC6749-6", UNKNOWN_REFRESH)
    return record, presented


def demand_life(edu_id, record):
    demand(edu_id.tree.lives(record["id"], edu_id.now), "invalid_grant", "TOK-3",
           "the grant has ended, and nothing is recovered from it by refresh")
    demand(edu_id.tree.is_confirmed(record["id"]), "invalid_grant", "threat-67", RESTORED.format(AGAIN["edu-id"]))
    demand_not_ended_elsewhere(record)


def is_repetition(edu_id, requester, record, presented, successor):
    """Whether the answer to a renewal is given again; a token that was replaced earlier ends the grant."""
    refresh, window = record["refresh"], edu_id.exchange.repetition_window
    if presented.generation == refresh["generation"]:
        return False
    in_time = window and "rotated" in refresh and edu_id.now <= refresh["rotated"] + window
    if presented.generation + 1 == refresh["generation"] and in_time:
        demand(successor.is_kept(refresh), "invalid_grant", "threat-72",
               "the refresh token was replaced before, for another request")
        return True
    ending = [*requester.remembered(True), {"do": "revoke", "id": record["id"], "reason": "refreshReused"}]
    raise Refusal("invalid_grant", "threat-28", "the refresh token was replaced before; the grant has been revoked",
                  changes=ending)


def narrowed(record, scope):
    """The attributes of a record whose access token has this scope."""
    kept = {name: value for name, value in record.get("attributes", {}).items()}
    if scopes.contains(scope, record["scope"]):
        kept.pop("narrowed_scope", None)
        return kept
    return kept | {"narrowed_scope": scope}
