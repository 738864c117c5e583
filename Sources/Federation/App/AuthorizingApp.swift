public import JOSE
public import NAIL
public import OAuth2Grants
public import RSD2
public import Wire

/// The edu-ID app itself, without a screen: beside what it shares with its extension, it ends what was authorized
/// (DAT-4).
public struct AuthorizingApp: AuthorizingProcess {
    /// The process that it runs in.
    public let process: Process

    /// The app with what was kept.
    public init(_ session: Session, on host: Host) { process = Process(session, on: host) }

    /// Signs the user out (UX-5): every authorization of every app ends (UX-6), and the user is forgotten.
    ///
    /// Without a network too it is over at once on this device; ``AuthorizingProcess/endings()`` tells the other side
    /// later.
    @discardableResult
    public func signOut() async throws(Rejection) -> Ended { try await process.perform(.signOut) }

    /// Forgets what could still end what is over, for a person who has lost what signs for it: the other sides are not
    /// told, and it is for another device, or an administrator, to end it there.
    public func abandonEndings() async throws(Rejection) { try await process.perform(.abandonedEndings) }

    /// Ends what a service gave, and with it what apps got there (TOK-5, TOK-6); over at once, as ``signOut()``.
    @discardableResult
    public func unlink(_ service: ServiceURL) async throws(Rejection) -> Ended {
        try await process.perform(.unlinking(service))
    }

    /// Ends what an app was given at a service through this device, of which
    /// ``Session/givenAuthorizations`` is the list; over at once, as ``signOut()``.
    @discardableResult
    public func end(_ app: BundleID, at service: ServiceURL) async throws(Rejection) -> Ended {
        try await process.perform(.ending(app, at: service))
    }
}

/// The extension of the edu-ID app that answers other apps: it is introduced to services and obtains their tokens for
/// apps (DAT-4).
public struct AuthorizingExtension: AuthorizingProcess {
    /// The process that it runs in.
    public let process: AuthorizingApp.Process

    /// The extension with what was kept.
    public init(_ session: AuthorizingApp.Session, on host: AuthorizingApp.Host) {
        process = AuthorizingApp.Process(session, on: host)
    }

    /// Makes sure that the instance holds a service's token that is good now: as it is, renewed, or by a new
    /// introduction (4, 5).
    public func authorize(_ service: ServiceURL) async throws(Rejection) {
        try await process.perform(.authorization(at: service))
    }

    /// Checks an app's request (7): whose it is, and that it came only now, which the store remembers (threat 58).
    ///
    /// - Parameter registry: the public keys of each app, from a source that the host trusts, such as the federation's.
    /// - Parameter caller: the app that asks, as the operating system names it, where it does.
    public func check(
        _ request: ProtocolRequest, against registry: [BundleID: JWKSet], from caller: BundleID? = nil,
        policy: ProtocolRequest.CheckPolicy = ProtocolRequest.CheckPolicy()
    ) async throws(Rejection) -> ProtocolRequest.Checked {
        try await process.perform(.check(request, against: registry, from: caller, policy: policy))
    }

    /// Answers an app (7) with what the person granted; services that refused or did not answer are missing, and the
    /// app is not told why (APP-1).
    public func answer(
        _ checked: ProtocolRequest.Checked, with choice: AuthorizationMode.Choice
    ) async throws(Rejection) -> AuthorizingApp.Answer {
        let answer = try await process.perform(.answer(to: checked, with: choice))
        return try await process.perform(.upheld(answer, to: checked))
    }
}

/// One of the two processes of the edu-ID app on a device, which share a store: what both of them do stands here
/// (DAT-4).
///
/// Each call waits for the network, and for whoever signs with keys that lie elsewhere; when nobody answers it throws
/// ``Rejection/unanswered``, when nobody signs ``Rejection/unsigned``, and nothing has changed. However many calls
/// there are at once, they are carried out one after the other.
public protocol AuthorizingProcess: Sendable {
    /// The process.
    var process: AuthorizingApp.Process { get }
}

