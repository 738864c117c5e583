"""Key documents: SubjectPublicKeyInfo, PKCS #8 and SEC 1 in DER and PEM, and the DER form of ECDSA signatures (Fixtures/protocol/keys.md)."""

import base64
import re

from . import curves, ed25519, rsa
from .formats import base64url
from .refusals import Flaw

SEQUENCE, INTEGER, BITS, OCTETS, NULL, NAME = 0x30, 0x02, 0x03, 0x04, 0x05, 0x06
ATTRIBUTES, PARAMETERS, INNER_POINT, PUBLIC_KEY = 0xa0, 0xa0, 0xa1, 0x81
ED25519, EC, RSA = "2b6570", "2a8648ce3d0201", "2a864886f70d010101"
CURVES = {"2a8648ce3d030107": curves.P256, "2b81040022": curves.P384, "2b81040023": curves.P521}
LABEL = re.compile(r"-----BEGIN ([\x20-\x7e]{1,64})-----")


class Reader:
    """Values one after the other."""

    def __init__(self, data):
        self.data = data

    def sees(self, tag):
        return self.data[:1] == bytes((tag,))

    def value(self, tag):
        if not self.data:
            raise Flaw("KEY-11", "the document ends too early")
        if not self.sees(tag):
            raise Flaw("KEY-11", f"tag {self.data[0]:#x}, expected {tag:#x}")
        size, start = self.length()
        if len(self.data) - start < size:
            raise Flaw("KEY-11", "the document ends too early")
        found, self.data = self.data[start:start + size], self.data[start + size:]
        return found

    def length(self):
        """How long the next value is, and where it begins: in the shortest form, of two bytes at most."""
        if len(self.data) < 2:
            raise Flaw("KEY-11", "the document ends too early")
        first = self.data[1]
        if first < 0x80:
            return first, 2
        count = first & 0x7f
        if count not in (1, 2):
            raise Flaw("KEY-11", "a length is not in its shortest form")
        if len(self.data) < 2 + count:
            raise Flaw("KEY-11", "the document ends too early")
        size = int.from_bytes(self.data[2:2 + count])
        if size < (0x80, 0x100)[count - 1]:
            raise Flaw("KEY-11", "a length is not in its shortest form")
        return size, 2 + count

    def number(self):
        """A whole number that is not negative, as bytes without a zero in front."""
        data = self.value(INTEGER)
        if not data or data[0] & 0x80 or len(data) > 1 and data[0] == 0 and not data[1] & 0x80:
            raise Flaw("KEY-11", "an integer is empty, negative or not in its shortest form")
        return data.lstrip(b"\0")

    def bits(self):
        data = self.value(BITS)
        if data[:1] != b"\0":
            raise Flaw("KEY-11", "a bit string has unused bits, or nothing")
        return data[1:]

    def finish(self):
        if self.data:
            raise Flaw("KEY-11", "bytes are left over")


def read_whole(data):
    outer = Reader(data)
    inner = Reader(outer.value(SEQUENCE))
    outer.finish()
    return inner


def read_algorithm(reader):
    """What a key is for: `OKP`, a curve, or `RSA`."""
    inner = Reader(reader.value(SEQUENCE))
    name = inner.value(NAME).hex()
    if name == EC:
        found = read_curve(inner)
    elif name == RSA:
        if not inner.sees(NULL) or inner.value(NULL):
            raise Flaw("RFC8017-A.1", "the parameters of RSA are no NULL")
        found = "RSA"
    elif name == ED25519:
        found = "OKP"
    else:
        raise Flaw("KEY-11", "keys of this algorithm are not read")
    inner.finish()
    return found


def read_curve(reader):
    if not reader.sees(NAME):
        raise Flaw("RFC5480-2.1.1", "the curve is not named")
    curve = CURVES.get(reader.value(NAME).hex())
    if curve is None:
        raise Flaw("KEY-11", "keys of this curve are not read")
    return curve


