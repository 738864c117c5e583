import Federation
import Foundation
import Hosting
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Wire

/// The edu-ID app of a terminal.
enum Phone {
    static let command = Command(
        name: "phone", abstract: "An edu-ID app for the terminal: sign in, authorize apps, see and end it all.",
        discussion: """
            It speaks to any federation over HTTP, and keeps its state in a folder of yours, which
            is '.eduid/phone' unless '--folder' says something else; 'eduid up' makes one. Keys and
            tokens lie in that folder, because a terminal has no key chain.

              eduid phone sign-in ada
              eduid phone list
              eduid phone sign-out

            Other apps ask it at a socket in its folder: 'eduid phone answer' waits for them, and
            'eduid reader authorize' starts that by itself.
            """, subcommands: [initialize, register, signIn, code, stepUp, status, list, end, signOut, answer, trust])

    static let folder = Option(
        name: "folder", value: "path", abstract: "The folder of the phone.", kind: .destination,
        fallback: ".eduid/phone")

    // MARK: init

    private static let federation = Option(
        name: "federation", value: "url", abstract: "The edu-ID service.", isRequired: true)
    private static let versionKey = Option(
        name: "version-key", value: "file",
        abstract: "The private key of the app's version, as the federation gave it.", kind: .file, isRequired: true)
    private static let appName = Option(
        name: "app-name", value: "name", abstract: "The name under which the version is registered.", isRequired: true)
    private static let deviceName = Option(
        name: "name", value: "words", abstract: "What you call this device.", fallback: "a terminal")
    private static let ownNetwork = Option(
        name: "own-network", abstract: "The federation lives in the network of this machine.")
    private static let authorities = Option(
        name: "authorities", value: "file",
        abstract: "Certificates, in PEM, in the place of those that the system trusts.", kind: .file)

    private static let callback = Option(
        name: "callback", value: "address",
        abstract: "Where a browser calls this app back, as it is registered with the version.")

    private static let initialize = Command(
        name: "init", abstract: "Make the folder of a phone.",
        options: [folder, federation, versionKey, appName, deviceName, ownNetwork, authorities, callback]
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let issuer: Issuer = try invocation.identifier(federation, try invocation.required(federation))
        let name: Issuer = try invocation.identifier(appName, try invocation.required(appName))
        let keys = try KeyFile(reading: try invocation.required(versionKey), from: console)
        guard case .secret(let key) = try keys.only() else { throw .refused("the key of the version is not private") }
        try PhoneFolder.make(
            invocation[folder] ?? "", federation: issuer, appName: name, versionKey: key,
            name: invocation[deviceName] ?? "", inOwnNetwork: invocation.has(ownNetwork),
            authorities: invocation[authorities],
            callback: try invocation[callback].map { text throws(Failure) in
                try Failure.refusing("'\(text)'", try CallbackAddress(parsing: text))
            }, on: &console)
        console.say("'\(invocation[folder] ?? "")' is made. Next: eduid phone sign-in NAME")
    }

    // MARK: register, sign-out

    private static let register = Command(
        name: "register", abstract: "Register this copy of the app; signing in does that by itself.", options: [folder]
    ) { (invocation, console) throws(Failure) in
        let app = try open(invocation, console)
        try waiting { () async throws(Rejection) in try await app.register() }
        console.say("This phone is registered.")
    }

    private static let signOut = Command(
        name: "sign-out", abstract: "Sign out: everything that any app was given ends.", options: [folder]
    ) { (invocation, console) throws(Failure) in
        let app = try open(invocation, console)
        let session = try waiting { () async throws(Rejection) in await app.session }
        let begun =
            session.pendingSignIn(at: systemTime()).map { $0.user.map { "of '\($0.text)'" } ?? "that is stronger" }
            ?? session.awaitedBrowser(at: systemTime()).map { _ in "by a browser" }
        if let begun {
            try waiting { () async throws(Rejection) in try await app.abandonSignIn() }
            console.say("The sign-in \(begun) does not go on.")
            guard session.isSignedIn else { return }
        }
        let ended = try waiting { () async throws(Rejection) in try await app.signOut() }
        say(ended, "You are signed out, and all that apps were given is over", &console)
    }

    // MARK: status

