"""Writes the Ed25519 fixtures beside this file. Needs the Python package `cryptography`, whose signatures come from OpenSSL.

Points that no honest signer produces are computed with the affine formulas below, written for clarity and independent of the library's.
Everything is drawn from a fixed seed, so a second run writes the same files.
"""

import hashlib
import pathlib
import random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
I = pow(2, (P - 1) // 4, P)
HERE = pathlib.Path(__file__).parent
chance = random.Random(8032)


def add(p, q):
    (x1, y1), (x2, y2) = p, q
    k = D * x1 * x2 * y1 * y2
    return ((x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P)


def times(n, p):
    result = (0, 1)
    for bit in bin(n)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, p)
    return result


def recover(y, sign):
    """The x of RFC 8032, 5.1.3, or None."""
    xx = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if x * x % P != xx:
        x = x * I % P
    if x * x % P != xx:
        return None
    return P - x if x % 2 != sign and x else x


def encode(p):
    return (p[1] | (p[0] & 1) << 255).to_bytes(32, "little")


def number(n, size=32):
    return n.to_bytes(size, "little")


def challenge(r, a, message):
    return int.from_bytes(hashlib.sha512(r + a + message).digest(), "little") % L


B = (recover(4 * pow(5, -1, P) % P, 0), 4 * pow(5, -1, P) % P)


def torsion():
    """A generator of the eight points of small order."""
    y = 2
    while True:
        x = recover(y, 0)
        if x is not None:
            t = times(L, (x, y))
            if times(4, t) != (0, 1):
                return t
        y += 1


T = torsion()
SMALL = [times(i, T) for i in range(8)]


def write(name, text, rows):
    lines = ["# " + line for line in text.strip().splitlines()]
    lines += [" ".join(field.hex() or "-" if isinstance(field, bytes) else str(field) for field in row) for row in rows]
    (HERE / name).write_text("\n".join(lines) + "\n")


# Signatures

LONG = (HERE / "rfc8032-test-1024-message.hex").read_text()
rfc = [
    ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
    ("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "72",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
    ("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "af82",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
    ("f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5", LONG,
     "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
     "0aab4c900501b3e24d7cdf4663326a3a87df5e4843b2cbdb67cbf6e460fec350aa5371b1508f9f4528ecea23c436d94b5e8fcd4f681e30a6ac00a9704a188a03"),
    ("833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42", hashlib.sha512(b"abc").hexdigest(),
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"),
]
rows = [tuple(bytes.fromhex(field.strip()) for field in row) for row in rfc]
for seed, message, public, signature in rows:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    assert key.public_key().public_bytes_raw() == public and key.sign(message) == signature
write("rfc8032-7.1.txt", "RFC 8032, section 7.1\nseed message public signature", rows)

rows = []
for i in range(240):
    seed, message = chance.randbytes(32), chance.randbytes(chance.choice([0, 1, 31, 32, 63, 64, 95, 96, 111, 112, 127, 128, chance.randrange(400)]))
    key = Ed25519PrivateKey.from_private_bytes(seed)
    rows.append((seed, message, key.public_key().public_bytes_raw(), key.sign(message)))
write("openssl.txt", "Random keys and messages, signed by OpenSSL\nseed message public signature", rows)

# Verdicts of the strict rule

rows = []


def verdict(name, accepted, public, message, signature):
    rows.append((name, "accept" if accepted else "refuse", public, message, signature))


def signed(public_point, scalar, r_point, r, message):
    """R and S = r + k·a for any public point and R, whether they are what they should be or not."""
    encoded_r, encoded_a = encode(r_point), encode(public_point)
    k = challenge(encoded_r, encoded_a, message)
    return encoded_a, message, encoded_r + number((r + k * scalar) % L), k


def search(public_point, scalar, r_point, r, wanted):
    while True:
        a, message, signature, k = signed(public_point, scalar, r_point, r, chance.randbytes(16))
        if wanted(k):
            return a, message, signature


for i in range(3):
    a, r = chance.randrange(L), chance.randrange(L)
    A, R = times(a, B), times(r, B)
    public, message, signature = search(A, a, R, r, lambda k: True)
    verdict("honest", True, public, message, signature)
    s = int.from_bytes(signature[32:], "little")
    for j in range(1, 16):
        if s + j * L < 2**256:
            verdict(f"s-plus-{j}L", False, public, message, signature[:32] + number(s + j * L))
    for position in range(0, 512, 37):
        flipped = bytearray(signature)
        flipped[position // 8] ^= 1 << position % 8
        verdict(f"signature-bit-{position}", False, public, message, bytes(flipped))
    verdict("message-bit", False, public, bytes([message[0] ^ 1]) + message[1:], signature)
    verdict("message-longer", False, public, message + b"\0", signature)
    verdict("other-key", False, encode(times(a + 1, B)), message, signature)
    verdict("negated-r", False, public, message, encode((P - R[0], R[1])) + signature[32:])
    verdict("s-zero", False, public, message, signature[:32] + number(0))
    verdict("s-is-L", False, public, message, signature[:32] + number(L))
    verdict("s-all-ones", False, public, message, signature[:32] + b"\xff" * 32)

    # S = 0 with R = [−k]A holds, and is as good as any other S.
    for component in range(8):
        # Keys and commitments with a component of small order are accepted exactly where the equation without the cofactor holds.
        mixed = add(A, SMALL[component])
        for remainder in range(8):
            exact = (component * remainder) % 8 == 0
            public, message, signature = search(mixed, a, R, r, lambda k: k % 8 == remainder)
            verdict(f"key-component-{component}-k-{remainder}", exact, public, message, signature)
        for other in range(8):
            mixed_r = add(R, SMALL[other])
            remainder = chance.randrange(8)
            exact = (other + component * remainder) % 8 == 0
            public, message, signature = search(mixed, a, mixed_r, r, lambda k: k % 8 == remainder)
            verdict(f"key-component-{component}-r-component-{other}-k-{remainder}", exact, public, message, signature)

    # The equation holds, but R is of small order: R = T', A = [a]B + T with [k]T = −T'.
    mixed = add(A, T)
    for order, small in enumerate(SMALL):
        public, message, signature = search(mixed, a, small, 0, lambda k: (k + order) % 8 == 0)
        verdict(f"small-r-{order}", False, public, message, signature)

    # Second encodings of R where the equation holds for the point: y = 0 and 1 as p and p + 1, x = 0 with its sign bit set.
    for name, small, other in [
        ("zero", (0, 1), P + 1), ("zero-negative", (0, 1), 1 | 1 << 255), ("zero-both", (0, 1), P + 1 | 1 << 255),
        ("minus-one-negative", (0, P - 1), P - 1 | 1 << 255), ("order-four", SMALL[2], P | (SMALL[2][0] & 1) << 255),
        ("order-four-other", SMALL[6], P | (SMALL[6][0] & 1) << 255),
    ]:
        while True:
            message = chance.randbytes(16)
            k = challenge(number(other), encode(mixed), message)
            if add(times(k % 8, T), small) == (0, 1):
                verdict(f"second-encoding-of-r-{name}", False, encode(mixed), message, number(other) + number(k * a % L))
                break
    for y in range(P, 2**255):
        verdict(f"non-canonical-r-{y - P}", False, encode(A), b"", number(y) + signature[32:])
    for y in [2, 7, 8]:
        assert recover(y, 0) is None
        verdict(f"off-curve-r-{y}", False, encode(A), b"", number(y) + signature[32:])

write("verdicts.txt", "The strict rule: canonical encodings, no small order, S < L, no cofactor\nname verdict public message signature", rows)

# Public keys

rows = []
for y in range(P, 2**255):
    for sign in (0, 1):
        rows.append((f"y-is-p-plus-{y - P}-sign-{sign}", "nonCanonicalY", number(y | sign << 255)))
for order, small in enumerate(SMALL):
    rows.append((f"small-order-{order}", "smallOrder", encode(small)))
rows.append(("one-negative", "negativeZero", number(1 | 1 << 255)))
rows.append(("minus-one-negative", "negativeZero", number(P - 1 | 1 << 255)))
for y in range(2, 40):
    if recover(y, 0) is None:
        rows.append((f"off-curve-{y}", "notOnCurve", number(y)))
        rows.append((f"off-curve-{y}-negative", "notOnCurve", number(y | 1 << 255)))
for i in range(20):
    p = times(chance.randrange(1, L), B)
    rows.append((f"honest-{i}", "accept", encode(p)))
    rows.append((f"mixed-{i}", "accept", encode(add(p, SMALL[i % 8]))))
for y in [3, 4, 5, 6, P - 3]:
    if recover(y, 0) is not None:
        rows.append((f"near-the-edge-{y % 2**16}", "accept", encode((recover(y, 1), y))))
write("public-keys.txt", "name verdict public", rows)

# Arithmetic

edges = [0, 1, 2, 18, 19, 20, 37, 38, 2**64 - 1, 2**64, 2**128 - 1, 2**192, P - 20, P - 19, P - 2, P - 1, P, P + 1, P + 18, 2**255 - 1, 2**255,
         2**255 + 1, 2 * P - 20, 2 * P - 1, 2 * P]


def field_input():
    shape = chance.randrange(4)
    if shape == 0:
        return chance.choice(edges)
    if shape == 1:
        return sum(chance.choice([0, 1, 2**64 - 1, 2**63, chance.getrandbits(64)]) << 64 * i for i in range(4)) % (2 * P + 1)
    if shape == 2:
        return (2 * P - chance.getrandbits(chance.randrange(1, 255))) % (2 * P + 1)
    return chance.randrange(2 * P + 1)


rows = []
pairs = [(x, y) for x in edges for y in edges if (edges.index(x) + edges.index(y)) % 3 == 0] + [(field_input(), field_input()) for i in range(250)]
for x, y in pairs:
    results = [(x + y) % P, (x - y) % P, x * y % P, x * x % P, pow(x, -1, P) if x % P else 0]
    rows.append((number(x), number(y), *map(number, results)))
write("field.txt", "Numbers up to 2p, modulo p\nx y x+y x-y x*y x*x 1/x", rows)

edges = [0, 1, 2, L - 1, L, L + 1, 2 * L - 1, 2 * L, 2**252 - 1, 2**252, 2**253, 15 * L, 2**256 - 1, 8, 2**64 - 1, 2**128, 2**255 - 8]
rows = []
for i in range(200):
    x, y, z = (chance.choice(edges) if chance.randrange(3) == 0 else chance.getrandbits(256) for _ in range(3))
    rows.append((number(x), number(y), number(z), number((x * y + z) % L)))
write("scalar-products.txt", "Modulo L\nx y z x*y+z", rows)

rows = []
wide = [0, 1, L - 1, L, L + 1, 2**252, 2**512 - 1, 2**511, 2**256 - 1, 2**256, L * L, L * L - 1, L * 2**259, L * 2**259 - 1, L * 2**256 + 1]
wide += [L * (2**512 // L) + i for i in (-1, 0, 1)]
wide += [L * chance.getrandbits(chance.randrange(1, 259)) + chance.choice([-1, 0, 1, L - 1]) for i in range(80)]
wide += [chance.getrandbits(512) for i in range(60)]
for x in wide:
    x = max(0, x)
    if x < 2**512:
        rows.append((number(x, 64), number(x % L)))
write("scalar-reductions.txt", "64 bytes modulo L\nx x", rows)

rows = []
scalars = [0, 1, 2, 7, 8, 15, 16, L - 1, L - 2, 2**252 - 1, 2**252, int("7" * 63, 16), int("8" * 62, 16), int("f" * 62, 16), (L - 1) // 2]
for n in [s % L for s in scalars] + [chance.randrange(L) for i in range(40)]:
    rows.append((number(n), encode(times(n, B))))
write("base-multiples.txt", "n [n]B", rows)

rows = []
for i in range(40):
    p, q = ((times(chance.randrange(L), B) if chance.randrange(4) else (0, 1)) for _ in range(2))
    p, q = add(p, chance.choice(SMALL)), add(q, chance.choice(SMALL))
    if i % 8 == 0:
        q = p
    if i % 8 == 1:
        q = (P - p[0] if p[0] else 0, p[1])
    rows.append((encode(p), encode(q), encode(add(p, q)), encode(add(p, p))))
write("point-sums.txt", "Points of every order\np q p+q p+p", rows)
