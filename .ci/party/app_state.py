"""What a third-party app keeps of what it was granted, and how it finds it (Fixtures/protocol/app-state.md)."""

from dataclasses import dataclass, field

from . import app_authorizations, descriptions, scopes, urls
from .descriptions import OAUTH2
from .endpoints import checked_endpoint
from .json_text import compact_json
from .refusals import Flaw

MOST_GRANTS = 256


@dataclass
class Grant:
    """What one response granted at a service; authorizations by the protocol at which they stand, or None."""
    app: str
    protocols: list
    document: dict
    authorizations: dict
    pair: dict | None = None

    def without(self, names):
        """What is left of a grant when some protocols were granted anew, or nothing."""
        left = [name for name in self.protocols if name not in names]
        if not left:
            return None
        document = descriptions.filtered(self.document, left)
        places = {None, *document["apis"]}
        kept = {place: found for place, found in self.authorizations.items() if place in places}
        return Grant(self.app, left, document, kept, self.pair)

    def place(self, protocol, path=None):
        """Where the authorization for a protocol, or for a path below it, stands."""
        own = f"{protocol}.{path}" if path and f"{protocol}.{path}" in self.document["apis"] else protocol
        place = own if own in self.authorizations else None
        if place not in self.authorizations:
            raise Flaw("NIF-8", "there is no authorization for the protocol")
        return place


@dataclass
class Service:
    """A service by its URL, with its grants, the latest first."""
    url: urls.URL
    grants: list = field(default_factory=list)

    @property
    def name(self):
        """The name for people."""
        return next((name for grant in self.grants if (name := grant.document.get("engineName"))), self.url.host)

    def grant_for(self, protocol):
        for grant in self.grants:
            if protocol in grant.protocols or protocol == OAUTH2 and protocol in grant.document["apis"]:
                return grant
        raise Flaw("NAI-12", f"'{protocol}' was not granted")


class State:
    """Services by their identities."""

    def __init__(self, services=()):
        self.services = {service.url.identity: service for service in services}

    def sorted(self):
        return [self.services[identity] for identity in sorted(self.services, key=str.encode)]

    def urls(self):
        return [service.url.text for service in self.sorted()]

    def find(self, name):
        """A service by its URL, or by its name for people where one alone has that."""
        try:
            found = [self.services.get(urls.read(name).identity)]
        except Flaw:
            found = [service for service in self.services.values() if service.name == name]
        if len(found) != 1 or found[0] is None:
            raise Flaw("NAI-2", "the service is unknown")
        return found[0]

    def take_in(self, documents, request, pair, now):
        """Takes the documents of a response; gives the services that were opened, and why others were dropped."""
        accepted, dropped = {}, []
        for document in sorted(documents, key=order):
            try:
                service = self.take(document, request, pair, now, accepted, dropped)
                accepted[service.url.identity] = service.url.text
            except Flaw as flaw:
                dropped.append(flaw.clause)
        return [accepted[identity] for identity in sorted(accepted, key=str.encode)], dropped

    def take(self, document, request, pair, now, accepted, dropped):
        url = descriptions.service_url(document)
        if url is None:
            raise Flaw("RSD-3", "a service without a URL")
        if url.identity in accepted:
            raise Flaw("DSC-2", "a service that comes twice")
        if not document["apis"].keys() >= set(request.protocols):
            raise Flaw("NAI-12", "a service that does not offer what was asked for")
        document = descriptions.filtered(document, request.protocols)
        descriptions.check_length(document)
        authorizations = useful(document, pair, now, dropped)
        if not authorizations.keys() & {None, *request.protocols}:
            raise Flaw("NIF-5", "a service without an authorization")
        public = descriptions.without_authorization(document)
        return self.replace(url, Grant(request.app_id, [*request.protocols], public, authorizations, pair))

    def replace(self, url, grant):
        """Puts a grant in the place of others for the same protocols."""
        earlier = self.services.get(url.identity, Service(url)).grants
        left = [rest for other in earlier if (rest := other.without(grant.protocols))]
        if self.number_of_grants() - len(earlier) + len(left) >= MOST_GRANTS:
            raise Flaw("threat-43", f"more than {MOST_GRANTS} grants")
        self.services[url.identity] = Service(url, [grant, *left])
        return self.services[url.identity]

    def number_of_grants(self):
        return sum(len(service.grants) for service in self.services.values())


def order(document):
    url = descriptions.service_url(document)
    return (b"" if url is None else url.identity.encode(), compact_json(document).encode())


def useful(document, pair, now, dropped):
    """The authorizations of a document that are of use, by their places; the clauses of others are noted."""
    found = {}
    places = {name: api["authorization"] for name, api in document["apis"].items() if "authorization" in api}
    for place, members in (places | ({None: document["authorization"]} if "authorization" in document else {})).items():
        try:
            found[place] = app_authorizations.read(members, pair, now)
        except Flaw as flaw:
            dropped.append(flaw.clause)
    return found


def check_scope(authorization, service, protocol, url):
    """The scope names the protocol, covers the endpoint, or has no URL on its origin or on that of the service."""
    words = authorization.scope
    if protocol in words:
        return
    places = filter(None, map(scopes.read, words))
    near = [place for place in places if place.origin in (url.origin, service.url.origin)]
    if near and not any(place.covers(url) for place in near):
        raise Flaw("threat-51", "the scope does not cover the endpoint")


def endpoint_of(grant, protocol, path=None):
    return checked_endpoint(grant.document, protocol, path)
