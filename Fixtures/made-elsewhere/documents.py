"""Key documents in DER and PEM, keys as JSON, and signatures in DER: right ones, and such as break one rule."""

import json

from arithmetic import P256, P384, P521, b64url, der, integer, integer_bytes, pem, seed
from signatures import KEY, row

EC, RSA_NAME, ED25519 = (bytes.fromhex(text) for text in ("2a8648ce3d0201", "2a864886f70d010101", "2b6570"))
SHAPE = LENGTH = "KEY-11"
NAMELESS = "RFC5480-2.1.1"
# The key of RFC 8037 appendix A.
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")


def name_of(curve):
    return der(6, curve.identifier)


def algorithm(curve):
    return der(0x30, der(6, EC), name_of(curve))


def bits(data, unused=0):
    return der(3, bytes((unused,)) + data)


def spki(curve, point=None, **form):
    return der(0x30, algorithm(curve), bits(point or curve.point(curve.scalar("signer"))), **form)


def rsa_spki(modulus=None, exponent=None, parameters=b"\5\0", name=RSA_NAME):
    numbers = der(0x30, modulus or integer(KEY.n), exponent or integer(KEY.e))
    return der(0x30, der(0x30, der(6, name), parameters), bits(numbers))


def sec1(curve, *, scalar=None, named=True, public=b"", version=b"\1", curve_inside=None):
    scalar = curve.bytes(curve.scalar("signer")) if scalar is None else scalar
    parameters = der(0xa0, name_of(curve_inside or curve)) if named else b""
    point = der(0xa1, bits(public)) if public else b""
    return der(0x30, der(2, version), der(4, scalar), parameters, point)


def pkcs8(curve, inner=None, version=b"\0", ending=b"", outer=None):
    inner = sec1(curve, named=False) if inner is None else inner
    return der(0x30, der(2, version), outer or algorithm(curve), der(4, inner), ending)


def octets(version=b"\0", secret=SEED, ending=b"", inner=True):
    secret = der(4, secret) if inner else secret
    return der(0x30, der(2, version), der(0x30, der(6, ED25519)), der(4, secret), ending)


def document(name, title, clause, data, secret=False, proves=("KEY-11",)):
    given = {"text": data} if isinstance(data, str) else {"bytes": data.hex()}
    return row(f"document-{name}", title, list(proves), clause, **given, **({"secret": True} if secret else {}))


def accepted():
    for curve in (P256, P384, P521):
        low, key = curve.name.lower(), curve.scalar("signer")
        point, small = curve.point(key), curve.compressed(key)
        yield document(f"{low}", f"a public key on {curve.name}", None, spki(curve), proves=["KEY-11"])
        yield document(f"{low}-private-public", f"a private key on {curve.name} with its public key", None,
                       pkcs8(curve, sec1(curve, named=False, public=point)), True, ["KEY-11"])
        if curve is not P256:
            continue
        yield document(f"{low}-compressed", f"a compressed public key on {curve.name}", None, spki(curve, small),
                       proves=["KEY-11"])
        yield document(f"{low}-pem", f"a public key on {curve.name} as text", None, pem(spki(curve)), proves=["KEY-11"])
        yield document(f"{low}-private", f"a private key on {curve.name}", None, pkcs8(curve), True, ["KEY-11"])
        yield document(f"{low}-private-pem", f"a private key on {curve.name} as text", None,
                       pem(pkcs8(curve), "PRIVATE KEY"), True, ["KEY-11"])
        yield document(f"{low}-private-curve", f"a private key that names {curve.name} twice", None,
                       pkcs8(curve, sec1(curve, public=small)), True, ["KEY-11"])
        yield document(f"{low}-version-2", f"a private key on {curve.name}, version 2", None,
                       pkcs8(curve, version=b"\1", ending=der(0x81, b"\0" + point)), True)
        yield document(f"{low}-sec1", f"a private key on {curve.name} by SEC 1", None, sec1(curve, public=point), True,
                       ["KEY-11"])
        yield document(f"{low}-sec1-pem", f"a private key on {curve.name} by SEC 1 as text", None,
                       pem(sec1(curve), "EC PRIVATE KEY"), True, ["KEY-11"])
    yield document("rsa", "a public key of RSA", None, rsa_spki(), proves=["KEY-11"])
    yield document("rsa-pem", "a public key of RSA as text", None, pem(rsa_spki()), proves=["KEY-11"])
    ed25519 = der(0x30, der(0x30, der(6, ED25519)), bits(PUBLIC))
    yield document("ed25519", "a public key on Ed25519", None, ed25519, proves=["KEY-11"])
    yield document("ed25519-private", "a private key on Ed25519", None, octets(), True, ["KEY-11"])
    yield document("ed25519-version-2", "a private key on Ed25519, version 2", None,
                   octets(b"\1", ending=der(0x81, b"\0" + PUBLIC)), True)


