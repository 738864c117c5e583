internal import PureCrypto
public import Wire

extension Record {
    /// What a store knows of a refresh token: which generation is current, its hash, and the salt from which the next
    /// one follows.
    public struct Refresh: Sendable, Hashable {
        /// How often the grant has been renewed.
        public let generation: UInt32
        /// The SHA-256 of the current token's secret.
        public let hash: Fingerprint
        /// Keys the derivation of tags and secrets; of no use without a token.
        public let salt: Fingerprint
        /// When the current generation replaced the one before it.
        public let rotated: Timestamp?

        /// The state that a store kept.
        public init(generation: UInt32, hash: Fingerprint, salt: Fingerprint, rotated: Timestamp?) {
            self.generation = generation
            self.hash = hash
            self.salt = salt
            self.rotated = rotated
        }

        /// A token that has been made, and what the store is to know of it.
        public struct Issued: Sendable {
            /// For the holder.
            public let token: Token
            /// For the record.
            public let refresh: Refresh
        }

        /// Makes the first token for a record.
        public static func issued(for id: TokenID, using entropy: inout some RandomNumberGenerator) -> Issued {
            let salt = Fingerprint(using: &entropy)
            let token = Token(
                id: id, generation: 0, family: family(of: id, salt: salt), secret: Fingerprint(using: &entropy).bytes)
            return Issued(
                token: token,
                refresh: Refresh(generation: 0, hash: Fingerprint(of: token.secret), salt: salt, rotated: nil))
        }
    }
}

// MARK: - Presentation

extension Record.Refresh {
    /// What a token turns out to be when it is presented.
    public enum Presentation: Sendable {
        /// The current token; this one replaces it.
        case current(Issued)
        /// The one before, presented again by the same holder with the same proof within the window; the answer was
        /// lost, so here it is again.
        case repeated(Token)
        /// A token that had been replaced: two parties hold the family, and the grant must end.
        case reused
        /// Not a token of this record: nothing follows from it.
        case foreign
    }

    /// Judges a token that is presented for the record, and derives the one that follows.
    ///
    /// - Parameters:
    ///   - proof: what the holder proved along with it, such as the thumbprint of the bound key. Without a proof nothing is
    ///     repeated.
    ///   - window: how long after a renewal its answer may be asked for again.
    public func presentation(of token: Token, proof: Fingerprint?, at now: Timestamp, window: Duration) -> Presentation
    {
        guard constantTimeEquals(token.family, Self.family(of: token.id, salt: salt)) else { return .foreign }
        if token.generation == generation {
            guard Fingerprint(of: token.secret) == hash, generation < .max else { return .foreign }
            let next = successor(of: token, proof: proof)
            let refresh = Record.Refresh(
                generation: next.generation, hash: Fingerprint(of: next.secret), salt: salt, rotated: now)
            return .current(Issued(token: next, refresh: refresh))
        }
        guard token.generation < generation else { return .foreign }
        guard token.generation + 1 == generation, proof != nil, let rotated, now < rotated + window else {
            return .reused
        }
        let next = successor(of: token, proof: proof)
        // Equal only if both the old secret and the proof are those of the first request.
        return Fingerprint(of: next.secret) == hash ? .repeated(next) : .reused
    }

    /// Bound: the callers have checked that a generation follows.
    private func successor(of token: Token, proof: Fingerprint?) -> Token {
        var message = [UInt8]("next".utf8)
        message.append(bigEndian: token.generation)
        message += token.secret
        if let proof { message += proof.bytes }
        let secret = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: salt.bytes))
        return Token(id: token.id, generation: token.generation + 1, family: token.family, secret: [UInt8](secret))
    }

    private static func family(of id: TokenID, salt: Fingerprint) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(
            for: [UInt8]("family".utf8) + id.text.utf8, using: SymmetricKey(data: salt.bytes))
        return [UInt8](code.prefix(Token.familyByteCount))
    }
}
