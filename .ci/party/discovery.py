"""Where descriptions are published, and how a directory answers queries (Fixtures/protocol/discovery.md)."""

import re

from . import urls
from .formats import is_name
from .json_text import compact_json, read_json
from .refusals import Flaw

OAUTH2 = "org.ietf.oauth2"
MOST_DOCUMENTS, MOST_BAD_LINES, MOST_NAMES = 256, 257, 1000
MOST_BYTES, MOST_FOUND = 4_194_304, 4000


# services.txt

def read_services(text, place):
    """The documents that a list names, seen from its own place, the interval, and the number of bad lines."""
    if len(text.encode()) > 65536:
        raise Flaw("threat-43", "the list has more than 65536 bytes")
    entries, interval, skipped = [], None, 0
    for line in re.split("\r\n|\r|\n", text.removeprefix("\ufeff")):
        line = line.strip(" \t")
        if not line or line.startswith("#"):
            continue
        try:
            if ";" in line:
                entries.append(service_entry(line, len(entries)))
            else:
                interval = service_interval(line, interval)
        except Flaw:
            skipped += 1
        if skipped == MOST_BAD_LINES:
            break
    return [*filter(None, (resolved(entry, place) for entry in entries))], interval, skipped


def service_entry(line, number):
    """A media type and a link."""
    if number == MOST_DOCUMENTS:
        raise Flaw("threat-43", f"more than {MOST_DOCUMENTS} documents")
    kind, _, link = (part.strip(" \t") for part in line.partition(";"))
    if not re.fullmatch("[A-Za-z0-9/+._-]+", kind):
        raise Flaw("RSD-2", "a line without a media type")
    if not link:
        raise Flaw("RSD-2", "a line without a link")
    if urls.reference(link).scheme is not None:
        urls.read(link)
    return kind, link


def service_interval(line, before):
    found = re.fullmatch("ttl:[ \t]*([0-9]{1,10})", line, re.IGNORECASE)
    if not found or before is not None:
        raise Flaw("RSD-2", "a line that is no interval, or a second one")
    return int(found[1])


def resolved(entry, place):
    """An entry with its URL, or nothing where its link leads to none."""
    kind, link = entry
    try:
        return {"type": kind, "url": urls.read(link, place).text}
    except Flaw:
        return None


# Queries

def read_query(text):
    """What is looked for: names of protocols, or URLs; the words are told behind `the query: `."""
    return read_query_value(read_json(text, size=1_048_576, depth=2))


def read_query_value(value):
    if not isinstance(value, list):
        raise Flaw("DSC-1", "a query is an array of strings")
    if not value:
        raise Flaw("DSC-1", "there is nothing to look for")
    if len(value) > MOST_NAMES:
        raise Flaw("threat-43", f"{len(value)} names where {MOST_NAMES} are allowed")
    for place, name in enumerate(value):
        if not isinstance(name, str):
            raise Flaw("DSC-1", "a query is an array of strings")
        if "://" not in name and not is_name(name, 255):
            raise Flaw("DSC-1", f"element {place} is not a name of a protocol")
    if len({"://" in name for name in value}) > 1:
        raise Flaw("DSC-1", "protocol names and service URLs are mixed")
    return value


def identity(text):
    """The identity of a URL, or nothing of one that no service can have."""
    try:
        return urls.read(text).identity
    except Flaw:
        return None


class Directory:
    """The documents of services by their URLs, in the order in which they were taken in."""

    def __init__(self, documents):
        self.documents = documents
        self.places = {identity(url): url for url in documents}

    def answer(self, query):
        """The URLs of the services that answer a query."""
        if "://" in query[0]:
            found = dict.fromkeys(self.places.get(identity(url)) for url in query)
            return self.fitting([url for url in found if url is not None])
        return self.fitting([url for url, document in self.documents.items()
                             if {OAUTH2, *query} <= document["apis"].keys()])

    def fitting(self, found):
        """Without the longest documents, where there are more than an answer has."""
        lengths = {url: len(compact_json(self.documents[url]).encode()) + 1 for url in found}
        kept = sorted(found, key=lengths.get)[:MOST_FOUND]
        while kept and 1 + sum(map(lengths.get, kept)) > MOST_BYTES:
            kept.pop()
        return [url for url in found if url in kept]


# Kinds of vectors

def services_answer(given):
    entries, interval, skipped = read_services(given["text"], urls.read(given["url"]))
    found = {"documents": entries} | ({} if interval is None else {"ttl": interval})
    return found | ({"skipped": skipped} if skipped else {})


def directory_answer(given):
    services = Directory(given["documents"]).answer(read_query(given["query"]))
    return {"services": sorted(services, key=str.encode)}
