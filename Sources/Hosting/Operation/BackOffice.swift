public import Federation
internal import OAuth2Grants
public import TokenTree
public import Wire

/// What operators ask a party at work, over a socket that nobody else can reach (OPS-8): how it is, what waits, what
/// timers do (OPS-12), and what administrators may do, without any token.
///
/// Whoever can connect is believed. Numbers and health, without anything about people, are what
/// ``vitalSigns(for:)`` answers, which monitoring may ask over the network of the machine.
public final class BackOffice<Served: Party, Store: AsyncTokenStore>: Sendable {
    /// What somebody can have done at once, by its name; answers why it could not be done.
    public typealias Errands = [String: @Sendable () async -> String?]

    private let host: PartyHost<Served, Store>
    private let metrics: Metrics
    private let errands: Errands
    private let clock: @Sendable () -> Timestamp
    private let started: Timestamp

    /// The most messages that are counted and listed.
    private static var messageLimit: Int { 1_000 }

    /// Opens the back office of a party.
    ///
    /// - Parameter errands: what can be done at once beside what `Upkeep.Duty` names, such as reading the
    ///   configuration anew.
    public init(
        _ host: PartyHost<Served, Store>, counting metrics: Metrics, errands: Errands = [:],
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.host, self.metrics, self.errands, self.clock) = (host, metrics, errands, clock)
        started = clock()
    }

    /// Answers an operator.
    public func response(to request: HTTP.Request) async -> HTTP.Response {
        let parts = request.target.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch (parts.first.map(String.init), parts.count) {
        case ("admin", _): return await administer(request)
        case ("messages", 1): return await only(.get, request) { await self.messages() }
        case ("run", 2): return await only(.post, request) { await self.run(String(parts[parts.endIndex - 1])) }
        default: return await vitalSigns(for: request)
        }
    }

    /// Answers what monitoring asks: `/metrics`, `/health` and `/ready` (OPS-9).
    public func vitalSigns(for request: HTTP.Request) async -> HTTP.Response {
        switch request.target.path {
        case "/metrics": await only(.get, request) { await self.numbers() }
        case "/health": await only(.get, request) { .text("alive\n") }
        case "/ready": await only(.get, request) { await self.readiness() }
        default: HTTP.Response(.notFound)
        }
    }

    private func only(
        _ method: HTTP.Request.Method, _ request: HTTP.Request, _ answer: () async -> HTTP.Response
    ) async -> HTTP.Response {
        request.method == method ? await answer() : HTTP.Response(.methodNotAllowed)
    }

    // MARK: Answers

    private func administer(_ request: HTTP.Request) async -> HTTP.Response {
        guard case .origin(let path, let query) = request.target else { return HTTP.Response(.notFound) }
        var request = request
        let rest = path.utf8.dropFirst("/admin".utf8.count)
        request.target = .origin(path: rest.isEmpty ? "/" : String(Substring(rest)), query: query)
        do { return try await host.administer(request) } catch { return .unavailable }
    }

    private func messages() async -> HTTP.Response {
        guard let messages = try? await host.messages(atMost: Self.messageLimit) else { return .unavailable }
        let now = clock()
        let list: [JSON] = messages.map { message in
            var entry: JSON.Object = [
                "id": .string(message.id.text), "to": .string(message.destination.text),
                "attempts": .number(JSON.Number(message.attempts)), "due": .string(message.due.description),
                "waits-a-week": .bool(message.isDeadLetter(at: now)),
            ]
            if let tried = message.tried { entry["tried"] = .string(tried.description) }
            return .object(entry)
        }
        return .document(["messages": .array(list)])
    }

    private func run(_ name: String) async -> HTTP.Response {
        if let errand = errands[name] {
            guard let reason = await errand() else { return .document(["done": .string(name)]) }
            return .document(["done": false, "reason": .string(reason)], HTTP.Response.Status(409) ?? .badRequest)
        }
        guard let duty = Upkeep.Duty(rawValue: name) else { return HTTP.Response(.notFound) }
        host.expedite(duty)
        guard let report = try? await host.tick() else { return .unavailable }
        metrics.note(report, at: clock())
        return .document([
            "done": .string(name), "confirmed": .number(JSON.Number(report.confirmed)),
            "purged": .number(JSON.Number(report.purged)),
        ])
    }

    private func readiness() async -> HTTP.Response {
        await isReady ? .text("ready\n") : .text("the store does not answer\n", .serviceUnavailable)
    }

    /// Whether the store answers.
    private var isReady: Bool { get async { (try? await host.messages(atMost: 1)) != nil } }

    private func numbers() async -> HTTP.Response {
        var gauges: [Metrics.Gauge: Double] = [.started: Double(started.seconds), .isReady: 0]
        if let messages = try? await host.messages(atMost: Self.messageLimit) {
            let now = clock()
            gauges[.isReady] = 1
            gauges[.waiting] = Double(messages.count)
            gauges[.deadLetters] = Double(messages.count { $0.isDeadLetter(at: now) })
        }
        var response = HTTP.Response(.ok, body: Array(metrics.text(gauges).utf8))
        try? response.fields.append(.contentType, "text/plain; version=0.0.4; charset=utf-8")
        return response
    }
}

extension HTTP.Response {
    fileprivate static func text(_ words: String, _ status: Status = .ok) -> HTTP.Response {
        var response = HTTP.Response(status, body: Array(words.utf8))
        try? response.fields.append(.contentType, "text/plain; charset=utf-8")
        try? response.fields.append(.cacheControl, "no-store")
        return response
    }

    fileprivate static func document(_ members: JSON.Object, _ status: Status = .ok) -> HTTP.Response {
        var response = HTTP.Response(status, body: JSON.object(members).encoded())
        try? response.fields.append(.contentType, HTTP.MediaType.json.text)
        try? response.fields.append(.cacheControl, "no-store")
        return response
    }
}
