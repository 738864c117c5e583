"""Checks the conformance vectors without the code that made them: signatures, hashes, what is refused and why, and how vectors belong together.

Arguments: the folder of the vectors; `--self-test` corrupts vectors in many ways and demands that each is noticed.
Besides the standard library it needs `joserfc`; where PyJWT, jwcrypto, PyYAML and jsonschema are installed, they have to agree.
"""

import base64, collections, copy, hashlib, hmac, json, math, os, re, sys, urllib.parse, warnings
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

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
    import jsonschema
except ImportError:
    jsonschema = None
try:
    import yaml
except ImportError:
    yaml = None

COUNT = {"vectors": 0, "signatures": 0, "hashes": 0, "refusals": 0, "documents": 0}
UNJUDGED = []
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
    try:
        [raw(part) for part in text.split(".")]
    except (ValueError, Wrong):
        return False
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
        pyjwt.PyJWS().decode(text, public, algorithms=algorithms)
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
                self.revoked.setdefault(change["id"], change.get("reason"))
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


def bearer(request):
    text = request["headers"].get("Authorization", "")
    return text[7:] if text.startswith("Bearer ") else None


# Faults: what is wrong with what is given, found without a look at what is expected

# With one of these a signed text passes for a plain token, where such are taken as well.
PLAIN = ("unsecured", "no algorithm", "no signature", "padding", "header", "critical", "type")
# The faults that each clause is about. One that begins with a place is what a fault is called at that place, where it has another clause.
CLAUSES = {
    "RFC7515-2": ["padding"], "RFC7515-4": ["header"], "RFC7515-4.1": ["no algorithm", "key name"], "RFC7515-4.1.4": ["code no key name"],
    "RFC7515-4.1.11": ["critical"], "RFC7515-5.2": ["signature"], "RFC7515-6": ["assertion unknown key", "client unknown key"],
    "RFC7519-2": ["number"], "RFC7519-4": ["missing"], "RFC7519-4.1.1": ["issuer"], "RFC7519-4.1.2": ["subject"], "RFC7519-4.1.3": ["audience"],
    "RFC7519-4.1.4": ["expired"], "RFC7519-4.1.5": ["not yet"], "RFC7519-4.1.6": ["age"], "RFC7519-7.2": ["claims"], "RFC7800-3.2": ["private key"],
    "RFC8725-3.1": ["algorithm"], "RFC8725-3.8": ["assertion issuer", "client issuer"], "RFC8725-3.11": ["type"],
    "REQ-1": ["statement no payload"], "REQ-2": ["statement unsecured", "device unsecured"], "REQ-3": ["statement unknown key"],
    "REQ-4": ["statement algorithm"], "REQ-6": ["statement missing", "statement no text"], "REQ-8": ["statement expired", "statement not yet"],
    "REQ-9": ["statement issuer"], "REQ-11": ["statement audience", "statement audiences"], "REQ-14": ["statement signature"],
    "threat-1": ["unsecured"], "threat-5": ["no signature"], "threat-24": ["audiences"],

    "AUT-1": ["unregistered", "statement of another version"], "RFC6749-3.2.1": ["challenge client id"], "RFC6750-2.1": ["no credential"],
    "RFC7521-4.2": ["client id", "sort of assertion"], "RFC7523-2.2": ["client no credential"], "RFC7523-3": ["too long", "client subject"],
    "RFC9449-4.3": ["other request"], "RFC9449-7.1": ["other key"], "TOK-1": ["ended"], "FED-4": ["version shut out"],
    "threat-18": ["kind"], "threat-36": ["replayed", "bare token", "holder unknown key", "holder no credential"],
    "threat-39": ["unknown key", "unknown token", "password", "device type", *("token " + fault for fault in PLAIN)],

    "POP-1": ["unusable key", "no key pair"], "REG-1": ["registration no credential"], "REG-2": ["device"], "REG-4": ["registration version shut out"],
    "REG-5": ["version", "two instances"], "REG-7": ["rejected"], "REG-9": ["registration elsewhere"], "threat-38": ["another key"],

    "AUT-5": ["edu-id outside scope"], "DSC-1": ["query"], "GRT-1": ["service grant"], "RFC6749-3.1": ["no parameter"],
    "RFC6749-3.1.1": ["response type"], "RFC6749-5.2": ["edu-id grant"], "RFC7636-4.2": ["challenge"], "RFC7636-4.3": ["challenge method"],
    "RFC7636-4.6": ["verifier"], "RFC8707-2": ["target"], "TOK-3": ["refresh ended"], "TOK-5": ["no administrator"], "TOK-7": ["nowhere"],
    "RFC6749-6": ["no such refresh token", "refresh token of another", "refresh no credential"], "RFC7009-2.1": ["revocation no credential"],
    "threat-26": ["no such code", "code of another", "code ended", "code redeemed"], "threat-28": ["rotated"], "threat-30": ["wider"],
    "threat-37": ["two credentials", "repeated", "two targets"], "http_404": ["page"], "http_405": ["method"],

    "APP-3": ["code issuer", "code audience", "opaque code"], "APP-4": ["scope"], "APP-5": ["code signature", "code other key name", "two keys"],
    "APP-6": ["app denied"], "APP-9": ["service outside scope"], "AST-3": ["assertion redeemed", "assertion ended"], "AST-4": ["user denied"],
    "AST-8": ["unconfirmed"], "USR-5": ["instance denied"], "USR-6": ["instance not selected"],

    "RFC8259-2": ["no JSON"], "RFC8259-3": ["no object"], "RFC8259-4": ["malformed object"], "RSD-2": ["no document"],
    "RSD-3": ["no base", "fragment", "base with query"], "XML-3.1": ["malformed element"], "XML-4.1": ["entity"], "YAML-3.2.1": ["key twice"],
    "YAML-6.1": ["indentation"], "threat-40": ["scheme", "plain http", "user info", "absolute path"], "threat-41": ["climbing", "host as path"],
    "threat-44": ["steering"], "threat-46": ["two bindings", "api twice"],

    "DSC-2": ["service twice"], "NAI-2": ["unknown service"], "NAI-6": ["stale"], "NAI-12": ["not offered", "not granted"], "NIF-2": ["member", "empty name"],
    "NIF-3": ["unknown app", "unreadable", "name"], "NIF-4": ["two services"], "NIF-5": ["no services", "no authorization"], "RFC6749-7.1": ["sort of token"],
    "TOK-2": ["not renewable"], "UX-2": ["accept", "reject", "pick", "choice"], "UX-3": ["found"], "UX-4": ["sign in", "signed in", "sign-in failed"],
    "UX-5": ["log out", "confirm", "turn back"], "threat-49": ["later version", "changed"],
    "threat-50": ["reserved claim"], "threat-51": ["outside authorization"],
}
CLAUSE_OF = {fault: clause for clause, faults in CLAUSES.items() for fault in faults}

# Seconds: by how much clocks may differ, and the longest that an assertion or a code by another party may hold.
LEEWAY = 60
LONGEST = 600


class Unjudged(Exception):
    """What has no judge, or none with the libraries at hand."""


def those(findings):
    """The names of the findings that hold."""
    return {name for name, holds in findings.items() if holds}


def at(place, faults):
    """The faults by the names that they have at a place."""
    return {f"{place} {fault}" if f"{place} {fault}" in CLAUSE_OF else fault for fault in faults}


def is_text(value):
    return isinstance(value, str) and value != ""


# Faults of signed texts

# With one of these it cannot be asked whether the signature is the key's.
UNVERIFIABLE = {"unknown key", "key name", "no algorithm", "unsecured", "algorithm", "critical", "no payload", "no signature"}


def typed(name, *required, **rules):
    """What is demanded of the texts of a type, which may be left untold, as deployed clients do, but not the claims that make it."""
    return {"types": (name, "JWT", None), "required": set(required), **rules}


ACCESS_TOKEN = {"types": ("at+jwt",), "required": {"iss", "sub", "aud", "client_id", "iat", "exp", "jti"}}
APP_CODE = typed("authorization-grant+jwt", "iss", "sub", "aud", "iat", "exp", "jti", is_brief=True)
CLIENT_ASSERTION = typed("client-authentication+jwt", "iss", "sub", "aud", "exp", "jti", is_brief=True)
DPOP_PROOF = {"types": ("dpop+jwt",), "required": {"jti", "htm", "htu", "iat"}, "is_fresh": True}
PROTOCOL_REQUEST = typed("protocol-request+jwt", "iss", "sub", "aud", "name")
REQUEST_TOKEN = typed("request+jwt", "iss", "aud", "iat", "jti", is_fresh=True)
SERVICE_ASSERTION = typed("authorization-grant+jwt", "iss", "sub", "aud", "azp", "iat", "exp", "jti", "cnf", is_brief=True)
STATEMENT = typed("client-authentication+jwt", "iss", "sub", "aud", "name")


