"""A federation service: what it is made of, and its endpoints (Fixtures/protocol/federation-service.md)."""

from . import (
    app_tokens, descriptions, publications, redemption, renewal, routes, scopes, service_accounts,
    service_administration, service_revocation,
)
from .access_tokens import Issuer
from .exchange import Exchange, below
from .messages import Answer, Request
from .reading import JWT_BEARER_GRANT, read_token_request
from .refusals import Refusal, demand

LIFETIME = 3_600
GET, POST, DELETE, PUBLIC = ("GET",), ("POST",), ("DELETE",), ("GET", "HEAD")


class Service:
    """A service in an exchange."""

    def __init__(self, exchange: Exchange):
        self.exchange = exchange
        self.issuer, self.master, self.policy = exchange.issuer, exchange.master, exchange.policy
        self.now, self.chance = exchange.now, exchange.chance
        self.key = exchange.party["key"]
        self.keys = [self.key, *exchange.party.get("keys", [])]
        self.document = exchange.party["document"]
        self.edu_id = exchange.party["edu_id"]
        self.component = descriptions.endpoint(self.document, scopes.AUTHORIZATION)
        self.signer = Issuer(self.issuer, self.key, self.master)

    @property
    def tree(self):
        return self.exchange.tree

    @property
    def home(self) -> str:
        return self.document.get("homePageLink", self.issuer)

    @property
    def offer(self) -> list[str]:
        return scopes.offer(self.document)

    @property
    def description_url(self) -> str:
        return below(self.issuer, "rsd2.json")

    @property
    def discovery_url(self) -> str | None:
        """Where queries are answered, if the service is a discovery."""
        return below(self.issuer, "discovery") if "services" in self.exchange.party else None

    @property
    def repetition_window(self) -> float:
        return self.policy.get("repetition_window", 60)

    def url(self, name: str) -> str:
        """The URL of an endpoint in the component."""
        if name == "apps" or name.startswith(("admin", "apps/")):
            return below(self.component, name)
        return descriptions.endpoint(self.document, scopes.AUTHORIZATION, name)

    def is_own(self, url: str) -> bool:
        """Whether a URL in `resource` means this service."""
        return scopes.covers(f"{self.issuer} {self.home}", url)

    def demand_own(self, resource: str | None) -> None:
        demand(resource is None or self.is_own(resource), "invalid_target", "RFC8707-2", "'resource' is another service")

    def final(self) -> dict:
        """When a grant that is given now ends by itself, if ever."""
        lifetime = self.policy.get("grant_lifetime")
        return {} if lifetime is None else {"final": self.now + lifetime}

    def access_until(self, ends: list) -> float:
        """The end of an access token that is given now: never beyond that of its grounds."""
        return min([self.now + LIFETIME, *ends])


def serve(exchange: Exchange, request: Request) -> Answer:
    service = Service(exchange)
    endpoint, parts = routes.find(endpoints(service), request)
    answer = endpoint.perform(service, request, *parts)
    return Answer(answer.status, answer.fields) if request.method == "HEAD" else answer


def endpoints(service: Service) -> list[routes.Endpoint]:
    def at(methods, url, perform):
        return routes.Endpoint(methods, url, perform)

    return [
        at(POST, service.url("token"), token),
        at(("GET", "POST"), service.url("authorize"), authorize),
        at(POST, service.url("revoke"), service_revocation.revoke),
        at(GET, service.url("apps"), service_accounts.list_apps),
        at(DELETE, service.url("apps"), service_accounts.end_apps),
        at(DELETE, service.url("apps/*"), service_accounts.end_app),
        *service_administration.endpoints(service),
        at(PUBLIC, service.url("jwks"), everybody(publications.key_set)),
        at(PUBLIC, service.description_url, everybody(publications.description)),
        at(PUBLIC, below(service.home, "services.txt"), everybody(publications.list_of_documents)),
        *metadata(service),
    ]


def metadata(service: Service) -> list[routes.Endpoint]:
    documents = {
        "oauth-authorization-server": publications.server_metadata,
        "oauth-protected-resource": publications.resource_metadata,
    }
    if not descriptions.is_secure(service.issuer):
        return []
    return [
        routes.Endpoint(PUBLIC, publications.well_known(service.issuer, name), everybody(document))
        for name, document in documents.items()
    ]


def everybody(document):
    return lambda service, request: document(service)


def authorize(service: Service, request: Request) -> Answer:
    raise Refusal("unsupported_response_type", "APP-3", "codes of this service are made on the person's device")


def token(service: Service, request: Request) -> Answer:
    asked = read_token_request(request)
    demand(asked.proof is None or asked.credential.kind == "none", "invalid_request", "threat-37",
           "a request token and a DPoP proof come together; send one of them")
    return GRANTS[asked.grant_type](service, request, asked)


def no_registration(service: Service, request: Request, asked) -> Answer:
    raise Refusal("unsupported_grant_type", "REG-9", "client credentials register instances at the edu-ID service")


def no_sign_in(service: Service, request: Request, asked) -> Answer:
    raise Refusal("unsupported_grant_type", "GRT-1", "users sign in at the edu-ID service and nowhere else")


GRANTS = {
    "client_credentials": no_registration,
    "password": no_sign_in,
    JWT_BEARER_GRANT: redemption.redeem,
    "authorization_code": app_tokens.authorize,
    "refresh_token": renewal.renew,
}
