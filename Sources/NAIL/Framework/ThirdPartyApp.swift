internal import JOSE
public import OAuth2Grants
public import RSD2
internal import Synchronization
public import Wire

/// An app that works for a person at services which that person authorized it for.
///
/// It asks for authorization with ``authorize(_:single:)``, makes each request through a ``Service``, and says when a
/// service refused one. What is sent to a protocol's endpoint is the app's own business (NAI-9). An app may be used
/// from any thread; ``IntegrationLayer`` is the same under the source's names.
public final class ThirdPartyApp: Sendable {
    let device: Device
    private let name: AppName
    private let id: BundleID
    private let proof: Proof
    private let core: Mutex<Core>

    /// An app by its names, on a device.
    public init(named name: AppName, id: BundleID, on device: Device, proof: Proof = .none) {
        self.name = name
        self.id = id
        self.device = device
        self.proof = proof
        core = Mutex(Core(within: device.destinations))
    }

    /// What the app holds, as a value; what it has done since is not seen in it.
    public var state: NAILState { core.withLock { $0.state } }

    /// The services of all authorizations so far, sorted by their URLs.
    public var services: [Service] { state.serviceNames.map { Service(self, $0) } }

    /// A renewal on its way, which ends by itself, whoever waits for it; answers why it was not sent, if it was not.
    private typealias Flight = Task<NAILState.Refusal?, Never>
    /// A state on its way into the device's store; answers whether it is kept.
    private typealias Storing = Task<Bool, Never>
    /// A question to the person on its way; answers what is in the way of going on.
    private typealias Question = Task<NAILState.Refusal?, Never>

    /// What the lock guards.
    private struct Core: Sendable {
        private(set) var state = NAILState()
        /// The renewals on their way.
        var flights: [NAILState.Renewal.Key: Flight] = [:]
        /// How many changes the state has seen, and how many of them the device has stored.
        private(set) var (changes, kept) = (0, 0)
        /// The last of the tasks that store the state, each of which waits for the one before it.
        var storing: Storing?
        /// What the person is being asked for again.
        var questions: [[ProtocolName]: Question] = [:]
        /// What was asked for before, until the state changes.
        private var prepared: [Route: NAILState.Access] = [:]

        init(within destinations: Destinations) { state.destinations = destinations }

        /// Changes the state: what was prepared from the former one is dropped.
        mutating func change<Result, Failure: Error>(_ body: (inout NAILState) throws(Failure) -> Result)
            throws(Failure) -> Result
        {
            let result = try begin(body)
            changes += 1
            return result
        }

        /// A change that ends with the process: nothing of it is stored.
        mutating func begin<Result, Failure: Error>(_ body: (inout NAILState) throws(Failure) -> Result)
            throws(Failure) -> Result
        {
            prepared = [:]
            return try body(&state)
        }

        /// Notes that the state of so many changes is stored; they come in their order.
        mutating func note(kept count: Int) { kept = count }

        mutating func access(_ route: Route) throws(NAILState.Refusal) -> NAILState.Access {
            if let access = prepared[route] { return access }
            let access = try state.access(to: route.service.text, route.protocolName(), path: route.path.text)
            if prepared.count >= 256 { prepared = [:] }
            prepared[route] = access
            return access
        }
    }

    /// Which endpoint is asked for, compared as bytes.
    struct Route: Hashable, Sendable {
        let service: JSON.Name
        let name: JSON.Name
        let path: JSON.Name

        init(_ service: String, _ name: String, _ path: String = "") {
            self.service = JSON.Name(service)
            self.name = JSON.Name(name)
            self.path = JSON.Name(path)
        }

        func protocolName() throws(NAILState.Refusal) -> ProtocolName {
            try wrapping(NAILState.Refusal.malformedProtocol, try ProtocolName(parsing: name.text))
        }
    }

    private func withCore<Result: Sendable, Failure: Error>(
        _ body: (inout Core) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.withLock { (core) throws(Failure) in try body(&core) }
    }

    /// Changes the state.
    func change<Result: Sendable>(_ body: (inout NAILState) -> Result) -> Result {
        withCore { core in core.change(body) }
    }

    func notice(_ notice: Notice) { device.notice?(notice) }
}

// MARK: - Authorization

