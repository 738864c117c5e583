"""What a service answers that is the protocol discovery of its federation (Fixtures/protocol/federation-service.md)."""

from . import access, descriptions, routes
from .messages import Answer, told
from .user_resources import asked_query


def endpoints(service) -> list[routes.Endpoint]:
    if service.directory is None:
        return []
    places = {"": discover, "/protocols": discover_protocols, "/services": discover_services}
    return [routes.Endpoint(("POST",), service.discovery_url + path, perform) for path, perform in places.items()]


def discover(service, request) -> Answer:
    return answered(service, request)


def discover_protocols(service, request) -> Answer:
    return answered(service, request, for_urls=False)


def discover_services(service, request) -> Answer:
    return answered(service, request, for_urls=True)


def answered(service, request, for_urls: bool | None = None) -> Answer:
    """The descriptions that answer a query, for whoever may ask."""
    access.admit(service, request)
    query = asked_query(request.body or "", for_urls)
    found = [service.directory.documents[url] for url in service.directory.answer(query)]
    return told(list(map(descriptions.without_authorization, found)))
