"""How a third-party app reads what an authorizing app answers, in the standard form and in those of deployed apps."""

from . import descriptions, urls
from .json_text import read_json
from .refusals import Flaw

MOST_ENTRIES = 256


def read(text):
    """The descriptions in a response, in their order, and the clauses of the flaws of others."""
    documents, flaws = [], []
    for key, entry in entries(read_json(text, size=8_388_608, depth=40, values=4_194_304, members=262_144)):
        try:
            documents.append(read_entry(key, entry, flaws))
        except Flaw as flaw:
            flaws.append(flaw.clause)
    return documents, flaws


def entries(value):
    """The entries of a response, each with the key that it stands under, if any."""
    if isinstance(value, dict) and isinstance(value.get("services"), list):
        value = value["services"]
    if isinstance(value, list):
        found = [(None, entry) for entry in value]
    elif isinstance(value, dict):
        found = [*value.items()]
    else:
        raise Flaw("NIF-5", "a response is an array of services")
    if len(found) > MOST_ENTRIES:
        raise Flaw("threat-14", f"{len(found)} services, at most {MOST_ENTRIES} allowed")
    return found


def read_entry(key, entry, flaws):
    if not isinstance(entry, dict):
        raise Flaw("NIF-5", "a service is an object")
    if is_url(key) and not isinstance(entry.get("homePageLink"), str):
        entry = {**entry, "homePageLink": key}
    entry = settled(entry, flaws)
    if isinstance(entry.get("apis"), dict):
        apis = entry["apis"].items()
        entry["apis"] = {name: settled(api, flaws) if isinstance(api, dict) else api for name, api in apis}
    return descriptions.read(entry)


def is_url(text):
    try:
        return text is not None and urls.read(text) is not None
    except Flaw:
        return False


def settled(value, flaws):
    """A service or protocol with its authorization in the standard form, or without one that has a flaw."""
    value = dict(value)
    if isinstance(value.get("token"), (dict, str)):
        token = value.pop("token")
        if value.get("authorization") in (None, []):
            value["authorization"] = token
    try:
        found = authorization(value.pop("authorization", None))
    except Flaw as flaw:
        flaws.append(flaw.clause)
        found = None
    return value if found is None else {**value, "authorization": found}


def authorization(value):
    if isinstance(value, str):
        value = read_json(value, size=262_144, depth=16)
    return descriptions.authorization(value, "$.authorization")
