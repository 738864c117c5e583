import Foundation
import Hosting
import OAuth2Grants
import Wire

/// The people of an edu-ID service whose logins lie in a file.
enum AccountCommands {
    static let command = Command(
        name: "account", abstract: "The people of an edu-ID service: add, remove, change what is known of them.",
        discussion: """
            The file is the one that 'accounts' names in the configuration. Only its owner can
            read it, and it has no passwords, only keys that follow from them by
            PBKDF2-HMAC-SHA-512. Secrets of one-time codes it has as they are. The service
            reads it anew at SIGHUP.

            What somebody was given stays when the login is disabled or removed; to end it, an
            administrator signs the person out.
            """, subcommands: [add, password, profiles, otp, code, disable, enable, remove, list])

    private static let file = Argument(name: "file", kind: .destination, abstract: "The file with the accounts.")
    private static let name = Argument(name: "name", kind: .text, abstract: "What the person types as name.")
    private static let profile = Option(
        name: "profile", value: "file", abstract: "A JSON file with the person's attributes (OpenID Connect names).",
        kind: .file)
    private static let rounds = Option(
        name: "rounds", value: "number", abstract: "How often the password is hashed, which each login costs.",
        fallback: "210000")
    private static let issuer = Option(
        name: "issuer", value: "name", abstract: "What the codes are for, as the app shows it.", fallback: "edu-ID")
    private static let removal = Option(name: "remove", abstract: "Take the one-time codes away.")

    private static let add = Command(
        name: "add", abstract: "Add a person; the password is asked for, or a line of standard input.",
        arguments: [file, name], options: [profile, rounds],
        discussion: """
            The file is made if it is not there. The person is known by a name that is made at
            random, and that no other person ever has.
            """
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let path = try invocation.required(file)
        let told = try members(invocation, console) ?? JSON.Object()
        let user = try user(invocation)
        if FileManager.default.fileExists(atPath: path), try read(path)[user] != nil {
            throw .refused("\(AccountsFailure.taken(name: user.text))")
        }
        let (password, count) = (try newPassword(of: user), try count(invocation))
        try change(path, makingIt: true) { accounts throws(AccountsFailure) in
            try accounts.add(user, password: password, profile: told, rounds: count, using: &console.entropy)
        }
        tell("'\(user.text)' is added.", on: &console)
    }

    private static let password = Command(
        name: "password", abstract: "Give a person another password.", arguments: [file, name], options: [rounds]
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let path = try invocation.required(file)
        let user = try user(invocation)
        guard try read(path)[user] != nil else { throw .refused("\(AccountsFailure.unknown(name: user.text))") }
        let (password, count) = (try newPassword(of: user), try count(invocation))
        try change(path) { accounts throws(AccountsFailure) in
            try accounts.setPassword(password, of: user, rounds: count, using: &console.entropy)
        }
        tell("'\(user.text)' has another password.", on: &console)
    }

    private static let profiles = Command(
        name: "profile", abstract: "Give a person another profile, or show the one that there is.",
        arguments: [file, name], options: [profile],
        discussion: """
            Without '--profile' what is shown is the JSON that '--profile' takes. Where services
            know the person as a member of an institution that goes out of the profile, it ends
            with the next introduction, and at once with 'eduid admin user expel'.
            """
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let path = try invocation.required(file)
        let user = try user(invocation)
        guard let account = try read(path)[user] else { throw .refused("\(AccountsFailure.unknown(name: user.text))") }
        guard let told = try members(invocation, console) else { return console.report(account.profile) }
        try change(path) { accounts throws(AccountsFailure) in try accounts.setProfile(told, of: user) }
        tell("'\(user.text)' has another profile.", on: &console)
    }

    private static let otp = Command(
        name: "otp", abstract: "Give a person one-time codes of an authenticator app, or take them away.",
        arguments: [file, name], options: [issuer, removal],
        discussion: """
            A secret is made and shown this once: as a URI, which is commonly handed over as a
            picture (a QR code), and in groups for typing. Whoever has it can make the codes.
            Who lost it is given another one after '--remove'.

            Codes have six digits, and another one comes every 30 seconds. From then on signing
            in takes one beside the password, in the app and in a browser. Each passes once.
            """
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let path = try invocation.required(file)
        let user = try user(invocation)
        if invocation.has(removal) {
            guard !invocation.has(issuer) else { throw .misuse("'--issuer' does not go with '--remove'") }
            try change(path) { accounts throws(AccountsFailure) in try accounts.removeCodes(of: user) }
            return tell("'\(user.text)' has no one-time codes any more.", on: &console)
        }
        let codes = OneTimeCodes(using: &console.entropy)
        var uri = ""
        try change(path) { accounts throws(AccountsFailure) in
            uri = try codes.uri(for: user, at: invocation[issuer] ?? "")
            try accounts.addCodes(codes, to: user)
        }
        console.say("'\(user.text)' has one-time codes. What follows is their secret, and is not shown again.")
        console.say(uri)
        tell(codes.typed, on: &console)
    }

