"""Requests and answers over HTTP: how a request is read, which credential it carries, and how an answer is written."""

import base64
import binascii
import re
from dataclasses import dataclass, field
from urllib.parse import unquote_plus, urlsplit

from . import formats
from .refusals import Refusal, demand

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
MOST_BYTES = 65_536
NOT_STORED = {"Cache-Control": "no-store", "Pragma": "no-cache"}

TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
QUOTED = r'"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\U0010ffff]|\\[\t \x21-\x7e\x80-\U0010ffff])*"'
MEDIA_TYPE = re.compile(rf"({TOKEN}/{TOKEN})(?:[ \t]*;[ \t]*(?:{TOKEN}=(?:{TOKEN}|{QUOTED}))?)*")
TOKEN68 = re.compile(r"[A-Za-z0-9._~+/-]+=*")
AUTH_PARAMETER = re.compile(rf"({TOKEN})[ \t]*=[ \t]*(?:{TOKEN}|{QUOTED})")


@dataclass(frozen=True)
class Request:
    """A request as it came: its fields by their names in lower case, each with all of its values."""

    method: str
    url: str
    fields: dict = field(default_factory=dict)
    body: str | None = None

    @classmethod
    def of(cls, given):
        fields = {}
        for name, values in given.get("headers", {}).items():
            values = values if isinstance(values, list) else [values]
            fields.setdefault(name.lower(), []).extend(value.strip(" \t") for value in values)
        return cls(given["method"], given["url"], fields, given.get("body"))

    @property
    def path(self):
        return urlsplit(self.url).path

    @property
    def query(self):
        return self.url.partition("?")[2]

    @property
    def url_without_query(self):
        return self.url.partition("?")[0]

    def values(self, name):
        return self.fields.get(name.lower(), [])

    def only(self, name):
        """The value of a field that may come once."""
        values = self.values(name)
        demand(len(values) < 2, "invalid_request", "threat-37", f"the header field '{name}' comes more than once")
        return values[0] if values else None


@dataclass(frozen=True)
class Answer:
    """An answer: its fields in their order, a text or several for each."""

    status: int
    fields: dict = field(default_factory=dict)
    body: str | None = None

    @classmethod
    def of(cls, given):
        return cls(given["status"], dict(given.get("headers", {})), given.get("body"))

    def written(self):
        message = {"status": self.status, "headers": self.fields}
        return message if self.body is None else message | {"body": self.body}

    def values(self, name):
        """All values of a field, whatever the case of its name."""
        found = [values for present, values in self.fields.items() if present.lower() == name.lower()]
        return [value for values in found for value in (values if isinstance(values, list) else [values])]


def granted(members):
    """The answer of an endpoint of the authorization server."""
    return Answer(200, NOT_STORED | {"Content-Type": JSON}, formats.compact_json(members))


def told(members, **fields):
    """The answer of a resource."""
    return Answer(200, {"Content-Type": JSON, "Cache-Control": "no-store"} | fields, formats.compact_json(members))


def published(text, media_type=JSON, seconds=3600):
    """A document that everybody may read."""
    return Answer(200, {"Content-Type": media_type, "Cache-Control": f"max-age={seconds}"}, text)


# Errors

STATUSES = {"invalid_client": 401, "invalid_token": 401, "insufficient_scope": 403, "server_error": 500,
            "temporarily_unavailable": 503}
ABOUT_PROOFS = ("invalid_dpop_proof", "use_dpop_nonce")
AT_RESOURCES = ("invalid_client", "unauthorized_client")
ALGORITHMS = "EdDSA Ed25519"


def error_at(resource, error):
    """Who does not prove who asks is told so by another word at a resource."""
    return "invalid_token" if resource and error in AT_RESOURCES else error


def status_of(error, resource=False):
    if error in ABOUT_PROOFS:
        return 401 if resource else 400
    return STATUSES.get(error, 400)


def allowed_words(words):
    """The words with nothing but what RFC 6749 §5.2 allows."""
    return re.sub(r"[^\x20\x21\x23-\x5b\x5d-\x7e]", "?", words.replace('"', "'"))[:4096]


def challenges(error=None, words="", scope=None):
    parts = ['Bearer realm="edu-ID"', f'DPoP algs="{ALGORITHMS}"']
    told = [] if error is None else [f'error="{error}"', f'error_description="{words}"']
    told += [] if scope is None else [f'scope="{scope}"']
    return [", ".join([part, *told]) for part in parts]


def refused(refusal, *, resource=False, scope=None, bare=False):
    """The answer to a request that is refused; `bare` where it carried no credential to a resource."""
    if refusal.error.startswith("http_"):
        return Answer(int(refusal.error.removeprefix("http_")), refusal.fields)
    if bare:
        return Answer(401, NOT_STORED | {"WWW-Authenticate": challenges(scope=scope)})
    words = allowed_words(refusal.words)
    status = refusal.status or status_of(refusal.error, resource)
    fields = NOT_STORED | {"Content-Type": JSON}
    if status in (401, 403):
        fields["WWW-Authenticate"] = challenges(refusal.error, words, scope)
    body = formats.compact_json({"error": refusal.error, "error_description": words})
    return Answer(status, fields | refusal.fields, body)


# Bodies and parameters

def media_type_of(message, values):
    """The media type of a message in lower case, or nothing where it is not told or malformed."""
    match = MEDIA_TYPE.fullmatch(values[0]) if len(values) == 1 else None
    return match[1].lower() if match else None


def short(found):
    """What was found, as far as it may be repeated."""
    size = len(found.encode())
    return f"({size} bytes)" if size > 64 else found


