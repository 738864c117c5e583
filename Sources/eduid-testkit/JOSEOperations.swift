import JOSE
import PureCrypto
import Wire

extension Operation {
    /// Keys, signed content and tokens.
    ///
    /// What the module refuses is answered with false, whatever the reason.
    static let jose = [
        Operation("jws-verify") { input throws(Fault) in
            guard let text = input["jws"]?.string, let keys = input.keys else { return false }
            var policy = JWS.Policy()
            policy.allowsUnencodedPayload = true
            policy.size = policy.contentSize
            let received: JWS.Unverified?
            if let detached = try input.optionalText("detached") {
                received = try? JWS.Unverified(parsing: text, detachedPayload: Array(detached.utf8), policy: policy)
            } else {
                received = try? JWS.Unverified(parsing: text, policy: policy)
            }
            return verdict(received, keys)
        },
        Operation("jws-json-verify") { input throws(Fault) in
            guard let value = input["jws"], let keys = input.keys else { return false }
            var policy = JWS.Policy()
            policy.allowsUnencodedPayload = true
            policy.allowsUnprotectedAlgorithm = true
            let detached = try input.optionalText("detached").map { Array($0.utf8) }
            let text = value.string.map { Array($0.utf8) } ?? value.encoded()
            return verdict(try? JWS.Unverified(parsingJSON: text, detachedPayload: detached, policy: policy), keys)
        },
        Operation("jwt-verify") { input throws(Fault) in
            guard let text = input["jws"]?.string, let keys = input.keys, let expectation = input.expectation,
                let now = input.time("now")
            else { return false }
            let kind: JWT.Kind
            if let type = try input.optionalText("typ") {
                kind = JWT.Kind(ContentType(type), acceptsUntyped: ContentType(type) == .jwt)
            } else {
                kind = .any
            }
            let token = try? JWT.Validated(
                parsing: text, by: keys, accepting: input.algorithms, as: kind, expecting: expectation, at: now)
            return .bool(token != nil)
        },
        Operation("jwt-sign") { input throws(Fault) in
            guard let claims = input["claims"]?.object, let jwk = input["jwk"],
                let key = try? SigningKey(JWK.Private(parsing: jwk.encoded()))
            else { return false }
            let kind = try input.optionalText("typ").map { JWT.Kind(ContentType($0)) } ?? .plain
            guard let token = try? JWT.signed(JWT.Claims(claims), with: key, as: kind) else { return false }
            return ["jws": .string(token)]
        },
        Operation("jwk-import") { input throws(Fault) in
            .bool(isImportable(try input.text("text")))
        },
        Operation("jwk-thumbprint") { input throws(Fault) in
            guard let jwk = input["jwk"], let hash = thumbprintHash(try input.optionalText("hash")) else {
                return false
            }
            let text = jwk.string.map { Array($0.utf8) } ?? jwk.encoded()
            guard let thumbprint = try? JWK(parsing: text).thumbprint(hash) else {
                guard let thumbprint = try? JWK.Private(parsing: text).thumbprint(hash) else { return false }
                return ["thumbprint": .string(thumbprint.text)]
            }
            return ["thumbprint": .string(thumbprint.text)]
        },
    ]

    private static func verdict(_ received: JWS.Unverified?, _ keys: [VerificationKey]) -> JSON {
        let algorithms: [Algorithm] = [.edDSA, .ed25519, .hs256, .hs384, .hs512]
        guard let verified = try? received?.verified(by: keys, accepting: algorithms) else { return false }
        return [
            "ok": true,
            "payload": .string(Base64URL.encode(verified.payload)),
            "payloadText": .string(String(decoding: verified.payload, as: UTF8.self)),
        ]
    }

    /// Whether the text is a key that this suite computes with, or one of its types that declares to be for something
    /// else.
    private static func isImportable(_ text: String) -> Bool {
        func isFit<Failure: Error>(_ use: () throws(Failure) -> VerificationKey) -> Bool {
            do throws(Failure) {
                _ = try use()
                return true
            } catch {
                switch error as? KeyRejection {
                case .unsupportedType, .secretTooShort, nil: return false
                case .otherUse, .operationNotAllowed, .otherAlgorithm: return true
                }
            }
        }
        if let key = try? JWK(parsing: text) { return isFit { () throws(KeyRejection) in try VerificationKey(key) } }
        if let key = try? JWK.Private(parsing: text) {
            return isFit { () throws(KeyRejection) in try VerificationKey(key) }
        }
        return false
    }

    private static func thumbprintHash(_ name: String?) -> JWK.Thumbprint.Hash? {
        switch name?.lowercased().filter({ $0 != "-" }) {
        case nil, "sha256": .sha256
        case "sha384": .sha384
        case "sha512": .sha512
        default: nil
        }
    }
}

extension Input {
    /// The keys of `jwk`, one or several, or of the set `jwks`; those that cannot verify are left out.
    fileprivate var keys: [VerificationKey]? {
        let set: JSON
        switch (self["jwks"], self["jwk"]) {
        case (.some(.object(let keys)), _): set = .object(keys)
        case (.some(.array(let keys)), _), (_, .some(.array(let keys))): set = ["keys": .array(keys)]
        case (_, let key?): set = ["keys": [key]]
        default: return nil
        }
        return (try? JWKSet(parsing: set.encoded(), secrets: .allowed))?.keys
    }

    /// The accepted algorithms; `none` is no algorithm.
    fileprivate var algorithms: [Algorithm] {
        (self["algs"]?.array ?? []).compactMap { $0.string.flatMap { Algorithm($0) } }
    }

    /// A number of seconds; nothing where it is none.
    fileprivate func time(_ name: JSON.Name) -> Timestamp? {
        self[name]?.number.flatMap { try? Timestamp(parsing: $0.text) }
    }

    /// What `iss`, `aud`, `leeway` and `requireExp` demand.
    ///
    /// An issuer that is not given is not checked, an audience that is not given must be absent.
    fileprivate var expectation: JWT.Expectation? {
        let issuers: JWT.Expectation.Issuers
        switch self["iss"] {
        case nil, .null: issuers = .unchecked
        case .string(let text):
            guard let issuer = try? Issuer(parsing: text) else { return nil }
            issuers = .exactly(issuer)
        case .array(let elements):
            issuers = .oneOf(elements.compactMap { $0.string.flatMap { try? Issuer(parsing: $0) } })
        default: return nil
        }
        let audiences: JWT.Expectation.Audiences
        switch self["aud"] {
        case nil, .null: audiences = .unnamed
        case .string(let text):
            guard let audience = try? Audience(parsing: text) else { return nil }
            audiences = .including(audience)
        default: return nil
        }
        var expectation = JWT.Expectation(issuer: issuers, audience: audiences)
        expectation.requiresExpiration = self["requireExp"]?.bool ?? false
        let leeway = (time("leeway") ?? .epoch) - .epoch
        expectation.leeway = leeway
        expectation.expirationLeeway = leeway
        return expectation
    }
}
