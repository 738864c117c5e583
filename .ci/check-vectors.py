"""Checks the conformance vectors without the code that made them: signatures, hashes, what is refused and why, and how vectors belong together.

Arguments: the folder of the vectors; `--self-test` corrupts vectors in twenty different ways and demands that each is noticed.
Besides the standard library it needs `joserfc`; where PyJWT, jwcrypto and PyYAML are installed, they have to agree.
"""

import base64, copy, hashlib, hmac, json, os, sys, urllib.parse, warnings
import xml.etree.ElementTree as ElementTree

from joserfc import jwk, jws
from joserfc.errors import JoseError

warnings.simplefilter("ignore")
try:
    import jwt as pyjwt
except ImportError:
    pyjwt = None
try:
    from jwcrypto import jwk as other_jwk, jws as other_jws
except ImportError:
    other_jws = None
try:
    import yaml
except ImportError:
    yaml = None

COUNT = {"vectors": 0, "signatures": 0, "hashes": 0, "refusals": 0, "documents": 0}
FORM = "application/x-www-form-urlencoded"


class Wrong(Exception):
    pass


def demand(holds, what):
    if not holds:
        raise Wrong(what)


def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


def mac(key, data):
    return hmac.new(key, data.encode() if isinstance(data, str) else data, hashlib.sha256).digest()


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def raw(text):
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    demand(b64(data) == text, "base64url that is not canonical")
    return data


def strict(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a member occurs twice")
    return dict(pairs)


def parse(text):
    return json.loads(text, object_pairs_hook=strict)


# Signed texts


def claims_of(text):
    """Header and claims of a compact text, or nothing where it is none."""
    parts = text.split(".")
    if len(parts) != 3:
        return None
    try:
        header, claims = parse(raw(parts[0])), parse(raw(parts[1]))
    except (ValueError, Wrong):
        return None
    return (header, claims) if isinstance(header, dict) and isinstance(claims, dict) else None


def is_signed_by(text, key):
    """Whether a text has the signature of a key, as every implementation at hand says."""
    secret = key["kty"] == "oct"
    algorithms = ["HS256" if secret else "EdDSA"]
    bare = {name: key[name] for name in ("kty", "crv", "x", "k") if name in key}
    try:
        verdict = jws.deserialize_compact(text, jwk.import_key(bare), algorithms=algorithms) is not None
    except (JoseError, ValueError):
        verdict = False
    if other_jws:
        try:
            token = other_jws.JWS()
            token.allowed_algs = algorithms
            token.deserialize(text, other_jwk.JWK(**bare))
            second = True
        except Exception:
            second = False
        demand(verdict == second, "joserfc and jwcrypto disagree about a signature")
    if pyjwt and verdict:
        public = raw(bare["k"]) if secret else pyjwt.PyJWK({**bare, "alg": "EdDSA"}).key
        options = {"verify_" + name: False for name in ("aud", "iss", "exp", "nbf", "iat", "sub", "jti")}
        pyjwt.decode(text, public, algorithms=algorithms, options=options)
    COUNT["signatures"] += 1
    return verdict


# What a vector says about its parties


class Store:
    """The records after the batches of the past."""

    def __init__(self, batches):
        self.records, self.revoked, self.consumed, self.remembered, self.messages = {}, {}, set(), set(), {}
        for batch in batches:
            self.apply(batch["changes"], batch["at"])

    def apply(self, changes, at):
        for change in changes:
            do = change["do"]
            if do == "insert":
                demand(change["record"]["id"] not in self.records, "a record is inserted twice")
                self.records[change["record"]["id"]] = copy.deepcopy(change["record"])
            elif do == "revoke":
                demand(change["id"] in self.records, "an unknown record is revoked")
                self.revoked.setdefault(change["id"], at)
            elif do == "consume":
                demand(change["id"] not in self.consumed, "a record is consumed twice")
                self.consumed.add(change["id"])
            elif do == "rotate":
                record = self.records[change["id"]]
                demand(record["refresh"] == change["from"], "a refresh token is rotated that is not the current one")
                record["refresh"] = change["to"]
                if "access" in change:
                    record["access"] = change["access"]
            elif do == "reground":
                demand(self.records[change["id"]]["parent"] == change["from"], "an instance stands elsewhere")
                self.records[change["id"]]["parent"] = change["onto"]
            elif do == "describe":
                self.records[change["id"]]["attributes"] = change["attributes"]
            elif do == "remember":
                demand(change["key"] not in self.remembered, "what was remembered passes again")
                self.remembered.add(change["key"])
            elif do == "enqueue":
                self.messages[change["message"]["id"]] = change["message"]

    def lineage(self, name):
        found = []
        while name in self.records:
            found.append(self.records[name])
            name = self.records[name].get("parent")
        return found

    def is_live(self, name, now):
        """Whether the record may be used: it and all that it stands on unrevoked, its own access not expired, no grant past its end."""
        line = self.lineage(name)
        if not line or any(record["id"] in self.revoked for record in line):
            return False
        if "access" in line[0] and now >= line[0]["access"]:
            return False
        return all(now < record["final"] for record in line if "final" in record)


def key_of(record, party):
    bound = record.get("key")
    if bound is None:
        return None
    if bound == "symmetric":
        return {"kty": "oct", "k": b64(mac(raw(party["master"]), "proof of possession:" + record["id"]))}
    demand(bound.startswith("ed25519:"), "a record is bound to a key of another kind")
    return {"kty": "OKP", "crv": "Ed25519", "x": bound[8:]}


def thumbprint(key):
    return b64(sha256(json.dumps({name: key[name] for name in ("crv", "kty", "x")}, separators=(",", ":"), sort_keys=True)))


def parameters(request):
    """The parameters of a request by name, each with all its values."""
    found = {}
    body, kind = request.get("body", ""), request["headers"].get("Content-Type", "")
    pairs = urllib.parse.parse_qsl(body, keep_blank_values=True) if kind == FORM else []
    if kind == "application/json":
        try:
            value = json.loads(body)
            pairs = list(value.items()) if isinstance(value, dict) else []
        except ValueError:
            pairs = []
    pairs += urllib.parse.parse_qsl(urllib.parse.urlsplit(request["url"]).query, keep_blank_values=True)
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def remembered(namespace, owner, name):
    message = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in (namespace, owner, name))
    return b64(sha256(message)[:16])


