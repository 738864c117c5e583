internal import Federation
internal import NAIL
internal import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import Wire

extension World {
    /// A phone: the edu-ID app and its extension, which share what is kept, and apps of others.
    final class Phone {
        let number: Int
        unowned let world: World
        /// What it was shipped with, and made for itself.
        private(set) var body: AuthorizingApp.Installation
        /// Which installation it is, of all there ever were.
        private(set) var installation: Int
        /// The version that the edu-ID service knows it by.
        var version = 0
        /// Whether it may be another one.
        var versionsInDoubt = false
        /// Between which times it was registered, or came to its version; `nil` where nobody can tell.
        var registered: ClosedRange<Timestamp>?
        /// Whether it may have been registered before it knew of that.
        var mayBeRegistered = false
        /// Who uses it.
        var person: Int?
        /// What that person has by being signed in.
        var presence: Ledger.Holding?
        /// Who has begun to sign in, and what is left to do.
        var arriving: Arrival? { didSet { world.note(number, arrives: arriving != nil) } }
        /// Whether the edu-ID service wants the person to sign in again.
        var isAskedAgain = false { didSet { if isAskedAgain { wasAskedAgain = true } } }
        private(set) var wasAskedAgain = false
        /// Whether it said that somebody else is signed in.
        private(set) var isTakenByAnother = false
        /// Whether what it keeps was restored from a backup.
        private(set) var wasRestored = false
        private(set) var app: Seat
        private(set) var helper: Seat
        /// What app and extension have kept.
        private var kept = AuthorizingApp.Store()
        var readers: [Reader]
        /// What the person ended, and nobody has confirmed so far.
        var untold: [(matter: AuthorizingApp.Ending.Matter, link: Ledger.Link, witness: Ledger.Witness)] = []
        private var backup: (store: AuthorizingApp.Store, readers: [Reader], installation: Int)?
        /// Who answers it in the place of the edu-ID service: it is in a thief's hands.
        var impostor: Host<EduIDService>?
        /// How often everything on it began anew.
        private var launches = 0

        /// One of the two processes of the app.
        final class Seat {
            fileprivate(set) var session: AuthorizingApp.Session
            /// What it knows to be kept.
            fileprivate var known: AuthorizingApp.Store
            fileprivate(set) var isBusy = false

            init(_ session: AuthorizingApp.Session) { (self.session, known) = (session, session.store) }
        }

        /// What an interaction came to.
        enum Outcome<Value> {
            case done(Value)
            case rejected(Rejection)
            /// The process was killed meanwhile, or does something else.
            case away

            var value: Value? { if case .done(let value) = self { value } else { nil } }
        }

        /// A phone as it was shipped, before anything else: what it makes for itself follows from chance.
        init(_ number: Int, as installation: Int, in world: World, using chance: inout SimulatedFederation.Entropy) {
            (self.number, self.world) = (number, world)
            body = Self.newBody(of: world.cast, using: &chance)
            self.installation = installation
            app = Seat(AuthorizingApp.Session(body, with: world.cast.eduIDMetadata))
            helper = Seat(AuthorizingApp.Session(body, with: world.cast.eduIDMetadata))
            readers = world.cast.readers.indices.map { Reader(number: $0) }
        }

        private static func newBody(
            of cast: Cast, using chance: inout SimulatedFederation.Entropy
        ) -> AuthorizingApp.Installation {
            let key = DeviceKey(using: &chance)
            return AuthorizingApp.Installation(
                appName: cast.appName, versionKey: cast.versionKeys[0], device: cast.device, key: key, using: &chance)
        }

        /// How many numbers a new copy of the app draws: four for its key, two for its UUID.
        static let drawsOfBody = 6

        /// Whether nothing was ever kept here, so that the number and chance from which it came say all of it.
        var isAsShipped: Bool {
            kept.revision == 0 && installation == number + 1 && person == nil && arriving == nil && !isAskedAgain
                && version == 0 && !versionsInDoubt && backup == nil && untold.isEmpty
                && readers.allSatisfy { $0.isAsShipped }
        }

        /// Nobody looks at what is kept here.
        var seal: Seal { Seal(seal: { $0 }, open: { $0 }) }
    }
}

// MARK: - Interactions

extension World.Phone {
    /// Carries out an interaction as the processes of the app do: what has changed is kept before anything else is
    /// done, and who comes too late takes in what the other one has written.
    func perform<Value>(_ interaction: AuthorizingApp.Interaction<Value>, by seat: Seat) -> Outcome<Value> {
        guard !seat.isBusy else { return .away }
        seat.isBusy = true
        defer { seat.isBusy = false }
        let launch = launches
        var chance = SimulatedFederation.Entropy(seed: world.entropy.next())
        do throws(Rejection) {
            var conversation: AuthorizingApp.Conversation<Value>
            repeat {
                try catchUp(seat)
                var begun = seat.session
                do throws(Rejection) {
                    conversation = try AuthorizingApp.Conversation(
                        interaction, of: &begun, at: world.now, using: &chance)
                } catch {
                    _ = keeps(begun, by: seat)
                    throw error
                }
            } while !keeps(conversation.session, by: seat)
            while true {
                if let value = conversation.value { return .done(value) }
                guard let request = conversation.request else { return .rejected(.unsigned) }
                let former = world.sender
                world.sender = self
                let response = world.send(request, deceivedBy: impostor)
                world.sender = former
                if launches == launch, world.strike(.app) == .killed { kill() }
                guard launches == launch else { return .away }
                let outcome: Result<Void, Rejection>
                do throws(Rejection) {
                    try conversation.take(response, at: world.now)
                    outcome = .success(())
                } catch { outcome = .failure(error) }
                seat.session = conversation.session
                while !keeps(seat.session, by: seat) { try catchUp(seat) }
                try conversation.goOn(with: seat.session)
                try outcome.get()
            }
        } catch {
            world.tell("  rejected: \(error)")
            if case .refused(let refusal) = error {
                if refusal.code == .insufficientAuthorization { isAskedAgain = true }
                isTakenByAnother = [.invalidGrant, .accessDenied].contains(refusal.code)
            }
            return .rejected(error)
        }
    }