def jwk_of_point(curve, point):
    x, y = (base64url(value.to_bytes(curve.size)) for value in point)
    return {"kty": "EC", "crv": curve.name, "x": x, "y": y}


def jwk_of_octets(public):
    ed25519.check_public_key(public)
    return {"kty": "OKP", "crv": "Ed25519", "x": base64url(public)}


def read_public(data):
    """A SubjectPublicKeyInfo."""
    key = read_whole(data)
    kind = read_algorithm(key)
    public = key.bits()
    key.finish()
    return public_jwk(kind, public)


def public_jwk(kind, public):
    if kind == "OKP":
        return jwk_of_octets(public)
    if kind != "RSA":
        return jwk_of_point(kind, curves.read_point(kind, public))
    numbers = read_whole(public)
    modulus, exponent = numbers.number(), numbers.number()
    numbers.finish()
    rsa.check_public_key(modulus, exponent)
    return {"kty": "RSA", "n": base64url(modulus), "e": base64url(exponent)}


def read_private(data):
    """A OneAsymmetricKey: version 1, or version 2 with the public key."""
    key = read_whole(data)
    version = key.value(INTEGER)
    if version not in (b"\0", b"\1"):
        raise Flaw("RFC5958-2", "the version does not go with the content")
    kind = read_algorithm(key)
    if kind == "RSA":
        raise Flaw("KEY-5", "nothing is signed with a private RSA key here; its host signs")
    secret = key.value(OCTETS)
    if key.sees(ATTRIBUTES):
        key.value(ATTRIBUTES)
    public = key.value(PUBLIC_KEY) if key.sees(PUBLIC_KEY) else None
    key.finish()
    if version != (b"\0" if public is None else b"\1"):
        raise Flaw("RFC5958-2", "the version does not go with the content")
    found = read_seed(secret) if kind == "OKP" else read_ec_private(secret, kind)
    if public is not None and public_jwk(kind, unused(public)) != found:
        raise Flaw("threat-8", "the public key is not that of the private one")
    return found


def read_any_private(data):
    """A private key in the form that shows itself: what follows the version is octets in SEC 1 alone."""
    key = read_whole(data)
    if key.sees(SEQUENCE):
        raise Flaw("KEY-11", "a public or an encrypted key, where a private one is wanted")
    key.value(INTEGER)
    if key.sees(INTEGER):
        raise Flaw("KEY-5", "nothing is signed with a private RSA key here; its host signs")
    return (read_ec_private if key.sees(OCTETS) else read_private)(data)


def unused(bits):
    if bits[:1] != b"\0":
        raise Flaw("KEY-11", "a bit string has unused bits, or nothing")
    return bits[1:]


def read_seed(data):
    inner = Reader(data)
    seed = inner.value(OCTETS)
    inner.finish()
    return jwk_of_octets(ed25519.public_key(seed))


def read_ec_private(data, curve=None):
    """An ECPrivateKey; by itself it must name its curve."""
    key = read_whole(data)
    if key.value(INTEGER) != b"\1":
        raise Flaw("RFC5958-2", "the version does not go with the content")
    scalar = key.value(OCTETS)
    named = None
    if key.sees(PARAMETERS):
        inner = Reader(key.value(PARAMETERS))
        named = read_curve(inner)
        inner.finish()
    public = None
    if key.sees(INNER_POINT):
        inner = Reader(key.value(INNER_POINT))
        public = inner.bits()
        inner.finish()
    key.finish()
    if curve is None and named is None:
        raise Flaw("RFC5480-2.1.1", "the key does not name its curve")
    if curve and named and curve is not named:
        raise Flaw("KEY-11", "two curves are named")
    curve = curve or named
    curves.check_scalar(curve, scalar)
    point = curves.public_point(curve, scalar)
    if public is not None and curves.read_point(curve, public) != point:
        raise Flaw("threat-8", "the public key is not that of the private one")
    return jwk_of_point(curve, point)


