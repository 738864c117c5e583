import Wire

extension Crawl {
    /// `services.txt`: what it lists is tried; if it cannot be had or read, or lists nothing that may be followed, the
    /// page is asked.
    mutating func take(list response: HTTP.Response, _ number: Int, at now: Timestamp) -> [Event] {
        if response.status.code != 304 {
            guard response.status.isSuccess, let list = try? ServiceList(parsing: response.body),
                let url = target(of: number)
            else {
                sites[number].list = CrawlSite.Source()
                proceed(number, to: .page, at: now)
                return []
            }
            let asked = list.timeToLive ?? policy.timeToLive
            sites[number].timeToLive = min(max(asked, policy.timesToLive.lowerBound), policy.timesToLive.upperBound)
            sites[number].list = CrawlSite.Source(
                publications: list.publications(at: url), validators: Validators(response))
        }
        return follow(sites[number].list.publications, number, orAskPage: true, at: now)
    }

    /// The page: what it announces is tried.
    mutating func take(page response: HTTP.Response, _ number: Int, at now: Timestamp) -> [Event] {
        if response.status.code != 304 {
            guard response.status.isSuccess, let url = target(of: number) else {
                sites[number].page = CrawlSite.Source()
                return fail(number, .status(Int(response.status.code)), at: now)
            }
            sites[number].page = CrawlSite.Source(
                publications: Publication.announced(by: response.body, at: url), validators: Validators(response))
        }
        return follow(sites[number].page.publications, number, orAskPage: false, at: now)
    }

    /// Tries the best of the documents that may be followed.
    private mutating func follow(_ publications: [Publication], _ number: Int, orAskPage: Bool, at now: Timestamp)
        -> [Event]
    {
        let site = sites[number]
        var candidates = publications.readable.filter { site.listing.permits($0.url, policy) }
        guard !candidates.isEmpty else {
            guard orAskPage else { return fail(number, .nothingPublished, at: now) }
            proceed(number, to: .page, at: now)
            return []
        }
        candidates = Array(candidates.prefix(policy.candidates))
        let first = candidates.removeFirst()
        sites[number].round?.candidates = candidates
        proceed(number, to: .document(first), at: now)
        return []
    }

    /// A document: when it cannot be had or read, the next candidate is tried.
    mutating func take(_ response: HTTP.Response, of publication: Publication, _ number: Int, at now: Timestamp)
        -> [Event]
    {
        let listing = sites[number].listing
        let service = listing.service
        if response.status.code == 304 {
            guard let document = sites[number].document, document.url == publication.url else {
                return tryNext(number, .status(304), at: now)
            }
            succeed(number, at: now)
            return [.unchanged(service)]
        }
        guard response.status.isSuccess, let binding = publication.binding else {
            return tryNext(number, .status(Int(response.status.code)), at: now)
        }
        let fingerprint = Fingerprint(response.body)
        let old = sites[number].document
        if let old, old.url == publication.url, old.fingerprint == fingerprint {
            sites[number].document?.validators = Validators(response)
            succeed(number, at: now)
            return [.unchanged(service)]
        }
        let description: ServiceDescription
        do throws(ServiceDescription.Rejection) {
            // Tokens have no place in a public document; who publishes some has lost them already, but they are not
            // spread from here.
            description = try ServiceDescription.reading(response.body, as: binding, limits: policy.limits).description
                .withoutAuthorization.published(for: service, allowedHosts: listing.allowedHosts)
        } catch {
            return tryNext(number, .unreadable(error), at: now)
        }
        sites[number].document = CrawlSite.Document(
            url: publication.url, origin: publication.url, description: description, fingerprint: fingerprint,
            validators: Validators(response))
        succeed(number, at: now)
        guard let old else { return [.found(service, description)] }
        return old.description == description ? [.unchanged(service)] : [.changed(service, description)]
    }

    private mutating func tryNext(_ number: Int, _ failure: Failure, at now: Timestamp) -> [Event] {
        guard let round = sites[number].round, let next = round.candidates.first else {
            return fail(number, failure, at: now)
        }
        sites[number].round?.candidates.removeFirst()
        proceed(number, to: .document(next), at: now)
        return []
    }

    /// Ends the round with a document.
    private mutating func succeed(_ number: Int, at now: Timestamp) {
        if let origin = target(of: number) { sites[number].document?.origin = origin }
        sites[number].round = nil
        sites[number].redirected = nil
        sites[number].failures = 0
        let next = now + .seconds(sites[number].timeToLive)
        due.insert(DueQueue.Item(time: next, number: number, generation: sites[number].generation))
    }
}
