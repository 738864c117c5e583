"""What a service publishes for everybody: its description, where that is, its keys, and its metadata."""

from urllib.parse import urlsplit

from . import descriptions, global_revocation
from .json_text import compact_json
from .keys import HOLDERS, public_part
from .messages import Answer, published

GRANTS = ["urn:ietf:params:oauth:grant-type:jwt-bearer", "authorization_code", "refresh_token"]
DESCRIPTION_TYPE = "application/x-rsd+json"
SECONDS = 3600


def description(service) -> Answer:
    text = compact_json(descriptions.without_authorization(service.document))
    return published(text, DESCRIPTION_TYPE)


def list_of_documents(service) -> Answer:
    text = f"ttl: {SECONDS}\n{DESCRIPTION_TYPE}; {service.description_url}\n"
    return published(text, "text/plain; charset=utf-8")


def key_set(party) -> Answer:
    """The key that signs, and the others that are published."""
    keys = [public_part(key) for key in (party.key, *party.further_keys)]
    return published(compact_json({"keys": keys}), seconds=300)


def server_place(issuer: str) -> str:
    """Where the metadata of an authorization server are: the last slash of the issuer identifier goes."""
    return well_known(issuer, "oauth-authorization-server", urlsplit(issuer).path.removesuffix("/"))


def resource_place(issuer: str) -> str:
    """Where the metadata of a protected resource are: a slash goes where nothing else is the path."""
    path = urlsplit(issuer).path
    return well_known(issuer, "oauth-protected-resource", "" if path == "/" else path)


def well_known(issuer: str, name: str, path: str) -> str:
    """Between host and path of the issuer identifier."""
    parts = urlsplit(issuer)
    return f"{parts.scheme}://{parts.netloc}/.well-known/{name}{path}"


def server_metadata(service) -> Answer:
    return metadata({
        "issuer": service.issuer,
        "authorization_endpoint": service.url("authorize"),
        "token_endpoint": service.url("token"),
        "jwks_uri": service.url("jwks"),
        "revocation_endpoint": service.url("revoke"),
        "global_token_revocation_endpoint": service.url(global_revocation.ENDPOINT),
        "eduid_discovery_endpoint": service.discovery_url,
        "eduid_apps_endpoint": service.url("apps"),
        "eduid_administration_endpoint": service.url("admin"),
        "scopes_supported": service.offer or None,
        "response_types_supported": ["code"],
        "grant_types_supported": GRANTS,
        "token_endpoint_auth_methods_supported": ["none"],
        "global_token_revocation_endpoint_auth_methods_supported": global_revocation.METHODS,
        "code_challenge_methods_supported": ["S256"],
        "dpop_signing_alg_values_supported": [*HOLDERS],
        "authorization_response_iss_parameter_supported": True,
    })


def resource_metadata(service) -> Answer:
    return metadata({
        "resource": service.issuer,
        "authorization_servers": [service.issuer],
        "jwks_uri": service.url("jwks"),
        "scopes_supported": service.offer or None,
        "bearer_methods_supported": ["header"],
        "dpop_signing_alg_values_supported": [*HOLDERS],
    })


def metadata(members: dict) -> Answer:
    present = {member: value for member, value in members.items() if value is not None}
    return published(compact_json(present))
