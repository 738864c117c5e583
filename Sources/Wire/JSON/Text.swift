/// A text in memory, followed by `Tape.padding` zero bytes, and the scans of its tokens.
///
/// A zero byte fits no rule of the grammar, so every loop stops at the first of them at the latest, and a load of eight
/// bytes from any offset up to the end stays inside the block: no step needs a bounds check.
struct Text {
    let base: UnsafePointer<UInt8>
    let size: Int

    /// The address of a tape's text, which begins in the first slot.
    @inline(__always)
    static func start(in slots: UnsafePointer<Tape.Slot>) -> UnsafePointer<UInt8> {
        UnsafeRawPointer(slots).assumingMemoryBound(to: UInt8.self)
    }

    /// The text of a tape.
    @inline(__always)
    init(in slots: UnsafeMutablePointer<Tape.Slot>, size: Int) {
        base = Text.start(in: slots)
        self.size = size
    }

    /// The byte at an offset up to the size, where a zero byte stands; only after a byte that is not zero may the next
    /// be read.
    @inline(__always)
    subscript(_ at: Int) -> UInt8 { base[at] }

    /// The eight bytes from an offset up to the size.
    @inline(__always)
    func word(_ at: Int) -> UInt64 { Bytes.word(base + at) }

    /// The four bytes from an offset; where they begin before the end of the text they stay within the padding.
    @inline(__always)
    func half(_ at: Int) -> UInt32 { Bytes.half(base + at) }

    /// Whether the text begins with U+FEFF in UTF-8.
    var hasByteOrderMark: Bool { half(0) & 0xff_ffff == 0xbf_bbef }

    /// Names the byte that does not fit, or the end of the text.
    @inline(never)
    func unexpected(_ at: Int, expected: JSON.Expectation) -> JSON.Rejection {
        at == size
            ? .unexpectedEnd(offset: at, expected: expected) : .unexpectedByte(self[at], offset: at, expected: expected)
    }
}

// MARK: - White space (RFC 8259 §2)

extension Text {
    /// The offset of the first byte from `at` on that is no white space.
    @inline(__always)
    func skipSpace(_ at: Int) -> Int {
        self[at] > 0x20 ? at : skipSpaceRun(at)
    }

    @inline(never)
    private func skipSpaceRun(_ first: Int) -> Int {
        var at = first
        while true {
            switch self[at] {
            case 0x20:
                at &+= 1
                while word(at) == Bytes.ones &* 0x20 { at &+= 8 }
            case 0x09, 0x0a, 0x0d:
                at &+= 1
            default:
                return at
            }
        }
    }
}

// MARK: - Numbers (RFC 8259 §6)

extension Text {
    /// The offset after the number that begins at `first`, and whether it has neither fraction nor exponent.
    @inline(__always)
    func scanNumber(_ first: Int, limit: Int) throws(JSON.Rejection) -> (end: Int, isInteger: Bool) {
        var at = first
        if self[at] == UInt8(ascii: "-") { at &+= 1 }
        if self[at] == UInt8(ascii: "0") {
            at &+= 1
            guard !isDigit(at) else { throw .malformedNumber(offset: at) }
        } else {
            at = try scanDigits(at)
        }
        var isInteger = true
        if self[at] == UInt8(ascii: ".") || self[at] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            at = try scanFraction(at)
        }
        guard at &- first <= limit else { throw .numberTooLong(offset: first, limit: limit) }
        return (at, isInteger)
    }

    /// The offset after the fraction and exponent, of which one at least begins here.
    @inline(never)
    private func scanFraction(_ first: Int) throws(JSON.Rejection) -> Int {
        var at = first
        if self[at] == UInt8(ascii: ".") { at = try scanDigits(at &+ 1) }
        if self[at] | 0x20 == UInt8(ascii: "e") {
            at &+= 1
            if self[at] == UInt8(ascii: "+") || self[at] == UInt8(ascii: "-") { at &+= 1 }
            at = try scanDigits(at)
        }
        return at
    }

    /// The offset after one or more digits.
    @inline(__always)
    private func scanDigits(_ first: Int) throws(JSON.Rejection) -> Int {
        guard isDigit(first) else { throw .malformedNumber(offset: first) }
        var at = first &+ 1
        while isDigit(at) { at &+= 1 }
        return at
    }

    @inline(__always)
    private func isDigit(_ at: Int) -> Bool {
        self[at] &- UInt8(ascii: "0") < 10
    }
}

// MARK: - Strings (RFC 8259 §7, §8.1)

extension Text {
    /// The offset after the string whose opening quote is at `first`, and which of the three forms it has.
    @inline(__always)
    func scanString(_ first: Int, limit: Int) throws(JSON.Rejection) -> (end: Int, form: Tape.Form) {
        var at = first &+ 1
        var bytes = word(at)
        var marks = Bytes.special(bytes)
        while marks == 0 {
            at &+= 8
            bytes = word(at)
            marks = Bytes.special(bytes)
        }
        at &+= Bytes.firstMark(marks)
        guard Bytes.firstMarked(bytes, marks) == UInt8(ascii: "\"") else {
            return try scanStringRest(first, from: at, limit: limit)
        }
        guard at &- first <= limit &+ 1 else { throw .stringTooLong(offset: first, limit: limit) }
        return (at &+ 1, .asciiString)
    }

    /// The fingerprint of the name between the quotes at `first` and before `end`.
    @inline(__always)
    func fingerprint(_ first: Int, _ end: Int, isPlain: Bool) -> UInt32 {
        let start = first &+ 1
        let count = end &- start &- 1
        guard isPlain else {
            return Names.fingerprint(resolving: UnsafeBufferPointer(start: base + start, count: count))
        }
        guard count < 8 else { return Names.fingerprint(long: base + start, count: count) }
        return Names.fingerprint(word: word(start) & ~(~0 &<< UInt64(truncatingIfNeeded: 8 &* count)), count: count)
    }

    /// Goes on from the first byte that is not plain ASCII.
    @inline(never)
    private func scanStringRest(_ first: Int, from special: Int, limit: Int) throws(JSON.Rejection) -> (
        end: Int, form: Tape.Form
    ) {
        var at = special
        var form = Tape.Form.plainString
        while true {
            let byte = self[at]
            switch byte {
            case UInt8(ascii: "\""):
                guard at &- first <= limit &+ 1 else { throw .stringTooLong(offset: first, limit: limit) }
                return (at &+ 1, form)
            case UInt8(ascii: "\\"):
                form = .escapedString
                at = try Escapes.check(self, at: at)
            case 0x80...:
                let length = WellFormedUTF8.length(of: half(at))
                guard length > 0 else { throw .malformedUTF8(offset: at) }
                at &+= length
            case ..<0x20:
                throw at == size
                    ? .unexpectedEnd(offset: at, expected: .endOfString) : .controlCharacter(byte, offset: at)
            default:
                at &+= 1
                let marks = Bytes.special(word(at))
                at &+= marks == 0 ? 8 : Bytes.firstMark(marks)
            }
        }
    }
}
