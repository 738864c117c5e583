"""What other people's libraries say of a signature."""

import joserfc.errors
import joserfc.jwk
import joserfc.jws
import jwcrypto.common
import jwcrypto.jwk
import jwcrypto.jws
import jwt as pyjwt
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def joserfc_accepts(text, key, algorithm):
    registry = joserfc.jws.JWSRegistry(algorithms=[algorithm], strict_check_header=False)
    try:
        return joserfc.jws.deserialize_compact(text, joserfc.jwk.import_key(key), registry=registry) is not None
    except (joserfc.errors.JoseError, ValueError):
        return False


def jwcrypto_accepts(text, key, algorithm):
    token = jwcrypto.jws.JWS()
    token.allowed_algs = [algorithm]
    try:
        token.deserialize(text, jwcrypto.jwk.JWK(**key))
        return True
    except (jwcrypto.jws.InvalidJWSObject, jwcrypto.jws.InvalidJWSSignature, jwcrypto.common.JWException):
        return False


def pyjwt_accepts(text, key, algorithm):
    try:
        pyjwt.PyJWS().decode(text, pyjwt.PyJWK({**key, "alg": algorithm}).key, algorithms=[algorithm])
        return True
    except pyjwt.PyJWTError:
        return False


READERS = {"joserfc": joserfc_accepts, "jwcrypto": jwcrypto_accepts, "PyJWT": pyjwt_accepts}


def cryptography_accepts(public, message, signature):
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False
