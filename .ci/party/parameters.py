"""Bodies and parameters: how they are read, and the rules for values (Fixtures/protocol/messages.md)."""

from . import formats
from .messages import FORM, JSON, media_type_of
from .refusals import Refusal, demand

MOST_BYTES = 65_536


def short(found):
    """What was found, as far as it may be repeated."""
    size = len(found.encode())
    return f"({size} bytes)" if size > 64 else found


class Parameters:
    """The parameters of a request by their names; where they come as JSON, values may be other than texts."""

    def __init__(self, values):
        self.values = values

    @classmethod
    def of_form(cls, text):
        try:
            pairs = formats.read_form(text)
        except Refusal as fault:
            raise fault.told_as("invalid_request", before="the parameters: ") from None
        values = {}
        for name, value in pairs:
            demand(name not in values, "invalid_request", "threat-37", f"the parameter '{name}' comes more than once")
            values[name] = value
        return cls(values)

    @classmethod
    def of_json(cls, text):
        try:
            value = formats.read_json(text, size=MOST_BYTES, depth=8, values=1024, members=256)
            if not isinstance(value, dict):
                raise formats.wrong_type("$", value, "object")
        except Refusal as fault:
            raise fault.told_as("invalid_request", before="the body: ") from None
        return cls(value)

    def given(self, name):
        """The value of a parameter, or nothing: without a value it counts as absent."""
        value = self.values.get(name)
        return None if value == "" else value

    def text(self, name):
        value = self.given(name)
        demand(value is None or isinstance(value, str), "invalid_request", "RFC6749-3.1",
               f"the parameter '{name}' is a JSON {formats.json_type(value)}")
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

    def name(self, name, required=False):
        value = self.required(name) if required else self.text(name)
        return value and parameter_name(name, value)

    def secret(self, name, what, required=False):
        value = self.required(name) if required else self.text(name)
        return value and parameter_secret(name, value, what)


def about_parameter(name, error="invalid_request"):
    return lambda fault: fault.told_as(error, before=f"the parameter '{name}': ")


def parameter_name(name, value):
    try:
        return formats.check_name(value)
    except Refusal as fault:
        raise about_parameter(name)(fault) from None


def parameter_secret(name, value, what):
    try:
        return formats.check_secret(value, what)
    except Refusal as fault:
        raise about_parameter(name)(fault) from None


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


def parameter_password(parameters, name, required=False):
    value = parameters.required(name) if required else parameters.text(name)
    if value is not None:
        try:
            formats.check_password(value)
        except Refusal as fault:
            raise about_parameter(name)(fault) from None
    return value
