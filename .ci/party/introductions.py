"""Introductions to services: assertions (4), and the questions of services about them (6)."""

from . import affiliations, assertions, commands, demands, derivations, edu_id_keys, endpoints, jose, keys, urls
from .clients import OTHER_CLIENT, PERSONAL, demand_scope
from .exchange import change
from .messages import granted
from .proofs import check_dpop, demand_dpop_taken, read_dpop
from .reading import read_authorization_request, read_introspection_request
from .refusals import Flaw, Refusal, demand
from .requesters import find_requester

LIFETIME = 300
MOST_SUPERSEDED = 16
LONGEST_KEPT = 2_048
OAUTH2 = "org.ietf.oauth2"
OWN_CLAIMS = ("iss", "sub", "aud", "azp", "exp", "nbf", "iat", "jti", "cnf", *demands.TOLD)
NO_PLACE = "the service tells no place where assertions can be taken"
NO_KEY_FOR_THIS = ("make a key pair for this service alone; send its public key as 'req_cnf', and as 'req_proof' "
                   "a DPoP proof by it for this endpoint")


# Service assertion (4)

def introduce(edu_id, request):
    asked = read_authorization_request(request)
    exchange, url = edu_id.exchange, edu_id.url("authorize")
    requester = find_requester(exchange, request, asked.credential, url, PERSONAL)
    record = requester.record
    edu_id.demand_admission(record)
    demand_scope(record, url)
    service = edu_id.service_at(urls.read(asked.resource))
    demand(service, "invalid_target", "RFC8707-2", "the federation has no such service")
    endpoint = token_endpoint(service)
    sign_in = told_sign_in(edu_id, requester, service, asked.demand)
    key, own_proof = key_for(edu_id, request, asked, record, service)
    member = affiliations.membership(edu_id, requester, service)
    edu_id.remember(requester.proof)
    edu_id.remember(own_proof)
    ground = affiliations.ground(edu_id, record, member)
    supersede(edu_id, record, service)
    assertion = {"id": edu_id.chance.name(), "kind": "assertion", "parent": ground["id"], "holder": record["holder"],
                 "subject": record["subject"], "audience": service.issuer, "issued": edu_id.now,
                 "access": edu_id.now + LIFETIME}
    kept = sign_in | place_of_revocations(service)
    if kept:
        assertion["attributes"] = kept
    edu_id.change("insert", record=assertion)
    claims = released(service, affiliations.profile_on(edu_id, record, ground)) | sign_in
    members = {"code": written(edu_id, assertion, service, key, claims), "redirect_uri": endpoint,
               "state": asked.state, "iss": edu_id.issuer.name}
    if service.has_pairwise_clients:
        members["client_id"] = edu_id.name_of_instance(service, record["holder"])
    return granted({name: value for name, value in members.items() if value is not None})


def token_endpoint(service):
    """Where a service takes assertions."""
    return known_endpoint(service.token_endpoint, service, "token") or no_endpoint(service)


def known_endpoint(indexed, service, path):
    """The endpoint that the index has, or else the description, if requests may go there."""
    if indexed:
        url = urls.read(indexed)
        return indexed if urls.is_open_host(url.host) else None
    if service.document is None:
        return None
    try:
        text = endpoints.endpoint(service.document, OAUTH2, path)
    except Flaw:
        return None
    return text if urls.read(text).is_open(service.url) else None


def revocation_endpoint(service):
    """Where a service takes revocations, as that is known now."""
    return known_endpoint(service.revocation_endpoint, service, "revoke")


def place_of_revocations(service):
    """What is kept of that for when the service has left or moved."""
    endpoint = revocation_endpoint(service)
    return {"revocation": endpoint} if endpoint and len(endpoint.encode()) <= LONGEST_KEPT else {}


def no_endpoint(service):
    if service.document is None:
        raise Refusal("temporarily_unavailable", "RSD-1",
                      "the service's description has not been read yet; try again later")
    raise Refusal("invalid_target", "RFC8707-2", NO_PLACE)


