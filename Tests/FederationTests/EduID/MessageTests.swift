// Longer than 500 lines: what services are told, when, and what becomes of it, is one story.

import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// A host whose network and store do what they are told.
struct StubbornHost {
    let store = Store()
    var isReachable = true
    /// Whether its store refuses everything from the moment in which something was sent.
    var breaksDown = false
    var sent: [HTTP.Request] = []
    var answer = HTTP.Response(.ok)
    /// Whose credentials it knows.
    var user: SimulatedFederation.User?

    final class Store: TokenStore {
        var tree = MemoryStore()
        var refuses = false
        /// Whether others were faster, the next time.
        var isContended = false

        func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }
        func commit(_ batch: Batch) -> Batch.Outcome {
            defer { isContended = false }
            guard !refuses, !isContended else { return .conflict(.full, change: 0) }
            return tree.commit(batch)
        }
        func purge(at now: Timestamp, keeping retention: Retention) -> Int { tree.purge(at: now, keeping: retention) }
    }

    mutating func send(_ request: HTTP.Request) -> HTTP.Response? {
        sent.append(request)
        store.refuses = store.refuses || breaksDown
        return isReachable ? answer : nil
    }

    mutating func carryOut<Outcome>(_ begin: () -> Exchange<Outcome>) -> Outcome {
        var store = store
        return store.carryOut(
            begin,
            lookUp: { lookup in
                switch lookup {
                case .user(let attempt):
                    .user(
                        user.flatMap {
                            $0.name == attempt.user && $0.password == attempt.password ? .user($0.subject) : nil
                        } ?? .nobody)
                case .answer(let request): .answer(send(request))
                case .facts, .step, .stepUp, .link, .profile, .search, .keys, .signature: lookup.nothing
                }
            })
    }

    mutating func deliver(
        for service: EduIDService, limit: Int = 100, at now: Timestamp, using entropy: inout SimulatedFederation.Entropy
    ) -> Int {
        var (store, upkeep) = (store, Upkeep())
        upkeep.messagesAtOnce = limit
        return upkeep.deliver(for: service, in: &store, at: now, using: &entropy) { send($0) }.confirmed
    }

    /// Goes through all assertions; answers whether the store was not too busy for that.
    mutating func reconcile(
        for service: EduIDService, at now: Timestamp, using entropy: inout SimulatedFederation.Entropy
    ) -> Bool {
        var last: TokenID?
        while true {
            switch carryOut({ service.reconciliation(after: last, at: now, using: &entropy) }) {
            case .success(let next?): last = next
            case .success(nil): return true
            case .failure: return false
            }
        }
    }
}

@Suite("(10) Revocation: messages to services")
struct MessageTests {
    private func ended(_ way: String) throws -> Scene {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        try scene.introduce(to: Scene.beta).expectSuccess()
        switch way {
        case "logout": try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        case "stolen":
            var other = try scene.otherPhone()
            other = try scene.signIn(other)
            let stolen = scene.phone.id
            scene.phone = other
            try scene.asUser(.delete, "instances/" + stolen).expectSuccess(204)
        case "rejected": scene.administrate(.reject(try ClientID(parsing: scene.phone.id))).expectSuccess(204)
        case "signed out": scene.administrate(.signOut(scene.parties.person.subject)).expectSuccess(204)
        case "shut out":
            scene.service.policy.excludedPlatforms = [.iOS]
            scene.reconcile().expectSuccess()
        default: scene.administrate(.block(try KeyID(parsing: "ios-1.0"))).expectSuccess(204)
        }
        return scene
    }

