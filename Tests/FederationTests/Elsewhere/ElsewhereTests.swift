import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Services whose keys lie elsewhere, and holders with keys of every kind")
struct ElsewhereTests {
    /// All interactions in which a service takes part, each by a request of its own.
    private func play(_ world: inout ElsewhereWorld, holders: PairKind) throws {
        let (phone, own) = (try SomePair(holders, 21), try SomePair(holders, 22))
        let app = try SomePair(holders, 23)
        let client = try world.register(phone)
        let personal = try world.signIn(client)
        let userinfo = ElsewhereWorld.eduID + "/userinfo"
        #expect(try world.opens(userinfo, personal))
        #expect(try world.opens(userinfo, personal, withDPoP: true))
        for place in 0...1 {
            let pair = place == 0 ? phone : own
            let introduction = try world.introduce(personal, to: place, by: place == 0 ? nil : own)
            let service = try world.redeem(introduction, at: place, by: pair, withDPoP: place == 1)
            let given = try world.authorize(app, with: service, at: place)
            let url = ElsewhereWorld.papi(place)
            #expect(try world.opens(url, given))
            #expect(try world.opens(url, given, withDPoP: true))
            #expect(try world.opens(url, service) == false)
            let renewed = try world.refresh(
                given, at: ElsewhereWorld.component(place) + "token", withDPoP: place == 1)
            #expect(try world.opens(url, renewed, withDPoP: true))
            _ = try world.refresh(service, at: ElsewhereWorld.component(place) + "token")
        }
        let renewed = try world.refresh(personal, at: ElsewhereWorld.eduID + "/token")
        #expect(try world.opens(userinfo, renewed, withDPoP: true))
        try world.signOut(renewed)
        try deliver(&world, 2)
        #expect(try world.opens(userinfo, renewed) == false)
    }

    /// Delivers messages, first while the key of the edu-ID service is in each trouble.
    private func deliver(_ world: inout ElsewhereWorld, _ count: Int) throws {
        let id = try #require(world.signers[0].publicKey.id)
        for trouble in world.troubles {
            let before = world.states
            world.federation.signer = ElsewhereWorld.signer(world.signers, trouble, with: id)
            #expect(world.federation.deliver() == 0, "\(trouble)")
            #expect(world.states == before, "\(trouble)")
        }
        world.federation.signer = ElsewhereWorld.signer(world.signers)
        #expect(world.federation.deliver() == count)
    }

    @Test(
        "Every interaction passes with keys elsewhere, and with holders' keys of either kind",
        .proves("KEY-21"), .proves("KEY-23"), arguments: PairKind.allCases)
    func interactions(_ kind: PairKind) throws {
        // With holders of the other kind it is played among troubles.
        var world = try ElsewhereWorld(kind)
        try play(&world, holders: kind)
    }

