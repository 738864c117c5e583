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
        try RunningTrial.finished(words, in: folder)
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

    private func states() throws -> [String?] {
        let report = try JSON(parsing: Array(try done("list", "party", "--output", "json").utf8))
        return (report["keys"]?.array ?? []).map { $0["state"]?.string }
    }

    @Test("A rotation that was cut off is done again, and its former key stands there once", .proves("OPS-11"))
    func cutOff() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeParty("service")
        let files = FileManager.default
        try done("prepare", "party")
        try files.copyItem(at: place("signing.jwk"), to: place("kept"))
        try done("rotate", "party")
        // The former key is published, and signs still.
        try files.moveItem(at: place("signing.jwk"), to: place("signing.next.jwk"))
        try files.moveItem(at: place("kept"), to: place("signing.jwk"))
        #expect(try states() == ["signs", "next", "former"])
        try done("rotate", "party")
        #expect(try states() == ["signs", "former"])
    }

    @Test("A former key that stands there twice is withdrawn twice", .proves("OPS-11"))
    func twice() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeParty("service")
        try done("prepare", "party")
        try done("rotate", "party")
        let file = place("signing.former.jwk")
        let former = try JSON(parsing: [UInt8](Data(contentsOf: file)))
        let stolen = try #require(former["keys"]?.array?.first)
        try Data(JSON.object(["keys": .array([stolen, stolen])]).encoded()).write(to: file)
        #expect(try states() == ["signs", "former", "former"])
        let name = try #require(stolen["kid"]?.string)
        try done("withdraw", "party", name, "--since", "2026-01-02T00:00:00Z")
        #expect(try states() == ["signs", "withdrawn", "withdrawn"])
        let again = try key("withdraw", "party", name, "--since", "2026-01-03T00:00:00Z")
        #expect(again.status == 1 && again.output.contains("already"), "\(again.output)")
        try done("withdraw", "party", name, "--since", "2026-01-01T00:00:00Z")
    }
}
