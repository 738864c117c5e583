/// The distinguished encoding rules (X.690) as far as keys need them: each value has one encoding, and every other is
/// refused.
enum DER {
    /// The tags that occur in keys.
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case objectIdentifier = 0x06
        case sequence = 0x30
        /// `[0]`, constructed: the attributes of a private key.
        case attributes = 0xa0
        /// `[1]`, primitive: the public key beside a private one.
        case publicKey = 0x81
    }

    /// id-Ed25519, 1.3.101.112 (RFC 8410 §3).
    static let ed25519: [UInt8] = [0x2b, 0x65, 0x70]

    /// Reads values one after the other; whoever reads ends with ``finish()``.
    struct Reader {
        private let bytes: ArraySlice<UInt8>
        private var at: Int

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            at = bytes.startIndex
        }

        /// Whether the next value has this tag.
        func sees(_ tag: Tag) -> Bool { at < bytes.endIndex && bytes[at] == tag.rawValue }

        /// The content of the next value, which must have this tag.
        mutating func content(_ tag: Tag) throws(JWK.Rejection) -> ArraySlice<UInt8> {
            guard at < bytes.endIndex else { throw .truncated }
            guard bytes[at] == tag.rawValue else {
                throw .unexpectedTag(offset: at, expected: tag.rawValue, found: bytes[at])
            }
            at += 1
            let length = try length()
            guard length <= bytes.endIndex - at else { throw .truncated }
            defer { at += length }
            return bytes[at..<at + length]
        }

        /// A length in its shortest form; two bytes of it are more than any key of this curve needs.
        private mutating func length() throws(JWK.Rejection) -> Int {
            guard at < bytes.endIndex else { throw .truncated }
            let first = bytes[at]
            at += 1
            if first < 0x80 { return Int(first) }
            let count = Int(first & 0x7f)
            guard 1...2 ~= count else { throw .unreasonableLength(offset: at - 1) }
            guard bytes.endIndex - at >= count else { throw .truncated }
            let length = bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
            guard length >= (count == 1 ? 0x80 : 0x100) else { throw .unreasonableLength(offset: at - 1) }
            at += count
            return length
        }

        /// Ends the reading; nothing may be left.
        func finish() throws(JWK.Rejection) {
            guard at == bytes.endIndex else { throw .trailingBytes(offset: at) }
        }
    }

    /// A value of these contents, each of them an encoded value; the contents of a key stay below 128 bytes.
    static func value(_ tag: Tag, _ contents: [UInt8]...) -> [UInt8] {
        let content = contents.flatMap { $0 }
        return [tag.rawValue, UInt8(truncatingIfNeeded: content.count)] + content
    }

    /// AlgorithmIdentifier of Ed25519; RFC 8410 §3 demands that it has no parameters.
    static let algorithm = value(.sequence, value(.objectIdentifier, ed25519))
}

extension DER.Reader {
    /// Reads the AlgorithmIdentifier of Ed25519.
    mutating func ed25519() throws(JWK.Rejection) {
        var algorithm = DER.Reader(try content(.sequence))
        guard try algorithm.content(.objectIdentifier).elementsEqual(DER.ed25519) else { throw .otherKeyAlgorithm }
        try algorithm.finish()
    }
}
