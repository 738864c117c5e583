"""URLs that mean the same to everybody who reads them, how they are compared, and where requests may go."""

import ipaddress
import re
import urllib.parse
from dataclasses import dataclass, replace

from .refusals import Flaw

UNRESERVED = r"A-Za-z0-9._~\-"
SUB_DELIMITERS = "!$&'()*+,;="
COMPONENTS = {
    "user information": UNRESERVED + SUB_DELIMITERS + ":",
    "host": UNRESERVED + SUB_DELIMITERS,
    "path": UNRESERVED + SUB_DELIMITERS + ":@/",
    "query": UNRESERVED + SUB_DELIMITERS + ":@/?",
    "fragment": UNRESERVED + SUB_DELIMITERS + ":@/?",
}
CLAUSES = {
    "scheme": "RFC3986-3.1", "user information": "RFC3986-3.2.1", "host": "RFC3986-3.2.2", "port": "RFC3986-3.2.3",
    "path": "RFC3986-3.3", "query": "RFC3986-3.4", "fragment": "RFC3986-3.5",
}
PORTS = {"http": 80, "https": 443}
# Letters beyond ASCII that an internationalized label may have.
PLAIN_LETTERS = {*range(0xDF, 0xF7), *range(0xF8, 0x180), *range(0x430, 0x460)} - {0x133, 0x140, 0x149, 0x17F} - {
    code for code in range(0x100, 0x180) if chr(code) != chr(code).lower()}
