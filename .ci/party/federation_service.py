"""What a federation service is made of (Fixtures/protocol/federation-service.md)."""

from functools import cached_property

from . import descriptions, scopes, urls
from .access_tokens import Issuer
from .demands import Demand
from .derivations import derived_name
from .discovery import Directory
from .endpoints import endpoint
from .exchange import Exchange, below
from .global_revocation import ENDPOINT
from .messages import Request
from .refusals import demand
from .tree import Record

IN_COMPONENT = ("apps", "admin", ENDPOINT)


def directory_of(documents: list[dict]) -> Directory:
    """What a service knows of the federation that is its protocol discovery."""
    known = ((descriptions.service_url(document), document) for document in map(descriptions.read, documents))
    return Directory({url.text: document for url, document in known if url})


class Service:
    """A service in one exchange."""

    def __init__(self, exchange: Exchange):
        party = exchange.party
        self.exchange = exchange
        self.issuer, self.master, self.policy = exchange.issuer, exchange.master, exchange.policy
        self.now, self.chance = exchange.now, exchange.chance
        self.demand = Demand.of(self.policy.get("demand"))
        self.administrators_demand = Demand.of(self.policy.get("administrators_demand"))
        self.key, self.further_keys = party["key"], party.get("keys", [])
        self.edu_id = party["edu_id"]
        self.document = descriptions.read(party["document"])
        self.directory = directory_of(party["discovery"]) if "discovery" in party else None
        self.component = endpoint(self.document, descriptions.OAUTH2)
        self.signer = Issuer(self.issuer, self.key, self.master)

    @property
    def tree(self):
        return self.exchange.tree

    @cached_property
    def offer(self) -> list[str]:
        return scopes.offer(self.document)

    # URLs

    def url(self, path: str) -> str:
        """The URL of an endpoint of the authorization component."""
        if path.partition("/")[0] in IN_COMPONENT:
            return below(self.component, path)
        return endpoint(self.document, descriptions.OAUTH2, path)

    def place(self, request: Request) -> str:
        """The URL that was requested, without its query, also where the target of the request is only a path."""
        url = request.url_without_query
        return urls.read(self.issuer).origin + url if url.startswith("/") else url

    @property
    def description_url(self) -> str:
        return below(self.issuer, "rsd2.json")

    @property
    def list_url(self) -> str | None:
        """Where `services.txt` is, if the service has a URL by which it is known."""
        known = descriptions.service_url(self.document)
        return below(known.text, "services.txt") if known else None

    @property
    def discovery_url(self) -> str | None:
        """Where queries are answered, if the service is a discovery."""
        return below(self.issuer, "discovery") if self.directory else None

    def demand_own(self, resource: str | None) -> None:
        """What `resource` names is this service."""
        own = f"{self.issuer} {self.document.get('homePageLink', '')}"
        demand(resource is None or scopes.covers(own, resource), "invalid_target", "RFC8707-2",
               "'resource' is another service")

    # Grants

    def final(self) -> dict:
        """When a grant that is given now ends by itself, if ever."""
        lifetime = self.policy.get("grant_lifetime")
        return {} if lifetime is None else {"final": self.now + lifetime}

    def assertion_record(self, name: str) -> Record | None:
        """The record of an assertion, under its derived name or its own."""
        names = derived_name("assertion", self.edu_id["issuer"], name), name
        records = map(self.tree.record, names)
        return next((record for record in records if record and record["kind"] == "assertion"), None)
