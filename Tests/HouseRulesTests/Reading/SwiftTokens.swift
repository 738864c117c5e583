/// A word, number, operator, bracket or piece of string literal in Swift source; white space and comments are gone.
struct Token: Equatable {
    enum Kind {
        case word, number, symbol, directive
        /// A string or extended regex literal, or the piece of one between two interpolations, delimiters included.
        case literal
    }

    var kind: Kind
    var text: String
    var line: Int
    /// Whether white space or a comment stands between this token and the one before it.
    var spaced: Bool
    /// Whether this is the first token on its line.
    var startsLine: Bool
}

/// Source that the lexer cannot follow; the rules report it instead of passing over it.
enum UnreadableSource: Error, Equatable {
    case openComment(line: Int)
    case openLiteral(line: Int)
    case openInterpolation(line: Int)
}

/// Splits Swift source into tokens: enough of the grammar for rules about names and declarations.
///
/// Nested comments, raw and multi-line strings, interpolations (their code is code), escaped names and extended regex
/// literals (`#/…/#`) are followed exactly. Bare regex literals (`/…/`) are read as operators: the libraries cannot use
/// them, and a quotation mark in one is reported as an open literal rather than silently hiding what follows.
func tokens(of source: String) throws(UnreadableSource) -> [Token] {
    var lexer = Lexer(source: source)
    try lexer.run(closing: nil)
    return lexer.tokens
}

private struct Lexer {
    var tokens: [Token] = []
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var spaced = false
    private var startsLine = true

    init(source: String) {
        bytes = Array(source.utf8)
    }

    private func byte(_ offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private func at(_ text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { bytes[position..<position + $0.count].elementsEqual($0) }
    }

    /// Reads to the end of the source, or past the parenthesis that closes an interpolation begun on the given line.
    mutating func run(closing interpolation: Int?) throws(UnreadableSource) {
        var depth = 0
        while position < bytes.count {
            let next = byte()
            if next == UInt8(ascii: "\n") {
                breakLine()
            } else if next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") || next == UInt8(ascii: "\r") {
                position += 1
                spaced = true
            } else if at("//") {
                while position < bytes.count, byte() != UInt8(ascii: "\n") { position += 1 }
                spaced = true
            } else if at("/*") {
                try skipComment()
            } else if next == UInt8(ascii: "\"") || next == UInt8(ascii: "#") {
                try readLiteralOrDirective()
            } else {
                if next == UInt8(ascii: "(") { depth += 1 }
                if next == UInt8(ascii: ")") { depth -= 1 }
                if interpolation != nil, depth < 0 { return }
                readPlainToken()
            }
        }
        if let interpolation { throw .openInterpolation(line: interpolation) }
    }

    private mutating func breakLine() {
        position += 1
        line += 1
        spaced = true
        startsLine = true
    }

    private mutating func emit(_ kind: Token.Kind, from start: Int, line: Int) {
        tokens.append(
            Token(
                kind: kind, text: String(decoding: bytes[start..<position], as: UTF8.self), line: line, spaced: spaced,
                startsLine: startsLine)
        )
        spaced = false
        startsLine = false
    }

    private mutating func skipComment() throws(UnreadableSource) {
        let start = line
        var depth = 0
        repeat {
            if at("/*") {
                depth += 1
                position += 2
            } else if at("*/") {
                depth -= 1
                position += 2
            } else if position >= bytes.count {
                throw .openComment(line: start)
            } else {
                if byte() == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        } while depth > 0
        spaced = true
    }

    private mutating func readLiteralOrDirective() throws(UnreadableSource) {
        var hashes = 0
        while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
        switch byte(hashes) {
        case UInt8(ascii: "\""):
            try readString(hashes: hashes)
        case UInt8(ascii: "/") where hashes > 0:
            try readRegex(hashes: hashes)
        default:
            let start = position
            position += max(hashes, 1)
            while isWord(byte()) { position += 1 }
            emit(.directive, from: start, line: line)
        }
    }

    private func closes(_ quotes: Int, _ hashes: Int, with quote: UInt8) -> Bool {
        (0..<quotes).allSatisfy { byte($0) == quote }
            && (0..<hashes).allSatisfy { byte(quotes + $0) == UInt8(ascii: "#") }
    }

    /// A multi-line string has its delimiter alone on the line, which sets it apart from `#"""#`, the raw string of one quotation mark.
    private func restOfLineIsBlank(after offset: Int) -> Bool {
        var offset = offset
        while byte(offset) == UInt8(ascii: " ") || byte(offset) == UInt8(ascii: "\t")
            || byte(offset) == UInt8(ascii: "\r")
        { offset += 1 }
        return byte(offset) == UInt8(ascii: "\n")
    }

    private mutating func readString(hashes: Int) throws(UnreadableSource) {
        let quote = UInt8(ascii: "\"")
        let opening = line
        var start = position
        var startLine = line
        position += hashes
        let quotes = at("\"\"\"") && restOfLineIsBlank(after: 3) ? 3 : 1
        position += quotes
        while !closes(quotes, hashes, with: quote) {
            guard position < bytes.count else { throw .openLiteral(line: opening) }
            let isEscape = byte() == UInt8(ascii: "\\") && (0..<hashes).allSatisfy { byte(1 + $0) == UInt8(ascii: "#") }
            if isEscape, byte(1 + hashes) == UInt8(ascii: "(") {
                position += hashes + 2
                emit(.literal, from: start, line: startLine)
                try run(closing: opening)
                start = position
                startLine = line
            } else if byte() == UInt8(ascii: "\n") {
                guard quotes == 3 else { throw .openLiteral(line: opening) }
                line += 1
            } else if isEscape, byte(1 + hashes) != UInt8(ascii: "\n") {
                position += hashes + 1
            }
            position += 1
        }
        position += quotes + hashes
        emit(.literal, from: start, line: startLine)
    }

    private mutating func readRegex(hashes: Int) throws(UnreadableSource) {
        let opening = line
        let start = position
        position += hashes + 1
        while !closes(1, hashes, with: UInt8(ascii: "/")) {
            guard position < bytes.count else { throw .openLiteral(line: opening) }
            if byte() == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        position += 1 + hashes
        emit(.literal, from: start, line: opening)
    }

    private mutating func readPlainToken() {
        let start = position
        let first = byte()
        position += 1
        if first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") {
            while isWord(byte()) || (byte() == UInt8(ascii: ".") && isDigit(byte(1))) { position += 1 }
            emit(.number, from: start, line: line)
        } else if isWord(first) {
            while isWord(byte()) { position += 1 }
            emit(.word, from: start, line: line)
        } else if first == UInt8(ascii: "`") {
            while position < bytes.count, byte() != UInt8(ascii: "`"), byte() != UInt8(ascii: "\n") { position += 1 }
            if byte() == UInt8(ascii: "`") { position += 1 }
            emit(.word, from: start, line: line)
        } else {
            let dotted = first == UInt8(ascii: ".") && byte() == first
            if dotted || isOperator(first) {
                while isOperator(byte()) || (dotted && byte() == UInt8(ascii: ".")), !at("//"), !at("/*") {
                    position += 1
                }
            }
            emit(.symbol, from: start, line: line)
        }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xff: true
        default: false
        }
    }

    private func isOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "!"),
            UInt8(ascii: "*"):
            true
        case UInt8(ascii: "%"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "|"),
            UInt8(ascii: "^"):
            true
        case UInt8(ascii: "~"), UInt8(ascii: "?"): true
        default: false
        }
    }
}
