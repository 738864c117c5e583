"""Confirmations: the key that a token is bound to, or that one wants it bound to (Fixtures/protocol/keys.md)."""

from . import keys
from .formats import base64url_bytes, check_name, json_type
from .refusals import Flaw

KEY_MEMBERS = ("jwk", "jwe", "jku", "jkt")


def malformed(why):
    return Flaw("RFC7800-3.1", f"the confirmation is malformed: {why}")


def read_confirmation(value):
    """The object, if it means one key."""
    if not isinstance(value, dict):
        raise malformed(f"$ is {json_type(value)}, expected object")
    if "kid" in value:
        check_kid(value["kid"])
    told = [name for name in KEY_MEMBERS if name in value]
    if len(told) > 1:
        raise malformed("it names more than one key")
    for name in told:
        check_key_member(name, value[name])
    if not told and "kid" not in value:
        raise malformed("it names no key")
    return value


def check_kid(name):
    check_text("kid", name)
    try:
        check_name(name)
    except Flaw as flaw:
        raise Flaw("RFC7800-3.4", f"'kid' is not a valid name: {flaw.words}") from None


def check_text(name, value):
    if not isinstance(value, str):
        raise malformed(f"$.{name} is {json_type(value)}, expected string")


def check_key_member(name, value):
    if name == "jwk":
        try:
            keys.public_key(value)
        except Flaw as flaw:
            raise Flaw("RFC7800-3.2", f"the confirmation's key is refused: {flaw.words}") from None
        return
    check_text(name, value)
    if name == "jkt":
        check_thumbprint(value)


def check_thumbprint(text):
    try:
        size = len(base64url_bytes(text))
    except Flaw:
        size = 0
    if size != 32:
        raise Flaw("RFC9449-6.1", "the confirmation is malformed: $.jkt is no thumbprint")


def public_key_in(value):
    """The public key that a confirmation must bring along."""
    if "jwk" not in read_confirmation(value):
        raise Flaw("RFC7800-3.2", "'cnf' must carry the public key as 'jwk'")
    return value["jwk"]
