"""Finding the endpoint that a request is for (Fixtures/protocol/messages.md)."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlsplit

from . import urls
from .refusals import Flaw, Refusal

ANY_PART = "*"


@dataclass(frozen=True)
class Endpoint:
    """A URL, parts of which may be anything, and what is performed there with the parts that were found."""

    methods: tuple[str, ...]
    url: str
    perform: Callable


def find(endpoints: list[Endpoint], request) -> tuple[Endpoint, list[str]]:
    """The endpoint that a request is for, and what stands in the place of each `*`."""
    here = [(endpoint, parts) for endpoint in endpoints if (parts := parts_of(request.url, endpoint.url)) is not None]
    if not here:
        raise Refusal("http_404", "")
    for endpoint, parts in here:
        if request.method in endpoint.methods:
            return endpoint, parts
    methods = [method for endpoint, _ in here for method in endpoint.methods]
    raise Refusal("http_405", "", fields={"Allow": ", ".join(methods)})


def parts_of(url: str, pattern: str) -> list[str] | None:
    """What stands in the place of each `*` of the pattern, if the URL is of it."""
    if not url.startswith("/") and origin(url) != origin(pattern):
        return None
    path, places = urlsplit(url).path.split("/"), urlsplit(pattern).path.split("/")
    if len(path) != len(places):
        return None
    found = []
    for part, place in zip(path, places):
        if place == ANY_PART:
            text = decoded(part)
            if not text:
                return None
            found.append(text)
        elif part != place:
            return None
    return found


def origin(url: str) -> str | None:
    """Scheme, host and port in normal form, or nothing of what is no URL."""
    try:
        return urls.read(url.partition("?")[0]).origin
    except Flaw:
        return None


def decoded(part: str) -> str | None:
    try:
        return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        return None

