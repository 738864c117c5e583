"""An instance of the edu-ID app: its keys, what it signs, and how it asks (Fixtures/protocol/app-requests.md).

An interaction is a generator: it yields requests, is sent their answers, and returns its value or raises a refusal.
"""

from . import ed25519, jose, keys, replies, urls
from .clock import Clock, is_of_another_time
from .credentials import JWT_BEARER
from .exchange import Chance
from .formats import base64url, base64url_bytes, form, sha256
from .instance_store import Store, Token
from .json_text import compact_json
from .messages import FORM, JSON, Answer
from .refusals import Flaw, Refusal, demand

NO_ANSWER = "NIF-9"


def key_of_seed(seed):
    return {"kty": "OKP", "crv": "Ed25519", "x": base64url(ed25519.public_key(seed)), "d": base64url(seed)}


def permitted(text, home):
    """A URL, if requests may go there as seen from a home page."""
    url = urls.read(text)
    demand(url.is_open(home), "", "threat-70", "requests may not go there")
    return url.text


def is_refused_with(refusal, *words):
    return refusal.error in words


def nonce_of(refusal):
    """The one nonce that a DPoP proof lacked."""
    values = refusal.fields.get("DPoP-Nonce", ())
    return values[0] if refusal.error == "use_dpop_nonce" and len(values) == 1 else None


