/// What a receiver demands of proofs of possession, be they request tokens or DPoP proofs.
public struct ProofPolicy: Hashable, Sendable {
    /// How long before or after now a proof may have been made.
    ///
    /// Each proof's name has to be remembered until this long after it was made.
    public var window: Duration = .seconds(60)
    /// Whether a request token may leave its type out, or name just `JWT`, as deployed apps do.
    public var acceptsUntyped = true
    /// Whether DPoP proofs are taken beside request tokens.
    public var acceptsDPoP = true
    /// The nonce that DPoP proofs must bear, where the server has given one out (RFC 9449 §8).
    public var nonce: String?

    /// The standard policy.
    public init() {}

    /// Whether both demand the same; nonces are compared byte by byte.
    public static func == (one: Self, other: Self) -> Bool {
        let isSameNonce =
            switch (one.nonce, other.nonce) {
            case (nil, nil): true
            case (let nonce?, let other?): nonce.utf8.elementsEqual(other.utf8)
            default: false
            }
        return isSameNonce && one.window == other.window && one.acceptsUntyped == other.acceptsUntyped
            && one.acceptsDPoP == other.acceptsDPoP
    }

    /// Feeds the window.
    public func hash(into hasher: inout Hasher) { hasher.combine(window) }
}
