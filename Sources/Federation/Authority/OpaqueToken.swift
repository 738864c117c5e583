internal import OAuth2Grants
internal import PureCrypto
internal import TokenTree
internal import Wire

/// A secret text that leads to a record: the record's name, a dot, and 256 random bits, of which the record keeps the
/// hash.
///
/// Codes and plain access tokens are made so. The one dot tells them from what is signed, which has two.
struct OpaqueToken: Sendable {
    let id: TokenID
    let text: String
    let hash: Fingerprint

    init(for id: TokenID, using entropy: inout some RandomNumberGenerator) {
        self.init(for: id, entropy.bytes(32))
    }

    /// A token whose secret follows from something else, so that it can be made again for who lost it.
    init(for id: TokenID, following words: String, under key: HMAC<SHA256>.PreparedKey) {
        self.init(for: id, [UInt8](key.authenticationCode(for: Array("opaque token: \(words)".utf8))))
    }

    private init(for id: TokenID, _ bytes: [UInt8]) {
        let secret = Base64URL.encode(bytes)
        self.id = id
        text = id.text + "." + secret
        hash = Fingerprint(of: secret.utf8)
    }

    /// Takes a text apart that somebody presents; one with more dots than one is something else.
    init?(presented text: String) {
        let bytes = Array(text.utf8)
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        let secret = bytes[(dot + 1)...]
        guard !secret.contains(UInt8(ascii: ".")), let id = try? TokenID(parsing: bytes[..<dot]) else { return nil }
        self.id = id
        self.text = text
        hash = Fingerprint(of: secret)
    }

    /// Whether this is the secret that a record keeps the hash of, in a member of its attributes.
    func opens(_ record: some Presentable, by member: JSON.Name = Self.member) -> Bool {
        guard let kept = record.attributes[member]?.string, let bytes = try? Base64URL.decode(kept) else {
            return false
        }
        // Fingerprints are compared in constant time.
        return Fingerprint(bytes: bytes) == hash
    }

    /// Whether there is a secret that leads to a record.
    static func opensAny(_ record: some Presentable) -> Bool { record.attributes[member]?.string != nil }

    /// The member of a record's attributes that keeps the hash.
    static let member: JSON.Name = "secret"

    /// What the record keeps.
    var kept: JSON { .string(Base64URL.encode(hash.bytes)) }
}

extension OpaqueToken: CustomStringConvertible, CustomReflectable {
    /// Which record it leads to.
    var description: String { "OpaqueToken(\(id), redacted)" }

    /// Nothing to look into: a dump ends up in logs as well.
    var customMirror: Mirror { Mirror(self, children: []) }
}
