"""Other people's libraries have to agree: about signed texts, keys, hashes, codes, formats, and the schema."""

import contextlib
import hashlib
import hmac
import json
import os
import re
import warnings
import xml.etree.ElementTree as ElementTree
from unittest import mock

import joserfc.jwk
import jsonschema
import jwcrypto.jwk
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from . import curves, ed25519, formulas, jose, jws, openssl_keys, rsd_xml, rsd_yaml
from .check import attempt, vectors
from .formats import base64url, base64url_bytes
from .given_edits import check_edits
from .json_text import Number, same
from .refusals import Refusal
from .verifiers import READERS, cryptography_accepts

# The extensions that a party is told to understand are unknown to PyJWT: no library is asked about such a text.
EXTENSIONS = {"crit", "b64"}
TOKEN = re.compile(r"[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{8,}")
MATERIAL = ("kty", "crv", "x", "y", "n", "e", "k")
CHECKED, MADE = "signed texts checked by a party", "signed texts made by a party"
THINGS = (
    "files", CHECKED, MADE, "Ed25519 signatures", "ECDSA signatures", "RSA signatures", "key documents", "hashes",
    "codes", "thumbprints", "JSON", "YAML", "XML")

# What is asked about vectors of a kind.
KINDS = {kind: kind for kind in ("hash", "mac", "sign", "signature", "jwk", "json", "document")} | {
    "key-document": "document_of_key", "signature-form": "form_of_signature"}


