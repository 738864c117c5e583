public import Wire

/// How a token endpoint answers: it gives, or it refuses in words that the registry knows.
///
/// Whoever asks has to look at both.
public enum TokenOutcome: Sendable {
    /// The tokens.
    case granted(TokenResponse)
    /// Why there are none.
    case refused(OAuth2Error)

    /// The answer.
    public func encoded() -> HTTP.Response {
        switch self {
        case .granted(let response): response.encoded()
        case .refused(let error): error.response()
        }
    }

    /// Reads an answer; one that is neither is a rejection, and says nothing about the grant.
    ///
    /// A server that blames itself for the moment has not refused: that is a rejection too.
    public init(parsing response: HTTP.Response) throws(AnswerRejection) {
        if response.status == .ok {
            self = .granted(try TokenResponse(parsing: response))
        } else {
            self = .refused(try OAuth2Error(refusalOf: response))
        }
    }
}
