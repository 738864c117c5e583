internal import OAuth2Grants
internal import TokenTree
internal import Wire

/// What a party has at hand while it decides: the time, its chance, and what was looked up so far.
///
/// Whatever is not there interrupts the decision with the question; when the answer is there the decision is made again
/// from the beginning, to the same point, because nothing in it changes but this knowledge. So a decision reads as one
/// straight line.
struct Consultation {
    let now: Timestamp
    var chance: Chance
    private let supplied: Supply
    private var questions = 0

    init(at now: Timestamp, chance: Chance, supplied: Supply) {
        self.now = now
        self.chance = chance
        self.supplied = supplied
    }

    /// What the store says about these keys.
    func facts(_ keys: Facts.Key...) throws(Interruption) -> Facts {
        let missing = keys.filter { supplied.facts[$0] == nil }
        guard missing.isEmpty else {
            var needs = Needs()
            needs.facts = missing
            throw .needs(needs)
        }
        return supplied.facts
    }

    /// The record of a name with all it stands on.
    func lineage(of id: TokenID) throws(Interruption) -> Lineage? {
        try facts(.record(id)).lineage(of: id)
    }

    /// The records of a selection: all of them, or the first so many pages; bound: as many pages as rounds are allowed.
    func records(_ selection: Facts.Selection, pages limit: Int = .max) throws(Interruption) -> [Lineage] {
        var found: [Lineage] = []
        var last: TokenID?
        var count = 0
        while count < limit {
            let page = try page(of: selection, after: last)
            found += page.lineages
            guard let next = page.next else { break }
            last = next
            count += 1
        }
        return found
    }

    /// A thousand records of a selection.
    func page(of selection: Facts.Selection, after last: TokenID?) throws(Interruption) -> Facts.Page {
        let facts = try facts(.records(selection, after: last, limit: Self.pageSize))
        if let page = facts.page(of: selection, after: last, limit: Self.pageSize) { return page }
        // Where the record to begin after is gone the rest of the list is not known: half of it must not pass for the
        // whole.
        guard last == nil else { throw .refused(.contended) }
        return Facts.Page(lineages: [], next: nil)
    }

    private static let pageSize = 1_000

    /// Whose credentials these are, if anybody's.
    func user(named name: UserName, with password: Secret.Password) throws(Interruption) -> Record.Subject? {
        switch supplied.login {
        case .accepted(let subject): return subject
        case .refused: return nil
        case nil:
            var needs = Needs()
            needs.login = Needs.Login(name: name, password: password)
            throw .needs(needs)
        }
    }

    /// The profile attributes of a user.
    func profile(of subject: Record.Subject) throws(Interruption) -> JSON.Object {
        if let profile = supplied.profile { return profile }
        var needs = Needs()
        needs.profile = subject
        throw .needs(needs)
    }

    /// What another service answers to a request; nothing where there was no answer.
    ///
    /// Questions are answered in the order in which they are asked, which is the same whenever the decision is made
    /// again.
    mutating func answer(to request: HTTP.Request) throws(Interruption) -> HTTP.Response? {
        guard questions < supplied.answers.count else {
            var needs = Needs()
            needs.call = request
            throw .needs(needs)
        }
        defer { questions += 1 }
        return if case .received(let response) = supplied.answers[questions] { response } else { nil }
    }
}
