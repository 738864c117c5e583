extension RSA.Signing {
    /// A key that signatures are checked with: an odd modulus of 2,048 to 8,192 bits and an odd exponent from 3 to 2³²
    /// − 1.
    public struct PublicKey: Hashable, Sendable {
        private let number: PublicModulus
        private let power: UInt32

        /// Takes the two numbers, most significant byte first and without leading zeros, or says which rule they break.
        public init(modulus: some Collection<UInt8>, exponent: some Collection<UInt8>) throws(Rejection) {
            let bitCount = try modulus.significantBitCount()
            if bitCount < 2048 { throw .modulusTooShort(bits: bitCount) }
            if bitCount > 8192 { throw .modulusTooLong(bits: bitCount) }
            let exponentBitCount = try exponent.significantBitCount()
            if exponentBitCount > 32 { throw .exponentTooLarge }

            let bytes = [UInt8](modulus)
            guard let last = bytes.last, last & 1 == 1 else { throw .evenModulus }
            power = exponent.reduce(0) { $0 << 8 | UInt32($1) }
            if power < 2 { throw .exponentTooSmall }
            if power & 1 == 0 { throw .evenExponent }
            number = PublicModulus(bytes.span, bitCount: bitCount)
        }

        /// The modulus, most significant byte first.
        public var modulus: [UInt8] { number.bytes }

        /// The exponent, most significant byte first and without leading zeros.
        public var exponent: [UInt8] {
            (0..<4).reversed().map { UInt8(truncatingIfNeeded: power >> (8 * $0)) }.drop { $0 == 0 } + []
        }

        /// Whether the signature is one over these bytes by this key, in this padding with this hash; anything but a
        /// number below the modulus, in as many bytes as the modulus has, is none.
        public func isValidSignature(
            _ signature: Span<UInt8>, for data: Span<UInt8>, padding: Padding, hash: Hash
        ) -> Bool {
            switch hash {
            case .sha256: isValidSignature(signature, for: SHA256.hash(data: data), padding, SHA256.self)
            case .sha384: isValidSignature(signature, for: SHA384.hash(data: data), padding, SHA384.self)
            case .sha512: isValidSignature(signature, for: SHA512.hash(data: data), padding, SHA512.self)
            }
        }

        /// Whether the signature is one over these bytes by this key, in this padding with this hash; anything but a
        /// number below the modulus, in as many bytes as the modulus has, is none.
        public func isValidSignature(
            _ signature: some Collection<UInt8>, for data: some Collection<UInt8>, padding: Padding, hash: Hash
        ) -> Bool {
            withBytes(of: signature) { signature in
                withBytes(of: data) { data in isValidSignature(signature, for: data, padding: padding, hash: hash) }
            }
        }

        private func isValidSignature<H: NumberedHash>(
            _ signature: Span<UInt8>, for digest: H.Digest, _ padding: Padding, _: H.Type
        ) -> Bool {
            guard signature.count == number.byteCount else { return false }
            return digest.withSpan { digest in
                number.withPower(of: signature, exponent: power) { message in
                    switch padding {
                    case .pkcs1v15: PKCS1Encoding<H>.isEncoding(message, of: digest)
                    case .pss: PSSEncoding<H>.isEncoding(message, of: digest, bitCount: number.bitCount - 1)
                    }
                } ?? false
            }
        }
    }
}

extension Collection<UInt8> {
    /// The length of the number that these bytes are, most significant byte first.
    fileprivate func significantBitCount() throws(RSA.Signing.Rejection) -> Int {
        guard let first else { return 0 }
        if first == 0 { throw .leadingZero }
        return 8 * count - first.leadingZeroBitCount
    }
}
