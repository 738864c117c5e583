public import Wire

/// The family of a key (`kty`, RFC 7517 §4.1).
public struct KeyType: RegisteredName {
    /// The name, which is compared byte by byte.
    public let name: JSON.Name

    /// The key type of this name.
    public init(_ name: JSON.Name) { self.name = name }

    /// Edwards and Montgomery curves (`OKP`, RFC 8037).
    public static let octetKeyPair: KeyType = "OKP"
    /// Symmetric keys (`oct`, RFC 7518 §6.4).
    public static let octetSequence: KeyType = "oct"
    /// Weierstrass curves (`EC`, RFC 7518 §6.2), which this module names and does not compute with.
    public static let ellipticCurve: KeyType = "EC"
    /// RSA (RFC 7518 §6.3), which this module names and does not compute with.
    public static let rsa: KeyType = "RSA"
}

/// What a key is meant for (`use`, RFC 7517 §4.2).
public struct KeyUse: RegisteredName {
    /// The name, which is compared byte by byte.
    public let name: JSON.Name

    /// The use of this name.
    public init(_ name: JSON.Name) { self.name = name }

    /// Signatures and message authentication codes.
    public static let signature: KeyUse = "sig"
    /// Encryption.
    public static let encryption: KeyUse = "enc"
}

/// Something that may be done with a key (`key_ops`, RFC 7517 §4.3).
public struct KeyOperation: RegisteredName {
    /// The name, which is compared byte by byte.
    public let name: JSON.Name

    /// The operation of this name.
    public init(_ name: JSON.Name) { self.name = name }

    /// Computing signatures or message authentication codes.
    public static let sign: KeyOperation = "sign"
    /// Checking signatures or message authentication codes.
    public static let verify: KeyOperation = "verify"

    /// The `use` that covers the operation, as far as RFC 7517 registers both.
    var use: KeyUse? {
        switch self {
        case .sign, .verify: .signature
        case "encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits": .encryption
        default: nil
        }
    }
}

/// The members that every key may have beside its material (RFC 7517 §4).
public struct KeyAttributes: Hashable, Sendable {
    /// The key's name.
    public var id: KeyID?
    /// What the key is meant for.
    public var use: KeyUse?
    /// What may be done with the key; nothing said is nothing forbidden.
    public var operations: [KeyOperation]?
    /// The one algorithm that the key is for.
    public var algorithm: Algorithm?
    /// Members that this module does not interpret, in their order.
    public var others = JSON.Object()

    /// Attributes of a key; what is not given stays unsaid.
    public init(id: KeyID? = nil, use: KeyUse? = nil, operations: [KeyOperation]? = nil, algorithm: Algorithm? = nil) {
        self.id = id
        self.use = use
        self.operations = operations
        self.algorithm = algorithm
    }
}

extension KeyAttributes {
    /// Reads the attributes of a key; members of its material are named so that they do not count as unknown.
    init(_ key: KeyMembers, material: [JSON.Name]) throws(JWK.Rejection) {
        if let name = try key.optionalText("kid") {
            do throws(SyntaxError) {
                id = try KeyID(parsing: name)
            } catch {
                throw .malformedID(error)
            }
        }
        use = try key.optionalText("use").map { KeyUse(JSON.Name($0)) }
        if let name = try key.optionalText("alg") {
            guard let algorithm = Algorithm(name) else { throw .unsecuredAlgorithm }
            self.algorithm = algorithm
        }
        if let names = try key.optionalTexts("key_ops") {
            var operations: [KeyOperation] = []
            for name in names {
                let operation = KeyOperation(JSON.Name(name))
                guard !operations.contains(operation) else { throw .repeatedOperation(operation) }
                if let use, let covering = operation.use, covering != use { throw .inconsistentUse(use, operation) }
                operations.append(operation)
            }
            self.operations = operations
        }
        let known = material + ["kty", "kid", "use", "key_ops", "alg"]
        for member in key.object {
            let name = member.name
            if !known.contains(name) { others[name] = member.value.tree() }
        }
    }

    /// Whether the key may do what is asked, and with which of these algorithms: all that fit, or the one it names.
    func algorithms(for operation: KeyOperation, among fitting: [Algorithm], type: KeyType) throws(KeyRejection)
        -> [Algorithm]
    {
        if let use, use != .signature { throw .otherUse(found: use) }
        if let operations, !operations.contains(operation) { throw .operationNotAllowed(operation) }
        guard let algorithm else { return fitting }
        guard fitting.contains(algorithm) else { throw .otherAlgorithm(algorithm, type) }
        return [algorithm]
    }

    /// Writes the attributes into a key's object.
    func write(to object: inout JSON.ObjectWriter) {
        object.member("kid", ifPresent: id?.text)
        object.member("use", ifPresent: use?.name.text)
        object.member("key_ops", ifPresent: operations?.map { $0.name.text })
        object.member("alg", ifPresent: algorithm?.name.text)
        for member in others { object.member(member.name, member.value) }
    }
}
