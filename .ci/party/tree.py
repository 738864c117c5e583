"""The token tree: records, what stands on what, verdicts, and lists (Fixtures/protocol/tree.md).

A record is the object that the vectors write; it is replaced and never altered. How batches of changes are applied is
told in `changes`.
"""

from collections.abc import Iterator

Record = dict

GROUNDS = {
    "versionKey": {None},
    "client": {"versionKey"},
    "personal": {"client", "code"},
    "affiliation": {"personal"},
    "assertion": {None, "personal", "affiliation", "versionKey"},
    "service": {"assertion"},
    "app": {"service", "code", "app"},
    "code": {"client", "personal", "service"},
    "lock": {None},
    "session": {"client", "personal"},
}
REDEEMED = {"assertion", "code"}
ONE_PER_HOLDER = {"versionKey", "client", "lock"}


def end_of(record: Record) -> float | None:
    """When the grant ends by itself: `final`, or `access` where nothing renews it and nobody redeems it."""
    is_renewed = "refresh" in record or record["kind"] in REDEEMED
    members = ("final",) if is_renewed else ("access", "final")
    return min((record[member] for member in members if member in record), default=None)


def has_come(time: float | None, now: float) -> bool:
    return time is not None and now >= time


def grant_lives(verdict: dict) -> bool:
    """Whether what stands on the record lives, and it can be renewed."""
    return verdict["verdict"] in ("live", "consumed", "unconfirmed") or verdict.get("ends") == "access"


class Tree:
    """What a store knows: records, what happened to them, what must not pass again, visits, and messages."""

    def __init__(self):
        self.restored: float | None = None
        self.records: dict[str, Record] = {}
        self.revoked: dict[str, dict] = {}
        self.consumed: dict[str, float] = {}
        self.confirmed: dict[str, float] = {}
        self.touched: dict[str, float] = {}
        self.visits: dict[str, dict[str, float]] = {}
        self.remembered: dict[str, float] = {}
        self.messages: dict[str, dict] = {}
        self.settled: dict[str, str] = {}

    def copy(self) -> "Tree":
        twin = Tree()
        twin.restored = self.restored
        for name, value in vars(self).items():
            if isinstance(value, dict):
                setattr(twin, name, dict(value))
        twin.visits = {subject: dict(services) for subject, services in self.visits.items()}
        return twin

    # What stands on what

    def record(self, name: str | None) -> Record | None:
        return self.records.get(name) if name is not None else None

    def lineage(self, name: str) -> list[Record]:
        """The record and all that it stands on, the root last."""
        line = []
        record = self.record(name)
        while record is not None:
            line.append(record)
            record = self.record(record.get("parent"))
        return line

    def nearest(self, name: str, kind: str) -> Record | None:
        """The record itself or the nearest ground that is of this kind."""
        return next((record for record in self.lineage(name) if record["kind"] == kind), None)

    def stands_on(self, name: str, ground: str) -> bool:
        """Whether the record is this ground, or stands on it."""
        return any(record["id"] == ground for record in self.lineage(name))

    # Verdicts

    def verdict(self, name: str, now: float) -> dict:
        """The store's own word, by which its conditions go."""
        return self._verdict(name, now, heeds_withdrawal=False)

    def judged(self, name: str, now: float) -> dict:
        """What parties go by: the verdict, and what a withdrawn key signed since it was stolen is over."""
        return self._verdict(name, now, heeds_withdrawal=True)

    def lives(self, name: str, now: float) -> bool:
        """Whether the grant lives, as parties judge it."""
        return grant_lives(self.judged(name, now))

    def is_confirmed(self, name: str) -> bool:
        if self.restored is None:
            return True
        line = self.lineage(name)
        return line[0]["kind"] == "versionKey" or any(
            max(record["issued"], self.confirmed.get(record["id"], record["issued"])) >= self.restored
            for record in line if record["kind"] != "versionKey"
        )

    def _verdict(self, name: str, now: float, heeds_withdrawal: bool) -> dict:
        line = self.lineage(name)
        if not line:
            return {"verdict": "unknown"}
        over = self._revocation(line) or self._end(line, now) or (heeds_withdrawal and self._withdrawal(line))
        if over:
            return over
        if not self.is_confirmed(name):
            return {"verdict": "unconfirmed", "before": self.restored}
        if name in self.consumed:
            return {"verdict": "consumed", "at": self.consumed[name]}
        if has_come(line[0].get("access"), now):
            return {"verdict": "expired", "by": name, "at": line[0]["access"], "ends": "access"}
        return {"verdict": "live"}

    def _revocation(self, line: list[Record]) -> dict | None:
        """The earliest revocation; of equal ones that nearest to the root."""
        revoked = [record["id"] for record in reversed(line) if record["id"] in self.revoked]
        if not revoked:
            return None
        first = min(revoked, key=lambda name: self.revoked[name]["at"])
        return {"verdict": "revoked", "by": first, **self.revoked[first]}

    @staticmethod
    def _end(line: list[Record], now: float) -> dict | None:
        ended = [record for record in reversed(line) if has_come(end_of(record), now)]
        if not ended:
            return None
        first = min(ended, key=end_of)
        return {"verdict": "expired", "by": first["id"], "at": end_of(first), "ends": "grant"}

    @staticmethod
    def _withdrawal(line: list[Record]) -> dict | None:
        if len(line) < 2:
            return None
        root = line[-1]
        since = root.get("attributes", {}).get("withdrawn") if root["kind"] == "versionKey" else None
        if since is None or line[-2]["issued"] < since:
            return None
        return {"verdict": "revoked", "by": root["id"], "at": since, "reason": "administrator"}

    # Lists

    def of_kind(self, kind: str) -> list[Record]:
        """All records of the kind, the oldest first."""
        return [record for record in self.records.values() if record["kind"] == kind]

    def of_subject(self, kind: str, subject: str) -> list[Record]:
        """The records of the kind of one subject, the newest first."""
        return [record for record in reversed(self.of_kind(kind)) if record.get("subject") == subject]

    def of_holder(self, kind: str, holder: str) -> list[Record]:
        """The records of the kind that one holder may present, the newest first."""
        return [record for record in reversed(self.of_kind(kind)) if record.get("holder") == holder]

    def below(self, ground: str, kind: str) -> Iterator[Record]:
        """The records of the kind that stand on the ground: each before what stands on it, the newest first."""
        for record in reversed(self.records.values()):
            if record.get("parent") == ground:
                if record["kind"] == kind:
                    yield record
                yield from self.below(record["id"], kind)

    # In force

    def is_in_force(self, name: str) -> bool:
        return name not in self.revoked or self.revoked[name]["reason"] == "barred"

    def in_force(self, kind: str, holder: str) -> Record | None:
        """The one record of the holder that was not revoked, or was revoked for good."""
        return next((record for record in self.of_holder(kind, holder) if self.is_in_force(record["id"])), None)

    def lock_of(self, *names: str | None) -> Record | None:
        """A lock that is in force for one of the names."""
        locks = (lock for lock in self.of_kind("lock") if self.is_in_force(lock["id"]) and "holder" in lock)
        return next((lock for lock in locks if lock["holder"] in names), None)
