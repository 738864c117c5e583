"""Signing in at the edu-ID service (2): code and password."""

from . import affiliations, demands, derivations, user_steps
from .access_tokens import token_answer
from .attempts import Attempt
from .clients import current_scope, demand_own_key, proved_instance
from .edu_id_service import USER_LIFETIME
from .formats import are_equal, base64url_bytes, digest
from .messages import granted
from .refusals import Refusal, demand

CODE_LIFETIME = 60
NO_SUCH_CODE = "the code is unknown, expired, or another client's"
OF_PROVIDER = ("provider", "profile")


# What is there

def personal_records(edu_id, instance, subject):
    """What lives on an instance: the grant of this user, if there is one, and others' that nobody confirmed."""
    below = edu_id.tree.below(instance["id"], "personal")
    living = [record for record in below if edu_id.tree.lives(record["id"], edu_id.now)]
    own = next((record for record in living if record["subject"] == subject), None)
    others = [record for record in living if record["subject"] != subject]
    demand(own or not any(edu_id.tree.is_confirmed(record["id"]) for record in living), "invalid_grant", "USR-1",
           "another user is signed in on this instance, and has to sign out first")
    return own, others


def demand_not_ended_elsewhere(grant, changes=()):
    """No session at a provider has ended that the person had signed in with."""
    if "ask_again" in grant.get("attributes", {}):
        raise Refusal("insufficient_authorization", "OIC-17",
                      "sign in again: where the person signed in, the session has ended", changes=changes)


# Code

def demand_met(edu_id, requester, demanded, told, changes=()):
    """The sign-in is what was demanded of it."""
    if not edu_id.is_met(demanded, told):
        raise unmet(demanded, [*requester.remembered(), *changes])


def unmet(demanded, changes):
    return Refusal("unmet_authentication_requirements", "FPA-18",
                   "no sign-in of this person here is what is demanded", changes=changes, members=demanded.told())


def give_code(edu_id, ground, subject, challenge, name, secret, told):
    """The code with which a sign-in ends: on the instance, or on the grant that it adds to."""
    attributes = {"secret": derivations.secret_digest(secret), "code_challenge": challenge}
    record = {"id": name, "kind": "code", "parent": ground["id"], "holder": ground["holder"],
              "subject": subject, "issued": edu_id.now, "access": edu_id.now + CODE_LIFETIME,
              "attributes": attributes | told}
    edu_id.change("insert", record=record)


def told_code(name, secret):
    return granted({"authorization_code": f"{name}.{secret}"})


def refuse_signed_code(edu_id, request, asked):
    proved_instance(edu_id, request, asked.credential, "token", asked.client_id)
    raise Refusal("invalid_grant", "threat-26", NO_SUCH_CODE)


def redeem_code(edu_id, request, asked):
    requester = proved_instance(edu_id, request, asked.credential, "token", asked.client_id)
    code = known_code(edu_id, requester.record, asked.presented["code"])
    if code["parent"] != requester.record["id"]:
        return add_to_grant(edu_id, requester, asked, code)
    is_redeemed = code["id"] in edu_id.tree.consumed
    demand(is_redeemed or verdict_on(edu_id, code) == "live", "invalid_grant", "threat-26", NO_SUCH_CODE)
    demand_verified(asked, code)
    wishes = derivations.request_digest(asked.scope_text, asked.resource, asked.key, code["id"])
    if is_redeemed:
        return told_again(edu_id, requester, code, wishes)
    instance = requester.record
    own, others = personal_records(edu_id, instance, code["subject"])
    edu_id.remember(requester.proof)
    if "profile" in code["attributes"]:
        edu_id.describe(code, affiliations.without(code["attributes"], "profile"))
    edu_id.change("consume", id=code["id"])
    carried = {name: value for name, value in code["attributes"].items() if name in OF_PROVIDER} | demands.kept(code)
    return give(edu_id, instance, code, code["subject"], own, others, wishes, carried)


def verdict_on(edu_id, record):
    return edu_id.tree.judged(record["id"], edu_id.now)["verdict"]


