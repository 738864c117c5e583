"""What administrators of a service list, end, lock and unlock (Fixtures/protocol/service-administration.md)."""

from . import admission, commands, routes
from .bars import is_bar
from .changes import described
from .commands import Parameters, ending
from .messages import Answer, told
from .refusals import demand
from .requesters import Opening
from .service_accounts import demand_name, demand_scope, find_user
from .tree import Record

MOST_ASSERTIONS_LOOKED_AT = 16
LIVE = Opening(("service",))


def endpoints(service) -> list[routes.Endpoint]:
    places = [
        ("GET", "admin", name_lists),
        ("GET", "admin/users", list_users),
        ("DELETE", "admin/users/*", end_user),
        ("POST", "admin/users/*/lock", lock_user),
        ("POST", "admin/users/*/unlock", unlock_user),
        ("DELETE", "admin/users/*/apps/*", end_app_of_user),
        ("GET", "admin/apps", list_apps),
        ("DELETE", "admin/apps/*", end_app),
        ("POST", "admin/apps/*/lock", lock_app),
        ("POST", "admin/apps/*/unlock", unlock_app),
    ]
    return [routes.Endpoint((method,), service.url(path), perform) for method, path, perform in places]


def admit(service, request) -> None:
    """Who asks is an administrator; the proof is noted."""
    requester = find_user(service, request, LIVE)
    admission.admit_holder_at_resource(service.policy, service.tree, requester.record)
    admission.admit_kept_sign_in(service, requester.record)
    demand_scope(service, request, requester)
    demand(requester.record["subject"] in service.policy.get("administrators", []), "insufficient_scope", "TOK-5",
           "this takes an administrator")
    admission.admit_sign_in_of_administrator(service, requester.record)
    service.exchange.changes += requester.remembered()


# Lists


def name_lists(service, request) -> Answer:
    admit(service, request)
    return told({"users": service.url("admin/users"), "apps": service.url("admin/apps")})


def read_list(request) -> tuple:
    parameters = Parameters(request)
    return parameters, parameters.locked(), parameters.after(), parameters.limit()


def locks(service, of_users: bool) -> list[Record]:
    """The locks that are in force, of users or of apps; a bar shuts nobody out."""
    in_force = (lock for lock in service.tree.of_kind("lock") if lock["id"] not in service.tree.revoked)
    return [lock for lock in in_force if ("subject" in lock) is of_users and not is_bar(lock)]


def list_users(service, request) -> Answer:
    parameters, locked, after, limit = read_list(request)
    admit(service, request)
    records = locks(service, of_users=True) if locked else service.tree.of_kind("assertion")
    found, link = commands.portion(records, parameters, after, limit)
    if not locked:
        found = [record for record in found if "subject" in record and is_newest(service, record)]
    subjects = dict.fromkeys(record["subject"] for record in found)
    return commands.listed([user_entry(service, subject) for subject in subjects], link)


def is_newest(service, record: Record) -> bool:
    return service.tree.of_subject(record["kind"], record["subject"])[0]["id"] == record["id"]


def user_entry(service, subject: str) -> dict:
    newest = service.tree.of_subject("assertion", subject)[:MOST_ASSERTIONS_LOOKED_AT]
    living = [record for record in newest if service.tree.lives(record["id"], service.now)]
    instances = len({record["holder"] for record in living})
    return {"user": subject, "instances": instances} | state(service, names_of_user(subject), newest[:1])


def state(service, names: dict, records: list[Record]) -> dict:
    """Since when a name is locked, and why; without a lock why the last of its records ended."""
    lock = lock_of(service, names)
    told_by = [lock] if lock else records
    reason = told_by[-1].get("attributes", {}).get("reason") if told_by else None
    members = {"locked": lock and lock["issued"], "reason": reason}
    return {member: value for member, value in members.items() if value is not None}


def list_apps(service, request) -> Answer:
    parameters, locked, after, limit = read_list(request)
    admit(service, request)
    records = locks(service, of_users=False) if locked else service.tree.of_kind("app")
    found, link = commands.portion(records, parameters, after, limit)
    apps = dict.fromkeys(record["holder"] for record in found)
    tokens = [] if locked else found
    return commands.listed([app_entry(service, app, tokens) for app in apps], link)


