import Federation
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Requests to a service that are doubled on the way, and answers that are lost")
struct RepetitionTests {
    private static let late = Expected("invalid_grant", 400, "AST-3")
    private static let lateCode = Expected("invalid_grant", 400, "threat-26")
    private static let differing = Expected("invalid_grant", 400, "threat-72")

    /// The two interactions in which something is presented once, as requests with fresh proofs.
    enum Kind: CaseIterable {
        case assertion, code
    }

    private struct Presented {
        var stage: Stage
        let kind: Kind
        let service: Held
        let draft: Draft

        init(_ kind: Kind) throws {
            self.kind = kind
            (stage, service) = try Stage.redeemed()
            draft = kind == .assertion ? try stage.assertion("a-1") : try stage.code(with: service, binding: Pair.app)
        }

        mutating func request() throws -> HTTP.Request {
            switch kind {
            case .assertion: try Stage.redeeming(draft, stage.instanceProof())
            case .code: try Stage.authorizing(draft, stage.proof(service))
            }
        }

        func held(_ response: HTTP.Response) throws -> Held {
            switch kind {
            case .assertion: try Held(response, .pair(Pair.instance), of: Stage.instance)
            case .code: try Held(response, .pair(Pair.app), of: Stage.reader)
            }
        }

        var place: String { kind == .assertion ? Stage.token : Stage.papi }
        var late: Expected { kind == .assertion ? RepetitionTests.late : RepetitionTests.lateCode }
    }

    @Test(
        "Whoever lost the answer is given it again for sixty seconds, with a fresh proof", .proves("threat-72"),
        arguments: Kind.allCases)
    func lostAnswer(_ kind: Kind) throws {
        var presented = try Presented(kind)
        let first = try presented.held(presented.stage.send(presented.request()))
        let count = presented.stage.store.count
        // The code of the stage ends by itself in the sixtieth second.
        let wait: Int64 = kind == .assertion ? 60 : 59
        presented.stage.now = presented.stage.now + .seconds(wait)
        let answer = presented.stage.send(try presented.request())
        let again = try presented.held(answer)
        #expect(try again.record == first.record && again.refresh == first.refresh)
        #expect(presented.stage.store.count == count)
        #expect(try TokenResponse(parsing: answer).lifetime == 3_600 - wait)
        #expect(try presented.stage.opens(presented.place, again))
        // Its refresh token renews like any other.
        let next = try presented.held(presented.stage.send(presented.stage.refreshing(again)))
        #expect(next.refresh != again.refresh)
    }

    @Test(
        "Who was shut out meanwhile is not given the answer again", .proves("USR-6"), .proves("APP-6"),
        arguments: Kind.allCases)
    func shutOut(_ kind: Kind) throws {
        var presented = try Presented(kind)
        _ = try presented.held(presented.stage.send(presented.request()))
        let expected: Expected
        switch kind {
        case .assertion:
            presented.stage.service.policy.instances = .only([])
            expected = Expected("unauthorized_client", 400, "USR-6")
        case .code:
            presented.stage.service.policy.apps = .only([])
            expected = Expected("access_denied", 400, "APP-6")
        }
        try expected.check(&presented.stage, presented.request())
    }

    @Test("What has ended already is ended by no third one", .proves("AST-3"), arguments: Kind.allCases)
    func endedOnce(_ kind: Kind) throws {
        var presented = try Presented(kind)
        presented.stage.service.policy.repetitionWindow = .seconds(20)
        _ = try presented.held(presented.stage.send(presented.request()))
        presented.stage.now = presented.stage.now + .seconds(21)
        try presented.late.check(&presented.stage, presented.request(), changes: true)
        try presented.late.check(&presented.stage, presented.request())
    }

    @Test("A minute later it was stolen, and what it gave ends", .proves("threat-72"), arguments: Kind.allCases)
    func lateRepetition(_ kind: Kind) throws {
        var presented = try Presented(kind)
        let first = try presented.held(presented.stage.send(presented.request()))
        // A code holds for a minute, and so does the time in which its answer is given again.
        presented.stage.service.policy.repetitionWindow = .seconds(20)
        presented.stage.now = presented.stage.now + .seconds(21)
        try presented.late.check(&presented.stage, try presented.request(), changes: true)
        #expect(try presented.stage.opens(presented.place, first) == false)
    }