def demand_verified(asked, code):
    verifier = asked.presented["code_verifier"]
    demand(verifier and are_equal(digest(verifier), code["attributes"]["code_challenge"]), "invalid_grant",
           "RFC7636-4.6", "the code verifier does not meet the challenge")
    demand(code["attributes"].get("redirect_uri") in (None, asked.redirect_uri), "invalid_grant", "OIC-13",
           "'redirect_uri' is not the address to which a browser brought the code")


def known_code(edu_id, instance, text):
    name, dot, secret = text.partition(".")
    code = edu_id.tree.record(name)
    is_known = dot and "." not in secret and code is not None and code["kind"] == "code" and are_equal(
        derivations.secret_digest(secret), code.get("attributes", {}).get("secret", ""))
    demand(is_known and is_ground(edu_id, code["parent"], instance), "invalid_grant", "threat-26", NO_SUCH_CODE)
    return code


def is_ground(edu_id, name, instance):
    """Whether codes of an instance may stand there: on itself, or on a grant that it was given."""
    is_grant = edu_id.tree.record(name)["kind"] == "personal" and edu_id.tree.stands_on(name, instance["id"])
    return name == instance["id"] or is_grant


def told_again(edu_id, requester, code, wishes):
    """A code that was redeemed before gives the same again to whoever lost the answer, or ends what it gave."""
    tree, records = edu_id.tree, list(edu_id.tree.below(requester.record["id"], "personal"))
    if not (is_lately(edu_id, code) and records and all("key" in record for record in records)):
        ended = [code["id"], *continued(edu_id, records, code)]
        ending = [*requester.remembered(True), *({"do": "revoke", "id": name, "reason": "replayed"} for name in ended)]
        raise Refusal("invalid_grant", "threat-26", "the code was redeemed before; what it gave has been revoked",
                      changes=ending)
    for record in records:
        refresh = first_refresh_token(edu_id, record, wishes)
        if tree.lives(record["id"], edu_id.now) and refresh.is_kept(record["refresh"]):
            edu_id.remember(requester.proof)
            return personal_token(edu_id, record, refresh, record["scope"], record["access"])
    raise Refusal("invalid_grant", "threat-72", "it was redeemed before, for another request or by one that went on")


def is_lately(edu_id, code):
    """Whether a code was redeemed so lately that the answer may have been lost."""
    window = edu_id.exchange.repetition_window
    return window and edu_id.now <= edu_id.tree.consumed[code["id"]] + window


def continued(edu_id, records, code):
    """The grants that a code went on with, because its user was signed in already: they stand on an earlier one."""
    tree = edu_id.tree
    return [record["id"] for record in records if record["parent"] != code["id"]
            and record["subject"] == code["subject"] and record["issued"] <= tree.consumed[code["id"]]
            and tree.lives(record["id"], edu_id.now)]


def first_refresh_token(edu_id, record, wishes):
    """The first refresh token of a grant, as the salt of the present one and the wishes of a request make it."""
    salt = base64url_bytes(record["refresh"]["salt"])
    generation = record["refresh"]["generation"]
    return derivations.first_refresh_token(edu_id.exchange.master, salt, wishes, record["id"], generation)


# More of a grant

def add_to_grant(edu_id, requester, asked, code):
    """What was shown is kept with the grant on which the code stands; its tokens go on, and another one tells it."""
    demand_own_key(requester)
    verdict = verdict_on(edu_id, code)
    is_new = verdict == "live"
    demand(is_new or verdict == "consumed" and is_lately(edu_id, code), "invalid_grant", "threat-26", NO_SUCH_CODE)
    demand_verified(asked, code)
    grant = edu_id.tree.record(code["parent"])
    kept = {name: value for name, value in grant.get("attributes", {}).items() if name not in demands.TOLD}
    attributes = kept | demands.kept(code)
    edu_id.remember(requester.proof)
    if is_new:
        edu_id.change("consume", id=code["id"])
        edu_id.describe(grant, attributes, even_if_same=True)
        edu_id.change("touch", id=requester.record["id"])
    return personal_token(edu_id, grant | {"attributes": attributes}, None, current_scope(grant), grant["access"])


# Password

