import Federation
import Foundation
import Hosting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Wire

extension Running {
    private static let place = Argument(
        name: "folder", kind: .text, abstract: "Where everything is kept (default: .eduid).", arity: .optional)
    /// Where phone and reader look as well.
    static let standardPlace = ".eduid"
    private static let port = Option(
        name: "port", value: "number",
        abstract: "The port of the edu-ID service; the universities have the next two, and the phone the fifth.",
        fallback: "8080")

    private static let provider = Option(
        name: "provider",
        abstract: "Run an OpenID provider beside it, at the fourth port, at which people sign in with a browser.")

    static let up = Command(
        name: "up", abstract: "Run a whole federation on this machine, to try it.", arguments: [place],
        options: [port, provider],
        discussion: """
            An edu-ID service with two people, one of whom signs in with one-time codes, and two
            universities with a small protocol to read by, over HTTP on loopback, each with its
            own folder, keys and store. What to do with it is printed. It ends with Ctrl-C, and
            goes on where it was when it is started again. Each request is shown.

            Folders are made as 'eduid init' makes them, and can be run one by one with
            'eduid serve'. Nobody else can connect, but whoever uses this machine can.

            With '--provider' the edu-ID service also sends people to a provider with their
            browser: 'eduid phone sign-in --browser' shows how that goes. It is a toy that asks
            for no password, knows people by name, and forgets everything with Ctrl-C.
            """
    ) { (invocation, console) throws(Failure) in
        let folder = invocation.all(place).first ?? standardPlace
        guard let first = UInt16(invocation[port] ?? ""), first >= 1_024, first < 65_532 else {
            throw Invocation.invalid(invocation[port] ?? "", port, "expected a number from 1024 to 65531")
        }
        try console.meet()
        let trial = Trial(folder: folder, port: first)
        try trial.make(on: &console)
        let signals = try Failure.refusing("the process", try Signal.heard())
        var parties: [WorkingParty] = []
        let lines = Lines(upTo: .debug)
        for member in trial.members.reversed() {
            let premises = Premises(say: { lines.write("\(member.folder): \($0)", as: $1) })
            var configuration = try Configuration(in: trial.path(of: member), from: console)
            if invocation.has(provider) { try configuration.signInAlso(at: trial.provider()) }
            parties.append(
                try WorkingParty(configuration, at: premises, offeringReading: true, console))
        }
        if invocation.has(provider) { try trial.openProvider(&console) }
        for line in try trial.advice(console, withProvider: invocation.has(provider)) { console.say(line) }
        let working = parties
        if let failure = Waiting.value({ await work(working, hearing: signals, telling: nil, lines) }) ?? nil {
            throw failure
        }
    }
}

/// A federation on one machine, to try things with.
struct Trial {
    let folder: String
    /// The port of the edu-ID service.
    let port: UInt16

    /// A party of the trial.
    struct Member: Sendable {
        let folder: String
        let name: String
        let offset: UInt16
    }

    let members = [
        Member(folder: "edu-id", name: "edu-ID service", offset: 0),
        Member(folder: "alpha", name: "University of Alpha", offset: 1),
        Member(folder: "beta", name: "University of Beta", offset: 2),
    ]

    /// The people with accounts.
    static let people = [("ada", "Ada", "Lovelace"), ("ben", "Ben", "Franklin")]
    static let appName = "ch.example.eduid"
    static let readerID = "com.example.reader"

    func path(of member: Member) -> String { folder + "/" + member.folder }

    private func url(of member: Member) -> String { "http://localhost:\(port + member.offset)" }

    /// Makes what is not there yet.
    func make(on console: inout Console) throws(Failure) {
        guard !FileManager.default.fileExists(atPath: folder + "/people") else { return }
        let eduID = try issuer(of: members[0])
        for member in members {
            let role: Founding.Role =
                member.offset == 0
                ? .eduID
                : .service(under: eduID, offering: [(try reading(), ReadingRoom.link)])
            let founding = Founding(
                issuer: try issuer(of: member), role: role, name: member.name,
                address: .loopback(port + member.offset))
            try founding.make(path(of: member), on: &console)
        }
        try listServices(on: &console)
        let version = try makeVersion(on: &console)
        let reader = Founding.signingKey(using: &console.entropy)
        try makeApps(version, reader, under: eduID, on: &console)
        // Last, so that what was begun and not finished is not taken for whole.
        try makePeople(on: &console)
    }

    private func issuer(of member: Member) throws(Failure) -> Issuer {
        try Failure.refusing("the trial", try Issuer(parsing: url(of: member)))
    }

    /// Where a browser calls the phone back.
    private func callback() throws(Failure) -> CallbackAddress {
        try Failure.refusing("the trial", try CallbackAddress(parsing: "http://127.0.0.1:\(port + 4)/signed-in"))
    }

    private func reading() throws(Failure) -> ProtocolName {
        try Failure.refusing("the trial", try ProtocolName(parsing: ReadingRoom.protocolName))
    }

    private func listServices(on console: inout Console) throws(Failure) {
        var text = "services:\n"
        for member in members.dropFirst() {
            text += "  - url: \(url(of: member))\n    releases: [given_name, email]\n"
        }
        try console.store(Array(text.utf8), path(of: members[0]) + "/services.yaml", .shared, true)
    }

