"""The edu-ID service: its endpoints, and what it publishes (Fixtures/protocol/edu-id-service.md)."""

from . import (
    accounts, administration, challenges, global_revocation, introductions, keys, personal_renewal, provider_logout,
    provider_trips, publications, registration, revokers, routes, sign_in, user_resources,
)
from .edu_id_service import EduId
from .json_text import compact_json
from .messages import Answer, published
from .reading import is_signed_code, read_token_request
from .refusals import demand

AUTHORIZATION_SERVER = ("token", "authorize-challenge", "authorize", "callback/*", "backchannel-logout", "introspect",
                        "revoke", global_revocation.ENDPOINT)
PUBLIC = ("GET", "HEAD")
NOT_SERVED = "this grant is not served here"


def serve(exchange, request):
    edu_id = EduId(exchange)
    endpoint, parts = routes.find(endpoints(edu_id), request)
    exchange.at_resource = endpoint.url not in map(edu_id.url, AUTHORIZATION_SERVER)
    answer = endpoint.perform(edu_id, request, *parts)
    return Answer(answer.status, answer.fields) if request.method == "HEAD" else answer


def endpoints(edu_id):
    """All endpoints, in the order of the page."""
    usage = {"usage": {"GET": user_resources.usage, "POST": user_resources.report_use}}
    provider = {"callback/*": {"GET": provider_trips.come_back},
                "backchannel-logout": {"POST": provider_logout.log_out}}
    person = {global_revocation.ENDPOINT: {"POST": revokers.revoke_person}}
    places = {
        "jwks": dict.fromkeys(PUBLIC, key_set),
        "token": {"POST": token},
        "authorize-challenge": {"POST": challenges.challenge},
        "userinfo": {"GET": user_resources.user_info},
        **(usage if edu_id.has_usage_manager else {}),
        "discovery": {"POST": user_resources.discover},
        "discovery/protocols": {"POST": user_resources.discover_protocols},
        "discovery/services": {"POST": user_resources.discover_services},
        "authorize": {"GET": introduce_or_arrive, "POST": introductions.introduce},
        **(provider if edu_id.provider is not None else {}),
        "introspect": {"POST": introductions.introspect},
        "revoke": {"POST": accounts.revoke},
        **(person if revokers.is_served(edu_id) else {}),
        "instances": {"GET": accounts.list_instances, "DELETE": accounts.end_all_instances},
        "instances/*": {"DELETE": accounts.end_instance},
        "services": {"GET": accounts.list_services},
        "services/*": {"DELETE": accounts.leave_service},
        **administration.ENDPOINTS,
    }
    well_known = publications.server_place(edu_id.issuer.name)
    return [routes.Endpoint(PUBLIC, well_known, metadata)] + [
        routes.Endpoint((method,), edu_id.url(path), perform)
        for path, methods in places.items() for method, perform in methods.items()
    ]


def introduce_or_arrive(edu_id, request):
    perform = provider_trips.arrive if provider_trips.is_arrival(request) else introductions.introduce
    return perform(edu_id, request)


def key_set(edu_id, request):
    return publications.key_set(edu_id)


def metadata(edu_id, request):
    revokes_people = revokers.is_served(edu_id)
    grants = ["client_credentials", "authorization_code", "refresh_token"]
    members = {
        "issuer": edu_id.issuer.name,
        "authorization_endpoint": edu_id.url("authorize"),
        "authorization_challenge_endpoint": edu_id.url("authorize-challenge"),
        "token_endpoint": edu_id.url("token"),
        "jwks_uri": edu_id.url("jwks"),
        "revocation_endpoint": edu_id.url("revoke"),
        "introspection_endpoint": edu_id.url("introspect"),
        "global_token_revocation_endpoint": edu_id.url(global_revocation.ENDPOINT) if revokes_people else None,
        "userinfo_endpoint": edu_id.url("userinfo"),
        "eduid_usage_endpoint": edu_id.url("usage") if edu_id.has_usage_manager else None,
        "eduid_discovery_endpoint": edu_id.url("discovery"),
        "eduid_instances_endpoint": edu_id.url("instances"),
        "eduid_services_endpoint": edu_id.url("services"),
        "eduid_administration_endpoint": edu_id.url("admin"),
        "response_types_supported": ["code"],
        "grant_types_supported": grants + (["password"] if edu_id.takes_passwords else []),
        "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        "token_endpoint_auth_signing_alg_values_supported": [*keys.SIGNATURES],
        "global_token_revocation_endpoint_auth_methods_supported":
            global_revocation.METHODS if revokes_people else None,
        "code_challenge_methods_supported": ["S256"],
        "dpop_signing_alg_values_supported": [*keys.HOLDERS],
        "authorization_response_iss_parameter_supported": True,
        "acr_values_supported": [given["name"] for given in edu_id.classes] or None,
    }
    return published(compact_json({name: value for name, value in members.items() if value is not None}))


def token(edu_id, request):
    asked = read_token_request(request)
    if asked.grant_type == "client_credentials":
        return registration.register(edu_id, request, asked)
    if asked.grant_type == "authorization_code":
        if is_signed_code(asked.presented):
            return sign_in.refuse_signed_code(edu_id, request, asked)
        return sign_in.redeem_code(edu_id, request, asked)
    if asked.grant_type == "refresh_token":
        return personal_renewal.renew(edu_id, request, asked)
    demand(asked.grant_type == "password" and edu_id.takes_passwords, "unsupported_grant_type", "RFC6749-5.2",
           NOT_SERVED)
    return sign_in.sign_in_by_password(edu_id, request, asked)
