// Borrowed bytes go into arrays and hashes all at once, not one by one.

extension [UInt8] {
    /// Appends a copy of borrowed bytes.
    @inlinable
    package mutating func append(contentsOf bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}

extension Hasher {
    /// Feeds borrowed bytes into the hash.
    @inlinable
    package mutating func combine(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { combine(bytes: $0) }
    }
}
