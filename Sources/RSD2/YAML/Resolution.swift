import Wire

extension YAMLReader {
    /// The value of a scalar: quoted ones are text, plain ones follow the core schema (section 10.3.2).
    func resolved(_ scalar: YAMLScalar) throws(YAML.Rejection) -> JSON {
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

    /// A number of the core schema in the grammar of JSON, or nothing where the text is no number.
    private func number(_ text: [UInt8], _ scalar: YAMLScalar) throws(YAML.Rejection) -> JSON? {
        let isSigned = text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-")
        let unsigned = text.dropFirst(isSigned ? 1 : 0)
        if Self.isOneOf(text, [".nan", ".NaN", ".NAN"]) || Self.isOneOf(Array(unsigned), [".inf", ".Inf", ".INF"]) {
            throw .unrepresentableNumber(line: source.line(at: scalar.start), text: scalar.text)
        }
        if text.count > 2 && text[0] == 0x30 && (text[1] == UInt8(ascii: "o") || text[1] == UInt8(ascii: "x")) {
            return try based(text.dropFirst(2), radix: text[1] == UInt8(ascii: "o") ? 8 : 16, scalar)
        }
        guard let parts = Parts(unsigned) else { return nil }
        // Whoever writes 0123 means text or base 8, depending on the version of YAML; nobody means 123.
        guard parts.whole.count < 2 || parts.whole.first != 0x30 else { return nil }
        var written: [UInt8] = text[0] == UInt8(ascii: "-") ? [UInt8(ascii: "-")] : []
        written += parts.whole.isEmpty ? [0x30] : Array(parts.whole)
        if let fraction = parts.fraction {
            written.append(UInt8(ascii: "."))
            written += fraction.isEmpty ? [0x30] : Array(fraction)
        }
        written += Array(parts.exponent)
        do throws(JSON.Rejection) {
            return .number(try JSON.Number(parsing: String(decoding: written, as: UTF8.self)))
        } catch {
            throw .unrepresentableNumber(line: source.line(at: scalar.start), text: scalar.text)
        }
    }

    private func based(_ digits: ArraySlice<UInt8>, radix: UInt64, _ scalar: YAMLScalar) throws(YAML.Rejection) -> JSON?
    {
        var value: UInt64 = 0
        var overflows = false
        for byte in digits {
            let digit: UInt64
            switch byte {
            case 0x30...0x39: digit = UInt64(byte) - 0x30
            case 0x41...0x46, 0x61...0x66: digit = UInt64(byte | 0x20) - 0x57
            default: return nil
            }
            guard digit < radix else { return nil }
            let (shifted, overflow) = value.multipliedReportingOverflow(by: radix)
            overflows = overflows || overflow
            value = shifted | digit
        }
        guard !overflows else { throw .unrepresentableNumber(line: source.line(at: scalar.start), text: scalar.text) }
        return .number(JSON.Number(value))
    }

    /// The parts of a decimal number: `[0-9]* (\. [0-9]*)? ([eE][-+]?[0-9]+)?` with a digit before the exponent.
    private struct Parts {
        let whole: ArraySlice<UInt8>
        let fraction: ArraySlice<UInt8>?
        let exponent: ArraySlice<UInt8>

        init?(_ text: ArraySlice<UInt8>) {
            func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
            whole = text.prefix(while: isDigit)
            var rest = text[whole.endIndex...]
            if rest.first == UInt8(ascii: ".") {
                let digits = rest.dropFirst().prefix(while: isDigit)
                guard !(digits.isEmpty && whole.isEmpty) else { return nil }
                fraction = digits
                rest = text[digits.endIndex...]
            } else {
                guard !whole.isEmpty else { return nil }
                fraction = nil
            }
            exponent = rest
            guard let mark = rest.first else { return }
            guard mark | 0x20 == UInt8(ascii: "e") else { return nil }
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard !rest.isEmpty, rest.allSatisfy(isDigit) else { return nil }
        }
    }
}
