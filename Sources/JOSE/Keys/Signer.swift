/// Something of the embedder's that signs: another algorithm, or a key that never leaves its hardware.
public protocol Signer: Sendable {
    /// Why no signature came about.
    associatedtype Failure: Error

    /// The signature over these bytes, in the form that the algorithm's JOSE registration gives it.
    func signature(for message: Span<UInt8>) throws(Failure) -> [UInt8]
}

/// Something of the embedder's that checks signatures: another algorithm, or another implementation of one.
public protocol Verifier: Sendable {
    /// Whether this is a signature over these bytes; whatever is wrong with it is a plain no.
    func isValid(_ signature: Span<UInt8>, for message: Span<UInt8>) -> Bool
}
