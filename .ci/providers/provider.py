"""An OpenID provider on this machine, by idpyoidc, that can be told to break one rule.

provider.py --port PORT --client NAME --callback URL [--algorithm ES256|RS256] [--client-jwks FILE | --client-secret TEXT [--secret-in body]]
    [--backchannel URL] [--slash]

'POST /control' with a JSON object steers it: {"act": "break", "rule": WORDS}, {"act": "rotate", "how": "prepare"|"switch"|"replace"},
{"act": "logout", "by": "sub"|"sid"|"both"|"library"|"stranger"|"id_token"|"again", "rule": WORDS}, {"act": "slash", "on": true}, {"act": "seen"}.
A logout is of whoever signed in last.
"""

import argparse
import base64
import http.server
import json
import pathlib
import secrets
import sys
import threading
import urllib.parse

import breaking
import requests
from cryptojwt.jws.utils import left_hash
from library import Client, Library, Refused, login_page, new_key


class Provider:
    """The library, what is to be broken next, and what was asked."""

    def __init__(self, library, base):
        self.library, self.base = library, base
        self.rule, self.told = None, None
        # Who has signed in, by the subject and the session in the ID token; and what clients and browsers asked for.
        self.signed_in, self.seen = [], []
        self.lock = threading.Lock()

    def breaks(self, rules):
        """What breaks the rule that was chosen, if it is one of these; it is chosen once."""
        if self.rule not in rules:
            return None
        self.rule, rule = None, self.rule
        self.seen.append("broken: " + rule)
        return rules[rule]

    @property
    def signer(self):
        library = self.library
        return breaking.Signer(library.algorithm, library.signing, library.gone, lambda: new_key(library.algorithm))

    # MARK: what everybody asks

    def description(self):
        members = self.library.metadata()
        broken = self.breaks(breaking.DESCRIPTION)
        return broken(members) if broken else members

    def back(self, place):
        broken = self.breaks(breaking.CALLBACK)
        return broken(place) if broken else place

    def tokens(self, body, headers):
        """Status, type and body of an answer with an access token and an ID token."""
        members = self.library.answer("token", body, headers)
        header, claims = (breaking.part(each) for each in members["id_token"].split(".")[:2])
        self.signed_in.append({"sub": claims["sub"], "sid": claims["sid"], "id_token": members["id_token"]})
        broken = self.breaks(breaking.ID_TOKEN | breaking.HARMLESS)
        if broken:
            # The library leaves 'at_hash' out, which others do not.
            members["id_token"] = broken(self.signer, {"at_hash": left_hash(members["access_token"].encode(), "HS256")} | claims)
        broken = self.breaks(breaking.TOKEN)
        return broken(members) if broken else (200, "application/json", json.dumps(members))

    def userinfo(self, headers):
        members = self.library.answer("userinfo", "", headers)
        broken = self.breaks(breaking.USERINFO)
        return broken(members) if broken else members

    # MARK: what only the play asks

    def logout(self, wish):
        """The logout token for the last sign-in, and where it goes."""
        last = self.signed_in[wish.get("which", -1)]
        if wish["by"] == "again":
            return self.told
        if wish["by"] == "id_token":
            return last["id_token"]
        if wish["by"] == "library":
            registered = self.library.context.cdb[self.library.client.name]
            return self.library.server.endpoint["session"].do_back_channel_logout(registered, last["sid"])[1]
        if wish["by"] == "stranger":
            last = {"sub": secrets.token_urlsafe(16)}
        names = {"sub": ["sub"], "stranger": ["sub"], "sid": ["sid"], "both": ["sub", "sid"]}[wish["by"]]
        time = breaking.now()
        claims = {"iss": self.library.issuer, "aud": self.library.client.name, "iat": time, "exp": time + 120, "jti": secrets.token_urlsafe(16)}
        claims |= {"events": {breaking.EVENT: {}}} | {name: last[name] for name in names}
        if not wish.get("rule"):
            return self.signer.sign(claims, typ=wish.get("typ", "logout+jwt"))
        return breaking.LOGOUT[wish["rule"]](self.signer, claims)

    def steer(self, wish):
        """Does what the play wants, and says what came of it. What others are asked is asked outside the lock: they may ask back."""
        with self.lock:
            act = wish["act"]
            if act == "break":
                if wish["rule"] not in breaking.RULES:
                    raise Refused({"error": "unknown_rule"})
                self.rule = wish["rule"]
            elif act == "rotate":
                self.library.rotate(wish["how"])
            elif act == "slash":
                self.library.begin(self.base + "/" * wish["on"])
            elif act == "seen":
                self.seen, seen = [], self.seen
                return {"seen": seen, "pending": self.rule, "issuer": self.library.issuer, "signed_in": self.signed_in}
            token = self.logout(wish) if act == "logout" else None
            self.told = token or self.told
        return told(self.library.client.logout, token) if token else {}


def told(place, token):
    """Sends a logout token, and says what is answered."""
    answer = requests.post(place, data={"logout_token": token}, timeout=20, allow_redirects=False)
    return {"status": answer.status_code, "body": answer.text, "fields": dict(answer.headers)}


