"""Answers conformance vectors line by line, or compares the answers with what vectors expect.

python -m party vector                      a JSON object a line in, one out
python -m party --check FOLDER [--chapter X] [--kind K] [--show ID]
python -m party --corrupt FOLDER [--seed N] [--per-vector K]
python -m party --all FOLDER                everything, and what other people's libraries say
python -m party --play FOLDER --with COMMAND  the journeys, live between this and another implementation
"""

import argparse
import importlib
import json
import sys

from . import json_text
from .check import check
from .corruption import self_test
from .refusals import Refusal

# What answers each kind, where it has no place in the ANSWERS of a module.
MODULES = ("formats", "jose", "key_documents", "descriptions", "device")
FUNCTIONS = {
    "tree": "changes.play", "message": "reading.answer_message", "reply": "replies.answer_reply",
    "exchange": "exchange.answer_exchange",
    "access": "exchange.answer_access", "delivery": "exchange.answer_delivery",
    "conversation": "conversation.conversation_answer", "crawl": "crawl.crawl_answer",
}


def module(name):
    """A module of this package, or nothing as long as nobody has written it."""
    try:
        return importlib.import_module(f".{name}", __package__)
    except ModuleNotFoundError as error:
        if not error.name.startswith(__package__):
            raise
        return None


def answerers():
    """What answers each kind of vectors."""
    answers = {}
    for name in MODULES:
        answers |= getattr(module(name), "ANSWERS", {})
    for kind, (home, name) in ((kind, place.split(".")) for kind, place in FUNCTIONS.items()):
        if hasattr(module(home), name):
            answers[kind] = getattr(module(home), name)
    return answers


def answer(answers, kind, given):
    """What a party answers to what is given."""
    if kind not in answers:
        return {"unsupported": True}
    try:
        return answers[kind](given)
    except Refusal as refusal:
        return {"refusal": ({"error": refusal.error} if refusal.error else {}) | {"clause": refusal.clause}}


def answered_line(answers, line):
    """The line that answers one; what cannot be answered must not end the conversation."""
    try:
        question = json.loads(line, parse_float=json_text.Number)
        return json_text.compact_json(answer(answers, question["kind"], question["given"])).encode()
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"}).encode()


def answer_lines(answers):
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(answered_line(answers, line) + b"\n")
        sys.stdout.buffer.flush()


def main():
    parser = argparse.ArgumentParser(prog="python -m party")
    parser.add_argument("command", nargs="?", choices=["vector"])
    parser.add_argument("--check", metavar="FOLDER")
    parser.add_argument("--chapter")
    parser.add_argument("--kind")
    parser.add_argument("--show", metavar="ID")
    parser.add_argument("--corrupt", metavar="FOLDER")
    parser.add_argument("--all", metavar="FOLDER")
    parser.add_argument("--play", metavar="FOLDER")
    parser.add_argument("--with", dest="other", metavar="COMMAND")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-vector", type=int, default=16)
    options = parser.parse_args()
    answers = answerers()

    def respond(kind, given):
        return answer(answers, kind, given)

    if options.check:
        sys.exit(0 if check(options.check, respond, options) else 1)
    if options.corrupt:
        sys.exit(0 if self_test(options.corrupt, respond, options.seed, options.per_vector) else 1)
    if options.all:
        # The libraries that this needs are not needed to answer.
        sys.exit(0 if module("suite").run(options.all, respond, options.seed, options.per_vector) else 1)
    if options.play:
        if not options.other:
            parser.error("--play needs --with COMMAND")
        sys.exit(0 if module("play").play(options.play, respond, options.other) else 1)
    answer_lines(answers)


if __name__ == "__main__":
    main()
