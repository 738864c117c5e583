extension HTTP1 {
    /// Reads the answer to one request from pieces of any size, as strictly as requests are read.
    package struct AnswerReader: Sendable {
        private let method: HTTP.Request.Method
        private let limits: Limits
        private var message: Message
        private var status: StatusLine?
        private var interimCount = 0
        private var refusal: Refusal?

        /// What has been read.
        package enum Event: Hashable, Sendable {
            /// All bytes were taken, and the answer goes on.
            case needsMore
            /// The answer is whole.
            case answer(HTTP.Response)
            /// The answer is refused, and nothing more is taken.
            case refusal(Refusal)
        }

        /// The most interim answers before the final one.
        private static let interimLimit = 8

        /// Begins with the answer to a request of a method.
        package init(to method: HTTP.Request.Method, limits: Limits = Limits()) {
            (self.method, self.limits) = (method, limits)
            message = Message(limits: limits)
        }
    }
}

extension HTTP1.AnswerReader {
    /// Takes bytes; those behind the answer are not looked at.
    package mutating func take(_ bytes: Span<UInt8>) -> Event {
        if let refusal { return .refusal(refusal) }
        var at = 0
        do throws(HTTP1.Refusal) {
            while let part = try message.next(bytes, &at) {
                switch part {
                case .startLine: status = try HTTP1.StatusLine(message.line.span)
                case .head: try endHead()
                case .whole: return answer
                }
            }
            return .needsMore
        } catch {
            return refuse(error)
        }
    }

    /// Tells what the end of the stream means: the end of an answer that says so, or a refusal.
    package mutating func end() -> Event {
        if let refusal { return .refusal(refusal) }
        if message.endsWithStream { return answer }
        return refuse(HTTP1.Refusal("NET-1", "the stream ends before the answer"))
    }

    private var answer: Event {
        guard let status else { return .needsMore }
        return .answer(HTTP.Response(status.status, fields: message.fields, body: message.body))
    }

    private mutating func refuse(_ refusal: HTTP1.Refusal) -> Event {
        self.refusal = refusal
        message = HTTP1.Message(limits: limits)
        return .refusal(refusal)
    }

    private mutating func endHead() throws(HTTP1.Refusal) {
        // The first line comes before the fields.
        guard let status else { throw HTTP1.Refusal("NET-1", "the answer has no first line") }
        let framing = try HTTP1.Framing(message.fields, isOld: status.isOld, otherwise: .untilEnd)
        let code = status.status.code
        if code < 200 {
            guard code != 101 else { throw HTTP1.Refusal("NET-1", "an upgrade that nobody asked for") }
            interimCount += 1
            guard interimCount <= Self.interimLimit else {
                throw HTTP1.Refusal("NET-2", "too many interim answers")
            }
            self.status = nil
            message.restart()
        } else if code == 204 || code == 304 || method == .head {
            // Whatever its fields say of a length, it has no body (RFC 9112 §6.3).
            try message.begin(.length(0))
        } else {
            try message.begin(framing)
        }
    }
}

extension HTTP1 {
    /// The first line of an answer (RFC 9112 §4).
    struct StatusLine: Sendable {
        let status: HTTP.Response.Status
        let isOld: Bool

        init(_ line: Span<UInt8>) throws(Refusal) {
            let name = "HTTP/1.".utf8
            // A version, a space, three digits, a space, and words that may be missing.
            guard line.count >= 13, zip(name, 0...).allSatisfy({ line[$0.1] == $0.0 }), ASCII.isDigit(line[7]),
                line[8] == 0x20, line[12] == 0x20
            else { throw Refusal("NET-1", "the answer does not begin with a version of HTTP/1 and a status") }
            for at in line.indices.dropFirst(13) where ASCII.isControl(line[at]) && line[at] != 0x09 {
                throw Refusal("NET-1", "the words of the status have a byte that may not stand there")
            }
            var code = 0
            for at in 9..<12 {
                guard ASCII.isDigit(line[at]) else { throw Refusal("NET-1", "the status is not three digits") }
                code = code * 10 + Int(line[at] - UInt8(ascii: "0"))
            }
            guard let status = HTTP.Response.Status(code) else {
                throw Refusal("NET-1", "there is no status of this class")
            }
            self.status = status
            isOld = line[7] == UInt8(ascii: "0")
        }
    }
}