    /// The process in which the person does something: another one where the app is busy.
    var free: Seat { app.isBusy ? helper : app }

    private func catchUp(_ seat: Seat) throws(Rejection) {
        guard kept.revision != seat.known.revision else { return }
        let isChanged = seat.session.store.revision != seat.known.revision
        seat.session.store = isChanged ? try seat.session.store.joined(with: kept, since: seat.known) : kept
        seat.known = kept
    }

    private func keeps(_ changed: AuthorizingApp.Session, by seat: Seat) -> Bool {
        if changed.store.revision != seat.known.revision {
            guard kept.revision == seat.known.revision else { return false }
            kept = changed.store
            seat.known = kept
        }
        seat.session = changed
        return true
    }

    /// What the app would know now; what it does at the moment is left alone.
    var session: AuthorizingApp.Session {
        var session = app.session
        session.store = kept
        return session
    }
}

// MARK: - Launches

extension World.Phone {
    /// Everything ends, and begins anew with what was kept.
    func kill() {
        launches += 1
        // Nothing was ever kept before the first change.
        if kept.revision > 0 { readBack() }
        begin()
        for place in readers.indices { readers[place].restart(in: world) }
    }

    private func readBack() {
        do throws(Rejection) {
            let read = try AuthorizingApp.Store(parsing: kept.serialized(sealing: seal), opening: seal)
            if read != kept || read.revision != kept.revision {
                world.breaks("what is written can be read", "the store of phone \(number)")
            }
            kept = read
        } catch {
            world.breaks("what is written can be read", "the store of phone \(number): \(error)")
        }
    }

    private func begin() {
        app = Seat(AuthorizingApp.Session(body, with: world.cast.eduIDMetadata, store: kept))
        helper = Seat(AuthorizingApp.Session(body, with: world.cast.eduIDMetadata, store: kept))
    }

    /// The system has installed another version of the app.
    func update(to version: Int) {
        body = body.updated(to: world.cast.versionKeys[version])
        kill()
    }

    /// Takes what the app has made of the update.
    func takeBody() { body = app.session.installation }

    func backUp() { backup = (kept, readers, installation) }

    /// Gets back what was put by; whether there was something.
    func restore() -> Bool {
        guard let backup, backup.installation == installation else { return false }
        launches += 1
        wasRestored = true
        kept = backup.store
        readers = backup.readers
        begin()
        return true
    }

    /// What the person ended and nobody has confirmed is not told any more by this app, and perhaps by nobody.
    func forgetUntold() {
        for ending in untold { world.ledger.doubt(ending.link.ground) }
        untold = []
    }

    /// The app is removed with all it kept, and installed anew; other apps stay.
    func reinstall() {
        launches += 1
        body = Self.newBody(of: world.cast, using: &world.entropy)
        world.removed.append(installation)
        installation = world.ledger.addCopy()
        kept = AuthorizingApp.Store()
        (version, versionsInDoubt, wasRestored, registered, mayBeRegistered) = (0, false, false, nil, false)
        (arriving, isAskedAgain) = (nil, false)
        begin()
    }
}

// MARK: - Apps of others

extension World {
    /// A third-party app on a phone.
    struct Reader {
        let number: Int
        var state = NAILState()
        /// What is kept of it.
        private var kept = NAILState()
        /// What it got, as the person would tell it, by service.
        var holdings: [Int: Ledger.Holding] = [:]
        /// What it had by service before it got something else there: the first of what may not have ended.
        var former: [Int: (state: NAILState, holding: Ledger.Holding)] = [:]
        /// Where it was told that all is over.
        var over: Set<Int> = []
        /// Whether it was ever changed.
        var isAsShipped: Bool { !wasKept && holdings.isEmpty && over.isEmpty }
        private var wasKept = false

        init(number: Int) { self.number = number }

        mutating func keep() { (kept, wasKept) = (state, true) }

        /// Notes what it got at a service, and what it had there before.
        mutating func note(_ holding: Ledger.Holding?, at service: Int, insteadOf state: NAILState, _ ledger: Ledger) {
            if let held = holdings[service], former[service].map({ ledger.doubt(about: $0.holding) != nil }) ?? true {
                former[service] = (state, held)
            }
            holdings[service] = holding
            over.remove(service)
        }

        /// It has again at a service what it had there before.
        func asBefore(at service: Int) -> Reader? {
            guard let former = former[service] else { return nil }
            var reader = self
            (reader.state, reader.holdings[service]) = (former.state, former.holding)
            reader.over.remove(service)
            return reader
        }

        mutating func restart(in world: World) {
            let text = kept.serialized()
            do {
                state = try NAILState(parsing: text)
                if !state.serialized().utf8.elementsEqual(text.utf8) {
                    world.breaks("what is written can be read", "the state of reader \(number)")
                }
            } catch {
                world.breaks("what is written can be read", "the state of reader \(number): \(error)")
            }
        }
    }
}
