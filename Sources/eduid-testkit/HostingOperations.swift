import Wire

extension Operation {
    /// Requests as bytes, from a connection.
    static let hosting = [
        Operation("http1-parse") { input in
            let bytes = try input.bytes("hex")
            let limits = try limits(input)
            let whole = read(bytes, limits, pieceLength: max(1, bytes.count))
            try need(whole == read(bytes, limits, pieceLength: 1))
            let (head, body, consumed) = try need(whole.map { ($0.head, $0.body, $0.consumed) })
            return [
                "method": .string(head.method.text), "target": .string(head.targetText),
                "fields": .array(head.fields.map { [.string($0.name.text.lowercased()), .string($0.value)] }),
                "body_hex": .string(Hex.encode(body)), "keep_alive": .bool(head.isPersistent),
                "consumed": .number(JSON.Number(consumed)),
            ]
        }
    ]

    private struct Reading: Equatable {
        let head: HTTP1.Head
        let body: [UInt8]
        let consumed: Int
    }

    private static func limits(_ input: Input) throws -> HTTP1.Limits {
        var limits = HTTP1.Limits()
        guard let given = input["limits"]?.object else { return limits }
        func set(_ path: WritableKeyPath<HTTP1.Limits, Int>, _ name: JSON.Name) throws {
            guard let value = given[name] else { return }
            limits[keyPath: path] = try need(value.number.flatMap { Int($0.text) })
        }
        try set(\.requestLine, "request_line")
        try set(\.fieldLine, "field_line")
        try set(\.chunkLine, "chunk_line")
        try set(\.fields, "fields")
        try set(\.head, "head")
        try set(\.body, "body")
        return limits
    }

    /// The first request of a connection, given in pieces of one length.
    private static func read(_ bytes: [UInt8], _ limits: HTTP1.Limits, pieceLength: Int) -> Reading? {
        var reader = HTTP1.Reader(limits: limits)
        var at = 0
        while true {
            let end = min(bytes.count, at + pieceLength)
            let (taken, event) = reader.take(bytes.span.extracting(at..<end))
            at += taken
            switch event {
            case .needsMore: if at == bytes.count { return nil }
            case .head: continue
            case .request(let head, let body): return Reading(head: head, body: body, consumed: at)
            case .refusal: return nil
            }
        }
    }
}
