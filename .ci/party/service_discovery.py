"""What a service answers that is the protocol discovery of its federation (Fixtures/protocol/federation-service.md)."""

from . import access, descriptions, discovery, routes
from .messages import Answer, told
from .refusals import Flaw, Refusal, demand

MIXED = "the query: protocol names and service URLs are mixed"


def endpoints(service) -> list[routes.Endpoint]:
    if service.directory is None:
        return []
    places = {"": discover, "/protocols": discover_protocols, "/services": discover_services}
    return [routes.Endpoint(("POST",), service.discovery_url + path, perform) for path, perform in places.items()]


def discover(service, request) -> Answer:
    return answered(service, read_query(service, request))


def discover_protocols(service, request) -> Answer:
    query = read_query(service, request)
    demand(not discovery.asks_for_services(query), "invalid_request", "DSC-1", MIXED)
    return answered(service, query)


def discover_services(service, request) -> Answer:
    query = read_query(service, request)
    demand(discovery.asks_for_services(query), "invalid_request", "DSC-1", MIXED)
    return answered(service, query)


def read_query(service, request) -> list[str]:
    access.admit(service, request)
    try:
        return discovery.read_query(request.body or "")
    except Flaw as flaw:
        raise flaw.told_as("invalid_request", before="the query: ") from None


def answered(service, query: list[str]) -> Answer:
    found = [service.directory.documents[url] for url in service.directory.answer(query)]
    return told(list(map(descriptions.without_authorization, found)))
