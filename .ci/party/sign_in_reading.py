"""What a request at the challenge endpoint says: how a sign-in begins, by password or browser, or one of its steps."""

import re
from dataclasses import dataclass

from . import callbacks, formats
from .credentials import Credential, read_credential
from .demands import Demand
from .parameters import about_parameter, demand_code, present, read_parameters
from .refusals import Flaw, demand, flaws_told_as

MOST_STEPS = MOST_CLASSES = 16
LONGEST_STEP = 64
LONGEST_SESSION = 4_096
MOST_SECONDS = 2 ** 63 - 1
ONE_TIME_CODE = "otp"


@dataclass(frozen=True)
class ChallengeRequest:
    """The beginning of a sign-in; without a name, of more than the sign-in was."""

    client_id: str | None
    demand: Demand
    username: str | None
    password: str | None
    steps_supported: tuple | None
    code_challenge: str
    credential: Credential

    def said(self):
        steps = self.steps_supported and " ".join(self.steps_supported)
        return said(self, steps_supported=steps)


@dataclass(frozen=True)
class BrowserRequest:
    """The beginning of a sign-in in a browser, at a provider."""

    client_id: str | None
    demand: Demand
    redirect_uri: str
    state: str
    code_challenge: str
    credential: Credential

    def said(self):
        return said(self)


@dataclass(frozen=True)
class StepRequest:
    """A step of a sign-in, which has begun."""

    client_id: str | None
    auth_session: str
    step: str
    otp: str | None
    step_response: str | None
    code_challenge: str | None
    demand: Demand
    credential: Credential

    @property
    def answer(self):
        return self.step_response if self.otp is None else self.otp

    def said(self):
        return said(self)


def said(asked, **others):
    """What a request of a sign-in says, with its demand told by parameters."""
    members = {name: value for name, value in vars(asked).items() if name not in ("demand", "credential")}
    return present(**members | others | asked.demand.told(), credential=asked.credential.said())


def read_challenge_request(request, asks_name_first=False):
    parameters = read_parameters(request)
    demand_code(parameters)
    credential = read_credential(request, parameters)
    client_id = parameters.name("client_id")
    session = parameters.secret("auth_session", "sign-in session", limit=LONGEST_SESSION)
    if session is not None:
        return read_step_request(parameters, credential, client_id, session)
    demanded = read_demand(parameters)
    address = None if parameters.text("username") else parameters.text("redirect_uri")
    if address is not None:
        return read_browser_request(parameters, credential, client_id, demanded, address)
    asks_for_more = bool(demanded) and parameters.given("username") is None and parameters.given("password") is None
    username = parameters.name("username", required=not asks_for_more)
    password = parameters.password("password")
    steps = read_step_names(parameters)
    challenge = read_code_challenge(parameters, required=True)
    demand(password or asks_name_first or asks_for_more, "invalid_request", "RFC6749-3.1",
           "the parameter 'password' is missing")
    return ChallengeRequest(client_id, demanded, username, password, steps, challenge, credential)


def read_browser_request(parameters, credential, client_id, demanded, address):
    parameters.required("state")
    with flaws_told_as("invalid_request"):
        state = formats.check_state(parameters.text("state"))
    with about_parameter("redirect_uri"):
        callbacks.check(address)
    challenge = read_code_challenge(parameters, required=True)
    return BrowserRequest(client_id, demanded, address, state, challenge, credential)


def read_step_request(parameters, credential, client_id, session):
    for name in ("username", "password"):
        demand_sole(parameters, "auth_session", name)
    step = parameters.name("step", required=True, limit=LONGEST_STEP)
    otp = read_answer(parameters, "otp", formats.check_one_time_code)
    response = read_answer(parameters, "step_response", formats.check_step_response)
    if otp is not None:
        demand_sole(parameters, "otp", "step_response")
    elif response is None:
        parameters.required("otp" if step == ONE_TIME_CODE else "step_response")
    challenge = read_code_challenge(parameters)
    return StepRequest(client_id, session, step, otp, response, challenge, read_demand(parameters), credential)


def read_answer(parameters, name, check):
    value = parameters.text(name)
    with flaws_told_as("invalid_request"):
        return value and check(value)


def demand_sole(parameters, name, other):
    demand(parameters.given(other) is None, "invalid_request", "FPA-9",
           f"the parameters '{name}' and '{other}' exclude each other")


def read_demand(parameters):
    """What the sign-in has to be."""
    classes = parameters.checked("acr_values", False, class_names)
    age = parameters.text("max_age")
    return Demand(classes or (), None if age is None else seconds(age))


def class_names(text):
    """The names of classes, of which no more are looked at than show that there are too many."""
    words = list(filter(None, text.split(" ")))
    names = [formats.check_name(word) for word in words[:MOST_CLASSES + 1]]
    if len(names) > MOST_CLASSES:
        raise Flaw("threat-10", f"the identifier has {len(names)} bytes, at most {MOST_CLASSES} are allowed")
    return tuple(map(formats.check_class, names))


def seconds(text):
    digits = re.fullmatch("0*([0-9]{1,19})", text)
    demand(digits and int(digits[1]) <= MOST_SECONDS, "invalid_request", "RFC6749-3.1",
           "the parameter 'max_age' must be a number of seconds that is not negative")
    return int(digits[1])


def read_step_names(parameters):
    """The names of the steps that the app can make, where it tells."""
    return parameters.checked("steps_supported", False, step_names)


def step_names(text):
    names = tuple(formats.check_name(name, limit=LONGEST_STEP) for name in text.split(" "))
    if len(names) > MOST_STEPS:
        raise Flaw("threat-10", f"the identifier has {len(names)} bytes, at most {MOST_STEPS} are allowed")
    return names


def read_code_challenge(parameters, required=False):
    challenge = parameters.required("code_challenge") if required else parameters.text("code_challenge")
    if challenge is None:
        return None
    demand(parameters.text("code_challenge_method") == "S256", "invalid_request", "RFC7636-4.3",
           "the challenge method must be 'S256'")
    demand(is_digest(challenge), "invalid_request", "RFC7636-4.2",
           "the code challenge must be 43 characters of Base64url")
    return challenge


def is_digest(text):
    try:
        return len(formats.base64url_bytes(text)) == 32
    except ValueError:
        return False