    private static let code = Command(
        name: "code", abstract: "Show a person's one-time code of this moment.", arguments: [file, name],
        discussion: "For who tries it without an authenticator app. Each code passes once."
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let (accounts, user) = (try read(try invocation.required(file)), try user(invocation))
        guard let account = accounts[user] else { throw .refused("\(AccountsFailure.unknown(name: user.text))") }
        guard let code = account.code(at: console.now) else {
            throw .refused("\(AccountsFailure.hasNoCodes(name: user.text))")
        }
        console.say(code)
    }

    private static let disable = changing("disable", "Shut a login out.", "cannot sign in any more") {
        (accounts, user) throws(AccountsFailure) in try accounts.setDisabled(true, user)
    }
    private static let enable = changing("enable", "Let a login in again.", "can sign in again") {
        (accounts, user) throws(AccountsFailure) in try accounts.setDisabled(false, user)
    }
    private static let remove = changing("remove", "Remove a person.", "is removed") {
        (accounts, user) throws(AccountsFailure) in try accounts.remove(user)
    }

    /// A command that changes one account.
    private static func changing(
        _ word: String, _ abstract: String, _ outcome: String,
        _ body: @escaping @Sendable (inout AccountFile, UserName) throws(AccountsFailure) -> Void
    ) -> Command {
        Command(name: word, abstract: abstract, arguments: [file, name]) { (invocation, console) throws(Failure) in
            try console.meet()
            let path = try invocation.required(file)
            let user = try user(invocation)
            try change(path) { accounts throws(AccountsFailure) in try body(&accounts, user) }
            tell("'\(user.text)' \(outcome).", on: &console)
        }
    }

    private static let list = Command(
        name: "list", abstract: "Show who has an account, and under which name the service knows them.",
        arguments: [file], options: [.output],
        discussion: "As JSON: accounts, an array of objects with name, subject, disabled and otp."
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let accounts = try read(try invocation.required(file)).all
        guard !invocation.isForPrograms else {
            console.report([
                "accounts": .array(
                    accounts.map { account in
                        [
                            "name": .string(account.name.text), "subject": .string(account.subject.text),
                            "disabled": .bool(account.isDisabled), "otp": .bool(account.hasCodes),
                        ]
                    })
            ])
            return
        }
        for account in accounts {
            let states = (account.hasCodes ? "  one-time codes" : "") + (account.isDisabled ? "  disabled" : "")
            console.say("\(account.name.text)  \(account.subject.text)\(states)")
        }
    }

    // MARK: parts

    /// The attributes in the file that is named.
    private static func members(_ invocation: Invocation, _ console: Console) throws(Failure) -> JSON.Object? {
        guard let place = invocation[profile] else { return nil }
        let value = try Failure.refusing("the profile", try JSON(parsing: try console.read(place, limit: 64 << 10)))
        guard let members = value.object else { throw .refused("the profile in '\(place)' is no JSON object") }
        return members
    }

    private static func read(_ path: String) throws(Failure) -> AccountFile {
        do throws(AccountsFailure) { return try AccountFile(at: path) } catch { throw .refused("\(error)") }
    }

    /// Changes the file as it is by now, whatever was read before somebody was asked.
    private static func change(
        _ path: String, makingIt isMade: Bool = false,
        _ body: (inout AccountFile) throws(AccountsFailure) -> Void
    ) throws(Failure) {
        do throws(AccountsFailure) {
            try AccountFile.change(at: path, makingIt: isMade, body)
        } catch {
            throw .refused("\(error)")
        }
    }

    /// Says what has changed in the file, and by what a service at work learns of it.
    private static func tell(_ words: String, on console: inout Console) {
        console.say(words)
        console.say("A service at work learns of it by: eduid admin run FOLDER reload")
    }

    private static func user(_ invocation: Invocation) throws(Failure) -> UserName {
        try Failure.refusing("the name", try UserName(parsing: try invocation.required(name)))
    }

    private static func count(_ invocation: Invocation) throws(Failure) -> Int {
        guard let count = Int(invocation[rounds] ?? "") else {
            throw Invocation.invalid(invocation[rounds] ?? "", rounds, "expected a number")
        }
        return count
    }

    /// A password that the person types twice where somebody sits at a terminal.
    private static func newPassword(of user: UserName) throws(Failure) -> Secret.Password {
        let text = Typing.secret("New password of \(user.text): ")
        if isatty(STDIN_FILENO) == 1, !Typing.secret("Once more: ").spells(text) {
            throw .refused("these were two passwords; nothing has changed")
        }
        return try Failure.refusing("the password", try Secret.Password(parsing: text))
    }
}
