public import Federation
public import JOSE
public import OAuth2Grants
public import RSD2
public import TokenTree
public import Wire

/// A whole federation in memory: an edu-ID service, services, users, a clock that stands still until it is moved, and a
/// network without wires.
///
/// Everything in it follows from its seed, so that two runs of the same story are the same byte for byte. Whoever runs
/// a service of their own plays its part here, or tests what an app does against it.
public struct SimulatedFederation: Sendable {
    /// The time.
    public var now: Timestamp
    /// The chance.
    public var entropy: SimulatedFederation.Entropy
    /// The edu-ID service.
    public var eduID: EduIDService
    /// What the edu-ID service stores.
    public var eduIDStore = MemoryStore()
    private var eduIDKeys = KeySets()
    /// The people who have accounts.
    public var users: [SimulatedFederation.User] = []
    /// The services with what they store.
    public var services: [SimulatedFederation.Service] = []
    /// The OpenID provider at which people sign in who have an account there, if there is one; the edu-ID service has
    /// to know it as well.
    public var provider: SimulatedProvider?
    /// Whose an account at the provider is.
    private var link: @Sendable (ProvidedAccount) -> ProvidedAccount.Link? = { _ in nil }
    /// Signs for parties whose keys lie elsewhere; `nil` if it did not.
    public var signer: @Sendable (SignatureRequest) -> [UInt8]? = { _ in nil }
    /// The services that do not answer at the moment.
    public var unreachable: Set<ServiceURL> = []
    /// What went over the network, in its order; a service that did not answer left no response.
    public private(set) var traffic: [(request: HTTP.Request, response: HTTP.Response?)] = []
    /// Why parties said no, in their order.
    public private(set) var refusals: [Refusal] = []

    /// A federation with an edu-ID service and nobody else.
    public init(_ eduID: EduIDService, at now: Timestamp, seed: UInt64) {
        self.eduID = eduID
        self.now = now
        entropy = SimulatedFederation.Entropy(seed: seed)
    }

    /// Has the edu-ID service ask whose an account at the provider is, whenever somebody signs in with it; `nil` if
    /// whoever is asked does not answer.
    public mutating func linkAccounts(
        by link: @escaping @Sendable (ProvidedAccount) -> ProvidedAccount.Link?
    ) {
        self.link = link
        eduID.users = eduID.users.linking(link)
    }
}

extension SimulatedFederation {
    /// A person with an account at the edu-ID service.
    public struct User: Sendable {
        /// What is typed as the user name.
        public let name: UserName
        /// What is typed as the password.
        public let password: Secret.Password
        /// The name under which the edu-ID service knows the person.
        public let subject: Record.Subject
        /// The person's attributes by their OpenID Connect names.
        public let profile: JSON.Object
        /// What the person's device shows as one-time code, where one is asked for beside the password.
        public var oneTimeCode: Secret.OneTimeCode?
        /// Whether the code is asked for only where more is demanded than a password.
        public var showsCodeOnDemand = false

        /// An account.
        public init(_ name: UserName, password: Secret.Password, subject: Record.Subject, profile: JSON.Object) {
            self.name = name
            self.password = password
            self.subject = subject
            self.profile = profile
        }
    }

    /// A service with what it stores.
    public struct Service: Sendable {
        /// The service.
        public var service: FederationService
        /// What it stores.
        public var store = MemoryStore()
        fileprivate var keys = KeySets()

        /// A service that has given nothing yet.
        public init(_ service: FederationService) { self.service = service }

        /// The URL by which it is known.
        public var home: ServiceURL? { service.document.serviceURL }
    }

    /// Chance that follows from a seed (SplitMix64): for simulations, and never for keys that anybody uses.
    public struct Entropy: RandomNumberGenerator, Sendable {
        private var state: UInt64

        /// Begins anew from a seed.
        public init(seed: UInt64) { state = seed }

        /// The next 64 bits.
        public mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var word = state
            word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
            return word ^ word >> 31
        }

        /// Leaves out what so many calls would give.
        mutating func skip(_ count: Int) { state &+= 0x9e37_79b9_7f4a_7c15 &* UInt64(count) }

