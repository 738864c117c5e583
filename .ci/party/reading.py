"""What the requests of each endpoint say, read in the order of the page "Messages"; the kind `message`."""

import re
from dataclasses import dataclass

from . import callbacks, derivations, formats, jose, urls
from .credentials import Credential, header_credential, proof_field, read_credential
from .demands import Demand
from .json_text import read_json
from .jws import COMPACT
from .messages import Request
from .parameters import BOUNDS, about_parameter, demand_code, present, read_parameters, short
from .refusals import Flaw, Refusal, demand, flaws_told_as
from .scopes import is_url
from .sign_in_reading import read_challenge_request, read_demand

JWT_BEARER_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
MISSPELLED_GRANT = "urn:ietf:param:oauth:grant-type:jwt-bearer"
GRANTS = ("client_credentials", "authorization_code", JWT_BEARER_GRANT, "refresh_token", "password")
WORD = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
MOST_WORDS = 256


@dataclass(frozen=True)
class TokenRequest:
    """A request at a token endpoint."""

    grant_type: str
    credential: Credential
    proof: str | None
    presented: dict
    client_id: str | None
    scope: tuple | None
    resource: str | None
    key: dict | None
    instance_assertion: str | None
    redirect_uri: str | None

    @property
    def scope_text(self):
        """The scope with each word once, or nothing."""
        return " ".join(self.scope) if self.scope else None

    def said(self):
        presented = dict(self.presented)
        if presented.get("code") and is_signed_code(presented):
            presented = {"signed_code": presented["code"]}
        return {"grant_type": self.grant_type} | presented | present(
            client_id=self.client_id, scope=self.scope_text, resource=self.resource, redirect_uri=self.redirect_uri,
            jkt=thumbprint(self.key), dpop=self.proof, credential=self.credential.said())


@dataclass(frozen=True)
class AuthorizationRequest:
    resource: str
    state: str | None
    key: dict | None
    proof: str | None
    demand: Demand
    credential: Credential

    def said(self):
        return present(resource=self.resource, state=self.state, jkt=thumbprint(self.key), req_proof=self.proof,
                       **self.demand.told(), credential=self.credential.said())


@dataclass(frozen=True)
class EndingRequest:
    """A request at a revocation endpoint; without a hint, at an introspection endpoint."""

    token: str
    hint: str | None
    client_id: str | None
    credential: Credential

    def said(self):
        return present(token=self.token, token_type_hint=self.hint, client_id=self.client_id,
                       credential=self.credential.said())


def thumbprint(key):
    return key and derivations.thumbprint(key)


def is_signed_code(presented):
    """Whether a code is the app code of (8)."""
    return presented.get("code_verifier") is None and COMPACT.fullmatch(presented["code"]) is not None


# Values

def scope_words(text):
    """The different words of a scope in their order; of those that are the same URL the first stays."""
    words = {}
    for word in text.split(" "):
        demand(WORD.fullmatch(word), "invalid_scope", "RFC6749-3.3", "the scope is malformed")
        words.setdefault(word_identity(word), word)
        demand(len(words) <= MOST_WORDS, "invalid_scope", "threat-14", f"more than {MOST_WORDS} words in the scope")
    return tuple(words.values())


def word_identity(word):
    if not is_url(word):
        return word
    with flaws_told_as("invalid_scope", "an endpoint in the scope: "):
        url = urls.read(word)
    demand("?" not in word and "#" not in word, "invalid_scope", "APP-4",
           "an endpoint in the scope has a query or fragment")
    return url.identity


def read_scope(parameters):
    text = parameters.text("scope")
    return scope_words(text) if text else None


def target(name, text):
    """The URL of a service or endpoint in a parameter."""
    with about_parameter(name, "invalid_target"):
        urls.read(text)
    demand("#" not in text, "invalid_target", "RFC8707-2", f"the parameter '{name}' is a URL with a fragment")
    return text


