"""Signs random tokens with one implementation and verifies them with another. Arguments: the testkit, a seed."""

import base64, json, random, subprocess, sys, warnings

import jwt
from joserfc import jwk as joserfc_jwk, jwt as joserfc_jwt
from jwcrypto import jwk as jwcrypto_jwk, jwt as jwcrypto_jwt

TESTKIT, SEED = sys.argv[1], int(sys.argv[2])
ROUNDS = 60
NOW = 1_700_000_000
chance = random.Random(SEED)
warnings.simplefilter("ignore")


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def text():
    return "".join(chance.choice(["a", "Z", "0", " ", '"', "\\", "/", "é", "e\u0301", "中", "😀", "\n", "\u0001"]) for _ in range(chance.randrange(12)))


def value(depth=0):
    makers = [text, lambda: chance.randrange(-(2**53), 2**53), lambda: chance.choice([True, False, None]), lambda: chance.random()]
    if depth < 3:
        makers += [lambda: [value(depth + 1) for _ in range(chance.randrange(3))]]
        makers += [lambda: {text(): value(depth + 1) for _ in range(chance.randrange(3))}]
    return chance.choice(makers)()


def claims():
    # The clocks of the peers cannot be set, so the expiry lies in their future too.
    # A subject is an identifier, and identifiers have no control characters here.
    subject = "".join(c for c in text() if c >= " ") or "s"
    made = {"iss": "https://idp.example.org", "aud": chance.choice(["me", ["me", "you"]]), "exp": 4_000_000_000, "iat": NOW, "sub": subject}
    made.update({"x-" + text(): value() for _ in range(chance.randrange(4))})
    return made


CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}
# Generating a key of RSA takes long, and one does for all rounds.
RSA_KEY = json.loads(jwcrypto_jwk.JWK.generate(kty="RSA", size=2048).export())


def key(algorithm):
    """A fresh key as a JWK; the name says what it is for."""
    if algorithm in CURVES:
        return {name: member for name, member in json.loads(jwcrypto_jwk.JWK.generate(kty="EC", crv=CURVES[algorithm]).export()).items() if name != "kid"}
    if algorithm[:2] in ("RS", "PS"):
        return {name: member for name, member in RSA_KEY.items() if name != "kid"} | {"alg": algorithm}
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if algorithm.startswith("HS"):
        return {"kty": "oct", "k": b64(chance.randbytes(int(algorithm[2:]) // 8 + chance.randrange(9)))}
    private = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
    public = private.public_key().public_bytes(s.Encoding.Raw, s.PublicFormat.Raw)
    secret = private.private_bytes(s.Encoding.Raw, s.PrivateFormat.Raw, s.NoEncryption())
    return {"kty": "OKP", "crv": "Ed25519", "x": b64(public), "d": b64(secret)}


def public(jwk):
    secrets = () if jwk["kty"] == "oct" else ("d", "p", "q", "dp", "dq", "qi")
    return {name: member for name, member in jwk.items() if name not in secrets}


SHARED = ["HS256", "HS384", "HS512", "EdDSA", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]


class PyJWT:
    algorithms = SHARED

    def sign(self, made, jwk, algorithm):
        return jwt.encode(made, jwt.PyJWK(dict(jwk), algorithm=algorithm).key, algorithm=algorithm)

    def verify(self, token, jwk, algorithm):
        return jwt.decode(token, jwt.PyJWK(public(jwk), algorithm=algorithm).key, algorithms=[algorithm], audience="me")


class Joserfc:
    algorithms = [*SHARED, "Ed25519"]

    def sign(self, made, jwk, algorithm):
        return joserfc_jwt.encode({"alg": algorithm}, made, joserfc_jwk.import_key(jwk), algorithms=[algorithm])

    def verify(self, token, jwk, algorithm):
        return joserfc_jwt.decode(token, joserfc_jwk.import_key(public(jwk)), algorithms=[algorithm]).claims


class JWCrypto:
    algorithms = SHARED

    def sign(self, made, jwk, algorithm):
        token = jwcrypto_jwt.JWT(header={"alg": algorithm}, claims=made)
        token.make_signed_token(jwcrypto_jwk.JWK(**jwk))
        return token.serialize()

    def verify(self, token, jwk, algorithm):
        read = jwcrypto_jwt.JWT(jwt=token, key=jwcrypto_jwk.JWK(**public(jwk)), algs=[algorithm])
        return json.loads(read.claims)


def ours(operation, inputs):
    lines = "".join(json.dumps(one) + "\n" for one in inputs)
    run = subprocess.run([TESTKIT, operation], input=lines, capture_output=True, text=True, check=True, timeout=120)
    return [json.loads(line) for line in run.stdout.splitlines()]


def question(token, jwk, algorithm):
    return {"jws": token, "jwks": {"keys": [public(jwk)]}, "algs": [algorithm], "now": NOW + 1, "iss": "https://idp.example.org", "aud": "me"}


def tampered(token):
    """Another first character of the signature: a canonical text still, and another signature."""
    head, signature = token.rsplit(".", 1)
    return head + "." + ("B" if signature[0] == "A" else "A") + signature[1:]


passed = failed = 0


def report(title, verdicts):
    global passed, failed
    good = sum(verdicts)
    passed, failed = passed + good, failed + len(verdicts) - good
    print(f"{title}: {good} of {len(verdicts)}")


print(f"Seed {SEED}")
for peer in (PyJWT(), Joserfc(), JWCrypto()):
    name = type(peer).__name__
    for algorithm in peer.algorithms:
        rounds = [(claims(), key(algorithm)) for _ in range(ROUNDS)]
        tokens = [(peer.sign(made, jwk, algorithm), jwk) for made, jwk in rounds]
        report(f"{name} signs with {algorithm}, we believe", [a is True for a in ours("jwt-verify", [question(t, k, algorithm) for t, k in tokens])])
        changed = [question(tampered(t), k, algorithm) for t, k in tokens]
        report(f"{name} signs with {algorithm}, changed on the way", [a is False for a in ours("jwt-verify", changed)])
        if algorithm[:2] in ("RS", "PS"):
            # Nobody signs with a key of RSA here.
            continue
        answers = ours("jwt-sign", [{"claims": made, "jwk": dict(jwk, alg=algorithm)} for made, jwk in rounds])
        verdicts = []
        for (made, jwk), answer in zip(rounds, answers):
            try:
                verdicts.append(dict(peer.verify(answer["jws"], jwk, algorithm)) == made)
            except Exception as error:
                print(f"  {name} refuses: {error!r}", file=sys.stderr)
                verdicts.append(False)
        report(f"we sign with {algorithm}, {name} believes", verdicts)
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