def sign_in_by_password(edu_id, request, asked):
    requester = proved_instance(edu_id, request, asked.credential, "token", asked.client_id)
    attempt = Attempt(edu_id, requester, asked.presented["username"])
    user = attempt.signed_in(asked.presented["password"])
    demand(not user_steps.stage(user, 0, False), "invalid_grant", "FPA-10",
           "more than a password is needed; sign in at the authorization challenge endpoint")
    own, others = personal_records(edu_id, requester.record, user["subject"])
    edu_id.remember(requester.proof)
    wishes = derivations.request_digest(asked.scope_text, asked.resource, asked.key)
    instance = requester.record
    told = edu_id.amount([demands.PASSWORD])
    return give(edu_id, instance, instance, user["subject"], own, others, wishes, told, attempt.described())


# What is given

def give(edu_id, instance, ground, subject, own, others, wishes, told, described=None):
    """The grant of a user: a new one, or the one that there is on the instance."""
    described = described or instance.get("attributes", {})
    if own is not None:
        return keep(edu_id, instance, own, wishes, told, described)
    for record in others:
        edu_id.change("revoke", id=record["id"], reason="superseded")
    name, salt = edu_id.chance.name(), edu_id.chance.salt()
    refresh = derivations.first_refresh_token(edu_id.exchange.master, salt, wishes, name)
    record = {"id": name, "kind": "personal", "parent": ground["id"], "holder": instance["holder"],
              "subject": subject, "scope": edu_id.personal_scope, "key": instance["key"], "issued": edu_id.now,
              "access": edu_id.now + USER_LIFETIME, "refresh": refresh.kept(salt)}
    record |= {"attributes": told} if told else {}
    edu_id.change("insert", record=record)
    answer = personal_token(edu_id, record, refresh, record["scope"], record["access"])
    index_session(edu_id, record, told)
    edu_id.describe(instance, described | {"personal": name})
    edu_id.change("touch", id=instance["id"])
    return answer


def keep(edu_id, instance, record, wishes, told, described):
    """The same user signs in again: the grant stays, its tokens are new, and so is what the sign-in amounts to.

    What the person is known as no more at an institution ends with that.
    """
    salt = edu_id.chance.salt()
    generation = record["refresh"]["generation"] + 1
    refresh = derivations.first_refresh_token(edu_id.exchange.master, salt, wishes, record["id"], generation)
    serial = edu_id.chance.serial()
    if not edu_id.tree.is_confirmed(record["id"]):
        edu_id.change("confirm", id=record["id"])
    access = edu_id.now + USER_LIFETIME
    edu_id.change("rotate", id=record["id"], **{"from": record["refresh"], "to": refresh.kept(salt), "access": access})
    gone = ("narrowed_scope", "ask_again", *OF_PROVIDER, *demands.TOLD)
    kept = {name: value for name, value in record.get("attributes", {}).items() if name not in gone}
    attributes = kept | told | {"token": serial}
    renewed = record | {"attributes": attributes}
    edu_id.describe(record, attributes)
    edu_id.exchange.changes += affiliations.lapses(edu_id, renewed)
    index_session(edu_id, record, told)
    edu_id.describe(instance, described)
    edu_id.change("touch", id=instance["id"])
    return personal_token(edu_id, renewed, refresh, record["scope"], access)


def index_session(edu_id, grant, told):
    """What finds a grant by the session at the provider in which it was made, where the provider names one."""
    session = told.get("provider", {}).get("session")
    if session is not None:
        edu_id.change("insert", record={
            "id": edu_id.chance.name(), "kind": "session", "parent": grant["id"], "holder": grant["holder"],
            "subject": session, "issued": edu_id.now})


def personal_token(edu_id, record, refresh, scope, access):
    """The answer with a user's tokens, or with another access token beside the refresh token that there is."""
    serial = record.get("attributes", {}).get("token") or edu_id.chance.serial()
    token = edu_id.issuer.sign(record, serial, scope, edu_id.now, access)
    refresh_token = None if refresh is None else refresh.text
    return granted(token_answer(token, expires_in=max(0, access - edu_id.now), refresh_token=refresh_token,
                                scope=scope, confirmation=edu_id.issuer.told_in_answer(record)))
