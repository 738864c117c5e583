import PureCrypto

/// What the public keys of the three curves have in common, so that each rule stands once.
protocol CurvePublicKey: Hashable, Sendable {
    static var curve: ECDSACurve { get }

    init(x: some Collection<UInt8>, y: some Collection<UInt8>) throws(ECDSARejection)
    init(x963Representation bytes: some Collection<UInt8>) throws(ECDSARejection)
    init(compressedRepresentation bytes: some Collection<UInt8>) throws(ECDSARejection)

    var x963Representation: [UInt8] { get }

    func isValidSignature(_ signature: Span<UInt8>, for data: Span<UInt8>) -> Bool
}

/// What the private keys of the three curves have in common.
protocol CurvePrivateKey: Sendable {
    associatedtype PublicKey: CurvePublicKey

    init(rawRepresentation bytes: some Collection<UInt8>) throws(ECDSARejection)

    var rawRepresentation: [UInt8] { get }
    var publicKey: PublicKey { get }

    /// The signature as R‖S.
    func signatureBytes(over message: Span<UInt8>) -> [UInt8]
}

extension CurvePublicKey {
    var x: ArraySlice<UInt8> { x963Representation[1...].prefix(Self.curve.coordinateLength) }
    var y: ArraySlice<UInt8> { x963Representation.suffix(Self.curve.coordinateLength) }
}

extension CurvePrivateKey {
    var curve: ECDSACurve { PublicKey.curve }
}

extension P256.Signing.PublicKey: CurvePublicKey {
    static var curve: ECDSACurve { .p256 }
}

extension P384.Signing.PublicKey: CurvePublicKey {
    static var curve: ECDSACurve { .p384 }
}

extension P521.Signing.PublicKey: CurvePublicKey {
    static var curve: ECDSACurve { .p521 }
}

extension P256.Signing.PrivateKey: CurvePrivateKey {
    func signatureBytes(over message: Span<UInt8>) -> [UInt8] { [UInt8](signature(for: message)) }
}

extension P384.Signing.PrivateKey: CurvePrivateKey {
    func signatureBytes(over message: Span<UInt8>) -> [UInt8] { signature(for: message) }
}

extension P521.Signing.PrivateKey: CurvePrivateKey {
    func signatureBytes(over message: Span<UInt8>) -> [UInt8] { signature(for: message) }
}
