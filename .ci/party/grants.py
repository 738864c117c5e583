"""What a federation service gives: records with a refresh token, told in an answer, and again where that was lost."""

from . import derivations
from .access_tokens import token_answer
from .derivations import RefreshToken, first_refresh_token, request_digest
from .formats import base64url_bytes
from .messages import Answer, granted
from .refusals import Refusal, demand
from .tree import end_of

LIFETIME = 3_600
MEMBERS = ("id", "kind", "parent", "holder", "subject", "audience", "scope", "key", "issued", "access", "final",
           "refresh", "attributes")
GONE_ON = "it was redeemed before, for another request or by one that went on"


def grant(service, record: dict, digest: bytes) -> tuple[dict, Answer]:
    """Completes a record that is given now, named and all but for its refresh token, and tells its tokens."""
    salt = service.chance.salt()
    refresh = first_refresh_token(service.master, salt, digest, record["id"])
    record = in_order(record | {"refresh": refresh.kept(salt)})
    if "key" not in record:
        token, secret = plain_token(service, record)
        record |= {"attributes": {"secret": derivations.secret_digest(secret)} | record.get("attributes", {})}
    else:
        token = signed_token(service, record, record["scope"])
    return record, told(service, record, token, refresh, record["scope"])


def in_order(record: dict) -> dict:
    return {member: record[member] for member in MEMBERS if member in record}


def signed_token(service, record: dict, scope: str) -> str:
    service.exchange.demand_signer()
    return service.signer.sign(record, service.chance.serial(), scope, service.now, record["access"])


def plain_token(service, record: dict) -> tuple[str, str]:
    """A token for a record without a key, and its secret."""
    secret = service.chance.text(32)
    return f"{record['id']}.{secret}", secret


def told(service, record: dict, token: str, refresh: RefreshToken, scope: str) -> Answer:
    return granted(token_answer(
        token,
        expires_in=max(0, record["access"] - service.now),
        refresh_token=refresh.text,
        scope=scope,
        confirmation=service.signer.told_in_answer(record) if "key" in record else None,
    ))


def new_access(service, ground: str, final: float | None = None) -> float:
    """When an access token expires that stands on a ground: never later than that, or the grant itself, ends."""
    ends = [final, *map(end_of, service.tree.lineage(ground))]
    return min([service.now + LIFETIME, *(end for end in ends if end is not None)])


def lost(service, ground: dict, kind: str, digest: bytes) -> tuple[dict, RefreshToken] | None:
    """What was given for what comes again, if the answer may be told once more; nothing, if it is too late."""
    consumed = service.tree.consumed.get(ground["id"])
    window = service.exchange.repetition_window
    if consumed is None or not window or service.now > consumed + window:
        return None
    record = next(service.tree.below(ground["id"], kind), None)
    if record is None or "key" not in record:
        return None
    salt = base64url_bytes(record["refresh"]["salt"])
    refresh = first_refresh_token(service.master, salt, digest, record["id"])
    if not service.tree.lives(record["id"], service.now) or not refresh.is_kept(record["refresh"]):
        raise Refusal("invalid_grant", "threat-72", GONE_ON)
    return record, refresh


def given_for(service, asked, ground: dict, kind: str, told: tuple[str, str], remembered) -> tuple[dict, RefreshToken]:
    """What was given for what comes a second time; where it comes too late, what it gave ends."""
    demand(ground["id"] not in service.tree.revoked, "invalid_grant", *told)
    digest = request_digest(asked.scope_text, asked.resource, asked.key, ground["id"])
    given = lost(service, ground, kind, digest)
    if given is None:
        ended = {"do": "revoke", "id": ground["id"], "reason": "replayed"}
        raise Refusal("invalid_grant", *told, changes=[*remembered(even_without_room=True), ended])
    return given


def again(service, record: dict, refresh: RefreshToken) -> Answer:
    """A grant is told once more: the same refresh token, and a new access token for all of its scope."""
    return told(service, record, signed_token(service, record, record["scope"]), refresh, record["scope"])
