"""What idpyoidc's server says about itself, for the tests of the relying party.

    venv/bin/python Fixtures/openid/configuration.py > Fixtures/openid/configuration.json

The environment is that of tokens.py. The server runs in no process of its own: its endpoint for the description is asked directly.
"""

import json
import tempfile

from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.oauth2.pushed_authorization import PushedAuthorization
from idpyoidc.server.oidc.authorization import Authorization
from idpyoidc.server.oidc.provider_config import ProviderConfiguration
from idpyoidc.server.oidc.session import Session
from idpyoidc.server.oidc.token import Token
from idpyoidc.server.oidc.userinfo import UserInfo
from idpyoidc.server.user_info import UserInfo as People

ISSUER = "https://login.example.ch/"
METHODS = {"client_authn_method": ["client_secret_post", "client_secret_basic", "private_key_jwt"]}
SECRET = {"kwargs": {"keys": {"key_defs": [{"type": "OCT", "use": ["enc"], "kid": kid} for kid in ("password", "salt")]}, "iterations": 1}}


def endpoint(path, kind, **kwargs):
    return {"path": path, "class": kind, "kwargs": kwargs}


def server(folder):
    configuration = {
        "issuer": ISSUER,
        "subject_types_supported": ["public", "pairwise"],
        "keys": {"uri_path": "jwks.json", "key_defs": [{"type": "RSA", "use": ["sig"]}, {"type": "EC", "crv": "P-256", "use": ["sig"]}]},
        "preference": {"id_token_signing_alg_values_supported": ["RS256", "ES256"]},
        "endpoint": {
            "provider_config": endpoint(".well-known/openid-configuration", ProviderConfiguration),
            "authorization": endpoint("authorization", Authorization),
            "pushed_authorization": endpoint("pushed_authorization", PushedAuthorization, **METHODS),
            "token": endpoint("token", Token, **METHODS),
            "userinfo": endpoint("userinfo", UserInfo),
            "session": endpoint("end_session", Session, logout_verify_url=ISSUER + "verify_logout"),
        },
        "userinfo": {"class": People, "kwargs": {"db": {}}},
        "authentication": {"anon": {"acr": "urn:example:acr", "class": "idpyoidc.server.user_authn.user.NoAuthn", "kwargs": {"user": "a"}}},
        "template_dir": folder,
        "token_handler_args": {
            "jwks_def": {"private_path": folder + "/keys.json", "read_only": False,
                         "key_defs": [{"type": "oct", "bytes": "24", "use": ["enc"], "kid": "code"}]},
            "code": {"lifetime": 600, "kwargs": {"crypt_conf": SECRET}},
            "token": {"class": "idpyoidc.server.token.jwt_token.JWTToken", "kwargs": {"lifetime": 3600}},
            "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {}},
        },
        "session_params": {"encrypter": SECRET},
    }
    return Server(OPConfiguration(conf=configuration, base_path=folder), cwd=folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        told = server(folder).get_endpoint("provider_config").process_request()["response_args"]
    print(json.dumps(told if isinstance(told, dict) else told.to_dict(), indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
