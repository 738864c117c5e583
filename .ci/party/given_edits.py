"""Changes of what is given, each of which has to bring another answer than the vector expects.

Corruptions of what is expected say nothing of whether a party looks at what is given: here what a vector is about is
there in one case, and not in the other.
"""

import copy
import urllib.parse

from .check import attempt, first_difference, vectors

DEVICE = "6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f0001"
READER = {"kty": "OKP", "crv": "Ed25519", "x": "P3QJhZf86fsMyM3Nk9NYdc8HXb5mFjcNERsiMWo6Ijc", "kid": "reader-1"}
ALPHA = {
    "home": "https://alpha.example.ch", "issuer": "https://alpha.example.ch", "keys": [], "subjects": "pairwise",
    "released_claims": [], "document": {"engineLink": "https://alpha.example.ch", "apis": {}},
    "token_endpoint": "https://alpha.example.ch/token", "revocation_endpoint": "https://alpha.example.ch/revoke",
}
ACTIVE = (
    '{"active":true,"iss":"https://eduid.example.ch","sub":"pseudonym-of-ada","aud":"https://alpha.example.ch",'
    f'"client_id":"{DEVICE}","jti":"assertion-1"}}')


def setting(*path, to):
    def edit(given):
        place = given
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = to
    return edit


def dropping(*path):
    def edit(given):
        place = given
        for name in path[:-1]:
            place = place[name]
        del place[path[-1]]
    return edit


def replacing(name, old, new):
    def edit(given):
        given[name] = given[name].replace(old, new)
    return edit


def swapped(text, place=-3):
    """A text with one character changed."""
    return text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 or len(text):]


def credential(change):
    def edit(given):
        headers = given["request"]["headers"]
        headers["Authorization"] = change(headers["Authorization"])
    return edit


def parameter(name, to):
    def edit(given):
        pairs = [pair for pair in urllib.parse.parse_qsl(given["request"]["body"]) if pair[0] != name]
        given["request"]["body"] = urllib.parse.urlencode([*pairs, (name, to)])
    return edit


def past(is_kept):
    """Takes changes out of the past."""
    def edit(given):
        for batch in given["store"]:
            batch["changes"] = [*filter(is_kept, batch["changes"])]
    return edit


def without(do):
    return past(lambda change: change["do"] != do)


