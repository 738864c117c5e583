internal import Wire

/// What a receiver demands of proofs of possession, be they request tokens or DPoP proofs.
public struct ProofPolicy: Sendable {
    /// How long before or after now a proof may have been made, the last instant included.
    ///
    /// Each proof's name has to be remembered for longer than this after it was made.
    public var window: Duration = .seconds(60)
    /// Whether a request token may leave its type out, or name just `JWT`, as deployed apps do.
    public var acceptsUntyped = true
    /// Whether DPoP proofs are taken beside request tokens.
    public var acceptsDPoP = true
    /// The nonce that DPoP proofs must bear, where the server has given one out (RFC 9449 §8).
    public var nonce: String?

    /// The standard policy.
    public init() {}

    /// When a proof is refused for its age for certain, so that its name can be forgotten: a second, the unit of times,
    /// after its last instant.
    func end(ofProofMadeAt time: Timestamp) -> Timestamp { time + window + .seconds(1) }
}
