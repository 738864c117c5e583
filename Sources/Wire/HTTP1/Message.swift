extension HTTP1 {
    /// Reads what requests and answers have in common, a first line, fields and a body, from pieces of any size.
    ///
    /// No byte is looked at twice because a piece was small, and only the message that is being read is kept, within
    /// the limits.
    struct Message: Sendable {
        private let limits: Limits
        /// The line that came last, without its end.
        private(set) var line: [UInt8] = []
        private(set) var fields = HTTP.Fields()
        private(set) var body: [UInt8] = []
        private var state = State.startLine
        private var isLineWhole = false
        private var hasReturn = false
        private var headCount = 0
        private var trailerCount = 0

        private enum State: Sendable {
            case startLine, field, whole, chunkLine, trailer, untilEnd
            case body(Int)
            case chunk(Int)
            case chunkEnd(Int)
        }

        /// A part that is there.
        enum Part {
            /// The first line, which may be empty.
            case startLine
            /// All fields; ``Message/begin(_:)`` says how the body goes on.
            case head
            /// The body, and with it the message.
            case whole
        }

        init(limits: Limits) { self.limits = limits }
    }
}

extension HTTP1.Message {
    /// Whether nothing of a message has come.
    var isUntouched: Bool {
        if case .startLine = state { isLineWhole || line.isEmpty && !hasReturn } else { false }
    }

    /// Whether the body goes on until the stream ends.
    var endsWithStream: Bool { if case .untilEnd = state { true } else { false } }

    /// Goes on with the next message.
    mutating func restart() {
        (state, headCount, trailerCount, isLineWhole) = (.startLine, 0, 0, true)
        (fields, body) = (HTTP.Fields(), [])
    }

    /// Says that the line which came last was not the first one of a message.
    mutating func expectStartLine() { state = .startLine }

    /// Says how the body is found.
    mutating func begin(_ framing: HTTP1.Framing) throws(HTTP1.Refusal) {
        switch framing {
        case .length(let length):
            guard length <= UInt64(max(0, limits.body)) else { throw HTTP1.bodyTooLong }
            state = length == 0 ? .whole : .body(Int(length))
        case .chunked: state = .chunkLine
        case .untilEnd: state = .untilEnd
        }
    }

    /// Reads up to the end of the next part; `nil` if the bytes end before.
    mutating func next(_ bytes: Span<UInt8>, _ at: inout Int) throws(HTTP1.Refusal) -> Part? {
        while true {
            switch state {
            case .whole: return .whole
            case .startLine, .field, .chunkLine, .trailer:
                guard try takeLine(bytes, &at) else { return nil }
                if let part = try endLine() { return part }
            case .body(let rest):
                let count = keep(bytes, &at, rest)
                state = count == rest ? .whole : .body(rest - count)
                if count < rest { return nil }
            case .untilEnd:
                guard bytes.count - at <= limits.body - body.count else { throw HTTP1.bodyTooLong }
                _ = keep(bytes, &at, bytes.count - at)
                return nil
            case .chunk(let rest):
                let count = keep(bytes, &at, rest)
                state = count == rest ? .chunkEnd(0) : .chunk(rest - count)
                if count < rest { return nil }
            case .chunkEnd(let index):
                guard at < bytes.count else { return nil }
                guard bytes[at] == (index == 0 ? 0x0d : 0x0a) else {
                    throw HTTP1.Refusal("HTP-20", "the data of a chunk is not followed by CRLF")
                }
                at += 1
                state = index == 0 ? .chunkEnd(1) : .chunkLine
            }
        }
    }

    private mutating func keep(_ bytes: Span<UInt8>, _ at: inout Int, _ rest: Int) -> Int {
        let count = min(rest, bytes.count - at)
        // Bound: the rest was checked against the limit when it was declared.
        body.append(contentsOf: bytes.extracting(at..<at + count))
        at += count
        return count
    }
}

// MARK: - Lines

