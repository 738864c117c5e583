/// Checks a JSON text against RFC 8259 and writes its tape, in one pass and without recursion.
///
/// The scanner itself is the place reached in the grammar, just before a value or a member. It runs until the text is
/// done or the room for nodes is used up; then it can go on with more room.
struct Scanner {
    /// The offset reached in the text.
    private var at = 0
    /// The index after the last node written.
    private var count: Int
    /// The containers open.
    private var depth = 0
    /// The index of the innermost open container, if there is one.
    private var open = 0
    /// Whether that is an object.
    private var inObject = false
    /// What that container holds so far, with the value that is due.
    private var members = 0

    /// The tape of a text that is one valid JSON value.
    static func tape(of source: UnsafeBufferPointer<UInt8>, limits: JSON.Limits) throws(JSON.Rejection) -> Tape {
        guard source.count <= limits.size else { throw .tooLarge(size: source.count, limit: limits.size) }
        let root = Tape.root(behind: source.count)
        // One slot more than the limit: members come as pairs, and whether the last one is within the limit is checked
        // at the end.
        let mostSlots = root &+ limits.values &+ 1
        // Payloads of tokens and service documents have a node for every 12–20 bytes; denser texts make the tape grow.
        var capacity = min(root &+ source.count / 11 &+ 8, mostSlots)
        var scanner = Scanner(count: root)
        var tape = Tape(holding: source, capacity: capacity)
        var outcome = scanner.run(tape, size: source.count, capacity, limits)
        while case .success(false) = outcome {
            guard capacity < mostSlots else { throw .tooManyValues(offset: scanner.at, limit: limits.values) }
            capacity = min(capacity &* 2, mostSlots)
            tape = Tape(copying: tape, count: scanner.count, capacity: capacity)
            outcome = scanner.run(tape, size: source.count, capacity, limits)
        }
        _ = try outcome.get()
        guard scanner.count &- root <= limits.values else {
            throw .tooManyValues(offset: scanner.at, limit: limits.values)
        }
        return tape
    }

    /// Goes on from the place reached, and answers whether the text is done.
    @inline(never)
    private mutating func run(
        _ tape: Tape, size: Int, _ capacity: Int, _ limits: JSON.Limits
    ) -> Result<Bool, JSON.Rejection> {
        // A copy, whose parts the compiler keeps in registers.
        var scanner = self
        let outcome = tape.withMutableMemory { slots in
            do throws(JSON.Rejection) {
                return Result<Bool, JSON.Rejection>.success(
                    try scanner.scan(Text(in: slots, size: size), slots, capacity, limits))
            } catch {
                return .failure(error)
            }
        }
        self = scanner
        return outcome
    }

    /// The grammar: answers whether the text is done.
    ///
    /// Each turn of the loop reads a value, with its name when it is a member, and what follows it.
    @inline(__always)
    private mutating func scan(
        _ text: Text, _ nodes: UnsafeMutablePointer<Tape.Slot>, _ capacity: Int, _ limits: JSON.Limits
    ) throws(JSON.Rejection) -> Bool {
        if at == 0, text.hasByteOrderMark { throw .byteOrderMark }
        while true {
            at = text.skipSpace(at)
            guard count &+ 2 <= capacity else { return false }
            if inObject { try scanName(text, nodes, limits) }
            guard try scanValue(text, nodes, limits) else { continue }
            if try scanEnds(text, nodes, limits) { return true }
        }
    }

    /// Reads a member's name and its colon.
    @inline(__always)
    private mutating func scanName(
        _ text: Text, _ nodes: UnsafeMutablePointer<Tape.Slot>, _ limits: JSON.Limits
    ) throws(JSON.Rejection) {
        guard text[at] == UInt8(ascii: "\"") else { throw text.unexpected(at, expected: .name) }
        let (end, form) = try text.scanString(at, limit: limits.stringLength)
        let fingerprint = text.fingerprint(at, end, isPlain: form != .escapedString)
        nodes[count] = Tape.Slot(form, start: at, end: end, link: fingerprint)
        count &+= 1
        at = text.skipSpace(end)
        guard text[at] == UInt8(ascii: ":") else { throw text.unexpected(at, expected: .colon) }
        at = text.skipSpace(at &+ 1)
    }

