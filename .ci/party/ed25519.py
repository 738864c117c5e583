"""Ed25519 (RFC 8032 §5.1) by the strict rule: one key and one signature have one form."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from .refusals import Flaw

FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, FIELD) % FIELD
ROOT_OF_MINUS_ONE = pow(2, (FIELD - 1) // 4, FIELD)


def point_of(data):
    """The affine point of which the 32 bytes are the canonical encoding, or nothing."""
    sign, y = divmod(int.from_bytes(data, "little"), 2**255)
    if y >= FIELD:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, FIELD) % FIELD
    x = pow(square, (FIELD + 3) // 8, FIELD)
    if x * x % FIELD != square:
        x = x * ROOT_OF_MINUS_ONE % FIELD
    if x * x % FIELD != square or x == 0 and sign:
        return None
    return (x if x & 1 == sign else FIELD - x), y


def doubled(point):
    x, y = point
    product = CURVE * x * x * y * y
    return 2 * x * y * pow(1 + product, -1, FIELD) % FIELD, (y * y + x * x) * pow(1 - product, -1, FIELD) % FIELD


def is_of_small_order(point):
    return doubled(doubled(doubled(point))) == (0, 1)


def check_public_key(public):
    if len(public) != 32:
        raise Flaw("RFC8032-5.1.5", f"a public key of {len(public)} bytes, expected 32")
    point = point_of(public)
    if point is None:
        raise Flaw("RFC8032-5.1.3", "the public key is no point of the curve")
    if is_of_small_order(point):
        raise Flaw("threat-7", "the public key is a point of small order")


def public_key(seed):
    if len(seed) != 32:
        raise Flaw("RFC8032-5.1.5", f"a seed of {len(seed)} bytes, expected 32")
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def sign(seed, message):
    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def is_signature(public, message, signature):
    """Whether S is reduced, R a canonical point of a large order, and the equation holds without its cofactor."""
    if len(signature) != 64 or int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    point = point_of(signature[:32])
    if point is None or is_of_small_order(point):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True
