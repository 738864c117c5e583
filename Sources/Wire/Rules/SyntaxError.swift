/// Why a text of one of the small formats is not taken, or a value cannot be written as one.
///
/// Offsets count bytes from the start of the text. No case repeats what the text says, which may be a secret.
public enum SyntaxError: BrokenRule {
    /// There is no text.
    case empty(Format)
    /// The text is longer than the limit.
    case tooLong(Format, length: Int, limit: Int)
    /// The text has more parts than the limit.
    case tooMany(Format, limit: Int)
    /// The text does not follow the grammar from the offset.
    case malformed(Format, offset: Int)
    /// The byte at the offset may not stand there.
    case foreignCharacter(Format, offset: Int)
    /// The percent sign at the offset is not followed by two hexadecimal digits.
    case brokenTriplet(Format, offset: Int)
    /// The text is not UTF-8 from the offset.
    case illFormedUTF8(Format, offset: Int)
    /// The parameter at the offset has come before.
    case repeatedParameter(Format, offset: Int)
    /// The parameter that is to be written has a name that is no token or has come before, or a value with a control
    /// character.
    case unwritableParameter(index: Int)

    /// No number of bytes is written with that many characters.
    case impossibleLength(Format, characters: Int)
    /// A `=` where none may stand.
    case misplacedPadding(offset: Int)
    /// The last group is not filled up with `=`.
    case missingPadding(length: Int)
    /// The last character carries bits that belong to no byte.
    case strayBits(offset: Int)

    /// The digit at the offset is finer than a nanosecond.
    case tooFine(offset: Int)
    /// The point in time lies beyond what 64 bits of seconds can tell.
    case outOfRange
    /// The month has no such day, or the day no such time.
    case noSuchDate
    /// The date falls on another day of the week than the one named.
    case wrongWeekday
    /// The year cannot be written with four digits.
    case yearOutOfRange

    /// What the text should have been; other modules add their own formats.
    public struct Format: Hashable, Sendable {
        fileprivate let name: String
        fileprivate let clause: String
        fileprivate let limits: String

        /// A format with its name in messages, the clause that gives its grammar, and the one that limits its size.
        package init(_ name: String, _ clause: String, limits: String = "threat-14") {
            self.name = name
            self.clause = clause
            self.limits = limits
        }

        /// The name of a party, key or token.
        package static let identifier = Format("identifier", "threat-10", limits: "threat-10")
        /// Base64 in either alphabet.
        package static let base64 = Format("Base64 text", "RFC4648-3.3")
        /// Hexadecimal digits.
        package static let hexadecimal = Format("hexadecimal text", "RFC4648-8")
        /// Percent-encoded bytes.
        package static let percentEncoding = Format("percent-encoded text", "RFC3986-2.1")
        /// A point in time.
        package static let time = Format("point in time", "threat-15")
        /// The method of a request.
        package static let method = Format("method", "RFC9110-9.1")
        /// The name of a header field.
        package static let fieldName = Format("field name", "RFC9110-5.1")
        /// The value of a header field.
        package static let fieldValue = Format("field value", "RFC9110-5.5")
        /// A media type.
        package static let mediaType = Format("media type", "RFC9110-8.3.1")
        /// Challenges or credentials.
        package static let authentication = Format("list of challenges or credentials", "RFC9110-11.3")
        /// A token in credentials.
        package static let token = Format("token", "RFC6750-2.1")
        /// Directives for caches.
        package static let cacheControl = Format("list of cache directives", "RFC9111-5.2")
        /// The parameters of a form.
        package static let form = Format("form", "RFC6749-B")
    }

    /// The rule that was broken.
    public var rule: Rule {
        switch self {
        case .empty(let format): Rule(format.clause, "the \(format.name) is empty")
        case .tooLong(let format, let length, let limit):
            Rule(format.limits, "the \(format.name) has \(length) bytes, at most \(limit) are allowed")
        case .tooMany(let format, let limit): Rule(format.limits, "the \(format.name) has more than \(limit) parts")
        case .malformed(let format, let offset): Rule(format.clause, "not a valid \(format.name) from offset \(offset)")
        case .foreignCharacter(let format, let offset):
            Rule(format.clause, "a byte that the \(format.name) may not have at offset \(offset)")
        case .brokenTriplet(let format, let offset):
            Rule(format.clause, "a percent sign without two hexadecimal digits at offset \(offset)")
        case .illFormedUTF8(let format, let offset):
            Rule("RFC3629-4", "the \(format.name) is not UTF-8 from offset \(offset)")
        case .repeatedParameter(let format, let offset):
            Rule(
                format == .authentication ? "RFC9110-11.2" : format.clause,
                "a parameter for the second time at offset \(offset)")
        case .unwritableParameter(let index): Rule("RFC9110-11.2", "parameter \(index) cannot be written")
        case .impossibleLength(let format, let characters):
            Rule(
                format == .base64 ? "RFC4648-4" : format.clause,
                "\(characters) characters stand for no number of bytes")
        case .misplacedPadding(let offset): Rule("RFC4648-3.2", "padding where none may stand, at offset \(offset)")
        case .missingPadding(let length): Rule("RFC4648-3.2", "padding is missing at the end of \(length) bytes")
        case .strayBits(let offset): Rule("RFC4648-3.5", "left-over bits in the last character, at offset \(offset)")
        case .tooFine(let offset): Rule("threat-15", "a fraction finer than a nanosecond at offset \(offset)")
        case .outOfRange: Rule("threat-15", "the point in time is out of range")
        case .noSuchDate: Rule("RFC9110-5.6.7", "no such day or time exists")
        case .wrongWeekday: Rule("RFC9110-5.6.7", "the day of the week does not belong to the date")
        case .yearOutOfRange: Rule("RFC9110-5.6.7", "the year cannot be written with four digits")
        }
    }
}