def told_sign_in(edu_id, requester, service, asked):
    """What a service is told of the sign-in, which is what the federation demands for it, and then the request."""
    kept, sign_in = demands.kept(requester.record), edu_id.kept_sign_in(requester.record)
    for demanded in (service.demand, asked):
        if not edu_id.is_met(demanded, sign_in):
            raise Refusal("insufficient_authorization", "FPA-22", "the service takes a stronger or more recent sign-in",
                          changes=requester.remembered(), members=demanded.told())
    met = (asked if asked.classes else service.demand).met_class(sign_in, edu_id.reached(sign_in))
    told = sign_in if "amr" in kept else kept
    return demands.in_order(told if met is None else told | {"acr": met})


def key_for(edu_id, request, asked, record, service):
    """The confirmation of the key that a service shall demand proof of, and the proof of one that is for it alone."""
    own = derivations.key_of(record, edu_id.exchange.master)
    if not service.has_pairwise_clients:
        demand(own["kty"] != "oct", "unauthorized_client", "POP-1",
               "the instance has no key pair that a service could demand proof of")
        name = edu_id.tree.nearest(record["id"], "client")["id"]
        return {"jwk": own | {"kid": name}, "kid": name}, None
    demand(asked.key and asked.proof, "invalid_request", "threat-77", NO_KEY_FOR_THIS)
    proof = own_proof(edu_id, request, asked.proof)
    demand(derivations.is_same_key(proof.key, asked.key), "invalid_request", "threat-77",
           "'req_proof' is not signed by the key in 'req_cnf'")
    demand(own["kty"] == "oct" or not derivations.is_same_key(own, asked.key), "invalid_request", "threat-77",
           "'req_cnf' is the instance's own key; make another one for this service alone")
    return {"jwk": keys.material(asked.key)}, proof


def own_proof(edu_id, request, text):
    """The DPoP proof in `req_proof`."""
    try:
        demand_dpop_taken(edu_id.exchange)
        return check_dpop(edu_id.exchange, read_dpop(text), request.method, edu_id.url("authorize"))
    except Refusal as refusal:
        error = "use_dpop_nonce" if refusal.error == "use_dpop_nonce" else "invalid_request"
        raise refusal.told_as(error, before="'req_proof': ") from None


def supersede(edu_id, record, service):
    """Ends what a service was never shown of earlier introductions in this session."""
    newest = list(edu_id.tree.below(record["id"], "assertion"))[:MOST_SUPERSEDED]
    for assertion in newest:
        is_unseen = assertion["id"] not in edu_id.tree.revoked and assertion["id"] not in edu_id.tree.touched
        if assertion["audience"] == service.issuer and is_unseen:
            edu_id.exchange.changes += ending(edu_id, assertion, "superseded")


def ending(edu_id, assertion, reason, remark=None):
    """The changes that tell a service of the end of an assertion, and end it."""
    name, attributes = assertion["id"], assertion.get("attributes", {})
    service = edu_id.service_of(assertion["audience"])
    if "revocation" in attributes:
        kept = {"revocation": attributes["revocation"]}
    else:
        kept = place_of_revocations(service) if service else {}
    message = {"id": f"revocation of {name}", "to": assertion["audience"], "about": name,
               "body": {"token": name} | kept, "due": edu_id.now}
    return [change("enqueue", message=message), *commands.ending(edu_id.tree, assertion, edu_id.now, reason, remark)]


def written(edu_id, assertion, service, confirmation, told):
    claims = {
        "iss": edu_id.issuer.name,
        "sub": edu_id.name_of_user(service, assertion["subject"]),
        "aud": service.issuer,
        "azp": edu_id.name_of_instance(service, assertion["holder"]),
        "jti": assertion["id"],
        "iat": edu_id.now,
        "exp": assertion["access"],
        "cnf": confirmation,
    }
    return jose.issue(claims | told, edu_id.key, assertions.GRANT_TYPE)


def released(service, profile):
    """The attributes of a user that a service is told."""
    return {name: value for name, value in profile.items()
            if name in service.released_claims and name not in OWN_CLAIMS}


# Questions of services (6)

def introspect(edu_id, request):
    asked = read_introspection_request(request)
    demand(asked.credential.kind == "assertion", "invalid_client", "RFC7523-2.2",
           "federation services authenticate with a client assertion")
    service, claims = asking_service(edu_id, asked.credential.client_assertion)
    demand(asked.client_id in (None, service.issuer), "invalid_client", "RFC6749-3.2.1", OTHER_CLIENT)
    edu_id.exchange.changes.append(assertions.remembered_assertion(claims))
    return granted(said_about(edu_id, service, asked.token) or {"active": False})


