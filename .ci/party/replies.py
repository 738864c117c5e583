"""How the answer of a peer is read: what it grants, what it refuses, and where it breaks a rule; the kind `reply`."""

import re

from . import formats, jose, keys, urls
from .demands import Demand
from .json_text import is_whole, read_json
from .messages import JSON, Answer, is_page, media_type_of, status_of
from .parameters import MOST_BYTES, Named
from .reading import scope_words
from .refusals import Flaw, Refusal, demand
from .sign_in_reading import LONGEST_SESSION, LONGEST_STEP, MOST_STEPS, class_names

REFUSING = (400, 401, 403)
TO_BROWSER = "redirect_to_web"
FORBIDDEN = ("insufficient_scope", "insufficient_authorization", TO_BROWSER)
CONTINUING = (400, 403)
LONGEST_HINT = 1_024
LONGEST_REQUEST_URI = 2_048
TEMPORARY = ("server_error", "temporarily_unavailable")
ERROR_TEXT = re.compile(r"[\x20\x21\x23-\x5b\x5d-\x7e]*")
CHALLENGE_ERROR = re.compile(r'\b(?:Bearer|DPoP)\b.*?\berror[ \t]*=[ \t]*(?:"([^"]*)"|([^\s",]+))', re.IGNORECASE)
CHALLENGE_CLASSES = re.compile(r'\bacr_values[ \t]*=[ \t]*(?:"([^"]*)"|([^\s",]+))')
CHALLENGE_AGE = re.compile(r'\bmax_age[ \t]*=[ \t]*(?:"([^"]*)"|([^\s",]+))')
CHALLENGE_WORDS = re.compile(r'\berror_description[ \t]*=[ \t]*"([^"]*)"', re.IGNORECASE)
MOST_SECONDS = 2 ** 63 - 1
LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|\[::1\]")


class Refused(Exception):
    """A peer refused."""

    def __init__(self, error, words, demanded=Demand()):
        super().__init__(error, words)
        self.error, self.words, self.demanded = error, words, demanded

    def told(self):
        words = {} if self.words is None else {"error_description": self.words}
        return {"error": self.error} | words | self.demanded.told() | {"status": status_of(self.error)}


class Members(Named):
    """The members of an answer: what is empty or null is absent, a text is a string."""

    @classmethod
    def of(cls, answer):
        body = answer.body or ""
        demand(len(body.encode()) <= MOST_BYTES, "", "threat-14")
        types = answer.values("Content-Type")
        demand(not types or media_type_of(types) == JSON, "", "RFC6749-5.1")
        value = read_json(body, size=MOST_BYTES, depth=8, values=1024, members=256)
        demand(isinstance(value, dict), "", "RFC8259-3")
        return cls(value)

    def text(self, name, required=False):
        value = self.given(name)
        demand(isinstance(value, str) or value is None and not required, "", "RFC6749-3.1")
        return value

    def unknown(self, *known):
        return {name: value for name, value in self.values.items() if name not in known}


def read_refusal(answer):
    """What a peer refuses; an answer that tells no refusal properly breaks a rule."""
    demand(answer.status in REFUSING, "", "RFC6749-5.2")
    refused = read_error(answer)
    demand(refused.error not in TEMPORARY, "", "RFC6749-5.2")
    demand(answer.status != 403 or refused.error in FORBIDDEN, "", "RFC6749-5.2")
    return refused


def read_error(answer):
    challenged = read_challenge(answer)
    try:
        members = Members.of(answer)
        error, words = error_text(members.text("error", required=True)), members.text("error_description")
    except Refusal as fault:
        if challenged is None:
            raise fault
        return challenged
    told = demanded(lambda: members.text("acr_values"), lambda: read_seconds(members.given("max_age")))
    if not told and challenged is not None and challenged.error == error:
        told = challenged.demanded
    return Refused(error, words, told)


def read_challenge(answer):
    """What a challenge refuses, if one does."""
    for challenge in answer.values("WWW-Authenticate"):
        error = parameter(CHALLENGE_ERROR, challenge)
        if error is not None and ERROR_TEXT.fullmatch(error):
            words = CHALLENGE_WORDS.search(challenge)
            told = demanded(lambda: parameter(CHALLENGE_CLASSES, challenge),
                            lambda: read_seconds(parameter(CHALLENGE_AGE, challenge)))
            return Refused(error, words and words[1], told)
    return None


def parameter(form, challenge):
    found = form.search(challenge)
    return found and (found[1] or found[2])


def demanded(classes, age):
    """What is demanded in two parameters; nothing where one of them cannot be read."""
    try:
        names = classes()
        return Demand(class_names(names) if names else (), age())
    except (Flaw, Refusal):
        return Demand()


def error_text(text):
    demand(ERROR_TEXT.fullmatch(text), "", "RFC6749-5.2")
    return text


def granted_members(answer):
    if answer.status != 200:
        raise read_refusal(answer)
    return Members.of(answer)


# Endpoints

def token_reply(answer, asked):
    members = granted_members(answer)
    token_type = members.text("token_type", required=True)
    token = secret(members, "access_token", "access token", required=True)
    read = {"access_token": token, "token_type": token_type, "expires_in": read_seconds(members.given("expires_in")),
            "refresh_token": secret(members, "refresh_token", "refresh token"), "scope": scope(members),
            "cnf": read_cnf(members.given("cnf"))}
    return {name: value for name, value in read.items() if value is not None} | members.unknown(*read)


def secret(members, name, what, required=False, limit=16384):
    text = members.text(name, required)
    return text and formats.check_secret(text, what, limit)


