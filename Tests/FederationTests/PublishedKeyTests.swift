import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// How parties and hosts read the keys of others (threat 76).
@Suite("Published keys")
struct PublishedKeyTests {
    /// Alpha, which reads the edu-ID service's keys.
    private func stage() throws -> Stage {
        var stage = try Stage.fresh()
        stage.service.eduID = FederationService.Trusted(try Issuer(parsing: Stage.eduID))
        stage.published = try published()
        return stage
    }

    private func published(named name: String? = "edu-id-1", seed: UInt8 = Pair.eduID) throws -> HTTP.Response {
        let id = try name.map { try KeyID(parsing: $0) }
        let key = JWK(try Pair.of(seed).publicKey, attributes: JWK.Attributes(id: id))
        return HTTP.Response(.ok, body: JWKSet([key]).encoded())
    }

    @Test("The keys of an issuer are read below it, once, and serve while they are fresh", .proves("threat-76"))
    func read() throws {
        var stage = try stage()
        _ = try stage.redeem("a-1")
        _ = try stage.redeem("a-2")
        #expect(stage.questions.map { $0.target } == [.absolute(try WebURL(parsing: Stage.eduID + "/jwks"))])
        stage.now = stage.now + .seconds(600)
        _ = try stage.redeem("a-3")
        #expect(stage.questions.count == 2)
        // What was read elsewhere says nothing about another place.
        let elsewhere = try WebURL(parsing: "https://keys.example.ch/eduid")
        stage.service.eduID = FederationService.Trusted(try Issuer(parsing: Stage.eduID), publishing: elsewhere)
        _ = try stage.redeem("a-4")
        #expect(stage.questions.last?.target == .absolute(elsewhere))
    }

