"""Checks the conformance vectors without the code that made them: what comes of each, what is refused and why, and how vectors belong together.

check-vectors.py FOLDER              computes all vectors of a folder anew, and says what is wrong
check-vectors.py FOLDER --self-test  corrupts vectors in many ways, and demands that each is noticed
check-vectors.py --answer vector     is an implementation of its own: answers the lines of a runner, as the README of the vectors tells

Besides the standard library it needs `joserfc`; where PyJWT, jwcrypto, PyYAML and jsonschema are installed, they have to agree.
"""

import base64, copy, hashlib, hmac, ipaddress, itertools, json, os, re, sys, urllib.parse, warnings
import xml.etree.ElementTree as ElementTree
from decimal import Decimal
from xml.parsers import expat

from joserfc import jwk, jws
from joserfc.errors import JoseError

warnings.simplefilter("ignore")
try:
    import jwt as pyjwt
except ImportError:
    pyjwt = None
try:
    from jwcrypto import jwk as other_jwk, jws as other_jws
except ImportError:
    other_jws = None
try:
    import jsonschema
except ImportError:
    jsonschema = None
try:
    import yaml
except ImportError:
    yaml = None

COUNT = {"vectors": 0, "signatures": 0, "hashes": 0}
FORM = "application/x-www-form-urlencoded"
OAUTH2 = "org.ietf.oauth2"

# Seconds: by how much clocks may differ, and the longest that an assertion or a code by another party may hold.
LEEWAY = 60
LONGEST = 600


class Wrong(Exception):
    """What is wrong with a vector."""


class Fault(Exception):
    """What is wrong with something that is given, in words of the table below."""


class Unjudged(Exception):
    """What cannot be judged with the libraries at hand."""


def demand(holds, what):
    if not holds:
        raise Wrong(what)


def refuse(faults):
    if faults:
        raise Fault(*faults)


def attempt(reading, *given):
    """What a reading gives, and the faults that it raises instead."""
    try:
        return reading(*given), set()
    except Fault as fault:
        return None, set(fault.args)


def those(findings):
    """The names of the findings that hold."""
    return {name for name, holds in findings.items() if holds}


def is_text(value):
    return isinstance(value, str) and value != ""


class Number(Decimal):
    """A number that is no integer of Python's, exactly, and as it was written: one with a fraction or an exponent, or `-0`."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


def unrepeated(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise Fault("twice")
    return dict(pairs)


def integer(text):
    return Number(text) if text == "-0" else int(text)


def parse(text, members=unrepeated, **more):
    return json.loads(text, object_pairs_hook=members, parse_int=integer, parse_float=Number, **more)


def compact(value):
    """The shortest JSON of a value, with numbers as they were written."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact(name)}:{compact(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    return value.text if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def same(one, other):
    """Whether two values are alike, with their kinds: neither is `true` a 1, nor 1.0 an integer."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


# Clauses, and the faults that each of them is about

# With one of these a signed text passes for a plain token, where such are taken as well.
PLAIN = ("unsecured", "header", "empty signature", "Base64url", "repeated parameter of a header", "critical", "type")
# A fault that begins with a place is what it is called at that place, where it has another clause.
CLAUSES = {
    "RFC1035-2.3.4": ["label"], "RFC2104-2": ["code"], "RFC3629-4": ["text that is not UTF-8"],
    "RFC3986-3.1": ["characters of the scheme"], "RFC3986-3.2.1": ["characters of the user"], "RFC3986-3.2.2": ["characters of the host"],
    "RFC3986-3.2.3": ["characters of the port"], "RFC3986-3.3": ["characters of the path"], "RFC3986-3.4": ["characters of the query"],
    "RFC3986-3.5": ["characters of the fragment"], "RFC3986-4.3": ["relative"], "RFC9110-4.2.1": ["no host"],
    "RFC4648-3.2": ["padding"], "RFC4648-3.3": ["alphabet"], "RFC4648-3.5": ["stray bits"], "RFC4648-4": ["length"],
    "RFC8032-5.1.3": ["no point"], "RFC8032-5.1.5": ["size of a key"], "RFC8032-5.1.7": ["equation"],
    "RFC8259-2": ["value"], "RFC8259-3": ["literal", "kind"], "RFC8259-4": ["member", "twice", "absent"], "RFC8259-5": ["list"], "RFC8259-6": ["number"],
    "RFC8259-7": ["text"], "RFC8259-8.1": ["encoding"], "RFC8259-8.2": ["surrogate"], "RFC8259-9": ["depth"],

    "RFC7515-2": ["Base64url"], "RFC7515-4": ["repeated parameter of a header"], "RFC7515-4.1": ["header"], "RFC7515-4.1.4": ["nameless key", "code no key name"],
    "RFC7515-4.1.11": ["critical"], "RFC7515-5.2": ["signature"], "RFC7515-6": ["unknown key"], "RFC7515-7.1": ["parts"],
    "RFC7515-7.2.2": ["both forms"], "RFC7515-F": ["two payloads"], "RFC7797-6": ["unencoded without notice"],
    "RFC7517-4.2": ["use"], "RFC7517-4.3": ["operations"], "RFC7517-4.4": ["algorithm of other keys"], "RFC7517-4.5": ["empty name"],
    "RFC7517-9.2": ["secret shown"], "RFC7518-3.2": ["short secret"], "RFC7518-6.4.1": ["empty secret"], "RFC8037-2": ["size of a member", "no secret"],
    "RFC7519-2": ["time"], "RFC7519-4": ["missing claim"], "RFC7519-4.1.1": ["issuer", "kind of iss"], "RFC7519-4.1.2": ["subject", "kind of sub"],
    "RFC7519-4.1.3": ["audience", "kind of aud", "jwt audiences"], "RFC7519-4.1.4": ["expired"], "RFC7519-4.1.5": ["not yet"], "RFC7519-4.1.6": ["age"],
    "RFC7519-4.1.7": ["kind of jti"], "RFC7519-5.2": ["nested"], "RFC7519-7.2": ["claims", "no payload"], "RFC7800-3.2": ["private key"],
    "RFC8725-3.1": ["algorithm"], "RFC8725-3.8": ["owner", "assertion issuer", "client issuer"], "RFC8725-3.11": ["type"],
    "threat-1": ["unsecured"], "threat-5": ["empty signature"], "threat-7": ["small order"], "threat-8": ["foreign pair"], "threat-9": ["key source"],
    "threat-14": ["many pairs", "many bytes", "many signatures", "large record"], "threat-24": ["audiences"],

    "REQ-1": ["statement no payload"], "REQ-2": ["statement unsecured", "device unsecured"], "REQ-3": ["statement unknown key"],
    "REQ-4": ["statement algorithm"], "REQ-6": ["statement missing claim", *(f"statement kind of {name}" for name in ("iss", "sub", "aud", "name"))],
    "REQ-8": ["statement expired", "statement not yet"], "REQ-9": ["statement issuer"], "REQ-10": ["occupied"],
    "REQ-11": ["statement audience", "statement audiences"], "REQ-14": ["statement signature", "statement key source"],
    "AUT-1": ["unregistered", "statement of another version"], "FED-4": ["version shut out"], "TOK-1": ["ended", "taken", "unknown record"],
    "RFC7523-2.2": ["client no credential"], "RFC7523-3": ["too long", "client subject"], "RFC9449-4.3": ["other request", "key for another request"],
    "RFC9449-7.1": ["other key", "proof without its scheme"], "RFC6750-2.1": ["no credential"], "threat-18": ["kind of a token", "not redeemable"],
    "threat-36": ["replayed", "bare token", "holder unknown key", "holder no credential"],
    "threat-39": ["unknown token", "password", "device type", "token unknown key", "device unknown key", *(f"token {fault}" for fault in PLAIN)],

    "XML-3.1": ["element"], "XML-4.1": ["entity"], "YAML-3.2.1": ["key that comes twice"], "YAML-6.1": ["tab"],
    "RSD-2": ["document", "service list"], "RSD-3": ["no base", "base with a query", "fragment", "no link"], "DSC-1": ["query"], "DSC-2": ["second document"],
    "threat-40": ["foreign scheme", "no authority", "user", "address", "escaped host", "path with a scheme", "unencrypted"],
    "threat-41": ["climbing", "path with a host"], "threat-43": ["many documents", "many names"],
    "threat-44": ["document type", "anchor", "tag", "merge key"], "threat-46": ["mixed bindings", "api that comes twice"],

    "TOK-2": ["not refreshable"], "TOK-7": ["settled", "attempted", "nowhere"], "AST-3": ["consumed", "lapsed", "assertion ended"],
    "threat-28": ["old generation"], "threat-72": ["answered otherwise", "code answered otherwise"], "threat-73": ["described"],
    "threat-74": ["locked", "attempts"], "threat-75": ["in use"], "threat-78": ["locked out"], "threat-35": ["groundless", "unfit"],

    "RFC6749-2.3": ["unknown scheme of a credential"], "RFC6749-2.3.1": ["credential in the URL"], "RFC6749-3.1": ["missing parameter", "kind of a parameter"],
    "RFC6749-3.1.1": ["response type"], "RFC6749-3.2": ["method", "insecure endpoint"], "RFC6749-3.2.1": ["challenge client id"], "RFC6749-3.3": ["scope"],
    "RFC6749-5.1": ["type of an answer"], "RFC6749-5.2": ["grant type", "status"], "RFC6749-7.1": ["type of a token"], "RFC6749-10.12": ["state"],
    "RFC6749-A": ["characters of a token"], "RFC6749-B": ["form", "type of a request"], "RFC7521-4.2": ["type of an assertion", "client id"],
    "RFC7636-4.1": ["verifier"], "RFC7636-4.2": ["challenge"], "RFC7636-4.3": ["challenge method"], "RFC7636-4.6": ["other verifier"],
    "RFC9207-2.4": ["issuer of an answer"], "threat-37": ["repeated parameter", "two credentials", "two targets"],

    "NAI-2": ["unknown service"], "NAI-6": ["expired access"], "NAI-12": ["not granted"], "NIF-2": ["member of a request", "empty protocol"],
    "NIF-3": ["unknown app", "unreadable", "name", "unsigned"], "NIF-4": ["two services"], "NIF-5": ["unauthorized", "answer"],
    "UX-2": ["accept", "reject", "pick", "choice"], "USE-1": ["acceptances"], "UX-3": ["found"], "UX-4": ["sign in", "signed in", "sign-in failed", "logout pending"],
    "UX-5": ["log out", "confirm", "turn back"], "threat-49": ["later version", "changed"], "threat-50": ["reserved claim"], "threat-51": ["outside the scope"],
    "threat-70": ["closed address"], "threat-77": ["no key for the service", "key of another proof", "own key"],

    "threat-58": ["other proposal", "proposal replayed", "other caller", "hidden name"],
    "POP-1": ["unusable key", "no key pair"], "REG-1": ["registration no credential"], "REG-2": ["device"], "REG-4": ["registration version shut out"],
    "threat-63": ["statement age", "untimed statement", "unproved instance"], "REG-5": ["version", "two instances", "elsewhere"], "REG-7": ["barred"], "REG-9": ["foreign registration"], "threat-38": ["another key"],
    "AUT-5": ["edu-id outside the scope"], "GRT-1": ["service grant type"], "RFC8707-2": ["target"], "TOK-3": ["refresh ended"], "TOK-5": ["no administrator"],
    "RFC6749-6": ["no such refresh token", "refresh token of another", "refresh no credential"], "RFC7009-2.1": ["revocation no credential"],
    "threat-26": ["no such code", "code of another", "code consumed", "code lapsed"], "threat-30": ["wider"],
    "http_404": ["page"], "http_405": ["no such method"],

    "APP-3": ["code issuer", "code audience", "opaque code"], "APP-4": ["scope not offered"], "APP-5": ["code signature", "code other key name", "two keys"],
    "APP-6": ["app denied"], "APP-9": ["service outside the scope"], "AST-4": ["user denied"], "AST-8": ["unconfirmed"],
    "threat-76": ["keys unreadable", "key still published"],
    "USR-1": ["another user"], "USR-5": ["instance denied"], "USR-6": ["instance not selected"],
}
CLAUSE_OF = {fault: clause for clause, faults in CLAUSES.items() for fault in faults}

# What is told on the wire; the other faults of a message are an `invalid_request`.
ERRORS = {
    "grant type": "unsupported_grant_type", "response type": "unsupported_response_type", "scope": "invalid_scope",
    "type of an assertion": "invalid_client", "unknown scheme of a credential": "invalid_client",
}


def at(place, faults):
    """The faults by the names that they have at a place."""
    return {f"{place} {fault}" if f"{place} {fault}" in CLAUSE_OF else fault for fault in faults}


# Hashes and signatures

def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


def mac(key, data):
    return hmac.digest(key, data.encode() if isinstance(data, str) else data, "sha256")


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def hash_outcome(given):
    return {"digest": hashlib.new(given["algorithm"], bytes.fromhex(given["message"])).hexdigest()}


def mac_outcome(given):
    code = hmac.digest(bytes.fromhex(given["key"]), bytes.fromhex(given["message"]), given["algorithm"]).hex()
    if given.get("code", code) != code:
        raise Fault("code")
    return {"valid": True} if "code" in given else {"code": code}


# Ed25519 by RFC 8032 §5.1, with points as X, Y, Z and T of §5.1.4: as short as the formulas.
FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, FIELD) % FIELD
NEUTRAL = (0, 1, 1, 0)


def point_sum(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]), (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * CURVE * one[3] * other[3], 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD


def point_multiple(scalar, point):
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = point_sum(result, point)
        point, scalar = point_sum(point, point), scalar >> 1
    return result


def point_bytes(point):
    shrink = pow(point[2], -1, FIELD)
    x, y = point[0] * shrink % FIELD, point[1] * shrink % FIELD
    return (y | (x & 1) << 255).to_bytes(32, "little")


def point_of(data):
    """The point that the bytes are the one canonical encoding of, or nothing."""
    sign, y = divmod(int.from_bytes(data, "little"), 2**255)
    if len(data) != 32 or y >= FIELD:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, FIELD) % FIELD
    x = pow(square, (FIELD + 3) // 8, FIELD)
    if x * x % FIELD != square:
        x = x * pow(2, (FIELD - 1) // 4, FIELD) % FIELD
    if x * x % FIELD != square or x == 0 and sign:
        return None
    x = x if x & 1 == sign else FIELD - x
    return x, y, 1, x * y % FIELD


BASE_POINT = point_of((4 * pow(5, -1, FIELD) % FIELD).to_bytes(32, "little"))


def is_of_small_order(point):
    return point_bytes(point_multiple(8, point)) == point_bytes(NEUTRAL)


def digest_number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def public_point(data):
    if len(data) != 32:
        raise Fault("size of a key")
    point = point_of(data)
    if point is None:
        raise Fault("no point")
    if is_of_small_order(point):
        raise Fault("small order")
    return point


def is_ed25519(public, message, signature):
    """Whether the equation holds without its cofactor, S is reduced, and R is a point of a large order."""
    key = public_point(public)
    r, s = point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or r is None or s >= ORDER or is_of_small_order(r):
        return False
    challenge = digest_number(signature[:32], public, message) % ORDER
    return point_bytes(point_multiple(s, BASE_POINT)) == point_bytes(point_sum(r, point_multiple(challenge, key)))


def signed_by_seed(seed, message):
    """The public key of a seed, and its signature."""
    if len(seed) != 32:
        raise Fault("size of a key")
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & ~(1 << 255) & ~7 | 1 << 254
    public = point_bytes(point_multiple(secret, BASE_POINT))
    nonce = digest_number(digest[32:], message) % ORDER
    r = point_bytes(point_multiple(nonce, BASE_POINT))
    s = (nonce + digest_number(r, public, message) * secret) % ORDER
    return public, r + s.to_bytes(32, "little")


def sign_outcome(given):
    public, signature = signed_by_seed(bytes.fromhex(given["seed"]), bytes.fromhex(given["message"]))
    return {"public": public.hex(), "signature": signature.hex()}


def signature_outcome(given):
    if not is_ed25519(*(bytes.fromhex(given[name]) for name in ("public", "message", "signature"))):
        raise Fault("equation")
    return {"valid": True}


# Formats

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
SURROGATE = re.compile("[\ud800-\udfff]")


def brackets(text):
    return re.findall(r"[][{}]", QUOTED.sub("", text))


def depth_of(text):
    return max(itertools.accumulate(1 if bracket in "[{" else -1 for bracket in brackets(text)), default=0)


def innermost(text):
    """The bracket that is still open at the end of a text."""
    still_open = []
    for bracket in brackets(text):
        if bracket in "[{":
            still_open.append(bracket)
        else:
            still_open.pop()
    return still_open[-1]


def no_constant(name):
    raise Fault("number" if name.startswith("-") else "value")


def broken_rule(error):
    """The rule of the grammar that the parser's complaint is about."""
    before, rest = error.doc[:error.pos], error.doc[error.pos:]
    if re.search(r"[0-9]$", before) and re.match(r"[0-9.eE]", rest) or error.msg == "Expecting value" and rest.startswith("-"):
        return "number"
    if error.msg == "Expecting value" and re.match(r"[tfn]", rest):
        return "literal"
    if error.msg.startswith(("Expecting value", "Extra data", "Illegal trailing comma before end of array")):
        return "value"
    if error.msg.startswith(("Unterminated string", "Invalid")):
        return "text"
    return "list" if innermost(before) == "[" else "member"


