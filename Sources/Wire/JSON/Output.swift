/// The bytes of a JSON text being written: first into a region on the stack, then, once that is full, into one on the
/// heap.
struct Output: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0
    private var isOnHeap = false
    private var indentation = 0
    private let isIndented: Bool

    /// Enough for the claims of a token.
    private static let stackCapacity = 1024

    private init(on stack: UnsafeMutablePointer<UInt8>, layout: JSON.Layout) {
        base = stack
        capacity = Output.stackCapacity
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
            return [UInt8](UnsafeBufferPointer(start: output.base, count: output.count))
        }
    }

    /// Makes sure that `extra` more bytes can be written from `base + count`.
    @inline(__always)
    private mutating func reserve(_ extra: Int) {
        if capacity &- count < extra { grow(by: extra) }
    }

    @inline(never)
    private mutating func grow(by extra: Int) {
        let larger = max(capacity * 2, count + extra)
        let target = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        target.initialize(from: base, count: count)
        if isOnHeap { base.deallocate() }
        base = target
        capacity = larger
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
        base[count] = byte
        count &+= 1
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
        if isIndented { newLine() }
    }

    /// Ends an object or array.
    @inline(__always)
    mutating func close(_ bracket: UInt8) {
        indentation &-= 1
        if isIndented, !isEmptyContainer { newLine() }
        byte(bracket)
    }

    /// Begins a member: separates it and writes its name.
    @inline(__always)
    mutating func name(_ name: JSON.Name) {
        if isIndented { separate() }
        name.text.withBytes { text in
            reserve(text.count &+ Output.quotedExtra &+ 2)
            if !isIndented, !isEmptyContainer { put(UInt8(ascii: ",")) }
            quoted(text)
            put(UInt8(ascii: ":"))
        }
        if isIndented { byte(UInt8(ascii: " ")) }
    }

    /// Whether the innermost container, which must exist, is still empty.
    @inline(__always)
    private var isEmptyContainer: Bool {
        let last = base[count &- 1]  // an opening bracket was written, so count ≥ 1
        return last == UInt8(ascii: "{") || last == UInt8(ascii: "[")
    }

    @inline(never)
    private mutating func newLine() {
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
        (base + count).update(from: source, count: bytes.count)
        count &+= bytes.count
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
        let digits = Bytes.digits(value)
        let zeros = min(digits.trailingZeroBitCount >> 3, 7)
        Bytes.store((digits | Bytes.ones &* 0x30) &>> UInt64(truncatingIfNeeded: 8 &* zeros), to: base + count)
        count &+= 8 &- zeros
    }

    /// Writes a value below 10⁸ with leading zeros; eight bytes must be reserved.
    @inline(__always)
    private mutating func eightDigits(_ value: UInt64) {
        Bytes.store(Bytes.digits(value) | Bytes.ones &* 0x30, to: base + count)
        count &+= 8
    }

    /// Writes a string in quotes, escaping what RFC 8259 §7 demands and nothing else.
    mutating func string(_ text: String) {
        text.withBytes { text in
            reserve(text.count &+ Output.quotedExtra)
            quoted(text)
        }
    }

    /// What a quoted text without escapes needs beside its bytes: two quotes, and seven bytes that a word store writes
    /// beyond it.
    private static let quotedExtra = 9

    /// Writes a string in quotes, for which room without escapes is reserved; a byte more than that is left when it
    /// was.
    @inline(__always)
    private mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
        put(UInt8(ascii: "\""))
        let length = text.count
        guard let source = text.baseAddress else { return put(UInt8(ascii: "\"")) }
        if length < 8 {
            let word = Bytes.shortWord(source, count: length)
            // Zero bytes above the text look like controls; marks from there on do not count.
            let marks = Bytes.escapable(word)
            guard Bytes.firstMark(marks) >= length else { return escaped(text, from: 0) }
            Bytes.store(word, to: base + count)
        } else {
            let last = length &- 8
            var at = 0
            while at < last {
                let word = Bytes.word(source + at)
                guard Bytes.escapable(word) == 0 else { return escaped(text, from: at) }
                Bytes.store(word, to: base + (count &+ at))
                at &+= 8
            }
            // The last word may overlap the one before it.
            let word = Bytes.word(source + last)
            guard Bytes.escapable(word) == 0 else { return escaped(text, from: last) }
            Bytes.store(word, to: base + (count &+ last))
        }
        count &+= length
        put(UInt8(ascii: "\""))
    }

    /// Goes on where the first escape may be needed; the bytes before `start` are in place already.
    @inline(never)
    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>, from start: Int) {
        count &+= start
        for byte in text[start...] {
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
        reserve(2)  // the quote, and the byte more that `quoted` promises
        put(UInt8(ascii: "\""))
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
        for member in object.members {
            name(member.name)
            tree(member.value)
        }
        close(UInt8(ascii: "}"))
    }
}
