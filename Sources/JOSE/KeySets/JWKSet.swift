public import Wire

/// A set of keys (RFC 7517 §5), each by itself usable or refused with its reason: one strange key does not spoil the
/// others.
///
/// Keys belong to the issuer that the set is read for. Names need not be unique: keys that share one are all candidates
/// for a token that names it, are told apart by algorithm, and are tried in their order; what was verified says which
/// key it was.
public struct JWKSet: Sendable, JSON.Writable {
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
    public private(set) var members: [JWK] = []
    /// The keys that check signatures.
    package private(set) var keys: [VerificationKey] = []
    /// The keys that do not.
    public private(set) var refused: [Refused] = []

    /// A set of these keys, of which those that may check signatures do.
    public init(_ members: [JWK], of issuer: Issuer? = nil) {
        self.members = members
        for (position, member) in members.enumerated() {
            do throws(JWK.Rejection) {
                keys.append(try VerificationKey(member, issuer: issuer))
            } catch {
                refused.append(Refused(position: position, id: member.id, reason: error))
            }
        }
    }
}

// MARK: - Reading

extension JWKSet {
    /// Reads the set of an issuer; symmetric and private keys are taken only from a party's own set, which allows
    /// secrets.
    public init(
        parsing text: some Collection<UInt8>, of issuer: Issuer? = nil, allowingSecrets: Bool = false,
        limits: Limits = Limits()
    ) throws(JWK.Rejection) {
        let limit = JSON.Limits(size: limits.size, depth: 10)
        let document = try wrapping(JWK.Rejection.malformedSet, try JSON.Document(parsing: text, limits: limit))
        try self.init(document.root, of: issuer, allowingSecrets: allowingSecrets, limits: limits)
    }

    /// Reads the set of an issuer; symmetric and private keys are taken only from a party's own set, which allows
    /// secrets.
    public init(
        parsing text: String, of issuer: Issuer? = nil, allowingSecrets: Bool = false, limits: Limits = Limits()
    ) throws(JWK.Rejection) {
        try self.init(parsing: text.utf8, of: issuer, allowingSecrets: allowingSecrets, limits: limits)
    }

    /// Reads a set that is a value in a document.
    package init(
        _ value: JSON.Document.Value, of issuer: Issuer? = nil, allowingSecrets: Bool = false,
        limits: Limits = Limits()
    ) throws(JWK.Rejection) {
        let elements = try wrapping(JWK.Rejection.malformedSet, try value.object()["keys"].array())
        guard elements.count <= limits.keys else { throw .tooManyKeys(found: elements.count, limit: limits.keys) }
        for (position, element) in elements.enumerated() {
            do throws(JWK.Rejection) {
                try take(element, issuer, allowingSecrets)
            } catch {
                let id = (try? element.object()["kid"].string()).flatMap { try? KeyID(parsing: $0) }
                refused.append(Refused(position: position, id: id, reason: error))
            }
        }
    }

    /// Refuses what others could not read, whose bounds are these.
    package func checkSize(within limits: Limits = Limits()) throws(JWK.Rejection) {
        guard members.count <= limits.keys else { throw .tooManyKeys(found: members.count, limit: limits.keys) }
        let size = encoded().count
        guard size <= limits.size else { throw .malformedSet(.tooLarge(size: size, limit: limits.size)) }
    }

    private mutating func take(_ value: JSON.Document.Value, _ issuer: Issuer?, _ allowsSecrets: Bool)
        throws(JWK.Rejection)
    {
        let object = try KeyMembers(value).object
        if allowsSecrets, object.contains("d") || object.contains("k") {
            let key = try JWK.Private(value)
            if let publicKey = key.publicKey { members.append(publicKey) }
            keys.append(try VerificationKey(key, issuer: issuer))
        } else {
            let key = try JWK(value)
            members.append(key)
            keys.append(try VerificationKey(key, issuer: issuer))
        }
    }
}

// MARK: - Selecting and writing

extension JWKSet {
    /// The keys that a token with this name and algorithm may be signed by, for an issuer where one is given.
    package func keys(named id: KeyID?, for algorithm: Algorithm, of issuer: Issuer? = nil) -> [VerificationKey] {
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