extension ThirdPartyApp {
    /// Asks the authorizing app, and through it the person, for services that offer all of these protocols (NAI-1).
    ///
    /// The wish for a single service need not be heeded: every service that is granted is taken (NAI-10).
    ///
    /// - Returns: the services that the answer opened; none if the person granted none.
    @discardableResult
    public func authorize(_ protocols: [ProtocolName], single: Bool = false) async throws(NAILState.Refusal)
        -> [Service]
    {
        var request = try wrapping(
            NAILState.Refusal.message,
            try ProtocolRequest(from: device.instance, of: id, named: name, for: protocols, prefersSingle: single))
        let own = try await bindingKey()
        switch proof {
        case .none: break
        case .signature(let key), .signatureWithBinding(let key):
            let (unsigned, now) = (request, device.now())
            request = try await device.signing { signatures, _, entropy throws(NAILState.Refusal) in
                try wrapping(
                    { NAILState.Refusal.signing(.signing($0)) },
                    try unsigned.signed(
                        with: key, binding: own?.publicKey, at: now, knowing: signatures, using: &entropy))
            }
        }
        guard let answer = await device.authorize(request.encoded()) else { throw .unanswered }
        let response = try wrapping(NAILState.Refusal.message, try ProtocolResponse(parsing: answer))
        let (asked, key, now) = (request, own, device.now())
        let (report, storing) = withCore { core in
            let report = core.change { state in state.accept(response, to: asked, key: key, at: now) }
            return (report, report.accepted.isEmpty ? nil : store(&core))
        }
        _ = await storing?.value
        notice(.accepted(report))
        return report.accepted.map { Service(self, $0) }
    }

    /// The key that the next request brings along, where the app binds its tokens.
    private func bindingKey() async throws(NAILState.Refusal) -> DeviceKey? {
        guard case .signatureWithBinding = proof else { return nil }
        guard let newKey = device.newKey else {
            var entropy = Entropy(word: device.entropy)
            return DeviceKey(using: &entropy)
        }
        guard let key = await newKey() else { throw .unsigned }
        return key
    }

    /// Asks for the protocols anew that were granted together with this one, after the person was told why.
    ///
    /// However many come with the same refusal, the person is asked once, and all get the answer.
    func authorizeAgain(
        _ service: ServiceURL, _ name: ProtocolName, after refusal: NAILState.Refusal,
        asking consent: @escaping @Sendable (NAILState.Refusal) async -> Bool
    ) async throws(NAILState.Refusal) {
        let now = device.now()
        let question = try withCore { (core) throws(NAILState.Refusal) -> Question? in
            if case .valid = try core.state.standing(of: service.identity, name, at: now) { return nil }
            let protocols = try core.state.grantedTogether(with: name, at: service)
            if let question = core.questions[protocols] { return question }
            let question = Question {
                let answer = await self.ask(for: protocols, after: refusal, asking: consent)
                self.withCore { core in core.questions[protocols] = nil }
                return answer
            }
            core.questions[protocols] = question
            return question
        }
        if let obstacle = await question?.value { throw obstacle }
        // The person may have picked another service this time.
        guard case .valid = try state.standing(of: service.identity, name, at: device.now()) else { throw refusal }
    }

    private func ask(
        for protocols: [ProtocolName], after refusal: NAILState.Refusal,
        asking consent: @Sendable (NAILState.Refusal) async -> Bool
    ) async -> NAILState.Refusal? {
        guard await consent(refusal) else { return refusal }
        do throws(NAILState.Refusal) { try await authorize(protocols) } catch { return error }
        return nil
    }
}

// MARK: - Tokens and renewal

extension ThirdPartyApp {
    /// A token for a request, and where it goes, at once; there is none by a key that lies elsewhere.
    func token(_ route: Route, _ claims: JSON.Object) throws(NAILState.Refusal) -> (url: WebURL, token: String) {
        let access = try withCore { (core) throws(NAILState.Refusal) in try core.access(route) }
        var entropy = Entropy(word: device.entropy)
        return (access.endpoint, try access.token(with: claims, at: device.now(), using: &entropy))
    }

    /// A token for a request, where it goes, and when it was signed, wherever the key lies.
    func signedToken(
        _ route: Route, _ claims: JSON.Object
    ) async throws(NAILState.Refusal) -> (url: WebURL, token: String, signing: NAILState.Signing?) {
        let now = device.now()
        return try await device.signing { signatures, _, entropy throws(NAILState.Refusal) in
            let access = try withCore { (core) throws(NAILState.Refusal) in try core.access(route) }
            let token = try access.token(with: claims, at: now, knowing: signatures, using: &entropy)
            return (access.endpoint, token, access.signing(at: now))
        }
    }

    /// Takes in what an answer says about the time; how far the clocks are apart, where it is refused for that.
    func hear(_ answer: HTTP.Response?, to signing: NAILState.Signing?) -> Duration? {
        guard let answer, let signing, signing.difference != nil || answer.refusesProof else { return nil }
        let now = device.now()
        return withCore { core in core.begin { state in state.hear(answer, to: signing, at: now) } }
    }

    /// Forgets the time in which a refused request was signed, unless something was taken in it; whether the device's
    /// own time is worth a try.
    func forgetUnproven(_ signing: NAILState.Signing?) -> Bool {
        guard let signing, signing.difference != nil else { return false }
        return withCore { core in core.begin { state in state.forgetUnproven(signing) } }
    }

