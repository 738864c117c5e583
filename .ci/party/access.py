"""Who makes a request to one of a service's own endpoints (9), Fixtures/protocol/app-authorization.md."""

from . import admission, scopes
from .credentials import header_credential
from .federation_service import Service
from .refusals import Refusal
from .requesters import Opening, Requester, find_requester

HOLDERS = Opening(("app", "service"))


def serve(exchange, request) -> dict:
    """What is granted, as it is told to the host."""
    service = Service(exchange)
    requester = admit(service, request)
    return granted(service, requester)


def admit(service, request) -> Requester:
    """Who asks with a token that is good for the URL that was requested; the proof is noted."""
    exchange, url = service.exchange, service.place(request)
    exchange.at_resource = True
    exchange.challenge_scope = challenge_scope(service, url)
    requester = find_user(service, request, url)
    exchange.changes += requester.remembered()
    return requester


def challenge_scope(service, url: str) -> str | None:
    """The words of the offer that open the URL."""
    words = " ".join(word for word in service.offer if scopes.covers(word, url))
    return words if words and len(words.encode()) <= 16_384 else None


def find_user(service, request, url: str) -> Requester:
    """Who asks with an app token or service token that is good for this URL."""
    credential = header_credential(request)
    service.exchange.bare_challenge = credential.kind == "none"
    requester = find_requester(service.exchange, request, credential, url, HOLDERS)
    record = requester.record
    admission.admit_holder_at_resource(service.policy, service.tree, record)
    admission.admit_kept_sign_in(service, record)
    if not scopes.covers(scopes.current(record), url):
        is_theft = service.policy.get("revokes_misuse", False)
        changes = [{"do": "revoke", "id": record["id"], "reason": "misused"}] if is_theft else []
        raise Refusal("insufficient_scope", "APP-9", "the token was not given for this endpoint", changes=changes)
    return requester


def granted(service, requester: Requester) -> dict:
    record, tree = requester.record, service.tree
    members = {
        "subject": record["subject"],
        "instance": tree.nearest(record["id"], "service")["holder"],
        "app": record["holder"] if record["kind"] == "app" else None,
        "scope": scopes.current(record),
        "grant": record["id"],
        "profile": tree.nearest(record["id"], "assertion").get("attributes", {}).get("claims", {}),
        "claims": (requester.proof.other_claims if requester.proof else {}) or None,
    }
    return {member: value for member, value in members.items() if value is not None}