class Signed:
    """A compact text, read as far as it can be read, and the faults of its form."""

    def __init__(self, text):
        head, payload, signature = text.split(".")
        self.header, repeats_header = members(head)
        value, repeats_claim = members(payload) if payload else (None, False)
        self.is_read = isinstance(value, dict)
        self.text, self.claims = text.replace("=", ""), value if self.is_read else {}
        self.faults = those({
            "padding": "=" in text, "no payload": not payload, "no signature": not signature, "header": repeats_header,
            "claims": repeats_claim or payload and not self.is_read,
        })


def members(part):
    """The value that a part is the JSON of, with the first of members that occur twice, and whether any does."""
    repeated = []

    def firsts(pairs):
        repeated.extend(pairs[len({name for name, _ in pairs}):])
        return dict(reversed(pairs))
    return json.loads(raw(part), object_pairs_hook=firsts), bool(repeated)


def signed(text):
    """A text that may be a signed one."""
    try:
        return Signed(text) if text and text.count(".") == 2 else None
    except (ValueError, Wrong):
        return None


def faults_of(token, key, rules, expected, now):
    """The faults of a signed text: of its form and header, of the signature by the key, of the claims as the rules and the place want them."""
    faults = token.faults | header_faults(token.header, key, rules)
    if not faults & UNVERIFIABLE and not is_signed_by(token.text, key):
        faults.add("signature")
    return faults | claim_faults(token.claims, rules, expected) | time_faults(token.claims, rules, now) if token.is_read else faults


def header_faults(header, key, rules):
    algorithm, name = header.get("alg"), header.get("kid", "")
    is_none = is_text(algorithm) and algorithm.lower() == "none"
    return those({
        "no algorithm": not is_text(algorithm), "unsecured": is_none,
        "algorithm": key and is_text(algorithm) and not is_none and (algorithm == "HS256") != (key["kty"] == "oct"),
        "unknown key": key is None and isinstance(name, str), "key name": not isinstance(name, str),
        "critical": "crit" in header, "type": header.get("typ") not in rules["types"],
    })


def claim_faults(claims, rules, expected):
    audience = claims.get("aud", [])
    audiences = audience if isinstance(audience, list) else [audience]
    texts = [claims[name] for name in ("iss", "sub", "azp", "jti", "name") if name in rules["required"] & set(claims)] + audiences
    differing = {name for name in ("iss", "sub", "name") if name in expected and is_text(claims.get(name)) and claims[name] != expected[name]}
    return those({
        "missing": not rules["required"] <= set(claims), "no text": not all(map(is_text, texts)),
        "issuer": "iss" in differing, "subject": "sub" in differing, "name": "name" in differing,
        "audiences": len(audiences) > 1, "audience": len(audiences) == 1 and is_text(audiences[0]) and audiences[0] not in expected.get("aud", audiences),
    })


def time_faults(claims, rules, now):
    times = {name: claims[name] for name in ("iat", "exp", "nbf") if name in claims}
    numbers = {name: time for name, time in times.items() if type(time) in (int, float)}
    age, rest = now - numbers.get("iat", now), numbers.get("exp", now + 1) - now
    return those({
        "number": times != numbers, "age": age < -LEEWAY or "is_fresh" in rules and age > LEEWAY, "expired": rest <= 0,
        "too long": "is_brief" in rules and rest > LONGEST, "not yet": numbers.get("nbf", now) > now + LEEWAY,
    })


# Faults of those who make a request

class Case:
    """What is given to a server, taken apart."""

    def __init__(self, given):
        self.party, self.now, self.request, self.answer = given["party"], given["now"], given["request"], given.get("answer")
        self.role, self.policy, self.store = self.party["role"], self.party.get("policy", {}), Store(given["store"])
        self.url, self.parameters = self.request["url"].split("?")[0], parameters(self.request)
        self.audiences = {self.party["issuer"], self.url}

    def parameter(self, name):
        return self.parameters.get(name, [None])[0]

    def records(self, kind):
        return [record for record in self.store.records.values() if record["kind"] == kind]


def replays(namespace, owner, token, case):
    name = token.claims.get("jti")
    return those({"replayed": is_text(name) and remembered(namespace, owner, name) in case.store.remembered})


def liveness(record, case, expires=True):
    """Whether what a record stands for may be used: it and all that it stands on unrevoked and not past the end, its version admitted."""
    if record is None:
        return set()
    line = case.store.lineage(record["id"])
    is_over = any(other["id"] in case.store.revoked or case.now >= other.get("final", case.now + 1) for other in line)
    return those({
        "ended": is_over or expires and case.now >= record.get("access", case.now + 1),
        "version shut out": any(is_shut_out(other["id"], case) for other in line if other["kind"] == "versionKey"),
    })


def version_of(name, case):
    return next((version for version in case.party["versions"] if version["kid"] == name), None)


def is_shut_out(name, case):
    version, record = version_of(name, case), case.store.records.get(name, {})
    is_excluded = version["platform"] in case.policy.get("excluded_platforms", [])
    return is_excluded or version.get("blocked") or record.get("attributes", {}).get("blocked")


def speaker(case):
    """Who makes a request: the record of the credential, where it leads to one, and the faults of the credential."""
    scheme, _, text = case.request["headers"].get("Authorization", "").partition(" ")
    if not text:
        return None, {"no credential"}
    if scheme == "DPoP":
        return proved_token(text, case)
    token = signed(text)
    if token is None or token.header.get("kid") == case.party["key"]["kid"]:
        return plain_token(text, case)
    record, faults = request_token(token, case)
    return record, at("token", faults)


def request_token(token, case):
    """The record that the name of a request token's key leads to, and the token's faults."""
    record = case.store.records.get(token.header.get("kid"))
    if record is None or "key" not in record:
        return None, faults_of(token, None, REQUEST_TOKEN, {"aud": {case.url}}, case.now)
    return record, proof_faults(token, key_of(record, case.party), record["id"], record["holder"], case)


def proof_faults(token, key, name, holder, case):
    """The faults of a request token by a key, which goes by its thumbprint, or by its name where it is a secret."""
    owner = thumbprint(key) if key["kty"] == "OKP" else name
    faults = faults_of(token, key if token.header.get("kid") == name else None, REQUEST_TOKEN, {"iss": holder, "aud": {case.url}}, case.now)
    return faults | replays("request token", owner, token, case)


def plain_token(text, case):
    record = record_of(text, case)
    return record, those({"unknown token": record is None, "bare token": record and "key" in record})


def record_of(text, case):
    """The record of an access token, where the party gave the token and its time is not over."""
    token = signed(text)
    if token is None:
        name, _, secret = text.partition(".")
        record = case.store.records.get(name)
        return record if record and record.get("attributes", {}).get("secret") == b64(sha256(secret)) else None
    faults = faults_of(token, case.party["key"], ACCESS_TOKEN, {"iss": case.party["issuer"], "aud": {case.party["issuer"]}}, case.now)
    return None if faults else case.store.records.get(token.claims["jti"].rpartition(".")[0])


def proved_token(text, case):
    """An access token beside a DPoP proof by the key that it is bound to."""
    record = record_of(text, case)
    if record is None or "key" not in record:
        return record, {"unknown token"}
    return record, dpop_faults(key_of(record, case.party), b64(sha256(text)), case)


def dpop_faults(bound, digest, case):
    """The faults of a DPoP proof by a key, and for the access token of a digest, where there is one yet."""
    proof = signed(case.request["headers"]["DPoP"])
    key, told = proof.header["jwk"], tuple(proof.claims.get(name) for name in ("htm", "htu", "ath"))
    faults = faults_of(proof, key, DPOP_PROOF, {}, case.now) | replays("proof", thumbprint(key), proof, case)
    return faults | those({"other request": told != (case.request["method"], case.url, digest), "other key": thumbprint(key) != thumbprint(bound)})


def is_statement(token, case):
    return token.header.get("typ") == "client-authentication+jwt" or version_of(token.header.get("kid"), case) is not None


