internal import Federation
internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import Wire

/// An error that knows the clause of its rule, and is not yet a `BrokenRule`.
protocol ErrorWithClause: Error {
    var clause: String { get }
}

extension Curve25519.Signing.Rejection: ErrorWithClause {}
extension JWK.Rejection: ErrorWithClause {}
extension JWS.Unverified.Rejection: ErrorWithClause {}
extension JWS.Verified.Rejection: ErrorWithClause {}
extension JWT.Rejection: ErrorWithClause {}
extension KeyRejection: ErrorWithClause {}
extension KeyDocumentRejection: ErrorWithClause {}
extension JWS.SigningRejection: ErrorWithClause {}
extension EduIDMode.Rejection: ErrorWithClause {}
extension AuthorizationMode.Rejection: ErrorWithClause {}
