"""The store of the edu-ID app as a text: four relations under a seal (Fixtures/protocol/edu-id-app.md, "Data")."""

import re
from dataclasses import dataclass, field

from . import descriptions, urls
from .endpoints import is_secure_url
from .formats import base64url, base64url_bytes, check_name
from .json_text import Bounds, Reader, compact_json, integer, member, optional_member, typed
from .refusals import Flaw
from .seals import Seal

GROUP, VERSION = "group.ch.eduid.mobile", 2
COLUMNS = {
    "EduidConfiguration": ("cfg_name", "cfg_value"), "Protocols": ("baseurl", "protocol_id"),
    "Tokens": ("subject", "target", "type", "token"),
    "UserServices": ("baseurl", "name", "rsd", "token", "token_target"),
}
IN_ORDER_OF_READING = ("EduidConfiguration", "Tokens", "UserServices", "Protocols")


@dataclass(frozen=True)
class Limits:
    """The most rows of a relation, bytes of a field, and bytes of all fields."""
    rows: int = 4096
    field: int = 524_288
    bytes: int = 33_554_432

    @property
    def content(self):
        return Bounds(size=6 * self.bytes + 512 * self.rows + 1024, depth=4, values=32 * self.rows + 64,
                      members=self.rows + 16, string=6 * self.field + 16)

    @property
    def text(self):
        size = self.content.size // 3 * 4 + 65_536
        return Bounds(size=size, depth=2, values=8, members=8, string=size)


@dataclass
class Store:
    """Rows by their keys: each is a dictionary of its columns."""
    place: str
    limits: Limits
    revision: int = 1
    rows: dict = field(default_factory=lambda: {name: {} for name in COLUMNS})
    bytes: int = 0

    def take(self, relation, row):
        """Takes in a row that was read."""
        check(relation, row, self.rows["UserServices"])
        known, lengths = self.rows[relation], [len(value.encode()) for value in row.values()]
        if len(known) == self.limits.rows:
            raise Flaw("threat-14", f"more than {self.limits.rows} rows")
        if max(lengths) > self.limits.field or self.bytes + sum(lengths) > self.limits.bytes:
            raise Flaw("threat-14", "more than a store holds")
        if key_of(relation, row) in known:
            raise Flaw("DAT-2", "two rows of one key")
        known[key_of(relation, row)] = row
        self.bytes += sum(lengths)

    @property
    def content(self):
        """The object that is sealed: relations without rows are left out."""
        value = {"store": self.place, "revision": self.revision}
        for relation, rows in self.rows.items():
            if rows:
                value[relation] = [rows[key] for key in sorted(rows, key=lambda key: [part.encode() for part in key])]
        return value

    def text(self, seal):
        sealed = seal.sealed(compact_json(self.content).encode())
        return f'{{"eduid":{VERSION},"sealed":"{base64url(sealed)}"}}'


def key_of(relation, row):
    return tuple(row[name] for name in (COLUMNS[relation][:3] if relation == "Tokens" else COLUMNS[relation][:1]))


# Rows

def named(row, column):
    return check_name(member(row, column, "string"))


def address(row, column):
    return urls.read(member(row, column, "string"))


def token(row):
    """1 to 65,536 bytes without NUL, CR and LF."""
    text = member(row, "token", "string")
    if len(text.encode()) > 65_536:
        raise Flaw("threat-14", "a token of more than 65536 bytes")
    if not text or re.search("[\0\r\n]", text):
        raise Flaw("RFC6749-A", "a token with a byte that it may not have")
    return text


def setting_row(row):
    return {"cfg_name": named(row, "cfg_name"), "cfg_value": member(row, "cfg_value", "string")}


def token_row(row):
    return {name: named(row, name) for name in ("subject", "target", "type")} | {"token": token(row)}


