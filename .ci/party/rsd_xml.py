"""Service descriptions in XML, in both bindings (Fixtures/protocol/descriptions.md)."""

import re
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.parsers.expat import errors

from .json_text import read_json
from .refusals import Flaw

MOST_BYTES, MOST_DEPTH, MOST_ELEMENTS = 524_288, 32, 65_536
MOST_ATTRIBUTES, MOST_NAME, MOST_MEMBERS = 128, 1024, 1000
RSD2, RSD1 = "http://github.com/rsd-spec/rsd", "http://archipelago.phrasewise.com/rsd"
VERSIONS = {RSD2: "2.0", RSD1: "1.0", "": "1.0"}
LISTS = ("apiVersion", "transport")
PROPERTIES = ("apiLink", "apiVersion", "engineId", "preferred", "transport", "docs", "description", "notes")
SEPARATOR = "\x1f"
CLAUSES = {
    errors.XML_ERROR_UNDEFINED_ENTITY: "XML-4.1", errors.XML_ERROR_BAD_CHAR_REF: "XML-2.2",
    errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "XML-2.8", errors.XML_ERROR_XML_DECL: "XML-2.8",
    errors.XML_ERROR_MISPLACED_XML_PI: "XML-2.6", errors.XML_ERROR_UNKNOWN_ENCODING: "XML-4.3.3",
    errors.XML_ERROR_INCORRECT_ENCODING: "XML-4.3.3", errors.XML_ERROR_UNBOUND_PREFIX: "XML-NAMES-5",
    errors.XML_ERROR_UNDECLARING_PREFIX: "XML-NAMES-3", errors.XML_ERROR_RESERVED_PREFIX_XML: "XML-NAMES-3",
    errors.XML_ERROR_RESERVED_PREFIX_XMLNS: "XML-NAMES-3", errors.XML_ERROR_RESERVED_NAMESPACE_URI: "XML-NAMES-3",
}


# What stands before and at a byte that may not stand where it does.
UNEXPECTED = (
    (rb"", rb"[\0-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]", "XML-2.2"), (rb"\]\]$", rb">", "XML-2.4"),
    (rb"<!--(?:(?!-->).)*--$", rb"", "XML-2.5"), (rb"&$", rb"", "XML-4.1"), (rb"<[?/]?$", rb"", "XML-2.3"),
    (rb"<\?[^?>]*$", rb"", "XML-2.6"), (rb"<[^\s>]*:[^\s>]*$", rb":", "XML-NAMES-4"), (rb"^[^<]*$", rb"", "XML-2.8"),
)


def unexpected(before, here):
    """The rule that a byte breaks where it stands."""
    for behind, at, clause in UNEXPECTED:
        if re.search(behind, before, re.DOTALL) and re.match(at, here):
            return clause
    return "XML-3.1"


@dataclass
class Element:
    """An element with the text that stands directly in it."""
    space: str
    name: str
    attributes: dict
    children: list = field(default_factory=list)
    text: str = ""

    def of_its_own(self):
        """The children in the element's own namespace."""
        return [child for child in self.children if child.space == self.space]


class Tree:
    """Builds the elements of a text, within the bounds."""

    def __init__(self):
        self.open, self.root, self.number = [], None, 0
        self.parser = expat.ParserCreate(namespace_separator=SEPARATOR)
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler, self.parser.StartDoctypeDeclHandler = self.data, self.doctype
        self.parser.XmlDeclHandler = self.declaration

    def read(self, text):
        try:
            self.parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            message = errors.messages[error.code]
            raise Flaw(self.clause(message, text.encode()), message) from None
        return self.root

    def clause(self, message, data):
        """The rule that is broken where the parser stopped."""
        if message == errors.XML_ERROR_NO_ELEMENTS:
            return "XML-3.1" if self.open else "XML-2.8"
        if message != errors.XML_ERROR_INVALID_TOKEN:
            return CLAUSES.get(message, "XML-3.1")
        place = self.parser.ErrorByteIndex
        return unexpected(data[:place], data[place:])

    def start(self, name, attributes):
        self.number += 1
        if len(self.open) == MOST_DEPTH or self.number > MOST_ELEMENTS or len(attributes) > MOST_ATTRIBUTES:
            raise Flaw("threat-43", "too many elements or attributes")
        if any(len(word.rpartition(SEPARATOR)[2].encode()) > MOST_NAME for word in (name, *attributes)):
            raise Flaw("threat-43", "a name that is too long")
        space, _, local = name.rpartition(SEPARATOR)
        element = Element(space, local, attributes)
        if self.open:
            self.open[-1].children.append(element)
        self.root = self.root or element
        self.open.append(element)

    def end(self, _):
        self.open.pop()

    def data(self, text):
        self.open[-1].text += text

    def declaration(self, version, *_):
        if not re.fullmatch(r"1\.[0-9]+", version):
            raise Flaw("XML-2.8", "another version of XML")

    def doctype(self, *_):
        raise Flaw("threat-44", "a document type")


