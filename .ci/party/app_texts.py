"""How a third-party app writes its state down, and reads it back (Fixtures/protocol/app-state.md)."""

from . import app_authorizations, descriptions, ed25519, urls
from .app_authorizations import Authorization
from .app_state import MOST_GRANTS, Grant, Service, State
from .formats import base64url, base64url_bytes, check_name, digest
from .json_text import Bounds, Reader, compact_json, integer, member, optional_member, typed
from .refusals import Flaw
from .seals import Seal

MOST_BYTES, MOST_DEPTH = 268_435_456, 48


# Writing

def written(state, seal=None):
    """The text of a state."""
    services = state.sorted()
    seeds = [*dict.fromkeys(grant.pair["d"] for service in services for grant in service.grants if grant.pair)]
    services = [service_members(service, seeds) for service in services]
    content = compact_json({"keys": seeds, "services": services})
    if seal:
        return f'{{"nail":1,"sealed":"{base64url(seal.sealed(content.encode()))}"}}'
    return f'{{"nail":1,"digest":"{digest(content)}","state":{content}}}'


def service_members(service, seeds):
    return {"url": service.url.text, "grants": [grant_members(grant, seeds) for grant in service.grants]}


def grant_members(grant, seeds):
    key = {"key": seeds.index(grant.pair["d"])} if grant.pair else {}
    places = sorted(grant.authorizations, key=lambda place: (place or "").encode())
    authorizations = [authorization_members(place, grant.authorizations[place]) for place in places]
    members = {"app": grant.app, "for": grant.protocols} | key
    return members | {"document": grant.document, "authorizations": authorizations}


def authorization_members(place, authorization):
    at = {"at": place} if place is not None else {}
    if authorization.ended is not None:
        return at | {"ended": authorization.ended}
    expires = {} if authorization.expires is None else {"expires": authorization.expires}
    refused = {"refused": True} if authorization.refused else {}
    return at | {"authorization": authorization.members} | expires | refused


# Reading

def changed(words):
    return Flaw("threat-49", words)


def read(text, seal=None):
    """The state that a text holds."""
    reader = reader_of(text.encode())
    value = typed(reader.whole(), "object", "$")
    version = integer_or_nothing(member(value, "nail", "number"))
    if version not in (1, 2):
        raise changed("a state of another version")
    if ("sealed" in value) != (seal is not None):
        raise changed("a sealed state and nothing to open it with, or an open one in its place")
    if seal:
        content = opened(member(value, "sealed", "string"), seal)
        return state_of(typed(reader_of(content).whole(), "object", "$"), version)
    told = member(value, "digest", "string")
    if "state" not in value:
        raise Flaw("RFC8259-4", "$.state is missing")
    start, end = reader.spans["state"]
    if told != digest(text.encode()[start:end]):
        raise changed("the state was changed after it was written")
    return state_of(typed(value["state"], "object", "$.state"), version)


def reader_of(data):
    return Reader(data, Bounds(size=MOST_BYTES, string=MOST_BYTES, depth=MOST_DEPTH))


def opened(text, seal):
    """What lies under a seal."""
    try:
        return seal.opened(base64url_bytes(text))
    except Flaw:
        raise changed("the seal does not open") from None


def integer_or_nothing(value):
    try:
        return integer(value)
    except Flaw:
        return None


def state_of(value, version):
    seeds, services = (member(value, name, "array", "$.state") for name in ("keys", "services"))
    pairs = [pair_of(key, version) for key in seeds]
    state = State()
    for entry in services:
        service = service_of(typed(entry, "object", "$"), pairs)
        if service.url.identity in state.services:
            raise changed("a service that stands twice")
        state.services[service.url.identity] = service
    if state.number_of_grants() > MOST_GRANTS:
        raise changed(f"more than {MOST_GRANTS} grants")
    return state


def pair_of(key, version):
    """A key of Ed25519: its seed, or since version 2 an object; keys of other types no vector has yet."""
    seed = key["key"] if version == 2 and isinstance(key, dict) and key.keys() == {"key"} else key
    try:
        public = ed25519.public_key(base64url_bytes(typed(seed, "string", "$")))
    except Flaw:
        raise changed("a key that is no seed") from None
    return {"kty": "OKP", "crv": "Ed25519", "x": base64url(public), "d": seed}


def service_of(value, pairs):
    service = Service(urls.read(member(value, "url", "string")))
    for entry in member(value, "grants", "array"):
        grant = grant_of(typed(entry, "object", "$"), pairs, service.url)
        if any(set(grant.protocols) & set(other.protocols) for other in service.grants):
            raise changed("a protocol that was granted twice")
        service.grants.append(grant)
    if not service.grants:
        raise changed("a service without a grant")
    return service


def grant_of(value, pairs, home):
    app = check_name(member(value, "app", "string"))
    protocols = [check_name(typed(name, "string", "$.for")) for name in member(value, "for", "array")]
    if not protocols or len(set(protocols)) < len(protocols):
        raise changed("a grant for nothing, or for one protocol twice")
    document = descriptions.read(member(value, "document", "object"))
    own = descriptions.service_url(document)
    if not document["apis"].keys() >= set(protocols) or own is None or own.identity != home.identity:
        raise changed("a description of another service, or without what was granted")
    pair = None
    if "key" in value:
        place = integer_or_nothing(value["key"])
        if place is None or not 0 <= place < len(pairs):
            raise changed("a key that is not there")
        pair = pairs[place]
    authorizations = authorizations_of(member(value, "authorizations", "array"), document, pair)
    return Grant(app, protocols, document, authorizations, pair)


def authorizations_of(entries, document, pair):
    found = {}
    for entry in entries:
        place = optional_member(typed(entry, "object", "$"), "at", "string")
        if place in found or place is not None and place not in document["apis"]:
            raise changed("an authorization that stands twice, or nowhere")
        found[place] = authorization_of(entry, pair)
    return found


def authorization_of(value, pair):
    if "ended" in value:
        return Authorization({}, ended=member(value, "ended", "string"))
    members = descriptions.authorization(member(value, "authorization", "object"), "$.authorization")
    found = app_authorizations.read(members, pair, 0)
    expires = integer(value["expires"]) if "expires" in value else None
    return Authorization(members, found.key, expires, None, optional_member(value, "refused", "boolean") or False)


def state_answer(given):
    seal = Seal(given["seal"]) if "seal" in given else None
    state = read(given["text"], seal)
    return {"services": state.urls()} | ({"text": written(state, seal)} if seal and seal.salt else {})