def refused():
    right, point = spki(P256), P256.point(P256.scalar("signer"))
    stranger = P256.point(P256.scalar("stranger"))
    content = der(6, EC), name_of(P256)
    explicit = der(0x30, der(2, b"\1"), der(0x30, der(6, bytes.fromhex("2a8648ce3d0101")), integer(P256.p)))
    for name, title, clause, data in (
            ("empty", "no bytes", SHAPE, b""),
            ("cut", "a key without its last byte", SHAPE, right[:-1]),
            ("extended", "a key with a byte more", SHAPE, right + b"\0"),
            ("twice", "a key twice", SHAPE, right * 2),
            ("long-length", "a length in more bytes than it needs", LENGTH, spki(P256, form="long")),
            ("endless", "a length that is left open", LENGTH, spki(P256, form="endless")),
            ("huge", "a length of eight bytes", LENGTH, b"\x30\x88" + b"\x7f" * 8 + right[2:]),
            ("set", "a set in the place of a sequence", SHAPE, b"\x31" + right[1:]),
            ("unused-bits", "a point with unused bits", "KEY-11", der(0x30, algorithm(P256), bits(point, 1))),
            ("no-bits", "no point", "KEY-11", der(0x30, algorithm(P256), der(3))),
            ("octets", "a point as octets", SHAPE, der(0x30, algorithm(P256), der(4, b"\0" + point))),
            ("explicit-curve", "a curve that is written out", NAMELESS,
             der(0x30, der(0x30, der(6, EC), explicit), bits(point))),
            ("no-curve", "a curve that is not named", NAMELESS, der(0x30, der(0x30, der(6, EC)), bits(point))),
            ("foreign-curve", "a key on secp256k1", "KEY-11",
             der(0x30, der(0x30, der(6, EC), der(6, bytes.fromhex("2b8104000a"))), bits(point))),
            ("curve-and-more", "a curve and something behind it", SHAPE,
             der(0x30, der(0x30, *content, b"\5\0"), bits(point))),
            ("foreign-algorithm", "a key for agreements by X25519", "KEY-11",
             der(0x30, der(0x30, der(6, bytes.fromhex("2b656e"))), bits(PUBLIC))),
            ("ed25519-parameters", "Ed25519 with parameters", SHAPE,
             der(0x30, der(0x30, der(6, ED25519), b"\5\0"), bits(PUBLIC))),
            ("off-curve", "no point of the curve", "RFC8446-4.2.8.2", spki(P256, point[:-1] + bytes((point[-1] ^ 1,)))),
            ("infinity", "the point at infinity", "RFC8446-4.2.8.2", spki(P256, b"\0")),
            ("other-length", "a point of another curve", "RFC5480-2.2", spki(P256, P384.point(P384.scalar("signer")))),
            ("rsa-no-parameters", "RSA without its NULL", "RFC8017-A.1", rsa_spki(parameters=b"")),
            ("rsa-parameters", "RSA with a NULL that is not empty", "RFC8017-A.1", rsa_spki(parameters=b"\5\1\0")),
            ("rsa-pss", "RSA for PSS alone", "KEY-11", rsa_spki(name=bytes.fromhex("2a864886f70d01010a"))),
            ("rsa-negative", "a negative modulus", "KEY-11", rsa_spki(modulus=der(2, KEY.modulus))),
            ("rsa-zero-in-front", "a modulus with two zeros in front", "KEY-11",
             rsa_spki(modulus=der(2, b"\0\0" + KEY.modulus))),
            ("rsa-empty-exponent", "an exponent of no bytes", "KEY-11", rsa_spki(exponent=der(2))),
            ("rsa-small", "a modulus of 1024 bits", "RFC7518-3.3", rsa_spki(modulus=integer(KEY.n >> 1024 | 1))),
            ("rsa-exponent", "an exponent of one", "RFC8017-3.1", rsa_spki(exponent=integer(1)))):
        yield document(name, title, clause, data)
    public = der(0x81, b"\0" + point)
    other = pkcs8(P256, sec1(P256, named=False, public=stranger))
    for name, title, clause, data in (
            ("pair", "with the public key of another", "threat-8", other),
            ("pair-compressed", "with a compressed public key of the wrong sign", "threat-8",
             pkcs8(P256, sec1(P256, named=False, public=flipped(P256.compressed(P256.scalar("signer")))))),
            ("pair-version-2", "version 2, with the public key of another", "threat-8",
             pkcs8(P256, version=b"\1", ending=der(0x81, b"\0" + stranger))),
            ("version-1-public", "version 1, with a public key", "RFC5958-2", pkcs8(P256, ending=public)),
            ("version-2-alone", "version 2, without a public key", "RFC5958-2", pkcs8(P256, version=b"\1")),
            ("version-3", "version 3", "RFC5958-2", pkcs8(P256, version=b"\2")),
            ("inner-version", "with an EC key of version 2", "RFC5958-2",
             pkcs8(P256, sec1(P256, named=False, version=b"\2"))),
            ("other-curve", "that names another curve inside", SHAPE,
             pkcs8(P256, sec1(P256, curve_inside=P384))),
            ("bare-scalar", "whose secret is the number alone", SHAPE,
             pkcs8(P256, P256.bytes(P256.scalar("signer")))),
            ("short-scalar", "with a number of 31 bytes", "RFC5480-2.2",
             pkcs8(P256, sec1(P256, named=False, scalar=b"\1" * 31))),
            ("long-scalar", "with a number of 33 bytes", "RFC5480-2.2",
             pkcs8(P256, sec1(P256, named=False, scalar=b"\0" + b"\1" * 32))),
            ("zero", "with a number of zero", "RFC6979-2.2", pkcs8(P256, sec1(P256, named=False, scalar=bytes(32)))),
            ("order", "with a number of n", "RFC6979-2.2",
             pkcs8(P256, sec1(P256, named=False, scalar=P256.bytes(P256.n)))),
            ("extended-inside", "with a byte behind the EC key", SHAPE, pkcs8(P256, sec1(P256, named=False) + b"\0")),
            ("rsa-private", "of RSA", "KEY-5",
             der(0x30, der(2, b"\0"), der(0x30, der(6, RSA_NAME), b"\5\0"), der(4, b"\x30\0"))),
            ("bare-seed", "of Ed25519, whose seed has no tag", SHAPE, octets(inner=False)),
            ("ed25519-pair", "of Ed25519, with the public key of another", "threat-8",
             octets(b"\1", ending=der(0x81, b"\0" + stranger_octets())))):
        yield document(f"private-{name}", f"a private key {title}", clause, data, True)
    yield document("sec1-nameless", "a key by SEC 1 that does not name its curve", NAMELESS,
                   sec1(P256, named=False), True)
    yield from texts(pem(right), pem(pkcs8(P256), "PRIVATE KEY"), right)