def statement_faults(token, version, case):
    """The faults of S1's request token, which the key of an app's version signs."""
    key, app = (version["key"], {"iss": version["app_name"]}) if version else (None, {})
    device = [token.claims.get(name) for name in ("device_id", "device_type", "os_version")]
    faults = at("statement", faults_of(token, key, STATEMENT, {"aud": case.audiences, **app}, case.now))
    return faults | those({"device": token.is_read and not all(map(is_text, device))})


def client_faults(case):
    """The faults of another server's client assertion: services know the edu-ID service, which knows many of them by their names."""
    token = signed(case.parameter("client_assertion"))
    if token is None:
        return at("client", {"no credential"})
    issuer, expected = token.claims.get("iss"), {"sub": token.claims.get("iss"), "aud": case.audiences}
    if case.role == "service":
        keys, expected["iss"] = case.party["edu_id"]["keys"], case.party["edu_id"]["issuer"]
    else:
        keys = [key for service in case.party["services"] if service["issuer"] == issuer for key in service["keys"]]
    faults = faults_of(token, named(token, keys), CLIENT_ASSERTION, expected, case.now) | replays("client assertion", issuer, token, case)
    return at("client", faults) | form_faults(case)


def named(token, keys):
    return next((key for key in keys if key["kid"] == token.header.get("kid")), None)


