extension JSON {
    /// A number as the text it was written in; it becomes an integer or a `Double` when somebody asks.
    ///
    /// Two numbers are equal when their texts are: `1`, `1.0` and `1e0` are three numbers, though each is the integer
    /// 1.
    public struct Number: Sendable, Hashable, CustomStringConvertible, ExpressibleByIntegerLiteral {
        /// The number as written, which follows the grammar of RFC 8259 §6.
        public let text: String

        /// Trusts the caller that the text follows the grammar.
        init(valid text: String) {
            self.text = text
        }

        /// Reads a number, which the text must hold completely and without white space.
        package init(parsing text: String) throws(Rejection) {
            let value = try Document(parsing: text).root
            guard value.offset == 0 else {
                throw .unexpectedByte(text.utf8.first ?? 0, offset: 0, expected: .value)
            }
            let end = value.raw.count
            guard end == text.utf8.count else { throw .trailingContent(offset: end) }
            self = try value.number()
        }

        /// The number that an integer is.
        public init(_ integer: some FixedWidthInteger) {
            text = String(integer)
        }

        /// The number in the shortest text that reads back as this `Double`; infinities and NaN have none.
        public init?(exactly double: Double) {
            guard double.isFinite else { return nil }
            text = "\(double)"
        }
    }
}

extension JSON.Number {
    /// A number without fraction.
    public init(integerLiteral value: Int64) {
        self.init(value)
    }

    /// The number as written.
    public var description: String { text }

    /// Whether both are written alike.
    public static func == (left: JSON.Number, right: JSON.Number) -> Bool {
        left.text.spells(right.text)
    }

    /// Feeds the bytes of the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(text))
    }
}

// MARK: - Values

extension JSON.Number {
    /// The nearest `Double`, or nothing when the number is beyond its range.
    public var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The integer that the number is exactly, in a type that can hold it.
    ///
    /// What counts is the value, not the spelling: `1.0`, `1e2`, `10e-1` and `-0` are the integers 1, 100, 1 and 0;
    /// `1.5`, `1e-1`, `1e400` and, for `Int64`, `9223372036854775808` are none.
    @inlinable
    public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        guard let (isNegative, magnitude) = signAndMagnitude else { return nil }
        return JSON.Number.integer(isNegative, magnitude, as: type)
    }

    @usableFromInline
    var signAndMagnitude: (isNegative: Bool, magnitude: UInt64)? {
        guard case .value(let isNegative, let magnitude) = text.withBytes(Whole.init) else { return nil }
        return (isNegative, magnitude)
    }

    @inlinable
    static func integer<Integer: FixedWidthInteger>(_ isNegative: Bool, _ magnitude: UInt64, as type: Integer.Type)
        -> Integer?
    {
        guard isNegative else { return Integer(exactly: magnitude) }
        // -2⁶³ is the one negative integer whose magnitude no Int64 has.
        guard magnitude <= 1 << 63 else { return nil }
        return Integer(exactly: 0 &- Int64(truncatingIfNeeded: magnitude))
    }

    /// The sign and magnitude of a number that is whole and below 2⁶⁴, or why it is not.
    enum Whole {
        case value(isNegative: Bool, magnitude: UInt64)
        case fraction
        case tooLarge

        /// Reads a text that follows the grammar.
        init(_ text: UnsafeBufferPointer<UInt8>) {
            let isNegative = text.first == UInt8(ascii: "-")
            var magnitude: UInt64 = 0
            // 18 digits cannot overflow; the rare rest goes the general way.
            guard text.count <= 18 else {
                self = Whole(general: text)
                return
            }
            var at = isNegative ? 1 : 0
            if let start = text.baseAddress, text.count &- at >= 8, let eight = Bytes.number(Bytes.word(start + at)) {
                magnitude = eight
                at &+= 8
            }
            while at < text.count {
                let digit = text[at] &- UInt8(ascii: "0")
                guard digit < 10 else {
                    self = Whole(general: text)
                    return
                }
                magnitude = magnitude &* 10 &+ UInt64(digit)
                at &+= 1
            }
            self = .value(isNegative: isNegative, magnitude: magnitude)
        }

        /// Handles fractions, exponents and long texts, in time linear in the text.
        @inline(never)
        private init(general text: UnsafeBufferPointer<UInt8>) {
            let bytes = text.span
            // The text follows the grammar, so that only zero has no significant digit.
            guard let number = try? Decimal(parsing: bytes),
                let last = (0..<number.digitCount).last(where: { number.digit($0, in: bytes) > 0 })
            else {
                self = .value(isNegative: false, magnitude: 0)
                return
            }
            let zeros = number.point - 1 - last
            guard zeros >= 0 else {
                self = .fraction
                return
            }
            var magnitude: UInt64 = 0
            // 10²⁰ exceeds 2⁶⁴, so the zeros end after twenty turns.
            let fits =
                (0...last).allSatisfy { magnitude.append(number.digit($0, in: bytes)) }
                && (0..<min(zeros, 20)).allSatisfy { _ in magnitude.append(0) }
            self = fits ? .value(isNegative: number.isNegative, magnitude: magnitude) : .tooLarge
        }
    }
}
