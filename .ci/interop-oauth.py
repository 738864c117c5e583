"""Lets one implementation write messages of OAuth and another read them. Arguments: the testkit, a seed.

Peers send over a transport that keeps the request and answers what it is told; nothing leaves the machine.
"""

import base64, json, random, subprocess, sys, time, urllib.parse, warnings
from types import SimpleNamespace

import requests
from authlib.integrations.base_client import OAuthError as AuthlibError
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Request, grants
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion, JWTBearerGrant, PrivateKeyJWT
from authlib.oauth2.rfc7636 import CodeChallenge, create_s256_code_challenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from joserfc import jwt
from joserfc.jwk import OKPKey
from oauthlib import oauth2 as oauthlib
from requests_oauthlib import OAuth2Session as RequestsSession

TESTKIT, SEED = sys.argv[1], int(sys.argv[2])
ROUNDS = 12
BASE = "https://eduid.example.ch"
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
chance = random.Random(SEED)
warnings.simplefilter("ignore")


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def word(characters="ABCxyz019-._~", least=1):
    return "".join(chance.choice(characters) for _ in range(least + chance.randrange(40)))


def spoken():
    return "".join(chance.choice(["a", "&", "=", "+", "%", " ", "é", "中", "😀", "'"]) for _ in range(1 + chance.randrange(9)))


private = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
raw = private.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
PUBLIC = {"kty": "OKP", "crv": "Ed25519", "x": b64(raw), "kid": "k"}
SECRET = dict(PUBLIC, d=b64(private.private_bytes(serialization.Encoding.Raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())))

passed = failed = 0
counts = {}


def check(title, verdict, detail=None):
    global passed, failed
    good, all_of = counts.get(title, (0, 0))
    counts[title] = (good + bool(verdict), all_of + 1)
    passed, failed = passed + bool(verdict), failed + (not verdict)
    if not verdict:
        print(f"  {title}: {detail!r}", file=sys.stderr)


def ours(operation, **members):
    run = subprocess.run([TESTKIT, operation], input=json.dumps(members) + "\n", capture_output=True, text=True, check=True, timeout=60)
    return json.loads(run.stdout)


def statement(issuer, audience, **claims):
    """A signed statement that never expires, since the clocks of the peers cannot be set."""
    made = {"iss": issuer, "sub": issuer, "aud": audience, "iat": 1_700_000_000, "exp": 4_000_000_000, "jti": word(), **claims}
    return ours("jwt-sign", claims=made, jwk=SECRET)["jws"]


class Transport(requests.adapters.HTTPAdapter):
    """Keeps what is sent, and answers with an answer of ours."""

    def send(self, request, **_):
        body = request.body.decode() if isinstance(request.body, bytes) else request.body
        self.sent = {"method": request.method, "url": request.url, "headers": dict(request.headers), "body": body}
        response = requests.Response()
        response.status_code = self.answer["status"]
        response.headers.update({k: v if isinstance(v, str) else ", ".join(v) for k, v in self.answer["headers"].items()})
        response.encoding = requests.utils.get_encoding_from_headers(response.headers)
        response._content = self.answer["body"].encode()
        response.request, response.url = request, request.url
        return response


def expect(title, endpoint, transport, **expected):
    read = ours("oauth-request-parse", endpoint=endpoint, request=transport.sent)
    check(title, all(read.get(name) == value for name, value in expected.items()), (read, expected))
    return read


def tokens(**more):
    return {"access_token": word(), "token_type": "Bearer", "expires_in": chance.randrange(1, 10**6), **more}


def answer(endpoint, **members):
    return ours("oauth-response-make", endpoint=endpoint, **members)["response"]


def same(got, given):
    return all(got.get(name) == value for name, value in given.items())


# Authlib and requests-oauthlib send, we read; we answer, they read.


