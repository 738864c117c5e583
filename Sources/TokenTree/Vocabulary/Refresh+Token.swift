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
    public struct Token: Sendable {
        /// The record that it renews.
        public let id: TokenID
        /// How often the grant had been renewed when this token was given out.
        public let generation: UInt32
        let family: [UInt8]
        let secret: [UInt8]

        static let familyByteCount = 16
        static let secretByteCount = 32

        init(id: TokenID, generation: UInt32, family: [UInt8], secret: [UInt8]) {
            self.id = id
            self.generation = generation
            self.family = family
            self.secret = secret
        }

        /// The token as it goes over the wire; a secret.
        public func encoded() -> String {
            var bytes: [UInt8] = []
            bytes.append(bigEndian: generation)
            return Base64URL.encode(bytes + family + secret) + "." + id.text
        }
    }
}

extension Record.Refresh.Token: CustomStringConvertible, CustomDebugStringConvertible {
    /// What may be logged: the record and the generation, never the secret.
    public var description: String { "refresh token of \(id), generation \(generation)" }

    /// What may be logged: the record and the generation, never the secret.
    public var debugDescription: String { description }
}

// MARK: - Reading

extension Record.Refresh.Token: Parsable {
    /// Why a text is not a refresh token; no case carries any of it.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// There is no dot between secret and name.
        case missingName
        /// What stands before the dot is not Base64URL of the right number of bytes.
        case malformedSecret
        /// What stands after the dot is not the name of a record.
        case malformedName(IdentifierRejection)

        /// The rule that was broken.
        public var description: String {
            switch self {
            case .missingName: "a refresh token names no record (\(clause))"
            case .malformedSecret: "the secret part of a refresh token is malformed (\(clause))"
            case .malformedName(let rejection): "the name in a refresh token: \(rejection)"
            }
        }

        /// The clause that sets the rule.
        public var clause: String { "TOK-2" }
    }

    /// Reads a token from exactly these bytes.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        guard let dot = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: ".") }) else { throw .missingName }
        let content: [UInt8]
        do throws(Base64URL.Rejection) {
            content = try Base64URL.decode(bytes.extracting(..<dot))
        } catch {
            throw .malformedSecret
        }
        guard content.count == 4 + Self.familyByteCount + Self.secretByteCount else { throw .malformedSecret }
        do throws(IdentifierRejection) {
            id = try TokenID(parsing: bytes.extracting((dot + 1)...))
        } catch {
            throw .malformedName(error)
        }
        generation = content[..<4].reduce(0) { $0 << 8 | UInt32($1) }
        family = [UInt8](content[4..<4 + Self.familyByteCount])
        secret = [UInt8](content[(4 + Self.familyByteCount)...])
    }
}
