"""Ending tokens at the edu-ID service, and what users see and end of their own (10)."""

from . import jose, urls
from .administrators import nothing_there
from .clients import ANY_HOLDER, demand_client_id, resource_requester
from .derivations import RefreshToken
from .formats import base64url, base64url_bytes
from .introductions import ending
from .messages import NOT_STORED, Answer, told
from .reading import read_revocation_request
from .refusals import Flaw
from .requesters import Opening, find_requester

MOST = 256
ENDING = Opening(("personal",), even_expired=True, even_unconfirmed=True)
DONE = Answer(204)
IN_PART = Answer(202)


# Revocation

def revoke(edu_id, request):
    asked = read_revocation_request(request)
    requester = find_requester(edu_id.exchange, request, asked.credential, edu_id.url("revoke"), ANY_HOLDER)
    demand_client_id(requester.record, asked.client_id)
    edu_id.remember(requester.proof, even_without_room=True)
    record = meant(edu_id, asked.token)
    if record and edu_id.tree.stands_on(record["id"], requester.record["id"]) and is_unrevoked(edu_id, record):
        edu_id.exchange.changes += ended(edu_id, record, "surrendered")
    return Answer(200, dict(NOT_STORED))


def is_unrevoked(edu_id, record):
    return record["id"] not in edu_id.tree.revoked


def ended(edu_id, record, reason):
    """The changes that end a record; of an assertion its service is told."""
    if record["kind"] == "assertion":
        return ending(edu_id, record, reason)
    return [{"do": "revoke", "id": record["id"], "reason": reason}]


def meant(edu_id, text):
    """The record that a token means, whatever its form."""
    presented = RefreshToken.read(text)
    record = presented and edu_id.tree.record(presented.record)
    if record and "refresh" in record and is_refresh_token_of(presented, record):
        return record
    try:
        claims = jose.read_compact(text).claims()
    except Flaw:
        return named_by_plain_token(edu_id, text)
    name = claims.get("jti")
    return edu_id.tree.record(name.rpartition(".")[0]) if isinstance(name, str) else None


def is_refresh_token_of(presented, record):
    is_present = presented.generation == record["refresh"]["generation"]
    return presented.is_of_family(record) and (not is_present or presented.is_kept(record["refresh"]))


def named_by_plain_token(edu_id, text):
    name, dot, secret = text.partition(".")
    record = edu_id.tree.record(name) if dot and "." not in secret else None
    return record if record and "secret" in record.get("attributes", {}) else None


# Instances

def list_instances(edu_id, request):
    requester = resource_requester(edu_id, request, scope_path="instances")
    edu_id.remember(requester.proof)
    own = edu_id.tree.nearest(requester.record["id"], "client")
    return told([described_instance(edu_id, instance) | ({"this": True} if instance["id"] == own["id"] else {})
                 for instance in instances_of(edu_id, requester.record["subject"])])


def instances_of(edu_id, subject):
    """The instances on which a user is signed in, the latest sign-in first."""
    living = [record for record in edu_id.tree.of_subject("personal", subject)
              if edu_id.tree.lives(record["id"], edu_id.now)]
    grounds = (edu_id.tree.nearest(record["id"], "client") for record in living)
    return list({ground["id"]: ground for ground in grounds}.values())


def described_instance(edu_id, record):
    attributes = record.get("attributes", {})
    version = edu_id.tree.record(record["parent"]).get("attributes", {})
    members = {"id": record["holder"], **attributes.get("device", {}), "platform": version.get("platform"),
               "version": version.get("version"), "registered": record["issued"],
               "last_used": edu_id.tree.touched.get(record["id"]), "reason": attributes.get("reason")}
    return {name: value for name, value in members.items() if value is not None}


def end_instance(edu_id, request, instance):
    requester = resource_requester(edu_id, request, ENDING, "instances")
    found = next((record for record in instances_of(edu_id, requester.record["subject"])
                  if record["holder"] == instance.lower()), None)
    if found is None:
        raise nothing_there(requester.remembered(True))
    edu_id.remember(requester.proof, even_without_room=True)
    edu_id.change("revoke", id=found["id"], reason="user")
    return DONE


