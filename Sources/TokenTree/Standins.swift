internal import PureCrypto

// A stand-in until PureCrypto brings it.
enum HMAC<Hash> {
    static func authenticationCode(for message: some Collection<UInt8>, using key: [UInt8]) -> SHA256Digest {
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        let inner = SHA256.hash(data: padded.map { $0 ^ 0x36 } + message)
        return SHA256.hash(data: padded.map { $0 ^ 0x5c } + inner)
    }
}
