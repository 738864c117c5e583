"""Signed content (JWS): how it is read, and how it is verified (Fixtures/protocol/keys.md)."""

import re
from dataclasses import dataclass

from . import curves, ed25519, keys, rsa
from .formats import are_equal, base64url, base64url_bytes, check_name, hmac
from .json_text import json_type, member, optional_member, read_json, typed
from .refusals import Flaw

KEY_SOURCES = {
    "jwk": "brings a key along", "jku": "points to a key elsewhere", "x5u": "points to a key elsewhere",
    "x5c": "brings a key along",
}
# What RFC 7515 and RFC 7518 define is no extension.
STANDARD = {
    "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "enc", "zip", "epk", "apu",
    "apv", "iv", "tag", "p2s", "p2c",
}
# The form of a signed text.
COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
NO_KEY = "no registered key verifies the signature"


@dataclass(frozen=True)
class Key:
    """A JWK, and the issuer whose it is."""
    jwk: dict
    issuer: str | None = None

    @property
    def name(self):
        return self.jwk.get("kid")


@dataclass(frozen=True)
class Signed:
    """A text that is signed, as it was read: nothing is known yet of its signature."""
    header: dict
    payload: bytes
    signature: bytes
    content: bytes
    detached: bool = False

    @property
    def name(self):
        """The name of the key."""
        return self.header.get("kid")

    def claims(self):
        """The claims of a JWT."""
        try:
            return typed(read_json(self.payload, size=16384, depth=32, values=4096, members=1024), "object", "$")
        except Flaw as flaw:
            raise Flaw("RFC7519-7.2", f"the claims are malformed: {flaw.words}") from None


# Reading

def read_compact(text, detached=None, unencoded=False, sources=tuple(KEY_SOURCES)):
    """A signed text in the compact form; `sources` are the parameters of keys that its header may not have."""
    data = text.encode()
    if len(data) > 16384:
        raise Flaw("threat-14", f"{len(data)} bytes, at most 16384 allowed")
    dots = text.count(".")
    head, _, rest = text.partition(".")
    middle, _, tail = rest.rpartition(".")
    if dots < 2 or dots != 2 and not (head and tail):
        raise Flaw("RFC7515-7.1", f"{dots + 1} parts, expected 3")
    header = compact_header(head, dots, unencoded, sources)
    signature = part("signature", tail)
    if not signature:
        raise Flaw("threat-5", "the signature is empty")
    payload, signed = compact_payload(middle, detached, header.get("b64", True), dots)
    return Signed(header, payload, signature, head.encode() + b"." + signed, not middle)


def part(name, text):
    try:
        return base64url_bytes(text)
    except Flaw as flaw:
        raise Flaw("RFC7515-2", f"the {name} is not Base64url: {flaw.words}") from None


def compact_header(head, dots, unencoded, sources):
    try:
        data = part("header", head)
    except Flaw:
        if dots == 2:
            raise
        raise Flaw("RFC7515-7.1", f"{dots + 1} parts, expected 3") from None
    header = header_object(data)
    check_header(header, unencoded, sources)
    return header


def compact_payload(text, detached, encoded, dots):
    """The payload, and what is signed of it."""
    if detached is not None:
        if text:
            raise Flaw("RFC7515-F", "a payload in the text and one beside it")
        payload = detached.encode()
        if len(payload) > 1_048_576:
            raise Flaw("threat-14", f"{len(payload)} bytes, at most 1048576 allowed")
        return payload, base64url(payload).encode() if encoded else payload
    if dots > 2:
        raise Flaw("RFC7515-7.1", f"{dots + 1} parts, expected 3")
    if encoded:
        return part("payload", text), text.encode()
    if not re.fullmatch("[\x20-\x7e]*", text):
        raise Flaw("RFC7797-5.2", "the payload has characters that may not stand unencoded")
    return text.encode(), text.encode()


def header_object(data):
    try:
        return typed(read_json(data, size=8192, depth=10, values=512, members=64), "object", "$")
    except Flaw as flaw:
        clause = "RFC7515-4" if flaw.words.startswith("duplicate member name") else "RFC7515-4.1"
        raise Flaw(clause, f"the header is malformed: {flaw.words}") from None


def header_text(header, name, required=False):
    try:
        return member(header, name, "string") if required else optional_member(header, name, "string")
    except Flaw as flaw:
        raise Flaw("RFC7515-4.1", f"the header is malformed: {flaw.words}") from None


def check_header(header, unencoded=False, sources=tuple(KEY_SOURCES)):
    if header_text(header, "alg", True).lower() == "none":
        raise Flaw("threat-1", "the algorithm is 'none'")
    name = header_text(header, "kid")
    if name is not None:
        try:
            check_name(name)
        except Flaw as flaw:
            raise Flaw("RFC7515-4.1.4", f"'kid' is not a valid name: {flaw.words}") from None
    header_text(header, "typ")
    header_text(header, "cty")
    if {"enc", "zip"} & header.keys():
        raise Flaw("RFC7516-9", "the content is encrypted or compressed")
    check_sources(header, sources)
    check_extensions(header, unencoded)


def check_sources(header, sources):
    for source in sources:
        if source in header:
            raise Flaw("threat-9", f"the header {KEY_SOURCES[source]} ('{source}')")


