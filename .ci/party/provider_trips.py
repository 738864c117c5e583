"""A sign-in that a browser carries on: to a provider, back, and on to the app (Fixtures/protocol/provider.md)."""

import re

from . import derivations, formats, provider_calls, provider_claims, provider_tokens
from .browser_sign_in import REQUEST_URI
from .messages import Answer, status_of
from .parameters import Parameters
from .refusals import Refusal
from .replies import LONGEST_REQUEST_URI, error_text
from .sign_in import CODE_LIFETIME, give_code, personal_records

PATIENCE = 600
COOKIE = "__Host-eduid-signin"
KEPT = ("code_challenge", "redirect_uri", "app_state", "acr_values", "max_age")
MARK = re.compile(r"[A-Za-z0-9._~-]{43}")
UNKNOWN = "this sign-in is unknown, over, or was gone on with before"
PERSONS = ("access_denied", "login_required", "interaction_required", "consent_required",
           "account_selection_required", "unmet_authentication_requirements")
PAGE = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
SENT = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


class Page(Refusal):
    """What a person is shown in a browser."""

    def __init__(self, refusal):
        super().__init__(refusal.error, refusal.clause, refusal.words, changes=refusal.changes)

    def answer(self):
        text = f"This sign-in cannot go on: {self.words}.\nGo back to the app, and sign in again.\n"
        return Answer(self.status or status_of(self.error), PAGE, text)


class Returned(Refusal):
    """What a browser brings to the app of a sign-in that failed."""

    def __init__(self, refusal, place, changes):
        super().__init__(refusal.error, refusal.clause, refusal.words, changes=changes)
        self.place = place

    def answer(self):
        return Answer(302, {"Location": self.place} | SENT)


def shown(perform):
    """What is refused to a browser is a page."""
    def performed(edu_id, request, *parts):
        try:
            return perform(edu_id, request, *parts)
        except Returned:
            raise
        except Refusal as refusal:
            raise Page(refusal) from None
    return performed


def is_arrival(request):
    """Whether a browser begins a sign-in with a request, and no app asks by a credential of its own."""
    if request.method != "GET" or request.values("Authorization"):
        return False
    try:
        return Parameters.of_form(request.query).given("request_uri") is not None
    except Refusal:
        return False


# To the provider

@shown
def arrive(edu_id, request):
    parameters = Parameters.of_form(request.query)
    client = parameters.name("client_id", required=True)
    name = parameters.secret("request_uri", "request URI", required=True, limit=LONGEST_REQUEST_URI)
    demand_provider(edu_id)
    begun = opened(edu_id, name, client)
    edu_id.demand_admission(begun)
    told = provider_calls.description(edu_id)
    state, nonce, mark = (edu_id.chance.text(32) for _ in range(3))
    place = place_of(edu_id, told, request_pairs(edu_id, begun, state, nonce))
    kept = {name: begun["attributes"][name] for name in KEPT if name in begun["attributes"]}
    edu_id.describe(begun, kept)
    departure = {"version": 1, "provider": edu_id.provider["callback"]} | {
        name: formats.digest(value) for name, value in (("state", state), ("nonce", nonce), ("browser", mark))}
    edu_id.change("insert", record={
        "id": formats.digest(state), "kind": "session", "parent": begun["parent"], "holder": begun["holder"],
        "key": begun["key"], "issued": edu_id.now, "final": edu_id.now + PATIENCE, "attributes": kept | departure})
    cookie = f"{COOKIE}={mark}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={PATIENCE}"
    return Answer(302, {"Location": place} | SENT | {"Set-Cookie": cookie})


def demand_provider(edu_id):
    if edu_id.provider is None:
        raise Refusal("invalid_request", "OIC-1", "nobody signs in with a browser here; send name and password")


def opened(edu_id, name, client):
    """What an app has begun, by the name of it that a browser brings once."""
    secret = name.removeprefix(REQUEST_URI)
    record = edu_id.tree.record(secret.partition(".")[0]) if secret != name else None
    if record is not None and record["kind"] == "session" and is_live(edu_id, record):
        attributes = record.get("attributes", {})
        if (formats.are_equal(derivations.secret_digest(secret.partition(".")[2]), attributes.get("secret", ""))
                and instance_of(edu_id, record) == client.lower() and "app_state" in attributes):
            return record
    raise Refusal("invalid_request", "OIC-5", UNKNOWN)


