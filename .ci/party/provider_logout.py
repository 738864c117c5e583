"""What a provider says has ended (Fixtures/protocol/provider.md, Logout at the provider)."""

from .accounts import is_unrevoked
from .derivations import remembered
from .exchange import change
from .messages import NOT_STORED, Answer
from .parameters import read_parameters
from .provider_tokens import LEEWAY, MAXIMUM_AGE, check_logout
from .provider_trips import is_live, name_at_provider

TAKEN = Answer(200, NOT_STORED)


def log_out(edu_id, request):
    text = read_parameters(request).secret("logout_token", "assertion", required=True)
    claims = check_logout(edu_id, text)
    key = remembered("provider's token", claims["iss"], claims["jti"])
    if is_remembered(edu_id, key):
        return TAKEN
    until = min(claims["exp"], claims["iat"] + MAXIMUM_AGE + 1)
    edu_id.exchange.changes.append(change("remember", key=key, until=until, evenWithoutRoom=True))
    for code in begun(edu_id, claims):
        edu_id.change("revoke", id=code["id"], reason="issuer")
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


def person(edu_id, claims):
    return name_at_provider(edu_id, "user", claims["sub"]) if "sub" in claims else None


def begun(edu_id, claims):
    """The codes that nobody has brought back so far."""
    user, session = person(edu_id, claims), named_session(edu_id, claims)
    if session is not None:
        names = [record.get("attributes", {}).get("finds") for record in edu_id.tree.of_subject("session", session)]
        codes = [edu_id.tree.record(name) for name in names if name is not None]
    else:
        codes = edu_id.tree.of_subject("code", user)
    return [code for code in codes if is_live(edu_id, code) and is_of(code, user, session, claims["iat"])]


def meant(edu_id, claims):
    """What was signed in to through the provider, of which the token speaks."""
    user, session = person(edu_id, claims), named_session(edu_id, claims)
    if session is not None:
        found = [edu_id.tree.nearest(record["id"], "personal")
                 for record in edu_id.tree.of_subject("session", session)]
        grants = [grant for grant in found if grant is not None]
    else:
        grants = edu_id.tree.of_subject("personal", user)
    return [grant for grant in grants if is_unrevoked(edu_id, grant) and edu_id.tree.lives(grant["id"], edu_id.now)
            and is_of(grant, user, session, claims["iat"])]


def named_session(edu_id, claims):
    return name_at_provider(edu_id, "session", claims["sid"]) if "sid" in claims else None


def is_of(sign_in, user, session, said):
    """Whether something was signed in to by a person and in a session, where they are named, and not after that."""
    source = sign_in.get("attributes", {}).get("provider", {})
    return session in (None, source.get("session")) and user in (None, source.get("user")) and source.get("told", sign_in["issued"]) <= said + LEEWAY
