/// Checks a JSON text against RFC 8259 and writes its tape, in one pass and without recursion.
///
/// The text is followed by `Tape.padding` zero bytes. A zero byte fits no rule of the grammar, so every loop stops there at
/// the latest, and a load of eight bytes from any offset up to the end stays inside the block: no step needs a bounds check.
struct Scanner {
    private let limits: JSON.Limits
    private let size: Int
    private var block: Tape.Block
    private var text: UnsafePointer<UInt8>
    private var nodes: UnsafeMutablePointer<Tape.Node>
    private var capacity: Int

    private init(_ source: UnsafeBufferPointer<UInt8>, limits: JSON.Limits) {
        self.limits = limits
        size = source.count
        // Payloads of tokens have a node for every 15–20 bytes; anything denser makes the block grow.
        capacity = min(source.count / 12 + 8, limits.values)
        block = Tape.block(holding: source, nodeCapacity: capacity)
        text = Tape.text(of: block)
        nodes = Tape.nodes(of: block)
    }

    /// The tape of a text that is one valid JSON value.
    static func tape(of source: UnsafeBufferPointer<UInt8>, limits: JSON.Limits) throws(JSON.Rejection) -> Tape {
        guard source.count <= limits.size else { throw .tooLarge(size: source.count, limit: limits.size) }
        var scanner = Scanner(source, limits: limits)
        return try scanner.scan()
    }

    /// Doubles the room for nodes, up to the limit.
    @inline(never)
    private mutating func grow(at offset: Int) throws(JSON.Rejection) {
        guard capacity < limits.values else { throw .tooManyValues(offset: offset, limit: limits.values) }
        let larger = min(capacity * 2, limits.values)
        block = Tape.copy(block, nodes: capacity, nodeCapacity: larger)
        capacity = larger
        text = Tape.text(of: block)
        nodes = Tape.nodes(of: block)
    }