def read_req_cnf(parameters):
    """The public key in `req_cnf`, as the JWK that it is."""
    value = parameters.given("req_cnf")
    if value is None:
        return None
    with about_parameter("req_cnf"):
        confirmation = jose.read_confirmation(value if isinstance(value, dict) else parsed(parameters.text("req_cnf")))
    demand("jwk" in confirmation, "invalid_request", "RFC7800-3.2",
           "the parameter 'req_cnf' must carry the public key as 'jwk'")
    return confirmation["jwk"]


def parsed(text):
    """The value of a confirmation that comes as a text."""
    try:
        return read_json(text, **BOUNDS)
    except Flaw as flaw:
        raise Flaw("RFC7800-3.1", flaw.words) from None


def read_grant_type(parameters):
    name = parameters.required("grant_type")
    name = JWT_BEARER_GRANT if name == MISSPELLED_GRANT else name
    demand(name in GRANTS, "unsupported_grant_type", "RFC6749-5.2",
           f"the grant type '{short(name)}' is not served here")
    return name


def read_presented(grant_type, parameters):
    """What a grant presents, by the names of its parameters."""
    if grant_type == "authorization_code":
        code = parameters.secret("code", "authorization code", required=True)
        verifier = parameters.text("code_verifier")
        demand(verifier is None or VERIFIER.fullmatch(verifier), "invalid_request", "RFC7636-4.1",
               "the code verifier must be 43 to 128 letters, digits or '-._~'")
        return {"code": code, "code_verifier": verifier}
    if grant_type == JWT_BEARER_GRANT:
        return {"assertion": parameters.secret("assertion", "assertion", required=True)}
    if grant_type == "refresh_token":
        return {"refresh_token": parameters.secret("refresh_token", "refresh token", required=True)}
    if grant_type == "password":
        return {"username": parameters.name("username", required=True),
                "password": parameters.password("password", required=True)}
    return {}


# Endpoints

def read_token_request(request: Request):
    parameters = read_parameters(request)
    grant_type = read_grant_type(parameters)
    credential = read_credential(request, parameters, proof_beside=True)
    proof = None if credential.kind == "dpop" else proof_field(request)
    presented = read_presented(grant_type, parameters)
    client_id = parameters.name("client_id")
    scope = read_scope(parameters)
    resource = parameters.text("resource")
    resource = resource and target("resource", resource)
    key = read_req_cnf(parameters)
    statement = parameters.secret("instance_assertion", "assertion")
    address = parameters.text("redirect_uri")
    return TokenRequest(grant_type, credential, proof, presented, client_id, scope, resource, key, statement,
                        address if address and callbacks.is_address(address) else None)


def read_authorization_request(request: Request):
    parameters = read_parameters(request, query=True)
    demand_code(parameters)
    credential = read_credential(request, parameters)
    resource = parameters.required("resource", "redirect_uri")
    name = "resource" if parameters.given("resource") else "redirect_uri"
    resource = target(name, resource)
    state = parameters.text("state")
    key, proof = read_req_cnf(parameters), parameters.secret("req_proof", "proof of possession")
    return AuthorizationRequest(resource, state, key, proof, read_demand(parameters), credential)


def read_revocation_request(request: Request):
    parameters = read_parameters(request)
    credential = read_credential(request, parameters)
    token = parameters.secret("token", "token", required=True)
    return EndingRequest(token, parameters.text("token_type_hint"), parameters.name("client_id"), credential)


def read_introspection_request(request: Request):
    parameters = read_parameters(request)
    credential = read_credential(request, parameters)
    token = parameters.secret("token", "token", required=True)
    return EndingRequest(token, None, parameters.name("client_id"), credential)


@dataclass(frozen=True)
class ResourceRequest:
    credential: Credential

    def said(self):
        return {"credential": self.credential.said()}


def read_resource_request(request: Request):
    return ResourceRequest(header_credential(request))


READERS = {
    "token": read_token_request, "challenge": read_challenge_request, "authorization": read_authorization_request,
    "revocation": read_revocation_request, "introspection": read_introspection_request,
    "resource": read_resource_request,
}


def answer_message(given):
    """The answer to a vector of the kind `message`."""
    try:
        return {"says": READERS[given["endpoint"]](Request.of(given["request"])).said()}
    except Refusal as refusal:
        return {"refusal": {"error": refusal.error, "clause": refusal.clause}}