        /// Whether both give the same from here on.
        func isWhere(_ other: Entropy) -> Bool { state == other.state }

        /// So many bytes.
        public mutating func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
        }
    }
}

// MARK: - The network

extension SimulatedFederation {
    /// Sends a request to whoever has its origin; nothing comes back from a service that is unreachable or does not
    /// exist.
    public mutating func send(_ request: HTTP.Request) -> HTTP.Response? {
        let response = answer(to: request)
        traffic.append((request, response))
        return response
    }

    private mutating func answer(to request: HTTP.Request) -> HTTP.Response? {
        guard case .absolute(let url) = request.target else { return nil }
        if url.origin == eduIDOrigin {
            return eduIDAnswer { service, now, entropy in service.exchange(for: request, at: now, using: &entropy) }
        }
        if let origin = (try? (provider?.issuer.text).map { try WebURL(parsing: $0) })?.origin, url.origin == origin {
            return provider?.answer(to: request, at: now, using: &entropy)
        }
        guard let place = services.firstIndex(where: { $0.home?.url.origin == url.origin }),
            let home = services[place].home,
            !unreachable.contains(home)
        else { return nil }
        return carryOut(at: place) { service, now, entropy in service.exchange(for: request, at: now, using: &entropy) }
    }

    private var eduIDOrigin: WebURL.Origin? { (try? WebURL(parsing: eduID.authority.issuer.text))?.origin }

    /// Lets the edu-ID service carry out what an administrator wants.
    @discardableResult
    public mutating func administrate(_ command: Administration) -> HTTP.Response {
        eduIDAnswer { service, now, entropy in service.exchange(for: command, at: now, using: &entropy) }
    }

    private mutating func eduIDAnswer(
        _ begin: (EduIDService, Timestamp, inout SimulatedFederation.Entropy) -> Exchange<HTTP.Response>
    ) -> HTTP.Response {
        var store = MemoryStore()
        swap(&store, &eduIDStore)
        defer { swap(&store, &eduIDStore) }
        return store.carryOut(
            { begin(eduID, now, &entropy) },
            lookUp: { lookup in
                switch lookup {
                case .user(let attempt): .user(users.outcome(of: attempt))
                case .step(let attempt): .step(users.outcome(of: attempt, at: now))
                case .stepUp(let attempt): .stepUp(users.outcome(of: attempt))
                case .link(let account): .linked(link(account))
                case .profile(let subject):
                    .profile(users.first { $0.subject == subject }?.profile ?? JSON.Object())
                case .search(let words):
                    .users(users.filter { $0.name.text.utf8.starts(with: words.utf8) }.map { $0.subject })
                case .keys(let question): keys(question, \.eduIDKeys)
                case .signature(let request): .signature(signer(request))
                case .answer(let question): .answer(send(question))
                case .facts: lookup.nothing
                }
            }, hear: { note($0) })
    }

    private mutating func carryOut<Outcome>(
        at place: Int, _ begin: (FederationService, Timestamp, inout SimulatedFederation.Entropy) -> Exchange<Outcome>
    ) -> Outcome {
        var store = MemoryStore()
        swap(&store, &services[place].store)
        defer { swap(&store, &services[place].store) }
        return store.carryOut(
            { begin(services[place].service, now, &entropy) },
            lookUp: { lookup in
                switch lookup {
                case .answer(let question): .answer(send(question))
                case .keys(let question): keys(question, \.services[place].keys)
                case .signature(let request): .signature(signer(request))
                case .facts, .user, .step, .stepUp, .link, .profile, .search: lookup.nothing
                }
            },
            hear: { note($0) })
    }

    /// The keys that a party publishes, as another one keeps them.
    private mutating func keys(
        _ question: Lookup.Keys, _ place: WritableKeyPath<SimulatedFederation, KeySets>
    ) -> Lookup.Result {
        var sets = self[keyPath: place]
        defer { self[keyPath: place] = sets }
        return sets.answer(question, at: now) { send($0) }
    }

    private mutating func note(_ record: AuditRecord) {
        if let refusal = record.refusal { refusals.append(refusal) }
    }
}