    /// The grammar: each turn of the outer loop reads a value, with its name when it is a member; the inner loop reads what
    /// follows a value, and closes as many containers as end there.
    private mutating func scan() throws(JSON.Rejection) -> Tape {
        var at = 0
        var count = 0  // nodes written
        var depth = 0  // containers open
        var open = 0  // index of the innermost open container, if depth > 0
        var inObject = false  // whether that is an object
        var members = 0  // what it holds so far

        if size >= 3, text[0] == 0xef, text[1] == 0xbb, text[2] == 0xbf { throw .byteOrderMark }

        while true {
            at = skipSpace(at)
            if inObject {
                guard text[at] == UInt8(ascii: "\"") else { throw unexpected(at, expected: .name) }
                let start = at
                let (end, isPlain) = try scanString(at)
                if count == capacity { try grow(at: start) }
                nodes[count] = Tape.Node(isPlain ? .plainString : .escapedString, start: start, end: end)
                nodes[count].link = Names.fingerprint(isPlain, text + (start + 1), count: end - start - 2)
                count &+= 1
                at = skipSpace(end)
                guard text[at] == UInt8(ascii: ":") else { throw unexpected(at, expected: .colon) }
                at = skipSpace(at &+ 1)
            }

            let start = at
            if count == capacity { try grow(at: start) }
            switch text[at] {
            case UInt8(ascii: "\""):
                let (end, isPlain) = try scanString(at)
                nodes[count] = Tape.Node(isPlain ? .plainString : .escapedString, start: start, end: end)
                at = end

            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                let (end, isInteger) = try scanNumber(at)
                nodes[count] = Tape.Node(isInteger ? .integer : .decimal, start: start, end: end)
                at = end

            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth < limits.depth else { throw .tooDeep(offset: at, limit: limits.depth) }
                if depth > 0 { nodes[open].count = members }
                let isObject = text[at] == UInt8(ascii: "{")
                nodes[count] = Tape.Node(isObject ? .object : .array, start: start, end: 0, link: UInt32(truncatingIfNeeded: open))
                at = skipSpace(at &+ 1)
                guard text[at] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    open = count
                    depth &+= 1
                    inObject = isObject
                    members = 1
                    count &+= 1
                    continue
                }
                at &+= 1
                nodes[count].end = UInt32(truncatingIfNeeded: at)
                nodes[count].link = UInt32(truncatingIfNeeded: count &+ 1)

            case UInt8(ascii: "t"):
                guard Bytes.half(text + at) == 0x6575_7274 else { throw .malformedLiteral(offset: at) }  // "true"
                at &+= 4
                nodes[count] = Tape.Node(.true, start: start, end: at)

            case UInt8(ascii: "f"):
                guard Bytes.half(text + (at + 1)) == 0x6573_6c61 else { throw .malformedLiteral(offset: at) }  // "alse"
                at &+= 5
                nodes[count] = Tape.Node(.false, start: start, end: at)

            case UInt8(ascii: "n"):
                guard Bytes.half(text + at) == 0x6c6c_756e else { throw .malformedLiteral(offset: at) }  // "null"
                at &+= 4
                nodes[count] = Tape.Node(.null, start: start, end: at)

            default:
                throw unexpected(at, expected: .value)
            }
            count &+= 1

            while true {
                at = skipSpace(at)
                if depth == 0 {
                    guard at == size else { throw .trailingContent(offset: at) }
                    block.header.nodeCount = count
                    return Tape(block: block)
                }
                let byte = text[at]
                if byte == UInt8(ascii: ",") {
                    guard members < limits.members else { throw .tooManyMembers(offset: at, limit: limits.members) }
                    members &+= 1
                    at &+= 1
                    break
                }
                guard byte == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw unexpected(at, expected: inObject ? .commaOrEndOfObject : .commaOrEndOfArray)
                }
                at &+= 1
                let parent = Int(nodes[open].link)
                nodes[open].end = UInt32(truncatingIfNeeded: at)
                nodes[open].link = UInt32(truncatingIfNeeded: count)
                nodes[open].count = members
                if inObject, members > 1, let name = Names.firstDuplicate(of: open, members: members, nodes: nodes, text: text) {
                    throw .duplicateName(offset: Int(nodes[name].start))
                }
                depth &-= 1
                open = parent
                members = nodes[open].count
                inObject = depth > 0 && nodes[open].form == .object
            }
        }
    }

    /// Names the byte that does not fit, or the end of the text.
    @inline(never)
    private func unexpected(_ at: Int, expected: JSON.Expectation) -> JSON.Rejection {
        at == size ? .unexpectedEnd(offset: at, expected: expected) : .unexpectedByte(text[at], offset: at, expected: expected)
    }
}

// MARK: - White space (RFC 8259 §2)

extension Scanner {
    /// The offset of the first byte from `at` on that is no white space.
    @inline(__always)
    private func skipSpace(_ at: Int) -> Int {
        text[at] > 0x20 ? at : skipSpaceRun(at)
    }

    @inline(never)
    private func skipSpaceRun(_ start: Int) -> Int {
        var at = start
        while true {
            switch text[at] {
            case 0x20:
                at &+= 1
                while Bytes.word(text + at) == Bytes.ones &* 0x20 { at &+= 8 }
            case 0x09, 0x0a, 0x0d:
                at &+= 1
            default:
                return at
            }
        }
    }
}

// MARK: - Numbers (RFC 8259 §6)

extension Scanner {
    /// The offset after the number that begins at `start`, and whether it has neither fraction nor exponent.
    @inline(__always)
    private func scanNumber(_ start: Int) throws(JSON.Rejection) -> (end: Int, isInteger: Bool) {
        var at = start
        if text[at] == UInt8(ascii: "-") { at &+= 1 }
        if text[at] == UInt8(ascii: "0") {
            at &+= 1
            guard !isDigit(at) else { throw .malformedNumber(offset: at) }
        } else {
            at = try digits(at)
        }
        var isInteger = true
        if text[at] == UInt8(ascii: ".") {
            isInteger = false
            at = try digits(at &+ 1)
        }
        if text[at] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            at &+= 1
            if text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at &+= 1 }
            at = try digits(at)
        }
        guard at &- start <= limits.numberLength else { throw .numberTooLong(offset: start, limit: limits.numberLength) }
        return (at, isInteger)
    }

    /// The offset after one or more digits.
    @inline(__always)
    private func digits(_ start: Int) throws(JSON.Rejection) -> Int {
        guard isDigit(start) else { throw .malformedNumber(offset: start) }
        var at = start &+ 1
        while isDigit(at) { at &+= 1 }
        return at
    }

    @inline(__always)
    private func isDigit(_ at: Int) -> Bool {
        text[at] &- UInt8(ascii: "0") < 10
    }
}

