"""What a provider says has ended (Fixtures/protocol/provider.md, Logout at the provider)."""

from .accounts import is_unrevoked
from .derivations import remembered
from .exchange import change
from .messages import NOT_STORED, Answer
from .parameters import read_parameters
from .provider_tokens import LEEWAY, MAXIMUM_AGE, check_logout
from .provider_trips import name_at_provider

TAKEN = Answer(200, NOT_STORED)


def log_out(edu_id, request):
    text = read_parameters(request).secret("logout_token", "assertion", required=True)
    claims = check_logout(edu_id, text)
    key = remembered("provider's token", claims["iss"], claims["jti"])
    if is_remembered(edu_id, key):
        return TAKEN
    until = min(claims["exp"], claims["iat"] + MAXIMUM_AGE + 1)
    edu_id.exchange.changes.append(change("remember", key=key, until=until, evenWithoutRoom=True))
    for grant in meant(edu_id, claims):
        if "sid" not in claims:
            edu_id.change("revoke", id=grant["id"], reason="issuer")
        else:
            attributes = grant.get("attributes", {})
            since = max(claims["iat"], attributes.get("ask_again", claims["iat"]))
            edu_id.describe(grant, attributes | {"ask_again": since})
    return TAKEN


def is_remembered(edu_id, key):
    return edu_id.tree.remembered.get(key, edu_id.now) > edu_id.now


def meant(edu_id, claims):
    """What was signed in to through the provider, of which the token speaks."""
    user = name_at_provider(edu_id, "user", claims["sub"]) if "sub" in claims else None
    if "sid" in claims:
        session = name_at_provider(edu_id, "session", claims["sid"])
        found = [edu_id.tree.nearest(record["id"], "personal")
                 for record in edu_id.tree.of_subject("session", session)]
        grants = [grant for grant in found if grant is not None]
    else:
        grants = edu_id.tree.of_subject("personal", user)
    return [grant for grant in grants if is_meant(edu_id, grant, user, claims["iat"])]


def is_meant(edu_id, grant, user, said):
    source = grant.get("attributes", {}).get("provider", {})
    is_source = user is None or source.get("user") == user
    signed_in = source.get("told", grant["issued"])
    return is_unrevoked(edu_id, grant) and edu_id.tree.lives(grant["id"], edu_id.now) and is_source and (
        signed_in <= said + LEEWAY)
