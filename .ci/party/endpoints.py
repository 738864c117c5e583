"""How the URL of a protocol is built from a service's description (Fixtures/protocol/descriptions.md)."""

import ipaddress
import re
import urllib.parse

from . import urls
from .refusals import Flaw

WHITE_SPACE = " \t\n\v\f\r"
SCHEMES = re.compile(
    "(?:https?|javascript|vbscript|data|file|blob|filesystem|about|view-source|intent):", re.IGNORECASE)


def endpoint(document, protocol, path=None):
    """The URL of a protocol or of a path below it."""
    return checked_endpoint(document, protocol, path).text


def checked_endpoint(document, protocol, path=None, encrypted=True):
    path = (path or "").strip(WHITE_SPACE)
    if path and f"{protocol}.{path}" in document["apis"]:
        protocol, path = f"{protocol}.{path}", ""
    if path:
        check_path(path)
    link = protocol_link(document, protocol)
    url = usable_url(appended(link, path) if path else link)
    if encrypted and not is_secure_url(url):
        raise Flaw("threat-40", "the endpoint is not encrypted")
    return url


def check_path(path):
    if "#" in path:
        raise Flaw("RSD-3", "a path with a fragment")
    if is_absolute(path) or re.match("[^:/?]*:", path):
        raise Flaw("threat-40", "a path with a scheme")


def protocol_link(document, protocol):
    """The link of a protocol, absolute."""
    link = document["apis"].get(protocol, {}).get("apiLink")
    if link is None:
        raise Flaw("RSD-3", f"the protocol '{protocol}' has no link")
    if is_absolute(link):
        return link
    engine, home = document.get("engineLink", ""), document.get("homePageLink", "")
    if is_absolute(engine):
        return appended(engine, link)
    if not is_absolute(home):
        raise Flaw("RSD-3", "there is no base for a relative link")
    return appended(appended(home, engine) if engine else home, link)


def is_absolute(link):
    return re.match("[^:/]*://", link) is not None


def is_secure(text):
    """Whether a URL is encrypted, or of this machine."""
    return is_secure_url(urls.read(text))


def is_secure_url(url):
    return url.scheme == "https" or is_loopback(url.host)


def is_loopback(host):
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def appended(base, part):
    """A part behind a base, one slash between them; never the merging of RFC 3986."""
    if re.search("[?#]", base):
        raise Flaw("RSD-3", "a base with a query or fragment")
    if part.startswith("//"):
        raise Flaw("threat-41", "a part with a host")
    if SCHEMES.match(part):
        raise Flaw("threat-40", "a part with a scheme")
    path = re.split("[?#]", part)[0]
    if climbs(path):
        raise Flaw("threat-41", "a part that climbs")
    if re.search("[\0-\x1f\x7f]|%(?:[01][0-9A-Fa-f]|7[Ff])", path):
        raise Flaw("threat-40", "a part with a control character")
    usable_url(base)
    whole = base + ("" if base.endswith("/") else "/") + part.removeprefix("/")
    urls.read(whole)
    return whole


def usable_url(text):
    url = urls.read(text)
    if climbs(url.reference.path):
        raise Flaw("threat-41", "a path that climbs")
    return url


def climbs(path):
    """Whether a segment is `.` or `..` in whatever encoding, and whatever stands behind a `;`."""
    for _ in range(8):
        decoded = urllib.parse.unquote(path)
        if decoded == path:
            return any(segment.partition(";")[0] in (".", "..") for segment in re.split(r"[/\\]", path))
        path = decoded
    return True
