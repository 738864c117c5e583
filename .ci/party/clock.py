"""Whether a refusal comes of the device's clock (Fixtures/protocol/app-requests.md, A wrong clock)."""

from datetime import UTC, datetime

from . import replies, urls
from .refusals import Refusal

WINDOW = 60
WORDS = ("invalid_client", "invalid_token", "invalid_dpop_proof")
# The three forms of RFC 9110 §5.6.7.
DATES = ("%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y")


def second(text):
    """The second that an HTTP date names."""
    for form in DATES:
        try:
            return int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp())
        except ValueError:
            pass
    return None


def is_refused_proof(answer):
    try:
        replies.READERS["resource"](answer, {})
    except replies.Refused as refused:
        return refused.error in WORDS
    except Refusal:
        return False


def told_time(answer):
    """The time that an answer tells, if it tells one."""
    dates = answer.values("Date")
    return second(dates[0]) if len(dates) == 1 else None


def is_of_another_time(answer, time):
    """Whether a proof that bears this time is refused by somebody who has another one."""
    told = told_time(answer) if is_refused_proof(answer) else None
    return told is not None and abs(told - time) > WINDOW


class Clock:
    """How far the edu-ID service is ahead of the device, and whether that is being tried."""

    def __init__(self, metadata):
        names = [name for name in metadata if name.endswith("_endpoint") or name == "jwks_uri"]
        self.origins = {urls.read(metadata[name]).origin for name in names}
        # What is known, and what is supposed and tried.
        self.ahead, self.supposed, self.stage = 0, 0, "over"

    def begin(self):
        self.stage = "possible"

    def end(self):
        """What was not shown to be so is forgotten."""
        self.stage = "over"

    def is_edu_id(self, url):
        return urls.read(url).origin in self.origins

    def ahead_at(self, url):
        return self.supposed if self.stage == "running" and self.is_edu_id(url) else self.ahead

    def repeats(self, answer, url, made, is_repeated=False):
        """Whether a request that was made at a time of the device's is made once more."""
        if self.stage == "over" or not self.is_edu_id(url):
            return False
        is_refused = is_refused_proof(answer)
        if self.stage == "running":
            if not is_refused and not 200 <= answer.status < 300:
                return False
            if not is_refused:
                self.ahead = self.supposed
            self.end()
            return is_refused and not is_repeated
        told = told_time(answer) if is_refused else None
        if told is None or abs(told - made - self.ahead) <= WINDOW:
            return False
        self.stage, self.supposed = "running", told - made if abs(told - made) > WINDOW else 0
        return True
