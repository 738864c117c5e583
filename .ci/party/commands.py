"""What lists and commands of administrators have in common: their parameters, remarks, portions, and endings."""

import re
from collections.abc import Callable

from . import formats
from .changes import described
from .exchange import change
from .formats import is_for_people, is_name
from .messages import Answer, told
from .refusals import Flaw, Refusal, demand
from .tree import Record

USUAL_LIMIT = 100
MOST_RECORDS = 1_000
MOST_ENDINGS = 256
LONGEST_REMARK = 200
MOST_REMARK_BYTES = 800


def read_parameters(request) -> list:
    """The parameters of a list or command: in the query, or with POST in the body whatever its media type."""
    text = (request.body or "") if request.method == "POST" else request.query
    try:
        return formats.read_form(text)
    except Flaw:
        raise Refusal("invalid_request", "RFC6749-B", "the parameters are no form") from None


class Parameters:
    """The parameters of a list or command: each comes once, and an empty value is a value."""

    def __init__(self, request):
        self.pairs = read_parameters(request)

    def text(self, name: str, what: str, is_good: Callable[[str], bool]) -> str | None:
        values = [value for other, value in self.pairs if other == name]
        demand(not values or len(values) == 1 and is_good(values[0]), "invalid_request", "RFC6749-3.1",
               f"'{name}' must be {what}, and come once")
        return values[0] if values else None

    def locked(self) -> bool:
        return self.text("locked", "'true'", lambda value: value == "true") is not None

    def after(self) -> str | None:
        return self.text("after", "the place that the last answer ended with", is_name)

    def limit(self) -> int:
        value = self.text("limit", f"a number from 1 to {MOST_RECORDS}", is_limit)
        return int(value) if value else USUAL_LIMIT

    def remark(self) -> str | None:
        """Why, for the next administrator."""
        return self.text("reason", f"a text of at most {LONGEST_REMARK} characters that can be seen", is_remark)

    def next_query(self, last: str) -> str:
        """The query for what comes behind the last record of an answer."""
        return formats.form([*(pair for pair in self.pairs if pair[0] != "after"), ["after", last]])


def is_limit(text: str) -> bool:
    return re.fullmatch("[0-9]{1,4}", text) is not None and 1 <= int(text) <= MOST_RECORDS


def is_remark(text: str) -> bool:
    return 1 <= len(text) <= LONGEST_REMARK and len(text.encode()) <= MOST_REMARK_BYTES and is_for_people(text)


# Portions


def portion(records: list[Record], parameters: Parameters, after: str | None, limit: int) -> tuple[list, dict]:
    """The records behind a place, and the field that tells where the list goes on."""
    start = 0
    if after is not None:
        places = [place for place, record in enumerate(records) if record["id"] == after]
        demand(places, "invalid_request", "threat-14",
               "the place in the list is not there any more; begin the list anew")
        start = places[0] + 1
    found = records[start:start + limit]
    return found, next_link(parameters, found) if start + limit < len(records) else {}


def next_link(parameters: Parameters, found: list[Record]) -> dict:
    return {"Link": f'<?{parameters.next_query(found[-1]["id"])}>; rel="next"'}


def listed(entries: list, link: dict) -> Answer:
    return told(entries, **link)


# Endings


def ending(tree, record: Record, now: float, reason: str, remark: str | None = None) -> list:
    """The changes that end a record, and note why, where its grant still lives."""
    changes = []
    if remark is not None and tree.lives(record["id"], now):
        changes.append(described(record, record.get("attributes", {}) | {"reason": remark}))
    return [*changes, change("revoke", id=record["id"], reason=reason)]


def demand_something(records: list[Record], changes: list) -> None:
    """Where nothing is left to end, the proof is noted, and there is nothing of that name."""
    if not records:
        raise Refusal("http_404", "", changes=changes)


def done(records: list[Record]) -> Answer:
    """The answer to a command that ends what is not over yet, a part of it at a time."""
    return Answer(204 if len(records) <= MOST_ENDINGS else 202)
