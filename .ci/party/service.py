"""The endpoints of a federation service (Fixtures/protocol/federation-service.md)."""

from . import (
    app_tokens, endpoints as links, global_revocation, publications, redemption, renewal, routes, service_accounts,
    service_administration, service_discovery, service_revocation,
)
from .exchange import Exchange
from .federation_service import Service
from .messages import Answer, Request
from .reading import JWT_BEARER_GRANT, read_token_request
from .refusals import Refusal, demand

GET, POST, DELETE, PUBLIC = ("GET",), ("POST",), ("DELETE",), ("GET", "HEAD")


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
        at(POST, service.url(global_revocation.ENDPOINT), service_revocation.revoke_person),
        at(GET, service.url("apps"), service_accounts.list_apps),
        at(DELETE, service.url("apps"), service_accounts.end_apps),
        at(DELETE, service.url("apps/*"), service_accounts.end_app),
        *service_administration.endpoints(service),
        at(PUBLIC, service.url("jwks"), everybody(publications.key_set)),
        at(PUBLIC, service.description_url, everybody(publications.description)),
        *list_of_documents(service),
        *metadata(service),
        *service_discovery.endpoints(service),
    ]


def list_of_documents(service: Service) -> list[routes.Endpoint]:
    place = service.list_url
    return [routes.Endpoint(PUBLIC, place, everybody(publications.list_of_documents))] if place else []


def metadata(service: Service) -> list[routes.Endpoint]:
    if not links.is_secure(service.issuer):
        return []
    documents = {
        publications.server_place(service.issuer): publications.server_metadata,
        publications.resource_place(service.issuer): publications.resource_metadata,
    }
    return [routes.Endpoint(PUBLIC, place, everybody(document)) for place, document in documents.items()]


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