def is_live(edu_id, record):
    return edu_id.tree.judged(record["id"], edu_id.now)["verdict"] == "live"


def instance_of(edu_id, record):
    client = edu_id.tree.nearest(record["id"], "client")
    return client and client["holder"]


def request_pairs(edu_id, begun, state, nonce):
    attributes = begun["attributes"]
    pairs = [
        ("response_type", "code"), ("scope", "openid"), ("redirect_uri", callback(edu_id)), ("state", state),
        ("nonce", nonce), ("code_challenge", formats.digest(verifier(edu_id, state))),
        ("code_challenge_method", "S256")]
    if attributes.get("acr_values"):
        pairs.append(("acr_values", " ".join(attributes["acr_values"])))
    if "max_age" in attributes:
        pairs.append(("max_age", str(attributes["max_age"])))
    return pairs


def callback(edu_id):
    return edu_id.url("callback/" + edu_id.provider["callback"])


def verifier(edu_id, state):
    """The secret with which the code will be redeemed: it follows from the state."""
    return formats.base64url(formats.hmac(edu_id.exchange.master, "verifier at a provider: " + state))


def place_of(edu_id, told, pairs):
    """Where the browser goes: with the request, or with the name of one that was left at the provider."""
    client = ("client_id", edu_id.provider["client"])
    pushed = told["pushed_authorization_request_endpoint"]
    if pushed is None and told["demands_pushed"]:
        raise provider_calls.failing("OIC-7", "it takes no requests")
    pairs = [*pairs, client] if pushed is None else [client, ("request_uri", left(edu_id, pushed, pairs))]
    base = told["authorization_endpoint"]
    joint = "" if base.endswith("?") else "&" if "?" in base else "?"
    return base + joint + formats.form(pairs)


def left(edu_id, place, pairs):
    def read(answer):
        if answer.status != 201:
            error = provider_calls.refused_word(answer)
            if error is not None:
                raise provider_calls.failing("OIC-7", f"it does not take the request: {error}")
        members = provider_calls.Members(answer, 201)
        name = members.text("request_uri", required=True)
        if members.given("expires_in") is None:
            raise provider_calls.Missing("expires_in")
        return name
    return provider_calls.post(edu_id, place, pairs, read)


# Back from the provider

@shown
def come_back(edu_id, request, name):
    if name != edu_id.provider["callback"]:
        raise Refusal("invalid_request", "OIC-6",
                      "the answer came to another path than that of the provider that was asked")
    answer = read_answer(request)
    trip = edu_id.tree.record(formats.digest(answer["state"]))
    if trip is None or trip["kind"] != "session" or "browser" not in trip.get("attributes", {}) or not is_live(
            edu_id, trip):
        raise Refusal("invalid_request", "OIC-5", UNKNOWN)
    mark = mark_of(request)
    if mark is None or formats.digest(mark) != trip["attributes"]["browser"]:
        raise Refusal("invalid_request", "OIC-5",
                      "the answer came with another browser than was sent to the provider")
    kept = {name: trip["attributes"][name] for name in KEPT if name in trip["attributes"]}
    edu_id.describe(trip, kept)
    spent = list(edu_id.exchange.changes)
    try:
        edu_id.demand_admission(trip)
        code = welcome(edu_id, trip, concluded(edu_id, trip, answer))
    except Refusal as refusal:
        raise Returned(refusal, to_app(edu_id, trip, told_to_app(refusal)), spent) from None
    return Answer(302, {"Location": to_app(edu_id, trip, [("code", code)])} | SENT)


def read_answer(request):
    parameters = Parameters.of_form(request.query)
    state = parameters.required("state")
    if not MARK.fullmatch(state):
        formats.check_secret(state, "state", 43)
    code = parameters.secret("code", "authorization code")
    error = parameters.text("error")
    if code is None and error is None:
        parameters.required("code")
    if code is not None and error is not None:
        raise Refusal("invalid_request", "threat-37", "the parameter 'error' comes more than once")
    if error is not None:
        error_text(error)
    return {"state": state, "iss": parameters.text("iss"), "code": code, "error": error}


