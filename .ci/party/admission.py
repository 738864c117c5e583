"""Whom and what sign-ins the policy of a service admits (Fixtures/protocol/federation-service.md)."""

from .demands import OF_ADMINISTRATORS, insufficient, kept
from .refusals import Refusal

NO_INSTANCE = "this service does not admit the instance"
NO_RIGHT = "the user has no right to this service"
NO_APP = "this service does not admit the app"
OF_EVERYBODY = "this service takes a stronger or more recent sign-in"
LATE = 60


def is_admitted(policy: dict, group: str, name: str) -> bool:
    """Whether a name is among the only ones, or else not among those that are denied."""
    only = policy.get(f"only_{group}")
    return name in only if only is not None else name not in policy.get(f"denied_{group}", [])


def admit_instance(policy: dict, name: str) -> None:
    if not is_admitted(policy, "instances", name):
        clause = "USR-6" if "only_instances" in policy else "USR-5"
        raise Refusal("unauthorized_client", clause, NO_INSTANCE)


def admit_user(policy: dict, name: str) -> None:
    if not is_admitted(policy, "users", name):
        raise Refusal("access_denied", "AST-4", NO_RIGHT)


def admit_app(policy: dict, name: str) -> None:
    if not is_admitted(policy, "apps", name):
        raise Refusal("access_denied", "APP-6", NO_APP)


def admit_holder(policy: dict, tree, record: dict) -> None:
    """The instance through which a token was had, its user, and the app that holds it."""
    admit_instance(policy, tree.nearest(record["id"], "service")["holder"])
    admit_user(policy, record["subject"])
    if record["kind"] == "app":
        admit_app(policy, record["holder"])


def admit_holder_at_resource(policy: dict, tree, record: dict) -> None:
    """The same, told as a resource tells it."""
    try:
        admit_holder(policy, tree, record)
    except Refusal as refusal:
        raise refusal.told_as("invalid_token") from None


def admit_sign_in(service, told: dict) -> None:
    """What an assertion told of the sign-in is what the service demands of everybody."""
    demand_met(service, service.demand, told, OF_EVERYBODY)


def admit_kept_sign_in(service, record: dict) -> None:
    """What was kept with a token still is that."""
    admit_sign_in(service, kept(record))


def admit_sign_in_of_administrator(service, record: dict) -> None:
    demand_met(service, service.administrators_demand, kept(record), OF_ADMINISTRATORS)


def demand_met(service, demanded, told: dict, words: str) -> None:
    if not demanded.is_met(told, service.now, late=LATE):
        raise insufficient(demanded, words)
