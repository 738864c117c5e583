extension P256.Signing {
    /// The 64 bytes of a signature, r and s in big-endian order, as a collection that needs no memory of its own.
    public struct Signature: RandomAccessCollection, Hashable, Sendable {
        /// The bytes of r and s, read as little-endian words.
        private let r, s: FourWords

        init(r: P256.Scalar, s: P256.Scalar) {
            (self.r, self.s) = (r.words.byteReversed, s.words.byteReversed)
        }

        /// The position of the first byte, always zero.
        public var startIndex: Int { 0 }

        /// The position after the last byte, always 64.
        public var endIndex: Int { 64 }

        /// The byte at a position below 64.
        public subscript(position: Int) -> UInt8 {
            precondition(indices.contains(position), "a signature has 64 bytes")
            return position < 32 ? r[position] : s[position - 32]
        }

        /// Lends the bytes for the time of the call.
        public func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure)
            -> Result
        {
            try withUnsafeBytes(of: (r.littleEndian, s.littleEndian)) { bytes throws(Failure) in
                try body(bytes.bindMemory(to: UInt8.self).span)
            }
        }

        /// Lends the bytes for the time of the call; never nil.
        public func withContiguousStorageIfAvailable<Result, Failure: Error>(
            _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
        ) throws(Failure) -> Result? {
            try withUnsafeBytes(of: (r.littleEndian, s.littleEndian)) { bytes throws(Failure) in
                try body(bytes.bindMemory(to: UInt8.self))
            }
        }
    }
}
