internal import PureCrypto
public import Wire

/// Secrets that go over the wire as text, each of a kind with its own rules (RFC 6749 appendix A).
///
/// A kind of secret is declared in a few lines:
///
///     public enum DeviceCodeKind: Secret.Kind { public static var title: String { "device code" } }
///     public typealias DeviceCode = Secret.Text<DeviceCodeKind>
public enum Secret {
    /// The rules of a kind of secret.
    public protocol Kind: Sendable {
        /// What the kind is called in messages.
        static var title: String { get }
        /// How many bytes a secret of this kind may have; one at least.
        static var lengths: ClosedRange<Int> { get }
        /// Of which characters a secret of this kind is made.
        static var alphabet: Alphabet { get }
    }

    /// Of which characters secrets are made.
    public enum Alphabet: Sendable {
        /// Visible ASCII, what machines make.
        case visible
        /// Visible ASCII and the space, what people copy from a device.
        case printable
        /// The unreserved characters of RFC 3986 §2.3.
        case unreserved
        /// Any character but NUL and line ends, what people type.
        case typed
        /// Any character but NUL, what programs hand on.
        case handedOn
    }

    /// A secret of one kind: it was checked, it is compared in constant time, and it is never shown.
    public struct Text<Of: Kind>: Sendable {
        /// The secret itself, to be written into a message or looked up, and nowhere else.
        public let secret: String

        /// Takes what was made here, of the characters that its kind may have.
        init(checked secret: String) { self.secret = secret }
    }
}

extension Secret.Kind {
    /// As long as a token may be.
    public static var lengths: ClosedRange<Int> { 1...16_384 }

    /// What machines make is visible ASCII.
    public static var alphabet: Secret.Alphabet { .visible }

    fileprivate static func check(_ bytes: Span<UInt8>) throws(SyntaxError) {
        let count = bytes.count
        guard count > 0 else { throw .empty(.secret(title)) }
        let lengths = lengths
        guard count <= lengths.upperBound else {
            throw .tooLong(.secret(title), length: count, limit: lengths.upperBound)
        }
        // What is too short lacks the byte after its last.
        guard count >= lengths.lowerBound else { throw .malformed(.secret(title), offset: count) }
        if let offset = alphabet.firstStranger(in: bytes) { throw .foreignCharacter(.secret(title), offset: offset) }
    }
}

extension Secret.Text: Parsable {
    /// Reads a secret: not empty, not too long, and of the characters that its kind may have.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        try Of.check(bytes)
        if let offset = WellFormedUTF8.firstFault(in: bytes) {
            throw .illFormedUTF8(.secret(Of.title), offset: offset)
        }
        secret = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }

    /// Reads a secret from a text, which it keeps.
    public init(parsing text: String) throws(SyntaxError) {
        _ = try Rules(parsing: text)
        secret = text
    }

    /// The rules of a kind, without the text: what reads a text, too, reads it where it lies.
    private struct Rules: Parsable {
        init(parsing bytes: Span<UInt8>) throws(SyntaxError) { try Of.check(bytes) }
    }
}

extension Secret.Text: Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Whether both are the same, in a time that depends on their lengths only.
    public static func == (one: Self, other: Self) -> Bool {
        constantTimeEquals(one.secret.utf8, other.secret.utf8)
    }

    /// What kind of secret it is.
    public var description: String { Of.title + " (redacted)" }

    /// What kind of secret it is: a debugger's output ends up in logs.
    public var debugDescription: String { description }
}

