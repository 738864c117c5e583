internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import TokenTree
internal import Wire

extension TokenID {
    /// A name of 128 random bits, which nobody guesses.
    init(using entropy: inout some RandomNumberGenerator) {
        // The letters of Base64url are allowed in every name.
        self = Self.named(Base64URL.encode(entropy.bytes(16)))
    }

    /// The name of a record whose own name somebody else chose, which is good only together with whose it is.
    init(_ kind: String, of name: String, by owner: String) {
        let text = "\(owner.utf8.count):" + owner + name
        self = Self.named(kind + "-" + Base64URL.encode([UInt8](SHA256.hash(data: Array(text.utf8)))))
    }

    /// The record that an access token's name leads to: what stands before the last dot, behind which each token of the
    /// record has its own end.
    init?(of token: JWT.ID) {
        guard let dot = token.text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        guard let id = try? TokenID(parsing: token.text.utf8[..<dot]) else { return nil }
        self = id
    }
}

extension ClientID {
    /// The name of a new instance: a random UUID (RFC 9562 §5.4).
    init(randomBy entropy: inout some RandomNumberGenerator) {
        var bytes = entropy.bytes(16)
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        self = .named(String(decoding: text, as: UTF8.self))
    }
}

extension Identifier {
    /// A name that this program made itself of letters that every name may have.
    static func named(_ text: String) -> Self {
        guard let name = try? Self(parsing: text) else { preconditionFailure("not a valid name: \(text)") }
        return name
    }
}

// MARK: - What a service signs

extension Authority {
    /// What is told to the holder of a record: its access token, and how to present it.
    ///
    /// It signs, so it comes after every check.
    ///
    /// - Parameter secret: the text of a record that is good for whoever bears it; all others get a JWT.
    /// - Parameter key: the public key that the record is bound to, where it has been read.
    /// - Parameter serial: what tells the JWT from others of the record; the record's own one or else by chance unless
    ///   something else is said.
    func response(
        for record: Record, scope: Scope, lifetime: Duration, isTold: Bool = true, secret: OpaqueToken? = nil,
        refreshToken: Record.Refresh.Token? = nil, knowing key: JWK? = nil, serial: String? = nil,
        _ asking: inout Inquiry
    ) throws(Refusal) -> HTTP.Response {
        var response: TokenResponse
        if let secret {
            guard let token = try? AccessToken(parsing: secret.text) else { throw .failed }
            response = TokenResponse(token, .bearer)
        } else {
            let confirmation = confirmation(of: record, knowing: key)
            let serial = serial ?? record.attributes[Record.currentToken]?.string
            let name = record.id.text + "." + (serial ?? Base64URL.encode(asking.chance.bytes(6)))
            // An instance without a user is spoken of by its own name.
            guard let client = record.client,
                let subject = record.subject.map({ Subject($0) }) ?? (try? Subject(parsing: client.text)),
                let id = try? JWT.ID(parsing: name)
            else { throw .failed }
            let token = try asking.signed(
                { [now = asking.now] signatures, _ throws(IssuanceRejection) in
                    try accessTokens.token(
                        id, about: subject, for: client, to: issuer, scope: scope, boundTo: confirmation?.inToken,
                        adding: record.authentication.claims, lifetime: lifetime, at: now, knowing: signatures)
                },
                otherwise: { Refusal(.serverError, "the token cannot be written", $0.clause) })
            response = TokenResponse(token, confirmation == nil ? .bearer : .proofOfPossession)
            response.confirmation = confirmation?.told
        }
        if isTold { response.lifetime = lifetime.components.seconds }
        response.scope = scope.isEmpty ? nil : scope
        if let refreshToken { response.refreshToken = try? RefreshToken(parsing: refreshToken.encoded()) }
        return response.encoded()
    }
}
