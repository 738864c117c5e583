"""Whom the policy of a service admits: instances, users and apps (Fixtures/protocol/federation-service.md)."""

from .refusals import Refusal

NO_INSTANCE = "this service does not admit the instance"
NO_RIGHT = "the user has no right to this service"
NO_APP = "this service does not admit the app"


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