// MARK: - What else parties do

extension SimulatedFederation {
    /// Uses a service's own endpoint with a token (9); nothing where there is no such service.
    public mutating func use(
        _ url: WebURL, _ method: HTTP.Request.Method = .get, with token: String
    ) -> Access.Outcome? {
        guard let place = services.firstIndex(where: { $0.home?.url.origin == url.origin }) else { return nil }
        var request = HTTP.Request(method, .absolute(url))
        guard (try? request.fields.append(.authorization, "Bearer " + token)) != nil else { return nil }
        return use(request, at: place, url)
    }

    /// Checks a request to a service's own endpoint.
    public mutating func use(_ request: HTTP.Request, at place: Int, _ url: WebURL) -> Access.Outcome {
        carryOut(at: place) { service, now, _ in service.access(for: request, to: url, at: now) }
    }

    /// Delivers the messages of the edu-ID service that are due; answers how many services confirmed.
    @discardableResult
    public mutating func deliver() -> Int {
        var confirmed = 0
        let key = Facts.Key.outgoing(due: now, limit: 1_000)
        for message in eduIDStore.load([key]).messages(due: now, limit: 1_000) {
            let prepared = eduIDStore.carryOut(
                { eduID.exchange(delivering: message, at: now, using: &entropy) },
                lookUp: { if case .signature(let request) = $0 { .signature(signer(request)) } else { $0.nothing } })
            guard case .success(let delivery?) = prepared,
                eduIDStore.commit(Batch(at: now, [delivery.attempt])) == .applied
            else { continue }
            let answer = send(delivery.request)
            let other = delivery.next(after: answer).flatMap { send($0) }
            let settlement = delivery.settlement(after: answer, and: other)
            guard !settlement.isEmpty, eduIDStore.commit(Batch(at: now, settlement)) == .applied else { continue }
            confirmed += 1
        }
        return confirmed
    }

    /// Lets the edu-ID service find what it has not told yet, and the services what has to be cleared up.
    public mutating func reconcile() {
        var last: TokenID?
        // Bound: 64 pages of 256.
        for _ in 0..<64 {
            let page = eduIDStore.carryOut({ eduID.reconciliation(after: last, at: now, using: &entropy) })
            guard case .success(let next?) = page else { break }
            last = next
        }
        for place in services.indices {
            var last: TokenID?
            for _ in 0..<64 {
                let page = carryOut(at: place) { service, now, entropy in
                    service.reconciliation(under: nil, after: last, at: now, using: &entropy)
                }
                guard case .success(let next?) = page else { break }
                last = next
            }
        }
    }

    /// Lets time pass.
    public mutating func wait(_ duration: Duration) { now = now + duration }
}

extension [SimulatedFederation.User] {
    /// Whose name and password these are; a name alone is asked for a one-time code, whoever it is.
    public func outcome(of attempt: SignInAttempt) -> SignInAttempt.Outcome {
        let user = first { $0.name == attempt.user }
        let code = OfferedStep(SignInStep(.oneTimeCode))
        guard let password = attempt.password else { return .more(nil, [code]) }
        guard let user, user.password == password else { return .nobody }
        let isAsked = user.oneTimeCode != nil && !(user.showsCodeOnDemand && attempt.demand.isEmpty)
        return isAsked ? .more(user.subject, [code]) : .user(user.subject)
    }

    /// Who has a one-time code can be asked for it.
    public func outcome(of attempt: StepUpAttempt) -> StepUpAttempt.Outcome {
        guard let user = first(where: { $0.subject == attempt.subject }), user.oneTimeCode != nil else { return .none }
        return .steps(user.name, [OfferedStep(SignInStep(.oneTimeCode))])
    }

    /// Whether a one-time code is the person's; it passes once in a minute.
    public func outcome(of attempt: StepAttempt, at now: Timestamp) -> StepAttempt.Outcome {
        guard let user = first(where: { $0.name == attempt.user }), let code = user.oneTimeCode,
            attempt.answer == .oneTimeCode(code)
        else { return .failed }
        return .user(user.subject, spent: now + .seconds(60))
    }
}
