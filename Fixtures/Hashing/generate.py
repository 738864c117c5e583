"""Checks the hashing fixtures that were written from the standards, and writes the others beside this file.

Expected values come from Python's hashlib and hmac (OpenSSL), except where a message would be longer than any machine can hold: those come
from the plain transcription of FIPS 180-4 below, which takes the length of the message as an argument and is checked against hashlib first.
Everything is determined, so a second run writes the same files.
"""

import hashlib
import hmac
import pathlib

HERE = pathlib.Path(__file__).parent
NAMES = ("sha224", "sha256", "sha384", "sha512")


def message(length):
    """Bytes that differ from one length to the next."""
    return bytes((7 * index + length) & 255 for index in range(length))


def read(text):
    """A field of a fixture: `-`, hexadecimal, or hexadecimal*count."""
    content, _, count = text.partition("*")
    return b"" if content == "-" else bytes.fromhex(content) * int(count or 1)


def lines(name):
    rows = (line.split() for line in (HERE / name).read_text().splitlines())
    return [row for row in rows if row and row[0] != "#"]


def write(name, comment, rows):
    text = "".join(f"# {line}\n" for line in comment) + "".join(" ".join(row) + "\n" for row in rows)
    (HERE / name).write_text(text)


# FIPS 180-4, with the message's length in bytes as an argument of its own


def root(value, degree, bits):
    """The first bits of the fractional part of a root."""
    scaled, low, high = value << degree * bits, 0, 1 << bits + 16
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= scaled else (low, middle - 1)
    return low % (1 << bits)


PRIMES = [n for n in range(2, 410) if all(n % d for d in range(2, n))][:80]


def sha2(name, data, length):
    """The digest of `data` padded as if it ended a message of `length` bytes whose earlier blocks had left the chaining value as it was."""
    bits, rounds, sums = (32, 64, (2, 13, 22, 6, 11, 25, 7, 18, 3, 17, 19, 10)) if name in NAMES[:2] else (
        64, 80, (28, 34, 39, 14, 18, 41, 1, 8, 7, 19, 61, 6))
    mask, size = (1 << bits) - 1, bits // 8
    first = PRIMES[:8] if name in ("sha256", "sha512") else PRIMES[8:16]
    chain = [root(prime, 2, 64) if name == "sha384" else root(prime, 2, bits) for prime in first]
    if name == "sha224":
        chain = [root(prime, 2, 64) & mask for prime in first]
    zeros = -(len(data) + 1 + 2 * size) % (16 * size)
    padded = data + b"\x80" + bytes(zeros) + (8 * length % (1 << 16 * size)).to_bytes(2 * size, "big")

    def turn(x, n):
        return (x >> n | x << bits - n) & mask

    a0, a1, a2, e0, e1, e2, s0, s1, s2, t0, t1, t2 = sums
    for start in range(0, len(padded), 16 * size):
        w = [int.from_bytes(padded[i : i + size], "big") for i in range(start, start + 16 * size, size)]
        for t in range(16, rounds):
            x, y = w[t - 15], w[t - 2]
            small = (turn(x, s0) ^ turn(x, s1) ^ x >> s2) + (turn(y, t0) ^ turn(y, t1) ^ y >> t2)
            w.append((w[t - 16] + w[t - 7] + small) & mask)
        a, b, c, d, e, f, g, h = chain
        for t in range(rounds):
            first = h + (turn(e, e0) ^ turn(e, e1) ^ turn(e, e2)) + (e & f ^ ~e & g) + root(PRIMES[t], 3, bits) + w[t]
            second = (turn(a, a0) ^ turn(a, a1) ^ turn(a, a2)) + (a & b ^ a & c ^ b & c)
            a, b, c, d, e, f, g, h = (first + second) & mask, a, b, c, (d + first) & mask, e, f, g
        chain = [(x + y) & mask for x, y in zip(chain, (a, b, c, d, e, f, g, h))]
    return b"".join(word.to_bytes(size, "big") for word in chain)[: hashlib.new(name).digest_size]


for name, text, digest in lines("fips180-4.txt"):
    assert hashlib.new(name, read(text)).hexdigest() == digest, (name, text[:40])
for name, key, text, code in lines("rfc4231.txt"):
    assert hmac.new(read(key), read(text), name).hexdigest()[: len(code)] == code, (name, key)
for name in NAMES:
    for length in (0, 3, 55, 56, 64, 111, 112, 128, 200):
        assert sha2(name, message(length), length) == hashlib.new(name, message(length)).digest(), (name, length)

rows = []
for name in NAMES:
    digests = [hashlib.new(name, message(length)).digest() for length in range(301)]
    rows.append([name, hashlib.new(name, b"".join(digests)).hexdigest(), b"".join(digest[:2] for digest in digests).hex()])
write(
    "lengths.txt",
    [
        "Messages of 0 to 300 bytes; the byte at index i of a message of n bytes is 7i + n modulo 256.",
        "algorithm, digest of all 301 digests in a row, the first two bytes of each digest",
    ],
    rows,
)

rows = []
for name in NAMES:
    codes = [hmac.new(message(length), message(300 - length), name).digest() for length in range(301)]
    rows.append([name, hashlib.new(name, b"".join(codes)).hexdigest(), b"".join(code[:2] for code in codes).hex()])
write(
    "hmac-key-lengths.txt",
    [
        "Keys of 0 to 300 bytes with messages of 300 to 0 bytes, both as in lengths.txt.",
        "algorithm, digest of all 301 codes in a row, the first two bytes of each code",
    ],
    rows,
)

rows = []
for name in NAMES:
    block = 64 if name in NAMES[:2] else 128
    for before in (0, 2**61 - block, 2**61, 2**64 - block, 2**64, 2**125 - block, 2**125, 2**128 - block):
        for length in (0, 3, block - 17, block, block + 5):
            data = message(length)
            rows.append([name, f"{before:x}", data.hex() or "-", sha2(name, data, before + length).hex()])
write(
    "long-messages.txt",
    [
        "Ends of messages that are too long to exist: what went before is skipped, and has left the chaining value as it was at the start.",
        "algorithm, bytes that went before (hexadecimal, whole blocks), end of the message, digest",
    ],
    rows,
)
