"""The keys of the edu-ID service, as a federation service knows them, and what follows from a withdrawn one."""

from dataclasses import dataclass

from . import keys as jwks
from .changes import described
from .derivations import derived_name
from .refusals import Flaw, Refusal

UNREADABLE = "the keys that the request is signed with cannot be read; try again later"


@dataclass(frozen=True)
class TrustedKeys:
    """The keys that vouch for the edu-ID service, and since when others are withdrawn, by their names."""

    keys: list
    withdrawn: dict


def trusted_keys(service) -> TrustedKeys:
    """The keys that were handed over, or those that are published."""
    given = service.edu_id.get("keys")
    trusted = read_published_keys(service) if given is None else TrustedKeys(given, {})
    return TrustedKeys([key for key in trusted.keys if not is_withdrawn(service, key)], trusted.withdrawn)


def is_withdrawn(service, key: dict) -> bool:
    """Whether a key was once read as withdrawn: it is never taken again."""
    record = service.tree.record(record_name(service, key["kid"])) if "kid" in key else None
    return bool(record and "withdrawn" in record.get("attributes", {}))


def read_published_keys(service) -> TrustedKeys:
    return published_keys(service.exchange, service.edu_id["keys_url"])


def published_keys(exchange, url: str) -> TrustedKeys:
    """The keys of another party that are found where it publishes them."""
    answer = exchange.ask({"method": "GET", "url": url, "headers": {}})
    try:
        published = jwks.read_key_set(answer.body or "") if answer and answer.status == 200 else []
    except Flaw:
        published = []
    named = [key for key in published if "kid" in key]
    keys = list(filter(jwks.is_usable, named))
    withdrawn = {}
    for key in named:
        if "revoked" in key:
            since = key["revoked"]["revoked_at"]
            withdrawn[key["kid"]] = min(since, withdrawn.get(key["kid"], since))
    if not keys and not withdrawn:
        raise Refusal("temporarily_unavailable", "threat-76", UNREADABLE)
    return TrustedKeys([key for key in keys if key["kid"] not in withdrawn], withdrawn)


def record_name(service, kid: str) -> str:
    return derived_name("key", service.edu_id["issuer"], kid)


def record_of_key(service, kid: str, attributes: dict | None = None) -> dict:
    record = {"id": record_name(service, kid), "kind": "versionKey", "issued": service.now}
    return record | {"attributes": attributes} if attributes else record


def note_withdrawals(service, trusted: TrustedKeys) -> None:
    """The changes that end what a withdrawn key signed since."""
    for kid, since in sorted(trusted.withdrawn.items()):
        record = service.tree.record(record_name(service, kid))
        if record is None:
            service.exchange.change("insert", record=record_of_key(service, kid, {"withdrawn": since}))
            continue
        attributes = record.get("attributes", {})
        if attributes.get("withdrawn", since + 1) > since:
            kept = {name: value for name, value in attributes.items() if name != "swept"}
            service.exchange.changes.append(described(record, kept | {"withdrawn": since}))