def authlib_sends():
    transport = Transport()
    session = AuthlibSession("client-1", OKPKey.import_key(SECRET), token_endpoint_auth_method=PrivateKeyJWT(BASE + "/token", alg="EdDSA"), code_challenge_method="S256")
    session.register_client_auth_method(PrivateKeyJWT(BASE + "/token", alg="EdDSA"))
    session.mount("https://", transport)
    auth = {"auth": session.client_auth("private_key_jwt")}

    given = tokens()
    transport.answer = answer("token", granted=given)
    got = session.fetch_token(BASE + "/token", grant_type="client_credentials", **auth)
    read = expect("Authlib asks with client_credentials and private_key_jwt", "token", transport, grant_type="client_credentials")
    check("Authlib reads our tokens", same(got, given), (got, given))
    check("Authlib authenticates by an assertion", read["credential"].get("type") == "assertion", read)
    believed = ours("jwt-verify", jws=read["credential"].get("client_assertion", ""), jwk=PUBLIC, algs=["EdDSA"], now=int(time.time()), aud=BASE + "/token", iss="client-1")
    check("Authlib's assertion is believed", believed is True, read)

    bearer = {"Authorization": "Bearer " + word("ABCxyz019"), "Content-Type": "application/x-www-form-urlencoded"}
    assertion = statement("issuer", "service")
    transport.answer = answer("token", granted=tokens())
    session.fetch_token(BASE + "/token", grant_type=JWT_BEARER, assertion=assertion, **auth)
    expect("Authlib asks with jwt-bearer", "token", transport, grant_type=JWT_BEARER, assertion=assertion)

    verifier, code, state = word("ABCxyz019-._~", 43), word("ABCxyz019"), word()
    url, _ = session.create_authorization_url(BASE + "/authorize", state=state, code_verifier=verifier, resource="https://moodle.example.ch/")
    query = {"method": "GET", "url": url, "headers": {"Authorization": bearer["Authorization"]}, "body": None}
    read = ours("oauth-request-parse", endpoint="authorization", request=query)
    check("Authlib asks for a code", read.get("resource") == "https://moodle.example.ch/" and read.get("state") == state, read)
    transport.answer = answer("token", granted=tokens(refresh_token=word(), scope="a b"))
    session.fetch_token(BASE + "/token", grant_type="authorization_code", code=code, code_verifier=verifier, **auth)
    expect("Authlib redeems a code with its verifier", "token", transport, code=code, code_verifier=verifier)
    sent = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    check("Authlib's challenge is S256", sent["code_challenge"] == create_s256_code_challenge(verifier), sent)

    refresh = word()
    transport.answer = answer("token", granted=tokens(refresh_token=word()))
    session.refresh_token(BASE + "/token", refresh_token=refresh, scope="a b", **auth)
    expect("Authlib refreshes", "token", transport, grant_type="refresh_token", refresh_token=refresh, scope="a b")

    token = word()
    transport.answer = answer("revocation", granted={})
    response = session.revoke_token(BASE + "/revoke", token, "refresh_token", **auth)
    expect("Authlib revokes", "revocation", transport, token=token, token_type_hint="refresh_token")
    check("Authlib reads that it is over", response.status_code == 200, response)

    transport.answer = answer("introspection", granted={"active": True, "sub": spoken(), "exp": 4_000_000_000})
    response = session.introspect_token(BASE + "/introspect", token, **auth)
    expect("Authlib introspects", "introspection", transport, token=token)
    check("Authlib reads what is said", response.json() == json.loads(transport.answer["body"]) and response.json()["active"] is True, response.text)

    code = chance.choice(["invalid_request", "invalid_grant", "invalid_client", "unsupported_grant_type", "invalid_scope"])
    transport.answer = answer("token", refused={"error": code, "error_description": "no (RFC6749-5.2)"})
    try:
        session.fetch_token(BASE + "/token", grant_type="client_credentials", **auth)
        check("Authlib reads our refusals", False, code)
    except AuthlibError as error:
        check("Authlib reads our refusals", error.error == code and error.description == "no (RFC6749-5.2)", error)


