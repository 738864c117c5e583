import Federation
import FederationTesting
import Foundation
@testable import Hosting
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// What operators ask a party at work.
@Suite("The back office of a party")
struct BackOfficeTests {
    private typealias Store = SharedStore<MemoryStore>

    /// A federation with a person who has given an app a token, its edu-ID service and its first service at work.
    private struct Scene {
        let eduID: PartyHost<EduIDService, Store>
        let service: PartyHost<FederationService, Store>
        let now: Timestamp
        let user: String
        let metrics = Metrics()
        let notes = Notes()

        final class Notes: Sendable {
            private let records = Mutex<[AuditRecord]>([])
            func add(_ record: AuditRecord) { records.withLock { $0.append(record) } }
            var all: [AuditRecord] { records.withLock { $0 } }
        }

        init(cutting isCut: Bool = false) throws {
            var parties = try Parties(seed: 53)
            try parties.signIn()
            try parties.authorize(try ServiceURL(parsing: Parties.homes[0]))
            let (federation, metrics, notes) = (parties.federation, metrics, notes)
            let now = federation.now
            let services = Mutex(federation)
            self.now = now
            user = parties.person.subject.text
            eduID = PartyHost(
                federation.eduID, in: SharedStore(federation.eduIDStore), clock: { now },
                note: { record in
                    notes.add(record)
                    metrics.note(record)
                },
                network: { request in isCut ? nil : services.withLock { $0.send(request) } })
            service = PartyHost(
                federation.services[0].service, in: SharedStore(federation.services[0].store), clock: { now },
                note: { notes.add($0) })
        }

        func ask(_ method: HTTP.Request.Method, _ target: String) async throws -> HTTP.Response {
            let office = BackOffice(
                eduID, counting: metrics, errands: ["fail": { "it is late" }, "do": { nil }], clock: { now })
            return await office.response(to: HTTP.Request(method, try HTTP.Request.Target(parsing: target)))
        }

        func asked(_ method: HTTP.Request.Method, ofService target: String) async throws -> HTTP.Response {
            let office = BackOffice(service, counting: metrics, clock: { now })
            return await office.response(to: HTTP.Request(method, try HTTP.Request.Target(parsing: target)))
        }
    }

    @Test("Administrators need no token there, and reach what administrators reach, and nothing else", .proves("OPS-8"))
    func administration() async throws {
        let scene = try Scene()
        let users = try JSON(parsing: try await scene.ask(.get, "/admin/users").body)
        #expect(users.array?.count == 1 && users.array?[0]["user"]?.string == scene.user)
        #expect(try await scene.ask(.get, "/admin/users?name=\(scene.user)&limit=1").status == .ok)
        #expect(try await scene.ask(.get, "/admin").status == .ok)
        for place in [
            "/token", "/admin/token", "/admin/../token", "/admin//users", "/adminusers", "/userinfo", "/admin/userinfo",
            "/", "/run", "/messages/1",
        ] {
            #expect(try await scene.ask(.get, place).status == .notFound, "\(place)")
        }
        #expect(try await scene.ask(.delete, "/admin/versions").status == .methodNotAllowed)
        // The same without the socket takes a token.
        let request = HTTP.Request(.get, try HTTP.Request.Target(parsing: "/admin/users"))
        #expect(await scene.eduID.answer(request).status == .unauthorized)
        #expect(try await scene.ask(.post, "/admin/users/\(scene.user)/lock").status == .noContent)
        #expect(try await scene.ask(.get, "/admin/users?locked=true").body.count > 2)
        let records = scene.notes.all
        #expect(records.contains { $0.endpoint == "admin/users" && $0.isAdministrators && $0.acts == [.reading] })
        let lock = try #require(records.last { $0.endpoint == "admin/users/*/lock" })
        #expect(lock.acts.contains(.deletion) && lock.isAdministrators && lock.time == scene.now)
        // The token that was refused was nobody's.
        #expect(records.contains { $0.refusal != nil && !$0.isAdministrators && $0.acts.isEmpty })
    }

