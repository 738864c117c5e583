public import Wire

extension JWK {
    /// A name from one of the registries for keys (RFC 7517 §8), compared byte by byte.
    ///
    /// The registries are open, so any name can be made; the registered ones that matter here are static members.
    public struct RegisteredName<Registry>: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name.
        public let name: JSON.Name

        /// Takes a name.
        public init(_ name: JSON.Name) { self.name = name }

        /// Takes a name.
        public init(stringLiteral name: String) { self.init(JSON.Name(name)) }

        /// The name.
        public var description: String { name.text }
    }

    /// The registry of key types.
    public enum KeyTypes {}
    /// The registry of uses.
    public enum Uses {}
    /// The registry of operations.
    public enum Operations {}

    /// The family of a key (`kty`, RFC 7517 §4.1).
    public typealias KeyType = RegisteredName<KeyTypes>
    /// What a key is meant for (`use`, RFC 7517 §4.2).
    public typealias Use = RegisteredName<Uses>
    /// Something that may be done with a key (`key_ops`, RFC 7517 §4.3).
    public typealias Operation = RegisteredName<Operations>
}

extension JWK.RegisteredName<JWK.KeyTypes> {
    /// Edwards and Montgomery curves (`OKP`, RFC 8037).
    package static var octetKeyPair: Self { "OKP" }
    /// Symmetric keys (`oct`, RFC 7518 §6.4).
    package static var octetSequence: Self { "oct" }
    /// Weierstrass curves (`EC`, RFC 7518 §6.2).
    package static var ellipticCurve: Self { "EC" }
    /// RSA (RFC 7518 §6.3), whose private keys this module refuses.
    package static var rsa: Self { "RSA" }
}

extension JWK.RegisteredName<JWK.Uses> {
    /// Signatures and message authentication codes.
    package static var signature: Self { "sig" }
    /// Encryption.
    package static var encryption: Self { "enc" }
}

extension JWK.RegisteredName<JWK.Operations> {
    /// Computing signatures or message authentication codes.
    package static var sign: Self { "sign" }
    /// Checking signatures or message authentication codes.
    package static var verify: Self { "verify" }

    /// The `use` that covers the operation, as far as RFC 7517 registers both.
    var use: JWK.Use? {
        switch self {
        case .sign, .verify: .signature
        case "encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits": .encryption
        default: nil
        }
    }
}

extension JWK {
    /// The members that every key may have beside its material (RFC 7517 §4).
    public struct Attributes: Hashable, Sendable {
        /// The key's name.
        public var id: KeyID?
        /// What the key is meant for.
        public var use: Use?
        /// What may be done with the key; `nil` forbids nothing.
        public var operations: [Operation]?
        /// The one algorithm that the key is for.
        public var algorithm: Algorithm?
        /// That the key is withdrawn, and since when nothing that it signed counts; `nil` while it is good.
        public var withdrawal: JWK.Withdrawal?
        /// Members that this module does not interpret, in their order.
        public var others = JSON.Object()

        /// Attributes of a key; what is not given stays unsaid.
        public init(id: KeyID? = nil, use: Use? = nil, operations: [Operation]? = nil, algorithm: Algorithm? = nil) {
            self.id = id
            self.use = use
            self.operations = operations
            self.algorithm = algorithm
        }
    }
}

extension JWK {
    /// That a key's owner stands by it no longer, published with the key (`revoked`, OpenID Federation 1.0 §8.7).
    ///
    /// A withdrawn key checks nothing. Its name stays taken: whoever has seen it withdrawn never takes it again.
    public struct Withdrawal: Hashable, Sendable {
        /// The time since which somebody else may have signed with the key.
        public let since: Timestamp
        /// Why, in a word for people: `compromised`, `superseded` or another one.
        public var reason: String?

        /// A withdrawal.
        public init(since: Timestamp, reason: String? = nil) {
            self.since = since
            self.reason = reason
        }
    }
}