def json_value(data, depth=64, members=unrepeated):
    """The value of a JSON text with exact numbers, nested no deeper than the bound.

    What is no UTF-8 comes to the parser as surrogates: outside of texts they break the grammar, inside they are found afterwards.
    """
    text = data.decode("utf-8", "surrogateescape") if isinstance(data, bytes) else data
    if text.startswith("\ufeff"):
        raise Fault("encoding")
    if depth_of(text) > depth:
        raise Fault("depth")
    try:
        value = parse(text, members, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        raise Fault(broken_rule(error)) from None
    if SURROGATE.search(text):
        raise Fault("encoding")
    if SURROGATE.search(compact(value)):
        raise Fault("surrogate")
    return value


def first_members(data, depth):
    """The value of a JSON text with the first of members that come twice, and whether any does."""
    repeated = []

    def firsts(pairs):
        repeated.extend(pairs[len(dict(pairs)):])
        return {**dict(pairs), **dict(reversed(pairs))}
    return json_value(data, depth, firsts), bool(repeated)


def json_object(data, depth=64):
    value = json_value(data, depth)
    if not isinstance(value, dict):
        raise Fault("kind")
    return value


def json_outcome(given):
    return {"value": json_value(bytes.fromhex(given["bytes"]) if "bytes" in given else given["text"])}


def raw(text):
    if text.endswith("="):
        raise Fault("padding")
    if re.search(r"[^A-Za-z0-9_-]", text):
        raise Fault("alphabet")
    if len(text) % 4 == 1:
        raise Fault("length")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if b64(data) != text:
        raise Fault("stray bits")
    return data


def base64url_outcome(given):
    return {"bytes": raw(given["text"]).hex()}


URI = re.compile(
    r"(?:(?P<scheme>[^:/?#]+):)?(?://(?:(?P<user>[^/?#]*)@)?(?P<host>\[[^]/?#]*\]|[^:/?#]*)(?::(?P<port>[^/?#]*))?)?"
    r"(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?", re.DOTALL)


def spelled(more):
    """Any number of the characters that all components have, of percent-encoded ones, and of some more."""
    return rf"(?:[A-Za-z0-9._~!$&'()*+,;={more}-]|%[0-9A-Fa-f]{{2}})*"


CHARACTERS = {
    "scheme": "[A-Za-z][A-Za-z0-9+.-]*", "user": spelled(":"), "host": r"\[[0-9A-Fa-f:.]+\]|" + spelled(""), "port": "[0-9]*", "path": spelled(":@/"),
    "query": spelled(":@/?"), "fragment": spelled(":@/?"),
}


def uri_parts(text):
    """The components of a URI reference, each of the characters that RFC 3986 §3 gives it."""
    found = URI.fullmatch(text).groupdict()
    for name, characters in CHARACTERS.items():
        if found[name] is not None and not re.fullmatch(characters, found[name]):
            raise Fault(f"characters of the {name}")
    return found


def check_address(kind, text):
    try:
        kind(text)
    except ValueError:
        raise Fault("address") from None


def check_host(host):
    """A host is a name, or an address in its one spelling: what ends in a number is no name."""
    if not host:
        raise Fault("no host")
    if "%" in host:
        raise Fault("escaped host")
    if host.startswith("["):
        check_address(ipaddress.IPv6Address, host[1:-1])
    elif re.fullmatch(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)", host):
        check_address(ipaddress.IPv4Address, host)
    elif not all(0 < len(label) < 64 for label in host.split(".")):
        raise Fault("label")


def web_url(text, base=None):
    """A URL that may be asked for something, by itself or as a reference from a base."""
    parts = uri_parts(text)
    if parts["scheme"] is None:
        if base is None:
            raise Fault("relative")
        return web_url(urllib.parse.urljoin(base, text))
    if parts["scheme"].lower() not in ("http", "https"):
        raise Fault("foreign scheme")
    if parts["host"] is None:
        raise Fault("no authority")
    if parts["user"] is not None:
        raise Fault("user")
    check_host(parts["host"])
    found = {"url": text, "scheme": parts["scheme"].lower(), "host": parts["host"].lower()}
    return {**found, "port": int(parts["port"])} if parts["port"] else found


def url_outcome(given):
    return web_url(given["text"], given.get("base"))


# Names that mean something only where they are asked.
OWN_NAMES = {"localhost", "local", "internal", "intranet", "lan", "home", "corp", "test", "invalid", "onion"}


def is_open(url, home):
    """Whether a URL that a document names may be asked: at no address or name of the own network, and at the default port or the service's own."""
    there, own = urllib.parse.urlsplit(url), urllib.parse.urlsplit(home)
    if there.port not in (None, 443) and (there.hostname, there.port) != (own.hostname, own.port):
        return False
    try:
        return ipaddress.ip_address(there.hostname).is_global
    except ValueError:
        return there.hostname.rpartition(".")[2] not in OWN_NAMES


def is_absolute(link):
    return re.match("[^:/]*://", link) is not None


def is_within(url, scope):
    """Whether a URL is in a scope, or lies below one that is."""
    return any(url == word or url.startswith(word.removesuffix("/") + "/") for word in scope.split())


def has_dots(path):
    """Whether a segment is `.` or `..`, in whatever encoding, and whatever slash or parameter follows."""
    while path != (path := urllib.parse.unquote(path)):
        pass
    return any(segment.partition(";")[0] in (".", "..") for segment in re.split(r"[/\\]", path))


def form_text(text):
    if re.search(r"[\x00-\x20\x7f]|%(?![0-9A-Fa-f]{2})", text):
        raise Fault("form")
    try:
        return urllib.parse.unquote_to_bytes(text.replace("+", " ")).decode()
    except UnicodeDecodeError:
        raise Fault("text that is not UTF-8") from None


def form_pairs(text):
    """The pairs of a form, of which there are at most 256."""
    fields = [field for field in text.split("&") if field]
    if len(fields) > 256:
        raise Fault("many pairs")
    return [[form_text(part) for part in field.partition("=")[::2]] for field in fields]


def form_outcome(given):
    return {"pairs": form_pairs(given["text"])}


# Keys

MATERIAL = {"OKP": ("crv", "x"), "oct": ("k",), "RSA": ("e", "n")}
ALGORITHMS = {"OKP": {"EdDSA"}, "oct": {"HS256", "HS384", "HS512"}, "RSA": {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}}
HASHES = {"HS256": "sha256", "HS384": "sha384", "HS512": "sha512"}
OPERATIONS = {"sig": {"sign", "verify"}, "enc": {"encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits"}}


def jose_bytes(text):
    data, faults = attempt(raw, text)
    if faults:
        raise Fault("Base64url")
    return data


def key_shape(key):
    """The faults of the kinds of a key's members, without which nothing else can be asked."""
    texts = ("kty", "kid", "use", "alg", "crv", "x", "d", "k", "e", "n")
    if not all(isinstance(key[name], str) for name in texts if name in key) or not isinstance(key.get("revoked", {}), dict):
        return {"kind"}
    if "revoked_at" not in key.get("revoked", {"revoked_at": 0}):
        return {"absent"}
    return those({"absent": "kty" not in key or not all(name in key for name in MATERIAL[key["kty"]])})


def key_terms(key, secret):
    """The faults of what a key says about its use."""
    operations, algorithm = key.get("key_ops", []), key.get("alg")
    unsecured = str(algorithm).lower() == "none" and algorithm is not None
    return those({
        "empty name": key.get("kid") == "",
        "operations": len(set(operations)) < len(operations) or "use" in key and not set(operations) <= OPERATIONS[key["use"]],
        "unsecured": unsecured,
        "algorithm of other keys": not unsecured and algorithm not in {None, *ALGORITHMS[key["kty"]]},
        "secret shown": not secret and {"d", "k"} & key.keys(),
    })


def check_numbers(key, secret):
    """The numbers of an Ed25519 pair belong together, those of other keys only have to be there."""
    numbers = {name: jose_bytes(key[name]) for name in (*MATERIAL[key["kty"]], "d") if name in key and name != "crv"}
    if key["kty"] == "oct" and not numbers["k"]:
        raise Fault("empty secret")
    if key["kty"] != "OKP":
        return
    if any(len(number) != 32 for number in numbers.values()):
        raise Fault("size of a member")
    public_point(numbers["x"])
    if secret and "d" not in numbers:
        raise Fault("no secret")
    if secret and signed_by_seed(numbers["d"], b"")[0] != numbers["x"]:
        raise Fault("foreign pair")


def thumbprint(key):
    return b64(sha256(compact({name: key[name] for name in sorted(("kty", *MATERIAL[key["kty"]]))})))


def jwk_outcome(given):
    key, secret = json_object(given["text"]), given.get("secret", False)
    refuse(key_shape(key))
    refuse(key_terms(key, secret) | attempt(check_numbers, key, secret)[1])
    return {"type": key["kty"], "thumbprint": thumbprint(key), **({"kid": key["kid"]} if "kid" in key else {})}


# Signed texts

KEY_SOURCES = {"jwk", "jku", "x5u", "x5c", "x5t", "x5t#S256"}
# With one of these it cannot be asked whether the signature is a key's.
UNVERIFIABLE = {"header", "unsecured", "nameless key", "no payload"}


class Signed:
    """A signature with its header and what it signs, and the faults of their form: padding and what comes twice leave the rest to be read.

    That a payload stands as it is, is heeded by those only who understand that.
    """

    def __init__(self, head, payload, signature, understood):
        parts = [part.rstrip("=") for part in (head, payload, signature)]
        (self.header, repeats_parameter), self.payload, self.signature = header_of(parts[0]), *map(jose_bytes, parts[1:])
        is_bare = "b64" in understood and self.header.get("b64") is False and self.header.get("crit") == ["b64"]
        self.content, self.text = parts[0].encode() + b"." + (self.payload if is_bare else parts[1].encode()), ".".join(parts)
        self.faults = those({"Base64url": parts != [head, payload, signature], "repeated parameter of a header": repeats_parameter})
        value, repeats_claim = attempt(first_members, self.payload, 32)[0] or (None, False)
        self.is_read = isinstance(value, dict)
        self.claims = value if self.is_read else {}
        self.claims_faults = those({"no payload": not self.payload, "claims": self.payload and not self.is_read or repeats_claim})


def header_of(text):
    header, repeats = attempt(first_members, jose_bytes(text), 10)[0] or (None, False)
    if not isinstance(header, dict):
        raise Fault("header")
    return header, repeats


def opened(text, detached=None, understood=()):
    """The signatures of a text within 16 KiB, in the compact or the general form, of at most eight; a detached payload stands beside the text."""
    if len(text) > 16384:
        raise Fault("many bytes")
    if text.startswith("{"):
        return opened_json(json_value(text), understood)
    parts = text.split(".")
    if len(parts) != 3:
        raise Fault("parts")
    if detached is not None and parts[1]:
        raise Fault("two payloads")
    return [Signed(parts[0], parts[1] if detached is None else b64(detached.encode()), parts[2], understood)]


def opened_json(content, understood):
    if "signature" in content:
        raise Fault("both forms")
    if len(content["signatures"]) > 8:
        raise Fault("many signatures")
    return [Signed(entry["protected"], content["payload"], entry["signature"], understood) for entry in content["signatures"]]


def signed(text):
    """A compact text that is a signed one, as far as that can be told."""
    signatures, _ = attempt(opened, text or "")
    return signatures[0] if signatures else None


def header_faults(header, understood=(), brought=()):
    """The faults of a header, whose extensions have to be understood, and which brings no key but where it has to."""
    algorithm, name, critical = header.get("alg"), header.get("kid", "unnamed"), header.get("crit", [])
    return those({
        "header": not (isinstance(algorithm, str) and isinstance(name, str) and isinstance(critical, list)),
        "unsecured": isinstance(algorithm, str) and algorithm.lower() == "none",
        "nameless key": name == "",
        "key source": (KEY_SOURCES - set(brought)) & header.keys(),
        "critical": "crit" in header and isinstance(critical, list) and not (critical and set(critical) <= set(understood) & header.keys()),
        "unencoded without notice": "b64" in header and "crit" not in header,
    })


def is_signed_by(token, key):
    """Whether a signature is a key's: by the formulas, and as every library at hand says where it knows all that the header demands."""
    algorithm = token.header["alg"]
    if algorithm == "EdDSA":
        verdict = is_ed25519(raw(key["x"]), token.content, token.signature)
    else:
        verdict = hmac.compare_digest(hmac.digest(raw(key["k"]), token.content, HASHES[algorithm]), token.signature)
    if not {"crit", "b64"} & token.header.keys():
        bare = {name: key[name] for name in ("kty", "crv", "x", "k") if name in key}
        verdicts = [library(token.text, bare, algorithm) for library in LIBRARIES]
        demand(set(verdicts) == {verdict}, f"the libraries say {verdicts} about a signature, and the formulas {verdict}")
    COUNT["signatures"] += 1
    return verdict


def joserfc_accepts(text, key, algorithm):
    try:
        registry = jws.JWSRegistry(algorithms=[algorithm], strict_check_header=False)
        return jws.deserialize_compact(text, jwk.import_key(key), registry=registry) is not None
    except (JoseError, ValueError):
        return False


def jwcrypto_accepts(text, key, algorithm):
    token = other_jws.JWS()
    token.allowed_algs = [algorithm]
    try:
        token.deserialize(text, other_jwk.JWK(**key))
        return True
    except (other_jws.InvalidJWSObject, other_jws.InvalidJWSSignature):
        return False


def pyjwt_accepts(text, key, algorithm):
    try:
        pyjwt.PyJWS().decode(text, pyjwt.PyJWK({**key, "alg": algorithm}).key, algorithms=[algorithm])
        return True
    except pyjwt.InvalidTokenError:
        return False


LIBRARIES = [joserfc_accepts, *([jwcrypto_accepts] if other_jws else []), *([pyjwt_accepts] if pyjwt else [])]


def signer(token, entries, algorithms):
    """The key that a signature was made with, among those that come into question: entries of a `jwk`, and maybe its `issuer`.

    A key that the header brings is among them: whether it may bring one was asked before.
    """
    candidates = entries + [{"jwk": token.header["jwk"]}] if "jwk" in token.header else entries
    if not candidates:
        raise Fault("unknown key")
    algorithm = token.header["alg"]
    fitting = [entry for entry in candidates if algorithm == entry["jwk"].get("alg", "EdDSA") and algorithm in ALGORITHMS[entry["jwk"]["kty"]]]
    if not fitting or algorithm not in algorithms:
        raise Fault("algorithm")
    if not token.signature:
        raise Fault("empty signature")
    authentic = [entry for entry in fitting if is_signed_by(token, entry["jwk"])]
    if not authentic:
        raise Fault("signature")
    return authentic[0]


def verified(token, entries, algorithms, faults):
    """The key of a signature, and its faults beside those that were found before."""
    faults = token.faults | faults
    entry, more = (None, set()) if faults & UNVERIFIABLE else attempt(signer, token, entries, algorithms)
    return entry, faults | more


def named(token, keys):
    """The keys that the header of a text leaves in question."""
    return [key for key in keys if token.header.get("kid") in (None, key.get("kid"))]


def named_entries(token, given):
    return [entry for entry in given["keys"] if named(token, [entry["jwk"]])]


def jws_outcome(given):
    understood = {"b64"} if given.get("unencoded") else set()
    signatures = opened(given["text"], given.get("detached"), understood)
    results = [verified(token, named_entries(token, given), given["algorithms"], header_faults(token.header, understood)) for token in signatures]
    good = [entry for entry, faults in results if not faults]
    if not good:
        refuse(set.union(*(faults for _, faults in results)))
    return {"payload": signatures[0].payload.decode(), "key": good[0]["jwk"].get("kid")}


# Tokens

def token_verdict(token, entries, demanded, now):
    """The key of a token, and all its faults: of its form and header, of the signature, of the claims as they are demanded."""
    before = header_faults(token.header, (), demanded.get("brings", ())) | type_faults(token.header, demanded["types"]) | token.claims_faults
    entry, faults = verified(token, entries, demanded.get("algorithms", ("EdDSA", "HS256")), before)
    return entry, faults | (claim_faults(token.claims, entry, demanded) | time_faults(token.claims, demanded, now) if token.is_read else set())


def type_faults(header, types):
    name, content = header.get("typ"), header.get("cty")
    kind = name.lower().removeprefix("application/") if is_text(name) else name
    return those({"type": kind not in types, "nested": is_text(content) and content.upper() == "JWT"})


def claim_faults(claims, entry, demanded):
    names = ({"iss", "sub", "jti"} | {"azp", "name"} & demanded["requires"]) & claims.keys()
    texts = {name: claims[name] for name in names if is_text(claims[name])}
    faults = {f"kind of {name}" for name in names - texts.keys()} | those({
        "missing claim": not claims.keys() >= demanded["requires"],
        "subject": "sub" in texts and texts["sub"] != demanded.get("subject", texts["sub"]),
        "name": "name" in texts and texts["name"] != demanded.get("name", texts["name"]),
    })
    return faults | issuer_faults(claims.get("iss"), entry, demanded.get("issuer")) | audience_faults(claims, demanded.get("audience"))


def issuer_faults(issuer, entry, expected):
    """Expected is one issuer, or one of several, or with `true` the owner of the key; a key that has an owner signs for nobody else."""
    accepted = [issuer] if expected in (None, True) else [expected] if isinstance(expected, str) else expected
    if not is_text(issuer) or issuer not in accepted:
        return those({"issuer": is_text(issuer)})
    owner = entry and entry.get("issuer")
    return those({"owner": entry and issuer != owner and (owner or expected is True)})


def audience_faults(claims, expected):
    """Where audiences are expected, one of them is the only one; `false` expects none."""
    if expected is None or "aud" not in claims:
        return set()
    told = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if len(told) != 1:
        return {"audiences"}
    accepted = [expected] if isinstance(expected, str) else expected or ()
    return those({"kind of aud": not is_text(told[0]), "audience": is_text(told[0]) and told[0] not in accepted})


def is_time(value):
    """Whether a value is a number of seconds between 1970 and the year 10000."""
    return type(value) in (int, Number) and 0 <= value < 253402300800


def time_faults(claims, demanded, now):
    """No leeway for the end and the age, some for a clock that is ahead."""
    if not all(is_time(claims[name]) for name in ("exp", "nbf", "iat") if name in claims):
        return {"time"}
    age, rest = now - claims.get("iat", now), claims.get("exp", now + 1) - now
    return those({
        "age": age < -LEEWAY or age > demanded.get("maximum_age", age), "expired": rest <= 0, "not yet": claims.get("nbf", now) > now + LEEWAY,
        "too long": rest > demanded.get("longest", rest),
    })


def jwt_outcome(given):
    [token] = opened(given["text"], given.get("detached"))
    kind, issuer, audience = given["type"].lower(), given.get("issuer"), given.get("audience")
    requires = {*given.get("requires", []), *([] if given.get("endless") else ["exp"]), *(["iss"] if issuer else []), *(["aud"] if audience else [])}
    demanded = {**given, "types": {kind, None} if kind == "jwt" else {kind}, "requires": requires}
    entry, faults = token_verdict(token, named_entries(token, given), demanded, given["now"])
    refuse(at("jwt", faults))
    return {"claims": token.claims, "key": entry["jwk"].get("kid")}


def signed_text(claims, key, kind):
    """A token, which the deterministic algorithms leave no choice about, and the libraries accept."""
    algorithm = key.get("alg", "EdDSA")
    content = ".".join(b64(compact(part).encode()) for part in ({"alg": algorithm, "kid": key["kid"], "typ": kind}, claims))
    if key["kty"] == "oct":
        signature = hmac.digest(raw(key["k"]), content.encode(), HASHES[algorithm])
    else:
        signature = signed_by_seed(raw(key["d"]), content.encode())[1]
    text = f"{content}.{b64(signature)}"
    demand(is_signed_by(signed(text), key), "a signature that was made does not hold")
    return text


def issue_outcome(given):
    key = given["key"]
    refuse(those({"use": key.get("use", "sig") != "sig", "short secret": key["kty"] == "oct" and len(raw(key["k"])) < 32}))
    return {"text": signed_text(given["claims"], key, given.get("type", "JWT"))}


# Service descriptions

def service_entry(line, base):
    match = re.fullmatch(r"([^;\s]+/[^;\s]+)\s*;\s*(\S.*)", line)
    if not match:
        raise Fault("service list")
    return {"type": match[1], "url": web_url(match[2], base)["url"]}


def services_outcome(given):
    """A list of at most 256 documents, and an interval of at most ten digits; a line that is neither is left out and counted."""
    outcome, skipped = {"documents": []}, 0
    for line in (line.strip() for line in re.split(r"\r\n|\r|\n", given["text"].removeprefix("\ufeff"))):
        if not line or line.startswith("#"):
            continue
        try:
            read_service_line(line, given["url"], outcome)
        except Fault:
            skipped += 1
    return {**outcome, **({"skipped": skipped} if skipped else {})}


def read_service_line(line, base, outcome):
    if not line.startswith("ttl:"):
        if len(outcome["documents"]) == 256:
            raise Fault("many documents")
        outcome["documents"].append(service_entry(line, base))
    elif "ttl" not in outcome and re.fullmatch("[0-9]{1,10}", line.removeprefix("ttl:").strip()):
        outcome["ttl"] = int(line.removeprefix("ttl:").strip())
    else:
        raise Fault("service list")


def service_identity(text):
    """The normal form by which services are told apart."""
    url = web_url(text)
    place = uri_parts(text)
    port = "" if url.get("port") in (None, {"http": 80, "https": 443}[url["scheme"]]) else f":{url['port']}"
    query = "" if place["query"] is None else "?" + place["query"]
    return f"{url['scheme']}://{url['host']}{port}{place['path'].removesuffix('/')}{query}"


def queried(asked):
    """What a query is about: `services` by their URLs, or at most a thousand `protocols` by their names."""
    if not isinstance(asked, list) or not asked or not all(map(is_text, asked)):
        raise Fault("query")
    if len(asked) > 1000:
        raise Fault("many names")
    sorts = {"services" if "://" in name else "protocols" for name in asked}
    if len(sorts) > 1:
        raise Fault("query")
    return sorts.pop()


def matching_services(documents, asked):
    """The URLs of the documents that answer a query: of protocols those that an app can be authorized for."""
    if queried(asked) == "services":
        known = {service_identity(url) for url in asked}
        return sorted(url for url in documents if service_identity(url) in known)
    return sorted(url for url, document in documents.items() if {OAUTH2, *asked} <= document["apis"].keys())


def directory_outcome(given):
    return {"services": matching_services(given["documents"], json_value(given["query"], 2))}


def expanded(base, part):
    """A relative link behind its base, one slash between them."""
    if re.search("[?#]", base):
        raise Fault("base with a query")
    if part.startswith("//"):
        raise Fault("path with a host")
    if has_dots(re.split("[?#]", part)[0]):
        raise Fault("climbing")
    web_url(base)
    return base.removesuffix("/") + "/" + part.removeprefix("/")


def api_link(document, name):
    """The link of a protocol: by itself, below the engine's, or below the home page's."""
    link = document["apis"].get(name, {}).get("apiLink")
    if link is None:
        raise Fault("no link")
    engine, home = document.get("engineLink", ""), document.get("homePageLink", "")
    if is_absolute(link):
        return link
    if is_absolute(engine):
        return expanded(engine, link)
    if not is_absolute(home):
        raise Fault("no base")
    return expanded(expanded(home, engine) if engine else home, link)


def endpoint_url(document, protocol, path=None):
    """The URL of a protocol or of a path below it, encrypted or on this machine."""
    if path and f"{protocol}.{path}" in document["apis"]:
        protocol, path = f"{protocol}.{path}", None
    if path and "#" in path:
        raise Fault("fragment")
    if path and re.match("[^:/?]*:", path):
        raise Fault("path with a scheme")
    link = api_link(document, protocol)
    url = web_url(expanded(link, path) if path else link)
    if url["scheme"] == "http" and url["host"] not in ("localhost", "127.0.0.1", "[::1]"):
        raise Fault("unencrypted")
    return url["url"]


def is_api(name, api):
    preferred = str(api.get("preferred", False)).lower() if isinstance(api, dict) else None
    return name != "" and preferred in ("true", "false", "yes", "no") and isinstance(api.get("apiLink", ""), str)


def plain_document(value):
    """A service description, written in the strict form or as lenient producers do, in the strict form."""
    apis = value.get("apis") if isinstance(value, dict) else None
    apis = {} if apis == [] else apis
    if not isinstance(apis, dict) or not all(is_api(name, api) for name, api in apis.items()):
        raise Fault("document")
    if not all(isinstance(value.get(name, ""), str) for name in ("engineName", "engineLink", "homePageLink")):
        raise Fault("document")
    return {**value, "engineLink": value.get("engineLink", ""), "apis": {name: plain_api(api) for name, api in apis.items()}}


def plain_api(api):
    """Of an api only what says something."""
    plain = {name: plain_member(name, value) for name, value in api.items()}
    return {name: value for name, value in plain.items() if value or name not in ("preferred", "settings")}


def plain_member(name, value):
    if name == "preferred":
        return str(value).lower() in ("true", "yes")
    return [value] if name == "transport" and isinstance(value, str) else value


def refuse_document_type(*_):
    raise Fault("document type")


def local(element):
    return element.tag.rpartition("}")[2]


def xml_value(text):
    """What expat says of the text, then the root, then how its apis are bound."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse_document_type
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise Fault("entity" if expat.errors.messages[error.code] == expat.errors.XML_ERROR_UNDEFINED_ENTITY else "element") from None
    root = ElementTree.fromstring(text)
    if local(root) != "rsd" or root.get("version") not in ("1.0", "2.0"):
        raise Fault("document")
    apis = [element for element in root.iter() if local(element) == "api"]
    bindings = {"elements" if len(api) else "attributes" for api in apis}
    refuse(those({"api that comes twice": len({api.get("name") for api in apis}) < len(apis), "mixed bindings": len(bindings) > 1}))
    said = {local(child): child.text or "" for child in root[0] if local(child) != "apis"}
    return {**said, "apis": {api.get("name"): xml_api(api) for api in apis}}


def xml_api(api):
    found = {name: text for name, text in api.attrib.items() if name != "name"}
    for child in api:
        name, word = local(child), child.text or ""
        found[name] = found.get(name, []) + [word] if name == "transport" else word
    return {"engineId" if name == "blogID" else name: value for name, value in found.items()}


def yaml_words(event):
    """What an event of the parser has that documents do not need."""
    anchor, tag, word = (getattr(event, name, None) for name in ("anchor", "tag", "value"))
    return those({"anchor": anchor, "tag": tag, "merge key": word == "<<" and event.style is None})


def keys_in(node):
    """The keys of each mapping at a node and below it."""
    if isinstance(node, yaml.MappingNode):
        yield [key.value for key, _ in node.value]
        for _, value in node.value:
            yield from keys_in(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from keys_in(value)


def yaml_value(text):
    if not yaml:
        raise Unjudged
    try:
        words = set().union(*map(yaml_words, yaml.parse(text)))
    except yaml.MarkedYAMLError as error:
        raise Fault("tab" if "\\t" in error.problem else "document") from None
    refuse(words)
    if any(len(set(keys)) < len(keys) for keys in keys_in(yaml.compose(text))):
        raise Fault("key that comes twice")
    return yaml.safe_load(text)


FORMATS = {"json": json_value, "xml": xml_value, "yaml": yaml_value}


def document_outcome(given):
    """A document, and what its links and its protocols come to."""
    outcome = {"document": plain_document(FORMATS[given["format"]](given["text"]))}
    if "query" in given:
        home = outcome["document"].get("homePageLink") or outcome["document"]["engineLink"]
        outcome["matches"] = bool(matching_services({home: outcome["document"]}, given["query"]))
    if "endpoint" in given:
        outcome["endpoint"] = endpoint_url(outcome["document"], **given["endpoint"])
    return outcome


# The token tree

GROUNDS = {
    "versionKey": {None}, "client": {"versionKey"}, "personal": {"client", "code"}, "assertion": {None, "personal", "versionKey"}, "service": {"assertion"},
    "app": {"service", "code", "app"}, "code": {"client", "service"}, "lock": {None},
}
REDEEMABLE = {"assertion", "code"}


def end_of(record):
    """When a grant ends by itself: at its final expiry, and without refresh at its access expiry; an assertion's ends its redeemability only."""
    renewed = "refresh" in record or record["kind"] in REDEEMABLE
    return min((record[name] for name in ("final", *(() if renewed else ("access",))) if name in record), default=None)


def size_of(record):
    names = sum(len(record.get(name, "").encode()) for name in ("id", "holder", "subject", "audience", "scope", "key"))
    return names + len(compact(record.get("attributes", {})).encode())


class Store:
    """Records by their names, with what happened to them, what must not come again, and messages, with how often each was tried: a settled one has no number.

    The methods that apply a change are named as changes are.
    """

    def __init__(self, batches):
        self.records, self.revoked, self.consumed, self.remembered, self.messages, self.tried, self.visited = {}, {}, {}, {}, {}, {}, set()
        for batch in batches:
            demand(self.commit(batch) is None, "a batch of the past cannot be applied")

    def commit(self, batch):
        """Applies a batch wholly or not at all; gives the place and the faults of the change that cannot be."""
        before = copy.deepcopy(vars(self))
        for place, change in enumerate(batch["changes"]):
            _, faults = attempt(getattr(self, change["do"]), change, batch["at"])
            if faults:
                vars(self).update(before)
                return place, faults
        return None

    def lineage(self, name):
        """A record and all that it stands on."""
        line = []
        while name in self.records:
            line.append(self.records[name])
            name = line[-1].get("parent")
        return line

    def ending(self, name, now):
        """What ended first in time, at equal times what is nearest to the root; a revocation before an expiry."""
        line = self.lineage(name)
        revoked = [(self.revoked[record["id"]]["at"], -height, record["id"]) for height, record in enumerate(line) if record["id"] in self.revoked]
        if revoked:
            return {"verdict": "revoked", "by": min(revoked)[2], **self.revoked[min(revoked)[2]]}
        ended = [(end_of(record), -height, record["id"]) for height, record in enumerate(line) if end_of(record) is not None and now >= end_of(record)]
        return {"verdict": "expired", "by": min(ended)[2], "at": min(ended)[0], "ends": "grant"} if ended else None

    def verdict(self, name, now):
        if name not in self.records:
            return {"verdict": "unknown"}
        if self.ending(name, now):
            return self.ending(name, now)
        if name in self.consumed:
            return {"verdict": "consumed", "at": self.consumed[name]}
        access = self.records[name].get("access", now + 1)
        return {"verdict": "expired", "by": name, "at": access, "ends": "access"} if now >= access else {"verdict": "live"}

    def known(self, name):
        if name not in self.records:
            raise Fault("unknown record")
        return self.records[name]

    def living(self, name, now):
        record = self.known(name)
        if self.ending(name, now):
            raise Fault("ended")
        return record

    def ground_faults(self, record, now):
        if "parent" not in record:
            return those({"groundless": None not in GROUNDS[record["kind"]]})
        ground, faults = attempt(self.living, record["parent"], now)
        return faults | those({"unfit": ground and ground["kind"] not in GROUNDS[record["kind"]]})

    def holder_faults(self, record):
        """A holder has one version key, client or lock that is not revoked, and none again after it was barred."""
        if record["kind"] not in ("versionKey", "client", "lock") or "holder" not in record:
            return set()
        others = [name for name, other in self.records.items() if (other["kind"], other.get("holder")) == (record["kind"], record["holder"])]
        reasons = {self.revoked[name]["reason"] if name in self.revoked else None for name in others}
        return those({"barred": "barred" in reasons, "occupied": None in reasons})

    def is_locked(self, *names):
        """Whether a lock is in force for one of these names."""
        locks = [record for record in self.records.values() if record["kind"] == "lock" and record["id"] not in self.revoked]
        return any(lock.get("holder") in names for lock in locks)

    def lock_faults(self, record):
        """Nothing is given to or about whom a lock shuts out."""
        return those({"locked out": record["kind"] != "lock" and self.is_locked(record.get("holder", ""), record.get("subject", ""))})

    def insert(self, change, now):
        record = change["record"]
        own = those({"taken": record["id"] in self.records, "large record": size_of(record) > 32768})
        refuse(own | self.ground_faults(record, now) | self.holder_faults(record) | self.lock_faults(record))
        self.records[record["id"]] = dict(record)

    def revoke(self, change, now):
        self.known(change["id"])
        self.revoked.setdefault(change["id"], {"at": now, "reason": change["reason"]})

    def consume(self, change, now):
        record = self.living(change["id"], now)
        if record["kind"] not in REDEEMABLE:
            raise Fault("not redeemable")
        if record["id"] in self.consumed:
            raise Fault("consumed")
        if now >= record.get("access", now + 1):
            raise Fault("lapsed")
        self.consumed[record["id"]] = now

    def rotate(self, change, now):
        record = self.living(change["id"], now)
        refuse(self.lock_faults(record))
        if "refresh" not in record:
            raise Fault("not refreshable")
        if record["refresh"] != change["from"] or change["to"]["generation"] != change["from"]["generation"] + 1:
            raise Fault("old generation")
        record["refresh"] = change["to"]
        record.pop("access", None)
        record.update({name: change[name] for name in ("access",) if name in change})

    def reground(self, change, now):
        record, ground = self.living(change["id"], now), self.living(change["onto"], now)
        if record["parent"] != change["from"]:
            raise Fault("elsewhere")
        if (record["kind"], ground["kind"]) != ("client", "versionKey"):
            raise Fault("unfit")
        record["parent"] = change["onto"]

    def describe(self, change, now):
        record = self.living(change["id"], now)
        if "from" in change and change["from"] != record.get("attributes", {}):
            raise Fault("described")
        record["attributes"] = change["attributes"]

    def is_usable(self, record, now):
        """Whether anybody can still use or redeem a record."""
        is_spent = record["id"] in self.consumed or now >= record.get("access", now + 1)
        return not self.ending(record["id"], now) and not (record["kind"] in REDEEMABLE and is_spent)

    def forget(self, change, now):
        """A fingerprint takes the place of a subject of whom nothing can be used any more."""
        own = [record for record in self.records.values() if record.get("subject") == change["subject"]]
        if any(self.is_usable(record, now) for record in own):
            raise Fault("in use")
        for record in own:
            record["subject"] = "forgotten:" + b64(sha256(change["subject"]))
            record.pop("attributes", None)
            if record["kind"] == "lock":
                record.pop("holder")
        self.visited = {(subject, service) for subject, service in self.visited if subject != change["subject"]}

    def confirm(self, change, now):
        self.living(change["id"], now)

    def touch(self, change, now):
        self.known(change["id"])

    def visit(self, change, now):
        self.visited.add((change["subject"], change["service"]))

    def leave(self, change, now):
        self.visited.discard((change["subject"], change["service"]))

    def remember(self, change, now):
        if now < self.remembered.get(change["key"], now):
            raise Fault("replayed")
        self.remembered[change["key"]] = change["until"]

    def enqueue(self, change, now):
        self.messages.setdefault(change["message"]["id"], change["message"])
        self.tried.setdefault(change["message"]["id"], 0)

    def attempt(self, change, now):
        if self.tried.get(change["message"]) is None:
            raise Fault("settled")
        if self.tried[change["message"]] != change["after"]:
            raise Fault("attempted")
        self.tried[change["message"]] += 1

    def settle(self, change, now):
        if self.tried.get(change["message"]) is None:
            raise Fault("settled")
        self.tried[change["message"]] = None


def judge_tree(given):
    store = Store(given["store"])
    conflict = store.commit(given["batch"]) if "batch" in given else None
    outcome = {"verdicts": [store.verdict(ask["id"], ask["now"]) for ask in given["asks"]]}
    return ({**outcome, "change": conflict[0]}, conflict[1]) if conflict else (outcome, set())


# Messages

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*")


def pairs_of(request):
    """The names and values in the query of a request that is a GET, or in its body."""
    kind = request["headers"].get("Content-Type", "").partition(";")[0]
    if request["method"] == "GET":
        return form_pairs(urllib.parse.urlsplit(request["url"]).query)
    if kind == FORM:
        return form_pairs(request.get("body", ""))
    if kind == "application/json":
        return list(json_object(request.get("body", "")).items())
    raise Fault("type of a request")


def pair_faults(pairs):
    return repetition(pairs) | those({"kind of a parameter": not all(isinstance(value, str) for _, value in pairs)})


def repetition(pairs):
    return those({"repeated parameter": len({name for name, _ in pairs}) < len(pairs)})


def by_name(pairs):
    """The first value of each parameter; those without a value are as if they were not there."""
    return {name: value for name, value in reversed(pairs) if value}


def absence(parameters, *names):
    return those({"missing parameter": not parameters.keys() >= set(names)})


def picked(parameters, needed, allowed=()):
    refuse(absence(parameters, *needed))
    return {name: parameters[name] for name in (*needed, *allowed) if name in parameters}


def request_parameters(request, endpoint):
    if endpoint == "resource":
        return {}
    if request["method"] != "POST" and (endpoint, request["method"]) != ("authorization", "GET"):
        raise Fault("method")
    pairs = pairs_of(request)
    refuse(pair_faults(pairs))
    return by_name(pairs)


def assertion_credential(parameters):
    if parameters.get("client_assertion_type") != ASSERTION_TYPE:
        raise Fault("type of an assertion")
    return {"type": "assertion", "client_assertion": parameters["client_assertion"]}


def header_credential(headers):
    if "Authorization" not in headers:
        return {"type": "none"}
    field, proof = headers["Authorization"], headers.get("DPoP")
    if isinstance(field, list):
        raise Fault("two credentials")
    scheme, _, token = field.partition(" ")
    if scheme not in ("Bearer", "DPoP"):
        raise Fault("unknown scheme of a credential")
    if (scheme == "DPoP") != (proof is not None):
        raise Fault("proof without its scheme")
    return {"type": scheme.lower(), "token": token, **({"proof": proof} if proof else {})}


def credential_of(request, parameters):
    """Who asks: by an assertion in the body or a token in the header, and not by both."""
    if "client_assertion" not in parameters:
        return header_credential(request["headers"])
    if "Authorization" in request["headers"]:
        raise Fault("two credentials")
    if request["method"] == "GET":
        raise Fault("credential in the URL")
    return assertion_credential(parameters)


def code_request(parameters):
    code = picked(parameters, ("code",))["code"]
    if code.count(".") == 2:
        return {"signed_code": code}
    verifier = parameters.get("code_verifier")
    if verifier is not None and not re.fullmatch("[A-Za-z0-9._~-]{43,128}", verifier):
        raise Fault("verifier")
    return {"code": code, "code_verifier": verifier}


def token_request(parameters):
    kind = picked(parameters, ("grant_type",))["grant_type"]
    if kind not in TOKEN_REQUESTS:
        raise Fault("grant type")
    says = {"grant_type": kind, **TOKEN_REQUESTS[kind](parameters), **picked(parameters, (), ("client_id", "scope", "resource"))}
    if not SCOPE.fullmatch(says.get("scope", "any")):
        raise Fault("scope")
    return says


TOKEN_REQUESTS = {
    "client_credentials": lambda parameters: {}, "authorization_code": code_request,
    "urn:ietf:params:oauth:grant-type:jwt-bearer": lambda parameters: picked(parameters, ("assertion",)),
    "refresh_token": lambda parameters: picked(parameters, ("refresh_token",)),
}


def response_type_faults(parameters):
    return those({"response type": parameters.get("response_type", "code") != "code"})


def challenge_faults(parameters):
    """The faults of what a challenge asks for; that a password is there is another matter."""
    challenge = parameters.get("code_challenge")
    return absence(parameters, "response_type", "code_challenge", "code_challenge_method") | response_type_faults(parameters) | those({
        "challenge method": parameters.get("code_challenge_method", "S256") != "S256",
        "challenge": challenge and not re.fullmatch("[A-Za-z0-9_-]{43}", challenge),
    })


def challenge_request(parameters):
    refuse(challenge_faults(parameters))
    return picked(parameters, ("username", "password", "code_challenge"), ("client_id",))


def authorization_request(parameters):
    refuse(absence(parameters, "response_type") | response_type_faults(parameters))
    says = picked(parameters, ("resource",), ("state", "req_proof"))
    return {**says, "jkt": thumbprint(json_object(parameters["req_cnf"])["jwk"])} if "req_cnf" in parameters else says


REQUESTS = {
    "token": token_request, "challenge": challenge_request, "authorization": authorization_request,
    "revocation": lambda parameters: picked(parameters, ("token",), ("token_type_hint", "client_id")),
    "introspection": lambda parameters: picked(parameters, ("token",)), "resource": lambda parameters: {},
}


def message_outcome(given):
    parameters = request_parameters(given["request"], given["endpoint"])
    (credential, anonymous), (says, faults) = attempt(credential_of, given["request"], parameters), attempt(REQUESTS[given["endpoint"]], parameters)
    refuse(anonymous | faults)
    return {"says": {**says, "credential": credential}}


def needed(answer, name, kind=str):
    """A member that an answer needs, of a kind and not empty."""
    if answer.get(name) in (None, ""):
        raise Fault("missing parameter")
    if type(answer[name]) is not kind:
        raise Fault("kind of a parameter")
    return answer[name]


def token_answer(answer, asked):
    """An answer with an access token, whose life is a number that 63 bits hold."""
    needed(answer, "token_type")
    if not re.fullmatch(r"[\x20-\x7e]+", needed(answer, "access_token")):
        raise Fault("characters of a token")
    if not 0 <= (needed(answer, "expires_in", int) if "expires_in" in answer else 0) < 2**63:
        raise Fault("kind of a parameter")
    if "scope" in answer and not SCOPE.fullmatch(needed(answer, "scope")):
        raise Fault("scope")
    return answer


def place_told(answer):
    place = needed(answer, "redirect_uri")
    if web_url(place)["scheme"] != "https":
        raise Fault("insecure endpoint")
    return place


def authorization_answer(answer, asked):
    """An answer to the question that was asked, by the one who was."""
    foreign = those({"state": answer.get("state") != asked["state"], "issuer of an answer": answer.get("iss") != asked["issuer"]})
    (code, missing), (place, unusable) = attempt(needed, answer, "code"), attempt(place_told, answer)
    refuse(foreign | missing | unusable)
    return {"code": code, "redirect_uri": place, **picked(answer, (), ("client_id",))}


def introspection_answer(answer, asked):
    return answer if needed(answer, "active", bool) else {"active": False}


ANSWERS = {
    "token": token_answer, "authorization": authorization_answer, "introspection": introspection_answer,
    "challenge": lambda answer, asked: {"authorization_code": needed(answer, "authorization_code")},
}


PAGES = ("text/html", "application/xhtml+xml")


def reply_outcome(given):
    answer = given["answer"]
    if given["endpoint"] == "revocation" and answer["status"] == 204:
        return {"granted": {}}
    if answer["status"] != 200 and not 400 <= answer["status"] < 500:
        raise Fault("status")
    media = answer["headers"].get("Content-Type", "").partition(";")[0].strip().lower()
    if given["endpoint"] == "revocation" and answer["status"] == 200 and not (answer.get("body") and media in PAGES):
        return {"granted": {}}
    if media != "application/json":
        raise Fault("type of an answer")
    value = json_object(answer.get("body", ""))
    if answer["status"] == 200:
        return {"granted": ANSWERS[given["endpoint"]](value, given.get("asked"))}
    needed(value, "error")
    return {"refused": {**picked(value, ("error",), ("error_description",)), "status": answer["status"]}}


# On the device: what apps ask for

def typed(name, *requires, **rules):
    """What is demanded of the tokens of a type, which may be left untold, as deployed clients do, but not the claims that make it."""
    return {"types": {name, "jwt", None}, "requires": set(requires), **rules}


def token_faults(token, keys, demanded, now):
    return token_verdict(token, [{"jwk": key} for key in keys], demanded, now)[1]


PROTOCOL_REQUEST = typed("protocol-request+jwt", "iss", "sub", "aud", "name", "iat", "jti", "req_hash", audience="urn:ietf:params:oauth:assertion")


def request_faults(given):
    request, unread = attempt(json_object, given["request"])
    faults = unread or member_faults(request)
    if faults:
        return faults
    if HIDDEN.search(request["app_name"]):
        return {"hidden name"}
    if given.get("caller", request["app_id"]) != request["app_id"]:
        return {"other caller"}
    if "token" not in request and request["app_id"] in given["registry"]:
        return {"unsigned"}
    return (proposal_faults(request, given) if "token" in request else set()) | grant_faults(given.get("grants", []), request)


def member_faults(request):
    protocols, is_single = request.get("protocols"), request.get("single", False)
    is_list = isinstance(protocols, list) and protocols != [] and all(isinstance(name, str) for name in protocols)
    is_told = all(is_text(request.get(name)) for name in ("client_id", "app_id", "app_name"))
    return those({"member of a request": not is_told or not is_list or not isinstance(is_single, bool), "empty protocol": is_list and "" in protocols})


def proposal_faults(request, given):
    """The faults of the text in which an app signs what it asks for."""
    token, keys = signed(request["token"]), given["registry"].get(request["app_id"])
    if token is None or keys is None:
        return {"unknown app" if token else "unreadable"}
    demanded = {**PROTOCOL_REQUEST, "issuer": request["app_id"], "subject": request["client_id"], "name": request["app_name"]}
    faults = token_faults(token, named(token, keys), demanded, given["now"])
    return faults or proposal_cover(token.claims, request, given)


def proposal_cover(claims, request, given):
    """Whether a signature that is the app's ends, covers this request, and comes for the first time."""
    seen = given.get("seen", {}).get(request["app_id"], {})
    return those({
        "age": given["now"] > claims["iat"] + 600, "other proposal": claims["req_hash"] != proposal_digest(request),
        "proposal replayed": given["now"] < seen.get(claims["jti"], 0),
    })


def proposal_digest(request):
    protocols = sorted(set(request["protocols"]), key=str.encode)
    lines = [request["app_id"], request["client_id"], "1" if request.get("single") else "0", *protocols]
    return base64.urlsafe_b64encode(sha256("".join(line + "\n" for line in lines))).rstrip(b"=").decode()


# Controls of direction and what nobody sees; joiners between characters of other scripts are not among the vectors.
HIDDEN = re.compile("[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def grant_faults(documents, request):
    """Whether an app is given one service where it handles one, and only what it asked for."""
    faults = those({"two services": request.get("single") and len(documents) > 1})
    return faults.union(*(entry_faults(document, request["protocols"])[:1] for document in documents))


def authorization_at(place):
    """The authorization that stands at a service or at a protocol."""
    found = place.get("authorization", place.get("token"))
    return json_object(found) if isinstance(found, str) else found


def usage_faults(authorization):
    """Why an authorization cannot be shown: neither as it is, nor by signatures with the key that it brings."""
    return those({"type of a token": authorization.get("token_type", "Bearer").lower() != "bearer" and "jwk" not in authorization.get("cnf", {})})


def entry_faults(document, protocols):
    """What is wrong with a service in an answer, the first first: it has to offer all that was asked for, and one authorization has to open it."""
    if not set(protocols) <= document["apis"].keys():
        return ["not granted"]
    places = (document, *(document["apis"][protocol] for protocol in protocols))
    faults = [usage_faults(authorization) for authorization in map(authorization_at, places) if authorization]
    return [*itertools.chain(*faults), *([] if set() in faults else ["unauthorized"])]


# On the device: what apps hold

RESERVED = {"iss", "sub", "aud", "exp", "nbf", "iat", "jti"}


def documents_in(answer):
    """The documents of an answer, in each of the forms that are sent."""
    value = json_value(answer)
    if isinstance(value, dict):
        value = value.get("services", list(value.values()))
    if not isinstance(value, list):
        raise Fault("answer")
    return value


def is_covered(url, scope):
    """Whether a URL lies in a scope, where that speaks of endpoints at the same host."""
    ends = [word for word in scope.split() if is_absolute(word) and web_url(word)["host"] == web_url(url)["host"]]
    return not ends or is_within(url, " ".join(ends))


class Holdings:
    """The services that an answer opened to an app, by their identities, and the faults for which others were left out.

    The methods that take an ask are named as asks are.
    """

    def __init__(self, given):
        request, documents = json_object(given["request"]), documents_in(given["answer"])
        self.app, self.protocols, self.received = request["app_id"], request["protocols"], given["now"]
        self.chance = itertools.cycle(bytes.fromhex(given["entropy"])[start:start + 8][::-1] for start in range(0, 32, 8))
        self.services, self.dropped, self.rejected = {}, [], set()
        self.flaws = ["answer" for document in documents if not isinstance(document, dict)]
        objects = [document for document in documents if isinstance(document, dict)]
        for document in sorted(objects, key=lambda document: (service_identity(document["homePageLink"]), compact(document))):
            self.dropped += self.accept(document)

    def accept(self, document):
        """Takes in a document that opens something, and gives the faults."""
        name = service_identity(document["homePageLink"])
        if name in self.services:
            return ["second document"]
        faults = entry_faults(document, self.protocols)
        if not {"not granted", "unauthorized"} & set(faults):
            self.services[name] = document
        return faults

    def service(self, ask):
        document = self.services.get(service_identity(ask["service"]))
        if document is None:
            raise Fault("unknown service")
        return document

    def granted(self, ask):
        document = self.service(ask)
        if ask["protocol"] not in (OAUTH2, *self.protocols):
            raise Fault("not granted")
        return document

    def authorization(self, ask):
        """The one at the protocol wins over the one at the service."""
        document = self.granted(ask)
        return authorization_at(document["apis"][ask["protocol"]]) or authorization_at(document)

    def sent(self, document, path, parameters):
        """A request to the service's authorization server."""
        headers = {"Accept": "application/json", "Content-Type": FORM}
        body = urllib.parse.urlencode({**parameters, "client_id": self.app})
        return {"method": "POST", "url": endpoint_url(document, OAUTH2, path), "headers": headers, "body": body}

    def homes(self):
        return [self.services[name]["homePageLink"] for name in sorted(self.services)]

    def names(self, ask):
        return self.homes()

    def serialize(self, ask):
        """What is written is read back to the same services."""
        return self.homes()

    def display_name(self, ask):
        return self.service(ask)["engineName"]

    def url(self, ask):
        return self.service(ask)["homePageLink"]

    def endpoint(self, ask):
        return endpoint_url(self.granted(ask), ask["protocol"], ask.get("path"))

    def token(self, ask):
        """The access token as it is, or one for this request alone where it is bound to a key."""
        authorization, url, now = self.authorization(ask), self.endpoint(ask), ask.get("now", self.received)
        if authorization["access_token"] in self.rejected or now >= self.received + authorization.get("expires_in", now):
            raise Fault("expired access")
        if not is_covered(url, authorization.get("scope", "")):
            raise Fault("outside the scope")
        key, claims = authorization.get("cnf", {}).get("jwk"), ask.get("claims", {})
        if key is None:
            return authorization["access_token"]
        if RESERVED & claims.keys():
            raise Fault("reserved claim")
        name = b64(next(self.chance) + next(self.chance))
        return signed_text({"iss": self.app, "aud": url, "iat": now, "jti": name, **claims}, key, "request+jwt")

    def refused(self, ask):
        """Whether the token that the service refused is the one in use."""
        self.rejected.add(ask["token"])
        return ask["token"] == self.authorization(ask)["access_token"]

    def renew(self, ask):
        token = self.authorization(ask).get("refresh_token")
        if token is None:
            raise Fault("not refreshable")
        if not is_open(endpoint_url(self.service(ask), OAUTH2, "token"), self.service(ask)["homePageLink"]):
            raise Fault("closed address")
        return self.sent(self.service(ask), "token", {"grant_type": "refresh_token", "refresh_token": token})

    def revoke(self, ask):
        document, token = self.service(ask), self.authorization(ask)["access_token"]
        self.remove(ask)
        return [self.sent(document, "revoke", {"token": token, "token_type_hint": "access_token"})]

    def remove(self, ask):
        return self.services.pop(service_identity(ask["service"]), None) is not None

    def clear(self, ask):
        self.services.clear()
        return True


def judge_response(given):
    """What an app holds after an answer, and what it gets when it asks; the last refusal counts, else what was left out first."""
    holdings, unread = attempt(Holdings, given)
    if unread:
        return {}, unread
    accepted, left_out = holdings.homes(), [*holdings.dropped, *holdings.flaws]
    results = [attempt(getattr(holdings, ask["ask"]), ask) for ask in given["asks"]]
    lists = {
        "dropped": list(map(CLAUSE_OF.get, holdings.dropped)), "flaws": list(map(CLAUSE_OF.get, holdings.flaws)),
        "results": [{"refusal": CLAUSE_OF[min(faults)]} if faults else value for value, faults in results],
    }
    faults = results[-1][1] if results and results[-1][1] else set(left_out[:1])
    return {"accepted": accepted, **{name: values for name, values in lists.items() if values}, "services": holdings.homes()}, faults


def state_faults(given):
    """The faults of a serialized state, whose digest is that of the state as it stands there."""
    state, unread = attempt(json_object, given["text"], 48)
    if unread:
        return unread
    if state["nail"] != 1:
        return {"later version"}
    return those({"changed": state["digest"] != b64(sha256(compact(state["state"])))})


# On the device: the screens, and where events lead from them, for people who open the app, and for those from whom an app wants something
EDU_ID_MODE = {
    "login": {"sign in": "authenticating", "logout pending": "pending", "logout confirmed": "login"},
    "pending": {"sign in": "authenticating", "logout pending": "pending", "logout confirmed": "login"},
    "authenticating": {
        "signed in": "profile", "sign-in failed": "login", "logout pending": "authenticating", "logout confirmed": "authenticating",
    },
    "profile": {"log out": "warning", "session ended": "login"}, "warning": {"confirm": "login", "turn back": "profile"},
}
AUTHORIZATION_MODE = {
    "login": {"sign in": "authenticating", "reject": "finished"},
    "authenticating": {"signed in": "searching", "sign-in failed": "login", "reject": "finished"},
    "searching": {"known": "known", "found": "candidates", "reject": "finished"},
    "known": {"pick": "known", "hide": "known", "found": "candidates", "accept": "finished", "reject": "finished"},
    "candidates": {"pick": "candidates", "hide": "candidates", "accept": "finished", "reject": "finished"}, "finished": {},
}


def mode_faults(given):
    screens, home = (AUTHORIZATION_MODE, "searching") if "request" in given else (EDU_ID_MODE, "profile")
    screen, picked = home if given.get("signed_in") else "login", set()
    candidates, is_single = set(given.get("candidates", [])), json_object(given.get("request", "{}")).get("single")
    for step in given["steps"]:
        event = step.split(" ")[0] if step.startswith(("pick ", "hide ")) else step
        if event not in screens[screen]:
            return {event}
        screen, picked = screens[screen][event], picked | ({step[5:]} if event == "pick" else set())
        if event == "hide":
            if step[5:] not in candidates:
                return {"choice"}
            candidates, picked = candidates - {step[5:]}, picked - {step[5:]}
    return those({"choice": not picked <= candidates or is_single and "accept" in given["steps"] and len(picked or candidates) > 1})


# Services: those who make a request

ACCESS_TOKEN = {"types": {"at+jwt"}, "requires": {"iss", "sub", "aud", "client_id", "iat", "exp", "jti"}}
APP_CODE = typed("authorization-grant+jwt", "iss", "sub", "aud", "iat", "exp", "jti", longest=LONGEST)
CLIENT_ASSERTION = typed("client-authentication+jwt", "iss", "sub", "aud", "exp", "jti", longest=LONGEST)
DPOP_PROOF = {"types": {"dpop+jwt"}, "requires": {"jti", "htm", "htu", "iat"}, "brings": {"jwk"}, "maximum_age": LEEWAY}
REQUEST_TOKEN = typed("request+jwt", "iss", "aud", "iat", "jti", maximum_age=LEEWAY)
SERVICE_ASSERTION = typed("authorization-grant+jwt", "iss", "sub", "aud", "azp", "iat", "exp", "jti", "cnf", longest=LONGEST)
STATEMENT = typed("client-authentication+jwt", "iss", "sub", "aud", "name")
STATEMENT_LIFE = 600


class Case:
    """What is given to a server, taken apart."""

    def __init__(self, given):
        self.party, self.now, self.request, self.answer = given["party"], given["now"], given["request"], given.get("answer")
        self.role, self.policy, self.store = self.party["role"], self.party.get("policy", {}), Store(given["store"])
        self.url, self.pairs = self.request["url"].partition("?")[0], attempt(pairs_of, self.request)[0] or []
        self.parameters, self.issuer = by_name(self.pairs), self.party["issuer"]

    def records(self, kind):
        return [record for record in self.store.records.values() if record["kind"] == kind]


def key_of(record, party):
    """The key that a record is bound to."""
    bound = record.get("key")
    if bound is None:
        return None
    if bound == "symmetric":
        return {"kty": "oct", "k": b64(mac(raw(party["master"]), "proof of possession:" + record["id"])), "alg": "HS256"}
    demand(bound.startswith("ed25519:"), "a record is bound to a key of another kind")
    return {"kty": "OKP", "crv": "Ed25519", "x": bound[8:]}


def remembered(namespace, owner, name):
    message = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in (namespace, owner, name))
    return b64(sha256(message)[:16])


def replays(namespace, owner, token, case):
    name = token.claims.get("jti")
    return those({"replayed": is_text(name) and case.now < case.store.remembered.get(remembered(namespace, owner, name), case.now)})


def liveness(record, case, expires=True):
    """Whether what a record stands for may be used: it and all that it stands on unrevoked and not past the end, its version admitted."""
    if record is None:
        return set()
    name, now = record["id"], case.now
    is_over = case.store.verdict(name, now)["verdict"] in ("revoked", "expired") if expires else case.store.ending(name, now)
    is_over = is_over or is_withdrawn(case.store.lineage(name))
    versions = [other["id"] for other in case.store.lineage(name) if other["kind"] == "versionKey" and case.role == "edu-id"]
    return those({"ended": is_over, "version shut out": any(is_shut_out(version, case) for version in versions)})


def is_withdrawn(line):
    """Whether the first of what stands on a key was signed with it since somebody else has it."""
    since = line[-1].get("attributes", {}).get("withdrawn") if line[-1]["kind"] == "versionKey" and len(line) > 1 else None
    return since is not None and line[-2]["issued"] >= since


def version_of(name, case):
    return next((version for version in case.party["versions"] if version["kid"] == name), None)


def is_shut_out(name, case):
    version, record = version_of(name, case), case.store.records.get(name, {})
    is_excluded = version["platform"] in case.policy.get("excluded_platforms", [])
    return is_excluded or version.get("blocked") or record.get("attributes", {}).get("blocked")


def bearer(case):
    """The token in the header, whatever it is beside."""
    credential, _ = attempt(header_credential, case.request["headers"])
    return credential and credential.get("token")


def speaker(case):
    """Who makes a request: the record of the credential, where it leads to one, and the faults of the credential."""
    credential, faults = attempt(header_credential, case.request["headers"])
    if faults or credential["type"] == "none":
        return None, faults or {"no credential"}
    if credential["type"] == "dpop":
        return proved_token(credential["token"], case)
    token = signed(credential["token"])
    if token is None or token.header.get("kid") == case.party["key"]["kid"]:
        return plain_token(credential["token"], case)
    record, faults = request_token(token, case)
    return record, at("token", faults)


def request_token(token, case):
    """The record that the name of a request token's key leads to, and the token's faults."""
    record = case.store.records.get(token.header.get("kid"))
    if record is None or "key" not in record:
        return None, token_faults(token, [], {**REQUEST_TOKEN, "audience": case.url}, case.now)
    return record, proof_faults(token, key_of(record, case.party), record["id"], record["holder"], case)


def proof_faults(token, key, name, holder, case):
    """The faults of a request token by a key, which goes by its thumbprint, or by its name where it is a secret."""
    owner = thumbprint(key) if key["kty"] == "OKP" else name
    demanded = {**REQUEST_TOKEN, "issuer": holder, "audience": case.url}
    return token_faults(token, named(token, [{**key, "kid": name}]), demanded, case.now) | replays("request token", owner, token, case)


def plain_token(text, case):
    record = record_of(text, case)
    return record, those({"unknown token": record is None, "bare token": record and "key" in record})


def kept_record(text, store):
    """The record of an opaque token or code, which keeps the hash of its secret."""
    name, _, secret = text.partition(".")
    record = store.records.get(name)
    return record if record and record.get("attributes", {}).get("secret") == b64(sha256(secret)) else None


def record_of(text, case):
    """The record of an access token, where the party gave the token and its time is not over."""
    token = signed(text)
    if token is None:
        return kept_record(text, case.store)
    demanded = {**ACCESS_TOKEN, "issuer": case.party["issuer"], "audience": case.party["issuer"]}
    faults = token_faults(token, [case.party["key"]], demanded, case.now)
    return None if faults else case.store.records.get(token.claims["jti"].rpartition(".")[0])


def proved_token(text, case):
    """An access token beside a DPoP proof by the key that it is bound to."""
    record = record_of(text, case)
    if record is None or "key" not in record:
        return record, {"unknown token"}
    return record, dpop_faults(key_of(record, case.party), b64(sha256(text)), case)


def dpop_faults(bound, digest, case):
    """The faults of a DPoP proof by a key, and for the access token of a digest, where there is one yet."""
    proof = signed(case.request["headers"]["DPoP"])
    key, told = proof.header["jwk"], tuple(proof.claims.get(name) for name in ("htm", "htu", "ath"))
    faults = token_faults(proof, [key], DPOP_PROOF, case.now) | replays("proof", thumbprint(key), proof, case)
    return faults | those({"other request": told != (case.request["method"], case.url, digest), "other key": thumbprint(key) != thumbprint(bound)})


def is_statement(token, case):
    return token.header.get("typ") == "client-authentication+jwt" or version_of(token.header.get("kid"), case) is not None


def statement_faults(token, version, case):
    """The faults of S1's request token, which the key of an app's version signs."""
    keys, app = ([version["key"]], {"issuer": version["app_name"]}) if version else ([], {})
    device = [token.claims.get(name) for name in ("device_id", "device_type", "os_version")]
    is_strict, name, subject = case.policy.get("strict_source"), token.header.get("kid"), token.claims.get("sub")
    demanded = {**STATEMENT, "audience": case.issuer, **app, **({} if is_strict else {"maximum_age": STATEMENT_LIFE})}
    faults = at("statement", token_faults(token, keys, demanded, case.now))
    faults |= those({"untimed statement": token.is_read and not is_strict and not {"iat", "jti"} <= token.claims.keys()})
    if is_text(name) and is_text(subject):
        faults |= replays("client assertion", f"kid:{len(name.encode())}:{name}{subject}", token, case)
    return faults | those({"device": token.is_read and not all(map(is_text, device))})


def client_faults(case):
    """The faults of another server's client assertion: services know the edu-ID service, which knows many of them by their names."""
    token = signed(case.parameters.get("client_assertion"))
    if token is None:
        return at("client", {"no credential"})
    issuer, demanded = token.claims.get("iss"), {**CLIENT_ASSERTION, "subject": token.claims.get("iss"), "audience": case.issuer}
    if case.role == "service":
        (keys, unread), demanded["issuer"] = trusted_keys(case), case.party["edu_id"]["issuer"]
        if unread:
            return unread
    else:
        keys = [key for service in case.party["services"] if service["issuer"] == issuer for key in service["keys"]]
    faults = token_faults(token, named(token, keys), demanded, case.now) | replays("client assertion", issuer, token, case)
    return at("client", faults) | assertion_faults(case)


def published_keys(case):
    """What the edu-ID service publishes; nothing where that cannot be read."""
    if case.answer is None or case.answer["status"] != 200:
        return []
    return attempt(json_object, case.answer["body"])[0]["keys"]


def trusted_keys(case):
    """The edu-ID service's keys, as they were given or as they are published now; what is withdrawn is a key no longer."""
    if "keys" in case.party["edu_id"]:
        return case.party["edu_id"]["keys"], set()
    published = published_keys(case)
    return [key for key in published if "kid" in key and "revoked" not in key], those({"keys unreadable": not published})


def assertion_faults(case):
    return attempt(assertion_credential, case.parameters)[1]


def name_faults(holder, case):
    return those({"client id": case.parameters.get("client_id", holder) != holder})


# Services: what is asked of the edu-ID service

def registration(case):
    text, header = case.parameters.get("client_assertion"), bearer(case)
    token = signed(text or header)
    if token is None:
        return at("registration", {"no credential"})
    if not text and not is_statement(token, case):
        return device_change(token, case)
    version = version_of(token.header.get("kid"), case)
    faults = statement_faults(token, version, case) | (assertion_faults(case) if text else set()) | those({"two credentials": text and header})
    if version is None:
        return faults
    return faults | name_faults(token.claims.get("sub"), case) | brought_key_faults(token.claims) | version_faults(token.claims, version, case)


def device_change(token, case):
    record, faults = request_token(token, case)
    told = [token.claims[name] for name in ("name", "device_id", "device_type", "os_version") if name in token.claims]
    return at("device", faults) | liveness(record, case) | those({"device": not all(map(is_text, told))})


def brought_key_faults(claims):
    key = claims.get("cnf", {}).get("jwk")
    return those({"private key": key and "d" in key, "unusable key": key and (key["kty"], key["crv"]) != ("OKP", "Ed25519")})


def number_of(version):
    return [int(part) for part in version["version"].split(".")]


def version_faults(claims, version, case):
    """Whether an instance may have a version: none where it was barred, no lower one, and a higher one of its line by its own key."""
    revoked = case.store.revoked
    own = [record for record in case.records("client") if record["holder"] == claims.get("sub")]
    is_stolen = "withdrawn" in case.store.records.get(version["kid"], {}).get("attributes", {})
    faults = at("registration", those({"version shut out": is_stolen or is_shut_out(version["kid"], case)}))
    faults |= those({"barred": any(revoked.get(record["id"], {}).get("reason") == "barred" for record in own)})
    if "instance_assertion" in case.parameters:
        return faults | upgrade_faults(claims, version, case)
    held = [version_of(record["parent"], case) for record in own if record["id"] not in revoked]
    is_lower = any(number_of(version) < number_of(other) for other in held)
    return faults | those({"version": is_lower, "unproved instance": held and not is_lower})


def upgrade_faults(claims, version, case):
    record, faults = request_token(signed(case.parameters["instance_assertion"]), case)
    if record is None:
        return faults
    held, key, is_own = version_of(record["parent"], case), claims.get("cnf", {}).get("jwk"), record["holder"] == claims.get("sub")
    return faults | liveness(record, case) | those({
        "version": held["platform"] != version["platform"] or held != version and number_of(held) >= number_of(version), "two instances": not is_own,
        "another key": is_own and key and key["x"] != key_of(record, case.party).get("x"),
    })


def instance(case):
    """The registered instance that makes a request, by its own token or by a statement of its version, and the faults of that."""
    token = signed(bearer(case))
    if token is None or not is_statement(token, case):
        record, faults = speaker(case)
        return record, faults | liveness(record, case)
    own = [record for record in case.records("client") if record["holder"] == token.claims.get("sub") and "ended" not in liveness(record, case)]
    record, name = next(iter(own), None), token.header.get("kid")
    return record, statement_faults(token, version_of(name, case), case) | liveness(record, case) | those({
        "unregistered": record is None, "statement of another version": record and record["parent"] != name})


def failure_places(kind, name, count, case):
    """The keys by which failed attempts to sign in are counted: each takes one for a quarter of an hour."""
    digest = b64(sha256(mac(raw(case.party["master"]), f"sign-in: {kind}: {name}")))
    return [remembered("failed sign-in", digest, str(number)) for number in range(count)]


def rows_of_places(record, name, case):
    """The places of an instance, and those of a user: where he or she has been signed in before, and elsewhere."""
    user = b64(sha256(mac(raw(case.party["master"]), f"sign-in: user: {name}")))[:22]
    familiar = record.get("attributes", {}).get("users", {})
    own = (f"user on {record['holder']} since {familiar[user]}", 10) if user in familiar else ("user among strangers", 20)
    return failure_places("instance", record["holder"], 10, case), failure_places(own[0], name, own[1], case)


def is_full(places, case):
    return all(case.now < case.store.remembered.get(place, case.now) for place in places)


def password_faults(record, case):
    name, password = case.parameters.get("username"), case.parameters.get("password")
    if record is None or not name or not password:
        return absence(case.parameters, "username", "password")
    of_instance, of_user = rows_of_places(record, name, case)
    if is_full(of_instance, case):
        return {"attempts"}
    user = next((user for user in case.party["users"] if user["name"] == name and user["password"] == password), None)
    if is_full(of_user, case):
        return {"locked"}
    if user is None:
        return {"password"}
    return those({"locked out": case.store.is_locked(user["subject"])}) | another_user_faults(record, user["subject"], case)


def living_personal(record, case):
    """The grants of users who are signed in on an instance."""
    under = [other for other in case.records("personal") if record["id"] in (ground["id"] for ground in case.store.lineage(other["id"]))]
    return [other for other in under if not case.store.ending(other["id"], case.now)]


def another_user_faults(record, subject, case):
    return those({"another user": any(other["subject"] != subject for other in living_personal(record, case))})


def authentication(case):
    record, faults = instance(case)
    faults |= at("challenge", name_faults(record["holder"], case)) if record else set()
    return faults | password_faults(record, case) | challenge_faults(case.parameters)


def password_grant(case):
    record, faults = instance(case)
    return faults | password_faults(record, case) if case.policy.get("takes_passwords") else unsupported_grant(case)


def is_timely(time, case):
    """Whether an answer of that time can be asked for again: for a minute, its last second included."""
    window = case.policy.get("repetition_window", 60)
    return window > 0 and case.now <= time + window


def wishes(case, ground=""):
    """The digest of what a token is asked for."""
    brought = json_object(case.parameters.get("req_cnf", "{}")).get("jwk")
    asked = [case.parameters.get(name, "") for name in ("scope", "resource")]
    return sha256("\n".join([*asked, thumbprint(brought) if brought else "", ground]))


def first_secret(record, ground, case):
    """The secret of the first refresh token of a grant, which can be made again."""
    return mac(raw(case.party["master"]), b"refresh token:" + raw(record["refresh"]["salt"]) + wishes(case, ground) + record["id"].encode())


def second_use_faults(ground, granted, case):
    """What was redeemed before is good once more for who lost the answer: for a minute, with the same wishes, and never without a key."""
    if ground not in case.store.consumed:
        return set()
    if not granted or not all("key" in record for record in granted) or not is_timely(case.store.consumed[ground], case):
        return {"consumed"}
    living = [record for record in granted if not case.store.ending(record["id"], case.now)]
    is_given = any(b64(sha256(first_secret(record, ground, case))) == record["refresh"]["hash"] for record in living)
    return those({"answered otherwise": not is_given})


def code_grant(case):
    record, faults = speaker(case)
    faults |= liveness(record, case) | absence(case.parameters, "code")
    code = kept_record(case.parameters.get("code", ""), case.store)
    if code is None:
        return faults | those({"no such code": "code" in case.parameters})
    is_used, client = code["id"] in case.store.consumed, case.store.records[code["parent"]]
    second = second_use_faults(code["id"], living_personal(client, case), case)
    faults |= set() if is_used else another_user_faults(client, code["subject"], case)
    return faults | at("code", second | those({
        "code of another": record and record["holder"] != code["holder"], "lapsed": case.now >= code["access"] and not is_used,
        "other verifier": b64(sha256(case.parameters.get("code_verifier", ""))) != code["attributes"]["code_challenge"],
    }))


def renewal(case):
    """A refresh token comes with the proof of its holder's key, or with its holder's name where a plain token is renewed."""
    record, faults = speaker(case)
    text = case.parameters.get("refresh_token")
    if text is None:
        return faults | absence(case.parameters, "refresh_token")
    kept = case.store.records.get(text.rpartition(".")[2])
    if kept is None or not is_of_family(text, kept):
        return faults | {"no such refresh token"}
    if "key" not in kept:
        record, faults = {"holder": case.parameters.get("client_id")}, faults - {"no credential"}
    faults = at("refresh", faults) | those({
        "refresh token of another": record and record["holder"] != kept["holder"], "old generation": is_rotated(text, kept, case),
        "answered otherwise": record and is_answered_otherwise(text, kept, record, case),
        "wider": not all(is_within(word, kept["scope"]) for word in case.parameters.get("scope", "").split()),
    })
    faults |= at("refresh", liveness(kept, case, expires=False))
    return faults if case.role == "edu-id" else faults | admission(kept, case) | case.store.lock_faults(kept)


def refresh_content(text):
    """The generation, the family and the secret of a refresh token."""
    content = attempt(raw, text.rpartition(".")[0])[0] or b""
    return int.from_bytes(content[:4], "big"), content[4:20], content[20:]


def family_of(record):
    return mac(raw(record["refresh"]["salt"]), "family" + record["id"])[:16]


def is_of_family(text, record):
    """Whether a refresh token is the record's, of now or of an earlier generation."""
    (generation, family, secret), kept = refresh_content(text), record["refresh"]
    return family == family_of(record) and (generation < kept["generation"] or b64(sha256(secret)) == kept["hash"])


def is_rotated(text, record, case):
    """Whether a refresh token was used before: the last one may come again within the window of the policy."""
    behind = record["refresh"]["generation"] - refresh_content(text)[0]
    return behind > 1 or behind == 1 and not ("key" in record and is_timely(record["refresh"].get("rotated", -case.now), case))


def is_answered_otherwise(text, record, holder, case):
    """Whether the last refresh token was answered for other wishes than these: the secret of the next one follows from them."""
    generation, _, secret = refresh_content(text)
    if record["refresh"]["generation"] != generation + 1 or is_rotated(text, record, case):
        return False
    key = key_of(holder, case.party)
    proof = sha256((thumbprint(key) if key["kty"] == "OKP" else "kid:" + holder["id"]).encode() + wishes(case))
    return b64(sha256(mac(raw(record["refresh"]["salt"]), b"next" + generation.to_bytes(4, "big") + secret + proof))) != record["refresh"]["hash"]


def scope_of(record):
    """What a record's token is for: a renewal may have narrowed it."""
    return record.get("attributes", {}).get("narrowed_scope", record["scope"])


def resource(*kinds):
    """The judge of a resource that tokens of some kinds open, by their scope where they have one; whoever ends something of theirs need not renew before."""
    def judge(case):
        record, faults = speaker(case)
        if record is None or record["kind"] not in kinds:
            return faults | those({"kind of a token": record})
        place = re.sub("/services(/[^/]+)?$", "/instances", case.url) if case.role == "edu-id" and "/discovery" not in case.url else case.url
        is_outside = "scope" in record and not is_within(place, scope_of(record))
        return faults | liveness(record, case, case.request["method"] != "DELETE") | at("edu-id", those({"outside the scope": is_outside}))
    return judge


def profile(case):
    """The attributes of a user: all of them, or those that are asked for by at most 64 names."""
    names = case.parameters.get("claims", "name").split(" ")
    return resource("personal", "assertion")(case) | those({"kind of a parameter": len(names) > 64 or "" in names})


def path_part(text):
    """The text that a part of a path stands for; what is no text is not there."""
    try:
        return urllib.parse.unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return None


def administration(case):
    record, faults = speaker(case)
    is_other = record and record.get("subject") not in case.policy.get("administrators", [])
    kind, *parts = case.url.removeprefix(case.issuer + "/admin/").split("/")
    is_missing = kind == "users" and parts and is_nobody(path_part(parts[0]), parts[1:], case)
    return faults | liveness(record, case) | those({"no administrator": is_other}) or is_no_portion(case) | those({"page": is_missing})


def is_no_portion(case):
    """What is said of a list: how many records are looked at, and whether only who is locked is wanted."""
    limit = case.parameters.get("limit", "100")
    is_number = re.fullmatch("[0-9]{1,9}", limit) and 1 <= int(limit) <= 1000
    return those({"kind of a parameter": not is_number or case.parameters.get("locked", "true") != "true"})


def is_nobody(user, rest, case):
    """Whether an administrator names a user of whom there is nothing to end that way."""
    unended = [other for other in case.records("personal") if other.get("subject") == user and other["id"] not in case.store.revoked]
    match rest:
        case []:
            return not unended
        case ["lock"]:
            return False
        case ["unlock"]:
            return not case.store.is_locked(user)
        case ["instances", word]:
            grounds = [ground for other in unended for ground in case.store.lineage(other["id"])]
            return path_part(word) not in {ground.get("holder") for ground in grounds if ground["kind"] == "client"}
        case ["services", word]:
            return not has_at(user, word, case)
    return True


def has_at(user, word, case):
    """Whether a user has something at a service that a path names, or used it."""
    asked, unread = attempt(lambda: service_identity(raw(word).decode()))
    if unread:
        return False
    homes = {service.get("issuer", service["home"]): service["home"] for service in case.party["services"]}
    unended = [other for other in case.records("assertion") if other.get("subject") == user and other["id"] not in case.store.revoked]
    places = [homes.get(other["audience"], other["audience"]) for other in unended] + [place for visitor, place in case.store.visited if visitor == user]
    return asked in map(service_identity, places)


def leaving(case):
    """Users end what they were given at a service: another one is not there for them."""
    faults, (record, _) = resource("personal")(case), speaker(case)
    return faults or those({"page": not has_at(record["subject"], case.url.rpartition("/")[2], case)})


def usage(case):
    """The list, and before it what the app tells: a service, and whether it has accepted or refused the user."""
    if not case.policy.get("has_usage_manager", True):
        return {"page"}
    faults = resource("personal")(case)
    if case.request["method"] != "POST":
        return faults
    told, unread = attempt(json_object, case.request.get("body", "").encode(), 2)
    is_told = not unread and isinstance(told.get("outcome"), str) and isinstance(told.get("service"), str)
    if is_told:
        _, unread = attempt(lambda: service_identity(told["service"]))
        is_told = not unread and told["outcome"] in ("accepted", "refused")
    return faults | those({"acceptances": not is_told})


def disconnection(case):
    """Users end their own instances: another one is not there for them."""
    faults, (record, _) = resource("personal")(case), speaker(case)
    own = {other["holder"] for other in case.records("personal") if record and other["subject"] == record.get("subject")}
    return faults or those({"page": path_part(case.url.rpartition("/")[2]) not in own})


def discovery(case):
    faults, asked = resource("personal")(case), case.url.rpartition("/")[2]
    query, unread = attempt(json_value, case.request.get("body", ""), 2)
    sort, unclear = (None, set()) if unread else attempt(queried, query)
    return faults | unread | unclear | those({"query": sort and asked not in ("discovery", sort)})


def introduction(case):
    """Apps ask for a code for a service, by the names of today or by those of the architecture."""
    (record, _), former = speaker(case), {"request_type": "response_type", "redirect_uri": "resource"}
    asked = {**{new: case.parameters[old] for old, new in former.items() if old in case.parameters}, **case.parameters}
    faults = resource("personal")(case) | absence(asked, "response_type", "resource") | response_type_faults(asked) | target_faults(case)
    if is_pairwise(asked.get("resource"), case):
        return faults | pairwise_key_faults(record, case)
    return faults | those({"no key pair": record and record.get("key") == "symmetric"})


def is_pairwise(home, case):
    """Whether a service knows instances by names and keys of its own."""
    asked, _ = attempt(service_identity, home or "")
    return any(service.get("clients") == "pairwise" and service_identity(service["home"]) == asked for service in case.party["services"])


def pairwise_key_faults(record, case):
    """The faults of the key that an instance brings for one service, and of the proof of it."""
    proof = signed(case.parameters.get("req_proof"))
    if proof is None or "req_cnf" not in case.parameters:
        return {"no key for the service"}
    key, brought = proof.header["jwk"], json_object(case.parameters["req_cnf"]).get("jwk")
    client = next((other for other in case.store.lineage(record["id"]) if other["kind"] == "client"), None) if record else None
    own = key_of(client, case.party) if client else None
    faults = at("key", token_faults(proof, [key], DPOP_PROOF, case.now)) | replays("proof", thumbprint(key), proof, case)
    told = tuple(proof.claims.get(name) for name in ("htm", "htu"))
    return faults | those({
        "key for another request": told != (case.request["method"], case.url), "key of another proof": thumbprint(key) != thumbprint(brought),
        "own key": own and own["kty"] == "OKP" and thumbprint(own) == thumbprint(key),
    })


def target_faults(case):
    targets = {case.parameters[name] for name in ("resource", "redirect_uri") if name in case.parameters}
    if len(targets) != 1:
        return those({"two targets": targets})
    text = targets.pop()
    target, faults = attempt(service_identity, text)
    homes = {service_identity(service["home"]) for service in case.party["services"]}
    return faults or those({"target": target not in homes or "#" in text})


def introspection(case):
    return client_faults(case) | absence(case.parameters, "token")


def revocation(case):
    """Whoever ends a token need only prove who it is: what has ended may be ended again. That a key is withdrawn counts once it is published."""
    if "client_assertion" in case.parameters:
        withdrawn = [key["kid"] for key in published_keys(case) if "revoked" in key]
        is_early = case.parameters.get("token_type_hint") == "key" and case.parameters["token"] not in withdrawn
        return client_faults(case) | absence(case.parameters, "token") | those({"key still published": is_early})
    _, faults = speaker(case)
    return absence(case.parameters, "token") | (at("revocation", faults) if case.role == "service" else faults)


# Services: what is asked of a federation service

def is_denied(group, name, case):
    admitted = case.policy.get("only_" + group)
    return name in case.policy.get("denied_" + group, []) if admitted is None else name not in admitted


def admission(record, case):
    """Whether the service admits those for whom a record stands: the user, the app, and the instance through which they came."""
    instances = [other["holder"] for other in case.store.lineage(record["id"]) if other["kind"] == "service"]
    return set().union(*(instance_admission(name, case) for name in instances)) | those({
        "app denied": record["kind"] == "app" and is_denied("apps", record["holder"], case),
        "user denied": is_denied("users", record["subject"], case),
    })


def instance_admission(name, case):
    fault = "instance denied" if case.policy.get("only_instances") is None else "instance not selected"
    return those({fault: is_denied("instances", name, case)})


def assertion_grant(case):
    token, trusted = signed(case.parameters.get("assertion")), case.party["edu_id"]
    if token is None:
        return absence(case.parameters, "assertion")
    keys, unread = trusted_keys(case)
    if unread:
        return unread
    accepted = {case.issuer, case.url} if case.policy.get("accepts_endpoint_as_audience") else case.issuer
    claims, demanded = token.claims, {**SERVICE_ASSERTION, "issuer": trusted["issuer"], "audience": accepted}
    kept = kept_assertion(trusted["issuer"], claims.get("jti"))
    faults = at("assertion", token_faults(token, named(token, keys), demanded, case.now))
    faults |= possession_faults(claims, case) | name_faults(claims.get("azp"), case)
    # Who asks again is not asked about again.
    faults |= set() if kept in case.store.revoked else second_use_faults(kept, [record for record in case.records("service") if record["parent"] == kept], case)
    faults |= confirmation_faults(claims, case) if kept not in case.store.consumed else set()
    return faults | instance_admission(claims.get("azp"), case) | those({
        "assertion ended": kept in case.store.revoked,
        "target": case.parameters.get("resource", case.party["issuer"]) != case.party["issuer"],
        "user denied": is_denied("users", claims.get("sub"), case), "locked out": case.store.is_locked(claims.get("sub")),
    })


def kept_assertion(issuer, name):
    """The name of the record that stands for an assertion: two issuers may choose one name."""
    return "assertion-" + b64(sha256(f"{len(issuer.encode())}:{issuer}{name}"))


def possession_faults(claims, case):
    """Whether it is proved that an assertion comes from the holder of the key that it names."""
    if "cnf" not in claims:
        return set()
    key, token = claims["cnf"]["jwk"], signed(bearer(case))
    if "DPoP" in case.request["headers"]:
        return dpop_faults(key, None, case)
    if token is None:
        return at("holder", {"no credential"})
    return at("holder", proof_faults(token, key, claims["cnf"].get("kid"), claims.get("azp", token.claims.get("iss")), case))


def confirmation_faults(claims, case):
    """Whether the edu-ID service, where it is asked, stands by an assertion, and says nothing else about it than the assertion does."""
    if "introspection" not in case.party["edu_id"]:
        return set()
    if case.answer is None or case.answer["status"] != 200:
        return {"unconfirmed"}
    facts, said = {"active": False, **json_object(case.answer["body"])}, {**claims, "client_id": claims.get("azp"), "active": True}
    return those({"unconfirmed": facts != {name: said.get(name) for name in facts}})


def app_grant(case):
    record, faults = speaker(case)
    token = signed(case.parameters.get("code"))
    faults |= scope_faults(case) | absence(case.parameters, "code") | those({"opaque code": "code" in case.parameters and token is None})
    if record is None:
        return faults
    faults |= liveness(record, case) | admission(record, case) | those({"kind of a token": record["kind"] != "service"})
    return faults | app_code_faults(token, record, case) if token else faults


def app_code_faults(token, record, case):
    """The faults of an app code, which the key of the service token signs."""
    claims, name = token.claims, token.header.get("kid")
    demanded = {**APP_CODE, "issuer": record["holder"], "audience": endpoint_url(case.party["document"], OAUTH2, "authorize")}
    brought, own = json_object(case.parameters.get("req_cnf", "{}")).get("jwk"), claims.get("cnf", {}).get("jwk")
    ground = code_record(record["id"], claims.get("jti", ""))
    second = second_use_faults(ground, [other for other in case.records("app") if other["parent"] == ground], case)
    return at("code", token_faults(token, [key_of(record, case.party)], demanded, case.now) | second) | those({
        "kind of a token": "azp" in claims, "code no key name": name is None, "code other key name": name not in (None, record["id"]),
        "two keys": brought and own and thumbprint(brought) != thumbprint(own), "app denied": is_denied("apps", claims.get("sub"), case),
        "locked out": case.store.is_locked(claims.get("sub"), record["subject"]),
    })


def code_record(ground, name):
    return "code-" + b64(sha256(f"{len(ground)}:{ground}{name}"))


def scope_faults(case):
    """Whether all that is asked for is on offer: protocols by their names, their endpoints, and what lies below."""
    document, asked = case.party["document"], case.parameters.get("scope", "").split()
    names = set(document["apis"]) - {OAUTH2}
    endpoints = " ".join(endpoint_url(document, name) for name in names)
    offered = [word for word in asked if word in names or is_within(word, endpoints) and not has_dots(word) and "?" not in word]
    return those({"scope not offered": not asked or asked != offered})


def access_faults(given):
    case = Case(given)
    record, faults = speaker(case)
    if record is None:
        return faults
    is_outside = not is_within(case.url, scope_of(record))
    return faults | liveness(record, case) | admission(record, case) | at("service", those({"outside the scope": is_outside}))


def apps(case):
    """Users see what apps have, and end it, however old their token is, and though they are admitted no more; none of an app's is not there."""
    record, faults = speaker(case)
    if record is None:
        return faults
    is_end, app = case.request["method"] == "DELETE", case.url.removeprefix(case.issuer + "/oauth/apps").removeprefix("/")
    faults |= liveness(record, case, not is_end) | those({"kind of a token": record["kind"] != "service"})
    given = [other for other in case.records("app") if other.get("subject") == record["subject"] and other["id"] not in case.store.revoked]
    is_missing = is_end and not any(app in ("", other["holder"]) for other in given)
    return (faults if is_end else faults | admission(record, case)) or those({"page": is_missing})


def service_administration(case):
    record, faults = speaker(case)
    if record is None:
        return faults
    faults |= liveness(record, case) | admission(record, case) | those({
        "kind of a token": record["kind"] != "service", "no administrator": record["subject"] not in case.policy.get("administrators", []),
    })
    kind, *parts = case.url.removeprefix(case.issuer + "/oauth/admin/").split("/")
    return faults or is_no_portion(case) | those({"page": parts and is_nothing(kind, list(map(path_part, parts)), case)})


def is_nothing(kind, parts, case):
    """Whether an administrator of a service names somebody of whom there is nothing to end that way."""
    def unended(sort):
        return [other for other in case.records(sort) if other["id"] not in case.store.revoked]
    match [kind, *parts]:
        case [_, _, "lock"] | ["apps", _]:
            return False
        case [_, name, "unlock"]:
            return not case.store.is_locked(name)
        case ["users", user]:
            return not any(other.get("subject") == user for other in unended("assertion"))
        case ["users", user, "apps", app]:
            return not any((other.get("subject"), other["holder"]) == (user, app) for other in unended("app"))
    return True


# Services: what is at their endpoints

def token_endpoint(case):
    grant = case.parameters.get("grant_type")
    return GRANTS[case.role].get(grant, unsupported_grant)(case) if grant else absence(case.parameters, "grant_type")


def unsupported_grant(case):
    return at(case.role, {"grant type"})


def foreign_registration(case):
    return {"foreign registration"}


def open_to_all(case):
    return set()


GRANTS = {
    "edu-id": {"client_credentials": registration, "password": password_grant, "authorization_code": code_grant, "refresh_token": renewal},
    "service": {
        "client_credentials": foreign_registration, "authorization_code": app_grant, "refresh_token": renewal,
        "urn:ietf:params:oauth:grant-type:jwt-bearer": assertion_grant, "urn:ietf:param:oauth:grant-type:jwt-bearer": assertion_grant,
    },
}

# What is at each path: methods and judge. The authorization component of every service here is at `oauth`, as its description says.
ENDPOINTS = {
    "edu-id": {
        "/token": ("POST", token_endpoint), "/authorize-challenge": ("POST", authentication), "/authorize": ("GET POST", introduction),
        "/userinfo": ("GET POST", profile), "/usage": ("GET POST", usage),
        "/discovery(/protocols|/services)?": ("POST", discovery), "/introspect": ("POST", introspection), "/revoke": ("POST", revocation),
        "/instances": ("GET DELETE", resource("personal")), "/instances/[^/]+": ("DELETE", disconnection),
        "/services": ("GET", resource("personal")), "/services/[^/]+": ("DELETE", leaving),
        "/admin/(instances|versions|users|services)": ("GET", administration), "/admin/versions/[^/]+/block": ("POST", administration),
        "/admin/(instances|users)/[^/]+": ("DELETE", administration), "/admin/users/[^/]+/(lock|unlock)": ("POST", administration),
        "/admin/users/[^/]+/(instances|services)/[^/]+": ("DELETE", administration), "/jwks": ("GET", open_to_all),
        "/.well-known/oauth-authorization-server": ("GET", open_to_all),
    },
    "service": {
        "/oauth/token": ("POST", token_endpoint), "/oauth/revoke": ("POST", revocation), "/oauth/jwks": ("GET", open_to_all),
        "/oauth/apps": ("GET DELETE", apps), "/oauth/apps/[^/]+": ("DELETE", apps), "/oauth/admin/(users|apps)": ("GET", service_administration),
        "/oauth/admin/(users|apps)/[^/]+": ("DELETE", service_administration), "/oauth/admin/(users|apps)/[^/]+/(lock|unlock)": ("POST", service_administration),
        "/oauth/admin/users/[^/]+/apps/[^/]+": ("DELETE", service_administration),
        "/rsd2.json": ("GET", open_to_all), "/services.txt": ("GET", open_to_all),
        "/.well-known/oauth-(authorization-server|protected-resource)": ("GET", open_to_all),
    },
}


def exchange_faults(given):
    case = Case(given)
    path = case.url.removeprefix(case.party["issuer"])
    methods, judge = next((entry for pattern, entry in ENDPOINTS[case.role].items() if re.fullmatch(pattern, path)), ("", None))
    if judge is None or case.request["method"] not in methods.split():
        return {"no such method" if judge else "page"}
    return judge(case) | repetition(case.pairs)


def delivery_faults(given):
    """A message can be delivered while its service is in the federation."""
    message = next(iter(Store(given["store"]).messages.values()))
    return those({"nowhere": message["to"] not in {service["home"] for service in given["party"]["services"]}})


# Judges: each gives the outcome, as far as it can be computed, and the faults

def computing(reading):
    """The judge of a kind whose outcome a reading gives whole, or raises the faults."""
    def judge(given):
        outcome, faults = attempt(reading, given)
        return outcome or {}, faults
    return judge


def judge_state(given):
    """A state that is whole is not read any further."""
    faults = state_faults(given)
    return ({} if faults else None), faults


# Of these kinds the whole outcome is computed.
JUDGES = {
    "hash": computing(hash_outcome), "mac": computing(mac_outcome), "sign": computing(sign_outcome), "signature": computing(signature_outcome),
    "json": computing(json_outcome), "base64url": computing(base64url_outcome), "url": computing(url_outcome), "form": computing(form_outcome),
    "jwk": computing(jwk_outcome), "jws": computing(jws_outcome), "jwt": computing(jwt_outcome), "issue": computing(issue_outcome),
    "services": computing(services_outcome), "directory": computing(directory_outcome), "document": computing(document_outcome), "tree": judge_tree,
    "message": computing(message_outcome), "reply": computing(reply_outcome), "protocol-response": judge_response, "state": judge_state,
}
# Of these only the faults are: what comes of them rests on chance, or on what is nobody else's affair.
FINDERS = {
    "exchange": exchange_faults, "access": access_faults, "delivery": delivery_faults, "protocol-request": request_faults, "mode": mode_faults,
}


def judged(kind, given):
    return JUDGES[kind](given) if kind in JUDGES else (None, FINDERS[kind](given))


def told(kind, outcome, faults):
    """An outcome with the refusal for its one fault, where there is one."""
    if not faults:
        return outcome
    [fault] = faults
    error = {"error": ERRORS.get(fault, "invalid_request")} if kind == "message" else {}
    return {**outcome, "refusal": {**error, "clause": CLAUSE_OF[fault]}}


# What has to hold

# How many outcomes and refusals of each kind were computed, of how many
SHARES = {}


def check_verdict(vector):
    """What is accepted has no fault, what is refused has the one that its clause is about, and what comes of it is what the judge computes."""
    kind, expect = vector["kind"], vector["expect"]
    clauses = [clause_of(expect["refusal"])] if "refusal" in expect else []
    share = SHARES.setdefault(kind, {"outcomes": [0, 0], "refusals": [0, 0]})["refusals" if clauses else "outcomes"]
    share[1] += 1
    outcome, faults = judged(kind, vector["given"])
    demand([CLAUSE_OF.get(fault) for fault in faults] == clauses, f"refused for {clauses or 'nothing'}, and the faults are {sorted(faults)}")
    if outcome is not None:
        computed = told(kind, outcome, faults)
        demand(same(expect, computed), f"computed is {computed}")
    share[0] += bool(clauses) or outcome is not None
    return faults


def clause_of(refusal):
    """The clause that a refusal cites, or its status where that is all there is."""
    return refusal.get("clause", refusal.get("error"))


def check_party_token(token, given):
    """An access token or assertion that the party gave."""
    party, claims = given["party"], token.claims
    demand(is_signed_by(token, party["key"]), "a token of the party has another's signature")
    demand(token.header["kid"] == party["key"]["kid"], "a token names another key than the one that signed it")
    demand(claims["iss"] == party["issuer"], "a token has another issuer")
    demand(claims["iat"] == given["now"] and claims["exp"] > given["now"], "a token has other times")


def check_kept(text, store, what):
    """The record of an opaque text, which has to be kept by its hash."""
    record = kept_record(text, store)
    demand(record, f"{what} is kept by another hash")
    COUNT["hashes"] += 1
    return record


def check_access_token(answer, given, store):
    token = signed(answer["access_token"])
    if token is None:
        check_kept(answer["access_token"], store, "a plain token")
        return
    check_party_token(token, given)
    claims, record = token.claims, store.records[token.claims["jti"].rpartition(".")[0]]
    demand(token.header["typ"] == "at+jwt", "an access token is of another kind")
    demand(claims["client_id"] == record["holder"], "an access token is for another holder than its record")
    check_confirmation(answer, claims, record, key_of(record, given["party"]))
    if "expires_in" in answer:
        demand(given["now"] + answer["expires_in"] == claims["exp"], "an access token expires at another time than it is told")
        demand(claims["exp"] == record["access"], "an access token expires at another time than its record")
    if "scope" in answer:
        demand(claims["scope"] == answer["scope"], "the answer tells another scope than the token")
        demand(set(answer["scope"].split()) <= set(record.get("scope", "").split()), "a token is for more than its grant")
    COUNT["hashes"] += 1


def check_confirmation(answer, claims, record, key):
    demand(answer["token_type"] == ("PoP" if key else "Bearer"), "a token of another type")
    if key and key["kty"] == "OKP":
        told = (claims["cnf"]["jwk"]["x"], answer["cnf"]["jwk"]["x"])
        demand(told == (key["x"], key["x"]), "an access token is bound to another key than its record")
        demand(claims["cnf"]["kid"] == record["id"], "the key of an access token has another name")
    elif key:
        demand(claims["cnf"] == {"kid": record["id"]}, "a symmetric key is told in an access token")
        demand(answer["cnf"]["jwk"]["k"] == key["k"], "the holder is told another symmetric key")


def check_refresh_token(answer, given, store):
    record = store.records[answer["refresh_token"].rpartition(".")[2]]
    generation, family, secret = refresh_content(answer["refresh_token"])
    demand(len(secret) == 32, "a refresh token of another length")
    demand(generation == record["refresh"]["generation"], "a refresh token of another generation")
    demand(family == family_of(record), "a refresh token of another family")
    demand(b64(sha256(secret)) == record["refresh"]["hash"], "a refresh token is kept by another hash")
    COUNT["hashes"] += 2


def check_authorization_code(answer, given, store):
    record = check_kept(answer["authorization_code"], store, "a code")
    demand(record["attributes"]["code_challenge"] == by_name(pairs_of(given["request"]))["code_challenge"], "a code keeps another challenge")
    demand(record["access"] == given["now"] + 60, "a code lives for another time")


def check_assertion(answer, given, store):
    """What the edu-ID service says about users to a service, by the names and with the claims that are released to that."""
    token = signed(answer["code"])
    if token is None:
        return
    check_party_token(token, given)
    party, claims, record = given["party"], token.claims, store.records[token.claims["jti"]]
    demand(token.header["typ"] == "authorization-grant+jwt" and claims["exp"] == given["now"] + 300, "an assertion of another kind or life")
    demand(claims["aud"] == record["audience"], "an assertion for another service")
    service = next(service for service in party["services"] if service["issuer"] == claims["aud"])
    profile = next(user["profile"] for user in party["users"] if user["subject"] == record["subject"])
    released = {claim: profile[claim] for claim in service["released_claims"] if claim in profile}
    demand(claims["sub"] == name_at(service, record["subject"], party), "an assertion names the user otherwise")
    demand({claim: claims[claim] for claim in profile if claim in claims} == released, "an assertion releases something else")
    client = next(other for other in store.lineage(record["parent"]) if other["kind"] == "client")
    if service.get("clients") == "pairwise":
        brought = json_object(by_name(pairs_of(given["request"]))["req_cnf"])["jwk"]
        name, confirmation = derived_name("client:", service, record["holder"], party), {"jwk": {part: brought[part] for part in ("kty", "crv", "x")}}
        demand(answer.get("client_id") == name, "an instance is told another name than its service")
    else:
        name, confirmation = record["holder"], {"jwk": {**key_of(client, party), "kid": client["id"]}, "kid": client["id"]}
        demand("client_id" not in answer, "an instance is told a name that is its own anyway")
    demand(claims["azp"] == name, "an assertion names the instance otherwise")
    demand(claims["cnf"] == confirmation, "an assertion binds another key, or says more about it than the service needs")
    COUNT["hashes"] += 1


def name_at(service, user, party):
    """The name by which a service knows a user."""
    return user if service["subjects"] == "common" else derived_name("", service, user, party)


def derived_name(kind, service, name, party):
    """What the name of a user or of an instance becomes at one service."""
    issuer = service["issuer"]
    return b64(mac(raw(party["pseudonyms"]), f"{kind}{len(issuer)}:{issuer}{name}"))


def check_user_token(answer, given, store):
    check_party_token(signed(answer["user_token"]), given)


# What the members of a successful answer have to fit: records, keys, hashes
MEMBERS = {
    "access_token": check_access_token, "refresh_token": check_refresh_token, "authorization_code": check_authorization_code, "code": check_assertion,
    "user_token": check_user_token,
}


def check_success(vector, store, before):
    response = vector["expect"].get("response", {})
    demand(response.get("status", 200) < 400, "a success with the status of a refusal")
    answer, _ = attempt(json_object, response.get("body", ""))
    for name in MEMBERS.keys() & (answer or {}).keys():
        MEMBERS[name](answer, vector["given"], store)
    check_chance(vector, [record for name, record in store.records.items() if name not in before])


def check_chance(vector, records):
    """The names of new records follow from the vector's chance, but for those that another party names."""
    given, seed = vector["given"], bytes.fromhex(vector["given"]["entropy"])
    demand(seed == sha256(vector["id"]), "the chance is not that of the vector's name")
    codes = [mac(seed, block.to_bytes(8, "big")) for block in range(8)]
    words = [code[start:start + 8][::-1] for code in codes for start in (24, 16, 8, 0)]
    made = {b64(one + other) for one, other in itertools.pairwise(words)}
    own = {"client", "personal", "service", "app", *(("assertion",) if given["party"]["role"] == "edu-id" else ())}
    for record in records:
        if record["kind"] in own:
            demand(record["id"] in made, "the name of a record does not follow from the chance")
            COUNT["hashes"] += 1


def check_failure(vector, faults):
    """A refusal tells its error, and gives nothing."""
    expect = vector["expect"]
    body, error = expect["response"].get("body", ""), expect["refusal"]["error"]
    demand(expect["response"]["status"] >= 400, "a refusal with the status of a success")
    if body and not error.startswith("http_"):
        demand(json_object(body)["error"] == error, "the answer tells another error")
    giving = [change for change in expect["changes"] if change["do"] in ("insert", "rotate") and change.get("record", {}).get("kind") != "assertion"]
    demand(not giving, "a refusal gives something")
    demand("access_token" not in body, "a refusal tells a token")
    check_ending(vector, faults)


# What is brought again ends whatever it gave.
ENDING = {"code consumed", "old generation", "consumed"}


def check_ending(vector, faults):
    """What comes twice ends what it gave at first, and so does misuse where the policy says so: no other refusal ends anything."""
    is_misuse = "service outside the scope" in faults and vector["given"]["party"].get("policy", {}).get("revokes_misuse", False)
    ends = any(change["do"] == "revoke" for change in vector["expect"]["changes"])
    demand(ends == (is_misuse or not faults.isdisjoint(ENDING)), "a refusal ends what it must not, or does not end what it must")


def check_headers(response):
    headers = response.get("headers", {})
    if response.get("status") == 401:
        demand("WWW-Authenticate" in headers, "a 401 without a challenge")
    if "Content-Type" in headers and "max-age" not in headers.get("Cache-Control", ""):
        demand(headers.get("Cache-Control") == "no-store", "an answer that may be kept")


def check_server(vector, faults):
    given, expect = vector["given"], vector["expect"]
    store = Store(given["store"])
    before = set(store.records)
    demand(store.commit({"at": given["now"], "changes": expect.get("changes", [])}) is None, "the changes cannot be applied")
    if "refusal" in expect:
        check_failure(vector, faults)
    else:
        check_success(vector, store, before)
    check_headers(expect.get("response", {}))


def check_delivery(vector, faults):
    message = next(iter(Store(vector["given"]["store"]).messages.values()))
    token = "token=" + urllib.parse.quote(message["body"]["token"], safe="")
    demand("refusal" in vector["expect"] or token in vector["expect"]["request"]["body"], "another message is delivered")


def check_request(vector, faults):
    request, checked = vector["given"]["request"], vector["expect"].get("checked")
    asked = list(dict.fromkeys(json_object(request)["protocols"])) if checked else None
    demand(checked is None or checked["protocols"] == asked, "another request was read")


CHECKS = {"exchange": check_server, "access": check_server, "delivery": check_delivery, "protocol-request": check_request}
# What comes of reading something in the place of what is described.
MISREAD = (AttributeError, KeyError, IndexError, TypeError, ValueError, StopIteration, RecursionError, Fault)


def check(vector):
    COUNT["vectors"] += 1
    try:
        faults = check_verdict(vector)
        if vector["kind"] in CHECKS:
            CHECKS[vector["kind"]](vector, faults)
    except Unjudged:
        return
    except Wrong as wrong:
        raise Wrong(f"{vector['id']}: {wrong}") from None
    except MISREAD as error:
        raise Wrong(f"{vector['id']}: {type(error).__name__} {error}") from None


# Corruptions, each of which has to be noticed

def body_edit(change):
    def edit(vector):
        answer = json.loads(vector["expect"]["response"]["body"])
        change(answer)
        vector["expect"]["response"]["body"] = json.dumps(answer)
    return edit


def swapped(text, place=-3):
    return text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 or len(text):]


