public import Wire

/// What a peer is told when it is refused: a code of the registry, and words for the developer at the other end.
///
/// The words name the rule that was broken, and no secret, no key and nobody's data. They are made of rejections by one
/// total function for each kind of rejection (`refusal`), so that nothing is refused without an answer.
public struct OAuth2Error: Error, Hashable, Sendable {
    /// The code (`error`).
    public let code: Code
    /// What the developer at the other end should know (`error_description`).
    public let explanation: Explanation?
    /// Where a page about the error is found (`error_uri`).
    public let page: WebURL?
    /// Which sign-in would do, where the present one does not (RFC 9470 §3).
    public let demand: AuthenticationDemand

    /// Refuses with a code and words; characters that the format does not have (RFC 6749 §5.2) become question marks.
    public init(
        _ code: Code, _ explanation: String? = nil, page: WebURL? = nil, demanding demand: AuthenticationDemand = .none
    ) {
        self.init(code: code, explanation: explanation.map { Explanation(sanitizing: $0) }, page: page, demand: demand)
    }

    init(code: Code, explanation: Explanation?, page: WebURL?, demand: AuthenticationDemand) {
        self.code = code
        self.explanation = explanation
        self.page = page
        self.demand = demand
    }

    /// A code of the registry of OAuth extensions errors; the registry is open.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code as it is written, of the characters that codes have.
        public let text: String

        init(known text: StaticString) { self.text = text.description }

        /// The code as it is written.
        public var description: String { text }
    }

    /// Words of the characters that `error_description` may have.
    public struct Explanation: Hashable, Sendable, CustomStringConvertible {
        /// The words.
        public let text: String

        /// The words.
        public var description: String { text }
    }
}

extension OAuth2Error.Code {
    /// RFC 6749 §5.2: a parameter is missing, repeated or malformed.
    public static let invalidRequest = Self(known: "invalid_request")
    /// RFC 6749 §5.2: the client did not prove who it is.
    public static let invalidClient = Self(known: "invalid_client")
    /// RFC 6749 §5.2: the code, assertion or refresh token is not, or no longer, good for this client.
    public static let invalidGrant = Self(known: "invalid_grant")
    /// RFC 6749 §5.2: this client may not use this grant.
    public static let unauthorizedClient = Self(known: "unauthorized_client")
    /// RFC 6749 §5.2: this server does not serve this grant.
    public static let unsupportedGrantType = Self(known: "unsupported_grant_type")
    /// RFC 6749 §5.2: the scope is malformed, or exceeds what is offered or was granted.
    public static let invalidScope = Self(known: "invalid_scope")
    /// RFC 6749 §4.1.2.1: the user or the server said no.
    public static let accessDenied = Self(known: "access_denied")
    /// RFC 6749 §4.1.2.1: this server does not serve this response type.
    public static let unsupportedResponseType = Self(known: "unsupported_response_type")
    /// RFC 6749 §4.1.2.1: the server failed.
    public static let serverError = Self(known: "server_error")
    /// RFC 6749 §4.1.2.1: the server is overloaded or under repair.
    public static let temporarilyUnavailable = Self(known: "temporarily_unavailable")
    /// RFC 6750 §3.1: the access token is malformed, expired, revoked or not for here.
    public static let invalidToken = Self(known: "invalid_token")
    /// RFC 6750 §3.1: the access token is good, but not for this.
    public static let insufficientScope = Self(known: "insufficient_scope")
    /// RFC 7009 §2.2.1: tokens of this type cannot be revoked here.
    public static let unsupportedTokenType = Self(known: "unsupported_token_type")
    /// RFC 8707 §2: the service that was named is unknown or refused.
    public static let invalidTarget = Self(known: "invalid_target")
    /// RFC 9449 §5: the proof is missing or wrong.
    public static let invalidProof = Self(known: "invalid_dpop_proof")
    /// RFC 9449 §8: the proof must carry a nonce of the server.
    public static let useNonce = Self(known: "use_dpop_nonce")
    /// RFC 9470 §3: the sign-in behind the token is not strong or recent enough.
    public static let insufficientUserAuthentication = Self(known: "insufficient_user_authentication")
    /// OAuth 2.0 for First-Party Applications §5.2.2: what was shown is not enough.
    public static let insufficientAuthorization = Self(known: "insufficient_authorization")
    /// OAuth 2.0 for First-Party Applications §5.2.2: the sign-in session is unknown, over, or another client's.
    public static let invalidSession = Self(known: "invalid_session")
    /// OAuth 2.0 for First-Party Applications §5.2.2: the person has to go on in a browser.
    public static let redirectToWeb = Self(known: "redirect_to_web")
    /// OpenID Connect: the client or the person cannot make what is demanded.
    public static let unmetRequirements = Self(known: "unmet_authentication_requirements")

    /// Whether the codes are written with the same bytes.
    public static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

// MARK: - The character set of error members (RFC 6749 §5.2)

extension OAuth2Error {
    /// More than anybody reads.
    static let lengthLimit = 4_096

    /// Visible ASCII and the space, without quotes and backslashes.
    static func isAllowed(_ byte: UInt8) -> Bool {
        0x20...0x7e ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    static func text(of bytes: Span<UInt8>) throws(SyntaxError) -> String {
        guard bytes.count <= lengthLimit else { throw .tooLong(.error, length: bytes.count, limit: lengthLimit) }
        for offset in bytes.indices where !isAllowed(bytes[offset]) {
            throw .foreignCharacter(.error, offset: offset)
        }
        return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}

extension OAuth2Error.Code: Parsable {
    /// Reads a code, whether it is known here or not.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        guard !bytes.isEmpty else { throw .empty(.error) }
        text = try OAuth2Error.text(of: bytes)
    }
}

extension OAuth2Error.Explanation: Parsable {
    /// Reads words as the format has them.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        text = try OAuth2Error.text(of: bytes)
    }

    /// Makes a question mark of each character that the format does not have, and cuts off what nobody reads.
    init(sanitizing words: String) {
        let bytes = words.unicodeScalars.prefix(OAuth2Error.lengthLimit).map { scalar in
            UInt8(exactly: scalar.value).flatMap { OAuth2Error.isAllowed($0) ? $0 : nil }
                ?? UInt8(ascii: scalar == "\"" ? "'" : "?")
        }
        text = String(decoding: bytes, as: UTF8.self)
    }
}

extension OAuth2Error: CustomStringConvertible {
    /// Code and words.
    public var description: String { explanation.map { "\(code): \($0)" } ?? code.text }
}
