public import Wire

/// Signed content (RFC 7515).
///
/// What was received is ``Unverified``; only a key turns it into ``Verified``.
public enum JWS {}

extension JWS {
    /// What a reader takes on.
    ///
    /// The defaults fit tokens; every relaxation is spelled out by whoever needs it.
    public struct Policy: Sendable {
        /// The most bytes of a compact serialization.
        public var size = 16 << 10
        /// The most bytes of a JSON serialization, and of a detached payload.
        public var contentSize = 1 << 20
        /// The most signatures of a JSON serialization.
        public var signatures = 8
        /// The most keys that a signature without an unambiguous key name is tried with.
        public var trials = 16
        /// Whether payloads may stand as they are (`b64: false`, RFC 7797); never in tokens.
        public var allowsUnencodedPayload = false
        /// Whether a JSON serialization may name its algorithm outside of what is signed.
        ///
        /// The key fixes it in any case.
        public var allowsUnprotectedAlgorithm = false
        /// Whether a header may carry or point to a key (`jwk`, `jku`, `x5u`, `x5c`); such a key is never used by
        /// itself.
        public var toleratesEmbeddedKeys = false
        /// Critical extensions that the caller understands and will process (`crit`, RFC 7515 §4.1.11).
        public var understoodExtensions: [JSON.Name] = []

        /// The strictest policy.
        public init() {}
    }
}
