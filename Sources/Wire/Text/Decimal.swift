/// The parts of a JSON number's text: where its digits lie, and before which of them its point stands once the exponent
/// has moved it.
struct Decimal {
    let isNegative: Bool
    private let whole: Range<Int>
    private let fraction: Range<Int>
    /// How many digits lie left of the point; negative where zeros that are not written stand between.
    let point: Int

    var digitCount: Int { whole.count + fraction.count }

    func offset(ofDigit index: Int) -> Int {
        index < whole.count ? whole.lowerBound + index : fraction.lowerBound + index - whole.count
    }

    /// The value of a digit, counted from the first.
    func digit(_ index: Int, in bytes: Span<UInt8>) -> UInt8 { bytes[offset(ofDigit: index)] - UInt8(ascii: "0") }

    /// Reads a number by the grammar of RFC 8259 §6.
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

extension UInt64 {
    /// The number of decimal digits, and of nothing else; `nil` where it does not fit.
    init?(digits: some Sequence<UInt8>) {
        self = 0
        for byte in digits {
            guard ASCII.isDigit(byte), append(byte - UInt8(ascii: "0")) else { return nil }
        }
    }

    /// Adds a decimal digit at the end; false, and no number any more, where it does not fit.
    mutating func append(_ digit: UInt8) -> Bool {
        let (product, isTooLarge) = multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
        self = sum
        return !isTooLarge && !carry
    }
}