#if !hasFeature(Embedded)
extension Secret.Text: CustomReflectable {
    /// Nothing: what is dumped ends up in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif

extension Secret.Alphabet {
    /// Where the first byte stands that no such secret has.
    fileprivate func firstStranger(in bytes: Span<UInt8>) -> Int? {
        switch self {
        case .visible: bytes.isVisibleASCII ? nil : bytes.indices.first { !(0x21...0x7e ~= bytes[$0]) }
        case .printable: bytes.indices.first { !(0x20...0x7e ~= bytes[$0]) }
        case .unreserved: bytes.indices.first { !Self.isUnreserved(bytes[$0]) }
        case .handedOn: bytes.indices.first { bytes[$0] == 0 }
        case .typed: bytes.indices.first { [0x00, 0x0a, 0x0d].contains(bytes[$0]) }
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

// MARK: - Kinds of secrets

/// What opens resources (RFC 6749 §1.4): for whoever holds it an opaque text, whatever its issuer made of it (NIF-7).
public typealias AccessToken = Secret.Text<Secret.AccessTokens>

/// What renews a grant (RFC 6749 §1.5), good for one use.
public typealias RefreshToken = Secret.Text<Secret.RefreshTokens>

/// A signed statement in compact form, which is presented as a grant or to authenticate a client (RFC 7521); believed
/// only once it is checked.
public typealias Assertion = Secret.Text<Secret.Assertions>

extension Secret {
    /// What an authorization server gives out to be redeemed at its token endpoint (RFC 6749 §1.3.1), opaque to its
    /// holder.
    public typealias AuthorizationCode = Text<AuthorizationCodes>
    /// The secret that a client keeps between asking for a code and redeeming it (RFC 7636 §4.1).
    public typealias CodeVerifier = Text<CodeVerifiers>
    /// What a user types to be believed who he or she is.
    public typealias Password = Text<Passwords>

    /// What a sign-in in steps goes on with (`auth_session`), opaque to its holder.
    public typealias SignInSession = Text<SignInSessions>
    /// What a person copies from a device or a list, good once (`otp`).
    public typealias OneTimeCode = Text<OneTimeCodes>
    /// What answers any other step (`step_response`), such as the JSON of a passkey.
    public typealias StepResponse = Text<StepResponses>

    /// What names a sign-in that goes on in a browser (`request_uri`): whoever has it can send a browser with it.
    public typealias RequestName = Text<RequestNames>
    /// What ties what a browser brings back to the app that sent it (`state`).
    public typealias CallbackState = Text<CallbackStates>

    /// The kind of ``RequestName``.
    public enum RequestNames: Kind {
        /// What messages call it.
        public static var title: String { "request URI" }
        /// More than any server makes.
        public static var lengths: ClosedRange<Int> { 1...2_048 }
    }

    /// The kind of ``CallbackState``.
    public enum CallbackStates: Kind {
        /// What messages call it.
        public static var title: String { "state" }
        /// 256 bits in Base64url.
        public static var lengths: ClosedRange<Int> { 43...43 }
        /// The characters that need no encoding anywhere.
        public static var alphabet: Alphabet { .unreserved }
    }

    /// The kind of ``AccessToken``.
    public enum AccessTokens: Kind {
        /// What messages call it.
        public static var title: String { "access token" }
    }

    /// The kind of ``RefreshToken``.
    public enum RefreshTokens: Kind {
        /// What messages call it.
        public static var title: String { "refresh token" }
    }

    /// The kind of ``Assertion``.
    public enum Assertions: Kind {
        /// What messages call it.
        public static var title: String { "assertion" }
    }

    /// The kind of ``AuthorizationCode``.
    public enum AuthorizationCodes: Kind {
        /// What messages call it.
        public static var title: String { "authorization code" }
    }

    /// The kind of ``CodeVerifier``.
    public enum CodeVerifiers: Kind {
        /// What messages call it.
        public static var title: String { "code verifier" }
        /// The bytes that the standard allows.
        public static var lengths: ClosedRange<Int> { 43...128 }
        /// The characters that need no encoding anywhere.
        public static var alphabet: Alphabet { .unreserved }
    }

    /// The kind of ``Password``.
    public enum Passwords: Kind {
        /// What messages call it.
        public static var title: String { "password" }
        /// More than any password, less than what would occupy the check of credentials.
        public static var lengths: ClosedRange<Int> { 1...1_024 }
        /// People type any character.
        public static var alphabet: Alphabet { .typed }
    }

    /// The kind of ``SignInSession``.
    public enum SignInSessions: Kind {
        /// What messages call it.
        public static var title: String { "sign-in session" }
        /// More than any server makes.
        public static var lengths: ClosedRange<Int> { 1...4_096 }
    }

    /// The kind of ``OneTimeCode``.
    public enum OneTimeCodes: Kind {
        /// What messages call it.
        public static var title: String { "one-time code" }
        /// More than anybody copies.
        public static var lengths: ClosedRange<Int> { 1...32 }
        /// Digits, and whatever else devices show.
        public static var alphabet: Alphabet { .printable }
    }

    /// The kind of ``StepResponse``.
    public enum StepResponses: Kind {
        /// What messages call it.
        public static var title: String { "response to a step" }
        /// Platforms hand JSON on.
        public static var alphabet: Alphabet { .handedOn }
    }
}

extension Secret.CallbackState {
    /// A fresh state of 256 bits.
    public init(using entropy: inout some RandomNumberGenerator) {
        self.init(checked: Base64URL.encode(entropy.bytes(32)))
    }
}
