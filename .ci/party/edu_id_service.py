"""What the edu-ID service is given: versions of its app, services of the federation, users, and its policy."""

from dataclasses import dataclass
from functools import cached_property

from . import demands, derivations, descriptions, formats, urls
from .access_tokens import Issuer
from .changes import described
from .demands import Demand
from .refusals import demand

USER_LIFETIME = 3_600
INSTANCE_SCOPE = ("userinfo", "authorize", "usage", "discovery", "instances", "revoke")
AFFILIATION_CLAIM = "eduPersonScopedAffiliation"
NOT_ADMITTED = "this version of the app is no longer admitted"


@dataclass(frozen=True)
class Version:
    """A version of the edu-ID app, registered with a key of its own."""

    platform: str
    number: tuple
    app_name: str
    kid: str
    key: dict
    blocked: bool
    callbacks: tuple

    @classmethod
    def of(cls, given):
        number = tuple(int(part) for part in given["version"].split("."))
        while len(number) > 1 and number[-1] == 0:
            number = number[:-1]
        key = {name: value for name, value in given["key"].items() if name != "kid"} | {"kid": given["kid"]}
        return cls(given["platform"], number, given["app_name"], given["kid"], key, given.get("blocked", False),
                   tuple(given.get("callbacks", ())))

    @property
    def text(self):
        return ".".join(map(str, self.number))

    def may_follow(self, other):
        """Whether this is a higher version of the same line."""
        return (self.platform, self.app_name) == (other.platform, other.app_name) and self.number > other.number

    def record(self, now, **attributes):
        """The record of this version in the store."""
        described = {"platform": self.platform, "version": self.text} | attributes
        return {"id": self.kid, "kind": "versionKey", "holder": self.kid, "issued": now, "attributes": described}


class Service:
    """A service of the federation's index."""

    def __init__(self, given):
        self.home = given["home"]
        self.url = urls.read(self.home)
        self.issuer = given["issuer"]
        self.keys = given.get("keys")
        self.released_claims = given.get("released_claims", [])
        self.has_pairwise_subjects = given.get("subjects") == "pairwise"
        self.has_pairwise_clients = given.get("clients") == "pairwise"
        self.document = given.get("document")
        self.token_endpoint = given.get("token_endpoint")
        self.revocation_endpoint = given.get("revocation_endpoint")
        self.demand = Demand.of(given.get("demand"))
        self.affiliations = given.get("affiliations", [])

    @property
    def normal_url(self):
        """The URL by which users and administrators know it."""
        return normal_form(self.url)


def taken_in(service):
    """A service's description as the directory has it: under the index's URL, and without tokens."""
    document = descriptions.read(service.document)
    return descriptions.without_authorization(document | {"homePageLink": service.home})


def normal_form(url):
    """A URL with its scheme and host in normal form, and a path."""
    parts = url.reference
    query = "" if parts.query is None else "?" + parts.query
    return url.origin + (parts.path or "/") + query