def requests_oauthlib_sends():
    transport = Transport()

    def session(client, **more):
        made = RequestsSession(client=client, **more)
        made.mount("https://", transport)
        return made

    given = tokens(refresh_token=word(), scope=["a", "b"])
    transport.answer = answer("token", granted=dict(given, scope="a b"))
    web = oauthlib.WebApplicationClient("client-1")
    verifier, code = web.create_code_verifier(43 + chance.randrange(86)), word("ABCxyz019")
    got = session(web).fetch_token(BASE + "/token", code=code, code_verifier=verifier, include_client_id=True)
    read = expect("requests-oauthlib redeems a code with its verifier", "token", transport, code=code, code_verifier=verifier, client_id="client-1")
    check("requests-oauthlib authenticates by nothing", read["credential"] == {"type": "none"}, read)
    check("requests-oauthlib reads our tokens", same(got, given), (got, given))

    assertion = statement("client-1", BASE)
    extra = {"client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion": assertion}
    transport.answer = answer("token", granted=tokens())
    session(oauthlib.BackendApplicationClient("client-1")).fetch_token(BASE + "/token", include_client_id=True, auth=lambda r: r, **extra)
    expected = {"type": "assertion", "client_assertion": assertion}
    expect("requests-oauthlib asks with client_credentials", "token", transport, grant_type="client_credentials", credential=expected)

    user, password, secret = spoken().strip() or "u", spoken(), word("ABCxyz019é ")
    transport.answer = answer("token", granted=tokens())
    legacy = session(oauthlib.LegacyApplicationClient("client-1"))
    legacy.fetch_token(BASE + "/token", username=user, password=password, include_client_id=True, client_secret=secret, auth=lambda r: r)
    expected = {"type": "password", "client_id": "client-1", "client_secret": secret}
    expect("requests-oauthlib asks with a password", "token", transport, username=user, password=password, credential=expected)

    refresh = word()
    transport.answer = answer("token", granted=tokens(refresh_token=word()))
    session(web, scope=["a", "b"]).refresh_token(BASE + "/token", refresh_token=refresh)
    expect("requests-oauthlib refreshes", "token", transport, grant_type="refresh_token", refresh_token=refresh, scope="a b")

    url, headers, body = web.prepare_token_revocation_request(BASE + "/revoke", refresh, token_type_hint="refresh_token")
    transport.sent = {"method": "POST", "url": url, "headers": headers, "body": body}
    expect("oauthlib revokes", "revocation", transport, token=refresh, token_type_hint="refresh_token")

    token = word("ABCxyz019-._~+/")
    web.populate_token_attributes({"access_token": token})
    url, headers, body = web.add_token(BASE + "/userinfo", token_placement="auth_header")
    transport.sent = {"method": "GET", "url": url, "headers": headers, "body": body}
    expect("oauthlib presents a token", "resource", transport, credential={"type": "bearer", "token": token})

    code = chance.choice(["invalid_request", "invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"])
    refused = answer("token", refused={"error": code, "error_description": "no"})
    try:
        web.parse_request_body_response(refused["body"])
        check("oauthlib reads our refusals", False, code)
    except oauthlib.OAuth2Error as error:
        check("oauthlib reads our refusals", error.error == code and error.description == "no", error)
    challenge = answer("resource", refused={"error": "invalid_token", "error_description": "it's over"})
    check("our challenges are fields of HTTP", challenge["headers"]["WWW-Authenticate"][0].startswith('Bearer realm="edu-ID", error="invalid_token"'), challenge)


# We send, the servers of Authlib and oauthlib read; they answer, we read.

CREDENTIAL = {"type": "assertion"}


class Client(SimpleNamespace):
    def __getattr__(self, name):
        return lambda *_: True

    def get_allowed_scope(self, scope):
        return scope or ""

    def is_expired(self):
        return False

    is_revoked = is_expired

    def get_client_id(self):
        return "client-1"


def believe(checks, assertion):
    """What Authlib does, with an algorithm that it leaves out unless told."""
    token = jwt.decode(assertion, OKPKey.import_key(PUBLIC), algorithms=["EdDSA"])
    checks.verify_claims(token.claims)
    return token.claims


class Authentication(JWTBearerClientAssertion):
    def get_audiences(self):
        return [BASE]

    def validate_jti(self, claims, jti):
        return True

    def resolve_client_public_key(self, client):
        return PUBLIC

    def process_assertion_claims(self, assertion, key):
        return believe(self, assertion)