def form_faults(case):
    return those({"sort of assertion": case.parameter("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"})


def name_faults(holder, case):
    return those({"client id": case.parameter("client_id") not in (None, holder)})


def absence(case, *names):
    return those({"no parameter": any(case.parameter(name) is None for name in names)})


# Faults of what is asked of the edu-ID service

def registration(case):
    text, header = case.parameter("client_assertion"), bearer(case.request)
    token = signed(text or header)
    if token is None:
        return at("registration", {"no credential"})
    if not text and not is_statement(token, case):
        return device_change(token, case)
    version = version_of(token.header.get("kid"), case)
    faults = statement_faults(token, version, case) | (form_faults(case) if text else set()) | those({"two credentials": text and header})
    if version is None:
        return faults
    return faults | name_faults(token.claims.get("sub"), case) | brought_key_faults(token.claims) | version_faults(token.claims, version, case)


def device_change(token, case):
    record, faults = request_token(token, case)
    told = [token.claims[name] for name in ("name", "device_id", "device_type", "os_version") if name in token.claims]
    return at("device", faults) | liveness(record, case) | those({"device": not all(map(is_text, told))})


def brought_key_faults(claims):
    key = claims.get("cnf", {}).get("jwk")
    return those({"private key": key and "d" in key, "unusable key": key and (key["kty"], key["crv"]) != ("OKP", "Ed25519")})


def number_of(version):
    return [int(part) for part in version["version"].split(".")]


def version_faults(claims, version, case):
    """Whether an instance may have a version: none where it was rejected, no lower one, and a higher one of its line by its own key."""
    revoked = case.store.revoked
    own = [record for record in case.records("client") if record["holder"] == claims.get("sub")]
    faults = at("registration", those({"version shut out": is_shut_out(version["kid"], case)}))
    faults |= those({"rejected": any(revoked.get(record["id"]) == "barred" for record in own)})
    if case.parameter("instance_assertion"):
        return faults | upgrade_faults(claims, version, case)
    held = [version_of(record["parent"], case) for record in own if record["id"] not in revoked]
    return faults | those({"version": any(number_of(version) < number_of(other) for other in held)})


def upgrade_faults(claims, version, case):
    record, faults = request_token(signed(case.parameter("instance_assertion")), case)
    if record is None:
        return faults
    held, key, is_own = version_of(record["parent"], case), claims.get("cnf", {}).get("jwk"), record["holder"] == claims.get("sub")
    return faults | liveness(record, case) | those({
        "version": held["platform"] != version["platform"] or number_of(held) >= number_of(version), "two instances": not is_own,
        "another key": is_own and key and key["x"] != key_of(record, case.party).get("x"),
    })


def instance(case):
    """The registered instance that makes a request, by its own token or by a statement of its version, and the faults of that."""
    token = signed(bearer(case.request))
    if token is None or not is_statement(token, case):
        record, faults = speaker(case)
        return record, faults | liveness(record, case)
    own = [record for record in case.records("client") if record["holder"] == token.claims.get("sub") and "ended" not in liveness(record, case)]
    record, name = next(iter(own), None), token.header.get("kid")
    return record, statement_faults(token, version_of(name, case), case) | liveness(record, case) | those({
        "unregistered": record is None, "statement of another version": record and record["parent"] != name})


def password_faults(case):
    name, password = case.parameter("username"), case.parameter("password")
    passwords = {user["name"]: user["password"] for user in case.party["users"]}
    return absence(case, "username", "password") | those({"password": name and password and passwords.get(name) != password})


def authentication(case):
    record, faults = instance(case)
    faults |= at("challenge", name_faults(record["holder"], case)) if record else set()
    challenge, response_type = case.parameter("code_challenge"), case.parameter("response_type")
    return faults | password_faults(case) | absence(case, "response_type", "client_id", "code_challenge") | those({
        "response type": response_type not in (None, "code"), "challenge method": case.parameter("code_challenge_method") != "S256",
        "challenge": challenge is not None and not re.fullmatch("[A-Za-z0-9._~-]{43,128}", challenge),
    })


def password_grant(case):
    return instance(case)[1] | password_faults(case) if case.policy.get("takes_passwords") else unsupported_grant(case)


def code_grant(case):
    record, faults = speaker(case)
    faults |= liveness(record, case)
    text = case.parameter("code")
    if text is None:
        return faults | {"no parameter"}
    name, _, secret = text.partition(".")
    code = case.store.records.get(name)
    if code is None or code["attributes"]["secret"] != b64(sha256(secret)):
        return faults | {"no such code"}
    return faults | those({
        "code of another": record and record["holder"] != code["holder"],
        "code redeemed": name in case.store.consumed, "code ended": case.now >= code["access"],
        "verifier": b64(sha256(case.parameter("code_verifier") or "")) != code["attributes"]["code_challenge"],
    })


def renewal(case):
    """A refresh token comes with the proof of its holder's key, or with its holder's name where a plain token is renewed."""
    record, faults = speaker(case)
    text = case.parameter("refresh_token")
    if text is None:
        return faults | {"no parameter"}
    kept = case.store.records.get(text.rpartition(".")[2])
    if kept is None or not is_of_family(text, kept):
        return faults | {"no such refresh token"}
    if "key" not in kept:
        record, faults = {"holder": case.parameter("client_id")}, faults - {"no credential"}
    faults = at("refresh", faults) | those({
        "refresh token of another": record and record["holder"] != kept["holder"], "rotated": is_rotated(text, kept, case),
        "wider": not all(is_within(word, kept["scope"]) for word in (case.parameter("scope") or "").split()),
    })
    if case.role == "edu-id":
        return faults | liveness(record, case, expires=False)
    return faults | at("refresh", liveness(kept, case, expires=False)) | admission(kept, case)


def refresh_content(text):
    """The generation, the family and the secret of a refresh token."""
    try:
        content = raw(text.rpartition(".")[0])
    except (ValueError, Wrong):
        content = b""
    return int.from_bytes(content[:4], "big"), content[4:20], content[20:]


def is_of_family(text, record):
    """Whether a refresh token is the record's, of now or of an earlier generation."""
    (generation, family, secret), kept = refresh_content(text), record["refresh"]
    is_earlier, is_current = generation < kept["generation"], b64(sha256(secret)) == kept["hash"]
    return family == mac(raw(kept["salt"]), "family" + record["id"])[:16] and (is_earlier or is_current)


def is_rotated(text, record, case):
    """Whether a refresh token was used before: the last one may come again within the window of the policy."""
    behind = record["refresh"]["generation"] - refresh_content(text)[0]
    return behind > 1 or behind == 1 and case.now >= record["refresh"]["rotated"] + case.policy.get("repetition_window", 0)


def scope_of(record):
    """What a record's token is for: a renewal may have narrowed it."""
    return record.get("attributes", {}).get("narrowed_scope", record["scope"])


def is_within(url, scope):
    """Whether a URL is in a scope, or lies below one that is."""
    return any(url == word or url.startswith(word + "/") for word in scope.split())


def resource(*kinds):
    """The judge of a resource that tokens of some kinds open, by their scope where they have one."""
    def judge(case):
        record, faults = speaker(case)
        if record is None or record["kind"] not in kinds:
            return faults | ({"kind"} if record else set())
        is_outside = "scope" in record and not is_within(case.url, scope_of(record))
        return faults | liveness(record, case) | at("edu-id", those({"outside scope": is_outside}))
    return judge


def administration(case):
    record, faults = speaker(case)
    is_other = record and record.get("subject") not in case.policy.get("administrators", [])
    return faults | liveness(record, case) | those({"no administrator": is_other})


def usage(case):
    return resource("personal")(case) if case.policy.get("has_usage_manager", True) else {"page"}


def disconnection(case):
    """Users end their own instances: another one is not there for them."""
    faults, (record, _) = resource("personal")(case), speaker(case)
    own = {other["holder"] for other in case.records("personal") if record and other["subject"] == record.get("subject")}
    return faults or those({"page": case.url.rpartition("/")[2] not in own})


def discovery(case):
    return resource("personal")(case) | query_faults(case.request.get("body", ""), case.url.rpartition("/")[2])


def query_faults(text, asked):
    try:
        names = parse(text)
    except ValueError:
        return {"no JSON"}
    if not isinstance(names, list) or not names or not all(map(is_text, names)):
        return {"query"}
    sorts = {"services" if "://" in name else "protocols" for name in names}
    return those({"query": len(sorts) > 1 or asked != "discovery" and sorts != {asked}})


def introduction(case):
    faults, (record, _) = resource("personal")(case), speaker(case)
    response_type = case.parameter("response_type") or case.parameter("request_type")
    return faults | target_faults(case) | those({
        "no parameter": response_type is None, "response type": response_type not in (None, "code"),
        "no key pair": record and record.get("key") == "symmetric",
    })


def target_faults(case):
    targets = {case.parameter("resource"), case.parameter("redirect_uri")} - {None}
    if len(targets) != 1:
        return those({"two targets": targets, "no parameter": not targets})
    target, homes = targets.pop(), {normalized(service["home"]) for service in case.party["services"]}
    return those({"target": normalized(target) not in homes}) if is_absolute(target) else {"scheme"}


def introspection(case):
    return client_faults(case) | absence(case, "token")


def revocation(case):
    """Whoever ends a token need only prove who it is: what has ended may be ended again."""
    if case.parameter("client_assertion"):
        return client_faults(case) | absence(case, "token")
    _, faults = speaker(case)
    return absence(case, "token") | (at("revocation", faults) if case.role == "service" else faults)


# Faults of what is asked of a service

def is_denied(group, name, case):
    admitted = case.policy.get("only_" + group)
    return name in case.policy.get("denied_" + group, []) if admitted is None else name not in admitted


def admission(record, case):
    """Whether the service admits those for whom a record stands: the user, the app, and the instance through which they came."""
    instances = [other["holder"] for other in case.store.lineage(record["id"]) if other["kind"] == "service"]
    return set().union(*(instance_admission(name, case) for name in instances)) | those({
        "app denied": record["kind"] == "app" and is_denied("apps", record["holder"], case),
        "user denied": is_denied("users", record["subject"], case),
    })


def instance_admission(name, case):
    fault = "instance denied" if case.policy.get("only_instances") is None else "instance not selected"
    return those({fault: is_denied("instances", name, case)})


def assertion_grant(case):
    token, trusted = signed(case.parameter("assertion")), case.party["edu_id"]
    if token is None:
        return absence(case, "assertion")
    claims, expected = token.claims, {"iss": trusted["issuer"], "aud": case.audiences}
    faults = at("assertion", faults_of(token, named(token, trusted["keys"]), SERVICE_ASSERTION, expected, case.now))
    faults |= holder_faults(claims, case) | name_faults(claims.get("azp"), case) | confirmation_faults(claims, case)
    return faults | instance_admission(claims.get("azp"), case) | those({
        "assertion redeemed": claims.get("jti") in case.store.consumed, "assertion ended": claims.get("jti") in case.store.revoked,
        "target": case.parameter("resource") not in (None, case.party["issuer"]),
        "user denied": is_denied("users", claims.get("sub"), case),
    })


def holder_faults(claims, case):
    """Whether it is proved that an assertion comes from the holder of the key that it names."""
    if "cnf" not in claims:
        return set()
    key, token = claims["cnf"]["jwk"], signed(bearer(case.request))
    if "DPoP" in case.request["headers"]:
        return dpop_faults(key, None, case)
    if token is None:
        return at("holder", {"no credential"})
    return at("holder", proof_faults(token, key, claims["cnf"]["kid"], claims.get("azp", token.claims.get("iss")), case))


def confirmation_faults(claims, case):
    """Whether the edu-ID service, where it is asked, stands by an assertion, and says nothing else about it than the assertion does."""
    if "introspection" not in case.party["edu_id"]:
        return set()
    if case.answer is None or case.answer["status"] != 200:
        return {"unconfirmed"}
    facts, said = {"active": False, **parse(case.answer["body"])}, {**claims, "client_id": claims.get("azp"), "active": True}
    return those({"unconfirmed": facts != {name: said.get(name) for name in facts}})


def app_grant(case):
    record, faults = speaker(case)
    text, token = case.parameter("code"), signed(case.parameter("code"))
    faults |= scope_faults(case) | those({"no parameter": text is None, "opaque code": text is not None and token is None})
    if record is None:
        return faults
    faults |= liveness(record, case) | admission(record, case) | those({"kind": record["kind"] != "service"})
    return faults | app_code_faults(token, record, case) if token else faults


def app_code_faults(token, record, case):
    """The faults of an app code, which the key of the service token signs."""
    claims, name = token.claims, token.header.get("kid")
    expected = {"iss": record["holder"], "aud": {endpoint_of(case.party["document"], "org.ietf.oauth2", "authorize")[0]}}
    brought, own = json.loads(case.parameter("req_cnf") or "{}").get("jwk"), claims.get("cnf", {}).get("jwk")
    return at("code", faults_of(token, key_of(record, case.party), APP_CODE, expected, case.now)) | those({
        "kind": "azp" in claims, "code no key name": name is None, "code other key name": name not in (None, record["id"]),
        "code redeemed": code_record(record["id"], claims.get("jti", "")) in case.store.consumed,
        "two keys": brought and own and thumbprint(brought) != thumbprint(own), "app denied": is_denied("apps", claims.get("sub"), case),
    })


def code_record(ground, name):
    return "code-" + b64(sha256(f"{len(ground)}:{ground}{name}"))


def scope_faults(case):
    """Whether all that is asked for is on offer: protocols by their names, their endpoints, and what lies below."""
    document, asked = case.party["document"], (case.parameter("scope") or "").split()
    names = set(document["apis"]) - {"org.ietf.oauth2"}
    endpoints = " ".join(endpoint_of(document, name)[0] for name in names)
    offered = [word for word in asked if word in names or is_within(word, endpoints) and not climbs(word) and "?" not in word]
    return those({"scope": not asked or asked != offered})


def access_faults(given):
    case = Case(given)
    record, faults = speaker(case)
    if record is None:
        return faults
    is_outside = not is_within(case.url, scope_of(record))
    return faults | liveness(record, case) | admission(record, case) | at("service", those({"outside scope": is_outside}))


# Faults by endpoint

def token_endpoint(case):
    grant = case.parameter("grant_type")
    return GRANTS[case.role].get(grant, unsupported_grant)(case) if grant else {"no parameter"}


def unsupported_grant(case):
    return at(case.role, {"grant"})


def registration_elsewhere(case):
    return {"registration elsewhere"}


def open_to_all(case):
    return set()


GRANTS = {
    "edu-id": {"client_credentials": registration, "password": password_grant, "authorization_code": code_grant, "refresh_token": renewal},
    "service": {
        "client_credentials": registration_elsewhere, "authorization_code": app_grant, "refresh_token": renewal,
        "urn:ietf:params:oauth:grant-type:jwt-bearer": assertion_grant, "urn:ietf:param:oauth:grant-type:jwt-bearer": assertion_grant,
    },
}

# What is at each path: methods and judge. The authorization component of every service here is at `oauth`, as its description says.
ENDPOINTS = {
    "edu-id": {
        "/token": ("POST", token_endpoint), "/authorize-challenge": ("POST", authentication), "/authorize": ("GET POST", introduction),
        "/userinfo": ("GET POST", resource("personal", "assertion")), "/usage": ("GET", usage),
        "/discovery(/protocols|/services)?": ("POST", discovery), "/introspect": ("POST", introspection), "/revoke": ("POST", revocation),
        "/instances": ("GET", resource("personal")), "/instances/[^/]+": ("DELETE", disconnection),
        "/admin/(instances|versions)": ("GET", administration), "/admin/versions/[^/]+/block": ("POST", administration),
        "/admin/(instances|users)/[^/]+": ("DELETE", administration), "/jwks": ("GET", open_to_all),
        "/.well-known/oauth-authorization-server": ("GET", open_to_all),
    },
    "service": {
        "/oauth/token": ("POST", token_endpoint), "/oauth/revoke": ("POST", revocation), "/oauth/jwks": ("GET", open_to_all),
        "/rsd2.json": ("GET", open_to_all), "/services.txt": ("GET", open_to_all),
        "/.well-known/oauth-(authorization-server|protected-resource)": ("GET", open_to_all),
    },
}

# What is brought again, and what was taken back, ends whatever it gave.
ENDING = {"code redeemed", "rotated", "assertion redeemed", "assertion ended"}


def exchange_faults(given):
    case = Case(given)
    path = case.url.removeprefix(case.party["issuer"])
    methods, judge = next((entry for pattern, entry in ENDPOINTS[case.role].items() if re.fullmatch(pattern, path)), ("", None))
    if judge is None or case.request["method"] not in methods.split():
        return {"method" if judge else "page"}
    return judge(case) | those({"repeated": any(len(values) > 1 for values in case.parameters.values())})


def delivery_faults(given):
    """A message can be delivered while its service is in the federation."""
    message = next(iter(Store(given["store"]).messages.values()))
    return those({"nowhere": message["to"] not in {service["home"] for service in given["party"]["services"]}})


# Faults of links and service descriptions

def is_absolute(link):
    head, separator, _ = link.partition("://")
    return separator != "" and ":" not in head and "/" not in head


def normalized(url):
    """What identifies a service by its home page's URL."""
    parts = urllib.parse.urlsplit(url)
    port = {"https": ":443", "http": ":80"}.get(parts.scheme, "")
    return parts.scheme, parts.netloc.lower().removesuffix(port), parts.path.rstrip("/"), parts.query, parts.fragment


def climbs(link):
    return any(urllib.parse.unquote(segment) in (".", "..") for segment in link.partition("?")[0].split("/"))


def appended(base, part):
    return base.rstrip("/") + "/" + part.lstrip("/")


def endpoint_of(document, protocol, path=None):
    """The URL of a protocol's endpoint, or of a path below it, and the faults of the links that lead there."""
    if f"{protocol}.{path}" in document["apis"]:
        protocol, path = f"{protocol}.{path}", None
    url, faults = "", set()
    for link in (document.get("homePageLink", ""), document.get("engineLink", ""), document["apis"][protocol]["apiLink"]):
        if is_absolute(link):
            url, faults = link, base_faults(link)
        elif link:
            url, faults = appended(url, link), faults | part_faults(url, link)
    if path is None:
        return url, faults
    return appended(url, path), faults | part_faults(url, path) | those({
        "absolute path": is_absolute(path), "host as path": path.startswith("//"), "fragment": "#" in path})


def base_faults(link):
    parts = urllib.parse.urlsplit(link)
    is_local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return those({
        "scheme": parts.scheme not in ("https", "http"), "plain http": parts.scheme == "http" and not is_local, "user info": "@" in parts.netloc})


def part_faults(base, part):
    return those({"no base": not base, "base with query": "?" in base or "#" in base, "climbing": climbs(part)})


def document_faults(given):
    value, faults = {"json": json_document, "xml": xml_document, "yaml": yaml_document}[given["format"]](given["text"])
    if faults or "endpoint" not in given:
        return faults
    return endpoint_of(value, **given["endpoint"])[1]


def json_document(text):
    try:
        value = parse(text)
    except ValueError:
        return None, {"malformed object" if text.startswith("{") else "no JSON"}
    return value, model_faults(value)


def model_faults(value):
    """Whether a value is a service description, in the strict form or as lenient producers write it."""
    if not isinstance(value, dict) or not isinstance(value.get("apis"), (dict, list)):
        return {"no document"}
    apis = value["apis"] or {}
    links = [value.get(name, "") for name in ("engineLink", "homePageLink")] + [api.get("apiLink", "") for api in apis.values()]
    words = {str(api.get("preferred", False)).lower() for api in apis.values()}
    is_sound = all(isinstance(link, str) for link in links) and "" not in apis and words <= {"true", "false", "yes", "no"}
    return those({"no document": not is_sound})


def xml_document(text):
    if "<!DOCTYPE" in text:
        return None, {"steering"}
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        is_entity = expat.ErrorString(error.code) == expat.errors.XML_ERROR_UNDEFINED_ENTITY
        return None, {"entity" if is_entity else "malformed element"}
    if local(root) != "rsd" or root.get("version") not in ("1.0", "2.0"):
        return None, {"no document"}
    apis, value = [element for element in root.iter() if local(element) == "api"], of_xml(root)
    bindings = {"hierarchical" if len(api) else "attribute" for api in apis if len(api) or len(api.attrib) > 1}
    return value, model_faults(value) | those({
        "two bindings": len(bindings) > 1, "api twice": len({api.get("name") for api in apis}) < len(apis)})


def local(element):
    return element.tag.rpartition("}")[2]


def yaml_document(text):
    if not yaml:
        raise Unjudged
    try:
        is_steered = any(map(is_steering, yaml.parse(text)))
    except yaml.MarkedYAMLError as error:
        return None, {"indentation" if "\\t" in error.problem else "no document"}
    if is_steered:
        return None, {"steering"}
    value = yaml.safe_load(text)
    return value, model_faults(value) | those({"key twice": repeats_key(yaml.compose(text))})


def is_steering(event):
    """Whether an event of YAML is an anchor, an alias, a tag or a merge key."""
    is_merge = isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.implicit[0]
    return is_merge or any(getattr(event, name, None) for name in ("anchor", "tag"))


def repeats_key(node):
    if not isinstance(node, yaml.MappingNode):
        return False
    keys = [key.value for key, _ in node.value]
    return len(set(keys)) < len(keys) or any(repeats_key(value) for _, value in node.value)


# Faults on the device

def request_faults(given):
    request = parse(given["request"])
    faults = member_faults(request)
    if faults:
        return faults
    return (proposal_faults(request, given) if "token" in request else set()) | grant_faults(given.get("grants", []), request)


def member_faults(request):
    protocols, is_single = request.get("protocols"), request.get("single", False)
    is_list = isinstance(protocols, list) and protocols != [] and all(isinstance(name, str) for name in protocols)
    is_told = all(is_text(request.get(name)) for name in ("client_id", "app_id", "app_name"))
    return those({"member": not is_told or not is_list or not isinstance(is_single, bool), "empty name": is_list and "" in protocols})


def proposal_faults(request, given):
    """The faults of the text in which an app signs what it asks for."""
    token, keys = signed(request["token"]), given["registry"].get(request["app_id"])
    if token is None or keys is None:
        return {"unknown app" if token else "unreadable"}
    expected = {"iss": request["app_id"], "sub": request["client_id"], "name": request["app_name"], "aud": {"urn:ietf:params:oauth:assertion"}}
    return faults_of(token, named(token, keys), PROTOCOL_REQUEST, expected, given["now"])


def grant_faults(documents, request):
    faults = those({"two services": request.get("single") and len(documents) > 1})
    return faults.union(*(entry_faults(document, request["protocols"]) for document in documents))


def entry_faults(document, protocols):
    """Whether a service in an answer is authorized, by tokens of a known type, and offers what was asked for."""
    if not isinstance(document, dict):
        return {"no services"}
    given = [authorization_of(document, name) for name in protocols]
    return those({
        "no authorization": not any(given), "not offered": not set(protocols) <= set(document["apis"]),
        "sort of token": any(authorization and authorization["token_type"] not in ("Bearer", "PoP", "DPoP") for authorization in given),
    })


def authorization_of(document, protocol):
    """The authorization for a protocol, in each way in which authorizing apps write it: the protocol's own one wins."""
    own = document["apis"].get(protocol, {}).get("authorization")
    value = own or document.get("authorization") or document.get("token")
    return json.loads(value) if isinstance(value, str) else value


def response_faults(given):
    """The faults of an answer, and of the questions about the services in it."""
    protocols, answer = parse(given["request"])["protocols"], parse(given["answer"])
    documents = answer.get("services", list(answer.values())) if isinstance(answer, dict) else answer
    if not isinstance(documents, list):
        return {"no services"}
    held, faults = {}, set()
    for document in documents:
        flaws = entry_faults(document, protocols) or those({"service twice": normalized(document["homePageLink"]) in held})
        faults |= flaws
        held |= {} if flaws else {normalized(document["homePageLink"]): document}
    return faults | question_faults(held, protocols, given)


def question_faults(held, protocols, given):
    """The faults of the questions, one after the other: some of them change what is held."""
    held, refused, faults = dict(held), set(), set()
    for ask in given["asks"]:
        word, service = ask["ask"], normalized(ask["service"])
        if word in ("names", "serialize"):
            continue
        if word == "clear":
            held = {}
        elif service not in held:
            faults.add("unknown service")
        elif word in ("remove", "revoke"):
            del held[service]
        elif word == "refused":
            refused.add(ask["token"])
        elif word in ("endpoint", "token", "renew"):
            faults |= use_faults(held[service], ask, protocols, refused, given["now"])
    return faults


RESERVED = {"iss", "sub", "aud", "exp", "iat", "jti"}


def use_faults(document, ask, protocols, refused, begun):
    if ask["protocol"] not in protocols:
        return {"not granted"}
    authorization, (url, faults) = authorization_of(document, ask["protocol"]), endpoint_of(document, ask["protocol"], ask.get("path"))
    if ask["ask"] == "renew":
        return faults | those({"not renewable": "refresh_token" not in authorization})
    return faults | (token_faults(authorization, url, ask, refused, begun) if ask["ask"] == "token" else set())


def token_faults(authorization, url, ask, refused, begun):
    """Whether an authorization yields a token for a URL, with the caller's claims in it where it is made afresh."""
    is_over = ask.get("now", begun) - begun >= authorization.get("expires_in", math.inf)
    return those({
        "stale": is_over or authorization["access_token"] in refused, "outside authorization": not is_within(url, authorization.get("scope", url)),
        "reserved claim": "cnf" in authorization and not RESERVED.isdisjoint(ask.get("claims", {})),
    })


def state_faults(given):
    try:
        value = parse(given["text"])
    except ValueError:
        return {"no JSON"}
    if not isinstance(value, dict):
        return {"no object"}
    if value["nail"] != 1:
        return {"later version"}
    content = given["text"].partition('"state":')[2].removesuffix("}")
    return those({"changed": value["digest"] != b64(sha256(content))})


# The screens, and where events lead from them: for people who open the app, and for those from whom an app wants something.
EDU_ID_MODE = {
    "login": {"sign in": "authenticating"}, "authenticating": {"signed in": "profile", "sign-in failed": "login"},
    "profile": {"log out": "warning", "session ended": "login"}, "warning": {"confirm": "login", "turn back": "profile"},
}
AUTHORIZATION_MODE = {
    "login": {"sign in": "authenticating", "reject": "finished"},
    "authenticating": {"signed in": "searching", "sign-in failed": "login", "reject": "finished"},
    "searching": {"found": "candidates", "reject": "finished"},
    "candidates": {"pick": "candidates", "accept": "finished", "reject": "finished"}, "finished": {},
}


def mode_faults(given):
    screens, home = (AUTHORIZATION_MODE, "searching") if "request" in given else (EDU_ID_MODE, "profile")
    screen, picked = home if given.get("signed_in") else "login", set()
    for step in given["steps"]:
        event = "pick" if step.startswith("pick ") else step
        if event not in screens[screen]:
            return {event}
        screen, picked = screens[screen][event], picked | ({step[5:]} if event == "pick" else set())
    candidates, is_single = set(given.get("candidates", [])), parse(given.get("request", "{}")).get("single")
    return those({"choice": not picked <= candidates or is_single and "accept" in given["steps"] and len(picked or candidates) > 1})


JUDGES = {
    "exchange": exchange_faults, "access": access_faults, "delivery": delivery_faults, "document": document_faults,
    "protocol-request": request_faults, "protocol-response": response_faults, "state": state_faults, "mode": mode_faults,
}


def unjudged(given):
    raise Unjudged


def check_verdict(vector):
    """What is accepted has no fault, and what is refused has the one that its clause is about."""
    try:
        faults = JUDGES.get(vector["kind"], unjudged)(vector["given"])
    except Unjudged:
        UNJUDGED.append(vector)
        return
    if "refusal" not in vector["expect"]:
        demand(not faults, f"accepted, and has faults: {sorted(faults)}")
        return
    clause = clause_of(vector)
    demand([CLAUSE_OF.get(fault) for fault in faults] == [clause], f"refused for {clause}, and the faults are {sorted(faults)}")
    check_ending(faults, vector)
    COUNT["refusals"] += 1


def clause_of(vector):
    """The clause that a refusal cites, or its status where that is all there is."""
    refusal = vector["expect"]["refusal"]
    return refusal.get("clause", refusal.get("error"))


def check_ending(faults, vector):
    """What comes twice ends what it gave at first, and so does misuse where the policy says so: no other refusal ends anything."""
    is_misuse = "service outside scope" in faults and vector["given"]["party"].get("policy", {}).get("revokes_misuse", False)
    ends = any(change["do"] == "revoke" for change in vector["expect"].get("changes", []))
    demand(ends == (is_misuse or not faults.isdisjoint(ENDING)), "a refusal ends what it must not, or does not end what it must")


# What has to hold

def check_token(text, party, at, url):
    """An access token or assertion that the party gave, with its header and claims."""
    demand(is_signed_by(text, party["key"]), "a token of the party has another's signature")
    header, claims = claims_of(text)
    demand(header["kid"] == party["key"]["kid"], "a token names another key than the one that signed it")
    demand(claims["iss"] == party["issuer"], "a token has another issuer")
    demand(claims["iat"] == at and claims["exp"] > at, "a token has other times")
    return header, claims


def check_response(vector, given, store, records):
    """What a successful answer tells fits what is stored: token, record, key, refresh token, code."""
    body = vector["expect"].get("response", {}).get("body", "")
    try:
        answer = json.loads(body)
    except ValueError:
        return
    if not isinstance(answer, dict):
        return
    party, now = given["party"], given["now"]
    token = answer.get("access_token")
    if token and claims_of(token):
        header, claims = check_token(token, party, now, None)
        demand(header["typ"] == "at+jwt", "an access token is of another kind")
        record = records[claims["jti"].rsplit(".", 1)[0]]
        demand(claims["client_id"] == record["holder"], "an access token is for another holder than its record")
        key = key_of(record, party)
        confirmation = answer.get("cnf", {})
        if key and key["kty"] == "OKP":
            demand(claims["cnf"]["jwk"]["x"] == key["x"] == confirmation["jwk"]["x"], "an access token is bound to another key than its record")
            demand(claims["cnf"]["kid"] == record["id"], "the key of an access token has another name")
        elif key:
            demand(claims["cnf"] == {"kid": record["id"]}, "a symmetric key is told in an access token")
            demand(confirmation["jwk"]["k"] == key["k"], "the holder is told another symmetric key")
        demand(answer["token_type"] == ("PoP" if key else "Bearer"), "a token of another type")
        if "expires_in" in answer:
            demand(now + answer["expires_in"] == claims["exp"], "an access token expires at another time than it is told")
            demand(claims["exp"] == record["access"], "an access token expires at another time than its record")
        if "scope" in answer:
            demand(claims["scope"] == answer["scope"], "the answer tells another scope than the token")
            demand(set(answer["scope"].split()) <= set(record.get("scope", "").split()), "a token is for more than its grant")
        COUNT["hashes"] += 1
    elif token:
        name, secret = token.split(".")
        demand(records[name]["attributes"]["secret"] == b64(sha256(secret)), "a plain token is kept by another hash")
        COUNT["hashes"] += 1
    if "refresh_token" in answer:
        content, name = answer["refresh_token"].split(".")
        content, kept = raw(content), records[name]["refresh"]
        demand(len(content) == 52, "a refresh token of another length")
        demand(int.from_bytes(content[:4], "big") == kept["generation"], "a refresh token of another generation")
        demand(content[4:20] == mac(raw(kept["salt"]), "family" + name)[:16], "a refresh token of another family")
        demand(b64(sha256(content[20:])) == kept["hash"], "a refresh token is kept by another hash")
        COUNT["hashes"] += 3
    if "authorization_code" in answer:
        name, secret = answer["authorization_code"].split(".")
        demand(records[name]["attributes"]["secret"] == b64(sha256(secret)), "a code is kept by another hash")
        demand(records[name]["attributes"]["code_challenge"] == parameters(given["request"])["code_challenge"][0], "a code keeps another challenge")
        demand(records[name]["access"] == now + 60, "a code lives for another time")
        COUNT["hashes"] += 1
    if "code" in answer and claims_of(answer["code"]):
        header, claims = check_token(answer["code"], party, now, None)
        record = records[claims["jti"]]
        demand(header["typ"] == "authorization-grant+jwt" and claims["exp"] == now + 300, "an assertion of another kind or life")
        demand(claims["aud"] == record["audience"] and claims["azp"] == record["holder"], "an assertion for another service or instance")
        service = next(entry for entry in party["services"] if entry["issuer"] == claims["aud"])
        user, issuer = record["subject"], service["issuer"]
        name = user if service["subjects"] == "common" else b64(mac(raw(party["pseudonyms"]), f"{len(issuer)}:{issuer}{user}"))
        demand(claims["sub"] == name, "an assertion names the user otherwise")
        profile = next(entry["profile"] for entry in party["users"] if entry["subject"] == user)
        released = {claim: profile[claim] for claim in service["released_claims"] if claim in profile}
        demand({claim: claims[claim] for claim in profile if claim in claims} == released, "an assertion releases something else")
        demand(claims["cnf"]["jwk"]["x"] == key_of(next(r for r in store.lineage(record["parent"]) if r["kind"] == "client"), party)["x"], "an assertion binds another key")
        COUNT["hashes"] += 1
    if "user_token" in answer:
        check_token(answer["user_token"], party, now, None)


def check_chance(given, vector, records, before):
    """The names of new records follow from the vector's chance."""
    seed = bytes.fromhex(given["entropy"])
    demand(seed == sha256(vector["id"]), "the chance is not that of the vector's name")
    words = []
    for block in range(8):
        code = mac(seed, block.to_bytes(8, "big"))
        words += [code[start:start + 8] for start in (24, 16, 8, 0)]
    made = [b64(words[place][::-1] + words[place + 1][::-1]) for place in range(len(words) - 1)]
    for name, record in records.items():
        foreign = record["kind"] == "assertion" and given["party"]["role"] == "service"
        if name not in before and record["kind"] in ("client", "personal", "service", "app", "assertion") and not foreign:
            demand(name in made, "the name of a record does not follow from the chance")
            COUNT["hashes"] += 1


def check_server(vector, given):
    store = Store(given["store"])
    before = set(store.records)
    expect = vector["expect"]
    if vector["kind"] == "delivery":
        message = next(iter(store.messages.values()))
        demand("refusal" in expect or "token=" + urllib.parse.quote(message["body"]["token"], safe="") in expect["request"]["body"], "another message is delivered")
        return
    store.apply(expect.get("changes", []), given["now"])
    status = expect.get("response", {}).get("status", 200)
    if "refusal" in expect:
        demand(status >= 400, "a refusal with the status of a success")
        body = expect["response"].get("body")
        if body and "error" in expect["refusal"] and not expect["refusal"]["error"].startswith("http_"):
            demand(json.loads(body)["error"] == expect["refusal"]["error"], "the answer tells another error")
        inserted = [change for change in expect["changes"] if change["do"] in ("insert", "rotate") and change.get("record", {}).get("kind") != "assertion"]
        demand(not inserted, "a refusal gives something")
        demand("access_token" not in (body or ""), "a refusal tells a token")
    else:
        demand(status < 400, "a success with the status of a refusal")
        check_response(vector, given, store, store.records)
        check_chance(given, vector, store.records, before)
    headers = expect.get("response", {}).get("headers", {})
    if status == 401:
        demand("WWW-Authenticate" in headers, "a 401 without a challenge")
    if "Content-Type" in headers and "max-age" not in headers.get("Cache-Control", ""):
        demand(headers.get("Cache-Control") == "no-store", "an answer that may be kept")


def check_device(vector, given):
    expect, kind = vector["expect"], vector["kind"]
    if kind == "protocol-request":
        if "checked" in expect:
            demand(expect["checked"]["protocols"] == parse(given["request"])["protocols"], "another request was read")
    elif kind == "document":
        check_document(expect, given)


# Service descriptions, read by other people's parsers

def plain(value):
    """A document of YAML or lenient JSON as strict JSON: no empty lists for objects, yes and no for preferred, lists for transports."""
    value = copy.deepcopy(value)
    value["apis"] = value.get("apis") or {}
    for api in value["apis"].values():
        if str(api.get("preferred", False)).lower() in ("true", "yes"):
            api["preferred"] = True
        else:
            api.pop("preferred", None)
        if isinstance(api.get("transport"), str):
            api["transport"] = [api["transport"]]
        if not api.get("settings"):
            api.pop("settings", None)
    value.setdefault("engineLink", "")
    return value


def of_xml(root):
    service = next(iter(root))
    value = {}
    for child in service:
        if local(child) != "apis":
            value[local(child)] = child.text or ""
            continue
        value["apis"] = {}
        for api in child:
            members = {name: text for name, text in api.attrib.items() if name != "name"}
            for property in api:
                name, word = local(property), property.text or ""
                members[name] = members.get(name, []) + [word] if name == "transport" else word
            if "blogID" in members:
                members["engineId"] = members.pop("blogID")
            value["apis"][api.get("name")] = members
    return value


def check_document(expect, given):
    if "document" not in expect:
        return
    if given["format"] == "json":
        value = plain(parse(given["text"]))
    elif given["format"] == "xml":
        value = plain(of_xml(ElementTree.fromstring(given["text"])))
    elif yaml:
        value = plain(yaml.safe_load(given["text"]))
    else:
        return
    demand(value == expect["document"], f"another parser reads {value}")
    if "matches" in expect:
        demand(expect["matches"] == is_match(value, given["query"]), "a query is answered otherwise")
    if "endpoint" in expect:
        demand(expect["endpoint"] == endpoint_of(value, **given["endpoint"])[0], "an endpoint is at another place")
    COUNT["documents"] += 1


def is_match(document, query):
    """Whether a query for protocols or for home pages finds a service: by protocols only those that are mobile."""
    if any("://" in name for name in query):
        return normalized(document.get("homePageLink", "")) in map(normalized, query)
    return {"org.ietf.oauth2", *query} <= set(document["apis"])


# Running

def load(folder):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "vectors.json")
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            content = json.load(file, object_pairs_hook=strict)
        if jsonschema:
            with open(os.path.join(folder, "schema.json"), encoding="utf-8") as file:
                jsonschema.validate(content, json.load(file))
        for vector in content["vectors"]:
            given = dict(vector["given"])
            if "party" in given:
                given["party"] = content["parties"][given["party"]]
            if "store" in given:
                given["store"] = [content["batches"][place] for place in given["store"]]
            yield {**vector, "given": given}


