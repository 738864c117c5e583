"""Statements that stand in the place of a grant or a password: service assertions, app codes and client assertions."""

from contextlib import contextmanager

from . import jose, keys, urls
from .derivations import remembered
from .exchange import change
from .jws import Signed
from .refusals import Flaw, Refusal

ALL_ALGORITHMS = (*keys.SIGNATURES, "HS256", "HS384", "HS512")
GRANT_TYPE = "authorization-grant+jwt"
CLIENT_TYPE = "client-authentication+jwt"
LONGEST_GRANT = 600
LONGEST_CLIENT_ASSERTION = 3_600

ASSERTION = ("the assertion", "invalid_grant")
APP_CODE = ("the app code", "invalid_grant")
CLIENT_ASSERTION = ("the client assertion", "invalid_client")
REQUEST_TOKEN = ("the request token", "invalid_client")


@contextmanager
def told_about(presented: tuple[str, str]):
    """Flaws are told as those of what was presented: by its title, and with its error."""
    title, error = presented
    try:
        yield
    except Flaw as flaw:
        raise flaw.told_as(error, before=f"{title}: ") from None


def read(presented: tuple[str, str], text: str) -> Signed:
    """Something signed, as far as its form goes."""
    with told_about(presented):
        return jose.read_compact(text)


# Service assertions


def check_service_assertion(signed: Signed, trusted: list[dict], issuer: str, service: str, now: float,
                            endpoint: str | None = None) -> dict:
    """The claims of an assertion by the edu-ID service for a service, which the URL of an endpoint may mean too."""

    def is_service(name: str) -> bool:
        return name == service or endpoint is not None and is_same_url(name, endpoint)

    with told_about(ASSERTION):
        demand_key_name(signed)
        key = jose.verify(signed, [jose.Key(jwk, issuer) for jwk in trusted], keys.SIGNATURES)
        expected = jose.Expected(GRANT_TYPE, untyped=True, requires=("iss", "sub", "aud", "exp"), issuer=True)
        claims = jose.check_jwt(signed, key, expected, now)
        demand_claim(claims, "iss", issuer, "RFC7519-4.1.1")
        jose.check_sole_audience(claims, is_service, service)
        jose.check_longest(claims, LONGEST_GRANT, now)
        jose.check_present(claims, "iat")
        jose.check_present(claims, "cnf")
        jose.confirmed_key(claims["cnf"])
        for name in ("sub", "azp", "jti"):
            jose.check_present(claims, name)
            jose.check_claim_name(name, claims[name])
        keys.check_usable(claims["cnf"]["jwk"])
        return claims


def demand_key_name(signed: Signed) -> None:
    if signed.name is None:
        raise Flaw("RFC7515-4.1.4", "'kid' is missing")


def demand_claim(claims: dict, name: str, expected: str, clause: str) -> None:
    if claims[name] != expected:
        raise Flaw(clause, f"'{name}' is '{claims[name]}', expected '{expected}'")


# App codes


def check_app_code(signed: Signed, key: dict, holder: str, endpoint: str, now: float) -> dict:
    """The claims of an app code by the key of a service token."""
    with told_about(APP_CODE):
        demand_key_name(signed)
        try:
            if signed.name != key["kid"]:
                raise Flaw("APP-5", jose.NO_KEY)
            jose.verify(signed, [jose.Key(key)], ALL_ALGORITHMS)
        except Flaw as flaw:
            raise Flaw("APP-5", flaw.words) from None
        expected = jose.Expected(GRANT_TYPE, untyped=True, requires=("iss", "sub", "aud", "exp"))
        claims = jose.check_jwt(signed, jose.Key(key), expected, now)
        if "azp" in claims:
            raise Flaw("threat-18", "without a type and with 'azp' it is of another kind")
        demand_claim(claims, "iss", holder, "APP-3")
        check_endpoint(claims, endpoint)
        jose.check_longest(claims, LONGEST_GRANT, now)
        jose.check_present(claims, "iat")
        if "cnf" in claims:
            jose.confirmed_key(claims["cnf"])
        jose.check_present(claims, "jti")
        return claims


def check_endpoint(claims: dict, endpoint: str) -> None:
    """The one audience of an app code is the authorization endpoint, however it is spelled."""
    try:
        jose.check_sole_audience(claims, lambda name: is_same_url(name, endpoint), endpoint)
    except Flaw as flaw:
        raise flaw if flaw.clause == "threat-24" else Flaw("APP-3", flaw.words) from None


def is_same_url(one: str, other: str) -> bool:
    try:
        return urls.read(one).identity == urls.read(other).identity
    except Refusal:
        return False


# Client assertions


def check_client_assertion(signed: Signed, trusted: list[dict], client: str, audience: str, now: float) -> dict:
    """The claims of a client assertion by one party for another one."""
    with told_about(CLIENT_ASSERTION):
        key = jose.verify(signed, [jose.Key(jwk, client) for jwk in trusted], ALL_ALGORITHMS)
        expected = jose.Expected(CLIENT_TYPE, untyped=True, requires=("iss", "sub", "aud"), issuer=True)
        claims = jose.check_jwt(signed, key, expected, now)
        demand_claim(claims, "iss", client, "RFC7519-4.1.1")
        demand_claim(claims, "sub", client, "RFC7523-3")
        jose.check_sole_audience(claims, audience.__eq__, audience)
        jose.check_longest(claims, LONGEST_CLIENT_ASSERTION, now)
        jose.check_present(claims, "jti")
        return claims


def remembered_assertion(claims: dict, even_without_room: bool = False) -> dict:
    """The change that lets a client assertion pass once."""
    key = remembered("client assertion", claims["iss"], claims["jti"])
    return change("remember", key=key, until=claims["exp"], evenWithoutRoom=even_without_room or None)
