import Foundation
import TestSupport
import Testing
import TokenTree
import Wire

/// Whole sessions, to the byte.
@Suite("Command line: transcripts")
struct TranscriptTests {
    private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_TRANSCRIPTS"] == "1"
    private static let folder = Repository.root.appending(path: "Fixtures/command-line")

    @Test(
        "what is typed, what is answered",
        arguments: ["usage", "help", "keys", "tokens", "services", "trees", "demo", "readme"])
    func session(name: String) throws {
        let text = String(decoding: try Repository.fixture("command-line/\(name).txt"), as: UTF8.self)
        let written = Transcript(parsing: text)
        #expect(written.text == text, "the transcript is not in the form that is written")
        #expect(!written.steps.isEmpty)
        let played = written.played()
        if Self.isUpdating {
            try Data(played.text.utf8).write(to: Self.folder.appending(path: name + ".txt"))
        }
        for (written, played) in zip(written.steps, played.steps) {
            let differs = Comment(rawValue: "$ \(written.command)\n" + played.answer.joined(separator: "\n"))
            #expect(written.answer == played.answer, differs)
        }
    }

    @Test("README.md shows no command that is not played here") func readme() throws {
        let session = Transcript(
            parsing: String(decoding: try Repository.fixture("command-line/readme.txt"), as: UTF8.self))
        let played = Set(session.steps.map(\.command) + PartyTests.shownCommands)
        let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        let shown = Self.commands(shownIn: readme)
        #expect(shown.allSatisfy(played.contains), "\(shown.filter { !played.contains($0) })")
        let example = "eduid a\n```sh\nswift build\neduid b c\necho '{}' | eduid d -\n```\neduid e\n"
        #expect(Self.commands(shownIn: example) == ["eduid b c", "eduid d -"])
    }

    /// The calls of the program in the shell blocks of a Markdown text.
    private static func commands(shownIn text: String) -> [String] {
        var commands: [String] = []
        var isShell = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") { isShell = line == "```sh" }
            guard isShell else { continue }
            commands += line.components(separatedBy: " | ").filter { $0.hasPrefix("eduid ") }
        }
        return commands
    }

    /// The tree of the transcripts: a chain of six levels, of which the version is revoked in the journal, and a code
    /// that is redeemed.
    @Test("the tree of the transcripts is one") func tree() throws {
        func at(_ seconds: Int64) -> Timestamp { World.now + .seconds(seconds) }
        func record(
            _ id: String, _ kind: Record.Kind, on parent: String?, holder: String? = nil, access: Int64? = nil
        ) throws -> Record {
            Record(
                id: try TokenID(parsing: id), kind: kind, parent: try parent.map { try TokenID(parsing: $0) },
                issued: at(-3600),
                holder: try holder.map { try Record.Holder(parsing: $0) },
                subject: kind == .versionKey || kind == .client ? nil : try Record.Subject(parsing: "anna"),
                accessExpiry: access.map(at))
        }
        var tree = MemoryStore()
        let records = [
            try record("version-7", .versionKey, on: nil, holder: "kid"),
            try record("instance-1", .client, on: "version-7", holder: "instance"),
            try record("personal-1", .personal, on: "instance-1"),
            try record("assertion-1", .assertion, on: "personal-1", access: 300),
            try record("service-1", .service, on: "assertion-1"),
            try record("app-1", .app, on: "service-1", access: 600),
        ]
        #expect(tree.commit(Batch(at: at(-3600), records.map { .insert($0) })) == .applied)
        let snapshot = tree.snapshot().encoded()
        var journal: [UInt8] = []
        let revocation = Batch(at: at(60), [.revoke(try TokenID(parsing: "version-7"), .administrator)])
        // A journal follows the tree that the snapshot gives back.
        var restoration = MemoryStore.Restoration()
        try restoration.read(snapshot)
        tree = try restoration.finish(expecting: tree.head).tree
        #expect(tree.commit(revocation, journal: &journal) == .applied)
        let files = [("tree.snapshot", snapshot), ("tree.journal", journal)]
        for (name, bytes) in files {
            if Self.isUpdating { try Data(bytes).write(to: Self.folder.appending(path: "files/" + name)) }
            #expect(try Repository.fixture("command-line/files/" + name) == bytes)
        }
    }
}
