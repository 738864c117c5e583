"""How a sign-in begins that a browser is to carry on, at a provider (Fixtures/protocol/provider.md)."""

from . import demands, derivations, sign_in_steps
from .refusals import Refusal
from .replies import TO_BROWSER

LIFETIME = 90
REQUEST_URI = "urn:ietf:params:oauth:request_uri:"


def begin(edu_id, requester, asked):
    """Where the browser goes, which is told like a refusal; or a refusal."""
    instance = requester.record
    if edu_id.provider is None:
        return refused(requester, "OIC-1", "nobody signs in with a browser here; send name and password")
    if asked.redirect_uri not in callbacks(edu_id, instance):
        return refused(requester, "OIC-2", "'redirect_uri' is not registered with this version of the app")
    name, secret = edu_id.chance.name(), edu_id.chance.text(32)
    edu_id.remember(requester.proof)
    sign_in_steps.end_others(edu_id, instance)
    edu_id.change("insert", record={
        "id": name, "kind": "session", "parent": instance["id"], "holder": instance["holder"], "key": instance["key"],
        "issued": edu_id.now, "final": edu_id.now + LIFETIME, "attributes": {
            "secret": derivations.secret_digest(secret), "code_challenge": asked.code_challenge,
            "redirect_uri": asked.redirect_uri, "app_state": asked.state} | asked.demand.kept()})
    return Refusal(TO_BROWSER, "OIC-1", "go on in a browser, at the authorization endpoint",
                   changes=edu_id.exchange.changes,
                   members={"request_uri": f"{REQUEST_URI}{name}.{secret}", "expires_in": LIFETIME})


def callbacks(edu_id, instance):
    """Where the version of an instance is called back."""
    return edu_id.version(edu_id.tree.nearest(instance["id"], "versionKey")["id"]).callbacks


def leads_further(edu_id, requester, grant):
    """Whether who is signed in did that at the provider, and can be sent there for more."""
    return bool(demands.is_of_provider(grant) and edu_id.provider and callbacks(edu_id, requester.record))


def refused(requester, clause, words):
    return Refusal("invalid_request", clause, words, changes=requester.remembered())
