public import JOSE
public import NAIL
public import RSD2
public import Wire

extension AuthorizingApp {
    /// An interaction under way, for hosts that carry the messages themselves.
    ///
    /// It waits for one thing at a time: the answer to a ``request``, a signature (``signatureRequest``), or a key
    /// (``keyRequest``). What waits for a signature has changed nothing, and goes on from the same moment when the
    /// signature is there, however often the person declines before.
    public struct Conversation<Value: Sendable>: Sendable {
        /// What the instance holds by now.
        public private(set) var session: Session
        private var chance: Chance
        private var progress: Interaction<Value>.Progress
        /// The step that waits for what comes from where keys lie.
        private var waiting: (step: Step, awaited: Awaited)?
        /// What a step is rejected with that nobody signs for.
        private var unsigned = Rejection.unsigned
        /// The step that made the request, what it began with, and whether the request bears a time.
        private var asking: (step: Step, beginning: Beginning, isDated: Bool)?
        private var clock = ClockTrial()
        /// What the person had ended before it began.
        private let ended: [String]

        /// A part of an interaction between two messages, at a moment.
        private struct Step: Sendable {
            let now: Timestamp
            let run: @Sendable (inout Turn) throws(Rejection) -> Interaction<Value>.Progress
            var signatures = Signatures()
            var keys: [ServiceURL: DeviceKey] = [:]
            var declined: Set<Awaited> = []
            /// What a step begins with that is run once more for its request alone: what else it did is done.
            var beginning: Beginning?
        }

        private typealias Beginning = (session: Session, chance: Chance)

        /// Begins an interaction.
        ///
        /// - Parameter session: what the instance holds; where the interaction is rejected before it asks anybody, what
        ///   has changed until then is in here, and the host keeps that as it keeps all else.
        public init(
            _ interaction: Interaction<Value>, of session: inout Session, at now: Timestamp,
            using entropy: inout some RandomNumberGenerator
        ) throws(Rejection) {
            (self.session, chance, ended) = (session, Chance(using: &entropy), session.endedMarks)
            progress = .next(interaction.begin)
            do throws(Rejection) { try run(Step(now: now, run: interaction.begin)) } catch {
                session = self.session
                throw error
            }
        }

        /// Goes on with what another process has made of the store meanwhile.
        ///
        /// What began in a person's session ends with it: nothing of it comes into the session of the next one.
        package mutating func goOn(with session: Session) throws(Rejection) {
            let own = self.session.sessionID
            self.session = session
            guard own == nil || session.sessionID == own else { throw .signedOut }
        }

        /// What is to be sent now; `nil` at the end, and while something is waited for from where keys lie.
        public var request: HTTP.Request? {
            if waiting == nil, case .ask(let request, _) = progress { request } else { nil }
        }

        /// What is to be signed now by a key that lies elsewhere.
        public var signatureRequest: SignatureRequest? {
            if case .signature(let request)? = waiting?.awaited { request } else { nil }
        }

        /// The service for which a key is to be made now, where the installation's keys lie elsewhere.
        public var keyRequest: ServiceURL? {
            if case .key(let service)? = waiting?.awaited { service } else { nil }
        }

        /// What came of it; `nil` before the end.
        public var value: Value? {
            if waiting == nil, case .done(let value) = progress { value } else { nil }
        }

        /// Takes in the answer to the request, or that there was none.
        public mutating func take(_ response: HTTP.Response?, at now: Timestamp) throws(Rejection) {
            guard waiting == nil, case .ask(let request, let take) = progress, let asking else { return }
            var step = asking.step
            if asking.isDated,
                clock.repeats(
                    request, after: response, madeAt: step.now, isRepeated: step.beginning != nil, in: &session)
            {
                step.beginning = asking.beginning
                return try run(step)
            }
            let heard = clock.heard(response, to: request, madeAt: asking.step.now, in: session)
            try run(Step(now: now, run: { turn throws(Rejection) in try take(&turn, heard) }))
        }

        /// Takes the signature that is waited for, in the form that its algorithm's JOSE registration gives it.
        ///
        /// Where there is none, or what came is no signature by the key, it throws ``Rejection/unsigned``, nothing has
        /// changed, and the same signature is waited for: ask for it again, or go on with ``decline()``.
        public mutating func take(signature: [UInt8]?) throws(Rejection) {
            guard case (var step, .signature(let request))? = waiting else { return }
            guard let signature, (try? step.signatures.add(signature, for: request)) != nil else { throw .unsigned }
            try run(step)
        }

