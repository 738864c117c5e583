"""The kind `conversation`: what a person does, and what the app asks (Fixtures/protocol/app-requests.md)."""

from .instance import Instance
from .instance_answer import answer_app
from .instance_discovery import discovery_by_urls, launch
from .instance_endings import sign_out, tell_endings, tell_sessions, unlink
from .instance_entry import registration, sign_in
from .instance_introduction import authorization
from .instance_steps import STEPS, make_step
from .instance_store import sorted_by_bytes
from .refusals import Refusal


def discover(app, step):
    return sorted_by_bytes((yield from discovery_by_urls(app, step["services"])))


def enter(app, step):
    yield from tell_sessions(app)
    return (yield from sign_in(app, step["user"], step["password"]))


def answer_step(app, step):
    if "otp" in step:
        return (yield from make_step(app, STEPS, "otp", step["otp"]))
    return (yield from make_step(app, step["step"], "step_response", step["step_response"]))


INTERACTIONS = {
    "register": lambda app, step: registration(app),
    "sign_in": enter,
    "step": answer_step,
    "launch": lambda app, step: launch(app),
    "discover": discover,
    "authorize": lambda app, step: authorization(app, step["service"]),
    "unlink": lambda app, step: unlink(app, step["service"]),
    "sign_out": lambda app, step: sign_out(app),
    "endings": lambda app, step: tell_endings(app),
}


def performed(app, step):
    """What the person does, as one generator of requests."""
    if step["do"] == "answer":
        return answer_app(app, step)
    return app.interaction(step["entropy"], 0, INTERACTIONS[step["do"]](app, step))


class Conversation:
    """An instance, and what it does at the moment."""

    def __init__(self, party):
        self.app, self.running = Instance(party), None

    def play(self, step):
        """What a step leads to: a request, the end, or a refusal."""
        self.app.now = step["now"]
        if "do" in step:
            self.running = performed(self.app, step)
        try:
            return {"request": self.running.send(step.get("answer"))}
        except StopIteration as end:
            return {"done": end.value}
        except Refusal as refusal:
            error = {"error": refusal.error} if refusal.error else {}
            return {"refusal": {"clause": refusal.clause} | error}


def conversation_answer(given):
    conversation = Conversation(given["party"])
    return {"steps": [conversation.play(step) for step in given["steps"]], "rows": conversation.app.store.rows()}