def flipped(point):
    return bytes((point[0] ^ 1,)) + point[1:]


def stranger_octets():
    # Another point of the curve, and no small one: the base point (RFC 8032 §5.1).
    return bytes.fromhex("58" + "66" * 31)


def texts(public, private, data):
    clause = "RFC7468-2"
    lines = public.split("\n")
    for name, title, text in (
            ("label", "under the label of another content", pem(data, "EC PUBLIC KEY")),
            ("certificate", "under the label of a certificate", pem(data, "CERTIFICATE")),
            ("end", "whose end has another label", pem(data, end="PRIVATE KEY")),
            ("headers", "with headers", "\n".join((lines[0], "Proc-Type: 4,ENCRYPTED", "", *lines[1:]))),
            ("two", "two of them", public * 2),
            ("before", "with a text before it", "Here it is:\n" + public),
            ("behind", "with a text behind it", public + "That is all.\n"),
            ("no-end", "without an end", "\n".join(lines[:-2]) + "\n"),
            ("wide", "in lines of 76 characters", pem(data, width=76)),
            ("one-line", "in one line", public.replace("\n", " ")),
            ("blank-line", "with an empty line in it", "\n".join((lines[0], "", *lines[1:]))),
            ("alphabet", "with letters of base64url", public.replace("+", "-").replace("/", "_")),
            ("no-padding", "without padding", public.replace("=\n-", "\n-")),
            ("stray-bits", "with bits behind its last byte", strayed(lines)),
            ("empty", "with nothing between", lines[0] + "\n" + lines[-2] + "\n")):
        if text != public:
            other = name in ("label", "certificate", "headers")
            yield document(f"text-{name}", f"a text {title}", SHAPE if other else clause, text)
    yield document("text-private", "a private key where a public one is wanted", SHAPE, private)
    yield document("text-public", "a public key where a private one is wanted", SHAPE, public, True)
    yield document("text-encrypted", "an encrypted key", SHAPE, pem(data, "ENCRYPTED PRIVATE KEY"), True)
    yield document("text-rsa-private", "a private key of RSA in its own form", "KEY-5", pem(data, "RSA PRIVATE KEY"), True)
    yield document("text-sec1-as-pkcs8", "a key by SEC 1 under the label of PKCS #8", SHAPE,
                   pem(sec1(P256), "PRIVATE KEY"), True)


