"""How a sign-in at the edu-ID service goes on in steps (Fixtures/protocol/registration.md, "Steps")."""

from . import demands, derivations, formats, user_steps
from .attempts import Attempt, demand_unlocked
from .clients import demand_own_key
from .demands import Demand
from .derivations import RefreshToken
from .exchange import change
from .refusals import Refusal, demand
from .sign_in import demand_met, give_code, personal_records, told_code

MOST_FAILURES = 3
TOLD_OF_STEP = ("step", "challenge", "hint")
ANEW = "sign in anew"


def go_on(edu_id, requester, asked):
    instance = requester.record
    session, presented = known_session(edu_id, instance, asked.auth_session)
    is_more = "grant" in session["attributes"]
    if is_more:
        demand_own_key(requester)
    successor = successor_of(edu_id, instance, session, presented, asked)
    if presented.generation < session["refresh"]["generation"]:
        return told_again(edu_id, requester, session, presented, successor)
    attributes = session["attributes"]
    demand(asked.code_challenge in (None, attributes["code_challenge"]), "invalid_request", "FPA-8",
           "'code_challenge' is not the one with which the sign-in began")
    demand(not asked.demand or asked.demand == Demand.of(attributes), "invalid_request", "FPA-18",
           "'acr_values' and 'max_age' are not those with which the sign-in began")
    step = next((step for step in attributes["steps"] if step["step"] == asked.step), None)
    demand(step, "invalid_request", "FPA-9", "the step is not one of those offered")
    attempt = Attempt(edu_id, requester, attributes["user"], is_known=is_more)
    attempt.demand_place()
    user, own = user_steps.made(edu_id.users, attributes["user"], step, asked.answer)
    spent = spent_answer(edu_id, attempt, asked.answer, own)
    is_right = user and attempt.is_within_limit and attributes.get("subject", user["subject"]) == user["subject"]
    if not is_right or any(attempt.is_taken(one["key"]) for one in spent):
        raise wrong(edu_id, requester, session, successor, attempt)
    demand_unlocked(edu_id, requester, user["subject"])
    return passed(edu_id, requester, session, successor, attempt, user, step, spent)


# Which sign-in

def end_others(edu_id, instance):
    """A sign-in takes the place of every other one on its instance; what stands on a grant is none."""
    for record in edu_id.tree.below(instance["id"], "session"):
        is_live = edu_id.tree.judged(record["id"], edu_id.now)["verdict"] == "live"
        if is_live and record["parent"] == instance["id"]:
            edu_id.change("revoke", id=record["id"], reason="superseded")


def unknown_session():
    return Refusal("invalid_session", "FPA-5", f"the sign-in session is unknown, over, or another client's; {ANEW}")


def known_session(edu_id, instance, text):
    presented = RefreshToken.read(text)
    session = presented and edu_id.tree.record(presented.record)
    is_own = session and session["kind"] == "session" and session["parent"] == instance["id"] and (
        session.get("key") == instance["key"]) and "refresh" in session
    if not is_own or edu_id.tree.judged(session["id"], edu_id.now)["verdict"] != "live":
        raise unknown_session()
    if "grant" in session["attributes"] and not edu_id.tree.lives(session["attributes"]["grant"], edu_id.now):
        raise unknown_session()
    refresh = session["refresh"]
    is_known = presented.is_of_family(session) and presented.generation <= refresh["generation"] and (
        presented.generation < refresh["generation"] or presented.is_kept(refresh))
    if not is_known:
        raise unknown_session()
    return session, presented


def grant_of(edu_id, session):
    """The grant that a sign-in adds to, if it does."""
    return edu_id.tree.record(session["attributes"].get("grant"))


def provider_class(grant):
    """The class that a provider said, if one did: it stays where none of the policy is reached."""
    return demands.kept(grant).get("acr") if demands.is_of_provider(grant) else None


def successor_of(edu_id, instance, session, presented, asked):
    """What takes the place of a session by this key and answer."""
    key = derivations.key_of(instance, edu_id.exchange.master)
    answer = formats.sha256(f"{asked.step}\n{asked.answer}")
    return presented.successor(salt_of(session), derivations.renewal_proof(key, answer))


def salt_of(session):
    return formats.base64url_bytes(session["refresh"]["salt"])


# What is told

def asked_for(attributes, token, changes):
    """The refusal that asks for a step, or for the same once more."""
    steps = [{name: step[name] for name in TOLD_OF_STEP if name in step} for step in attributes["steps"]]
    members = {"auth_session": token.text, "steps": steps}
    if attributes.get("failed"):
        return Refusal("invalid_grant", "FPA-10", "the step was not made as it has to be; try again", changes=changes,
                       members=members)
    return Refusal("insufficient_authorization", "FPA-3", "one of these steps is needed as well", changes=changes,
                   members=members)


