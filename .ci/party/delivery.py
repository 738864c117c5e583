"""How the edu-ID service tells services what has ended (Fixtures/protocol/revocation.md)."""

from decimal import Decimal

from . import assertions, formats, jose, urls
from .credentials import JWT_BEARER
from .edu_id_service import EduId
from .introductions import revocation_endpoint
from .messages import FORM_FIELDS, Answer, is_page
from .proofs import later
from .refusals import Flaw

FIRST_PAUSE, LONGEST_PAUSE, DAILY = 30, 21_600, 86_400
GIVEN_UP_AFTER = 604_800
STEPS = 1_001
WORD = 2 ** 64
ASSERTION_LIFETIME = 60
FAILURES = 500


def deliver(exchange):
    """The answer to a vector of the kind `delivery`."""
    edu_id = EduId(exchange)
    message = first_due(edu_id)
    endpoints = message and places(edu_id, message)
    if not endpoints:
        return {"refusal": {"clause": "TOK-7"}}
    tried = message.get("attempts", 0)
    attempt = {"do": "attempt", "message": message["id"], "after": tried, "retry": next_time(edu_id, message, tried)}
    request, *others = [written(edu_id, message, endpoint) for endpoint in endpoints]
    settled = {"do": "settle", "message": message["id"], "as": "delivered"}
    reply = None if exchange.reply is None else Answer.of(exchange.reply)
    confirmed = reply is not None and is_confirmation(reply)
    next_one = {"next": others[0]} if others and reply is not None and is_refused(reply) else {}
    return {"request": request, "attempt": attempt} | next_one | {"changes": [settled] if confirmed else []}


def places(edu_id, message):
    """Where a service takes a message, and where it took it when it was given what has ended."""
    service = edu_id.service_of(message["to"])
    present = revocation_endpoint(service) if service else None
    former = kept_place(message)
    # Of a service that is there and not described yet, only its own host stands in for it.
    stands = former and (present or service is None or former.host == service.url.host)
    return list(dict.fromkeys(filter(None, [present, former.text if stands else None])))


def kept_place(message):
    text = message["body"].get("revocation")
    if not isinstance(text, str):
        return None
    try:
        url = urls.read(text)
    except Flaw:
        return None
    return url if urls.is_open_host(url.host) else None


def first_due(edu_id):
    due = [message for message in edu_id.tree.messages.values() if message["due"] <= edu_id.now]
    return min(due, key=lambda message: (message["due"], message["id"].encode()), default=None)


def next_time(edu_id, message, tried):
    """When to try again: later each time, and not all at once."""
    if edu_id.now >= message.get("tried", edu_id.now) + GIVEN_UP_AFTER:
        return edu_id.now + DAILY
    pause = min(FIRST_PAUSE * 2 ** tried, LONGEST_PAUSE)
    less = Decimal(drawn(edu_id.chance) * pause) / 4_000
    return later(Decimal(edu_id.now) + pause - less, 0)

def drawn(chance):
    """A number from 0 to 1,000, each as likely as the others."""
    while True:
        product = int.from_bytes(chance.word(), "big") * STEPS
        if product % WORD >= WORD % STEPS:
            return product // WORD


def written(edu_id, message, endpoint):
    hint = next(name for name in ("key", "token") if name in message["body"])
    token = message["body"][hint]
    claims = {"iss": edu_id.issuer.name, "sub": edu_id.issuer.name, "aud": message["to"], "iat": edu_id.now,
              "exp": edu_id.now + ASSERTION_LIFETIME, "jti": edu_id.chance.text(16)}
    body = [("token", token), ("token_type_hint", "key" if hint == "key" else "assertion"),
            ("client_assertion_type", JWT_BEARER),
            ("client_assertion", jose.issue(claims, edu_id.key, assertions.CLIENT_TYPE))]
    return {"method": "POST", "url": endpoint, "headers": FORM_FIELDS, "body": formats.form(body)}


def is_refused(answer):
    """Whether somebody answers who does not take it, and not only for the moment."""
    return answer.status < FAILURES and not is_confirmation(answer)


def is_confirmation(answer):
    """Whether an answer says that the message has arrived: no page, and no other status than these."""
    return answer.status == 204 or answer.status == 200 and not (answer.body and is_page(answer))