class AuthlibServer(AuthorizationServer):
    def __init__(self):
        super().__init__(scopes_supported=None)
        self.register_token_generator("default", BearerTokenGenerator(lambda **_: word(), lambda **_: word()))
        authentication = Authentication()
        self.register_client_auth_method(authentication.CLIENT_AUTH_METHOD, authentication)
        methods = [authentication.CLIENT_AUTH_METHOD]

        class ClientCredentials(grants.ClientCredentialsGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = methods

        class Refresh(grants.RefreshTokenGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = methods
            INCLUDE_NEW_REFRESH_TOKEN = True

            def authenticate_refresh_token(self, token):
                server.seen = token
                return Client(refresh_token=token, scope="a b", get_scope=lambda: "a b", check_client=lambda _: True)

            def authenticate_user(self, credential):
                return "user"

            def revoke_old_credential(self, credential):
                pass

        class Code(grants.AuthorizationCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = methods

            def save_authorization_code(self, code, request):
                pass

            def query_authorization_code(self, code, client):
                server.seen = code
                return SimpleNamespace(
                    code=code, code_challenge=server.challenge, code_challenge_method="S256", get_redirect_uri=lambda: None, get_scope=lambda: "a")

            def delete_authorization_code(self, code):
                pass

            def authenticate_user(self, code):
                return "user"

        class Assertion(JWTBearerGrant):
            def resolve_issuer_client(self, issuer):
                return Client()

            def process_assertion_claims(self, assertion):
                return believe(self, assertion)

            def get_audiences(self):
                return [BASE]

            def authenticate_user(self, subject):
                return "user"

            def has_granted_permission(self, client, user):
                return True

        class Revocation(RevocationEndpoint):
            CLIENT_AUTH_METHODS = methods

            def query_token(self, token, hint):
                server.seen = (token, hint)
                return Client(check_client=lambda _: True)

            def revoke_token(self, token, request):
                pass

        class Introspection(IntrospectionEndpoint):
            CLIENT_AUTH_METHODS = methods

            def query_token(self, token, hint):
                server.seen = token
                return Client()

            def check_permission(self, token, client, request):
                return True

            def introspect_token(self, token):
                return {"active": True, "sub": "user", "exp": 4_000_000_000}

        server = self
        for grant in (ClientCredentials, Refresh, Assertion):
            self.register_grant(grant)
        self.register_grant(Code, [CodeChallenge(required=True)])
        self.register_endpoint(Revocation)
        self.register_endpoint(Introspection)

    def query_client(self, client_id):
        return Client() if client_id == "client-1" else None

    def save_token(self, token, request):
        pass

    def send_signal(self, name, *arguments, **more):
        pass

    def create_oauth2_request(self, request):
        made = OAuth2Request(request["method"], request["url"], headers=request["headers"])
        form = dict(urllib.parse.parse_qsl(request["body"], keep_blank_values=True, strict_parsing=True))
        made.payload = BasicOAuth2Payload(form)
        made._body = form
        return made

    def handle_response(self, status, body, headers):
        return {"status": status, "headers": dict(headers), "body": json.dumps(body) if not isinstance(body, str) else body}


class Validator(oauthlib.RequestValidator):
    """Believes the assertion of one client, and everything that this client shows."""

    def authenticate_client(self, request, *_, **__):
        believed = ours("jwt-verify", jws=request.client_assertion or "", jwk=PUBLIC, algs=["EdDSA"], now=1_700_000_001, aud=BASE, iss="client-1")
        request.client = SimpleNamespace(client_id="client-1")
        return believed is True

    def client_authentication_required(self, *_, **__):
        return True

    def validate_code(self, client_id, code, client, request, *_, **__):
        self.seen, request.user, request.scopes = code, "user", ["a"]
        return True

    def is_pkce_required(self, *_):
        return True

    def get_code_challenge(self, *_):
        return self.challenge

    def get_code_challenge_method(self, *_):
        return "S256"

    def validate_refresh_token(self, token, client, request, *_, **__):
        self.seen, request.user = token, "user"
        return True

    def get_original_scopes(self, *_, **__):
        return ["a", "b"]

    def get_default_scopes(self, *_, **__):
        return ["a"]

    def get_default_redirect_uri(self, *_, **__):
        return BASE + "/back"

    def revoke_token(self, token, hint, *_, **__):
        self.seen = (token, hint)

    def introspect_token(self, token, *_, **__):
        self.seen = token
        return {"active": True, "sub": "user"}

    def _yes(self, *_, **__):
        return True

    validate_grant_type = validate_scopes = confirm_redirect_uri = validate_client_id = rotate_refresh_token = _yes
    invalidate_authorization_code = save_bearer_token = save_token = _yes


def made(endpoint, **members):
    credential = members.pop("credential", None) or dict(CREDENTIAL, client_assertion=statement("client-1", BASE))
    return ours("oauth-request-make", endpoint=endpoint, url=f"{BASE}/{endpoint}", credential=credential, **members)["request"]


def granted(title, endpoint, response, **expected):
    read = ours("oauth-response-parse", endpoint=endpoint, response=response)
    check(title, "granted" in read and same(read["granted"], expected), (read, response))


def refused(title, response, *codes):
    read = ours("oauth-response-parse", endpoint="token", response=response)
    check(title, read.get("refused", {}).get("error") in codes, (read, response))


def we_send(name, server, token, other, holder):
    """To a server: what takes a token request, what takes others, and who remembers what was seen."""
    verifier, code, refresh, assertion = word("ABCxyz019-._~", 43), word("ABCxyz019"), word(), statement("issuer", BASE)
    holder.challenge = create_s256_code_challenge(verifier)
    granted(f"{name} grants our client_credentials", "token", token(made("token", grant_type="client_credentials")))
    granted(f"{name} redeems our code", "token", token(made("token", grant_type="authorization_code", code=code, code_verifier=verifier)))
    check(f"{name} saw our code", holder.seen == code, holder.seen)
    granted(f"{name} takes our refresh token", "token", token(made("token", grant_type="refresh_token", refresh_token=refresh, scope="a")))
    check(f"{name} saw our refresh token", holder.seen == refresh, holder.seen)
    granted(f"{name} revokes for us", "revocation", other("revocation", made("revocation", token=refresh, token_type_hint="refresh_token")))
    check(f"{name} saw what we revoke", holder.seen == (refresh, "refresh_token"), holder.seen)
    granted(f"{name} introspects for us", "introspection", other("introspection", made("introspection", token=refresh)), sub="user")
    check(f"{name} saw what we ask about", holder.seen == refresh, holder.seen)
    if name == "Authlib":
        granted(f"{name} takes our assertion", "token", token(made("token", grant_type=JWT_BEARER, assertion=assertion)))
        wrong = statement("issuer", "https://elsewhere.example")
        refused(f"{name} refuses an assertion to another", token(made("token", grant_type=JWT_BEARER, assertion=wrong)), "invalid_grant")
    foreign = {"type": "assertion", "client_assertion": statement("client-1", "https://elsewhere.example")}
    refused(f"{name} refuses a credential to another", token(made("token", grant_type="client_credentials", credential=foreign)), "invalid_client")
    wrong = made("token", grant_type="authorization_code", code=code, code_verifier=verifier[:-1] + ("A" if verifier[-1] != "A" else "B"))
    refused(f"{name} refuses another verifier", token(wrong), "invalid_grant")


def oauthlib_server(validator):
    server = oauthlib.Server(validator)

    def answered(call):
        def send(request):
            headers, body, status = call(request["url"], request["method"], request["body"], request["headers"])
            return {"status": status, "headers": headers, "body": body or ""}

        return send

    others = {"revocation": answered(server.create_revocation_response), "introspection": answered(server.create_introspect_response)}
    return answered(server.create_token_response), lambda endpoint, request: others[endpoint](request)


print(f"Seed {SEED}")
for _ in range(ROUNDS):
    authlib_sends()
    requests_oauthlib_sends()
    authlib = AuthlibServer()
    we_send("Authlib", authlib, authlib.create_token_response, authlib.create_endpoint_response, authlib)
    validator = Validator()
    we_send("oauthlib", validator, *oauthlib_server(validator), validator)
for title, (good, all_of) in counts.items():
    print(f"{title}: {good} of {all_of}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
