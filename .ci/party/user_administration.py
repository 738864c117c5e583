"""What administrators of the edu-ID service do about users: list, find, sign out, lock and forget them."""

from . import affiliations, introductions
from .accounts import DONE, IN_PART, MOST, begun_sign_ins, end_at_service, is_unrevoked, named_service
from .administrators import administrator, demand_name, named_affiliation, nothing_there, user_named
from .commands import Parameters, ending, listed, portion
from .proofs import is_uuid
from .refusals import demand

NEWEST = 16
MOST_EXPELLED = 128


# Lists

def list_users(edu_id, request):
    parameters = Parameters(request)
    locked, name = parameters.locked(), user_named(parameters, "name")
    after, limit = parameters.after(), parameters.limit()
    requester = administrator(edu_id, request)
    if name is not None and not locked:
        subjects, link = found_users(edu_id, name)[:limit], {}
    else:
        looked_at = locks(edu_id) if locked else edu_id.tree.of_kind("personal")
        records, link = portion(looked_at, parameters, after, limit)
        subjects = [record["subject"] for record in records if locked or is_newest(edu_id, record)]
    edu_id.remember(requester.proof)
    return listed([described_user(edu_id, subject) for subject in subjects], link)


def locks(edu_id):
    return [lock for lock in edu_id.tree.of_kind("lock") if "subject" in lock and edu_id.tree.is_in_force(lock["id"])]


def is_newest(edu_id, record):
    return edu_id.tree.of_subject("personal", record["subject"])[0]["id"] == record["id"]


def found_users(edu_id, name):
    """The user of a subject, and whomever the directory finds by a name."""
    named_so = [user["subject"] for user in edu_id.users if user["name"] == name]
    return list(dict.fromkeys(([name] if is_known(edu_id, name) else []) + named_so))


def is_known(edu_id, subject):
    """Whether something is kept of a user; the subject of an affiliation is a name of its own, and nobody's."""
    return subject in edu_id.tree.visits or any(
        record.get("subject") == subject for record in edu_id.tree.records.values() if record["kind"] != "affiliation")


def described_user(edu_id, subject):
    tree = edu_id.tree
    records = tree.of_subject("personal", subject)
    newest = records[:NEWEST]
    instances = [tree.nearest(record["id"], "client")["id"] for record in newest]
    lock = tree.lock_of(subject)
    remarked = lock or (records[0] if records else {})
    members = {"user": subject, "instances": sum(tree.lives(record["id"], edu_id.now) for record in newest),
               "last_used": max((tree.touched[name] for name in instances if name in tree.touched), default=None),
               "locked": lock and lock["issued"], "reason": remarked.get("attributes", {}).get("reason")}
    return {name: value for name, value in members.items() if value is not None}


# Commands

def unrevoked(edu_id, kind, subject):
    return [record for record in edu_id.tree.of_subject(kind, subject) if is_unrevoked(edu_id, record)]


def end(edu_id, records, reason, most=MOST):
    """Ends as many as one request may, each with the remark; whether that was all."""
    for record in records[:most]:
        edu_id.exchange.changes += ending(edu_id.tree, record, edu_id.now, "administrator", reason)
    return len(records) <= most


def end_everywhere(edu_id, records, begun, reason):
    """Ends sign-ins, and what has only begun; whether that was all."""
    is_all = end(edu_id, records, reason)
    for record in begun[:MOST]:
        edu_id.change("revoke", id=record["id"], reason="administrator")
    return is_all and len(begun) <= MOST


def sign_out(edu_id, request, subject):
    demand_name(subject)
    reason = Parameters(request).remark()
    requester = administrator(edu_id, request)
    records, begun = unrevoked(edu_id, "personal", subject), begun_sign_ins(edu_id, subject)
    if not records and not begun:
        raise nothing_there(requester.remembered(True))
    edu_id.remember(requester.proof, even_without_room=True)
    return DONE if end_everywhere(edu_id, records, begun, reason) else IN_PART


def take_instance(edu_id, request, subject, instance):
    demand_name(subject)
    demand(is_uuid(instance), "http_404", "")
    reason = Parameters(request).remark()
    requester = administrator(edu_id, request)
    records = [record for record in unrevoked(edu_id, "personal", subject) if record["holder"] == instance.lower()]
    if not records:
        raise nothing_there(requester.remembered(True))
    edu_id.remember(requester.proof, even_without_room=True)
    return DONE if end(edu_id, records, reason) else IN_PART


def end_service(edu_id, request, subject, name):
    demand_name(subject)
    url = named_service(name)
    reason = Parameters(request).remark()
    requester = administrator(edu_id, request)
    return end_at_service(edu_id, requester, subject, url, "administrator", reason)