extension AuthorizingProcess {
    /// What the instance holds now.
    public var session: AuthorizingApp.Session { get async { await process.session } }

    /// Registers the instance, where it is not (1).
    public func register() async throws(Rejection) {
        if await !process.session.isRegistered { try await process.perform(.registration) }
    }

    /// Signs a user in (2), and learns what there is to show and to offer: the profile (AUT-6), the usage list and the
    /// user's services (USE-3).
    ///
    /// Where the edu-ID service asks for more it throws ``Rejection/stepWanted``: ask the person for one of the steps
    /// of ``AuthorizingApp/Session/pendingSignIn(at:)``, and go on with ``takeStep(_:)``.
    ///
    /// - Parameter demand: what the sign-in has to be.
    public func signIn(
        _ user: UserName, _ password: Secret.Password?, demanding demand: AuthenticationDemand = .none
    ) async throws(Rejection) {
        try await process.perform(.signIn(user, password, demanding: demand))
        try await process.perform(.launch)
    }

    /// Ends this instance with whoever is signed in through it, and begins anew.
    ///
    /// It is for a person whom ``signIn(_:_:demanding:)`` refuses because somebody else is signed in here, and who sees
    /// nobody to sign out, as after the device was restored from a backup: ask before you call it.
    public func startOver() async throws(Rejection) {
        try await process.perform(.startOver)
    }

    /// Makes more of the sign-in than it was, as ``Rejection/demand`` asks; steps go on as in
    /// ``signIn(_:_:demanding:)``, and whoever is signed in stays so.
    public func stepUp(to demand: AuthenticationDemand) async throws(Rejection) {
        try await process.perform(.stepUp(to: demand))
    }

    /// Goes on with a sign-in by the answer to a step; as ``signIn(_:_:demanding:)``.
    ///
    /// After a wrong answer that may be given once more the sign-in still waits.
    public func takeStep(_ answer: SignInStep.Answer) async throws(Rejection) {
        try await process.perform(.step(answer))
        try await process.perform(.launch)
    }

    /// Begins a sign-in that the person makes in the system's browser, and says where that is to go, within 90 seconds.
    ///
    /// When the browser calls the app back, even after a restart, ``returned(with:)`` goes on.
    ///
    /// - Parameter address: where the app is called back, as it is registered with the app's version.
    /// - Parameter demand: what the sign-in has to be.
    public func beginBrowserSignIn(
        callingBackAt address: CallbackAddress, demanding demand: AuthenticationDemand = .none
    ) async throws(Rejection) -> WebURL {
        try await process.perform(.browserSignIn(callingBackAt: address, demanding: demand))
    }

    /// Signs the person in with whom a browser has called the app back; as ``signIn(_:_:demanding:)``.
    ///
    /// A link that does not answer the app's own request is rejected, and the sign-in still waits.
    public func returned(with link: String) async throws(Rejection) {
        try await process.perform(.returning(with: link))
        try await process.perform(.launch)
    }

    /// Gives up a sign-in that waits for a step, or for a browser.
    public func abandonSignIn() async throws(Rejection) { try await process.perform(.abandonedSignIn) }

    /// What the app does whenever it is launched (USE-3, DSC-10).
    public func launch() async throws(Rejection) { try await process.perform(.launch) }

    /// Tells the other sides what is over for the person and not confirmed yet, for a host that learns that there is a
    /// network; says what is left to tell.
    @discardableResult
    public func endings() async throws(Rejection) -> [AuthorizingApp.Ending] {
        _ = try await process.perform(.endings)
        // With what the other process has ended meanwhile.
        return await process.session.endings
    }

    /// The services that can serve an app's request, as the discovery finds them now (3a, 3b);
    /// ``AuthorizingApp/Session/knownChoices(for:)`` has the known ones without waiting.
    public func choices(for request: ProtocolRequest) async throws(Rejection) -> [AuthorizingApp.Candidate] {
        try await process.perform(.candidates(for: request))
    }

