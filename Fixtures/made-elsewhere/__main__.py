"""Signatures, tokens and key documents that nothing in this package can make: by a private RSA key, or with one rule broken on purpose.

    python3 Fixtures/made-elsewhere Sources/VectorCatalogue/Situations/Modules

writes the Swift files with these situations. Only the standard library is used, and keys, nonces and salts follow from SHA-256 of their
names, so the same files come out again. What each row has to give stands beside how it was made; `.ci/check-vectors` asks others about it.
"""

import json
import sys
from pathlib import Path

import documents
import signatures
import tokens

WIDTH = 116


def wrapped(text):
    """A text in lines, of which each but the last goes on in the next one."""
    return "\\#\n        ".join(text[start:start + WIDTH - 10] for start in range(0, len(text), WIDTH - 10))


def swift(name, rows):
    texts = ",\n        ".join(wrapped(json.dumps(row, ensure_ascii=False, separators=(",", ":"))) for row in rows)
    return (f"// Written by Fixtures/made-elsewhere, and never by hand.\n\nextension MadeElsewhere {{\n"
            f"    static let {name} = #\"\"\"\n        [{texts}]\n        \"\"\"#\n}}\n")


def main(folder):
    modulus = wrapped(signatures.KEY.modulus.hex())
    for module in (signatures, documents, tokens):
        for title, _, rows in module.sections():
            text = swift(title[0].lower() + title[1:], rows)
            if title == "RSA":
                text = text.replace("    static let rSA", "    static let rsa").replace(
                    "extension MadeElsewhere {\n",
                    f"extension MadeElsewhere {{\n    static let modulus = #\"\"\"\n        {modulus}\n        \"\"\"#\n\n")
            Path(folder, f"MadeElsewhere+{title}.swift").write_text(text, encoding="utf-8")


main(sys.argv[1])
