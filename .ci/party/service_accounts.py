"""Apps of a user: what was given to them, and how the user ends that (Fixtures/protocol/service-tokens.md)."""

from . import admission, commands, scopes
from .credentials import header_credential
from .formats import is_name
from .messages import Answer, told
from .refusals import Refusal, demand
from .requesters import NOT_RENEWED, Opening, Requester, find_requester
from .tree import Record, end_of

LIST = Opening(("service",))
END = Opening(("service",), even_expired=True, even_unconfirmed=True)


def find_user(service, request, opening: Opening) -> Requester:
    """Who asks with a service token at one of the service's resources; proofs name its URL without the query."""
    service.exchange.at_resource = True
    return find_requester(service.exchange, request, header_credential(request), service.place(request), opening)


def demand_scope(service, request, requester: Requester) -> None:
    is_covered = scopes.covers(scopes.current(requester.record), service.place(request))
    demand(is_covered, "insufficient_scope", "AST-7", NOT_RENEWED)


# The list


def list_apps(service, request) -> Answer:
    requester = find_user(service, request, LIST)
    admission.admit_holder_at_resource(service.policy, service.tree, requester.record)
    admission.admit_kept_sign_in(service, requester.record)
    demand_scope(service, request, requester)
    service.exchange.changes += requester.remembered()
    tokens = service.tree.of_subject("app", requester.record["subject"])
    living = [token for token in tokens if service.tree.lives(token["id"], service.now)]
    return told([entry(service, token, requester) for token in living])


def entry(service, token: Record, requester: Requester) -> dict:
    tree = service.tree
    members = {
        "app": token["holder"],
        "scope": token["scope"],
        "issued": token["issued"],
        "last_used": tree.touched.get(token["id"]),
        "expires": min(filter(None, map(end_of, tree.lineage(token["id"]))), default=None),
        "instance": tree.nearest(token["id"], "service")["holder"],
        "this": True if tree.stands_on(token["id"], requester.record["id"]) else None,
    }
    return {member: value for member, value in members.items() if value is not None}


# Endings


def end_apps(service, request) -> Answer:
    return end_tokens(service, request, lambda token: True)


def end_app(service, request, app: str) -> Answer:
    demand_name(app)
    return end_tokens(service, request, lambda token: token["holder"] == app)


def demand_name(name: str) -> None:
    if not is_name(name):
        raise Refusal("http_404", "")


def end_tokens(service, request, is_meant) -> Answer:
    requester = find_user(service, request, END)
    demand_scope(service, request, requester)
    tokens = service.tree.of_subject("app", requester.record["subject"])
    tokens = [token for token in tokens if is_meant(token) and token["id"] not in service.tree.revoked]
    changes = requester.remembered(even_without_room=True)
    commands.demand_something(tokens, changes)
    service.exchange.changes += changes
    for token in tokens[:commands.MOST_ENDINGS]:
        service.exchange.changes += commands.ending(service.tree, token, service.now, "user")
    return commands.done(tokens)
