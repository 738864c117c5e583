/// Keys that follow from a password, RFC 8018 §5.2: by HMAC over any hash function, so often that guessing is dear.
///
/// How often is usually told by whoever sends the text that the key opens; it decides how long the derivation takes.
/// What comes from outside is compared with a limit of its own before it is handed on: ``roundLimit`` only ends what
/// nobody can mean.
public enum PBKDF2<H: HashFunction> {
    /// The most bytes that follow from one password and salt: far fewer than the standard allows, since each block
    /// costs all rounds again.
    @inlinable public static var outputLimit: Int { 255 * H.byteCount }

    /// The most rounds for one block.
    @inlinable public static var roundLimit: Int { 10_000_000 }

    /// A key of at least one byte; `nil` if it is longer than ``outputLimit``, or the rounds are fewer than one or more
    /// than ``roundLimit``.
    ///
    /// - Parameter password: what the key follows from; of any length.
    /// - Parameter salt: what need not be secret, and makes the same password give other keys elsewhere.
    /// - Parameter rounds: the iteration count of the standard.
    @inlinable
    public static func deriveKey(
        password: SymmetricKey, salt: some Collection<UInt8>, rounds: Int, outputByteCount: Int
    ) -> SymmetricKey? {
        guard 1...outputLimit ~= outputByteCount, 1...roundLimit ~= rounds else { return nil }
        let start = HMAC<H>(key: password)
        var salted = start
        salted.update(data: salt)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: outputByteCount) { output in
            output.initialize(repeating: 0)
            for offset in stride(from: 0, to: outputByteCount, by: H.byteCount) {
                // Bound: the limit of the output keeps the number of a block below 256.
                let number = UInt8(offset / H.byteCount + 1)
                var code = salted
                code.update(data: [0, 0, 0, number].span)
                let end = min(offset + H.byteCount, outputByteCount)
                fill(UnsafeMutableBufferPointer(rebasing: output[offset..<end]), code.finalize(), start, rounds)
            }
            defer { erase(UnsafeMutableRawBufferPointer(output)) }
            return SymmetricKey(data: UnsafeBufferPointer(output).span)
        }
    }

    /// Adds up the codes of one block, each that of the one before it, the first one given.
    ///
    /// Bound: the block is no longer than a code, and zero.
    @inlinable
    static func fill(
        _ block: UnsafeMutableBufferPointer<UInt8>, _ first: HMAC<H>.MAC, _ start: HMAC<H>, _ rounds: Int
    ) {
        var last = first
        var round = 1
        while true {
            last.withSpan { last in
                for index in block.indices { block[index] ^= last[index] }
            }
            guard round < rounds else { return }
            round += 1
            var code = start
            last.withSpan { code.update(data: $0) }
            last = code.finalize()
        }
    }
}
