/// The bytes of a JSON text being written: a region of memory that the caller lends, and a larger one of its own once that is full.
struct Output: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0
    private var ownsBase = false
    private var indentation = 0
    private let isIndented: Bool

    private init(lent region: UnsafeMutableBufferPointer<UInt8>, base: UnsafeMutablePointer<UInt8>, layout: JSON.Layout) {
        self.base = base
        capacity = region.count
        isIndented = layout == .indented
    }

    deinit {
        if ownsBase { base.deallocate() }
    }

    /// What `body` writes, in an array that it was written into directly when `reservation` bytes were enough.
    static func bytes(reserving reservation: Int, layout: JSON.Layout, _ body: (inout Output) -> Void) -> [UInt8] {
        var overflow: [UInt8]?
        let direct = [UInt8](unsafeUninitializedCapacity: max(reservation, 64)) { region, count in
            guard let base = region.baseAddress else { return }
            var output = Output(lent: region, base: base, layout: layout)
            body(&output)
            if output.ownsBase {
                overflow = [UInt8](UnsafeBufferPointer(start: output.base, count: output.count))
            } else {
                count = output.count
            }
        }
        return overflow ?? direct
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
        if ownsBase { base.deallocate() }
        base = target
        capacity = larger
        ownsBase = true
    }
}

// MARK: - Structure

extension Output {
    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        reserve(1)
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
        separate()
        string(name.text)
        byte(UInt8(ascii: ":"))
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
        var text = number.text
        text.withUTF8 { raw($0) }
    }

    mutating func integer(_ value: Int64) {
        reserve(20)
        if value < 0 {
            base[count] = UInt8(ascii: "-")
            count &+= 1
        }
        integer(value.magnitude)
    }

    mutating func integer(_ value: UInt64) {
        reserve(20)  // 2⁶⁴ has twenty digits
        var length = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            length &+= 1
        }
        rest = value
        var at = count &+ length
        repeat {
            at &-= 1
            base[at] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        count &+= length
    }

    /// Writes a string in quotes, escaping what RFC 8259 §7 demands and nothing else.
    mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { quoted($0) }
    }

    @inline(__always)
    private mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
        let length = text.count
        // Two quotes, and up to seven bytes that a word store writes beyond the text.
        reserve(length &+ 10)
        base[count] = UInt8(ascii: "\"")
        count &+= 1
        guard let source = text.baseAddress else {
            byte(UInt8(ascii: "\""))
            return
        }
        if length < 8 {
            let word = Bytes.shortWord(source, count: length)
            // Zero bytes above the text look like controls; marks from there on do not count.
            let marks = Bytes.escapable(word)
            guard marks == 0 || Bytes.firstMark(marks) >= length else { return escaped(text, from: 0) }
            Bytes.store(word, to: base + count)
        } else {
            var at = 0
            while at < length {
                // The last word may overlap the one before it.
                at = min(at, length &- 8)
                let word = Bytes.word(source + at)
                guard Bytes.escapable(word) == 0 else { return escaped(text, from: at) }
                Bytes.store(word, to: base + (count &+ at))
                at &+= 8
            }
        }
        count &+= length
        base[count] = UInt8(ascii: "\"")
        count &+= 1
    }

    /// Goes on where the first escape may be needed; the bytes before `start` are in place already.
    @inline(never)
    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>, from start: Int) {
        count &+= start
        reserve(text.count)
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
        self.byte(UInt8(ascii: "\""))
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
