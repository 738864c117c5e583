"""The beginning of a sign-in at the edu-ID service (2), and the first step; what makes more of one that there is."""

from . import browser_sign_in, demands, derivations, sign_in_steps, user_steps
from .attempts import Attempt, Row
from .clients import demand_own_key, proved_instance
from .derivations import RefreshToken
from .reading import read_challenge_request
from .refusals import Refusal
from .replies import TO_BROWSER
from .sign_in import demand_met, demand_not_ended_elsewhere, give_code, personal_records, told_code, unmet
from .sign_in_reading import BrowserRequest, StepRequest

PATH = "authorize-challenge"
LIFETIME = 600
IN_BROWSER = "no step here leads to what is demanded; sign in with a browser, and demand it there"


def challenge(edu_id, request):
    asked = read_challenge_request(request, edu_id.asks_name_first)
    requester = proved_instance(edu_id, request, asked.credential, PATH, asked.client_id)
    if isinstance(asked, StepRequest):
        return sign_in_steps.go_on(edu_id, requester, asked)
    if isinstance(asked, BrowserRequest):
        raise browser_sign_in.begin(edu_id, requester, asked)
    return more(edu_id, requester, asked) if asked.username is None else begin(edu_id, requester, asked)


def begin(edu_id, requester, asked):
    """A sign-in by name and password, or by a name alone."""
    attempt = Attempt(edu_id, requester, asked.username)
    if asked.password is None:
        raise ask(edu_id, requester, asked, attempt.named(asked.demand), user=asked.username)
    user = attempt.signed_in(asked.password)
    steps = user_steps.stage(user, 0, asked.demand)
    told = edu_id.amount([demands.PASSWORD])
    if not steps:
        demand_met(edu_id, requester, asked.demand, told)
    personal_records(edu_id, requester.record, user["subject"])
    if steps:
        raise ask(edu_id, requester, asked, steps, user=asked.username, subject=user["subject"], amr=told["amr"])
    return coded(edu_id, requester, asked, requester.record, user["subject"], told, attempt.described())


def coded(edu_id, requester, asked, ground, subject, told, described):
    """The answer with a code that nothing more is needed for."""
    name, secret = edu_id.chance.name(), edu_id.chance.text(32)
    edu_id.remember(requester.proof)
    give_code(edu_id, ground, subject, asked.code_challenge, name, secret, told)
    edu_id.describe(requester.record, described)
    return told_code(name, secret)


# More than the sign-in was

def more(edu_id, requester, asked):
    """What the sign-in lacks of whoever is signed in."""
    demand_own_key(requester)
    grant = signed_in(edu_id, requester)
    demand_not_ended_elsewhere(grant, requester.remembered())
    told = edu_id.kept_sign_in(grant)
    if edu_id.is_met(asked.demand, told):
        described = requester.record.get("attributes", {})
        return coded(edu_id, requester, asked, grant, grant["subject"], told, described)
    Row(edu_id, requester).demand_place()
    user = user_steps.of_subject(edu_id.users, grant["subject"])
    steps = user_steps.further(user, told.get("amr", []), asked.demand) if user else []
    if not steps and browser_sign_in.leads_further(edu_id, requester, grant):
        raise Refusal(TO_BROWSER, "FPA-18", IN_BROWSER, changes=requester.remembered(), members=asked.demand.told())
    if not steps:
        raise unmet(asked.demand, requester.remembered())
    raise ask(edu_id, requester, asked, steps, user=user["name"], subject=user["subject"], grant=grant["id"])


def signed_in(edu_id, requester):
    """The grant of whoever is signed in on an instance."""
    below = edu_id.tree.below(requester.record["id"], "personal")
    confirmed = [record for record in below if edu_id.tree.lives(record["id"], edu_id.now)
                 and edu_id.tree.is_confirmed(record["id"])]
    if len(confirmed) != 1:
        raise Refusal("invalid_request", "FPA-20", "nobody is signed in on this instance; send 'username'",
                      changes=requester.remembered())
    return confirmed[0]


# The first step

def ask(edu_id, requester, asked, steps, **known):
    """What asks for one of the steps that the app can make; a sign-in keeps with it what is known of the person."""
    possible = [step for step in steps if step["step"] in (asked.steps_supported or (step["step"],))]
    if not possible:
        names = " or ".join(step["step"] for step in steps)
        return Refusal("unmet_authentication_requirements", "FPA-9",
                       f"this sign-in takes a step that is not possible here: {names}", changes=requester.remembered())
    instance = requester.record
    edu_id.remember(requester.proof)
    sign_in_steps.end_others(edu_id, instance)
    subject = {"subject": known["subject"]} if "subject" in known else {}
    known = {name: value for name, value in known.items() if value}
    attributes = {"code_challenge": asked.code_challenge, "steps": possible} | known | asked.demand.kept()
    name, salt = edu_id.chance.name(), edu_id.chance.salt()
    first = RefreshToken(0, derivations.family(salt, name), edu_id.chance.salt(), name)
    edu_id.change("insert", record={
        "id": name, "kind": "session", "parent": instance["id"], "holder": instance["holder"]} | subject | {
        "key": instance["key"], "issued": edu_id.now, "final": edu_id.now + LIFETIME, "refresh": first.kept(salt),
        "attributes": attributes})
    return sign_in_steps.asked_for(attributes, first, edu_id.exchange.changes)
