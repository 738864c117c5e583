"""DPoP proofs by two RSA keys, as no holder's key in this package can sign them.

    python3 Fixtures/made-elsewhere/holders.py > Fixtures/RSA/holders.json

Each proof is for the token endpoint of the service in the tests, at their time. Keys and salts follow from SHA-256 of their names, as in the other
files here, so the same text comes out again.
"""

import json

from arithmetic import RSA, b64url

URL = "https://alpha.example.ch/oauth/token"
NOW = 1_800_000_000


def compact(value):
    return b64url(json.dumps(value, separators=(",", ":")).encode())


def public(key, algorithm):
    return {"kty": "RSA", "n": b64url(key.modulus), "e": b64url(key.exponent), "alg": algorithm}


def proof(key, algorithm, number, told=None):
    header = {"typ": "dpop+jwt", "alg": algorithm, "jwk": told or public(key, algorithm)}
    content = compact(header) + "." + compact({"jti": f"proof-{number}", "htm": "POST", "htu": URL, "iat": NOW})
    sign = key.pkcs1 if algorithm == "RS256" else key.pss
    return content + "." + b64url(sign(content.encode()))


def holder(own, other, algorithm):
    return {
        "jwk": public(own, algorithm),
        "proofs": [proof(own, algorithm, number) for number in range(1, 4)],
        "other": proof(other, algorithm, 4),
        "forged": proof(other, algorithm, 5, public(own, algorithm)),
    }


def main():
    keys = RSA("holder"), RSA("stranger")
    print(json.dumps({name: holder(*keys, name) for name in ("RS256", "PS256")}, indent=1))


if __name__ == "__main__":
    main()
