public import OAuth2Grants
internal import TokenTree
internal import Wire

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

    /// Refuses for the breach of a rule, which the peer is told with its name.
    init(_ code: OAuth2Error.Code, _ words: String, _ clause: String) {
        self.init(OAuth2Error(code, "\(words) (\(clause))"), clause: clause)
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

    /// What a check gives, its refusal as an interruption.
    static func refusing<Value>(_ check: () throws(Refusal) -> Value) throws(Interruption) -> Value {
        do throws(Refusal) { return try check() } catch { throw .refused(error) }
    }

    /// What a reading of a request gives, its rejection as a refusal.
    static func reading<Value>(_ read: () throws(ParameterRejection) -> Value) throws(Interruption) -> Value {
        do throws(ParameterRejection) { return try read() } catch {
            throw .refused(Refusal(error.refusal, clause: error.clause))
        }
    }
}
