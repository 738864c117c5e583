"""Service descriptions (RSD2): how they are read, written and filtered (Fixtures/protocol/descriptions.md)."""

from . import discovery, rsd_xml, rsd_yaml, urls
from .endpoints import endpoint
from .formats import is_name
from .json_text import compact_json, integer, json_type, read_json
from .refusals import Flaw
from .rsd_xml import malformed

OAUTH2 = "org.ietf.oauth2"
MOST_PROTOCOLS, MOST_SETTINGS, MOST_ELEMENTS = 1000, 1000, 64
MOST_BYTES = 131_072  # of what is handed on
WHITE_SPACE = " \t\n\v\f\r"
READERS = {
    "json": lambda text: read_json(text, size=524_288, depth=32), "xml": rsd_xml.read, "yaml": rsd_yaml.read,
}


# The types of members

def text(value, path):
    if json_type(value) == "number":
        return str(value)
    if value is not None and not isinstance(value, str):
        raise malformed(f"{path} is {json_type(value)}, expected string")
    return value


def link(value, path):
    if value is not None and not isinstance(value, str):
        raise malformed(f"{path} is {json_type(value)}, expected string")
    return value and value.strip(WHITE_SPACE)


def flag(value, path):
    if isinstance(value, str):
        value = {"yes": True, "true": True, "no": False, "false": False}.get(value.lower(), value)
    if value is not None and not isinstance(value, bool):
        raise malformed(f"{path} is neither true nor false")
    return bool(value)


def words(value, path):
    """A list of texts."""
    if not isinstance(value, list):
        raise malformed(f"{path} is {json_type(value)}, expected array")
    if len(value) > MOST_ELEMENTS:
        raise Flaw("threat-43", f"{path} has more than {MOST_ELEMENTS} elements")
    if not all(json_type(element) in ("string", "number") for element in value):
        raise malformed(f"{path} is no list of texts")
    return [str(element) for element in value]


def versions(value, path):
    if value is None:
        return []
    return words(value if isinstance(value, list) else [text(value, path)], path)


def transports(value, path):
    if value is None:
        return []
    return words([value] if isinstance(value, str) else value, path)


def mapping(value, path):
    """An object, or the empty array that PHP writes for an empty one."""
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise malformed(f"{path} is {json_type(value)}, expected object")
    return value


def settings(value, path):
    if len(mapping(value, path)) > MOST_SETTINGS:
        raise Flaw("threat-43", f"{path} has more than {MOST_SETTINGS} members")
    return mapping(value, path)


def authorization(value, path):
    if value is None or value == []:
        return None
    for name in ("access_token", "refresh_token", "token_type", "scope"):
        member = mapping(value, path).get(name)
        if member is not None and not isinstance(member, str) or name == "access_token" and not member:
            raise malformed(f"{path}.{name} is no text")
    if value.get("expires_in") is not None:
        whole_seconds(value["expires_in"], path)
    if value.get("cnf") is not None and not isinstance(value["cnf"], dict):
        raise malformed(f"{path}.cnf is no object")
    if isinstance(value.get("cnf"), dict):
        value = {**value, "cnf": with_named_key(value["cnf"])}
    return with_named_key(value)


def whole_seconds(value, path):
    try:
        integer(value)
    except Flaw as flaw:
        raise malformed(f"{path}.expires_in: {flaw.words}") from None


def with_named_key(value):
    return {**value, "kid": str(value["kid"])} if json_type(value.get("kid")) == "number" else value


SERVICE = {"engineName": text, "engineId": text, "engineLink": link, "homePageLink": link, "homePageIcon": link}
PROTOCOL = {
    "apiLink": link, "apiVersion": versions, "engineId": text, "preferred": flag, "transport": transports, "docs": link,
    "description": link, "notes": text, "settings": settings, "authorization": authorization,
}


# Reading and writing

def read(value):
    """The strict form of a document, from its JSON value."""
    document = mapping(value, "$")
    known = SERVICE | {"apis": protocols, "authorization": authorization}
    found = read_members(document, known, "$")
    if "apis" not in document and value != []:
        raise malformed("$.apis is missing")
    return ordered(found | {"engineLink": found.get("engineLink", ""), "apis": found.get("apis", {})}, known)


def read_members(value, known, path):
    """The members of an object, each by its type, without those that say nothing."""
    found = {name: known[name](member, f"{path}.{name}") if name in known else member for name, member in value.items()}
    return {name: member for name, member in found.items() if name not in known or member is not None}


def protocols(value, path):
    if len(mapping(value, path)) > MOST_PROTOCOLS:
        raise Flaw("threat-43", f"{path} has more than {MOST_PROTOCOLS} members")
    return {name: protocol(name, member, path) for name, member in mapping(value, path).items()}


def protocol(name, value, path):
    if not is_name(name, 255):
        raise malformed(f"{path} has a member that is not the name of a protocol")
    found = read_members(mapping(value, f"{path}.{name}"), PROTOCOL, f"{path}.{name}")
    silent = {member for member in ("apiVersion", "preferred", "transport", "settings") if not found.get(member)}
    found = {member: value for member, value in found.items() if member not in silent}
    if len(found.get("apiVersion", [])) == 1:
        found["apiVersion"] = found["apiVersion"][0]
    return ordered(found, PROTOCOL)


def ordered(found, known):
    """The members that this page names in its order, then the others."""
    return {name: found[name] for name in known if name in found} | {
        name: value for name, value in found.items() if name not in known}


def read_text(form, written):
    """A document in JSON, XML or YAML."""
    return read(READERS[form](written))


# Filtering

def check_length(document):
    """Refuses what is too long to be handed on."""
    if len(compact_json(without_authorization(document)).encode()) > MOST_BYTES:
        raise Flaw("threat-43", f"a document of more than {MOST_BYTES} bytes")


def without_authorization(document):
    """A document for everybody: without tokens."""
    apis = {name: public(api) for name, api in document["apis"].items()}
    return public({**document, "apis": apis})


def public(value):
    return {name: member for name, member in value.items() if name != "authorization"}


def is_of_oauth2(name):
    """Whether it is the authorization component, or stands for a path below it."""
    return name == OAUTH2 or name.startswith(OAUTH2 + ".")


def filtered(document, names):
    """A document for an app that asked for some protocols."""
    kept = {name: api for name, api in document["apis"].items() if name in names or is_of_oauth2(name)}
    return {**document, "apis": kept}


def service_url(document):
    """The URL by which a service is known, or nothing."""
    try:
        return urls.read(document["homePageLink"] if "homePageLink" in document else document["engineLink"])
    except Flaw:
        return None


# Kinds of vectors

def document_answer(given):
    document = read_text(given["format"], given["text"])
    found = {"document": document}
    if "query" in given:
        home = service_url(document)
        directory = discovery.Directory({home.text: document} if home else {})
        found["matches"] = bool(directory.answer(discovery.read_query_value(given["query"])))
    if "endpoint" in given:
        found["endpoint"] = endpoint(document, given["endpoint"]["protocol"], given["endpoint"].get("path"))
    return found


ANSWERS = {"document": document_answer, "services": discovery.services_answer, "directory": discovery.directory_answer}
