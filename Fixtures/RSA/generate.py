"""Writes the RSA fixtures beside this file. Needs the Python package `cryptography`, which is OpenSSL: it has to agree with every verdict
but one.

The encodings of RFC 8017 are built by hand, since no library signs the faulty ones. A long modulus is a product of more than two primes, which
are found sooner; verification cannot tell. Everything is drawn from a fixed seed, so a second run writes the same files.
"""

import hashlib
import math
import pathlib
import random

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers

HERE = pathlib.Path(__file__).parent
HASHES = {"sha256": (1, hashes.SHA256()), "sha384": (2, hashes.SHA384()), "sha512": (3, hashes.SHA512())}
chance = random.Random(8017)


def is_prime(n):
    if any(n % p == 0 for p in (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
        return False
    odd = (n - 1) >> ((n - 1) & -(n - 1)).bit_length() - 1
    for _ in range(12):
        x = pow(chance.randrange(2, n - 1), odd, n)
        rest = odd
        while rest != n - 1 and x not in (1, n - 1):
            x, rest = x * x % n, rest * 2
        if x != n - 1 and rest % 2 == 0:
            return False
    return True


def prime(bits, exponent):
    while True:
        candidate = chance.getrandbits(bits) | 3 << bits - 2 | 1
        if math.gcd(candidate - 1, exponent) == 1 and is_prime(candidate):
            return candidate


class Key:
    def __init__(self, bits, exponent):
        self.exponent, self.modulus = exponent, 0
        sizes = [1024] * (bits // 1024)
        sizes[-1] += bits % 1024
        while self.modulus.bit_length() != bits:
            primes = [prime(size, exponent) for size in sizes[:-1]]
            # The last one fills up to the wanted length.
            product = math.prod(primes)
            while True:
                low = (1 << bits - 1) // product
                last = chance.randrange(low + 1, 2 * low) | 1
                if math.gcd(last - 1, exponent) == 1 and is_prime(last):
                    break
            self.modulus = product * last
        self.secret = pow(exponent, -1, math.lcm(last - 1, *(p - 1 for p in primes)))
        self.bits, self.bytes = bits, (bits + 7) // 8

    def raw(self, encoded):
        number = int.from_bytes(encoded, "big")
        assert number < self.modulus
        return pow(number, self.secret, self.modulus).to_bytes(self.bytes, "big")

    def accepts(self, scheme, name, message, signature):
        algorithm = HASHES[name][1]
        scheme = padding.PKCS1v15() if scheme == "pkcs1" else padding.PSS(padding.MGF1(algorithm), algorithm.digest_size)
        try:
            RSAPublicNumbers(self.exponent, self.modulus).public_key().verify(signature, message, scheme, algorithm)
            return True
        except InvalidSignature:
            return False


def digest(name, message):
    return hashlib.new(name, message).digest()


def digest_info(name, message, number=None, null=b"\x05\x00"):
    """The DigestInfo of RFC 8017, A.2.4."""
    algorithm = b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02" + bytes([number or HASHES[name][0]]) + null
    content = b"\x30" + bytes([len(algorithm)]) + algorithm + b"\x04" + bytes([len(digest(name, message))]) + digest(name, message)
    return b"\x30" + bytes([len(content)]) + content


def pkcs1(key, content, start=b"\x00\x01", filler=None, separator=b"\x00", tail=b""):
    filler = key.bytes - len(start) - len(separator) - len(content) - len(tail) if filler is None else filler
    return start + b"\xff" * filler + separator + content + tail


def mgf1(name, seed, length):
    blocks = (digest(name, seed + counter.to_bytes(4, "big")) for counter in range(length // len(digest(name, b"")) + 1))
    return b"".join(blocks)[:length]


def pss(key, name, message, salt=None, trailer=b"\xbc", separator=b"\x01", filler=0, mask=None, top=0, hash_bit=0):
    """Section 9.1.1; what is not None or 0 breaks one of its rules."""
    size = len(digest(name, b""))
    salt = chance.randbytes(size) if salt is None else salt
    bits = key.bits - 1
    length = (bits + 7) // 8
    h = digest(name, bytes(8) + digest(name, message) + salt)
    h = h[:-1] + bytes([h[-1] ^ hash_bit])
    zeros = bytearray(length - len(salt) - size - 2)
    zeros[len(zeros) // 2] = filler
    block = bytes(zeros) + separator + salt
    masked = bytearray(x ^ y for x, y in zip(block, mgf1(mask or name, h, len(block))))
    masked[0] &= 0xFF >> 8 * length - bits
    encoded = int.from_bytes(bytes(masked) + h + trailer, "big") | top << bits
    return encoded.to_bytes(key.bytes, "big")


def write(name, comment, rows):
    lines = ["# " + line for line in comment.split("\n")] + [" ".join(str(field) for field in row) for row in rows]
    (HERE / name).write_text("\n".join(lines) + "\n")


def hexadecimal(data):
    return data.hex() or "-"


def minimal(number):
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


KEYS = {
    "2048": Key(2048, 65537), "2048-three": Key(2048, 3), "2048-longest": Key(2048, 2**32 - 1), "2048-dense": Key(2048, 0xFFFFFFEF),
    "2049": Key(2049, 65537), "2056": Key(2056, 17), "3072": Key(3072, 65537), "4096": Key(4096, 65537), "8192": Key(8192, 65537),
}

# Keys

n, e = minimal(KEYS["2048"].modulus), b"\x01\x00\x01"
rows = [(name, "accept", minimal(key.modulus), minimal(key.exponent)) for name, key in KEYS.items()]
rows += [
    ("shortest", "accept", minimal(2**2047 | 1), e),
    ("longest", "accept", minimal(2**8192 - 1), e),
    ("too-short", "modulusTooShort:2047", minimal(2**2047 - 1), e),
    ("too-long", "modulusTooLong:8193", minimal(2**8192 | 1), e),
    ("much-too-long", "modulusTooLong:20000", minimal(2**20000 - 1), e),
    ("no-modulus", "modulusTooShort:0", b"", e),
    ("even-modulus", "evenModulus", minimal(KEYS["2048"].modulus ^ 1), e),
    ("zero-before-modulus", "leadingZero", b"\x00" + n, e),
    ("zero-before-short-modulus", "leadingZero", b"\x00" + minimal(2**2047 - 1)[1:], e),
    ("zero-before-exponent", "leadingZero", n, b"\x00" + e),
    ("zero-exponent", "leadingZero", n, b"\x00"),
    ("no-exponent", "exponentTooSmall", n, b""),
    ("exponent-1", "exponentTooSmall", n, b"\x01"),
    ("exponent-2", "evenExponent", n, b"\x02"),
    ("exponent-3", "accept", n, b"\x03"),
    ("even-exponent", "evenExponent", n, b"\x01\x00\x00"),
    ("longest-even-exponent", "evenExponent", n, minimal(2**32 - 2)),
    ("longest-exponent", "accept", n, minimal(2**32 - 1)),
    ("too-large-exponent", "exponentTooLarge", n, minimal(2**32 + 1)),
]
write("keys.txt", "name verdict modulus exponent", [(*row[:2], hexadecimal(row[2]), hexadecimal(row[3])) for row in rows])

# Signatures

rows = []


def record(label, verdict, key, scheme, name, message, signature):
    # OpenSSL takes PSS signatures of fewer bytes than the modulus has, against RFC 8017, 8.1.2, step 1.
    lenient = label == "pss-zero-dropped"
    assert KEYS[key].accepts(scheme, name, message, signature) == (verdict == "accept" or lenient), label
    rows.append((label, verdict, key, scheme, name, hexadecimal(message), hexadecimal(signature)))


def sign(key, scheme, name, message):
    key = KEYS[key]
    return key.raw(pkcs1(key, digest_info(name, message)) if scheme == "pkcs1" else pss(key, name, message))


for key in KEYS:
    for scheme in ("pkcs1", "pss"):
        for name in HASHES if key == "2048" else [chance.choice(list(HASHES))]:
            message = chance.randbytes(chance.randrange(60))
            record(f"{key}-{scheme}-{name}", "accept", key, scheme, name, message, sign(key, scheme, name, message))

key, message = KEYS["2048"], b"a message"
for scheme in ("pkcs1", "pss"):
    signature = sign("2048", scheme, "sha256", message)

    def refuse(label, signature, key="2048", name="sha256", message=message, scheme=scheme):
        record(f"{scheme}-{label}", "refuse", key, scheme, name, message, signature)

    refuse("other-message", signature, message=b"another message")
    refuse("other-hash", signature, name="sha512")
    refuse("other-key", signature, key="2048-three")
    refuse("other-padding", signature, scheme="pss" if scheme == "pkcs1" else "pkcs1")
    refuse("no-signature", b"")
    refuse("zero", bytes(256))
    refuse("one", bytes(255) + b"\x01")
    refuse("minus-one", minimal(key.modulus - 1))
    refuse("modulus", minimal(key.modulus))
    refuse("zero-before", b"\x00" + signature)
    refuse("zero-after", signature + b"\x00")
    refuse("first-byte-off", signature[1:])
    refuse("last-byte-off", signature[:-1])
    wide = KEYS["2049"]
    exceeding = int.from_bytes(sign("2049", scheme, "sha256", message), "big") + wide.modulus
    refuse("not-below-modulus", exceeding.to_bytes(wide.bytes, "big"), key="2049")
    # The same number in a byte less.
    for counter in range(10000):
        short = counter.to_bytes(4, "big")
        if (signature := sign("2048", scheme, "sha256", short))[0] == 0:
            break
    record(f"{scheme}-begins-with-zero", "accept", "2048", scheme, "sha256", short, signature)
    refuse("zero-dropped", signature[1:], message=short)

info = digest_info("sha256", message)
faults = {
    "wrong-hash-named": pkcs1(key, digest_info("sha256", message, number=3)),
    "no-parameters": pkcs1(key, digest_info("sha256", message, null=b"")),
    "parameters-not-null": pkcs1(key, digest_info("sha256", message, null=b"\x04\x00")),
    "parameters-with-garbage": pkcs1(key, digest_info("sha256", message, null=b"\x05\x01\x00")),
    "digest-only": pkcs1(key, digest("sha256", message)),
    "long-form-length": pkcs1(key, b"\x30\x81" + info[1:]),
    "wrong-digest-length": pkcs1(key, info[:18] + b"\x1f" + info[19:]),
    "digest-changed": pkcs1(key, info[:-1] + bytes([info[-1] ^ 1])),
    "trailing-garbage": pkcs1(key, info, tail=b"\x00"),
    "short-padding-and-garbage": pkcs1(key, info, filler=8, tail=bytes(256 - 11 - len(info))),
    "no-padding-and-garbage": pkcs1(key, info, filler=0, tail=b"\xff" * (256 - 3 - len(info))),
    "short-padding-behind-zeros": bytes(1) + pkcs1(key, info, filler=256 - 4 - len(info)),
    "padding-with-a-gap": pkcs1(key, info)[:100] + b"\xfe" + pkcs1(key, info)[101:],
    "no-separator": pkcs1(key, info, separator=b"\xff"),
    "two-separators": pkcs1(key, info, separator=b"\x00\x00"),
    "block-type-0": pkcs1(key, info, start=b"\x00\x00"),
    "block-type-2": pkcs1(key, info, start=b"\x00\x02"),
    "first-byte-1": pkcs1(key, info, start=b"\x01\x01"),
}
for label, encoded in faults.items():
    record(f"pkcs1-{label}", "refuse", "2048", "pkcs1", "sha256", message, key.raw(encoded))

faults = {
    "no-salt": dict(salt=b""), "salt-too-short": dict(salt=bytes(31)), "salt-too-long": dict(salt=bytes(33)), "salt-of-sha1": dict(salt=bytes(20)),
    "trailer": dict(trailer=b"\xcc"), "trailer-zero": dict(trailer=b"\x00"), "separator-0": dict(separator=b"\x00"),
    "separator-2": dict(separator=b"\x02"), "filler": dict(filler=1), "mask-of-other-hash": dict(mask="sha512"), "hash-changed": dict(hash_bit=1),
}
for label, fault in faults.items():
    record(f"pss-{label}", "refuse", "2048", "pss", "sha256", message, key.raw(pss(key, "sha256", message, **fault)))
record("pss-salt-all-zero", "accept", "2048", "pss", "sha256", message, key.raw(pss(key, "sha256", message, salt=bytes(32))))
# The bit above the encoding's has to be zero; with 2049 bits it lies in a byte of its own. The number has to stay below the modulus.
for name in ("2048", "2049"):
    encoded = b"\xff" * KEYS[name].bytes
    while int.from_bytes(encoded, "big") >= KEYS[name].modulus:
        encoded = pss(KEYS[name], "sha256", message, top=1)
    record(f"pss-top-bit-{name}", "refuse", name, "pss", "sha256", message, KEYS[name].raw(encoded))

write("signatures.txt", "PSS with a salt as long as the hash\nname verdict key padding hash message signature", rows)