def mark_of(request):
    """What the browser keeps in its cookie, where it brings one."""
    pairs = [pair.strip(" ").partition("=") for value in request.values("Cookie") for pair in value.split(";")]
    found = [value for name, joint, value in pairs if joint and name == COOKIE]
    return found[0] if len(found) == 1 and MARK.fullmatch(found[0]) else None


def concluded(edu_id, trip, answer):
    """What the provider says of whoever signed in."""
    told = provider_calls.description(edu_id)
    issuer = edu_id.provider["issuer"]
    if answer["iss"] != issuer and (answer["iss"] is not None or told["promises_issuer"]):
        raise Refusal("invalid_request", "RFC9207-2.4", "an answer by another one than was asked")
    if answer["error"] is not None:
        raise Refusal(word_of(answer["error"]), "OIC-13", f"the provider refuses: {answer['error'][:64]}")
    access, identity = provider_calls.tokens(edu_id, told, [
        ("grant_type", "authorization_code"), ("code", answer["code"]), ("redirect_uri", callback(edu_id)),
        ("code_verifier", verifier(edu_id, answer["state"]))])
    claims = provider_tokens.check_identity(edu_id, identity, told, trip["attributes"], access)
    return claims, claims | provider_calls.userinfo(edu_id, told, access, claims["sub"])


def word_of(error):
    """What a provider's refusal is for the app."""
    if error == "temporarily_unavailable":
        return error
    return "access_denied" if error in PERSONS else "server_error"


def welcome(edu_id, trip, said):
    """A code for the app of whoever signed in."""
    identity, claims = said
    user = name_at_provider(edu_id, "user", identity["sub"])
    if edu_id.tree.lock_of(user):
        raise Refusal("access_denied", "threat-78", "locked out of this service; whoever runs it can say why")
    instance = edu_id.tree.nearest(trip["id"], "client")
    provider = {"user": user, "told": edu_id.now}
    if "sid" in identity:
        provider["session"] = name_at_provider(edu_id, "session", identity["sid"])
    profile = provider_claims.profile(claims)
    told = {"provider": provider} | ({"profile": profile} if profile else {}) | {
        name: identity[name] for name in ("acr", "amr", "auth_time") if name in identity}
    personal_records(edu_id, instance, user)
    name, secret = edu_id.chance.name(), edu_id.chance.text(32)
    told["redirect_uri"] = trip["attributes"]["redirect_uri"]
    give_code(edu_id, instance, user, trip["attributes"]["code_challenge"], name, secret, told)
    if "session" in provider:
        edu_id.change("insert", record={
            "id": edu_id.chance.name(), "kind": "session", "parent": instance["id"], "holder": instance["holder"],
            "subject": provider["session"], "issued": edu_id.now, "final": edu_id.now + CODE_LIFETIME,
            "attributes": {"finds": name}})
    return f"{name}.{secret}"


def name_at_provider(edu_id, word, text):
    """A name that follows from one at the provider, and leads nobody back there."""
    issuer = edu_id.provider["issuer"]
    content = f"{word} at a provider: {len(issuer.encode())}:{issuer}{text}"
    return formats.base64url(formats.hmac(edu_id.exchange.master, content))


def to_app(edu_id, trip, pairs):
    attributes = trip["attributes"]
    pairs = [*pairs, ("state", attributes["app_state"]), ("iss", edu_id.issuer.name)]
    return attributes["redirect_uri"] + "?" + formats.form(pairs)


def told_to_app(refusal):
    """What an app is told through a browser: who failed, and nothing that is not for everybody on the way."""
    if refusal.error in ("access_denied", "temporarily_unavailable"):
        return [("error", refusal.error)]
    if refusal.error in ("invalid_grant", "unauthorized_client"):
        return [("error", "access_denied"), ("error_description", refusal.words)]
    return [("error", "server_error")]
