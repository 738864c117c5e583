package import Wire

extension JWT {
    /// A token of these claims.
    public static func signed(_ claims: Claims, with key: SigningKey, as kind: Kind = .plain) throws(SigningKey
        .Rejection) -> String
    {
        try Issuance(with: key, as: kind).token(claims)
    }

    /// A key with the header of the tokens it signs, written once for all of them.
    package struct Issuance: Sendable {
        /// The key that signs.
        package let key: SigningKey
        private let encodedHeader: [UInt8]

        /// Prepares to sign tokens of one kind with one key.
        package init(with key: SigningKey, as kind: Kind = .plain, header: JWS.SigningHeader = JWS.SigningHeader())
            throws(SigningKey.Rejection)
        {
            self.key = key
            var header = header
            header.type = kind.type ?? header.type
            encodedHeader = try header.encoded(for: key)
        }

        /// A token of these claims.
        package func token(_ claims: Claims) throws(SigningKey.Rejection) -> String {
            try token(writing: { writer in
                for member in claims.members { writer.member(member.name, member.value) }
            })
        }

        /// A token of the claims that the closure writes, each of which it must write once.
        package func token(
            knowing signatures: Signatures = .none, writing claims: (inout JSON.ObjectWriter) -> Void
        ) throws(SigningKey.Rejection) -> String {
            var text = signingInput(claims)
            try key.sign(&text, knowing: signatures)
            return String(decoding: text, as: UTF8.self)
        }

        /// What a token of the claims that the closure writes is before it is signed.
        func unsigned(writing claims: (inout JSON.ObjectWriter) -> Void) -> JWS.Unsigned {
            JWS.Unsigned(key: key, text: signingInput(claims))
        }

        private func signingInput(_ claims: (inout JSON.ObjectWriter) -> Void) -> [UInt8] {
            JWS.signingInput(JSON.encodedObject(.compact, claims), encodedHeader: encodedHeader)
        }
    }
}
