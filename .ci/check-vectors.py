"""Checks the conformance vectors without the code that made them: signatures, hashes, what is refused and why, and how vectors belong together.

Arguments: the folder of the vectors; `--self-test` corrupts vectors in twenty different ways and demands that each is noticed.
Besides the standard library it needs `joserfc`; where PyJWT, jwcrypto, PyYAML and jsonschema are installed, they have to agree.
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
    import jsonschema
except ImportError:
    jsonschema = None
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


# What has to hold

def bearer(request):
    text = request["headers"].get("Authorization", "")
    return text[7:] if text.startswith("Bearer ") else None


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


def check_request_token(vector, given, store):
    """A positive request proves what it has to; a negative one has the fault that it is refused for, and no other that can be seen."""
    party, now, request = given["party"], given["now"], given["request"]
    text = bearer(request)
    parsed = claims_of(text) if text else None
    if parsed is None:
        return
    header, claims = parsed
    record = store.records.get(header.get("kid"))
    clause = vector["expect"].get("refusal", {}).get("clause")
    if record is None or "key" not in record:
        return
    url = request["url"].split("?")[0]
    faults = faults_of(header, claims, text, record, party, url, now)
    if clause is None:
        demand(not faults, f"an accepted request token has faults: {sorted(faults)}")
    elif clause in CLAUSES:
        params = parameters(request)
        if "assertion" in params or "code" in params or "instance_assertion" in params:
            demand(len(faults) <= 1, f"more than one fault: {sorted(faults)}")
            return
        demand(faults == {CLAUSES[clause]}, f"refused for {clause}, and the faults are {sorted(faults)}")
        COUNT["refusals"] += 1
    elif clause == "TOK-1":
        kind = "expired" if "access" in record and now >= record["access"] else "revoked"
        demand(not store.is_live(record["id"], now), f"refused as {kind}, and it is neither expired nor revoked")
        demand(not faults, f"refused as {kind}, and has faults: {sorted(faults)}")
        COUNT["refusals"] += 1
    elif clause == "threat-36" and vector["id"].endswith("-replayed"):
        key = key_of(record, party)
        owner = thumbprint(key) if key["kty"] == "OKP" else record["id"]
        demand(remembered("request token", owner, claims["jti"]) in store.remembered, "refused as a replay, and not in the store")
        COUNT["refusals"] += 1


def faults_of(header, claims, text, record, party, url, now):
    key, faults = key_of(record, party), set()
    if str(header.get("alg")).lower() == "none" or "alg" not in header:
        faults.add("unsecured")
    elif header["alg"] != ("HS256" if key["kty"] == "oct" else "EdDSA"):
        faults.add("algorithm")
    elif "crit" not in header and not is_signed_by(text, key):
        faults.add("signature")
    if "crit" in header:
        faults.add("critical")
    if header.get("typ") not in ("request+jwt", "JWT", None):
        faults.add("type")
    if not {"iss", "aud", "iat", "jti"} <= set(claims):
        faults.add("missing")
    if claims.get("iss", record["holder"]) != record["holder"]:
        faults.add("issuer")
    audience = claims.get("aud", url)
    if isinstance(audience, list):
        faults.add("audiences")
    elif audience != url:
        faults.add("audience")
    issued = claims.get("iat", now)
    if not isinstance(issued, int):
        faults.add("number")
    elif not now - 60 <= issued <= now + 60:
        faults.add("age")
    if now >= claims.get("exp", now + 1):
        faults.add("expired")
    if claims.get("nbf", now) > now + 60:
        faults.add("not-yet")
    return faults


# Clauses, and the fault that each of them is about
CLAUSES = {
    "RFC7515-5.2": "signature", "RFC7519-4.1.1": "issuer", "RFC7519-4.1.3": "audience", "RFC7519-4.1.4": "expired", "RFC7519-4.1.5": "not-yet",
    "RFC7519-4.1.6": "age", "threat-24": "audiences", "RFC7519-4": "missing", "RFC7519-2": "number", "RFC8725-3.1": "algorithm",
}


def check_proofs(given, vector):
    """PKCE, and the hash in a DPoP proof."""
    request, accepted = given["request"], "refusal" not in vector["expect"]
    params = parameters(request)
    if "code_verifier" in params and accepted:
        store = Store(given["store"])
        record = store.records[params["code"][0].split(".")[0]]
        demand(record["attributes"]["code_challenge"] == b64(sha256(params["code_verifier"][0])), "the verifier does not meet the challenge")
        COUNT["hashes"] += 1
    proof = request["headers"].get("DPoP")
    if proof and accepted:
        header, claims = claims_of(proof)
        demand(is_signed_by(proof, header["jwk"]), "a DPoP proof has another key's signature")
        demand(claims["htm"] == request["method"] and claims["htu"] == request["url"], "a DPoP proof is for another request")
        authorization = request["headers"].get("Authorization", "")
        if authorization.startswith("DPoP "):
            demand(claims["ath"] == b64(sha256(authorization[5:])), "a DPoP proof is for another token")
        COUNT["hashes"] += 1
    for name, values in params.items():
        if accepted and name == "client_assertion" and claims_of(values[0]):
            header, claims = claims_of(values[0])
            party = given["party"]
            keys = {v["kid"]: v["key"] for v in party.get("versions", [])}
            keys |= {key["kid"]: key for service in party.get("services", []) for key in service["keys"]}
            keys |= {key["kid"]: key for key in party.get("edu_id", {}).get("keys", [])}
            demand(is_signed_by(values[0], keys[header["kid"]]), "an accepted client assertion has another key's signature")
    if accepted and "assertion" in params and given["party"]["role"] == "service":
        trusted = given["party"]["edu_id"]
        header, claims = claims_of(params["assertion"][0])
        demand(is_signed_by(params["assertion"][0], trusted["keys"][0]), "an accepted assertion has another key's signature")
        demand(claims["iss"] == trusted["issuer"] and now_within(claims, given["now"]), "an accepted assertion is by another or too old")


def now_within(claims, now):
    return claims["iat"] - 60 <= now < claims["exp"]


def check_server(vector, given):
    store = Store(given["store"])
    before = set(store.records)
    expect = vector["expect"]
    if vector["kind"] == "delivery":
        message = next(iter(store.messages.values()))
        demand("refusal" in expect or "token=" + urllib.parse.quote(message["body"]["token"], safe="") in expect["request"]["body"], "another message is delivered")
        return
    if "request" in given and given["request"]:
        check_request_token(vector, given, store)
        check_proofs(given, vector)
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
        try:
            request = json.loads(given["request"])
        except ValueError:
            return
        token = request.get("token")
        if token and "refusal" not in expect:
            header, claims = claims_of(token)
            demand(is_signed_by(token, given["registry"][request["app_id"]][0]), "an accepted request has another key's signature")
            expected = {"iss": request["app_id"], "sub": request["client_id"], "name": request["app_name"], "aud": "urn:ietf:params:oauth:assertion"}
            demand({name: claims[name] for name in expected} == expected, "an accepted request says something else than its text")
        if "checked" in expect:
            demand(expect["checked"]["protocols"] == request["protocols"], "another request was read")
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


def of_xml(text):
    root = ElementTree.fromstring(text)
    local = lambda name: name.rsplit("}", 1)[-1]
    service = next(iter(root))
    value = {"apis": {}}
    for child in service:
        if local(child.tag) != "apis":
            value[local(child.tag)] = child.text or ""
            continue
        for api in child:
            members = {name: text for name, text in api.attrib.items() if name != "name"}
            for property in api:
                name, word = local(property.tag), property.text or ""
                members[name] = members.get(name, []) + [word] if name == "transport" else word
            if "blogID" in members:
                members["engineId"] = members.pop("blogID")
            value["apis"][api.get("name")] = members
    return value


def check_document(expect, given):
    if "document" not in expect:
        text = given["text"]
        if given["format"] == "json" and expect["refusal"]["clause"] == "RFC8259-4":
            try:
                parse(text)
                raise Wrong("refused as malformed, and it is not")
            except ValueError:
                pass
        return
    if given["format"] == "json":
        value = plain(parse(given["text"]))
    elif given["format"] == "xml":
        value = plain(of_xml(given["text"]))
    elif yaml:
        value = plain(yaml.safe_load(given["text"]))
    else:
        return
    demand(value == expect["document"], f"another parser reads {value}")
    COUNT["documents"] += 1


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
        if vector["kind"] in ("exchange", "access", "delivery"):
            check_server(vector, vector["given"])
        elif vector["kind"] in ("protocol-request", "document"):
            check_device(vector, vector["given"])
    except Wrong as wrong:
        raise Wrong(f"{vector['id']}: {wrong}") from None
    except (KeyError, IndexError, TypeError, ValueError, StopIteration) as error:
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
    ("2/profile-replayed", "store that has forgotten", lambda v: [b.update(changes=[c for c in b["changes"] if c["do"] != "remember"]) for b in v["given"]["store"]]),
    ("5/twice", "error", setter("expect", "refusal", "error", to="invalid_client")),
    ("5/assertion-expired", "status", setter("expect", "response", "status", to=200)),
    ("9/dpop", "hash in the proof", request_edit(lambda text: swapped(text, -40))),
    ("rsd2/document-yaml", "document", setter("expect", "document", "engineName", to="Other")),
    ("rsd2/document-xml", "document", setter("expect", "document", "engineLink", to="https://other.example.ch/")),
    ("7/request-signed", "claims", lambda v: v["given"].update(request=v["given"]["request"].replace("device-7", "device-8"))),
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
