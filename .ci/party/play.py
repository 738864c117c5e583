"""Plays the journeys live between two implementations, message by message, out of what the parties say.

What people do and which parties there are comes from the vectors of a chapter, and so does what is compared in the end.
"""

import contextlib
import copy
import hashlib
import itertools
import json
import shlex
import subprocess
from dataclasses import dataclass
from urllib.parse import urlsplit

from . import json_text
from .check import first_difference, shown, vectors

CHAPTER = "journeys"
EDU_ID, SERVICE, APP, READER = ROLES = ("edu-ID service", "services", "edu-ID app", "third-party app")
ROLES_OF_PARTIES = {"edu-id": EDU_ID, "service": SERVICE}
SHORTEST_NAME = 16


class Difference(Exception):
    """Something came of a step that does not come of it in the file."""


def demand_same(what, found, expected):
    difference = first_difference(found, expected)
    if difference:
        path, one, other = difference
        raise Difference(f"{what}{path}: expected {shown(other)}, found {shown(one)}")


# Implementations

class Ours:
    """This package."""

    def __init__(self, respond):
        self.respond = respond

    def answer(self, kind, given):
        return read_line(json_text.compact_json(self.respond(kind, copy.deepcopy(given))))


class Theirs:
    """A command that answers lines."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            [*shlex.split(command), "vector"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def answer(self, kind, given):
        line = json_text.compact_json({"id": f"{CHAPTER}/live", "kind": kind, "given": given})
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Difference("the other implementation has ended") from None
        answered = self.process.stdout.readline()
        if not answered:
            raise Difference(f"no answer to a line of the kind '{kind}'")
        return read_line(answered)

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


def read_line(line):
    return json.loads(line, parse_float=json_text.Number)


def assignments(ours, theirs):
    """Who plays which role: one role alone on either side, and all on one side."""
    for one, others, words in ((ours, theirs, "ours"), (theirs, ours, "theirs")):
        yield f"all {words}", dict.fromkeys(ROLES, one)
        for role in ROLES:
            yield f"{role} {words}", dict.fromkeys(ROLES, others) | {role: one}


# What stands in the file

@dataclass(frozen=True)
class Moment:
    """A vector of a journey; of a delivery also the exchange that it leads to."""
    vector: dict
    told: dict | None = None
    # Whether it is a request that the third-party app has made.
    is_reader: bool = False

    @property
    def is_asked_by_app(self):
        return self.vector["kind"] == "exchange" and not self.is_reader


class Journey:
    """The vectors of a journey: first the metadata, then what is said, in the end what the phone does."""

    def __init__(self, name, parts):
        self.name, self.metadata, self.conversation = name, parts[0], parts[-1]
        self.moments = [*moments(parts[1:-1])]
        given = [part["given"] for part in parts[:-1]]
        self.parties = {home(one["party"]): one["party"] for one in given if "party" in one}


def moments(parts):
    told, made = None, []
    for part, following in itertools.zip_longest(parts, parts[1:]):
        is_reader = part["given"].get("request") in made
        made = requests(part["expect"]["results"]) if part["kind"] == "protocol-response" else []
        if told:
            yield Moment(part, told)
            told = None
        elif following and following["kind"] == "delivery" and is_message(part, following):
            told = part
        else:
            yield Moment(part, is_reader=is_reader)


def requests(results):
    """The requests that a third-party app makes of a response."""
    flat = itertools.chain.from_iterable(one if isinstance(one, list) else [one] for one in results)
    return [one for one in flat if isinstance(one, dict) and "url" in one]


def is_message(exchange, delivery):
    sent, came = delivery["expect"]["request"], exchange["given"]["request"]
    return (sent["url"], sent["body"]) == (came["url"], came["body"])


def home(party):
    return urlsplit(party["issuer"]).netloc


def journeys(folder):
    parts = (vector for chapter, vector in vectors(folder) if chapter == CHAPTER)
    for name, group in itertools.groupby(parts, lambda vector: vector["id"].rpartition("-")[0]):
        yield Journey(name, [*group])


# Live

class Stores:
    """What the parties of a performance keep, beside what they keep in the file."""

    def __init__(self):
        self.batches, self.noted, self.names = {}, {}, {}

    def before(self, host, vector):
        """The batches of a party; those that the file shows and nobody made are taken over."""
        batches, noted = self.batches.setdefault(host, []), self.noted.setdefault(host, [])
        for batch in vector["given"]["store"]:
            if not any(json_text.same(batch, other) for other in noted):
                noted.append(batch)
                batches.append(self.renamed(batch))
        return list(batches)

    def renamed(self, batch):
        """A batch of the file, with the names that things have here."""
        text = json_text.compact_json(batch)
        for name, other in self.names.items():
            text = text.replace(name, other)
        return read_line(text)

    def note(self, host, at, changes, in_file):
        """Changes that were made, and those in their place in the file."""
        for known, made in ((self.batches, changes), (self.noted, in_file)):
            if made:
                known.setdefault(host, []).append({"at": at, "changes": made})
        self.names |= other_names(in_file, changes)


def other_names(in_file, here):
    """The names of the file for which others stand here."""
    if isinstance(in_file, dict) and isinstance(here, dict):
        pairs = [(in_file[name], here[name]) for name in in_file.keys() & here.keys()]
    elif isinstance(in_file, list) and isinstance(here, list):
        pairs = zip(in_file, here)
    else:
        is_name = isinstance(in_file, str) and isinstance(here, str) and len(in_file) >= SHORTEST_NAME
        return {in_file: here} if is_name and in_file != here else {}
    return {name: other for pair in pairs for name, other in other_names(*pair).items()}


class Performance:
    """A journey, performed by whoever plays its roles."""

    def __init__(self, journey, players):
        self.journey, self.players = journey, players
        self.stores, self.moments, self.numbers = Stores(), list(journey.moments), itertools.count()
        # The edu-ID app: its party, its steps, and what the last one led to.
        self.party, self.steps, self.found = None, [], None
        # The third-party app: its request, the response to it, and the token that it made.
        self.request = self.response = self.token = None
        self.requests = []

    def play(self):
        given, expected = self.journey.conversation["given"], self.journey.conversation["expect"]
        metadata = self.exchange(self.journey.metadata, self.journey.metadata["given"]["request"])
        self.party = given["party"] | {"edu_id": json_text.read_json(metadata["body"])}
        for step, wanted in zip(given["steps"], expected["steps"], strict=True):
            self.step(step)
            self.compare(f"step {len(self.steps)}", self.found["steps"][-1], wanted)
        self.play_others()
        if self.moments:
            raise Difference(f"{self.moments[0].vector['id']} does not happen")
        demand_same("rows", self.found["rows"], expected["rows"])

    # The edu-ID app

    def step(self, step):
        """What the app does after a step of the person, or after the answer to its request."""
        if "do" in step:
            self.play_others()
            self.request = step.get("request", self.request)
            self.steps.append(step)
        else:
            answer = self.answered(self.found["steps"][-1]["request"])
            self.steps.append({"answer": step["answer"] and dated(answer, step["answer"]), "now": step["now"]})
        self.found = self.players[APP].answer("conversation", {"party": self.party, "steps": self.steps})
        if "steps" not in self.found:
            raise Difference(f"the edu-ID app: {shown(self.found)}")

    def answered(self, request):
        if not self.moments or not self.moments[0].is_asked_by_app:
            raise Difference(f"a request that the file does not have: {request['url']}")
        return self.exchange(self.moments.pop(0).vector, request)

    def compare(self, what, found, wanted):
        """A request goes to the same place, an end has the same value, without regard to tokens in it."""
        if "request" in wanted and "request" in found:
            found, wanted = ({name: step["request"][name] for name in ("method", "url")} for step in (found, wanted))
        if isinstance(found.get("done"), list) and any(isinstance(one, dict) for one in found["done"]):
            self.response = json_text.compact_json(found["done"])
        demand_same(what, without_tokens(found), without_tokens(wanted))

    # The others

    def exchange(self, vector, request):
        """A request to whoever plays the party of its host, at the place of a vector of the file."""
        host, wanted = urlsplit(request["url"]).netloc, vector["expect"]
        given = self.situation(host, vector) | {"request": request}
        found = self.with_questions(host, given)
        if "response" not in found:
            raise Difference(f"{vector['id']}: {shown(found)}")
        demand_same(f"{vector['id']} status", found["response"]["status"], wanted["response"]["status"])
        demand_same(f"{vector['id']} error", error_of(found), error_of(wanted))
        self.stores.note(host, given["now"], found["changes"], wanted["changes"])
        return found["response"]

    def situation(self, host, vector):
        if host not in self.journey.parties:
            raise Difference(f"a request to {host}, where nobody is")
        # Parties change while a journey goes on; each message of the file has its party as it was then.
        party = vector["given"]["party"]
        party = party if home(party) == host else self.journey.parties[host]
        return {"party": party, "store": self.stores.before(host, vector),
                "now": vector["given"]["now"], "entropy": vector["given"]["entropy"]}

    def player(self, host):
        return self.players[ROLES_OF_PARTIES[self.journey.parties[host]["role"]]]

    def with_questions(self, host, given):
        """What a party answers, after it was answered what it asks of another one."""
        found = self.player(host).answer("exchange", given)
        if not found.get("questions"):
            return found
        answer = self.question(found["questions"][0], given["now"])
        return self.player(host).answer("exchange", given | {"answer": answer})

    def question(self, request, now):
        """What another party answers a question that has no place in the file."""
        host = urlsplit(request["url"]).netloc
        name = f"{self.journey.name} question {next(self.numbers)}"
        entropy = hashlib.sha256(name.encode()).hexdigest()
        found = self.player(host).answer("exchange", {
            "party": self.journey.parties[host], "store": self.stores.batches.get(host, []), "now": now,
            "entropy": entropy, "request": request})
        self.stores.note(host, now, found["changes"], [])
        return found["response"]

    def play_others(self):
        """What happens while the edu-ID app waits for the person."""
        while self.moments and not self.moments[0].is_asked_by_app:
            moment = self.moments.pop(0)
            play = {"delivery": self.delivery, "protocol-response": self.reading, "access": self.access,
                    "exchange": self.asking}
            play[moment.vector["kind"]](moment)

    def delivery(self, moment):
        """The edu-ID service tells a service what has ended."""
        vector, host = moment.vector, home(moment.vector["given"]["party"])
        given = self.situation(host, vector)
        sent = self.delivered(given | {"answer": None}, vector)
        answer = self.exchange(moment.told, sent["request"])
        found = self.delivered(given | {"answer": answer}, vector)
        demand_same(f"{vector['id']} request", found["request"], sent["request"])
        self.stores.note(host, given["now"], [found["attempt"]], [vector["expect"]["attempt"]])
        demand_same(f"{vector['id']} changes", [change["do"] for change in found["changes"]],
                    [change["do"] for change in vector["expect"]["changes"]])
        self.stores.note(host, given["now"], found["changes"], vector["expect"]["changes"])

    def delivered(self, given, vector):
        found = self.players[EDU_ID].answer("delivery", given)
        if "request" not in found:
            raise Difference(f"{vector['id']}: {shown(found)}")
        demand_same(f"{vector['id']} url", found["request"]["url"], vector["expect"]["request"]["url"])
        return found

    def reading(self, moment):
        """The third-party app reads the response of the edu-ID app, and makes a token for its request."""
        vector = moment.vector
        given = vector["given"] | {"request": self.request, "answer": self.response}
        found = self.players[READER].answer("protocol-response", given)
        demand_same(vector["id"], without_texts(found), without_texts(vector["expect"]))
        texts = [result for result in found["results"] if isinstance(result, str)]
        self.token, self.requests = texts[-1] if texts else None, requests(found["results"])

    def asking(self, moment):
        """The third-party app sends the request that it has made."""
        self.exchange(moment.vector, self.requests[0])

    def access(self, moment):
        """The third-party app asks a service with its token."""
        vector = moment.vector
        request = copy.deepcopy(vector["given"]["request"])
        request["headers"]["Authorization"] = f"Bearer {self.token}"
        host = urlsplit(request["url"]).netloc
        given = self.situation(host, vector) | {"request": request}
        found, wanted = self.player(host).answer("access", given), vector["expect"]
        demand_same(f"{vector['id']} granted", "granted" in found, "granted" in wanted)
        statuses = [answer.get("response", {}).get("status") for answer in (found, wanted)]
        demand_same(f"{vector['id']} status", *statuses)
        self.stores.note(host, given["now"], found["changes"], wanted["changes"])


def dated(answer, in_file):
    """An answer with the time that the server in front of the party adds, as in the file."""
    dates = {name: value for name, value in in_file["headers"].items() if name == "Date"}
    return answer | {"headers": answer["headers"] | dates}


def without_tokens(step):
    if not isinstance(step.get("done"), list):
        return step
    return {"done": [one | {"authorization": sorted(one["authorization"])} if isinstance(one, dict) else one
                     for one in step["done"]]}


def without_texts(found):
    """What an app made of a response; of signed results only that there are some, of requests where they go."""
    return found | {"results": [without_text(result) for result in found.get("results", [])]}


def without_text(result):
    if isinstance(result, list):
        return [without_text(one) for one in result]
    if isinstance(result, dict) and "url" in result:
        return {"method": result["method"], "url": result["url"]}
    return "text" if isinstance(result, str) else result


def error_of(found):
    return found.get("refusal", {}).get("error")


def outcome(journey, players):
    """What differs, or nothing."""
    try:
        return Performance(journey, players).play()
    except Difference as difference:
        return str(difference)
    except (KeyError, TypeError, ValueError, AttributeError) as error:  # An answer of another shape.
        return f"{type(error).__name__}: {error}"


def play(folder, respond, command):
    """Plays each journey in each assignment of roles, and prints how it went; whether all went as in the file."""
    theirs = Theirs(command)
    try:
        plays = [(journey, *assignment) for journey in journeys(folder)
                 for assignment in assignments(Ours(respond), theirs)]
        failures = 0
        for journey, words, players in plays:
            difference = outcome(journey, players)
            failures += difference is not None
            print(f"{journey.name:18} {words:24} {difference or 'as in the file'}", flush=True)
    finally:
        theirs.close()
    print(f"{len(plays) - failures} of {len(plays)} performances as in the file")
    return not failures
