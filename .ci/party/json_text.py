"""JSON as RFC 8259 has it, narrower where Fixtures/protocol/formats.md says so."""

import json
import re
from dataclasses import dataclass
from decimal import Decimal

from .refusals import Flaw

SPACE = re.compile(rb"[ \t\n\r]*")
PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
HEX4 = re.compile(rb"[0-9A-Fa-f]{4}")
DIGITS = re.compile(rb"[0-9]*")
LITERALS = {b"t": (b"true", True), b"f": (b"false", False), b"n": (b"null", None)}
ESCAPES = dict(zip(b'"\\/bfnrt', '"\\/\b\f\n\r\t'))
END_OF_ARRAY, END_OF_OBJECT = "a comma or the end of the array", "a comma or the end of the object"
END_OF_STRING = "the end of the string"


@dataclass(frozen=True)
class Bounds:
    """How large a text may be, and how much of what may be in it."""
    size: int = 16_777_216
    depth: int = 64
    values: int = 4_194_304
    members: int = 1_048_576
    string: int = 8_388_608
    number: int = 1_024


class Number(Decimal):
    """A number that was not written as an integer is, with the text that it was written in."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __repr__(self):
        return self.text

    def __deepcopy__(self, memo):
        return self


def read_json(data, **bounds):
    """The value of a JSON text, within the usual bounds or others."""
    data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return Reader(data, Bounds(**bounds)).whole()


def read_object(data, **bounds):
    return typed(read_json(data, **bounds), "object", "$")


class Reader:
    """Reads a text once from its first byte to its last; the first fault ends it.

    `spans` tells where the members of the whole stand.
    """

    def __init__(self, data, bounds):
        self.data, self.bounds, self.place, self.values, self.spans = data, bounds, 0, 0, {}

    def whole(self):
        if len(self.data) > self.bounds.size:
            raise Flaw("RFC8259-9", f"{len(self.data)} bytes of JSON, at most {self.bounds.size} allowed")
        if self.data.startswith(b"\xef\xbb\xbf"):
            raise Flaw("RFC8259-8.1", "byte order mark before the JSON text")
        value = self.value(1)
        self.skip_space()
        if self.place < len(self.data):
            raise Flaw("RFC8259-2", f"content after the JSON text at byte {self.place}")
        return value

    def skip_space(self):
        self.place = SPACE.match(self.data, self.place).end()

    def next(self):
        """The next byte that is no white space, or nothing."""
        self.skip_space()
        return self.data[self.place:self.place + 1]

    def unexpected(self, clause, expected):
        if self.place >= len(self.data):
            return Flaw(clause, f"end of text at byte {len(self.data)}, expected {expected}")
        return Flaw(clause, f"unexpected byte 0x{self.data[self.place]:x} at byte {self.place}, expected {expected}")

    def count(self):
        self.values += 1
        if self.values > self.bounds.values:
            raise Flaw("RFC8259-9", f"more than {self.bounds.values} values and names at byte {self.place}")

    def value(self, depth):
        first = self.next()
        if first in (b"[", b"{"):
            if depth > self.bounds.depth:
                raise Flaw("RFC8259-9", f"nested deeper than {self.bounds.depth} at byte {self.place}")
            self.count()
            return self.array(depth) if first == b"[" else self.object(depth)
        if first == b'"':
            self.count()
            return self.string()
        if first in LITERALS:
            self.count()
            return self.literal(*LITERALS[first])
        if first and first in b"-0123456789":
            self.count()
            return self.number()
        raise self.unexpected("RFC8259-2", "a value")

    def literal(self, word, value):
        if not self.data.startswith(word, self.place):
            raise Flaw("RFC8259-3", f"unknown literal at byte {self.place}")
        self.place += len(word)
        return value

    def array(self, depth):
        self.place += 1
        elements = []
        if self.next() == b"]":
            self.place += 1
            return elements
        while True:
            elements.append(self.value(depth + 1))
            if not self.goes_on(b"]", "RFC8259-5", END_OF_ARRAY, len(elements)):
                return elements

    def goes_on(self, end, clause, expected, number):
        """Whether a comma follows, and room for another member or element, or the end."""
        found = self.next()
        if found not in (b",", end) or not found:
            raise self.unexpected(clause, expected)
        if found == b"," and number >= self.bounds.members:
            raise Flaw("RFC8259-9", f"more than {self.bounds.members} members or elements at byte {self.place}")
        self.place += 1
        return found == b","

    def object(self, depth):
        self.place += 1
        members, repeated, number = {}, None, 0
        if self.next() == b"}":
            self.place += 1
            return members
        while True:
            if self.next() != b'"':
                raise self.unexpected("RFC8259-4", "a name")
            start = self.place
            self.count()
            name = self.string()
            repeated = start if repeated is None and name in members else repeated
            if self.next() != b":":
                raise self.unexpected("RFC8259-4", "a colon")
            self.place += 1
            self.skip_space()
            start = self.place
            members[name] = self.value(depth + 1)
            if depth == 1:
                self.spans[name] = start, self.place
            number += 1
            if not self.goes_on(b"}", "RFC8259-4", END_OF_OBJECT, number):
                break
        if repeated is not None:
            raise Flaw("RFC8259-4", f"duplicate member name at byte {repeated}")
        return members

    def number(self):
        start, data = self.place, self.data
        self.place += data[start:start + 1] == b"-"
        zero = data[self.place:self.place + 1] == b"0"
        self.digits()
        if zero and self.place - start - (data[start:start + 1] == b"-") > 1:
            raise Flaw("RFC8259-6", f"malformed number at byte {start + 1 + (data[start:start + 1] == b'-')}")
        if data[self.place:self.place + 1] == b".":
            self.place += 1
            self.digits()
        if data[self.place:self.place + 1] in (b"e", b"E"):
            self.place += 2 if data[self.place + 1:self.place + 2] in (b"+", b"-") else 1
            self.digits()
        if self.place - start > self.bounds.number:
            raise Flaw("RFC8259-9", f"number longer than {self.bounds.number} characters at byte {start}")
        return number_of(data[start:self.place].decode())

    def digits(self):
        end = DIGITS.match(self.data, self.place).end()
        if end == self.place:
            raise Flaw("RFC8259-6", f"malformed number at byte {self.place}")
        self.place = end

    def string(self):
        start, parts = self.place, []
        self.place += 1
        while True:
            parts.append(self.plain())
            ending = self.data[self.place:self.place + 1]
            if ending == b'"':
                break
            if ending == b"\\":
                parts.append(self.escape())
            elif ending:
                raise Flaw("RFC8259-7", f"unescaped control character 0x{ending[0]:x} at byte {self.place}")
            else:
                raise self.unexpected("RFC8259-7", END_OF_STRING)
        if self.place - start - 1 > self.bounds.string:
            raise Flaw("RFC8259-9", f"string longer than {self.bounds.string} bytes at byte {start}")
        self.place += 1
        return "".join(parts)

    def plain(self):
        """Characters that stand for themselves."""
        start = self.place
        self.place = PLAIN.match(self.data, start).end()
        try:
            return self.data[start:self.place].decode()
        except UnicodeDecodeError as error:
            raise Flaw("RFC8259-8.1", f"malformed UTF-8 at byte {start + error.start}") from None

    def escape(self):
        start, kind = self.place, self.data[self.place + 1:self.place + 2]
        if kind != b"u":
            self.place += 2
            return self.short_escape(start, kind)
        first = self.unit(start)
        if not 0xD800 <= first < 0xE000:
            return chr(first)
        return self.pair(start, first)

    def short_escape(self, start, kind):
        if not kind:
            self.place = len(self.data)
            raise self.unexpected("RFC8259-7", END_OF_STRING)
        if kind[0] not in ESCAPES:
            raise Flaw("RFC8259-7", f"malformed escape at byte {start}")
        return ESCAPES[kind[0]]

    def unit(self, start):
        """The 16 bits of an escape that begins at a place."""
        digits = HEX4.match(self.data, start + 2)
        if digits:
            self.place = digits.end()
            return int(digits[0], 16)
        if re.fullmatch(rb"[0-9A-Fa-f]{0,3}", self.data[start + 2:]):
            self.place = len(self.data)
            raise self.unexpected("RFC8259-7", END_OF_STRING)
        raise Flaw("RFC8259-7", f"malformed escape at byte {start}")

    def pair(self, start, first):
        """The character of an escaped surrogate pair."""
        rest = self.data[self.place:self.place + 2]
        if rest in (b"", b"\\") and first < 0xDC00:
            self.place = len(self.data)
            raise self.unexpected("RFC8259-7", END_OF_STRING)
        second = self.unit(self.place) if first < 0xDC00 and rest == b"\\u" else 0
        if not 0xDC00 <= second < 0xE000:
            raise Flaw("RFC8259-8.2", f"lone surrogate at byte {start}")
        return chr(0x10000 + ((first - 0xD800) << 10) + second - 0xDC00)


def number_of(text):
    return int(text) if re.fullmatch("0|-?[1-9][0-9]*", text) else Number(text)


def compact_json(value):
    """The shortest text of a value: without white space, members in their order, numbers as they were written."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact_json(name)}:{compact_json(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact_json, value)) + "]"
    return value.text if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def same(one, other):
    """Whether two values are alike: the order of members and the form of numbers mean nothing, but `true` is no 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return json_type(one) == json_type(other) and one == other


# Members that are asked for

def json_type(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", list: "array", dict: "object"}.get(type(value), "number")


def is_whole(value):
    return json_type(value) == "number" and value == int(value)


def typed(value, expected, path):
    """A value of the expected type."""
    if json_type(value) != expected:
        raise wrong_type(path, value, expected)
    return value


def wrong_type(path, value, expected):
    return Flaw("RFC8259-3", f"{path} is {json_type(value)}, expected {expected}")


def member(value, name, expected, path="$"):
    """The member of an object that has to be there, of the expected type."""
    if name not in value:
        raise Flaw("RFC8259-4", f"{path}.{name} is missing")
    return typed(value[name], expected, f"{path}.{name}")


def optional_member(value, name, expected, path="$"):
    return member(value, name, expected, path) if name in value else None


def integer(value, path="$", bits=64):
    """The integer that a number is, whatever form it was written in."""
    typed(value, "number", path)
    limit = 2 ** (bits - 1)
    if value != value or isinstance(value, Number) and value.adjusted() < bits and value != int(value):
        raise Flaw("RFC8259-6", f"{path} is not an integer")
    if not -limit <= value < limit:
        raise Flaw("RFC8259-6", f"{path} is out of range")
    return int(value)
