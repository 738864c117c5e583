"""Changes of a store: how a batch is applied, and under which conditions (Fixtures/protocol/store.md)."""

from .formats import digest
from .json_text import compact_json, same
from .tree import GROUNDS, ONE_PER_HOLDER, REDEEMED, Record, Tree, grant_lives, has_come

MOST_CHANGES = 4_096
MOST_BYTES = 32_768
MOST_LEVELS = 64
MOST_RECORDS_ON_A_PATH = 9
RECORD_NAMES = ("id", "holder", "subject", "audience", "scope", "key")
DAY = 86_400


class Conflict(Exception):
    """A condition that does not hold: the clause, and the place of the change."""

    def __init__(self, clause: str, place: int = 0):
        super().__init__(clause)
        self.clause = clause
        self.place = place


class Store:
    """A tree that changes by batches, each applied wholly or not at all; it may have been restored after them."""

    def __init__(self, batches=(), restored: float | None = None):
        self.tree = Tree()
        for batch in batches:
            self.apply(batch)
        self.tree.restored = restored

    def apply(self, batch: dict) -> None:
        if len(batch["changes"]) > MOST_CHANGES:
            raise Conflict("threat-53", MOST_CHANGES)
        tree = self.tree.copy()
        for place, change in enumerate(batch["changes"]):
            try:
                CONDITIONS[change["do"]](tree, change, batch["at"])
            except Conflict as conflict:
                raise Conflict(conflict.clause, place) from None
        self.tree = tree


def play(given: dict) -> dict:
    """The answer to a vector of the kind `tree`."""
    store = Store(given["store"])
    outcome = {}
    if "batch" in given:
        try:
            store.apply(given["batch"])
        except Conflict as conflict:
            outcome = {"refusal": {"clause": conflict.clause}, "change": conflict.place}
    return outcome | {"verdicts": [store.tree.verdict(ask["id"], ask["now"]) for ask in given["asks"]]}


def described(record: Record, attributes: dict) -> dict:
    """The change that replaces the attributes of a record, if they are still those that were seen."""
    return {"do": "describe", "id": record["id"], "attributes": attributes, "from": record.get("attributes", {})}


# What conditions ask


def demand(holds: bool, clause: str) -> None:
    if not holds:
        raise Conflict(clause)


def known(tree: Tree, name: str) -> Record:
    demand(name in tree.records, "TOK-1")
    return tree.records[name]


def living(tree: Tree, name: str, now: float) -> Record:
    demand(grant_lives(tree.verdict(name, now)), "TOK-1")
    return tree.records[name]


def living_and_confirmed(tree: Tree, name: str, now: float) -> Record:
    record = living(tree, name, now)
    demand(tree.is_confirmed(name), "TOK-1")
    return record