def record_edit(kind, change):
    def edit(vector):
        change(next(c["record"] for c in vector["expect"]["changes"] if c["do"] == "insert" and c["record"]["kind"] == kind))
    return edit


def request_edit(change):
    def edit(vector):
        headers = vector["given"]["request"]["headers"]
        headers["Authorization"] = change(headers["Authorization"])
    return edit


def setter(*path, to):
    def edit(vector):
        place = vector
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = to
    return edit


def replacement(member, old, new):
    def edit(vector):
        vector["given"][member] = vector["given"][member].replace(old, new)
    return edit


def without(do):
    def edit(vector):
        for batch in vector["given"]["store"]:
            batch["changes"] = [change for change in batch["changes"] if change["do"] != do]
    return edit


def unlocked(vector):
    """Takes the locks out of the past."""
    for batch in vector["given"]["store"]:
        batch["changes"] = [change for change in batch["changes"] if change.get("record", {}).get("kind") != "lock"]


def parameter_edit(name, to):
    def edit(vector):
        request = vector["given"]["request"]
        pairs = [pair for pair in urllib.parse.parse_qsl(request["body"]) if pair[0] != name]
        request["body"] = urllib.parse.urlencode([*pairs, (name, to)])
    return edit


POLICY = ("given", "party", "policy")
CORRUPTIONS = [
    ("1/first", "signature of the token", body_edit(lambda a: a.update(access_token=swapped(a["access_token"])))),
    ("1/first", "key that the record is bound to", record_edit("client", lambda r: r.update(key="ed25519:" + "A" * 43))),
    ("1/first", "holder of the record", record_edit("client", lambda r: r.update(holder="somebody"))),
    ("1/first", "chance", setter("given", "entropy", to="00" * 32)),
    ("1/first", "type of the token", body_edit(lambda a: a.update(token_type="Bearer"))),
    ("1/without-key", "symmetric key that is told", body_edit(lambda a: a["cnf"]["jwk"].update(k="A" * 43))),
    ("2/code", "hash of the refresh token", record_edit("personal", lambda r: r["refresh"].update(hash="A" * 43))),
    ("2/code", "salt of the family", record_edit("personal", lambda r: r["refresh"].update(salt="A" * 43))),
    ("2/code", "expiry of the record", record_edit("personal", lambda r: r.update(access=r["access"] + 1))),
    ("2/challenge", "hash of the code", record_edit("code", lambda r: r["attributes"].update(secret="A" * 43))),
    ("2/challenge", "challenge", record_edit("code", lambda r: r["attributes"].update(code_challenge="A" * 43))),
    ("2/refresh", "generation", lambda v: next(c for c in v["expect"]["changes"] if c["do"] == "rotate")["to"].update(generation=7)),
    ("4/pairwise", "pseudonym", lambda v: v["given"]["party"].update(pseudonyms="A" * 43)),
    ("4/pairwise-client", "pseudonym of the instance", body_edit(lambda a: a.update(client_id="A" * 43))),
    ("4/pairwise-client", "secret of the pseudonyms", lambda v: v["given"]["party"].update(pseudonyms="A" * 43)),
    ("4/pairwise-client", "service that knows instances as all do", lambda v: v["given"]["party"]["services"][0].pop("clients")),
    ("4/pairwise-client", "key that is brought", parameter_edit("req_cnf", '{"jwk":{"kty":"OKP","crv":"Ed25519","x":"' + "A" * 43 + '"}}')),
    ("4/pairwise-without-key", "service that wants no key", lambda v: v["given"]["party"]["services"][0].pop("clients")),
    ("4/pairwise-proof-replayed", "store that has forgotten", without("remember")),
    ("4/pairwise", "audience of the assertion", record_edit("assertion", lambda r: r.update(audience="https://other.example.ch"))),
    ("8/plain", "hash of the plain token", record_edit("app", lambda r: r["attributes"].update(secret="A" * 43))),
    ("8/app", "scope that is told", body_edit(lambda a: a.update(scope=a["scope"] + " https://alpha.example.ch/api/lti"))),
    ("9/endpoint", "signature of the request token", request_edit(swapped)),
    ("9/proof-stale", "clause", setter("expect", "refusal", "clause", to="RFC7515-5.2")),
    ("9/proof-detached", "signature beside an extension that nobody understands", request_edit(swapped)),
    ("9/expired", "time", setter("given", "now", to=1_800_000_000)),
    ("2/profile-replayed", "store that has forgotten", without("remember")),
    ("5/twice", "error", setter("expect", "refusal", "error", to="invalid_client")),
    ("5/assertion-expired", "status", setter("expect", "response", "status", to=200)),
    ("9/dpop", "hash in the proof", request_edit(lambda text: swapped(text, -40))),
    ("rsd2/document-yaml", "document", setter("expect", "document", "engineName", to="Other")),
    ("rsd2/document-xml", "document", setter("expect", "document", "engineLink", to="https://other.example.ch/")),
    ("7/request-signed", "claims", replacement("request", "device-7", "device-8")),

    ("1/blocked-version", "version that is let in", lambda v: [version.pop("blocked", None) for version in v["given"]["party"]["versions"]]),
    ("1/downgrade", "version that the instance never had", without("insert")),
    ("1/get", "method", setter("given", "request", "method", to="POST")),
    ("1/no-grant-type", "grant type that is there", parameter_edit("grant_type", "client_credentials")),
    ("1/statement-unknown-version", "version that is registered", lambda v: v["given"]["party"]["versions"][0].update(kid="ios-9.9")),
    ("2/challenge-wrong-password", "password", parameter_edit("password", "correct horse battery staple")),
    ("2/code", "code verifier", parameter_edit("code_verifier", "A" * 43)),
    ("2/code-expired", "clock before the end of the code", setter("given", "now", to=1_800_000_059)),
    ("2/code-twice", "code that is not spent", without("consume")),
    ("2/code-twice", "revocation of what the code gave", setter("expect", "changes", to=[])),
    ("2/profile-dpop", "method of the proof", setter("given", "request", "method", to="POST")),
    ("2/profile-replayed", "clause", setter("expect", "refusal", "clause", to="threat-39")),
    ("2/profile-signed-out", "revocation of the token", without("revoke")),
    ("2/refresh-twice", "refresh token that was not rotated", without("rotate")),
    ("3/usage-absent", "usage manager", setter(*POLICY, to={})),
    ("4/unknown-service", "service that is known", parameter_edit("resource", "https://alpha.example.ch")),
    ("5/assertion", "instance that is denied", setter(*POLICY, to={"denied_instances": ["6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f0001"]})),
    ("5/assertion-expired", "second fault", setter(*POLICY, to={"denied_users": ["pseudonym-of-ada"]})),
    ("5/denied-user", "user who is admitted", setter(*POLICY, to={})),
    ("5/twice", "second fault", parameter_edit("resource", "https://beta.example.ch")),
    ("6/answer-inactive", "answer", setter("given", "answer", "body", to='{"active":true}')),
    ("6/credential-replayed", "store that has forgotten", without("remember")),
    ("8/app", "scope that is not offered", parameter_edit("scope", "https://alpha.example.ch/api")),
    ("8/code-too-long", "time near the end of the code", setter("given", "now", to=1_800_000_030)),
    ("9/endpoint", "time", setter("given", "now", to=1_800_000_061)),
    ("9/no-extension", "clause", setter("expect", "refusal", "clause", to="AUT-5")),
    ("9/revoked-by-app", "revocation of the token", without("revoke")),
    ("10/block-by-user", "administrator", setter(*POLICY, to={"administrators": ["user-0001"]})),
    ("10/lock-by-user", "administrator", setter(*POLICY, to={"administrators": ["user-0001"]})),
    ("10/locked-right", "lock", unlocked), ("10/app-locked", "lock", unlocked), ("10/app-locked-renewal", "lock", unlocked), ("10/user-locked", "lock", unlocked),
    ("10/services-late", "time", setter("given", "now", to=1_800_003_599)),
    ("tokentree/refused-rotate-locked", "lock", unlocked), ("tokentree/refused-insert-locked", "lock", unlocked),
    ("10/delivery-nowhere", "service that is there", lambda v: v["given"]["party"]["services"].append({"home": "https://alpha.example.ch"})),
    ("7/answer-two-of-one", "app that can handle two", replacement("request", "true", "false")),
    ("7/mode-login-twice", "user who is signed in", lambda v: v["given"].pop("signed_in")),
    ("7/request-unknown-app", "registry", setter("given", "registry", to={"ch.example.reader": []})),
    ("nail/refused-bound-issuer", "claim that is the caller's own", lambda v: v["given"]["asks"][0].update(claims={"purpose": "reading"})),
    ("nail/refused-expired", "time of the question", lambda v: v["given"]["asks"][0].update(now=1_800_000_059)),
    ("rsd2/endpoint-climbing-encoded", "path", setter("given", "endpoint", "path", to="b")),
    ("rsd2/query-some", "match", setter("expect", "matches", to=True)),

    ("purecrypto/sha384-3", "digest", setter("expect", "digest", to="00" * 48)),
    ("purecrypto/signature", "message", setter("given", "message", to="00")),
    ("purecrypto/signature-cofactor", "signature that holds", setter("expect", to={"valid": True})),
    ("wire/json-large", "number that no float tells from it", setter("expect", "value", 1, to=Number("1e401"))),
    ("wire/json-object", "number for a truth value", setter("expect", "value", "b", 0, to=1)),
    ("wire/json-lone-low", "clause", setter("expect", "refusal", "clause", to="RFC8259-7")),
    ("wire/url-user", "repaired URL", setter("given", "text", to="https://example.org/")),
    ("jose/jwk-secret", "thumbprint", setter("expect", "thumbprint", to="A" * 43)),
    ("jose/jws-general", "first signature", replacement("text", "W4uA5Vh", "W4uA5Vi")),
    ("jose/jwt-young", "time", setter("given", "now", to=1_800_000_001)),
    ("jose/jwt-refused-issuer", "second fault", setter("given", "now", to=1_900_000_000)),
    ("jose/issue-pair", "type", setter("given", "type", to="request+jwt")),
    ("rsd2/list-three", "place of the list", setter("given", "url", to="https://service.example/services.txt")),
    ("rsd2/directory-both", "service that is left out", setter("expect", "services", to=[])),
    ("rsd2/endpoint-path", "endpoint", setter("expect", "endpoint", to="https://example.com/books/7")),
    ("rsd2/document-yaml-tag", "clause", setter("expect", "refusal", "clause", to="YAML-6.1")),
    ("tokentree/revoked-twice", "time of the earlier revocation", lambda v: v["given"]["store"][1].update(at=1_800_000_025)),
    ("tokentree/refused-last-of-many", "place of the conflict", setter("expect", "change", to=8)),
    ("oauth2grants/request-scope-quote", "error", setter("expect", "refusal", "error", to="invalid_request")),
    ("oauth2grants/answer-authorization-issuer", "issuer that was asked", setter("given", "asked", "issuer", to="https://evil.example")),
    ("nail/bound-twice", "chance", setter("given", "entropy", to="00" * 32)),
    ("nail/refused-refused", "token that was refused", setter("given", "asks", 0, "token", to="another")),
]


