public import JOSE
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
    /// What comes of the answer to a step of a sign-in: asked within the same limits, and as carefully.
    case step(StepAttempt)
    /// Which steps lead from somebody's sign-in to the one that is demanded.
    case stepUp(StepUpAttempt)
    /// Whose an account at a provider is, where the host's directory says so (``UserDirectory/linking(_:)``): asked
    /// only when all that the provider says has been checked.
    case link(ProvidedAccount)
    /// The profile attributes of a user.
    case profile(Record.Subject)
    /// The users whom an administrator may mean by some words.
    case search(String)
    /// What another service answers to a request, which is sent without following redirects.
    case answer(HTTP.Request)
    /// The keys that another party publishes; ``KeySets`` finds them.
    case keys(Keys)
    /// A signature by a key of the party's own that lies elsewhere (KEY-21): asked for only when nothing else is in
    /// the way of the answer.
    case signature(SignatureRequest)

    /// Whose keys are looked up, and for what.
    public struct Keys: Sendable, Hashable {
        /// Whose keys.
        public let issuer: Issuer
        /// Where they are published.
        public let url: WebURL
        /// The key that a token names, which may be younger than what was read last.
        public let id: KeyID?
        /// Whether what was read before does not do: their owner says that they have changed.
        public let isAnew: Bool
        /// How they are kept, where the host's own policy is not meant for them.
        var policy: RemoteKeySet.Policy?
    }

    /// What a host found.
    public enum Result: Sendable {
        /// What the store answered.
        case facts(Facts)
        /// Whose credentials they are.
        case user(SignInAttempt.Outcome)
        /// Whether the step was made.
        case step(StepAttempt.Outcome)
        /// Which steps lead there.
        case stepUp(StepUpAttempt.Outcome)
        /// Whose account it is; `nil` if the host cannot say, and then nobody is signed in.
        case linked(ProvidedAccount.Link?)
        /// The attributes by their OpenID Connect names: carried, never interpreted (FED-6).
        case profile(JSON.Object)
        /// Who may be meant.
        case users([Record.Subject])
        /// What the other service answered; `nil` if there was no answer.
        case answer(HTTP.Response?)
        /// The keys that were read lately; `nil` if none could be read.
        case keys(RemoteKeySet?)
        /// The signature in the form that JOSE gives it, R‖S for ECDSA; `nil` if whoever has the key did not sign.
        case signature([UInt8]?)
    }

    /// What a host finds that has no store, knows no users and reaches nobody.
    public var nothing: Result {
        switch self {
        case .facts: .facts(Facts())
        case .user: .user(.nobody)
        case .step: .step(.failed)
        case .stepUp: .stepUp(.none)
        case .link: .linked(nil)
        case .profile: .profile(JSON.Object())
        case .search: .users([])
        case .answer: .answer(nil)
        case .keys: .keys(nil)
        case .signature: .signature(nil)
        }
    }
}

/// All that was looked up for an exchange so far.
struct LookupResults: Sendable {
    private(set) var facts = Facts()
    private(set) var signIn: SignInAttempt.Outcome?
    private(set) var step: StepAttempt.Outcome?
    private(set) var stepUp: StepUpAttempt.Outcome?
    private(set) var link: ProvidedAccount.Link??
    private(set) var profile: JSON.Object?
    private(set) var users: [Record.Subject]?
    /// What other services answered, in the order of the questions.
    private(set) var answers: [HTTP.Response?] = []
    /// The keys of other parties, by what was asked.
    private(set) var keys: [Lookup.Keys: RemoteKeySet?] = [:]
    /// What keys of the party's own signed that lie elsewhere.
    private(set) var signatures = Signatures()
    /// Whether such a key did not sign, or what came is no signature of its.
    private(set) var lacksSignature = false

    /// Takes what was found for a lookup; what does not answer it is ignored.
    mutating func add(_ result: Lookup.Result, for lookup: Lookup) {
        switch result {
        case .facts(let found): facts.merge(found)
        case .user(let found): signIn = found
        case .step(let found): step = found
        case .stepUp(let found): stepUp = found
        case .linked(let found): link = .some(found)
        case .profile(let found): profile = found
        case .users(let found): users = Array(found.prefix(100))
        case .answer(let found): answers.append(found)
        case .keys(let found): if case .keys(let question) = lookup { keys[question] = .some(found) }
        case .signature(let found): if case .signature(let request) = lookup { add(found, for: request) }
        }
    }

    private mutating func add(_ signature: [UInt8]?, for request: SignatureRequest) {
        let isGood = signature.map { (try? signatures.add($0, for: request)) != nil } ?? false
        lacksSignature = lacksSignature || !isGood
    }
}
