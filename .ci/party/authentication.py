"""The field `Authorization`: a scheme and what belongs to it (Fixtures/protocol/messages.md, "In the header")."""

import base64
import binascii
import re

from .refusals import Flaw

WHAT = "list of challenges or credentials"
MOST_PARAMETERS = 64
TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
TOKEN68 = re.compile(rb"[A-Za-z0-9._~+/-]+=*")
BLANKS = re.compile(rb"[ \t]*")
NOTHING = re.compile(rb"[ \t,]*")
QUOTED = re.compile(rb'"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"')


def malformed(offset):
    return Flaw("RFC9110-11.3", f"not a valid {WHAT} from offset {offset}")


class Field:
    """The bytes of a value, and how far they were read."""

    def __init__(self, value):
        self.data, self.at = value.encode(), 0

    def skip(self, pattern):
        """What matches here; read over where it does."""
        found = pattern.match(self.data, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else b""

    def ends_element(self):
        return self.data[self.at:self.at + 1] in (b"", b",")

    def begins_parameter(self):
        return re.compile(TOKEN.pattern + rb"[ \t]*=").match(self.data, self.at)


def read(value):
    """The scheme in lower case, and the one token behind it: empty where nothing follows, nothing with parameters."""
    field = Field(value)
    field.skip(NOTHING)
    scheme = field.skip(TOKEN).decode().lower()
    if not scheme:
        raise malformed(field.at)
    behind = field.at
    field.skip(BLANKS)
    start = field.at
    token = field.skip(TOKEN68)
    field.skip(BLANKS)
    if (start > behind or not token) and field.ends_element():
        field.skip(NOTHING)
    else:
        field.at, token = start, None
        if start == behind:
            raise malformed(start)
        read_parameters(field)
    if field.at < len(field.data):
        raise malformed(field.at)
    return scheme, token if token is None else token.decode()


def read_parameters(field):
    names = set()
    while True:
        start = field.at
        name = field.skip(TOKEN).lower()
        field.skip(BLANKS)
        if not name or field.skip(re.compile(b"=")) != b"=":
            raise malformed(field.at)
        field.skip(BLANKS)
        if not (field.skip(QUOTED) or field.skip(TOKEN)):
            raise malformed(field.at)
        if name in names:
            raise Flaw("RFC9110-11.2", f"a parameter for the second time at offset {start}")
        if len(names) == MOST_PARAMETERS:
            raise Flaw("threat-14", f"the {WHAT} has more than {MOST_PARAMETERS} parts")
        names.add(name)
        field.skip(BLANKS)
        if not field.ends_element():
            raise malformed(field.at)
        field.skip(NOTHING)
        if not field.begins_parameter():
            return


def name_and_password(token):
    """What `Basic` shows, as it stands there: both parts are form-encoded still."""
    try:
        data = base64.b64decode(token or "", validate=True)
    except binascii.Error:
        data = b""
    if not data or base64.b64encode(data).decode() != token:
        raise malformed(0)
    name, colon, password = data.partition(b":")
    if not colon:
        raise malformed(len(data))
    if b"&" in data:
        raise malformed(data.index(b"&"))
    return name, password