def check(vector):
    COUNT["vectors"] += 1
    try:
        check_verdict(vector)
        if vector["kind"] in ("exchange", "access", "delivery"):
            check_server(vector, vector["given"])
        elif vector["kind"] in ("protocol-request", "document"):
            check_device(vector, vector["given"])
    except Wrong as wrong:
        raise Wrong(f"{vector['id']}: {wrong}") from None
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, StopIteration) as error:
        raise Wrong(f"{vector['id']}: {type(error).__name__} {error}") from None


def body_edit(change):
    def edit(vector):
        answer = json.loads(vector["expect"]["response"]["body"])
        change(answer)
        vector["expect"]["response"]["body"] = json.dumps(answer)
    return edit


def swapped(text, place=-3):
    return text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 or len(text):]


def record_edit(kind, change):
    def edit(vector):
        change(next(c["record"] for c in vector["expect"]["changes"] if c["do"] == "insert" and c["record"]["kind"] == kind))
    return edit


def request_edit(change):
    def edit(vector):
        headers = vector["given"]["request"]["headers"]
        headers["Authorization"] = change(headers["Authorization"])
    return edit


def setter(*path, to):
    def edit(vector):
        place = vector
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = to
    return edit


def without(do):
    def edit(vector):
        for batch in vector["given"]["store"]:
            batch["changes"] = [change for change in batch["changes"] if change["do"] != do]
    return edit


