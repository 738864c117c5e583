public import Wire

extension JWT {
    /// What a token says about the key its presenter must prove to hold (`cnf`, RFC 7800).
    public struct Confirmation: Hashable, Sendable, JSON.Writable {
        /// How the key is represented; the claim means a single key, so there is at most one representation (RFC 7800
        /// §3.1).
        package enum Representation: Hashable, Sendable {
            /// The public key itself (`jwk`).
            case key(JWK)
            /// A key encrypted for the recipient (`jwe`), which this module names and does not open.
            case encryptedKey(String)
            /// Where a set with the key can be fetched (`jku`), which this module names and does not fetch.
            case keySet(url: String)
            /// The digest of the key (`jkt`, RFC 9449 §6.1).
            case thumbprint(JWK.Thumbprint)
        }

        /// How the key is represented, when it is.
        package let representation: Representation?
        /// The key's name (`kid`), which stands alone where the recipient knows the key already.
        public let keyID: KeyID?

        /// Confirms by a key, with the name it has at the issuer.
        public init(key: JWK, id: KeyID? = nil) {
            representation = .key(key)
            keyID = id
        }

        /// Confirms by a key that the recipient knows by this name.
        package init(keyID: KeyID) {
            representation = nil
            self.keyID = keyID
        }

        /// The public key, when it is in the token.
        public var key: JWK? {
            if case .key(let key)? = representation { key } else { nil }
        }
    }
}

extension JWT.Confirmation {
    private static let representations: [JSON.Name] = ["jwk", "jwe", "jku", "jkt"]

    /// Reads the claim.
    public init(_ value: JSON.Document.Value) throws(JWT.Rejection) { try self.init(value, knowing: nil) }

    /// Reads the claim.
    ///
    /// - Parameter known: a key that may well be the one that it means.
    package init(_ value: JSON.Document.Value, knowing known: JWK?) throws(JWT.Rejection) {
        let object = try wrapping(JWT.Rejection.malformedConfirmation, try value.object())
        let name = try wrapping(JWT.Rejection.malformedConfirmation, try object.optional("kid")?.string())
        keyID = try name.map { name throws(JWT.Rejection) in
            try wrapping(JWT.Rejection.malformedConfirmationID, try KeyID(parsing: name))
        }
        let present = Self.representations.filter { object.contains($0) }
        guard present.count < 2 else { throw .ambiguousConfirmation(present[0], present[1]) }
        representation = try present.first.map { name throws(JWT.Rejection) in
            try Self.representation(
                name, try wrapping(JWT.Rejection.malformedConfirmation, try object[name]), known)
        }
        guard representation != nil || keyID != nil else { throw .unknownConfirmation }
    }

    private static func representation(
        _ name: JSON.Name, _ value: JSON.Document.Value, _ known: JWK?
    ) throws(JWT.Rejection) -> Representation {
        if name == "jwk" {
            return .key(try wrapping(JWT.Rejection.confirmationKey, try JWK(value, knowing: known)))
        }
        let text = try wrapping(JWT.Rejection.malformedConfirmation, try value.string())
        switch name {
        case "jwe": return .encryptedKey(text)
        case "jku": return .keySet(url: text)
        default:
            guard let thumbprint = JWK.Thumbprint(text) else { throw .malformedThumbprint }
            return .thumbprint(thumbprint)
        }
    }
}

extension JWT.Confirmation {
    /// Writes the claim.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { object in
            switch representation {
            case .key(let key): object.member("jwk", key)
            case .encryptedKey(let text): object.member("jwe", text)
            case .keySet(let url): object.member("jku", url)
            case .thumbprint(let thumbprint): object.member("jkt", thumbprint.text)
            case nil: break
            }
            object.member("kid", ifPresent: keyID?.text)
        }
    }
}
