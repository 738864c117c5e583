import NAIL
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import Wire

@Suite("NAIL Framework API: the state is kept before it is used", .proves("NAI-3"))
struct KeepingTests {
    private let device = Device()

    /// Whether something that is begun goes on without waiting for what is held up.
    private func ends(_ body: @escaping @Sendable () async -> Void) async -> Bool {
        let hasEnded = Mutex(false)
        let task = Task {
            await body()
            hasEnded.withLock { $0 = true }
        }
        for _ in 0..<200 { await Task.yield() }
        _ = task
        return hasEnded.withLock { $0 }
    }

    private func expiring() throws -> ThirdPartyApp {
        device.grants(Sample.document(authorization: Sample.plain("old", refresh: "r-1", expiresIn: 60)))
        device.serves(["access_token": "new", "refresh_token": "r-2", "expires_in": 60])
        return try device.app()
    }

    // MARK: an answer with tokens in it

    @Test func nobodyWhoWaitsGetsATokenThatIsNotKept() async throws {
        let app = try expiring()
        let gate = Gate()
        device.keeps { _ in
            await gate.pass()
            return true
        }
        async let services = app.authorize([Sample.name(Sample.reading)])
        await gate.reached()
        let service = try #require(app.services.first)
        let name = try Sample.name(Sample.reading)
        #expect(await ends { _ = try? await service.request(.get, name) } == false)
        gate.open()
        #expect(try await services.map(\.url.identity) == [Sample.alpha + "/"])
        #expect(try await service.request(.get, name).fields.value(of: .authorization).value == "Bearer old")
    }

    @Test func norATokenOfARenewalThatIsNotKept() async throws {
        let app = try expiring()
        let name = try Sample.name(Sample.reading)
        let service = try #require(try await app.authorize([name]).first)
        device.pass(seconds: 60)
        let gate = Gate()
        device.keeps { _ in
            await gate.pass()
            return true
        }
        async let first = service.request(.get, name)
        await gate.reached()
        // The renewal is settled and the new token valid; who comes now waits all the same.
        #expect(try service.standing(of: name) == .valid(until: device.now + .seconds(60)))
        #expect(await ends { _ = try? await service.request(.get, name) } == false)
        gate.open()
        #expect(try await first.fields.value(of: .authorization).value == "Bearer new")
        #expect(device.sent.count == 1)
    }

    @Test func aCancelledCallerLosesNoAnswer() async throws {
        let app = try expiring()
        let (gate, name) = (Gate(), try Sample.name(Sample.reading))
        device.keeps { _ in
            await gate.pass()
            return !Task.isCancelled
        }
        let caller = Task { _ = try? await app.authorize([name]) }
        await gate.reached()
        caller.cancel()
        gate.open()
        await caller.value
        #expect(device.stored == [app.serialize()])
    }

    // MARK: crashes

    /// Where the process ends, on the way of a renewal.
    enum Crash: CaseIterable {
        case onTheWay, whileStoring, stored
    }

