/// The output of a hash function: a fixed number of bytes that can be indexed, compared in constant time and printed in
/// hexadecimal.
///
/// A hash outside this module supplies `byteCount` and `withSpan` for its digest.
public protocol Digest: RandomAccessCollection, Hashable, Sendable, CustomStringConvertible
where Element == UInt8, Index == Int {
    /// The number of bytes in every digest of this type.
    static var byteCount: Int { get }

    /// Lends the bytes of the digest for the time of the call.
    func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result
}

extension Digest {
    /// The position of the first byte, always zero.
    @inlinable public var startIndex: Int { 0 }

    /// The position after the last byte.
    @inlinable public var endIndex: Int { Self.byteCount }

    /// The byte at a position below `byteCount`.
    @inlinable public subscript(position: Int) -> UInt8 { withSpan { $0[position] } }

    /// The bytes in lower-case hexadecimal.
    public var description: String {
        String(unsafeUninitializedCapacity: 2 * Self.byteCount) { text in
            // Bound: two digits for each of the bytes, whose number the capacity was computed from.
            for index in 0..<Self.byteCount {
                let byte = self[index]
                text.initializeElement(at: 2 * index, to: hexadecimalDigit(byte >> 4))
                text.initializeElement(at: 2 * index + 1, to: hexadecimalDigit(byte & 15))
            }
            return 2 * Self.byteCount
        }
    }

    /// Lends the bytes of the digest for the time of the call; never nil.
    @inlinable public func withContiguousStorageIfAvailable<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try withSpan { bytes throws(Failure) in
            try bytes.withUnsafeBufferPointer { buffer throws(Failure) in try body(buffer) }
        }
    }

    /// Feeds the bytes to a hasher for dictionaries and sets.
    @inlinable public func hash(into hasher: inout Hasher) {
        withSpan { bytes in bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    /// Compares two digests in a time that does not depend on where they differ.
    @inlinable public static func == (one: Self, other: Self) -> Bool {
        one.withSpan { one in other.withSpan { other in constantTimeEquals(one, other) } }
    }
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
}
