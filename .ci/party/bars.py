"""Bars at a service: what somebody was introduced by before everything of his or hers ended counts no more."""

from math import ceil

from .derivations import derived_name
from .refusals import demand
from .tree import Record

LONGEST = 660
MADE_BEFORE = "made_before"
ENDED = "all that this person was given was ended after the assertion was made; ask for another one"


def is_bar(record: Record) -> bool:
    """Whether a lock is a bar, which shuts nobody out."""
    return MADE_BEFORE in record.get("attributes", {})


def holder_of(service, subject: str) -> str:
    return derived_name("bar", service.edu_id["issuer"], subject)


def bar_of(service, subject: str) -> Record | None:
    return service.tree.in_force("lock", holder_of(service, subject))


def demand_none(service, claims: dict) -> None:
    """No bar of the person stands against an assertion that comes for the first time."""
    bar = bar_of(service, claims["sub"])
    demand(bar is None or claims["iat"] > bar["attributes"][MADE_BEFORE], "invalid_grant", "GTR-1", ENDED)


def renew(service, subject: str, made: float | None) -> None:
    """A new bar in the place of the one that there is: until the latest of now, its request, and the former one."""
    present = bar_of(service, subject)
    times = [service.now] if made is None else [service.now, made]
    if present is not None:
        service.exchange.change("revoke", id=present["id"], reason="issuer")
        times.append(present["attributes"][MADE_BEFORE])
    until = ceil(max(times))
    record = {
        "id": service.chance.name(),
        "kind": "lock",
        "holder": holder_of(service, subject),
        "issued": service.now,
        "final": until + LONGEST,
        "attributes": {MADE_BEFORE: until},
    }
    service.exchange.change("insert", record=record)