    @Test("A service forgets a person", .proves("threat-75"))
    func erasure() async throws {
        let scene = try Scene()
        let users = try JSON(parsing: try await scene.asked(.get, ofService: "/admin/users").body)
        let name = try #require(users.array?.first?["user"]?.string)
        #expect(try await scene.asked(.delete, ofService: "/admin/users/nobody/data").status == .notFound)
        #expect(try await scene.asked(.delete, ofService: "/admin/users/\(name)/data").status == .noContent)
        let rest = try await scene.asked(.get, ofService: "/admin/users").body
        #expect(!String(decoding: rest, as: UTF8.self).contains(name))
        #expect(try await scene.asked(.delete, ofService: "/admin/users/\(name)/data").status == .notFound)
        let record = try #require(scene.notes.all.last { $0.endpoint == "admin/users/*/data" && $0.refusal == nil })
        #expect(scene.notes.all.contains { $0.acts == [.deletion] } && record.isAdministrators)
    }

    @Test("What timers do is done at once when somebody wants it", .proves("OPS-12"))
    func errands() async throws {
        let scene = try Scene(cutting: true)
        #expect(try await scene.ask(.post, "/admin/users/\(scene.user)/lock").status == .noContent)
        _ = await scene.eduID.tick()
        let waiting = try JSON(parsing: try await scene.ask(.get, "/messages").body)
        let message = try #require(waiting["messages"]?.array?.first)
        #expect(message["attempts"]?.number == 1 && message["waits-a-week"]?.bool == false)
        #expect(try #require(message["due"]?.string) > scene.now.description)
        // By itself it waits, and on demand it does not.
        _ = await scene.eduID.tick()
        #expect(try await attempts(scene) == 1)
        #expect(try await scene.ask(.post, "/run/delivery").status == .ok)
        #expect(try await attempts(scene) == 2)
        _ = await scene.eduID.tick()
        #expect(try await attempts(scene) == 2)
        for duty in ["reconciliation", "purge", "do"] {
            #expect(try await scene.ask(.post, "/run/\(duty)").status == .ok, "\(duty)")
        }
        let refused = try await scene.ask(.post, "/run/fail")
        #expect(refused.status.code == 409 && String(decoding: refused.body, as: UTF8.self).contains("it is late"))
        #expect(try await scene.ask(.post, "/run/nothing").status == .notFound)
        #expect(try await scene.ask(.get, "/run/purge").status == .methodNotAllowed)
    }

    private func attempts(_ scene: Scene) async throws -> JSON.Number? {
        try JSON(parsing: try await scene.ask(.get, "/messages").body)["messages"]?.array?.first?["attempts"]?.number
    }

    @Test("Monitoring learns numbers and health, and nothing about people", .proves("OPS-9"))
    func vitalSigns() async throws {
        let scene = try Scene()
        _ = try await scene.ask(.get, "/admin/users")
        let office = BackOffice(scene.eduID, counting: scene.metrics, clock: { scene.now })
        func sign(_ target: String) async throws -> HTTP.Response {
            await office.vitalSigns(for: HTTP.Request(.get, try HTTP.Request.Target(parsing: target)))
        }
        for target in ["/health", "/ready"] { #expect(try await sign(target).status == .ok) }
        for target in ["/admin/users", "/messages", "/run/purge"] {
            #expect(try await sign(target).status == .notFound)
        }
        let text = String(decoding: try await sign("/metrics").body, as: UTF8.self)
        for line in [
            #"eduid_decisions_total{endpoint="admin/users"} 1"#, #"eduid_acts_total{act="reading"} 1"#,
            "eduid_decision_seconds_count 1", #"eduid_decision_seconds_bucket{le="+Inf"} 1"#, "eduid_ready 1.0",
            "eduid_messages_waiting 0.0", "eduid_store_failures_total 0",
            "process_start_time_seconds \(Double(scene.now.seconds))",
        ] {
            #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)\n\(text)")
        }
        #expect(!text.contains(scene.user))
    }

    @Test("A store that fails is not ready, and is counted", .proves("OPS-9"))
    func unready() async throws {
        let federation = try Parties(seed: 54).federation
        let host = PartyHost(federation.eduID, in: FailingStore(), clock: { federation.now })
        let metrics = Metrics()
        metrics.noteStoreFailure()
        let office = BackOffice(host, counting: metrics, clock: { federation.now })
        func ask(_ target: String) async throws -> HTTP.Response {
            await office.response(to: HTTP.Request(.get, try HTTP.Request.Target(parsing: target)))
        }
        #expect(try await ask("/health").status == .ok)
        for target in ["/ready", "/messages", "/admin/users"] {
            #expect(try await ask(target).status == .serviceUnavailable)
        }
        let text = String(decoding: try await ask("/metrics").body, as: UTF8.self)
        #expect(text.contains("\neduid_ready 0.0\n") && text.contains("\neduid_store_failures_total 1\n"))
    }

    @Test("Values of labels are escaped, and there is a bound to how many there are", .proves("OPS-9"))
    func labels() throws {
        let metrics = Metrics()
        for number in 0..<2_000 {
            metrics.note(
                AccessLine(
                    nil, .localSocket, nil, HTTP.Response(.ok), rule: "r\"\\\n\(number)",
                    at: Moment(instant: .now, time: Timestamp(seconds: 0), date: nil)))
        }
        let text = metrics.text([:])
        #expect(text.contains(#"eduid_unread_requests_total{rule="r\"\\\n7"} 1"#))
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("eduid_unread_requests_total{") }
        #expect(lines.count <= 1_025)
        let counts = lines.compactMap { Int($0.split(separator: " ").last ?? "") }
        #expect(counts.reduce(0, +) == 2_000)
    }

