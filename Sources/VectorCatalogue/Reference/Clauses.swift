internal import Federation
internal import OAuth2Grants
internal import PureCrypto
internal import Wire

/// An error that knows the clause of its rule, and is not yet a `BrokenRule`.
protocol ErrorWithClause: Error {
    var clause: String { get }
}

extension Curve25519.Signing.Rejection: ErrorWithClause {}
extension ECDSARejection: ErrorWithClause {}
extension RSA.Signing.Rejection: ErrorWithClause {}
extension ParameterRejection: ErrorWithClause {}
