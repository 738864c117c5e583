"""Writes the P-256 fixtures beside this file.

Needs the Python package `cryptography`, whose multiples of the base point come from OpenSSL. Points and signatures that no honest signer
produces are computed with the affine formulas below, written for clarity and independent of the library's. Everything is drawn from a fixed
seed, so a second run writes the same files.
"""

import hashlib
import hmac
import pathlib
import random

from cryptography.hazmat.primitives.asymmetric import ec

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
HERE = pathlib.Path(__file__).parent
chance = random.Random(1865)


def add(p, q):
    """The sum of two points; None is the point at infinity."""
    if p is None or q is None:
        return q if p is None else p
    if p[0] == q[0] and (p[1] + q[1]) % P == 0:
        return None
    slope = (3 * p[0] * p[0] - 3) * pow(2 * p[1], -1, P) if p == q else (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (slope * slope - p[0] - q[0]) % P
    return (x, (slope * (p[0] - x) - p[1]) % P)


def negative(p):
    return p and (p[0], (P - p[1]) % P)


def times(n, p):
    result = None
    for bit in bin(n % N)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, p)
    return result


def base(n):
    """[n]G by OpenSSL."""
    numbers = ec.derive_private_key(n, ec.SECP256R1()).public_key().public_numbers()
    return (numbers.x, numbers.y)