def strayed(lines):
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = lines[-3]
    body = last.rstrip("=")
    if body == last:
        return "\n".join(lines)
    return "\n".join((*lines[:-3], body[:-1] + alphabet[alphabet.index(body[-1]) | 1] + last[len(body):], *lines[-2:]))


# Signatures in DER

def forms():
    def form(name, title, clause, curve=P256, **given):
        given = {key: value.hex() for key, value in given.items()}
        return row(f"form-{name}", title, ["KEY-22"], clause, curve=curve.name, **given)

    zero = shape = length = "KEY-22"
    high = (1 << 255) + 1
    for curve in (P256, P384, P521):
        r, s = curve.sign(curve.scalar("signer"), b"what was agreed")
        yield form(f"der-{curve.name.lower()}", f"from DER, on {curve.name}", None, curve,
                   der=der(0x30, integer(r), integer(s)))
        yield form(f"raw-{curve.name.lower()}", f"to DER, on {curve.name}", None, curve, raw=curve.bytes(r, s))
    yield form("small", "from DER, of small numbers", None, der=der(0x30, integer(1), integer(0x80)))
    yield form("high", "from DER, of numbers with their highest bit", None, der=der(0x30, integer(high), integer(high)))
    yield form("small-raw", "to DER, of small numbers", None, raw=P256.bytes(1, 0x80))
    one = integer(1)
    for name, title, clause, data in (
            ("negative", "with a negative number", shape, der(0x30, der(2, b"\xff"), one)),
            ("zeros", "with a zero in front of a number", shape, der(0x30, der(2, b"\0\1"), one)),
            ("empty-number", "with a number of no bytes", shape, der(0x30, der(2), one)),
            ("zero", "with an r of zero", zero, der(0x30, integer(0), one)),
            ("zero-s", "with an s of zero", zero, der(0x30, one, integer(0))),
            ("long", "with a number that the curve has no room for", length, der(0x30, integer(1 << 256), one)),
            ("one", "of one number", shape, der(0x30, one)),
            ("three", "of three numbers", shape, der(0x30, one, one, one)),
            ("extended", "with a byte behind it", shape, der(0x30, one, one) + b"\0"),
            ("long-length", "whose length has more bytes than it needs", shape, b"\x30\x81\x06" + one + one),
            ("raw-as-der", "that is R and S", shape, P256.bytes(0x30, 1))):
        yield form(name, f"from DER, {title}", clause, der=data)
    yield form("cut", "to DER, without the last byte", "RFC7518-3.4", raw=P256.bytes(1, 2)[:-1])
    yield form("zero-raw", "to DER, with an r of zero", zero, raw=P256.bytes(0, 2))


# Keys as JSON