def end_all_instances(edu_id, request):
    requester = resource_requester(edu_id, request, ENDING, "instances")
    subject = requester.record["subject"]
    own = edu_id.tree.nearest(requester.record["id"], "client")
    instances = sorted(instances_of(edu_id, subject), key=lambda record: record["id"] == own["id"])
    edu_id.remember(requester.proof, even_without_room=True)
    return end_all(edu_id, begun_sign_ins(edu_id, subject) + instances, "user")


def begun_sign_ins(edu_id, subject):
    """Codes that were not redeemed yet, and sign-ins that wait for a step."""
    return [record for kind in ("code", "session") for record in edu_id.tree.of_subject(kind, subject)
            if edu_id.tree.judged(record["id"], edu_id.now)["verdict"] == "live"]


def end_all(edu_id, records, reason):
    """Ends as many as one request may; the answer tells whether something is left."""
    for record in records[:MOST]:
        edu_id.exchange.changes += ended(edu_id, record, reason)
    return DONE if len(records) <= MOST else IN_PART


# Services

def list_services(edu_id, request):
    requester = resource_requester(edu_id, request, scope_path="instances")
    edu_id.remember(requester.proof)
    entries = services_of(edu_id, requester.record["subject"])
    return told([entries[url] for url in sorted(entries, key=str.encode)])


def services_of(edu_id, subject):
    """What a user has used, or where something lives, by URL."""
    tree = edu_id.tree
    times = dict(tree.visits.get(subject, {})) if edu_id.has_usage_manager else {}
    instances = {url: [] for url in times}
    for assertion in tree.of_subject("assertion", subject):
        if not tree.lives(assertion["id"], edu_id.now):
            continue
        url = url_of_service(edu_id, assertion["audience"])
        used = max(assertion["issued"], tree.touched.get(assertion["id"], assertion["issued"]))
        times[url] = max(times.get(url, used), used)
        instances.setdefault(url, []).append(assertion["holder"])
    return {url: described_service(edu_id, url) | {"last_used": times[url], "instances": list(dict.fromkeys(holders))}
            for url, holders in instances.items()}


def url_of_service(edu_id, issuer):
    service = edu_id.service_of(issuer)
    return service.normal_url if service else issuer


def described_service(edu_id, url):
    """How lists name a service."""
    service = edu_id.service_at(urls.read(url))
    name = service and service.document and service.document.get("engineName")
    return {"id": base64url(url.encode()), "service": url} | ({"name": name} if name else {})


def named_service(text):
    """The URL that the part of a path names."""
    try:
        return urls.read(base64url_bytes(text).decode())
    except (Flaw, UnicodeDecodeError):
        raise nothing_there() from None


def leave_service(edu_id, request, name):
    url = named_service(name)
    requester = resource_requester(edu_id, request, ENDING, "instances")
    return end_at_service(edu_id, requester, requester.record["subject"], url, "user")


def end_at_service(edu_id, requester, subject, url, reason, remark=None):
    """Ends what every instance of a user was given for a service, and that it was used."""
    own = [record for record in edu_id.tree.of_subject("assertion", subject)
           if is_unrevoked(edu_id, record) and is_for(edu_id, record, url)]
    used = next((place for place in edu_id.tree.visits.get(subject, {})
                 if urls.read(place).identity == url.identity), None)
    if not own and used is None:
        raise nothing_there(requester.remembered(True))
    edu_id.remember(requester.proof, even_without_room=True)
    for record in own[:MOST]:
        edu_id.exchange.changes += ending(edu_id, record, reason, remark)
    if len(own) > MOST:
        return IN_PART
    if used is not None:
        edu_id.change("leave", subject=subject, service=used)
    return DONE


def is_for(edu_id, assertion, url):
    return urls.read(url_of_service(edu_id, assertion["audience"])).identity == url.identity