class EduId:
    """The edu-ID service in one exchange."""

    def __init__(self, exchange):
        self.exchange = exchange
        party = exchange.party
        self.policy = exchange.policy
        self.versions = [Version.of(given) for given in party["versions"]]
        self.services = list(map(Service, party["services"]))
        self.users, self.provider = party["users"], party.get("provider")
        self.revokers = self.policy.get("revokers", [])
        self.pseudonyms = formats.base64url_bytes(party["pseudonyms"])
        self.key, self.further_keys = party["key"], party.get("keys", [])
        self.issuer = Issuer(exchange.issuer, party["key"], exchange.master)

    @property
    def now(self):
        return self.exchange.now

    @property
    def tree(self):
        return self.exchange.tree

    @property
    def chance(self):
        return self.exchange.chance

    @property
    def keys(self):
        """The keys that it publishes: the one that signs first."""
        return [self.key, *self.further_keys]

    def url(self, path):
        return self.exchange.url(path)

    def change(self, do, **members):
        self.exchange.change(do, **members)

    def describe(self, record, attributes, even_if_same=False):
        """Replaces the attributes of a record, if they differ."""
        if even_if_same or attributes != record.get("attributes", {}):
            self.exchange.changes.append(described(record, attributes))

    @property
    def takes_passwords(self):
        return self.policy.get("takes_passwords", False)

    @property
    def asks_name_first(self):
        return self.policy.get("asks_name_first", False)

    def remember(self, proof, even_without_room=False):
        """Notes a proof, where there is one that passes only once."""
        noted = proof and proof.remembered(even_without_room)
        self.exchange.changes += [noted] if noted else []

    @cached_property
    def has_usage_manager(self):
        return self.policy.get("has_usage_manager", True)

    @cached_property
    def personal_scope(self):
        return " ".join(map(self.url, INSTANCE_SCOPE))

    # Sign-ins

    @property
    def classes(self):
        """What sign-ins may amount to, the strongest first."""
        return self.policy.get("context_classes", [])

    def amount(self, methods, acr=None):
        """What a sign-in amounts to now, in which these methods were proved."""
        return demands.amount(self.classes, methods, self.now, acr)

    def kept_sign_in(self, record):
        """What is kept of a sign-in, read by the policy of today; a provider's word stays."""
        told = demands.kept(record)
        if demands.is_of_provider(record):
            return told
        methods = told.get("amr", [] if self.asks_name_first else [demands.PASSWORD])
        return demands.amount(self.classes, methods, told.get("auth_time"))

    def reached(self, told):
        """The classes that a sign-in is of by its methods."""
        return demands.reached(self.classes, told.get("amr", []))

    def is_met(self, demanded, told):
        """Whether a sign-in is what is demanded of it here."""
        return demanded.is_met(told, self.now, self.reached(told))

    # Versions

    def version(self, kid):
        return next((version for version in self.versions if version.kid == kid), None)

    def is_shut_out(self, version):
        """Whether a version is blocked: in the registry, with its platform, or by an administrator."""
        return version.blocked or version.platform in self.policy.get("excluded_platforms", ()) or (
            self.version_attributes(version.kid).get("blocked") is True)

    def version_attributes(self, kid):
        record = self.tree.record(kid)
        return record.get("attributes", {}) if record else {}

    def is_admitted(self, record):
        """Whether the version is admitted that a record stands on."""
        ground = self.tree.nearest(record["id"], "versionKey")
        version = ground and self.version(ground["id"])
        return version is not None and not self.is_shut_out(version)

    def demand_admission(self, record):
        demand(self.is_admitted(record), "unauthorized_client", "FED-4", NOT_ADMITTED)

    # Services

    def service_of(self, issuer):
        return next((service for service in self.services if service.issuer == issuer), None)

    def service_at(self, url):
        """The service that has a URL, whatever its spelling."""
        return next((service for service in self.services if service.url.identity == url.identity), None)

    def name_of_user(self, service, subject):
        """The name by which a service knows a user."""
        if not service.has_pairwise_subjects:
            return subject
        return derivations.pairwise_name(self.pseudonyms, service.issuer, subject)

    def name_of_instance(self, service, instance):
        """The name by which a service knows an instance."""
        if not service.has_pairwise_clients:
            return instance
        return derivations.pairwise_client(self.pseudonyms, service.issuer, instance)

    @cached_property
    def documents(self):
        """The descriptions of services by their URLs, for everybody."""
        return {service.home: taken_in(service) for service in self.services if service.document is not None}

    # Users

    def user_by_password(self, name, password):
        found = next((user for user in self.users if user["name"] == name), None)
        is_right = formats.are_equal(found["password"] if found else "", password)
        return found if found and is_right else None

    @property
    def affiliation_claim(self):
        """Where profiles list what people are at which institution."""
        return self.policy.get("affiliation_claim", AFFILIATION_CLAIM)

    def host_profile(self, subject):
        return next((user["profile"] for user in self.users if user["subject"] == subject), {})

    def profile(self, grant):
        """What is known of the user of a grant: what the host says, and below that what a provider said."""
        own = self.host_profile(grant["subject"])
        told = grant.get("attributes", {}).get("profile", {})
        return own | {name: value for name, value in told.items() if name not in own}
