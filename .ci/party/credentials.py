"""Credentials: how a client authenticates, in the header or among the parameters (Fixtures/protocol/messages.md)."""

from dataclasses import dataclass

from . import authentication, formats
from .refusals import Refusal, demand, flaws_told_as

JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


@dataclass(frozen=True)
class Credential:
    """Who asks says so: `kind` is none, bearer, dpop, assertion or password."""

    kind: str = "none"
    token: str | None = None
    proof: str | None = None
    client_assertion: str | None = None
    client_id: str | None = None
    client_secret: str | None = None

    def said(self):
        members = {"token": self.token, "proof": self.proof, "client_assertion": self.client_assertion,
                   "client_id": self.client_id, "client_secret": self.client_secret}
        return {"type": self.kind} | {name: value for name, value in members.items() if value is not None}


NO_CREDENTIAL = Credential()


def proof_field(request):
    """The field `DPoP`, or nothing."""
    proof = request.only("DPoP")
    with flaws_told_as("invalid_request", "the header field 'DPoP': "):
        return proof if proof is None else formats.check_secret(proof, "proof of possession")


def header_credential(request, proof_beside=False):
    """The credential in the header; `proof_beside` at token endpoints, where a proof may stand beside any other."""
    proof = proof_field(request)
    authorization = request.only("Authorization")
    if authorization is None:
        return NO_CREDENTIAL
    scheme, rest = authorization_parts(authorization)
    if scheme == "bearer":
        demand(proof_beside or proof is None, "invalid_request", "RFC9449-7.1",
               "a DPoP proof and the scheme 'DPoP' go together")
        return Credential("bearer", token=access_token(rest))
    if scheme == "dpop":
        demand(proof is not None, "invalid_request", "RFC9449-7.1", "a DPoP proof and the scheme 'DPoP' go together")
        return Credential("dpop", token=access_token(rest), proof=proof)
    if scheme == "basic":
        return basic_credential(rest)
    raise Refusal("invalid_client", "RFC6749-2.3", "the authentication scheme must be 'Bearer' or 'DPoP'")


def authorization_parts(value):
    """The scheme in lower case, and the one token behind it: empty where nothing follows, nothing with parameters."""
    with flaws_told_as("invalid_request", "the header field with the credential: "):
        return authentication.read(value)


def access_token(token):
    demand(token, "invalid_request", "RFC6750-2.1", "the header field with the credential: the token is empty")
    with flaws_told_as("invalid_request"):
        return formats.check_secret(token, "access token")


def basic_credential(token):
    with flaws_told_as("invalid_request", "the header field with the credential: "):
        name, password = authentication.name_and_password(token)
    with flaws_told_as("invalid_request"):
        client = formats.check_name(formats.form_text(name))
        return Credential("password", client_id=client,
                          client_secret=formats.check_password(formats.form_text(password)))


def read_credential(request, parameters, proof_beside=False):
    """The one credential of a request that carries parameters."""
    in_header = header_credential(request, proof_beside)
    kind = parameters.text("client_assertion_type")
    assertion = parameters.secret("client_assertion", "assertion")
    secret = parameters.password("client_secret")
    client_id = parameters.name("client_id")
    among = [kind, assertion, secret]
    two = in_header.kind != "none" and any(among) or assertion and secret
    demand(not two, "invalid_request", "threat-37", "the client authenticates in more than one way")
    demand(in_header.kind != "password" or client_id in (None, in_header.client_id), "invalid_request", "threat-37",
           "the client authenticates in more than one way")
    demand(request.method != "GET" or not any(among), "invalid_request", "RFC6749-2.3.1",
           "the client authenticates with parameters in the URL")
    if secret:
        demand(client_id, "invalid_request", "RFC6749-3.1", "the parameter 'client_id' is missing")
    if kind or assertion:
        demand(kind == JWT_BEARER, "invalid_client", "RFC7521-4.2",
               "the client assertion type must be that of RFC 7523, section 2.2")
        demand(assertion, "invalid_request", "RFC6749-3.1", "the parameter 'client_assertion' is missing")
        return Credential("assertion", client_assertion=assertion)
    if secret:
        return Credential("password", client_id=client_id, client_secret=secret)
    return in_header
