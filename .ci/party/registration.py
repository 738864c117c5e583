"""Registration of instances at the edu-ID service (1), and changes of the device."""

from . import commands, derivations, keys
from .access_tokens import INSTANCE_LIFETIME, token_answer
from .clients import INSTANCE, demand_client_id
from .credentials import Credential
from .introductions import ending
from .messages import granted
from .proofs import check_dpop, demand_dpop_taken, demand_proof_key, read_dpop
from .refusals import Flaw, Refusal, demand
from .requesters import find_requester
from .version_statements import DEVICE, check_statement, is_description, read_statement

TOKEN = "token"
NO_WAY_BACK = "an instance moves to a higher version of its line and never back"
OTHER_KEY = "signatures by the key are not checked here; bring one that is for one of EdDSA, Ed25519, ES256"
NOT_BY_THE_KEY = "the key beside the statement does not sign the request; put it into the statement"


def register(edu_id, request, asked):
    """The grant `client_credentials`."""
    statement = statement_of(edu_id, asked.credential)
    if statement is None:
        return change_device(edu_id, request, asked)
    statement = check_statement(edu_id, statement)
    demand(asked.client_id is None or asked.client_id.lower() == statement.instance, "invalid_client", "RFC7521-4.2",
           "'client_id' is not the instance that the assertion is about")
    record = edu_id.tree.in_force("client", statement.instance)
    demand(record is None or record["id"] not in edu_id.tree.revoked, "unauthorized_client", "REG-7",
           "this instance has been rejected")
    if asked.instance_assertion is not None:
        credential = Credential("bearer", token=asked.instance_assertion)
        proved = find_requester(edu_id.exchange, request, credential, edu_id.url(TOKEN), INSTANCE)
        return known_instance(edu_id, statement, record, proved.record, proved.proof)
    if record is not None:
        demand(not is_way_back(edu_id, record, statement.version), "unauthorized_client", "REG-5", NO_WAY_BACK)
        if edu_id.tree.lives(record["id"], edu_id.now):
            proof = present_key(edu_id, asked, record)
            return known_instance(edu_id, statement, record, record, proof)
    return new_instance(edu_id, asked, statement, record)


def statement_of(edu_id, credential):
    """The statement that a registration rests on, or nothing where the instance changes its device."""
    demand(credential.kind not in ("none", "password"), "invalid_client", "REG-1",
           "registration takes a request token signed with the key of the app's version")
    if credential.kind == "dpop":
        return None
    if credential.kind == "assertion":
        return read_statement(credential.client_assertion)
    statement = read_statement(credential.token)
    return statement if edu_id.version(statement.name) else None


def is_way_back(edu_id, record, version):
    """Whether the instance has a higher version of the same line already."""
    present = edu_id.version(record["parent"])
    return present is not None and present.may_follow(version)


def present_key(edu_id, asked, record):
    """The DPoP proof by the key of an instance that is registered."""
    demand(asked.proof is not None, "invalid_client", "threat-63",
           "the instance is registered: prove its present key with 'instance_assertion' or a DPoP proof")
    proof = proof_beside(edu_id, asked.proof)
    demand_proof_key(proof, derivations.key_of(record, edu_id.exchange.master))
    return proof


def proof_beside(edu_id, text):
    """A DPoP proof that stands beside a statement."""
    demand_dpop_taken(edu_id.exchange)
    return check_dpop(edu_id.exchange, read_dpop(text), "POST", edu_id.url(TOKEN))


def new_instance(edu_id, asked, statement, former):
    """An instance that is not registered, or no longer."""
    key, proof = new_key(edu_id, asked, statement)
    name = edu_id.chance.name()
    edu_id.remember(statement)
    note_version(edu_id, statement.version)
    if former is not None:
        edu_id.change("revoke", id=former["id"], reason="superseded")
    if proof is not None:
        edu_id.remember(proof)
    record = {"id": name, "kind": "client", "parent": statement.version.kid, "holder": statement.instance,
              "key": derivations.key_text(key) if key else "symmetric", "issued": edu_id.now,
              "attributes": {"device": statement.device}}
    edu_id.change("insert", record=record)
    return client_token(edu_id, record)


