import JOSE
import Wire

/// The keys of a file, in whatever form they stand there: JWK, a set of them, PEM or DER.
struct KeyFile {
    /// How keys are written.
    enum Form: String, CaseIterable {
        case jwk, jwks, pem, der

        static let names = allCases.map(\.rawValue)
    }

    enum Key {
        case secret(JWK.Private)
        case shown(JWK)

        var isSecret: Bool {
            if case .secret = self { true } else { false }
        }

        var type: JWK.KeyType {
            switch self {
            case .secret(let key): key.type
            case .shown(let key): key.type
            }
        }

        var id: KeyID? {
            switch self {
            case .secret(let key): key.id
            case .shown(let key): key.id
            }
        }

        func thumbprint(_ hash: JWK.Thumbprint.Hash) throws(JWK.Rejection) -> JWK.Thumbprint {
            switch self {
            case .secret(let key): try key.thumbprint(hash)
            case .shown(let key): try key.thumbprint(hash)
            }
        }

        /// The key as one that checks signatures.
        func verificationKey() throws(JWK.Rejection) -> VerificationKey {
            switch self {
            case .secret(let key): try VerificationKey(key)
            case .shown(let key): try VerificationKey(key)
            }
        }
    }

    let keys: [Key]

    init(_ keys: [Key]) {
        self.keys = keys
    }

    var protection: Console.Protection { keys.contains(where: \.isSecret) ? .secret : .shared }
}

// MARK: - Reading

extension KeyFile {
    /// Reads the keys of a file; the form shows itself in the first bytes.
    init(reading path: String, from console: Console) throws(Failure) {
        try self.init(parsing: try console.read(path), of: path)
    }

    /// Reads keys from the bytes of a file.
    init(parsing bytes: [UInt8], of path: String) throws(Failure) {
        let what = "the key in \(Console.name(of: path)) is refused"
        let text = bytes.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
        if text.starts(with: "-----BEGIN".utf8) {
            let pem = String(decoding: text, as: UTF8.self)
            keys = [try Failure.refusing(what, try Self.key(pem: pem))]
        } else if bytes.first == 0x30 {
            // The tag of a SEQUENCE; no text in JSON or PEM begins with the digit that it looks like.
            keys = [try Failure.refusing(what, try Self.key(der: bytes))]
        } else {
            keys = try Self.keys(json: bytes, what)
        }
    }

    private static func key(pem text: String) throws(JWK.Rejection) -> Key {
        let isSecret = text.prefix { $0 != "\n" && $0 != "\r\n" }.contains("PRIVATE KEY")
        if isSecret { return .secret(JWK.Private(try PrivateKeyDocument(pemRepresentation: text))) }
        return .shown(JWK(try PublicKeyDocument(pemRepresentation: text)))
    }

    private static func key(der bytes: [UInt8]) throws(JWK.Rejection) -> Key {
        do throws(JWK.Rejection) {
            return .secret(JWK.Private(try PrivateKeyDocument(derRepresentation: bytes)))
        } catch {
            guard case .otherDocument(found: "PUBLIC KEY", _) = error else { throw error }
            return .shown(JWK(try PublicKeyDocument(derRepresentation: bytes)))
        }
    }

    private static func keys(json bytes: [UInt8], _ what: String) throws(Failure) -> [Key] {
        let root = try Failure.refusing(
            what + ": it is no JWK, PEM or DER",
            try JSON.Document(parsing: bytes, limits: JSON.Limits(size: 64 << 10, depth: 10)).root)
        guard let set = try? root.object().optional("keys") else { return [try key(json: root, what)] }
        guard let elements = try? set.array() else { throw .refused(what, "'keys' is not an array", "RFC7517-5") }
        guard elements.count <= 128 else { throw .refused(what, "a set has at most 128 keys", "threat-14") }
        var keys: [Key] = []
        for (index, element) in elements.enumerated() {
            keys.append(try key(json: element, "\(what): key \(index + 1) of \(elements.count)"))
        }
        return keys
    }

    private static func key(json value: JSON.Document.Value, _ what: String) throws(Failure) -> Key {
        let isSecret = ["d", "k", "priv"].contains { (try? value.object().contains($0)) ?? false }
        if isSecret { return .secret(try Failure.refusing(what, try JWK.Private(value))) }
        return .shown(try Failure.refusing(what, try JWK(value)))
    }
}

// MARK: - Using

extension KeyFile {
    /// The public halves of all keys.
    func shown() throws(Failure) -> KeyFile {
        var shown: [Key] = []
        for key in keys {
            switch key {
            case .shown: shown.append(key)
            case .secret(let pair):
                guard let half = pair.publicKey else { throw .refused("a symmetric key has no public half") }
                shown.append(.shown(half))
            }
        }
        return KeyFile(shown)
    }

    /// The one key of the document, or the one of a name.
    func only(named name: KeyID? = nil, otherwise advice: String = "") throws(Failure) -> Key {
        let named = name.map { name in keys.filter { $0.id == name } } ?? keys
        if named.count == 1 { return named[0] }
        throw .refused(
            name.map { "there are \(named.count) keys named '\($0)'" }
                ?? "there are \(named.count) keys where one is expected" + advice)
    }

    /// The keys in a form.
    func encoded(as form: Form) throws(Failure) -> [UInt8] {
        switch form {
        case .jwk: return try Self.json(only(otherwise: "; '--to jwks' writes a set")).encoded() + [0x0a]
        case .jwks:
            var members: [JSON] = []
            for key in keys { members.append(try Self.json(key)) }
            return JSON.object(["keys": .array(members)]).encoded() + [0x0a]
        case .pem: return Array(try Self.document(only()).pem.utf8)
        case .der: return try Self.document(only()).der
        }
    }

    private static func json(_ key: Key) throws(Failure) -> JSON {
        let text: [UInt8]?
        switch key {
        case .shown(let key): text = key.encoded()
        case .secret(let key): text = key.encoded()
        }
        // What the key has written is JSON.
        guard let text, let json = try? JSON(parsing: text) else {
            throw .refused("private keys of the type '\(key.type)' are not kept, so they cannot be written")
        }
        return json
    }

    /// What a key is in PEM and DER; symmetric keys and types that are not computed with have no such form here.
    private static func document(_ key: Key) throws(Failure) -> (pem: String, der: [UInt8]) {
        switch key {
        case .shown(let key):
            if let document = key.document { return (document.pemRepresentation, document.derRepresentation) }
        case .secret(let key):
            if let document = key.document { return (document.pemRepresentation, document.derRepresentation) }
        }
        throw .refused("keys of the type '\(key.type)' are not written as PEM and DER")
    }
}
