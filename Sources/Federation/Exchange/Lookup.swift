internal import OAuth2Grants
public import TokenTree
public import Wire

/// What a party has to know before it can go on: its host looks it up, and supplies the result.
public enum Lookup: Sendable, Equatable {
    /// What the store has to answer.
    case facts([Facts.Key])
    /// Whose credentials these are: asked only when the client that sent them has been admitted (AUT-1), within the
    /// limits of failed attempts, and to be answered in a time that does not depend on what is wrong with them (threat
    /// 39).
    case user(SignInAttempt)
    /// The profile attributes of a user.
    case profile(Record.Subject)
    /// What another service answers to a request, which is sent without following redirects.
    case answer(HTTP.Request)

    /// What a host found.
    public enum Result: Sendable {
        /// What the store answered.
        case facts(Facts)
        /// Whose credentials they are.
        case user(SignInAttempt.Outcome)
        /// The attributes by their OpenID Connect names: carried, never interpreted (FED-6).
        case profile(JSON.Object)
        /// What the other service answered; `nil` if there was no answer.
        case answer(HTTP.Response?)
    }

    /// What a host finds that has no store, knows no users and reaches nobody.
    public var nothing: Result {
        switch self {
        case .facts: .facts(Facts())
        case .user: .user(.nobody)
        case .profile: .profile(JSON.Object())
        case .answer: .answer(nil)
        }
    }
}

/// All that was looked up for an exchange so far.
struct LookupResults: Sendable {
    private(set) var facts = Facts()
    private(set) var signIn: SignInAttempt.Outcome?
    private(set) var profile: JSON.Object?
    /// What other services answered, in the order of the questions.
    private(set) var answers: [HTTP.Response?] = []

    mutating func add(_ result: Lookup.Result) {
        switch result {
        case .facts(let found): facts.merge(found)
        case .user(let found): signIn = found
        case .profile(let found): profile = found
        case .answer(let found): answers.append(found)
        }
    }
}