    @Test(
        "A signer that is away, lies or gives another form leaves every store as it was, and the same request passes",
        .proves("KEY-20"), .proves("KEY-21"), arguments: PairKind.allCases)
    func troubles(_ kind: PairKind) throws {
        var world = try ElsewhereWorld(kind)
        world.troubles = Trouble.allCases
        try play(&world, holders: kind.other)
        #expect(
            world.met == [
                "registration: edu-id-1", "sign-in: edu-id-1", "introduction: edu-id-1", "renewal: edu-id-1",
                // The service asks the edu-ID service about the assertion (6), which gives it a user token.
                "redemption: edu-id-1", "redemption: alpha-1", "redemption: beta-1",
                "app authorization: alpha-1", "app authorization: beta-1", "renewal: alpha-1", "renewal: beta-1",
            ])
    }

    @Test("What is refused is refused before anybody is asked to sign", .proves("KEY-21"))
    func refusedUnasked() throws {
        var world = try ElsewhereWorld(.p256)
        let phone = try SomePair(.p256, 21)
        let personal = try world.signIn(world.register(phone))
        let introduction = try world.introduce(personal, to: 0)
        let service = try world.redeem(introduction, at: 0, by: phone)
        let asked = ElsewhereWorld.Asked()
        let token = ElsewhereWorld.component(0) + "token"
        func refused(_ request: HTTP.Request, _ clause: String) throws {
            world.federation.signer = ElsewhereWorld.signer(world.signers, nil, with: nil, asked)
            let sent = world.federation.send(request)
            let response = try #require(sent)
            #expect(response.status.code >= 400)
            #expect(world.federation.refusals.last?.clause == clause)
        }
        // Renewal beyond the grant.
        try refused(
            world.form(
                token, [("grant_type", "refresh_token"), ("refresh_token", service.refresh ?? ""), ("scope", "more")],
                bearer: world.proof(service, token)), "threat-30")
        // A lost answer is not given again to whom the service admits no more.
        world.federation.services[0].service.policy.instances = .only([])
        let pairs = [("grant_type", Stage.jwtBearer), ("assertion", introduction.0)]
        let proof = try service.dpop(.post, token, at: world.federation.now, using: &world.federation.entropy)
        try refused(world.form(token, pairs, dpop: proof), "USR-6")
        // A service that the federation does not know.
        let authorize = ElsewhereWorld.eduID + "/authorize"
        try refused(
            world.form(
                authorize, [("response_type", "code"), ("resource", "https://gamma.example.ch/")],
                bearer: world.proof(personal, authorize)), "RFC8707-2")
        // A sign-in of which the person is to be asked anew.
        let store = world.federation.eduIDStore
        let entries = (0..<store.placeCount).compactMap { store.entry(at: $0) }
        let record = try #require(entries.first { $0.record.kind == .personal }).record
        var attributes = record.attributes
        attributes["ask_again"] = .number(JSON.Number(world.federation.now.seconds))
        let change = Change.describe(record.id, attributes, from: record.attributes)
        #expect(world.federation.eduIDStore.commit(Batch(at: world.federation.now, [change])) == .applied)
        let renewing = ElsewhereWorld.eduID + "/token"
        let refresh = try #require(personal.refresh)
        try refused(
            world.form(
                renewing, [("grant_type", "refresh_token"), ("refresh_token", refresh)],
                bearer: world.proof(personal, renewing)), "OIC-17")
        #expect(asked.count == 0)
    }

    @Test("A signature that comes late is good as long as nothing has changed", .proves("KEY-21"))
    func late() throws {
        var world = try ElsewhereWorld(.p256)
        let personal = try world.signIn(world.register(SomePair(.ed25519, 21)))
        let url = ElsewhereWorld.eduID + "/token"
        let request = try world.form(
            url, [("grant_type", "refresh_token"), ("refresh_token", try #require(personal.refresh))],
            bearer: world.proof(personal, url))
        for isEnded in [false, true] {
            var store = world.federation.eduIDStore
            let (service, now) = (world.federation.eduID, world.federation.now)
            var exchange = service.exchange(for: request, at: now, using: &world.federation.entropy)
            while case .facts(let keys)? = exchange.lookup { exchange.supply(.facts(store.load(keys))) }
            guard case .signature(let awaited)? = exchange.lookup else {
                Issue.record("no signature is asked for")
                return
            }
            // Undecided, the exchange says no and changes nothing.
            #expect(exchange.decision.refusal != nil && exchange.decision.batch.changes.isEmpty)
            if isEnded {
                let record = try TokenID(parsing: personal.keyID)
                #expect(store.commit(Batch(at: now, [.revoke(record, .user)])) == .applied)
            }
            exchange.supply(.signature(world.signers[0].signature(for: awaited.message)))
            let decision = exchange.decision
            #expect(exchange.lookup == nil && decision.refusal == nil)
            switch decision.conclusion(after: store.commit(decision.batch)) {
            case .respond(let response): #expect(!isEnded && response.status == .ok)
            case .startOver: #expect(isEnded)
            }
        }
    }

    @Test("A host's signer may take its time, and its timer waits for it", .proves("KEY-21"))
    func host() async throws {
        var world = try ElsewhereWorld(.p256)
        let client = try world.register(SomePair(.p256, 21))
        let personal = try world.signIn(client)
        _ = try world.introduce(personal, to: 0)
        try world.signOut(personal)
        let (service, pair, now) = (world.federation.eduID, world.signers[0], world.federation.now)
        let network = Network(world.federation)
        let store = SharedStore(world.federation.eduIDStore)
        let door = Door()
        let host = EduIDService.Host(
            service, in: store, clock: { now },
            network: { await network.send($0) },
            signer: { request in
                await Task.yield()
                return await door.isOpen ? pair.signature(for: request.message) : nil
            })
        let url = ElsewhereWorld.eduID + "/token"
        let request = try world.form(url, [("grant_type", "client_credentials")], bearer: world.proof(client, url))
        let before = store.contents.snapshot().encoded()
        #expect(await host.answer(request).status == .serviceUnavailable)
        #expect(store.contents.snapshot().encoded() == before)
        #expect(await host.tick().confirmed == 0)
        await door.open()
        #expect(await host.answer(request).status == .ok)
        #expect(await host.tick().confirmed == 1)
        // The proof has been taken now, and not before.
        #expect(await host.answer(request).status == .unauthorized)
    }

    private actor Door {
        private(set) var isOpen = false
        func open() { isOpen = true }
    }

    @Test("A key that lies elsewhere has a name and checks signatures, or there is no service", .proves("KEY-20"))
    func keys() throws {
        let issuer = try Issuer(parsing: Parties.eduID)
        let nameless = try SomePair(.p256, 1).publicKey
        #expect(throws: Rejection.self) {
            try Authority(issuer, keys: .init(signingElsewhere: nameless, master: ElsewhereWorld.master))
        }
        var withdrawn = try SomePair(.p256, 1, named: "k").publicKey
        withdrawn.attributes.withdrawal = JWK.Withdrawal(since: Timestamp(seconds: 0))
        #expect(throws: Rejection.key(.withdrawn)) {
            try Authority(issuer, keys: .init(signingElsewhere: withdrawn, master: ElsewhereWorld.master))
        }
        let rsa = try HolderAlgorithmTests.rsaKey(naming: nil, id: "k")
        #expect(throws: Rejection.key(.undecidedAlgorithm(.rsa))) {
            try Authority(issuer, keys: .init(signingElsewhere: rsa, master: ElsewhereWorld.master))
        }
        #expect(throws: JWK.Rejection.undecidedAlgorithm(.rsa)) { try DeviceKey(elsewhere: rsa) }
        let named = try HolderAlgorithmTests.rsaKey(naming: .ps256, id: "k")
        _ = try Authority(issuer, keys: .init(signingElsewhere: named, master: ElsewhereWorld.master))
        #expect(try DeviceKey(elsewhere: named).publicKey.attributes.algorithm == .ps256)
    }
}
