"""Who may command at the edu-ID service, and what administrators name."""

import re

from .clients import PERSONAL, current_scope
from .credentials import header_credential
from .demands import OF_ADMINISTRATORS, Demand, insufficient
from .formats import base64url_bytes, is_name
from .refusals import Flaw, Refusal, demand
from .requesters import find_requester

LATEST = 2 ** 40


def administrator(edu_id, request):
    """Who asks, if that is an administrator with a token for everything."""
    requester = find_requester(edu_id.exchange, request, header_credential(request),
                               edu_id.exchange.url_of(request), PERSONAL)
    record = requester.record
    edu_id.demand_admission(record)
    is_one = record["subject"] in edu_id.policy.get("administrators", ()) and current_scope(record) == record["scope"]
    demand(is_one, "insufficient_scope", "TOK-5", "this takes an administrator")
    demanded = Demand.of(edu_id.policy.get("administrators_demand"))
    if not edu_id.is_met(demanded, edu_id.kept_sign_in(record)):
        raise insufficient(demanded, OF_ADMINISTRATORS)
    return requester


def demand_name(*names):
    """The parts of a path have the form of names; otherwise there is no such place."""
    demand(all(map(is_name, names)), "http_404", "")


def named_affiliation(text):
    """The affiliation that the part of a path names."""
    try:
        affiliation = base64url_bytes(text).decode()
    except (Flaw, UnicodeDecodeError):
        raise nothing_there() from None
    demand_name(affiliation)
    return affiliation


def theft(parameters):
    """Since when a key is not its owner's own."""
    values = [value for name, value in parameters.pairs if name == "since"]
    is_time = len(values) == 1 and re.fullmatch("0|[1-9][0-9]{0,12}", values[0]) and int(values[0]) <= LATEST
    demand(is_time, "invalid_request", "threat-76", "'since' must be the time of the theft, in seconds since 1970")
    return int(values[0])


def user_named(parameters, name):
    return parameters.text(name, "the name of a user", is_name)


def nothing_there(changes=()):
    """What a command tells where there is nothing to end."""
    return Refusal("http_404", "", changes=changes)
