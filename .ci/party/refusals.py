"""What is refused, and which rule it breaks."""

from contextlib import contextmanager


class Refusal(ValueError):
    """A rule that something given does not keep.

    `error` is the word on the wire, empty where a value is only read; `clause` names the rule; `words` are for the
    developer at the other end. An endpoint may demand that some `changes` are stored nevertheless, another `status`,
    further header `fields`, and further `members` of the answer.
    """

    def __init__(self, error, clause, words="", *, changes=(), status=None, fields=(), members=()):
        super().__init__(error, clause, words)
        self.error, self.clause, self.words = error, clause, words
        self.changes, self.status = list(changes), status
        self.fields, self.members = dict(fields), dict(members)

    def told_as(self, error, clause=None, before=""):
        """The same refusal as a caller tells it: by another error, maybe another clause, and words in front."""
        return Refusal(error, clause or self.clause, before + self.words,
                       changes=self.changes, status=self.status, fields=self.fields, members=self.members)


def demand(holds, error, clause, words=""):
    if not holds:
        raise Refusal(error, clause, words)


class Flaw(Refusal):
    """A text or value that breaks a rule wherever it stands: who reads it decides about the error."""

    def __init__(self, clause, words=""):
        super().__init__("", clause, words)


@contextmanager
def flaws_told_as(error, before="", clauses=None):
    """Flaws of what is read inside are told by an error, with words in front, and some by other clauses.

    Without an error they stay flaws.
    """
    try:
        yield
    except Flaw as flaw:
        clause = (clauses or {}).get(flaw.clause, flaw.clause)
        raise (flaw.told_as(error, clause, before) if error else Flaw(clause, before + flaw.words)) from None