    /// Reads a value, and answers whether it has ended; of an array or object that holds anything only the bracket is
    /// read.
    @inline(__always)
    private mutating func scanValue(
        _ text: Text, _ nodes: UnsafeMutablePointer<Tape.Slot>, _ limits: JSON.Limits
    ) throws(JSON.Rejection) -> Bool {
        let start = at
        let form: Tape.Form
        switch text[at] {
        case UInt8(ascii: "\""):
            (at, form) = try text.scanString(at, limit: limits.stringLength)

        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            let (end, isInteger) = try text.scanNumber(at, limit: limits.numberLength)
            form = isInteger ? .integer : .decimal
            at = end

        case let bracket where bracket == UInt8(ascii: "{") || bracket == UInt8(ascii: "["):
            guard depth < limits.depth else { throw .tooDeep(offset: at, limit: limits.depth) }
            at = text.skipSpace(at &+ 1)
            form = .container(bracket)
            // Both closing brackets come two after the opening ones in ASCII.
            guard text[at] == bracket &+ 2 else {
                if depth > 0 { nodes[open].count = members }
                nodes[count] = Tape.Slot(form, start: start, end: 0, link: UInt32(truncatingIfNeeded: open))
                open = count
                depth &+= 1
                inObject = bracket == UInt8(ascii: "{")
                members = 1
                count &+= 1
                return false
            }
            at &+= 1

        case UInt8(ascii: "t"):
            guard text.half(at) == 0x6575_7274 else { throw .malformedLiteral(offset: at) }  // "true"
            form = .true
            at &+= 4

        case UInt8(ascii: "f"):
            guard text.half(at &+ 1) == 0x6573_6c61 else { throw .malformedLiteral(offset: at) }  // "alse"
            form = .false
            at &+= 5

        case UInt8(ascii: "n"):
            guard text.half(at) == 0x6c6c_756e else { throw .malformedLiteral(offset: at) }  // "null"
            form = .null
            at &+= 4

        default:
            throw text.unexpected(at, expected: .value)
        }
        nodes[count] = Tape.Slot(form, start: start, end: at, link: UInt32(truncatingIfNeeded: count &+ 1))
        count &+= 1
        return true
    }

    /// Reads what follows a value, up to where the next one begins: closes as many containers as end there, and answers
    /// whether the text does.
    @inline(__always)
    private mutating func scanEnds(
        _ text: Text, _ nodes: UnsafeMutablePointer<Tape.Slot>, _ limits: JSON.Limits
    ) throws(JSON.Rejection) -> Bool {
        while true {
            at = text.skipSpace(at)
            if depth == 0 {
                guard at == text.size else { throw .trailingContent(offset: at) }
                return true
            }
            let byte = text[at]
            if byte == UInt8(ascii: ",") {
                guard members < limits.members else { throw .tooManyMembers(offset: at, limit: limits.members) }
                members &+= 1
                at &+= 1
                return false
            }
            guard byte == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw text.unexpected(at, expected: inObject ? .commaOrEndOfObject : .commaOrEndOfArray)
            }
            at &+= 1
            if inObject, members > 1, let name = Names.firstDuplicate(of: open, members: members, nodes, text.base) {
                throw .duplicateName(offset: Int(nodes[name].start))
            }
            let parent = Int(nodes[open].link)
            nodes[open].end = UInt32(truncatingIfNeeded: at)
            nodes[open].link = UInt32(truncatingIfNeeded: count)
            nodes[open].count = members
            depth &-= 1
            open = parent
            // Without a parent this looks into slot 0, which holds text; then the depth is 0 and nobody asks.
            members = nodes[open].count
            inObject = nodes[open].form == .object
        }
    }
}