# The faults that can be told without knowing the rules of the parties


def times(claims, now, seconds):
    issued = claims.get("iat")
    if issued is not None and not isinstance(issued, (int, float)):
        return "RFC7519-2"
    if "exp" in claims and not isinstance(claims["exp"], (int, float)):
        return "RFC7519-2"
    if "exp" in claims and now >= claims["exp"]:
        return "RFC7519-4.1.4"
    if "nbf" in claims and now + 60 < claims["nbf"]:
        return "RFC7519-4.1.5"
    if issued is not None and (issued > now + 60 or (seconds and issued < now - seconds)):
        return "RFC7519-4.1.6"
    return None


def request_token_faults(text, record, party, url, now, store):
    """Everything that is wrong with a request token by the key of a record."""
    parsed = claims_of(text)
    if parsed is None:
        return {"unreadable"}
    header, claims = parsed
    faults = set()
    key = key_of(record, party)
    if key is None:
        return {"unbound"}
    if str(header.get("alg")).lower() == "none":
        faults.add("unsecured")
    elif header.get("alg") != ("HS256" if key["kty"] == "oct" else "EdDSA"):
        faults.add("algorithm")
    elif not is_signed_by(text, key):
        faults.add("signature")
    if "crit" in header:
        faults.add("critical")
    if header.get("typ") not in ("request+jwt", "JWT", None):
        faults.add("type")
    for name in ("iss", "aud", "iat", "jti"):
        if name not in claims:
            faults.add("missing")
    if claims.get("iss", record["holder"]) != record["holder"]:
        faults.add("issuer")
    audience = claims.get("aud", url)
    if isinstance(audience, list):
        faults.add("audiences")
    elif audience != url:
        faults.add("audience")
    clause = times(claims, now, 60)
    if clause:
        faults.add({"RFC7519-2": "number", "RFC7519-4.1.4": "expired", "RFC7519-4.1.5": "not-yet", "RFC7519-4.1.6": "age"}[clause])
    owner = thumbprint(key) if key["kty"] == "OKP" else None
    if owner and "jti" in claims and any(remembered("request token", name, claims["jti"]) in store.remembered for name in owners(record, owner)):
        faults.add("replayed")
    return faults


def owners(record, owner):
    return (owner, record["id"], record["holder"])


# Clauses, and the faults any of which each of them may be about
CLAUSES = {
    "RFC7515-5.2": {"signature"}, "RFC7519-4.1.1": {"issuer"}, "RFC7519-4.1.3": {"audience"}, "RFC7519-4.1.4": {"expired"},
    "RFC7519-4.1.5": {"not-yet"}, "RFC7519-4.1.6": {"age"}, "threat-24": {"audiences"}, "RFC7519-4": {"missing"}, "RFC7519-2": {"number"},
    "RFC8725-3.1": {"algorithm"}, "RFC8725-3.11": {"type"},
}
