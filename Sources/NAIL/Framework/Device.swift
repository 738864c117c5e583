public import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

extension ThirdPartyApp {
    /// What the program around an app does for it: two duties of input and output, and the two things that no library
    /// can know.
    ///
    /// The closures are called outside of the lock, except ``entropy``; that one must not call back.
    public struct Device: Sendable {
        /// The name of this instance of the app, from the operating system where it has one.
        public var instance: ClientID
        /// Hands a request to the authorizing app, under the type name ``ProtocolRequest/typeName``; gives back its one
        /// answer (NIF-1).
        ///
        /// `nil` if there was none: the authorizing app is not installed, the user went away, the channel broke.
        public var authorize: @Sendable (_ request: [UInt8]) async -> [UInt8]?
        /// Sends a request over HTTP and gives back the response, or `nil` if none came.
        ///
        /// It must end by itself, since others may wait for the same answer. It must not follow redirects, and must not
        /// repeat a request by itself: a refresh token is good for one use. It asks ``destinations`` about every
        /// address that a name resolves to before it connects (threat 70).
        public var send: @Sendable (_ request: HTTP.Request) async -> HTTP.Response?
        /// What time it is.
        public var now: @Sendable () -> Timestamp
        /// 64 bits that nobody can guess, such as `SystemRandomNumberGenerator` gives.
        public var entropy: @Sendable () -> UInt64
        /// Where services may be that renew and revoke.
        public var destinations = Destinations.worldwide
        /// What protects the serialized state, where something does.
        public var seal: Seal?
        /// Stores the serialized state, and answers whether it is kept: whether it is there when the process ends now.
        ///
        /// It is called after every answer with a token in it, and by ``ThirdPartyApp/keep()``; once at a time, always
        /// with the latest state. Who waits for the answer gets no token of it before the store has returned: a renewed
        /// authorization that is not kept is lost with the process, since its old refresh token is worth nothing any
        /// more. What stores must end by itself, and must not wait for the app, which waits for it.
        public var store: (@Sendable (_ serialization: String) async -> Bool)?
        /// Has a key sign that lies elsewhere, such as one that the person opens with a fingerprint; gives back the
        /// signature in the form that its algorithm's JOSE registration gives it, or `nil` if there is none.
        ///
        /// It must end by itself. Without a signature nothing has changed, and the call that needed it can be repeated.
        public var sign: @Sendable (_ request: SignatureRequest) async -> [UInt8]? = { _ in nil }
        /// Makes the key for one request with ``ThirdPartyApp/Proof/signatureWithBinding(_:)``.
        ///
        /// It gives `nil` where the person declined. A device that says nothing has Ed25519 keys, kept in the state.
        public var newKey: (@Sendable () async -> DeviceKey?)?
        /// Hears what happened, for a developer who wants to know why.
        public var notice: (@Sendable (_ notice: Notice) -> Void)?

        /// Joins the duties.
        public init(
            instance: ClientID, authorize: @escaping @Sendable (_ request: [UInt8]) async -> [UInt8]?,
            send: @escaping @Sendable (_ request: HTTP.Request) async -> HTTP.Response?,
            now: @escaping @Sendable () -> Timestamp, entropy: @escaping @Sendable () -> UInt64, seal: Seal? = nil
        ) {
            self.instance = instance
            self.authorize = authorize
            self.send = send
            self.now = now
            self.entropy = entropy
            self.seal = seal
        }
    }

    /// How an app proves to the authorizing app that it is itself (NIF-3).
    public enum Proof: Sendable {
        /// It does not.
        case none
        /// By a signature with its private key.
        case signature(SigningKey)
        /// By a signature that also names a new public key, to which services then bind the tokens they give (RFC
        /// 7800).
        ///
        /// Such tokens are worth nothing to whoever steals them without the key.
        case signatureWithBinding(SigningKey)
    }

    /// Something that happened of which the calls say nothing; none has a secret in it.
    public enum Notice: Sendable {
        /// A response was taken in: what it opened, and what was dropped of it.
        case accepted(NAILState.Acceptance)
        /// A renewal was settled.
        case renewal(NAILState.Renewal.Outcome)
        /// A call of the ``IntegrationLayer`` gave nothing, for this reason.
        case refused(NAILState.Refusal)
        /// The device did not store the state; the next answer, or ``ThirdPartyApp/keep()``, tries again.
        case unkept
        /// A service in a serialized state was damaged and is lost; all others are there.
        case lost(NAILState.Rejection)
    }
}

/// A device's entropy in the form that algorithms take.
struct Entropy: RandomNumberGenerator {
    let word: @Sendable () -> UInt64

    mutating func next() -> UInt64 { word() }
}

/// A device's entropy that can be had a second time: what was drawn is drawn again, so that what is to be signed stays
/// the same while a signature is on its way.
struct RepeatableEntropy: RandomNumberGenerator {
    let word: @Sendable () -> UInt64
    private var drawn: [UInt64] = []
    private var place = 0

    init(word: @escaping @Sendable () -> UInt64) { self.word = word }

    mutating func next() -> UInt64 {
        if place == drawn.count { drawn.append(word()) }
        place += 1
        return drawn[place - 1]
    }

    mutating func begin() { place = 0 }
}

extension ThirdPartyApp.Device {
    /// Does something that signs, again after each signature that came from elsewhere, until it is done.
    ///
    /// Its last run is the one that counts: what needs a signature that is not there must change nothing.
    ///
    /// - Parameter declines: whether to go on without a signature, which the closure then finds among those that there
    ///   will not be.
    func signing<Value>(
        declining declines: Bool = false,
        _ body: (Signatures, Set<SignatureRequest>, inout RepeatableEntropy) throws(NAILState.Refusal) -> Value
    ) async throws(NAILState.Refusal) -> Value {
        var (signatures, declined) = (Signatures.none, Set<SignatureRequest>())
        var entropy = RepeatableEntropy(word: self.entropy)
        while true {
            entropy.begin()
            let request: SignatureRequest
            do throws(NAILState.Refusal) { return try body(signatures, declined, &entropy) } catch {
                guard let awaited = error.awaited else { throw error }
                request = awaited
            }
            if let signature = await sign(request), (try? signatures.add(signature, for: request)) != nil { continue }
            guard declines else { throw .unsigned }
            declined.insert(request)
        }
    }
}
