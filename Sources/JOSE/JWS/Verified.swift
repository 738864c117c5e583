import Wire

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
            package let position: Int
        }

        /// What was signed.
        public let payload: [UInt8]
        /// The signature, the first of those that verified where there are several.
        public let signature: Signature
        /// Other signatures that verified too, in their order.
        package let further: [Signature]
        /// Why the others did not, with their places.
        package let failures: [Failure]
        /// Whether the content came as one compact text.
        let isCompact: Bool

        /// A signature that did not verify.
        package struct Failure: Sendable {
            /// The signature's place among those of the serialization.
            package let position: Int
            /// Why it did not verify.
            package let reason: JWS.Rejection
        }
    }
}

// MARK: - Verifying

extension JWS.Unverified {
    /// Verifies with one key, which decides about the algorithm; where a list is given, the algorithm is also on it.
    public func verified(by key: VerificationKey, accepting algorithms: [Algorithm]? = nil) throws(JWS.Rejection)
        -> JWS.Verified
    {
        try verified { signature throws(JWS.Rejection) in
            try signature.check(by: key, accepting: algorithms)
            return key
        }
    }

    /// Verifies with the key that the token names, or with each that may be meant.
    package func verified(by keys: [VerificationKey], accepting algorithms: [Algorithm]? = nil) throws(JWS.Rejection)
        -> JWS.Verified
    {
        try verified { signature throws(JWS.Rejection) in
            keys[try signature.verifyingIndex(in: keys, accepting: algorithms, trials: policy.trials)]
        }
    }

    /// Verifies with the key that the token names, or with each that may be meant.
    public func verified(by keys: JWKSet, accepting algorithms: [Algorithm]? = nil) throws(JWS.Rejection)
        -> JWS.Verified
    {
        try verified(by: keys.keys, accepting: algorithms)
    }

    /// Verifies with a ring of keys, which remembers that the key was used and prepares it when that pays.
    public func verified(by ring: inout KeyRing, accepting algorithms: [Algorithm]? = nil) throws(JWS.Rejection)
        -> JWS.Verified
    {
        try verified { signature throws(JWS.Rejection) in
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
        _ check: (Signature) throws(JWS.Rejection) -> VerificationKey
    ) throws(JWS.Rejection) -> JWS.Verified {
        if further.isEmpty {
            let signature = JWS.Verified.Signature(header: first.header, key: try check(first), position: 0)
            return JWS.Verified(payload: payload, signature: signature, further: [], failures: [], isCompact: isCompact)
        }
        var verified: [JWS.Verified.Signature] = []
        var failures: [JWS.Verified.Failure] = []
        for (position, signature) in ([first] + further).enumerated() {
            do throws(JWS.Rejection) {
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
        in keys: [VerificationKey], accepting algorithms: [Algorithm]?, trials: Int
    ) throws(JWS.Rejection) -> Int {
        var refusal: JWS.Rejection?
        var tried = 0
        for index in keys.indices where keys[index].isNamed(header.keyName) {
            do throws(JWS.Rejection) {
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

    /// Checks the signature with one key; the key's algorithms bind, and so does a list of those that are accepted,
    /// which there must be where the key fixes none.
    @inline(__always)
    func check(by key: VerificationKey, accepting algorithms: [Algorithm]?) throws(JWS.Rejection) {
        let algorithm = header.algorithm
        if let algorithms, !algorithms.contains(algorithm) {
            throw .algorithmNotAccepted(found: algorithm, accepted: algorithms)
        }
        guard key.isNamed(header.keyName) else { throw .unknownKey(header.keyID) }
        guard key.algorithms.contains(algorithm) else {
            throw .algorithmNotOfKey(found: algorithm, expected: key.algorithms)
        }
        guard key.fixesAlgorithm || algorithms != nil else { throw .algorithmNotListed(algorithm) }
        guard key.isValid(value.span, for: input.span.extracting(0..<inputLength), under: algorithm) else {
            throw .invalidSignature
        }
    }
}
