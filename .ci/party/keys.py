"""JSON Web Keys: how they are read, what they may be used for, and their thumbprints (Fixtures/protocol/keys.md)."""

from . import curves, ed25519, rsa
from .formats import base64url_bytes, check_name, digest
from .json_text import compact_json, integer, member, optional_member, read_json, typed
from .refusals import Flaw

SECRETS = ("d", "k", "p", "q", "dp", "dq", "qi", "oth", "priv")
EDDSA = ("EdDSA", "Ed25519")
# The hash of each HMAC, and how many bytes of key it takes at least; the strongest first.
HMACS = {"HS512": ("sha512", 64), "HS384": ("sha384", 48), "HS256": ("sha256", 32)}
SIZES = {"X25519": 32, "Ed448": 57, "X448": 56, "secp256k1": 32}
# What holders of keys sign with, where a party says nothing else.
HOLDERS = (*EDDSA, "ES256")
SIGNATURES = (*EDDSA, *curves.ALGORITHMS, *rsa.ALGORITHMS)
MATERIAL = {"OKP": ("crv", "kty", "x"), "EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n"), "oct": ("k", "kty")}
USES = {"sign": "sig", "verify": "sig", **dict.fromkeys(
    ("encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits"), "enc")}


def read_public_key(text):
    return public_key(read_json(text, size=16384, depth=8, values=512, members=128))


def read_secret_key(text):
    return secret_key(read_json(text, size=16384, depth=8, values=512, members=128))


def public_key(key):
    """A JWK, if it is a public key that keeps the rules."""
    typed(key, "object", "$")
    for name in SECRETS:
        if name in key:
            raise Flaw("RFC7517-9.2", f"a public key must not have the secret member '{name}'")
    check_material(key, member(key, "kty", "string"))
    check_terms(key)
    return key


def secret_key(key):
    """A JWK, if it is a private or symmetric key that keeps the rules."""
    typed(key, "object", "$")
    kind = member(key, "kty", "string")
    if kind == "oct":
        if not bytes_in(key, "k"):
            raise Flaw("RFC7518-6.4.1", "the secret is empty")
    elif kind == "RSA":
        raise Flaw("KEY-5", "nothing is signed with a private RSA key here; its host signs")
    elif "d" not in key and "priv" not in key:
        raise Flaw("RFC8037-2", "the secret is missing")
    else:
        check_material(key, kind)
    check_terms(key)
    if is_ed25519(key):
        check_pair(key)
    elif curve_of(key):
        check_curve_pair(key, curve_of(key))
    return key


def is_ed25519(key):
    return key["kty"] == "OKP" and key["crv"] == "Ed25519"


def point_of(key):
    return tuple(int.from_bytes(bytes_in(key, name)) for name in ("x", "y"))


def curve_of(key):
    """The curve of NIST that a key is on, if it is one that signatures are computed on here."""
    return curves.CURVES.get(key["crv"]) if key["kty"] == "EC" else None


def bytes_in(key, name):
    """The bytes that a member stands for."""
    text = member(key, name, "string")
    try:
        return base64url_bytes(text)
    except Flaw as flaw:
        raise Flaw("RFC7515-2", f"$.{name} is not Base64url: {flaw.words}") from None


def check_size(key, name, size, clause="RFC8037-2"):
    if size not in (None, found := len(bytes_in(key, name))):
        raise Flaw(clause, f"$.{name} has {found} bytes, expected {size}")


def check_material(key, kind):
    if kind in ("OKP", "EC"):
        curve = member(key, "crv", "string")
        if (kind, curve) == ("OKP", "Ed25519"):
            check_size(key, "x", 32)
            ed25519.check_public_key(bytes_in(key, "x"))
        elif kind == "EC" and curve in curves.CURVES:
            known = curves.CURVES[curve]
            for name in ("x", "y"):
                check_size(key, name, known.size, "RFC7518-6.2.1.2")
            curves.check_point(known, *point_of(key))
        else:
            for name in ("x", "y") if kind == "EC" else ("x",):
                check_size(key, name, SIZES.get(curve))
    elif kind == "RSA":
        for name in ("n", "e"):
            if bytes_in(key, name)[:1] in (b"", b"\0"):
                raise Flaw("RFC7518-2", f"$.{name} begins with a zero byte")
        rsa.check_public_key(bytes_in(key, "n"), bytes_in(key, "e"))
    elif kind == "oct":
        member(key, "k", "string")


def check_pair(key):
    check_size(key, "d", 32)
    if ed25519.public_key(bytes_in(key, "d")) != bytes_in(key, "x"):
        raise Flaw("threat-8", "the public key is not that of the seed")


def check_curve_pair(key, curve):
    check_size(key, "d", curve.size, "RFC7518-6.2.2.1")
    scalar = bytes_in(key, "d")
    curves.check_scalar(curve, scalar)
    if curves.written_point(curve, curves.public_point(curve, scalar)) != b"\4" + bytes_in(key, "x") + bytes_in(key, "y"):
        raise Flaw("threat-8", "the public key is not that of the private one")


