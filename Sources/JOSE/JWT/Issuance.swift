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
        package func token(writing claims: (inout JSON.ObjectWriter) -> Void) throws(SigningKey.Rejection) -> String {
            let payload = JSON.encodedObject(.compact, claims)
            return String(decoding: try JWS.compact(payload, with: key, encodedHeader: encodedHeader), as: UTF8.self)
        }
    }
}
