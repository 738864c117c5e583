/// The bytes of a JSON text being written: first into a region on the stack, then, once that is full, into one on the
/// heap.
struct Output: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    /// Where the next byte goes: kept as an address, since each write waits for the one before to store it.
    private var cursor: UnsafeMutablePointer<UInt8>
    /// Where the region ends.
    private var end: UnsafeMutablePointer<UInt8>
    private var isOnHeap = false
    private var indentation = 0
    private let isIndented: Bool

    /// Enough for the claims of a token.
    private static let stackCapacity = 1024

    private init(on stack: UnsafeMutablePointer<UInt8>, layout: JSON.Layout) {
        (base, cursor, end) = (stack, stack, stack + Output.stackCapacity)
        isIndented = layout == .indented
    }

    deinit {
        if isOnHeap { base.deallocate() }
    }

    /// What `body` writes.
    @inline(__always)
    static func bytes(_ layout: JSON.Layout, _ body: (inout Output) -> Void) -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: stackCapacity) { stack in
            // The capacity is positive, so the address exists; the output ends before the region does.
            guard let start = stack.baseAddress else { return [] }
            var output = Output(on: start, layout: layout)
            body(&output)
            return [UInt8](UnsafeBufferPointer(start: output.base, count: output.cursor - output.base))
        }
    }

    /// Makes sure that `extra` more bytes can be written from the cursor on.
    @inline(__always)
    private mutating func reserve(_ extra: Int) {
        if end - cursor < extra { grow(by: extra) }
    }

    @inline(never)
    private mutating func grow(by extra: Int) {
        let count = cursor - base
        let larger = max((end - base) * 2, count + extra)
        let target = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        target.initialize(from: base, count: count)
        if isOnHeap { base.deallocate() }
        (base, cursor, end) = (target, target + count, target + larger)
        isOnHeap = true
    }
}

// MARK: - Structure

extension Output {
    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        reserve(1)
        put(byte)
    }

    /// Writes a byte for which there is room.
    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        cursor.pointee = byte
        cursor += 1
    }

    /// Begins an object or array.
    @inline(__always)
    mutating func open(_ bracket: UInt8) {
        byte(bracket)
        indentation &+= 1
    }

    /// Separates what follows from what the innermost container holds already.
    ///
    /// No value ends in an opening bracket, so the last byte tells whether anything is there.
    @inline(__always)
    mutating func separate() {
        if !isEmptyContainer { byte(UInt8(ascii: ",")) }
        if isIndented { newLine(separated: false) }
    }

    /// Ends an object or array.
    @inline(__always)
    mutating func close(_ bracket: UInt8) {
        indentation &-= 1
        if isIndented, !isEmptyContainer { newLine(separated: false) }
        byte(bracket)
    }

    /// Begins a member: separates it from what the object holds already, unless it is the first, and writes its name.
    @inline(__always)
    mutating func name(_ name: JSON.Name, isFirst: Bool) {
        if isIndented { newLine(separated: !isFirst) }
        name.text.withBytes { text in
            reserve(text.count &+ Output.quotedExtra &+ 2)
            // A copy, which the compiler keeps in a register: the output's own lies in memory that stores might change.
            var at = cursor
            at.pointee = UInt8(ascii: ",")
            at += isFirst || isIndented ? 0 : 1
            if quoted(text, at: &at) {
                at.pointee = UInt8(ascii: ":")
                cursor = at + 1
            } else {
                cursor = at
                escaped(text)
                byte(UInt8(ascii: ":"))
            }
        }
        if isIndented { byte(UInt8(ascii: " ")) }
    }

    /// Whether the innermost container, which must exist, is still empty.
    @inline(__always)
    private var isEmptyContainer: Bool {
        let last = cursor[-1]  // an opening bracket was written
        return last == UInt8(ascii: "{") || last == UInt8(ascii: "[")
    }

    @inline(never)
    private mutating func newLine(separated: Bool) {
        if separated { byte(UInt8(ascii: ",")) }
        byte(UInt8(ascii: "\n"))
        for _ in 0..<indentation {
            byte(UInt8(ascii: " "))
            byte(UInt8(ascii: " "))
        }
    }
}

// MARK: - Values