        /// Takes the key that is waited for, which no other service may know; `nil`, as ``take(signature:)``, if there
        /// is none.
        public mutating func take(key: DeviceKey?) throws(Rejection) {
            guard case (var step, .key(let service))? = waiting else { return }
            guard let key else { throw .unsigned }
            step.keys[service] = key
            try run(step)
        }

        /// Goes on without what is waited for from where keys lie: with what can be done without it, or with
        /// ``Rejection/unsigned`` where that is nothing, which changes nothing and leaves the conversation as it was.
        ///
        /// An answer to an app then comes without the service in question, and what is over stays to be told later.
        public mutating func decline() throws(Rejection) {
            guard case (var step, let awaited)? = waiting else { return }
            step.declined.insert(awaited)
            try run(step)
        }

        /// Goes on as after ``decline()``, because the key that is asked to sign is gone for good: its element was
        /// reset, or does not give it back after the person has changed a fingerprint.
        ///
        /// Where nothing can be done without it, it throws ``Rejection/keyGone`` in the place of
        /// ``Rejection/unsigned``.
        public mutating func loseKey() throws(Rejection) {
            guard signatureRequest != nil else { return }
            unsigned = .keyGone
            try decline()
        }

        /// Runs a step, and those that follow without a message.
        private mutating func run(_ first: Step) throws(Rejection) {
            var step = first
            while true {
                let beginning = step.beginning ?? (session, chance)
                var turn = Turn(
                    session: beginning.session, now: step.now, chance: beginning.chance, signatures: step.signatures,
                    keys: step.keys, declined: step.declined, clock: clock, ended: ended)
                let reached: Interaction<Value>.Progress
                do throws(Rejection) { reached = try step.run(&turn) } catch {
                    guard let awaited = error.awaited else {
                        waiting = nil
                        if step.beginning == nil { (session, chance) = (turn.session, turn.chance) }
                        throw error == .unsigned ? unsigned : error
                    }
                    if step.declined.contains(awaited) { throw unsigned }
                    waiting = (step, awaited)
                    return
                }
                (progress, waiting) = (reached, nil)
                if step.beginning == nil { (session, chance) = (turn.session, turn.chance) }
                switch reached {
                case .next(let next): step = Step(now: step.now, run: next)
                case .ask: return asking = (step, beginning, turn.isDated)
                case .done: return
                }
            }
        }
    }
}

extension AuthorizingApp.Session {
    /// Carries out an interaction over a network that answers at once.
    ///
    /// - Parameters:
    ///   - send: sends a request once; `nil` if no response came.
    ///   - sign: has a key sign that lies elsewhere; `nil` if it does not.
    ///   - newKey: makes a key for a service alone, where the installation's lies elsewhere.
    public mutating func carryOut<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, over send: (HTTP.Request) -> HTTP.Response?,
        signing sign: (SignatureRequest) -> [UInt8]? = { _ in nil },
        making newKey: (ServiceURL) -> DeviceKey? = { _ in nil }
    ) throws(Rejection) -> Value {
        var conversation = try AuthorizingApp.Conversation(interaction, of: &self, at: now, using: &entropy)
        defer { self = conversation.session }
        while true {
            if let value = conversation.value { return value }
            if let request = conversation.request {
                try conversation.take(send(request), at: now)
            } else if let request = conversation.signatureRequest {
                try conversation.take(orDecline: sign(request))
            } else if let service = conversation.keyRequest {
                try conversation.take(orDecline: newKey(service))
            }
        }
    }

    /// The names of the keys that lie elsewhere and are needed by what this session holds, the installation's among
    /// them, so that the host can remove all others.
    public var keyNames: Set<KeyID> {
        let services = store.contents.services.values.compactMap { $0.token }
        let identities =
            services.compactMap { HeldToken($0, of: installation)?.identity } + endingIdentities
        return Set((identities.map { $0.key } + [installation.key]).compactMap { $0.name })
    }
}

extension AuthorizingApp.Conversation {
    /// Takes a signature if it is one, and goes on without it otherwise.
    mutating func take(orDecline signature: [UInt8]?) throws(Rejection) {
        do throws(Rejection) { try take(signature: signature) } catch {
            guard error == .unsigned, signatureRequest != nil else { throw error }
            try decline()
        }
    }

    /// Takes a key, and goes on without it where there is none.
    mutating func take(orDecline key: DeviceKey?) throws(Rejection) {
        if let key { try take(key: key) } else { try decline() }
    }
}
