public import JOSE

extension Algorithm {
    /// The algorithms of holders' keys, unless a party says something else (KEY-9): what devices have in hardware, and
    /// what every one of them computes.
    public static let ofHolders: [Algorithm] = [.edDSA, .ed25519, .es256]

    /// The algorithms of key pairs that are computed with here.
    ///
    /// Which of them a party's own keys sign with, and those of parties that it trusts, these keys say (KEY-8).
    public static let ofKeyPairs: [Algorithm] = asymmetric
}

extension Statement {
    /// What holders' keys have to be: the algorithms that they are for, and how those are checked.
    public struct HolderKeys: Sendable {
        /// The algorithms of holders' keys and of what they sign (KEY-9): what is bound to, which proofs are taken, and
        /// what metadata and challenges tell.
        ///
        /// A symmetric key that the issuer made is none of these, and signs by the algorithm for which it was made.
        public var algorithms = Algorithm.ofHolders
        /// What checks signatures by keys that are not computed with here.
        private var foreign: [ForeignKeys] = []

        /// Finds the key of a holder who has come before, prepared: one of exactly this material, whatever else either
        /// of the two says about itself.
        package var remembered: (@Sendable (JWK) -> VerificationKey?)?

        /// The standard algorithms, all of which are computed with here.
        public init() {}

        /// How a host checks signatures by keys that are not computed with here.
        fileprivate struct ForeignKeys: Sendable {
            let algorithm: Algorithm
            let key: @Sendable (JWK) -> VerificationKey?
        }
    }
}

extension Statement.HolderKeys {
    /// Takes keys of a further algorithm, with which the host computes (KEY-23).
    ///
    ///     policy.proof.holders.accept(ed448) { key in Ed448Verifier(key) }
    ///
    /// Such a key is bound like every other one, and metadata tell its algorithm.
    ///
    /// - Parameter verifier: what checks signatures by a key; `nil` for a key that is not one of the algorithm.
    public mutating func accept<Checking: Verifier>(
        _ algorithm: Algorithm, checking verifier: @escaping @Sendable (JWK) -> Checking?
    ) {
        if !algorithms.contains(algorithm) { algorithms.append(algorithm) }
        foreign.append(
            ForeignKeys(algorithm: algorithm) { key in
                verifier(key).map { VerificationKey($0, for: algorithm, id: key.id) }
            })
    }

    /// The key that checks signatures by a holder's key, with arithmetic of this package or of the host's.
    package func verificationKey(for key: JWK) throws(JWK.Rejection) -> VerificationKey {
        do throws(JWK.Rejection) {
            let made = try VerificationKey(key)
            return remembered?(key).map { made.computing(as: $0) } ?? made
        } catch {
            guard case .unsupportedType = error else { throw error }
            for foreign in foreign where key.attributes.algorithm ?? foreign.algorithm == foreign.algorithm {
                guard try key.permitsVerification(by: foreign.algorithm), let made = foreign.key(key) else { continue }
                return made
            }
            throw error
        }
    }

    /// Whether something can be bound to a key: proofs by it are checked here, and it says by itself which algorithm
    /// that takes (KEY-8, KEY-23).
    package func binds(_ key: JWK) -> Bool {
        // A key of RSA serves six algorithms, of which one key is to have one (RFC 8725 §3.1).
        guard key.type != .rsa || key.attributes.algorithm != nil else { return false }
        return ((try? verificationKey(for: key)).map { $0.algorithms.contains { algorithms.contains($0) } }) ?? false
    }
}