class Audit:
    """Asks the libraries, counts what they were asked about, and keeps where they say something else."""

    def __init__(self):
        self.counts, self.wrong, self.asked, self.place = dict.fromkeys(THINGS, 0), [], set(), ""
        self.signed, self.told = set(), set()

    def demand(self, what, holds, words):
        self.counts[what] += 1
        if not holds:
            self.wrong.append(f"{self.place}: {words}")

    # Signed texts, as a party asks about them

    def signed_text(self, what, header, content, signature, key, verdict):
        algorithm, bare = header["alg"], {name: key[name] for name in MATERIAL if name in key}
        question = content, signature, json.dumps(bare), verdict
        self.signed.add(f"{content.decode()}.{base64url(signature)}")
        if EXTENSIONS & header.keys() or question in self.asked:
            return
        self.asked.add(question)
        text = f"{content.decode()}.{base64url(signature)}"
        # PyJWT does not know the name of RFC 9864.
        readers = {name: accepts for name, accepts in READERS.items() if (name, algorithm) != ("PyJWT", "Ed25519")}
        said = {name: accepts(text, bare, algorithm) for name, accepts in readers.items()}
        self.demand(what, {*said.values()} == {verdict}, f"of a signed text the party says {verdict}, {said}")

    def ed25519(self, public, message, signature, verdict):
        """Here `cryptography` is laxer: it takes R and keys of small order, and keys in another form than the only one.

        The formulas have to agree always.
        """
        question = public, message, signature, verdict
        if question in self.asked:
            return
        self.asked.add(question)
        by_library, by_formulas = cryptography_accepts(*question[:3]), formulas.is_signature(*question[:3])
        lax = by_library and not verdict and not all(map(is_strict, (public, signature[:32])))
        self.demand("Ed25519 signatures", by_formulas == verdict and (by_library == verdict or lax),
                    f"of a signature the party says {verdict}, the formulas {by_formulas}, the library {by_library}")

    @contextlib.contextmanager
    def watching(self):
        """Follows all signatures that a party checks or makes."""
        is_signed_by, issue, is_signature = jws.is_signed_by, jose.issue, ed25519.is_signature

        def watched_check(signed, key):
            verdict = is_signed_by(signed, key)
            self.signed_text(
                CHECKED, signed.header, signed.content, signed.signature, key, verdict)
            return verdict

        def watched_issue(claims, key, *more, **parameters):
            text = issue(claims, key, *more, **parameters)
            content, _, signature = text.rpartition(".")
            header = json.loads(base64url_bytes(content.partition(".")[0]))
            raw = content.encode(), base64url_bytes(signature)
            self.signed_text(MADE, header, *raw, key, True)
            if key["kty"] == "OKP":
                self.ed25519(base64url_bytes(key["x"]), *raw, True)
            return text

        def watched_signature(public, message, signature):
            verdict = is_signature(public, message, signature)
            self.ed25519(public, message, signature, verdict)
            return verdict

        with mock.patch.object(jws, "is_signed_by", watched_check), mock.patch.object(jose, "issue", watched_issue), \
                mock.patch.object(ed25519, "is_signature", watched_signature):
            yield

    # Kinds of vectors about one format or function

    def chance(self, vector):
        seed = hashlib.sha256(vector["id"].encode()).hexdigest()
        self.demand("hashes", vector["given"]["entropy"] == seed, "the chance is not that of the vector's name")

    def hash(self, given, expect):
        found = hashlib.new(given["algorithm"], bytes.fromhex(given["message"])).hexdigest()
        self.demand("hashes", expect == {"digest": found}, f"hashlib says {found}")

    def mac(self, given, expect):
        code = hmac.digest(bytes.fromhex(given["key"]), bytes.fromhex(given["message"]), given["algorithm"]).hex()
        known = {"code": code} if "code" not in given else {"valid": True} if given["code"] == code else None
        self.demand("codes", expect == known or known is None and "refusal" in expect, f"hmac says {code}")

    def sign(self, given, expect):
        if "refusal" in expect:
            return
        message = bytes.fromhex(given["message"])
        told = tuple(bytes.fromhex(expect[name]) for name in ("public", "signature"))
        if "curve" in given:
            found = openssl_keys.signed(given["curve"], bytes.fromhex(given["scalar"]), message)
            self.demand("ECDSA signatures", told == found, f"cryptography says {found}")
            return
        seed = bytes.fromhex(given["seed"])
        key = Ed25519PrivateKey.from_private_bytes(seed)
        found = key.public_key().public_bytes_raw(), key.sign(message)
        self.demand("Ed25519 signatures", told == found == formulas.signed(seed, message), f"cryptography says {found}")

    def signature(self, given, expect):
        """The library takes small moduli, and exponents that are no odd number within the bounds: those may be refused."""
        message, signature = (bytes.fromhex(given[name]) for name in ("message", "signature"))
        verdict = expect == {"valid": True}
        if "modulus" in given:
            numbers = bytes.fromhex(given["modulus"]), bytes.fromhex(given["exponent"])
            found = openssl_keys.accepts_numbers(*numbers, message, signature, given["algorithm"])
            is_lax = not verdict and expect["refusal"]["clause"] in ("KEY-3", "RFC7518-3.3", "RFC7518-6.3.1", "RFC8017-3.1")
            self.demand("RSA signatures", found == verdict or is_lax, f"cryptography says {found}")
        elif "curve" in given:
            public = bytes.fromhex(given["public"])
            found = openssl_keys.accepts_point(given["curve"], public, message, signature)
            self.demand("ECDSA signatures", found == verdict, f"cryptography says {found}")
        else:
            self.ed25519(bytes.fromhex(given["public"]), message, signature, verdict)

    def document_of_key(self, given, expect):
        """What the library cannot read is refused; what it reads otherwise or too kindly may be refused.

        It knows no version 2 of PKCS #8, which has the public key behind the private one.
        """
        if given.get("secret") and "020101" in given.get("bytes", "")[4:14] and "refusal" not in expect:
            return
        is_text = "text" in given
        data = given["text"].encode() if is_text else bytes.fromhex(given["bytes"])
        found = openssl_keys.public_jwk(data, is_text, given.get("secret", False))
        self.demand("key documents", "refusal" in expect or found == expect["jwk"], f"cryptography says {found}")

    def form_of_signature(self, given, expect):
        if "refusal" in expect:
            return
        raw, der = (bytes.fromhex((given | expect)[name]) for name in ("raw", "der"))
        found = openssl_keys.raw_signature(curves.CURVES[given["curve"]].size, der)
        self.demand("ECDSA signatures", found == raw, f"cryptography says {found}")

    def jwk(self, given, expect):
        if "refusal" in expect:
            return
        key = json.loads(given["text"])
        public = {name: value for name, value in key.items() if name in MATERIAL}
        for library, thumbprint in (
                ("joserfc", lambda: joserfc.jwk.import_key(public).thumbprint()),
                ("jwcrypto", lambda: jwcrypto.jwk.JWK(**public).thumbprint())):
            found = thumbprint()
            self.demand("thumbprints", found == expect["thumbprint"], f"{library} says {found}")

    def json(self, given, expect):
        data = bytes.fromhex(given["bytes"]) if "bytes" in given else given["text"].encode("utf-8", "surrogatepass")
        self.compare("JSON", lambda: json.loads(data, parse_float=Number), expect, lambda: expect["value"])

    def document(self, given, expect):
        if given["format"] == "yaml":
            self.compare("YAML", lambda: yaml.safe_load(given["text"]), expect,
                         lambda: plain(rsd_yaml.read(given["text"])))
        elif given["format"] == "xml":
            self.compare("XML", lambda: words_of(ElementTree.fromstring(given["text"])), expect,
                         lambda: {*leaves(rsd_xml.read(given["text"]))}, lambda found, told: told <= found)

    def compare(self, what, reading, expect, told, agree=same):
        """What a library cannot read is refused, and of what is accepted it reads the same.

        What it reads may be refused: libraries take members that come twice, anchors, tags and document types.
        """
        try:
            found = reading()
        except (ValueError, RecursionError, yaml.YAMLError, ElementTree.ParseError) as error:
            self.demand(what, "refusal" in expect, f"no {what}: {error}")
            return
        if "refusal" not in expect:
            self.demand(what, agree(found, told()), f"the {what} is read as {found}")