    /// The service gives an answer that was lost again to whoever asks with the same refresh token; so it does for a
    /// minute (threat 72).
    @Test(.proves("NIF-9"), arguments: Crash.allCases) func aRenewalOutlivesTheProcess(_ crash: Crash) async throws {
        let app = try expiring()
        let name = try Sample.name(Sample.reading)
        let service = try #require(try await app.authorize([name]).first)
        device.pass(seconds: 60)
        device.serves { request in
            let spent = try? request.field("refresh_token")
            let answer: JSON.Object = ["access_token": "new", "refresh_token": "r-2", "expires_in": 60]
            return spent == "r-1"
                ? HTTP.Response(.ok, body: answer.encoded())
                : HTTP.Response(.badRequest, body: Array(#"{"error":"invalid_grant"}"#.utf8))
        }
        let stopped = Gate()
        if crash == .onTheWay {
            device.serves { _ in
                await stopped.pass()
                return nil
            }
        } else if crash == .whileStoring {
            device.keeps { _ in
                await stopped.pass()
                return false
            }
        }
        let caller = Task { _ = try? await service.request(.get, name) }
        if crash == .stored { await caller.value } else { await stopped.reached() }
        // The process ends. Another begins with what is on the disk.
        let disk = try #require(device.stored.last)
        #expect(disk.contains(crash == .stored ? "r-2" : "r-1"))
        let next = Device()
        next.pass(seconds: 60)
        next.serves { request in
            let answer: JSON.Object = ["access_token": "new", "refresh_token": "r-2", "expires_in": 60]
            return (try? request.field("refresh_token")) == "r-1"
                ? HTTP.Response(.ok, body: answer.encoded())
                : HTTP.Response(.badRequest, body: Array(#"{"error":"invalid_grant"}"#.utf8))
        }
        let again = try next.app()
        try again.parse(disk)
        let found = try #require(again.services.first)
        #expect(try await found.request(.get, name).fields.value(of: .authorization).value == "Bearer new")
        #expect(next.sent.count == (crash == .stored ? 0 : 1))
        stopped.open()
        await caller.value
    }

    @Test func aCrashBeforeTheAnswerIsKeptLeavesTheOldState() async throws {
        let app = try expiring()
        let name = try Sample.name(Sample.reading)
        _ = try await app.authorize([name])
        let before = try #require(device.stored.last)
        let gate = Gate()
        device.keeps { _ in
            await gate.pass()
            return true
        }
        device.grants(Sample.document(Sample.beta))
        async let second = app.authorize([name])
        await gate.reached()
        #expect(device.stored.last == before)
        let again = try Device().app()
        try again.parse(before)
        #expect(again.services.map(\.url.identity) == [Sample.alpha + "/"])
        gate.open()
        #expect(try await second.count == 1)
        #expect(device.stored.last == app.serialize())
    }

    @Test(.proves("NAI-7")) func aRevocationThatIsStoppedCanBeginAnew() async throws {
        let app = try expiring()
        let service = try #require(try await app.authorize([Sample.name(Sample.reading)]).first)
        let gate = Gate()
        device.serves { _ in
            await gate.pass()
            return HTTP.Response(.ok)
        }
        async let isRevoked = service.revoke()
        await gate.reached()
        // Forgotten here, so that nobody uses it; still on the disk, where its refresh token is all that can end it.
        #expect(app.services.isEmpty)
        #expect(device.stored.last?.contains("r-1") == true)
        gate.open()
        #expect(await isRevoked)
        #expect(device.stored.last == app.serialize())
        #expect(device.stored.last?.contains("r-1") == false)
    }

    // MARK: what the app does at once

    @Test(.proves("NAI-8")) func whatIsDoneAtOnceIsKeptWhenKeepSaysSo() async throws {
        let nail = try await device.nail(Sample.document(), Sample.document(Sample.beta))
        let count = device.stored.count
        nail.removeService(Sample.alpha)
        #expect(device.stored.count == count)
        #expect(await nail.keep())
        #expect(device.stored.count == count + 1)
        #expect(device.stored.last == nail.serialize())
        // Nothing has changed since.
        #expect(await nail.keep())
        _ = await nail.getServiceToken(Sample.beta, Sample.reading)
        #expect(await nail.keep())
        #expect(device.stored.count == count + 1)
        nail.clearAllServices()
        nail.noteRefusal(of: "token-1", Sample.beta, Sample.reading)
        #expect(await nail.keep())
        #expect(device.stored.last == NAILState().serialized())
    }

    @Test func withoutAStoreNothingIsKept() async throws {
        var surroundings = try device.surroundings()
        surroundings.store = nil
        let app = try device.app(on: surroundings)
        device.grants(Sample.document())
        #expect(try await app.authorize([Sample.name(Sample.reading)]).count == 1)
        #expect(await app.keep() == false)
        #expect(await IntegrationLayer().keep() == false)
    }

    @Test func whatCouldNotBeStoredIsStoredLater() async throws {
        let app = try expiring()
        device.keeps { _ in false }
        let service = try #require(try await app.authorize([Sample.name(Sample.reading)]).first)
        #expect(await app.keep() == false)
        #expect(device.stored.isEmpty)
        let unkept = device.notices.filter { if case .unkept = $0 { true } else { false } }
        #expect(unkept.count == 2)
        // A disk that is full does not close the service.
        let request = try await service.request(.get, Sample.name(Sample.reading))
        #expect(request.fields.value(of: .authorization).value == "Bearer old")
        device.keeps { _ in true }
        #expect(await app.keep())
        #expect(device.stored == [app.serialize()])
    }

    // MARK: many at once

    /// A store that is slow in turns, and notes how many write at once.
    @Test func noOlderStateTakesThePlaceOfANewerOne() async throws {
        let writing = Mutex((now: 0, most: 0, count: 0))
        device.answers { request in
            let name = request.protocols.first?.text ?? ""
            return JSON.array([Sample.document("https://\(name).example.ch", offering: [name])]).encoded()
        }
        device.keeps { _ in
            let turn = writing.withLock { writing in
                writing.now += 1
                writing.most = max(writing.most, writing.now)
                writing.count += 1
                return writing.count
            }
            for _ in 0..<(turn.isMultiple(of: 2) ? 1 : 50) { await Task.yield() }
            writing.withLock { $0.now -= 1 }
            return true
        }
        let nail = IntegrationLayer(try device.app())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { await nail.authorizeProtocols(["p\(number)"]) }
                group.addTask {
                    nail.removeService("https://p\(number / 2).example.ch")
                    #expect(await nail.keep())
                }
            }
        }
        #expect(await nail.keep())
        #expect(device.stored.last == nail.serialize())
        #expect(writing.withLock { $0.most } == 1)
        // Many changes go to the disk together.
        #expect(writing.withLock { $0.count } <= 41)
    }

    @Test func manyWhoWaitAreServedByFewWrites() async throws {
        let nail = try await device.nail(Sample.document())
        let gate = Gate()
        device.keeps { _ in
            await gate.pass()
            return true
        }
        let before = device.stored.count
        await withTaskGroup(of: Bool.self) { group in
            nail.removeService(Sample.alpha)
            for _ in 0..<50 { group.addTask { await nail.keep() } }
            group.addTask {
                await gate.reached()
                gate.open()
                return true
            }
            for await isKept in group { #expect(isKept) }
        }
        #expect(device.stored.count == before + 1)
    }
}