def service_row(row):
    url, rsd = address(row, "baseurl").identity, member(row, "rsd", "string")
    home = descriptions.service_url(descriptions.read_text("json", rsd))
    if home is None:
        raise Flaw("DAT-3", "a description without a URL")
    read = {"baseurl": url, "name": member(row, "name", "string"), "rsd": rsd}
    read |= {"token": token(row)} if "token" in row else {}
    target = address(row, "token_target") if "token_target" in row else None
    read |= {"token_target": target.text} if target else {}
    if home.identity != url:
        raise Flaw("DAT-3", "a description of another service")
    if target and not is_secure_url(target):
        raise Flaw("threat-40", "tokens would be sent without encryption")
    return read


def protocol_row(row):
    url = address(row, "baseurl").identity
    names = sorted((check_name(name, limit=255) for name in member(row, "protocol_id", "string").split("\n")), key=str.encode)
    return {"baseurl": url, "protocol_id": "\n".join(names)}


ROWS = {"EduidConfiguration": setting_row, "Tokens": token_row, "UserServices": service_row,
        "Protocols": protocol_row}


def check(relation, row, services):
    """What a row refers to is there, and it says nothing twice."""
    if relation == "Protocols":
        names = row["protocol_id"].split("\n")
        if (row["baseurl"],) not in services or len(set(names)) < len(names):
            raise Flaw("DAT-2", "a service that is not there, or a protocol that comes twice")


def read_row(relation, value):
    row = typed(value, "object", "$")
    check_members(row, COLUMNS[relation])
    return ROWS[relation](row)


def check_members(value, known):
    for name in value:
        if name not in known:
            raise Flaw("DAT-1", f"$.{name} does not belong into this store")


# Texts

def opened(text, seal, limits):
    """The bytes under the seal."""
    value = typed(Reader(text.encode(), limits.text).whole(), "object", "$")
    try:
        version = integer(member(value, "eduid", "number"))
    except Flaw as flaw:
        raise flaw if flaw.clause != "RFC8259-6" else Flaw("threat-49", "an unknown version") from None
    if not 1 <= version <= VERSION:
        raise Flaw("threat-49", f"a store of version {version}")
    check_members(value, ("eduid", "sealed"))
    sealed = member(value, "sealed", "string")
    try:
        return seal.opened(base64url_bytes(sealed))
    except Flaw:
        raise Flaw("threat-49", "the seal does not open") from None


def read(content, place, limits, damaged):
    """The store that lies under a seal; what is damaged is told, and may be refused by that."""
    value = typed(Reader(content, limits.content).whole(), "object", "$")
    if member(value, "store", "string") != place:
        raise Flaw("DAT-1", "another store")
    relations = [name for name in IN_ORDER_OF_READING if place == GROUP or name == "EduidConfiguration"]
    for name in value:
        if name not in ("store", "revision", *relations):
            damaged(Flaw("DAT-1", f"$.{name} does not belong into this store"))
    store = Store(place, limits, revision_of(value))
    for relation in relations:
        try:
            for row in optional_member(value, relation, "array") or []:
                take(store, relation, row, damaged)
        except Flaw as flaw:
            damaged(flaw)
    return store


def take(store, relation, row, damaged):
    try:
        store.take(relation, read_row(relation, row))
    except Flaw as flaw:
        damaged(flaw)


def revision_of(value):
    try:
        return max(integer(value.get("revision", 1)), 1)
    except Flaw:
        return 1


def refuse(flaw):
    raise flaw


def store_answer(given):
    seal = Seal(given["seal"]) if "seal" in given else None
    limits = Limits(**given.get("limits", {}))
    content = given["content"].encode() if "content" in given else opened(given["text"], seal, limits)
    lost = []
    damaged = lost.append if given.get("salvage") else refuse
    store = read(content, given["place"], limits, damaged)
    told = {"lost": [flaw.clause for flaw in lost]} if given.get("salvage") else {}
    return {"content": store.content} | told | ({"text": store.text(seal)} if seal and seal.salt else {})