def told_again(edu_id, requester, session, presented, successor):
    """The same to whoever lost the answer; a session that was continued earlier is ended."""
    refresh, window = session["refresh"], edu_id.exchange.repetition_window
    is_last = presented.generation + 1 == refresh["generation"]
    in_time = window and edu_id.now <= refresh["rotated"] + window
    if not (is_last and in_time and successor.is_kept(refresh)):
        ending = [*requester.remembered(True), change("revoke", id=session["id"], reason="refreshReused")]
        raise Refusal("invalid_session", "FPA-7",
                      f"the sign-in session was continued before, in another way; {ANEW}",
                      changes=[] if is_last and in_time else ending)
    name = session["attributes"].get("code")
    if name is None:
        raise asked_for(session["attributes"], successor, requester.remembered())
    code, secret = edu_id.tree.record(name), secret_of_code(edu_id, successor)
    if not code or not formats.are_equal(code["attributes"]["secret"], derivations.secret_digest(secret)):
        raise unknown_session()
    edu_id.remember(requester.proof)
    return told_code(name, secret)


def secret_of_code(edu_id, successor):
    return formats.base64url(formats.hmac(edu_id.exchange.master, f"opaque token: {successor.text}"))


# What comes of an answer

def spent_answer(edu_id, attempt, answer, own):
    """What notes that an answer must not pass again, if that is so."""
    if not own or "rest" not in own:
        return []
    kind = f"code of {len(attempt.name.encode())}"
    key = derivations.remembered("one-time code", attempt.digest("code", attempt.name),
                                 attempt.digest(kind, attempt.name + answer))
    return [change("remember", key=key, until=edu_id.now + own["rest"])]


def rotate(edu_id, session, successor):
    edu_id.change("rotate", id=session["id"],
                  **{"from": session["refresh"], "to": successor.kept(salt_of(session), edu_id.now)})


def wrong(edu_id, requester, session, successor, attempt):
    """The refusal of an answer that is wrong."""
    attributes = session["attributes"]
    failures = attributes.get("failures", 0) + 1
    edu_id.remember(requester.proof)
    if failures == MOST_FAILURES:
        edu_id.change("revoke", id=session["id"], reason="misused")
        return Refusal("invalid_grant", "FPA-15",
                       f"the step was not made as it has to be, and not for the first time; {ANEW}",
                       changes=edu_id.exchange.changes + attempt.failed())
    attributes = attributes | {"failures": failures, "failed": True}
    rotate(edu_id, session, successor)
    edu_id.describe(session, attributes, even_if_same=True)
    return asked_for(attributes, successor, edu_id.exchange.changes + attempt.failed())


def passed(edu_id, requester, session, successor, attempt, user, step, spent):
    """The code, or the refusal that asks for what comes next."""
    kept, demanded = session["attributes"], Demand.of(session["attributes"])
    grant = grant_of(edu_id, session)
    former = edu_id.kept_sign_in(grant).get("amr", []) if grant else []
    methods = demands.proved_with(list(dict.fromkeys([*former, *kept.get("amr", [])])), step)
    kept = {name: value for name, value in kept.items() if name != "failed"} | ({"amr": methods} if methods else {})
    steps = user_steps.stage(user, step["kept"] + 1, demanded)
    if steps:
        attributes = kept | {"steps": steps}
        note(edu_id, requester, session, successor, attributes, spent)
        raise asked_for(attributes, successor, edu_id.exchange.changes)
    told = edu_id.amount(methods, grant and provider_class(grant))
    demand_met(edu_id, requester, demanded, told, [change("revoke", id=session["id"], reason="superseded"), *spent])
    personal_records(edu_id, requester.record, user["subject"])
    name, secret = edu_id.chance.name(), secret_of_code(edu_id, successor)
    note(edu_id, requester, session, successor, kept | {"code": name}, spent)
    give_code(edu_id, grant or requester.record, user["subject"], kept["code_challenge"], name, secret, told)
    edu_id.describe(requester.record, attempt.described())
    return told_code(name, secret)


def note(edu_id, requester, session, successor, attributes, spent):
    """Notes how far a sign-in has come, and the answer that passed."""
    edu_id.remember(requester.proof)
    rotate(edu_id, session, successor)
    edu_id.describe(session, attributes, even_if_same=True)
    edu_id.exchange.changes += spent
