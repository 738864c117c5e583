"""What a provider may get wrong: each rule here breaks one thing, once, and leaves everything else as the library made it."""

import base64
import json
import secrets
import time
import urllib.parse

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptojwt.jws.jws import SIGNER_ALGS
from cryptojwt.jws.utils import left_hash

OTHER = "http://127.0.0.1:1"


def base64url(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def part(text):
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def compact(header, claims, sign):
    """A JWS of exactly this header and these claims."""
    text = ".".join(base64url(json.dumps(each, separators=(",", ":")).encode()) for each in (header, claims))
    return text + "." + base64url(sign(text.encode()))


class Signer:
    """Signs with a provider's key, or as somebody else would who cannot."""

    def __init__(self, algorithm, key, gone, fresh):
        self.algorithm, self.key, self.gone, self.fresh = algorithm, key, gone, fresh

    def header(self, **others):
        header = {"alg": self.algorithm, "kid": self.key.kid, "typ": "JWT"} | others
        return {name: value for name, value in header.items() if value is not None}

    def sign(self, claims, key=None, **header):
        key = key or self.key
        return compact(self.header(**header), claims, lambda text: SIGNER_ALGS[self.algorithm].sign(text, key.private_key()))

    def by_former(self, claims):
        """The key was published once, and is not any more."""
        return self.sign(claims, self.gone, kid=self.gone.kid)

    def unsigned(self, claims):
        return compact(self.header(alg="none"), claims, lambda _: b"")

    def by_public_key(self, claims):
        """The public key is no secret, and a reader that takes it for one is deceived."""
        public = self.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        return compact(self.header(alg="HS256"), claims, lambda text: SIGNER_ALGS["HS256"].sign(text, public))

    def by_another(self, claims, **header):
        return self.sign(claims, self.fresh(), **header)

    def bringing_key(self, claims):
        key = self.fresh()
        return self.sign(claims, key, jwk=key.serialize())


def now():
    return int(time.time())


def changed(**claims):
    """The claims with others; None leaves one out."""
    return lambda signer, given: signer.sign({name: value for name, value in (given | claims).items() if value is not None})


# How an ID token is broken: from a signer and the claims that the library chose.
ID_TOKEN = {
    "alg none": lambda signer, given: signer.unsigned(given),
    "HS256 by the public key": lambda signer, given: signer.by_public_key(given),
    "another's key under the same name": lambda signer, given: signer.by_another(given),
    "a key in the header": lambda signer, given: signer.bringing_key(given),
    "no kid": lambda signer, given: signer.sign(given, kid=None),
    "a key that has vanished": lambda signer, given: signer.by_former(given),
    "unknown kid": lambda signer, given: signer.by_another(given, kid="nobody-knows"),
    "typ of a logout token": lambda signer, given: signer.sign(given, typ="logout+jwt"),
    "other iss": changed(iss=OTHER),
    "iss with one slash more": lambda signer, given: signer.sign(given | {"iss": given["iss"] + "/"}),
    "other aud": changed(aud="somebody-else"),
    "second audience": lambda signer, given: signer.sign(given | {"aud": [*given["aud"], "somebody-else"], "azp": given["aud"][0]}),
    "other azp": changed(azp="somebody-else"),
    "expired": lambda signer, given: signer.sign(given | {"iat": now() - 120, "exp": now() - 61}),
    "old": lambda signer, given: signer.sign(given | {"iat": now() - 700}),
    "made tomorrow": lambda signer, given: signer.sign(given | {"iat": now() + 180}),
    "no nonce": changed(nonce=None),
    "other nonce": lambda signer, given: signer.sign(given | {"nonce": secrets.token_urlsafe(32)}),
    "no sub": changed(sub=None),
    "sub of 256 characters": changed(sub="s" * 256),
    "at_hash of another token": lambda signer, given: signer.sign(given | {"at_hash": left_hash(b"another token", "HS256")}),
}


def with_query(place, **members):
    """The URL with other members in its query; None leaves one out."""
    parts = urllib.parse.urlsplit(place)
    query = dict(urllib.parse.parse_qsl(parts.query)) | members
    query = {name: value for name, value in query.items() if value is not None}
    return parts._replace(query=urllib.parse.urlencode(query)).geturl()


# How the way back from the provider is broken.
CALLBACK = {
    "callback with another iss": lambda place: with_query(place, iss=OTHER),
    "callback with another state": lambda place: with_query(place, state=secrets.token_urlsafe(32)),
    "callback without iss": lambda place: with_query(place, iss=None),
    "callback with a code and an error": lambda place: with_query(place, error="access_denied"),
    "callback without code": lambda place: with_query(place, code=None),
    "callback with a foreign code": lambda place: with_query(place, code=secrets.token_urlsafe(32)),
}

# How userinfo is.
USERINFO = {
    "userinfo of somebody else": lambda members: members | {"sub": "somebody-else"},
    "userinfo without sub": lambda members: {name: value for name, value in members.items() if name != "sub"},
}

# How the description is.
DESCRIPTION = {
    "description of another issuer": lambda members: members | {"issuer": OTHER},
    "description with one slash more": lambda members: members | {"issuer": members["issuer"] + "/"},
    "description without token endpoint": lambda members: {name: value for name, value in members.items() if name != "token_endpoint"},
    "description without code": lambda members: members | {"response_types_supported": ["id_token"]},
}


def without_identity(members):
    return 200, "application/json", json.dumps({name: value for name, value in members.items() if name != "id_token"})


# How the token endpoint answers: status, type and body.
TOKEN = {
    "no ID token": without_identity,
    "token of another type": lambda members: (200, "application/json", json.dumps(members | {"token_type": "mac"})),
    "token endpoint refuses": lambda _: (400, "application/json", json.dumps({"error": "invalid_grant"})),
    "token endpoint fails": lambda _: (500, "text/html", "<h1>Something went wrong</h1>"),
    "token endpoint sends elsewhere": lambda _: (302, "text/html", ""),
    "token endpoint answers a page": lambda _: (200, "text/html", "<h1>Hello</h1>"),
    "token endpoint answers 65 KiB": lambda members: (200, "application/json", json.dumps(members | {"padding": "x" * 66_560})),
}

# What is unusual and right: it is no reason to refuse anything.
HARMLESS = {
    "typ left out": lambda signer, given: signer.sign(given, typ=None),
    "at_hash, azp, aud as a text, and claims that nobody knows": lambda signer, given: signer.sign(
        given | {"aud": given["aud"][0], "azp": given["aud"][0], "unheard-of": {"a": [1, None]}}
    ),
}

EVENT = "http://schemas.openid.net/event/backchannel-logout"

# How a logout token is.
LOGOUT = {
    "": changed(),
    "nonce": lambda signer, given: signer.sign(given | {"nonce": secrets.token_urlsafe(32)}, typ="logout+jwt"),
    "other aud": lambda signer, given: signer.sign(given | {"aud": "somebody-else"}, typ="logout+jwt"),
    "other iss": lambda signer, given: signer.sign(given | {"iss": OTHER}, typ="logout+jwt"),
    "other typ": lambda signer, given: signer.sign(given, typ="at+jwt"),
    "no events": lambda signer, given: signer.sign({**{n: v for n, v in given.items() if n != "events"}}, typ="logout+jwt"),
    "other event": lambda signer, given: signer.sign(given | {"events": {"http://example.org/event": {}}}, typ="logout+jwt"),
    "nobody": lambda signer, given: signer.sign({n: v for n, v in given.items() if n not in ("sub", "sid")}, typ="logout+jwt"),
    "no jti": lambda signer, given: signer.sign({n: v for n, v in given.items() if n != "jti"}, typ="logout+jwt"),
    "another's key under the same name": lambda signer, given: signer.by_another(given, typ="logout+jwt"),
    "alg none": lambda signer, given: signer.unsigned(given),
    "old": lambda signer, given: signer.sign(given | {"iat": now() - 700}, typ="logout+jwt"),
}

RULES = [*ID_TOKEN, *HARMLESS, *CALLBACK, *USERINFO, *DESCRIPTION, *TOKEN]
