"""Bodies and parameters: how they are read, and the rules for values (Fixtures/protocol/messages.md)."""

from . import formats
from .json_text import json_type, read_object
from .messages import FORM, JSON, media_type_of
from .refusals import Refusal, demand, flaws_told_as

MOST_BYTES = 65_536
BOUNDS = {"size": MOST_BYTES, "depth": 8, "values": 1024, "members": 256}


def short(found):
    """What was found, as far as it may be repeated."""
    size = len(found.encode())
    return f"({size} bytes)" if size > 64 else found


class Named:
    """Values by their names."""

    def __init__(self, values):
        self.values = values

    def given(self, name):
        """The value of a name, or nothing: what is empty counts as absent."""
        value = self.values.get(name)
        return None if value == "" else value


class Parameters(Named):
    """The parameters of a request; where they come as JSON, values may be other than texts."""

    @classmethod
    def of_form(cls, text):
        with flaws_told_as("invalid_request", "the parameters: "):
            pairs = formats.read_form(text)
        values = {}
        for name, value in pairs:
            demand(name not in values, "invalid_request", "threat-37", f"the parameter '{name}' comes more than once")
            values[name] = value
        return cls(values)

    @classmethod
    def of_json(cls, text):
        with flaws_told_as("invalid_request", "the body: "):
            return cls(read_object(text, **BOUNDS))

    def text(self, name):
        value = self.given(name)
        demand(value is None or isinstance(value, str), "invalid_request", "RFC6749-3.1",
               f"the parameter '{name}' is a JSON {json_type(value)}")
        return value

    def required(self, name, *others):
        value = self.either(name, *others) if others else self.text(name)
        demand(value is not None, "invalid_request", "RFC6749-3.1", f"the parameter '{name}' is missing")
        return value

    def either(self, first, second):
        """A parameter that has two names, and comes under one of them."""
        one, other = self.text(first), self.text(second)
        demand(one is None or other is None, "invalid_request", "threat-37",
               f"the parameter '{second}' comes more than once")
        return other if one is None else one

    def name(self, name, required=False, limit=1024):
        return self.checked(name, required, lambda value: formats.check_name(value, limit=limit))

    def secret(self, name, what, required=False, limit=16384):
        return self.checked(name, required, lambda value: formats.check_secret(value, what, limit))

    def password(self, name, required=False):
        return self.checked(name, required, formats.check_password)

    def checked(self, name, required, check):
        value = self.required(name) if required else self.text(name)
        with about_parameter(name):
            return value and check(value)


def present(**members):
    return {name: value for name, value in members.items() if value is not None}


def demand_code(parameters):
    name = parameters.required("response_type", "request_type")
    demand(name == "code", "unsupported_response_type", "RFC6749-3.1.1",
           f"the response type must be 'code', not '{short(name)}'")


def about_parameter(name, error="invalid_request"):
    return flaws_told_as(error, f"the parameter '{name}': ")


def read_parameters(request, query=False):
    """The parameters in the body, or in the query of a GET where an endpoint takes them there."""
    if query and request.method == "GET":
        demand_size(request.query)
        return Parameters.of_form(request.query)
    demand(request.method == "POST", "invalid_request", "RFC6749-3.2",
           f"the method {request.method} is not one of this endpoint's")
    body = request.body or ""
    demand_size(body)
    values = request.values("Content-Type")
    media_type = media_type_of(values)
    if media_type == FORM:
        return Parameters.of_form(body)
    if media_type == JSON:
        return Parameters.of_json(body)
    found = f"'{short(', '.join(values))}'" if values else "of an unknown type"
    raise Refusal("invalid_request", "RFC6749-B", f"the body must be a form or JSON, not {found}")


def demand_size(text):
    size = len(text.encode())
    if size > MOST_BYTES:
        raise Refusal("invalid_request", "threat-14", f"the message has {size} bytes, at most {MOST_BYTES} are read",
                      status=413)
