"""Writes `keys.json` beside this file. Needs the Python packages `cryptography` and `joserfc`.

Keys, documents and ECDSA signatures come from `cryptography`, thumbprints from `joserfc`, which also verifies every token. What these libraries
would not write (version 2 of PKCS #8, documents with one rule broken) is put together with the few lines of DER below. Everything follows from
a fixed seed, so a second run writes the same file.
"""

import base64
import hashlib
import json
import pathlib
import random

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, ed448, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

HERE = pathlib.Path(__file__).parent
chance = random.Random(7518)
DER, PEM = serialization.Encoding.DER, serialization.Encoding.PEM
SPKI = serialization.PublicFormat.SubjectPublicKeyInfo
PKCS8, SEC1 = serialization.PrivateFormat.PKCS8, serialization.PrivateFormat.TraditionalOpenSSL
BARE = serialization.NoEncryption()
POINT = serialization.PublicFormat.UncompressedPoint
SHORT = serialization.PublicFormat.CompressedPoint
PAYLOAD = b'{"iss":"https://issuer.example","aud":"https://service.example","exp":1700000060}'
HASHES = {256: hashes.SHA256(), 384: hashes.SHA384(), 512: hashes.SHA512()}


def url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64(data):
    return base64.b64encode(data).decode()


def der(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def oid(text):
    numbers = [int(part) for part in text.split(".")]
    out = bytes([40 * numbers[0] + numbers[1]])
    for number in numbers[2:]:
        group = [number & 0x7F]
        while number := number >> 7:
            group.append(number & 0x7F | 0x80)
        out += bytes(reversed(group))
    return der(6, out)


def number(value):
    return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def sequence(*parts):
    return der(0x30, *parts)


def spki(algorithm, key):
    return sequence(algorithm, der(3, b"\0", key))


def pkcs8(version, algorithm, secret, *more):
    return sequence(number(version), algorithm, der(4, secret), *more)


def sec1(scalar, *more, version=1):
    return sequence(number(version), der(4, scalar), *more)


EC = "1.2.840.10045.2.1"
CURVES = {
    "P-256": (ec.SECP256R1(), 32, 256, "1.2.840.10045.3.1.7"),
    "P-384": (ec.SECP384R1(), 48, 384, "1.3.132.0.34"),
    "P-521": (ec.SECP521R1(), 66, 512, "1.3.132.0.35"),
}
ORDERS = {
    "P-256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "P-384": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
    "P-521": (1 << 521) - 0x5AE79787C40D069948033FEB708F65A2FC44A36477663B851449048E16EC79BF7,
}
P256_PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1


def token(algorithm, sign):
    message = url(json.dumps({"alg": algorithm}, separators=(",", ":")).encode()) + "." + url(PAYLOAD)
    return message + "." + url(sign(message.encode()))


def checked(text, key, algorithm):
    assert jws.deserialize_compact(text, key, algorithms=[algorithm]).payload == PAYLOAD
    return text


# Keys of the curves


def curve_key(name):
    curve, length, size, _ = CURVES[name]
    private = ec.derive_private_key(chance.randrange(1, ORDERS[name]), curve)
    point = private.public_key().public_bytes(serialization.Encoding.X962, POINT)
    compressed = private.public_key().public_bytes(serialization.Encoding.X962, SHORT)
    scalar = private.private_numbers().private_value.to_bytes(length, "big")
    algorithm = sequence(oid(EC), oid(CURVES[name][3]))
    inner = sec1(scalar, der(0xA1, der(3, b"\0", point)))
    key = ECKey.import_key(private.private_bytes(PEM, PKCS8, BARE))

    def sign(message):
        signature = private.sign(message, ec.ECDSA(HASHES[size], deterministic_signing=True))
        return b"".join(part.to_bytes(length, "big") for part in decode_dss_signature(signature))

    def sign_der(message):
        return private.sign(message, ec.ECDSA(HASHES[size], deterministic_signing=True))

    jose = "ES" + str(size)
    curve_oid = der(0xA0, oid(CURVES[name][3]))
    public = {k: key.as_dict(private=False)[k] for k in ("kty", "crv", "x", "y")}
    return {
        "name": name,
        "algorithm": jose,
        "jwk": public,
        "d": url(scalar),
        "thumbprint": key.thumbprint(),
        "point": b64(point),
        "compressed": b64(compressed),
        "spki": b64(private.public_key().public_bytes(DER, SPKI)),
        "spkiCompressed": b64(spki(algorithm, compressed)),
        "spkiPEM": private.public_key().public_bytes(PEM, SPKI).decode(),
        "pkcs8": b64(private.private_bytes(DER, PKCS8, BARE)),
        "pkcs8PEM": private.private_bytes(PEM, PKCS8, BARE).decode(),
        "sec1PEM": private.private_bytes(PEM, SEC1, BARE).decode(),
        "private": {
            "sec1": b64(private.private_bytes(DER, SEC1, BARE)),
            "sec1 without the public key": b64(sec1(scalar, curve_oid)),
            "sec1 with a compressed public key": b64(sec1(scalar, curve_oid, der(0xA1, der(3, b"\0", compressed)))),
            "pkcs8 without the public key": b64(pkcs8(0, algorithm, sec1(scalar))),
            "pkcs8 with the curve inside as well": b64(pkcs8(0, algorithm, sec1(scalar, curve_oid))),
            "pkcs8 with attributes": b64(
                pkcs8(0, algorithm, inner, der(0xA0, sequence(oid("1.2.840.113549.1.9.9.20"), der(0x31, der(12, b"a")))))),
            "pkcs8 version 2": b64(pkcs8(1, algorithm, sec1(scalar), der(0x81, b"\0", point))),
            "pkcs8 version 2, compressed, and inside as well": b64(
                pkcs8(1, algorithm, inner, der(0x81, b"\0", compressed))),
        },
        "token": checked(token(jose, sign), key, jose),
        "tokenWithDER": token(jose, sign_der),
        "signature": {"der": b64(sign_der(b"message")), "raw": b64(sign(b"message"))},
    }


def refused_of_curve(name, other):
    """Documents of a key with one rule broken each."""
    curve, length, _, curve_name = CURVES[name]
    private = ec.derive_private_key(chance.randrange(1, ORDERS[name]), curve)
    stranger = ec.derive_private_key(chance.randrange(1, ORDERS[name]), curve)
    foreign = ec.derive_private_key(5, CURVES[other][0])
    raw = serialization.Encoding.X962
    point, strange = (key.public_key().public_bytes(raw, POINT) for key in (private, stranger))
    scalar = private.private_numbers().private_value.to_bytes(length, "big")
    algorithm = sequence(oid(EC), oid(curve_name))
    inside = der(0xA1, der(3, b"\0", point))
    here, there = der(0xA0, oid(curve_name)), der(0xA0, oid(CURVES[other][3]))
    off = point[:-1] + bytes([point[-1] ^ 1])
    numbers = [number(1), sequence(oid("1.2.840.10045.1.1"), number(23)), sequence(der(4, b"\1"), der(4, b"\1")), der(4, point), number(7)]
    return {
        "explicit parameters": spki(sequence(oid(EC), sequence(*numbers)), point),
        "implied parameters": spki(sequence(oid(EC), der(5)), point),
        "no parameters": spki(sequence(oid(EC)), point),
        "two parameters": spki(sequence(oid(EC), oid(curve_name), der(5)), point),
        "point of another curve": spki(algorithm, foreign.public_key().public_bytes(raw, POINT)),
        "hybrid point": spki(algorithm, bytes([6 | point[-1] & 1]) + point[1:]),
        "point at infinity": spki(algorithm, b"\0"),
        "no point": spki(algorithm, b""),
        "point off the curve": spki(algorithm, off),
        "short point": spki(algorithm, point[:-1]),
        "unused bits": sequence(algorithm, der(3, b"\1", point)),
        "key and more": sequence(algorithm, der(3, b"\0", point), der(5)),
        "scalar too short": pkcs8(0, algorithm, sec1(scalar[1:], inside)),
        "scalar too long": pkcs8(0, algorithm, sec1(b"\0" + scalar, inside)),
        "scalar zero": pkcs8(0, algorithm, sec1(bytes(length))),
        "scalar the order": pkcs8(0, algorithm, sec1(ORDERS[name].to_bytes(length, "big"))),
        "another public key inside": pkcs8(0, algorithm, sec1(scalar, der(0xA1, der(3, b"\0", strange)))),
        "another public key beside": pkcs8(1, algorithm, sec1(scalar, inside), der(0x81, b"\0", strange)),
        "another public key in sec1": sec1(scalar, here, der(0xA1, der(3, b"\0", strange))),
        "another curve inside": pkcs8(0, algorithm, sec1(scalar, there, inside)),
        "explicit parameters inside": pkcs8(0, algorithm, sec1(scalar, der(0xA0, sequence(*numbers)), inside)),
        "sec1 without its curve": sec1(scalar, inside),
        "sec1 of version 0": sec1(scalar, here, inside, version=0),
        "sec1 of version 2": sec1(scalar, here, inside, version=2),
        "sec1 inside of version 0": pkcs8(0, algorithm, sec1(scalar, inside, version=0)),
        "version 1 with the public key": pkcs8(0, algorithm, sec1(scalar), der(0x81, b"\0", point)),
        "version 2 without the public key": pkcs8(1, algorithm, sec1(scalar, inside)),
        "version 3": pkcs8(2, algorithm, sec1(scalar, inside)),
        "more behind the key": pkcs8(0, algorithm, sec1(scalar, inside), der(5)),
        "more inside of the key": pkcs8(0, algorithm, sec1(scalar, inside, der(5))),
        "more behind the key inside": pkcs8(0, algorithm, sec1(scalar, inside) + b"\0"),
        "the scalar alone": pkcs8(0, algorithm, der(4, scalar)),
        "attributes that are none": pkcs8(0, algorithm, sec1(scalar, inside), der(0xA0, der(5))),
    }


# RSA


def is_prime(n):
    if any(n % small == 0 for small in (3, 5, 7, 11, 13, 17, 19, 23)):
        return False
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for _ in range(24):
        x = pow(chance.randrange(2, n - 1), d, n)
        if x not in (1, n - 1) and not any((x := x * x % n) == n - 1 for _ in range(s - 1)):
            return False
    return True


def prime(bits, e):
    while True:
        candidate = chance.getrandbits(bits) | 3 << (bits - 2) | 1
        if candidate % e != 1 and is_prime(candidate):
            return candidate


def rsa_key(bits, e=65537):
    p, q = prime(bits // 2, e), prime(bits // 2, e)
    d = pow(e, -1, (p - 1) * (q - 1))
    return rsa.RSAPrivateNumbers(
        p, q, d, d % (p - 1), d % (q - 1), pow(q, -1, p), rsa.RSAPublicNumbers(e, p * q)).private_key()


def mgf(seed, size, name):
    out = b""
    for counter in range(size):
        if len(out) >= size:
            break
        out += hashlib.new(name, seed + counter.to_bytes(4, "big")).digest()
    return out[:size]


def pss(message, bits, name):
    """RFC 8017 9.1.1 with a salt as long as the hash, drawn from the seed."""
    size = (bits + 6) // 8
    digest = hashlib.new(name, message).digest()
    salt = chance.randbytes(len(digest))
    h = hashlib.new(name, bytes(8) + digest + salt).digest()
    block = bytes(size - len(salt) - len(h) - 2) + b"\1" + salt
    masked = int.from_bytes(block, "big") ^ int.from_bytes(mgf(h, len(block), name), "big")
    masked &= (1 << (bits - 1 - 8 * (len(h) + 1))) - 1
    return masked.to_bytes(len(block), "big") + h + b"\xbc"


def rsa_keys():
    from cryptography.hazmat.primitives.asymmetric import padding

    private = rsa_key(2048)
    numbers = private.private_numbers()
    n, e = numbers.public_numbers.n, numbers.public_numbers.e
    key = RSAKey.import_key(private.private_bytes(PEM, PKCS8, BARE))
    tokens = {}
    for size in (256, 384, 512):
        def sign(message, hash=HASHES[size]):
            return private.sign(message, padding.PKCS1v15(), hash)

        def sign_pss(message, name=f"sha{size}"):
            return pow(int.from_bytes(pss(message, 2048, name), "big"), numbers.d, n).to_bytes(256, "big")

        tokens[f"RS{size}"] = checked(token(f"RS{size}", sign), key, f"RS{size}")
        tokens[f"PS{size}"] = checked(token(f"PS{size}", sign_pss), key, f"PS{size}")
    public = {k: key.as_dict(private=False)[k] for k in ("kty", "n", "e")}
    encryption, null = oid("1.2.840.113549.1.1.1"), der(5)
    algorithm, inside = sequence(encryption, null), sequence(number(n), number(e))
    small = rsa_key(1024).private_numbers().public_numbers.n
    minus = n.to_bytes(256, "big")
    refused = {
        "no parameters": spki(sequence(encryption), inside),
        "parameters that are not NULL": spki(sequence(encryption, number(0)), inside),
        "NULL with content": spki(sequence(encryption, b"\5\1\0"), inside),
        "NULL and more": spki(sequence(encryption, null, null), inside),
        "RSASSA-PSS": spki(sequence(oid("1.2.840.113549.1.1.10")), inside),
        "negative modulus": spki(algorithm, sequence(der(2, minus), number(e))),
        "modulus with two zeros": spki(algorithm, sequence(der(2, b"\0\0", minus), number(e))),
        "exponent with a needless zero": spki(algorithm, sequence(number(n), der(2, b"\0\1\0\1"))),
        "empty modulus": spki(algorithm, sequence(der(2), number(e))),
        "modulus zero": spki(algorithm, sequence(number(0), number(e))),
        "1024 bits": spki(algorithm, sequence(number(small), number(e))),
        "even exponent": spki(algorithm, sequence(number(n), number(65536))),
        "three numbers": spki(algorithm, sequence(number(n), number(e), number(3))),
        "more behind the numbers": spki(algorithm, inside + b"\0"),
        "PKCS #1": inside,
    }
    return {
        "jwk": public,
        "thumbprint": key.thumbprint(),
        "spki": b64(private.public_key().public_bytes(DER, SPKI)),
        "spkiPEM": private.public_key().public_bytes(PEM, SPKI).decode(),
        "tokens": tokens,
        "privateJWK": {k: v for k, v in key.as_dict(private=True).items() if k != "kid"},
        "privateDER": {"pkcs8": b64(private.private_bytes(DER, PKCS8, BARE)), "pkcs1": b64(private.private_bytes(DER, SEC1, BARE))},
        "privatePEM": {
            "pkcs8": private.private_bytes(PEM, PKCS8, BARE).decode(),
            "pkcs1": private.private_bytes(PEM, SEC1, BARE).decode(),
        },
        "refused": {name: b64(document) for name, document in refused.items()},
    }


def strangers():
    """Documents of types that are not computed with."""
    def public(key):
        return key.public_key().public_bytes(DER, SPKI)

    scalar = chance.randrange(1, 1 << 200)
    return {
        "secp256k1": public(ec.derive_private_key(scalar, ec.SECP256K1())),
        "P-224": public(ec.derive_private_key(scalar, ec.SECP224R1())),
        "brainpoolP256r1": public(ec.derive_private_key(scalar, ec.BrainpoolP256R1())),
        "Ed448": public(ed448.Ed448PrivateKey.from_private_bytes(chance.randbytes(57))),
        "X25519": public(x25519.X25519PrivateKey.from_private_bytes(chance.randbytes(32))),
    }


def edwards():
    private = ed25519.Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
    key = OKPKey.import_key(private.private_bytes(PEM, PKCS8, BARE))
    return {
        "thumbprint": key.thumbprint(),
        "spkiPEM": private.public_key().public_bytes(PEM, SPKI).decode(),
        "pkcs8PEM": private.private_bytes(PEM, PKCS8, BARE).decode(),
    }


x = next(x for x in range(5, 100) if pow(x**3 - 3 * x + 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
                                        (P256_PRIME - 1) // 2, P256_PRIME) != 1)
p256 = sequence(oid(EC), oid(CURVES["P-256"][3]))
written = {
    "source": "generate.py",
    "payload": PAYLOAD.decode(),
    "curves": [curve_key(name) for name in CURVES],
    "refused": {
        name: {rule: b64(document) for rule, document in refused_of_curve(name, other).items()}
        for name, other in (("P-256", "P-384"), ("P-384", "P-256"))
    },
    "noPoint": b64(spki(p256, b"\2" + x.to_bytes(32, "big"))),
    "notReduced": b64(spki(p256, b"\2" + (P256_PRIME + 5).to_bytes(32, "big"))),
    "rsa": rsa_keys(),
    "ed25519": edwards(),
    "strangers": {name: b64(document) for name, document in strangers().items()},
    "encrypted": b64(sequence(sequence(oid("1.2.840.113549.1.5.13"), sequence()), der(4, chance.randbytes(64)))),
}
(HERE / "keys.json").write_text(json.dumps(written, indent=1) + "\n")