extension HTTP1.Message {
    /// Moves to behind the end of the line; false if the bytes end before.
    private mutating func takeLine(_ bytes: Span<UInt8>, _ at: inout Int) throws(HTTP1.Refusal) -> Bool {
        if isLineWhole {
            line.removeAll(keepingCapacity: true)
            isLineWhole = false
        }
        if hasReturn {
            guard at < bytes.count else { return false }
            return try endReturn(bytes, &at)
        }
        let from = at
        while at < bytes.count, bytes[at] != 0x0a, bytes[at] != 0x0d { at += 1 }
        try checkRoom(at - from)
        line.append(contentsOf: bytes.extracting(from..<at))
        guard at < bytes.count else { return false }
        guard bytes[at] == 0x0d else { throw HTTP1.Refusal("HTP-2", "a line ends in LF without CR") }
        at += 1
        hasReturn = true
        guard at < bytes.count else { return false }
        return try endReturn(bytes, &at)
    }

    private mutating func endReturn(_ bytes: Span<UInt8>, _ at: inout Int) throws(HTTP1.Refusal) -> Bool {
        guard bytes[at] == 0x0a else { throw HTTP1.Refusal("HTP-3", "a CR is not followed by LF") }
        at += 1
        hasReturn = false
        isLineWhole = true
        return true
    }

    /// Whether so many more bytes of the line may be kept.
    private func checkRoom(_ count: Int) throws(HTTP1.Refusal) {
        let length = line.count + count
        switch state {
        case .startLine where length > limits.startLine:
            throw HTTP1.Refusal("HTP-24", "the first line is too long", .uriTooLong)
        case .chunkLine where length > limits.chunkLine:
            throw HTTP1.Refusal("HTP-24", "the line of a chunk is too long")
        case .field where length > limits.fieldLine, .trailer where length > limits.fieldLine:
            throw HTTP1.Refusal("HTP-24", "a field line is too long", .fieldsTooLarge)
        case .startLine, .field, .trailer:
            // The end of the line is counted when it comes.
            guard headCount + length <= limits.head else { throw HTTP1.headTooLong }
        default: break
        }
    }

    private mutating func endLine() throws(HTTP1.Refusal) -> Part? {
        switch state {
        case .startLine:
            if !line.isEmpty { try countLine() }
            state = .field
            return .startLine
        case .field:
            try countLine()
            if line.isEmpty { return .head }
            let field = try field(isFirst: fields.isEmpty)
            guard fields.count < limits.fields, (try? fields.append(field)) != nil else {
                throw HTTP1.Refusal("HTP-24", "too many fields", .fieldsTooLarge)
            }
        case .trailer:
            try countLine()
            if line.isEmpty {
                state = .whole
                return nil
            }
            // Trailers are checked and dropped (HTP-21).
            _ = try field(isFirst: false)
            trailerCount += 1
            guard trailerCount <= limits.fields else {
                throw HTTP1.Refusal("HTP-24", "too many trailers", .fieldsTooLarge)
            }
        default: try beginChunk()
        }
        return nil
    }

    private mutating func countLine() throws(HTTP1.Refusal) {
        headCount += line.count + 2
        guard headCount <= limits.head else { throw HTTP1.headTooLong }
    }

    private func field(isFirst: Bool) throws(HTTP1.Refusal) -> HTTP.Field {
        let bytes = line.span
        guard !ASCII.isBlank(bytes[0]) else {
            throw isFirst
                ? HTTP1.Refusal("HTP-9", "white space before the first field")
                : HTTP1.Refusal("HTP-11", "a field goes on in a second line")
        }
        var at = 0
        let name = FieldGrammar.token(bytes, &at)
        guard !name.isEmpty, at < bytes.count, bytes[at] == UInt8(ascii: ":") else {
            throw HTTP1.Refusal("HTP-10", "a field line does not begin with a token and a colon")
        }
        let text = HTTP.Field.Name(text: bytes.text(name))
        guard let field = try? HTTP.Field(text, line[(at + 1)...]) else {
            throw HTTP1.Refusal("HTP-12", "a field value has a byte that may not stand there")
        }
        return field
    }

    private mutating func beginChunk() throws(HTTP1.Refusal) {
        let size = try HTTP1.chunkSize(line.span)
        guard size <= UInt64(max(0, limits.body - body.count)) else { throw HTTP1.bodyTooLong }
        headCount = 0
        state = size == 0 ? .trailer : .chunk(Int(size))
    }
}
