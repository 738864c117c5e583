public import OAuth2Grants
public import TokenTree
public import Wire

/// What a party has to know before it can go on: the host looks all of it up, in one round, and supplies it.
public struct Needs: Sendable, Equatable {
    /// What the store has to answer.
    public internal(set) var facts: [Facts.Key] = []
    /// The credentials that the host has to check.
    public internal(set) var login: Login?
    /// The user whose profile attributes the host has to fetch.
    public internal(set) var profile: Record.Subject?
    /// A question to another service, which the host has to send.
    public internal(set) var call: HTTP.Request?

    /// What a user typed, handed out only when the client that sent it has been admitted (AUT-1).
    public struct Login: Sendable, Equatable {
        /// Who he or she claims to be.
        public let name: UserName
        /// What is to prove it; nothing here keeps or compares it.
        public let password: Secret.Password
    }
}

/// What a host looked up for a party.
public struct Supply: Sendable {
    /// What the store answered.
    public var facts: Facts
    /// Whether the credentials are right, where that was asked.
    public var login: Login?
    /// The profile attributes by their OpenID Connect names, where those were asked for: carried, never interpreted
    /// (FED-6).
    public var profile: JSON.Object?
    /// What the other service answered, where it was asked.
    public var answer: Answer?
    /// All that other services answered so far, in the order of the questions.
    private(set) var answers: [Answer] = []

    /// What a check of credentials found; an unknown user and a wrong password are the same to everybody else.
    public enum Login: Sendable, Equatable {
        /// They are this user's.
        case accepted(Record.Subject)
        /// They are nobody's.
        case refused
    }

    /// What became of a question to another service.
    public enum Answer: Sendable, Equatable {
        /// It answered.
        case received(HTTP.Response)
        /// There was no answer.
        case none
    }

    /// Supplies what was looked up.
    public init(facts: Facts = Facts(), login: Login? = nil, profile: JSON.Object? = nil, answer: Answer? = nil) {
        self.facts = facts
        self.login = login
        self.profile = profile
        self.answer = answer
    }

    mutating func merge(_ other: Supply) {
        facts.merge(other.facts)
        login = other.login ?? login
        profile = other.profile ?? profile
        if let answer = other.answer { answers.append(answer) }
    }
}
