"""What administrators of the edu-ID service list, shut out and withdraw: versions, instances, services."""

from datetime import UTC, datetime

from . import user_administration
from .accounts import described_instance, described_service, nothing_there, url_of_service
from .administrators import Wishes, administrator, named, portion
from .messages import Answer, told
from .proofs import is_uuid
from .refusals import demand

LISTS = ("versions", "instances", "users", "services")
MOST_SERVICES = 1_000
DONE = Answer(204)


def lists(edu_id, request):
    requester = administrator(edu_id, request)
    edu_id.remember(requester.proof)
    return told({name: edu_id.url(f"admin/{name}") for name in LISTS})


def going_on(wishes, name):
    return {"Link": wishes.link(name)} if name else {}


# Versions

def list_versions(edu_id, request):
    wishes = Wishes.of(request)
    after, limit = wishes.read("after"), wishes.limit()
    requester = administrator(edu_id, request)
    edu_id.remember(requester.proof)
    names = [version.kid for version in edu_id.versions]
    start = names.index(after) + 1 if after in names else 0
    found = edu_id.versions[start:start + limit]
    last = found[-1].kid if start + limit < len(names) else None
    return told([described_version(edu_id, version) for version in found], **going_on(wishes, last))


def described_version(edu_id, version):
    attributes = edu_id.version_attributes(version.kid)
    members = {"kid": version.kid, "platform": version.platform, "version": version.text,
               "blocked": edu_id.is_shut_out(version), "withdrawn": attributes.get("withdrawn"),
               "reason": attributes.get("reason")}
    return {name: value for name, value in members.items() if value is not None}


def block(edu_id, request, kid):
    named(edu_id, kid)
    reason = Wishes.of(request).read("reason")
    return change_version(edu_id, request, kid, {"blocked": True, "reason": reason})


def unblock(edu_id, request, kid):
    named(edu_id, kid)
    Wishes.of(request)
    return change_version(edu_id, request, kid, {"blocked": None, "reason": None}, even_without_room=False)


def withdraw(edu_id, request, kid):
    named(edu_id, kid)
    wishes = Wishes.of(request)
    since, reason = wishes.since(), wishes.read("reason")
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
        former = record.get("attributes", {})
        described = {name: value for name, value in (former | attributes).items() if value is not None}
        edu_id.change("describe", id=kid, attributes=described, **{"from": former})
    return DONE


# Instances

def list_instances(edu_id, request):
    wishes = Wishes.of(request)
    user, version, name = wishes.read("user"), wishes.read("version"), wishes.read("name", "device")
    after, limit = wishes.read("after"), wishes.limit()
    requester = administrator(edu_id, request)
    found, last = portion(records_of(edu_id, user, version), after, limit)
    edu_id.remember(requester.proof)
    instances = {}
    for record in found:
        instance = edu_id.tree.nearest(record["id"], "client")
        if is_meant(instance, version, name):
            instances[instance["id"]] = instance
    entries = [described_instance(edu_id, instance) | {"state": state(edu_id, instance)}
               for instance in instances.values()]
    return told(entries, **going_on(wishes, last))


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
    reason = Wishes.of(request).read("reason")
    requester = administrator(edu_id, request)
    holder = instance.lower()
    registered = edu_id.tree.of_holder("client", holder)
    record = edu_id.tree.in_force("client", holder) or (registered[0] if registered else None)
    if record is None:
        raise nothing_there(requester.remembered(True))
    edu_id.remember(requester.proof, even_without_room=True)
    edu_id.exchange.changes += user_administration.remark(edu_id, record, reason)
    edu_id.change("revoke", id=record["id"], reason="barred")
    return DONE


# Services

def list_services(edu_id, request):
    wishes = Wishes.of(request)
    after, limit = wishes.read("after"), wishes.limit()
    requester = administrator(edu_id, request)
    found, last = portion(edu_id.tree.of_kind("assertion"), after, limit)
    edu_id.remember(requester.proof)
    users = {} if after else {service.normal_url: [] for service in edu_id.services[:MOST_SERVICES]}
    for record in found:
        living = users.setdefault(url_of_service(edu_id, record["audience"]), [])
        if edu_id.tree.lives(record["id"], edu_id.now):
            living.append(record["subject"])
    entries = [described_service(edu_id, url) | {"assertions": len(users[url]), "users": len(set(users[url]))}
               for url in sorted(users, key=str.encode)]
    return told(entries, **going_on(wishes, last))


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