def parameter_edit(name, to):
    def edit(vector):
        request = vector["given"]["request"]
        pairs = [pair for pair in urllib.parse.parse_qsl(request["body"]) if pair[0] != name]
        request["body"] = urllib.parse.urlencode([*pairs, (name, to)])
    return edit


POLICY = ("given", "party", "policy")
CORRUPTIONS = [
    ("1/first", "signature of the token", body_edit(lambda a: a.update(access_token=swapped(a["access_token"])))),
    ("1/first", "key that the record is bound to", record_edit("client", lambda r: r.update(key="ed25519:" + "A" * 43))),
    ("1/first", "holder of the record", record_edit("client", lambda r: r.update(holder="somebody"))),
    ("1/first", "chance", setter("given", "entropy", to="00" * 32)),
    ("1/first", "type of the token", body_edit(lambda a: a.update(token_type="Bearer"))),
    ("1/without-key", "symmetric key that is told", body_edit(lambda a: a["cnf"]["jwk"].update(k="A" * 43))),
    ("2/code", "hash of the refresh token", record_edit("personal", lambda r: r["refresh"].update(hash="A" * 43))),
    ("2/code", "salt of the family", record_edit("personal", lambda r: r["refresh"].update(salt="A" * 43))),
    ("2/code", "expiry of the record", record_edit("personal", lambda r: r.update(access=r["access"] + 1))),
    ("2/challenge", "hash of the code", record_edit("code", lambda r: r["attributes"].update(secret="A" * 43))),
    ("2/challenge", "challenge", record_edit("code", lambda r: r["attributes"].update(code_challenge="A" * 43))),
    ("2/refresh", "generation", lambda v: next(c for c in v["expect"]["changes"] if c["do"] == "rotate")["to"].update(generation=7)),
    ("4/pairwise", "pseudonym", lambda v: v["given"]["party"].update(pseudonyms="A" * 43)),
    ("4/pairwise", "audience of the assertion", record_edit("assertion", lambda r: r.update(audience="https://other.example.ch"))),
    ("8/plain", "hash of the plain token", record_edit("app", lambda r: r["attributes"].update(secret="A" * 43))),
    ("8/app", "scope that is told", body_edit(lambda a: a.update(scope=a["scope"] + " https://alpha.example.ch/api/lti"))),
    ("9/endpoint", "signature of the request token", request_edit(swapped)),
    ("9/proof-stale", "clause", setter("expect", "refusal", "clause", to="RFC7515-5.2")),
    ("9/expired", "time", setter("given", "now", to=1_800_000_000)),
    ("2/profile-replayed", "store that has forgotten", without("remember")),
    ("5/twice", "error", setter("expect", "refusal", "error", to="invalid_client")),
    ("5/assertion-expired", "status", setter("expect", "response", "status", to=200)),
    ("9/dpop", "hash in the proof", request_edit(lambda text: swapped(text, -40))),
    ("rsd2/document-yaml", "document", setter("expect", "document", "engineName", to="Other")),
    ("rsd2/document-xml", "document", setter("expect", "document", "engineLink", to="https://other.example.ch/")),
    ("7/request-signed", "claims", lambda v: v["given"].update(request=v["given"]["request"].replace("device-7", "device-8"))),

    ("1/blocked-version", "version that is let in", lambda v: [version.pop("blocked", None) for version in v["given"]["party"]["versions"]]),
    ("1/downgrade", "version that the instance never had", without("insert")),
    ("1/get", "method", setter("given", "request", "method", to="POST")),
    ("1/no-grant-type", "grant type that is there", parameter_edit("grant_type", "client_credentials")),
    ("1/statement-unknown-version", "version that is registered", lambda v: v["given"]["party"]["versions"][0].update(kid="ios-9.9")),
    ("2/challenge-wrong-password", "password", parameter_edit("password", "correct horse battery staple")),
    ("2/code", "code verifier", parameter_edit("code_verifier", "A" * 43)),
    ("2/code-expired", "clock before the end of the code", setter("given", "now", to=1_800_000_059)),
    ("2/code-twice", "code that is not spent", without("consume")),
    ("2/code-twice", "revocation of what the code gave", setter("expect", "changes", to=[])),
    ("2/profile-dpop", "method of the proof", setter("given", "request", "method", to="POST")),
    ("2/profile-replayed", "clause", setter("expect", "refusal", "clause", to="threat-39")),
    ("2/profile-signed-out", "revocation of the token", without("revoke")),
    ("2/refresh-twice", "refresh token that was not rotated", without("rotate")),
    ("3/usage-absent", "usage manager", setter(*POLICY, to={})),
    ("4/unknown-service", "service that is known", parameter_edit("resource", "https://alpha.example.ch")),
    ("5/assertion", "instance that is denied", setter(*POLICY, to={"denied_instances": ["6f1c3c4e-7a3a-4c55-9d1e-0a4b8f7f0001"]})),
    ("5/assertion-expired", "second fault", setter(*POLICY, to={"denied_users": ["pseudonym-of-ada"]})),
    ("5/denied-user", "user who is admitted", setter(*POLICY, to={})),
    ("5/twice", "second fault", parameter_edit("resource", "https://beta.example.ch")),
    ("6/answer-inactive", "answer", setter("given", "answer", "body", to='{"active":true}')),
    ("6/credential-replayed", "store that has forgotten", without("remember")),
    ("8/app", "scope that is not offered", parameter_edit("scope", "https://alpha.example.ch/api")),
    ("8/code-too-long", "time near the end of the code", setter("given", "now", to=1_800_000_030)),
    ("9/endpoint", "time", setter("given", "now", to=1_800_000_061)),
    ("9/no-extension", "clause", setter("expect", "refusal", "clause", to="AUT-5")),
    ("9/revoked-by-app", "revocation of the token", without("revoke")),
    ("10/block-by-user", "administrator", setter(*POLICY, to={"administrators": ["user-0001"]})),
    ("10/delivery-nowhere", "service that is there", lambda v: v["given"]["party"]["services"].append({"home": "https://alpha.example.ch"})),
    ("7/answer-two-of-one", "app that can handle two", lambda v: v["given"].update(request=v["given"]["request"].replace("true", "false"))),
    ("7/mode-login-twice", "user who is signed in", lambda v: v["given"].pop("signed_in")),
    ("7/request-unknown-app", "registry", setter("given", "registry", to={"ch.example.reader": []})),
    ("nail/refused-bound-issuer", "claim that is the caller's own", lambda v: v["given"]["asks"][0].update(claims={"purpose": "reading"})),
    ("nail/refused-expired", "time of the question", lambda v: v["given"]["asks"][0].update(now=1_800_000_059)),
    ("rsd2/endpoint-climbing-encoded", "path", setter("given", "endpoint", "path", to="b")),
    ("rsd2/query-some", "match", setter("expect", "matches", to=True)),
]


