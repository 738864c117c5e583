"""Random keys, documents and signatures on the curves of NIST and of RSA, between this package, `cryptography` and OpenSSL.

Arguments: the testkit, the command line, a seed.
"""

import base64, json, os, random, subprocess, sys, tempfile

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization as s
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

TESTKIT, EDUID, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3])
chance = random.Random(SEED)
CURVES = {"secp256r1": (ec.SECP256R1(), 32, hashes.SHA256()), "secp384r1": (ec.SECP384R1(), 48, hashes.SHA384()),
          "secp521r1": (ec.SECP521R1(), 66, hashes.SHA512())}
HASHES = {"SHA-224": hashes.SHA224(), "SHA-256": hashes.SHA256(), "SHA-384": hashes.SHA384(), "SHA-512": hashes.SHA512()}
ORDERS = {
    "secp256r1": 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551,
    "secp384r1": 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973,
    "secp521r1": 2**521 - 0x5ae79787c40d069948033feb708f65a2fc44a36477663b851449048e16ec79bf7,
}
passed = failed = 0


def ours(operation, inputs):
    lines = "".join(json.dumps(one) + "\n" for one in inputs)
    run = subprocess.run([TESTKIT, operation], input=lines, capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in run.stdout.splitlines()]


def report(title, verdicts):
    global passed, failed
    good = sum(map(bool, verdicts))
    passed, failed = passed + good, failed + len(verdicts) - good
    print(f"{title}: {good} of {len(verdicts)}")


def point(key):
    return key.public_bytes(s.Encoding.X962, s.PublicFormat.UncompressedPoint)


def scalar(curve):
    """Mostly random; now and then one of those with few bits, or near the order."""
    order = ORDERS[curve]
    edges = [1, 2, 3, order - 1, order - 2, order >> 1, 1 << 128, (1 << order.bit_length() - 2) - 1, chance.randrange(1, 1 << 64)]
    return chance.choice(edges) if chance.random() < 0.2 else chance.randrange(1, order)


def raw(der, size):
    return b"".join(number.to_bytes(size) for number in utils.decode_dss_signature(der))


def changed(data):
    place = chance.randrange(len(data))
    return data[:place] + bytes((data[place] ^ 1 << chance.randrange(8),)) + data[place + 1:]


# Signatures on curves

def theirs_on_curves(curve, count):
    known, size, _ = CURVES[curve]
    questions, tampered = [], []
    for _ in range(count):
        key, message = ec.derive_private_key(scalar(curve), known), chance.randbytes(chance.randrange(200))
        name = chance.choice(list(HASHES))
        der = key.sign(message, ec.ECDSA(HASHES[name]))
        form = chance.choice(("der", "p1363"))
        question = {"curve": curve, "hash": name, "fmt": form, "pub": point(key.public_key()).hex(), "msg": message.hex()}
        signature = der if form == "der" else raw(der, size)
        questions.append(question | {"sig": signature.hex()})
        tampered.append(question | {"sig": changed(signature).hex()})
    report(f"cryptography signs on {curve}, we believe", [answer is True for answer in ours("ecdsa-verify", questions)])
    report(f"the same, changed on the way, on {curve}", [answer is False for answer in ours("ecdsa-verify", tampered)])


def ours_on_curves(curve, count):
    known, size, digest = CURVES[curve]
    cases = [(scalar(curve), chance.randbytes(chance.randrange(200)), chance.choice(("der", "p1363"))) for _ in range(count)]
    answers = ours("ecdsa-sign", [
        {"curve": curve, "priv": secret.to_bytes(size).hex(), "msg": message.hex(), "fmt": form} for secret, message, form in cases])
    verdicts = []
    for (secret, message, form), answer in zip(cases, answers):
        key, signature = ec.derive_private_key(secret, known), bytes.fromhex(answer["sig"])
        der = signature if form == "der" else utils.encode_dss_signature(
            int.from_bytes(signature[:size]), int.from_bytes(signature[size:]))
        # RFC 6979 leaves no choice, so both give the same bytes.
        same = der == key.sign(message, ec.ECDSA(digest, deterministic_signing=True))
        try:
            key.public_key().verify(der, message, ec.ECDSA(digest))
        except InvalidSignature:
            same = False
        verdicts.append(same and bytes.fromhex(answer["pub"]) == point(key.public_key()))
    report(f"we sign on {curve}, cryptography believes and would sign the same", verdicts)


# RSA

