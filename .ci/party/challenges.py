"""The beginning of a sign-in at the edu-ID service (2), and the first step that is asked for."""

from . import browser_sign_in, derivations, sign_in_steps, user_steps
from .attempts import Attempt
from .clients import proved_instance
from .derivations import RefreshToken
from .reading import read_challenge_request
from .refusals import Refusal
from .sign_in import give_code, personal_records, told_code
from .sign_in_reading import BrowserRequest, StepRequest

PATH = "authorize-challenge"
LIFETIME = 600


def challenge(edu_id, request):
    asked = read_challenge_request(request, edu_id.asks_name_first)
    requester = proved_instance(edu_id, request, asked.credential, PATH, asked.client_id)
    if isinstance(asked, StepRequest):
        return sign_in_steps.go_on(edu_id, requester, asked)
    if isinstance(asked, BrowserRequest):
        raise browser_sign_in.begin(edu_id, requester, asked)
    attempt = Attempt(edu_id, requester, asked.username)
    if asked.password is None:
        return ask(edu_id, requester, asked, attempt.named())
    user = attempt.signed_in(asked.password)
    personal_records(edu_id, requester.record, user["subject"])
    steps = user_steps.stage(user, 0)
    if steps:
        return ask(edu_id, requester, asked, steps, user["subject"])
    name, secret = edu_id.chance.name(), edu_id.chance.text(32)
    edu_id.remember(requester.proof)
    give_code(edu_id, requester.record, user["subject"], asked.code_challenge, name, secret)
    edu_id.describe(requester.record, attempt.described())
    return told_code(name, secret)


def ask(edu_id, requester, asked, steps, subject=None):
    """Asks for one of the steps that the app can make."""
    possible = [step for step in steps if step["step"] in (asked.steps_supported or (step["step"],))]
    if not possible:
        names = " or ".join(step["step"] for step in steps)
        raise Refusal("unmet_authentication_requirements", "FPA-9",
                      f"this sign-in takes a step that is not possible here: {names}", changes=requester.remembered())
    instance = requester.record
    edu_id.remember(requester.proof)
    sign_in_steps.end_others(edu_id, instance)
    known = {} if subject is None else {"subject": subject}
    attributes = {"code_challenge": asked.code_challenge, "user": asked.username} | known | {"steps": possible}
    name, salt = edu_id.chance.name(), edu_id.chance.salt()
    first = RefreshToken(0, derivations.family(salt, name), edu_id.chance.salt(), name)
    edu_id.change("insert", record={
        "id": name, "kind": "session", "parent": instance["id"], "holder": instance["holder"]} | known | {
        "key": instance["key"], "issued": edu_id.now, "final": edu_id.now + LIFETIME, "refresh": first.kept(salt),
        "attributes": attributes})
    raise sign_in_steps.asked_for(attributes, first, edu_id.exchange.changes)