    /// Neither shows a service nor includes it in what is granted, until ``show(_:)``.
    public func hide(_ service: ServiceURL) async throws(Rejection) { try await process.perform(.hiding(service)) }

    /// Shows a service again that was hidden, of which ``AuthorizingApp/Session/hiddenServices`` is the list.
    public func show(_ service: ServiceURL) async throws(Rejection) { try await process.perform(.showing(service)) }
}

extension AuthorizingApp {
    /// What the program around the app does for it: two duties of input and output, the two things that no library can
    /// know, and what keys sign that lie elsewhere.
    public struct Host: Sendable {
        /// Sends a request over HTTP and gives back the response, or `nil` if none came.
        ///
        /// It must end by itself, must not follow redirects, and must not repeat a request. It asks the session's
        /// ``Session/destinations`` about every address that a name resolves to before it connects (threat 70), and
        /// takes answers of `ServiceDirectory.answerLimit` bytes.
        package var send: @Sendable (_ request: HTTP.Request) async -> HTTP.Response?
        /// Where the store is kept, whenever an answer has changed it; waited for.
        package var keeper: Keeper
        /// Has a key sign that lies elsewhere, such as one that the person opens with a fingerprint; gives back the
        /// signature in the form that its algorithm's JOSE registration gives it, or `nil` if there is none.
        ///
        /// It must end by itself. What it does not sign is not done, and can be repeated.
        public var sign: @Sendable (_ request: SignatureRequest) async -> [UInt8]? = { _ in nil }
        /// Whether a key that has not signed is gone for good, and not only declined or away.
        ///
        /// What needs it is rejected with ``Rejection/keyGone`` then: tell the person, and offer
        /// ``AuthorizingApp/abandonEndings()`` and a new installation.
        public var isGone: @Sendable (_ key: JWK) async -> Bool = { _ in false }
        /// Makes a key for a service alone, where the installation's own lies elsewhere; `nil` if there is none.
        public var newKey: @Sendable (_ service: ServiceURL) async -> DeviceKey? = { _ in nil }
        /// What time it is.
        package var now: @Sendable () -> Timestamp
        /// 64 bits that nobody can guess, such as `SystemRandomNumberGenerator` gives.
        package var entropy: @Sendable () -> UInt64

        /// Joins the duties.
        public init(
            send: @escaping @Sendable (_ request: HTTP.Request) async -> HTTP.Response?, in keeper: Keeper,
            now: @escaping @Sendable () -> Timestamp, entropy: @escaping @Sendable () -> UInt64
        ) {
            (self.send, self.keeper, self.now, self.entropy) = (send, keeper, now, entropy)
        }

        /// Joins the duties of a host whose store one process alone writes.
        public init(
            send: @escaping @Sendable (_ request: HTTP.Request) async -> HTTP.Response?,
            keep: @escaping @Sendable (_ store: Store) async -> Void, now: @escaping @Sendable () -> Timestamp,
            entropy: @escaping @Sendable () -> UInt64
        ) {
            self.init(send: send, in: Keeper(keep), now: now, entropy: entropy)
        }
    }

    /// Where the store is kept between launches, and where app and extension meet.
    ///
    /// Two processes may write at once. Each writes what follows from what it read, and the keeper takes it only if
    /// nobody has written since; who comes too late reads, joins both changes row by row, and writes again. So neither
    /// waits for the other's network, and no row that one of them changed is lost to the other.
    public struct Keeper: Sendable {
        /// What is kept now; `nil` if nothing is, or it cannot be read at the moment.
        package var read: @Sendable () async -> Store?
        /// Keeps a store if the revision of what is kept is still this one, in one step; whether it did.
        ///
        /// Nothing is kept yet at revision zero.
        package var write: @Sendable (_ store: Store, _ revision: UInt64) async -> Bool

