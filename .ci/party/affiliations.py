"""What people are at institutions, as a ground of introductions: affiliations (Fixtures/protocol/introductions.md)."""

from dataclasses import dataclass

from . import derivations
from .exchange import change
from .formats import is_name
from .refusals import Refusal
from .tree import has_come

MOST_LOOKED_AT = 64
ANYBODY_AT = "*@"
NO_MEMBER = "the service is for the members of some institutions, and this person is not known as one"
TOO_OLD = "sign in again: what the provider said of this person's institutions is too old"


@dataclass(frozen=True)
class Membership:
    """The affiliation by which a service takes a person: its name as a subject, and when it counts no more."""

    name: str
    end: float | None


# What a person is, and where

def listed(edu_id, grant):
    """The affiliations of a person, as the profile lists them now."""
    value = edu_id.profile(grant).get(edu_id.affiliation_claim)
    return [element for element in elements(value)[:MOST_LOOKED_AT] if is_name(element)]


def elements(value):
    """What a member lists: an array, or one text in its place."""
    return value if isinstance(value, list) else [value]


def name_of(edu_id, subject, affiliation):
    """The name of somebody's affiliation: the same at every introduction, and nobody else can tell what it is."""
    return derivations.affiliation_name(edu_id.exchange.master, subject, affiliation)


def end_of_word(edu_id, grant):
    """When it counts no more what a provider said; the host's own word has no end."""
    lifetime = edu_id.policy.get("affiliation_lifetime")
    if lifetime is None or edu_id.affiliation_claim in edu_id.host_profile(grant["subject"]):
        return None
    return grant.get("attributes", {}).get("provider", {}).get("told", grant["issued"]) + lifetime


def is_taken(affiliation, wanted):
    """Whether a service takes an affiliation by one entry of the index: a name, or anybody at an institution."""
    institution = wanted.removeprefix(ANYBODY_AT)
    if institution in ("", wanted):
        return affiliation == wanted
    role, _, place = affiliation.partition("@")
    return role != "" and "@" not in place and place == institution


# The ground of an introduction

def membership(edu_id, requester, service):
    """By what a service takes a person, or nothing where it is for everybody."""
    if not service.affiliations:
        return None
    grant = requester.record
    own = listed(edu_id, grant)
    taken = next((one for wanted in service.affiliations for one in own if is_taken(one, wanted)), None)
    if taken is None:
        raise refused(edu_id, requester, "access_denied", "AFF-1", NO_MEMBER)
    end = end_of_word(edu_id, grant)
    if has_come(end, edu_id.now):
        raise refused(edu_id, requester, "insufficient_authorization", "AFF-3", TOO_OLD)
    return Membership(name_of(edu_id, grant["subject"], taken), end)


def refused(edu_id, requester, error, clause, words):
    """The refusal of a person by what is listed; what is listed no more ends all the same."""
    changes = requester.remembered() + lapses(edu_id, requester.record)
    return Refusal(error, clause, words, changes=changes)


def ground(edu_id, grant, member):
    """The record on which an introduction stands: of the affiliation that there is, or else a new one."""
    if member is None:
        return grant
    edu_id.exchange.changes += lapses(edu_id, grant)
    present = next((record for record in living(edu_id, grant)
                    if record["subject"] == member.name and record.get("final") == member.end), None)
    return present or new_ground(edu_id, grant, member)


def new_ground(edu_id, grant, member):
    """The record of an affiliation; a provider's word on which it rests is still as it was seen, and bears its name."""
    attributes, name = grant.get("attributes", {}), edu_id.chance.name()
    if "profile" in attributes:
        edu_id.describe(grant, attributes | {"affiliation": name})
    record = {"id": name, "kind": "affiliation", "parent": grant["id"], "holder": grant["holder"],
              "subject": member.name, "issued": edu_id.now}
    record |= {} if member.end is None else {"final": member.end}
    edu_id.change("insert", record=record)
    return record


# Lapses

def lapses(edu_id, grant):
    """The changes that end what a person was, and is listed as no more."""
    names = {name_of(edu_id, grant["subject"], affiliation) for affiliation in listed(edu_id, grant)}
    return [change("revoke", id=record["id"], reason="issuer") for record in living(edu_id, grant)
            if record["subject"] not in names]


def living(edu_id, grant):
    """The affiliations in a session that have not ended, the newest first."""
    return [record for record in edu_id.tree.below(grant["id"], "affiliation")
            if edu_id.tree.lives(record["id"], edu_id.now)]


# What is released

def profile_on(edu_id, grant, ground):
    """The profile for a service: where the introduction stands on an affiliation, that one alone is listed there."""
    profile, claim = edu_id.profile(grant), edu_id.affiliation_claim
    if ground["kind"] != "affiliation":
        return profile
    own = [one for one in listed(edu_id, grant) if name_of(edu_id, grant["subject"], one) == ground["subject"]]
    return profile | {claim: own[:1]} if own else without(profile, claim)


def without(members, name):
    return {other: value for other, value in members.items() if other != name}


# What a provider said

def is_kept(edu_id, record, affiliation):
    """Whether a record keeps a provider's profile that lists an affiliation."""
    profile = record.get("attributes", {}).get("profile", {})
    return affiliation in elements(profile.get(edu_id.affiliation_claim))


def taken_out(edu_id, record, affiliation):
    """The attributes of a record whose profile lists an affiliation, without that; nothing empty is left."""
    attributes, claim = record["attributes"], edu_id.affiliation_claim
    profile = attributes["profile"]
    left = [element for element in elements(profile[claim]) if element != affiliation]
    profile = profile | {claim: left} if left else without(profile, claim)
    return attributes | {"profile": profile} if profile else without(attributes, "profile")
