internal import JOSE
internal import Wire

extension Statement {
    /// A key with the header of one kind of statement, written once for all that it signs: the one path by which
    /// statements are made.
    struct Issuance: Sendable {
        private let kind: Kind
        private let tokens: JWT.Issuance

        /// Prepares a key, which must have the name under which readers know it, unless the statement brings it along.
        init(_ kind: Kind, with key: SigningKey, bringing publicKey: JWK? = nil) throws(IssuanceRejection) {
            var header = JWS.SigningHeader()
            if let publicKey {
                header.others["jwk"] = (try? JSON.Document(of: publicKey))?.tree()
            } else if key.id == nil {
                throw .namelessKey
            }
            self.kind = kind
            tokens = try wrapping(
                IssuanceRejection.signing, try JWT.Issuance(with: key, as: kind.type, header: header))
        }

        /// A statement of the claims that the closure writes, and of the caller's after them.
        ///
        /// Claims of the caller's that would replace those which make the statement what it is are refused (threat 50):
        /// were they dropped, the caller would believe that they were said.
        func issued<Made>(
            adding claims: JSON.Object = JSON.Object(), knowing signatures: Signatures = .none,
            writing write: (inout JSON.ObjectWriter) -> Void
        ) throws(IssuanceRejection) -> Secret.Text<Made> {
            let reserved = kind.interpreted
            for member in claims where reserved.contains(member.name) { throw .reservedClaim(member.name) }
            let text = try wrapping(
                IssuanceRejection.signing,
                try tokens.token(
                    knowing: signatures,
                    writing: { token in
                        write(&token)
                        for claim in claims { token.member(claim.name, claim.value) }
                    }))
            // A compact serialization consists of letters that every secret may have.
            let limit = Made.lengths.upperBound
            guard text.utf8.count <= limit else { throw .tooLong(length: text.utf8.count, limit: limit) }
            return Secret.Text(checked: text)
        }
    }
}

extension JWT.ID {
    /// A name of 128 random bits, which nobody can guess and no two tokens share.
    package static func text(using entropy: inout some RandomNumberGenerator) -> String {
        Base64URL.encode(entropy.bytes(16))
    }
}