def check_extensions(header, unencoded):
    critical = header.get("crit", [])
    if not isinstance(critical, list) or not all(isinstance(name, str) for name in critical):
        raise Flaw("RFC7515-4.1", "the header is malformed: $.crit is no array of strings")
    if "crit" in header and not critical:
        raise Flaw("RFC7515-4.1.11", "the list of critical extensions is empty")
    for place, name in enumerate(critical):
        if name in critical[:place] or name in STANDARD or name not in header:
            raise Flaw("RFC7515-4.1.11", f"the critical extension '{name}' is repeated, standard or absent")
    if "b64" in header:
        check_unencoded(header, critical, unencoded)
    for name in critical:
        if name != "b64":
            raise Flaw("RFC7515-4.1.11", f"the critical extension '{name}' is not understood here")


def check_unencoded(header, critical, allowed):
    if not isinstance(header["b64"], bool):
        raise Flaw("RFC7515-4.1", f"the header is malformed: $.b64 is {json_type(header['b64'])}, expected boolean")
    if "b64" not in critical:
        raise Flaw("RFC7797-6", "'b64' is not listed as critical")
    if not allowed:
        raise Flaw("RFC7515-4.1.11", "the critical extension 'b64' is not understood here")


def read_general(text, detached=None, unencoded=False):
    """The signatures of a text in the JSON form."""
    content = malformed_as("RFC7515-7.2", lambda: typed(read_json(text, size=1_048_576, depth=12), "object", "$"))
    entries = [content]
    if "signatures" in content:
        if {"signature", "protected", "header"} & content.keys():
            raise Flaw("RFC7515-7.2.2", "both JSON forms at once")
        entries = malformed_as("RFC7515-7.2", lambda: member(content, "signatures", "array"))
        if not entries or not all(isinstance(entry, dict) for entry in entries):
            raise Flaw("RFC7515-7.2", "no signatures")
        if len(entries) > 8:
            raise Flaw("threat-14", f"{len(entries)} signatures, at most 8 allowed")
    payload = malformed_as("RFC7515-7.2", lambda: optional_member(content, "payload", "string"))
    if detached is not None and payload is not None:
        raise Flaw("RFC7515-F", "a payload in the text and one beside it")
    signatures = [read_entry(entry, payload, detached, unencoded) for entry in entries]
    if len({signed.header.get("b64", True) for signed in signatures}) > 1:
        raise Flaw("RFC7797-3", "the signatures do not agree on 'b64'")
    return signatures


def malformed_as(clause, reading):
    try:
        return reading()
    except Flaw as flaw:
        raise Flaw(clause, flaw.words) from None


def read_entry(entry, payload, detached, unencoded):
    """One signature of a text in the JSON form."""
    head = malformed_as("RFC7515-7.2", lambda: optional_member(entry, "protected", "string")) or ""
    protected = header_object(part("header", head)) if head else {}
    beside = malformed_as("RFC7515-7.2", lambda: optional_member(entry, "header", "object")) or {}
    if protected.keys() & beside.keys():
        raise Flaw("RFC7515-7.2.1", "a parameter stands in both headers")
    header = protected | beside
    check_header(header, unencoded)
    for name, clause in (("alg", "RFC7515-10.7"), ("crit", "RFC7515-4.1.11"), ("b64", "RFC7797-3")):
        if name in beside:
            raise Flaw(clause, f"'{name}' is not protected")
    content, signed = general_payload(payload, detached, header.get("b64", True))
    signature = part("signature", malformed_as("RFC7515-7.2", lambda: member(entry, "signature", "string")))
    if not signature:
        raise Flaw("threat-5", "the signature is empty")
    return Signed(header, content, signature, head.encode() + b"." + signed, payload is None)


def general_payload(text, detached, encoded):
    if detached is not None:
        return compact_payload("", detached, encoded, 2)
    if text is None:
        raise Flaw("RFC7515-7.2", "$.payload is missing")
    return (part("payload", text), text.encode()) if encoded else (text.encode(), text.encode())


# Verifying

def verify(signed, candidates, algorithms):
    """The first of the keys that made the signature; `algorithms` are those that the reader takes."""
    named = [key for key in candidates if None in (signed.name, key.name) or signed.name == key.name]
    if not named:
        raise Flaw("RFC7515-6", NO_KEY)
    wrong = 0
    for key in named:
        if signed.header["alg"] not in algorithms or signed.header["alg"] not in keys.algorithms_of(key.jwk):
            continue
        if is_signed_by(signed, key.jwk):
            return key
        wrong += 1
        if wrong == 16:
            raise Flaw("threat-14", "too many keys to try")
    raise Flaw("RFC7515-5.2" if wrong else "RFC8725-3.1", NO_KEY)


def is_signed_by(signed, jwk):
    if jwk["kty"] == "oct":
        code = hmac(keys.bytes_in(jwk, "k"), signed.content, keys.HMACS[signed.header["alg"]][0])
        return are_equal(code, signed.signature)
    if jwk["kty"] == "RSA":
        numbers = keys.bytes_in(jwk, "n"), keys.bytes_in(jwk, "e")
        return rsa.is_signature(*numbers, signed.content, signed.signature, signed.header["alg"])
    if jwk["kty"] == "EC":
        return curves.is_signature(keys.curve_of(jwk), keys.point_of(jwk), signed.content, signed.signature)
    return ed25519.is_signature(keys.bytes_in(jwk, "x"), signed.content, signed.signature)
