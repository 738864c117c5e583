"""Signed texts by RSA, and by keys whose algorithm is another than the text says."""

import hmac
import json

from arithmetic import P256, b64url, der, integer
from documents import ec_members
from signatures import KEY, row

JWK = {"kty": "RSA", "n": b64url(KEY.modulus), "e": "AQAB", "kid": "issuer-1"}
CLAIMS = {"iss": "https://issuer.example", "sub": "user-1", "aud": "https://reader.example/api", "iat": 1800000000,
          "exp": 1800000300}


def compact(value):
    return b64url(json.dumps(value, separators=(",", ":")).encode())


def signed(algorithm, sign):
    content = compact({"alg": algorithm, "kid": "issuer-1", "typ": "JWT"}) + "." + compact(CLAIMS)
    return content + "." + b64url(sign(content.encode()))


def by_rsa(algorithm, named=None):
    way, digest = (KEY.pkcs1 if algorithm[0] == "R" else KEY.pss), f"sha{algorithm[2:]}"
    return signed(named or algorithm, lambda content: way(content, digest))


def by_curve(algorithm, data=None):
    sign = lambda content: P256.bytes(*P256.sign(P256.scalar("signer"), content))
    return signed(algorithm, data or sign)


def contents():
    curve = ec_members(P256) | {"kid": "issuer-1"}

    def content(name, title, clause, text, key, algorithms, proves=("KEY-8",)):
        return row(name, title, list(proves), clause, text=text, keys=[{"jwk": key}], algorithms=algorithms)

    for algorithm in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"):
        yield content(algorithm.lower(), f"by an RSA key that is for {algorithm}", None, by_rsa(algorithm),
                      JWK | {"alg": algorithm}, [algorithm], ("KEY-3" if algorithm[0] == "R" else "KEY-4",))
    old = by_rsa("RS256")
    yield content("rsa-listed", "by an RSA key that names no algorithm, which the reader lists", None, old, JWK, ["RS256"])
    yield content("es256", "by a key on P-256", None, by_curve("ES256"), curve, ["ES256"], ("KEY-1",))
    unfit = "RFC8725-3.1"
    yield content("rsa-not-listed", "by RS256, which the reader does not list", unfit, old, JWK, ["PS256"])
    yield content("rsa-other-alg", "by RS256, with a key that is for PS256", unfit, old, JWK | {"alg": "PS256"},
                  ["RS256", "PS256"])
    yield content("rsa-switched", "by RS256, under the name of PS256", "RFC7515-5.2", by_rsa("RS256", "PS256"), JWK,
                  ["RS256", "PS256"])
    yield content("rsa-other-hash", "by RS256, under the name of RS512", "RFC7515-5.2", by_rsa("RS256", "RS512"), JWK,
                  ["RS256", "RS512"])
    yield content("rsa-as-curve", "by RS256, under the name of ES256", unfit, by_rsa("RS256", "ES256"), JWK,
                  ["RS256", "ES256"])
    yield content("curve-as-rsa", "on P-256, under the name of RS256", unfit, by_curve("RS256"), curve,
                  ["RS256", "ES256"])
    yield content("curve-as-edwards", "on P-256, under the name of EdDSA", unfit, by_curve("EdDSA"), curve,
                  ["EdDSA", "ES256"])
    yield content("curve-as-secret", "under HS256, with the point of P-256 as the secret", unfit,
                  signed("HS256", secret_code), curve, ["HS256", "ES256"], ("KEY-8", "threat-3"))
    yield content("curve-other", "on P-256, under the name of ES384", unfit, by_curve("ES384"), curve,
                  ["ES256", "ES384"])
    yield content("curve-der", "on P-256, with the signature in DER", "RFC7515-5.2", by_curve("ES256", in_der), curve,
                  ["ES256"], ("KEY-22",))


def secret_code(content):
    return hmac.digest(P256.point(P256.scalar("signer")), content, "sha256")


def in_der(content):
    return der(0x30, *(integer(number) for number in P256.sign(P256.scalar("signer"), content)))


def sections():
    yield "Contents", "jws", [*contents()]
