"""How bytes, forms, names, hashes and signatures are read and written (Fixtures/protocol/formats.md)."""

import base64
import hashlib
import hmac as hmac_module
import re

from . import curves, ed25519, rsa, urls
from .json_text import read_json
from .refusals import Flaw


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def base64url_bytes(text):
    """The bytes of a text in the only form: without padding, white space or stray bits."""
    odd = re.search("[^A-Za-z0-9_-]", text)
    if odd:
        place = len(text[:odd.start()].encode())
        if odd[0] == "=":
            raise Flaw("RFC4648-3.2", f"padding where none may stand, at offset {place}")
        raise Flaw("RFC4648-3.3", f"a character that is not Base64url at offset {place}")
    if len(text) % 4 == 1:
        raise Flaw("RFC4648-4", f"{len(text)} characters, which no bytes have")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64url(data) != text:
        raise Flaw("RFC4648-3.5", "bits behind the last byte")
    return data


def octets(value):
    return value.encode() if isinstance(value, str) else value


def sha256(data):
    return hashlib.sha256(octets(data)).digest()


def digest(data):
    """SHA-256 in base64url."""
    return base64url(sha256(data))


def hmac(key, data, algorithm="sha256"):
    return hmac_module.digest(key, octets(data), algorithm)


def are_equal(one, other):
    """In a time that does not depend on what they are."""
    return hmac_module.compare_digest(octets(one), octets(other))


# Forms

def read_form(text):
    """The pairs of a form, in their order."""
    data = octets(text)
    if len(data) > 65536:
        raise Flaw("threat-14", f"{len(data)} bytes, at most 65536 allowed")
    pairs = []
    for piece in filter(None, data.split(b"&")):
        if len(pairs) == 256:
            raise Flaw("threat-14", "more than 256 pairs")
        name, _, value = piece.partition(b"=")
        value = form_text(value)
        pairs.append([form_text(name), value])
    return pairs


def form_text(data):
    if re.search(rb"[\x00-\x20\x7f]|%(?![0-9A-Fa-f]{2})", data):
        raise Flaw("RFC6749-B", "a character that a form may not have")
    decoded = re.sub(rb"%(..)", lambda triplet: bytes([int(triplet[1], 16)]), data.replace(b"+", b" "))
    try:
        return decoded.decode()
    except UnicodeDecodeError:
        raise Flaw("RFC3629-4", "malformed UTF-8") from None


def form(pairs):
    return "&".join(f"{form_escaped(name)}={form_escaped(value)}" for name, value in pairs)


def form_escaped(text):
    return re.sub(rb"[^A-Za-z0-9*._ -]", lambda odd: b"%%%02X" % odd[0][0], text.encode()).replace(b" ", b"+").decode()


# Names and secrets

def checked(text, what, limit, odd, clause, size_clause):
    """A text that is not empty, within its limit, and without odd characters."""
    size = len(text.encode())
    if not size:
        raise Flaw(clause, f"the {what} is empty")
    if size > limit:
        raise Flaw(size_clause, f"the {what} has {size} bytes, at most {limit} are allowed")
    if found := re.search(odd, text):
        offset = len(text[:found.start()].encode())
        raise Flaw(clause, f"a byte that the {what} may not have at offset {offset}")
    return text


def check_name(text, what="identifier", limit=1024):
    return checked(text, what, limit, "[\0-\x1f\x7f-\x9f]", "threat-10", "threat-10")


def check_class(text):
    """A class of sign-ins: printable characters of ASCII without spaces, quotes and backslashes."""
    return checked(text, "identifier", 1024, r"[^\x21\x23-\x5b\x5d-\x7e]", "threat-10", "threat-10")


def is_name(text, limit=1024):
    try:
        return isinstance(text, str) and check_name(text, limit=limit) is not None
    except Flaw:
        return False


def check_secret(text, what, limit=16384):
    return checked(text, what, limit, "[^\x21-\x7e]", "RFC6749-A", "threat-14")


def check_state(text):
    """What an app ties a sign-in in a browser to: 43 unreserved characters."""
    text = checked(text, "state", 43, "[^A-Za-z0-9._~-]", "RFC6749-A", "threat-14")
    if len(text) < 43:
        raise Flaw("RFC6749-A", f"not a valid state from offset {len(text)}")
    return text


