internal import OAuth2Grants
internal import PureCrypto
internal import Wire

/// What a file keeps of a password: a key that follows from it by PBKDF2-HMAC-SHA-512, so that each guess costs what
/// each login costs (OPS-2).
struct PasswordHash: Sendable, Hashable {
    /// How many rounds there may be: fewer are for tests on one machine.
    static let roundBounds = 1_000...10_000_000
    /// How many there are unless something else is said (OWASP, 2023).
    static let usualRounds = 210_000
    private static let saltByteCount = 16
    private static let keyByteCount = 32

    let rounds: Int
    private let salt: [UInt8]
    private let key: [UInt8]

    /// The hash of a new password.
    init(
        of password: Secret.Password, rounds: Int, using entropy: inout some RandomNumberGenerator
    ) throws(AccountsFailure) {
        guard Self.roundBounds ~= rounds else { throw .rounds(rounds) }
        let salt = (0..<Self.saltByteCount).map { _ in UInt8.random(in: .min ... .max, using: &entropy) }
        self.init(rounds: rounds, salt: salt, key: Self.key(of: password, rounds, salt))
    }

    /// A hash that no password has: comparing with it takes as long as with another one of as many rounds.
    static func decoy(rounds: Int) -> PasswordHash {
        PasswordHash(
            rounds: rounds, salt: [UInt8](repeating: 0, count: saltByteCount), key: [])
    }

    private init(rounds: Int, salt: [UInt8], key: [UInt8]) {
        (self.rounds, self.salt, self.key) = (rounds, salt, key)
    }

    /// Whether it is the hash of this password; a right password and a wrong one take the same time.
    func matches(_ password: Secret.Password) -> Bool {
        constantTimeEquals(Self.key(of: password, rounds, salt), key)
    }

    private static func key(of password: Secret.Password, _ rounds: Int, _ salt: [UInt8]) -> [UInt8] {
        let password = SymmetricKey(data: Array(password.secret.utf8))
        // The bounds are within those of the derivation, so that there is a key.
        let key = PBKDF2<SHA512>.deriveKey(
            password: password, salt: salt, rounds: rounds, outputByteCount: keyByteCount)
        return key?.withSpan { span in span.indices.map { span[$0] } } ?? []
    }
}

// MARK: - In a file

extension PasswordHash {
    private static let algorithm: JSON.Name = "pbkdf2-sha512"

    var json: JSON {
        [
            Self.algorithm: [
                "rounds": .number(JSON.Number(Int64(rounds))), "salt": .string(Base64URL.encode(salt)),
                "key": .string(Base64URL.encode(key)),
            ]
        ]
    }

    /// Reads a hash; `nil` for anything else.
    init?(_ json: JSON?) {
        guard let members = json?.object, members.count == 1, let hash = members[Self.algorithm]?.object,
            hash.count == 3, let rounds = hash["rounds"]?.number?.integer(as: Int.self), Self.roundBounds ~= rounds,
            let salt = hash["salt"]?.string.flatMap({ try? Base64URL.decode($0) }), salt.count == Self.saltByteCount,
            let key = hash["key"]?.string.flatMap({ try? Base64URL.decode($0) }), key.count == Self.keyByteCount
        else { return nil }
        self.init(rounds: rounds, salt: salt, key: key)
    }
}