def scope(members):
    text = members.text("scope")
    return text and " ".join(scope_words(text))


def read_seconds(value):
    """A whole number that is not negative; some servers put it into quotes."""
    if isinstance(value, str):
        demand(re.fullmatch("[0-9]+", value), "", "RFC6749-3.1")
        value = int(value)
    if value is not None:
        demand(is_whole(value) and 0 <= value <= MOST_SECONDS, "", "RFC6749-3.1")
        value = int(value)
    return value


def read_cnf(value):
    if value is None:
        return None
    jwk = value.get("jwk") if isinstance(value, dict) else None
    if not isinstance(jwk, dict) or jwk.get("kty") != "oct":
        jose.read_confirmation(value)
        return value
    key = keys.secret_key(jwk)
    demand("kid" in key or "kid" in value, "", "RFC7800-3.4")
    return value


def challenge_reply(answer, asked):
    going_on = continuation(answer) or invitation(answer)
    if going_on:
        return going_on
    members = granted_members(answer)
    demand(members.given("error") is None and members.given("steps") is None, "", "FPA-9")
    return {"authorization_code": secret(members, "authorization_code", "authorization code", required=True)}


def continuation(answer):
    """How a sign-in goes on that waits for a step; nothing of another answer."""
    members = readable_members(answer, CONTINUING)
    if members is None or members.given("auth_session") is None:
        return None
    session = secret(members, "auth_session", "sign-in session", limit=LONGEST_SESSION)
    demand(members.given("authorization_code") is None, "", "FPA-9")
    error = error_text(members.text("error", required=True))
    if error == "invalid_session":
        return None
    demand(answer.status == (403 if error == "insufficient_authorization" else 400), "", "RFC6749-5.2")
    steps = members.given("steps")
    demand(steps is None or isinstance(steps, list), "", "RFC6749-3.1")
    offered = {} if steps is None else {"steps": [*map(read_step, filter(is_step, steps))][:MOST_STEPS]}
    return {"error": error, "auth_session": session} | offered


def readable_members(answer, statuses):
    """The members of an answer with one of some statuses, where they can be read."""
    try:
        return Members.of(answer) if answer.status in statuses else None
    except Refusal:
        return None


def invitation(answer):
    """Where a sign-in goes on in a browser; nothing of another answer."""
    members = readable_members(answer, (403,))
    if members is None or members.given("error") != TO_BROWSER or members.given("request_uri") is None:
        return None
    name = secret(members, "request_uri", "request URI", limit=LONGEST_REQUEST_URI)
    demand(members.given("authorization_code") is None, "", "FPA-9")
    seconds = read_seconds(members.given("expires_in"))
    demand(seconds is not None, "", "RFC6749-3.1")
    return {"error": TO_BROWSER, "request_uri": name, "expires_in": seconds}


def is_step(value):
    return isinstance(value, dict) and formats.is_name(value.get("step"), LONGEST_STEP)


def read_step(value):
    hint = value.get("hint")
    shown = {"hint": hint} if isinstance(hint, str) and 0 < len(hint.encode()) <= LONGEST_HINT else {}
    challenge = {} if value.get("challenge") is None else {"challenge": value["challenge"]}
    return {"step": value["step"]} | challenge | shown


def authorization_reply(answer, asked):
    members = granted_members(answer)
    demand(members.text("iss") == asked["issuer"], "", "RFC9207-2.4")
    demand(members.text("state") == asked.get("state"), "", "RFC6749-10.12")
    code = secret(members, "code", "authorization code", required=True)
    endpoint = members.text("redirect_uri", required=True)
    url = urls.read(endpoint)
    demand("#" not in endpoint, "", "RFC8707-2")
    demand(url.scheme == "https" or LOOPBACK.fullmatch(url.host), "", "RFC6749-3.2")
    client_id = members.text("client_id")
    named = {} if client_id is None else {"client_id": formats.check_name(client_id)}
    return {"code": code, "redirect_uri": endpoint} | named


def revocation_reply(answer, asked):
    if answer.status not in (200, 204):
        raise read_refusal(answer)
    demand(answer.status == 204 or not answer.body or not is_page(answer), "", "RFC6749-5.1")
    return {}


def read_introspection(answer, asked=None):
    demand(answer.status == 200, "", "RFC6749-5.2")
    members = Members.of(answer)
    active = members.given("active")
    demand(isinstance(active, bool), "", "RFC6749-3.1")
    if not active:
        return {"active": False}
    audience = members.given("aud")
    if isinstance(audience, list):
        demand(len(audience) == 1, "", "RFC6749-3.1")
        audience = audience[0]
    demand(audience is None or isinstance(audience, str), "", "RFC6749-3.1")
    texts = {name: members.text(name) for name in ("iss", "sub", "client_id", "jti", "scope", "user_token")}
    times = {name: read_seconds(members.given(name)) for name in ("exp", "iat")}
    read = {"active": True, "aud": audience} | texts | times
    return {name: value for name, value in read.items() if value is not None} | members.unknown(*read)


def resource_reply(answer, asked):
    demand(answer.status >= 400, "", "RFC6749-5.2")
    raise read_error(answer)


READERS = {
    "token": token_reply, "challenge": challenge_reply, "authorization": authorization_reply,
    "revocation": revocation_reply, "introspection": read_introspection, "resource": resource_reply,
}


def answer_reply(given):
    """The answer to a vector of the kind `reply`."""
    try:
        return {"granted": READERS[given["endpoint"]](Answer.of(given["answer"]), given.get("asked", {}))}
    except Refused as refused:
        return {"refused": refused.told()}
    except Refusal as fault:
        return {"refusal": {"clause": fault.clause}}
