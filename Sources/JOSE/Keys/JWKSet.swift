public import Wire

/// A set of keys (RFC 7517 §5), each by itself usable or refused with its reason: one strange key does not spoil the
/// others.
///
/// Keys belong to the issuer that the set is read for. Names need not be unique: keys that share one are all candidates
/// for a token that names it, are told apart by algorithm, and are tried in their order; what was verified says which
/// key it was.
public struct JWKSet: Sendable {
    /// Whether a set may hold secrets.
    public enum Secrets: Sendable {
        /// Public keys only, as in every set that came over the wire: symmetric and private keys are refused.
        case refused
        /// Symmetric keys and key pairs too, for a party's own set.
        case allowed
    }

    /// A key of the set that is not used, and why.
    public struct Refused: Equatable, Sendable {
        /// The key's place in the set.
        public let position: Int
        /// The key's name, where it is legible.
        public let id: KeyID?
        /// Why it is not used.
        public let reason: JWK.Rejection
    }

    /// The bounds on a set.
    public struct Limits: Hashable, Sendable {
        /// The most bytes of its text.
        public var size: Int
        /// The most keys.
        public var keys: Int

        /// Bounds on a set; what is not given takes the default.
        public init(size: Int = 64 << 10, keys: Int = 128) {
            self.size = size
            self.keys = keys
        }
    }

    /// The public keys of the set, those of types that this module only keeps included.
    public let members: [JWK]
    /// The keys that check signatures.
    public let keys: [VerificationKey]
    /// The keys that do not.
    public let refused: [Refused]

    /// A set of these keys, of which those that may check signatures do.
    public init(_ members: [JWK], issuer: Issuer? = nil) {
        self.members = members
        var keys: [VerificationKey] = []
        var refused: [Refused] = []
        for (position, member) in members.enumerated() {
            do throws(KeyRejection) {
                keys.append(try VerificationKey(member, issuer: issuer))
            } catch {
                refused.append(Refused(position: position, id: member.id, reason: .unusable(error)))
            }
        }
        self.keys = keys
        self.refused = refused
    }
}

// MARK: - Reading

extension JWKSet {
    /// Why a text is no key set.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// Not JSON, or without an array of keys.
        case malformed(JSON.Rejection)
        /// More keys than the limit.
        case tooManyKeys(found: Int, limit: Int)

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .malformed: "RFC7517-5"
            case .tooManyKeys: "threat-14"
            }
        }

        /// The rule that was broken.
        public var description: String {
            switch self {
            case .malformed(let rejection): "the key set is malformed: \(rejection)"
            case .tooManyKeys(let found, let limit): "\(found) keys in the set, at most \(limit) allowed"
            }
        }
    }

    /// Reads a set that belongs to an issuer.
    public init(
        parsing text: some Collection<UInt8>, issuer: Issuer? = nil, secrets: Secrets = .refused,
        limits: Limits = Limits()
    ) throws(Rejection) {
        let document: JSON.Document
        do throws(JSON.Rejection) {
            document = try JSON.Document(parsing: text, limits: JSON.Limits(size: limits.size, depth: 10))
        } catch {
            throw .malformed(error)
        }
        try self.init(document.root, issuer: issuer, secrets: secrets, limits: limits)
    }

    /// Reads a set that belongs to an issuer.
    public init(parsing text: String, issuer: Issuer? = nil, secrets: Secrets = .refused, limits: Limits = Limits())
        throws(Rejection)
    {
        try self.init(parsing: text.utf8, issuer: issuer, secrets: secrets, limits: limits)
    }

    /// Reads a set that is a value in a document.
    public init(
        _ value: JSON.Document.Value, issuer: Issuer? = nil, secrets: Secrets = .refused, limits: Limits = Limits()
    ) throws(Rejection) {
        let elements: JSON.Document.Array
        do throws(JSON.Rejection) {
            elements = try value.object()["keys"].array()
        } catch {
            throw .malformed(error)
        }
        guard elements.count <= limits.keys else { throw .tooManyKeys(found: elements.count, limit: limits.keys) }
        var members: [JWK] = []
        var keys: [VerificationKey] = []
        var refused: [Refused] = []
        for (position, element) in elements.enumerated() {
            do throws(JWK.Rejection) {
                let member = try Member(element, secrets)
                if let publicKey = member.publicKey { members.append(publicKey) }
                keys.append(try member.verificationKey(issuer))
            } catch {
                let id = try? element.object()["kid"].string()
                refused.append(Refused(position: position, id: id.flatMap { try? KeyID(parsing: $0) }, reason: error))
            }
        }
        self.members = members
        self.keys = keys
        self.refused = refused
    }

    private enum Member {
        case shown(JWK)
        case secret(JWK.Private)

        init(_ value: JSON.Document.Value, _ secrets: Secrets) throws(JWK.Rejection) {
            let members = try KeyMembers(value)
            let hasSecret = members.object.contains("d") || members.object.contains("k")
            self = secrets == .allowed && hasSecret ? .secret(try JWK.Private(value)) : .shown(try JWK(value))
        }

        /// What the set shows of the key when it is written again.
        var publicKey: JWK? {
            switch self {
            case .shown(let key): key
            case .secret(let key): key.publicKey
            }
        }

        func verificationKey(_ issuer: Issuer?) throws(JWK.Rejection) -> VerificationKey {
            do throws(KeyRejection) {
                switch self {
                case .shown(let key): return try VerificationKey(key, issuer: issuer)
                case .secret(let key): return try VerificationKey(key, issuer: issuer)
                }
            } catch {
                throw .unusable(error)
            }
        }
    }
}

// MARK: - Selecting and writing

extension JWKSet: JSON.Writable {
    /// The keys that a token with this name and algorithm may be signed by, for an issuer where one is given.
    public func keys(named id: KeyID?, for algorithm: Algorithm, of issuer: Issuer? = nil) -> [VerificationKey] {
        keys.filter { key in
            key.isNamed(id.map { JSON.Name($0.text) }) && key.algorithms.contains(algorithm)
                && (issuer == nil || key.issuer == nil || key.issuer == issuer)
        }
    }

    /// The set as a JSON text, with public keys only.
    public func encoded() -> [UInt8] { JSON.encodedObject { $0.member("keys", members) } }

    /// Writes the set as an object, with public keys only.
    public func write(to place: consuming JSON.ValueWriter) { place.object { $0.member("keys", members) } }
}

extension VerificationKey {
    /// Whether a token that names a key may mean this one: the names are the same, or one of the two does not name a
    /// key.
    func isNamed(_ name: JSON.Name?) -> Bool {
        guard let name, let id else { return true }
        return name == JSON.Name(id.text)
    }
}