class Instance:
    """The instance with its store, the time, and the chance of the interaction that runs."""

    def __init__(self, party):
        self.app_name, self.version_key, self.uuid = party["app_name"], party["version_key"], party["instance"]
        self.key = key_of_seed(base64url_bytes(party["key"]["d"]))
        self.device, self.metadata = party["device"], party["edu_id"]
        self.store, self.chance, self.now = Store(), None, None
        # What was signed for the next request: each text, and what it was made of.
        self.clock, self.signed = Clock(self.metadata), {}

    def interaction(self, entropy, number, steps):
        """An interaction with a chance of its own."""
        self.chance = Chance.stream(sha256(bytes.fromhex(entropy) + bytes([number])).hex())
        self.clock.begin()
        try:
            return (yield from steps)
        finally:
            self.clock.end()

    # Tokens

    @property
    def issuer(self):
        return self.metadata["issuer"]

    def token_place(self, kind):
        return self.uuid, self.issuer, kind

    def token(self, kind):
        """The token `client` or `personal`, if it is there."""
        return self.store.tokens.get(self.token_place(kind))

    def instance_token(self):
        return self.demanded(self.token("client"), "REG-1")

    def user_token(self):
        return self.demanded(self.token("personal"), "AUT-5")

    def service_token(self, name):
        service = self.store.services.get(name)
        return self.demanded(service and service.token, "APP-2")

    @staticmethod
    def demanded(token, clause):
        demand(token, "", clause, "there is no such token")
        return token

    def kept(self, members, holder=None, key=None):
        """A token of what was granted, if it is bound to the key that asked."""
        holder, key = holder or self.uuid, key or self.key
        cnf = members.get("cnf", {})
        jwk = cnf.get("jwk", {})
        demand("kid" in cnf or "kid" in jwk, "", "POP-1", "the token is bound to no key that has a name")
        if jwk and jwk["kty"] != "oct":
            demand(keys.thumbprint(jwk) == keys.thumbprint(key), "", "threat-36", "it is bound to another key")
        lifetime = members.get("expires_in")
        return Token(members, holder, key, None if lifetime is None else self.now + lifetime)

    def keep(self, kind, token):
        self.store.tokens[self.token_place(kind)] = token

    # What it signs

    def signing_time(self, url):
        return self.now + self.clock.ahead_at(url)

    def issue(self, claims, key, kind, /, **parameters):
        text = jose.issue(claims, key, kind, **parameters)
        self.signed[text] = claims, key, kind, parameters
        return text

    def request_token(self, url, token):
        claims = {"iss": token.holder, "aud": url.partition("#")[0].partition("?")[0], "iat": self.signing_time(url),
                  "jti": self.chance.name()}
        return self.issue(claims, token.key | {"kid": token.kid}, "request+jwt")

    def dpop_proof(self, url, key=None, nonce=None):
        key = key or self.key
        claims = {"jti": self.chance.name(), "htm": "POST", "htu": url.partition("#")[0].partition("?")[0],
                  "iat": self.signing_time(url)} | ({"nonce": nonce} if nonce is not None else {})
        return self.issue(claims, key, "dpop+jwt", jwk=keys.material(key))

    def statement(self):
        """The statement of the version about this instance, as the parameters of a form."""
        device = {name: self.device[name] for name in ("name", "device_id", "device_type", "os_version")}
        claims = {"iss": self.app_name, "sub": self.uuid, "aud": self.issuer} | device | {
            "iat": self.signing_time(self.endpoint("token_endpoint")), "jti": self.chance.name(),
            "cnf": {"jwk": keys.material(self.key)}}
        statement = self.issue(claims, self.version_key, "client-authentication+jwt")
        return [("client_assertion_type", JWT_BEARER), ("client_assertion", statement)]

    # Asking

    def endpoint(self, name):
        """An endpoint of the edu-ID service."""
        demand(name in self.metadata, "", "RFC8414-2", f"the metadata name no '{name}'")
        return permitted(self.metadata[name], urls.read(self.issuer))

    def ask(self, method, url, fields, body=None):
        made, ahead, signed, self.signed = self.now, self.clock.ahead_at(url), self.signed, {}
        answer = yield from self.told(method, url, fields, body)
        if not signed or not self.clock.repeats(answer, url, made):
            says_nothing = not self.clock.is_edu_id(url) and is_of_another_time(answer, made + ahead)
            return Answer(503) if says_nothing else answer
        for text, (claims, key, kind, parameters) in signed.items():
            times = {name: claims[name] + self.clock.ahead_at(url) - ahead for name in ("iat", "exp") if name in claims}
            again = jose.issue(claims | times, key, kind, **parameters)
            fields = {name: value.replace(text, again) for name, value in fields.items()}
            body = body and body.replace(text, again)
        answer = yield from self.told(method, url, fields, body)
        self.clock.repeats(answer, url, made, is_repeated=True)
        return answer

    @staticmethod
    def told(method, url, fields, body):
        answer = yield {"method": method, "url": url, "headers": fields} | ({} if body is None else {"body": body})
        demand(answer is not None, "", NO_ANSWER, "there was no answer")
        return Answer.of(answer)

    def form(self, url, pairs, *, bearer=None, dpop=None, reply="token", asked=None):
        """What a form is granted; `reply` tells how its answer is read."""
        fields = {"Accept": JSON, "Authorization": bearer and f"Bearer {bearer}", "DPoP": dpop, "Content-Type": FORM}
        fields = {name: value for name, value in fields.items() if value is not None}
        answer = yield from self.ask("POST", url, fields, form(pairs))
        return read_reply(reply, answer, asked)

    def resource(self, url, token, content=None, absent=()):
        """The body of a resource, or nothing with a status that tells that it is absent."""
        body = None if content is None else compact_json(content)
        fields = {"Authorization": f"Bearer {self.request_token(url, token)}", "Accept": JSON}
        fields |= {} if body is None else {"Content-Type": JSON}
        answer = yield from self.ask("GET" if body is None else "POST", url, fields, body)
        if answer.status in absent:
            return None
        if 200 <= answer.status < 300:
            return answer.body or ""
        return read_reply("resource", answer)


def read_reply(kind, answer, asked=None):
    """What is granted; a refusal by the peer is told with its word, and brings the nonces of the answer."""
    try:
        return replies.READERS[kind](answer, asked or {})
    except replies.Refused as refused:
        raise Refusal(refused.error, "RFC6749-5.2", refused.words or "",
                      fields={"DPoP-Nonce": answer.values("DPoP-Nonce")}) from None
    except Refusal as fault:
        raise Flaw(fault.clause, fault.words) from None
