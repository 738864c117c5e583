internal import PureCrypto
package import Wire

/// A secret that an authenticator app and this side know, from which a code follows for each step of time: TOTP of
/// RFC 6238 over HOTP of RFC 4226 (OPS-19).
package struct OneTimeCodes: Sendable {
    /// The hash below HMAC.
    package enum Algorithm: String, Sendable, CaseIterable {
        /// What every app knows, and many an app takes for granted whatever it is told.
        case sha1 = "SHA1"
        /// SHA-256.
        case sha256 = "SHA256"
        /// SHA-512.
        case sha512 = "SHA512"
    }

    /// A code that is right.
    package struct Acceptance: Sendable, Hashable {
        /// The step of time that the code is of, counted from 1970.
        package let step: Int64
        /// When the code is of no step in the window any more.
        package let end: Timestamp
        /// For how long it is right in all.
        package let span: Duration
    }

    /// How many digits a code may have: fewer are guessed, and more do not follow from 31 bits evenly (RFC 4226 §5.3).
    package static let digitBounds = 6...8
    /// How many seconds a step may last: people have to type a code, and others must not have long to guess it.
    package static let periodBounds = 15...120
    /// How many bytes the secret may have: at least 128 bits (RFC 4226 §4, R6), at most a block of the longest hash.
    package static let secretBounds = 16...64
    /// How many steps a clock may be ahead or behind (RFC 6238 §5.2).
    package static let window: Int64 = 1

    /// The hash below HMAC.
    package let algorithm: Algorithm
    /// How many digits a code has.
    package let digits: Int
    /// How many seconds a step lasts.
    package let period: Int
    private let key: SymmetricKey

    /// Codes that follow from a secret; `nil` where something is out of its bounds.
    package init?(secret: [UInt8], algorithm: Algorithm = .sha1, digits: Int = 6, period: Int = 30) {
        guard Self.secretBounds ~= secret.count, Self.digitBounds ~= digits, Self.periodBounds ~= period else {
            return nil
        }
        self.init(unchecked: secret, algorithm, digits, period)
    }

    /// Codes of a new secret, of the kind that every authenticator app knows.
    package init(using entropy: inout some RandomNumberGenerator) {
        self.init(unchecked: entropy.bytes(Self.freshByteCount), .sha1, 6, 30)
    }

    private init(unchecked secret: [UInt8], _ algorithm: Algorithm, _ digits: Int, _ period: Int) {
        (self.algorithm, self.digits, self.period) = (algorithm, digits, period)
        key = SymmetricKey(data: secret)
    }

    /// As RFC 4226 recommends (§4, R6).
    private static let freshByteCount = 20

    /// Codes that nobody has: to check one takes as long as with those of a new secret.
    static let decoy = OneTimeCodes(
        unchecked: [UInt8](repeating: 0, count: freshByteCount), .sha1, 6, 30)

    /// The secret.
    var secret: [UInt8] { key.withSpan { span in span.indices.map { span[$0] } } }
}

// MARK: - Codes

extension OneTimeCodes {
    /// What a code is of at a time; `nil` if it is wrong, which takes the same time.
    ///
    /// A code is its digits and nothing else, not even a space between them: whoever remembers codes that have passed
    /// must not find one in two forms.
    package func acceptance(of code: String, at now: Timestamp) -> Acceptance? {
        let (code, current) = (Array(code.utf8), step(at: now))
        var found: Int64 = -1
        // All are compared, whichever is right. Where one code is of two steps, the later one counts: it ends later.
        for step in current - Self.window...current + Self.window {
            let isRight = constantTimeEquals(self.code(of: step), code)
            found = isRight ? step : found
        }
        guard found >= 0 else { return nil }
        return Acceptance(
            step: found, end: start(of: found + Self.window + 1),
            span: .seconds(Int64(period) * (2 * Self.window + 1)))
    }

    /// The step of a time; before 1970 it is less than zero.
    func step(at time: Timestamp) -> Int64 {
        let (step, rest) = time.seconds.quotientAndRemainder(dividingBy: Int64(period))
        return rest < 0 ? step - 1 : step
    }

    private func start(of step: Int64) -> Timestamp {
        let (seconds, isTooLate) = step.multipliedReportingOverflow(by: Int64(period))
        return isTooLate ? .distantFuture : Timestamp(seconds: seconds)
    }

    /// The digits of a step's code.
    func code(of step: Int64) -> [UInt8] {
        switch algorithm {
        case .sha1: code(SHA1.self, step)
        case .sha256: code(SHA256.self, step)
        case .sha512: code(SHA512.self, step)
        }
    }

    /// The last digits of a number that is cut out of the code of the step's number (RFC 4226 §5.3).
    private func code<Hash: HashFunction>(_: Hash.Type, _ step: Int64) -> [UInt8] {
        let counter = withUnsafeBytes(of: step.bigEndian) { Array($0) }
        let mac = HMAC<Hash>.authenticationCode(for: counter, using: key)
        // Bound: each hash has at least 20 bytes, of which the last four at most begin at 16.
        let start = Int(mac[mac.endIndex - 1] & 15)
        var number = mac[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
        var code = [UInt8](repeating: 0, count: digits)
        // A division by a constant takes the same time for all numbers.
        for place in code.indices.reversed() {
            code[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
            number /= 10
        }
        return code
    }
}

// MARK: - In a file

extension OneTimeCodes {
    var json: JSON {
        [
            "algorithm": .string(algorithm.rawValue), "digits": .number(JSON.Number(Int64(digits))),
            "period": .number(JSON.Number(Int64(period))), "secret": .string(Base64URL.encode(secret)),
        ]
    }

    /// Reads what makes codes; `nil` for anything else.
    init?(_ json: JSON) {
        guard let members = json.object, members.count == 4,
            let algorithm = members["algorithm"]?.string.flatMap({ Algorithm(rawValue: $0) }),
            let digits = members["digits"]?.number?.integer(as: Int.self),
            let period = members["period"]?.number?.integer(as: Int.self),
            let secret = members["secret"]?.string.flatMap({ try? Base64URL.decode($0) })
        else { return nil }
        self.init(secret: secret, algorithm: algorithm, digits: digits, period: period)
    }
}
