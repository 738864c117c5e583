"""What an exchange is: a party with its store, the time and chance; what it asks, changes and answers."""

import hmac
from importlib import import_module
from urllib.parse import urljoin, urlsplit

from . import formats
from .changes import Conflict, Store
from .messages import Answer, Request, error_at, refused
from .refusals import Refusal, demand

REPEATED = "the request's proof was presented before; make a new one for each request"
LOCKED_OUT = "locked out of this service; whoever runs it can say why"


class Chance:
    """Random bytes from words of 8 bytes: those of a stream under a key, or of the entropy itself over and over."""

    def __init__(self, words):
        self.words = iter(words)

    @classmethod
    def stream(cls, entropy):
        return cls(stream_words(bytes.fromhex(entropy)))

    @classmethod
    def over_and_over(cls, entropy):
        return cls(repeated_words(bytes.fromhex(entropy)))

    def word(self):
        return next(self.words)

    def bytes(self, count):
        """Bytes of whole words, of each the lowest first."""
        drawn = b"".join(self.word()[::-1] for _ in range((count + 7) // 8))
        return drawn[:count]

    def text(self, count):
        return formats.base64url(self.bytes(count))

    def name(self):
        """A new name of a record."""
        return self.text(16)

    def serial(self):
        return self.text(6)

    def salt(self):
        return b"".join(self.word() for _ in range(4))


def words_of(block):
    return [block[start:start + 8] for start in range(0, len(block), 8)]


def stream_words(entropy):
    number = 0
    while True:
        block = hmac.digest(entropy, number.to_bytes(8, "big"), "sha256")
        yield from reversed(words_of(block))
        number += 1


def repeated_words(entropy):
    while True:
        yield from words_of(entropy)


class Exchange:
    """One request to a party, and all that it brings about."""

    def __init__(self, given, chance=Chance.stream):
        self.party = given["party"]
        self.policy = self.party.get("policy", {})
        self.issuer = self.party["issuer"]
        self.master = formats.base64url_bytes(self.party["master"])
        self.now = given["now"]
        self.chance = chance(given["entropy"])
        self.store = Store(given["store"])
        self.changes = []
        self.questions = []
        self.reply = given.get("answer")
        self.replies = list(given.get("answers", ()))
        self.at_resource = False
        self.challenge_scope = None
        self.bare_challenge = False

    @property
    def tree(self):
        return self.store.tree

    @property
    def repetition_window(self):
        return self.policy.get("repetition_window", 60)

    def demand_signer(self):
        """Where the key lies elsewhere, whoever has it may be away, or give what is no signature; then nothing has happened."""
        demand(self.policy.get("signer", "elsewhere") == "elsewhere", "temporarily_unavailable", "KEY-21",
               "the service's signer did not sign; send the same request again later")

    def url(self, path):
        """The URL of an endpoint below the issuer identifier."""
        return below(self.issuer, path)

    def url_of(self, request):
        """The URL of a request without its query, as everybody knows this party."""
        return urljoin(self.issuer, urlsplit(request.url).path)

    def change(self, do, **members):
        """Adds a change to the batch; members without a value are left out."""
        self.changes.append(change(do, **members))

    def ask(self, request):
        """Sends a request to another service: what it answers, or nothing."""
        self.questions.append(request)
        reply = self.replies.pop(0) if self.replies else self.reply
        return None if reply is None else Answer.of(reply)

    def commit(self, changes):
        """Stores a batch, or refuses by its first conflict."""
        try:
            self.store.apply({"at": self.now, "changes": changes})
        except Conflict as conflict:
            raise conflict_refusal(conflict.clause) from None


def below(base, path):
    return base.removesuffix("/") + "/" + path


def change(do, **members):
    return {"do": do} | {name: value for name, value in members.items() if value is not None}


def conflict_refusal(clause):
    if clause == "threat-36":
        return Refusal("invalid_client", "threat-36", REPEATED)
    if clause == "threat-54":
        return Refusal("temporarily_unavailable", "threat-62",
                       "too many requests at this moment; wait as long as 'Retry-After' says",
                       fields={"Retry-After": "64"})
    if clause == "threat-67":
        return Refusal("temporarily_unavailable", "threat-67",
                       "the service was just restored; wait as long as 'Retry-After' says, and sign anew",
                       fields={"Retry-After": "60"})
    if clause == "threat-78":
        return Refusal("access_denied", "threat-78", LOCKED_OUT)
    return Refusal("temporarily_unavailable", "threat-32",
                   "too many requests change the same records; try again later")


def outcome(given, serve, result="response"):
    """What comes of a request: `serve` gives the answer, or what is granted, and notes the changes."""
    exchange = Exchange(given)
    try:
        answer = serve(exchange, Request.of(given["request"]))
        exchange.commit(exchange.changes)
    except Refusal as refusal:
        return refused_outcome(exchange, refusal)
    answer = answer.written() if isinstance(answer, Answer) else answer
    return {result: answer, "changes": exchange.changes} | questions_of(exchange)


def refused_outcome(exchange, refusal):
    try:
        exchange.commit(refusal.changes)
    except Refusal as conflict:
        refusal = conflict
    refusal.error = error_at(exchange.at_resource, refusal.error)
    if hasattr(refusal, "answer"):
        # For a browser it looks otherwise.
        answer = refusal.answer()
    else:
        answer = refused(refusal, resource=exchange.at_resource, scope=exchange.challenge_scope,
                         bare=exchange.bare_challenge)
    told = {"error": refusal.error} | ({"clause": refusal.clause} if refusal.clause else {})
    return {"response": answer.written(), "changes": refusal.changes, "refusal": told} | questions_of(exchange)


def questions_of(exchange):
    return {"questions": exchange.questions} if exchange.questions else {}


ROLES = {"edu-id": "edu_id", "service": "service"}


def serving(name):
    """What serves requests in a module of this package; modules of parties build on this one."""
    return import_module(f".{name}", __package__)


def answer_exchange(given):
    """The kind `exchange`, by the role of the party."""
    return outcome(given, serving(ROLES[given["party"]["role"]]).serve)


def answer_access(given):
    """The kind `access`: a request to one of the service's own endpoints."""
    return outcome(given, serving("access").serve, result="granted")


def answer_delivery(given):
    """The kind `delivery`: the first message that is due."""
    return serving("delivery").deliver(Exchange(given, Chance.over_and_over))