def self_test(vectors):
    missed = []
    for name, what, corrupt in CORRUPTIONS:
        vector = copy.deepcopy(vectors[name])
        corrupt(vector)
        try:
            check(vector)
            missed.append(f"{name}: {what}")
        except Wrong:
            pass
    for line in missed:
        print("NOT NOTICED", line)
    print(f"{len(CORRUPTIONS) - len(missed)} of {len(CORRUPTIONS)} corrupted vectors noticed")
    return not missed


def recomputed(vectors):
    """How many refusals were recomputed, and which were not: their names, or how many they are of each clause where they are many."""
    refused = [vector for vector in vectors if "refusal" in vector["expect"]]
    left = [vector for vector in UNJUDGED if "refusal" in vector["expect"]]
    clauses = collections.Counter(map(clause_of, left))
    names = [vector["id"] for vector in left] if len(left) <= 5 else [f"{clause} ({count})" for clause, count in clauses.items()]
    return f"{COUNT['refusals']} of {len(refused)} refusals recomputed" + ("; only looked at: " + ", ".join(names) if names else "")


def main():
    vectors = list(load(sys.argv[1]))
    by_name = {vector["id"]: vector for vector in vectors}
    if "--self-test" in sys.argv:
        sys.exit(0 if self_test(by_name) else 1)
    wrong = []
    for vector in vectors:
        try:
            check(vector)
        except Wrong as error:
            wrong.append(str(error))
    for line in wrong:
        print("WRONG", line)
    others = ", ".join(name for name, module in (("joserfc", True), ("jwcrypto", other_jws), ("PyJWT", pyjwt), ("PyYAML", yaml), ("jsonschema", jsonschema)) if module)
    print(", ".join(f"{count} {name}" for name, count in COUNT.items()), f"checked with {others}; {len(wrong)} wrong")
    print(recomputed(vectors))
    shown = {}
    for vector in vectors:
        for requirement in vector["proves"]:
            shown.setdefault(requirement, [0, 0])["refusal" in vector["expect"]] += 1
    with open(os.path.join(sys.argv[1], "..", "requirements.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    print("Requirement → vectors (accepted + refused):")
    print(" ".join(f"{row[0]}:{shown.get(row[0], [0, 0])[0]}+{shown.get(row[0], [0, 0])[1]}" for row in rows))
    sys.exit(1 if wrong else 0)


main()
