"""What the edu-ID app shows and when: screens, steps and errands (Fixtures/protocol/edu-id-app.md)."""

from dataclasses import dataclass, field, replace

from . import protocol_requests
from .refusals import Flaw

ENTERING = ("sign in", "use browser", "answer", "step up")
ACTIONS = (*ENTERING, "log out", "confirm", "turn back", "begin anew", "accept", "reject", "go without")
WITH_SERVICE = ("pick", "unpick", "hide")


@dataclass(frozen=True)
class Screen:
    """A screen by its name, with what it shows."""
    name: str
    profile: dict | None = None
    candidates: tuple = ()
    picked: tuple = ()
    seeking: bool = False
    pending: bool = False
    failed: bool = False

    def shown(self):
        if self.name == "profile":
            return {"profile": self.profile}
        if self.name == "selection":
            return {"candidates": [*self.candidates], "picked": [url for url in self.candidates if url in self.picked]}
        return "login, logout pending" if self.pending else self.name


LOGIN, AUTHENTICATING, STEP, BROWSER = map(Screen, ("login", "authenticating", "step", "browser"))
DEMAND = Screen("demand")
FOR_MORE = ("demand", "authenticating", "step", "browser")
SIGNING_IN = ("authenticating", "browser")
SEARCHING, FINISHED = Screen("searching"), Screen("finished")


class Mode:
    """A screen with rules: a step leads to the next one, with errands, or is refused and changes nothing."""

    def __init__(self, entered, step_waits, browser):
        first = BROWSER if browser == "awaited" else STEP if step_waits else LOGIN
        self.screen, self.errands, self.offers_browser = entered or first, [], browser is not None
        self.standing = None

    def step(self, words):
        action, _, service = words.partition(" ")
        if action in WITH_SERVICE and service:
            step, given = getattr(self, action), (service,)
        else:
            step, given = getattr(self, words.replace(" ", "_").replace("-", "_"), self.unknown(words)), ()
        found = step(*given)
        if found is None:
            raise Flaw(self.clause(words))
        self.screen = found

    def unknown(self, words):
        return lambda: None

    def at(self, *names):
        return self.screen.name in names

    def errand(self, what, screen):
        self.errands.append(what)
        return screen

    def sign_in(self):
        return self.errand("authenticate", AUTHENTICATING) if self.at("login", "demand") else None

    def use_browser(self):
        return self.errand("open browser", BROWSER) if self.at("login", "demand") and self.offers_browser else None

    def step_wanted(self):
        return STEP if self.at("authenticating") else None

    def answer(self):
        return self.errand("answer", AUTHENTICATING) if self.at("step") else None

    def turn_back(self):
        before = LOGIN if self.standing is None else DEMAND
        return self.errand("abandon", before) if self.at("step", "browser") else None

    def sign_in_failed(self):
        before = replace(LOGIN, failed=True) if self.standing is None else DEMAND
        return before if self.at(*SIGNING_IN) else None

    def step_up(self):
        return self.errand("step up", AUTHENTICATING) if self.at("demand") else None

    def for_more(self):
        return self.standing is not None and self.at(*FOR_MORE)

    def settled(self, screen):
        """A screen on which nothing is for more."""
        self.standing = None
        return screen


class OwnMode(Mode):
    """The app opened by itself."""

    def __init__(self, signed_in, profile, step_waits, browser, demanded):
        own = None if signed_in is None else Screen("profile", signed_in)
        goes_on = own is not None and demanded and step_waits
        super().__init__(STEP if goes_on else own, step_waits, browser)
        self.profile, self.before = profile, None
        if goes_on:
            self.standing = own

    @staticmethod
    def clause(words):
        return "UX-5" if words in ACTIONS and words not in ENTERING else "UX-4"

    def signed_in(self):
        return self.settled(Screen("profile", self.profile)) if self.at(*SIGNING_IN) else None

    def demanded(self):
        if not self.at("profile"):
            return None
        self.standing = self.screen
        return DEMAND

    def log_out(self):
        if not self.at("profile"):
            return None
        self.before = self.screen
        return Screen("logout warning")

    def turn_back(self):
        if self.at("demand"):
            return self.settled(self.standing)
        return self.before if self.at("logout warning") else super().turn_back()

    def confirm(self):
        return self.errand("unlink", LOGIN) if self.at("logout warning") else None

    def session_ended(self):
        return self.settled(LOGIN) if self.at("profile", "logout warning") or self.for_more() else None

    def key_gone(self):
        return None if self.at("key gone") else self.settled(Screen("key gone"))

    def begin_anew(self):
        return self.errand("install", LOGIN) if self.at("key gone") else None

    def logout_pending(self):
        if self.at("login") and not self.screen.failed:
            return replace(self.screen, pending=True)
        return self.screen if self.at("login", "step", "key gone", *SIGNING_IN) else None

    def logout_confirmed(self):
        if self.at("login"):
            return replace(self.screen, pending=False)
        return self.screen if self.at("step", "key gone", *SIGNING_IN) else None


