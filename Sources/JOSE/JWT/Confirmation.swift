public import Wire

extension JWT {
    /// What a token says about the key its presenter must prove to hold (`cnf`, RFC 7800).
    public struct Confirmation: Hashable, Sendable {
        /// How the key is represented; the claim means a single key, so there is at most one representation (RFC 7800
        /// §3.1).
        public enum Representation: Hashable, Sendable {
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
        public let representation: Representation?
        /// The key's name (`kid`), which stands alone where the recipient knows the key already.
        public let keyID: KeyID?

        /// Confirms by a key, with the name it has at the issuer.
        public init(key: JWK, id: KeyID? = nil) {
            representation = .key(key)
            keyID = id
        }

        /// Confirms by a key that the recipient knows by this name.
        public init(keyID: KeyID) {
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
    /// Why the claim confirms nothing.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// Not an object, or a member of the wrong type.
        case malformed(JSON.Rejection)
        /// The key is none, or it is a secret that the token would give away.
        case key(JWK.Rejection)
        /// Two representations, where the claim must mean one key.
        case ambiguous(JSON.Name, JSON.Name)
        /// No member that this module knows.
        case unknown
        /// The key's name breaks a rule for names.
        case malformedKeyID(SyntaxError)
        /// The digest is not one of SHA-256.
        case malformedThumbprint

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .malformed, .ambiguous, .unknown: "RFC7800-3.1"
            case .key: "RFC7800-3.2"
            case .malformedKeyID: "RFC7800-3.4"
            case .malformedThumbprint: "RFC9449-6.1"
            }
        }

        /// The rule that was broken.
        public var description: String {
            switch self {
            case .malformed(let rejection): "the confirmation is malformed: \(rejection)"
            case .key(let rejection): "the confirmation's key is refused: \(rejection)"
            case .ambiguous(let one, let other): "the confirmation has both '\(one)' and '\(other)'"
            case .unknown: "the confirmation names no key in a way that is known here"
            case .malformedKeyID(let rejection): "the confirmation's 'kid' is no name: \(rejection)"
            case .malformedThumbprint: "the confirmation's thumbprint is no SHA-256 digest in Base64url"
            }
        }
    }

    private static let representations: [JSON.Name] = ["jwk", "jwe", "jku", "jkt"]

    /// Reads the claim.
    public init(_ value: JSON.Document.Value) throws(Rejection) {
        let object: JSON.Document.Object
        let name: String?
        do throws(JSON.Rejection) {
            object = try value.object()
            name = try object.optional("kid")?.string()
        } catch {
            throw .malformed(error)
        }
        do throws(SyntaxError) {
            keyID = if let name { try KeyID(parsing: name) } else { nil }
        } catch {
            throw .malformedKeyID(error)
        }
        let present = Self.representations.filter { object.contains($0) }
        guard present.count < 2 else { throw .ambiguous(present[0], present[1]) }
        if let name = present.first, let value = object.optional(name) {
            representation = try Self.representation(name, value)
        } else {
            representation = nil
        }
        guard representation != nil || keyID != nil else { throw .unknown }
    }

    private static func representation(_ name: JSON.Name, _ value: JSON.Document.Value) throws(Rejection)
        -> Representation
    {
        if name == "jwk" {
            do throws(JWK.Rejection) {
                return .key(try JWK(value))
            } catch {
                throw .key(error)
            }
        }
        let text: String
        do throws(JSON.Rejection) {
            text = try value.string()
        } catch {
            throw .malformed(error)
        }
        switch name {
        case "jwe": return .encryptedKey(text)
        case "jku": return .keySet(url: text)
        default:
            guard let thumbprint = JWK.Thumbprint(text) else { throw .malformedThumbprint }
            return .thumbprint(thumbprint)
        }
    }
}

extension JWT.Confirmation: JSON.Writable {
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
