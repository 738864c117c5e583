import Federation
import OAuth2Grants
import Wire

extension Phone {
    private static let user = Argument(name: "name", kind: .text, abstract: "Your name.", arity: .optional)

    private static let browser = Option(
        name: "browser", abstract: "Sign in with a browser, at the provider where you have an account.")

    static let signIn = Command(
        name: "sign-in", abstract: "Sign in; the password is asked for, or read from standard input.",
        arguments: [user], options: [folder, browser],
        discussion: """
            Where the edu-ID service asks for a one-time code as well, that is asked for next, or
            read from the next line of standard input; spaces in it do not matter. After three
            wrong codes a sign-in is over.

            Who types nothing has ten minutes to go on: without a name, if a sign-in waits for a
            code, this goes on with it. With a name it begins anew.

            With '--browser' a link is shown; what opens it leads to the provider and back, and
            this waits until you are signed in.
            """
    ) { (invocation, console) throws(Failure) in
        let app = try open(invocation, console)
        if invocation.has(browser) {
            guard invocation.all(user).isEmpty else { throw .misuse("the provider asks for your name: leave it out") }
            let phone = try PhoneFolder(at: invocation[folder] ?? "", console)
            return try signInByBrowser(app, calledBackAt: phone.callback, &console)
        }
        if let name = invocation.all(user).first {
            try begin(name, app)
        } else if let pending = try pending(in: app) {
            console.complain("The \(title(of: pending, in: "")) goes on.")
        } else {
            try begin(Typing.line("Name: "), app)
        }
        try finish(app, &console)
    }

    private static let classes = Option(
        name: "class", value: "name", abstract: "A class of which the sign-in has to be.", isRepeated: true)
    private static let age = Option(
        name: "max-age", value: "seconds", abstract: "How old the last proof may be.")

    static let stepUp = Command(
        name: "step-up", abstract: "Show more of who is signed in, as a service demands it.",
        options: [folder, classes, age],
        discussion: """
            The steps that are missing are asked for as in a sign-in, and nothing else; who is
            signed in stays so, and apps keep what they were given. Who signed in at a provider
            does that once more there, with a browser.

              eduid phone step-up --class https://refeds.org/profile/mfa
              eduid phone step-up --max-age 300
            """
    ) { (invocation, console) throws(Failure) in
        let app = try open(invocation, console)
        let names = try invocation.all(classes).map { text throws(Failure) in
            try Failure.refusing("the class", try Authentication.ContextClass(parsing: text))
        }
        let seconds = try invocation[age].map { text throws(Failure) in
            guard let seconds = Int64(text), seconds >= 0 else {
                throw .misuse("'--max-age' takes a number of seconds")
            }
            return seconds
        }
        let demand = try Failure.refusing("the demand", try AuthenticationDemand(names, maximumAge: seconds))
        guard !demand.isEmpty else { throw .misuse("say what is demanded with '--class' or '--max-age'") }
        do throws(Rejection) {
            try waited { () async throws(Rejection) in try await app.stepUp(to: demand) }
        } catch {
            if case .refused(let refusal) = error, refusal.code == .redirectToWeb {
                let phone = try PhoneFolder(at: invocation[folder] ?? "", console)
                return try signInByBrowser(app, calledBackAt: phone.callback, demanding: demand, &console)
            }
            guard error == .stepWanted else { throw failure(of: error) }
        }
        try finish(app, &console)
    }

    static let code = Command(
        name: "code", abstract: "Go on with a sign-in that waits for a one-time code.", options: [folder],
        discussion: """
            The code is asked for, or read from standard input.

              eduid account code .eduid/edu-id/accounts ben | eduid phone code
            """
    ) { (invocation, console) throws(Failure) in
        let app = try open(invocation, console)
        guard try pending(in: app) != nil else { throw .refused("\(Rejection.noPendingSignIn)") }
        try finish(app, &console)
    }

    /// The sign-in that waits for a step.
    static func pending(in app: AuthorizingApp) throws(Failure) -> AuthorizingApp.PendingSignIn? {
        try waiting { () async throws(Rejection) in await app.session }.pendingSignIn(at: systemTime())
    }

    /// What to do about a sign-in that waits.
    static func advice(on pending: AuthorizingApp.PendingSignIn) -> String {
        "the \(title(of: pending, in: "'")) waits for a one-time code; run: eduid phone code"
    }

    private static func title(of pending: AuthorizingApp.PendingSignIn, in quotes: String) -> String {
        pending.user.map { "sign-in of \(quotes)\($0.text)\(quotes)" } ?? "stronger sign-in"
    }

    /// Hands name and password over; the service may have asked for more then.
    private static func begin(_ text: String, _ app: AuthorizingApp) throws(Failure) {
        let name: UserName = try Failure.refusing("the name", try UserName(parsing: text))
        let password = try Failure.refusing(
            "the password", try Secret.Password(parsing: Typing.secret("Password of \(name.text): ")))
        try waiting { () async throws(Rejection) in
            try await app.register()
            do throws(Rejection) {
                try await app.signIn(name, password)
            } catch {
                guard error == .stepWanted else { throw error }
            }
        }
    }

    /// Makes the steps for which a sign-in waits, if it does, and says who is signed in.
    private static func finish(_ app: AuthorizingApp, _ console: inout Console) throws(Failure) {
        // Bound: each turn takes a line, and the service ends what has failed three times.
        while let pending = try pending(in: app) { try makeStep(of: pending, app, console) }
        let session = try waiting { () async throws(Rejection) in await app.session }
        guard session.isSignedIn else { throw .refused("\(Rejection.noPendingSignIn)") }
        console.say("\(name(in: session) ?? "Somebody") is signed in.")
    }

    /// Asks for a code, and shows it to the service.
    private static func makeStep(
        of pending: AuthorizingApp.PendingSignIn, _ app: AuthorizingApp, _ console: Console
    ) throws(Failure) {
        guard let step = pending.steps.first(where: { $0.name == .oneTimeCode }) else {
            throw .refused("the edu-ID service asks for a step that is not possible at a terminal")
        }
        let typed = Typing.line(Console.harmless(step.hint ?? "One-time code") + ": ").filter { !$0.isWhitespace }
        guard !typed.isEmpty else { throw .refused(advice(on: pending)) }
        guard let code = try? Secret.OneTimeCode(parsing: typed) else {
            return console.complain("A one-time code has letters and digits, and not so many.")
        }
        do throws(Rejection) {
            try waited { () async throws(Rejection) in try await app.takeStep(.oneTimeCode(code)) }
        } catch {
            guard error != .stepWanted else { return }
            guard case .refused(let refusal) = error, refusal.code == .invalidGrant, try self.pending(in: app) != nil
            else { throw failure(of: error) }
            console.complain("This code is wrong, or has passed before; type the one that is shown now.")
        }
    }
}