extension Output {
    /// Writes bytes that are JSON already.
    @inline(__always)
    mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        cursor.update(from: source, count: bytes.count)
        cursor += bytes.count
    }

    /// Writes a literal of the grammar.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        raw(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func bool(_ value: Bool) {
        value ? literal("true") : literal("false")
    }

    mutating func number(_ number: JSON.Number) {
        number.text.withBytes { raw($0) }
    }

    mutating func integer(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        integer(value.magnitude)
    }

    mutating func integer(_ value: UInt64) {
        reserve(24)  // three words of eight digits
        if value < 100_000_000 {
            leadingDigits(value)
        } else {
            let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
            if high < 100_000_000 {
                leadingDigits(high)
            } else {
                leadingDigits(high / 100_000_000)
                eightDigits(high % 100_000_000)
            }
            eightDigits(low)
        }
    }

    /// Writes a value below 10⁸ without leading zeros; eight bytes must be reserved.
    @inline(__always)
    private mutating func leadingDigits(_ value: UInt64) {
        // The upper digits of a time, and many another number: where the next byte lies is then guessed from this
        // branch, and nothing waits for a count of zeros.
        if value < 100, value > 9 {
            let tens = (value &* 103) >> 10
            let pair = tens | (value &- tens &* 10) << 8 | 0x3030
            Bytes.store(pair, to: cursor)
            cursor += 2
            return
        }
        let digits = Bytes.digits(value)
        let zeros = min(digits.trailingZeroBitCount >> 3, 7)
        Bytes.store((digits | Bytes.ones &* 0x30) &>> UInt64(truncatingIfNeeded: 8 &* zeros), to: cursor)
        cursor += 8 &- zeros
    }

    /// Writes a value below 10⁸ with leading zeros; eight bytes must be reserved.
    @inline(__always)
    private mutating func eightDigits(_ value: UInt64) {
        Bytes.store(Bytes.digits(value) | Bytes.ones &* 0x30, to: cursor)
        cursor += 8
    }

    /// Writes a string in quotes, escaping what RFC 8259 §7 demands and nothing else.
    mutating func string(_ text: String) {
        text.withBytes { text in
            reserve(text.count &+ Output.quotedExtra)
            var at = cursor
            if quoted(text, at: &at) { cursor = at } else { escaped(text) }
        }
    }

    /// What a quoted text without escapes needs beside its bytes: two quotes, and seven bytes that a word store writes
    /// beyond it.
    private static let quotedExtra = 9

    /// Writes a string in quotes, for which room without escapes is reserved, and moves behind it; or stays, and
    /// answers that something has to be escaped.
    @inline(__always)
    private func quoted(_ text: UnsafeBufferPointer<UInt8>, at place: inout UnsafeMutablePointer<UInt8>) -> Bool {
        let (target, length) = (place + 1, text.count)
        place.pointee = UInt8(ascii: "\"")
        if let source = text.baseAddress {
            if length < 8 {
                let word = Bytes.shortWord(source, count: length)
                // Zero bytes above the text look like controls; marks from there on do not count.
                guard Bytes.firstMark(Bytes.escapable(word)) >= length else { return false }
                Bytes.store(word, to: target)
            } else {
                guard Self.copy(source, length, to: target) else { return false }
            }
        }
        target[length] = UInt8(ascii: "\"")
        place = target + (length &+ 1)
        return true
    }

    /// Copies at least eight bytes unless one of them has to be escaped.
    @inline(__always)
    private static func copy(
        _ source: UnsafePointer<UInt8>, _ length: Int, to target: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let last = length &- 8
        var at = 0
        while at &+ 8 < last {
            let (one, other) = (Bytes.word(source + at), Bytes.word(source + (at &+ 8)))
            guard Bytes.escapable(one) | Bytes.escapable(other) == 0 else { return false }
            Bytes.store(one, to: target + at)
            Bytes.store(other, to: target + (at &+ 8))
            at &+= 16
        }
        // Up to sixteen bytes are left, which two words cover; they may overlap what is there already.
        at = min(at, last)
        let (one, other) = (Bytes.word(source + at), Bytes.word(source + last))
        guard Bytes.escapable(one) | Bytes.escapable(other) == 0 else { return false }
        Bytes.store(one, to: target + at)
        Bytes.store(other, to: target + last)
        return true
    }

    /// Writes a string in quotes byte by byte, escaping what has to be.
    @inline(never)
    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
        byte(UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escape(byte)
            case 0x08: escape(UInt8(ascii: "b"))
            case 0x09: escape(UInt8(ascii: "t"))
            case 0x0a: escape(UInt8(ascii: "n"))
            case 0x0c: escape(UInt8(ascii: "f"))
            case 0x0d: escape(UInt8(ascii: "r"))
            case ..<0x20:
                literal("\\u00")
                self.byte(UInt8(ascii: "0") &+ byte >> 4)
                self.byte(byte & 0xf < 10 ? UInt8(ascii: "0") &+ byte & 0xf : UInt8(ascii: "a") &+ byte & 0xf &- 10)
            default: self.byte(byte)
            }
        }
        byte(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func escape(_ letter: UInt8) {
        byte(UInt8(ascii: "\\"))
        byte(letter)
    }

    /// Writes a tree; as deep a recursion as the tree.
    mutating func tree(_ json: JSON) {
        switch json {
        case .null: literal("null")
        case .bool(let value): bool(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let elements):
            open(UInt8(ascii: "["))
            for element in elements {
                separate()
                tree(element)
            }
            close(UInt8(ascii: "]"))
        case .object(let object): tree(object)
        }
    }

    /// Writes an object's tree.
    mutating func tree(_ object: JSON.Object) {
        open(UInt8(ascii: "{"))
        var isFirst = true
        for member in object.members {
            name(member.name, isFirst: isFirst)
            tree(member.value)
            isFirst = false
        }
        close(UInt8(ascii: "}"))
    }
}
