"""Requests and answers over HTTP, and how a refusal is told (Fixtures/protocol/messages.md)."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .json_text import compact_json
from .refusals import demand

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
FORM_FIELDS = {"Accept": JSON, "Content-Type": FORM}
PAGES = ("text/html", "application/xhtml+xml")
NOT_STORED = {"Cache-Control": "no-store", "Pragma": "no-cache"}

TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
QUOTED = r'"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\U0010ffff]|\\[\t \x21-\x7e\x80-\U0010ffff])*"'
MEDIA_TYPE = re.compile(rf"({TOKEN}/{TOKEN})(?:[ \t]*;[ \t]*(?:{TOKEN}=(?:{TOKEN}|{QUOTED}))?)*")


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
        return [value.strip(" \t") for values in found for value in (values if isinstance(values, list) else [values])]


def is_page(answer):
    """Whether an answer is meant for people."""
    return media_type_of(answer.values("Content-Type")) in PAGES


def media_type_of(values):
    """The media type in a field, in lower case; nothing where it is not told, or malformed."""
    match = MEDIA_TYPE.fullmatch(values[0]) if len(values) == 1 else None
    return match[1].lower() if match else None


def granted(members):
    """The answer of an endpoint of the authorization server."""
    return Answer(200, NOT_STORED | {"Content-Type": JSON}, compact_json(members))


def told(members, **fields):
    """The answer of a resource."""
    return Answer(200, {"Content-Type": JSON, "Cache-Control": "no-store"} | fields, compact_json(members))


def published(text, media_type=JSON, seconds=3600):
    """A document that everybody may read."""
    return Answer(200, {"Content-Type": media_type, "Cache-Control": f"max-age={seconds}"}, text)


# Errors

STATUSES = {"invalid_client": 401, "invalid_token": 401, "insufficient_scope": 403,
            "insufficient_authorization": 403, "redirect_to_web": 403, "server_error": 500,
            "temporarily_unavailable": 503}
TWO_STATUSES = ("invalid_dpop_proof", "use_dpop_nonce", "insufficient_user_authentication")
AT_RESOURCES = ("invalid_client", "unauthorized_client")
ALGORITHMS = "EdDSA Ed25519 ES256"


def error_at(resource, error):
    """Who does not prove who asks is told so by another word at a resource."""
    return "invalid_token" if resource and error in AT_RESOURCES else error


def status_of(error, resource=False):
    if error in TWO_STATUSES:
        return 401 if resource else 400
    return STATUSES.get(error, 400)


def allowed_words(words):
    """The words with nothing but what RFC 6749 §5.2 allows."""
    return re.sub(r"[^\x20\x21\x23-\x5b\x5d-\x7e]", "?", words.replace('"', "'"))[:4096]


def challenges(error=None, words="", scope=None, demanded=()):
    parts = ['Bearer realm="edu-ID"', f'DPoP algs="{ALGORITHMS}"']
    told = [] if error is None else [f'error="{error}"', f'error_description="{words}"']
    told += [f'{name}="{value}"' for name, value in dict(demanded).items()]
    told += [] if scope is None else [f'scope="{scope}"']
    return [", ".join([part, *told]) for part in parts]


def demanded_of_sign_in(refusal):
    """What is demanded of the sign-in, where that was the fault."""
    return {name: refusal.members[name] for name in ("acr_values", "max_age") if name in refusal.members}


def refused(refusal, *, resource=False, scope=None, bare=False):
    """The answer to a request that is refused; `bare` where it carried no credential to a resource."""
    if refusal.error.startswith("http_"):
        return Answer(int(refusal.error.removeprefix("http_")), refusal.fields)
    if bare:
        return Answer(401, NOT_STORED | {"WWW-Authenticate": challenges(scope=scope)})
    words = allowed_words(refusal.words)
    status = refusal.status or status_of(refusal.error, resource)
    fields = NOT_STORED | {"Content-Type": JSON}
    if status == 401 or refusal.error == "insufficient_scope":
        fields["WWW-Authenticate"] = challenges(refusal.error, words, scope, demanded_of_sign_in(refusal))
    body = compact_json({"error": refusal.error, "error_description": words} | refusal.members)
    return Answer(status, fields | refusal.fields, body)
