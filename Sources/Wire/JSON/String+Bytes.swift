extension String {
    /// Calls with the UTF-8 bytes, which end with the call, without taking hold of the string.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? withCopiedBytes(body)
    }

    /// Serves strings that are not stored as UTF-8, as those from Objective-C may be.
    @inline(never)
    private func withCopiedBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var copy = self
        return copy.withUTF8(body)
    }

    /// Whether both consist of the same UTF-8 bytes; `==` would compare up to canonical equivalence.
    func hasSameBytes(as other: String) -> Bool {
        withBytes { left in
            other.withBytes { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
                return Bytes.equal(first, second, count: left.count)
            }
        }
    }

    /// Feeds the UTF-8 bytes and their count.
    func hashBytes(into hasher: inout Hasher) {
        withBytes { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            hasher.combine(bytes.count)
        }
    }
}