    /// Renews what has expired, where it can be renewed, and returns when that is settled and stored.
    ///
    /// However many ask at once, one renewal is sent, and the person is asked for one signature. What comes back says
    /// why there could be no renewal, where the signature is missing.
    @discardableResult
    func renewExpired(_ route: Route) async -> NAILState.Refusal? {
        let now = device.now()
        let flight = withCore { core -> Flight? in
            guard (try? core.access(route))?.isExpired(at: now) == true, let name = try? route.protocolName() else {
                return nil
            }
            let (service, path) = (route.service.text, route.path.text)
            if let key = try? core.state.renewalKey(service, name, path: path), let flight = core.flights[key] {
                return flight
            }
            var entropy = Entropy(word: device.entropy)
            do throws(NAILState.Refusal) {
                let renewal = try core.begin { state throws(NAILState.Refusal) in
                    try state.renew(service, name, path: path, at: now, using: &entropy)
                }
                // A task of its own: when the caller is cancelled, the answer must still be taken in, for it has the
                // only refresh token.
                let flight = Flight { await self.carryOut(renewal, route, name) }
                core.flights[renewal.key] = flight
                return flight
            } catch {
                guard let key = try? core.state.renewalKey(service, name, path: path) else { return nil }
                if error == .underWay { return core.flights[key] }
                guard error.awaited != nil else { return nil }
                if let flight = core.flights[key] { return flight }
                let flight = Flight { await self.renewWhenSigned(route, name, key, at: now) }
                core.flights[key] = flight
                return flight
            }
        }
        let refusal = await flight?.value
        // Nobody who waits gets a token that the device does not have yet.
        _ = await withCore { core in core.storing }?.value
        return refusal
    }

    /// Renews with a signature that comes from elsewhere; says why not, where it does not come.
    ///
    /// - Parameter isLast: whether it is the second time, in another time than the first.
    private func renewWhenSigned(
        _ route: Route, _ name: ProtocolName, _ key: NAILState.Renewal.Key, at now: Timestamp, isLast: Bool = false
    ) async -> NAILState.Refusal? {
        do throws(NAILState.Refusal) {
            let renewal = try await device.signing { signatures, _, entropy throws(NAILState.Refusal) in
                try withCore { (core) throws(NAILState.Refusal) in
                    try core.begin { state throws(NAILState.Refusal) in
                        try state.renew(
                            route.service.text, name, path: route.path.text, at: now, knowing: signatures,
                            using: &entropy)
                    }
                }
            }
            let refusal = await carryOut(renewal, route, name, isLast: isLast)
            // Under its own key there may be the flight of somebody else by now.
            if renewal.key != key { withCore { core in core.flights[key] = nil } }
            return refusal
        } catch {
            withCore { core in core.flights[key] = nil }
            return error == .unsigned ? error : nil
        }
    }

    /// Sends a renewal, and once more where the service tells another time, or refuses one that was only supposed; says
    /// why not, where that does not help.
    private func carryOut(
        _ renewal: NAILState.Renewal, _ route: Route, _ name: ProtocolName, isLast: Bool = false
    ) async -> NAILState.Refusal? {
        let response = await device.send(renewal.request)
        let now = device.now()
        let (outcome, isAgain, storing) = withCore { core in
            let isRefused = renewal.isSigned && response?.refusesProof == true
            let isUnproven = isRefused && core.state.isUnproven(renewal.signing)
            let outcome = core.change { state in state.settle(renewal, with: response, at: now) }
            let isAgain = !isLast && (outcome.difference != nil || isUnproven)
            // Others wait for the second time as well.
            if !isAgain { core.flights[renewal.key] = nil }
            let isNews = outcome.difference == nil && outcome != .unavailable && outcome != .superseded
            return (outcome, isAgain, isNews ? store(&core) : nil)
        }
        _ = await storing?.value
        notice(.renewal(outcome))
        if isAgain { return await renewWhenSigned(route, name, renewal.key, at: now, isLast: true) }
        return outcome.difference.map { NAILState.Refusal.stillRefused(ahead: $0) }
    }
}

// MARK: - Revocation

extension ThirdPartyApp {
    /// Revokes what opens a service, at the service, and forgets the service here: a logout for this app.
    ///
    /// Answers whether the service confirmed all of it. The service is forgotten in any case.
    func revoke(_ serviceName: String) async -> Bool {
        await Task { await self.revokeAndForget(serviceName) }.value
    }

