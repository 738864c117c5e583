"""Signatures on curves and by RSA: right ones, and such as break one rule."""

from arithmetic import P256, P384, P521, PREFIXES, RSA, integer_bytes

MESSAGE = b"what was agreed"
WRONG = "FIPS186-5-6.4.2"
KEY = RSA("issuer")


def row(name, title, proves, clause, **given):
    return {"name": name, "title": title, "proves": proves, "clause": clause, "given": given}


def curve_rows(curve, brief):
    key = curve.scalar("signer")
    n, size = curve.n, curve.size
    r, s = curve.sign(key, MESSAGE)
    right, public = curve.bytes(r, s), curve.point(key)

    def signature(name, title, clause, data=right, proves=None, message=MESSAGE, by=public):
        proves = proves or ("KEY-2" if brief else "KEY-1",)
        title = f"on {curve.name}, {title}"
        return row(f"{curve.name.lower()}{name}", title, list(proves), clause, curve=curve.name, public=by.hex(),
                   message=message.hex(), signature=data.hex())

    der = b"\x30\0" + b"".join(b"\2" + bytes((size,)) + curve.bytes(value) for value in (r, s))
    yield signature("", "the right signature", None)
    yield signature("-zeros", "r and s of zero", WRONG, bytes(2 * size))
    yield signature("-other-message", "a signature over something else", WRONG, message=MESSAGE + b".")
    if brief:
        return
    yield signature("-mirrored", "its twin, with n − s", None, curve.bytes(r, n - s))
    yield signature("-compressed-key", "by a key that is compressed", None, by=curve.compressed(key))
    yield signature("-other-hash", "a signature over another hash", WRONG,
                    curve.bytes(*curve.sign(key, MESSAGE, digest="sha384" if curve.digest == "sha256" else "sha256")))
    yield signature("-other-key", "a signature by another key", WRONG, by=curve.point(curve.scalar("stranger")))
    yield signature("-swapped", "s before r", WRONG, curve.bytes(s, r))
    yield signature("-zero-r", "an r of zero", WRONG, curve.bytes(0, s))
    yield signature("-zero-s", "an s of zero", WRONG, curve.bytes(r, 0))
    yield signature("-r-of-order", "an r of n", WRONG, curve.bytes(n, s))
    yield signature("-s-of-order", "an s of n", WRONG, curve.bytes(r, n))
    yield from edges(curve, signature)
    yield signature("-cut", "without its last byte", WRONG, right[:-1])
    yield signature("-extended", "with a byte more", WRONG, right + b"\0")
    yield signature("-empty", "of no bytes", WRONG, b"")
    yield signature("-der", "in the form of DER", WRONG, der[:1] + bytes((len(der) - 2,)) + der[2:], ("KEY-22",))
    yield signature("-first-bit", "with its first bit turned", WRONG, bytes((right[0] ^ 0x80,)) + right[1:])
    yield signature("-last-bit", "with its last bit turned", WRONG, right[:-1] + bytes((right[-1] ^ 1,)))
    # u₁G + u₂Q is infinity: with Q = dG, s·k = h + r·d for k = 0, so r = −h/d.
    yield signature("-infinity", "for which the sum is infinity", WRONG,
                    curve.bytes(-curve.number(MESSAGE) * pow(key, -1, n) % n, s))
    yield from keys(curve, key, signature)


def key_for(curve, point, r, s):
    """The public key by which r and s are right with this point as R: (s·R − h·G)/r."""
    inverse = pow(r, -1, curve.n)
    found = curve.add(curve.multiply(s * inverse % curve.n, point),
                      curve.multiply(-curve.number(MESSAGE) * inverse % curve.n))
    return b"\4" + curve.bytes(*found)


def edges(curve, signature):
    """What random signatures never meet: numbers so small that n can be added, and an x that is not below n."""
    n = curve.n
    point = curve.multiply(curve.scalar("nonce"))
    r, s = point[0] % n, 5
    by = key_for(curve, point, r, s)
    yield signature("-small-s", "with an s of five", None, curve.bytes(r, s), by=by)
    yield signature("-s-plus-order", "with an s of five and n", WRONG, curve.bytes(r, s + n), by=by)
    x = next(x for x in range(n + 1, curve.p) if root(curve, x))
    by = key_for(curve, (x, root(curve, x)), x - n, 7)
    yield signature("-small-r", "whose point has an x above n", None, curve.bytes(x - n, 7), by=by)
    yield signature("-r-plus-order", "whose r is that x, not reduced", WRONG, curve.bytes(x, 7), by=by)