# Running

def load(folder):
    with open(os.path.join(folder, "schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "vectors.json")
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            content = parse(file.read())
        if jsonschema:
            jsonschema.validate(content, schema)
        for vector in content["vectors"]:
            yield {**vector, "given": expanded_given(vector["given"], content)}


def expanded_given(given, content):
    """What is given, with parties and batches in the place of their numbers."""
    shared = {"party": lambda place: content["parties"][place], "store": lambda places: [content["batches"][place] for place in places]}
    return {name: shared[name](value) if name in shared else value for name, value in given.items()}


def is_noticed(vector, corrupt):
    changed = copy.deepcopy(vector)
    corrupt(changed)
    try:
        check(changed)
        return False
    except Wrong:
        return True


def self_test(vectors):
    by_name = {vector["id"]: vector for vector in vectors}
    missed = [f"{name}: {what}" for name, what, corrupt in CORRUPTIONS if not is_noticed(by_name[name], corrupt)]
    for line in missed:
        print("NOT NOTICED", line)
    print(f"{len(CORRUPTIONS) - len(missed)} of {len(CORRUPTIONS)} corrupted vectors noticed")
    return not missed


def answer_to(line):
    """The answer to a line of a runner; what has more than one fault is left to others."""
    try:
        question = parse(line)
        if question["kind"] not in JUDGES:
            return {"unsupported": True}
        outcome, faults = judged(question["kind"], question["given"])
    except Unjudged:
        return {"unsupported": True}
    except (*MISREAD, Wrong) as error:
        return {"error": f"{type(error).__name__} {error}"}
    return {"unsupported": True} if outcome is None or len(faults) > 1 else told(question["kind"], outcome, faults)


def answer_lines():
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(compact(answer_to(line)).encode() + b"\n")
        sys.stdout.buffer.flush()


def wrong_ones(vectors):
    for vector in vectors:
        try:
            check(vector)
        except Wrong as wrong:
            yield wrong


def print_summary(wrong):
    libraries = {"joserfc": jws, "jwcrypto": other_jws, "PyJWT": pyjwt, "PyYAML": yaml, "jsonschema": jsonschema}
    counts = COUNT | {what: sum(share[what][0] for share in SHARES.values()) for what in ("outcomes", "refusals")}
    print(", ".join(f"{count} {name}" for name, count in counts.items()), "checked with", ", ".join(filter(libraries.get, libraries)) + f"; {wrong} wrong")
    print("Kind → computed of accepted + of refused:")
    print(" ".join("{}:{}/{}+{}/{}".format(kind, *share["outcomes"], *share["refusals"]) for kind, share in SHARES.items()))


def print_requirements(vectors, path):
    shown = {}
    for vector in vectors:
        for requirement in vector["proves"]:
            shown.setdefault(requirement, [0, 0])["refusal" in vector["expect"]] += 1
    with open(path, encoding="utf-8") as file:
        names = [line.partition("\t")[0] for line in file][1:]
    print("Requirement → vectors (accepted + refused):")
    print(" ".join("{}:{}+{}".format(name, *shown.get(name, [0, 0])) for name in names))


def main(words):
    if words == ["--answer", "vector"]:
        return answer_lines()
    vectors = list(load(words[0]))
    if "--self-test" in words:
        sys.exit(0 if self_test(vectors) else 1)
    wrong = list(wrong_ones(vectors))
    for error in wrong:
        print("WRONG", error)
    print_summary(len(wrong))
    print_requirements(vectors, os.path.join(words[0], "..", "requirements.tsv"))
    sys.exit(1 if wrong else 0)


main(sys.argv[1:])