def check_terms(key):
    """What a key says about its name and use."""
    name = optional_member(key, "kid", "string")
    if name is not None:
        try:
            check_name(name)
        except Flaw as flaw:
            raise Flaw("RFC7517-4.5", flaw.words) from None
    use = optional_member(key, "use", "string")
    algorithm = optional_member(key, "alg", "string")
    if algorithm is not None and algorithm.lower() == "none":
        raise Flaw("threat-1", "the algorithm is 'none'")
    check_operations(optional_member(key, "key_ops", "array") or [], use)
    check_withdrawal(optional_member(key, "revoked", "object"))
    if algorithm is not None and not is_algorithm_of(key, algorithm):
        raise Flaw("RFC7517-4.4", f"the algorithm '{algorithm}' is not one of this type of keys")


def check_operations(operations, use):
    for place, operation in enumerate(operations):
        typed(operation, "string", f"$.key_ops[{place}]")
    if len(set(operations)) < len(operations):
        raise Flaw("RFC7517-4.3", "an operation comes twice")
    if use in USES.values() and any(USES.get(operation, use) != use for operation in operations):
        raise Flaw("RFC7517-4.3", "an operation belongs to another use")


def check_withdrawal(revoked):
    if revoked is not None:
        integer(member(revoked, "revoked_at", "number", "$.revoked"), "$.revoked.revoked_at")
        optional_member(revoked, "reason", "string", "$.revoked")


def fitting_algorithms(key):
    """All algorithms for a key's type, or nothing for a type that nothing is computed with."""
    if key["kty"] == "oct":
        return tuple(HMACS)
    if is_ed25519(key):
        return EDDSA
    if key["kty"] == "RSA":
        return tuple(rsa.ALGORITHMS)
    return (curves.NAMES[curve_of(key).name],) if curve_of(key) else ()


def is_algorithm_of(key, algorithm):
    if key["kty"] == "oct":
        return algorithm not in SIGNATURES
    return not fitting_algorithms(key) or algorithm in fitting_algorithms(key)


def check_usable(key, operation="verify"):
    """Whether a key may check signatures here, or sign."""
    if not fitting_algorithms(key):
        raise Flaw("RFC7517-4.1", "signatures by keys of this type are not made or checked here")
    if "revoked" in key:
        raise Flaw("threat-76", "the key is withdrawn")
    if key.get("use", "sig") != "sig":
        raise Flaw("RFC7517-4.2", "the key is not for signatures")
    if operation not in key.get("key_ops", [operation]):
        raise Flaw("RFC7517-4.3", f"the key is not for the operation '{operation}'")
    if "alg" in key and key["alg"] not in fitting_algorithms(key):
        raise Flaw("RFC7517-4.4", f"the algorithm '{key['alg']}' is not known for this type of keys")
    if key["kty"] == "oct" and len(bytes_in(key, "k")) < HMACS[key.get("alg", "HS256")][1]:
        raise Flaw("RFC7518-3.2", "the secret is too short for its algorithm")


def is_usable(key, operation="verify"):
    try:
        check_usable(key, operation)
    except Flaw:
        return False
    return True


def check_holder_key(key):
    """Whether a token may be bound to a key: it is usable, and for an algorithm that holders sign with."""
    check_usable(key)
    if not set(algorithms_of(key)) & set(HOLDERS):
        raise Flaw("RFC8725-3.1", "the algorithm is not one of holders' keys")


def algorithms_of(key):
    """By which algorithms a key checks signatures; the first is the one that it signs by."""
    if "alg" in key:
        return (key["alg"],)
    if key["kty"] == "oct":
        size = len(bytes_in(key, "k"))
        return tuple(name for name, (_, least) in HMACS.items() if size >= least)
    return fitting_algorithms(key)


def thumbprint(key):
    """SHA-256 of the required members, or nothing for a type that has none."""
    if key["kty"] not in MATERIAL:
        return None
    return digest(compact_json({name: key[name] for name in MATERIAL[key["kty"]]}))


def material(key):
    """A public key by its material alone."""
    return {name: key[name] for name in ("kty", "crv", "x", "y", "n", "e") if name in key}


def public_part(key):
    """The public half of a key, its members in their order, and without anything secret."""
    order = ("kty", "crv", "x", "y", "n", "e", "kid", "use", "key_ops", "alg", "revoked")
    known = {name: key[name] for name in order if name in key}
    return known | {name: value for name, value in key.items() if name not in known and name not in SECRETS}


def read_key_set(text):
    """The keys of a set that can check signatures; one that cannot be read spoils no other."""
    try:
        value = read_json(text, size=65536, depth=10)
        found = member(typed(value, "object", "$"), "keys", "array")
    except Flaw as flaw:
        raise Flaw("RFC7517-5", flaw.words) from None
    if len(found) > 128:
        raise Flaw("threat-14", f"{len(found)} keys, at most 128 are read")
    return [key for key in found if is_readable(key)]


def is_readable(key):
    try:
        public_key(key)
    except Flaw:
        return False
    return True


def jwk_answer(given):
    key = (read_secret_key if given.get("secret") else read_public_key)(given["text"])
    print_of = thumbprint(key)
    found = {"type": key["kty"]} | ({"kid": key["kid"]} if "kid" in key else {})
    return found | ({"thumbprint": print_of} if print_of else {})
