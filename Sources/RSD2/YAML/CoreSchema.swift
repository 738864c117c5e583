import Wire

extension YAMLReader {
    /// The value of a scalar: quoted ones are text, plain ones follow the core schema (section 10.3.2).
    func resolved(_ scalar: YAMLScalar) throws(FormatRejection) -> JSON {
        guard scalar.isPlain, scalar.isSingleLine else { return .string(scalar.text) }
        let text = Array(scalar.text.utf8)
        guard let first = text.first else { return .null }
        switch first {
        case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "~"):
            return Self.isOneOf(text, ["null", "Null", "NULL", "~"]) ? .null : .string(scalar.text)
        case UInt8(ascii: "t"), UInt8(ascii: "T"):
            return Self.isOneOf(text, ["true", "True", "TRUE"]) ? .bool(true) : .string(scalar.text)
        case UInt8(ascii: "f"), UInt8(ascii: "F"):
            return Self.isOneOf(text, ["false", "False", "FALSE"]) ? .bool(false) : .string(scalar.text)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            return try number(text, scalar) ?? .string(scalar.text)
        default:
            return .string(scalar.text)
        }
    }

    private static func isOneOf(_ text: [UInt8], _ words: [String]) -> Bool {
        words.contains { $0.utf8.elementsEqual(text) }
    }

    /// A number of the core schema in the grammar of JSON, or `nil` if the text is not a number.
    private func number(_ text: [UInt8], _ scalar: YAMLScalar) throws(FormatRejection) -> JSON? {
        var unrepresentable: FormatRejection {
            .unrepresentableNumber(line: source.line(at: scalar.start), text: scalar.text)
        }
        let isSigned = text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-")
        var digits = Array(text.dropFirst(isSigned ? 1 : 0))
        if Self.isOneOf(text, [".nan", ".NaN", ".NAN"]) || Self.isOneOf(digits, [".inf", ".Inf", ".INF"]) {
            throw unrepresentable
        }
        if text.count > 2 && text[0] == 0x30 && (text[1] == UInt8(ascii: "o") || text[1] == UInt8(ascii: "x")) {
            let radix = text[1] == UInt8(ascii: "o") ? 8 : 16
            guard text[2...].allSatisfy({ ASCII.hexValue($0).map { $0 < radix } ?? false }) else { return nil }
            guard let value = UInt64(String(decoding: text[2...], as: UTF8.self), radix: radix) else {
                throw unrepresentable
            }
            return .number(JSON.Number(value))
        }
        let point = UInt8(ascii: ".")
        let lead = digits.first == point ? 1 : 0
        guard digits.count > lead, ASCII.isDigit(digits[lead]), digits.allSatisfy(Self.isOfNumbers) else { return nil }
        // JSON demands digits on both sides of a point.
        if digits[0] == point { digits.insert(0x30, at: 0) }
        if let index = digits.firstIndex(of: point), index + 1 == digits.count || !ASCII.isDigit(digits[index + 1]) {
            digits.insert(0x30, at: index + 1)
        }
        let sign = text[0] == UInt8(ascii: "-") ? "-" : ""
        // Whoever writes 0123 means text or base 8, depending on the version of YAML; nobody means 123. JSON has no
        // such number either.
        if let number = try? JSON.Number(parsing: sign + String(decoding: digits, as: UTF8.self)) {
            return .number(number)
        }
        guard digits.count < 1_024 else { throw unrepresentable }
        return nil
    }

    private static func isOfNumbers(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
    }
}
