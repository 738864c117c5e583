"""Values that follow from others: names, what is remembered, keys, refresh tokens (Fixtures/protocol/tokens.md)."""

from dataclasses import dataclass

from . import curves, keys
from .formats import are_equal, base64url, base64url_bytes, digest, hmac as mac, sha256
from .json_text import compact_json
from .keys import thumbprint
from .tree import Record

# Names


def derived_name(word: str, owner: str, name: str) -> str:
    """The name of a record whose own name somebody else chose."""
    return f"{word}-{base64url(sha256(f'{len(owner.encode())}:{owner}{name}'))}"


def remembered(namespace: str, owner: str, name: str) -> str:
    """The key of what must not pass again."""
    parts = (part.encode() for part in (namespace, owner, name))
    return base64url(sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts))[:16])


def pairwise_name(pseudonyms: bytes, issuer: str, subject: str) -> str:
    """The name of a user at one service."""
    return base64url(mac(pseudonyms, f"{len(issuer.encode())}:{issuer}{subject}"))


def pairwise_client(pseudonyms: bytes, issuer: str, instance: str) -> str:
    """The name of an instance at one service."""
    return base64url(mac(pseudonyms, f"client:{len(issuer.encode())}:{issuer}{instance}"))


def affiliation_name(master: bytes, subject: str, affiliation: str) -> str:
    """The name of what a user is at an institution."""
    return base64url(mac(master, f"affiliation: {len(subject.encode())}:{subject}{affiliation}"))


# Keys of records


def key_text(jwk: dict) -> str:
    """How a record keeps a public key."""
    if jwk["kty"] == "OKP" and jwk["crv"] == "Ed25519" and "alg" not in jwk:
        return f"ed25519:{jwk['x']}"
    if jwk["kty"] == "EC" and jwk["crv"] == "P-256":
        return f"p256:{base64url(curves.compressed_point(curves.P256, keys.point_of(jwk)))}"
    return compact_json(keys.material(jwk) | ({"alg": jwk["alg"]} if "alg" in jwk else {}))


def key_of(record: Record, master: bytes) -> dict | None:
    """The key that a record is bound to, as a JWK whose name is the record's."""
    text = record.get("key")
    if text is None:
        return None
    if text == "symmetric":
        return {"kty": "oct", "k": base64url(symmetric_key(master, record["id"])), "kid": record["id"], "alg": "HS256"}
    if text.startswith("ed25519:"):
        return {"kty": "OKP", "crv": "Ed25519", "x": text.removeprefix("ed25519:"), "kid": record["id"]}
    if text.startswith("p256:"):
        point = curves.read_point(curves.P256, base64url_bytes(text.removeprefix("p256:")))
        x, y = (base64url(value.to_bytes(curves.P256.size)) for value in point)
        return {"kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": record["id"]}
    kept = keys.read_public_key(text)
    algorithm = {"alg": kept["alg"]} if "alg" in kept else {}
    return keys.material(kept) | {"kid": record["id"]} | algorithm


def symmetric_key(master: bytes, name: str) -> bytes:
    return mac(master, f"proof of possession:{name}")


def key_owner(jwk: dict) -> str:
    """By what a key is told from others: its thumbprint, or the name of one that must stay secret."""
    return f"kid:{jwk['kid']}" if jwk["kty"] == "oct" else thumbprint(jwk)


def is_same_key(one: dict, other: dict) -> bool:
    """Whether two keys have the same thumbprint; one of an unknown type has none."""
    return thumbprint(one) is not None and thumbprint(one) == thumbprint(other)


def secret_digest(secret: str) -> str:
    """What a store keeps of a code's or plain token's secret."""
    return digest(secret)


# Refresh tokens


@dataclass(frozen=True)
class RefreshToken:
    """What stands in the text of a refresh token."""

    generation: int
    family: bytes
    secret: bytes
    record: str

    @classmethod
    def read(cls, text: str) -> "RefreshToken | None":
        content, dot, record = text.partition(".")
        try:
            parts = base64url_bytes(content)
        except ValueError:
            return None
        if len(parts) != 52 or not dot or not 1 <= len(record) <= 1_024:
            return None
        return cls(int.from_bytes(parts[:4], "big"), parts[4:20], parts[20:], record)

    @property
    def text(self) -> str:
        return f"{base64url(self.generation.to_bytes(4, 'big') + self.family + self.secret)}.{self.record}"

    def successor(self, salt: bytes, proof: bytes) -> "RefreshToken":
        secret = mac(salt, b"next" + self.generation.to_bytes(4, "big") + self.secret + proof)
        return RefreshToken(self.generation + 1, self.family, secret, self.record)

    def kept(self, salt: bytes, rotated: float | None = None) -> dict:
        """What the store knows of it: the member `refresh` of its record."""
        known = {"generation": self.generation, "hash": base64url(sha256(self.secret)), "salt": base64url(salt)}
        return known if rotated is None else known | {"rotated": rotated}

    def is_of_family(self, record: Record) -> bool:
        salt = base64url_bytes(record["refresh"]["salt"])
        return are_equal(self.family, family(salt, record["id"]))

    def is_kept(self, refresh: dict) -> bool:
        """Whether this is the token of the generation that the store knows."""
        return self.generation == refresh["generation"] and are_equal(
            base64url(sha256(self.secret)), refresh["hash"]
        )


def first_refresh_token(master: bytes, salt: bytes, digest: bytes, record: str, generation: int = 0) -> RefreshToken:
    secret = mac(master, b"refresh token:" + salt + digest + record.encode())
    return RefreshToken(generation, family(salt, record), secret, record)


def family(salt: bytes, record: str) -> bytes:
    return mac(salt, f"family{record}")[:16]


def request_digest(scope: str | None, resource: str | None, key: dict | None, presented: str = "") -> bytes:
    """What a repeated request has to repeat."""
    return sha256("\n".join((scope or "", resource or "", key and thumbprint(key) or "", presented)))


def renewal_proof(key: dict | None, digest: bytes) -> bytes:
    """What the holder's key and wishes add to the next secret; a plain token has no key and adds nothing."""
    return sha256(key_owner(key).encode() + digest) if key else b""
