"""Revocation at a service: by holders of tokens, and by the edu-ID service (Fixtures/protocol/service-tokens.md)."""

from . import assertions, bars, edu_id_keys, formats, global_revocation
from .clients import OTHER_CLIENT
from .derivations import RefreshToken, derived_name, secret_digest
from .formats import are_equal
from .json_text import read_object
from .messages import NOT_STORED, Answer
from .proofs import is_holder
from .reading import read_revocation_request
from .refusals import Refusal, demand
from .renewal import HOLDERS, UNPROVED
from .requesters import find_requester, own_token_name

NOT_WITHDRAWN = "the keys that you publish do not say that this one is withdrawn; try again later"
ASSERTION_LIFETIME = 600
TWINS = 256
GRANTS_AT_ONCE = 256
MORE_GRANTS = "a part has ended, and there is more; ask again"


def revoke(service, request) -> Answer:
    asked = read_revocation_request(request)
    if asked.credential.kind == "assertion":
        revoke_by_issuer(service, asked)
    elif asked.credential.kind == "none":
        revoke_plain(service, asked)
    else:
        revoke_by_holder(service, request, asked)
    return Answer(200, NOT_STORED)


# By holders


def revoke_by_holder(service, request, asked) -> None:
    requester = find_requester(service.exchange, request, asked.credential, service.url("revoke"), HOLDERS)
    own = requester.record
    is_named = asked.client_id is None or is_holder(asked.client_id, own["holder"])
    demand(is_named, "invalid_client", "RFC6749-3.2.1", OTHER_CLIENT)
    meant = record_meant(service, asked.token, is_proved=requester.proof is not None)
    service.exchange.changes += requester.remembered(even_without_room=True)
    if meant and service.tree.stands_on(meant["id"], own["id"]):
        service.exchange.change("revoke", id=meant["id"], reason="surrendered")
        if meant["kind"] == "app" and own["kind"] == "service":
            end_former(service, own, meant)
        if meant["id"] == own["id"] and own["kind"] == "service" and "subject" in own:
            end_twins(service, own)


def end_former(service, own, meant) -> None:
    """Ends what the same app was given before with the same service token."""
    names = [grant["id"] for grant in service.tree.below(own["id"], "app")]
    place = names.index(meant["id"]) + 1
    former = [name for name in names[place:]
              if service.tree.record(name)["holder"] == meant["holder"] and name not in service.tree.revoked]
    for name in former[:GRANTS_AT_ONCE]:
        service.exchange.change("revoke", id=name, reason="surrendered")
    if len(former) > GRANTS_AT_ONCE:
        raise Refusal("temporarily_unavailable", "TOK-5", MORE_GRANTS, changes=service.exchange.changes)


def end_twins(service, own) -> None:
    """Ends what the same instance was given for the same user by earlier introductions."""
    grants = service.tree.of_subject("service", own["subject"])[:TWINS]
    place = next((place for place, grant in enumerate(grants) if grant["id"] == own["id"]), len(grants))
    for twin in grants[place + 1:]:
        if twin.get("holder") == own.get("holder") and twin["id"] not in service.tree.revoked:
            service.exchange.change("revoke", id=twin["id"], reason="surrendered")


def revoke_plain(service, asked) -> None:
    meant = record_meant(service, asked.token, is_proved=False)
    demand(asked.client_id is not None and (meant is None or "key" not in meant), "invalid_client", "RFC7009-2.1",
           UNPROVED)
    if meant and meant.get("holder") == asked.client_id:
        service.exchange.change("revoke", id=meant["id"], reason="surrendered")


def record_meant(service, text: str, is_proved: bool) -> dict | None:
    """The record that a token means, if it is one of this service."""
    name = token_name(service, text, is_proved)
    if name is not None:
        return service.tree.record(name.rpartition(".")[0])
    return record_of_refresh_token(service, text) or record_of_plain_token(service, text, is_proved)


