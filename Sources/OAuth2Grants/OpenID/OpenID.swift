public import JOSE
internal import PureCrypto
public import Wire

/// Sign-in at an OpenID provider, from the side of who relies on it (OpenID Connect Core 1.0, code flow): what is sent
/// to the provider, and what comes back from it.
public enum OpenID {
    /// The algorithms by which a provider may sign what it says (OIC-18); which of them this provider uses is a matter
    /// of its configuration, and never of its tokens.
    public static let algorithms: [Algorithm] = [.rs256, .ps256, .es256, .es384, .es512, .edDSA]

    /// How old what a provider signs may be.
    static let maximumAge: Duration = .seconds(600)
    /// How far a provider's clock may be ahead of ours, or behind it where somebody signed in long ago.
    static let leeway: Duration = .seconds(60)

    /// The name of a session at a provider (`sid`).
    public typealias SessionID = Identifier<SessionKind>

    /// Names a session.
    public enum SessionKind: IdentifierKind {}
}

// MARK: - What goes through the browser and comes back

extension OpenID {
    /// A kind of value that is made by chance for one sign-in, and of which whoever made it keeps only the imprint.
    public protocol Mark: Secret.Kind {}

    /// What ties the provider's answer to the request (`state`).
    public typealias State = Secret.Text<States>
    /// What ties the ID token to the request (`nonce`).
    public typealias Nonce = Secret.Text<Nonces>
    /// What ties the answer to the browser that was sent to the provider.
    public typealias BrowserMark = Secret.Text<BrowserMarks>

    /// The kind of ``State``.
    public enum States: Mark {
        /// What messages call it.
        public static var title: String { "state" }
    }

    /// The kind of ``Nonce``.
    public enum Nonces: Mark {
        /// What messages call it.
        public static var title: String { "nonce" }
    }

    /// The kind of ``BrowserMark``.
    public enum BrowserMarks: Mark {
        /// What messages call it.
        public static var title: String { "browser mark" }
    }

    /// What is kept of a mark: its SHA-256, from which it does not follow.
    public struct Imprint: Hashable, Sendable, CustomStringConvertible {
        /// The digest in Base64url.
        public let text: String

        init(of mark: String) { text = Base64URL.encode([UInt8](SHA256.hash(data: Array(mark.utf8)))) }

        /// The imprint of this text, or `nil` if that is not 32 bytes in Base64url.
        public init?(_ text: String) {
            guard let bytes = try? Base64URL.decode(text), bytes.count == SHA256.byteCount else { return nil }
            self.text = text
        }

        /// Whether a text is the mark that left this imprint.
        func isLeft(by mark: String) -> Bool { constantTimeEquals(Imprint(of: mark).text.utf8, text.utf8) }

        /// The digest.
        public var description: String { text }
    }
}

extension OpenID.Mark {
    /// 256 bits in Base64url.
    public static var lengths: ClosedRange<Int> { 43...43 }
    /// The characters that need no encoding anywhere.
    public static var alphabet: Secret.Alphabet { .unreserved }
}

extension Secret.Text where Of: OpenID.Mark {
    /// A fresh mark of 256 bits.
    public init(using entropy: inout some RandomNumberGenerator) {
        self.init(checked: Base64URL.encode(entropy.bytes(32)))
    }

    /// What is kept of it.
    public var imprint: OpenID.Imprint { OpenID.Imprint(of: secret) }
}
