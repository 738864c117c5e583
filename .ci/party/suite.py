"""All that can be asked of a folder of vectors: bytes, libraries, schema, corruptions, changes of what is given."""

from .check import differences
from .corruption import corrupted
from .given_edits import check_edits
from .libraries import check_libraries
from .requirements import print_requirements

# The share of the corruptions that has to be noticed by bytes, of those that are not equal as JSON.
LEAST = 0.98


def by_bytes(folder, answer):
    number, differing = differences(folder, answer)
    return f"{number - len(differing)} of {number} vectors are answered byte for byte", differing + nothing(number)


def by_libraries(folder, answer):
    counts, wrong = check_libraries(folder, answer)
    return "libraries agree: " + ", ".join(f"{number} {what}" for what, number in counts.items()), wrong


def by_corruptions(folder, answer, seed, number):
    tally = corrupted(folder, answer, seed, number)
    total, equal, noticed, by_meaning = tally.sums() or [0] * 4
    # Vectors with another answer are left out; that it is another one is told by their bytes.
    words = (f"{noticed} of {total - equal} corruptions are noticed by bytes, {by_meaning} by meaning "
             f"({equal} more are equal as JSON)")
    few = noticed < LEAST * (total - equal)
    return words, (tally.unexplained() if few else []) + nothing(total - equal)


def by_edits(folder, answer):
    number, missed = check_edits(folder, answer)
    return f"{number - len(missed)} of {number} changes of what is given are noticed", missed + nothing(number)


def nothing(number):
    return [] if number else ["nothing was checked"]


def run(folder, answer, seed, number):
    """Prints what is wrong and a summary; whether nothing is wrong."""
    findings = [
        by_bytes(folder, answer), by_libraries(folder, answer), by_corruptions(folder, answer, seed, number),
        by_edits(folder, answer),
    ]
    print_requirements(folder)
    for words, wrong in findings:
        for line in wrong:
            print("WRONG", line)
    for words, wrong in findings:
        print("ok:" if not wrong else "FAILED:", words)
    return not any(wrong for _, wrong in findings)