    @Test(
        "Lines of several writers stand in a file whole, and it is begun anew where it was moved away",
        .proves("OPS-10"))
    func auditFile() async throws {
        let path = "/tmp/eduid-audit-\(UInt32.random(in: 0...(.max)))"
        defer { for end in ["", ".1"] { unlink(path + end) } }
        let files = [try AuditFile(at: path), try AuditFile(at: path)]
        await withTaskGroup(of: Void.self) { group in
            for file in files {
                group.addTask { for _ in 0..<200 { _ = file.append([UInt8](repeating: 0x61, count: 300)) } }
            }
        }
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 400 && lines.allSatisfy { $0.count == 300 })
        #expect(rename(path, path + ".1") == 0)
        #expect(files[0].append([0x62]))
        try files[0].reopen()
        #expect(files[0].append([0x63]))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "c\n")
        #expect(throws: HostingFailure.self) { try AuditFile(at: "/tmp/no-such-folder/audit") }
    }

    @Test("A line of which a full disk took a part is told, and spoils no other line", .proves("OPS-10"))
    func tornLines() throws {
        let path = "/tmp/eduid-audit-\(UInt32.random(in: 0...(.max)))"
        defer { unlink(path) }
        let room = Mutex(8)
        let file = try AuditFile(at: path) { number, bytes in
            let count = room.withLock { room in
                let count = min(room, bytes.count)
                room -= count
                return count
            }
            // Nothing at all is what a disk says that is full.
            return count == 0 ? -1 : write(number, bytes.baseAddress, count)
        }
        let content = { try String(contentsOfFile: path, encoding: .utf8) }
        #expect(file.append(Array("one".utf8)) && !file.append(Array("second".utf8)))
        #expect(!file.append(Array("third".utf8)))
        #expect(try content() == "one\nseco")
        // Room for the end of the torn line alone, and then for all.
        room.withLock { $0 = 1 }
        #expect(!file.append(Array("fourth".utf8)))
        room.withLock { $0 = 100 }
        #expect(file.append(Array("fifth".utf8)) && file.append(Array("sixth".utf8)))
        #expect(try content() == "one\nseco\nfifth\nsixth\n")
    }
}

/// A store that never answers.
private struct FailingStore: AsyncTokenStore {
    struct Failure: Error {}

    func load(_ keys: [Facts.Key]) async throws(Failure) -> Facts { throw Failure() }
    func commit(_ batch: Batch) async throws(Failure) -> Batch.Outcome { throw Failure() }
    func purge(at now: Timestamp, keeping retention: Retention) async throws(Failure) -> Int { throw Failure() }
}