    @Test(
        "However a ground ends, each assertion on it is taken back once, until the service has confirmed",
        .proves("TOK-7"),
        .proves("TOK-6"),
        .proves("REG-8"), .proves("FED-4"),
        arguments: ["logout", "stolen", "blocked", "rejected", "signed out"])
    func delivery(_ way: String) throws {
        var scene = try ended(way)
        #expect(scene.messages.count == 2)
        // Whatever ends next, the same assertions are not taken back again.
        _ = scene.administrate(.block(try KeyID(parsing: "ios-1.0")))
        _ = scene.administrate(.signOut(scene.parties.person.subject))
        #expect(scene.messages.count == 2)
        var host = StubbornHost()
        host.store.tree = scene.store
        host.isReachable = false
        #expect(host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy) == 0)
        #expect(host.sent.count == 2)
        // Not before the time for the next attempt.
        _ = host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy)
        #expect(host.sent.count == 2)
        scene.wait(3_600)
        host.isReachable = true
        host.answer = HTTP.Response(.serviceUnavailable)
        #expect(host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy) == 0)
        #expect(host.sent.count == 4)
        scene.wait(3_600)
        host.answer = OAuth2Error(.invalidClient, nil).response()
        #expect(host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy) == 0)
        scene.wait(86_400)
        host.answer = HTTP.Response(.ok)
        #expect(host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy) == 2)
        scene.wait(86_400)
        #expect(host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy) == 0)
        #expect(host.sent.count == 8)
        #expect(
            Set(
                host.sent.compactMap { request in
                    if case .absolute(let url) = request.target { url.text } else { nil }
                }) == ["https://alpha.example.ch/oauth/revoke", "https://beta.example.ch/oauth/revoke"])
    }

    @Test(
        "The record of what has ended says why", .proves("TOK-5"), .proves("FED-3"),
        arguments: [
            ("logout", .surrendered), ("stolen", .user), ("blocked", .administrator), ("rejected", .barred),
            ("signed out", .administrator), ("shut out", .administrator),
        ] as [(String, Record.Reason)])
    func reasons(_ way: String, _ reason: Record.Reason) throws {
        let scene = try ended(way)
        let assertion = try #require(scene.messages.first?.about)
        #expect(scene.store.verdict(of: assertion, at: scene.now).reason == reason)
    }

    @Test(
        "Behind a logout the services end what was given there, also one that was down meanwhile", .proves("TOK-6"),
        .proves("TOK-7"),
        .proves("TOK-4"))
    func throughout() throws {
        var parties = try Parties(seed: 5)
        try parties.signIn()
        let papi = try ProtocolName(parsing: Parties.protocolName)
        let found = try parties.perform(.discovery(.protocols([papi]))).map(\.description)
        let alpha = try #require(found.first { $0.engineName == "University of Alpha" })
        let home = try #require(alpha.serviceURL)
        try parties.authorize(home)
        let app = try parties.perform(.access(for: "ch.example.reader", at: alpha, to: [papi]))
        #expect(app.authorization != nil)
        func living() -> Int {
            let store = parties.federation.services[0].store
            return [Record.Kind.service, .app].reduce(0) { count, kind in
                let page = store.load([.records(.all(kind), after: nil, limit: 9)]).page(of: .all(kind), limit: 9)
                return count + (page?.lineages.filter { $0.verdict(at: parties.federation.now).grantLives }.count ?? 0)
            }
        }
        #expect(living() == 2)
        parties.federation.unreachable = [home]
        try parties.perform(.signOut)
        #expect(parties.federation.deliver() == 0)
        #expect(living() == 2)
        parties.federation.unreachable = []
        parties.federation.wait(.seconds(86_400))
        #expect(parties.federation.deliver() == 1)
        #expect(living() == 0)
    }

    @Test(
        "A message names the assertion, by an assertion of the edu-ID service's own for that service", .proves("TOK-7"))
    func content() throws {
        var scene = try ended("logout")
        let message = try #require(scene.messages.first { $0.destination.text == Scene.alpha })
        let delivery = try #require(
            scene.service.delivery(of: message, at: scene.now, using: &scene.parties.federation.entropy))
        let request = try RevocationRequest(parsing: delivery.request)
        #expect(request.hint == .assertion && request.token.secret == message.about?.text)
        guard case .assertion(let proof) = request.credential else {
            Issue.record("no client assertion")
            return
        }
        let claims = try claims(of: proof.secret)
        #expect(
            claims["iss"]?.string == Parties.eduID && claims["sub"]?.string == Parties.eduID
                && claims["aud"]?.string == Scene.alpha)
        // Two workers: one has it.
        #expect(scene.store.commit(Batch(at: scene.now, [delivery.attempt])) == .applied)
        #expect(scene.store.commit(Batch(at: scene.now, [delivery.attempt])) != .applied)
        #expect(delivery.settlement(after: nil).isEmpty)
        #expect(delivery.settlement(after: HTTP.Response(.notFound)).isEmpty)
        #expect(delivery.settlement(after: HTTP.Response(.ok)).count == 1)
    }

    @Test(
        "A take-back is confirmed by 200 or 204 without a redirect and without a page", .proves("threat-60"),
        .proves("TOK-7"),
        arguments: [
            (200, nil, "", true), (204, nil, "", true), (200, "text/html", "", true), (200, "text/plain", "ok", true),
            (200, "application/json", "{}", true), (200, "text/html", "<p>Sign in", false),
            (200, "Text/HTML; charset=utf-8", "<p>", false), (200, "application/xhtml+xml", "<p/>", false),
            (201, nil, "", false), (202, nil, "", false), (206, nil, "", false), (301, nil, "", false),
            (302, "text/html", "<p>", false), (307, nil, "", false), (404, nil, "", false), (503, nil, "", false),
        ] as [(Int, String?, String, Bool)])
    func confirmation(_ status: Int, _ type: String?, _ body: String, _ isConfirmed: Bool) throws {
        var scene = try ended("logout")
        let message = try #require(scene.messages.first)
        let delivery = try #require(
            scene.service.delivery(of: message, at: scene.now, using: &scene.parties.federation.entropy))
        var answer = HTTP.Response(try #require(HTTP.Response.Status(status)), body: Array(body.utf8))
        if let type { try answer.fields.append(.contentType, type) }
        #expect(delivery.settlement(after: answer).isEmpty != isConfirmed)
    }

    @Test(
        "After seven days from the first attempt the host is told; it is tried once a day, and arrives in the end",
        .proves("threat-60"), .proves("TOK-7"))
    func deadLetter() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        // The first attempt comes late, and the time counts from it.
        scene.wait(3 * 86_400)
        let (service, first) = (scene.service, scene.now)
        var (store, upkeep, told, days): (MemoryStore, Upkeep, [Timestamp], [Timestamp]) = (
            scene.store, Upkeep(), [], []
        )
        for _ in 0..<(10 * 24) {
            let now = scene.now
            let report = upkeep.tick(for: service, in: &store, at: now, using: &scene.parties.federation.entropy) { _ in
                if now >= first + .seconds(7 * 86_400) { days.append(now) }
                return nil
            }
            if !report.deadLetters.isEmpty { told.append(now) }
            scene.wait(3_600)
        }
        #expect(told == days && told.count == 3)
        #expect(told.first.map { $0 - first < .seconds(8 * 86_400) } == true)
        for (one, next) in zip(told, told.dropFirst()) { #expect(next - one == .seconds(86_400)) }
        // What is kept knows it too.
        var restoration = MemoryStore.Restoration()
        for piece in store.snapshot() { try restoration.read(piece) }
        store = try restoration.finish(expecting: store.head).tree
        scene.wait(86_400)
        let report = upkeep.tick(
            for: service, in: &store, at: scene.now, using: &scene.parties.federation.entropy
        ) { _ in HTTP.Response(.ok) }
        #expect(report.confirmed == 1 && report.deadLetters.isEmpty)
    }

    @Test("Who ends a user token ends its assertion, and the service is told", .proves("TOK-7"), .proves("AST-8"))
    func userToken() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        let token = try scene.introspect(assertion, by: 0)["user_token"]
        try scene.revoke(token, by: scene.phone.personal).expectSuccess()
        #expect(scene.messages.map { $0.destination.text } == [Scene.alpha])
        #expect(try scene.verdict(scene.phone.personal).isLive)
    }

    @Test("A service is told where the index says, before where its description does", .proves("TOK-7"))
    func endpoint() throws {
        var scene = try ended("logout")
        let message = try #require(scene.messages.first { $0.destination.text == Scene.alpha })
        var member = scene.service.index.services[0]
        member.revocationEndpoint = try WebURL(parsing: "https://alpha.example.ch/elsewhere")
        scene.service.index = ServiceIndex([member])
        let delivery = scene.service.delivery(of: message, at: scene.now, using: &scene.parties.federation.entropy)
        #expect(delivery?.request.target.path == "/elsewhere")
    }

    @Test(
        "What was given to a service is ended where it was, when it has left or is not described any more",
        .proves("TOK-7"), .proves("TOK-6"), arguments: ["left", "left before", "forgotten before", "not described"])
    func formerPlace(_ change: String) throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        if change.hasSuffix("before") { scene.service.index = ServiceIndex([]) }
        scene.administrate(
            change == "forgotten before"
                ? .forget(scene.parties.person.subject) : .signOut(scene.parties.person.subject)
        ).expectSuccess(204)
        if change == "left" { scene.service.index = ServiceIndex([]) }
        scene.service.directory = ServiceDirectory()
        var host = StubbornHost()
        host.store.tree = scene.store
        #expect(host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy) == 1)
        let place = try WebURL(parsing: "https://alpha.example.ch/oauth/revoke")
        #expect(host.sent.map { $0.target } == [.absolute(place)])
        // It was signed for the service, whatever is known of that.
        guard let request = host.sent.first,
            case .assertion(let proof) = try RevocationRequest(parsing: request).credential
        else {
            Issue.record("no client assertion")
            return
        }
        #expect(try claims(of: proof.secret)["aud"]?.string == Scene.alpha)
    }

    @Test(
        "Of a service that is not described yet no other host stands in for it, unless the index allows that",
        .proves("TOK-7"), .proves("threat-60"))
    func otherHost() throws {
        var scene = try Scene.signedIn()
        var member = scene.service.index.services[0]
        member.revocationEndpoint = try WebURL(parsing: "https://former.example.ch/end")
        scene.service.index = ServiceIndex([member])
        try scene.introduce().expectSuccess()
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        let message = try #require(scene.messages.first)
        scene.service.directory = ServiceDirectory()
        func target(_ member: ServiceIndex.Member?) -> HTTP.Request.Target? {
            scene.service.index = ServiceIndex(member.map { [$0] } ?? [])
            return scene.service.delivery(of: message, at: scene.now, using: &scene.parties.federation.entropy)?
                .request.target
        }
        let former = HTTP.Request.Target.absolute(try #require(member.revocationEndpoint))
        member.revocationEndpoint = nil
        #expect(target(member) == nil)
        #expect(target(nil) == former)
        member.allowedHosts = [try WebURL(parsing: "https://former.example.ch").host]
        #expect(target(member) == former)
    }

    @Test(
        "Where somebody answers who does not take it, the service is told where it was as well", .proves("TOK-7"),
        .proves("threat-60"),
        arguments: [(404, 2), (410, 2), (401, 2), (429, 2), (301, 2), (503, 1), (200, 1)])
    func movedPlace(_ status: Int, _ count: Int) throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        var member = scene.service.index.services[0]
        member.revocationEndpoint = try WebURL(parsing: "https://alpha.example.ch/elsewhere")
        scene.service.index = ServiceIndex([member])
        let message = try #require(scene.messages.first)
        let delivery = try #require(
            scene.service.delivery(of: message, at: scene.now, using: &scene.parties.federation.entropy))
        #expect(delivery.next(after: nil) == nil)
        var (store, upkeep, asked) = (scene.store, Upkeep(), [RevocationRequest]())
        var paths: [String?] = []
        let answer = HTTP.Response(try #require(HTTP.Response.Status(status)))
        let report = upkeep.tick(
            for: scene.service, in: &store, at: scene.now, using: &scene.parties.federation.entropy
        ) { request in
            paths.append(request.target.path)
            if let read = try? RevocationRequest(parsing: request) { asked.append(read) }
            return request.target.path == "/elsewhere" ? answer : HTTP.Response(.ok)
        }
        #expect(paths == [String?](["/elsewhere", "/oauth/revoke"].prefix(count)))
        // Each proof is for one place.
        #expect(asked.count == count && (count == 1 || asked[0].credential != asked[1].credential))
        // Whoever refuses may be the service itself, and is asked again.
        #expect(report.confirmed == ([401, 429, 503].contains(status) ? 0 : 1))
    }

    /// The shortest and the longest wait after each attempt: it doubles, less up to a quarter by chance.
    static let waits = [30, 60, 120].map { (Duration.seconds($0) * 3 / 4)...(Duration.seconds($0)) }

    @Test("The wait doubles with each attempt", .proves("TOK-7"))
    func backoff() throws {
        var scene = try ended("logout")
        for wait in Self.waits {
            let message = try #require(scene.messages.first { $0.destination.text == Scene.alpha })
            let delivery = try #require(
                scene.service.delivery(of: message, at: scene.now, using: &scene.parties.federation.entropy))
            #expect(scene.store.commit(Batch(at: scene.now, [delivery.attempt])) == .applied)
            let due = try #require(scene.messages.first { $0.id == message.id }?.due)
            #expect(wait.contains(due - scene.now))
        }
    }

    @Test("The wait doubles also for what cannot be sent", .proves("TOK-7"))
    func backoffOfUnsent() throws {
        // Of what was given before nothing was kept.
        var scene = try introduced(2)
        scene.service.directory = ServiceDirectory()
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(scene.messages.count == 2)
        for wait in Self.waits {
            var host = StubbornHost()
            host.store.tree = scene.store
            _ = host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy)
            scene.store = host.store.tree
            for message in scene.messages { #expect(wait.contains(message.due - scene.now)) }
            scene.wait(120)
        }
    }

    @Test(
        "Nothing is sent whose attempt is not stored, and nothing counts whose confirmation is not",
        .proves("threat-32"))
    func noStore() throws {
        var scene = try ended("logout")
        var host = StubbornHost()
        host.store.tree = scene.store
        host.breaksDown = true
        // The first one is sent; then the store knows neither of its confirmation nor of a second attempt.
        #expect(host.deliver(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy) == 0)
        #expect(host.sent.count == 1)
    }

    @Test("What cannot be sent does not stand before what can", .proves("TOK-7"))
    func starvation() throws {
        var scene = try ended("logout")
        let first = scene.messages[0]
        // It comes before all others, and nothing was kept with it.
        let unsendable = OutgoingMessage(
            id: "a", destination: first.destination, about: nil, body: ["token": "a"], due: first.due)
        #expect(scene.store.commit(Batch(at: scene.now, [.enqueue(unsendable)])) == .applied)
        try #require(scene.messages[0].id == unsendable.id)
        var host = StubbornHost()
        host.store.tree = scene.store
        scene.service.directory.remove(try ServiceURL(parsing: first.destination.text))
        for _ in 1...2 {
            _ = host.deliver(for: scene.service, limit: 1, at: scene.now, using: &scene.parties.federation.entropy)
        }
        #expect(host.sent.count == 1)
    }

    /// The service confirms its one message, and the store forgets it.
    private func confirm(_ scene: inout Scene) {
        let settled = scene.messages.map { Change.settle($0.id, .delivered) }
        #expect(settled.count == 1 && scene.store.commit(Batch(at: scene.now, settled)) == .applied)
        _ = scene.store.purge(
            at: scene.now + .seconds(1), keeping: Retention(explained: .seconds(1_000), settled: .zero))
    }

    @Test("Who is signed out already is not signed out again", .proves("TOK-7"), .proves("USR-4"))
    func signedOutTwice() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        scene.administrate(.signOut(scene.parties.person.subject)).expectSuccess(204)
        confirm(&scene)
        #expect(scene.administrate(.signOut(scene.parties.person.subject)).status == 404)
        try scene.signOut()
        scene.phone = try scene.signIn(scene.phone, as: scene.bob)
        #expect(scene.messages.isEmpty)
    }

    @Test("Only assertions that are in force are taken back", .proves("TOK-7"))
    func inForce() throws {
        var scene = try Scene.signedIn()
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(scene.messages.isEmpty)
        // What was taken back before is not taken back again, however long ago its service confirmed that.
        scene.phone = try scene.signIn(scene.phone)
        try scene.introduce().expectSuccess()
        scene.administrate(.block(try KeyID(parsing: "ios-1.0"))).expectSuccess(204)
        confirm(&scene)
        scene.administrate(.unblock(try KeyID(parsing: "ios-1.0"))).expectSuccess(204)
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(scene.messages.isEmpty)
        // Also one that can no longer be redeemed: something may have been given on it.
        scene.phone = try scene.signIn(scene.phone)
        try scene.introduce().expectSuccess()
        scene.wait(5_000)
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(scene.messages.count == 1)
    }

    /// Ada is signed in on the phone, and was given so many assertions.
    private func introduced(_ count: Int) throws -> Scene {
        var scene = try Scene.signedIn()
        let ground = try TokenID(parsing: try #require(scene.phone.personal?.keyID))
        let audience = try Record.Audience(parsing: Scene.alpha)
        let assertions = try (0..<count).map { number in
            Change.insert(
                Record(
                    id: try TokenID(parsing: "assertion-\(number)"), kind: .assertion, parent: ground,
                    issued: scene.now,
                    audience: audience, accessExpiry: scene.now + .seconds(300)))
        }
        for start in stride(from: 0, to: count, by: 4_000) {
            let some = Array(assertions[start..<min(count, start + 4_000)])
            #expect(scene.store.commit(Batch(at: scene.now, some)) == .applied)
        }
        return scene
    }

    @Test("However many assertions there are, each is taken back", .proves("TOK-7"))
    func manyPages() throws {
        var scene = try introduced(2_345)
        // Shut out by the policy, all of them are found, in pages.
        var host = StubbornHost()
        host.store.tree = scene.store
        var service = scene.service
        service.policy.excludedPlatforms = [.iOS]
        #expect(host.reconcile(for: service, at: scene.now, using: &scene.parties.federation.entropy))
        let due = Facts.Key.outgoing(due: scene.now, limit: 9_999)
        #expect(host.store.load([due]).messages(due: scene.now, limit: 9_999).count == 2_345)
        host.store.refuses = true
        service.policy.excludedPlatforms = []
        service.versions = try AppVersion.Registry([])
        host.store.tree = scene.store
        #expect(!host.reconcile(for: service, at: scene.now, using: &scene.parties.federation.entropy))
        let proof = try scene.proof(scene.phone.personal, for: "revoke")
        let reply = scene.send(
            try scene.form("revoke", [("token", try #require(scene.phone.personal?.token))], .bearer(proof)))
        reply.expectSuccess()
        // Its end is one change beside the proof's; eight pages are told at once, and nothing is left unsaid.
        #expect(reply.changes.count == 2)
        #expect(told(scene) == 8 * 256 && scene.unfinished.count == 1)
    }

    @Test(
        "A crash between an end and the search for what hangs on it is made good by whoever asks again",
        .proves("TOK-7"))
    func crashBehindAnEnd() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        let proof = try scene.proof(scene.phone.personal, for: "revoke")
        let request = try scene.form("revoke", [("token", try #require(scene.phone.personal?.token))], .bearer(proof))
        var exchange = scene.service.exchange(for: request, at: scene.now, using: &scene.parties.federation.entropy)
        while let lookup = exchange.lookup { exchange.supply(scene.result(of: lookup)) }
        #expect(scene.store.commit(exchange.decision.batch) == .applied)
        #expect(try !scene.verdict(scene.phone.personal).grantLives && scene.messages.isEmpty)
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(scene.messages.map { $0.destination.text } == [Scene.alpha])
        // Once it is told, asking again tells nothing more.
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(scene.messages.count == 1)
    }

    private func told(_ scene: Scene) -> Int {
        scene.store.load([.outgoing(due: scene.now, limit: 20_000)]).messages(due: scene.now, limit: 20_000).count
    }

    @Test(
        "Thousands of introductions end with one change; the rest is told by the upkeep, in bounded steps, and read back",
        .proves("threat-59"), .proves("TOK-7"), arguments: ["logout", "instance", "signed out", "blocked"])
    func bounded(_ way: String) throws {
        var scene = try introduced(5_000)
        var journal: [UInt8] = []
        var tree = scene.store
        let pieces = [[UInt8]](tree.snapshot())
        let personal = try TokenID(parsing: try #require(scene.phone.personal?.keyID))
        let (service, now) = (scene.service, scene.now)
        var records: [AuditRecord] = []
        var store = JournaledStore(tree: tree)
        let version = try KeyID(parsing: "ios-1.0")
        switch way {
        case "logout", "instance":
            let held = way == "logout" ? scene.phone.personal : scene.phone.client
            let proof = try scene.proof(held, for: "revoke")
            let request = try scene.form("revoke", [("token", try #require(held?.token))], .bearer(proof))
            let response = service.answer(
                request, in: &store, at: now, using: &scene.parties.federation.entropy, hear: { records.append($0) })
            #expect(response.status == .ok)
        default:
            let command: Administration = way == "blocked" ? .block(version) : .signOut(scene.parties.person.subject)
            let response = store.carryOut(
                { service.exchange(for: command, at: now, using: &scene.parties.federation.entropy) },
                hear: { records.append($0) })
            #expect(response.status == .noContent)
        }
        let record = try #require(records.first)
        #expect(records.count == 1 && record.changes.count <= 2 && record.unfinished.count == 1)
        #expect(store.longestBatch <= 512)
        // What was given in the instant of the end is refused by the store, or else found: nothing lives on the ground.
        var upkeep = Upkeep()
        upkeep.takeUp(record)
        upkeep.pagesAtOnce = 6
        var ticks = 0
        while store.told(now) < 5_000, ticks < 9 {
            ticks += 1
            _ = upkeep.tick(for: service, in: &store, at: now, using: &scene.parties.federation.entropy) { _ in nil }
        }
        #expect(ticks == 4 && store.told(now) == 5_000)
        #expect(store.longestBatch <= 512)
        if way == "logout" { #expect(!store.tree.verdict(of: personal, at: now).grantLives) }
        journal = store.journal
        var restoration = MemoryStore.Restoration()
        for piece in pieces { try restoration.read(piece) }
        try restoration.read(journal)
        tree = try restoration.finish(expecting: store.tree.head).tree
        #expect(tree.head == store.tree.head && tree.count == store.tree.count)
    }

    /// A store that is written down, and counts.
    struct JournaledStore: TokenStore {
        var tree: MemoryStore
        var journal: [UInt8] = []
        var longestBatch = 0

        func load(_ keys: [Facts.Key]) -> Facts { tree.load(keys) }
        mutating func commit(_ batch: Batch) -> Batch.Outcome {
            longestBatch = max(longestBatch, batch.changes.count)
            return tree.commit(batch, journal: &journal)
        }
        mutating func purge(at now: Timestamp, keeping retention: Retention) -> Int {
            tree.purge(at: now, keeping: retention, journal: &journal)
        }
        /// How many messages were ever written.
        func told(_ now: Timestamp) -> Int {
            let later = now + .seconds(86_400)
            return tree.load([.outgoing(due: later, limit: 9_999)]).messages(due: later, limit: 9_999).count
        }
    }

    @Test("A list whose middle is gone is not taken for the whole", .proves("TOK-7"))
    func lostPlace() throws {
        var scene = try Scene.signedIn()
        let gone = try TokenID(parsing: "gone")
        var exchange = scene.service.reconciliation(
            after: gone, at: scene.now, using: &scene.parties.federation.entropy)
        while let lookup = exchange.lookup { exchange.supply(scene.result(of: lookup)) }
        #expect(exchange.decision.refusal?.error.code == .temporarilyUnavailable)
    }

    @Test(
        "A version on which very much stands is out at once, and the reconciliation tells the rest", .proves("FED-4"),
        .proves("TOK-7"))
    func block() throws {
        var scene = try introduced(3_001)
        scene.administrate(.block(try KeyID(parsing: "ios-1.0"))).expectSuccess(204)
        #expect(told(scene) == 8 * 256)
        var host = StubbornHost()
        host.store.tree = scene.store
        #expect(host.reconcile(for: scene.service, at: scene.now, using: &scene.parties.federation.entropy))
        scene.store = host.store.tree
        #expect(told(scene) == 3_001)
    }

    @Test(
        "An assertion that is given while its ground ends is found, and taken back", .proves("TOK-7"),
        .proves("threat-31"), .proves("threat-59"))
    func race() throws {
        var scene = try Scene.signedIn()
        try scene.introduce(to: Scene.beta).expectSuccess()
        let proof = try scene.proof(scene.phone.personal, for: "revoke")
        let request = try scene.form("revoke", [("token", try #require(scene.phone.personal?.token))], .bearer(proof))
        scene.send(request) { _ = try? $0.introduce() }.expectSuccess()
        #expect(Set(scene.messages.map { $0.destination.text }) == [Scene.alpha, Scene.beta])
        // Once is enough.
        #expect(scene.reconcile().changes.isEmpty)
        #expect(scene.messages.count == 2)
        // From now on the store refuses more.
        let late = Record(
            id: "late", kind: .assertion, parent: try TokenID(parsing: try #require(scene.phone.personal?.keyID)),
            issued: scene.now, audience: "https://alpha.example.ch/")
        #expect(scene.store.commit(Batch(at: scene.now, [.insert(late)])) != .applied)
    }

    @Test("Services are told of platforms and versions that were shut out by policy or registry", .proves("FED-4"))
    func shutOut() throws {
        for shutOut: (inout Scene) throws -> Void in [
            { $0.service.policy.excludedPlatforms = [.iOS] },
            { $0.service.versions = try AppVersion.Registry(Array($0.service.versions.all.dropFirst())) },
        ] {
            var scene = try Scene.signedIn()
            let assertion = try #require(try scene.introduce()["code"])
            #expect(scene.reconcile().changes.isEmpty)
            let before = scene.service
            try shutOut(&scene)
            scene.reconcile().expectSuccess()
            #expect(scene.messages.map { $0.destination.text } == [Scene.alpha])
            // Who is let in again begins anew at the services.
            scene.service = before
            #expect(try scene.introspect(assertion, by: 0).json == ["active": false])
            try scene.introduce().expectSuccess()
            #expect(scene.reconcile().changes.isEmpty)
        }
    }

    @Test("What was granted on an assertion outlives the time for redeeming it", .proves("TOK-7"), .proves("TOK-1"))
    func expiredAssertion() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        scene.wait(300)
        scene.reconcile().expectSuccess()
        #expect(scene.messages.isEmpty)
    }

    @Test("Who is shut out can still log out", .proves("FED-4"), .proves("TOK-4"))
    func blockedLogout() throws {
        var scene = try Scene.signedIn()
        scene.administrate(.block(try KeyID(parsing: "ios-1.0"))).expectSuccess(204)
        try scene.revoke(scene.phone.personal?.token, by: scene.phone.personal).expectSuccess()
        #expect(try !scene.verdict(scene.phone.personal).grantLives)
    }

    @Test("No success without commit", .proves("threat-32"))
    func noCommit() throws {
        var scene = try Scene.signedIn()
        var host = StubbornHost()
        host.store.tree = scene.store
        host.store.refuses = true
        let proof = try scene.proof(scene.phone.personal, for: "revoke")
        let request = try scene.form("revoke", [("token", try #require(scene.phone.personal?.token))], .bearer(proof))
        let service = scene.service
        let now = scene.now
        var entropy = scene.parties.federation.entropy
        let response = host.carryOut { service.exchange(for: request, at: now, using: &entropy) }
        #expect(response.status == .serviceUnavailable)
        #expect(try JSON(parsing: response.body)["error"] == "temporarily_unavailable")
        // Where there is nothing to store, the store is not asked.
        let unproved = try scene.request(.get, "userinfo")
        #expect(host.carryOut { service.exchange(for: unproved, at: now, using: &entropy) }.status == .unauthorized)
        // A host that does not answer what it is asked gets a refusal, and nothing to store.
        let exchange = service.exchange(for: request, at: now, using: &entropy)
        #expect(exchange.lookup != nil)
        #expect(
            exchange.decision.batch.changes.isEmpty && exchange.decision.refusal?.error.code == .temporarilyUnavailable)
        guard case .startOver = exchange.decision.conclusion(after: .conflict(.full, change: 0))
        else {
            Issue.record("a conflict concluded in an answer")
            return
        }
    }
}