def expel(edu_id, request, subject, name):
    """Ends what somebody is at an institution by a provider's word; what the host lists it takes out by itself."""
    demand_name(subject)
    affiliation = named_affiliation(name)
    reason = Parameters(request).remark()
    requester = administrator(edu_id, request)
    standing = [record for record in unrevoked(edu_id, "personal", subject) if edu_id.tree.lives(record["id"], edu_id.now)]
    listing = [record for record in standing + begun_codes(edu_id, subject)
               if affiliations.is_kept(edu_id, record, affiliation)]
    ended = unrevoked(edu_id, "affiliation", affiliations.name_of(edu_id, subject, affiliation))
    if not listing and not ended:
        raise nothing_there(requester.remembered(True))
    edu_id.remember(requester.proof, even_without_room=True)
    for record in listing[:MOST_EXPELLED]:
        edu_id.describe(record, affiliations.taken_out(edu_id, record, affiliation))
    is_all = end(edu_id, ended, reason, MOST_EXPELLED) and len(listing) <= MOST_EXPELLED
    return DONE if is_all else IN_PART


def begun_codes(edu_id, subject):
    """The codes of somebody that can be redeemed still."""
    return [code for code in unrevoked(edu_id, "code", subject)
            if edu_id.tree.judged(code["id"], edu_id.now)["verdict"] == "live"]


def lock(edu_id, request, subject):
    demand_name(subject)
    reason = Parameters(request).remark()
    requester = administrator(edu_id, request)
    edu_id.remember(requester.proof, even_without_room=True)
    attributes = {} if reason is None else {"reason": reason}
    present = edu_id.tree.lock_of(subject)
    if present is None:
        record = {"id": edu_id.chance.name(), "kind": "lock", "holder": subject, "subject": subject,
                  "issued": edu_id.now}
        edu_id.change("insert", record=record | ({"attributes": attributes} if attributes else {}))
    else:
        edu_id.describe(present, attributes)
    records, begun = unrevoked(edu_id, "personal", subject), begun_sign_ins(edu_id, subject)
    return DONE if end_everywhere(edu_id, records, begun, reason) else IN_PART


def unlock(edu_id, request, subject):
    demand_name(subject)
    Parameters(request)
    requester = administrator(edu_id, request)
    present = edu_id.tree.lock_of(subject)
    if present is None:
        raise nothing_there(requester.remembered())
    edu_id.remember(requester.proof)
    edu_id.change("revoke", id=present["id"], reason="administrator")
    return DONE


def forget(edu_id, request, subject):
    demand_name(subject)
    Parameters(request)
    requester = administrator(edu_id, request)
    if not is_known(edu_id, subject):
        raise nothing_there(requester.remembered(True))
    edu_id.remember(requester.proof, even_without_room=True)
    records, begun = unrevoked(edu_id, "personal", subject), begun_sign_ins(edu_id, subject)
    present, devices = edu_id.tree.lock_of(subject), own_devices(edu_id, subject)
    open_ones = unrevoked(edu_id, "assertion", subject)
    is_last = max(len(records), len(begun), len(devices), len(open_ones)) <= MOST
    if is_last:
        if present is not None:
            edu_id.change("revoke", id=present["id"], reason="administrator")
        undescribe(edu_id, devices)
    if not end_everywhere(edu_id, records, begun, None):
        return IN_PART
    if not is_last:
        undescribe(edu_id, devices[:MOST])
    for assertion in open_ones[:MOST]:
        edu_id.exchange.changes += introductions.ending(edu_id, assertion, "administrator")
    if not is_last:
        return IN_PART
    edu_id.change("forget", subject=subject)
    return DONE


def undescribe(edu_id, devices):
    for record in devices:
        edu_id.describe(record, affiliations.without(record["attributes"], "device"))


def own_devices(edu_id, subject):
    """The described instances on which a user is or was signed in, and nobody else is."""
    tree = edu_id.tree
    names = dict.fromkeys(tree.nearest(record["id"], "client")["id"] for record in tree.of_subject("personal", subject))
    return [tree.record(name) for name in names
            if tree.lives(name, edu_id.now) and "device" in tree.record(name).get("attributes", {})
            and not any(other["subject"] != subject and tree.lives(other["id"], edu_id.now)
                        for other in tree.below(name, "personal"))]


ENDPOINTS = {
    "admin/users": {"GET": list_users},
    "admin/users/*": {"DELETE": sign_out},
    "admin/users/*/lock": {"POST": lock},
    "admin/users/*/unlock": {"POST": unlock},
    "admin/users/*/data": {"DELETE": forget},
    "admin/users/*/instances/*": {"DELETE": take_instance},
    "admin/users/*/services/*": {"DELETE": end_service},
    "admin/users/*/affiliations/*": {"DELETE": expel},
}
