internal import JOSE
internal import Wire

// Keys, signed content and tokens.

extension Reference {
    static func key(_ given: Given) throws -> JSON.Object {
        let text = try given.text("text")
        guard given["secret"] == true else {
            let key = try JWK(parsing: text)
            return members(key.type, key.id, try? key.thumbprint())
        }
        let key = try JWK.Private(parsing: text)
        return members(key.type, key.id, try? key.thumbprint())
    }

    private static func members(_ type: JWK.KeyType, _ id: KeyID?, _ thumbprint: JWK.Thumbprint?) -> JSON.Object {
        var members: JSON.Object = ["type": .string(type.name.text)]
        members["kid"] = id.map { .string($0.text) }
        members["thumbprint"] = thumbprint.map { .string($0.text) }
        return members
    }

    static func signedContent(_ given: Given) throws -> JSON.Object {
        let (text, keys) = (try given.text("text"), try keys(given))
        var policy = JWS.Policy()
        policy.allowsUnencodedPayload = given["unencoded"] == true
        let detached = given["detached"]?.string.map { Array($0.utf8) }
        let received =
            if text.utf8.first == UInt8(ascii: "{") {
                try JWS.Unverified(parsingJSON: text.utf8, detachedPayload: detached, policy: policy)
            } else {
                try JWS.Unverified(parsing: text, detachedPayload: detached, policy: policy)
            }
        let verified = try received.verified(by: keys, accepting: algorithms(given))
        return [
            "payload": .string(String(decoding: verified.payload, as: UTF8.self)),
            "key": name(of: verified.signature.key),
        ]
    }

    static func token(_ given: Given) throws -> JSON.Object {
        let type = JWS.ContentType(try given.text("type"))
        var expectation = try expectation(given)
        expectation.kind = JWT.Kind(type, acceptsUntyped: type == .jwt)
        let token = try JWS.Unverified(parsing: try given.text("text"))
            .verified(by: try keys(given), accepting: algorithms(given))
            .validated(expecting: expectation, at: try given.now)
        return ["claims": json(token.claims.tree()), "key": name(of: token.signature.key)]
    }

    static func issuance(_ given: Given) throws -> JSON.Object {
        let claims = try given.need("claims") { $0.object }
        let kind = given["type"]?.string.map { JWT.Kind(JWS.ContentType($0)) } ?? .plain
        let key = try SigningKey(try given.decode("key") { try JWK.Private(parsing: $0) })
        return ["text": .string(try JWT.signed(JWT.Claims(claims), with: key, as: kind))]
    }

    // MARK: What is given

    private static func keys(_ given: Given) throws -> [VerificationKey] {
        try given.list("keys").map { entry in
            let issuer = try entry.parseIfThere("issuer") { try Issuer(parsing: $0) }
            return try entry.decode("jwk") { bytes in
                if let key = try? JWK(parsing: bytes) { return try VerificationKey(key, issuer: issuer) }
                return try VerificationKey(JWK.Private(parsing: bytes), issuer: issuer)
            }
        }
    }

    private static func name(of key: VerificationKey) -> JSON { key.id.map { .string($0.text) } ?? .null }

    private static func algorithms(_ given: Given) -> [Algorithm] {
        (given["algorithms"]?.array ?? []).compactMap { $0.string.flatMap { Algorithm($0) } }
    }

    private static func expectation(_ given: Given) throws -> JWT.Expectation {
        let issuers: JWT.Expectation.Issuers =
            switch given["issuer"] {
            case nil: .unchecked
            case .string: .exactly(try given.parse("issuer") { try Issuer(parsing: $0) })
            case .array: .oneOf(given.texts("issuer") { try Issuer(parsing: $0) })
            default: .ownerOfKey
            }
        let audiences: JWT.Expectation.Audiences =
            switch given["audience"] {
            case nil: .unchecked
            case .string: .only(try given.parse("audience") { try Audience(parsing: $0) })
            default: .unnamed
            }
        var expectation = JWT.Expectation(issuer: issuers, audience: audiences, leeway: .seconds(60))
        expectation.subject = try given.parseIfThere("subject") { try Subject(parsing: $0) }
        expectation.requiresExpiration = given["endless"] != true
        expectation.requiredClaims = given.texts("requires") { JSON.Name($0) }
        expectation.maximumAge = given.seconds("maximum_age").map { .seconds($0) }
        return expectation
    }
}
