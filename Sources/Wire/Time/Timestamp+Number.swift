extension Timestamp {
    /// Reads a number of seconds as JSON writes it (RFC 8259 §6), with fraction and exponent, exactly; the work is
    /// linear in the text, whatever the exponent says.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        let number = try Decimal(parsing: bytes)
        var seconds: UInt64 = 0
        var nanoseconds: UInt32 = 0
        for index in 0..<number.digitCount {
            let offset = number.offset(ofDigit: index)
            let digit = bytes[offset] - UInt8(ascii: "0")
            // The power of ten that the digit counts.
            let place = number.point - 1 - index
            if place >= 0 {
                seconds = try Self.appending(digit, to: seconds)
            } else if place >= -9 {
                nanoseconds = nanoseconds * 10 + UInt32(digit)
            } else if digit != 0 {
                throw .tooFine(offset: offset)
            }
        }
        let lastPlace = number.point - number.digitCount
        if lastPlace > 0, seconds > 0 {
            // Ends after twenty rounds at the latest, because the seconds overflow.
            for _ in 0..<lastPlace { seconds = try Self.appending(0, to: seconds) }
        }
        if nanoseconds > 0, lastPlace > -9 {
            // A digit right of the point was read, so the last place is negative.
            for _ in 0..<lastPlace + 9 { nanoseconds *= 10 }
        }
        try self.init(magnitude: seconds, nanoseconds: nanoseconds, isNegative: number.isNegative)
    }

    private static func appending(_ digit: UInt8, to seconds: UInt64) throws(SyntaxError) -> UInt64 {
        let (shifted, isTooLarge) = seconds.multipliedReportingOverflow(by: 10)
        let (sum, carry) = shifted.addingReportingOverflow(UInt64(digit))
        guard !isTooLarge, !carry else { throw .outOfRange }
        return sum
    }

    private init(magnitude: UInt64, nanoseconds: UInt32, isNegative: Bool) throws(SyntaxError) {
        let borrows = isNegative && nanoseconds > 0
        let whole = isNegative ? -Int128(magnitude) - (borrows ? 1 : 0) : Int128(magnitude)
        guard let seconds = Int64(exactly: whole) else { throw .outOfRange }
        self.init(seconds: seconds, nanoseconds: borrows ? Self.billion - nanoseconds : nanoseconds)
    }

    /// The number of seconds as JSON writes it, exactly, without exponent and without trailing zeros.
    package var number: String {
        let isNegative = seconds < 0
        let borrows = isNegative && nanoseconds > 0
        let whole = borrows ? seconds.magnitude - 1 : seconds.magnitude
        return (isNegative ? "-" : "") + String(whole)
            + Self.fraction(borrows ? Self.billion - nanoseconds : nanoseconds)
    }

    /// The fraction with its point, without trailing zeros; nothing for a whole second.
    static func fraction(_ nanoseconds: UInt32) -> String {
        guard nanoseconds > 0 else { return "" }
        var width = 9
        var rest = nanoseconds
        while rest % 10 == 0 {
            rest /= 10
            width -= 1
        }
        let digits = String(rest)
        return "." + String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}

/// The parts of a JSON number's text: where its digits lie, and before which of them its point stands once the exponent
/// has moved it.
private struct Decimal {
    let isNegative: Bool
    private let whole: Range<Int>
    private let fraction: Range<Int>
    /// How many digits lie left of the point; negative where zeros that are not written stand between.
    let point: Int

    var digitCount: Int { whole.count + fraction.count }

    func offset(ofDigit index: Int) -> Int {
        index < whole.count ? whole.lowerBound + index : fraction.lowerBound + index - whole.count
    }

    init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        var at = 0
        isNegative = Self.skip("-", in: bytes, at: &at)
        whole = try Self.digits(in: bytes, at: &at)
        if whole.count > 1, bytes[whole.lowerBound] == UInt8(ascii: "0") {
            throw .malformed(.time, offset: whole.lowerBound + 1)
        }
        fraction = Self.skip(".", in: bytes, at: &at) ? try Self.digits(in: bytes, at: &at) : at..<at
        var exponent = 0
        if Self.skip("e", in: bytes, at: &at) || Self.skip("E", in: bytes, at: &at) {
            let isDownward = Self.skip("-", in: bytes, at: &at)
            if !isDownward { _ = Self.skip("+", in: bytes, at: &at) }
            for offset in try Self.digits(in: bytes, at: &at) {
                // Beyond this bound every number is zero, too large or too fine, however many digits it has.
                exponent = min(exponent * 10 + Int(bytes[offset] - UInt8(ascii: "0")), 1 << 32)
            }
            if isDownward { exponent = -exponent }
        }
        guard at == bytes.count else { throw .malformed(.time, offset: at) }
        point = whole.count + exponent
    }

    private static func skip(_ character: Unicode.Scalar, in bytes: Span<UInt8>, at offset: inout Int) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private static func digits(in bytes: Span<UInt8>, at offset: inout Int) throws(SyntaxError) -> Range<Int> {
        let start = offset
        while offset < bytes.count, ASCII.isDigit(bytes[offset]) { offset += 1 }
        guard offset > start else { throw .malformed(.time, offset: offset) }
        return start..<offset
    }
}
