import JOSE
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL Framework API: revokeToken", .proves("NAI-7"), .proves("NIF-10"))
struct RevokeTokenTests {
    private let device = Device()

    @Test(.proves("TOK-4")) func itRevokesAtTheServiceAndForgetsHere() async throws {
        let nail = try await device.nail(
            Sample.document(authorization: Sample.plain("token-1", refresh: "r-1")), Sample.document(Sample.beta))
        device.serves([:])
        #expect(await nail.revokeToken(Sample.alpha))
        #expect(device.sent.map(\.url) == Array(repeating: "https://alpha.example.ch/oauth/revoke", count: 2))
        #expect(try device.sent.map { try $0.field("token") } == ["r-1", "token-1"])
        #expect(try device.sent.map { try $0.field("token_type_hint") } == ["refresh_token", "access_token"])
        #expect(nail.serviceNames() == ["https://beta.example.ch/"])
        #expect(nail.tokenNow(Sample.alpha) == "")
        #expect(device.stored.last == nail.serialize())
    }

    @Test func everyAuthorizationOfTheServiceIsRevoked() async throws {
        let both = [Sample.reading, Sample.writing]
        let nail = try await device.nail(
            Sample.document(
                offering: both, authorization: Sample.plain("common"), own: [Sample.writing: Sample.symmetric("own")]),
            requesting: both)
        device.grants(Sample.document(authorization: Sample.plain("later")))
        await nail.authorizeProtocols([Sample.reading])
        device.serves([:])
        #expect(await nail.revokeToken(Sample.alpha))
        #expect(try device.sent.map { try $0.field("token") } == ["later", "common", "own"])
        // What is bound to a key is revoked by whoever holds it.
        let field = try #require(device.sent.last?.fields.value(of: .authorization).value)
        #expect(
            try SignedParts(String(field.dropFirst("Bearer ".count))).claims["aud"]
                == "https://alpha.example.ch/oauth/revoke")
    }

    @Test("200 and 204 confirm, and a page confirms nothing", .proves("threat-60"))
    func confirmations() throws {
        var state = try Sample.state(Sample.document(authorization: Sample.plain("token-1")))
        var entropy = SeededGenerator(seed: 60)
        let revocation = try state.revoke(Sample.alpha, at: Sample.now, using: &entropy)
        #expect(revocation.requests.count == 1)
        #expect(revocation.isConfirmed(by: [HTTP.Response(.ok)]))
        #expect(revocation.isConfirmed(by: [HTTP.Response(.noContent)]))
        var page = HTTP.Response(.ok, body: Array("<html>".utf8))
        try page.fields.append(.contentType, "text/html")
        for answer in [page, HTTP.Response(.badRequest), HTTP.Response(.serviceUnavailable), nil] {
            #expect(!revocation.isConfirmed(by: [answer]))
        }
        #expect(!revocation.isConfirmed(by: []))
    }

    @Test func theServiceIsForgottenAlsoWhereItDoesNotConfirm() async throws {
        for status in [HTTP.Response.Status.serviceUnavailable, .badRequest, .unauthorized, .found] {
            let nail = try await device.nail(Sample.document())
            device.serves([:], status: status)
            #expect(await nail.revokeToken(Sample.alpha) == false)
            #expect(nail.serviceNames().isEmpty)
        }
        let nail = try await device.nail(Sample.document())
        device.serves { _ in nil }
        #expect(await nail.revokeToken(Sample.alpha) == false)
        #expect(nail.serviceNames().isEmpty)
    }

    @Test func halfAConfirmationIsNone() async throws {
        let nail = try await device.nail(Sample.document(authorization: Sample.plain("token-1", refresh: "r-1")))
        device.serves { request in HTTP.Response((try? request.field("token")) == "r-1" ? .ok : .serviceUnavailable) }
        #expect(await nail.revokeToken(Sample.alpha) == false)
        #expect(device.sent.count == 2)
    }

    @Test func withoutAPlaceToRevokeAtNothingIsConfirmed() async throws {
        var members = Sample.document().object ?? [:]
        members["apis"] = ["org.example.reading": ["apiLink": "reading"]]
        let nail = try await device.nail(.object(members))
        device.serves([:])
        #expect(await nail.revokeToken(Sample.alpha) == false)
        #expect(device.sent.isEmpty)
        #expect(nail.serviceNames().isEmpty)
    }

    @Test func emptyOrAmbiguousNamesRevokeNothing() async throws {
        let nail = try await device.nail(Sample.document(name: "Twin"), Sample.document(Sample.beta, name: "Twin"))
        device.serves([:])
        for name in ["", "Twin", "https://gamma.example.ch"] { #expect(await nail.revokeToken(name) == false) }
        #expect(nail.serviceNames().count == 2)
        #expect(device.sent.isEmpty)
    }

    @Test func whatTheServiceHasEndedNeedsNoRequest() async throws {
        let nail = try await device.nail(
            Sample.document(authorization: Sample.plain("old", refresh: "r-1", expiresIn: 60)))
        device.pass(seconds: 60)
        device.serves(["error": "invalid_grant"], status: .badRequest)
        #expect(await nail.getServiceToken(Sample.alpha, Sample.reading) == "")
        #expect(await nail.revokeToken(Sample.alpha))
        #expect(device.sent.count == 1)
    }

    @Test func aRenewalOnItsWayIsRevokedToo() async throws {
        let nail = try await device.nail(
            Sample.document(authorization: Sample.plain("old", refresh: "r-1", expiresIn: 60)))
        device.pass(seconds: 60)
        let gate = Gate()
        device.serves { request in
            guard (try? request.field("grant_type")) != nil else { return HTTP.Response(.ok) }
            await gate.pass()
            let answer: JSON.Object = ["access_token": "new", "refresh_token": "r-2"]
            return HTTP.Response(.ok, body: answer.encoded())
        }
        async let token = nail.getServiceToken(Sample.alpha, Sample.reading)
        await gate.reached()
        async let isRevoked = nail.revokeToken(Sample.alpha)
        for _ in 0..<50 { await Task.yield() }
        gate.open()
        #expect(await isRevoked)
        _ = await token
        #expect(try device.sent.dropFirst().map { try $0.field("token") } == ["r-2", "new"])
        #expect(nail.serviceNames().isEmpty)
    }

    @Test func concurrentRevocationsConfirmOnce() async throws {
        let nail = try await device.nail(Sample.document())
        device.serves([:])
        let confirmed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 { group.addTask { await nail.revokeToken(Sample.alpha) } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(confirmed == 1)
        #expect(device.sent.count == 1)
    }

    @Test func aCancelledCallerDoesNotLeaveItHalfDone() async throws {
        let nail = try await device.nail(Sample.document(authorization: Sample.plain("token-1", refresh: "r-1")))
        let gate = Gate()
        device.serves { _ in
            await gate.pass()
            return Task.isCancelled ? nil : HTTP.Response(.ok)
        }
        let caller = Task { await nail.revokeToken(Sample.alpha) }
        await gate.reached()
        caller.cancel()
        gate.open()
        #expect(await caller.value)
        #expect(device.sent.count == 2)
    }
}
