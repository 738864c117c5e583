/// What protects a serialized state against readers and writers other than the app: encryption that notices changes, by
/// a key of the host's.
///
/// Sealing cannot fail; a host whose key may be out of reach seals the serialized text itself, outside of this module.
public struct Seal: Sendable {
    package let seal: @Sendable (_ bytes: [UInt8]) -> [UInt8]
    package let open: @Sendable (_ bytes: [UInt8]) -> [UInt8]?

    /// Joins the way in and the way out.
    ///
    /// - Parameter seal: encrypts and authenticates, for instance with AES-GCM and a key from the system's key store.
    /// - Parameter open: gives back what was sealed, or `nil` if a single bit of it was changed.
    public init(
        seal: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8],
        open: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8]?
    ) {
        self.seal = seal
        self.open = open
    }
}