extension JWK.Withdrawal {
    fileprivate init(_ value: JSON.Document.Value) throws(JWK.Rejection) {
        let members = try wrapping(JWK.Rejection.malformed, try value.object())
        let seconds = try wrapping(JWK.Rejection.malformed, try members["revoked_at"].integer(as: Int64.self))
        var reason: String?
        if let value = members.optional("reason") {
            reason = try wrapping(JWK.Rejection.malformed, try value.string())
        }
        self.init(since: Timestamp(seconds: seconds), reason: reason)
    }

    fileprivate func write(to object: inout JSON.ObjectWriter) {
        object.member("revoked_at", since.seconds)
        object.member("reason", ifPresent: reason)
    }
}

extension JWK.Attributes {
    /// Reads the attributes of a key; members of its material are named so that they do not count as unknown.
    init(_ key: KeyMembers, material: [JSON.Name]) throws(JWK.Rejection) {
        if let name = try key.optionalText("kid") {
            id = try wrapping(JWK.Rejection.malformedID, try KeyID(parsing: name))
        }
        use = try key.optionalText("use").map { JWK.Use(JSON.Name($0)) }
        if let name = try key.optionalText("alg") {
            guard let algorithm = Algorithm(name) else { throw .unsecuredAlgorithm }
            self.algorithm = algorithm
        }
        if let names = try key.optionalTexts("key_ops") {
            var operations: [JWK.Operation] = []
            for name in names {
                let operation = JWK.Operation(JSON.Name(name))
                guard !operations.contains(operation) else { throw .repeatedOperation(operation) }
                if let use, let covering = operation.use, covering != use { throw .inconsistentUse(use, operation) }
                operations.append(operation)
            }
            self.operations = operations
        }
        withdrawal = try key.object.optional("revoked").map { value throws(JWK.Rejection) in try JWK.Withdrawal(value) }
        let known = material + ["kty", "kid", "use", "key_ops", "alg", "revoked"]
        for member in key.object {
            let name = member.name
            if !known.contains(name) { others[name] = member.value.tree() }
        }
    }

    /// Whether the key may do what is asked, and with which of these algorithms: all that fit, or the one it names.
    func algorithms(for operation: JWK.Operation, among fitting: [Algorithm], type: JWK.KeyType)
        throws(JWK.Rejection) -> [Algorithm]
    {
        if withdrawal != nil { throw .withdrawn }
        if let use, use != .signature { throw .otherUse(found: use) }
        if let operations, !operations.contains(operation) { throw .operationNotAllowed(operation) }
        guard let algorithm else { return fitting }
        guard fitting.contains(algorithm) else { throw .otherAlgorithm(algorithm, type) }
        return [algorithm]
    }

    /// A key that computes with one thing and names an algorithm of another contradicts itself.
    func refuseOtherAlgorithm(than fitting: [Algorithm], type: JWK.KeyType) throws(JWK.Rejection) {
        guard let algorithm, !fitting.contains(algorithm) else { return }
        // Nothing but signing is done with Ed25519; keys of the other types serve many algorithms beside those that are
        // built in, encryption among them.
        guard algorithm.row == nil, type != .octetKeyPair else { throw .otherAlgorithm(algorithm, type) }
    }

    /// Writes the attributes into a key's object.
    func write(to object: inout JSON.ObjectWriter) {
        object.member("kid", ifPresent: id?.text)
        object.member("use", ifPresent: use?.name.text)
        object.member("key_ops", ifPresent: operations?.map { $0.name.text })
        object.member("alg", ifPresent: algorithm?.name.text)
        if let withdrawal { object.object("revoked") { withdrawal.write(to: &$0) } }
        for member in others { object.member(member.name, member.value) }
    }
}

extension JWK {
    /// Whether the key's attributes permit that it checks signatures by an algorithm of somebody else's arithmetic.
    package func permitsVerification(by algorithm: Algorithm) throws(Rejection) -> Bool {
        let fitting = try attributes.algorithms(for: .verify, among: [algorithm], type: type)
        return !fitting.isEmpty
    }
}
