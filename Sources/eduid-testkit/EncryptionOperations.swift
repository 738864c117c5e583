import PureCrypto
import Wire

extension Operation {
    /// Authenticated encryption, and keys that follow from secrets.
    static let encryption = [
        Operation("aead-open") { input in
            guard try input.text("alg") == "chacha20_poly1305" else { return ["unsupported": true] }
            let key = SymmetricKey(data: try input.bytes("key"))
            let sealed = try input.bytes("ct") + input.bytes("tag")
            let (nonce, text) = (try input.bytes("iv"), try input.bytes("aad"))
            guard let message = try? ChaChaPoly.open(sealed, using: key, nonce: nonce, authenticating: text) else {
                return false
            }
            return ["ok": true, "msg": .string(Hex.encode(message))]
        },
        Operation("hkdf") { input in
            let (secret, salt, info) = (try input.bytes("ikm"), try input.bytes("salt"), try input.bytes("info"))
            let size = try input.count("size", in: 0...1 << 20, otherwise: 32)
            guard let key = derived(try input.hash, SymmetricKey(data: secret), salt, info, size) else { return false }
            return ["ok": true, "okm": .string(Hex.encode(key.withSpan { span in (0..<span.count).map { span[$0] } }))]
        },
        Operation("pbkdf2") { input in
            let (password, salt) = (try input.bytes("password"), try input.bytes("salt"))
            let rounds = try input.count("iterations", in: 0...1 << 24)
            let size = try input.count("size", in: 0...1 << 20)
            guard let key = stretched(try input.hash, SymmetricKey(data: password), salt, rounds, size) else {
                return false
            }
            return ["ok": true, "dk": .string(Hex.encode(key.withSpan { span in (0..<span.count).map { span[$0] } }))]
        },
    ]

    private static func stretched<Hash: HashFunction>(
        _: Hash.Type, _ password: SymmetricKey, _ salt: [UInt8], _ rounds: Int, _ size: Int
    ) -> SymmetricKey? {
        PBKDF2<Hash>.deriveKey(password: password, salt: salt, rounds: rounds, outputByteCount: size)
    }

    private static func derived<Hash: HashFunction>(
        _: Hash.Type, _ secret: SymmetricKey, _ salt: [UInt8], _ info: [UInt8], _ size: Int
    ) -> SymmetricKey? {
        HKDF<Hash>.deriveKey(inputKeyMaterial: secret, salt: salt, info: info, outputByteCount: size)
    }
}