// MARK: - Strings (RFC 8259 §7, §8.1)

extension Scanner {
    /// The offset after the string whose opening quote is at `start`, and whether it has no escapes.
    @inline(__always)
    private func scanString(_ start: Int) throws(JSON.Rejection) -> (end: Int, isPlain: Bool) {
        var at = start &+ 1
        var marks: UInt64
        while true {
            let word = Bytes.word(text + at)
            marks = Bytes.escapable(word) | word & Bytes.tops
            if marks != 0 { break }
            at &+= 8
        }
        at &+= Bytes.firstMark(marks)
        guard text[at] == UInt8(ascii: "\"") else { return try scanStringRest(start, from: at) }
        guard at &- start <= limits.stringLength &+ 1 else { throw .stringTooLong(offset: start, limit: limits.stringLength) }
        return (at &+ 1, true)
    }

    /// Goes on from the first byte that is not plain ASCII.
    @inline(never)
    private func scanStringRest(_ start: Int, from first: Int) throws(JSON.Rejection) -> (end: Int, isPlain: Bool) {
        var at = first
        var isPlain = true
        while true {
            let byte = text[at]
            switch byte {
            case UInt8(ascii: "\""):
                guard at &- start <= limits.stringLength &+ 1 else { throw .stringTooLong(offset: start, limit: limits.stringLength) }
                return (at &+ 1, isPlain)
            case UInt8(ascii: "\\"):
                isPlain = false
                at = try Escapes.check(text, at: at, size: size)
            case 0x80...:
                let length = UTF8Sequence.length(text + at)
                guard length > 0 else { throw .malformedUTF8(offset: at) }
                at &+= length
            case ..<0x20:
                throw at == size ? .unexpectedEnd(offset: at, expected: .endOfString) : .controlCharacter(byte, offset: at)
            default:
                at &+= 1
                let word = Bytes.word(text + at)
                let marks = Bytes.escapable(word) | word & Bytes.tops
                at &+= marks == 0 ? 8 : Bytes.firstMark(marks)
            }
        }
    }
}

/// The well-formed byte sequences of Unicode table 3-7: neither overlong, nor surrogates, nor beyond U+10FFFF.
enum UTF8Sequence {
    /// The length of the sequence that begins with the non-ASCII byte at `source`, or 0 when it is not well-formed.
    ///
    /// Four bytes must be readable.
    @inline(__always)
    static func length(_ source: UnsafePointer<UInt8>) -> Int {
        // Lowest byte first. The masks check that continuation bytes begin with 10.
        let bytes = Bytes.half(source)
        let lead = bytes & 0xff
        switch lead {
        case 0xc2...0xdf:
            return bytes & 0xc000 == 0x8000 ? 2 : 0
        case 0xe0...0xef:
            guard bytes & 0xc0c000 == 0x808000 else { return 0 }
            let scalar = (bytes & 0x0f) << 12 | (bytes >> 8 & 0x3f) << 6 | bytes >> 16 & 0x3f
            return scalar >= 0x800 && scalar & 0xf800 != 0xd800 ? 3 : 0
        case 0xf0...0xf4:
            guard bytes & 0xc0c0_c000 == 0x8080_8000 else { return 0 }
            let high = (bytes & 0x07) << 6 | bytes >> 8 & 0x3f  // the scalar without its lowest twelve bits
            return 0x10...0x10f ~= high ? 4 : 0
        default:
            return 0
        }
    }
}
