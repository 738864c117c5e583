import JOSE
import PureCrypto
import Wire

/// Making, reading and converting keys.
enum Keys {
    static let command = Command(
        name: "key", abstract: "Make, show, name and convert keys.",
        discussion: """
            Keys are read as JWK (RFC 7517), as a set of them, or as PEM or DER (PKCS #8,
            SubjectPublicKeyInfo and, for private keys of a curve, SEC 1); the form is recognized.
            Ed25519, P-256, P-384, P-521 and symmetric keys are computed with, and so are public
            keys of RSA; private ones are refused. Public keys of other types pass through.
            """, subcommands: [generate, publicKey, thumbprint, convert])

    private static let file = Argument(
        name: "file", kind: .file, abstract: "The file with the key ('-' for standard input).")
    private static let to = Option(
        name: "to", value: "form", abstract: "The form to write.", kind: .choice(KeyFile.Form.names), fallback: "jwk")

    private static func form(_ invocation: Invocation) -> KeyFile.Form {
        invocation[to].flatMap(KeyFile.Form.init) ?? .jwk
    }

    // MARK: generate

    /// The types of key pairs, each with what it signs with; the first is made where nothing is said.
    private static let types: [(name: String, algorithms: [Algorithm])] = [
        ("ed25519", [.edDSA, .ed25519]), ("p256", [.es256]), ("p384", [.es384]),
    ]
    private static let type = Option(
        name: "type", value: "name", abstract: "The type of key pair (default: the one that the algorithm is for).",
        kind: .choice(types.map(\.name)))
    private static let algorithm = Option(
        name: "algorithm", value: "name",
        abstract: "What the key signs with (default: EdDSA, or what its type is for).",
        kind: .choice(["EdDSA", "Ed25519", "ES256", "ES384", "HS256", "HS384", "HS512"]))
    private static let id = Option(
        name: "id", value: "name", abstract: "The key's name, 'kid' (default: the thumbprint, for key pairs).")

    private static let generate = Command(
        name: "generate", abstract: "Make a new private or symmetric key.",
        options: [type, algorithm, id, to, .out, .force],
        discussion: """
            Files made with '--out' can be read by their owner alone. The names EdDSA and Ed25519
            mean the same signatures; which of them tokens carry is the only difference.
            """
    ) { (invocation, console) throws(Failure) in
        let algorithm = try chosen(invocation)
        var attributes = JWK.Attributes(use: .signature, algorithm: algorithm)
        if let name = invocation[id] { attributes.id = try invocation.identifier(id, name) }
        let lengths: [Algorithm: Int] = [.hs256: 256, .hs384: 384, .hs512: 512]
        var key: JWK.Private
        if let length = lengths[algorithm] {
            let secret = SymmetricKey(size: SymmetricKey.Size(bitCount: length), using: &console.entropy)
            guard let made = try? JWK.Private(secret, attributes: attributes) else {
                throw .refused("the key could not be made")
            }
            key = made
        } else {
            key = pair(for: algorithm, attributes, using: &console.entropy)
            if key.id == nil { key.attributes.id = (try? key.thumbprint()).flatMap { try? KeyID(parsing: $0.text) } }
        }
        try invocation.deliver(KeyFile([.secret(key)]).encoded(as: form(invocation)), .secret, to: &console)
    }

    /// The algorithm that is asked for, or that of the type that is.
    private static func chosen(_ invocation: Invocation) throws(Failure) -> Algorithm {
        let pair = types.first { $0.name == invocation[type] }
        guard let algorithm = invocation[algorithm].flatMap({ Algorithm($0) }) else {
            return pair?.algorithms.first ?? .edDSA
        }
        if let pair, !pair.algorithms.contains(algorithm) {
            throw .misuse("A key of the type \(pair.name) does not sign with \(algorithm)")
        }
        return algorithm
    }

    private static func pair(
        for algorithm: Algorithm, _ attributes: JWK.Attributes, using entropy: inout some RandomNumberGenerator
    ) -> JWK.Private {
        switch algorithm {
        case .es256: JWK.Private(P256.Signing.PrivateKey(using: &entropy), attributes: attributes)
        case .es384: JWK.Private(P384.Signing.PrivateKey(using: &entropy), attributes: attributes)
        default: JWK.Private(Curve25519.Signing.PrivateKey(using: &entropy), attributes: attributes)
        }
    }

    // MARK: public

    private static let publicKey = Command(
        name: "public", abstract: "Show the public half of a key.", arguments: [file], options: [to, .out, .force],
        discussion: "Of a set, the public halves of all keys; write it with '--to jwks'."
    ) { (invocation, console) throws(Failure) in
        let document = try KeyFile(reading: invocation.required(file), from: console).shown()
        try invocation.deliver(document.encoded(as: form(invocation)), .shared, to: &console)
    }

    // MARK: thumbprint

    private static let hash = Option(
        name: "hash", value: "name", abstract: "The hash.", kind: .choice(["sha-256", "sha-384", "sha-512"]),
        fallback: "sha-256")
    private static let uri = Option(name: "uri", abstract: "Show the URI form (RFC 9278).")

    private static let thumbprint = Command(
        name: "thumbprint", abstract: "Show the thumbprint of each key (RFC 7638).", arguments: [file],
        options: [hash, uri, .output],
        discussion: """
            For a pair it is that of the public half. That of a symmetric key lets others try out
            guesses where the key is weak.

            As JSON: keys, an array of objects with thumbprint, uri, hash and, where the key has a
            name, kid.
            """
    ) { (invocation, console) throws(Failure) in
        let hash: JWK.Thumbprint.Hash =
            switch invocation[hash] {
            case "sha-384": .sha384
            case "sha-512": .sha512
            default: .sha256
            }
        let document = try KeyFile(reading: invocation.required(file), from: console)
        var rows: [JSON] = []
        for key in document.keys {
            let thumbprint = try Failure.refusing("the key has no thumbprint", try key.thumbprint(hash))
            if !invocation.isForPrograms { console.say(invocation.has(uri) ? thumbprint.uri : thumbprint.text) }
            var row: JSON.Object = [
                "thumbprint": .string(thumbprint.text), "uri": .string(thumbprint.uri), "hash": .string(hash.name),
            ]
            row["kid"] = key.id.map { .string($0.text) }
            rows.append(.object(row))
        }
        if invocation.isForPrograms { console.report(["keys": .array(rows)]) }
    }

    // MARK: convert

    private static let convert = Command(
        name: "convert", abstract: "Write a key in another form.", arguments: [file], options: [to, .out, .force],
        discussion: """
            A private key stays one. PEM and DER are for one key that is not symmetric, and say
            nothing of its name, use and algorithm.
            """
    ) { (invocation, console) throws(Failure) in
        let document = try KeyFile(reading: invocation.required(file), from: console)
        try invocation.deliver(document.encoded(as: form(invocation)), document.protection, to: &console)
    }
}
