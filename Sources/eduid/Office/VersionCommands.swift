import Foundation
import Hosting
import JOSE
import OAuth2Grants
import Wire

/// The released versions of the edu-ID app.
enum VersionCommands {
    static let command = Command(
        name: "version", abstract: "Versions of the edu-ID app: list, add, block, unblock, withdraw.",
        subcommands: [
            Administering.listing("versions", "Show the versions of the app, and how they stand."), add,
            Administering.changing(
                "block", "Shut a version out, with all its copies.", version, .post,
                "is shut out, with all its copies"),
            Administering.changing(
                "unblock", "Let a version in again; what ended stays ended.", version, .post, "is let in again",
                takingReason: false), withdraw,
        ])

    private static let key = Argument(
        name: "key", kind: .text, abstract: "The name of the version's key, as the list shows it.")
    private static let version = Administering.Subject(list: "versions", argument: key) {
        "The version with the key '\($0)'"
    }
    private static let file = Argument(name: "file", kind: .file, abstract: "The version's public key.")
    private static let app = Option(name: "app", value: "name", abstract: "The name of the app.", isRequired: true)
    private static let platform = Option(
        name: "platform", value: "word", abstract: "ios, android or another word.", isRequired: true)
    private static let number = Option(
        name: "number", value: "number", abstract: "The number of the version, as in 1.0.", isRequired: true)
    private static let callback = Option(
        name: "callback", value: "address", abstract: "Where a browser calls the app back.", isRepeated: true)
    private static let since = Option(
        name: "since", value: "time", abstract: "When the key was stolen: seconds since 1970, or 2027-01-31T12:00:00Z.",
        isRequired: true)

    private static let add = Command(
        name: "add", abstract: "Add a version that is released.", arguments: [Running.folder, file],
        options: [app, platform, number, callback],
        discussion: """
            Its key is copied into the folder, and it is written into the file that 'versions'
            names in the configuration, which the party reads anew.
            """
    ) { (invocation, console) throws(Failure) in
        try console.meet()
        let configuration = try Configuration(in: try invocation.required(Running.folder), from: console)
        let eduID = try configuration.eduID(for: "versions of the app")
        let shown = try KeyFile(reading: try invocation.required(file), from: console).shown()
        guard case .shown(let key) = try shown.only(), let id = key.id else {
            throw .refused("the version's key needs a name: 'eduid key generate --id NAME'")
        }
        let (platform, number) = (try invocation.required(platform), try invocation.required(number))
        let name = "\(platform)-\(number).jwk"
        guard !name.contains("/") else { throw .refused("'\(name)' cannot be the name of a file") }
        var roster = try Roster("versions", in: eduID.versions, of: configuration, console)
        let folder = URL(filePath: eduID.versions).deletingLastPathComponent().path
        try console.store(try shown.encoded(as: .jwk), folder + "/" + name, .shared, false)
        let callbacks = try invocation.all(callback).map { text throws(Failure) in
            JSON.string(try Failure.refusing("'\(text)'", try CallbackAddress(parsing: text)).text)
        }
        var entry: JSON.Object = [
            "app": .string(try invocation.required(app)), "platform": .string(platform), "number": .string(number),
            "key": .string(name),
        ]
        if !callbacks.isEmpty { entry["callbacks"] = .array(callbacks) }
        roster.add(entry)
        do throws(Failure) {
            try roster.save(&console, "Version \(number) for \(platform) is released, by the key '\(id.text)'.")
        } catch {
            unlink(folder + "/" + name)
            throw error
        }
    }

    private static let withdraw = Command(
        name: "withdraw", abstract: "Say that the key of a version was stolen: what came of it since then ends.",
        arguments: [Running.folder, key], options: [since, Administering.reason]
    ) { (invocation, console) throws(Failure) in
        let (office, id) = (try Office(invocation, console), try invocation.required(key))
        let time = try invocation.time(of: since, on: console)
        let details = [HTTP.Form.Pair("since", "\(time.seconds)")] + Administering.remark(invocation)
        try office.insist(.post, ["admin", "versions", id, "withdraw"], details)
        console.say("What came of the key '\(id)' since then has ended.")
    }
}
