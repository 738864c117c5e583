public import JOSE
public import Wire

/// What a token endpoint gives (RFC 6749 §5.1): an access token, how it is to be presented, and how long and for what
/// it is good.
public struct TokenResponse: Sendable {
    /// What opens the resources, opaque to its holder.
    public let accessToken: AccessToken
    /// How it is to be presented.
    public let type: TokenType
    /// For how many seconds from now it is good, where that is known.
    public var lifetime: Int64?
    /// What renews it.
    public var refreshToken: RefreshToken?
    /// What it is good for; nothing where that is exactly what was asked for.
    public var scope: Scope?
    /// The key that the token is bound to, where the holder learns something about it (RFC 9201 §3.2).
    public var confirmation: Confirmation?
    /// Members that are not interpreted here.
    public var others = JSON.Object()

    /// How an access token is to be presented (`token_type`, RFC 6749 §7.1): a word of an open registry, in which case
    /// says nothing.
    public struct TokenType: Hashable, Sendable, CustomStringConvertible {
        /// The word as it was written.
        public let text: String

        /// Reads a word.
        public init(_ text: String) { self.text = text }

        /// RFC 6750: good for whoever bears it.
        public static let bearer = TokenType("Bearer")
        /// RFC 9200 §5.8.4.3: good with a proof of the key that it is bound to.
        public static let proofOfPossession = TokenType("PoP")
        /// RFC 9449 §5: good with a DPoP proof.
        public static let dpop = TokenType("DPoP")

        /// The word as it was written.
        public var description: String { text }

        /// Whether the words differ in case at most.
        public static func == (one: TokenType, other: TokenType) -> Bool {
            one.text.utf8.elementsEqual(other.text.utf8) { lowercased($0) == lowercased($1) }
        }

        /// Feeds the bytes without their case.
        public func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(Self.lowercased(byte)) }
        }

        private static func lowercased(_ byte: UInt8) -> UInt8 {
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
        }
    }

    /// What a holder learns about the key that a token is bound to.
    public enum Confirmation: Sendable {
        /// Which of the holder's keys it is, and the name that the issuer gave it.
        case held(JWT.Confirmation)
        /// A symmetric key that the issuer made, told this once; its `kid` is the name to present it by.
        case made(JWK.Private)
    }

    /// Gives a token.
    public init(_ accessToken: AccessToken, _ type: TokenType) {
        self.accessToken = accessToken
        self.type = type
    }
}

extension TokenResponse.Confirmation {
    /// The name that the issuer gave the key, under which request tokens present it.
    public var keyID: KeyID? {
        switch self {
        case .held(let confirmation): confirmation.keyID ?? confirmation.key?.id
        case .made(let key): key.id
        }
    }
}

// MARK: - Writing

extension TokenResponse: JSON.Writable {
    /// Writes the members as they stand in the answer and in an authorization on the device.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { write(to: &$0) }
    }

    /// The answer; nobody may keep it.
    public func encoded() -> HTTP.Response { .json { write(to: &$0) } }

    private func write(to object: inout JSON.ObjectWriter) {
        object.member("access_token", accessToken.secret)
        object.member("token_type", type.text)
        object.member("expires_in", ifPresent: lifetime)
        object.member("refresh_token", ifPresent: refreshToken?.secret)
        if let scope, !scope.isEmpty { object.member("scope", scope.text) }
        switch confirmation {
        case .held(let confirmation): object.member("cnf", confirmation)
        case .made(let key): object.object("cnf") { $0.member("jwk", key.tree) }
        case nil: break
        }
        for member in others where !Self.interpreted.contains(member.name) { object.member(member.name, member.value) }
    }

    private static let interpreted: [JSON.Name] = [
        "access_token", "token_type", "expires_in", "refresh_token", "scope", "cnf",
    ]
}

extension JWK.Private {
    /// The key as JSON; of a key that only the embedder computes with there is nothing to tell.
    fileprivate var tree: JSON {
        guard let text = encoded(), let json = try? JSON(parsing: text) else { return .null }
        return json
    }
}

// MARK: - Reading

extension TokenResponse {
    /// Reads a successful answer.
    public init(parsing response: HTTP.Response) throws(ParameterRejection) {
        try self.init(try Parameters(answer: response))
    }

    /// Reads the members from a JSON text, such as an authorization on the device has.
    public init(parsing text: [UInt8]) throws(ParameterRejection) {
        try self.init(parsing: text, knowing: nil)
    }

    /// Reads the members from a JSON text.
    ///
    /// - Parameter known: a key that the token may well be bound to; then its point need not be found again.
    package init(parsing text: [UInt8], knowing known: JWK?) throws(ParameterRejection) {
        try self.init(try Parameters(json: text), known)
    }

    private init(_ members: Parameters, _ known: JWK? = nil) throws(ParameterRejection) {
        let type = TokenType(try members.required("token_type", try members.text("token_type")))
        self.init(try members.required("access_token", try members.secret("access_token")), type)
        lifetime = try members.seconds("expires_in")
        refreshToken = try members.secret("refresh_token")
        scope = try members.scope()
        if let value = members.json("cnf") { confirmation = try Confirmation(value, known) }
        others = members.others(beside: Self.interpreted)
    }
}

extension TokenResponse.Confirmation {
    fileprivate init(_ value: JSON.Document.Value, _ known: JWK?) throws(ParameterRejection) {
        guard let key = try? value.object().optional("jwk"), let members = try? key.object(),
            members.optional("kty")?.isString(JWK.KeyType.octetSequence.name.text) == true
        else {
            self = .held(
                try wrapping(
                    { (error) in ParameterRejection.confirmation("cnf", error) },
                    try JWT.Confirmation(value, knowing: known)))
            return
        }
        var made = try wrapping(ParameterRejection.key, try JWK.Private(key))
        if made.id == nil, let name = try? value.object().optional("kid")?.string() {
            made.attributes.id = try? KeyID(parsing: name)
        }
        guard made.id != nil else { throw .namelessKey }
        self = .made(made)
    }
}

extension TokenResponse: CustomStringConvertible {
    /// What is given, without any token.
    public var description: String {
        "\(type) token (redacted), \(lifetime.map { "\($0) s" } ?? "no end told"), \(scope?.text ?? "no scope told")"
    }
}

#if !hasFeature(Embedded)
extension TokenResponse: CustomReflectable {
    /// Nothing: members that are not interpreted here may be secrets too.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
