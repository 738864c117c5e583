internal import PureCrypto
public import Wire

extension Record.Refresh {
    /// The secret by which a holder renews what a record grants; its store keeps a hash only.
    ///
    /// The text is Base64URL of generation (4 bytes), family tag (16) and secret (32), then a dot and the record's
    /// name. The tag belongs to the record through all generations: whoever has it once held a token of the family, so
    /// that an old generation is told from an invention, however old it is. Each secret follows from the one before it
    /// by HMAC under a salt that only the store knows; a thief of one token cannot compute the next, and a repeated
    /// request gets the same answer without any secret kept.
    public struct Token: Sendable, Parsable, CustomStringConvertible, CustomDebugStringConvertible {
        /// The record that it renews.
        public let id: TokenID
        /// How often the grant had been renewed when this token was given out.
        public let generation: UInt32
        let family: [UInt8]
        let secret: [UInt8]

        init(id: TokenID, generation: UInt32, family: [UInt8], secret: [UInt8]) {
            self.id = id
            self.generation = generation
            self.family = family
            self.secret = secret
        }

        /// Reads a token from exactly these bytes.
        public init(parsing bytes: Span<UInt8>) throws(Rejection) {
            guard let dot = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: ".") }) else { throw .missingName }
            let content = try wrapping(
                { (_: SyntaxError) in Rejection.malformedSecret },
                try Base64URL.decode(bytes.extracting(..<dot)))
            guard content.count == 4 + 16 + 32 else { throw .malformedSecret }
            id = try wrapping(Rejection.malformedName, try TokenID(parsing: bytes.extracting((dot + 1)...)))
            generation = content[..<4].reduce(0) { $0 << 8 | UInt32($1) }
            family = [UInt8](content[4..<20])
            secret = [UInt8](content[20...])
        }

        /// Why a text is not a refresh token; no case carries any of it.
        public enum Rejection: BrokenRule {
            /// There is no dot between secret and name.
            case missingName
            /// What stands before the dot is not Base64URL of the right number of bytes.
            case malformedSecret
            /// What stands after the dot is not the name of a record.
            case malformedName(SyntaxError)

            /// The rule that was broken.
            public var rule: Rule {
                switch self {
                case .missingName: Rule("TOK-2", "a refresh token names no record")
                case .malformedSecret: Rule("TOK-2", "the secret part of a refresh token is malformed")
                case .malformedName(let rejection): Rule("TOK-2", "the name in a refresh token: \(rejection)")
                }
            }
        }

        /// The token as it goes over the wire; a secret.
        public func encoded() -> String {
            var bytes: [UInt8] = []
            bytes.append(bigEndian: generation)
            return Base64URL.encode(bytes + family + secret) + "." + id.text
        }

        /// What may be logged: the record and the generation, never the secret.
        public var description: String { "refresh token of \(id), generation \(generation)" }

        /// What may be logged: the record and the generation, never the secret.
        public var debugDescription: String { description }
    }

    /// Makes the first token for a record, and what the record's store is to know of it.
    public static func issued(
        for id: TokenID, using entropy: inout some RandomNumberGenerator
    ) -> (token: Token, refresh: Record.Refresh) {
        let salt = Fingerprint(using: &entropy)
        let token = Token(
            id: id, generation: 0, family: family(of: id, salt: salt), secret: Fingerprint(using: &entropy).bytes)
        return (token, Record.Refresh(generation: 0, hash: Fingerprint(of: token.secret), salt: salt, rotated: nil))
    }

    /// The tag of all tokens of a record.
    static func family(of id: TokenID, salt: Fingerprint) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(
            for: [UInt8]("family".utf8) + id.text.utf8, using: SymmetricKey(data: salt.bytes))
        return [UInt8](code.prefix(16))
    }

    /// The token that follows one of this family.
    ///
    /// Bound: the callers have checked that a generation follows.
    func successor(of token: Token, proof: Fingerprint?) -> Token {
        var message = [UInt8]("next".utf8)
        message.append(bigEndian: token.generation)
        message += token.secret
        if let proof { message += proof.bytes }
        let secret = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: salt.bytes))
        return Token(id: token.id, generation: token.generation + 1, family: token.family, secret: [UInt8](secret))
    }
}
