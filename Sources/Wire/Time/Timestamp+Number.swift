extension Timestamp {
    /// Reads a number of seconds as JSON writes it (RFC 8259 §6), with fraction and exponent, exactly; the work is
    /// linear in the text, whatever the exponent says.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        let number = try Decimal(parsing: bytes)
        var seconds: UInt64 = 0
        var nanoseconds: UInt32 = 0
        for index in 0..<number.digitCount {
            let digit = number.digit(index, in: bytes)
            // The power of ten that the digit counts.
            let place = number.point - 1 - index
            if place >= 0 {
                guard seconds.append(digit) else { throw .outOfRange }
            } else if place >= -9 {
                nanoseconds = nanoseconds * 10 + UInt32(digit)
            } else if digit != 0 {
                throw .tooFine(offset: number.offset(ofDigit: index))
            }
        }
        let lastPlace = number.point - number.digitCount
        if lastPlace > 0, seconds > 0 {
            // Ends after twenty rounds at the latest, because the seconds overflow.
            for _ in 0..<lastPlace { guard seconds.append(0) else { throw .outOfRange } }
        }
        if nanoseconds > 0, lastPlace > -9 {
            // A digit right of the point was read, so the last place is negative.
            for _ in 0..<lastPlace + 9 { nanoseconds *= 10 }
        }
        try self.init(magnitude: seconds, nanoseconds: nanoseconds, isNegative: number.isNegative)
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
