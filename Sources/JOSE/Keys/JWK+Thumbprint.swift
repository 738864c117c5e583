import PureCrypto
import Wire

extension JWK {
    /// The digest of a key's required members, which names the key by what it is (RFC 7638).
    public struct Thumbprint: Hashable, Sendable {
        /// A hash with the name that it has in the URI form (RFC 9278 §5).
        public enum Hash: String, Sendable {
            /// SHA-256, which is meant wherever nothing else is said.
            case sha256 = "sha-256"
            /// SHA-384.
            case sha384 = "sha-384"
            /// SHA-512.
            case sha512 = "sha-512"

            /// The hash's name in the registry of named information.
            package var name: String { rawValue }

            fileprivate var byteCount: Int {
                switch self {
                case .sha256: SHA256.byteCount
                case .sha384: SHA384.byteCount
                case .sha512: SHA512.byteCount
                }
            }

            fileprivate func digest(of bytes: [UInt8]) -> [UInt8] {
                switch self {
                case .sha256: [UInt8](SHA256.hash(data: bytes))
                case .sha384: [UInt8](SHA384.hash(data: bytes))
                case .sha512: [UInt8](SHA512.hash(data: bytes))
                }
            }
        }

        /// The hash that the digest is of.
        package let hash: Hash
        /// The digest.
        package let bytes: [UInt8]

        /// The digest as Base64url, which is how `jkt` and key names carry it.
        public var text: String { Base64URL.encode(bytes) }

        /// The URI form: `urn:ietf:params:oauth:jwk-thumbprint:sha-256:…` (RFC 9278).
        package var uri: String { Self.uriPrefix + hash.name + ":" + text }

        private static let uriPrefix = "urn:ietf:params:oauth:jwk-thumbprint:"

        /// Digests a text of required members.
        fileprivate init(ofText text: String, _ hash: Hash) {
            self.hash = hash
            bytes = hash.digest(of: Array(text.utf8))
        }

        fileprivate init(of members: JSON.Object, _ hash: Hash) {
            self.hash = hash
            bytes = hash.digest(of: JSON.object(members).encoded())
        }

        /// Reads a digest from Base64url; `nil` if it is not Base64url, or not as long as the hash's digests.
        public init?(_ text: String, _ hash: Hash = .sha256) {
            guard let bytes = try? Base64URL.decode(text), bytes.count == hash.byteCount else { return nil }
            self.hash = hash
            self.bytes = bytes
        }
    }

    /// The thumbprint of the key; refused for types whose required members are not registered.
    public func thumbprint(_ hash: Thumbprint.Hash = .sha256) throws(Rejection) -> Thumbprint {
        // RFC 7638 §3: the required members alone, in the order of their names, without white space.
        switch material {
        case .p256(let key): return Self.thumbprint(key, hash)
        case .p384(let key): return Self.thumbprint(key, hash)
        case .p521(let key): return Self.thumbprint(key, hash)
        case .rsa(let key):
            let (modulus, exponent) = (Base64URL.encode(key.modulus), Base64URL.encode(key.exponent))
            return Thumbprint(of: ["e": .string(exponent), "kty": "RSA", "n": .string(modulus)], hash)
        case .ed25519(let key):
            let x = Base64URL.encode(key.rawRepresentation)
            // Base64url and these names stand in JSON as they are.
            return Thumbprint(ofText: #"{"crv":"Ed25519","kty":"OKP","x":""# + x + #""}"#, hash)
        case .foreign(let type, let members):
            let names: [JSON.Name]
            switch type {
            case .octetKeyPair: names = ["crv", "x"]
            case .ellipticCurve: names = ["crv", "x", "y"]
            default: throw .unsupportedType(type)
            }
            var required: JSON.Object = ["kty": .string(type.name.text)]
            for name in names { required[name] = members[name] }
            let ordered = required.sorted { $0.name < $1.name }.map { ($0.name, $0.value) }
            return Thumbprint(of: JSON.Object(ordered), hash)
        }
    }

    private static func thumbprint<Key: CurvePublicKey>(_ key: Key, _ hash: Thumbprint.Hash) -> Thumbprint {
        let point = key.x963Representation
        let (x, y) = (point[1...].prefix(Key.curve.coordinateLength), point.suffix(Key.curve.coordinateLength))
        let text =
            #"{"crv":""# + Key.curve.description + #"","kty":"EC","x":""# + Base64URL.encode(x) + #"","y":""#
            + Base64URL.encode(y) + #""}"#
        return Thumbprint(ofText: text, hash)
    }
}

extension JWK.Private {
    /// The thumbprint of the key: for a pair that of its public half.
    ///
    /// That of a symmetric key can be tried out by guessing where the key is weak.
    package func thumbprint(_ hash: JWK.Thumbprint.Hash = .sha256) throws(JWK.Rejection) -> JWK.Thumbprint {
        if case .symmetric(let secret) = material {
            return JWK.Thumbprint(of: ["k": .string(secret.withSpan { Base64URL.encode($0) }), "kty": "oct"], hash)
        }
        guard let publicKey else { throw .unsupportedType(type) }
        return try publicKey.thumbprint(hash)
    }
}
