"""How often signing in may fail (Fixtures/protocol/edu-id-administration.md)."""

from . import derivations, formats
from .exchange import LOCKED_OUT, change
from .refusals import Refusal

KEPT = 900
MOST_KNOWN = 8
PLACES_OF_INSTANCE, PLACES_WHERE_KNOWN, PLACES_AMONG_STRANGERS = 10, 10, 20
TOO_MANY = "too many attempts to sign in failed on this instance; wait as long as 'Retry-After' says"
NOT_TOGETHER = "user name and password do not belong together"


class Attempt:
    """One attempt of somebody to sign in on an instance."""

    def __init__(self, edu_id, requester, name, password):
        self.edu_id, self.requester, self.name = edu_id, requester, name
        self.attributes = requester.record.get("attributes", {})
        self.known = self.attributes.get("users", {})
        self.key_of_user = self.digest("user", name)[:22]
        self.own_row = self.row("instance", requester.record["holder"], PLACES_OF_INSTANCE)
        self.user_row = self.row_of_user()
        self.user = edu_id.user_by_password(name, password)

    def digest(self, kind, name):
        return formats.digest(formats.hmac(self.edu_id.exchange.master, f"sign-in: {kind}: {name}"))

    def row(self, kind, name, places):
        """The keys of the places of a row."""
        owner = self.digest(kind, name)
        return [derivations.remembered("failed sign-in", owner, str(place)) for place in range(places)]

    def row_of_user(self):
        since = self.known.get(self.key_of_user)
        if since is None:
            return self.row("user among strangers", self.name, PLACES_AMONG_STRANGERS)
        kind = f"user on {self.requester.record['holder']} since {since}"
        return self.row(kind, self.name, PLACES_WHERE_KNOWN)

    def is_taken(self, place):
        return self.edu_id.tree.remembered.get(place, 0) > self.edu_id.now

    def free_place(self, row):
        return next((place for place in row if not self.is_taken(place)), None)

    def signed_in(self):
        """The user, if name and password are somebody's and too many attempts did not fail before."""
        noted = self.requester.remembered()
        own_place = self.free_place(self.own_row)
        if own_place is None:
            raise Refusal("temporarily_unavailable", "threat-74", TOO_MANY, changes=noted, status=429,
                          fields={"Retry-After": str(KEPT)})
        place = self.free_place(self.user_row)
        if place is None or self.user is None:
            taken = [change("remember", key=key, until=self.edu_id.now + KEPT) for key in (own_place, place) if key]
            raise Refusal("invalid_grant", "threat-39" if place else "threat-74", NOT_TOGETHER, changes=noted + taken)
        if self.edu_id.tree.lock_of(self.user["subject"]):
            raise Refusal("access_denied", "threat-78", LOCKED_OUT, changes=noted)
        return self.user

    def described(self):
        """The attributes of the instance, with the user among those who have been signed in there."""
        since = self.known.get(self.key_of_user)
        if since is None:
            rounds = {self.key_of_user: 0}
        else:
            rounds = {self.key_of_user: since + any(map(self.is_taken, self.user_row))}
        users = self.known | rounds
        newest = dict(list(users.items())[-MOST_KNOWN:])
        return self.attributes | {"users": newest}