def is_strict(data):
    point = ed25519.point_of(data)
    return point is not None and not ed25519.is_of_small_order(point)


def signed_texts(value):
    """All texts in a value that are signed ones by their form."""
    return {token for text in leaves(value) for token in TOKEN.findall(text) if is_header(token.partition(".")[0])}


def is_header(text):
    try:
        header = json.loads(base64url_bytes(text))
    except (Refusal, ValueError):
        return False
    return isinstance(header, dict) and "alg" in header


def plain(value):
    """A value with numbers of Python in it."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [*map(plain, value)]
    return float(value) if isinstance(value, Number) else value


def leaves(value):
    """All texts in a value."""
    if isinstance(value, (dict, list)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from leaves(member)
    elif isinstance(value, str) and value.strip():
        yield value.strip()


def words_of(root):
    return {text.strip() for element in root.iter() for text in (element.text or "", *element.attrib.values())}


def check_schema(folder, audit):
    """Every file of vectors is as the schema says."""
    with open(os.path.join(folder, "schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for audit.place in sorted(os.listdir(folder)):
        path = os.path.join(folder, audit.place, "vectors.json")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                error = next(validator.iter_errors(json.load(file)), None)
            words = error and f"schema: {error.json_path}: {error.message[:200]}"
            audit.demand("files", error is None, words)


def check_libraries(folder, answer):
    """What was checked how often, and what is wrong; where nothing was checked of something, that is."""
    warnings.simplefilter("ignore")
    audit = Audit()
    check_schema(folder, audit)
    for _, vector in vectors(folder):
        audit.place, kind = vector["id"], vector["kind"]
        with audit.watching():
            attempt(answer, vector)
        if "refusal" not in vector["expect"]:
            audit.told.update(signed_texts([vector["given"], vector["expect"]]))
        if "entropy" in vector["given"]:
            audit.chance(vector)
        if kind in KINDS:
            getattr(audit, KINDS[kind])(vector["given"], vector["expect"])
    audit.place = "changes of what is given"
    with audit.watching():
        check_edits(folder, answer)
    nothing = [f"nothing was checked of {what}" for what, number in audit.counts.items() if not number]
    passed_on = {"signed texts of accepted vectors that are only passed on": len(audit.told - audit.signed)}
    return audit.counts | passed_on, audit.wrong + nothing
