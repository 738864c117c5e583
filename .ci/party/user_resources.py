"""What opens to a user's token at the edu-ID service: profile (2a), usage list and discovery (3)."""

from . import formats, introductions, urls
from .clients import resource_requester
from .discovery import Directory, read_query
from .edu_id_service import normal_form
from .json_text import read_object
from .messages import told
from .parameters import BOUNDS
from .refusals import Flaw, Refusal, demand, flaws_told_as
from .requesters import Opening

WHOEVER_KNOWS_A_USER = Opening(("personal", "assertion"))
MOST_ATTRIBUTES = 64
MOST_ASSERTIONS = 256
REPORT = "the body must be a JSON object with 'service', a URL, and 'outcome', which is 'accepted' or 'refused'"


# Profile

def user_info(edu_id, request):
    names = asked_attributes(request)
    requester = resource_requester(edu_id, request, WHOEVER_KNOWS_A_USER)
    if requester.record["kind"] == "assertion":
        members = introductions.told_attributes(edu_id, requester.record)
    else:
        profile = edu_id.profile(requester.record)
        members = {"sub": requester.record["subject"]} | {name: profile[name] for name in profile if name != "sub"}
    edu_id.remember(requester.proof)
    return told({name: value for name, value in members.items() if name == "sub" or names is None or name in names})


def asked_attributes(request):
    """The names of attributes that are asked for, or nothing for all."""
    try:
        pairs = formats.read_form(request.query)
    except Flaw:
        raise Refusal("invalid_request", "RFC6749-B", "the parameters are no form") from None
    values = [value for name, value in pairs if name == "claims"]
    if not values:
        return None
    names = values[0].split(" ")
    demand(len(values) == 1 and "" not in names and len(names) <= MOST_ATTRIBUTES, "invalid_request", "RFC6749-3.1",
           f"'claims' must be at most {MOST_ATTRIBUTES} names of attributes, with spaces between them, and come once")
    return names


# Usage list

def usage(edu_id, request):
    requester = resource_requester(edu_id, request)
    edu_id.remember(requester.proof)
    return told(list(edu_id.tree.visits.get(requester.record["subject"], {})))


def report_use(edu_id, request):
    url, is_accepted = read_report(request.body or "")
    requester = resource_requester(edu_id, request)
    edu_id.remember(requester.proof)
    subject = requester.record["subject"]
    used = dict.fromkeys(edu_id.tree.visits.get(subject, {}))
    service = normal_form(url)
    if not is_accepted and service in used:
        edu_id.change("leave", subject=subject, service=service)
        used.pop(service)
    introduction = introduction_to(edu_id, requester.record, url) if is_accepted else None
    if introduction:
        edu_id.describe(introduction, introduction.get("attributes", {}), even_if_same=True)
        edu_id.change("visit", subject=subject, service=service)
        used.setdefault(service)
    return told(list(used))


def read_report(body):
    """The service that is reported on, and whether it accepted the user."""
    try:
        report = read_object(body, **BOUNDS)
        demand(isinstance(report.get("service"), str) and report.get("outcome") in ("accepted", "refused"), "", "")
        return urls.read(report["service"]), report["outcome"] == "accepted"
    except Refusal:
        raise Refusal("invalid_request", "USE-1", REPORT) from None


def introduction_to(edu_id, record, url):
    """The newest introduction of a session to a service, if one stands: what is noted is noted while it does."""
    service = edu_id.service_at(url)
    if service is None:
        return None
    newest = list(edu_id.tree.below(record["id"], "assertion"))[:MOST_ASSERTIONS]
    return next((assertion for assertion in newest if assertion["audience"] == service.issuer
                 and edu_id.tree.lives(assertion["id"], edu_id.now)), None)


# Discovery

def discover(edu_id, request):
    return answer_query(edu_id, request)


def discover_protocols(edu_id, request):
    return answer_query(edu_id, request, for_urls=False)


def discover_services(edu_id, request):
    return answer_query(edu_id, request, for_urls=True)


def answer_query(edu_id, request, for_urls=None):
    requester = resource_requester(edu_id, request)
    query = asked_query(request.body or "", for_urls)
    edu_id.remember(requester.proof)
    documents = edu_id.documents
    return told([documents[url] for url in Directory(documents).answer(query)])


def asked_query(body, for_urls):
    with flaws_told_as("invalid_request", "the query: "):
        query = read_query(body)
        if for_urls is not None and ("://" in query[0]) != for_urls:
            raise Flaw("DSC-1", "protocol names and service URLs are mixed")
        return query