def recover(x):
    """A point with this x coordinate, or None."""
    yy = (x**3 - 3 * x + B) % P
    y = pow(yy, (P + 1) // 4, P)
    return (x, y) if y * y % P == yy else None


def number(n):
    return n.to_bytes(32, "big")


def point(p):
    return b"\x04" + number(p[0]) + number(p[1])


def write(name, heading, lines):
    text = "".join(f"# {line}\n" for line in heading)
    for line in lines:
        text += " ".join(field if isinstance(field, str) else field.hex() or "-" for field in line) + "\n"
    (HERE / name).write_text(text)


def edges(modulus):
    near = [0, 1, 2, 3, 2**32 - 1, 2**64 - 1, 2**64, 2**96, 2**128, 2**192 - 1, 2**224, 2**255]
    return near + [modulus - x for x in near if x] + [modulus // 2, 2**256 % modulus, pow(2, 512, modulus)]


def pairs(modulus):
    some = edges(modulus)
    for x in some:
        yield x, some[chance.randrange(len(some))]
        yield x, chance.randrange(modulus)
    for _ in range(30):
        yield chance.randrange(modulus), chance.randrange(modulus)


def inverse(x, modulus):
    return pow(x, -1, modulus) if x else 0


def field():
    for x, y in pairs(P):
        root = pow(x, (P + 1) // 4, P)
        results = [(x + y) % P, (x - y) % P, x * y % P, x * x % P, inverse(x, P), x * pow(2, -1, P) % P]
        yield [number(n) for n in [x, y] + results] + [number(root) if root * root % P == x else "none"]


def scalars():
    for x, y in pairs(N):
        yield [number(n) for n in [x, y, (x + y) % N, x * y % N, inverse(x, N)]]


def wide():
    some = [0, 1, N - 1, N, N + 1, 2**256 - 1]
    for low, high in [(a, b) for a in some for b in some] + [(chance.getrandbits(256), chance.getrandbits(256)) for _ in range(10)]:
        yield [number(low), number(high), number((low + (high << 256)) % N or 1)]


def scalar():
    """A number whose digits in base 32 are often at the edge of what the comb takes."""
    digits = [chance.choice([0, 1, 15, 16, 17, 31]) for _ in range(51)]
    return sum(digit << 5 * place for place, digit in enumerate(digits)) or 1


def multiples():
    some = list(range(1, 36)) + [N - n for n in range(1, 20)] + [2**n for n in range(5, 256, 25)]
    some += [N - 2**225, N - 2**224, 2**256 - N, 2**255 - 1, 2**255, 2**255 + 1, N // 2, N // 2 + 1]
    for n in some + [scalar() for _ in range(40)] + [chance.randrange(1, N) for _ in range(10)]:
        yield [number(n), point(base(n))]


def sums():
    for _ in range(6):
        a, b = chance.randrange(1, N), chance.randrange(1, N)
        p, q = times(a, G), times(b, G)
        for one, other in [(p, q), (p, p), (p, negative(p)), (p, add(p, p))]:
            total = add(one, other)
            yield [point(one), point(other), point(total) if total else b"\x00", point(add(one, one))]


def public_keys():
    g = base(7)
    small = next(x for x in range(1, 100) if recover(x))
    off = next(x for x in range(1, 100) if not recover(x))
    yield ["honest", "accept", point(g)]
    yield ["base", "accept", point(G)]
    yield ["small-x", "accept", point(recover(small))]
    yield ["y-changed", "notOnCurve", point((g[0], g[1] ^ 1))]
    yield ["x-and-y-exchanged", "notOnCurve", point((g[1], g[0]))]
    yield ["zeros", "notOnCurve", b"\x04" + bytes(64)]
    yield ["other-curve", "notOnCurve", point((g[0], pow((g[0] ** 3 + 7) % P, (P + 1) // 4, P)))]
    yield ["x-is-p", "coordinateNotReduced", point((P, g[1]))]
    yield ["x-plus-p", "coordinateNotReduced", point((small + P, recover(small)[1]))]
    yield ["y-is-p", "coordinateNotReduced", point((g[0], P))]
    yield ["all-ones", "coordinateNotReduced", b"\x04" + b"\xff" * 64]
    yield ["infinity", "infinity", b"\x00"]
    for form in [0, 1, 2, 3, 5, 6, 7, 255]:
        yield [f"form-{form}", "unknownPointForm", bytes([form]) + point(g)[1:]]
    for parity in [2, 3]:
        yield [f"compressed-{parity}", "accept", bytes([parity]) + number(g[0])]
        yield [f"compressed-{parity}-small-x", "accept", bytes([parity]) + number(small)]
        yield [f"compressed-{parity}-off-curve", "notOnCurve", bytes([parity]) + number(off)]
        yield [f"compressed-{parity}-x-is-p", "coordinateNotReduced", bytes([parity]) + number(P)]
        yield [f"compressed-{parity}-x-plus-p", "coordinateNotReduced", bytes([parity]) + number(small + P)]
    yield ["compressed-infinity", "infinity", b"\x00"]
    for form in [0, 1, 4, 6]:
        yield [f"compressed-form-{form}", "unknownPointForm", bytes([form]) + number(g[0])]


def nonce(d, digest, hash):
    """RFC 6979, 3.2."""
    length = hash().digest_size
    e = int.from_bytes(digest[:32], "big") % N
    v, k = b"\x01" * length, bytes(length)
    for separator in [b"\x00", b"\x01"]:
        k = hmac.digest(k, v + separator + number(d) + number(e), hash)
        v = hmac.digest(k, v, hash)
    while True:
        candidate = b""
        while len(candidate) < 32:
            v = hmac.digest(k, v, hash)
            candidate += v
        if 0 < (n := int.from_bytes(candidate[:32], "big")) < N:
            return n
        k = hmac.digest(k, v + b"\x00", hash)
        v = hmac.digest(k, v, hash)


def sign(d, message, hash=hashlib.sha256):
    return sign_digest(d, hash(message).digest(), hash)


def sign_digest(d, digest, hash=hashlib.sha256):
    k = nonce(d, digest, hash)
    r = base(k)[0] % N
    return number(r) + number(pow(k, -1, N) * (int.from_bytes(digest[:32], "big") + r * d) % N)


def rfc6979():
    d = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
    # What the standard itself prints for SHA-256 and "sample".
    assert sign(d, b"sample").hex().startswith("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d65")
    for hash in ["sha224", "sha256", "sha384", "sha512"]:
        for message in [b"sample", b"test"]:
            yield [hash, number(d), message, point(base(d)), sign(d, message, getattr(hashlib, hash))]


def signatures():
    for _ in range(24):
        d, message = chance.choice([scalar(), chance.randrange(1, N)]), chance.randbytes(chance.randrange(0, 150))
        yield [number(d), message, point(base(d)), sign(d, message)]


def digests():
    for value in [0, 1, N - 1, N, N + 1, 2**256 - 1]:
        d = chance.randrange(1, N)
        yield [number(d), number(value), sign_digest(d, number(value))]


def verdicts():
    def case(name, verdict, q, digest, r, s):
        return [name, verdict, point(q), digest, number(r) + number(s)]

    d, message = chance.randrange(1, N), b"a message"
    q, digest = base(d), hashlib.sha256(message).digest()
    signature = sign(d, message)
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    yield case("honest", "accept", q, digest, r, s)
    yield case("other-form-of-s", "accept", q, digest, r, N - s)
    yield case("negated-r", "refuse", q, digest, N - r, s)
    yield case("exchanged", "refuse", q, digest, s, r)
    yield case("digest-changed", "refuse", q, hashlib.sha256(b"").digest(), r, s)
    yield case("other-key", "refuse", base(d + 1), digest, r, s)
    yield case("opposite-key", "refuse", negative(q), digest, r, s)
    for value in [0, 1, 2, N - 1, N, N + 1, P, 2**256 - 1]:
        yield case(f"r-is-{value:x}", "refuse", q, digest, value, s)
        yield case(f"s-is-{value:x}", "refuse", q, digest, r, value)
        yield case(f"both-are-{value:x}", "refuse", q, digest, value, value)
    yield case("longer-digest", "accept", q, digest + b"\xff" * 32, r, s)
    yield case("shorter-digest", "accept", *built(d, 0x1234, 28))
    yield case("empty-digest", "accept", *built(d, 0, 0))
    yield case("digest-is-n", "accept", *built(d, N, 32))
    yield case("digest-of-ones", "accept", *built(d, 2**256 - 1, 32))

    # u·G + v·Q with chosen u and v: for Q a small multiple of G, every branch of the additions is met.
    for key in [1, 2, 3, N - 1, N - 2, N // 2, d]:
        for u, v in [(0, 1), (0, 2), (1, 1), (2, 1), (1, 2), (3, 1), (1, N - 1), (N - 1, 1), (N - 2, N - 1), (5, 17), (2**255, 2**255)]:
            yield chosen(f"key-{key:x}-u-{u:x}-v-{v:x}", key, u, v)
        yield chosen(f"key-{key:x}-equal", key, key * 9 % N, 9)
        yield chosen(f"key-{key:x}-opposite", key, -key * 9 % N, 9)
    for _ in range(24):
        yield chosen("chosen", scalar(), scalar(), scalar())

    # A small x, and one of n or more: r is x modulo n.
    for name, x in [("x-is-small", 1), ("x-above-n", N), ("x-below-p", P - 60)]:
        while recover(x) is None:
            x += 1
        u, v = chance.randrange(1, N), chance.randrange(1, N)
        q = times(pow(v, -1, N), add(recover(x), negative(times(u, G))))
        r = x % N
        s = r * pow(v, -1, N) % N
        yield case(name, "accept", q, number(u * s % N), r, s)
        # Numbers that are x only after a wrong subtraction of p or of 2^256; u and v stay the same, so only the last comparison can fail.
        for wrong in [x + P - N, x + 2**256 - N] if name == "x-is-small" else [(x + 1) % N]:
            s = wrong * pow(v, -1, N) % N
            yield case(name + "-not-modulo-n", "refuse", q, number(u * s % N), wrong, s)


def built(d, e, size):
    k = chance.randrange(1, N)
    r = base(k)[0] % N
    return base(d), e.to_bytes(size, "big"), r, pow(k, -1, N) * (e + r * d) % N


def chosen(name, key, u, v):
    q = times(key, G)
    sum = add(times(u, G), times(v, q))
    r = sum[0] % N if sum else 5
    s = r * pow(v, -1, N) % N
    return [name, "accept" if sum else "refuse", point(q), number(u * s % N), number(r) + number(s)]


write("field.txt", ["Modulo p", "x y x+y x-y x*y x*x 1/x x/2 root"], field())
write("scalars.txt", ["Modulo n", "x y x+y x*y 1/x"], scalars())
write("wide-scalars.txt", ["low + 2^256·high modulo n, 1 for 0", "low high scalar"], wide())
write("base-multiples.txt", ["n [n]G"], multiples())
write("point-sums.txt", ["p q p+q p+p"], sums())
write("public-keys.txt", ["name verdict public"], public_keys())
write("rfc6979-a.2.5.txt", ["RFC 6979, A.2.5", "hash private message public signature"], rfc6979())
write("signatures.txt", ["Deterministic signatures over SHA-256", "private message public signature"], signatures())
write("verdicts.txt", ["name verdict public digest signature"], verdicts())
write("digests.txt", ["Digests at the edges of n", "private digest signature"], digests())
