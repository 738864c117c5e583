public import TokenTree
public import Wire

/// What verifies the passkeys of people who have accounts in a file, after the password: this module knows no WebAuthn,
/// and a host that does gives it to ``Accounts``.
public struct Passkeys: Sendable {
    let options: @Sendable (Record.Subject) async -> JSON?
    let verification: @Sendable (Record.Subject, _ response: String, _ options: JSON) async -> Bool

    /// Passkeys as a host keeps them.
    ///
    /// - Parameters:
    ///   - options: with what the app's platform asks somebody for a passkey (`PublicKeyCredentialRequestOptions` in
    ///     JSON), each time with a fresh challenge; `nil` for who has none.
    ///   - verification: whether what the platform gave (`PublicKeyCredential` in JSON, by whoever sent it) is by a
    ///     passkey of this person, and answers these options. Keep the signature counters there.
    public init(
        asking options: @escaping @Sendable (Record.Subject) async -> JSON?,
        verifying verification: @escaping @Sendable (Record.Subject, _ response: String, _ options: JSON) async -> Bool
    ) {
        (self.options, self.verification) = (options, verification)
    }
}
