"""What a sign-in amounts to, and what may be demanded of one (Fixtures/protocol/registration.md)."""

from dataclasses import dataclass

from .json_text import is_whole
from .refusals import Refusal

TOLD = ("acr", "amr", "auth_time")
PASSWORD = "pwd"
SEVERAL = "mfa"
METHODS = {"otp": "otp", "passkey": "hwk"}
LONGEST_CLASS = 1_024
MOST_METHODS = 32
OF_ADMINISTRATORS = "administrators need a stronger or more recent sign-in"


@dataclass(frozen=True)
class Demand:
    """The classes of which a sign-in has to be, and how many seconds ago the last proof may have been given."""

    classes: tuple = ()
    max_age: int | None = None

    @classmethod
    def of(cls, given):
        """A demand as policies, the index and records have it; none where there is nothing."""
        given = given or {}
        return cls(tuple(given.get("acr_values", ())), given.get("max_age"))

    def __bool__(self):
        return bool(self.classes) or self.max_age is not None

    def kept(self):
        """The attributes of a sign-in that is to meet it."""
        return ({"acr_values": list(self.classes)} if self.classes else {}) | self.age()

    def told(self):
        """What a refusal says about it."""
        return ({"acr_values": " ".join(self.classes)} if self.classes else {}) | self.age()

    def age(self):
        return {} if self.max_age is None else {"max_age": self.max_age}

    def met_class(self, told, classes=()):
        """The first class that a sign-in is of, by what it tells or by those given here."""
        return next((name for name in self.classes if name in (told.get("acr"), *classes)), None)

    def is_met(self, told, now, classes=(), late=0):
        """Whether a sign-in is of one of the classes, and recent enough."""
        if self.max_age is not None and not ("auth_time" in told and now <= told["auth_time"] + self.max_age + late):
            return False
        return not self.classes or self.met_class(told, classes) is not None


def insufficient(demanded, words):
    """The refusal of a sign-in that is less than whoever is asked demands."""
    return Refusal("insufficient_user_authentication", "FPA-21", words, members=demanded.told())


# What a sign-in amounts to

def kept(record):
    """What is kept of a sign-in with a record."""
    return in_order(record.get("attributes", {}))


def in_order(members):
    """Of some members those that tell of a sign-in, in the order in which they are told."""
    return {name: members[name] for name in TOLD if name in members}


def is_of_provider(record):
    """Whether a provider signed the person in whose grant this is."""
    return "provider" in record.get("attributes", {})


def amount(classes, methods, time, acr=None):
    """What a sign-in amounts to in which these methods were proved; the class is another's word where none fits."""
    acr = next(iter(reached(classes, methods)), acr)
    members = {"acr": acr, "amr": methods or None, "auth_time": time}
    return {name: value for name, value in members.items() if value is not None}


def reached(classes, methods):
    """The classes of a policy whose methods were all proved."""
    return [given["name"] for given in classes if set(given["methods"]) <= set(methods)]


def proved_by(step):
    """The methods that a step proves."""
    return step.get("amr", [METHODS.get(step["step"], step["step"])])


def adds_to(methods, step):
    """The methods that a step proves beside those that were proved before it."""
    return [method for method in proved_by(step) if method not in methods]


def proved_with(methods, step):
    """The methods that were proved, with those of a step."""
    added = adds_to(methods, step)
    several = [SEVERAL] if added and methods else []
    return list(dict.fromkeys([*methods, *added, *several]))


# What others tell

def read(claims):
    """What an assertion tells of a sign-in; what is not of its form counts as not told."""
    acr, methods, time = map(claims.get, TOLD)
    told = {"acr": acr} if isinstance(acr, str) and 1 <= len(acr.encode()) <= LONGEST_CLASS else {}
    listed = methods[:MOST_METHODS] if isinstance(methods, list) else []
    texts = [method for method in listed if isinstance(method, str)]
    return told | ({"amr": texts} if texts else {}) | ({"auth_time": time} if is_whole(time) else {})
