public import NAIL
public import Wire

/// The two ways in which people meet the edu-ID app (UX-1).
public enum AppMode: Sendable, Equatable {
    /// The app was opened by itself.
    case eduID(EduIDMode)
    /// A third-party app asks for authorization.
    case authorization(AuthorizationMode)

    /// The mode to open in: authorization mode with a request, else edu-ID mode; both with login when there is no
    /// profile of somebody signed in.
    public init(opening request: ProtocolRequest?, signedIn profile: JSON.Object?) {
        if let request {
            self = .authorization(AuthorizationMode(for: request, isSignedIn: profile != nil))
        } else {
            self = .eduID(EduIDMode(signedIn: profile))
        }
    }
}
