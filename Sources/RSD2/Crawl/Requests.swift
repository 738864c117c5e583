public import Wire

extension Crawl {
    /// The requests to make now, at most so many; the outcome of each must come back through ``receive(_:for:at:)``.
    ///
    /// What has been under way for too long counts as failed, so a lost outcome stops nothing for good.
    public mutating func requests(at now: Timestamp, limit: Int) -> (requests: [Request], events: [Event]) {
        var events: [Event] = []
        while let oldest = deadlines.first, oldest.time <= now {
            _ = deadlines.popFirst()
            events += receive(.failure, for: oldest.generation, at: now)
        }
        var requests: [Request] = []
        while requests.count < limit, let next = due.first, next.time <= now {
            _ = due.popFirst()
            if sites[next.number].round == nil { sites[next.number].round = CrawlSite.Round(step: .list) }
            guard let url = target(of: next.number) else {
                events += fail(next.number, .nothingPublished, at: now)
                continue
            }
            let host = url.host.text
            guard sites[next.number].listing.permits(url, policy) else {
                events += fail(next.number, .nothingPublished, at: now)
                // It may have been let in from the host's waiting sites; then its turn goes to the next one.
                wake(host, at: now)
                continue
            }
            if busy[host]?.count ?? 0 >= policy.requestsPerHost {
                busy[host]?.waiting.insert(next)
                continue
            }
            requests.append(request(for: next.number, url, host, at: now))
        }
        return (requests, events)
    }

    /// Takes what became of a request; an outcome that nobody waits for any more is dropped.
    public mutating func receive(_ outcome: Outcome, for id: UInt64, at now: Timestamp) -> [Event] {
        guard let request = inFlight.removeValue(forKey: id) else { return [] }
        // What has come in is not waited for any more, and is no work at its deadline.
        while let oldest = deadlines.first, inFlight[oldest.generation] == nil { _ = deadlines.popFirst() }
        free(request.host, at: now)
        let number = request.site
        guard sites[number].generation == request.generation, let round = sites[number].round else { return [] }
        guard case .response(let response) = outcome else { return fail(number, .noAnswer, at: now) }
        guard response.body.count <= byteLimit(of: round.step) else {
            return fail(number, .tooLong(limit: byteLimit(of: round.step)), at: now)
        }
        let code = Int(response.status.code)
        switch code {
        case 301, 302, 303, 307, 308: return redirect(number, response, at: now)
        case 429, 500...599: return fail(number, .status(code), at: now, pause: Self.pause(askedBy: response))
        default: break
        }
        switch round.step {
        case .list: return take(list: response, number, at: now)
        case .page: return take(page: response, number, at: now)
        case .document(let publication): return take(response, of: publication, number, at: now)
        }
    }

    // MARK: requests

    /// Where the site's round leads next; the base of relative references in the answer.
    func target(of number: Int) -> WebURL? {
        if let redirected = sites[number].redirected { return redirected }
        guard let round = sites[number].round else { return nil }
        switch round.step {
        case .list: return ServiceList.location(for: sites[number].listing.service)
        case .page: return sites[number].listing.service.url
        case .document(let publication): return publication.url
        }
    }

    private mutating func request(for number: Int, _ url: WebURL, _ host: String, at now: Timestamp) -> Request {
        let site = sites[number]
        let step = site.round?.step ?? .list
        var http = HTTP.Request(.get, .absolute(url))
        let validators = site.validators(for: step)
        let fields: [(String, String?)] = [
            ("Accept", Self.accepted(for: step)), ("If-None-Match", validators.entityTag),
            ("If-Modified-Since", validators.lastModified),
        ]
        for (name, value) in fields {
            guard let value, let name = try? HTTP.Field.Name(parsing: name) else { continue }
            try? http.fields.append(name, value)
        }
        let id = nextID
        nextID += 1
        inFlight[id] = InFlight(site: number, generation: site.generation, host: host)
        busy[host, default: (0, DueQueue())].count += 1
        // The deadline carries the request's id in the place of a generation.
        deadlines.insert(DueQueue.Item(time: now + .seconds(policy.requestTimeout), number: number, generation: id))
        return Request(id: id, service: site.listing.service, http: http, url: url, byteLimit: byteLimit(of: step))
    }

    private static func accepted(for step: CrawlSite.Step) -> String {
        switch step {
        case .list: "text/plain"
        case .page: "text/html"
        case .document(let publication): publication.mediaType
        }
    }

    func byteLimit(of step: CrawlSite.Step) -> Int {
        switch step {
        case .list: ServiceList.lengthLimit
        case .page: Publication.pageLimit
        case .document: policy.limits.bytes
        }
    }

    /// One request to the host is done.
    private mutating func free(_ host: String, at now: Timestamp) {
        busy[host]?.count -= 1
        wake(host, at: now)
    }

    /// Whoever has waited longest for the host may go on; sites that are no longer listed wait for nothing.
    private mutating func wake(_ host: String, at now: Timestamp) {
        while let next = busy[host]?.waiting.popFirst() {
            guard sites[next.number].generation == next.generation else { continue }
            due.insert(DueQueue.Item(time: now, number: next.number, generation: next.generation))
            return
        }
        if busy[host]?.count == 0 { busy[host] = nil }
    }

    // MARK: steps

    /// Goes on with the round in a new request, which is due at once.
    mutating func proceed(_ number: Int, to step: CrawlSite.Step, at now: Timestamp) {
        sites[number].round?.step = step
        sites[number].round?.redirects = 0
        sites[number].redirected = nil
        due.insert(DueQueue.Item(time: now, number: number, generation: sites[number].generation))
    }

    /// The host and scheme of a redirect's target are checked as those of every other URL, when its request is made.
    private mutating func redirect(_ number: Int, _ response: HTTP.Response, at now: Timestamp) -> [Event] {
        let location = response.fields.value(of: .location)
        guard let round = sites[number].round, round.redirects < policy.redirects, case .once(let text) = location,
            let base = target(of: number), let url = try? WebURL(parsing: text, relativeTo: base),
            sites[number].listing.permits(url, policy)
        else { return fail(number, .redirect, at: now) }
        sites[number].round?.redirects += 1
        sites[number].redirected = url
        due.insert(DueQueue.Item(time: now, number: number, generation: sites[number].generation))
        return []
    }

    /// Ends the round without a document.
    mutating func fail(_ number: Int, _ failure: Failure, at now: Timestamp, pause asked: Int64 = 0) -> [Event] {
        sites[number].round = nil
        sites[number].redirected = nil
        sites[number].failures += 1
        let doublings = min(sites[number].failures - 1, 20)
        let (doubled, overflow) = policy.firstPause.multipliedReportingOverflow(by: 1 << Int64(doublings))
        let pause = min(max(overflow ? policy.longestPause : doubled, asked), policy.longestPause)
        let retry = now + .seconds(pause)
        due.insert(DueQueue.Item(time: retry, number: number, generation: sites[number].generation))
        let service = sites[number].listing.service
        var events: [Event] = [.failed(service, failure, retry: retry)]
        if sites[number].failures >= policy.patience, sites[number].document != nil {
            sites[number].document = nil
            events.append(.gone(service))
        }
        return events
    }

    /// The seconds of a `Retry-After` field (RFC 9110 §10.2.3); a date in its place is not waited for beyond the usual
    /// pause.
    private static func pause(askedBy response: HTTP.Response) -> Int64 {
        guard case .once(let text) = response.fields.value(of: .retryAfter), let seconds = Int64(text), seconds > 0
        else { return 0 }
        return seconds
    }
}
