"""Everything of a person: who is meant, and how much ends at once (Fixtures/protocol/revocation.md).

What is common to both roles; `revokers` has the part of the edu-ID service, `service_revocation` that of a service.
"""

from dataclasses import dataclass

from .credentials import read_credential
from .exchange import Exchange
from .json_text import json_type
from .messages import Answer, Request
from .parameters import Parameters, read_parameters, short
from .refusals import Refusal, demand
from .tree import Record

ENDPOINT = "global-token-revocation"
METHODS = ["private_key_jwt"]
SUBJECT = "sub_id"
FORMAT = "iss_sub"
MOST = 256
NO_ASSERTION = "federation services authenticate with a client assertion"
NOT_VOUCHED = "you do not vouch for the person whom 'sub_id' names"
IN_PART = "a part has ended, and there is more; ask again with a new statement"


@dataclass(frozen=True)
class Asked:
    """What a request says: of whom everything is to end, and the client assertion of who wants that."""

    issuer: str
    subject: str
    client_assertion: str


def read_request(request: Request) -> Asked:
    parameters = read_parameters(request)
    credential = read_credential(request, parameters)
    issuer, subject = read_person(parameters)
    demand(credential.kind in ("assertion", "bearer"), "invalid_client", "RFC7523-2.2", NO_ASSERTION)
    return Asked(issuer, subject, credential.client_assertion or credential.token)


def read_person(parameters: Parameters) -> tuple[str, str]:
    """The issuer that names somebody, and the name there; its members keep the rules of parameters."""
    value = parameters.given(SUBJECT)
    demand(value is not None, "invalid_request", "RFC6749-3.1", f"the parameter '{SUBJECT}' is missing")
    demand(isinstance(value, dict), "invalid_request", "RFC6749-3.1",
           f"the parameter '{SUBJECT}' is a JSON {json_type(value)}")
    members = Parameters(value)
    found = members.required("format")
    demand(found == FORMAT, "invalid_request", "GTR-3",
           f"the format of '{SUBJECT}' must be '{FORMAT}', not '{short(found)}'")
    return members.name("iss", required=True), members.name("sub", required=True)


def demand_vouched(vouches: bool, taken_once: dict) -> None:
    """Who asks vouches for the person; otherwise the assertion is noted all the same."""
    if not vouches:
        raise Refusal("access_denied", "GTR-2", NOT_VOUCHED, status=403, changes=[taken_once])


def end(exchange: Exchange, grounds: list[Record]) -> Answer:
    """Ends what somebody was given, as much of it as one request may."""
    for ground in grounds[:MOST]:
        exchange.change("revoke", id=ground["id"], reason="issuer")
    if len(grounds) > MOST:
        raise Refusal("temporarily_unavailable", "threat-53", IN_PART, changes=exchange.changes)
    return Answer(204)
