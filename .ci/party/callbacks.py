"""Where a browser calls an app back (Fixtures/protocol/provider.md)."""

import re

from . import formats, urls
from .refusals import Flaw

LONGEST = 512
ODD = r"[^A-Za-z0-9._~+:/@\[\]!$&'()*,;=-]"
PRIVATE = re.compile(r"[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:/")
HERE = re.compile(r"http://(?:127\.0\.0\.1|\[::1\]):[0-9]")
NO_ADDRESS = ("the address to call back must be an https link, have a scheme with a dot in it, or a port of "
              "127.0.0.1")


def check(text):
    formats.checked(text, "identifier", LONGEST, ODD, "threat-10", "threat-10")
    if text.startswith(("https:", "http:")):
        urls.read(text)
    if not (text.startswith("https:") or HERE.match(text) or PRIVATE.match(text)):
        raise Flaw("OIC-2", NO_ADDRESS)
    return text


def is_address(text):
    try:
        return check(text) is not None
    except Flaw:
        return False
