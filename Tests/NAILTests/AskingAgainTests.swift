import NAIL
import OAuth2Grants
import Synchronization
import TestSupport
import Testing
import Wire

@Suite("NAIL: a refused request, from the renewal to the person", .proves("NIF-9"), .proves("NIF-12"))
struct AskingAgainTests {
    private let device = Device()
    /// What the service got, and what the person was told.
    private let log = Log()

    final class Log: Sendable {
        private let content = Mutex<(sent: [String], told: [NAILState.Refusal])>(([], []))

        var sent: [String] { content.withLock { $0.sent } }
        var told: [NAILState.Refusal] { content.withLock { $0.told } }

        func send(_ token: String) { content.withLock { $0.sent.append(token) } }
        func tell(_ refusal: NAILState.Refusal) { content.withLock { $0.told.append(refusal) } }
    }

    private func service(
        _ token: String, refresh: String? = nil, of app: ThirdPartyApp? = nil
    ) async throws -> ThirdPartyApp.Service {
        device.grants(Sample.document(authorization: Sample.plain(token, refresh: refresh)))
        let app = try app ?? device.app()
        return try #require(try await app.authorize([Sample.name(Sample.reading)]).first)
    }

    /// A request that the service answers for these tokens alone.
    private func load(
        _ service: ThirdPartyApp.Service, accepting accepted: Set<String>, consent: Bool = true
    ) async throws(NAILState.Refusal) -> HTTP.Response? {
        let log = self.log
        return try await service.response(to: .get, "org.example.reading", "list") { request in
            let token = String((request.fields.value(of: .authorization).value ?? "").dropFirst("Bearer ".count))
            log.send(token)
            return HTTP.Response(accepted.contains(token) ? .ok : .unauthorized)
        } askingAgain: { refusal in
            log.tell(refusal)
            return consent
        }
    }

    // MARK: nobody is asked

    @Test func whatIsAcceptedIsSentOnce() async throws {
        let service = try await service("a")
        #expect(try await load(service, accepting: ["a"])?.status == .ok)
        #expect(log.sent == ["a"] && log.told.isEmpty && device.sent.isEmpty)
    }

    @Test(arguments: [HTTP.Response.Status.forbidden, .notFound, .internalServerError, .found])
    func otherAnswersAreTheCallers(_ status: HTTP.Response.Status) async throws {
        let service = try await service("a", refresh: "r-1")
        let answer = try await service.response(to: .get, "org.example.reading") { _ in
            HTTP.Response(status)
        } askingAgain: { _ in
            true
        }
        #expect(answer?.status == status)
        #expect(try service.standing(of: "org.example.reading") == .valid(until: nil))
        let silence = try await service.response(to: .get, "org.example.reading") { _ in
            nil
        } askingAgain: { _ in
            true
        }
        #expect(silence == nil)
        #expect(device.sent.isEmpty)
    }

    @Test func aRefusedTokenIsRenewedFirst() async throws {
        let service = try await service("a", refresh: "r-1")
        device.serves(["access_token": "b", "refresh_token": "r-2"])
        #expect(try await load(service, accepting: ["b"])?.status == .ok)
        #expect(log.sent == ["a", "b"] && log.told.isEmpty && device.sent.count == 1)
    }

    @Test func whereTheNetworkIsGoneNobodyIsAsked() async throws {
        let service = try await service("a", refresh: "r-1")
        device.serves { _ in nil }
        await #expect(throws: NAILState.Refusal.unavailable) { try await load(service, accepting: []) }
        // The next time the token has expired, and the network is still gone.
        await #expect(throws: NAILState.Refusal.unavailable) { try await load(service, accepting: []) }
        #expect(log.sent == ["a"] && log.told.isEmpty)
        #expect(device.asked.count == 1)
    }

    // MARK: the person is asked

    @Test(.proves("UX-6")) func whenTheRenewalIsRefusedThePersonIsAsked() async throws {
        let service = try await service("a", refresh: "r-1")
        device.serves(["error": "invalid_grant"], status: .badRequest)
        device.grants(Sample.document(authorization: Sample.plain("c")))
        #expect(try await load(service, accepting: ["c"])?.status == .ok)
        #expect(log.told == [.ended(.invalidGrant)])
        #expect(log.sent == ["a", "c"])
        #expect(device.asked.count == 2)
    }

