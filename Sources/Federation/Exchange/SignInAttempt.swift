public import OAuth2Grants
public import TokenTree

/// A user's name and password on their way to whoever can check them, and what is known of those who send them.
public struct SignInAttempt: Sendable, Equatable {
    /// Who the user claims to be.
    public let user: UserName
    /// What is to prove it.
    public let password: Secret.Password
    /// The instance of the app from which it comes.
    public let client: ClientID
    /// The version that the instance runs.
    public let version: AppVersion.Number?
    /// How many attempts for this user failed in the last fifteen minutes: on this instance if the user has been signed
    /// in there, and otherwise on all instances where he or she has not.
    public let failures: Int

    /// An attempt from an instance.
    package init(
        user: UserName, password: Secret.Password, client: ClientID, version: AppVersion.Number?, failures: Int
    ) {
        self.user = user
        self.password = password
        self.client = client
        self.version = version
        self.failures = failures
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// The user whose credentials they are.
        case user(Record.Subject)
        /// Nobody's: there is no such user, or the password is wrong.
        case nobody
        /// The host takes none for this user at present; to the outside that looks like a wrong password.
        case lockedOut
        /// It could not be found out whose they are, because too many want to know that; nothing is counted.
        case unchecked
    }
}
