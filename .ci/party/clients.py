"""Which instance asks at the edu-ID service: by a statement of its app's version, or by a token of its own."""

from . import scopes
from .credentials import header_credential
from .refusals import Refusal, demand
from .requesters import NOT_RENEWED, Opening, Requester, find_requester
from .version_statements import Statement, check_statement, read_statement

PERSONAL = Opening(("personal",))
INSTANCE = Opening(("client",), even_unconfirmed=True)
ANY_HOLDER = Opening(("client", "personal"), even_expired=True, even_ended=True)
NOT_REGISTERED = "the instance is not registered, or no longer"
OTHER_CLIENT = "'client_id' is not the client that the credential proves"
OF_ANYBODY = "prove the key of the instance: its version's signature says nothing about whose it is"


def proved_instance(edu_id, request, credential, path, client_id):
    """The instance that asks, with what is remembered of its proof."""
    statement = vouched(edu_id, credential)
    if statement is None:
        return instance_by_token(edu_id, request, credential, path, client_id, INSTANCE)
    statement = check_statement(edu_id, statement)
    record = edu_id.tree.in_force("client", statement.instance)
    demand(record and stands(edu_id, record, statement.version), "invalid_client", "AUT-1", NOT_REGISTERED)
    demand(statement.key_is_of(record, edu_id.exchange.master), "invalid_client", "AUT-1", NOT_REGISTERED)
    demand_client_id(record, client_id)
    return Requester(record, statement)


def demand_own_key(requester):
    """The instance proved its own key: what its version signs every copy of the app can make."""
    if isinstance(requester.proof, Statement):
        raise Refusal("invalid_client", "threat-63", OF_ANYBODY, changes=requester.remembered())


def instance_by_token(edu_id, request, credential, path, client_id, opening):
    """Who asks with a token of its own: also a user's, where that opens the endpoint."""
    requester = find_requester(edu_id.exchange, request, credential, edu_id.url(path), opening)
    demand_client_id(requester.record, client_id)
    edu_id.demand_admission(requester.record)
    return requester


def vouched(edu_id, credential):
    """The statement of a version that came as credential, if it is one."""
    if credential.kind not in ("assertion", "bearer"):
        return None
    try:
        statement = read_statement(credential.client_assertion or credential.token)
    except Refusal:
        return None
    is_one = credential.kind == "assertion" or edu_id.version(statement.name)
    return statement if is_one else None


def stands(edu_id, record, version):
    """Whether an instance is registered, at this version."""
    verdict = edu_id.tree.judged(record["id"], edu_id.now)["verdict"]
    return verdict in ("live", "unconfirmed") and record["parent"] == version.kid


def demand_client_id(record, client_id):
    is_it = client_id is None or client_id.lower() == record["holder"]
    demand(is_it, "invalid_client", "RFC6749-3.2.1", OTHER_CLIENT)


# Resources

def resource_requester(edu_id, request, opening=PERSONAL, scope_path=None):
    """Who asks at a resource, with a token that was renewed for it."""
    url = edu_id.exchange.url_of(request)
    requester = find_requester(edu_id.exchange, request, header_credential(request), url, opening)
    edu_id.demand_admission(requester.record)
    if requester.record["kind"] == "personal":
        demand_scope(requester.record, edu_id.url(scope_path) if scope_path else url)
    return requester


def current_scope(record):
    return record.get("attributes", {}).get("narrowed_scope", record.get("scope"))


def demand_scope(record, url):
    demand(scopes.covers(current_scope(record), url), "insufficient_scope", "AUT-5", NOT_RENEWED)
