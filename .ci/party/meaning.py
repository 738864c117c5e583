"""What vectors compare by meaning: what is known without names and records in common (Fixtures/vectors/README.md)."""

import hashlib

from .formats import read_form
from .json_text import read_json, same
from .refusals import Refusal

# What a party keeps for itself.
OWN_AFFAIRS = ("changes", "attempt")
REDUCED = "random bytes come in: only the status and the names of members are compared"


def other_chance(given):
    """The same situation with other random bytes, or nothing where none are given."""
    if "entropy" not in given:
        return None
    return {**given, "entropy": hashlib.sha256(bytes.fromhex(given["entropy"])).hexdigest()}


def random_parts(found, otherwise):
    """The parts of an answer into which random bytes come: those that are others by other chance."""
    return {name for name in found if otherwise is not None and not same(found[name], otherwise.get(name))}


def meaning(answer, random):
    """What is compared of an answer; `random` names the parts into which random bytes come."""
    parts = {name: value for name, value in answer.items() if name not in OWN_AFFAIRS}
    if "refusal" in parts:
        parts["refusal"] = {name: value for name, value in parts["refusal"].items() if name != "clause"}
    return {name: reduced(value) if name in random else whole(value) for name, value in parts.items()}


def whole(value):
    """A value with messages in it, their bodies read where they are JSON."""
    if isinstance(value, dict):
        return {name: body(member) if name == "body" else whole(member) for name, member in value.items()}
    return [*map(whole, value)] if isinstance(value, list) else value


def body(value):
    try:
        return {"json": read_json(value)} if isinstance(value, str) else value
    except Refusal:
        return value


def reduced(value):
    """The status, method and place of a message, and the names of its members; of other values their type."""
    if isinstance(value, list):
        return [*map(reduced, value)]
    if not isinstance(value, dict) or not {"status", "method"} & value.keys():
        return type(value).__name__
    kept = {name: value[name] for name in ("status", "method", "url") if name in value}
    return kept | {"members": names(value["body"])} if "body" in value else kept


def names(text):
    """The names of the members of a body, which is JSON or a form."""
    try:
        value = read_json(text)
        return sorted(value) if isinstance(value, dict) else type(value).__name__
    except Refusal:
        return form_names(text)


def form_names(text):
    try:
        return sorted(name for name, _ in read_form(text))
    except Refusal:
        return "text"
