"""What OpenSSL, behind `cryptography`, says of keys and signatures on the curves of NIST and of RSA."""

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from .formats import base64url

CURVES = {"P-256": (ec.SECP256R1(), hashes.SHA256()), "P-384": (ec.SECP384R1(), hashes.SHA384()),
          "P-521": (ec.SECP521R1(), hashes.SHA512())}
HASHES = {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}


def signed(curve, scalar, message):
    """The public key and the signature by RFC 6979."""
    known, digest = CURVES[curve]
    key = ec.derive_private_key(int.from_bytes(scalar), known)
    size = len(scalar)
    pair = utils.decode_dss_signature(key.sign(message, ec.ECDSA(digest, deterministic_signing=True)))
    public = key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return public, b"".join(number.to_bytes(size) for number in pair)


def accepts_point(curve, public, message, signature):
    known, digest = CURVES[curve]
    half = len(signature) // 2
    if len(signature) != 2 * ((known.key_size + 7) // 8):
        return False
    pair = utils.encode_dss_signature(int.from_bytes(signature[:half]), int.from_bytes(signature[half:]))
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(known, public).verify(pair, message, ec.ECDSA(digest))
        return True
    except (InvalidSignature, ValueError):
        return False


def accepts_numbers(modulus, exponent, message, signature, algorithm):
    digest = HASHES[algorithm[2:]]
    form = padding.PKCS1v15() if algorithm[0] == "R" else padding.PSS(padding.MGF1(digest), digest.digest_size)
    try:
        numbers = rsa.RSAPublicNumbers(int.from_bytes(exponent), int.from_bytes(modulus))
        numbers.public_key().verify(signature, message, form, digest)
        return True
    except (InvalidSignature, ValueError):
        return False


def public_jwk(data, is_text, is_secret):
    """The public key that a document has, as a JWK, or nothing if the library does not read it."""
    reading = {
        (True, True): serialization.load_pem_private_key, (True, False): serialization.load_pem_public_key,
        (False, True): serialization.load_der_private_key, (False, False): serialization.load_der_public_key,
    }[is_text, is_secret]
    try:
        key = reading(data, None) if is_secret else reading(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    public = key.public_key() if is_secret else key
    if isinstance(public, ed25519.Ed25519PublicKey):
        return {"kty": "OKP", "crv": "Ed25519", "x": base64url(public.public_bytes_raw())}
    if isinstance(public, rsa.RSAPublicKey):
        numbers = public.public_numbers()
        n, e = (base64url(value.to_bytes((value.bit_length() + 7) // 8)) for value in (numbers.n, numbers.e))
        return {"kty": "RSA", "n": n, "e": e}
    if isinstance(public, ec.EllipticCurvePublicKey):
        numbers, size = public.public_numbers(), (public.curve.key_size + 7) // 8
        x, y = (base64url(value.to_bytes(size)) for value in (numbers.x, numbers.y))
        names = {known.name: name for name, (known, _) in CURVES.items()}
        return {"kty": "EC", "crv": names.get(public.curve.name), "x": x, "y": y}
    return None


def raw_signature(size, der):
    """R and S of a signature in DER, or nothing if the library does not read it."""
    try:
        return b"".join(number.to_bytes(size) for number in utils.decode_dss_signature(der))
    except (ValueError, OverflowError):
        return None
