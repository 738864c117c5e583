"""A self-test: corrupts what vectors expect in single ways, and counts how much of that is noticed."""

import collections
import itertools
import random
import re

from .check import attempt, first_difference, vectors
from .edits import Editor, signers_in
from .json_text import same
from .meaning import OWN_AFFAIRS, REDUCED, meaning, other_chance, random_parts

EQUAL, OWN = "equal as JSON", "what a party changes in its store is its own affair"
# Corruptions of what is JSON by itself, and not a text with JSON in it.
MEANINGLESS = ("members in another order", "number in another form")
COMPARISONS = ("by bytes", "by meaning")


def corruptions(vector, seed, number):
    """Some single changes of what a vector expects, of as many kinds as there are."""
    editor = Editor(signers_in(vector["given"]), f"{seed} {vector['id']}")
    kinds = collections.defaultdict(list)
    for label, path, changed in editor.edits(vector["expect"]):
        kinds[label].append((label, path, changed))
    chance = random.Random(f"{seed} {vector['id']}")
    for label in sorted(kinds):
        chance.shuffle(kinds[label])
    rows = [kinds[label] for label in chance.sample(sorted(kinds), len(kinds))]
    rounds = itertools.chain.from_iterable(itertools.zip_longest(*rows))
    return [*itertools.islice((edit for edit in rounds if edit), number)]


def reason(path, found, changed, random_ones):
    """Why a comparison by meaning does not notice a change."""
    part = re.match(r"\.?(\w*)", path)[1]
    if same(found, changed):
        return EQUAL
    if part in OWN_AFFAIRS:
        return OWN
    return REDUCED if part in random_ones else EQUAL


class Tally:
    """How many corruptions were noticed, by kinds of vectors and by kinds of corruptions, and why others were not."""

    def __init__(self):
        self.by_kind, self.by_label = (collections.defaultdict(lambda: [0, 0, 0, 0]) for _ in range(2))
        self.missed = {name: collections.defaultdict(list) for name in COMPARISONS}
        self.left_out = []

    def note(self, vector, label, path, noticed, is_equal, why):
        for row in (self.by_kind[vector["kind"]], self.by_label[label]):
            row[0] += 1
            row[1] += is_equal
            for place, name in enumerate(COMPARISONS):
                row[place + 2] += noticed[name]
        for name in COMPARISONS:
            if not noticed[name]:
                self.missed[name][label, why if name == "by meaning" else EQUAL].append(f"{vector['id']} {path}")

    def unexplained(self):
        """The corruptions that a comparison by bytes should have noticed."""
        return [case for (label, _), cases in self.missed["by bytes"].items() for case in cases
                if not label.endswith(MEANINGLESS)]

    def sums(self):
        return [sum(column) for column in zip(*self.by_kind.values())]


def corrupt(vector, answer, seed, number, tally):
    """Notes what is noticed of the corruptions of one vector."""
    found = attempt(answer, vector)
    if first_difference(found, vector["expect"]):
        tally.left_out.append(vector["id"])
        return
    other = other_chance(vector["given"])
    otherwise = attempt(answer, {**vector, "given": other}) if other else None
    random_ones = random_parts(found, otherwise)
    meant = meaning(found, random_ones)
    for label, path, changed in corruptions(vector, seed, number):
        noticed = {
            "by bytes": first_difference(found, changed) is not None,
            "by meaning": not isinstance(changed, dict) or not same(meant, meaning(changed, random_ones)),
        }
        tally.note(vector, label, path, noticed, same(found, changed), reason(path, found, changed, random_ones))


def corrupted(folder, answer, seed, number):
    """What is noticed of corruptions of all accepted vectors."""
    tally = Tally()
    for _, vector in vectors(folder):
        if "refusal" not in vector["expect"]:
            corrupt(vector, answer, seed, number, tally)
    return tally


def self_test(folder, answer, seed, number):
    """Prints how much is noticed; whether a comparison by bytes notices all that is not equal as JSON."""
    tally = corrupted(folder, answer, seed, number)
    print_table("kind of vector", tally.by_kind)
    print_table("corruption", tally.by_label)
    for name in COMPARISONS:
        print_missed(name, tally.missed[name])
    print_sum(tally, seed, number)
    return not tally.unexplained() and not tally.left_out


def print_table(title, rows):
    """Noticed of all that are not equal as JSON, and how many are."""
    width = max(map(len, [title, *rows]))
    print(f"{title:{width}}  {'by bytes':13}{'by meaning':13}equal as JSON")
    for name in sorted(rows):
        number, equal, *noticed = rows[name]
        shares = "".join(f"{f'{count}/{number - equal}':13}" for count in noticed)
        print(f"{name:{width}}  {shares}{equal or ''}".rstrip())
    print()


def print_missed(name, missed):
    print(f"Not noticed {name}:")
    for (label, why), cases in sorted(missed.items()):
        print(f"{len(cases):7} {label}: {why} (such as {cases[0]})")
    print()


def print_sum(tally, seed, number):
    total, equal, by_bytes, by_meaning = tally.sums()
    print(f"Seed {seed}, at most {number} corruptions of each vector: {total} corruptions,",
          f"{equal} of them equal as JSON; noticed {by_bytes} by bytes, {by_meaning} by meaning")
    if tally.left_out:
        print(f"{len(tally.left_out)} vectors left out whose answer is another one:", ", ".join(tally.left_out[:20]))
    for case in tally.unexplained():
        print("UNEXPLAINED", case)
