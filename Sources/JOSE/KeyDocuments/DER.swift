/// The distinguished encoding rules (X.690) as far as keys and signatures need them: each value has one encoding, and
/// every other is refused.
enum DER {
    /// The tags that occur in keys and signatures.
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case null = 0x05
        case objectIdentifier = 0x06
        case sequence = 0x30
        case set = 0x31
        /// `[0]`, constructed: the attributes of a OneAsymmetricKey, the parameters of an ECPrivateKey.
        case zero = 0xa0
        /// `[1]`, primitive: the public key of a OneAsymmetricKey, implicitly a bit string.
        case publicKey = 0x81
        /// `[1]`, constructed: the public key of an ECPrivateKey, with a bit string inside.
        case publicKeyInside = 0xa1
    }

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

        /// A length in its shortest form; two bytes of it are more than any key here needs.
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

        /// The bytes of the next value, an integer that is not negative, in its shortest form: without the byte that
        /// keeps its sign, zero as one byte.
        mutating func natural() throws(JWK.Rejection) -> ArraySlice<UInt8> {
            let start = at
            let content = try content(.integer)
            guard let first = content.first, first < 0x80 else { throw .malformedInteger(offset: start) }
            guard first == 0, content.count > 1 else { return content }
            let magnitude = content.dropFirst()
            guard let second = magnitude.first, second >= 0x80 else { throw .malformedInteger(offset: start) }
            return magnitude
        }

        /// The bytes of a bit string or of what implicitly is one: whole bytes, so no bits are unused.
        mutating func bits(_ tag: Tag) throws(JWK.Rejection) -> ArraySlice<UInt8> {
            let bits = try content(tag)
            guard bits.first == 0 else { throw bits.isEmpty ? .truncated : .unusedBits }
            return bits.dropFirst()
        }

        /// Ends the reading; nothing may be left.
        func finish() throws(JWK.Rejection) {
            guard at == bytes.endIndex else { throw .trailingBytes(offset: at) }
        }
    }

    /// A value of these contents, most of them encoded values; the contents of a key stay below 64 KiB.
    static func value(_ tag: Tag, _ contents: [UInt8]...) -> [UInt8] {
        let content = contents.flatMap { $0 }
        let length = content.count
        let bytes = [UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
        let prefix: [UInt8] =
            switch length {
            case ..<0x80: [bytes[1]]
            case ..<0x100: [0x81, bytes[1]]
            default: [0x82] + bytes
            }
        return [tag.rawValue] + prefix + content
    }

    /// An integer of these big-endian bytes, of which the first is not zero unless it is the only one.
    static func natural(_ magnitude: some Collection<UInt8>) -> [UInt8] {
        let first = magnitude.first ?? 0
        return value(.integer, (first < 0x80 ? [] : [0]) + Array(magnitude))
    }
}