    private static let status = Command(
        name: "status", abstract: "Show whether the phone is registered, who is signed in, what is left to tell.",
        options: [folder, .output],
        discussion: """
            What was ended without a network is told to the other side as soon as it answers, and
            this command tries that.

            As JSON: federation, registered, signed_in, profile, pending, the number of ends that
            nobody has confirmed yet, and waiting, with user and steps of a sign-in that waits for
            a step, or null.
            """
    ) { (invocation, console) throws(Failure) in
        let phone = try PhoneFolder(at: invocation[folder] ?? "", console)
        let app = try open(invocation, console)
        let left = Waiting.value { (try? await app.endings()) } ?? nil
        let session = try waiting { () async throws(Rejection) in await app.session }
        let pending = (left ?? session.endings).count
        let begun = session.pendingSignIn(at: systemTime())
        guard !invocation.isForPrograms else {
            console.report([
                "federation": .string(phone.federation.text), "registered": .bool(session.isRegistered),
                "signed_in": .bool(session.isSignedIn), "profile": .object(session.profile),
                "pending": .number(JSON.Number(Int64(pending))), "waiting": begun.map(shown) ?? .null,
            ])
            return
        }
        console.say("edu-ID service  \(phone.federation)")
        console.say("registered      \(session.isRegistered ? "yes" : "no")")
        console.say("signed in       \(session.isSignedIn ? name(in: session) ?? "yes" : "no")")
        if let begun { console.say("waiting         \(advice(on: begun))") }
        if pending > 0 { console.say("not confirmed   \(pending) ends; they are told as soon as somebody answers") }
    }

    // MARK: trust

    private static let id = Argument(name: "id", kind: .text, abstract: "The bundle id of the app.")
    private static let key = Argument(name: "file", kind: .file, abstract: "The file with its public key.")

    private static let trust = Command(
        name: "trust", abstract: "Know an app by its key: requests in its name have to be signed with it.",
        arguments: [id, key], options: [folder]
    ) { (invocation, console) throws(Failure) in
        let phone = try PhoneFolder(at: invocation[folder] ?? "", console)
        let id: BundleID = try Failure.refusing("the id", try BundleID(parsing: try invocation.required(id)))
        var keys: [JWK] = []
        for case .shown(let key) in try KeyFile(reading: try invocation.required(key), from: console).shown().keys {
            keys.append(key)
        }
        try phone.trust(id, keys, console)
        console.say("\(id.text) is known.")
    }
}

// MARK: - Parts of commands

extension Phone {
    /// The app with its state.
    static func open(_ invocation: Invocation, _ console: Console) throws(Failure) -> AuthorizingApp {
        let phone = try PhoneFolder(at: invocation[folder] ?? "", console)
        try console.meet()
        let network = phone.network()
        return AuthorizingApp(
            try phone.session(over: network, console), on: try phone.host(over: network, console))
    }

    /// What comes of what the app does, or why it cannot.
    @discardableResult
    static func waiting<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(Rejection) -> Value
    ) throws(Failure) -> Value {
        do throws(Rejection) { return try waited(body) } catch { throw failure(of: error) }
    }

    /// The same, with what the app says of it.
    @discardableResult
    static func waited<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(Rejection) -> Value
    ) throws(Rejection) -> Value {
        let outcome: Result<Value, Rejection>? = Waiting.value {
            do throws(Rejection) { return .success(try await body()) } catch { return .failure(error) }
        }
        guard let outcome else { throw .unanswered }
        return try outcome.get()
    }

    /// Why the app cannot, in words for who sits at the terminal.
    static func failure(of rejection: Rejection) -> Failure {
        switch rejection {
        case .unanswered:
            .refused("nobody answered; nothing has changed: see whether the federation runs, and try again")
        case .unregistered:
            .refused("this phone is not registered (any more); 'eduid phone sign-in' begins anew")
        default: .refused("\(rejection)")
        }
    }

    private static func shown(_ pending: AuthorizingApp.PendingSignIn) -> JSON {
        [
            "user": pending.user.map { .string($0.text) } ?? .null,
            "steps": .array(pending.steps.map { .string($0.name.text) }),
        ]
    }

    /// What the person is called.
    static func name(in session: AuthorizingApp.Session) -> String? {
        session.profile["name"]?.string ?? session.profile["given_name"]?.string
    }

    /// Says that something is over, and whether the other side knows.
    static func say(_ ended: AuthorizingApp.Ended, _ words: String, _ console: inout Console) {
        switch ended {
        case .confirmed: console.say(words + ".")
        case .pending:
            console.say(words + " on this device. The other side is not reached; 'eduid phone status' tells it later.")
        }
    }
}
