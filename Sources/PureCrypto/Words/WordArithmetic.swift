/// Double-word arithmetic: the one place that needs `UInt128` (macOS 15, iOS 18).
///
/// Carries live in the high half of a `UInt128`, never in a `Bool`: as `Bool`s they were compiled into jumps that
/// depend on the data.
extension UInt128 {
    /// The word that stays where it is.
    @inline(__always)
    var low: UInt64 { UInt64(truncatingIfNeeded: self) }

    /// The word that is carried into the next place.
    @inline(__always)
    var high: UInt64 { UInt64(truncatingIfNeeded: self &>> 64) }

    /// x + y + k.
    ///
    /// Bound: no overflow, three words are less than 2⁶⁶.
    @inline(__always)
    static func sum(_ x: UInt64, _ y: UInt64, _ k: UInt64 = 0) -> UInt128 {
        UInt128(x) &+ UInt128(y) &+ UInt128(k)
    }

    /// x·y + c + k.
    ///
    /// Bound: no overflow, (2⁶⁴ − 1)² + 2·(2⁶⁴ − 1) = 2¹²⁸ − 1.
    @inline(__always)
    static func product(_ x: UInt64, _ y: UInt64, _ c: UInt64 = 0, _ k: UInt64 = 0) -> UInt128 {
        UInt128(x) &* UInt128(y) &+ UInt128(c) &+ UInt128(k)
    }
}
