/// Keys that follow from a secret, RFC 5869: by HMAC over any hash function.
public enum HKDF<H: HashFunction> {
    /// The most bytes that follow from one secret for one purpose.
    public static var outputLimit: Int { 255 * H.byteCount }

    /// A key for one purpose; `nil` if it is longer than ``outputLimit``.
    ///
    /// - Parameter secret: what the key follows from; of any length, and not necessarily uniform.
    /// - Parameter salt: what need not be secret, and makes the same secret give other keys elsewhere.
    /// - Parameter info: the purpose.
    public static func deriveKey(
        inputKeyMaterial secret: SymmetricKey, salt: some Collection<UInt8> = [], info: some Collection<UInt8> = [],
        outputByteCount: Int
    ) -> SymmetricKey? {
        guard 0...outputLimit ~= outputByteCount else { return nil }
        let extracted = secret.withSpan { secret in
            HMAC<H>.authenticationCode(for: secret, using: SymmetricKey(data: salt))
        }
        let key = HMAC<H>.PreparedKey(extracted.withSpan { SymmetricKey(data: $0) })
        var (output, last): ([UInt8], [UInt8]) = ([], [])
        output.reserveCapacity(outputByteCount + H.byteCount)
        // Bound: at most 255 rounds, so that their number is one byte.
        for round in 1...max(1, (outputByteCount + H.byteCount - 1) / H.byteCount) {
            var code = HMAC<H>(key: key)
            code.update(data: last)
            code.update(data: info)
            code.update(data: CollectionOfOne(UInt8(round)))
            last = [UInt8](code.finalize())
            output += last
        }
        defer {
            output.withUnsafeMutableBytes { erase($0) }
            last.withUnsafeMutableBytes { erase($0) }
        }
        return SymmetricKey(data: output.prefix(outputByteCount))
    }
}