def jwks():
    def key(name, title, clause, members, secret=False, proves=("KEY-12",)):
        given = {"text": json.dumps({k: v for k, v in members.items() if v is not None}, separators=(",", ":"))}
        return row(f"jwk-{name}", title, list(proves), clause, **given, **({"secret": True} if secret else {}))

    for curve in (P256, P384, P521):
        low, members = curve.name.lower(), ec_members(curve)
        yield key(low, f"a key on {curve.name}", None, members, proves=("KEY-12", "KEY-13"))
        if curve is not P521:
            yield key(f"{low}-private", f"a private key on {curve.name}", None,
                      members | {"d": b64url(curve.bytes(curve.scalar("signer")))}, True, ("KEY-12", "KEY-13"))
    members, rsa = ec_members(P256), {"kty": "RSA", "n": b64url(KEY.modulus), "e": "AQAB"}
    x, y = P256.multiply(P256.scalar("signer"))
    d = b64url(P256.bytes(P256.scalar("signer")))
    for name, title, clause, changes in (
            ("ec-algorithm", "a key on P-256 for ES256", None, {"alg": "ES256"}),
            ("ec-other-algorithm", "a key on P-256 for ES384", "RFC7517-4.4", {"alg": "ES384"}),
            ("ec-as-secret", "a key on P-256 for HMAC", "RFC7517-4.4", {"alg": "HS256"}),
            ("ec-short", "an x of 31 bytes", "RFC7518-6.2.1.2", {"x": b64url(P256.bytes(x)[1:])}),
            ("ec-long", "a y of 33 bytes", "RFC7518-6.2.1.2", {"y": b64url(b"\0" + P256.bytes(y))}),
            ("ec-off-curve", "no point of the curve", "RFC8446-4.2.8.2", {"y": b64url(P256.bytes(y ^ 1))}),
            ("ec-zeros", "a point of zeros", "RFC8446-4.2.8.2", {"x": b64url(bytes(32)), "y": b64url(bytes(32))}),
            ("ec-unreduced", "an x that is not reduced", "RFC8446-4.2.8.2", {"x": b64url(b"\xff" * 32)}),
            ("ec-without-y", "without y", "RFC8259-4", {"y": None}),
            ("ec-secret-shown", "a public key with its secret", "RFC7517-9.2", {"d": d})):
        yield key(name, title, clause, members | changes)
    for name, title, clause, changes in (
            ("ec-pair", "with the public key of another", "threat-8", ec_members(P256, "stranger") | {"d": d}),
            ("ec-short-secret", "a d of 31 bytes", "RFC7518-6.2.2.1", {"d": b64url(b"\1" * 31)}),
            ("ec-zero-secret", "a d of zero", "RFC6979-2.2", {"d": b64url(bytes(32))}),
            ("ec-order-secret", "a d of n", "RFC6979-2.2", {"d": b64url(P256.bytes(P256.n))})):
        yield key(name, title, clause, members | changes, True)
    for name, title, clause, changes in (
            ("rsa-algorithm", "an RSA key for PS256", None, {"alg": "PS256"}),
            ("rsa-other-algorithm", "an RSA key for ES256", "RFC7517-4.4", {"alg": "ES256"}),
            ("rsa-leading-zero", "a modulus with a zero in front", "RFC7518-2", {"n": b64url(b"\0" + KEY.modulus)}),
            ("rsa-exponent-zero", "an exponent with a zero in front", "RFC7518-2", {"e": "AAEAAQ"}),
            ("rsa-exponent-one", "an exponent of one", "RFC8017-3.1", {"e": "AQ"}),
            ("rsa-exponent-even", "an even exponent", "RFC8017-3.1", {"e": "Ag"}),
            ("rsa-exponent-large", "an exponent of 33 bits", "KEY-3", {"e": b64url(integer_bytes(2**32 + 1))}),
            ("rsa-small", "a modulus of 1024 bits", "RFC7518-3.3", {"n": b64url(integer_bytes(KEY.n >> 1024 | 1))}),
            ("rsa-without-e", "without e", "RFC8259-4", {"e": None}),
            ("rsa-secret-shown", "an RSA key with a private member", "RFC7517-9.2", {"dp": "AQAB"})):
        yield key(name, title, clause, rsa | changes)
    yield key("rsa-private", "a private RSA key", "KEY-5", rsa | {"d": "AQAB"}, True, ("KEY-5",))


def ec_members(curve, name="signer"):
    x, y = curve.multiply(curve.scalar(name))
    return {"kty": "EC", "crv": curve.name, "x": b64url(curve.bytes(x)), "y": b64url(curve.bytes(y))}


def sections():
    yield "Documents", "key-document", [*accepted(), *refused()]
    yield "Forms", "signature-form", [*forms()]
    yield "Keys", "jwk", [*jwks()]
