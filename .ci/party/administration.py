"""What administrators of the edu-ID service list, shut out and withdraw: versions, instances, services."""

from datetime import UTC, datetime

from . import user_administration
from .accounts import DONE, described_instance, described_service, url_of_service
from .administrators import administrator, demand_name, nothing_there, theft, user_named
from .commands import Parameters, ending, listed, portion
from .formats import is_name
from .messages import told
from .proofs import is_uuid
from .refusals import demand

LISTS = ("versions", "instances", "users", "services")
MOST_SERVICES = 1_000


def lists(edu_id, request):
    requester = administrator(edu_id, request)
    edu_id.remember(requester.proof)
    return told({name: edu_id.url(f"admin/{name}") for name in LISTS})


# Versions

def list_versions(edu_id, request):
    parameters = Parameters(request)
    after, limit = parameters.after(), parameters.limit()
    requester = administrator(edu_id, request)
    edu_id.remember(requester.proof)
    names = [{"id": version.kid} for version in edu_id.versions]
    found, link = portion(names, parameters, after, limit)
    return listed([described_version(edu_id, edu_id.version(name["id"])) for name in found], link)


def described_version(edu_id, version):
    attributes = edu_id.version_attributes(version.kid)
    members = {"kid": version.kid, "platform": version.platform, "version": version.text,
               "blocked": edu_id.is_shut_out(version), "withdrawn": attributes.get("withdrawn"),
               "reason": attributes.get("reason")}
    return {name: value for name, value in members.items() if value is not None}


def block(edu_id, request, kid):
    demand_name(kid)
    reason = Parameters(request).remark()
    return change_version(edu_id, request, kid, {"blocked": True, "reason": reason})


def unblock(edu_id, request, kid):
    demand_name(kid)
    Parameters(request)
    return change_version(edu_id, request, kid, {"blocked": None, "reason": None}, even_without_room=False)


def withdraw(edu_id, request, kid):
    demand_name(kid)
    parameters = Parameters(request)
    since, reason = theft(parameters), parameters.remark()
    earlier = edu_id.version_attributes(kid).get("withdrawn", since)
    return change_version(edu_id, request, kid, {"withdrawn": min(since, earlier), "reason": reason})


def change_version(edu_id, request, kid, attributes, even_without_room=True):
    """Sets attributes of a version's record, or takes them away."""
    requester = administrator(edu_id, request)
    version, record = edu_id.version(kid), edu_id.tree.record(kid)
    if version is None:
        raise nothing_there(requester.remembered(even_without_room))
    edu_id.remember(requester.proof, even_without_room)
    if record is None:
        set_ones = {name: value for name, value in attributes.items() if value is not None}
        edu_id.change("insert", record=version.record(edu_id.now, **set_ones))
    else:
        described = record.get("attributes", {}) | attributes
        kept = {name: value for name, value in described.items() if value is not None}
        edu_id.describe(record, kept, even_if_same=True)
    return DONE


# Instances

def list_instances(edu_id, request):
    parameters = Parameters(request)
    user = user_named(parameters, "user")
    version = parameters.text("version", "the name of a version's key", is_name)
    name = parameters.text("name", "a part of a device's name", is_name)
    after, limit = parameters.after(), parameters.limit()
    requester = administrator(edu_id, request)
    found, link = portion(records_of(edu_id, user, version), parameters, after, limit)
    edu_id.remember(requester.proof)
    instances = {}
    for record in found:
        instance = edu_id.tree.nearest(record["id"], "client")
        if is_meant(instance, version, name):
            instances[instance["id"]] = instance
    entries = [described_instance(edu_id, instance) | {"state": state(edu_id, instance)}
               for instance in instances.values()]
    return listed(entries, link)


def records_of(edu_id, user, version):
    """The records that a list of instances looks at."""
    if user is not None:
        return edu_id.tree.of_subject("personal", user)
    if version is not None:
        return list(edu_id.tree.below(version, "client"))
    return edu_id.tree.of_kind("client")


def is_meant(instance, version, name):
    device = instance.get("attributes", {}).get("device", {}).get("name", "")
    return (version is None or instance["parent"] == version) and (name is None or name.lower() in device.lower())


def state(edu_id, record):
    """The verdict on an instance in words."""
    verdict = edu_id.tree.judged(record["id"], edu_id.now)
    if verdict["verdict"] == "revoked":
        return f"revoked with {verdict['by']} at {written_time(verdict['at'])}: {verdict['reason']}"
    if verdict["verdict"] == "expired":
        return f"expired, grant of {verdict['by']} at {written_time(verdict['at'])}"
    if verdict["verdict"] == "unconfirmed":
        return f"unconfirmed since the restoration at {written_time(verdict['before'])}"
    return "live"


def written_time(seconds):
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def reject(edu_id, request, instance):
    demand(is_uuid(instance), "http_404", "")
    reason = Parameters(request).remark()
    requester = administrator(edu_id, request)
    holder = instance.lower()
    registered = edu_id.tree.of_holder("client", holder)
    record = edu_id.tree.in_force("client", holder) or (registered[0] if registered else None)
    if record is None:
        raise nothing_there(requester.remembered(True))
    edu_id.remember(requester.proof, even_without_room=True)
    edu_id.exchange.changes += ending(edu_id.tree, record, edu_id.now, "barred", reason)
    return DONE


# Services

def list_services(edu_id, request):
    parameters = Parameters(request)
    after, limit = parameters.after(), parameters.limit()
    requester = administrator(edu_id, request)
    found, link = portion(edu_id.tree.of_kind("assertion"), parameters, after, limit)
    edu_id.remember(requester.proof)
    users = {} if after else {service.normal_url: [] for service in edu_id.services[:MOST_SERVICES]}
    for record in found:
        living = users.setdefault(url_of_service(edu_id, record["audience"]), [])
        if edu_id.tree.lives(record["id"], edu_id.now):
            living.append(record["subject"])
    entries = [described_service(edu_id, url) | {"assertions": len(users[url]), "users": len(set(users[url]))}
               for url in sorted(users, key=str.encode)]
    return listed(entries, link)


ENDPOINTS = {
    "admin": {"GET": lists},
    "admin/versions": {"GET": list_versions},
    "admin/versions/*/block": {"POST": block},
    "admin/versions/*/unblock": {"POST": unblock},
    "admin/versions/*/withdraw": {"POST": withdraw},
    "admin/instances": {"GET": list_instances},
    "admin/instances/*": {"DELETE": reject},
    **user_administration.ENDPOINTS,
    "admin/services": {"GET": list_services},
}
