@testable import Federation
import JOSE
import OAuth2Grants
import TestSupport
import Testing
@testable import TokenTree
import Wire

/// What is written down about a decision.
@Suite("Audit records")
struct AuditRecordTests {
    private let time = Timestamp(seconds: 1_800_000_000)

    private func record(_ kind: Record.Kind, _ name: String = "record-1") throws -> Record {
        try Record(
            id: TokenID(parsing: name), kind: kind, parent: nil, issued: time,
            holder: Record.Holder(parsing: "holder-1"),
            subject: Record.Subject(parsing: "user-1"), audience: Record.Audience(parsing: "https://alpha.example"),
            accessExpiry: time + .seconds(60), attributes: ["device_name": "Ada's phone"])
    }

    private func noted(
        _ changes: [Change] = [], by requester: Record? = nil, refusal: Refusal? = nil
    ) -> AuditRecord {
        AuditRecord(at: "token", by: requester, changes: changes, refusal: refusal)
    }

    @Test("Storage, reading, alteration, disclosure and deletion are told apart", .proves("OPS-10"))
    func acts() throws {
        let id = try TokenID(parsing: "record-1")
        let user = try Record.Subject(parsing: "user-1")
        let service = try Record.Audience(parsing: "https://alpha.example")
        let cases: [([Change], Set<AuditRecord.Act>)] = [
            ([.insert(try record(.personal))], [.storage]),
            ([.insert(try record(.assertion))], [.storage, .disclosure]),
            ([.visit(user, service)], [.storage]), ([.revoke(id, .user)], [.deletion]),
            ([.leave(user, service)], [.deletion]), ([.forget(user)], [.deletion]),
            ([.describe(id, [:])], [.alteration]), ([.confirm(id)], [.alteration]),
            ([.reground(id, from: id, onto: id)], [.alteration]),
            ([.revoke(id, .user), .insert(try record(.personal))], [.deletion, .storage]),
        ]
        for (changes, acts) in cases {
            #expect(noted(changes).acts == acts, "\(changes)")
            // What a refusal ends or stores counts like anything else.
            #expect(noted(changes, refusal: .contended).acts == acts)
        }
        // What only guards against repetition is about nobody; then it counts who was told.
        for quiet in [[], [Change.touch(id)], [.consume(id)], [.settle(.init(id), .delivered)]] as [[Change]] {
            #expect(noted(quiet).acts == [])
            #expect(noted(quiet, by: try record(.personal)).acts == [.reading])
            #expect(noted(quiet, by: try record(.assertion)).acts == [.disclosure])
            #expect(noted(quiet, by: try record(.personal), refusal: .contended).acts == [])
            var administrators = noted(quiet)
            administrators.isAdministrators = true
            #expect(administrators.acts == [.reading])
            var access = noted(quiet)
            access.grant = id
            #expect(access.acts == [.reading])
        }
    }

    @Test("A line says what was decided, by which rule, and names neither people nor devices", .proves("OPS-10"))
    func line() throws {
        let user = try Record.Subject(parsing: "user-1")
        let app = try record(.app, "record-2")
        var noted = noted(
            [.insert(app), .revoke(try TokenID(parsing: "record-3"), .user), .forget(user), .touch(app.id)],
            by: try record(.personal), refusal: .contended)
        noted.time = time
        noted.duration = .microseconds(1_234)
        let bytes = noted.encoded(by: try Issuer(parsing: "https://eduid.example.ch"))
        let line = try JSON(parsing: bytes)
        #expect(line["time"]?.string == "2027-01-15T08:00:00Z" && line["party"]?.string == "https://eduid.example.ch")
        #expect(line["endpoint"]?.string == "token" && line["by"]?.string == "personal")
        #expect(line["record"]?.string == "record-1" && line["outcome"]?.string == "refused")
        #expect(line["rule"]?.string == "threat-32" && line["error"]?.string == "temporarily_unavailable")
        #expect(line["acts"] == ["storage", "deletion"] && line["microseconds"]?.number == 1_234)
        let changes = try #require(line["changes"]?.array)
        #expect(changes.count == 3)
        #expect(changes[0]["do"]?.string == "insert" && changes[0]["app"]?.string == "holder-1")
        #expect(changes[0]["until"]?.string == "2027-01-15T08:01:00Z")
        #expect(changes[0]["for"]?.string == "https://alpha.example")
        #expect(changes[1]["record"]?.string == "record-3" && changes[2] == ["do": "forget"])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("user-1") && !text.contains("phone") && !text.contains("\n"))
        // Whoever holds anything but an app is a person's device.
        let client = self.noted([.insert(try record(.client))]).encoded(by: try Issuer(parsing: "https://a.example"))
        #expect(!String(decoding: client, as: UTF8.self).contains("holder-1"))
    }
}
