/// What is to be signed, for whoever has the key: a secure element that asks the person, a security module, a service.
///
/// The bytes are fixed before anybody signs, so the signature can come later and from elsewhere (KEY-20). The same
/// request always gets the same signature, or one that is as good.
public struct SignatureRequest: Hashable, Sendable {
    /// The public half of the key that is to sign, by which its host finds the other one.
    public let publicKey: JWK
    /// The algorithm, which the key fixes.
    public let algorithm: Algorithm
    /// The bytes to be signed: the algorithm's hash over them is the signer's to compute.
    public let message: [UInt8]
}

/// Signatures that came from elsewhere, each by what it signs.
public struct Signatures: Sendable {
    private var values: [SignatureRequest: [UInt8]] = [:]

    /// No signature.
    public static let none = Signatures()

    /// Begins without any.
    public init() {}

    /// Takes a signature in the form that its algorithm's JOSE registration gives it, if it is one.
    public mutating func add(_ signature: [UInt8], for request: SignatureRequest) throws(SigningKey.Rejection) {
        guard let key = try? VerificationKey(request.publicKey),
            key.isValid(signature.span, for: request.message.span, under: request.algorithm)
        else { throw .wrongSignature }
        values[request] = signature
    }

    /// The signature for a request, or a rejection that says what is awaited.
    subscript(request: SignatureRequest) -> [UInt8] {
        get throws(SigningKey.Rejection) {
            guard let signature = values[request] else { throw .awaited(request) }
            return signature
        }
    }
}