class Parameters:
    """The parameters of a request by their names; where they come as JSON, values may be other than texts."""

    def __init__(self, values):
        self.values = values

    @classmethod
    def of_form(cls, text):
        try:
            pairs = formats.read_form(text)
        except Refusal as fault:
            raise fault.told_as("invalid_request", before="the parameters: ") from None
        values = {}
        for name, value in pairs:
            demand(name not in values, "invalid_request", "threat-37", f"the parameter '{name}' comes more than once")
            values[name] = value
        return cls(values)

    @classmethod
    def of_json(cls, text):
        try:
            value = formats.read_json(text, size=MOST_BYTES, depth=8, values=1024, members=256)
            if not isinstance(value, dict):
                raise formats.wrong_type("$", value, "object")
        except Refusal as fault:
            raise fault.told_as("invalid_request", before="the body: ") from None
        return cls(value)

    def given(self, name):
        """The value of a parameter, or nothing: without a value it counts as absent."""
        value = self.values.get(name)
        return None if value == "" else value

    def text(self, name):
        value = self.given(name)
        demand(value is None or isinstance(value, str), "invalid_request", "RFC6749-3.1",
               f"the parameter '{name}' is a JSON {formats.json_type(value)}")
        return value

    def required(self, name, *others):
        value = self.either(name, *others) if others else self.text(name)
        demand(value is not None, "invalid_request", "RFC6749-3.1", f"the parameter '{name}' is missing")
        return value

    def either(self, first, second):
        """A parameter that has two names, and comes under one of them."""
        one, other = self.text(first), self.text(second)
        demand(one is None or other is None, "invalid_request", "threat-37",
               f"the parameter '{second}' comes more than once")
        return other if one is None else one

    def name(self, name, required=False):
        value = self.required(name) if required else self.text(name)
        return value and parameter_name(name, value)

    def secret(self, name, what, required=False):
        value = self.required(name) if required else self.text(name)
        return value and parameter_secret(name, value, what)


def about_parameter(name, error="invalid_request"):
    return lambda fault: fault.told_as(error, before=f"the parameter '{name}': ")


def parameter_name(name, value):
    try:
        return formats.check_name(value)
    except Refusal as fault:
        raise about_parameter(name)(fault) from None


def parameter_secret(name, value, what):
    try:
        return formats.check_secret(value, what)
    except Refusal as fault:
        raise about_parameter(name)(fault) from None


def read_parameters(request, query=False):
    """The parameters in the body, or in the query of a GET where an endpoint takes them there."""
    if query and request.method == "GET":
        demand_size(request.query)
        return Parameters.of_form(request.query)
    demand(request.method == "POST", "invalid_request", "RFC6749-3.2",
           f"the method {request.method} is not one of this endpoint's")
    body = request.body or ""
    demand_size(body)
    values = request.values("Content-Type")
    media_type = media_type_of(request, values)
    if media_type == FORM:
        return Parameters.of_form(body)
    if media_type == JSON:
        return Parameters.of_json(body)
    found = f"'{short(', '.join(values))}'" if values else "of an unknown type"
    raise Refusal("invalid_request", "RFC6749-B", f"the body must be a form or JSON, not {found}")


def demand_size(text):
    size = len(text.encode())
    if size > MOST_BYTES:
        raise Refusal("invalid_request", "threat-14", f"the message has {size} bytes, at most {MOST_BYTES} are read",
                      status=413)


# Credentials

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
    if proof is not None:
        try:
            formats.check_secret(proof, "proof of possession")
        except Refusal as fault:
            raise fault.told_as("invalid_request", before="the header field 'DPoP': ") from None
    return proof


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
    """The scheme in lower case, and what belongs to it: one token, or parameters."""
    match = re.fullmatch(rf"({TOKEN})(?: +(.*))?", value, re.DOTALL)
    demand(match, "invalid_request", "RFC9110-11.3", "the header field 'Authorization' is malformed")
    scheme, rest = match[1].lower(), match[2]
    if rest is None or TOKEN68.fullmatch(rest):
        return scheme, rest
    names = []
    for part in filter(None, (part.strip(" \t") for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', rest))):
        parameter = AUTH_PARAMETER.fullmatch(part)
        demand(parameter, "invalid_request", "RFC9110-11.3", "the header field 'Authorization' is malformed")
        demand(parameter[1].lower() not in names, "invalid_request", "RFC9110-11.2",
               f"the parameter '{parameter[1]}' comes more than once")
        names.append(parameter[1].lower())
    return scheme, rest


def access_token(rest):
    demand(rest is None or TOKEN68.fullmatch(rest), "invalid_request", "RFC6750-2.1",
           "the scheme is followed by one token")
    demand(rest is not None, "invalid_client", "RFC6749-2.3", "the authentication scheme must be 'Bearer' or 'DPoP'")
    try:
        return formats.check_secret(rest, "access token")
    except Refusal as fault:
        raise fault.told_as("invalid_request", before="the header field 'Authorization': ") from None


def basic_credential(rest):
    try:
        name, colon, password = base64.b64decode(rest or "", validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        name, colon, password = "", "", ""
    demand(colon, "invalid_request", "RFC7617-2", "the header field 'Authorization' is malformed")
    return Credential("password", client_id=unquote_plus(name), client_secret=unquote_plus(password))


def read_credential(request, parameters, proof_beside=False):
    """The one credential of a request that carries parameters."""
    in_header = header_credential(request, proof_beside)
    kind = parameters.text("client_assertion_type")
    assertion = parameters.secret("client_assertion", "assertion")
    secret = parameter_password(parameters, "client_secret")
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


def parameter_password(parameters, name, required=False):
    value = parameters.required(name) if required else parameters.text(name)
    if value is not None:
        try:
            formats.check_password(value)
        except Refusal as fault:
            raise about_parameter(name)(fault) from None
    return value
