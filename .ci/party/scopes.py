"""Scopes: what a service offers, and what words of a scope cover (Fixtures/protocol/app-authorization.md)."""

from . import descriptions, urls
from .refusals import Refusal

AUTHORIZATION = "org.ietf.oauth2"


def is_url(word: str) -> bool:
    return word.lower().startswith(("http://", "https://"))


def covers(scope: str | None, url: str) -> bool:
    """Whether one of the words of a scope covers a URL."""
    place = urls.read(url)
    return any(is_url(word) and urls.read(word).covers(place) for word in (scope or "").split())


def contains_word(scope: str | None, word: str) -> bool:
    """Whether a word stands in a scope, as text or as the same URL, or is covered by it."""
    words = (scope or "").split()
    if word in words:
        return True
    return is_url(word) and (covers(scope, word) or any(is_same(word, other) for other in words))


def contains(scope: str | None, other: str | None) -> bool:
    return all(contains_word(scope, word) for word in (other or "").split())


def is_same(url: str, word: str) -> bool:
    return is_url(word) and urls.read(url).identity == urls.read(word).identity


def protocol_url(document: dict, protocol: str) -> str | None:
    """The URL of a protocol that apps can be given; without a usable https link there is none."""
    if protocol == AUTHORIZATION or protocol not in document.get("apis", {}):
        return None
    try:
        url = descriptions.endpoint(document, protocol)
    except Refusal:
        return None
    return url if url.lower().startswith("https://") else None


def offer(document: dict) -> list[str]:
    """The URLs of the protocols of a service, in the order of its description."""
    urls = (protocol_url(document, protocol) for protocol in document.get("apis", {}))
    return [url for url in urls if url is not None]


def current(record: dict) -> str:
    """The scope of the access token, which may be narrower than the grant."""
    return record.get("attributes", {}).get("narrowed_scope", record.get("scope", ""))