    @Test("Identical bytes are a replay, and end nothing", .proves("threat-72"), arguments: Kind.allCases)
    func doubledBytes(_ kind: Kind) throws {
        var presented = try Presented(kind)
        let request = try presented.request()
        let held = try presented.held(presented.stage.send(request))
        for wait in [0, 20] as [Int64] {
            presented.stage.now = presented.stage.now + .seconds(wait)
            presented.stage.service.policy.repetitionWindow = .seconds(wait / 2)
            let before = presented.stage.state
            let answer = presented.stage.send(request)
            #expect(answer.status == .unauthorized && presented.stage.state == before)
        }
        #expect(try presented.stage.opens(presented.place, held))
    }

    @Test(
        "Two at the same moment are one grant, and the same bytes twice are one success", .proves("threat-72"),
        arguments: Kind.allCases)
    func race(_ kind: Kind) throws {
        var presented = try Presented(kind)
        let (one, other) = (try presented.request(), try presented.request())
        var copy = presented
        let (first, second) = copy.stage.race(one, other)
        #expect(try copy.held(first).refresh == copy.held(second).refresh)
        let (won, replayed) = presented.stage.race(one, one)
        #expect(replayed.status == .unauthorized)
        let held = try presented.held(won)
        #expect(try presented.stage.opens(presented.place, held))
    }

    @Test("Who asks for something else is given nothing, and ends nothing", .proves("threat-72"))
    func otherWishes() throws {
        var presented = try Presented(.code)
        let (draft, service) = (presented.draft, presented.service)
        let held = try presented.held(presented.stage.send(presented.request()))
        let wishes = [("scope", Stage.token), ("resource", Stage.home), ("req_cnf", try Self.otherKey())]
        for (name, value) in wishes {
            let scope = name == "scope" ? value : Stage.papi
            var pairs = [("grant_type", "authorization_code"), ("code", try draft.text), ("scope", scope)]
            if name != "scope" { pairs.append((name, value)) }
            var request = try Stage.authorizing(draft, presented.stage.proof(service))
            request.body = HTTP.Form(pairs.map { HTTP.Form.Pair($0.0, $0.1) }).encoded()
            try Self.differing.check(&presented.stage, request)
        }
        #expect(try presented.stage.opens(presented.place, held))
    }

    private static func otherKey() throws -> String {
        String(decoding: JSON.object(["jwk": try Pair.json(Pair.stranger)]).encoded(), as: UTF8.self)
    }

    @Test("Who has renewed the grant has had the answer", .proves("threat-72"), arguments: Kind.allCases)
    func renewed(_ kind: Kind) throws {
        var presented = try Presented(kind)
        let held = try presented.held(presented.stage.send(presented.request()))
        let next = try presented.held(presented.stage.send(presented.stage.refreshing(held)))
        try Self.differing.check(&presented.stage, try presented.request())
        #expect(try presented.stage.opens(presented.place, next))
    }

    @Test("What has ended is not given again", .proves("threat-72"), arguments: Kind.allCases)
    func ended(_ kind: Kind) throws {
        var presented = try Presented(kind)
        let held = try presented.held(presented.stage.send(presented.request()))
        _ = presented.stage.send(try presented.stage.revoking(held.access, by: held))
        try Self.differing.check(&presented.stage, try presented.request())
    }

    @Test("A token without a key is never given again: nobody can tell who lost it", .proves("threat-72"))
    func plain() throws {
        var presented = try Presented(.assertion)
        presented.stage.service.policy.keylessApps = .bearerToken
        let code = try presented.stage.code(with: presented.service)
        let request = try Stage.authorizing(code, presented.stage.proof(presented.service))
        let app = try Held(presented.stage.send(request), nil, of: Stage.reader)
        let again = try Stage.authorizing(code, presented.stage.proof(presented.service))
        try Self.lateCode.check(&presented.stage, again, changes: true)
        let id = try TokenID(parsing: String(app.access.prefix { $0 != "." }))
        #expect(!presented.stage.store.verdict(of: id, at: presented.stage.now).grantLives)
    }
}
