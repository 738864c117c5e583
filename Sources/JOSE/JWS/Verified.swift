public import Wire

extension JWS {
    /// Signed content that a key has vouched for.
    ///
    /// It cannot be made in any other way than by verifying.
    public struct Verified: Sendable {
        /// A signature that was verified, and by which key.
        public struct Signature: Sendable {
            /// What the signature says about itself.
            ///
            /// Only its protected part is covered by it.
            public let header: Header
            /// The key that verified it.
            public let key: VerificationKey
            /// The signature's place among those of the serialization.
            public let position: Int
        }

        /// What was signed.
        public let payload: [UInt8]
        /// The signature, the first of those that verified where there are several.
        public let signature: Signature
        /// Other signatures that verified too, in their order.
        public let further: [Signature]
        /// Why the others did not, with their places.
        public let failures: [Failure]
        /// Whether the content came as one compact text.
        let isCompact: Bool

        /// A signature that did not verify.
        public struct Failure: Sendable {
            /// The signature's place among those of the serialization.
            public let position: Int
            /// Why it did not verify.
            public let reason: Rejection
        }
    }
}

// MARK: - Verifying

extension JWS.Unverified {
    /// Verifies with one key, which decides about the algorithm; the algorithm must also be among those accepted.
    public func verified(by key: VerificationKey, accepting algorithms: [Algorithm]) throws(JWS.Verified.Rejection)
        -> JWS.Verified
    {
        try verified { signature throws(JWS.Verified.Rejection) in
            try signature.check(by: key, accepting: algorithms)
            return key
        }
    }

    /// Verifies with the key that the token names, or with each that may be meant.
    public func verified(by keys: [VerificationKey], accepting algorithms: [Algorithm]) throws(JWS.Verified.Rejection)
        -> JWS.Verified
    {
        try verified { signature throws(JWS.Verified.Rejection) in
            keys[try signature.verifyingIndex(in: keys, accepting: algorithms, trials: policy.trials)]
        }
    }

    /// Verifies with the key that the token names, or with each that may be meant.
    public func verified(by keys: JWKSet, accepting algorithms: [Algorithm]) throws(JWS.Verified.Rejection)
        -> JWS.Verified
    {
        try verified(by: keys.keys, accepting: algorithms)
    }

    /// Verifies with a ring of keys, which remembers that the key was used and prepares it when that pays.
    public func verified(by ring: inout KeyRing, accepting algorithms: [Algorithm]) throws(JWS.Verified.Rejection)
        -> JWS.Verified
    {
        try verified { signature throws(JWS.Verified.Rejection) in
            let index = try signature.verifyingIndex(in: ring.keys, accepting: algorithms, trials: policy.trials)
            ring.noteUse(at: index)
            return ring.keys[index]
        }
    }

    /// Applies a check to every signature.
    ///
    /// One that verifies is enough; the result says which did.
    @inline(__always)
    private func verified(
        _ check: (Signature) throws(JWS.Verified.Rejection) -> VerificationKey
    ) throws(JWS.Verified.Rejection) -> JWS.Verified {
        if further.isEmpty {
            let signature = JWS.Verified.Signature(header: first.header, key: try check(first), position: 0)
            return JWS.Verified(payload: payload, signature: signature, further: [], failures: [], isCompact: isCompact)
        }
        var verified: [JWS.Verified.Signature] = []
        var failures: [JWS.Verified.Failure] = []
        for (position, signature) in ([first] + further).enumerated() {
            do throws(JWS.Verified.Rejection) {
                verified.append(
                    JWS.Verified.Signature(header: signature.header, key: try check(signature), position: position))
            } catch {
                failures.append(JWS.Verified.Failure(position: position, reason: error))
            }
        }
        guard let first = verified.first else { throw failures.first?.reason ?? .invalidSignature }
        return JWS.Verified(
            payload: payload, signature: first, further: Array(verified.dropFirst()), failures: failures,
            isCompact: isCompact)
    }
}

extension JWS.Unverified.Signature {
    /// The place of the key that verifies the signature, among those that its header may mean.
    func verifyingIndex(
        in keys: [VerificationKey], accepting algorithms: [Algorithm], trials: Int
    ) throws(JWS.Verified.Rejection) -> Int {
        var refusal: JWS.Verified.Rejection?
        var tried = 0
        for index in keys.indices where keys[index].isNamed(header.keyName) {
            do throws(JWS.Verified.Rejection) {
                try check(by: keys[index], accepting: algorithms)
                return index
            } catch {
                // That a signature is wrong says more than that a key was for another algorithm.
                if case .invalidSignature = error {
                    refusal = error
                    tried += 1
                    guard tried < trials else { throw .tooManyCandidates(limit: trials) }
                } else {
                    refusal = refusal ?? error
                }
            }
        }
        throw refusal ?? .unknownKey(header.keyID)
    }

    /// Checks the signature with one key; the list of accepted algorithms and the key's own both bind.
    @inline(__always)
    func check(by key: VerificationKey, accepting algorithms: [Algorithm]) throws(JWS.Verified.Rejection) {
        let algorithm = header.algorithm
        guard algorithms.contains(algorithm) else {
            throw .algorithmNotAccepted(found: algorithm, accepted: algorithms)
        }
        guard key.isNamed(header.keyName) else { throw .unknownKey(header.keyID) }
        guard key.algorithms.contains(algorithm) else {
            throw .algorithmNotOfKey(found: algorithm, expected: key.algorithms)
        }
        guard key.isValid(value.span, for: input.span.extracting(0..<inputLength), under: algorithm) else {
            throw .invalidSignature
        }
    }
}

// MARK: - Rejection

extension JWS.Verified {
    /// Why nobody vouches for the content.
    public enum Rejection: Error, Equatable, Sendable {
        /// The algorithm is not among those that the caller accepts.
        case algorithmNotAccepted(found: Algorithm, accepted: [Algorithm])
        /// No key of this name is known.
        case unknownKey(KeyID?)
        /// The key is for other algorithms.
        case algorithmNotOfKey(found: Algorithm, expected: [Algorithm])
        /// The signature is not one over this content by this key.
        case invalidSignature
        /// So many keys may be meant that trying them all is not reasonable.
        case tooManyCandidates(limit: Int)

        /// The clause that states the rule.
        public var clause: String {
            switch self {
            case .algorithmNotAccepted, .algorithmNotOfKey: "RFC8725-3.1"
            case .unknownKey: "RFC7515-6"
            case .invalidSignature: "RFC7515-5.2"
            case .tooManyCandidates: "threat-14"
            }
        }
    }
}

extension JWS.Verified.Rejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        func list(_ algorithms: [Algorithm]) -> String { algorithms.map { $0.name.text }.joined(separator: ", ") }
        return switch self {
        case .algorithmNotAccepted(let found, let accepted):
            "the algorithm '\(found)' is not accepted, only \(list(accepted))"
        case .unknownKey(let id?): "no key is named '\(id)'"
        case .unknownKey(nil): "no key fits"
        case .algorithmNotOfKey(let found, let expected):
            "the algorithm is '\(found)', the key is for \(list(expected))"
        case .invalidSignature: "the signature does not verify"
        case .tooManyCandidates(let limit): "more than \(limit) keys may be meant"
        }
    }
}