OWN_NAMES = {"localhost", "local", "internal", "intranet", "lan", "home", "corp", "test", "invalid", "onion"}
CLOSED_IPV4 = [ipaddress.ip_network(network) for network in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4")]
OPEN_IPV6 = ipaddress.ip_network("2000::/3")
CLOSED_IPV6 = [ipaddress.ip_network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
CARRYING_IPV4 = [ipaddress.ip_network(network) for network in ("::ffff:0:0/96", "64:ff9b::/96")]


@dataclass(frozen=True)
class Reference:
    """The components of a reference by RFC 3986, as they are written; what is absent is None."""
    scheme: str | None
    user: str | None
    host: str | None
    port: str | None
    path: str
    query: str | None
    fragment: str | None

    @property
    def authority(self):
        if self.host is None:
            return None
        user = "" if self.user is None else self.user + "@"
        return user + self.host + ("" if self.port is None else ":" + self.port)


@dataclass(frozen=True)
class URL:
    """An absolute URL of http or https."""
    text: str
    reference: Reference
    scheme: str
    host: str
    port: int | None

    @property
    def origin(self):
        """Scheme, host and port in normal form."""
        return f"{self.scheme}://{self.host}" + ("" if self.port is None else f":{self.port}")

    @property
    def identity(self):
        """The form by which URLs are compared."""
        parts = self.reference
        path = parts.path
        path = (path[:-1] if path.endswith("/") and not path.endswith("//") else path) or "/"
        query = "" if parts.query is None else "?" + parts.query
        return self.origin + path + query + ("" if parts.fragment is None else "#" + parts.fragment)

    def covers(self, other):
        """Whether another URL is this one or lies below it."""
        if self.origin != other.origin or self.reference.query is not None or self.reference.fragment is not None:
            return False
        own, path = self.reference.path.removesuffix("/"), other.reference.path
        if not all(map(is_plain_segment, path.split("/"))) or not path.startswith(own):
            return False
        return path[len(own):len(own) + 1] in ("", "/") or own.endswith("/")

    def is_open(self, home=None):
        """Whether it may be asked when others name it: on the open network, at the usual port or the home page's."""
        usual = self.port is None or home is not None and (self.host, self.port) == (home.host, home.port)
        return usual and is_open_host(self.host)


def read(text, base=None):
    """The URL of a text, which may be relative to a base (a URL)."""
    parts = reference(text)
    if parts.scheme is not None or base is None:
        return url_of(text, parts)
    if parts.host is not None:
        if parts.user is not None:
            raise Flaw("threat-40", f"user information at offset {text.index('//') + 2}")
        checked_host(parts.host, text.index("//") + 2)
    resolved = composed(resolution(parts, base.reference))
    return url_of(resolved, reference(resolved))


def reference(text):
    """The components of a text, each of the characters that it may have."""
    size = len(text.encode())
    if size > 65536:
        raise Flaw("threat-14", f"a URI of {size} bytes, at most 65536 are allowed")
    data = text.encode().decode("latin-1")
    before, hash_mark, fragment = data.partition("#")
    before, question_mark, query = before.partition("?")
    scheme, place = scheme_of(before)
    user = host = port = None
    if before.startswith("//", place):
        user, host, port, place = authority_of(before, place + 2)
    path = before[place:]
    check_characters("path", path, place)
    place += len(path) + 1
    if question_mark:
        check_characters("query", query, place)
        place += len(query) + 1
    if hash_mark:
        check_characters("fragment", fragment, place)
    return Reference(scheme, user, host, port, path, query if question_mark else None, fragment if hash_mark else None)


def scheme_of(text):
    """The scheme, if there is one, and where it ends."""
    scheme, colon, _ = text.partition(":")
    if not colon or "/" in scheme:
        return None, 0
    for place, character in enumerate(scheme):
        if not re.match("[A-Za-z]" if place == 0 else "[A-Za-z0-9+.-]", character):
            raise odd_byte("scheme", character, place)
    if not scheme:
        raise odd_byte("scheme", ":", 0)
    return scheme, len(scheme) + 1


def authority_of(text, start):
    """User information, host and port from a place on, and where they end."""
    end = text.find("/", start)
    end, user = len(text) if end < 0 else end, None
    if "@" in text[start:end]:
        user = text[start:end].partition("@")[0]
        check_characters("user information", user, start)
        start += len(user) + 1
    host = host_of(text[start:end], start)
    rest, start = text[start + len(host):end], start + len(host)
    if not rest:
        return user, host, None, end
    if not rest.startswith(":"):
        raise odd_byte("host", rest[0], start)
    return user, host, port_of(rest[1:], start + 1), end


def host_of(text, start):
    if not text.startswith("["):
        host = text.partition(":")[0]
        check_characters("host", host, start)
        return host
    host, closed, _ = text.partition("]")
    if not closed or not (is_ipv6(host[1:]) or is_future_address(host[1:])):
        raise Flaw("RFC3986-3.2.2", f"not an IP address from offset {start}")
    return host + closed


def port_of(text, start):
    for place, character in enumerate(text):
        if character not in "0123456789":
            raise odd_byte("port", character, start + place)
    if text and int(text) > 65535:
        raise Flaw("RFC3986-3.2.3", f"a port above 65535 at offset {start}")
    return text


def check_characters(component, text, start):
    good = re.match(f"(?:[{COMPONENTS[component]}]|%[0-9A-Fa-f]{{2}})*", text).end()
    if good < len(text):
        raise odd_byte(component, text[good], start + good)


def odd_byte(component, character, place):
    if character == "%" and component in COMPONENTS:
        return Flaw(CLAUSES[component], f"a broken percent-encoding in the {component} at offset {place}")
    return Flaw(CLAUSES[component], f"byte {ord(character)} in the {component} at offset {place}")


def is_ipv6(text):
    try:
        return "%" not in text and ipaddress.IPv6Address(text) is not None
    except ValueError:
        return False


def is_future_address(text):
    return re.fullmatch(f"[vV][0-9A-Fa-f]+\\.[{UNRESERVED}{SUB_DELIMITERS}:]+", text) is not None


def url_of(text, parts):
    """The URL that a reference is."""
    if parts.scheme is None:
        raise Flaw("RFC3986-4.3", "a URL without a scheme")
    scheme = parts.scheme.lower()
    if scheme not in PORTS:
        raise Flaw("threat-40", "a scheme other than http and https")
    if parts.host is None:
        raise Flaw("threat-40", "no host after the scheme")
    start = len(scheme) + 3
    if parts.user is not None:
        raise Flaw("threat-40", f"user information at offset {start}")
    port = int(parts.port) if parts.port else None
    return URL(text, parts, scheme, checked_host(parts.host, start), None if port == PORTS[scheme] else port)


def checked_host(host, start):
    """The normal form of a host: a name, or an address in its one spelling."""
    if not host:
        raise Flaw("RFC9110-4.2.1", f"an empty host at offset {start}")
    if host.startswith("["):
        if not is_ipv6(host[1:-1]):
            raise Flaw("threat-40", f"an address of an unknown version at offset {start}")
        return f"[{ipaddress.IPv6Address(host[1:-1])}]"
    if is_ipv4(host):
        return host
    for place, character in enumerate(host):
        if not re.match("[A-Za-z0-9_.-]", character):
            raise Flaw("threat-40", f"byte {ord(character)} in a host at offset {start + place}")
    check_labels(host.removesuffix("."), start)
    return host.lower()


def is_ipv4(host):
    numbers = host.split(".")
    plain = all(re.fullmatch("0|[1-9][0-9]{0,2}", number) for number in numbers)
    return plain and len(numbers) == 4 and all(int(number) < 256 for number in numbers)


def check_labels(name, start):
    if len(name) > 253:
        raise Flaw("RFC1035-2.3.4", f"a host of {len(name)} bytes")
    place = start
    for label in name.split("."):
        if not label:
            raise Flaw("RFC1035-2.3.4", f"an empty label in a host at offset {place}")
        if len(label) > 63:
            raise Flaw("RFC1035-2.3.4", f"a label of more than 63 bytes at offset {place}")
        if label.lower().startswith("xn--") and not is_plain_international(label[4:].lower()):
            raise Flaw("RFC5891-5.4", f"a doubtful internationalized label at offset {place}")
        place += len(label) + 1
    if re.fullmatch("[0-9]+|0[xX][0-9A-Fa-f]*", name.rpartition(".")[2]):
        raise Flaw("threat-40", f"a host that ends in a number but is not a plain address, at offset {start}")


def is_plain_international(encoded):
    try:
        foreign = [ord(letter) for letter in encoded.encode().decode("punycode") if ord(letter) > 127]
    except UnicodeError:
        return False
    return foreign != [] and PLAIN_LETTERS.issuperset(foreign)


def resolution(parts, base):
    """A reference without a scheme from a base, by RFC 3986 §5.2."""
    if parts.host is not None:
        return replace(parts, scheme=base.scheme, path=without_dots(parts.path))
    if not parts.path:
        path, query = base.path, base.query if parts.query is None else parts.query
    else:
        path, query = without_dots(merged(parts.path, base)), parts.query
    return replace(base, path=path, query=query, fragment=parts.fragment)


def merged(path, base):
    if path.startswith("/"):
        return path
    return "/" + path if not base.path else base.path[:base.path.rfind("/") + 1] + path


def without_dots(path):
    """RFC 3986 §5.2.4."""
    segments, kept = path.split("/"), []
    for place, segment in enumerate(segments):
        is_last = place == len(segments) - 1
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
            kept += [""] if is_last else []
        elif segment == ".":
            kept += [""] if is_last else []
        else:
            kept.append(segment)
    return "/".join(kept)


def composed(parts):
    query = "" if parts.query is None else "?" + parts.query
    fragment = "" if parts.fragment is None else "#" + parts.fragment
    return f"{parts.scheme}://{parts.authority}{parts.path}{query}{fragment}"


def is_plain_segment(segment):
    """Whether a segment of a path means the same to whoever decodes it once or twice."""
    try:
        decoded = urllib.parse.unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        return False
    is_dots = decoded.partition(";")[0] in (".", "..")
    return not is_dots and not re.search("[/\\\\\0-\x1f\x7f-\x9f]|%[0-9A-Fa-f]{2}", decoded)


def is_open_host(host):
    if host.startswith("["):
        return is_open_address(ipaddress.IPv6Address(host[1:-1]))
    if is_ipv4(host):
        return is_open_address(ipaddress.IPv4Address(host))
    labels = host.removesuffix(".").split(".")
    return len(labels) > 1 and labels[-1] not in OWN_NAMES and labels[-2:] != ["home", "arpa"]


def is_open_address(address):
    if address.version == 4:
        return not any(address in network for network in CLOSED_IPV4)
    if any(address in network for network in CARRYING_IPV4):
        return is_open_address(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return address in OPEN_IPV6 and not any(address in network for network in CLOSED_IPV6)