def new_key(edu_id, asked, statement):
    """The key that a new instance brings, and the proof of it; both may be absent."""
    key = statement.key or asked.key
    if statement.key and asked.key:
        demand(derivations.is_same_key(statement.key, asked.key), "invalid_request", "POP-1",
               "the statement and 'req_cnf' name different keys")
    proof = None
    if asked.proof is not None:
        proof = proof_beside(edu_id, asked.proof)
        demand(key is not None and derivations.is_same_key(proof.key, key), "invalid_client", "threat-63",
               NOT_BY_THE_KEY)
    demand(key is None or statement.key or proof, "invalid_client", "threat-63", NOT_BY_THE_KEY)
    if key is not None:
        demand(is_for_holders(key), "invalid_request", "POP-1", OTHER_KEY)
    return key, proof


def is_for_holders(key):
    try:
        keys.check_holder_key(key)
    except Flaw:
        return False
    return True


def known_instance(edu_id, statement, record, proved, proof):
    """An instance that is registered, again at the same version or at a higher one."""
    demand(record is not None and record["id"] == proved["id"], "invalid_client", "REG-5",
           "the two proofs are of different instances")
    present = edu_id.version(record["parent"])
    fits = present is None or statement.version.kid == record["parent"] or statement.version.may_follow(present)
    demand(fits, "unauthorized_client", "REG-5", NO_WAY_BACK)
    demand(statement.key_is_of(record, edu_id.exchange.master), "invalid_client", "threat-38",
           "an instance keeps its key as long as it is registered")
    edu_id.remember(statement)
    note_version(edu_id, statement.version)
    edu_id.remember(proof)
    leave_version(edu_id, record)
    serial = edu_id.chance.serial()
    if record["parent"] != statement.version.kid:
        edu_id.change("reground", id=record["id"], **{"from": record["parent"], "onto": statement.version.kid})
    attributes = record.get("attributes", {}) | {"device": statement.device, "token": serial}
    edu_id.describe(record, attributes)
    return client_token(edu_id, record | {"attributes": attributes})


def leave_version(edu_id, record):
    """Ends what came through a version that is shut out, whether or not the services were told before."""
    if edu_id.is_admitted(record):
        return
    unended = [assertion for assertion in edu_id.tree.below(record["id"], "assertion")
               if assertion["id"] not in edu_id.tree.revoked]
    for assertion in unended[:commands.MOST_ENDINGS]:
        edu_id.exchange.changes += ending(edu_id, assertion, "administrator")
    if len(unended) > commands.MOST_ENDINGS:
        raise Refusal("temporarily_unavailable", "FED-4",
                      "what came through the version before is still being ended; try again",
                      changes=edu_id.exchange.changes)


def note_version(edu_id, version):
    if edu_id.tree.record(version.kid) is None:
        edu_id.change("insert", record=version.record(edu_id.now))


def change_device(edu_id, request, asked):
    """An instance says anew what device it is on."""
    requester = find_requester(edu_id.exchange, request, asked.credential, edu_id.url(TOKEN), INSTANCE)
    record = requester.record
    demand_client_id(record, asked.client_id)
    edu_id.demand_admission(record)
    attributes = record.get("attributes", {})
    device = attributes.get("device", {}) | described_device(requester.proof.claims)
    edu_id.remember(requester.proof)
    edu_id.describe(record, attributes | {"device": device}, even_if_same=True)
    edu_id.change("touch", id=record["id"])
    return client_token(edu_id, record | {"attributes": attributes | {"device": device}})


def described_device(claims):
    """What the claims of a proof say of the device."""
    told = {name: claims[name] for name in DEVICE if name in claims}
    for name, value in told.items():
        demand(is_description(value), "invalid_request", "REG-2",
               f"the claim '{name}' must be a text that is not empty")
    return told


def client_token(edu_id, record):
    """The answer with the token of an instance."""
    serial = record["attributes"].get("token") or edu_id.chance.serial()
    token = edu_id.issuer.sign(record, serial, None, edu_id.now, edu_id.now + INSTANCE_LIFETIME)
    return granted(token_answer(token, confirmation=edu_id.issuer.told_in_answer(record)))