def app_entry(service, app: str, tokens: list[Record]) -> dict:
    own = [token for token in tokens if token["holder"] == app]
    living = [token for token in own if service.tree.lives(token["id"], service.now)]
    users = len({token["subject"] for token in living})
    return {"app": app, "tokens": len(living), "users": users} | state(service, names_of_app(app), own[-1:])


# Endings


def end_user(service, request, user: str) -> Answer:
    demand_name(user)
    remark = Parameters(request).remark()
    admit(service, request)
    return end_all(service, assertions_of(service, user), remark)


def end_app_of_user(service, request, user: str, app: str) -> Answer:
    demand_name(user)
    demand_name(app)
    remark = Parameters(request).remark()
    admit(service, request)
    tokens = [token for token in unrevoked(service, service.tree.of_subject("app", user)) if token["holder"] == app]
    return end_all(service, tokens, remark)


def end_app(service, request, app: str) -> Answer:
    """Ends what an app was given in a portion of all tokens."""
    demand_name(app)
    parameters = Parameters(request)
    remark, after, limit = parameters.remark(), parameters.after(), parameters.limit()
    admit(service, request)
    found, link = commands.portion(service.tree.of_kind("app"), parameters, after, min(limit, commands.MOST_ENDINGS))
    end(service, unrevoked(service, [token for token in found if token["holder"] == app]), remark)
    return Answer(202, link) if link else Answer(204)


def assertions_of(service, user: str) -> list[Record]:
    return unrevoked(service, service.tree.of_subject("assertion", user))


def unrevoked(service, records: list[Record]) -> list[Record]:
    return [record for record in records if record["id"] not in service.tree.revoked]


def end_all(service, records: list[Record], remark: str | None) -> Answer:
    commands.demand_something(records, service.exchange.changes)
    end(service, records, remark)
    return commands.done(records)


def end(service, records: list[Record], remark: str | None) -> None:
    for record in records[:commands.MOST_ENDINGS]:
        service.exchange.changes += ending(service.tree, record, service.now, "administrator", remark)


# Locks


def names_of_user(user: str) -> dict:
    return {"holder": user, "subject": user}


def names_of_app(app: str) -> dict:
    return {"holder": app}


def lock_user(service, request, user: str) -> Answer:
    demand_name(user)
    remark = Parameters(request).remark()
    admit(service, request)
    lock(service, names_of_user(user), remark)
    records = assertions_of(service, user)
    end(service, records, remark)
    return Answer(204 if len(records) <= commands.MOST_ENDINGS else 202)


def lock_app(service, request, app: str) -> Answer:
    demand_name(app)
    remark = Parameters(request).remark()
    admit(service, request)
    lock(service, names_of_app(app), remark)
    return Answer(204)


def lock(service, names: dict, remark: str | None) -> None:
    present = lock_of(service, names)
    attributes = {} if remark is None else {"reason": remark}
    if present is None:
        record = {"id": service.chance.name(), "kind": "lock", **names, "issued": service.now}
        record |= {"attributes": attributes} if attributes else {}
        service.exchange.change("insert", record=record)
    elif present.get("attributes", {}) != attributes:
        service.exchange.changes.append(described(present, attributes))


def lock_of(service, names: dict) -> Record | None:
    """The lock of a user, or of an app that may have the same name."""
    return next((lock for lock in locks(service, "subject" in names) if lock["holder"] == names["holder"]), None)


def unlock_user(service, request, user: str) -> Answer:
    return unlock(service, request, names_of_user(user))


def unlock_app(service, request, app: str) -> Answer:
    return unlock(service, request, names_of_app(app))


def unlock(service, request, names: dict) -> Answer:
    demand_name(names["holder"])
    Parameters(request)
    admit(service, request)
    present = lock_of(service, names)
    commands.demand_something([present] if present else [], service.exchange.changes)
    service.exchange.change("revoke", id=present["id"], reason="administrator")
    return Answer(204)
