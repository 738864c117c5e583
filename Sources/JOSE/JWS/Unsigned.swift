import Wire

extension JWS {
    /// A token with header and payload, and nothing that vouches for them yet.
    ///
    ///     let unsigned = try JWT.unsigned(claims, for: key)
    ///     let signature = try await securityModule.signature(for: unsigned.request)
    ///     let token = try unsigned.signed(by: signature)
    ///
    /// Only the signature makes a token of it (KEY-20).
    public struct Unsigned: Sendable {
        /// The key that is to sign.
        let key: SigningKey
        /// Header, dot and payload: what is signed.
        let text: [UInt8]

        /// What is asked of the key; `nil` for a key that lies here and signs at once.
        public var request: SignatureRequest? { key.request(for: text) }

        /// The token, with a signature that came from elsewhere; another one than the key's is refused.
        public func signed(by signature: [UInt8]) throws(SigningKey.Rejection) -> String {
            guard let request else { return try signed() }
            var signatures = Signatures()
            try signatures.add(signature, for: request)
            return try signed(knowing: signatures)
        }

        /// The token: signed here and now, or with what came from elsewhere; otherwise the rejection says what is
        /// awaited.
        public func signed(knowing signatures: Signatures = .none) throws(SigningKey.Rejection) -> String {
            var output = text
            try key.sign(&output, knowing: signatures)
            return String(decoding: output, as: UTF8.self)
        }
    }

    /// A payload that is to be signed.
    public static func unsigned(
        _ payload: [UInt8], for key: SigningKey, header: SigningHeader = SigningHeader()
    ) throws(SigningKey.Rejection) -> Unsigned {
        Unsigned(key: key, text: signingInput(payload, encodedHeader: try header.encoded(for: key)))
    }
}

extension JWT {
    /// A token of these claims that is to be signed.
    public static func unsigned(
        _ claims: Claims, for key: SigningKey, as kind: Kind = .plain
    ) throws(SigningKey.Rejection) -> JWS.Unsigned {
        try Issuance(with: key, as: kind).unsigned(writing: { writer in
            for member in claims.members { writer.member(member.name, member.value) }
        })
    }
}
