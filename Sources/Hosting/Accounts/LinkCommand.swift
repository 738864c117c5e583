public import Federation
internal import TokenTree
internal import Wire

/// A program that says whose an account at the OpenID provider is, such as one that asks a directory (OIC-12).
///
/// It is started for each sign-in at the provider, without a shell and with an empty environment, and reads one line
/// with a JSON object on its standard input: `issuer` and `subject`, which name the account, and `claims`, what the
/// provider says about the person. It writes a JSON object and ends with status 0: `{}` where it knows nobody whose
/// account that is, `{"subject": "…"}` with the user's name, or `{"refused": true}` where nobody may sign in with it.
/// Whatever else it does, and if it takes too long, nobody is let in, and it can be tried again.
public struct LinkCommand: Sendable {
    private let program: AskedProgram

    /// Names the program.
    ///
    /// - Parameter accounts: of how many accounts it is asked at a time.
    public init(
        _ path: String, _ arguments: [String] = [], within time: Duration = .seconds(10), accounts: Int = 8
    ) {
        program = AskedProgram(path, arguments, within: time, atOnce: accounts)
    }

    /// Whose an account is, for `UserDirectory.linking(_:)`; `nil` if the program does not say.
    public func link(of account: ProvidedAccount) async -> ProvidedAccount.Link? {
        let question = JSON.encodedObject { object in
            object.member("issuer", account.issuer.text)
            object.member("subject", account.subject.text)
            object.member("claims", account.claims)
        }
        guard let told = await program.answer(to: question + [0x0a]).object else { return nil }
        // What is not understood may be what matters, so that nothing is guessed from the rest.
        switch (told.count, told["subject"], told["refused"]) {
        case (0, nil, nil): return .unknown
        case (1, let name?, nil): return name.string.flatMap { try? Record.Subject(parsing: $0) }.map { .user($0) }
        case (1, nil, .bool(true)?): return .refused
        default: return nil
        }
    }
}
