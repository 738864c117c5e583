"""What an instance asks at each start, and how it learns of services (Fixtures/protocol/app-requests.md)."""

from dataclasses import dataclass

from . import descriptions
from .discovery import MOST_BYTES, MOST_FOUND, OAUTH2
from .instance import NO_ANSWER
from .instance_endings import tell_endings
from .instance_entry import regain_user, regaining_user
from .instance_store import Service, identity, sorted_by_bytes
from .json_text import read_json, typed
from .refusals import Flaw, Refusal

MOST_REPORTS, MOST_URLS = 64, 1_000
NOT_FOUND = (404,)
USAGE_ENDPOINT = "eduid_usage_endpoint"


# Launch

def launch(app):
    yield from tell_endings(app)
    token = app.token("personal")
    if token is None:
        return True
    if token.is_expired(app.now):
        yield from regain_user(app)
    yield from read_profile(app)
    yield from report_usage(app)
    wanted = used_services(app.store)
    if wanted:
        yield from discovery(app, wanted)
    return True


def of_user(app, name, content=None, absent=()):
    """A resource of the user at the edu-ID service."""
    def request():
        return (yield from app.resource(app.endpoint(name), app.user_token(), content, absent))
    return (yield from regaining_user(app, request, "invalid_token"))


def read_profile(app):
    profile = read_json((yield from of_user(app, "userinfo_endpoint")), size=65_536, depth=16)
    if profile and isinstance(profile, dict):
        app.store.settings["profile"] = profile
    else:
        app.store.drop("profile")


def report_usage(app):
    if USAGE_ENDPOINT not in app.metadata:
        app.store.drop("usage")
        return
    for report in reports(app.store) or [None]:
        text = yield from of_user(app, USAGE_ENDPOINT, report, NOT_FOUND)
        if text is None:
            app.store.drop("usage")
            return
        app.store.settings["usage"] = read_usage(text)


def reports(store):
    """How services took the user, as far as the usage list does not tell it."""
    listed, refusing = store.usage(), store.refusing()
    accepted = sorted_by_bytes(name for name in store.with_token() if name not in listed)
    refused = sorted_by_bytes(name for name in refusing if name in listed)
    told = [(name, "accepted") for name in accepted] + [(name, "refused") for name in refused]
    return [{"service": name, "outcome": outcome} for name, outcome in told[:MOST_REPORTS]]


def read_usage(text):
    entries = typed(read_json(text, size=1_048_576, depth=2, values=20_000), "array", "$")
    for place, entry in enumerate(entries):
        typed(entry, "string", f"$[{place}]")
    return [entry for entry in entries if identity(entry) is not None]


def used_services(store):
    """The URLs of services that the user has used: first those that are not known, then the others.

    Where there is no usage list, there are none.
    """
    if "usage" not in store.settings:
        return []
    spelled = {name: name for name in store.with_token()} | store.usage()
    names = sorted_by_bytes(spelled.keys() - store.refusing())
    names.sort(key=lambda name: name in store.services)
    return [spelled[name] for name in names][:MOST_URLS]


# Discovery

def discovery(app, query):
    """The identities of what is found by protocols or URLs; it is kept, and what is missing is offered no more."""
    text = yield from of_user(app, "eduid_discovery_endpoint", query, NOT_FOUND)
    found = [] if text is None else services_in(text)
    for service in found:
        app.store.keep_discovered(service)
    names = [service.identity for service in found]
    # An answer that is full may have left out some.
    if text is None or not is_full(text):
        for service in asked_for(app.store, query):
            if service.identity not in names:
                app.store.keep_service(service.withdrawn())
    return names


def is_full(text):
    """Whether there was no room in an answer for one document more."""
    size = len(text.encode() if isinstance(text, str) else text)
    return size + descriptions.MOST_BYTES >= MOST_BYTES or len(read_json(text)) >= MOST_FOUND


def asked_for(store, query):
    """The services that are kept, and that a query asks for."""
    if "://" in query[0]:
        return [service for service in map(store.service, query) if service]
    return [service for service in store.services.values() if offers(service, query)]


def offers(service, protocols):
    return {OAUTH2, *protocols} <= service.document["apis"].keys()


def services_in(text):
    found = {}
    for value in typed(read_json(text), "array", "$"):
        service = readable_service(value)
        if service and (service.identity not in found or is_smaller(service, found[service.identity])):
            found[service.identity] = service
    return [found[name] for name in sorted_by_bytes(found)]


def is_smaller(one, other):
    return one.text.encode() < other.text.encode()


def readable_service(value):
    try:
        document = descriptions.read(value)
        descriptions.check_length(document)
    except Flaw:
        return None
    return Service.of(document) if descriptions.service_url(document) else None


def discovery_by_urls(app, texts):
    query = [text for text in texts if identity(text) is not None]
    return (yield from discovery(app, query)) if query else []


# Candidates

@dataclass(frozen=True)
class Candidate:
    """A service that can serve a request, and what the person sees of it at first."""
    service: Service
    is_used: bool
    is_preselected: bool

    @property
    def url(self):
        return self.service.url.text

    @property
    def place(self):
        """Where it stands: what was used first, then by names and URLs."""
        return not self.is_used, self.service.name.encode().lower(), self.url.encode()


def candidates(app, request):
    """The candidates for a request, in their order: what is found; what was kept will do where nobody answers."""
    try:
        found = yield from discovery(app, [*request.protocols])
    except Refusal as refusal:
        kept = [name for name, service in app.store.services.items()
                if not all(map(descriptions.is_of_oauth2, service.document["apis"]))]
        known = chosen(app.store, request, kept)
        if refusal.clause != NO_ANSWER or not known:
            raise
        return known
    return chosen(app.store, request, found)


def chosen(store, request, names):
    usage, refusing, left_out = store.usage(), store.refusing(), store.left_out(request.app_id)
    found = []
    for name in names:
        service = store.services[name]
        if offers(service, request.protocols):
            is_used = (name in usage or service.token is not None) and name not in refusing
            found.append(Candidate(service, is_used, is_used and name not in left_out))
    return sorted(found, key=lambda candidate: candidate.place)
