"""What is particular to idpyoidc: its settings for one client, and the steps that its documentation leaves to whoever serves it over HTTP."""

import html
import json
import secrets
import time
import urllib.parse

from cryptojwt.jwk.ec import new_ec_key
from cryptojwt.jwk.rsa import new_rsa_key
from cryptojwt.key_bundle import KeyBundle
from cryptojwt.key_jar import KeyJar
from idpyoidc.message.oidc import AuthorizationRequest
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.user_authn.user import UserAuthnMethod

PEOPLE = {
    "ada": {
        "password": "a password of Ada's",
        "given_name": "Ada",
        "family_name": "Lovelace",
        "email": "ada@uni-alpha.example",
        "email_verified": True,
        "eduPersonPrincipalName": "ada@uni-alpha.example",
        "eduPersonScopedAffiliation": ["member@uni-alpha.example", "staff@uni-alpha.example"],
        "eduPersonAssurance": ["https://refeds.org/assurance/ID/unique", "https://refeds.org/assurance/IAP/medium"],
        "schacHomeOrganization": "uni-alpha.example",
    },
    "ben": {"password": "Ben's & other % words", "given_name": "Ben", "family_name": "Franklin", "email": "ben@uni-beta.example"},
}
PARTICULAR = ["eduPersonPrincipalName", "eduPersonScopedAffiliation", "eduPersonAssurance", "schacHomeOrganization"]
ACR = "https://refeds.org/profile/sfa"
LOGIN = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><title>A provider</title></head><body><main><h1>A provider</h1><p class="failure">{failure}</p>
<form method="post" action="/login"><input type="hidden" name="visit" value="{visit}"/>
<p><label for="username">Name</label> <input id="username" name="username" autocomplete="username"/></p>
<p><label for="password">Password</label> <input id="password" name="password" type="password" autocomplete="current-password"/></p>
<p><button name="act" value="enter">Sign in</button> <button name="act" value="cancel">Cancel</button></p></form></main></body></html>"""


def login_page(visit, failure=""):
    return LOGIN.format(visit=html.escape(visit), failure=html.escape(failure))


class Form(UserAuthnMethod):
    """Asks for name and password; what was asked stays here, and the form has its name."""

    visits = {}

    def __call__(self, **asked):
        visit = secrets.token_urlsafe(16)
        self.visits[visit] = asked
        return login_page(visit)

    def authenticated_as(self, client_id, cookie=None, **_):
        # Whoever comes again is asked again: each sign-in is a session of its own.
        return None, 0


def endpoint(path, name, **settings):
    return {"path": path, "class": "idpyoidc.server." + name, "kwargs": settings}


def endpoints(way):
    """Where what is, and by which way the client authenticates."""
    return {
        "provider_config": endpoint(".well-known/openid-configuration", "oidc.provider_config.ProviderConfiguration"),
        "authorization": endpoint(
            "authorize",
            "oidc.authorization.Authorization",
            response_types_supported=["code"],
            response_modes_supported=["query"],
            claims_parameter_supported=False,
            request_parameter_supported=False,
        ),
        "pushed_authorization": endpoint(
            "par", "oauth2.pushed_authorization.PushedAuthorization", client_authn_method=[way], ttl=90
        ),
        "token": endpoint("token", "oidc.token.Token", client_authn_method=[way]),
        "userinfo": endpoint("userinfo", "oidc.userinfo.UserInfo", client_authn_method=["bearer_header"]),
        "session": endpoint(
            "end-session",
            "oidc.session.Session",
            post_logout_uri_path="post-logout",
            signing_alg="ES256",
            logout_verify_url="verify-logout",
            client_authn_method=[],
        ),
    }


def settings(issuer, algorithm, way):
    key = {"key_defs": [{"type": "OCT", "bytes": 32, "use": ["enc"], "kid": "own"}]}
    token = {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 300, "alg": algorithm}}
    scopes = {"profile": ["given_name", "family_name", *PARTICULAR], "email": ["email", "email_verified"], "openid": ["sub"]}
    return {
        "issuer": issuer,
        "httpc_params": {"verify": False, "timeout": 5},
        "preference": {
            "id_token_signing_alg_values_supported": [algorithm],
            "subject_types_supported": ["pairwise", "public"],
            "grant_types_supported": ["authorization_code"],
            "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": [way],
        },
        "jwks_uri": issuer.rstrip("/") + "/keys",
        "endpoint": endpoints(way),
        "token_handler_args": {
            "key_conf": key,
            "code": {"lifetime": 60, "kwargs": {"crypt_conf": {"kwargs": {"keys": key, "iterations": 1}}}},
            "token": token,
            "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {"lifetime": 3600}},
        },
        "authz": {
            "class": "idpyoidc.server.authz.AuthzHandling",
            "kwargs": {
                "grant_config": {
                    "usage_rules": {
                        "authorization_code": {"supports_minting": ["access_token", "id_token"], "max_usage": 1},
                        "access_token": {},
                    },
                    "expires_in": 43200,
                }
            },
        },
        "authentication": {"form": {"acr": ACR, "class": Form, "kwargs": {}}},
        "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db": people()}},
        "claims_interface": {"class": "idpyoidc.server.session.claims.ClaimsInterface", "kwargs": {}},
        "scopes_to_claims": scopes,
        "session_params": {"password": secrets.token_urlsafe(16), "salt": secrets.token_urlsafe(16)},
        "add_ons": {
            "pkce": {
                "function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                "kwargs": {"essential": True, "code_challenge_methods": {"S256": "idpyoidc.server.oauth2.add_on.pkce.CC_METHOD"}},
            }
        },
        "cookie_handler": {"class": "idpyoidc.server.cookie_handler.CookieHandler", "kwargs": {"sign_key": secrets.token_urlsafe(16)}},
    }


def people():
    return {name: {claim: value for claim, value in one.items() if claim != "password"} for name, one in PEOPLE.items()}


class Refused(Exception):
    """The library says no, in its own words."""

    def __init__(self, answer, status=400):
        self.members = {name: str(answer[name]) for name in ("error", "error_description") if name in answer}
        self.status = status
        super().__init__(json.dumps(self.members))


class Client:
    """The one client that the provider knows."""

    def __init__(self, name, callback, logout, keys=None, secret=None, way=None):
        self.name, self.callback, self.logout, self.keys, self.secret = name, callback, logout, keys, secret
        self.way = "private_key_jwt" if keys else way or "client_secret_basic"

    def registration(self, algorithm):
        form = {
            "client_id": self.name,
            "redirect_uris": [(self.callback, {})],
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "client_authn_method": [self.way, "bearer_header", "public", "pushed_authz"],
            "token_endpoint_auth_method": self.way,
            "id_token_signed_response_alg": algorithm,
            "allowed_scopes": ["openid", "profile", "email"],
            "scopes_to_claims": {"openid": ["sub"], "profile": ["given_name", "family_name", *PARTICULAR], "email": ["email", "email_verified"]},
            "add_claims": {"always": {}, "by_scope": {"userinfo": True, "id_token": False}},
            "subject_type": "pairwise",
        }
        if self.logout:
            form |= {"backchannel_logout_uri": self.logout, "backchannel_logout_session_required": True}
        if self.secret:
            form["client_secret"] = self.secret
        return form


class Library:
    """An OpenID provider by idpyoidc for one client; whoever calls sees to it that nobody else does meanwhile."""

    def __init__(self, issuer, algorithm, client):
        self.issuer, self.algorithm, self.client = issuer, algorithm, client
        self.signing = new_key(algorithm)
        self.waiting, self.former, self.gone = None, [], None
        self.begin(issuer)

    def begin(self, issuer):
        """The same provider by another name, which has no sign-ins yet."""
        self.issuer = issuer
        form = settings(issuer, self.algorithm, self.client.way)
        form["add_ons"]["pkce"]["kwargs"]["code_challenge_methods"] = s256()
        self.server = Server(OPConfiguration(conf=form, base_path="."), keyjar=KeyJar())
        self.context = self.server.context
        self.context.cdb[self.client.name] = self.client.registration(self.algorithm)
        # A client's statement for the issuer by its name is refused otherwise, and one for the endpoint's address alone is taken.
        for name in ("token", "pushed_authorization"):
            self.server.endpoint[name].allowed_targets = [""]
        self.know_keys()

    # MARK: keys

    def know_keys(self):
        jar = KeyJar()
        for owner in ("", self.issuer):
            jar.add_kb(owner, bundle([self.signing]))
        if self.client.keys:
            jar.import_jwks(self.client.keys, self.client.name)
        self.server.keyjar = self.context.keyjar = jar

    def published(self):
        """The key that signs, the next one where it is ready, and the former."""
        keys = [self.signing, *([self.waiting] if self.waiting else []), *self.former]
        return {"keys": [key.serialize() | {"use": "sig", "alg": self.algorithm} for key in keys]}

    def rotate(self, how):
        """'prepare' publishes the next key, 'switch' signs with it from now on, 'replace' does both at once and forgets the former."""
        if how == "prepare":
            self.waiting = new_key(self.algorithm)
        elif how == "switch":
            self.former = [self.signing]
            self.signing, self.waiting = self.waiting, None
        else:
            self.gone = self.signing
            self.signing, self.waiting, self.former = new_key(self.algorithm), None, []
        self.know_keys()

    # MARK: requests

    def metadata(self):
        members = self.answer("provider_config", "", {})
        return members | {
            "jwks_uri": self.issuer.rstrip("/") + "/keys",
            "scopes_supported": ["openid", "profile", "email"],
            "authorization_response_iss_parameter_supported": True,
            "backchannel_logout_supported": True,
            "backchannel_logout_session_supported": True,
        }

    def asked(self, query, headers):
        """The page for whoever comes with a request."""
        request = self.parsed("authorization", self.completed(query), headers)
        given = self.server.endpoint["authorization"].process_request(request)
        if "http_response" not in given:
            raise Refused(given if "error" in given else {"error": "server_error", "error_description": str(given)})
        return given["http_response"]

    def completed(self, query):
        """The name of a request that was left here suffices (RFC 9126 §4); the library wants to be told again what kind of a request that is."""
        given = dict(urllib.parse.parse_qsl(query))
        kept = self.context.par_db.get(given.get("request_uri", ""))
        if kept is None:
            if "request_uri" in given:
                raise Refused({"error": "invalid_request_uri", "error_description": "no request has this name, or it was used"})
            return query
        if kept["client_id"] != given.get("client_id"):
            raise Refused({"error": "invalid_request", "error_description": "another client's request"})
        told = {"response_type": "code", "scope": "openid", "redirect_uri": kept["redirect_uri"]}
        return urllib.parse.urlencode(told | given)

    def entered(self, visit, name):
        """Where somebody is sent who has signed in."""
        form = Form.visits.pop(visit)
        endpoint = self.server.endpoint["authorization"]
        request = AuthorizationRequest().from_urlencoded(form["query"])
        method = self.context.authn_broker["form"]["method"]
        session = endpoint.create_session(request, name, ACR, int(time.time()), method)
        given = endpoint.authz_part2(request=request, session_id=session)
        if "error" in given:
            raise Refused(given)
        return endpoint.do_response(request=request, **given)["response"]

    def left(self, visit):
        """Where somebody is sent who would not sign in."""
        request = AuthorizationRequest().from_urlencoded(Form.visits.pop(visit)["query"])
        members = {"error": "access_denied", "error_description": "not today", "state": request["state"], "iss": self.issuer}
        return request["redirect_uri"] + "?" + urllib.parse.urlencode(members)

    def answer(self, name, body, headers):
        """The members of what an endpoint answers."""
        endpoint = self.server.endpoint[name]
        request = self.parsed(name, body, headers)
        given = endpoint.process_request(request)
        if "error" in given:
            raise Refused(given)
        if "http_response" in given:
            return dict(given["http_response"])
        made = endpoint.do_response(request=request, **given)["response"]
        return json.loads(made)

    def parsed(self, name, text, headers):
        request = self.server.endpoint[name].parse_request(text, http_info={"headers": headers})
        if "error" in request:
            raise Refused(request)
        return request

    def has_password(self, name, password):
        return secrets.compare_digest(PEOPLE.get(name, {}).get("password", "").encode(), password.encode()) and name in PEOPLE


def s256():
    from idpyoidc.server.oauth2.add_on.pkce import CC_METHOD

    return {"S256": CC_METHOD["S256"]}


def new_key(algorithm):
    name = "of-" + secrets.token_hex(4)
    return new_rsa_key(2048, kid=name, use="sig") if algorithm.startswith("RS") else new_ec_key("P-256", kid=name, use="sig")


def bundle(keys):
    made = KeyBundle()
    made.extend(keys)
    return made
