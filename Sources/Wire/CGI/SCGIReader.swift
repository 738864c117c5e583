extension CGI {
    /// Reads the one request of a connection by SCGI, from pieces of any size (SCG-1).
    ///
    /// The result does not depend on the sizes, and no byte is looked at twice because a piece was small.
    package struct SCGIReader: Sendable {
        private let limits: HTTP1.Limits
        private var state = State.length
        private var digitCount = 0
        private var length = 0
        private var block: [UInt8] = []
        private var head: HTTP1.Head?
        private var body: [UInt8] = []

        private enum State: Sendable {
            case length, block, comma
            case body(Int)
            case whole, over
            case refused(HTTP1.Refusal)
        }

        /// Begins with the first byte of a connection.
        package init(limits: HTTP1.Limits = HTTP1.Limits()) { self.limits = limits }
    }
}

extension CGI.SCGIReader {
    /// Takes bytes up to the next event, and tells how many it took: first the head, then the request.
    ///
    /// After a head it is called again with the bytes that are left, even if there are none. What comes behind the
    /// request is not taken (SCG-9).
    package mutating func take(_ bytes: Span<UInt8>) -> (taken: Int, event: HTTP1.Event) {
        var at = 0
        do throws(HTTP1.Refusal) {
            let event = try read(bytes, &at)
            return (at, event)
        } catch {
            refuse(error)
            return (at, .refusal(error))
        }
    }

    /// Tells what the end of the stream means, unless the request was whole (SCG-9).
    package mutating func end() -> HTTP1.Refusal? {
        switch state {
        case .refused(let refusal): return refusal
        case .over: return nil
        case .length where digitCount == 0: return nil
        default:
            let refusal = HTTP1.Refusal("SCG-9", "the stream ends inside the request", .requestTimeout)
            refuse(refusal)
            return refusal
        }
    }

    private mutating func refuse(_ refusal: HTTP1.Refusal) {
        state = .refused(refusal)
        (block, body, head) = ([], [], nil)
    }

    private mutating func read(_ bytes: Span<UInt8>, _ at: inout Int) throws(HTTP1.Refusal) -> HTTP1.Event {
        while true {
            switch state {
            case .refused(let refusal): return .refusal(refusal)
            case .over: return .needsMore
            case .length:
                guard try takeLength(bytes, &at) else { return .needsMore }
                state = .block
            case .block:
                guard Self.keep(bytes, &at, upTo: length, in: &block) else { return .needsMore }
                state = .comma
            case .comma:
                guard at < bytes.count else { return .needsMore }
                guard bytes[at] == UInt8(ascii: ",") else {
                    throw HTTP1.Refusal("SCG-1", "no comma stands behind the variables")
                }
                at += 1
                return .head(try endBlock())
            case .body(let count):
                guard Self.keep(bytes, &at, upTo: count, in: &body) else { return .needsMore }
                state = .whole
            case .whole:
                guard let head else { return .needsMore }
                let event = HTTP1.Event.request(head, body: body)
                state = .over
                (self.head, body) = (nil, [])
                return event
            }
        }
    }

    /// Keeps bytes until there are so many; what they are was checked against the limits.
    private static func keep(
        _ bytes: Span<UInt8>, _ at: inout Int, upTo count: Int, in kept: inout [UInt8]
    ) -> Bool {
        let step = min(count - kept.count, bytes.count - at)
        kept.append(contentsOf: bytes.extracting(at..<at + step))
        at += step
        return kept.count == count
    }

    private mutating func takeLength(_ bytes: Span<UInt8>, _ at: inout Int) throws(HTTP1.Refusal) -> Bool {
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: ":"), digitCount > 0 {
                at += 1
                guard length <= limits.head else {
                    throw HTTP1.Refusal("SCG-10", "the variables are too long", .fieldsTooLarge)
                }
                return true
            }
            guard ASCII.isDigit(byte), digitCount < 12, digitCount != 1 || length > 0 else {
                throw HTTP1.Refusal("SCG-1", "the stream does not begin with a length and a colon")
            }
            // Bound: twelve digits.
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
            digitCount += 1
            at += 1
        }
        return false
    }

    private mutating func endBlock() throws(HTTP1.Refusal) -> HTTP1.Head {
        let variables = try CGI.Variables(block, limits)
        block = []
        guard variables.begins(with: "CONTENT_LENGTH"), variables["CONTENT_LENGTH"]?.isEmpty == false else {
            throw HTTP1.Refusal("SCG-3", "the first variable is not the length of the body")
        }
        guard variables["SCGI"]?.elementsEqual("1".utf8) ?? false else {
            throw HTTP1.Refusal("SCG-4", "no variable says that this is SCGI 1")
        }
        let length = try variables.bodyLength(limits)
        let head = try variables.head()
        state = length == 0 ? .whole : .body(length)
        self.head = head
        return head
    }
}
