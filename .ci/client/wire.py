"""Keys, proofs and requests, as the profile has them, made by PyJWT, cryptography and requests."""

import base64
import hashlib
import json
import secrets
import socket
import time

import jwt
import requests
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# What says nothing about whether the request was carried out: it is made again, with a fresh proof. nginx says 500 where it cannot ask the guard.
UNCLEAR = {500, 502, 503, 504}
PATIENCE = 50

# By how many seconds the clocks of people's devices are ahead of this machine's.
ahead = 0


def now():
    return int(time.time()) + ahead


look_up = socket.getaddrinfo


def here(host, *rest, **more):
    """Names below 'localhost' mean this machine (RFC 6761), which not every resolver knows."""
    return look_up("127.0.0.1" if str(host).endswith(".localhost") else host, *rest, **more)


socket.getaddrinfo = here


def base64url(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


class Refused(Exception):
    """A party said no."""

    def __init__(self, response):
        self.status = response.status_code
        try:
            self.error = response.json().get("error")
        except ValueError:
            self.error = None
        super().__init__(f"{response.request.method} {response.url}: {self.status} {response.text[:300]}")


class Key:
    """A key pair with a name that a party gave it."""

    def __init__(self, pair=None, name=None):
        self.pair = pair or Ed25519PrivateKey.generate()
        self.name = name

    @property
    def public(self):
        return {"kty": "OKP", "crv": "Ed25519", "x": base64url(self.pair.public_key().public_bytes_raw())}

    def named(self, name):
        return Key(self.pair, name)

    def sign(self, kind, claims, **header):
        """A JWS; its header names the key unless it brings it along."""
        if self.name and "jwk" not in header:
            header["kid"] = self.name
        stamped = {"iat": now(), "jti": secrets.token_urlsafe(16), **claims}
        return jwt.encode(stamped, self.pair, algorithm="EdDSA", headers={"typ": kind, **header})

    def request_token(self, holder, url):
        return self.sign("request+jwt", {"iss": holder, "aud": url.split("?")[0]})

    def dpop(self, method, url):
        return self.sign("dpop+jwt", {"htm": method, "htu": url.split("?")[0]}, jwk=self.public)


class Token:
    """What a holder was given: a token bound to a key, and what renews it."""

    def __init__(self, answer, key, holder):
        self.text = answer["access_token"]
        self.refresh = answer.get("refresh_token")
        self.scope = answer.get("scope", "")
        self.key = key.named(answer["cnf"]["kid"])
        self.holder = holder

    @property
    def id(self):
        return self.key.name

    def header(self, url):
        return {"Authorization": "Bearer " + self.key.request_token(self.holder, url)}


class Wire:
    """The network: TLS with an authority of its own, no redirects, and patience with hosts that go down."""

    def __init__(self, authority):
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.verify = authority
        self.repeated = 0

    def send(self, method, url, headers=lambda: {}, **content):
        """Sends a request until it is clear what became of it; headers, and content that can be called, are made anew each time."""
        deadline = time.monotonic() + PATIENCE
        while True:
            made = {name: value() if callable(value) else value for name, value in content.items()}
            try:
                response = self.session.request(method, url, headers=headers(), timeout=35, allow_redirects=False, **made)
                if response.status_code not in UNCLEAR:
                    return response
                reason = f"{response.status_code} {response.text[:200]}"
            except requests.exceptions.RequestException as error:
                reason = str(error)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{method} {url}: {reason}")
            self.repeated += 1
            time.sleep(0.2)

    def post(self, url, form, headers=lambda: {}):
        """Posts a form, and has the JSON of the answer."""
        return answer(self.send("POST", url, headers, data=form))


def answer(response):
    if response.status_code // 100 != 2:
        raise Refused(response)
    return response.json() if response.content else None


def challenge(verifier):
    return base64url(hashlib.sha256(verifier.encode()).digest())


def compact(value):
    return json.dumps(value, separators=(",", ":"))