def asking_service(edu_id, text):
    """The service that a client assertion is by, and its claims."""
    signed = assertions.read(assertions.CLIENT_ASSERTION, text)
    service = edu_id.service_of(claimed_issuer(signed))
    demand(service, "invalid_client", "RFC7515-6", "the client assertion: " + jose.NO_KEY)
    trusted = keys_of(edu_id, service)
    claims = assertions.check_client_assertion(signed, trusted, service.issuer, edu_id.issuer.name, edu_id.now)
    return service, claims


def claimed_issuer(signed):
    """Who a client assertion says that it is by, as far as that can be read."""
    try:
        return signed.claims().get("iss")
    except Flaw:
        return None


def keys_of(edu_id, service):
    """The keys of a service: those of the index, or else those that it publishes."""
    if service.keys is not None:
        return service.keys
    endpoint = known_endpoint(None, service, "jwks")
    demand(endpoint, "temporarily_unavailable", "threat-76", edu_id_keys.UNREADABLE)
    return edu_id_keys.published_keys(edu_id.exchange, endpoint).keys


def said_about(edu_id, service, text):
    """What a service is told about an assertion or its name, or nothing where it is not active."""
    try:
        signed = jose.read_compact(text)
    except Flaw:
        return about_name(edu_id, service, text)
    return about_assertion(edu_id, service, signed)


def about_assertion(edu_id, service, signed):
    try:
        claims = assertions.check_service_assertion(signed, edu_id.keys, edu_id.issuer.name, service.issuer,
                                                    edu_id.now)
    except Refusal:
        return None
    record = edu_id.tree.record(claims["jti"])
    is_live = record and edu_id.tree.judged(record["id"], edu_id.now)["verdict"] == "live"
    if not is_live or not edu_id.is_admitted(record):
        return None
    if record["id"] not in edu_id.tree.touched:
        edu_id.change("touch", id=record["id"])
    told = {name: value for name, value in demands.kept(record).items() if name != "amr"}
    return about(edu_id, claims) | {"user_token": user_token(edu_id, service, claims)} | told


def about(edu_id, claims):
    return {"active": True, "iss": edu_id.issuer.name, "sub": claims["sub"], "aud": claims["aud"],
            "client_id": claims["azp"], "exp": claims["exp"], "iat": claims["iat"], "jti": claims["jti"]}


def user_token(edu_id, service, claims):
    """What opens the user's attributes to a service."""
    return jose.issue({
        "iss": edu_id.issuer.name,
        "sub": claims["sub"],
        "aud": edu_id.issuer.name,
        "client_id": service.issuer,
        "iat": edu_id.now,
        "exp": claims["exp"],
        "jti": f"{claims['jti']}.{edu_id.chance.serial()}",
        "scope": edu_id.url("userinfo"),
    }, edu_id.key, "at+jwt")


def about_name(edu_id, service, name):
    record = edu_id.tree.record(name)
    if record is None or record["kind"] != "assertion" or record.get("audience") != service.issuer:
        return None
    lives = edu_id.tree.lives(name, edu_id.now) and edu_id.tree.is_confirmed(name)
    if not lives or not edu_id.is_admitted(record):
        return None
    return {"active": True, "iss": edu_id.issuer.name, "sub": edu_id.name_of_user(service, record["subject"]),
            "aud": service.issuer, "client_id": edu_id.name_of_instance(service, record["holder"]),
            "iat": record["issued"], "jti": name}


def told_attributes(edu_id, assertion):
    """What a user token opens (6*)."""
    service = edu_id.service_of(assertion["audience"])
    demand(service, "server_error", "threat-32", "the service failed; its operator can find out why")
    grant, ground = edu_id.tree.nearest(assertion["id"], "personal"), edu_id.tree.record(assertion["parent"])
    name = edu_id.name_of_user(service, assertion["subject"])
    return {"sub": name} | released(service, affiliations.profile_on(edu_id, grant, ground))
