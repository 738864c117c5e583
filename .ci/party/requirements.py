"""Which requirements are shown by which vectors."""

import os

from .check import vectors


def names_in(folder):
    """The names of all requirements, where their table stands beside the folder."""
    path = os.path.join(folder, "..", "requirements.tsv")
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return [line.partition("\t")[0] for line in file][1:]


def shown(folder):
    """How many accepted and how many refused vectors show each requirement, threat or clause."""
    table = {}
    for _, vector in vectors(folder):
        for name in vector["proves"]:
            table.setdefault(name, [0, 0])["refusal" in vector["expect"]] += 1
    return table


def print_requirements(folder):
    table = shown(folder)
    print("Requirement → vectors (accepted + refused):")
    print(" ".join("{}:{}+{}".format(name, *table.get(name, [0, 0])) for name in names_in(folder) or sorted(table)))
