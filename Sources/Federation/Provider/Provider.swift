public import JOSE
public import OAuth2Grants
internal import PureCrypto
package import TokenTree
public import Wire

/// An OpenID provider at which people sign in who have an account there: the edu-ID service is one of its clients.
///
/// What it says of people is taken over as it is configured here; the app never sees its tokens.
public struct Provider: Sendable {
    /// Its issuer identifier, byte for byte as it writes that itself, with or without a slash at the end.
    public let issuer: Issuer
    /// The name of the edu-ID service at the provider.
    public let client: ClientID
    /// The last part of the path at which it answers: no other provider has the same, so that none can answer in the
    /// place of another (OIC-6).
    public let callbackName: String
    /// What is asked for beside `openid`.
    public var scope = Scope()
    /// By which algorithms it signs (OIC-18).
    public var algorithms: [Algorithm] = [.rs256]
    /// Which of its claims go into the profile.
    public var claims = OpenID.ClaimMapping()
    /// Whether userinfo is asked for, where the provider has it.
    public var asksForUserinfo = true
    let credential: Credential

    /// By what the edu-ID service shows at the provider who it is, as it is registered there.
    public enum Credential: Sendable {
        /// A key whose public half the provider has (`private_key_jwt`).
        case key(SigningKey)
        /// A secret in the header (`client_secret_basic`).
        case secretInHeader(Secret.Password)
        /// A secret among the parameters (`client_secret_post`).
        case secretInBody(Secret.Password)
    }

    /// A provider by its issuer identifier, the client's name there, and the last part of the path at which it answers:
    /// letters, digits and `-._~`, at most 64.
    public init(
        _ issuer: Issuer, client: ClientID, by credential: Credential, answeringAt callbackName: String
    ) throws(Rejection) {
        // A provider whose description has no place could never be asked.
        _ = try wrapping(Rejection.unusable, try OpenID.ProviderDescription.location(of: issuer))
        if let offset = callbackName.utf8.enumerated().first(where: { !ASCII.isUnreserved($0.element) })?.offset {
            throw .syntax(.foreignCharacter(.identifier, offset: offset))
        }
        let length = callbackName.utf8.count
        guard length > 0 else { throw .syntax(.empty(.identifier)) }
        guard length <= 64 else { throw .syntax(.tooLong(.identifier, length: length, limit: 64)) }
        if case .key(let key) = credential {
            _ = try wrapping(Rejection.issuance, try Statement.ClientAssertion.Issuance(with: key, of: client))
        }
        self.issuer = issuer
        self.client = client
        self.credential = credential
        self.callbackName = callbackName
    }
}

// MARK: - Who somebody is

extension Provider {
    /// The name of a person at the edu-ID service, unless its host has another: it follows from issuer and subject and
    /// from nothing that could be given to somebody else, and leads nobody back without the secret (OIC-12).
    func user(_ subject: Subject, following master: HMAC<SHA256>.PreparedKey) -> Record.Subject {
        .named(name("user", subject.text, master))
    }

    /// The same at a service.
    package func user(_ subject: Subject, at service: Authority) -> Record.Subject {
        user(subject, following: service.master)
    }

    /// What is kept of a session at the provider, so that it is known again when the provider says that it has ended.
    func name(of session: OpenID.SessionID, following master: HMAC<SHA256>.PreparedKey) -> String {
        name("session", session.text, master)
    }

    private func name(_ kind: String, _ text: String, _ master: HMAC<SHA256>.PreparedKey) -> String {
        // The length in front keeps the end of one part from being taken for the beginning of the other.
        let message = "\(kind) at a provider: \(issuer.text.utf8.count):" + issuer.text + text
        return Base64URL.encode([UInt8](master.authenticationCode(for: Array(message.utf8))))
    }
}
