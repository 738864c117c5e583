"""Curves, RSA and DER by the formulas of their standards, with all private halves, and with knobs for what no honest signer would do."""

import base64
import hashlib


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def seed(name):
    return hashlib.sha256(f"key pair of {name}".encode()).digest()


def stream(name, size):
    return b"".join(hashlib.sha256(f"{name} {place}".encode()).digest() for place in range(size // 32 + 1))[:size]


# Curves (SP 800-186 §3.2.1)

class Curve:
    def __init__(self, name, p, n, b, base, digest, size, identifier):
        self.name, self.p, self.n, self.b, self.base = name, p, n, b, base
        self.digest, self.size, self.identifier = digest, size, bytes.fromhex(identifier)

    def add(self, one, other):
        if one is None or other is None:
            return one or other
        (x, y), (u, v), p = one, other, self.p
        if x == u and (y + v) % p == 0:
            return None
        slope = (3 * x * x - 3) * pow(2 * y, -1, p) if one == other else (v - y) * pow(u - x, -1, p)
        w = (slope * slope - x - u) % p
        return w, (slope * (x - w) - y) % p

    def multiply(self, scalar, point=None):
        found, point = None, point or self.base
        while scalar:
            if scalar & 1:
                found = self.add(found, point)
            point, scalar = self.add(point, point), scalar >> 1
        return found

    def scalar(self, name):
        return int.from_bytes(stream(f"key pair of {name}", self.size)) % (self.n - 1) + 1

    def number(self, message, digest=None):
        data = hashlib.new(digest or self.digest, message).digest()
        return int.from_bytes(data) >> max(0, 8 * len(data) - self.n.bit_length())

    def sign(self, scalar, message, nonce=None, digest=None):
        nonce = nonce or int.from_bytes(stream(f"nonce {self.name} {message.hex()}", self.size)) % (self.n - 1) + 1
        r = self.multiply(nonce)[0] % self.n
        return r, pow(nonce, -1, self.n) * (self.number(message, digest) + r * scalar) % self.n

    def bytes(self, *values):
        return b"".join(value.to_bytes(self.size) for value in values)

    def point(self, scalar):
        return b"\4" + self.bytes(*self.multiply(scalar))

    def compressed(self, scalar):
        x, y = self.multiply(scalar)
        return bytes((2 + (y & 1),)) + self.bytes(x)


P256 = Curve(
    "P-256", 2**256 - 2**224 + 2**192 + 2**96 - 1,
    0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551,
    0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b,
    (0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
     0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5), "sha256", 32, "2a8648ce3d030107")
P384 = Curve(
    "P-384", 2**384 - 2**128 - 2**96 + 2**32 - 1,
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973,
    0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef,
    (0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7,
     0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f),
    "sha384", 48, "2b81040022")
P521 = Curve(
    "P-521", 2**521 - 1,
    2**521 - 0x5ae79787c40d069948033feb708f65a2fc44a36477663b851449048e16ec79bf7,
    int("051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34"
        "f1ef451fd46b503f00", 16),
    (int("c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a4"
         "29bf97e7e31c2e5bd66", 16),
     int("11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c"
         "24088be94769fd16650", 16)), "sha512", 66, "2b81040023")


# RSA (RFC 8017)

def is_prime(number):
    if any(number % small == 0 for small in range(3, 2000, 2)):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in range(2, 26):
        value = pow(base, odd, number)
        if value in (1, number - 1):
            continue
        for _ in range(twos - 1):
            value = value * value % number
            if value == number - 1:
                break
        else:
            return False
    return True


def prime(name, bits, exponent):
    number = int.from_bytes(stream(name, bits // 8)) | 3 << bits - 2 | 1
    while number % exponent == 1 or not is_prime(number):
        number += 2
    return number


class RSA:
    def __init__(self, name, bits=2048, exponent=65537):
        p, q = prime(f"{name} p", bits // 2, exponent), prime(f"{name} q", bits // 2, exponent)
        self.n, self.e, self.size = p * q, exponent, bits // 8
        self.d = pow(exponent, -1, (p - 1) * (q - 1))
        self.modulus, self.exponent = self.n.to_bytes(self.size), integer_bytes(exponent)

    def power(self, block):
        return pow(int.from_bytes(block), self.d, self.n).to_bytes(self.size)

    def pkcs1(self, message, digest="sha256", prefix=None, padding=None, ending=b""):
        info = (PREFIXES[digest] if prefix is None else prefix) + hashlib.new(digest, message).digest() + ending
        fill = self.size - 3 - len(info)
        return self.power(b"\0\1" + (b"\xff" * fill if padding is None else padding(fill)) + b"\0" + info)

    def pss(self, message, digest="sha256", salt=None, mask="same", trailer=0xbc, top=0, start=1, fill=0):
        length = hashlib.new(digest).digest_size
        salt = stream("salt", length if salt is None else salt)
        tag = hashlib.new(digest, bytes(8) + hashlib.new(digest, message).digest() + salt).digest()
        block = bytearray(bytes((fill,)) * (self.size - length - 2 - len(salt)) + bytes((start,)) + salt)
        masks = b"".join(
            hashlib.new(digest if mask == "same" else mask, tag + place.to_bytes(4)).digest() for place in range(20))
        block = bytearray(one ^ other for one, other in zip(block, masks))
        block[0] = block[0] & 0x7f | top
        return self.power(bytes(block) + tag + bytes((trailer,)))


PREFIXES = {
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}


# DER

def integer_bytes(value):
    return value.to_bytes((value.bit_length() + 7) // 8 or 1)


def der(tag, *contents, form=None):
    content = b"".join(contents)
    if form == "long":
        length = b"\x82" + len(content).to_bytes(2) if len(content) < 256 else b"\x83" + len(content).to_bytes(3)
    elif form == "endless":
        return bytes((tag,)) + b"\x80" + content + b"\0\0"
    else:
        size = integer_bytes(len(content))
        length = size if len(content) < 0x80 else bytes((0x80 | len(size),)) + size
    return bytes((tag,)) + length + content


def integer(value):
    data = integer_bytes(value)
    return der(2, b"\0" * (data[0] >> 7) + data)


def pem(data, label="PUBLIC KEY", end=None, width=64):
    text = base64.b64encode(data).decode()
    lines = [text[start:start + width] for start in range(0, len(text), width)]
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {end or label}-----", ""))
