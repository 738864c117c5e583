"""Ed25519 by the formulas of RFC 8032 §5.1 alone: the libraries all rest on one implementation, and this on none."""

import functools
import hashlib

from .ed25519 import CURVE, FIELD, ORDER, is_of_small_order, point_of

NEUTRAL = (0, 1, 1, 0)


def extended(point):
    """A point as X, Y, Z and T of §5.1.4."""
    x, y = point
    return x, y, 1, x * y % FIELD


BASE = extended(point_of((4 * pow(5, -1, FIELD) % FIELD).to_bytes(32, "little")))


def total(one, other):
    a, b = (one[1] - one[0]) * (other[1] - other[0]), (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * CURVE * one[3] * other[3], 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD


def multiple(scalar, point):
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = total(result, point)
        scalar, point = scalar >> 1, total(point, point)
    return result


def encoded(point):
    inverse = pow(point[2], -1, FIELD)
    x, y = point[0] * inverse % FIELD, point[1] * inverse % FIELD
    return (y | (x & 1) << 255).to_bytes(32, "little")


def number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


@functools.cache
def is_signature(public, message, signature):
    """Whether key and R are canonical points of large order, S is reduced, and the equation holds, without cofactor."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, r, s = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if None in (key, r) or s >= ORDER or is_of_small_order(key) or is_of_small_order(r):
        return False
    challenge = number(signature[:32], public, message) % ORDER
    return encoded(multiple(s, BASE)) == encoded(total(extended(r), multiple(challenge, extended(key))))


@functools.cache
def signed(seed, message):
    """The public key of a seed, and its signature."""
    digest = hashlib.sha512(seed).digest()
    secret = int.from_bytes(digest[:32], "little") & ~(1 << 255) & ~7 | 1 << 254
    public = encoded(multiple(secret, BASE))
    nonce = number(digest[32:], message) % ORDER
    r = encoded(multiple(nonce, BASE))
    return public, r + ((nonce + number(r, public, message) * secret) % ORDER).to_bytes(32, "little")
