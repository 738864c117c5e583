"""What lies under a seal: ChaCha20-Poly1305 with a key of its own (Fixtures/protocol/app-state.md, "The seal")."""

import struct

from .formats import are_equal, hmac
from .refusals import Flaw

FORM, SALT_BYTES, TAG_BYTES = b"\x01", 32, 16
CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
QUARTERS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
            (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
PRIME = (1 << 130) - 5


# The cipher (RFC 8439)

def rotated(word, bits):
    word &= 0xffffffff
    return word << bits & 0xffffffff | word >> 32 - bits


def block(key, nonce, number):
    """64 bytes of the key stream."""
    first = [*CONSTANTS, *struct.unpack("<8I", key), number, *struct.unpack("<3I", nonce)]
    words = first[:]
    for _ in range(10):
        for a, b, c, d in QUARTERS:
            for one, two, three, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                words[one] = words[one] + words[two] & 0xffffffff
                words[three] = rotated(words[three] ^ words[one], bits)
    return struct.pack("<16I", *(one + other & 0xffffffff for one, other in zip(words, first)))


def ciphered(key, nonce, data):
    stream = b"".join(block(key, nonce, 1 + n) for n in range((len(data) + 63) // 64))
    return bytes(one ^ other for one, other in zip(data, stream))


def padded(data):
    return data + bytes(-len(data) % 16)


def tag(key, nonce, data, beside):
    """Poly1305 over what is beside, the ciphertext and both lengths."""
    once = block(key, nonce, 0)
    factor = int.from_bytes(once[:16], "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff
    total, message = 0, padded(beside) + padded(data) + struct.pack("<2Q", len(beside), len(data))
    for place in range(0, len(message), 16):
        total = (total + int.from_bytes(message[place:place + 16] + b"\x01", "little")) * factor % PRIME
    return (total + int.from_bytes(once[16:32], "little") & (1 << 128) - 1).to_bytes(16, "little")


# The seal

class Seal:
    """A key and what its texts are for."""

    def __init__(self, given):
        self.key, self.purpose = bytes.fromhex(given["key"]), given.get("purpose", "")
        self.salt = bytes.fromhex(given["salt"]) if "salt" in given else None

    def key_and_nonce(self, salt):
        """HKDF with SHA-256: 32 bytes of key, 12 of nonce."""
        secret, info = hmac(salt, self.key), f"eduid seal:{self.purpose}".encode()
        first = hmac(secret, info + b"\x01")
        derived = first + hmac(secret, first + info + b"\x02")
        return derived[:32], derived[32:44]

    def sealed(self, content):
        key, nonce = self.key_and_nonce(self.salt)
        data = ciphered(key, nonce, content)
        return FORM + self.salt + data + tag(key, nonce, data, FORM)

    def opened(self, sealed):
        salt, data, code = sealed[1:1 + SALT_BYTES], sealed[1 + SALT_BYTES:-TAG_BYTES], sealed[-TAG_BYTES:]
        if sealed[:1] != FORM or len(sealed) < 1 + SALT_BYTES + TAG_BYTES:
            raise Flaw("threat-49", "the seal does not open")
        key, nonce = self.key_and_nonce(salt)
        if not are_equal(code, tag(key, nonce, data, FORM)):
            raise Flaw("threat-49", "the seal does not open")
        return ciphered(key, nonce, data)


def sealed_answer(given):
    seal = Seal(given)
    if "sealed" in given:
        return {"content": seal.opened(bytes.fromhex(given["sealed"])).hex()}
    return {"sealed": seal.sealed(bytes.fromhex(given["content"])).hex()}
