public import Wire

extension JWS {
    static let dot = UInt8(ascii: ".")

    /// Tokens are small; the bounds are far above any that is honest, and a nesting bomb ends at the depth.
    static let claimLimits = JSON.Limits(size: 16 << 10, depth: 32, values: 4096, members: 1024)

    /// What a reader takes on.
    ///
    /// The defaults fit tokens; every relaxation is spelled out by whoever needs it.
    public struct Policy: Sendable {
        /// The most bytes of a compact serialization.
        public var size = 16 << 10
        /// The most bytes of a JSON serialization, and of a detached payload.
        public var contentSize = 1 << 20
        /// The most signatures of a JSON serialization.
        package var signatures = 8
        /// The most keys that a signature without an unambiguous key name is tried with.
        package var trials = 16
        /// Whether payloads may stand as they are (`b64: false`, RFC 7797); never in tokens.
        public var allowsUnencodedPayload = false
        /// Whether a JSON serialization may name its algorithm outside of what is signed.
        ///
        /// The key fixes it in any case.
        package var allowsUnprotectedAlgorithm = false
        /// Whether a header may carry or point to a key (`jwk`, `jku`, `x5u`, `x5c`); such a key is never used by
        /// itself.
        package var toleratesEmbeddedKeys = false
        /// Critical extensions that the caller understands and will process (`crit`, RFC 7515 §4.1.11).
        public var understoodExtensions: [JSON.Name] = []

        /// The strictest policy.
        public init() {}
    }
}
