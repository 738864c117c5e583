"""What an instance keeps: its four relations, and how it forgets (Fixtures/protocol/app-requests.md)."""

from dataclasses import dataclass, field, replace

from . import descriptions, endpoints, urls
from .json_text import compact_json
from .refusals import Flaw

MOST_ENDED = 64
ENDING = "ending-"
MOST_ENDINGS = 64


def identity(text):
    """By what services are told apart; nothing of a text that is no URL."""
    try:
        return urls.read(text).identity
    except Flaw:
        return None


def sorted_by_bytes(names):
    return sorted(names, key=str.encode)


@dataclass(frozen=True)
class Token:
    """A token answer, when it expires, and whose it is."""
    members: dict
    holder: str
    key: dict
    expires: int | None = None

    @property
    def kid(self):
        """The name by which the holder's key is known to who issued the token."""
        cnf = self.members["cnf"]
        return cnf["kid"] if "kid" in cnf else cnf["jwk"]["kid"]

    @property
    def refresh_token(self):
        return self.members.get("refresh_token")

    def is_expired(self, now):
        return self.expires is not None and now >= self.expires


@dataclass(frozen=True)
class Service:
    """A row of UserServices."""
    url: urls.URL
    name: str
    document: dict
    token: Token | None = None
    token_target: str | None = None

    @classmethod
    def of(cls, document):
        url = descriptions.service_url(document)
        return cls(url, document.get("engineName") or url.host, document, None, described(document))

    @property
    def identity(self):
        return self.url.identity

    @property
    def text(self):
        return compact_json(self.document)

    def endpoint(self, path):
        """Where the authorization component takes something: as described if the token is from there, else beside."""
        target = urls.read(self.token_target)
        known = {name: described(self.document, name) for name in ("token", path)}
        if known["token"] and urls.read(known["token"]).identity == target.identity and known[path]:
            return known[path]
        return urls.read(path, target).text

    def described(self, news):
        """The service by a newer description; where its endpoints are others, the token was for the ones before."""
        if shown_at(self.document) != shown_at(news.document):
            return news
        return replace(news, token=self.token, token_target=self.token_target)

    def withdrawn(self):
        """The service when it is not found any more: nothing is left but where its tokens end."""
        return replace(self, document=descriptions.filtered(self.document, []))


def described(document, path=None):
    """The authorization component of a description, or what lies below it."""
    try:
        return endpoints.endpoint(document, descriptions.OAUTH2, path)
    except Flaw:
        return None


def shown_at(document):
    """Where a token of the service is shown."""
    found = (described(document, path) for path in (None, "token", "revoke"))
    return [url and urls.read(url).identity for url in found]


@dataclass(frozen=True)
class Ending:
    """The end of a token that is still to be told; `home` is the service's URL, or nothing of the edu-ID service."""
    token: Token
    home: urls.URL | None
    until: int | None


@dataclass
class Store:
    """Settings by name; tokens by subject, target and type; services and requested protocols by identity."""
    settings: dict = field(default_factory=dict)
    tokens: dict = field(default_factory=dict)
    services: dict = field(default_factory=dict)
    protocols: dict = field(default_factory=dict)

    def service(self, url):
        return self.services.get(identity(url))

    def keep_service(self, service):
        self.services[service.identity] = service

    def keep_discovered(self, service):
        """Keeps what a discovery told; of a service without a token nothing is left that apps were given."""
        known = self.services.get(service.identity)
        self.keep_service(known.described(service) if known else service)
        if self.services[service.identity].token is None:
            self.forget_service(service.identity)

    # Forgetting

    def forget_service(self, name):
        self.services[name] = replace(self.services[name], token=None)
        self.forget_given(name)

    def forget_given(self, name):
        self.tokens = {place: token for place, token in self.tokens.items() if place[1:] != (name, "app")}

    def note_ended(self, name):
        self.settings["ended"] = (self.settings.get("ended", []) + [name])[-MOST_ENDED:]

    def forget_user(self):
        self.tokens = {place: token for place, token in self.tokens.items()
                       if place[2] == "client" or place[2].startswith(ENDING)}
        self.services = {name: replace(service, token=None) for name, service in self.services.items()}
        self.drop("usage", "profile", "ended", "session")

    def forget_person(self):
        self.forget_user()
        self.services, self.protocols = {}, {}
        self.drop("exceptions", "person")

    def drop(self, *names):
        for name in names:
            self.settings.pop(name, None)

    # Exceptions: which services refuse the user, and which were left out for which app

    def refusing(self):
        return self.settings.get("exceptions", {}).get("refusing", frozenset())

    def left_out(self, app):
        return self.settings.get("exceptions", {}).get("left out", {}).get(app, frozenset())

    def note_refusing(self, name, is_refusing):
        others = self.refusing() - {name}
        self.keep_exceptions(others | {name} if is_refusing else others, self.all_left_out())

    def note_left_out(self, app, missing, chosen):
        names = (self.left_out(app) | missing) - chosen
        self.keep_exceptions(self.refusing(), self.all_left_out() | {app: names})

    def all_left_out(self):
        return self.settings.get("exceptions", {}).get("left out", {})

    def keep_exceptions(self, refusing, left_out):
        left_out = {app: names for app, names in left_out.items() if names}
        self.drop("exceptions")
        if refusing or left_out:
            self.settings["exceptions"] = {"refusing": refusing, "left out": left_out}

    # Usage

    def usage(self):
        """The identities of the services in the usage list, each with its first spelling there."""
        return {identity(url): url for url in reversed(self.settings.get("usage", ()))}

    def with_token(self):
        return [name for name, service in self.services.items() if service.token]

    # Endings

    def endings(self):
        """The places of the endings, in the order of their rows."""
        return sorted((place for place in self.tokens if place[2].startswith(ENDING)), key=place_bytes)

    def keep_ending(self, subject, target, ending):
        numbers = range(1, MOST_ENDINGS)
        free = (number for number in numbers if (subject, target, f"{ENDING}{number}") not in self.tokens)
        place = subject, target, f"{ENDING}{next(free, MOST_ENDINGS)}"
        self.tokens[place] = ending
        return place

    def rows(self):
        """The keys of what is kept."""
        return {
            "EduidConfiguration": [{"cfg_name": name} for name in sorted_by_bytes(self.settings)],
            "Protocols": [{"baseurl": name, "protocol_id": "\n".join(sorted_by_bytes(self.protocols[name]))}
                          for name in sorted_by_bytes(self.protocols)],
            "Tokens": [dict(zip(("subject", "target", "type"), place))
                       for place in sorted(self.tokens, key=place_bytes)],
            "UserServices": [self.service_row(name) for name in sorted_by_bytes(self.services)],
        }

    def service_row(self, name):
        service = self.services[name]
        return {"baseurl": name, "name": service.name, "token": service.token is not None,
                "token_target": service.token_target}


def place_bytes(place):
    return [part.encode() for part in place]
