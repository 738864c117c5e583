"""ID tokens and logout tokens as other implementations make them, for the tests of the relying party.

    python3 -m venv venv && venv/bin/pip install joserfc Authlib idpyoidc cryptojwt
    venv/bin/python Fixtures/openid/tokens.py > Fixtures/openid/tokens.json

Half of them are signed by joserfc with Authlib's `at_hash`. The others are by idpyoidc: identities as its messages pack them, logouts as its server
makes them, without a subject and for a whole day. Keys and salts are by chance, so each run gives another file that is as good. Names and times are
those of the tests.
"""

import base64
import hashlib
import json
from importlib.metadata import version

from authlib.oidc.core.util import create_half_hash
from cryptojwt.jwk.jwk import key_from_jwk_dict
from cryptojwt.jwt import JWT
from cryptojwt.key_jar import KeyJar
from idpyoidc.message import oidc
from idpyoidc.message.oidc.session import BACK_CHANNEL_LOGOUT_EVENT
from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

ISSUER = "https://login.example.ch/"
CLIENT = "https://eduid.example.ch/"
NOW = 1_700_000_000
NONCE = "n" * 43
ACCESS_TOKEN = "opaque-access-token-of-the-provider"
SUBJECT = "ABCDEFGH234567ABCDEFGH234567"

KEYS = {
    "RS256": RSAKey.generate_key(2048, {"kid": "rs", "use": "sig", "alg": "RS256"}),
    "PS256": RSAKey.generate_key(2048, {"kid": "ps", "use": "sig", "alg": "PS256"}),
    "ES256": ECKey.generate_key("P-256", {"kid": "es256", "use": "sig", "alg": "ES256"}),
    "ES384": ECKey.generate_key("P-384", {"kid": "es384", "use": "sig", "alg": "ES384"}),
    "ES512": ECKey.generate_key("P-521", {"kid": "es512", "use": "sig", "alg": "ES512"}),
    "EdDSA": OKPKey.generate_key("Ed25519", {"kid": "ed", "use": "sig", "alg": "EdDSA"}),
}
# As deployed providers publish theirs: without an algorithm, beside one for encryption.
BARE = RSAKey.generate_key(2048, {"kid": "bare", "use": "sig"})
ENCRYPTION = RSAKey.generate_key(2048, {"kid": "enc", "use": "enc", "alg": "RSA-OAEP"})


def hashed(algorithm):
    half = create_half_hash(ACCESS_TOKEN, algorithm)
    return half.decode() if isinstance(half, bytes) else half


def id_claims(algorithm):
    return {
        "iss": ISSUER, "sub": SUBJECT, "aud": CLIENT, "exp": NOW + 14_400, "iat": NOW, "auth_time": NOW - 60, "nonce": NONCE,
        "acr": "https://refeds.org/profile/mfa", "amr": ["pwd", "otp"], "sid": "session-1", "at_hash": hashed(algorithm),
        "given_name": "Käthe",
    }


def logout_claims(number):
    return {
        "iss": ISSUER, "sub": SUBJECT, "aud": [CLIENT], "iat": NOW, "exp": NOW + 120, "jti": f"logout-{number}",
        "events": {BACK_CHANNEL_LOGOUT_EVENT: {}}, "sid": "session-1",
    }


def by_joserfc(claims, algorithm, key, kind):
    header = {"alg": algorithm, "kid": key.kid}
    if kind:
        header["typ"] = kind
    return jwt.encode(header, claims, key, algorithms=[algorithm])


def id_token_by_idpyoidc(claims, algorithm, key):
    oidc.utc_time_sans_frac = lambda: NOW
    return oidc.IdToken(**claims).to_jwt([key_from_jwk_dict(key.as_dict(private=True))], algorithm)


def logout_token_by_idpyoidc(number, algorithm, key):
    """What `idpyoidc.server.oidc.session.Session.do_back_channel_logout` does, at the time of the tests."""
    jar = KeyJar()
    jar.import_jwks({"keys": [key.as_dict(private=True)]}, "")
    token = JWT(jar, iss=ISSUER, lifetime=86_400, sign_alg=algorithm)
    token.with_jti = True
    payload = {"sid": f"session-{number}", "events": {BACK_CHANNEL_LOGOUT_EVENT: {}}}
    return token.pack(payload=payload, recv=CLIENT, iat=NOW)


def main():
    joserfc, idpyoidc = f"joserfc {version('joserfc')}", f"idpyoidc {version('idpyoidc')}"
    identities, logouts = [], []
    for number, (algorithm, key) in enumerate(KEYS.items()):
        claims = id_claims(algorithm)
        identities.append({"by": joserfc, "alg": algorithm, "token": by_joserfc(claims, algorithm, key, "JWT")})
        logouts.append({"by": joserfc, "alg": algorithm,
                        "token": by_joserfc(logout_claims(number), algorithm, key, "logout+jwt")})
        identities.append({"by": idpyoidc, "alg": algorithm, "token": id_token_by_idpyoidc(claims, algorithm, key)})
        logouts.append({"by": idpyoidc, "alg": algorithm, "token": logout_token_by_idpyoidc(number, algorithm, key)})
    # One key that does not say for which algorithm of RSA it is, with both.
    for algorithm in ("RS256", "PS256"):
        identities.append({"by": joserfc + ", a key without 'alg'", "alg": algorithm,
                           "token": by_joserfc(id_claims(algorithm), algorithm, BARE, None)})
    # What must not pass, signed by keys that nothing in this package signs with.
    secret = "a client secret that is as long as it must be for HS256"
    forged = {
        "HS256 by the client's secret": hmac_token(id_claims("HS256"), secret, "rs"),
        "HS256 by the text of the public key": hmac_token(id_claims("HS256"), KEYS["RS256"].as_pem(private=False).decode(), "rs"),
        "RS256 of the key of another": by_joserfc(id_claims("RS256"), "RS256",
                                                  RSAKey.generate_key(2048, {"kid": "rs"}), "JWT"),
        "RS256 by the key that is for PS256": by_joserfc(
            id_claims("RS256"), "RS256", RSAKey.import_key({**KEYS["PS256"].as_dict(private=True), "alg": "RS256"}), "JWT"),
        "RS256 by the key for encryption": by_joserfc(
            id_claims("RS256"), "RS256",
            RSAKey.import_key({k: v for k, v in ENCRYPTION.as_dict(private=True).items() if k not in ("use", "alg")}), "JWT"),
    }
    public = [key.as_dict(private=False) for key in [*KEYS.values(), BARE, ENCRYPTION]]
    print(json.dumps({
        "issuer": ISSUER, "client": CLIENT, "now": NOW, "nonce": NONCE, "access_token": ACCESS_TOKEN, "sub": SUBJECT,
        "jwks": {"keys": public}, "id_tokens": identities, "logout_tokens": logouts, "forged": forged,
    }, indent=1))


def hmac_token(claims, secret, kid):
    import hmac
    encode = lambda value: base64.urlsafe_b64encode(value).rstrip(b"=")
    content = b".".join(encode(json.dumps(part).encode()) for part in ({"alg": "HS256", "kid": kid, "typ": "JWT"}, claims))
    return (content + b"." + encode(hmac.new(secret.encode(), content, hashlib.sha256).digest())).decode()


if __name__ == "__main__":
    main()
