import JOSE
import PureCrypto
import Wire

extension Operation {
    /// Keys, signed content and tokens.
    ///
    /// What the module refuses is answered with false, whatever the reason.
    static let jose = [
        Operation("jws-verify") { input in
            let (text, keys) = (try need(input["jws"]?.string), try input.keys)
            var policy = JWS.Policy()
            policy.allowsUnencodedPayload = true
            policy.size = policy.contentSize
            let detached = try input.optionalText("detached").map { Array($0.utf8) }
            return try verdict(
                detached.map { try JWS.Unverified(parsing: text, detachedPayload: $0, policy: policy) }
                    ?? JWS.Unverified(parsing: text, policy: policy), keys)
        },
        Operation("jws-json-verify") { input in
            let (value, keys) = (try need(input["jws"]), try input.keys)
            var policy = JWS.Policy()
            policy.allowsUnencodedPayload = true
            policy.allowsUnprotectedAlgorithm = true
            let detached = try input.optionalText("detached").map { Array($0.utf8) }
            let text = value.string.map { Array($0.utf8) } ?? value.encoded()
            return try verdict(JWS.Unverified(parsingJSON: text, detachedPayload: detached, policy: policy), keys)
        },
        Operation(judging: "jwt-verify") { input in
            let (text, keys) = (try need(input["jws"]?.string), try input.keys)
            var expectation = try input.expectation
            let now = try need(input.time("now"))
            let type = try input.optionalText("typ").map { JWS.ContentType($0) }
            expectation.kind = type.map { JWT.Kind($0, acceptsUntyped: $0 == .jwt) } ?? .any
            return try JWS.Unverified(parsing: text).verified(by: keys, accepting: input.algorithms)
                .validated(expecting: expectation, at: now)
        },
        Operation("jwt-sign") { input in
            let (claims, jwk) = (try need(input["claims"]?.object), try need(input["jwk"]))
            let key = try SigningKey(JWK.Private(parsing: jwk.encoded()))
            let kind = try input.optionalText("typ").map { JWT.Kind(JWS.ContentType($0)) } ?? .plain
            return ["jws": .string(try JWT.signed(JWT.Claims(claims), with: key, as: kind))]
        },
        Operation("jwk-import") { .bool(isImportable(try $0.text("text"))) },
        Operation("jwk-thumbprint") { input in
            let jwk = try need(input["jwk"])
            let hashes: [String: JWK.Thumbprint.Hash] = ["sha256": .sha256, "sha384": .sha384, "sha512": .sha512]
            let name = try input.optionalText("hash")?.lowercased().filter { $0 != "-" }
            let hash = try need(hashes[name ?? "sha256"])
            let text = jwk.string.map { Array($0.utf8) } ?? jwk.encoded()
            let thumbprint =
                try (try? JWK(parsing: text).thumbprint(hash)) ?? JWK.Private(parsing: text).thumbprint(hash)
            return ["thumbprint": .string(thumbprint.text)]
        },
    ]

    /// Examples come without a list; the keys bind all the same.
    private static let everyAlgorithm: [Algorithm] = [
        .edDSA, .ed25519, .hs256, .hs384, .hs512, .es256, .es384, .es512, .rs256, .rs384, .rs512, .ps256, .ps384,
        .ps512,
    ]

    private static func verdict(_ received: JWS.Unverified, _ keys: [VerificationKey]) throws -> JSON {
        let verified = try received.verified(by: keys, accepting: everyAlgorithm)
        return [
            "ok": true, "payload": .string(Base64URL.encode(verified.payload)),
            "payloadText": .string(String(decoding: verified.payload, as: UTF8.self)),
        ]
    }

    /// Whether the text is a key that this suite computes with, or one of its types that declares to be for something
    /// else.
    private static func isImportable(_ text: String) -> Bool {
        do {
            if let key = try? JWK(parsing: text) {
                _ = try VerificationKey(key)
            } else {
                _ = try VerificationKey(JWK.Private(parsing: text))
            }
            return true
        } catch {
            switch error {
            case .otherUse, .operationNotAllowed, .otherAlgorithm: return true
            default: return false
            }
        }
    }
}

extension Input {
    /// The keys of `jwk`, one or several, or of the set `jwks`; those that cannot verify are left out.
    ///
    /// The examples of the standards show private keys of RSA, which the suite refuses: of those the public half is
    /// read, which is all that verifying takes.
    fileprivate var keys: [VerificationKey] {
        get throws {
            let set: JSON =
                switch (self["jwks"], self["jwk"]) {
                case (.some(.object(let keys)), _): .object(keys)
                case (.some(.array(let keys)), _), (_, .some(.array(let keys))): ["keys": .array(keys)]
                case (_, let key): ["keys": [try need(key)]]
                }
            return try JWKSet(parsing: set.withoutSecretsOfRSA.encoded(), allowingSecrets: true).keys
        }
    }

    /// The accepted algorithms; `none` is not an algorithm.
    fileprivate var algorithms: [Algorithm] {
        (self["algs"]?.array ?? []).compactMap { $0.string.flatMap { Algorithm($0) } }
    }

    /// A number of seconds, `nil` if the member is not one.
    fileprivate func time(_ name: JSON.Name) -> Timestamp? {
        self[name]?.number.flatMap { try? Timestamp(parsing: $0.text) }
    }

    /// What `iss`, `aud`, `leeway` and `requireExp` demand.
    ///
    /// An issuer that is not given is not checked, an audience that is not given must be absent.
    fileprivate var expectation: JWT.Expectation {
        get throws {
            let issuers: JWT.Expectation.Issuers =
                switch self["iss"] {
                case nil, .null: .unchecked
                case .array(let elements):
                    .oneOf(elements.compactMap { $0.string.flatMap { try? Issuer(parsing: $0) } })
                case let value?: .exactly(try Issuer(parsing: need(value.string)))
                }
            let audiences: JWT.Expectation.Audiences =
                switch self["aud"] {
                case nil, .null: .unnamed
                case let value?: .including(try Audience(parsing: need(value.string)))
                }
            var expectation = JWT.Expectation(issuer: issuers, audience: audiences)
            expectation.requiresExpiration = self["requireExp"]?.bool ?? false
            expectation.leeway = (time("leeway") ?? .epoch) - .epoch
            expectation.expirationLeeway = expectation.leeway
            return expectation
        }
    }
}

extension JSON {
    /// A key set without the private members of its RSA keys.
    fileprivate var withoutSecretsOfRSA: JSON {
        guard var set = object, let keys = set["keys"]?.array else { return self }
        set["keys"] = .array(
            keys.map { key in
                guard var members = key.object, members["kty"] == "RSA" else { return key }
                for name: JSON.Name in ["d", "p", "q", "dp", "dq", "qi", "oth"] { members[name] = nil }
                return .object(members)
            })
        return .object(set)
    }
}