    @Test func withoutARefreshTokenThePersonIsAskedAtOnce() async throws {
        let service = try await service("a")
        device.grants(Sample.document(authorization: Sample.plain("c")))
        #expect(try await load(service, accepting: ["c"])?.status == .ok)
        #expect(log.told == [.notRenewable])
        #expect(device.sent.isEmpty)
    }

    @Test func whatHadEndedBeforeIsNotSentAtAll() async throws {
        let service = try await service("a")
        await #expect(throws: NAILState.Refusal.notRenewable) { try await load(service, accepting: [], consent: false) }
        device.grants(Sample.document(authorization: Sample.plain("c")))
        #expect(try await load(service, accepting: ["c"])?.status == .ok)
        #expect(log.sent == ["a", "c"])
        #expect(log.told == [.notRenewable, .expired])
    }

    @Test func allProtocolsThatCameTogetherAreAskedForTogether() async throws {
        let both = [Sample.reading, Sample.writing]
        device.grants(Sample.document(offering: both, authorization: Sample.plain("a")))
        let app = try device.app()
        let service = try #require(try await app.authorize(both.map { try Sample.name($0) }).first)
        device.grants(Sample.document(offering: both, authorization: Sample.plain("c")))
        _ = try await load(service, accepting: ["c"])
        #expect(device.asked.last?.protocols.map(\.text) == both)
    }

    // MARK: it ends

    @Test func aPersonWhoDeclinesIsNotAskedTwice() async throws {
        let service = try await service("a", refresh: "r-1")
        device.serves(["error": "invalid_grant"], status: .badRequest)
        await #expect(throws: NAILState.Refusal.ended(.invalidGrant)) {
            try await load(service, accepting: [], consent: false)
        }
        #expect(log.told.count == 1 && log.sent == ["a"] && device.asked.count == 1)
    }

    @Test func whoPicksAnotherServiceDoesNotOpenThisOne() async throws {
        let service = try await service("a")
        device.grants(Sample.document(Sample.beta))
        await #expect(throws: NAILState.Refusal.notRenewable) { try await load(service, accepting: []) }
        device.answers { _ in nil }
        await #expect(throws: NAILState.Refusal.unanswered) { try await load(service, accepting: []) }
        #expect(log.sent == ["a"])
    }

    @Test func aServiceThatRefusesEverythingIsAskedThreeTimesAndNoMore() async throws {
        let service = try await service("a", refresh: "r-1")
        device.serves(["access_token": "b", "refresh_token": "r-2"])
        device.grants(Sample.document(authorization: Sample.plain("c", refresh: "r-3")))
        await #expect(throws: NAILState.Refusal.refused) { try await load(service, accepting: []) }
        #expect(log.sent == ["a", "b", "c"])
        #expect(log.told == [.refused])
        #expect(device.sent.count == 1)
        #expect(device.asked.count == 2)
        #expect(try service.standing(of: "org.example.reading") == .expired(.refused, isRenewable: true))
    }

    @Test func manyRequestsAskThePersonOnce() async throws {
        let service = try await service("a", refresh: "r-1")
        device.serves(["error": "invalid_grant"], status: .badRequest)
        let gate = Gate()
        let granted = JSON.array([Sample.document(authorization: Sample.plain("c"))]).encoded()
        device.answers { _ in
            await gate.pass()
            return granted
        }
        await withTaskGroup(of: HTTP.Response.Status?.self) { group in
            for _ in 0..<10 { group.addTask { (try? await self.load(service, accepting: ["c"]))?.status } }
            group.addTask {
                await gate.reached()
                for _ in 0..<200 { await Task.yield() }
                gate.open()
                return .ok
            }
            for await status in group { #expect(status == .ok) }
        }
        #expect(log.told.count == 1)
        #expect(device.asked.count == 2)
        #expect(device.sent.count == 1)
    }
}
