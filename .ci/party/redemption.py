"""The redemption of service assertions (5), Fixtures/protocol/federation-service.md."""

from dataclasses import dataclass

from . import admission, assertions, bars, demands, edu_id_keys, grants, questions
from .derivations import derived_name, key_text, request_digest
from .messages import Answer
from .proofs import Proof, check_dpop, check_request_token, demand_dpop_taken, demand_proof_key, read_dpop
from .refusals import demand

REDEEMED = "the assertion was redeemed or revoked before; what it gave has ended"
OWN_CLAIMS = ("iss", "sub", "aud", "azp", "jti", "iat", "exp", "nbf", "cnf")


@dataclass(frozen=True)
class Assertion:
    """A service assertion that was found right."""

    text: str
    signer: str
    claims: dict

    @property
    def key(self) -> dict:
        return self.claims["cnf"]["jwk"]

    @property
    def key_name(self) -> str | None:
        return self.claims["cnf"].get("kid", self.key.get("kid"))

    @property
    def sign_in(self) -> dict:
        """What is told of the sign-in."""
        return demands.read(self.claims)

    @property
    def attributes(self) -> dict:
        """What is said of the user."""
        return {name: value for name, value in self.claims.items() if name not in OWN_CLAIMS}


def redeem(service, request, asked) -> Answer:
    text = asked.presented["assertion"]
    signed = assertions.read(assertions.ASSERTION, text)
    signed_proof = read_proof(asked)
    trusted = edu_id_keys.trusted_keys(service)
    assertion = Assertion(text, signed.name, check_claims(service, signed, trusted))
    proof = check_proof(service, assertion, asked, signed_proof)
    demand(asked.client_id in (None, assertion.claims["azp"]), "invalid_client", "RFC7521-4.2",
           "'client_id' is not the client that the proof is by")
    service.demand_own(asked.resource)
    earlier = service.assertion_record(assertion.claims["jti"])
    if earlier:
        return second_time(service, asked, earlier, proof)
    bars.demand_none(service, assertion.claims)
    admission.admit_instance(service.policy, assertion.claims["azp"])
    admission.admit_user(service.policy, assertion.claims["sub"])
    admission.admit_sign_in(service, assertion.sign_in)
    told = questions.ask_about(service, assertion)
    return first_time(service, asked, assertion, proof, trusted, assertion.attributes | told)


# The assertion and the proof


def check_claims(service, signed, trusted) -> dict:
    endpoint = service.url("token") if service.policy.get("accepts_endpoint_as_audience") else None
    return assertions.check_service_assertion(signed, trusted.keys, service.edu_id["issuer"], service.issuer,
                                              service.now, endpoint)


def read_proof(asked):
    """The form of what comes as a proof of possession; no other credential is one."""
    if asked.credential.kind == "bearer":
        return assertions.read(assertions.REQUEST_TOKEN, asked.credential.token)
    return read_dpop(asked.proof) if asked.proof else None


def check_proof(service, assertion: Assertion, asked, signed) -> Proof:
    url = service.url("token")
    demand(signed is not None, "invalid_client", "threat-36",
           "the access token: it is bound to a key, and the request does not prove possession of it")
    if asked.proof:
        demand_dpop_taken(service.exchange)
        proof = check_dpop(service.exchange, signed, "POST", url, None)
        demand_proof_key(proof, assertion.key)
        return proof
    key = {**assertion.key, "kid": assertion.key_name}
    return check_request_token(service.exchange, signed, key, assertion.claims["azp"], url)


# The first time


def first_time(service, asked, assertion: Assertion, proof: Proof, trusted, attributes: dict) -> Answer:
    exchange, claims = service.exchange, assertion.claims
    exchange.changes.append(proof.remembered())
    signer = edu_id_keys.record_name(service, assertion.signer)
    if service.tree.record(signer) is None:
        exchange.change("insert", record=edu_id_keys.record_of_key(service, assertion.signer))
    kept = {
        "id": derived_name("assertion", service.edu_id["issuer"], claims["jti"]),
        "kind": "assertion",
        "parent": signer,
        "holder": claims["azp"],
        "subject": claims["sub"],
        "audience": service.issuer,
        "issued": service.now,
        "access": claims["exp"],
        "attributes": {"claims": attributes, "assertion": claims["jti"]},
    }
    exchange.change("insert", record=kept)
    exchange.change("consume", id=kept["id"])
    record, answer = grants.grant(service, service_token(service, kept, assertion.key, assertion.sign_in),
                                  request_digest(asked.scope_text, asked.resource, asked.key, kept["id"]))
    exchange.change("insert", record=record)
    edu_id_keys.note_withdrawals(service, trusted)
    return answer


def service_token(service, assertion: dict, key: dict, sign_in: dict) -> dict:
    """The record of a service token, without its refresh token."""
    final = service.final()
    scope = " ".join(filter(None, (service.component, service.discovery_url)))
    return {
        "id": service.chance.name(),
        "kind": "service",
        "parent": assertion["id"],
        "holder": assertion["holder"],
        "subject": assertion["subject"],
        "audience": service.issuer,
        "scope": scope,
        "key": key_text(key),
        "issued": service.now,
        "access": grants.new_access(service, assertion["parent"], final.get("final")),
        **final,
        **({"attributes": sign_in} if sign_in else {}),
    }


# A second time


def second_time(service, asked, earlier: dict, proof: Proof) -> Answer:
    given = grants.given_for(
        service, asked, earlier, "service", ("AST-3", REDEEMED), lambda **room: [proof.remembered(**room)])
    admission.admit_holder(service.policy, service.tree, given[0])
    service.exchange.changes.append(proof.remembered())
    return grants.again(service, *given)
