"""How often signing in may fail (Fixtures/protocol/edu-id-administration.md)."""

from . import derivations, formats, user_steps
from .exchange import LOCKED_OUT, change
from .refusals import Refusal

KEPT = 900
MOST_KNOWN = 8
PLACES_OF_INSTANCE, PLACES_WHERE_KNOWN, PLACES_AMONG_STRANGERS = 10, 10, 20
TOO_MANY = "too many attempts to sign in failed on this instance; wait as long as 'Retry-After' says"
NOT_TOGETHER = "user name and password do not belong together"


def demand_unlocked(edu_id, requester, subject):
    """Nobody has shut the user out."""
    if edu_id.tree.lock_of(subject):
        raise Refusal("access_denied", "threat-78", LOCKED_OUT, changes=requester.remembered())


class Row:
    """How many attempts failed on an instance, whoever it was."""

    def __init__(self, edu_id, requester):
        self.edu_id, self.requester = edu_id, requester
        self.own_row = self.row("instance", requester.record["holder"], PLACES_OF_INSTANCE)

    def digest(self, kind, name):
        return formats.digest(formats.hmac(self.edu_id.exchange.master, f"sign-in: {kind}: {name}"))

    def row(self, kind, name, places):
        """The keys of the places of a row."""
        owner = self.digest(kind, name)
        return [derivations.remembered("failed sign-in", owner, str(place)) for place in range(places)]

    def is_taken(self, place):
        return self.edu_id.tree.remembered.get(place, 0) > self.edu_id.now

    def free_place(self, row):
        return next((place for place in row if not self.is_taken(place)), None)

    def demand_place(self):
        """Too many attempts did not fail before on the instance."""
        if self.free_place(self.own_row) is None:
            raise Refusal("temporarily_unavailable", "threat-74", TOO_MANY, changes=self.requester.remembered(),
                          status=429, fields={"Retry-After": str(KEPT)})


class Attempt(Row):
    """One attempt of somebody to sign in on an instance, or to make a step of that.

    With `is_known` whoever it is counts as one who has been signed in there.
    """

    def __init__(self, edu_id, requester, name, is_known=False):
        super().__init__(edu_id, requester)
        self.name = name
        self.attributes = requester.record.get("attributes", {})
        self.known = self.attributes.get("users", {})
        self.key_of_user = self.digest("user", name)[:22]
        self.since = self.known.get(self.key_of_user, 0 if is_known else None)
        self.user_row = self.row_of_user()

    def row_of_user(self):
        if self.since is None:
            return self.row("user among strangers", self.name, PLACES_AMONG_STRANGERS)
        kind = f"user on {self.requester.record['holder']} since {self.since}"
        return self.row(kind, self.name, PLACES_WHERE_KNOWN)

    @property
    def is_within_limit(self):
        """Whether too many attempts did not fail before for the user."""
        return self.free_place(self.user_row) is not None

    def failed(self):
        """The changes that note that it failed."""
        places = filter(None, map(self.free_place, (self.own_row, self.user_row)))
        return [change("remember", key=place, until=self.edu_id.now + KEPT) for place in places]

    def demand_together(self, is_right):
        if not is_right:
            raise Refusal("invalid_grant", "threat-39" if self.is_within_limit else "threat-74", NOT_TOGETHER,
                          changes=self.requester.remembered() + self.failed())

    def signed_in(self, password):
        """The user, if name and password are somebody's and too many attempts did not fail before."""
        user = self.edu_id.user_by_password(self.name, password)
        self.demand_place()
        self.demand_together(user is not None and self.is_within_limit)
        demand_unlocked(self.edu_id, self.requester, user["subject"])
        return user

    def named(self, is_demanded):
        """The steps that a name is asked for without a password, whoever has it."""
        steps = user_steps.of_name(self.edu_id.users, self.name, is_demanded)
        self.demand_place()
        self.demand_together(steps)
        return steps

    def described(self):
        """The attributes of the instance, with the user among those who have been signed in there."""
        if self.since is None:
            rounds = {self.key_of_user: 0}
        else:
            rounds = {self.key_of_user: self.since + any(map(self.is_taken, self.user_row))}
        users = self.known | rounds
        newest = dict(list(users.items())[-MOST_KNOWN:])
        return self.attributes | {"users": newest}
