"""What a third-party app asks its state: endpoints, tokens, renewals, revocations (Fixtures/protocol/app-state.md)."""

import itertools

from . import app_texts, protocol_requests, protocol_responses
from .app_state import State, check_scope, endpoint_of
from .descriptions import OAUTH2
from .formats import base64url, form
from .messages import FORM_FIELDS
from .refusals import Flaw



class Chance:
    """Random bytes out of the numbers of `entropy`, from the first to the last and then from the first again."""

    def __init__(self, entropy):
        data = bytes.fromhex(entropy)
        self.numbers = itertools.cycle(data[place:place + 8] for place in range(0, len(data), 8))

    def name(self):
        """The name of a signed text: two numbers, of each the lowest byte first."""
        return base64url(next(self.numbers)[::-1] + next(self.numbers)[::-1])


class App:
    """An app with its state; the methods that answer are named as what is asked."""

    def __init__(self, state, chance):
        self.state, self.chance, self.renewing = state, chance, set()

    def answer(self, ask, now):
        try:
            return getattr(self, f"ask_{ask['ask']}")(ask, now)
        except Flaw as flaw:
            return {"refusal": flaw.clause}

    def ask_names(self, ask, now):
        return self.state.urls()

    def ask_display_name(self, ask, now):
        return self.state.find(ask["service"]).name

    def ask_url(self, ask, now):
        return self.state.find(ask["service"]).url.text

    def ask_endpoint(self, ask, now):
        grant = self.state.find(ask["service"]).grant_for(ask["protocol"])
        return endpoint_of(grant, ask["protocol"], ask.get("path")).text

    def found(self, ask):
        """The service, the grant, and the place of the authorization that an ask is about."""
        service = self.state.find(ask["service"])
        grant = service.grant_for(ask["protocol"])
        return service, grant, grant.place(ask["protocol"], ask.get("path"))

    def ask_token(self, ask, now):
        service, grant, place = self.found(ask)
        authorization = grant.authorizations[place]
        url = endpoint_of(grant, ask["protocol"], ask.get("path"))
        authorization.check_open()
        check_scope(authorization, service, ask["protocol"], url)
        authorization.check_good(now)
        if authorization.key is None:
            return authorization.access_token
        return authorization.request_token(grant.app, url.text, now, self.chance.name(), ask.get("claims", {}))

    def ask_refused(self, ask, now):
        try:
            _, grant, place = self.found(ask)
        except Flaw:
            return False
        authorization = grant.authorizations[place]
        if authorization.ended is not None or not authorization.is_meant_by(ask["token"], now):
            return False
        grant.authorizations[place] = authorization.taken_for_expired()
        return True

    def ask_standing(self, ask, now):
        _, grant, place = self.found(ask)
        return grant.authorizations[place].standing(now)

    def ask_renew(self, ask, now):
        service, grant, place = self.found(ask)
        authorization = grant.authorizations[place]
        authorization.check_open()
        if not isinstance(authorization.refresh_token, str):
            raise Flaw("TOK-2", "there is nothing to renew it by")
        if OAUTH2 not in grant.document["apis"]:
            raise Flaw("DSC-7", f"the service does not offer '{OAUTH2}'")
        url = endpoint_of(grant, OAUTH2, "token")
        begun = (authorization.refresh_token, url.text)
        if begun in self.renewing:
            raise Flaw("threat-28", "a renewal has begun already")
        if not url.is_open(service.url):
            raise Flaw("threat-70", "the endpoint is in the own network")
        self.renewing.add(begun)
        pairs = [("grant_type", "refresh_token"), ("refresh_token", authorization.refresh_token)]
        return self.request(url.text, pairs, grant, authorization, now)

    def request(self, url, pairs, grant, authorization, now):
        """A request to an endpoint of the service, in the name of the app."""
        if authorization.key is None:
            body = form([*pairs, ("client_id", grant.app)])
            return {"method": "POST", "url": url, "headers": FORM_FIELDS, "body": body}
        token = authorization.request_token(grant.app, url, now, self.chance.name())
        headers = FORM_FIELDS | {"Authorization": f"Bearer {token}"}
        return {"method": "POST", "url": url, "headers": headers, "body": form(pairs)}

    def ask_revoke(self, ask, now):
        service = self.state.find(ask["service"])
        del self.state.services[service.url.identity]
        requests = []
        for grant in service.grants:
            url = open_endpoint(grant, service, "revoke")
            for place in sorted(grant.authorizations, key=lambda place: (place or "").encode()):
                authorization = grant.authorizations[place]
                if url and authorization.ended is None:
                    requests += self.revocations(url, grant, authorization, now)
        return requests

    def revocations(self, url, grant, authorization, now):
        for kind in ("refresh_token", "access_token"):
            if isinstance(token := authorization.members.get(kind), str):
                yield self.request(url, [("token", token), ("token_type_hint", kind)], grant, authorization, now)

    def ask_remove(self, ask, now):
        try:
            del self.state.services[self.state.find(ask["service"]).url.identity]
        except Flaw:
            return False
        return True

    def ask_clear(self, ask, now):
        self.state.services.clear()
        return True

    def ask_serialize(self, ask, now):
        self.state = app_texts.read(app_texts.written(self.state))
        return self.state.urls()


def open_endpoint(grant, service, name):
    """The URL of an endpoint of the service, or nothing where there is none that may be asked."""
    try:
        url = endpoint_of(grant, OAUTH2, name)
    except Flaw:
        return None
    return url.text if url.is_open(service.url) else None


def response_answer(given):
    request = protocol_requests.read(given["request"])
    documents, flaws = protocol_responses.read(given["answer"])
    app = App(State(), Chance(given["entropy"]))
    accepted, dropped = app.state.take_in(documents, request, None, given["now"])
    results = [app.answer(ask, ask.get("now", given["now"])) for ask in given["asks"]]
    refused = [result["refusal"] for result in results if isinstance(result, dict) and "refusal" in result]
    reasons = refused[-1:] or dropped or flaws
    told = {"dropped": dropped, "flaws": flaws, "results": results}
    found = {"accepted": accepted, "services": app.state.urls()}
    found |= {name: value for name, value in told.items() if value}
    return found | ({"refusal": {"clause": reasons[0]}} if reasons else {})