    @Test("While keys cannot be read nothing is refused for good", .proves("threat-76"))
    func unreadable() throws {
        var stage = try stage()
        let answers: [HTTP.Response?] = [
            nil, HTTP.Response(.notFound), HTTP.Response(.found, body: try published().body),
            HTTP.Response(.ok, body: Array("<html>".utf8)), HTTP.Response(.ok, body: Array(#"{"keys":[]}"#.utf8)),
            try published(named: nil),
        ]
        let request = try Stage.redeeming(stage.assertion(), stage.instanceProof())
        for answer in answers {
            stage.published = answer
            stage.keySets = KeySets()
            let before = stage.state
            let response = stage.send(request)
            #expect(response.status == .serviceUnavailable && stage.refusals.last?.clause == "threat-76")
            #expect(stage.state == before)
        }
        stage.published = try published()
        stage.keySets = KeySets()
        #expect(stage.send(request).status == .ok)
    }

    @Test("Keys that were read serve for a day without their owner, and no longer", .proves("threat-76"))
    func stale() throws {
        var stage = try stage()
        _ = try stage.redeem("a-1")
        stage.published = nil
        stage.now = stage.now + .seconds(600 + 86_399)
        _ = try stage.redeem("a-2")
        stage.now = stage.now + .seconds(31)
        #expect(stage.send(try Stage.redeeming(stage.assertion("a-3"), stage.instanceProof())).status.code == 503)
    }

    @Test("What a host found for another issuer vouches for nothing", .proves("threat-25"))
    func otherIssuer() throws {
        var stage = try stage()
        var foreign = RemoteKeySet(of: try Issuer(parsing: "https://other.example.ch"))
        try foreign.received(published().body, caching: nil, at: stage.now)
        var exchange = stage.service.exchange(
            for: try Stage.redeeming(stage.assertion(), stage.instanceProof()), at: stage.now, using: &stage.entropy)
        while let lookup = exchange.lookup {
            switch lookup {
            case .facts(let keys): exchange.supply(.facts(stage.store.load(keys)))
            case .keys: exchange.supply(.keys(foreign))
            default: exchange.supply(lookup.nothing)
            }
        }
        #expect(exchange.decision.refusal?.clause == "threat-76")
    }

    @Test("A key that was handed over is replaced by hand: the message waits for that", .proves("threat-76"))
    func handedOver() throws {
        var stage = try Stage.fresh()
        let request = try stage.takingBack("edu-id-1", hint: "key")
        #expect(stage.send(request).status == .serviceUnavailable)
        // The proof is noted all the same, and nothing else is changed.
        #expect(stage.send(request).status == .unauthorized)
        #expect(stage.questions.isEmpty)
    }

    @Test("A key that was withdrawn once vouches for nothing, published again or handed over", .proves("threat-76"))
    func neverAgain() throws {
        var stage = try stage()
        var stolen = JWK(try Pair.of(Pair.eduID).publicKey, attributes: .init(id: try KeyID(parsing: "edu-id-1")))
        stolen.attributes.withdrawal = JWK.Withdrawal(since: stage.now)
        let next = JWK(try Pair.of(Pair.stranger).publicKey, attributes: .init(id: try KeyID(parsing: "edu-id-2")))
        stage.published = HTTP.Response(.ok, body: JWKSet([next, stolen]).encoded())
        func ending(_ id: String, by key: String) throws -> HTTP.Request {
            let proof = try stage.clientAssertion().heading(["kid": .string(key)])
                .signed(by: key == "edu-id-1" ? Pair.eduID : Pair.stranger).text
            return try Stage.form(
                [
                    "token": id, "token_type_hint": "assertion",
                    "client_assertion_type": ClientCredential.assertionType, "client_assertion": proof,
                ], to: Stage.revoke)
        }
        #expect(stage.send(try ending("a-1", by: "edu-id-2")).status == .ok)
        stage.published = try published()
        let issuer = try Issuer(parsing: Stage.eduID)
        stolen.attributes.withdrawal = nil
        let handedOver = [try VerificationKey(stolen)]
        for trusted in [FederationService.Trusted(issuer), FederationService.Trusted(issuer, keys: handedOver)] {
            stage.service.eduID = trusted
            stage.keySets = KeySets()
            let before = stage.state
            #expect(stage.send(try ending("a-2", by: "edu-id-1")).status == .unauthorized)
            #expect(stage.refusals.last?.clause == "RFC7515-6")
            #expect(stage.state == before)
            #expect(stage.send(try Stage.redeeming(stage.assertion(), stage.instanceProof())).status == .badRequest)
        }
    }

    @Test("A message about keys makes a service read only when the edu-ID service sent it", .proves("threat-76"))
    func forgedMessage() throws {
        var stage = try stage()
        _ = try stage.redeem()
        let asked = stage.questions.count
        let forged = try stage.clientAssertion().signed(by: Pair.stranger).text
        let request = try Stage.form(
            [
                "token": "edu-id-1", "token_type_hint": "key",
                "client_assertion_type": ClientCredential.assertionType, "client_assertion": forged,
            ], to: Stage.revoke)
        #expect(stage.send(request).status == .unauthorized && stage.questions.count == asked)
        #expect(stage.send(try stage.takingBack("edu-id-1", hint: "key")).status == .serviceUnavailable)
        #expect(stage.questions.count == asked + 1)
    }

    @Test("However many keys are withdrawn, they are looked up at once, before any signature", .proves("threat-76"))
    func manyWithdrawn() throws {
        func outcome(withdrawing count: Int, _ request: (inout Stage) throws -> HTTP.Request) throws -> (Int, Int) {
            var stage = try stage()
            let withdrawn = try (0..<count).map { place in
                var key = try publicKey(of: place)
                key.attributes.withdrawal = JWK.Withdrawal(since: stage.now)
                return key
            }
            let current = JWK(try Pair.of(Pair.eduID).publicKey, attributes: .init(id: try KeyID(parsing: "edu-id-1")))
            let published = HTTP.Response(.ok, body: JWKSet([current] + withdrawn).encoded())
            var exchange = stage.service.exchange(for: try request(&stage), at: stage.now, using: &stage.entropy)
            var (lookups, sets) = (0, KeySets())
            while let lookup = exchange.lookup {
                lookups += 1
                switch lookup {
                case .facts(let keys): exchange.supply(.facts(stage.store.load(keys)))
                case .keys(let question): exchange.supply(sets.answer(question, at: stage.now) { _ in published })
                default: exchange.supply(lookup.nothing)
                }
            }
            #expect(exchange.decision.refusal == nil)
            return (lookups, exchange.decision.batch.changes.count)
        }
        let requests: [(inout Stage) throws -> HTTP.Request] = [
            { try Stage.redeeming($0.assertion(), $0.instanceProof()) }, { try $0.takingBack("a-1") },
        ]
        for request in requests {
            let (one, many) = (try outcome(withdrawing: 1, request), try outcome(withdrawing: 100, request))
            #expect(one.0 == many.0)
            // All are noted.
            #expect(one.1 + 99 == many.1)
        }
    }

    // MARK: The edu-ID service

    private func publicKey(of place: Int) throws -> JWK {
        let pair = try Curve25519.Signing.PrivateKey(
            rawRepresentation: [UInt8](repeating: UInt8(100 + place), count: 32))
        return JWK(pair.publicKey, attributes: JWK.Attributes(id: try KeyID(parsing: "university-\(place)")))
    }

    @Test("The edu-ID service reads the keys of its services below their authorization", .proves("threat-76"))
    func services() throws {
        var scene = try Scene.signedIn()
        let assertion = try #require(try scene.introduce()["code"])
        let member = try #require(scene.service.index.services.first)
        scene.service.index = ServiceIndex([try ServiceIndex.Member(member.home, issuer: member.issuer)])
        func ask(_ answer: HTTP.Response?) throws -> (asked: [String], status: Int, refusal: Refusal?) {
            var (asked, sets): ([String], KeySets) = ([], KeySets())
            let credential = try scene.credential(of: 0)
            var exchange = scene.service.exchange(
                for: try scene.form("introspect", [("token", assertion)], credential), at: scene.now,
                using: &scene.parties.federation.entropy)
            while let lookup = exchange.lookup {
                guard case .keys(let question) = lookup else {
                    exchange.supply(scene.result(of: lookup))
                    continue
                }
                exchange.supply(
                    sets.answer(question, at: scene.now) { request in
                        asked.append(request.target.path)
                        return answer
                    })
            }
            guard case .respond(let response) = exchange.decision.conclusion(after: .applied) else {
                return ([], 0, nil)
            }
            return (asked, Int(response.status.code), exchange.decision.refusal)
        }
        let key = try publicKey(of: 0)
        let good = try ask(HTTP.Response(.ok, body: JWKSet([key]).encoded()))
        #expect(good.asked == ["/oauth/jwks"] && good.status == 200)
        let down = try ask(nil)
        #expect(down.status == 503 && down.refusal?.clause == "threat-76")
        // Without a description nobody knows where they are.
        scene.service.directory = ServiceDirectory()
        let unread = try ask(HTTP.Response(.ok, body: JWKSet([key]).encoded()))
        #expect(unread.asked.isEmpty && unread.status == 503)
    }

    @Test("However many services there are, all are told, a page at a time, and each once", .proves("threat-76"))
    func manyServices() throws {
        var scene = try Scene.signedIn()
        let members = try (0..<600).map { number in
            try ServiceIndex.Member(ServiceURL(parsing: "https://s\(number).example.ch"))
        }
        scene.service.index = ServiceIndex(members)
        var key = try publicKey(of: 5)
        key.attributes.withdrawal = JWK.Withdrawal(since: scene.now)
        try scene.parties.sign(with: #require(scene.parties.keys.pair), publishing: [key])
        // A host that stops between two pages begins anew.
        _ = scene.reconcile()
        #expect(scene.messages.count == 256)
        scene.parties.federation.reconcile()
        #expect(Set(scene.messages.map { $0.destination }).count == 600 && scene.messages.count == 600)
        let change = scene.messages.first?.body
        #expect(change == ["key": "university-5"])
        scene.parties.federation.reconcile()
        #expect(scene.messages.count == 600)
    }

    @Test("A service publishes no more keys than others read", .proves("threat-14"))
    func limits() throws {
        let issuer: Issuer = "https://many.example"
        let master = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
        func authority(_ others: Int, named name: String) throws -> Authority {
            let pair = try Pair.of(Pair.eduID)
            let keys = try (0..<others).map { number in
                JWK(pair.publicKey, attributes: .init(id: try KeyID(parsing: "\(name)-\(number)")))
            }
            let signing = JWK.Private(pair, attributes: .init(id: try KeyID(parsing: "now")))
            return try Authority(issuer, keys: .init(signing: signing, others: keys, master: master))
        }
        let most = JWKSet.Limits().keys
        let published = try authority(most - 1, named: "k").publicKeys.encoded()
        #expect(try JWKSet(parsing: published, of: issuer).members.count == most)
        #expect(throws: Rejection.key(.tooManyKeys(found: most + 1, limit: most))) {
            try authority(most, named: "k")
        }
        let name = String(repeating: "n", count: 1_000)
        let error = #expect(throws: Rejection.self) { try authority(most - 1, named: name) }
        guard case .key(.malformedSet(.tooLarge(size: _, limit: 64 << 10)))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Of a theft that was earlier than was believed all are told once more", .proves("threat-76"))
    func earlierTheft() throws {
        var scene = try Scene.signedIn()
        func withdraw(since time: Timestamp) throws -> [OutgoingMessage.ID] {
            var key = try publicKey(of: 5)
            key.attributes.withdrawal = JWK.Withdrawal(since: time)
            try scene.parties.sign(with: #require(scene.parties.keys.pair), publishing: [key])
            scene.parties.federation.reconcile()
            return scene.messages.map { $0.id }
        }
        let (believed, earlier) = (scene.now - .seconds(60), scene.now - .seconds(61))
        let first = try withdraw(since: believed)
        #expect(!first.isEmpty)
        // Neither is a later time news, nor the same.
        #expect(try withdraw(since: scene.now) == first)
        #expect(try withdraw(since: believed) == first)
        let second = try withdraw(since: earlier)
        #expect(second.count == 2 * first.count && Set(second).isSuperset(of: first))
        #expect(try withdraw(since: earlier) == second)
        #expect(try withdraw(since: believed) == second)
    }

    @Test(
        "A service that joins after a key was withdrawn, or comes back, is told as well, and once", .proves("threat-76")
    )
    func laterMembers() throws {
        var scene = try Scene.signedIn()
        let services = scene.parties.federation.eduID.index.services
        var key = try publicKey(of: 5)
        key.attributes.withdrawal = JWK.Withdrawal(since: scene.now)
        try scene.parties.sign(with: #require(scene.parties.keys.pair), publishing: [key])
        func told(_ members: some Sequence<ServiceIndex.Member>) -> [String] {
            scene.parties.federation.eduID.index = ServiceIndex(Array(members))
            scene.parties.federation.reconcile()
            return scene.messages.map { $0.destination.text }.sorted()
        }
        let all = services.map { $0.issuer.text }
        try #require(all.count > 1)
        #expect(told(services.dropLast()) == all.dropLast().sorted())
        #expect(told([]) == all.dropLast().sorted())
        #expect(told(services.reversed()) == all.sorted())
        #expect(told(services.dropFirst()) == all.sorted())
        #expect(told(services) == all.sorted())
    }

    // MARK: Keys of versions

    @Test(
        "A version's key that was stolen registers nothing, and what it registered since the theft ends",
        .proves("threat-76"))
    func version() throws {
        var scene = try Scene.signedIn()
        try scene.introduce().expectSuccess()
        scene.wait(600)
        let theft = scene.now
        let early = scene.phone
        scene.phone = try scene.signIn(try scene.otherPhone(), as: scene.bob)
        let late = scene.phone
        let given = try #require(try scene.introduce()["code"])
        scene.administrate(.withdraw(try KeyID(parsing: "ios-1.0"), since: theft)).expectSuccess(204)

        // What came later is over, here and at the services.
        try scene.asUser(.get, "userinfo").expectRefusal("invalid_token", 401, "TOK-1")
        #expect(try scene.introspect(given, by: 0).json?["active"] == false)
        #expect(scene.messages.count == 1)
        let statement = try scene.statement(of: Handset(number: 7), version: 0)
        scene.send(try scene.form("token", [("grant_type", "client_credentials")], .assertion(statement)))
            .expectRefusal("unauthorized_client", 400, "REG-4")
        // Who was there before goes on, and cannot tell.
        scene.phone = early
        try scene.asUser(.get, "userinfo").expectSuccess()
        try scene.introduce(to: Scene.beta).expectSuccess()
        try scene.refresh(scene.phone.personal?.refresh, by: scene.phone.personal).expectSuccess()
        // An honest device that was registered since begins anew with the next version.
        let again = scene.send(
            try scene.form(
                "token", [("grant_type", "client_credentials")],
                .assertion(try scene.statement(of: late, version: 1))))
        again.expectSuccess()
        // And the phone from before moves up, with its user.
        let own = try scene.proof(scene.phone.client, for: "token")
        let upgrade = [("grant_type", "client_credentials"), ("instance_assertion", own)]
        scene.send(try scene.form("token", upgrade, .assertion(try scene.statement(of: scene.phone, version: 1))))
            .expectSuccess()
        try scene.asUser(.get, "userinfo").expectSuccess()
    }

    @Test("An administrator says since when, over the network too", .proves("TOK-5"), .proves("threat-76"))
    func overTheNetwork() throws {
        var scene = try Scene.signedIn()
        let path = "admin/versions/ios-2.0/withdraw"
        func withdraw(_ since: String?) throws -> Reply {
            let proof = try scene.proof(scene.phone.personal, for: path)
            return scene.send(try scene.form(path, since.map { [("since", $0)] } ?? [], .bearer(proof)))
        }
        try withdraw("1800000000").expectRefusal("insufficient_scope", 403, "TOK-5")
        scene.service.policy.administrators = [scene.parties.person.subject]
        for wrong in [nil, "", "-1", "1.5", "soon", "99999999999999"] as [String?] {
            try withdraw(wrong).expectRefusal("invalid_request", 400, "threat-76")
        }
        try withdraw("1800000000").expectSuccess(204)
        let versions = try scene.asUser(.get, "admin/versions").json?.array
        #expect(versions?.map { $0["withdrawn"] } == [nil, 1_800_000_000, nil])
        let none = "admin/versions/none/withdraw"
        let unknown = try scene.form(none, [("since", "1")], .bearer(scene.proof(scene.phone.personal, for: none)))
        #expect(scene.send(unknown).status == 404)
    }

    // MARK: Hosts

    /// Counts what is asked, and answers when it is told to.
    private final class Publisher: Sendable {
        let count = Mutex(0)
        let response: HTTP.Response

        init(_ response: HTTP.Response) { self.response = response }

        func answer() async -> HTTP.Response {
            count.withLock { $0 += 1 }
            try? await Task.sleep(for: .milliseconds(50))
            return response
        }
    }

    @Test("Requests that need the same keys at the same moment share one reading", .proves("threat-76"))
    func concurrentRequests() async throws {
        var stage = try stage()
        let publisher = Publisher(try published())
        let now = stage.now
        let host = FederationService.Host(
            stage.service, in: SharedStore(MemoryStore()), clock: { now }, network: { _ in await publisher.answer() })
        let requests = try (1...8).map { try Stage.redeeming(stage.assertion("a-\($0)"), stage.instanceProof()) }
        let statuses = await withTaskGroup(of: UInt16.self) { group in
            for request in requests { group.addTask { await host.answer(request).status.code } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 8))
        #expect(publisher.count.withLock { $0 } == 1)
    }

    @Test("A tick reads keys again that are no longer fresh", .proves("threat-76"))
    func ticks() async throws {
        var stage = try stage()
        let publisher = Publisher(try published())
        let clock = Mutex(stage.now)
        let host = FederationService.Host(
            stage.service, in: SharedStore(MemoryStore()), clock: { clock.withLock { $0 } },
            network: { _ in await publisher.answer() })
        let request = try Stage.redeeming(stage.assertion(), stage.instanceProof())
        #expect(await host.answer(request).status == .ok)
        await host.tick()
        #expect(publisher.count.withLock { $0 } == 1)
        clock.withLock { $0 = $0 + .seconds(600) }
        await host.tick()
        #expect(publisher.count.withLock { $0 } == 2)
    }

    @Test(
        "A host of the edu-ID service publishes the withdrawal, and its next tick tells everybody", .proves("threat-76")
    )
    func atWork() async throws {
        var parties = try Parties(seed: 77)
        let (issuer, now) = (parties.federation.eduID.authority.issuer, parties.federation.now)
        let lastKey = try #require(parties.keys.publicKey)
        let (nextKey, master) = (
            try parties.keyPair(named: "edu-id-2"), SymmetricKey(data: [UInt8](repeating: 1, count: 32))
        )
        let theft = now
        let told = Mutex(0)
        let host = EduIDService.Host(
            parties.federation.eduID, in: SharedStore(MemoryStore()), clock: { now },
            network: { _ in
                told.withLock { $0 += 1 }
                return HTTP.Response(.ok)
            })
        // example: a stolen key
        var stolen = lastKey
        stolen.attributes.withdrawal = JWK.Withdrawal(since: theft, reason: "compromised")
        host.party.authority = try Authority(issuer, keys: .init(signing: nextKey, others: [stolen], master: master))
        // end of example
        let published = await host.answer(HTTP.Request(.get, .absolute(try WebURL(parsing: issuer.text + "/jwks"))))
        let keys = try JSON(parsing: published.body)["keys"]?.array
        #expect(keys?.map { $0["revoked"]?["revoked_at"] } == [nil, .number(JSON.Number(now.seconds))])
        #expect(published.fields.value(of: .cacheControl) == .once("max-age=300"))
        #expect(await host.tick().confirmed == 2 && told.withLock { $0 } == 2)
    }
}
