"""Signatures by a holder whose key is of RSA, and by a stranger, which nothing in this package can make.

    python3 Fixtures/made-elsewhere/story.py

signs the messages in `story.json` again, with RS256. A test that has another message says which it is: it is put there with an empty
signature, and what no test signs any longer is taken out. Keys follow from the names of their holders.
"""

import json
from pathlib import Path

from arithmetic import RSA, b64url

PATH = Path(__file__).with_name("story.json")


def written(name, signatures):
    pair = RSA(f"holder {name}")
    key = {"kty": "RSA", "n": b64url(pair.modulus), "e": b64url(pair.exponent), "alg": "RS256"}
    return {"key": key, "signatures": {text: b64url(pair.pkcs1(text.encode())) for text in signatures}}


holders = json.loads(PATH.read_text(encoding="utf-8"))
text = json.dumps({name: written(name, holder["signatures"]) for name, holder in holders.items()}, indent=1)
PATH.write_text(text + "\n", encoding="utf-8")
