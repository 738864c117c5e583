extension JSON {
    /// Why a text is not taken as JSON, or why a value in it is not what was asked for.
    ///
    /// Offsets count bytes from the start of the text. No case carries a value from the text, which may be a secret.
    public enum Rejection: BrokenRule {
        /// The text has more bytes than the limit.
        case tooLarge(size: Int, limit: Int)
        /// The array or object that opens here lies too deep.
        case tooDeep(offset: Int, limit: Int)
        /// The value or name that begins here is one too many for a text.
        case tooManyValues(offset: Int, limit: Int)
        /// What begins after the comma here is one too many for an array or object.
        case tooManyMembers(offset: Int, limit: Int)
        /// The string or name that begins here is too long.
        case stringTooLong(offset: Int, limit: Int)
        /// The number that begins here is too long.
        case numberTooLong(offset: Int, limit: Int)
        /// The text begins with a byte order mark.
        case byteOrderMark
        /// The text ends where more is due.
        case unexpectedEnd(offset: Int, expected: Expectation)
        /// A byte stands where the grammar has no place for it.
        case unexpectedByte(UInt8, offset: Int, expected: Expectation)
        /// More than white space follows the value.
        case trailingContent(offset: Int)
        /// Neither `true` nor `false` nor `null`, though it begins like one of them.
        case malformedLiteral(offset: Int)
        /// A number misses a digit here, or has a digit after a leading zero.
        case malformedNumber(offset: Int)
        /// A string holds a control character that must be escaped.
        case controlCharacter(UInt8, offset: Int)
        /// The backslash here begins no escape that the grammar knows.
        case malformedEscape(offset: Int)
        /// The escape here is half of a surrogate pair without the other half.
        case loneSurrogate(offset: Int)
        /// The bytes from here are not well-formed UTF-8.
        case malformedUTF8(offset: Int)
        /// The name that begins here occurred before in the same object.
        case duplicateName(offset: Int)

        /// The member or element does not exist.
        case missing(at: Path)
        /// The value is of another type.
        case mismatch(at: Path, expected: Kind, found: Kind)
        /// The number has a fraction where an integer is due.
        case fraction(at: Path)
        /// The integer does not fit the type that was asked for.
        case outOfRange(at: Path)
    }

    /// What the grammar allows at a place.
    public enum Expectation: String, Sendable, CustomStringConvertible {
        /// Any value.
        case value = "a value"
        /// A member's name.
        case name = "a name"
        /// The colon between name and value.
        case colon = "a colon"
        /// A comma or the end of the array.
        case commaOrEndOfArray = "a comma or the end of the array"
        /// A comma or the end of the object.
        case commaOrEndOfObject = "a comma or the end of the object"
        /// The rest of a string with its closing quote.
        case endOfString = "the end of the string"

        /// The phrase that stands for it in a message.
        public var description: String { rawValue }
    }
}

extension JSON.Expectation {
    /// The clause that gives the grammar of what was due.
    fileprivate var clause: String {
        switch self {
        case .value: "RFC8259-2"
        case .name, .colon, .commaOrEndOfObject: "RFC8259-4"
        case .commaOrEndOfArray: "RFC8259-5"
        case .endOfString: "RFC8259-7"
        }
    }
}

extension JSON.Rejection {
    /// The rule that was broken.
    public var rule: Rule {
        switch self {
        case .tooLarge(let size, let limit): Rule("RFC8259-9", "\(size) bytes of JSON, at most \(limit) allowed")
        case .tooDeep(let offset, let limit): Rule("RFC8259-9", "nested deeper than \(limit) at byte \(offset)")
        case .tooManyValues(let offset, let limit):
            Rule("RFC8259-9", "more than \(limit) values and names at byte \(offset)")
        case .tooManyMembers(let offset, let limit):
            Rule("RFC8259-9", "more than \(limit) members or elements at byte \(offset)")
        case .stringTooLong(let offset, let limit):
            Rule("RFC8259-9", "string longer than \(limit) bytes at byte \(offset)")
        case .numberTooLong(let offset, let limit):
            Rule("RFC8259-9", "number longer than \(limit) characters at byte \(offset)")
        case .byteOrderMark: Rule("RFC8259-8.1", "byte order mark before the JSON text")
        case .unexpectedEnd(let offset, let expected):
            Rule(expected.clause, "end of text at byte \(offset), expected \(expected)")
        case .unexpectedByte(let byte, let offset, let expected):
            Rule(
                expected.clause, "unexpected byte 0x\(String(byte, radix: 16)) at byte \(offset), expected \(expected)")
        case .trailingContent(let offset): Rule("RFC8259-2", "content after the JSON text at byte \(offset)")
        case .malformedLiteral(let offset): Rule("RFC8259-3", "unknown literal at byte \(offset)")
        case .malformedNumber(let offset): Rule("RFC8259-6", "malformed number at byte \(offset)")
        case .controlCharacter(let byte, let offset):
            Rule("RFC8259-7", "unescaped control character 0x\(String(byte, radix: 16)) at byte \(offset)")
        case .malformedEscape(let offset): Rule("RFC8259-7", "malformed escape at byte \(offset)")
        case .loneSurrogate(let offset): Rule("RFC8259-8.2", "lone surrogate at byte \(offset)")
        case .malformedUTF8(let offset): Rule("RFC8259-8.1", "malformed UTF-8 at byte \(offset)")
        case .duplicateName(let offset): Rule("RFC8259-4", "duplicate member name at byte \(offset)")
        case .missing(let path): Rule("RFC8259-4", "\(path) is missing")
        case .mismatch(let path, let expected, let found):
            Rule("RFC8259-3", "\(path) is \(found), expected \(expected)")
        case .fraction(let path): Rule("RFC8259-6", "\(path) is not an integer")
        case .outOfRange(let path): Rule("RFC8259-6", "\(path) is out of range")
        }
    }
}