def decoded_basic(headers):
    """The credentials in the header without their form encoding (RFC 6749 §2.3.1), which the library does not know."""
    given = headers.get("Authorization", "")
    if not given.startswith("Basic "):
        return headers
    joined = ":".join(urllib.parse.unquote_plus(each) for each in base64.b64decode(given[6:]).decode().split(":"))
    return headers | {"Authorization": "Basic " + base64.b64encode(joined.encode()).decode()}


class Handler(http.server.BaseHTTPRequestHandler):
    provider = None
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def answer(self, status, kind, body, **fields):
        octets = body.encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(octets)), "Cache-Control": "no-store", **fields}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(octets)

    def json(self, members, status=200, **fields):
        self.answer(status, "application/json", json.dumps(members), **fields)

    def page(self, text, status=200, **fields):
        self.answer(status, "text/html; charset=utf-8", text, **fields)

    def guarded(self, work):
        """Whatever goes wrong is answered, and is seen."""
        try:
            work()
        except Refused as refusal:
            self.provider.seen.append(f"refused: {self.path.split('?')[0]} {refusal}")
            self.json(refusal.members, refusal.status)
        except Exception as error:
            self.provider.seen.append(f"failed: {self.path.split('?')[0]} {error!r}")
            self.json({"error": "server_error", "error_description": repr(error)}, 400)

    def do_GET(self):
        self.guarded(self.get)

    def do_POST(self):
        self.guarded(self.post)

    def get(self):
        place, _, query = self.path.partition("?")
        headers = dict(self.headers)
        if place == "/end-session":
            return self.end_session()
        with self.provider.lock:
            self.note(place, query)
            if place == "/.well-known/openid-configuration":
                self.json(self.provider.description(), Cache_Control="max-age=60")
            elif place == "/keys":
                self.json(self.provider.library.published(), Cache_Control="public, max-age=600")
            elif place == "/authorize":
                self.page(self.provider.library.asked(query, headers))
            elif place == "/userinfo":
                self.json(self.provider.userinfo(headers))
            else:
                self.page("<h1>Nothing is here</h1>", 404)

    def post(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        place = self.path
        if place == "/control":
            return self.json(self.provider.steer(json.loads(body)))
        headers = decoded_basic(dict(self.headers))
        with self.provider.lock:
            self.note(place, body)
            if place == "/par":
                self.json(self.provider.library.answer("pushed_authorization", body, headers), 201)
            elif place == "/token":
                status, kind, text = self.provider.tokens(body, headers)
                self.answer(status, kind, text, **({"Location": "/elsewhere"} if status == 302 else {}))
            elif place == "/login":
                self.login(dict(urllib.parse.parse_qsl(body, keep_blank_values=True)))
            else:
                self.page("<h1>Nothing is here</h1>", 404)

    def note(self, place, text):
        """What was asked, and by which parameters: names alone, and of the header its scheme."""
        names = sorted(dict(urllib.parse.parse_qsl(text, keep_blank_values=True)))
        scheme = self.headers.get("Authorization", "").split(" ")[0]
        self.provider.seen.append(" ".join(filter(None, [self.command, place, scheme, ",".join(names)])))

    def login(self, form):
        library = self.provider.library
        if form.get("act") == "cancel":
            return self.leave(self.provider.back(library.left(form["visit"])))
        if not library.has_password(form["username"], form["password"]):
            return self.page(login_page(form["visit"], "Name and password do not match."), 403)
        self.leave(self.provider.back(library.entered(form["visit"], form["username"])))

    def leave(self, place):
        self.answer(303, "text/plain", "", Location=place)

    def end_session(self):
        """The person signs out here: the client is told by whatever the library makes of that."""
        with self.provider.lock:
            session = self.provider.signed_in[-1]["sid"]
            calls = self.provider.library.server.endpoint["session"].logout_all_clients(session)
        answers = [told(place, token)["status"] for place, token in calls.get("blu", {}).values()]
        self.page(f"<h1>You are signed out</h1><p>{len(answers)} told: {answers}</p>")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--algorithm", choices=["ES256", "RS256"], default="ES256")
    parser.add_argument("--client", default="eduid")
    parser.add_argument("--client-jwks", type=pathlib.Path)
    parser.add_argument("--client-secret")
    parser.add_argument("--secret-in", choices=["header", "body"], default="header")
    parser.add_argument("--callback", required=True)
    parser.add_argument("--backchannel")
    parser.add_argument("--slash", action="store_true", help="an issuer identifier with a slash at its end")
    given = parser.parse_args()
    keys = json.loads(given.client_jwks.read_text()) if given.client_jwks else None
    way = {"header": "client_secret_basic", "body": "client_secret_post"}[given.secret_in]
    client = Client(given.client, given.callback, given.backchannel, keys, given.client_secret, way)
    base = f"http://127.0.0.1:{given.port}"
    Handler.provider = Provider(Library(base + "/" * given.slash, given.algorithm, client), base)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", given.port), Handler)
    print("is ready", Handler.provider.library.issuer, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