def theirs_by_rsa(count):
    questions, tampered = [], []
    sizes = [(2048, 65537), (2048, 3), (3072, 65537), (4096, 65537)]
    keys = [rsa.generate_private_key(exponent, size) for size, exponent in sizes]
    for _ in range(count):
        key, message = chance.choice(keys), chance.randbytes(chance.randrange(200))
        name, scheme = chance.choice(("SHA-256", "SHA-384", "SHA-512")), chance.choice(("pkcs1", "pss"))
        digest = HASHES[name]
        form = padding.PKCS1v15() if scheme == "pkcs1" else padding.PSS(padding.MGF1(digest), digest.digest_size)
        numbers = key.public_key().public_numbers()
        question = {"scheme": scheme, "hash": name, "n": f"00{numbers.n:x}", "e": f"{numbers.e:06x}", "msg": message.hex()}
        if scheme == "pss":
            question |= {"mgfHash": name, "saltLen": digest.digest_size}
        signature = key.sign(message, form, digest)
        questions.append(question | {"sig": signature.hex()})
        tampered.append(question | {"sig": changed(signature).hex()})
    report("cryptography signs by RSA, we believe", [answer is True for answer in ours("rsa-verify", questions)])
    report("the same, changed on the way", [answer is False for answer in ours("rsa-verify", tampered)])


# Documents

def private_keys():
    for curve, (known, _, _) in CURVES.items():
        yield curve, ec.derive_private_key(scalar(curve), known)
    yield "ed25519", ed25519.Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))


def theirs_as_documents(count):
    questions = []
    for _ in range(count):
        for name, key in private_keys():
            public = key.public_key()
            none = s.NoEncryption()
            forms = [("spki-der", False, public.public_bytes(s.Encoding.DER, s.PublicFormat.SubjectPublicKeyInfo)),
                     ("pem", False, public.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)),
                     ("pkcs8-der", True, key.private_bytes(s.Encoding.DER, s.PrivateFormat.PKCS8, none)),
                     ("pem", True, key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, none))]
            if name != "ed25519":
                forms += [("sec1-der", True, key.private_bytes(s.Encoding.DER, s.PrivateFormat.TraditionalOpenSSL, none)),
                          ("pem", True, key.private_bytes(s.Encoding.PEM, s.PrivateFormat.TraditionalOpenSSL, none))]
            questions += [document(*form) for form in forms]
    questions += [document(*form) for form in openssl_forms()]
    report("documents of cryptography and OpenSSL are read", [answer is True for answer in ours("key-import", questions)])
    other = [question | {"private": not question["private"]} for question in questions]
    report("the same where the other half is wanted", [answer is False for answer in ours("key-import", other)])


def document(form, is_private, data):
    question = {"form": form, "private": is_private}
    return question | ({"text": data.decode()} if form == "pem" else {"b64": base64.b64encode(data).decode()})


def openssl(*arguments, given=b""):
    return subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=True, timeout=60).stdout


def openssl_forms():
    for curve in ("P-256", "P-384", "P-521"):
        pair = openssl("genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{curve}")
        yield "pem", True, pair
        yield "pem", False, openssl("pkey", "-pubout", given=pair)
        yield "pem", False, openssl("pkey", "-pubout", "-ec_conv_form", "compressed", given=pair)
        yield "pem", True, openssl("pkey", "-ec_conv_form", "compressed", given=pair)
    pair = openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
    yield "pem", False, openssl("pkey", "-pubout", given=pair)


def ours_as_documents(folder):
    verdicts = []
    for kind in ("ed25519", "p256", "p384"):
        for _ in range(3):
            pair, text = os.path.join(folder, "pair.jwk"), os.path.join(folder, "pair.pem")
            for path in (pair, text):
                if os.path.exists(path):
                    os.remove(path)
            run(EDUID, "key", "generate", "--type", kind, "--out", pair)
            run(EDUID, "key", "convert", pair, "--to", "pem", "--out", text)
            public = run(EDUID, "key", "public", pair, "--to", "pem")
            with open(text, "rb") as file:
                key = s.load_pem_private_key(file.read(), None)
            verdicts.append(key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo).decode().strip() == public.strip())
            verdicts.append(openssl("pkey", "-in", text, "-pubout").decode().strip() == public.strip())
            verdicts.append(openssl("pkey", "-pubin", "-noout", "-text", given=public.encode()) != b"")
    report("our documents are read by cryptography and OpenSSL", verdicts)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


print(f"Seed {SEED}")
for curve in CURVES:
    theirs_on_curves(curve, 400)
    ours_on_curves(curve, 400)
theirs_by_rsa(600)
theirs_as_documents(20)
with tempfile.TemporaryDirectory() as folder:
    ours_as_documents(folder)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