def record_of_refresh_token(service, text: str) -> dict | None:
    token = RefreshToken.read(text)
    record = service.tree.record(token.record) if token else None
    if record is None or "refresh" not in record or not token.is_of_family(record):
        return None
    is_present = token.generation == record["refresh"]["generation"]
    return None if is_present and not token.is_kept(record["refresh"]) else record


def token_name(service, text: str, is_proved: bool) -> str | None:
    """The `jti` of a JWT; its signature counts only where the requester proves no key."""
    return named_in(text) if is_proved else own_token_name(service.exchange, text, even_expired=True)


def named_in(text: str) -> str | None:
    """The `jti` of three parts of which the first is a header with `alg`."""
    parts = text.split(".")
    try:
        header, claims = (read_object(formats.base64url_bytes(part)) for part in parts[:2])
    except ValueError:
        return None
    name = claims.get("jti") if len(parts) == 3 and "alg" in header else None
    return name if isinstance(name, str) else None


def record_of_plain_token(service, text: str, is_proved: bool) -> dict | None:
    """The record that a plain token names; its secret, which a renewal replaces, counts where no key is proved."""
    name, _, secret = text.partition(".")
    record = service.tree.record(name) if "." not in secret else None
    kept = record.get("attributes", {}).get("secret") if record else None
    return record if kept and (is_proved or are_equal(secret_digest(secret), kept)) else None


# By the edu-ID service


def revoke_by_issuer(service, asked) -> None:
    claims, trusted = proved_issuer(service, asked.credential.client_assertion, asked.client_id)
    taken_once = assertions.remembered_assertion(claims, even_without_room=True)
    service.exchange.changes.append(taken_once)
    if asked.hint == "key":
        trusted = notice(service, asked.token, taken_once)
    else:
        take_back(service, asked.token)
    edu_id_keys.note_withdrawals(service, trusted)


def proved_issuer(service, text: str, client_id: str | None = None) -> tuple[dict, edu_id_keys.TrustedKeys]:
    """The claims of a client assertion of the edu-ID service, and the keys that it was found right by."""
    issuer = service.edu_id["issuer"]
    signed = assertions.read(assertions.CLIENT_ASSERTION, text)
    demand(client_id in (None, issuer), "invalid_client", "RFC6749-3.2.1", OTHER_CLIENT)
    trusted = edu_id_keys.trusted_keys(service)
    return assertions.check_client_assertion(signed, trusted.keys, issuer, service.issuer, service.now), trusted


def notice(service, kid: str, taken_once: dict) -> edu_id_keys.TrustedKeys:
    """The keys as they are published now, of which this one must be withdrawn."""
    refusal = Refusal("temporarily_unavailable", "threat-76", NOT_WITHDRAWN, changes=[taken_once])
    if "keys" in service.edu_id:
        raise refusal
    try:
        published = edu_id_keys.read_published_keys(service)
    except Refusal:
        raise refusal from None
    if kid not in published.withdrawn:
        raise refusal
    return published


def take_back(service, name: str) -> None:
    """Ends what an assertion gave, or will give when it comes."""
    exchange = service.exchange
    found = service.assertion_record(name)
    if found is None:
        found = {
            "id": derived_name("assertion", service.edu_id["issuer"], name),
            "kind": "assertion",
            "audience": service.issuer,
            "issued": service.now,
            "access": service.now + ASSERTION_LIFETIME,
        }
        exchange.change("insert", record=found)
    exchange.change("revoke", id=found["id"], reason="issuer")


# Everything of a person


def revoke_person(service, request) -> Answer:
    asked = global_revocation.read_request(request)
    claims, trusted = proved_issuer(service, asked.client_assertion)
    taken_once = assertions.remembered_assertion(claims, even_without_room=True)
    global_revocation.demand_vouched(asked.issuer == service.edu_id["issuer"], taken_once)
    service.exchange.changes.append(taken_once)
    edu_id_keys.note_withdrawals(service, trusted)
    bars.renew(service, asked.subject, claims.get("iat"))
    assertions_of = service.tree.of_subject("assertion", asked.subject)
    return global_revocation.end(
        service.exchange, [record for record in assertions_of if record["id"] not in service.tree.revoked])
