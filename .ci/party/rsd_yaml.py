"""Service descriptions in YAML, of a subset in which a text means what it shows (Fixtures/protocol/descriptions.md)."""

import re

import yaml

from .json_text import number_of
from .refusals import Flaw

MOST_BYTES, MOST_DEPTH, MOST_KEY, MOST_NUMBER = 524_288, 32, 1024, 1024
WORDS = {
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None), **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
NUMBER = re.compile(r"([-+]?)(\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)([eE][-+]?[0-9]+)?")
OTHER_BASE = re.compile("0o([0-7]+)|0x([0-9a-fA-F]+)")
NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
# What the parser complains about, and the rule that is broken.
COMPLAINTS = (
    (r"\\t", "YAML-6.1"), ("could not find expected ':'", "YAML-7.4"), ("special characters", "YAML-5.1"),
    ("escape", "YAML-5.7"), ("block scalar|indentation indicator|chomping", "YAML-8.1.1"),
    ("not allowed here", "YAML-8.2"), ("<document start>", "YAML-9"),
    ("block end", "YAML-6.1"), ("directive", "threat-44"), ("tag|anchor|alias", "threat-44"),
)


def read(text):
    """The JSON value of a text."""
    if len(text.encode()) > MOST_BYTES:
        raise Flaw("threat-43", f"more than {MOST_BYTES} bytes of YAML")
    try:
        events = yaml.parse(text.removeprefix("\ufeff"), Loader=yaml.SafeLoader)
        return Reader(checked(event) for event in events).document()
    except yaml.YAMLError as error:
        raise Flaw(complaint(str(getattr(error, "problem", None) or error)), "malformed YAML") from None


def complaint(words):
    return next((clause for pattern, clause in COMPLAINTS if re.search(pattern, words)), "YAML-7")


def checked(event):
    """An event, if it is of the subset."""
    if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
        raise Flaw("threat-44", "an anchor, alias or tag")
    if getattr(event, "version", None) or getattr(event, "tags", None):
        raise Flaw("threat-44", "a directive")
    return event


class Reader:
    """Reads events of the parser, in their order."""

    def __init__(self, events):
        self.events = events

    def document(self):
        next(self.events)
        if not isinstance(next(self.events), yaml.DocumentStartEvent):
            raise Flaw("YAML-9", "no document")
        value = self.value(next(self.events), 1)
        next(self.events)
        if not isinstance(next(self.events), yaml.StreamEndEvent):
            raise Flaw("YAML-9", "a second document")
        return value

    def value(self, event, depth):
        if isinstance(event, yaml.ScalarEvent):
            return scalar(event)
        if depth > MOST_DEPTH:
            raise Flaw("threat-43", f"nested deeper than {MOST_DEPTH}")
        return self.mapping(depth) if isinstance(event, yaml.MappingStartEvent) else self.sequence(depth)

    def sequence(self, depth):
        elements = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            elements.append(self.value(event, depth + 1))
        return elements

    def mapping(self, depth):
        members = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            name = key(event)
            if name in members:
                raise Flaw("YAML-3.2.1", "a key that comes twice")
            members[name] = self.value(next(self.events), depth + 1)
        return members


def key(event):
    if not isinstance(event, yaml.ScalarEvent) or not event.value:
        raise Flaw("threat-44", "a key that is no text")
    if event.value == "<<" and event.style is None:
        raise Flaw("threat-44", "a merge key")
    if event.start_mark.line != event.end_mark.line or len(event.value.encode()) > MOST_KEY:
        raise Flaw("YAML-7.4", "a key over several lines, or one that is too long")
    return event.value


def scalar(event):
    """A plain scalar of one line by the core schema, every other one as text."""
    if event.style is not None or event.start_mark.line != event.end_mark.line:
        return event.value
    return WORDS[event.value] if event.value in WORDS else number(event.value)


def number(text):
    """A number as JSON has it, or the text that it is no number in."""
    if NO_NUMBER.fullmatch(text) or len(text) > MOST_NUMBER and NUMBER.fullmatch(text):
        raise Flaw("threat-44", "a number that JSON does not have")
    based = OTHER_BASE.fullmatch(text)
    if based:
        value = int(based[1], 8) if based[1] else int(based[2], 16)
        if value >= 2**64:
            raise Flaw("threat-44", "a number that JSON does not have")
        return value
    found = NUMBER.fullmatch(text)
    if not found:
        return text
    sign, digits, exponent = found.groups()
    digits = ("0" if digits.startswith(".") else "") + digits + ("0" if digits.endswith(".") else "")
    return number_of(sign.replace("+", "") + digits + (exponent or ""))
