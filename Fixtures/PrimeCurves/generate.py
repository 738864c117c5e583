"""Writes the fixtures of P-384 and P-521 beside this file. Needs the Python package `cryptography`, which is OpenSSL: it has to agree with
every verdict, public key and deterministic signature.

Points and signatures that no honest signer produces are computed with the affine formulas below, written for clarity and independent of the
library's. Everything is drawn from a fixed seed, so a second run writes the same files.
"""

import hashlib
import pathlib
import random

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HERE = pathlib.Path(__file__).parent
HASHES = {32: hashes.SHA256(), 48: hashes.SHA384(), 64: hashes.SHA512()}
chance = random.Random(384521)


class Curve:
    def __init__(self, name, curve, hash_name, p, n, b, base, rfc6979):
        self.name, self.curve, self.hash_name, self.rfc6979 = name, curve, hash_name, rfc6979
        self.p, self.n, self.b, self.base = p, n, b, base
        self.size = (p.bit_length() + 7) // 8
        assert (base[1] ** 2 - base[0] ** 3 + 3 * base[0] - b) % p == 0 and self.times(n, base) is None

    def add(self, one, other):
        if one is None or other is None:
            return one or other
        (x1, y1), (x2, y2) = one, other
        if x1 == x2 and (y1 + y2) % self.p == 0:
            return None
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, self.p) if one == other else (y2 - y1) * pow(x2 - x1, -1, self.p)
        x = (slope * slope - x1 - x2) % self.p
        return x, (slope * (x1 - x) - y1) % self.p

    def times(self, scalar, point):
        result = None
        for bit in bin(scalar)[2:] if scalar else "":
            result = self.add(result, result)
            if bit == "1":
                result = self.add(result, point)
        return result

    def y(self, x):
        """A root of x³ − 3x + b, or None."""
        square = (x**3 - 3 * x + self.b) % self.p
        root = pow(square, (self.p + 1) // 4, self.p)
        return root if root * root % self.p == square else None

    def number(self, value):
        return value.to_bytes(self.size, "big")

    def encode(self, point):
        return b"\x04" + self.number(point[0]) + self.number(point[1])

    def digest(self, message):
        return hashlib.new(self.hash_name, message).digest()

    def integer(self, digest):
        """bits2int of RFC 6979."""
        excess = 8 * len(digest) - self.n.bit_length()
        return int.from_bytes(digest, "big") >> max(0, excess)

    def accepts(self, point, digest, r, s):
        key = ec.EllipticCurvePublicNumbers(*point, self.curve).public_key()
        try:
            key.verify(encode_dss_signature(r, s), digest, ec.ECDSA(Prehashed(HASHES[len(digest)])))
            return True
        except InvalidSignature:
            return False

    def sign(self, secret, nonce, digest):
        r = self.times(nonce, self.base)[0] % self.n
        return r, pow(nonce, -1, self.n) * (self.integer(digest) + r * secret) % self.n


CURVES = [
    Curve(
        "p384", ec.SECP384R1(), "sha384", 2**384 - 2**128 - 2**96 + 2**32 - 1,
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
        0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
        (0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
         0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F),
        # RFC 6979, A.2.6, with SHA-384.
        (0x6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D896D5724E4C70A825F872C9EA60D2EDF5, {
            b"sample": (0x94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46,
                        0x99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8),
            b"test": (0x8203B63D3C853E8D77227FB377BCF7B7B772E97892A80F36AB775D509D7A5FEB0542A7F0812998DA8F1DD3CA3CF023DB,
                      0xDDD0760448D42D8A43AF45AF836FCE4DE8BE06B485E9B61B827C2F13173923E06A739F040649A667BF3B828246BAA5A5),
        })),
    Curve(
        "p521", ec.SECP521R1(), "sha512", 2**521 - 1,
        2**521 - 0x5AE79787C40D069948033FEB708F65A2FC44A36477663B851449048E16EC79BF7,
        0x51953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
        (0xC6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
         0x11839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650),
        # RFC 6979, A.2.7, with SHA-512.
        (0x0FAD06DAA62BA3B25D2FB40133DA757205DE67F5BB0018FEE8C86E1B68C7E75CAA896EB32F1F47C70855836A6D16FCC1466F6D8FBEC67DB89EC0C08B0E996B83538, {
            b"sample": (
                0x0C328FAFCBD79DD77850370C46325D987CB525569FB63C5D3BC53950E6D4C5F174E25A1EE9017B5D450606ADD152B534931D7D4E8455CC91F9B15BF05EC36E377FA,
                0x0617CCE7CF5064806C467F678D3B4080D6F1CC50AF26CA209417308281B68AF282623EAA63E5B5C0723D8B8C37FF0777B1A20F8CCB1DCCC43997F1EE0E44DA4A67A),
            b"test": (
                0x13E99020ABF5CEE7525D16B69B229652AB6BDF2AFFCAEF38773B4B7D08725F10CDB93482FDCC54EDCEE91ECA4166B2A7C6265EF0CE2BD7051B7CEF945BABD47EE6D,
                0x1FBD0013C674AA79CB39849527916CE301C66EA7CE8B80682786AD60F98F7E78A19CA69EFF5C57400E3B3A0AD66CE0978214D13BAF4E9AC60752F7B155E2DE4DCE3),
        })),
]


def write(name, comment, rows):
    lines = ["# " + line for line in comment.split("\n")]
    lines += [" ".join((field.hex() or "-") if isinstance(field, bytes) else str(field) for field in row) for row in rows]
    (HERE / name).write_text("\n".join(lines) + "\n")


def arithmetic(curve, modulus):
    edges = [0, 1, 2, 3, modulus - 1, modulus - 2, modulus // 2, modulus // 2 + 1, 2**64 - 1, 2**64, 2**192, 2**256 - 1, modulus - 2**64, modulus - 2**320]
    edges += [chance.choice([0, 2**64 - 1]) << 64 * i for i in range(modulus.bit_length() // 64)]
    edges = [x % modulus for x in edges]
    pairs = [(x, chance.choice(edges)) for x in edges] + [(chance.choice(edges), chance.randrange(modulus)) for _ in range(10)]
    pairs += [(chance.randrange(modulus), chance.randrange(modulus)) for _ in range(30)]
    for x, y in pairs:
        results = [(x + y) % modulus, (x - y) % modulus, x * y % modulus, x * x % modulus, pow(x, -1, modulus) if x else 0]
        yield [curve.number(value) for value in (x, y, *results)]


def keys(curve):
    p, size, base = curve.p, curve.size, curve.base
    yield "base", "accept", curve.encode(base)
    yield "minus-base", "accept", curve.encode((base[0], p - base[1]))
    for name in ("one", "other"):
        yield name, "accept", curve.encode(curve.times(chance.randrange(curve.n), base))
    # The first x from 0 on, and from p − 1 down, that belongs to a point.
    yield "smallest-x", "accept", curve.encode(next((x, curve.y(x)) for x in range(100) if curve.y(x)))
    yield "largest-x", "accept", curve.encode(next((p - x, curve.y(p - x)) for x in range(1, 100) if curve.y(p - x)))
    yield "off-curve", "notOnCurve", curve.encode((base[0], base[1] ^ 1))
    yield "zero", "notOnCurve", curve.encode((0, 0))
    yield "x-not-reduced", "coordinateNotReduced", b"\x04" + curve.number(p) + curve.number(curve.y(0) or 1)
    yield "y-not-reduced", "coordinateNotReduced", b"\x04" + curve.number(base[0]) + curve.number(p)
    small = next((x, curve.y(x)) for x in range(100) if curve.y(x))
    yield "x-plus-p", "coordinateNotReduced", b"\x04" + curve.number(small[0] + p) + curve.number(small[1])
    yield "all-ones", "coordinateNotReduced", b"\x04" + b"\xff" * 2 * size
    yield "infinity", "infinity", b"\x00"
    yield "empty", "wrongLength:0", b""
    yield "one-byte", "wrongLength:1", b"\x04"
    yield "byte-less", f"wrongLength:{2 * size}", curve.encode(base)[:-1]
    yield "byte-more", f"wrongLength:{2 * size + 2}", curve.encode(base) + b"\x00"
    yield "infinity-at-length", "unknownPointForm:0", bytes(2 * size + 1)
    for form in (2, 3, 5, 6, 7):
        yield f"form-{form}", f"unknownPointForm:{form}", bytes([form]) + curve.encode(base)[1:]


def compressed_keys(curve):
    p, size, base = curve.p, curve.size, curve.base
    for name, x in [("base", base[0]), ("other", curve.times(chance.randrange(curve.n), base)[0])]:
        for y in (curve.y(x), p - curve.y(x)):
            yield f"{name}-{y & 1}", "accept", bytes([2 + (y & 1)]) + curve.number(x), curve.encode((x, y))
    for x in [next(x for x in range(100) if curve.y(x) is None), next(p - x for x in range(1, 100) if curve.y(p - x) is None)]:
        for form in (b"\x02", b"\x03"):
            yield f"no-point-{x & 255}-{form[0]}", "notOnCurve", form + curve.number(x), b""
    yield "not-reduced", "coordinateNotReduced", b"\x02" + curve.number(p), b""
    yield "infinity", "infinity", b"\x00", b""
    yield "byte-less", f"wrongLength:{size}", (b"\x02" + curve.number(base[0]))[:-1], b""
    yield "uncompressed", f"wrongLength:{2 * size + 1}", curve.encode(base), b""
    for form in (0, 1, 4, 5):
        yield f"form-{form}", f"unknownPointForm:{form}", bytes([form]) + curve.number(base[0]), b""


def signing(curve):
    secret, examples = curve.rfc6979
    secrets = [(secret, message) for message in examples]
    digits = 2 * curve.size - 2
    edges = [1, 2, 7, 8, 9, 16, curve.n - 1, curve.n - 2, curve.n // 2, int("7" * digits, 16), int("8" * digits, 16), int("f" * digits, 16)]
    secrets += [(edge % curve.n, bytes([index])) for index, edge in enumerate(edges)]
    secrets += [(chance.randrange(1, curve.n), chance.randbytes(chance.randrange(200))) for _ in range(8)]
    algorithm = HASHES[len(curve.digest(b""))]
    for secret, message in secrets:
        key = ec.derive_private_key(secret, curve.curve)
        r, s = decode_dss_signature(key.sign(message, ec.ECDSA(algorithm, deterministic_signing=True)))
        assert examples.get(message, (r, s)) == (r, s)
        point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        assert point == curve.encode(curve.times(secret, curve.base))
        yield curve.number(secret), message, point, curve.number(r) + curve.number(s)


def verdicts(curve):
    n, p = curve.n, curve.p
    secret = chance.randrange(1, n)
    point = curve.times(secret, curve.base)
    digest = curve.digest(b"a message")
    r, s = curve.sign(secret, chance.randrange(1, n), digest)

    def row(name, verdict, r, s, point=point, digest=digest):
        assert curve.accepts(point, digest, r, s) == (verdict == "accept"), name
        return name, verdict, curve.encode(point), digest, curve.number(r) + curve.number(s)

    yield row("valid", "accept", r, s)
    yield row("opposite-s", "accept", r, n - s)
    yield row("opposite-r", "refuse", n - r, s)
    yield row("r-and-s-exchanged", "refuse", s, r)
    yield row("other-digest", "refuse", r, s, digest=curve.digest(b"another message"))
    yield row("opposite-key", "refuse", r, s, point=(point[0], p - point[1]))
    yield row("r-changed", "refuse", r ^ 1, s)
    yield row("s-changed", "refuse", r, s ^ 1)
    for name, value in [("0", 0), ("n", n), ("largest", 2 ** (8 * curve.size) - 1)]:
        yield row(f"r-is-{name}", "refuse", value, s)
        yield row(f"s-is-{name}", "refuse", r, value)
    yield row("r-is-1", "refuse", 1, s)
    yield row("s-is-1", "refuse", r, 1)
    yield row("both-0", "refuse", 0, 0)
    small = next((x, curve.y(x)) for x in range(1, 100) if curve.y(x))

    def recovered(x, s, digest):
        """The key for which s and a point of this x are a signature."""
        key = curve.add(curve.times(s, (x, curve.y(x))), curve.times(n - curve.integer(digest) % n, curve.base))
        return curve.times(pow(x % n, -1, n), key)

    yield row("smallest-r", "accept", small[0], s, point=recovered(small[0], s, digest))
    if small[0] + n < 2 ** (8 * curve.size):
        yield row("r-plus-n", "refuse", small[0] + n, s, point=recovered(small[0], s, digest))
    # The key for which s is 1.
    nonce = chance.randrange(1, n)
    any_r = curve.sign(secret, nonce, digest)[0]
    key = curve.times((nonce - curve.integer(digest)) * pow(any_r, -1, n) % n, curve.base)
    yield row("smallest-s", "accept", any_r, 1, point=key)
    if 1 + n < 2 ** (8 * curve.size):
        yield row("s-plus-n", "refuse", any_r, 1 + n, point=key)
    # The x coordinate is n or more, and r what exceeds n; the largest such x, too.
    lowest, highest = next(x for x in range(n + 1, n + 100) if curve.y(x)), next(p - x for x in range(1, 100) if curve.y(p - x))
    for name, x in [("above-n", lowest), ("below-p", highest)]:
        yield row(f"x-{name}", "accept", x - n, s, point=recovered(x, s, digest))
    # r + n would be p + 1 or more, and is not to be reduced to the coordinate of another point.
    wrapped = next(x for x in range(100) if curve.y(x) and x + p - n < n)
    both = curve.add(curve.times(s, (wrapped, curve.y(wrapped))), curve.times(n - curve.integer(digest) % n, curve.base))
    yield row("r-plus-n-wraps", "refuse", wrapped + p - n, s, point=curve.times(pow(wrapped + p - n, -1, n), both))
    # The sum is at infinity; it has no coordinate at all.
    yield row("infinity", "refuse", r, s, point=curve.times(-curve.integer(digest) * pow(r, -1, n) % n, curve.base))
    # One half of the sum is nothing, or both halves are the same point, or the key is next to the base point.
    for size in (32, 48, 64):
        zero, other = bytes(size), chance.randbytes(size)
        point = curve.times(secret, curve.base)
        yield row(f"digest-zero-{size}", "accept", *curve.sign(secret, chance.randrange(1, n), zero), point=point, digest=zero)
        yield row(f"digest-of-{size}", "accept", *curve.sign(secret, chance.randrange(1, n), other), point=point, digest=other)
    ones = b"\xff" * 64
    yield row("digest-ones", "accept", *curve.sign(secret, chance.randrange(1, n), ones), point=point, digest=ones)
    for name, key in [("1", 1), ("2", 2), ("3", 3), ("minus-1", n - 1), ("minus-2", n - 2)]:
        signature = curve.sign(key, chance.randrange(1, n), digest)
        yield row(f"key-{name}", "accept", *signature, point=curve.times(key, curve.base))
    nonce = chance.randrange(1, n)
    key = curve.integer(digest) * pow(curve.times(nonce, curve.base)[0], -1, n) % n
    yield row("equal-halves", "accept", *curve.sign(key, nonce, digest), point=curve.times(key, curve.base))
    yield "empty", "refuse", curve.encode(point), digest, b""
    full = curve.number(r) + curve.number(s)
    yield "byte-less", "refuse", curve.encode(point), digest, full[:-1]
    yield "byte-more", "refuse", curve.encode(point), digest, full + b"\x00"
    yield "byte-before", "refuse", curve.encode(point), digest, b"\x00" + full


for curve in CURVES:
    write(f"{curve.name}-field.txt", "Modulo p\nx y x+y x-y x*y x*x 1/x", arithmetic(curve, curve.p))
    write(f"{curve.name}-order.txt", "Modulo n\nx y x+y x-y x*y x*x 1/x", arithmetic(curve, curve.n))
    write(f"{curve.name}-keys.txt", "name verdict point", keys(curve))
    write(f"{curve.name}-compressed-keys.txt", "name verdict point uncompressed", compressed_keys(curve))
    write(f"{curve.name}-signing.txt", "The examples of RFC 6979 first\nsecret message point signature", signing(curve))
    write(f"{curve.name}-verdicts.txt", "name verdict point digest signature", verdicts(curve))
