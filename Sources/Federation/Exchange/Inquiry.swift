internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// What a party has at hand while it decides: the time, its chance, and what was looked up so far.
///
/// Whatever is missing is noted, and ends the decision with the refusal that stands if nobody looks it up; when the
/// result is there the decision is made again, to the same point, because nothing in it changes but this knowledge. So
/// a decision reads as one straight line.
struct Inquiry {
    let now: Timestamp
    var chance: Chance
    /// Whose token or proof opened the endpoint, once that is known.
    var requester: Record?
    /// What has to be looked up before the decision can be made.
    private(set) var missing: Lookup?
    private let results: LookupResults
    private var questions = 0

    init(at now: Timestamp, chance: Chance, results: LookupResults) {
        self.now = now
        self.chance = chance
        self.results = results
    }

    private mutating func lacking(_ lookup: Lookup) -> Refusal {
        missing = lookup
        return .unsupplied
    }

    /// What the store says about these keys.
    mutating func facts(_ keys: Facts.Key...) throws(Refusal) -> Facts { try facts(keys) }

    /// What the store says about these keys.
    mutating func facts(_ keys: [Facts.Key]) throws(Refusal) -> Facts {
        let unknown = keys.filter { results.facts[$0] == nil }
        guard unknown.isEmpty else { throw lacking(.facts(unknown)) }
        return results.facts
    }

    /// The record of a name with all it stands on; `nil` if there is none, or no name.
    mutating func lineage(of id: TokenID?) throws(Refusal) -> Lineage? {
        guard let id else { return nil }
        return try facts(.record(id)).lineage(of: id)
    }

    /// The records of some names, which are looked up together.
    mutating func lineages(of ids: [TokenID]) throws(Refusal) -> [Lineage?] {
        let facts = try facts(ids.map { .record($0) })
        return ids.map { facts.lineage(of: $0) }
    }

    /// The record in force for a holder.
    mutating func lineage(of kind: Record.Kind, heldBy holder: Record.Holder) throws(Refusal) -> Lineage? {
        try facts(.holder(kind, holder)).lineage(of: kind, heldBy: holder)
    }

    /// The records of a selection; bound: as many pages as rounds are allowed.
    mutating func records(_ selection: Facts.Selection) throws(Refusal) -> [Lineage] {
        var found: [Lineage] = []
        var last: TokenID?
        repeat {
            let page = try page(of: selection, after: last)
            found += page.lineages
            last = page.next
        } while last != nil
        return found
    }

    /// The records of some selections, which are looked up together: however many they are, it takes no more rounds
    /// than the longest of them.
    mutating func records(_ selections: [Facts.Selection]) throws(Refusal) -> [[Lineage]] {
        _ = try facts(selections.map { .records($0, after: nil, limit: Self.pageSize) })
        return try selections.map { selection throws(Refusal) in try records(selection) }
    }

    /// A page of a selection.
    mutating func page(
        of selection: Facts.Selection, after last: TokenID?, limit: Int = pageSize
    ) throws(Refusal) -> Facts.Page {
        let facts = try facts(.records(selection, after: last, limit: limit))
        if let page = facts.page(of: selection, after: last, limit: limit) { return page }
        // If the record to begin after is gone the rest of the list is not known: half of it must not pass for the
        // whole.
        guard last == nil else { throw .contended }
        return Facts.Page(lineages: [], next: nil)
    }

    private static let pageSize = 1_000

    /// What comes of an attempt to sign in.
    mutating func outcome(of attempt: SignInAttempt) throws(Refusal) -> SignInAttempt.Outcome {
        guard let outcome = results.signIn else { throw lacking(.user(attempt)) }
        return outcome
    }

    /// What comes of the answer to a step.
    mutating func outcome(of attempt: StepAttempt) throws(Refusal) -> StepAttempt.Outcome {
        guard let outcome = results.step else { throw lacking(.step(attempt)) }
        return outcome
    }

    /// Which steps lead from a sign-in to the one that is demanded.
    mutating func outcome(of attempt: StepUpAttempt) throws(Refusal) -> StepUpAttempt.Outcome {
        guard let outcome = results.stepUp else { throw lacking(.stepUp(attempt)) }
        return outcome
    }

    /// Whose an account at a provider is; `nil` if the host cannot say.
    mutating func link(of account: ProvidedAccount) throws(Refusal) -> ProvidedAccount.Link? {
        guard let found = results.link else { throw lacking(.link(account)) }
        return found
    }

    /// The profile attributes of a user.
    mutating func profile(of subject: Record.Subject) throws(Refusal) -> JSON.Object {
        guard let profile = results.profile else { throw lacking(.profile(subject)) }
        return profile
    }

    /// The users whom an administrator may mean by some words.
    mutating func users(matching words: String) throws(Refusal) -> [Record.Subject] {
        guard let users = results.users else { throw lacking(.search(words)) }
        return users
    }

    /// What another service answers to a request; `nil` if there was no answer.
    ///
    /// Questions are answered in the order in which they are asked, which is the same whenever the decision is made
    /// again.
    mutating func answer(to request: HTTP.Request) throws(Refusal) -> HTTP.Response? {
        guard questions < results.answers.count else { throw lacking(.answer(request)) }
        defer { questions += 1 }
        return results.answers[questions]
    }

    /// What the party signs, by a key that lies here or elsewhere: the last step of a decision, because a key that
    /// lies elsewhere is slow, counts what it signs, and may ask a person.
    ///
    /// - Parameter issue: signs, with the chance of the exchange; the same bytes whenever the decision is made again.
    /// - Parameter refusal: what it means that nothing can be issued, whoever signs.
    mutating func signed<Token>(
        _ issue: (Signatures, inout Chance) throws(IssuanceRejection) -> Token,
        otherwise refusal: (IssuanceRejection) -> Refusal = { _ in .failed }
    ) throws(Refusal) -> Token {
        do throws(IssuanceRejection) {
            return try issue(results.signatures, &chance)
        } catch {
            guard case .signing(.awaited(let request)) = error else { throw refusal(error) }
            throw results.lacksSignature ? .unsigned : lacking(.signature(request))
        }
    }

    /// The keys that another party publishes; `nil` if they cannot be read.
    mutating func keySet(_ lookup: Lookup.Keys) throws(Refusal) -> RemoteKeySet? {
        guard let found = results.keys[lookup] else { throw lacking(.keys(lookup)) }
        return found
    }
}
