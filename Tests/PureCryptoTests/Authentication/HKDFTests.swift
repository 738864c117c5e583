import PureCrypto
import TestSupport
import Testing

@Suite("HKDF, RFC 5869")
struct HKDFTests {
    private func bytes(_ key: SymmetricKey?) -> [UInt8]? { key?.withSpan { span in span.indices.map { span[$0] } } }

    @Test("Appendix A.1")
    func example() {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: [UInt8](repeating: 0x0b, count: 22)), salt: [UInt8](0x00...0x0c),
            info: [UInt8](0xf0...0xf9), outputByteCount: 42)
        #expect(
            bytes(key)
                == [UInt8](
                    hex: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    }

    @Test("Appendix A.3: neither salt nor purpose")
    func bare() {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: [UInt8](repeating: 0x0b, count: 22)), outputByteCount: 42)
        #expect(
            bytes(key)
                == [UInt8](
                    hex: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    }

    @Test("As much as there is, and no more")
    func limits() {
        let secret = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
        for count in [0, 1, 255 * 64] {
            let key = HKDF<SHA512>.deriveKey(inputKeyMaterial: secret, outputByteCount: count)
            #expect(key?.bitCount == 8 * count)
        }
        #expect(HKDF<SHA512>.deriveKey(inputKeyMaterial: secret, outputByteCount: 255 * 64 + 1) == nil)
        #expect(HKDF<SHA512>.deriveKey(inputKeyMaterial: secret, outputByteCount: -1) == nil)
    }
}