# PEM

def from_pem(text, labels):
    """The label and the bytes of a text that is one block with one of these labels."""
    head, _, rest = text.partition("\n")
    match = LABEL.fullmatch(head.removesuffix("\r"))
    if not match:
        raise Flaw("RFC7468-2", f"the text is not enclosed in the boundaries of a '{labels[0]}'")
    if match[1] == "RSA PRIVATE KEY":
        raise Flaw("KEY-5", "nothing is signed with a private RSA key here; its host signs")
    if match[1] not in labels:
        raise Flaw("KEY-11", f"the document is a '{match[1]}', expected a '{labels[0]}'")
    lines = [line.removesuffix("\r") for line in rest.split("\n")]
    while lines and not lines[-1].strip(" \t"):
        lines.pop()
    if len(lines) < 2 or lines.pop() != f"-----END {match[1]}-----":
        raise Flaw("RFC7468-2", f"the text is not enclosed in the boundaries of a '{match[1]}'")
    return match[1], lines_bytes(lines)


def lines_bytes(lines):
    characters = ""
    for line in lines:
        if ":" in line:
            raise Flaw("KEY-11", "the text has headers, as an encrypted key has")
        if not line or len(line) > 64 or len(characters) % 64:
            raise Flaw("RFC7468-2", "the text between the boundaries is not Base64")
        characters += line
    try:
        data = base64.b64decode(characters, validate=True)
    except ValueError:
        raise Flaw("RFC7468-2", "the text between the boundaries is not Base64") from None
    if base64.b64encode(data).decode() != characters:
        raise Flaw("RFC7468-2", "the text between the boundaries is not Base64")
    return data


def read_text(text, secret):
    label, data = from_pem(text, ("PRIVATE KEY", "EC PRIVATE KEY") if secret else ("PUBLIC KEY",))
    if label == "PUBLIC KEY":
        return read_public(data)
    return (read_private if label == "PRIVATE KEY" else read_ec_private)(data)


# Signatures

def to_der(curve, raw):
    if len(raw) != 2 * curve.size:
        raise Flaw("RFC7518-3.4", f"a signature of {len(raw)} bytes, expected {2 * curve.size}")
    return element(SEQUENCE, *(element(INTEGER, integer(raw[start:start + curve.size])) for start in (0, curve.size)))


def integer(data):
    data = data.lstrip(b"\0")
    if not data:
        raise Flaw("KEY-22", "a number of the signature is zero")
    return b"\0" * (data[0] >> 7) + data


def element(tag, *contents):
    content = b"".join(contents)
    size = bytes((len(content),)) if len(content) < 0x80 else bytes((0x81, len(content)))
    return bytes((tag,)) + size + content


def from_der(curve, data):
    try:
        pair = read_whole(data)
        numbers = pair.number(), pair.number()
        pair.finish()
    except Flaw as flaw:
        raise Flaw("KEY-22", f"the signature is not DER: {flaw.words}") from None
    for number in numbers:
        if not number:
            raise Flaw("KEY-22", "a number of the signature is zero")
        if len(number) > curve.size:
            raise Flaw("KEY-22", "a number of the signature is too long for the curve")
    return b"".join(number.rjust(curve.size, b"\0") for number in numbers)


# Kinds of vectors

def document_answer(given):
    secret = given.get("secret", False)
    if "text" in given:
        return {"jwk": read_text(given["text"], secret)}
    data = bytes.fromhex(given["bytes"])
    return {"jwk": (read_any_private if secret else read_public)(data)}


def signature_form_answer(given):
    curve = curves.CURVES[given["curve"]]
    if "der" in given:
        return {"raw": from_der(curve, bytes.fromhex(given["der"])).hex()}
    return {"der": to_der(curve, bytes.fromhex(given["raw"])).hex()}


ANSWERS = {"key-document": document_answer, "signature-form": signature_form_answer}
