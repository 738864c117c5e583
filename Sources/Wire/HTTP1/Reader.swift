extension HTTP1 {
    /// Reads the requests of one connection from pieces of any size (HTP-1).
    ///
    /// The result does not depend on the sizes, and no byte is looked at twice because a piece was small. Only the
    /// message that is being read is kept, within the limits.
    package struct Reader: Sendable {
        private let limits: Limits
        private var message: Message
        private var refusal: Refusal?
        private var hasSkippedLine = false
        private var requestCount = 0
        private var start: RequestLine?
        private var head: Head?

        /// Begins with the first request of a connection.
        package init(limits: Limits = Limits()) {
            self.limits = limits
            message = Message(limits: limits)
        }
    }
}

extension HTTP1.Reader {
    /// Takes bytes up to the next event, and tells how many it took.
    ///
    /// After a head or a request it is called again with the bytes that are left, even if there are none: those of the
    /// next request stay with the caller until this one is answered (HTP-25).
    package mutating func take(_ bytes: Span<UInt8>) -> (taken: Int, event: HTTP1.Event) {
        if let refusal { return (0, .refusal(refusal)) }
        var at = 0
        do throws(HTTP1.Refusal) {
            let event = try read(bytes, &at)
            return (at, event)
        } catch {
            refuse(error)
            return (at, .refusal(error))
        }
    }

    /// Tells what the end of the stream means: nothing between messages, a refusal inside of one (HTP-27).
    package mutating func end() -> HTTP1.Refusal? {
        if refusal == nil, !message.isUntouched {
            refuse(HTTP1.Refusal("HTP-27", "the stream ends inside a message", .requestTimeout))
        }
        return refusal
    }

    private mutating func refuse(_ refusal: HTTP1.Refusal) {
        self.refusal = refusal
        (message, head, start) = (HTTP1.Message(limits: limits), nil, nil)
    }

    private mutating func read(_ bytes: Span<UInt8>, _ at: inout Int) throws(HTTP1.Refusal) -> HTTP1.Event {
        while let part = try message.next(bytes, &at) {
            switch part {
            case .startLine: try beginRequest()
            case .head: return .head(try endHead())
            case .whole:
                guard let head else { return .needsMore }
                let event = HTTP1.Event.request(head, body: message.body)
                restart()
                return event
            }
        }
        return .needsMore
    }

    private mutating func restart() {
        message.restart()
        (hasSkippedLine, start, head) = (false, nil, nil)
    }

    private mutating func beginRequest() throws(HTTP1.Refusal) {
        guard message.line.isEmpty else {
            start = try HTTP1.RequestLine(message.line.span)
            return
        }
        guard !hasSkippedLine else {
            throw HTTP1.Refusal("HTP-4", "more than one empty line before the request line")
        }
        hasSkippedLine = true
        message.expectStartLine()
    }

    private mutating func endHead() throws(HTTP1.Refusal) -> HTTP1.Head {
        // The first line comes before the fields.
        guard let start else { throw HTTP1.Refusal("HTP-5", "the request has no first line") }
        let framing = try HTTP1.Framing(message.fields, isOld: start.isOld)
        requestCount += 1
        let head = try start.head(message.fields, framing, mayPersist: requestCount < limits.requests)
        try message.begin(framing)
        self.head = head
        return head
    }
}
