internal import PureCrypto

/// The chance of one exchange: a stream that follows from a seed of 32 bytes, so that an exchange can be gone through
/// again to the same end.
///
/// The stream is HMAC-SHA256 of a running number under the seed; without the seed nobody tells it from chance.
struct Chance: RandomNumberGenerator, Sendable {
    private let key: SymmetricKey
    /// The key with the work done beforehand that every block shares; most exchanges that refuse need none.
    private var prepared: HMAC<SHA256>.PreparedKey?
    private var block: UInt64 = 0
    private var words: [UInt64] = []

    init(using entropy: inout some RandomNumberGenerator) {
        key = SymmetricKey(data: (0..<4).flatMap { _ in Self.bytes(of: entropy.next()) })
    }

    private init(_ key: SymmetricKey) { self.key = key }

    /// For an exchange in which nothing is left to chance.
    static let unused = Chance(SymmetricKey(data: [UInt8](repeating: 0, count: 32)))

    mutating func next() -> UInt64 {
        if words.isEmpty { refill() }
        return words.removeLast()
    }

    private mutating func refill() {
        let key = prepared ?? HMAC<SHA256>.PreparedKey(key)
        prepared = key
        let code = [UInt8](key.authenticationCode(for: Self.bytes(of: block)))
        block &+= 1
        words = stride(from: 0, to: 32, by: 8).map { start in
            code[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private static func bytes(of word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
}

extension Chance: CustomStringConvertible, CustomReflectable {
    /// What it is, and nothing of what comes.
    var description: String { "Chance (redacted)" }

    /// Nothing to look into: what comes out of it are keys and tokens.
    var customMirror: Mirror { Mirror(self, children: []) }
}
