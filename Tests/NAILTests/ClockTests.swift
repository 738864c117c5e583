import JOSE
import NAIL
import OAuth2Grants
import Synchronization
import TestSupport
import Testing
import Wire

@Suite("NAIL: a device whose clock is wrong", .proves("NIF-9"))
struct ClockTests {
    private let device = Device()
    private let log = AskingAgainTests.Log()

    /// What a service answers whose clock is ahead of the device's by so much.
    ///
    /// It takes what is signed in its time, and nothing else. What stands in front of it may tell another time.
    private func answer(
        to request: HTTP.Request, ahead seconds: Int64, telling told: Int64? = nil, with members: JSON.Object = [:],
        isRefusing: Bool = false
    ) -> HTTP.Response {
        let time = device.now + .seconds(seconds)
        let issued = Self.issued(request) ?? 0
        log.send("\(issued - device.now.seconds)")
        let isTaken = abs(issued - time.seconds) <= 60 && !isRefusing
        let refusal: JSON.Object = ["error": "invalid_client"]
        var response =
            isTaken
            ? HTTP.Response(.ok, body: members.encoded()) : HTTP.Response(.unauthorized, body: refusal.encoded())
        try? response.fields.append(.date, (device.now + .seconds(told ?? seconds)).httpDate())
        return response
    }

    private static func issued(_ request: HTTP.Request) -> Int64? {
        let token = String((request.fields.value(of: .authorization).value ?? "").dropFirst("Bearer ".count))
        return (try? SignedParts(token))?.claims["iat"]?.number?.integer(as: Int64.self)
    }

    private static func key(_ request: HTTP.Request) -> JSON? {
        let token = String((request.fields.value(of: .authorization).value ?? "").dropFirst("Bearer ".count))
        return (try? SignedParts(token))?.header["kid"]
    }

    private func service(refresh: String? = nil, expiresIn: Int64? = nil) async throws -> ThirdPartyApp.Service {
        let authorization = Sample.symmetric("a", refresh: refresh, expiresIn: expiresIn)
        device.grants(Sample.document(authorization: authorization))
        return try #require(try await device.app().authorize([Sample.name(Sample.reading)]).first)
    }

    /// A request to a service whose clock is ahead.
    private func use(
        _ service: ThirdPartyApp.Service, ahead seconds: Int64, telling told: Int64? = nil, isRefusing: Bool = false,
        after delay: Int64 = 0
    ) async throws(NAILState.Refusal) -> HTTP.Response? {
        try await service.response(to: .get, "org.example.reading") { request in
            device.pass(seconds: delay)
            return answer(to: request, ahead: seconds, telling: told, isRefusing: isRefusing)
        } askingAgain: { _ in
            false
        }
    }

    @Test("What was granted is used in the service's time, and nobody is asked", arguments: [7_200, -7_200] as [Int64])
    func used(_ seconds: Int64) async throws {
        let service = try await service()
        #expect(try await use(service, ahead: seconds)?.status == .ok)
        #expect(log.sent == ["0", "\(seconds)"])
        // What is known is used at once, until somebody sets the clock.
        #expect(try await use(service, ahead: seconds)?.status == .ok)
        #expect(try await use(service, ahead: 0)?.status == .ok)
        #expect(log.sent.suffix(3) == ["\(seconds)", "\(seconds)", "0"])
        #expect(device.sent.isEmpty && device.asked.count == 1)
    }

    @Test("What has expired is renewed in the service's time, once for all who ask", .proves("threat-28"))
    func renewal() async throws {
        let nail = try await device.nail(
            Sample.document(authorization: Sample.symmetric("a", refresh: "r-1", expiresIn: 60)))
        device.pass(seconds: 60)
        device.serves { request in
            answer(to: request, ahead: -7_200, with: ["access_token": "b", "token_type": "PoP"])
        }
        let tokens = await withTaskGroup(of: String.self) { group in
            for _ in 0..<5 { group.addTask { await nail.getServiceToken(Sample.alpha, Sample.reading) } }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        let times = try tokens.compactMap { try SignedParts($0).claims["iat"]?.number?.integer(as: Int64.self) }
        #expect(times == Array(repeating: device.now.seconds - 7_200, count: 5))
        #expect(log.sent == ["0", "-7200"] && device.sent.count == 2)
    }

    @Test("A token that is refused in the service's time as well is renewed in it")
    func refusedToken() async throws {
        let service = try await service(refresh: "r-1")
        device.serves { request in
            answer(to: request, ahead: -7_200, with: ["access_token": "b", "token_type": "PoP"])
        }
        await #expect(throws: NAILState.Refusal.refused) {
            try await use(service, ahead: -7_200, isRefusing: true)
        }
        // Twice to the service, to be renewed, and once more to the service.
        #expect(log.sent == ["0", "-7200", "-7200", "-7200"] && device.sent.count == 1)
    }

