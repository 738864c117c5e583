"""How administrators of the edu-ID service are asked who they are, what they name, and how their lists go on."""

import re
from dataclasses import dataclass

from . import formats
from .clients import PERSONAL, current_scope
from .messages import header_credential
from .refusals import Flaw, Refusal, demand
from .requesters import find_requester

GONE = "the place in the list is not there any more; begin the list anew"
MOST_CHARACTERS, MOST_BYTES = 200, 800
USUAL_LIMIT, MOST_LIMIT = 100, 1000
LATEST = 2 ** 40


def is_true(text):
    return text == "true"


def is_limit(text):
    return re.fullmatch("[1-9][0-9]{0,3}", text) and int(text) <= MOST_LIMIT


def is_remark(text):
    """Up to 200 characters that can be seen."""
    return 1 <= len(text) <= MOST_CHARACTERS and len(text.encode()) <= MOST_BYTES and formats.is_for_people(text)


KINDS = {
    "locked": (is_true, "'true'"),
    "user": (formats.is_name, "the name of a user"),
    "version": (formats.is_name, "the name of a version's key"),
    "device": (formats.is_name, "a part of a device's name"),
    "name": (formats.is_name, "the name of a user"),
    "after": (formats.is_name, "the place that the last answer ended with"),
    "limit": (is_limit, f"a number from 1 to {MOST_LIMIT}"),
    "reason": (is_remark, f"a text of at most {MOST_CHARACTERS} characters that can be seen"),
}


@dataclass(frozen=True)
class Wishes:
    """The parameters of an administrator's request."""

    pairs: list

    @classmethod
    def of(cls, request):
        text = request.body or "" if request.method == "POST" else request.query
        try:
            return cls(formats.read_form(text))
        except Flaw:
            raise Refusal("invalid_request", "RFC6749-B", "the parameters are no form") from None

    def values(self, name):
        return [value for found, value in self.pairs if found == name]

    def read(self, name, kind=None):
        """A parameter that comes once and is what it should be, or nothing."""
        is_right, words = KINDS[kind or name]
        values = self.values(name)
        demand(not values or len(values) == 1 and is_right(values[0]), "invalid_request", "RFC6749-3.1",
               f"'{name}' must be {words}, and come once")
        return values[0] if values else None

    def since(self):
        values = self.values("since")
        is_right = len(values) == 1 and re.fullmatch("0|[1-9][0-9]{0,12}", values[0]) and int(values[0]) <= LATEST
        demand(is_right, "invalid_request", "threat-76", "'since' must be the time of the theft, in seconds since 1970")
        return int(values[0])

    def limit(self):
        return int(self.read("limit") or USUAL_LIMIT)

    def link(self, name):
        """Where a list goes on behind a record."""
        others = [pair for pair in self.pairs if pair[0] != "after"]
        return f'<?{formats.form([*others, ("after", name)])}>; rel="next"'


def administrator(edu_id, request):
    """Who asks, if that is an administrator with a token for everything."""
    requester = find_requester(edu_id.exchange, request, header_credential(request),
                               edu_id.exchange.url_of(request), PERSONAL)
    record = requester.record
    edu_id.demand_admission(record)
    is_one = record["subject"] in edu_id.policy.get("administrators", ()) and current_scope(record) == record["scope"]
    demand(is_one, "insufficient_scope", "TOK-5", "this takes an administrator")
    return requester


def named(edu_id, *names):
    """The parts of a path have the form of names; otherwise there is no such place."""
    demand(all(map(formats.is_name, names)), "http_404", "")


def portion(records, after, limit):
    """The records behind a place, and where the list goes on, if it does."""
    start = 0
    if after is not None:
        place = next((place for place, record in enumerate(records) if record["id"] == after), None)
        demand(place is not None, "invalid_request", "threat-14", GONE)
        start = place + 1
    found = records[start:start + limit]
    return found, found[-1]["id"] if start + limit < len(records) else None