def levels(value) -> int:
    """How many objects and arrays lie within each other, itself included."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(levels, value), default=0) if isinstance(value, list) else 0


def bytes_of(attributes: dict) -> int:
    return len(compact_json(attributes).encode()) if attributes else 0


def demand_no_lock(tree: Tree, record: Record) -> None:
    names = [record[member] for member in ("subject", "holder") if member in record]
    demand(tree.lock_of(*names) is None, "threat-78")


def demand_sole(tree: Tree, record: Record) -> None:
    """No other record of a kind that each holder has once is in force."""
    if record["kind"] not in ONE_PER_HOLDER or "holder" not in record:
        return
    other = tree.in_force(record["kind"], record["holder"])
    if other is not None:
        raise Conflict("REG-7" if other["id"] in tree.revoked else "REQ-10")


# The conditions of each change, in the order of the page


def insert(tree: Tree, change: dict, now: float) -> None:
    record = change["record"]
    attributes = record.get("attributes", {})
    size = sum(len(record.get(member, "").encode()) for member in RECORD_NAMES) + bytes_of(attributes)
    demand(size <= MOST_BYTES, "threat-14")
    demand(levels(attributes) <= MOST_LEVELS, "threat-53")
    demand(record["id"] not in tree.records, "TOK-1")
    demand_ground(tree, record, now)
    demand_sole(tree, record)
    if record["kind"] != "lock":
        demand_no_lock(tree, record)
    tree.records[record["id"]] = record


def demand_ground(tree: Tree, record: Record, now: float) -> None:
    grounds = GROUNDS[record["kind"]]
    if "parent" not in record:
        return demand(None in grounds, "threat-35")
    parent = living(tree, record["parent"], now)
    demand(parent["kind"] in grounds, "threat-35")
    if parent["kind"] == "code":
        demand(tree.records[parent["parent"]]["kind"] in grounds, "threat-35")
    demand(len(tree.lineage(parent["id"])) < MOST_RECORDS_ON_A_PATH, "threat-14")
    if record["kind"] not in ("client", "personal") and parent["kind"] != "client":
        demand(tree.is_confirmed(parent["id"]), "TOK-1")


def revoke(tree: Tree, change: dict, now: float) -> None:
    record = known(tree, change["id"])
    earlier = tree.revoked.get(record["id"])
    if earlier is None:
        tree.revoked[record["id"]] = {"at": now, "reason": change["reason"]}
    elif change["reason"] == "barred" != earlier["reason"]:
        if record["kind"] in ONE_PER_HOLDER and "holder" in record:
            demand(tree.in_force(record["kind"], record["holder"]) is None, "REQ-10")
        tree.revoked[record["id"]] = earlier | {"reason": "barred"}


def consume(tree: Tree, change: dict, now: float) -> None:
    record = living_and_confirmed(tree, change["id"], now)
    demand(record["kind"] in REDEEMED, "threat-18")
    demand(record["id"] not in tree.consumed, "AST-3")
    demand(not has_come(record.get("access"), now), "AST-3")
    tree.consumed[record["id"]] = now


def rotate(tree: Tree, change: dict, now: float) -> None:
    record = living_and_confirmed(tree, change["id"], now)
    demand_no_lock(tree, record)
    demand("refresh" in record, "TOK-2")
    demand(same(record["refresh"], change["from"]), "threat-28")
    demand(change["to"]["generation"] == change["from"]["generation"] + 1, "threat-28")
    renewed = {**record, "refresh": change["to"]}
    renewed.pop("access", None)
    tree.records[record["id"]] = renewed | {member: change[member] for member in ("access",) if member in change}


def reground(tree: Tree, change: dict, now: float) -> None:
    record = living(tree, change["id"], now)
    known(tree, change["from"])
    demand(record.get("parent") == change["from"], "REG-5")
    ground = living(tree, change["onto"], now)
    demand((record["kind"], ground["kind"]) == ("client", "versionKey"), "threat-35")
    tree.records[record["id"]] = {**record, "parent": change["onto"]}


def describe(tree: Tree, change: dict, now: float) -> None:
    record = living(tree, change["id"], now)
    if "from" in change:
        demand(same(record.get("attributes", {}), change["from"]), "threat-73")
    demand(bytes_of(change["attributes"]) <= MOST_BYTES, "threat-14")
    demand(levels(change["attributes"]) <= MOST_LEVELS, "threat-53")
    tree.records[record["id"]] = {**record, "attributes": change["attributes"]}


def confirm(tree: Tree, change: dict, now: float) -> None:
    living(tree, change["id"], now)
    tree.confirmed[change["id"]] = now


def touch(tree: Tree, change: dict, now: float) -> None:
    known(tree, change["id"])
    tree.touched[change["id"]] = max(now, tree.touched.get(change["id"], now))


def visit(tree: Tree, change: dict, now: float) -> None:
    services = tree.visits.setdefault(change["subject"], {})
    services[change["service"]] = max(now, services.get(change["service"], now))


def leave(tree: Tree, change: dict, now: float) -> None:
    tree.visits.get(change["subject"], {}).pop(change["service"], None)


def forget(tree: Tree, change: dict, now: float) -> None:
    subject = change["subject"]
    own = [record for record in tree.records.values() if record.get("subject") == subject]
    demand(not any(is_usable(tree, record, now) for record in own), "threat-75")
    fingerprint = "forgotten:" + digest(subject)
    for record in own:
        gone = {"attributes", "holder"} if record["kind"] == "lock" else {"attributes"}
        rest = {member: value for member, value in record.items() if member not in gone}
        tree.records[record["id"]] = rest | {"subject": fingerprint}
    tree.visits.pop(subject, None)


def is_usable(tree: Tree, record: Record, now: float) -> bool:
    is_spent = record["id"] in tree.consumed or has_come(record.get("access"), now)
    return grant_lives(tree.verdict(record["id"], now)) and not (record["kind"] in REDEEMED and is_spent)


def remember(tree: Tree, change: dict, now: float) -> None:
    demand(not now < tree.remembered.get(change["key"], now), "threat-36")
    if tree.restored is not None and not change.get("evenWithoutRoom"):
        demand(change["until"] > tree.restored + DAY, "threat-67")
    tree.remembered[change["key"]] = change["until"]


def enqueue(tree: Tree, change: dict, now: float) -> None:
    message = change["message"]
    demand(bytes_of(message["body"]) <= MOST_BYTES and levels(message["body"]) <= MOST_LEVELS, "threat-53")
    if message["id"] not in tree.settled:
        tree.messages.setdefault(message["id"], message)


def attempt(tree: Tree, change: dict, now: float) -> None:
    message = tree.messages.get(change["message"])
    demand(message is not None and message.get("attempts", 0) == change["after"], "TOK-7")
    tried = {"due": change["retry"], "attempts": change["after"] + 1, "tried": message.get("tried", now)}
    tree.messages[change["message"]] = message | tried


def settle(tree: Tree, change: dict, now: float) -> None:
    demand(change["message"] in tree.messages, "TOK-7")
    del tree.messages[change["message"]]
    tree.settled[change["message"]] = change["as"]


CONDITIONS = {
    condition.__name__: condition
    for condition in (
        insert, revoke, consume, rotate, reground, describe, confirm, touch, visit, leave, forget, remember, enqueue,
        attempt, settle,
    )
}