    private func revokeAndForget(_ serviceName: String) async -> Bool {
        var (now, former) = (device.now(), state)
        var revocation: NAILState.Revocation?
        // What is being renewed would come back to life behind the revocation.
        while true {
            let flight = withCore { core in
                core.state.renewalKeys(of: serviceName).compactMap { core.flights[$0] }.first
            }
            if let flight {
                _ = await flight.value
                continue
            }
            var isRenewing = false
            now = device.now()
            revocation = try? await device.signing(declining: true) {
                signatures, declined, entropy throws(NAILState.Refusal) in
                try withCore { (core) throws(NAILState.Refusal) in
                    // One that began while the person was asked goes before.
                    isRenewing = core.state.renewalKeys(of: serviceName).contains { core.flights[$0] != nil }
                    guard !isRenewing else { throw .underWay }
                    former = core.state
                    return try core.change { state throws(NAILState.Refusal) in
                        try state.revoke(
                            serviceName, at: now, knowing: signatures, without: declined, using: &entropy)
                    }
                }
            }
            guard isRenewing else { break }
        }
        guard let revocation else { return false }
        let first = await send(revocation, signedAt: now, by: former)
        var isConfirmed = revocation.isConfirmed(by: first.responses)
        // Whoever has ended some of it already ends that a second time without harm.
        if first.isAgain, let second = await revokeAgain(serviceName, by: former) {
            let answers = await send(second.revocation, signedAt: second.now, by: second.state)
            isConfirmed = second.revocation.isConfirmed(by: answers.responses)
        }
        // Stored only now: whoever is stopped on the way still has what can be revoked.
        await keep()
        return isConfirmed
    }

    /// Sends a revocation; the answers, and whether it is worth one more try in another time.
    private func send(
        _ revocation: NAILState.Revocation, signedAt now: Timestamp, by former: NAILState
    ) async -> (responses: [HTTP.Response?], isAgain: Bool) {
        var responses: [HTTP.Response?] = []
        var isAgain = false
        for request in revocation.requests {
            let response = await device.send(request)
            responses.append(response)
            let isSigned = request.fields.value(of: .authorization).value != nil
            guard isSigned, case .absolute(let url) = request.target else { continue }
            let signing = former.signing(for: url, at: now)
            if hear(response, to: signing) != nil || response?.refusesProof == true && forgetUnproven(signing) {
                isAgain = true
            }
        }
        return (responses, isAgain)
    }

    /// The same revocation in the time that is known now, by the state as it was before.
    private func revokeAgain(
        _ serviceName: String, by former: NAILState
    ) async -> (revocation: NAILState.Revocation, state: NAILState, now: Timestamp)? {
        var known = former
        known.clocks = state.clocks
        let now = device.now()
        let revocation = try? await device.signing(declining: true) {
            signatures, declined, entropy throws(NAILState.Refusal) in
            var copy = known
            return try copy.revoke(serviceName, at: now, knowing: signatures, without: declined, using: &entropy)
        }
        guard let revocation else { return nil }
        return (revocation: revocation, state: known, now: now)
    }
}

// MARK: - Persistence

extension ThirdPartyApp {
    /// Has the device store the state, unless it has, and answers whether all that was done before this call is kept.
    ///
    /// Answers with tokens in them are stored without it. What the app does at once, such as
    /// ``IntegrationLayer/removeService(_:)`` and ``parse(_:)``, is stored when the app calls this, or with the next
    /// answer.
    @discardableResult
    public func keep() async -> Bool {
        let storing = withCore { core in store(&core) }
        return await storing?.value ?? false
    }

    /// Begins to store the state as it will be when all that is being stored now is stored: one at a time, and always
    /// the latest, so that no older state ever takes the place of a newer one.
    ///
    /// In a task of its own, because it goes on when its caller is cancelled.
    private func store(_ core: inout Core) -> Storing? {
        guard let store = device.store else { return nil }
        let (wanted, former) = (core.changes, core.storing)
        let storing = Storing {
            _ = await former?.value
            let (state, changes, kept) = self.withCore { core in (core.state, core.changes, core.kept) }
            if kept >= wanted { return true }
            guard await store(state.serialized(sealing: self.device.seal)) else {
                self.notice(.unkept)
                return false
            }
            self.withCore { core in core.note(kept: changes) }
            return true
        }
        core.storing = storing
        return storing
    }

    /// The whole state as a text (NAI-3), sealed where the device has a seal; it holds tokens and keys.
    public func serialize() -> String { state.serialized(sealing: device.seal) }

    /// Takes a state back from the text that ``serialize()`` gave, in the place of the present one (NAI-3).
    ///
    /// A text that was changed is refused, and the present state stays (threat 49). A service whose entry is damaged is
    /// lost, and the device's `notice` hears of it; all others are there.
    public func parse(_ serialization: String) throws(NAILState.Rejection) {
        let parsed = try NAILState(salvaging: serialization, opening: device.seal) { notice(.lost($0)) }
        change { state in state.replace(with: parsed) }
    }
}
