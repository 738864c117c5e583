public import OAuth2Grants
public import TokenTree
public import Wire

/// A user's name and password on their way to whoever can check them, and what is known of those who send them.
public struct SignInAttempt: Sendable, Equatable {
    /// Who the user claims to be.
    public let user: UserName
    /// What is to prove it; `nil` where a service asks for the name first, and for everything else in steps.
    public let password: Secret.Password?
    /// The instance of the app from which it comes.
    public let client: ClientID
    /// The version that the instance runs.
    public let version: AppVersion.Number?
    /// How many attempts for this user failed in the last fifteen minutes: on this instance if the user has been signed
    /// in there, and otherwise on all instances where he or she has not.
    public let failures: Int
    /// What the sign-in has to be in the end: offer the steps that lead there, or answer as if nothing were demanded
    /// where there are none.
    public let demand: AuthenticationDemand

    /// An attempt from an instance.
    package init(
        user: UserName, password: Secret.Password?, client: ClientID, version: AppVersion.Number?, failures: Int,
        demanding demand: AuthenticationDemand = .none
    ) {
        self.user = user
        self.password = password
        self.client = client
        self.version = version
        self.failures = failures
        self.demand = demand
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// The user whose credentials they are.
        case user(Record.Subject)
        /// As far as it went it was right, and one of these steps is to be made next; the user is told where the
        /// password has proved it.
        ///
        /// Who asks for names first (FPA-11) offers steps for every name, be there such a user or not (FPA-12, threat
        /// 39).
        case more(Record.Subject?, [OfferedStep])
        /// Nobody's: there is no such user, or the password is wrong.
        case nobody
        /// The host takes none for this user at present; to the outside that looks like a wrong password.
        case lockedOut
        /// It could not be found out whose they are, because too many want to know that; nothing is counted.
        case unchecked
    }
}

/// A step that a host offers to somebody who signs in, with what it has to know when it is answered.
public struct OfferedStep: Sendable, Equatable {
    /// The step, as the app is told.
    public let step: SignInStep
    /// What the host keeps until the answer comes, which nobody else is told: the challenge of a passkey, or the digest
    /// of a code that it has sent.
    public let kept: JSON
    /// What somebody is authenticated with who makes the step (`amr`, RFC 8176).
    public let methods: [String]

    /// Offers a step.
    ///
    /// - Parameter methods: what it proves; of a one-time code `otp`, of a passkey `hwk`, and otherwise its own name.
    public init(_ step: SignInStep, keeping kept: JSON = .null, proving methods: [String]? = nil) {
        (self.step, self.kept) = (step, kept)
        self.methods = methods ?? Self.methods(of: step.name)
    }

    /// What a step proves of which nothing else is said.
    static func methods(of step: SignInStep.Name) -> [String] { [step == .passkey ? "hwk" : step.text] }
}

/// Somebody who is signed in, and of whom more is demanded than the sign-in was (FPA-20).
public struct StepUpAttempt: Sendable, Equatable {
    /// Who it is.
    public let subject: Record.Subject
    /// How the person is signed in.
    public let authentication: Authentication
    /// What is demanded.
    public let demand: AuthenticationDemand
    /// The instance of the app from which it comes.
    public let client: ClientID

    package init(
        by subject: Record.Subject, signedIn authentication: Authentication, demanding demand: AuthenticationDemand,
        client: ClientID
    ) {
        (self.subject, self.authentication, self.demand, self.client) = (subject, authentication, demand, client)
    }

    /// What comes of it.
    public enum Outcome: Sendable, Equatable {
        /// One of these steps is to be made, by the person of this name.
        case steps(UserName, [OfferedStep])
        /// No step of this person leads there.
        case none
    }
}

/// The answer to a step on its way to whoever can check it: what kind of factor it is, only the host knows.
public struct StepAttempt: Sendable, Equatable {
    /// The name with which the sign-in began.
    public let user: UserName
    /// Whose the name is, where a password has proved that.
    public let subject: Record.Subject?
    /// What was answered.
    public let answer: SignInStep.Answer
    /// What was kept with the step.
    public let kept: JSON
    /// The instance of the app from which it comes.
    public let client: ClientID

    /// The answer to a step that was offered.
    package init(
        user: UserName, subject: Record.Subject?, answer: SignInStep.Answer, kept: JSON, client: ClientID
    ) {
        (self.user, self.subject, self.answer, self.kept, self.client) = (user, subject, answer, kept, client)
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// It was right, and nothing more is needed.
        ///
        /// - Parameter spent: until when the same answer must not pass again for this user, where that can be told: a
        ///   one-time code passes once (FPA-17). It is as long from now as the answer counts from first to last, so
        ///   that whoever has lost what passed before knows from when on a code is new (threat 67).
        case user(Record.Subject, spent: Timestamp? = nil)
        /// It was right, and one of these steps is to be made next.
        case more(Record.Subject?, [OfferedStep], spent: Timestamp? = nil)
        /// It was wrong, or the name is nobody's.
        case failed
        /// It could not be found out, because too many want to know that; nothing is counted.
        case unchecked
    }
}