UNLOCKED = past(lambda change: change.get("record", {}).get("kind") != "lock")
POLICY = ("party", "policy")
EDITS = (
    ("1/first", "chance", setting("entropy", to="00" * 32)),
    ("1/blocked-version", "version that is let in", lambda given: [
        version.pop("blocked", None) for version in given["party"]["versions"]]),
    ("1/downgrade", "version that the instance never had", without("insert")),
    ("1/get", "method", setting("request", "method", to="POST")),
    ("1/no-grant-type", "grant type that is there", parameter("grant_type", "client_credentials")),
    ("1/statement-unknown-version", "version that is registered", setting("party", "versions", 0, "kid", to="ios-9.9")),
    ("2/challenge-wrong-password", "password", parameter("password", "correct horse battery staple")),
    ("2/code", "code verifier", parameter("code_verifier", "A" * 43)),
    ("2/code-expired", "clock before the end of the code", setting("now", to=1_800_000_059)),
    ("2/code-twice", "code that is not spent", without("consume")),
    ("2/profile-dpop", "method of the proof", setting("request", "method", to="POST")),
    ("2/profile-replayed", "store that has forgotten", without("remember")),
    ("2/profile-signed-out", "revocation of the token", without("revoke")),
    ("2/refresh-twice", "refresh token that was not rotated", without("rotate")),
    ("2/step-unknown", "step that the app can make", parameter("steps_supported", "otp")),
    ("2/step-made", "one-time code", parameter("otp", "123457")),
    ("2/step-made-otherwise", "answer of the host's", setting("party", "users", 2, "steps", 0, 1, "answer", to="{}")),
    ("2/step-of-sign-in-before", "sign-in that was not superseded", without("revoke")),
    ("2/step-late", "clock before the end of the sign-in", setting("now", to=1_800_000_599)),
    ("2/step-repeated", "answer that is another one", parameter("otp", "123457")),
    ("2/step-reused", "clock in time for the same answer", setting("now", to=1_800_000_060)),
    ("2/step-wrong-thrice", "store without failures", without("describe")),
    ("2/step-spent", "store that has forgotten", without("remember")),
    ("2/step-of-locked", "lock", UNLOCKED),
    ("2/name-first", "policy", setting(*POLICY, to={})),
    ("2/name-first-unknown-step", "name that somebody has", setting("party", "users", 0, "name", to="eve")),
    ("3/usage-absent", "usage manager", setting(*POLICY, to={})),
    ("4/pairwise", "secret of the pseudonyms", setting("party", "pseudonyms", to="A" * 43)),
    ("4/pairwise-client", "secret of the pseudonyms", setting("party", "pseudonyms", to="A" * 43)),
    ("4/pairwise-client", "service that knows instances as all do", dropping("party", "services", 0, "clients")),
    ("4/pairwise-client", "key that is brought",
     parameter("req_cnf", '{"jwk":{"kty":"OKP","crv":"Ed25519","x":"' + "A" * 43 + '"}}')),
    ("4/pairwise-without-key", "service that wants no key", dropping("party", "services", 0, "clients")),
    ("4/pairwise-proof-replayed", "store that has forgotten", without("remember")),
    ("4/unknown-service", "service that is known", parameter("resource", "https://alpha.example.ch")),
    ("5/assertion", "instance that is denied", setting(*POLICY, to={"denied_instances": [DEVICE]})),
    ("5/denied-user", "user who is admitted", setting(*POLICY, to={})),
    ("5/twice", "target", parameter("resource", "https://beta.example.ch")),
    ("6/answer-inactive", "answer", setting("answer", "body", to=ACTIVE)),
    ("6/credential-replayed", "store that has forgotten", without("remember")),
    ("8/app", "scope that is not offered", parameter("scope", "https://alpha.example.ch/api")),
    ("9/endpoint", "signature of the request token", credential(swapped)),
    ("9/endpoint", "time", setting("now", to=1_800_000_061)),
    # No vector has a wrong code of a shared key.
    ("9/symmetric", "code of the request token", credential(swapped)),
    ("2/challenge-symmetric", "code of the request token", credential(swapped)),
    ("jose/jws-secret", "code", replacing("text", "a9edc60", "a9edc61")),
    ("jose/jwt-secret", "code", lambda given: given.update(text=swapped(given["text"]))),
    ("9/expired", "time", setting("now", to=1_800_000_000)),
    ("9/dpop", "hash in the proof", credential(lambda text: swapped(text, -40))),
    ("9/revoked-by-app", "revocation of the token", without("revoke")),
    ("10/block-by-user", "administrator", setting(*POLICY, to={"administrators": ["user-0001"]})),
    ("10/lock-by-user", "administrator", setting(*POLICY, to={"administrators": ["user-0001"]})),
    ("10/locked-right", "lock", UNLOCKED),
    ("10/app-locked", "lock", UNLOCKED),
    ("10/app-locked-renewal", "lock", UNLOCKED),
    ("10/user-locked", "lock", UNLOCKED),
    ("10/services-late", "time", setting("now", to=1_800_003_599)),
    ("10/delivery-nowhere", "service that is there", setting("party", "services", to=[ALPHA])),
    ("10/delivery-closed", "service that is there", setting("party", "services", to=[ALPHA])),
    ("7/answer-two-of-one", "app that can handle two", replacing("request", "true", "false")),
    ("7/mode-step-begun-before", "step that nobody asks for", dropping("step_wanted")),
    ("7/mode-login-twice", "user who is signed in", dropping("signed_in")),
    ("7/request-signed", "claims", replacing("request", "device-7", "device-8")),
    ("7/request-unknown-app", "registry", setting("registry", to={"ch.example.reader": [READER]})),
    ("nail/refused-bound-issuer", "claim that is the caller's own",
     setting("asks", 0, "claims", to={"purpose": "reading"})),
    ("nail/refused-expired", "time of the question", setting("asks", 0, "now", to=1_800_000_059)),
    ("nail/bound-twice", "chance", setting("entropy", to="00" * 32)),
    ("nail/refused-refused", "token that was refused", setting("asks", 0, "token", to="another")),
    ("purecrypto/signature", "message", setting("message", to="00")),
    ("wire/url-user", "repaired URL", setting("text", to="https://example.org/")),
    ("jose/jws-general", "first signature", replacing("text", "W4uA5Vh", "W4uA5Vi")),
    ("jose/jwt-young", "time", setting("now", to=1_800_000_001)),
    ("jose/issue-pair", "type", setting("type", to="request+jwt")),
    ("rsd2/endpoint-climbing-encoded", "path", setting("endpoint", "path", to="b")),
    ("rsd2/list-three", "place of the list", setting("url", to="https://service.example/services.txt")),
    ("tokentree/revoked-twice", "time of the earlier revocation", setting("store", 1, "at", to=1_800_000_025)),
    ("tokentree/refused-rotate-locked", "lock", UNLOCKED),
    ("tokentree/refused-insert-locked", "lock", UNLOCKED),
    ("oauth2grants/answer-authorization-issuer", "issuer that was asked",
     setting("asked", "issuer", to="https://evil.example")),
)


def is_noticed(vector, edit, answer):
    """Whether a change of what is given brings another answer; one that changes nothing is none."""
    given = copy.deepcopy(vector["given"])
    edit(given)
    found = attempt(answer, {**vector, "given": given})
    is_change = first_difference(given, vector["given"]) is not None
    return is_change and "error" not in found and first_difference(found, vector["expect"]) is not None


def check_edits(folder, answer):
    """How many changes there are, and which of them were not noticed, or could not be made."""
    by_name = {vector["id"]: vector for _, vector in vectors(folder)}
    missed = [f"{name}: {what}" for name, what, edit in EDITS
              if name not in by_name or not is_noticed(by_name[name], edit, answer)]
    return len(EDITS), missed