@dataclass
class AuthorizationMode(Mode):
    """The app opened by the request of another one, which wants services that can serve it."""
    single: bool
    signed: bool
    services: tuple
    step_waits: bool = False
    browser: str | None = None
    hidden: list = field(default_factory=list)
    granted: list | None = None
    has_lost_picks: bool = False

    def __post_init__(self):
        super().__init__(SEARCHING if self.signed else None, self.step_waits, self.browser)

    def clause(self, words):
        is_action = words in ACTIONS or words.partition(" ")[0] in WITH_SERVICE
        return "UX-2" if is_action and (self.at("finished") or words not in ENTERING) else "UX-3"

    def signed_in(self):
        if not self.at(*SIGNING_IN):
            return None
        if self.standing is not None:
            return self.errand({"finish": self.standing}, self.settled(FINISHED))
        return self.errand("search", SEARCHING)

    def demanded(self):
        if not self.at("finished") or self.granted is None:
            return None
        self.standing = self.granted
        return DEMAND

    def go_without(self):
        if not self.for_more():
            return None
        self.granted = None
        return self.errand("hand over", self.settled(FINISHED))

    def session_ended(self):
        return LOGIN if self.at("searching", "selection") else self.go_without()

    def known(self):
        if not self.at("searching"):
            return None
        return Screen("selection", candidates=self.services, seeking=True) if self.services else self.screen

    def found(self):
        if not (self.at("searching") or self.at("selection") and self.screen.seeking):
            return None
        standing = tuple(url for url in self.screen.candidates if url in self.services)
        news = tuple(url for url in self.services if url not in standing and url not in self.hidden)
        picked = tuple(url for url in self.screen.picked if url in self.services)
        # What was picked, and is gone, does not turn into everything.
        self.has_lost_picks = bool(self.screen.picked) and not picked
        return replace(self.screen, name="selection", candidates=standing + news, picked=picked, seeking=False)

    def pick(self, url):
        if not self.at("selection") or url not in self.screen.candidates or url in self.screen.picked:
            return None
        self.has_lost_picks = False
        return replace(self.screen, picked=(url,) if self.single else (*self.screen.picked, url))

    def unpick(self, url):
        if not self.at("selection") or url not in self.screen.picked:
            return None
        return replace(self.screen, picked=without(url, self.screen.picked))

    def hide(self, url):
        if not self.at("selection") or url not in self.screen.candidates:
            return None
        self.hidden.append(url)
        candidates, picked = without(url, self.screen.candidates), without(url, self.screen.picked)
        return self.errand({"hide": url}, replace(self.screen, candidates=candidates, picked=picked))

    def accept(self):
        if not self.at("selection") or not self.screen.candidates or self.single and len(self.screen.picked) != 1:
            return None
        if self.has_lost_picks:
            return None
        self.granted = [url for url in self.screen.candidates if url in self.screen.picked or not self.screen.picked]
        return self.errand({"finish": self.granted}, FINISHED)

    def key_gone(self):
        return self.go_without() or self.reject()

    def reject(self):
        return None if self.at("finished") or self.for_more() else self.errand("finish: nothing", FINISHED)


def without(url, others):
    return tuple(other for other in others if other != url)


def mode_answer(given):
    waits = given.get("step_wanted", False), given.get("browser")
    if "request" in given:
        request = protocol_requests.read(given["request"])
        mode = AuthorizationMode(request.single, given.get("signed_in", False), tuple(given.get("candidates", ())),
                                 *waits)
    else:
        mode = OwnMode(given.get("signed_in"), given.get("profile"), *waits, given.get("demanded", False))
    screens, refusal = [mode.screen.shown()], {}
    for words in given["steps"]:
        try:
            mode.step(words)
        except Flaw as flaw:
            refusal = {"refusal": {"clause": flaw.clause}}
            break
        screens.append(mode.screen.shown())
    return {"screens": screens, "errands": mode.errands} | refusal
