#if PKCS11
public import JOSE
internal import Synchronization

/// A security module behind its PKCS #11 library, logged in to one token (KEY-25).
///
///     let module = try SecurityModule(library: "/usr/lib/softhsm/libsofthsm2.so", token: "eduid", pin: pin)
///     let key = try module.key(labelled: "edu-id-2")
///     let keys = Authority.Keys(signingElsewhere: key.publicKey, master: master)
///     let host = EduIDService.Host(service, in: store, clock: clock, signer: { try? key.signature(for: $0) })
///
/// Calls wait for the module, one at a time: a session of PKCS #11 does one thing at once.
public final class SecurityModule: Sendable {
    private let session: Mutex<Session>

    /// Loads a library, and logs in to the token with this label.
    public init(library path: String, token label: String, pin: String) throws(Failure) {
        session = Mutex(try Session(library: path, token: label, pin: pin))
    }

    deinit { session.withLock { $0.close() } }

    /// The pair whose halves both have this label: on P-256, P-384 or P-521, or of RSA for `RS256`.
    public func key(labelled label: String) throws(Failure) -> Key {
        Key(try session.withLock { session throws(Failure) in try session.pair(labelled: label) }, self)
    }

    /// A key pair of a module, by its public half.
    public struct Key: Sendable {
        private let pair: Session.Pair
        private let module: SecurityModule

        fileprivate init(_ pair: Session.Pair, _ module: SecurityModule) { (self.pair, self.module) = (pair, module) }

        /// The public half, with the module's label for its name.
        public var publicKey: JWK { pair.publicKey }

        /// The signature that is asked for, in the form that JOSE wants.
        public func signature(for request: SignatureRequest) throws(Failure) -> [UInt8] {
            try module.session.withLock { session throws(Failure) in try session.sign(request.message, by: pair) }
        }
    }
}
#endif