    @Test("Where the service's own time does not help, it is the device's clock; nothing is over")
    func nothingHelps() async throws {
        let service = try await service(refresh: "r-1", expiresIn: 60)
        device.pass(seconds: 60)
        // It tells a later time each time.
        device.serves { request in
            let issued = Self.issued(request) ?? 0
            return answer(to: request, ahead: issued - device.now.seconds + 7_200, isRefusing: true)
        }
        await #expect(throws: NAILState.Refusal.otherTime(.seconds(14_400))) {
            try await service.request(.get, "org.example.reading")
        }
        #expect(log.sent == ["0", "7200"])
        // It refuses what bears its time for a reason of its own.
        device.serves { request in answer(to: request, ahead: 3_600, isRefusing: true) }
        await #expect(throws: NAILState.Refusal.unavailable) {
            try await service.request(.get, "org.example.reading")
        }
        #expect(log.sent.suffix(2) == ["0", "3600"])
        device.serves { request in answer(to: request, ahead: 0, with: ["access_token": "b", "token_type": "PoP"]) }
        let request = try await service.request(.get, "org.example.reading")
        #expect(Self.issued(request) == device.now.seconds)
        #expect(NAILState.Refusal.otherTime(.seconds(7)).description.contains("clock"))
    }

    @Test("What was long on its way is signed anew, and says nothing about the clock")
    func late() async throws {
        let service = try await service()
        await #expect(throws: NAILState.Refusal.unavailable) { try await use(service, ahead: 0, after: 120) }
        #expect(try await use(service, ahead: 0)?.status == .ok)
        #expect(log.sent == ["-120", "-120", "0"])
        // Where the clock is wrong as well, the way is no part of the difference.
        let other = try await self.service(refresh: "r-1", expiresIn: 60)
        device.pass(seconds: 60)
        device.serves { request in
            if device.sent.count == 1 { device.pass(seconds: 120) }
            return answer(to: request, ahead: 7_200, with: ["access_token": "b", "token_type": "PoP"])
        }
        let request = try await other.request(.get, "org.example.reading")
        #expect(Self.issued(request) == device.now.seconds + 7_200)
        #expect(log.sent.suffix(2) == ["-120", "7200"])
    }

    @Test("A time that did not help is forgotten before it spoils what was granted since")
    func supposedTokens() async throws {
        let service = try await service()
        device.grants(Sample.document(authorization: Sample.symmetric("b", kid: "key-2")))
        let response = try await service.response(to: .get, "org.example.reading") { request in
            answer(to: request, ahead: 0, telling: 300, isRefusing: Self.key(request) != "key-2")
        } askingAgain: { _ in
            true
        }
        #expect(response?.status == .ok)
        #expect(log.sent == ["0", "300", "300", "0"] && device.asked.count == 2)
        // Nor does one that was supposed in a call before.
        let unanswered = try await service.response(to: .get, "org.example.reading") { request in
            log.sent.count == 4 ? answer(to: request, ahead: 300) : nil
        } askingAgain: { _ in
            false
        }
        #expect(unanswered == nil)
        #expect(try await use(service, ahead: 0, telling: 300)?.status == .ok)
        #expect(log.sent.suffix(3) == ["0", "300", "0"])
    }

    @Test("A renewal in a time that did not help is made once more in the device's own")
    func supposedRenewals() async throws {
        let service = try await service(refresh: "r-1")
        let members = try #require(Sample.symmetric("b", kid: "key-2", refresh: "r-2").object)
        device.serves { request in answer(to: request, ahead: 0, telling: 300, with: members) }
        let response = try await service.response(to: .get, "org.example.reading") { request in
            answer(to: request, ahead: 0, telling: 300, isRefusing: Self.key(request) != "key-2")
        } askingAgain: { _ in
            false
        }
        #expect(response?.status == .ok)
        #expect(log.sent == ["0", "300", "300", "0", "0"] && device.sent.count == 2 && device.asked.count == 1)
    }

    @Test("A time that was only supposed ends none of those that are renewed at once")
    func together() throws {
        let both = [Sample.reading, Sample.writing]
        var state = try Sample.state(
            Sample.document(
                offering: both, authorization: nil,
                own: [
                    Sample.reading: Sample.symmetric("a", refresh: "r-1"),
                    Sample.writing: Sample.symmetric("b", kid: "key-2", refresh: "r-2"),
                ]), requesting: both)
        var entropy = SeededGenerator(seed: 77)
        let names = try both.map { try Sample.name($0) }
        let refusal = { (renewal: NAILState.Renewal) in
            answer(to: renewal.request, ahead: 0, telling: 300, isRefusing: true)
        }
        let first = try state.renew(Sample.alpha, names[0], at: device.now, using: &entropy)
        let told = state.settle(first, with: refusal(first), at: device.now)
        #expect(told == .otherTime(.seconds(300)))
        let one = try state.renew(Sample.alpha, names[0], at: device.now, using: &entropy)
        let other = try state.renew(Sample.alpha, names[1], at: device.now, using: &entropy)
        for renewal in [one, other] {
            let outcome = state.settle(renewal, with: refusal(renewal), at: device.now)
            #expect(outcome == .unavailable)
        }
        #expect(log.sent == ["0", "300", "300"])
        for name in names {
            let renewal = try state.renew(Sample.alpha, name, at: device.now, using: &entropy)
            #expect(Self.issued(renewal.request) == device.now.seconds)
        }
    }

    @Test("A refusal counts also after the person has set a fast clock back")
    func setBack() async throws {
        let service = try await service(refresh: "r-1")
        let nail = try await device.nail(Sample.document(authorization: Sample.symmetric("a")))
        device.pass(seconds: -7_140)
        let members = try #require(Sample.symmetric("b", kid: "key-2", refresh: "r-2").object)
        device.serves { request in answer(to: request, ahead: 0, with: members) }
        let response = try await service.response(to: .get, "org.example.reading") { request in
            answer(to: request, ahead: 0, isRefusing: Self.key(request) != "key-2")
        } askingAgain: { _ in
            false
        }
        #expect(response?.status == .ok)
        #expect(log.sent == ["0", "0", "0"] && device.sent.count == 1)
        nail.noteRefusal(of: nail.tokenNow(Sample.alpha), Sample.alpha, Sample.reading)
        #expect(nail.tokenNow(Sample.alpha) == "")
    }

    @Test("What is given back on a wrong clock is given back in the service's time", .proves("NIF-10"))
    func givingBack() async throws {
        let service = try await service(refresh: "r-1")
        device.serves { request in answer(to: request, ahead: -7_200) }
        #expect(await service.revoke())
        #expect(log.sent == ["0", "0", "-7200", "-7200"])
        #expect(try device.sent.map { try $0.field("token") } == ["r-1", "a", "r-1", "a"])
        // It ends where that does not help either.
        let other = try await self.service()
        device.serves { request in answer(to: request, ahead: 7_200, isRefusing: true) }
        #expect(await other.revoke() == false)
        #expect(log.sent.suffix(2) == ["0", "7200"] && device.sent.count == 6)
    }

    @Test("A service's time is for this service alone", .proves("threat-36"))
    func others() async throws {
        device.grants(
            Sample.document(authorization: Sample.symmetric("a")),
            Sample.document(Sample.beta, authorization: Sample.symmetric("b")))
        let services = try await device.app().authorize([Sample.name(Sample.reading)])
        try #require(services.count == 2)
        #expect(try await use(services[0], ahead: 7_200)?.status == .ok)
        #expect(try await use(services[1], ahead: 0)?.status == .ok)
        #expect(log.sent == ["0", "7200", "0"])
    }
}
