import Wire

extension Operation {
    /// Requests as bytes, from a connection.
    static let hosting = [
        Operation("http1-parse") { input in
            let bytes = try input.bytes("hex")
            let limits = try limits(input)
            return try described(bytes, HTTP1.Reader(limits: limits), persistence: true) { $0.take($1) }
        },
        Operation("scgi-parse") { input in
            let bytes = try input.bytes("hex")
            let limits = try limits(input)
            return try described(bytes, CGI.SCGIReader(limits: limits), persistence: false) { $0.take($1) }
        },
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
        try set(\.startLine, "request_line")
        try set(\.fieldLine, "field_line")
        try set(\.chunkLine, "chunk_line")
        try set(\.fields, "fields")
        try set(\.head, "head")
        try set(\.body, "body")
        return limits
    }

    /// Takes bytes up to the next event.
    private typealias Taking<Reader> = (inout Reader, Span<UInt8>) -> (taken: Int, event: HTTP1.Event)

    /// The first request of a connection, which is the same whole and byte by byte.
    private static func described<Reader>(
        _ bytes: [UInt8], _ reader: Reader, persistence: Bool, _ take: Taking<Reader>
    ) throws -> JSON {
        let whole = read(bytes, reader, pieceLength: max(1, bytes.count), take)
        try need(whole == read(bytes, reader, pieceLength: 1, take))
        let (head, body, consumed) = try need(whole.map { ($0.head, $0.body, $0.consumed) })
        var members: [(JSON.Name, JSON)] = [
            ("method", .string(head.method.text)), ("target", .string(head.targetText)),
            ("fields", .array(head.fields.map { [.string($0.name.text.lowercased()), .string($0.value)] })),
            ("body_hex", .string(Hex.encode(body))), ("consumed", .number(JSON.Number(consumed))),
        ]
        if persistence { members.append(("keep_alive", .bool(head.isPersistent))) }
        return .object(JSON.Object(members))
    }

    private static func read<Reader>(
        _ bytes: [UInt8], _ reader: Reader, pieceLength: Int, _ take: Taking<Reader>
    ) -> Reading? {
        var reader = reader
        var at = 0
        while true {
            let end = min(bytes.count, at + pieceLength)
            let (taken, event) = take(&reader, bytes.span.extracting(at..<end))
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
