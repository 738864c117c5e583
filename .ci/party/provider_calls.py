"""What an OpenID provider is asked, and what its silence and odd answers mean (Fixtures/protocol/provider.md)."""

import base64

from . import formats, replies, urls
from .messages import FORM_FIELDS
from .refusals import Flaw, Refusal

SILENT = "the provider does not answer; try again later"
FAILS = "the provider fails: "
UNREADABLE = "the provider's answer cannot be read: "
DESCRIPTION = "/.well-known/openid-configuration"


def failing(clause, words):
    """Something is wrong between the provider and this service, of which another time does not help."""
    return Refusal("server_error", clause, FAILS + words)


def ask(edu_id, request, read):
    """What comes of a question to the provider."""
    answer = edu_id.exchange.ask(request)
    if answer is None:
        raise Refusal("temporarily_unavailable", "OIC-7", SILENT)
    try:
        return read(answer)
    except Refusal as fault:
        if fault.error:
            raise
        if fault.clause in ("OIC-7", "OIC-9", "OIC-10") or isinstance(fault, Missing):
            raise failing(fault.clause, fault.words) from None
        raise Refusal("temporarily_unavailable", fault.clause, UNREADABLE + fault.words) from None


class Missing(Flaw):
    """A member of an answer is not there."""

    def __init__(self, name):
        super().__init__("RFC6749-3.1", f"the parameter '{name}' is missing")


class Members:
    """The members of an answer of the provider; what is empty or null is absent."""

    def __init__(self, answer, status=200):
        if answer.status != status:
            raise Flaw("RFC6749-5.2", f"an answer with status {answer.status}")
        try:
            self.members = replies.Members.of(answer)
        except Refusal as fault:
            types = ", ".join(answer.values("Content-Type")) or "of an unknown type"
            words = f"an answer that is not JSON but '{types}'" if fault.clause == "RFC6749-5.1" else fault.words
            raise Flaw(fault.clause, words) from None

    def given(self, name):
        return self.members.given(name)

    def text(self, name, required=False):
        value = self.given(name)
        if value is not None and not isinstance(value, str):
            raise Flaw("RFC6749-3.1", f"the parameter '{name}' is no text")
        if value is None and required:
            raise Missing(name)
        return value

    def texts(self, name):
        value = self.given(name)
        if value is None:
            raise Missing(name)
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise Flaw("RFC6749-3.1", f"the parameter '{name}' is no list of texts")
        return value

    def flag(self, name):
        value = self.given(name)
        if value not in (None, True, False):
            raise Flaw("RFC6749-3.1", f"the parameter '{name}' is no flag")
        return bool(value)

    def endpoint(self, name, required=False):
        text = self.text(name, required)
        if text is None:
            return None
        try:
            read = urls.read(text)
        except Flaw as flaw:
            raise Flaw(flaw.clause, f"the parameter '{name}': {flaw.words}") from None
        if not (text.startswith("https:") or replies.LOOPBACK.match(read.origin.partition("://")[2])):
            raise Flaw("RFC6749-3.2", f"the parameter '{name}' is a URL without https")
        return text


def description(edu_id):
    """What the provider says about itself."""
    issuer = edu_id.provider["issuer"]
    return ask(edu_id, {"method": "GET", "url": issuer.removesuffix("/") + DESCRIPTION, "headers": {}},
               lambda answer: read_description(issuer, Members(answer)))


def read_description(issuer, members):
    found = members.text("issuer")
    if found != issuer:
        raise Flaw("OIC-10", f"an answer by '{found or 'nobody'}', expected one by '{issuer}'")
    told = {name: members.endpoint(name, required=True)
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
    for name in ("userinfo_endpoint", "pushed_authorization_request_endpoint"):
        told[name] = members.endpoint(name)
    told["demands_pushed"] = members.flag("require_pushed_authorization_requests")
    if "code" not in members.texts("response_types_supported"):
        raise Flaw("OIC-10", "the provider serves no response type 'code'")
    members.texts("subject_types_supported")
    members.texts("id_token_signing_alg_values_supported")
    told["promises_issuer"] = members.flag("authorization_response_iss_parameter_supported")
    return told


def post(edu_id, url, pairs, read):
    """Sends a form, with the secret of the service in the header."""
    provider = edu_id.provider
    secret = ":".join(map(formats.form_escaped, (provider["client"], provider["secret"])))
    fields = FORM_FIELDS | {"Authorization": "Basic " + base64.b64encode(secret.encode()).decode()}
    return ask(edu_id, {"method": "POST", "url": url, "headers": fields, "body": formats.form(pairs)}, read)


def refused_word(answer):
    """The error with which the provider refuses; nothing where it does not."""
    if answer.status not in replies.REFUSING:
        return None
    return replies.read_refusal(answer).error


def tokens(edu_id, told, pairs):
    """The access token and the ID token for a code."""
    def read(answer):
        error = refused_word(answer)
        if error is not None:
            raise failing("OIC-7", f"it does not redeem the code: {error}")
        members = Members(answer)
        kind = members.text("token_type", required=True)
        if kind.lower() != "bearer":
            raise Flaw("OIC-7", f"a token of the type '{kind}', expected 'Bearer'")
        return members.text("access_token", required=True), members.text("id_token", required=True)
    return post(edu_id, told["token_endpoint"], pairs, read)


def userinfo(edu_id, told, access, subject):
    """What is told about whoever signed in, beside the ID token."""
    def read(answer):
        members = Members(answer)
        if members.text("sub", required=True) != subject:
            raise Flaw("OIC-9", "an answer about somebody else than the ID token")
        return {name: value for name, value in members.members.values.items() if name != "sub"}
    if told["userinfo_endpoint"] is None:
        return {}
    fields = {"Accept": "application/json", "Authorization": f"Bearer {access}"}
    return ask(edu_id, {"method": "GET", "url": told["userinfo_endpoint"], "headers": fields}, read)
