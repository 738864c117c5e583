public import Wire

/// What the edu-ID app shows to the person who opens it by itself (UX-1): login when nobody is signed in, else the profile (UX-4).
///
/// Each screen says which steps are possible from it; every other step is refused and changes nothing.
public struct EduIDMode: Sendable, Equatable {
    /// What is on the screen.
    public enum Screen: Sendable, Equatable {
        /// Fields for user name and password, and whether what was typed before was refused.
        case login(isRepeated: Bool)
        /// The attributes of the person who is signed in, by their OpenID Connect names; for display only (USR-7).
        case profile(JSON.Object)
        /// That to log out ends the authorization of every app (UX-5).
        case logoutWarning(of: JSON.Object)
    }

    /// What can happen on a screen.
    public enum Step: Sendable, Equatable {
        /// The service took the credentials and told the attributes (AUT-6).
        case signedIn(JSON.Object)
        /// The service refused the credentials.
        case signInRefused
        /// The person wants to log out.
        case logOut
        /// The person has read the warning and means it.
        case confirm
        /// The person turns back to the profile.
        case turnBack
        /// The session ended elsewhere: the device was disconnected, or the app's version excluded.
        case sessionEnded
    }

    /// That a step is not possible from the screen that is shown.
    public struct Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// What was tried.
        public let step: Step
        /// What is shown.
        public let screen: Screen

        /// What cannot be done where.
        public var description: String { "no such step from this screen (UX-4)" }
    }

    /// What is on the screen.
    public private(set) var screen: Screen

    /// Begins with login, or with the profile of the person who is signed in already.
    public init(signedIn profile: JSON.Object? = nil) {
        screen = profile.map { .profile($0) } ?? .login(isRepeated: false)
    }

    /// Goes on to the next screen.
    public mutating func take(_ step: Step) throws(Rejection) {
        switch (screen, step) {
        case (.login, .signedIn(let profile)): screen = .profile(profile)
        case (.login, .signInRefused): screen = .login(isRepeated: true)
        case (.profile(let profile), .logOut): screen = .logoutWarning(of: profile)
        case (.logoutWarning(let profile), .turnBack): screen = .profile(profile)
        case (.logoutWarning, .confirm): screen = .login(isRepeated: false)
        case (_, .sessionEnded): screen = .login(isRepeated: false)
        default: throw Rejection(step: step, screen: screen)
        }
    }
}
