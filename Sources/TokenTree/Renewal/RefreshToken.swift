package import PureCrypto
public import Wire

extension Record.Refresh {
    /// The secret by which a holder renews what a record grants; its store keeps a hash only.
    ///
    /// The text is Base64URL of generation (4 bytes), family tag (16) and secret (32), then a dot and the record's
    /// name. The tag belongs to the record through all generations: whoever has it once held a token of the family, so
    /// that an old generation is told from an invention, however old it is. Each secret follows from the one before it
    /// by HMAC under a salt that only the store knows; a thief of one token cannot compute the next, and a repeated
    /// request gets the same answer without any secret kept.
    public struct Token: Sendable, Parsable, CustomStringConvertible {
        /// The record that it renews.
        public let id: TokenID
        /// How often the grant had been renewed when this token was given out.
        let generation: UInt32
        let family: [UInt8]
        let secret: [UInt8]

        init(id: TokenID, generation: UInt32, family: [UInt8], secret: [UInt8]) {
            self.id = id
            self.generation = generation
            self.family = family
            self.secret = secret
        }

        /// Reads a token from exactly these bytes.
        public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
            guard let dot = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: ".") }) else {
                throw .malformed(.refreshToken, offset: bytes.count)
            }
            guard let content = try? Base64URL.decode(bytes.extracting(..<dot)), content.count == 4 + 16 + 32 else {
                throw .malformed(.refreshToken, offset: 0)
            }
            id = try TokenID(parsing: bytes.extracting((dot + 1)...))
            generation = content[..<4].reduce(0) { $0 << 8 | UInt32($1) }
            family = [UInt8](content[4..<20])
            secret = [UInt8](content[20...])
        }

        /// The token as it goes over the wire; a secret.
        public func encoded() -> String {
            var bytes: [UInt8] = []
            bytes.append(bigEndian: generation)
            return Base64URL.encode(bytes + family + secret) + "." + id.text
        }

        /// What may be logged: the record and the generation, never the secret.
        public var description: String { "refresh token of \(id), generation \(generation)" }
    }

    /// Makes the first token for a record, and what the record's store is to know of it.
    ///
    /// Nobody can make it again: whoever loses it has lost the grant.
    public static func issued(
        for id: TokenID, using entropy: inout some RandomNumberGenerator
    ) -> (token: Token, refresh: Record.Refresh) {
        let salt = Fingerprint(using: &entropy)
        let token = Token(
            id: id, generation: 0, family: family(of: id, salt: salt), secret: Fingerprint(using: &entropy).bytes)
        return (token, Record.Refresh(generation: 0, hash: Fingerprint(of: token.secret), salt: salt, rotated: nil))
    }

    /// Makes the first token of a family that can be made again as long as it has not been renewed, for who lost the
    /// answer (threat 72).
    ///
    /// - Parameter key: what only the issuer knows, so that the store alone does not lead to the token.
    /// - Parameter request: a digest of what was asked: whoever asks for something else is not given the same.
    package static func issued(
        for id: TokenID, under key: HMAC<SHA256>.PreparedKey, answering request: Fingerprint, generation: UInt32 = 0,
        using entropy: inout some RandomNumberGenerator
    ) -> (token: Token, refresh: Record.Refresh) {
        let salt = Fingerprint(using: &entropy)
        let token = first(for: id, generation: generation, salt: salt, under: key, answering: request)
        let hash = Fingerprint(of: token.secret)
        return (token, Record.Refresh(generation: generation, hash: hash, salt: salt, rotated: nil))
    }

    /// The first token of the family once more; `nil` if it has been renewed, or was given for another request.
    package func first(
        for id: TokenID, under key: HMAC<SHA256>.PreparedKey, answering request: Fingerprint
    ) -> Token? {
        let token = Self.first(for: id, generation: generation, salt: salt, under: key, answering: request)
        return Fingerprint(of: token.secret) == hash ? token : nil
    }

    private static func first(
        for id: TokenID, generation: UInt32, salt: Fingerprint, under key: HMAC<SHA256>.PreparedKey,
        answering request: Fingerprint
    ) -> Token {
        let message = [UInt8]("refresh token:".utf8) + salt.bytes + request.bytes + id.text.utf8
        let secret = [UInt8](key.authenticationCode(for: message))
        return Token(id: id, generation: generation, family: family(of: id, salt: salt), secret: secret)
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
