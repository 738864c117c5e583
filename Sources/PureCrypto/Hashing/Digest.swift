/// The output of a hash function: a fixed number of bytes that can be indexed, compared in constant time and printed in hexadecimal.
///
/// A hash outside this module needs to supply only `byteCount` and the subscript for its digest.
public protocol Digest: RandomAccessCollection, Hashable, Sendable, CustomStringConvertible where Element == UInt8, Index == Int {
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

    /// The bytes in lower-case hexadecimal.
    public var description: String {
        var text = ""
        text.reserveCapacity(2 * Self.byteCount)
        for byte in self {
            text.append(hexadecimalDigit(byte >> 4))
            text.append(hexadecimalDigit(byte & 15))
        }
        return text
    }

    /// Lends a copy of the bytes for the time of the call.
    @inlinable public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try body([UInt8](self).span)
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

private func hexadecimalDigit(_ value: UInt8) -> Character {
    Character(Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10))
}