def read(text):
    """The JSON value of a text."""
    if len(text.encode()) > MOST_BYTES:
        raise Flaw("threat-43", f"more than {MOST_BYTES} bytes of XML")
    root = Tree().read(text)
    if root.name != "rsd" or root.attributes.get("version") != VERSIONS.get(root.space):
        raise malformed("the root is no RSD of a known version")
    services = root.of_its_own()
    if [child.name for child in services].count("service") != 1:
        raise malformed("there is not one service")
    return service(next(child for child in services if child.name == "service"))


def malformed(words):
    return Flaw("RSD-2", words)


def repeated(name):
    return Flaw("threat-46", f"'{name}' comes twice")


def service(element):
    members, others = {}, []
    for child in element.of_its_own():
        if child.name == "apis":
            if "apis" in members:
                raise malformed("apis come twice")
            members["apis"] = Bindings().protocols(child)
        elif child.name == "authorization":
            members["authorization"] = authorization(child)
        elif child.name in ("engineName", "engineId", "engineLink", "homePageLink", "homePageIcon"):
            members[child.name] = child.text
        else:
            others.append(child)
    return with_others(members, others, {})


def with_others(members, elements, attributes):
    """The members, and as texts what this page does not name."""
    for element in elements:
        if not element.attributes and not element.children:
            members.setdefault(element.name, element.text)
    for name, value in attributes.items():
        members.setdefault(name, value)
    return members


class Bindings:
    """Reads protocols, of which all have their properties in attributes or all in elements: the first one decides."""

    def __init__(self):
        self.hierarchical = None

    def demand(self, hierarchical):
        if self.hierarchical is None:
            self.hierarchical = hierarchical
        if self.hierarchical is not hierarchical:
            raise Flaw("threat-46", "both bindings")

    def protocols(self, element):
        found = {}
        for api in (child for child in element.of_its_own() if child.name == "api"):
            if len(found) == MOST_MEMBERS:
                raise Flaw("threat-43", f"more than {MOST_MEMBERS} protocols")
            if "name" not in api.attributes:
                raise malformed("a protocol without a name")
            name = api.attributes["name"]
            if name in found:
                raise repeated(name)
            found[name] = self.protocol(api)
        return found

    def protocol(self, api):
        members, others, attributes = {}, [], {}
        for name, value in api.attributes.items():
            if name in PROPERTIES or name == "blogID":
                self.demand(False)
                members[name] = re.split("[ \t\r\n,]+", value.strip(" \t\r\n,")) if name in LISTS else value
            elif name not in ("name", "settings", "authorization") and SEPARATOR not in name:
                attributes[name] = value
        members = as_engine(members)
        for child in api.of_its_own():
            if not self.property(child, members):
                others.append(child)
        return trimmed(with_others(members, others, attributes))

    def property(self, child, members):
        """Whether a child element is a property, which then is added."""
        if child.name == "settings":
            members["settings"] = self.settings(child, members)
        elif child.name == "authorization":
            members["authorization"] = authorization(child)
        elif child.name in PROPERTIES:
            self.demand(True)
            if child.name in LISTS:
                members[child.name] = [*members.get(child.name, []), child.text]
            else:
                members[child.name] = child.text
        else:
            return False
        return True

    def settings(self, element, members):
        found = {}
        for child in element.of_its_own():
            if child.name != "setting" or "name" not in child.attributes:
                continue
            if len(found) == MOST_MEMBERS:
                raise Flaw("threat-43", f"more than {MOST_MEMBERS} settings")
            if child.attributes["name"] in found:
                raise repeated(child.attributes["name"])
            found[child.attributes["name"]] = child.attributes.get("value", child.text)
        if not self.hierarchical:
            for child in (child for child in element.of_its_own() if child.name in ("docs", "notes")):
                members.setdefault(child.name, child.text)
        return found


def as_engine(members):
    """`blogID` is another word for `engineId`."""
    known = {"engineId": members["blogID"]} if "blogID" in members else {}
    return known | {name: value for name, value in members.items() if name != "blogID"}


def trimmed(members):
    if "transport" in members:
        members["transport"] = [word.strip() for word in members["transport"]]
    if isinstance(members.get("preferred"), str):
        members["preferred"] = members["preferred"].strip()
    return members


def authorization(element):
    found = {}
    for child in element.of_its_own():
        if child.name in found:
            raise repeated(child.name)
        found[child.name] = read_json(child.text) if child.name in ("expires_in", "cnf") else child.text
    return found
