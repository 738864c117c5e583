import Foundation
import TestSupport
import Testing
import Wire

@testable import eduid

/// The keys of parties that are not at work.
@Suite("Command line: keys of a party", .serialized)
struct KeyRotationTests {
    private let folder: URL

    init() throws {
        folder = URL(filePath: "/tmp/eduid-\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func run(_ words: [String]) throws -> (status: Int32, output: String) {
        let (process, lines) = try RunningTrial.start(words, in: folder)
        process.waitUntilExit()
        // The last line may still be on its way.
        usleep(50_000)
        return (process.terminationStatus, lines.all.joined(separator: "\n"))
    }

    private func key(_ words: String...) throws -> (status: Int32, output: String) {
        try run(["admin", "key"] + words)
    }

    @discardableResult
    private func done(_ words: String...) throws -> String {
        let done = try run(["admin", "key"] + words)
        try #require(done.status == 0, "\(words): \(done.output)")
        return done.output
    }

    private func makeParty(_ role: String) throws {
        let trusting = role == "service" ? ["--edu-id", "https://eduid.example.ch", "--name", "Moodle"] : []
        let made = try run(["init", "party", "--role", role, "--issuer", "https://party.example.ch"] + trusting)
        try #require(made.status == 0, "\(made.output)")
    }

    private func place(_ name: String) -> URL { folder.appending(path: "party/" + name) }

    @Test(
        "A former key is published for as long as anything that it signed is good", .proves("OPS-11"),
        .proves("KEY-24"), arguments: [("service", 3_600), ("edu-id", 365 * 86_400)])
    func life(role: String, lifetime: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeParty(role)
        try done("prepare", "party")
        try done("rotate", "party")
        func retire(after seconds: Int) throws -> (status: Int32, output: String) {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -Double(seconds))],
                ofItemAtPath: place("signing.former.jwk").path)
            return try key("retire", "party")
        }
        let early = try retire(after: lifetime)
        #expect(early.status == 1 && early.output.contains("may be good for another"), "\(early.output)")
        let late = try retire(after: lifetime + 700)
        #expect(late.status == 0, "\(late.output)")
    }
}
