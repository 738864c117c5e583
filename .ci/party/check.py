"""Compares answers with what vectors expect."""

import collections
import json
import os
import time
import traceback

from . import json_text


def vectors(folder):
    """All vectors of a folder with their chapters, parties and batches in the place of their numbers."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "vectors.json")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                content = json.load(file, parse_float=json_text.Number)
            for vector in content["vectors"]:
                yield content["chapter"], {**vector, "given": whole(vector["given"], content)}


def whole(given, content):
    shared = {
        "party": lambda place: content["parties"][place],
        "store": lambda places: [content["batches"][place] for place in places],
    }
    return {name: shared[name](value) if name in shared else value for name, value in given.items()}


def first_difference(found, expected, path=""):
    """The path of the first difference, with what was found and what was expected there, or nothing."""
    if isinstance(found, dict) and isinstance(expected, dict):
        names = [*expected, *(name for name in found if name not in expected)]
        pairs = ((f"{path}.{name}", found.get(name, ...), expected.get(name, ...)) for name in names)
    elif isinstance(found, list) and isinstance(expected, list):
        longest = range(max(len(found), len(expected)))
        pairs = ((f"{path}[{n}]", (found[n:n + 1] or [...])[0], (expected[n:n + 1] or [...])[0]) for n in longest)
    elif found is ... or expected is ... or not json_text.same(found, expected):
        return path, found, expected
    else:
        return None
    return next(filter(None, (first_difference(one, other, place) for place, one, other in pairs)), None)


def shown(value):
    return "nothing" if value is ... else json_text.compact_json(value)[:200]


def attempt(answer, vector):
    """The answer to a vector, or what went wrong inside."""
    try:
        return answer(vector["kind"], vector["given"])
    except Exception as error:  # Whatever breaks is a difference like any other.
        place = traceback.extract_tb(error.__traceback__)[-1]
        return {"error": f"{type(error).__name__}: {error} in {os.path.basename(place.filename)}:{place.lineno}"}


def difference_line(found, vector):
    """What an answer first differs in from what its vector expects, in words, or nothing."""
    difference = first_difference(found, vector["expect"])
    if difference is None:
        return None
    path, one, other = ("", found["error"], ...) if "error" in found else difference
    return f"{vector['id']} {path or '.'}: expected {shown(other)}, found {shown(one)}"


def differences(folder, answer):
    """How many vectors there are, and what the answers differ in."""
    lines = [difference_line(attempt(answer, vector), vector) for _, vector in vectors(folder)]
    return len(lines), [*filter(None, lines)]


def is_wanted(chapter, vector, options):
    wanted = ((options.chapter, chapter), (options.kind, vector["kind"]), (options.show, vector["id"]))
    return all(wish in (None, value) for wish, value in wanted)


def check(folder, answer, options):
    """Prints what differs, and how much is equal; whether all is."""
    counts, start = collections.defaultdict(lambda: [0, 0]), time.monotonic()
    for chapter, vector in vectors(folder):
        if not is_wanted(chapter, vector, options):
            continue
        found = attempt(answer, vector)
        if options.show:
            print(json.dumps({"vector": vector, "found": found}, indent=1, ensure_ascii=False, default=str))
        line = difference_line(found, vector)
        for count in (counts[chapter, vector["kind"]], counts["all", vector["kind"]]):
            count[0], count[1] = count[0] + (line is None), count[1] + 1
        if line:
            print(line)
    print_table(counts, time.monotonic() - start)
    return all(equal == number for equal, number in counts.values())


def print_table(counts, seconds):
    for (chapter, kind), (equal, number) in counts.items():
        if chapter != "all":
            print(f"{chapter:14} {kind:18} {equal:4}/{number}")
    for (chapter, kind), (equal, number) in counts.items():
        if chapter == "all":
            print(f"{'all':14} {kind:18} {equal:4}/{number}")
    totals = [count for (chapter, _), count in counts.items() if chapter == "all"]
    print(f"{sum(equal for equal, _ in totals)} of {sum(number for _, number in totals)} equal in {seconds:.1f} s")
