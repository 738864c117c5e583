"""Single changes of a value: each is a label of what was done, the place where, and the value after it."""

import random
import re

from . import curves, ed25519, keys
from .formats import base64url, base64url_bytes, form, hmac, read_form
from .json_text import Number, compact_json, json_type, number_of, read_json, read_object, same
from .jws import COMPACT
from .refusals import Refusal

# What the members of an expectation are called here.
PLACES = {
    "response": "response", "headers": "header field", "body": "body", "changes": "changes", "questions": "questions",
    "verdicts": "verdicts", "granted": "granted", "request": "request", "next": "request", "attempt": "attempt",
    "results": "results", "status": "status",
}
VERDICTS = {"live": "revoked", "revoked": "expired", "expired": "consumed", "consumed": "unknown", "unknown": "live"}
INSIDE = ("changes", "questions", "results")


class Editor:
    """Finds all single changes of a value; the keys sign tokens in it again, the seed decides about places in texts."""

    def __init__(self, signers, seed):
        self.signers, self.seed = signers, seed

    def edits(self, value, place="answer", path="", name=None):
        kind = json_type(value)
        if kind == "object":
            yield from self.object_edits(value, place, path)
        elif kind == "array":
            yield from self.array_edits(value, place, path)
        elif kind == "string":
            yield from self.string_edits(value, place, path, name)
        elif kind == "number":
            yield f"{place}: number changed", path, other_number(value)
            if isinstance(value, int):
                yield f"{place}: number in another form", path, Number(f"{value}.0")
        elif kind == "boolean":
            yield f"{place}: flag inverted", path, not value
            yield f"{place}: flag as a number", path, int(value)
        else:
            yield f"{place}: null filled", path, ""

    def object_edits(self, value, place, path):
        for name, member in value.items():
            others = {other: value[other] for other in value if other != name}
            yield f"{place}: member dropped", f"{path}.{name}", others
            inner = place if place in INSIDE else PLACES.get(name, place)
            for label, where, changed in self.edits(member, inner, f"{path}.{name}", name):
                yield label, where, {**value, name: changed}
        yield f"{place}: member added", path, {**value, "x-added": "added"}
        if len(value) > 1:
            yield f"{place}: members in another order", path, dict(reversed(value.items()))

    def array_edits(self, value, place, path):
        for n, element in enumerate(value):
            yield f"{place}: element dropped", f"{path}[{n}]", value[:n] + value[n + 1:]
            yield f"{place}: element doubled", f"{path}[{n}]", value[:n + 1] + value[n:]
            if n + 1 < len(value) and not same(element, value[n + 1]):
                swapped = [*value[:n], value[n + 1], element, *value[n + 2:]]
                yield f"{place}: two elements swapped", f"{path}[{n}]", swapped
            for label, where, changed in self.edits(element, place, f"{path}[{n}]"):
                yield label, where, [*value[:n], changed, *value[n + 1:]]

    def string_edits(self, text, place, path, name):
        if COMPACT.fullmatch(text) and (signed := read_token(text)):
            yield from self.token_edits(text, signed, place, path)
            return
        yield f"{place}: text changed", path, self.altered(text, path)
        yield f"{place}: text longer", path, text + "x"
        if text:
            yield f"{place}: text cut", path, text[:-1]
        if name == "verdict":
            yield f"{place}: another verdict", path, VERDICTS[text]
        if name == "url" and place == "questions":
            yield f"{place}: sent to another service", path, text.replace("://", "://other.", 1)
        if name == "body":
            yield from self.body_edits(text, place, path)

    def altered(self, text, path):
        """A text with one character changed."""
        if not text:
            return "x"
        n = random.Random(f"{self.seed} {path}").randrange(len(text))
        return text[:n] + ("A" if text[n] != "A" else "B") + text[n + 1:]

    def body_edits(self, text, place, path):
        """Changes inside of a body, which then is written as it was."""
        inner = place if place in INSIDE else "body"
        for reading, writing in ((read_json, compact_json), (read_form, form)):
            try:
                value = reading(text)
            except Refusal:
                continue
            if writing(value) == text and isinstance(value, (dict, list)):
                for label, where, changed in self.edits(value, f"{inner}, inside", f"{path}:"):
                    yield label, where, written(writing, changed)
                return

    def token_edits(self, text, parts, place, path):
        """Changes of a token, signed again by its own key where that is known."""
        header, claims, content, signature = parts
        signer = next((key for key in self.signers if is_signer(key, header, content, signature)), None)
        how = "signed again" if signer else "with the old signature"
        for of, value in (("claims", claims), ("header", header)):
            for label, where, changed in self.edits(value, f"{place}, token {of}", f"{path}/{of}"):
                both = (header, changed) if of == "claims" else (changed, claims)
                yield f"{label}, {how}", where, signed_again(signer, header, both, signature)
        head, _, tail = text.rpartition(".")
        yield f"{place}: signature changed", path, f"{head}.{'B' if tail[0] == 'A' else 'A'}{tail[1:]}"


def other_number(value):
    """The number with another first digit."""
    if isinstance(value, int):
        return value + 1
    return number_of(re.sub("[0-9]", lambda digit: "2" if digit[0] == "1" else "1", value.text, count=1))


def written(writing, value):
    """A body after a change; what cannot be a pair of a form is written as JSON."""
    try:
        return writing(value)
    except (TypeError, ValueError, AttributeError):
        return compact_json(value)


# Tokens

def read_token(text):
    """Header, claims, what is signed, and the signature of a token, or nothing where the text is none."""
    head, payload, tail = text.split(".")
    try:
        header, claims = (read_object(base64url_bytes(part)) for part in (head, payload))
        return header, claims, f"{head}.{payload}", base64url_bytes(tail)
    except Refusal:
        return None


def is_signer(key, header, content, signature):
    return code(key, header, content) == signature


def code(key, header, content):
    """What a key signs by the algorithm that a header names, or nothing."""
    algorithm = header.get("alg")
    if key["kty"] == "oct" and algorithm in tuple(keys.HMACS):
        return hmac(keys.bytes_in(key, "k"), content, keys.HMACS[algorithm][0])
    if key["kty"] == "OKP" and algorithm in keys.EDDSA:
        return ed25519.sign(keys.bytes_in(key, "d"), content.encode())
    if key["kty"] == "EC" and keys.curve_of(key) and algorithm == keys.fitting_algorithms(key)[0]:
        return curves.sign(keys.curve_of(key), keys.bytes_in(key, "d"), content.encode())
    return None


def signed_again(key, header, parts, signature):
    """A token of other parts, signed as the first one was; without its key the signature stays."""
    content = ".".join(base64url(compact_json(part).encode()) for part in parts)
    return f"{content}.{base64url(code(key, header, content) if key else signature)}"


def signers_in(value):
    """All private and symmetric keys that stand in a value, also in texts of JSON."""
    if isinstance(value, list):
        return [key for element in value for key in signers_in(element)]
    if isinstance(value, str) and value.startswith(("{", "[")):
        return signers_in(readable(value))
    if not isinstance(value, dict):
        return []
    own = [value] if "kty" in value and {"d", "k"} & value.keys() else []
    return own + [key for member in value.values() for key in signers_in(member)]


def readable(text):
    try:
        return read_json(text)
    except Refusal:
        return None
