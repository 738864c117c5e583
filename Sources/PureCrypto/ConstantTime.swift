/// Compares two runs of bytes in a time that depends on their lengths only.
///
/// The lengths count as public. Whoever compares a secret of fixed length gets no answer about its content from the duration.
public func constantTimeEquals(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    return one.withUnsafeBytes { one in other.withUnsafeBytes { other in accumulatedDifference(one, other) == 0 } }
}

/// Compares two collections of bytes in a time that depends on their lengths only.
///
/// The lengths count as public. Whoever compares a secret of fixed length gets no answer about its content from the duration.
public func constantTimeEquals(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for (left, right) in zip(one, other) { difference |= left ^ right }
    return difference == 0
}

/// Zero exactly if both runs hold the same bytes.
///
/// Never inlined: the optimizer cannot see that callers only ask whether the result is zero, so it has no ground to stop at the first difference.
/// Bound: both buffers have the same count, which the callers have checked.
@inline(never)
func accumulatedDifference(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> UInt8 {
    var difference: UInt8 = 0
    for index in 0..<min(one.count, other.count) { difference |= one[index] ^ other[index] }
    return difference
}
