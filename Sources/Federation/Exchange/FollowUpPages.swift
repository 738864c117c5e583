internal import TokenTree
internal import Wire

/// Begins to take back what hangs on a record that has ended, a page at a time; tells where the next one begins.
typealias FollowUp = @Sendable (_ ground: TokenID, _ last: TokenID?, Timestamp) -> Exchange<Result<TokenID?, Refusal>>

/// What is left to take back behind a stored decision, page by page and ground by ground.
struct FollowUpPages {
    /// How many pages are taken back before the answer; the rest is the upkeep's.
    private static let limit = 8

    private let followUp: FollowUp?
    private let now: Timestamp
    private var grounds: ArraySlice<TokenID>
    /// How far the first ground has come.
    private var place: TokenID?
    private var pages = 0
    /// The grounds of which more is left than was done.
    private(set) var unfinished: [TokenID] = []

    init<Outcome>(of decision: Decision<Outcome>) {
        followUp = decision.followUp
        now = decision.batch.at
        grounds = decision.ended[...]
    }

    /// Begins the next page; `nil` when nothing is left, or too much for now.
    mutating func next() -> (() -> Exchange<Result<TokenID?, Refusal>>)? {
        guard let followUp, let ground = grounds.first else { return nil }
        guard pages < Self.limit else {
            unfinished += grounds
            return nil
        }
        pages += 1
        return { [place, now] in followUp(ground, place, now) }
    }

    /// Takes what became of a page; `nil` if the store failed.
    mutating func take(_ page: Result<TokenID?, Refusal>?) {
        guard case .success(let next)? = page else {
            unfinished += grounds.prefix(1)
            return advance(to: nil)
        }
        advance(to: next)
    }

    /// Goes on with the same ground from a place, or with the next ground.
    private mutating func advance(to place: TokenID?) {
        self.place = place
        if place == nil { grounds.removeFirst() }
    }
}
