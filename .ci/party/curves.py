"""ECDSA on the curves of NIST by the formulas of SEC 1 and RFC 6979 alone: slow, and easy to check."""

import hashlib
import hmac
from dataclasses import dataclass

from .refusals import Flaw


@dataclass(frozen=True)
class Curve:
    name: str
    prime: int
    order: int
    b: int
    base: tuple
    hash: str
    # The bytes of a coordinate, and of a scalar.
    size: int

    def contains(self, x, y):
        return (x**3 - 3 * x + self.b - y * y) % self.prime == 0


P256 = Curve(
    "P-256", 2**256 - 2**224 + 2**192 + 2**96 - 1,
    0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551,
    0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b,
    (0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
     0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5), "sha256", 32)
P384 = Curve(
    "P-384", 2**384 - 2**128 - 2**96 + 2**32 - 1,
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973,
    0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef,
    (0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7,
     0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f),
    "sha384", 48)
P521 = Curve(
    "P-521", 2**521 - 1,
    2**521 - 0x5ae79787c40d069948033feb708f65a2fc44a36477663b851449048e16ec79bf7,
    0x051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00,
    (0xc6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66,
     0x11839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650),
    "sha512", 66)
CURVES = {curve.name: curve for curve in (P256, P384, P521)}
# The algorithm of each curve.
ALGORITHMS = {"ES256": P256, "ES384": P384, "ES512": P521}
NAMES = {curve.name: name for name, curve in ALGORITHMS.items()}


# Points: affine, `None` for infinity

def added(curve, one, other):
    if one is None or other is None:
        return other if one is None else one
    (x, y), (u, v) = one, other
    p = curve.prime
    if x == u and (y + v) % p == 0:
        return None
    slope = (3 * x * x - 3) * pow(2 * y, -1, p) if one == other else (v - y) * pow(u - x, -1, p)
    w = (slope * slope - x - u) % p
    return w, (slope * (x - w) - y) % p


def multiple(curve, scalar, point):
    result = None
    while scalar:
        if scalar & 1:
            result = added(curve, result, point)
        point = added(curve, point, point)
        scalar >>= 1
    return result


def check_point(curve, x, y):
    if max(x, y) >= curve.prime:
        raise Flaw("RFC8446-4.2.8.2", "a coordinate of the public key is not reduced")
    if not curve.contains(x, y):
        raise Flaw("RFC8446-4.2.8.2", "the public key is not a point of the curve")
    return x, y


def read_point(curve, data):
    """The point of which these bytes are an encoding, with both coordinates or compressed."""
    size = curve.size
    if data == b"\0":
        raise Flaw("RFC8446-4.2.8.2", "the public key is the point at infinity")
    if data and data[0] not in (2, 3, 4):
        raise Flaw("RFC5480-2.2", f"a point of this form does not begin with {data[0]}")
    if len(data) != (1 + 2 * size if data[:1] == b"\4" else 1 + size):
        raise Flaw("RFC5480-2.2", f"no key of this curve and form has {len(data)} bytes")
    x = int.from_bytes(data[1:1 + size])
    if data[0] == 4:
        return check_point(curve, x, int.from_bytes(data[1 + size:]))
    check_point(curve, x, root(curve, x) or 0)
    y = root(curve, x)
    return x, y if y & 1 == data[0] & 1 else curve.prime - y


def root(curve, x):
    """A y that goes with x, if there is one: all three primes are 3 modulo 4."""
    square = (x**3 - 3 * x + curve.b) % curve.prime
    y = pow(square, (curve.prime + 1) // 4, curve.prime)
    return y if y * y % curve.prime == square else None


def written_point(curve, point):
    return b"\4" + b"".join(value.to_bytes(curve.size) for value in point)


def compressed_point(curve, point):
    return bytes((2 + (point[1] & 1),)) + point[0].to_bytes(curve.size)


# Keys and signatures

def check_scalar(curve, data):
    if len(data) != curve.size:
        raise Flaw("RFC5480-2.2", f"no key of this curve and form has {len(data)} bytes")
    if not 0 < int.from_bytes(data) < curve.order:
        raise Flaw("RFC6979-2.2", "the private key is not between zero and the order of the base point")


def public_point(curve, scalar):
    return multiple(curve, int.from_bytes(scalar), curve.base)


def number_of(curve, digest):
    """The leftmost bits of a digest, as many as the order has."""
    return int.from_bytes(digest) >> max(0, 8 * len(digest) - curve.order.bit_length())


def nonces(curve, scalar, digest):
    """The nonces of RFC 6979 §3.2, of which the first is nearly always good."""
    seed = scalar + (number_of(curve, digest) % curve.order).to_bytes(curve.size)
    size = hashlib.new(curve.hash).digest_size
    value, key = b"\1" * size, bytes(size)
    for mark in (b"\0", b"\1"):
        key = hmac.digest(key, value + mark + seed, curve.hash)
        value = hmac.digest(key, value, curve.hash)
    while True:
        text = b""
        while len(text) < curve.size:
            value = hmac.digest(key, value, curve.hash)
            text += value
        nonce = number_of(curve, text[:curve.size])
        if 0 < nonce < curve.order:
            yield nonce
        key = hmac.digest(key, value + b"\0", curve.hash)
        value = hmac.digest(key, value, curve.hash)


def sign(curve, scalar, message):
    digest = hashlib.new(curve.hash, message).digest()
    for nonce in nonces(curve, scalar, digest):
        r = multiple(curve, nonce, curve.base)[0] % curve.order
        s = pow(nonce, -1, curve.order) * (number_of(curve, digest) + r * int.from_bytes(scalar)) % curve.order
        if r and s:
            return r.to_bytes(curve.size) + s.to_bytes(curve.size)


def is_signature(curve, point, message, signature):
    size, order = curve.size, curve.order
    if len(signature) != 2 * size:
        return False
    r, s = int.from_bytes(signature[:size]), int.from_bytes(signature[size:])
    if not (0 < r < order and 0 < s < order):
        return False
    inverse = pow(s, -1, order)
    number = number_of(curve, hashlib.new(curve.hash, message).digest())
    found = added(curve, multiple(curve, number * inverse % order, curve.base),
                  multiple(curve, r * inverse % order, point))
    return found is not None and found[0] % order == r
