"""An edu-ID app, and a third-party app that asks it for services: interactions (0) to (10)."""

import secrets
import uuid

import jwt
from wire import Key, Refused, Token, answer, base64url, challenge, compact, now

PROTOCOL = "org.example.reading"
READER = "com.example.reader"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


class Service:
    """A service, as its description tells it."""

    def __init__(self, document):
        self.home = document["homePageLink"]
        links = {name: entry[0] if isinstance(entry, list) else entry for name, entry in document["apis"].items()}
        base = (document.get("engineLink") or self.home).rstrip("/")
        link = {name: api["apiLink"] if "://" in api["apiLink"] else f"{base}/{api['apiLink']}" for name, api in links.items()}
        self.component = link["org.ietf.oauth2"].rstrip("/")
        self.reading = link[PROTOCOL].rstrip("/")
        self.token_endpoint = self.component + "/token"


class Instance:
    """A copy of the edu-ID app, with its person."""

    def __init__(self, wire, issuer, version, app_name):
        self.wire, self.issuer, self.version, self.app_name = wire, issuer, version, app_name
        self.id = str(uuid.uuid4())
        self.key = Key()
        origin = issuer.rstrip("/")
        self.metadata = answer(wire.send("GET", origin + "/.well-known/oauth-authorization-server"))
        # At each service the instance is somebody else: by another name, with another key.
        self.keys = {}
        self.names = {}

    def register(self):
        """(1) The version of the app vouches for this copy, and the copy has a token bound to its key."""
        claims = {"iss": self.app_name, "sub": self.id, "aud": self.metadata["issuer"], "name": "a phone of Python's",
                  "device_id": self.id, "device_type": "phone", "os_version": "1", "cnf": {"jwk": self.key.public}}

        def form():
            return {"grant_type": "client_credentials", "client_assertion_type": ASSERTION,
                    "client_assertion": self.version.sign("client-authentication+jwt", claims)}

        self.client = Token(self.wire.post(self.metadata["token_endpoint"], form), self.key, self.id)

    def sign_in(self, name, password):
        """(2) The person's credentials become a code, and that the personal token."""
        verifier = secrets.token_urlsafe(32)
        place = self.metadata["authorization_challenge_endpoint"]
        form = {"response_type": "code", "username": name, "password": password, "code_challenge": challenge(verifier),
                "code_challenge_method": "S256"}
        code = self.wire.post(place, form, lambda: self.client.header(place))["authorization_code"]
        place = self.metadata["token_endpoint"]
        form = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        given = self.wire.post(place, form, lambda: self.client.header(place))
        self.personal = Token(given, self.key, self.id)

    def ask(self, method, place, **content):
        return answer(self.wire.send(method, place, lambda: self.personal.header(place), **content))

    def profile(self):
        """(2a)"""
        return self.ask("GET", self.metadata["userinfo_endpoint"])

    def used(self):
        """(3)"""
        return self.ask("GET", self.metadata["eduid_usage_endpoint"])

    def find(self, protocols):
        """(3b), and from (0) what the services say of themselves."""
        return [Service(document) for document in self.ask("POST", self.metadata["eduid_discovery_endpoint"], json=protocols)]

    def assertion(self, service):
        """(4) The edu-ID service vouches for person and instance, by names that this service alone knows."""
        key = self.keys.setdefault(service.home, Key())
        place = self.metadata["authorization_endpoint"]

        def form():
            return {"response_type": "code", "resource": service.home, "req_cnf": compact({"jwk": key.public}),
                    "req_proof": key.dpop("POST", place)}

        given = self.wire.post(place, form, lambda: self.personal.header(place))
        self.names[service.home] = given["client_id"]
        return given["code"], given["redirect_uri"]

    def redeem(self, service, assertion, place):
        """(5) The assertion becomes a token of the service; in (6) the service asks whether it stands."""
        key = self.keys[service.home]
        form = {"grant_type": GRANT, "assertion": assertion}
        given = self.wire.post(place, form, lambda: {"DPoP": key.dpop("POST", place)})
        return Token(given, key, self.names[service.home])

    def report(self, service):
        """(3) The service took it."""
        place = self.metadata["eduid_usage_endpoint"]
        self.ask("POST", place, json={"service": service.home, "outcome": "accepted"})

    def authorize(self, service, app):
        """(7) and (8) The app brings a key, and has a token of its own that stands on the instance's."""
        token = app.grounds[service.home]
        place = service.token_endpoint

        def form():
            claims = {"iss": token.holder, "sub": READER, "aud": service.component + "/authorize", "cnf": {"jwk": app.key.public}}
            code = token.key.sign("authorization-grant+jwt", claims | lasting(300))
            return {"grant_type": "authorization_code", "code": code, "scope": PROTOCOL}

        given = self.wire.post(place, form, lambda: token.header(place))
        return Token(given, app.key, READER)

    def introduce(self, service, app):
        """(4), (5) and (8) in one."""
        app.grounds[service.home] = self.redeem(service, *self.assertion(service))
        self.report(service)
        app.tokens[service.home] = self.authorize(service, app)

    def sign_out(self):
        """(10) Everything that stands on the personal token ends."""
        place = self.metadata["revocation_endpoint"]
        form = {"token": self.personal.refresh, "token_type_hint": "refresh_token"}
        self.wire.post(place, form, lambda: self.personal.header(place))

    def renew(self):
        place = self.metadata["token_endpoint"]
        self.personal = renewed(self.wire, self.personal, place)

    def services(self):
        """(10) Where something of the person's lives."""
        return self.ask("GET", self.metadata["eduid_services_endpoint"])

    def leave(self, service):
        """(10) What the person was given at one service ends."""
        place = self.metadata["eduid_services_endpoint"] + "/" + base64url(service.home.encode())
        self.ask("DELETE", place)


class App:
    """A third-party app: its key, its tokens, and the instance's tokens that they stand on."""

    def __init__(self, wire):
        self.wire = wire
        self.key = Key()
        self.grounds = {}
        self.tokens = {}

    def use(self, service):
        """(9) Whether the service lets the app in."""
        token, place = self.tokens[service.home], service.reading + "/list"
        response = self.wire.send("GET", place, lambda: token.header(place))
        if response.status_code not in (200, 401):
            raise Refused(response)
        return response.status_code == 200

    def renew(self, service):
        self.tokens[service.home] = renewed(self.wire, self.tokens[service.home], service.token_endpoint)


def renewed(wire, token, place):
    form = {"grant_type": "refresh_token", "refresh_token": token.refresh}
    given = wire.post(place, form, lambda: token.header(place))
    return Token(given, token.key, token.holder)


def lasting(seconds):
    return {"exp": now() + seconds}


def signer(token):
    """By the name of which key a token was signed."""
    return jwt.get_unverified_header(token.text)["kid"]
