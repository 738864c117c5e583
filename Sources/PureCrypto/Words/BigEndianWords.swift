extension FourWords {
    /// The words whose bytes are those of this number in reverse.
    @inline(__always)
    var byteReversed: FourWords {
        FourWords(w3.byteSwapped, w2.byteSwapped, w1.byteSwapped, w0.byteSwapped)
    }

    /// Reads 32 bytes, the most significant first, that begin at an offset.
    ///
    /// Bound: as for `init(_:at:)`.
    @inline(__always)
    init(bigEndian bytes: Span<UInt8>, at offset: Int = 0) {
        self = FourWords(bytes, at: offset).byteReversed
    }

    /// Reads the leftmost 256 bits of a big-endian number of any length: `bits2int` of RFC 6979 for orders of 256 bits.
    init(leftmost bytes: Span<UInt8>) {
        if bytes.count >= FourWords.byteCount {
            self.init(bigEndian: bytes)
            return
        }
        self = .zero
        for index in bytes.indices {
            self = FourWords(
                w0 &<< 8 | UInt64(bytes[index]), w1 &<< 8 | w0 &>> 56, w2 &<< 8 | w1 &>> 56, w3 &<< 8 | w2 &>> 56)
        }
    }

    /// All ones where every word is zero, zero where one is not.
    @inline(__always)
    var isZeroMask: UInt64 {
        let any = w0 | w1 | w2 | w3
        return ((any | (0 &- any)) &>> 63) &- 1
    }
}

/// Gives away one secret bit: the verdict on a number that everybody may know, although it was computed from secrets.
///
/// A loop or an error that depends on a secret goes through this function, and nothing else does; memcheck is told so
/// in `.ci/public-verdicts`. The table makes the bit known to the caller by an address, so that its own branches do not
/// count as secret any more.
@inline(never)
func publicVerdict(_ mask: UInt64) -> Bool {
    verdicts.withUnsafeBufferPointer { $0[Int(truncatingIfNeeded: mask & 1)] }
}

private let verdicts = [false, true]
