"""Who vouches for people at the edu-ID service, and has everything of a person ended there."""

from . import assertions, global_revocation, jose
from .accounts import begun_sign_ins, is_unrevoked
from .introductions import claimed_issuer, keys_of
from .refusals import demand


def is_served(edu_id):
    return edu_id.provider is not None or bool(edu_id.revokers)


def revoke_person(edu_id, request):
    asked = global_revocation.read_request(request)
    claims, vouched = proved_caller(edu_id, asked)
    taken_once = assertions.remembered_assertion(claims, even_without_room=True)
    global_revocation.demand_vouched(asked.issuer in vouched, taken_once)
    edu_id.exchange.changes.append(taken_once)
    return global_revocation.end(edu_id.exchange, given_to(edu_id, asked.subject))


def proved_caller(edu_id, asked):
    """The claims of who asks, and the issuers whose people that party vouches for."""
    signed = assertions.read(assertions.CLIENT_ASSERTION, asked.client_assertion)
    name = claimed_issuer(signed)
    trusted, vouched = caller(edu_id, name)
    demand(trusted is not None, "invalid_client", "RFC7515-6", "the client assertion: " + jose.NO_KEY)
    claims = assertions.check_client_assertion(signed, trusted, name, edu_id.issuer.name, edu_id.now)
    return claims, vouched


def caller(edu_id, name):
    """The keys of who asks, if there are any, and the issuers of the people whom that party vouches for."""
    # A provider cannot be played: its keys would have to be fetched. So tools and services alone are known here.
    if edu_id.provider is not None and edu_id.provider["issuer"] == name:
        return None, ()
    tool = next((tool for tool in edu_id.revokers if tool["issuer"] == name), None)
    if tool is not None:
        return tool["keys"], (edu_id.issuer.name,)
    service = edu_id.service_of(name)
    return (None if service is None else keys_of(edu_id, service)), ()


def given_to(edu_id, subject):
    """The grounds of all that somebody was given: what is begun still, and the sign-ins."""
    sign_ins = edu_id.tree.of_subject("personal", subject)
    return begun_sign_ins(edu_id, subject) + [record for record in sign_ins if is_unrevoked(edu_id, record)]