def check_password(text):
    size = len(text.encode())
    if size == 0:
        raise Flaw("RFC6749-A", "the password is empty")
    if size > 1024:
        raise Flaw("threat-14", f"the password has {size} bytes, at most 1024 are allowed")
    odd = re.search("[\0\r\n]", text)
    if odd:
        raise Flaw("RFC6749-A", f"a byte that the password may not have at offset {len(text[:odd.start()].encode())}")
    return text


def check_one_time_code(text):
    return checked(text, "one-time code", 32, "[^ -~]", "RFC6749-A", "threat-14")


def check_step_response(text):
    return checked(text, "response to a step", 16384, "\0", "RFC6749-A", "threat-14")


HIDDEN = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")


def is_for_people(text):
    """Whether a name has nothing that people do not see, or that turns the order of what they see."""
    return all(is_shown(text, match.start()) for match in HIDDEN.finditer(text))


def is_shown(text, place):
    """Whether a character that is hidden otherwise joins its neighbours here."""
    before, after = text[:place][-1:], text[place + 1:place + 2]
    if text[place] not in "\u200c\u200d\ufe0f" or not before or before.isascii():
        return False
    return bool(after) and not after.isascii() or text[place] == "\ufe0f"


# Kinds of vectors

def hash_answer(given):
    return {"digest": hashlib.new(given["algorithm"], bytes.fromhex(given["message"])).hexdigest()}


def mac_answer(given):
    code = hmac(bytes.fromhex(given["key"]), bytes.fromhex(given["message"]), given["algorithm"])
    if "code" not in given:
        return {"code": code.hex()}
    if not are_equal(bytes.fromhex(given["code"]), code):
        raise Flaw("RFC2104-2", "another code")
    return {"valid": True}


def sign_answer(given):
    message = bytes.fromhex(given["message"])
    if "curve" not in given:
        seed = bytes.fromhex(given["seed"])
        return {"public": ed25519.public_key(seed).hex(), "signature": ed25519.sign(seed, message).hex()}
    curve, scalar = curves.CURVES[given["curve"]], bytes.fromhex(given["scalar"])
    curves.check_scalar(curve, scalar)
    public = curves.written_point(curve, curves.public_point(curve, scalar))
    return {"public": public.hex(), "signature": curves.sign(curve, scalar, message).hex()}


def signature_answer(given):
    message, signature = (bytes.fromhex(given[name]) for name in ("message", "signature"))
    if "modulus" in given:
        numbers = bytes.fromhex(given["modulus"]), bytes.fromhex(given["exponent"])
        if any(number[:1] == b"\0" for number in numbers):
            raise Flaw("RFC7518-6.3.1", "a number begins with a zero byte")
        rsa.check_public_key(*numbers)
        is_old = given["algorithm"].startswith("R")
        clause = "RFC8017-8.2.2" if is_old else "RFC8017-8.1.2"
        is_right = rsa.is_signature(*numbers, message, signature, given["algorithm"])
    elif "curve" in given:
        curve = curves.CURVES[given["curve"]]
        point, clause = curves.read_point(curve, bytes.fromhex(given["public"])), "FIPS186-5-6.4.2"
        is_right = curves.is_signature(curve, point, message, signature)
    else:
        public, clause = bytes.fromhex(given["public"]), "RFC8032-5.1.7"
        ed25519.check_public_key(public)
        is_right = ed25519.is_signature(public, message, signature)
    if not is_right:
        raise Flaw(clause, "another signature")
    return {"valid": True}


def json_answer(given):
    return {"value": read_json(bytes.fromhex(given["bytes"]) if "bytes" in given else given["text"])}


def base64url_answer(given):
    return {"bytes": base64url_bytes(given["text"]).hex()}


def form_answer(given):
    return {"pairs": read_form(given["text"])}


def url_answer(given):
    url = urls.read(given["text"], urls.read(given["base"]) if "base" in given else None)
    found = {"url": url.text, "scheme": url.scheme, "host": url.host}
    return found if url.port is None else {**found, "port": url.port}


ANSWERS = {
    "hash": hash_answer, "mac": mac_answer, "sign": sign_answer, "signature": signature_answer, "json": json_answer,
    "base64url": base64url_answer, "form": form_answer, "url": url_answer,
}
