import Federation
import Foundation
import RSD2
import TestSupport
import Testing
import Wire

@testable import eduid

/// What a party keeps of the federation's services for its next run.
@Suite("Command line: what is known of services", .proves("NET-8"))
struct KnownServicesTests {
    private static let document =
        #"{"engineLink":"","homePageLink":"https://a.example.ch","apis":{"org.ietf.oauth2":{"apiLink":"oauth"}}}"#
    private let file = KnownServices(path: "/tmp/eduid-\(UInt32.random(in: 0...(.max))).json")

    private func service() throws -> ServiceURL { try ServiceURL(parsing: "https://a.example.ch") }

    private func known(at location: String, from origin: String, failures: Int) throws -> Crawl.Known {
        Crawl.Known(
            try service(), try ServiceDescription(parsing: Array(Self.document.utf8)),
            at: try WebURL(parsing: location), from: try WebURL(parsing: origin), failures: failures)
    }

    private func read(allowing hosts: [String] = []) throws -> [Crawl.Known] {
        let allowed = try hosts.map { try WebURL(parsing: "https://" + $0).host }
        let member = try ServiceIndex.Member(service(), allowedHosts: allowed)
        return file.read(ServiceIndex([member]), Crawl.Policy())
    }

    @Test("What is kept is read back, each part of it") func kept() throws {
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let known = try known(at: "https://a.example.ch/rsd2.json", from: "https://b.example.ch/a.json", failures: 3)
        #expect(file.keep([known]))
        let read = try #require(try read(allowing: ["b.example.ch"]).first)
        #expect(read.service == known.service && read.description == known.description)
        #expect(read.location == known.location && read.origin == known.origin && read.failures == 3)
    }

    @Test("What the index allows no more is not read back") func withdrawn() throws {
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let (own, other) = ("https://a.example.ch/rsd2.json", "https://b.example.ch/a.json")
        for (location, origin) in [(own, other), (other, own)] {
            #expect(file.keep([try known(at: location, from: origin, failures: 0)]))
            #expect(try read(allowing: ["b.example.ch"]).count == 1)
            #expect(try read().isEmpty)
        }
        #expect(file.keep([try known(at: own, from: own, failures: 0)]))
        #expect(try read().count == 1)
        #expect(file.read(ServiceIndex([]), Crawl.Policy()).isEmpty)
    }

    @Test(
        "What an earlier version kept is read, and what nobody wrote is nothing",
        arguments: [
            (#"{"services":[{"url":"https://a.example.ch","document":DOCUMENT}]}"#, 1),
            (#"{"services":[{"url":"https://a.example.ch","document":DOCUMENT,"failures":-5}]}"#, 1),
            (#"{"services":[{"url":"https://a.example.ch","document":DOCUMENT,"failures":9e99}]}"#, 1),
            (#"{"services":[{"url":"https://a.example.ch"}]}"#, 0), (#"{"services":[7]}"#, 0), ("[]", 0), ("", 0),
        ])
    func foreign(_ text: String, _ count: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let text = text.replacing("DOCUMENT", with: Self.document)
        try text.write(toFile: file.path, atomically: true, encoding: .utf8)
        let read = try read()
        #expect(read.count == count && read.allSatisfy { $0.failures == 0 })
    }
}
