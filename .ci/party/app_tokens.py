"""Tokens of apps (8), Fixtures/protocol/app-authorization.md."""

from . import admission, assertions, demands, grants, keys, scopes
from .derivations import derived_name, is_same_key, key_of, key_text, request_digest
from .messages import Answer
from .reading import is_signed_code, scope_words
from .refusals import Flaw, Refusal, demand
from .requesters import NO_TOKEN, Opening, Requester, find_requester

REDEEMED = "the app code was redeemed before; what it gave has been revoked"
OTHER_KEY = "signatures by the key are not checked here; bring one that is for one of EdDSA, Ed25519, ES256"
LONGEST_SCOPE = 4_096
BY_INSTANCE = Opening(("service",))


def authorize(service, request, asked) -> Answer:
    demand(is_signed_code(asked.presented), "invalid_grant", "APP-3",
           "codes at this service are signed by the instance that authorizes an app")
    demand(asked.credential.kind in ("bearer", "dpop"), "invalid_client", "RFC6750-2.1", NO_TOKEN)
    signed = assertions.read(assertions.APP_CODE, asked.presented["code"])
    requester = find_requester(service.exchange, request, asked.credential, service.url("token"), BY_INSTANCE)
    ground = requester.record
    admission.admit_holder(service.policy, service.tree, ground)
    admission.admit_kept_sign_in(service, ground)
    claims = assertions.check_app_code(signed, key_of(ground, service.master), ground["holder"],
                                       service.url("authorize"), service.now)
    demand(asked.client_id in (None, ground["holder"]), "invalid_client", "RFC7521-4.2",
           "'client_id' is not the client that the proof is by")
    service.demand_own(asked.resource)
    earlier = service.tree.record(derived_name("code", ground["id"], claims["jti"]))
    if earlier:
        return second_time(service, asked, earlier, requester)
    admission.admit_app(service.policy, claims["sub"])
    return first_time(service, asked, requester, claims)


def first_time(service, asked, requester: Requester, claims: dict) -> Answer:
    ground = requester.record
    scope = scope_to_give(service, asked.scope)
    key = app_key(asked, claims)
    code = {
        "id": derived_name("code", ground["id"], claims["jti"]),
        "kind": "code",
        "parent": ground["id"],
        "holder": ground["holder"],
        "subject": ground["subject"],
        "issued": service.now,
        "access": claims["exp"],
    }
    digest = request_digest(asked.scope_text, asked.resource, asked.key, code["id"])
    record, answer = grants.grant(service, app_token(service, ground, code, claims["sub"], scope, key), digest)
    exchange = service.exchange
    exchange.changes += requester.remembered()
    exchange.change("insert", record=code)
    exchange.change("consume", id=code["id"])
    exchange.change("insert", record=record)
    return answer


def scope_to_give(service, words: tuple | None) -> str:
    """The URLs that an app asks for: each is one of the offer, or lies below one."""
    demand(words, "invalid_scope", "APP-4", "the request names no endpoints of protocols as its scope")
    offer = " ".join(service.offer)
    given = {word: word if scopes.is_url(word) else scopes.protocol_url(service.document, word) for word in words}
    for word, url in given.items():
        demand(url and scopes.contains_word(offer, url), "invalid_scope", "APP-4",
               f"the scope names what this service does not offer: '{word}'")
    urls = list(scope_words(" ".join(given.values())))
    if service.policy.get("extends_tokens"):
        urls.append(service.url("token"))
    scope = " ".join(urls)
    demand(len(scope.encode()) <= LONGEST_SCOPE, "invalid_scope", "threat-14",
           f"the scope has more than {LONGEST_SCOPE} bytes")
    return scope


def app_key(asked, claims: dict) -> dict | None:
    """The public key that the app brought, if any: in the code, in the request, or the same in both."""
    in_code = claims["cnf"]["jwk"] if "cnf" in claims else None
    demand(not (in_code and asked.key) or is_same_key(in_code, asked.key), "invalid_request", "APP-5",
           "the code and 'req_cnf' name different keys of the app")
    key = in_code or asked.key
    try:
        if key:
            keys.check_holder_key(key)
    except Flaw:
        raise Refusal("invalid_request", "POP-1", OTHER_KEY) from None
    return key


def app_token(service, ground: dict, code: dict, app: str, scope: str, key: dict | None) -> dict:
    """The record of an app token, without its refresh token."""
    final, sign_in = service.final(), demands.kept(ground)
    if key:
        bound = {"key": key_text(key)}
    else:
        bound = {} if service.policy.get("keyless_apps") == "bearer_token" else {"key": "symmetric"}
    return {
        "id": service.chance.name(),
        "kind": "app",
        "parent": code["id"],
        "holder": app,
        "subject": ground["subject"],
        "audience": ground["audience"],
        "scope": scope,
        **bound,
        "issued": service.now,
        "access": grants.new_access(service, ground["id"], final.get("final")),
        **final,
        **({"attributes": sign_in} if sign_in else {}),
    }


def second_time(service, asked, earlier: dict, requester: Requester) -> Answer:
    given = grants.given_for(service, asked, earlier, "app", ("threat-26", REDEEMED), requester.remembered)
    admission.admit_holder(service.policy, service.tree, given[0])
    service.exchange.changes += requester.remembered()
    return grants.again(service, *given)
