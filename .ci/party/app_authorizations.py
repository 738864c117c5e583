"""What a third-party app makes of an authorization: its token, and when it is over (Fixtures/protocol/app-state.md)."""

import re
from dataclasses import dataclass, replace

from . import jose, keys
from .formats import check_secret
from .json_text import integer, json_type
from .jws import read_compact
from .refusals import Flaw

SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*")
MOST_WORDS = 256


@dataclass(frozen=True)
class Authorization:
    """The members as they came; a bound one has the key that signs for it, with the name that the key has there."""
    members: dict
    key: dict | None = None
    expires: int | None = None
    since: int | None = None
    refused: bool = False
    ended: str | None = None

    @property
    def access_token(self):
        return self.members["access_token"]

    @property
    def refresh_token(self):
        return self.members.get("refresh_token")

    @property
    def scope(self):
        """The words of the scope, where it is one by its grammar."""
        text = self.members.get("scope")
        if not isinstance(text, str) or not SCOPE.fullmatch(text):
            return ()
        words = tuple(dict.fromkeys(text.split(" ")))
        return words if len(words) <= MOST_WORDS else ()

    def check_open(self):
        if self.ended is not None:
            raise Flaw("NIF-9", "the authorization is over")

    def check_good(self, now):
        if self.refused or self.expires is not None and now >= self.expires:
            raise Flaw("NAI-6", "the access token has expired")

    def standing(self, now):
        """How it stands, and until or since when, as far as that is known."""
        if self.ended is not None:
            return {"standing": "ended", "error": self.ended}
        ran_out = self.expires is not None and now >= self.expires
        if not self.refused and not ran_out:
            return {"standing": "valid"} | ({} if self.expires is None else {"until": self.expires})
        since = {} if self.refused else {"at": self.expires}
        return {"standing": "expired"} | since | {"renewable": isinstance(self.refresh_token, str)}

    def request_token(self, app, url, now, jti, claims=()):
        """A token for one request, by the key that the access token is bound to."""
        for name in claims:
            if name in ("iss", "aud", "iat", "jti", "sub", "exp", "nbf", "cnf"):
                raise Flaw("threat-50", f"'{name}' is not the app's to set")
        own = {"iss": app, "aud": re.split("[?#]", url)[0], "iat": now, "jti": jti}
        return jose.issue(own | dict(claims), self.key, "request+jwt")

    def is_meant_by(self, token, now):
        """Whether a token that a service refused was this access token, or made for it; set back, no clock tells."""
        if self.key is None:
            return token == self.access_token
        try:
            signed = read_compact(token)
            made = jose.time_claim(signed.claims(), "iat")
        except Flaw:
            return False
        is_present = self.since is None or made is not None and (self.since > now or made >= self.since)
        return signed.name == self.key["kid"] and is_present

    def taken_for_expired(self):
        return replace(self, refused=True)


def read(members, pair, now):
    """An authorization that is of use; `pair` is the app's own key pair for this grant, if it has one."""
    check_secret(members["access_token"], "access token")
    if isinstance(members.get("refresh_token"), str):
        check_secret(members["refresh_token"], "refresh token")
    confirmation = confirmation_of(members, pair)
    key = None if confirmation is None else bound_key(confirmation, members, pair)
    lifetime = members.get("expires_in")
    expires = now + integer(lifetime) if json_type(lifetime) == "number" else None
    return Authorization(members, key, expires, now)


def confirmation_of(members, pair):
    """By what a token is bound, or nothing for a plain one."""
    kind = members.get("token_type")
    if isinstance(members.get("cnf"), dict):
        return members["cnf"]
    if kind is not None and kind.lower() == "bearer":
        return None
    claimed = claimed_confirmation(members["access_token"])
    if claimed is not None and (kind is not None or means(claimed, pair)):
        return claimed
    if kind is not None and claimed is None:
        raise Flaw("RFC6749-7.1", f"a token of the unknown type '{kind}'")
    return None


def claimed_confirmation(token):
    """What an access token says that it is bound by; nothing else in it is believed."""
    try:
        claimed = read_compact(token).claims().get("cnf")
    except Flaw:
        return None
    return claimed if isinstance(claimed, dict) else None


def means(confirmation, pair):
    """Whether a confirmation means a key pair."""
    try:
        found = jose.read_confirmation(confirmation)
    except Flaw:
        return False
    own = pair and keys.thumbprint(pair)
    named = keys.thumbprint(found["jwk"]) if "jwk" in found else found.get("jkt")
    return own is not None and own == named


def bound_key(confirmation, members, pair):
    jwk = confirmation.get("jwk")
    if isinstance(jwk, dict) and jwk.get("kty") == "oct":
        key = keys.secret_key({"alg": "HS256"} | jwk)
        names = (confirmation.get("kid"), members.get("kid"), jwk.get("kid"))
    else:
        confirmation = jose.read_confirmation(confirmation)
        if pair is None or {"jwk", "jkt"} & confirmation.keys() and not means(confirmation, pair):
            raise Flaw("POP-1", "the token is bound to a key that the app does not have")
        key, names = pair, (confirmation.get("kid"), (jwk or {}).get("kid"), members.get("kid"))
    keys.check_usable(key, "sign")
    name = next((name for name in names if name is not None), None)
    if name is None:
        raise Flaw("RFC7800-3.4", "the key has no name")
    return {**key, "kid": name}