        /// A place that both processes read and write, such as a file under a lock, of which ``Store/revision`` tells
        /// whether it was written meanwhile.
        public init(
            read: @escaping @Sendable () async -> Store?,
            write: @escaping @Sendable (_ store: Store, _ revision: UInt64) async -> Bool
        ) {
            (self.read, self.write) = (read, write)
        }

        /// A place that this process alone writes.
        public init(_ keep: @escaping @Sendable (_ store: Store) async -> Void) {
            self.init(
                read: { nil },
                write: { store, _ in
                    await keep(store)
                    return true
                })
        }
    }

    /// A process that carries out interactions one after the other, while others wait.
    public actor Process {
        /// What the instance holds now.
        package private(set) var session: Session
        /// What is kept of it, as far as that is known here.
        private var kept: Store
        private let host: Host
        /// The end of the last interaction so far, which the next one waits for.
        private var last: Task<Void, Never>?

        init(_ session: Session, on host: Host) {
            self.session = session
            self.kept = session.store
            self.host = host
        }

        /// Carries out an interaction when its turn comes.
        ///
        /// It goes on when its caller is cancelled, because an answer may hold the only refresh token.
        func perform<Value>(_ interaction: Interaction<Value>) async throws(Rejection) -> Value {
            let former = last
            let task = Task { () -> Result<Value, Rejection> in
                await former?.value
                return await self.carryOut(interaction)
            }
            last = Task { _ = await task.value }
            return try await task.value.get()
        }

        private func carryOut<Value>(_ interaction: Interaction<Value>) async -> Result<Value, Rejection> {
            do throws(Rejection) {
                var entropy = Entropy(word: host.entropy)
                var conversation: Conversation<Value>
                // Before anything is sent, who comes too late begins anew with what the other process has written.
                repeat {
                    try await catchUp()
                    var begun = session
                    do throws(Rejection) {
                        conversation = try Conversation(interaction, of: &begun, at: host.now(), using: &entropy)
                    } catch {
                        // Who comes too late here is rejected again the next time, and changes it then.
                        _ = try await keeps(begun)
                        throw error
                    }
                } while try await !keeps(conversation.session)
                while true {
                    if let value = conversation.value { return .success(value) }
                    let outcome = await goOn(with: &conversation)
                    session = conversation.session
                    while try await !keeps(session) { try await catchUp() }
                    try conversation.goOn(with: session)
                    try outcome.get()
                }
            } catch {
                return .failure(error)
            }
        }

        /// Sees to the one thing that a conversation waits for.
        private func goOn<Value>(with conversation: inout Conversation<Value>) async -> Result<Void, Rejection> {
            do throws(Rejection) {
                if let request = conversation.request {
                    try await conversation.take(host.send(request), at: host.now())
                } else if let request = conversation.signatureRequest {
                    let signature = await host.sign(request)
                    if signature == nil, await host.isGone(request.publicKey) {
                        try conversation.loseKey()
                    } else {
                        try conversation.take(orDecline: signature)
                    }
                } else if let service = conversation.keyRequest {
                    try await conversation.take(orDecline: host.newKey(service))
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }

        /// Takes in what the other process has written.
        private func catchUp() async throws(Rejection) {
            guard let found = await host.keeper.read(), found.revision != kept.revision else { return }
            let isChanged = session.store.revision != kept.revision
            session.store = isChanged ? try session.store.joined(with: found, since: kept) : found
            kept = found
        }

        /// Keeps what has changed before anything else is done; `false` if the other process was faster.
        private func keeps(_ changed: Session) async throws(Rejection) -> Bool {
            if changed.store.revision != kept.revision {
                guard await host.keeper.write(changed.store, kept.revision) else {
                    guard let found = await host.keeper.read(), found.revision != kept.revision else { throw .unkept }
                    return false
                }
                kept = changed.store
            }
            session = changed
            return true
        }

        private struct Entropy: RandomNumberGenerator {
            let word: @Sendable () -> UInt64

            mutating func next() -> UInt64 { word() }
        }
    }
}
