/// Compares two runs of bytes in a time that depends on their lengths only.
///
/// The lengths count as public. Whoever measures the comparison with a secret of known length learns nothing about its
/// content.
@inlinable
public func constantTimeEquals(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    return one.withUnsafeBufferPointer { one in
        other.withUnsafeBufferPointer { other in
            guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
            return accumulatedDifference(start, otherStart, count: one.count) == 0
        }
    }
}

/// Compares a run of bytes with a collection in a time that depends on their lengths only.
@inlinable
public func constantTimeEquals(_ one: Span<UInt8>, _ other: some Collection<UInt8>) -> Bool {
    if let verdict = other.withContiguousStorageIfAvailable({ constantTimeEquals(one, $0.span) }) { return verdict }
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for (index, byte) in zip(one.indices, other) { difference |= one[index] ^ byte }
    return isZero(difference)
}

/// Compares two collections of bytes in a time that depends on their lengths only.
@inlinable
public func constantTimeEquals(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
    if let verdict = one.withContiguousStorageIfAvailable({ constantTimeEquals($0.span, other) }) { return verdict }
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for (left, right) in zip(one, other) { difference |= left ^ right }
    return isZero(difference)
}

// The two functions below are never inlined. A caller that saw into them would only ask whether anything differs at
// all, and the optimizer would then have the right to stop at the first difference. It does not do so today; this keeps
// it from learning.

/// Zero exactly if both runs hold the same bytes.
///
/// Bound: `count` bytes are readable from both pointers on.
@inline(never) @usableFromInline
func accumulatedDifference(_ one: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, count: Int) -> UInt8 {
    var difference: UInt8 = 0
    for index in 0..<count { difference |= one[index] ^ other[index] }
    return difference
}

@inline(never) @usableFromInline
func isZero(_ difference: UInt8) -> Bool { difference == 0 }
