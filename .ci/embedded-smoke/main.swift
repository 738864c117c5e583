import OAuth2Grants
import PureCrypto
import Wire

/// What the modules answer where no runtime supports them.
let knownAnswers: [(name: StaticString, holds: Bool)] = [
    ("SHA-256 of abc (FIPS 180-4)", hashes()),
    ("Ed25519 signs (RFC 8032, section 7.1, TEST 2)", signs()),
    ("P-256 signs and verifies (RFC 6979, section A.2.5)", signsWithP256()),
    ("JSON is read", reads()),
    ("JSON with a duplicate name is refused", refuses()),
    ("Base64URL is canonical (RFC 4648)", encodes()),
    ("a token request is read, and refused with a parameter twice (RFC 6749, section 3.2)", asks()),
]

func hashes() -> Bool {
    let digest = SHA256.hash(data: Array("abc".utf8))
    return digest.description == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
}

func signs() -> Bool {
    guard
        let seed = try? Hex.decode("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
        let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
    else { return false }
    let signature = Array(key.signature(for: [0x72]))
    let half = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    let rest = "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    return Hex.encode(key.publicKey.rawRepresentation)
        == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
        && Hex.encode(signature) == half + rest
        && key.publicKey.isValidSignature(signature, for: [0x72])
        && !key.publicKey.isValidSignature(signature, for: [0x73])
}

func signsWithP256() -> Bool {
    guard
        let scalar = try? Hex.decode("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"),
        let key = try? P256.Signing.PrivateKey(rawRepresentation: scalar),
        let publicKey = try? P256.Signing.PublicKey(compressedRepresentation: key.publicKey.compressedRepresentation)
    else { return false }
    let message = Array("sample".utf8)
    let signature = Array(key.signature(for: message))
    let half = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    let rest = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
    return Hex.encode(signature) == half + rest
        && publicKey.isValidSignature(signature, for: message)
        && publicKey.prepared().isValidSignature(signature, for: message)
        && !publicKey.isValidSignature(signature, for: [])
}

func reads() -> Bool {
    do throws(JSON.Rejection) {
        let document = try JSON.Document(parsing: #"{"iss": "Z\u00fcrich", "exp": 1700000000}"#)
        let claims = try document.root.object()
        let (issuer, expiry) = (try claims["iss"].string(), try claims["exp"].integer(as: Int.self))
        return issuer == "Zürich" && expiry == 1_700_000_000
    } catch {
        return false
    }
}

func refuses() -> Bool {
    do throws(JSON.Rejection) {
        _ = try JSON(parsing: #"{"a": 1, "\u0061": 2}"#)
        return false
    } catch {
        return error == .duplicateName(offset: 9) && !error.description.isEmpty
    }
}

func encodes() -> Bool {
    guard let decoded = try? Base64URL.decode("-_8"), Base64URL.encode(decoded) == "-_8" else { return false }
    return (try? Base64URL.decode("-_9")) == nil
}

func asks() -> Bool {
    let form = "grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA"
    return reading(form) == nil && reading(form + "&refresh_token=x") == .repeated("refresh_token")
}

func reading(_ form: String) -> ParameterRejection? {
    guard let target = try? HTTP.Request.Target(parsing: "/token") else { return .grantType("") }
    var request = HTTP.Request(.post, target, body: Array(form.utf8))
    guard (try? request.fields.append(.contentType, HTTP.MediaType.form.text)) != nil else { return .grantType("") }
    do throws(ParameterRejection) {
        _ = try TokenRequest(parsing: request)
        return nil
    } catch {
        return error
    }
}

for answer in knownAnswers {
    print(answer.holds ? "ok: " : "WRONG: ", terminator: "")
    print(answer.name)
}
print("\(knownAnswers.count) known answers")
precondition(knownAnswers.allSatisfy { $0.holds }, "a known answer is wrong")
