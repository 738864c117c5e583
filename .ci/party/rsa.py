"""RSA signatures by RFC 8017, of which this side only checks: nobody here has a private key."""

import hashlib

from .refusals import Flaw

# The hash of each algorithm, and whether its padding is that of PKCS #1 v1.5; the others are PSS.
ALGORITHMS = {
    **{f"RS{bits}": (f"sha{bits}", True) for bits in (256, 384, 512)},
    **{f"PS{bits}": (f"sha{bits}", False) for bits in (256, 384, 512)},
}
# What stands before a digest (RFC 8017 §9.2, note 1).
PREFIXES = {
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
    "sha384": bytes.fromhex("3041300d060960864801650304020205000430"),
    "sha512": bytes.fromhex("3051300d060960864801650304020305000440"),
}


def check_public_key(modulus, exponent):
    """Bounds of both numbers, which are given as bytes without a zero in front."""
    n, e = int.from_bytes(modulus), int.from_bytes(exponent)
    if n.bit_length() < 2048:
        raise Flaw("RFC7518-3.3", f"a modulus of {n.bit_length()} bits, 2048 at least")
    if n.bit_length() > 8192:
        raise Flaw("KEY-3", f"a modulus of {n.bit_length()} bits, 8192 at most")
    if e >= 2**32:
        raise Flaw("KEY-3", "the exponent has more than 32 bits")
    if not (n & 1 and e >= 3 and e & 1):
        raise Flaw("RFC8017-3.1", "the modulus is even, or the exponent even or less than 3")


def is_signature(modulus, exponent, message, signature, algorithm):
    name, is_old = ALGORITHMS[algorithm]
    n, size = int.from_bytes(modulus), len(modulus)
    if len(signature) != size or int.from_bytes(signature) >= n:
        return False
    number = pow(int.from_bytes(signature), int.from_bytes(exponent), n)
    digest = hashlib.new(name, message).digest()
    if is_old:
        ending = b"\0" + PREFIXES[name] + digest
        return number.to_bytes(size) == b"\0\1".ljust(size - len(ending), b"\xff") + ending
    return is_padded(number, n.bit_length() - 1, name, digest)


def is_padded(number, bits, name, digest):
    """EMSA-PSS-VERIFY (RFC 8017 §9.1.2), with a salt as long as the digest."""
    size, length = (bits + 7) // 8, len(digest)
    if number >> bits or size < 2 * length + 2:
        return False
    text = number.to_bytes(size)
    masked, tag = text[:size - length - 1], text[size - length - 1:-1]
    if text[-1] != 0xbc:
        return False
    mask = b""
    while len(mask) < len(masked):
        mask += hashlib.new(name, tag + (len(mask) // length).to_bytes(4)).digest()
    block = int.from_bytes(masked) ^ int.from_bytes(mask[:len(masked)])
    block &= (1 << bits - 8 * (length + 1)) - 1
    start, salt = divmod(block, 1 << 8 * length)
    return start == 1 and hashlib.new(name, bytes(8) + digest + salt.to_bytes(length)).digest() == tag