    /// Makes a version of the app, of which the edu-ID service knows the public half.
    private func makeVersion(on console: inout Console) throws(Failure) -> JWK.Private {
        let key = Founding.signingKey(using: &console.entropy)
        let home = path(of: members[0])
        try console.store(
            KeyFile([.secret(key)]).shown().encoded(as: .jwk), home + "/terminal-1.0.jwk", .shared, false)
        let text = """
            versions:
              - app: \(Self.appName)
                platform: terminal
                number: '1.0'
                key: terminal-1.0.jwk
                callbacks: [\(try callback().text)]

            """
        try console.store(Array(text.utf8), home + "/versions.yaml", .shared, true)
        return key
    }

    /// Makes the folders of a phone and of an app that the phone knows by its key.
    private func makeApps(
        _ version: JWK.Private, _ reader: JWK.Private, under eduID: Issuer, on console: inout Console
    ) throws(Failure) {
        let (phone, place) = (folder + "/phone", folder + "/reader")
        let name: Issuer = try Failure.refusing("the trial", try Issuer(parsing: Self.appName))
        let id: BundleID = try Failure.refusing("the trial", try BundleID(parsing: Self.readerID))
        try PhoneFolder.make(
            phone, federation: eduID, appName: name, versionKey: version, name: "a terminal", callback: try callback(),
            on: &console)
        try ReaderFolder.make(place, asking: phone, id: id, key: reader, on: &console)
        if let key = reader.publicKey { try PhoneFolder(at: phone, console).trust(id, [key], console) }
    }

    private func makePeople(on console: inout Console) throws(Failure) {
        var accounts = AccountFile()
        var notes = ""
        for (name, given, family) in Self.people {
            let password = Self.password(using: &console.entropy)
            let profile: JSON.Object = [
                "name": .string("\(given) \(family)"), "given_name": .string(given),
                "email": .string("\(name)@example.ch"),
            ]
            try Failure.refusing(
                "the accounts",
                try accounts.add(
                    UserName(parsing: name), password: Secret.Password(parsing: password), profile: profile,
                    rounds: Self.rounds, using: &console.entropy))
            notes += "\(name) \(password)\n"
        }
        try giveCodes(to: &accounts, on: &console)
        try console.store(accounts.serialized(), path(of: members[0]) + "/accounts", .secret, false)
        try console.store(Array(notes.utf8), folder + "/people", .secret, false)
    }

    /// Gives the last of the people one-time codes; the others sign in with a password alone.
    private func giveCodes(to accounts: inout AccountFile, on console: inout Console) throws(Failure) {
        guard let person = accounts.all.last else { return }
        let codes = OneTimeCodes(using: &console.entropy)
        let uri = try Failure.refusing("the one-time codes", try codes.uri(for: person.name, at: "eduid up"))
        try Failure.refusing("the accounts", try accounts.addCodes(codes, to: person.name))
        console.say("An authenticator app makes the codes of '\(person.name.text)' from this, which is shown once:")
        console.say(uri)
        console.say()
    }

    /// Few: the passwords are no person's, and debug builds compute slowly.
    private static let rounds = 1_000

    /// A password that is typed with ease, of 50 bits.
    private static func password(using entropy: inout any RandomNumberGenerator) -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let drawn = (0..<10).map { _ in letters[Int(entropy.next() & 31)] }
        return String(drawn[..<5]) + "-" + String(drawn[5...])
    }

    /// The options with which a command of the phone or the reader finds what is kept elsewhere than where it looks.
    private func whereabouts(of command: String) -> String {
        guard folder != Running.standardPlace else { return "" }
        let phone = "\(folder)/phone"
        return command.hasPrefix("reader") ? " --folder \(folder)/reader --phone \(phone)" : " --folder \(phone)"
    }

    /// What to do next.
    func advice(_ console: Console, withProvider hasProvider: Bool = false) throws(Failure) -> [String] {
        let people = String(decoding: try console.read(folder + "/people"), as: UTF8.self)
        let isBuilt = CommandLine.arguments.first?.contains("/.build/") ?? false
        let program = isBuilt ? "swift run eduid" : "eduid"
        let place = path(of: members[0]) + "/accounts"
        let accounts = try Failure.refusing("the accounts", try AccountFile(at: place))
        var lines = ["A federation is at work on this machine, and kept in '\(folder)':", ""]
        for member in members { lines.append("  \(url(of: member))  \(member.name)") }
        if hasProvider { lines.append("  \(try provider().issuer)  OpenID provider") }
        lines += ["", "Its people, with their passwords:", ""]
        lines += people.split(separator: "\n").map { "  " + $0 }
        for account in accounts.all where account.hasCodes {
            let name = account.name.text
            lines += [
                "", "Who signs in as '\(name)' is asked for a one-time code as well, and this shows one:", "",
                "  \(program) account code \(place) \(name)",
            ]
        }
        lines += ["", "In another terminal, the edu-ID app and an app that wants to read:", ""]
        var steps = [
            ("phone sign-in ada", "the app registers, and Ada signs in"),
            ("reader authorize", "the app asks Ada for services, and is given tokens"),
            ("reader use", "and uses them"), ("phone list", "what is open, and how each of it is ended"),
            ("phone sign-out", "ends all of it; see what 'reader use' says then"),
        ]
        if hasProvider { steps.insert(("phone sign-in --browser", "the same at the provider"), at: 1) }
        let commands = steps.map { "  \(program) \($0.0)\(whereabouts(of: $0.0))" }
        let width = (commands.map { $0.count }.max() ?? 0) + 2
        for (command, step) in zip(commands, steps) {
            lines.append(command + String(repeating: " ", count: width - command.count) + step.1)
        }
        lines += [
            "", "In a browser, people see the same at \(url(of: members[0]))/account, and end it there.", "",
            "Ctrl-C ends the federation; it goes on where it was.",
        ]
        return lines
    }
}
