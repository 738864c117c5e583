extension HTTP1 {
    /// Reads the requests of one connection from pieces of any size (HTP-1).
    ///
    /// The result does not depend on the sizes, and no byte is looked at twice because a piece was small. Only the
    /// message that is being read is kept, within the limits.
    package struct Reader: Sendable {
        private let limits: Limits
        private var state = State.requestLine
        private var line: [UInt8] = []
        private var hasReturn = false
        private var hasSkippedLine = false
        private var headCount = 0
        private var requestCount = 0
        private var start: RequestLine?
        private var fields = HTTP.Fields()
        private var trailerCount = 0
        private var head: Head?
        private var body: [UInt8] = []

        private enum State: Sendable {
            case requestLine, field, whole, chunkLine, trailer
            case body(Int)
            case chunk(Int)
            case chunkEnd(Int)
            case refused(Refusal)
        }

        /// Begins with the first request of a connection.
        package init(limits: Limits = Limits()) {
            self.limits = limits
        }
    }
}

extension HTTP1.Reader {
    /// Takes bytes up to the next event, and tells how many it took.
    ///
    /// After a head or a request it is called again with the bytes that are left, even if there are none: those of the
    /// next request stay with the caller until this one is answered (HTP-25).
    package mutating func take(_ bytes: Span<UInt8>) -> (taken: Int, event: HTTP1.Event) {
        var at = 0
        do throws(HTTP1.Refusal) {
            let event = try read(bytes, &at)
            return (at, event)
        } catch {
            return (at, refuse(error))
        }
    }

    /// Tells what the end of the stream means: nothing between messages, a refusal inside of one (HTP-27).
    package mutating func end() -> HTTP1.Refusal? {
        switch state {
        case .refused(let refusal): return refusal
        case .requestLine where line.isEmpty && !hasReturn: return nil
        default:
            let refusal = HTTP1.Refusal("HTP-27", "the stream ends inside a message", .requestTimeout)
            _ = refuse(refusal)
            return refusal
        }
    }

    private mutating func refuse(_ refusal: HTTP1.Refusal) -> HTTP1.Event {
        state = .refused(refusal)
        (line, body, fields, head, start) = ([], [], HTTP.Fields(), nil, nil)
        return .refusal(refusal)
    }

    private mutating func read(_ bytes: Span<UInt8>, _ at: inout Int) throws(HTTP1.Refusal) -> HTTP1.Event {
        while true {
            switch state {
            case .refused(let refusal): return .refusal(refusal)
            case .whole:
                guard let head else { return .needsMore }
                let event = HTTP1.Event.request(head, body: body)
                restart()
                return event
            case .requestLine, .field, .chunkLine, .trailer:
                guard try takeLine(bytes, &at) else { return .needsMore }
                if let head = try endLine() { return .head(head) }
            case .body(let rest):
                let count = keep(bytes, &at, rest)
                state = count == rest ? .whole : .body(rest - count)
                if count < rest { return .needsMore }
            case .chunk(let rest):
                let count = keep(bytes, &at, rest)
                state = count == rest ? .chunkEnd(0) : .chunk(rest - count)
                if count < rest { return .needsMore }
            case .chunkEnd(let index):
                guard at < bytes.count else { return .needsMore }
                guard bytes[at] == (index == 0 ? 0x0d : 0x0a) else {
                    throw HTTP1.Refusal("HTP-20", "the data of a chunk is not followed by CRLF")
                }
                at += 1
                state = index == 0 ? .chunkEnd(1) : .chunkLine
            }
        }
    }

    private mutating func restart() {
        state = .requestLine
        (hasSkippedLine, headCount, trailerCount) = (false, 0, 0)
        (start, fields, head, body) = (nil, HTTP.Fields(), nil, [])
    }

    private mutating func keep(_ bytes: Span<UInt8>, _ at: inout Int, _ rest: Int) -> Int {
        let count = min(rest, bytes.count - at)
        // Bound: the rest was checked against the limit when it was declared.
        body.append(contentsOf: bytes.extracting(at..<at + count))
        at += count
        return count
    }

    /// Moves to behind the end of the line; false if the bytes end before.
    private mutating func takeLine(_ bytes: Span<UInt8>, _ at: inout Int) throws(HTTP1.Refusal) -> Bool {
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
        return true
    }

    /// Whether so many more bytes of the line may be kept.
    private func checkRoom(_ count: Int) throws(HTTP1.Refusal) {
        let length = line.count + count
        switch state {
        case .requestLine where length > limits.requestLine:
            throw HTTP1.Refusal("HTP-24", "the request line is too long", .uriTooLong)
        case .chunkLine where length > limits.chunkLine:
            throw HTTP1.Refusal("HTP-24", "the line of a chunk is too long")
        case .field where length > limits.fieldLine, .trailer where length > limits.fieldLine:
            throw HTTP1.Refusal("HTP-24", "a field line is too long", .fieldsTooLarge)
        case .requestLine, .field, .trailer:
            // The end of the line is counted when it comes.
            guard headCount + length <= limits.head else { throw HTTP1.headTooLong }
        default: break
        }
    }

    private mutating func endLine() throws(HTTP1.Refusal) -> HTTP1.Head? {
        defer { line.removeAll(keepingCapacity: true) }
        switch state {
        case .requestLine:
            if line.isEmpty {
                guard !hasSkippedLine else {
                    throw HTTP1.Refusal("HTP-4", "more than one empty line before the request line")
                }
                hasSkippedLine = true
                return nil
            }
            try countLine()
            start = try HTTP1.RequestLine(line.span)
            state = .field
        case .field:
            try countLine()
            if line.isEmpty { return try endHead() }
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

    private mutating func endHead() throws(HTTP1.Refusal) -> HTTP1.Head? {
        guard let start else { return nil }
        let framing = try HTTP1.Framing(fields, isOld: start.isOld)
        requestCount += 1
        let head = try start.head(fields, framing, mayPersist: requestCount < limits.requests)
        switch framing {
        case .length(let length):
            guard length <= UInt64(max(0, limits.body)) else { throw HTTP1.bodyTooLong }
            state = length == 0 ? .whole : .body(Int(length))
        case .chunked: state = .chunkLine
        }
        self.head = head
        return head
    }
}
