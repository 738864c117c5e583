internal import RSD2
internal import Wire

// What a crawler asks of a service, answer by answer, and what it finds out.

extension Reference {
    static func crawl(_ given: Given) throws -> JSON.Object {
        let service = try given.parse("service") { try ServiceURL(parsing: $0) }
        var hosts = given.texts("allowed_hosts") { try WebURL(parsing: "https://" + $0).host }
        let known = given["known"] == nil ? [] : [try Crawl.Known(given: try given.part("known"), service)]
        var (crawl, asked, broken) = (Crawl(knowing: known), UInt64?.none, JSON?.none)
        var steps: [JSON] = []
        for step in given.list("steps") {
            let now = try step.now
            if step["allowed_hosts"] != nil {
                hosts = step.texts("allowed_hosts") { try WebURL(parsing: "https://" + $0).host }
            }
            let listed = step["listed"] == false ? [] : [Crawl.Listing(service, allowedHosts: hosts)]
            var events = crawl.setIndex(listed, at: now)
            if let id = asked, let answer = step["answer"] {
                let outcome: Crawl.Outcome =
                    answer == .null ? .failure : .response(try HTTP.Response(given: try step.part("answer")))
                events += crawl.receive(outcome, for: id, at: now)
            }
            let next = crawl.requests(at: now, limit: 1)
            events += next.events
            var told: JSON.Object = [:]
            if !events.isEmpty { told["events"] = .array(events.map { $0.vector }) }
            if let request = next.requests.first {
                asked = request.id
                told["request"] = request.http.vector
            } else if step["listed"] != false {
                told["due"] = crawl.nextWork.map { time($0) }
            }
            if let event = events.last { broken = event.clause.map { .string($0) } }
            steps.append(.object(told))
        }
        var members: JSON.Object = ["steps": .array(steps)]
        members["document"] = crawl.document(of: service).map { json($0.encoded()) }
        if let broken { members["refusal"] = ["clause": broken] }
        return members
    }
}

extension Crawl.Known {
    fileprivate init(given: Given, _ service: ServiceURL) throws {
        self.init(
            service, try ServiceDescription(parsing: (given["document"] ?? .null).encoded()),
            at: try given.parse("location") { try WebURL(parsing: $0) },
            from: try given.parse("origin") { try WebURL(parsing: $0) }, failures: Int(given.seconds("failures") ?? 0))
    }
}

extension Crawl.Event {
    /// The event, in JSON.
    fileprivate var vector: JSON {
        switch self {
        case .found(_, let document): ["event": "found", "document": Reference.json(document.encoded())]
        case .changed(_, let document): ["event": "changed", "document": Reference.json(document.encoded())]
        case .unchanged: ["event": "unchanged"]
        case .gone: ["event": "gone"]
        case .failed(_, let failure, let retry): failure.vector(until: retry)
        }
    }

    /// The rule that was broken, where the failure breaks one.
    fileprivate var clause: String? {
        guard case .failed(_, let failure, _) = self else { return nil }
        return switch failure {
        case .noAnswer, .status: nil
        case .tooLong: "threat-43"
        case .nothingPublished: "RSD-2"
        case .redirect: "threat-42"
        case .unreadable(let rejection): rejection.clause
        }
    }
}

extension Crawl.Failure {
    fileprivate var word: String {
        switch self {
        case .noAnswer: "no answer"
        case .status: "status"
        case .tooLong: "too long"
        case .nothingPublished: "nothing published"
        case .redirect: "redirect"
        case .unreadable: "unreadable"
        }
    }

    fileprivate func vector(until retry: Timestamp) -> JSON {
        var members: JSON.Object = ["event": "failed", "failure": .string(word), "retry": Reference.time(retry)]
        if case .status(let code) = self { members["status"] = .number(JSON.Number(code)) }
        return .object(members)
    }
}