def root(curve, x):
    square = (x**3 - 3 * x + curve.b) % curve.p
    y = pow(square, (curve.p + 1) // 4, curve.p)
    return y if y * y % curve.p == square else None


def keys(curve, key, signature):
    x, y = curve.multiply(key)
    p, size = curve.p, curve.size
    off, unknown = "RFC8446-4.2.8.2", "RFC5480-2.2"
    absent = next(x for x in range(1, 100) if not root(curve, x))
    small = next(x for x in range(1, 100) if root(curve, x))
    for name, title, clause, public in (
            ("infinity", "the point at infinity", off, b"\0"),
            ("empty", "no bytes", unknown, b""),
            ("off-curve", "no point of the curve", off, b"\4" + curve.bytes(x, y ^ 1)),
            ("zeros", "a point of zeros", off, b"\4" + bytes(2 * size)),
            ("unreduced", "a point whose x is not reduced", off, b"\4" + curve.bytes(small + p, root(curve, small))),
            ("compressed-off-curve", "an x that belongs to no point", off, b"\2" + curve.bytes(absent)),
            ("compressed-unreduced", "a compressed x that is not reduced", off, b"\2" + curve.bytes(small + p)),
            ("hybrid", "a point in the hybrid form", unknown, bytes((6 + (y & 1),)) + curve.bytes(x, y)),
            ("bare", "a point without its first byte", unknown, curve.bytes(x, y)),
            ("short", "a point without its last byte", unknown, b"\4" + curve.bytes(x, y)[:-1]),
            ("long", "a point with a byte more", unknown, b"\4" + curve.bytes(x, y) + b"\0")):
        yield signature(f"-key-{name}", f"with a key that is {title}", clause, by=public, proves=("KEY-1", "threat-7"))


def rsa_rows(key=KEY):
    wrong = {"R": "RFC8017-8.2.2", "P": "RFC8017-8.1.2"}

    def signature(name, title, algorithm, data, accepted=False, proves=None, message=MESSAGE):
        proves = proves or ["KEY-3" if algorithm[0] == "R" else "KEY-4"]
        return row(f"rsa-{name}", title, proves, None if accepted else wrong[algorithm[0]], algorithm=algorithm,
                   modulus="@modulus", exponent="010001", message=message.hex(), signature=data.hex())

    old, new = key.pkcs1(MESSAGE), key.pss(MESSAGE)
    for bits in (256, 384, 512):
        yield signature(f"rs{bits}", f"RS{bits}, the right signature", f"RS{bits}", key.pkcs1(MESSAGE, f"sha{bits}"), True)
        yield signature(f"ps{bits}", f"PS{bits}, the right signature", f"PS{bits}", key.pss(MESSAGE, f"sha{bits}"), True)
    yield signature("other-message", "RS256, over something else", "RS256", old, message=MESSAGE + b".")
    yield signature("other-hash", "RS256, with the signature of RS384", "RS256", key.pkcs1(MESSAGE, "sha384"))
    yield signature("crossed", "PS256, with the signature of RS256", "PS256", old)
    yield signature("crossed-back", "RS256, with the signature of PS256", "RS256", new)
    yield signature("cut", "RS256, without its last byte", "RS256", old[:-1])
    yield signature("extended", "RS256, with a zero in front", "RS256", b"\0" + old)
    yield signature("zero", "RS256, of zeros", "RS256", bytes(key.size))
    yield signature("modulus", "RS256, a signature that is the modulus", "RS256", key.modulus)
    yield signature("above-modulus", "RS256, a number above the modulus", "RS256", (key.n + 1).to_bytes(key.size))
    info = PREFIXES["sha256"]
    yield signature("without-null", "RS256, whose encoded hash has no parameters", "RS256",
                    key.pkcs1(MESSAGE, prefix=b"\x30\x2f\x30\x0b" + info[4:15] + info[17:]))
    yield signature("bare-hash", "RS256, whose hash is not encoded", "RS256", key.pkcs1(MESSAGE, prefix=b""))
    yield signature("short-padding", "RS256, with the hash in front and something behind it", "RS256",
                    key.pkcs1(MESSAGE, padding=lambda fill: b"\xff" * 8, ending=bytes(key.size - 62 - 8)))
    yield signature("other-padding", "RS256, with one other byte of padding", "RS256",
                    key.pkcs1(MESSAGE, padding=lambda fill: b"\xff" * (fill - 1) + b"\xfe"))
    for name, title, knobs in (
            ("no-salt", "without a salt", {"salt": 0}), ("short-salt", "with a salt of 20 bytes", {"salt": 20}),
            ("long-salt", "with a salt of 33 bytes", {"salt": 33}),
            ("other-mask", "whose mask is made with SHA-512", {"mask": "sha512"}),
            ("other-trailer", "whose last byte is another", {"trailer": 0xcc}),
            ("top-bit", "with its highest bit set", {"top": 0x40, "fill": 0}),
            ("other-start", "with a two in the place of the one before the salt", {"start": 2}),
            ("other-fill", "with ones in the place of the zeros", {"fill": 1})):
        yield signature(f"pss-{name}", f"PS256, {title}", "PS256", key.pss(MESSAGE, **knobs))
    yield from rsa_keys(key, old)


def rsa_keys(key, signature):
    for name, title, clause, modulus, exponent in (
            ("short", "a modulus of 2047 bits", "RFC7518-3.3", b"\x7f" + key.modulus[1:], b"\1\0\1"),
            ("long", "a modulus of 8193 bits", "KEY-3", b"\1" + b"\xff" * 1024, b"\1\0\1"),
            ("even", "an even modulus", "RFC8017-3.1", key.modulus[:-1] + bytes((key.modulus[-1] & 0xfe,)), b"\1\0\1"),
            ("leading-zero", "a modulus with a zero in front", "RFC7518-6.3.1", b"\0" + key.modulus, b"\1\0\1"),
            ("exponent-one", "an exponent of one", "RFC8017-3.1", key.modulus, b"\1"),
            ("exponent-even", "an even exponent", "RFC8017-3.1", key.modulus, integer_bytes(65536)),
            ("exponent-large", "an exponent of 33 bits", "KEY-3", key.modulus, integer_bytes(2**32 + 1)),
            ("exponent-zero", "an exponent with a zero in front", "RFC7518-6.3.1", key.modulus, b"\0\1\0\1"),
            ("exponent-empty", "no exponent", "RFC8017-3.1", key.modulus, b"")):
        yield row(f"rsa-key-{name}", f"with a key that has {title}", ["KEY-3", "KEY-12"], clause, algorithm="RS256",
                  modulus=modulus.hex(), exponent=exponent.hex(), message=MESSAGE.hex(), signature=signature.hex())


def sections():
    curves = [*curve_rows(P256, False), *curve_rows(P384, True), *curve_rows(P521, True)]
    yield "Curves", "signature", curves
    yield "RSA", "signature", [*rsa_rows()]
