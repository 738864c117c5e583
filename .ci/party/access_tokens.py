"""Access tokens that a party makes, and the answers that tell them (Fixtures/protocol/tokens.md)."""

from dataclasses import dataclass

from . import demands, jose
from .derivations import key_of
from .tree import Record

INSTANCE_LIFETIME = 31_536_000


@dataclass(frozen=True)
class Issuer:
    """Who signs: the issuer identifier, the private key, and the secret behind the keys that it makes for others."""

    name: str
    key: dict
    master: bytes

    def sign(self, record: Record, serial: str, scope: str | None, now: float, expires: float) -> str:
        """The access token of a record that is bound to a key."""
        claims = {
            "iss": self.name,
            "sub": record.get("subject", record["holder"]),
            "aud": self.name,
            "client_id": record["holder"],
            "iat": now,
            "exp": expires,
            "jti": f"{record['id']}.{serial}",
        }
        if scope:
            claims["scope"] = scope
        return jose.issue(claims | {"cnf": self.told_in_token(record)} | demands.kept(record), self.key, "at+jwt")

    def told_in_token(self, record: Record) -> dict:
        """The claim `cnf`: the key with its name, or the name alone of one that must stay secret."""
        key = key_of(record, self.master)
        name = {"kid": record["id"]}
        return name if key["kty"] == "oct" else {"jwk": key} | name

    def told_in_answer(self, record: Record) -> dict:
        """The member `cnf`: the public key and its name, or the key that was made for the holder."""
        key = key_of(record, self.master)
        if key["kty"] == "oct":
            return {"jwk": key}
        return {"jwk": {member: value for member, value in key.items() if member != "kid"}, "kid": record["id"]}


def token_answer(token: str, *, expires_in: int | None = None, refresh_token: str | None = None,
                 scope: str | None = None, confirmation: dict | None = None) -> dict:
    """The members of a token answer, in their order; what is absent is left out."""
    members = {
        "access_token": token,
        "token_type": "PoP" if confirmation else "Bearer",
        "expires_in": expires_in,
        "refresh_token": refresh_token,
        "scope": scope or None,
        "cnf": confirmation,
    }
    return {member: value for member, value in members.items() if value is not None}
