"""Scopes: what a service offers, and what words of a scope cover (Fixtures/protocol/app-authorization.md)."""

from . import urls
from .descriptions import is_of_oauth2
from .endpoints import endpoint
from .refusals import Flaw


def is_url(word: str) -> bool:
    return word.lower().startswith(("http://", "https://"))


def covers(scope: str | None, url: str) -> bool:
    """Whether one of the words of a scope covers a URL."""
    place = read(url)
    return place is not None and any(word.covers(place) for word in map(read, (scope or "").split()) if word)


def read(word: str) -> urls.URL | None:
    """The URL that a word is, or nothing."""
    try:
        return urls.read(word)
    except Flaw:
        return None


def contains_word(scope: str | None, word: str) -> bool:
    """Whether a word stands in a scope, as text or as the same URL, or is covered by it."""
    words = (scope or "").split()
    url = read(word)
    return word in words or url is not None and (
        covers(scope, word) or url.identity in [known.identity for known in map(read, words) if known])


def contains(scope: str | None, other: str | None) -> bool:
    return all(contains_word(scope, word) for word in (other or "").split())


def protocol_url(document: dict, protocol: str) -> str | None:
    """The URL of a protocol that apps can be given; without a usable https link there is none."""
    if is_of_oauth2(protocol) or protocol not in document.get("apis", {}):
        return None
    try:
        url = endpoint(document, protocol)
    except Flaw:
        return None
    return url if url.lower().startswith("https://") else None


def offer(document: dict) -> list[str]:
    """The URLs of the protocols of a service, in the order of its description."""
    urls = (protocol_url(document, protocol) for protocol in document.get("apis", {}))
    return [url for url in urls if url is not None]


def current(record: dict) -> str:
    """The scope of the access token, which may be narrower than the grant."""
    return record.get("attributes", {}).get("narrowed_scope", record.get("scope", ""))
