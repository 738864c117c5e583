public import TokenTree
public import Wire

/// What a party decided, for whom, and by which rule: a line of its log, without secrets of the request.
public struct AuditRecord: Sendable {
    /// What was requested; `nil` if the party acted by itself.
    public internal(set) var request: HTTP.Request.Target?
    /// The record whose holder asked, if the request proved one.
    public let requester: Record?
    /// What was changed.
    public let changes: [Change]
    /// Why the party said no, if it did.
    public let refusal: Refusal?

    init(requester: Record?, changes: [Change], refusal: Refusal?) {
        self.requester = requester
        self.changes = changes
        self.refusal = refusal
    }
}
