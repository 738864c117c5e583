public import JOSE
public import TokenTree
public import Wire

/// An account at an OpenID provider, and what the provider said about it at a sign-in: by this a host knows again
/// somebody whom it knew before (OIC-12).
public struct ProvidedAccount: Sendable, Equatable {
    /// The provider's issuer identifier, as it writes that itself.
    public let issuer: Issuer
    /// The account's name at the provider, which never becomes somebody else's; it means nothing without the issuer.
    public let subject: Subject
    /// What the provider says about the person, by its own names.
    ///
    /// An address among it may have been another person's before, and makes nobody that person.
    public let claims: JSON.Object
    /// What of that goes into the profile, by OpenID Connect names.
    public let profile: JSON.Object

    /// Whose account it is.
    public enum Link: Sendable, Hashable {
        /// The host knows of nobody whose it is: the user has a name that follows from issuer and subject.
        case unknown
        /// It is this user's.
        case user(Record.Subject)
        /// Nobody may sign in with it.
        case refused
    }

    /// An account by the provider's issuer identifier and its name there.
    public init(_ subject: Subject, at issuer: Issuer, claims: JSON.Object = [:], profile: JSON.Object = [:]) {
        (self.issuer, self.subject, self.claims, self.profile) = (issuer, subject, claims, profile)
    }
}
