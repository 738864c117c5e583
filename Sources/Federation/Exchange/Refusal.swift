public import OAuth2Grants
internal import TokenTree

/// That a party says no: what the peer is told, and which rule was broken.
///
/// The clause is for the party's own records; what the peer learns stands in the error.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the peer is told.
    public let error: OAuth2Error
    /// The requirement, threat or section whose rule was broken.
    public let clause: String

    /// Refuses with an error, for the breach of a rule.
    public init(_ error: OAuth2Error, clause: String) {
        self.error = error
        self.clause = clause
    }

    /// The error and the clause.
    public var description: String { "\(error) (\(clause))" }
}

/// Why a party cannot go on.
enum Interruption: Error {
    /// It does not know enough yet.
    case needs(Needs)
    /// It says no, and this has to be changed all the same: a second use ends what the first one gave.
    case refused(Refusal, [Change])

    static func refused(_ refusal: Refusal) -> Interruption { .refused(refusal, []) }
}
