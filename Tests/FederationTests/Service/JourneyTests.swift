import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Journeys: services and apps")
struct JourneyTests {
    @Test("A service that is down during a revocation learns of it when it is back", .proves("TOK-7"))
    func serviceDown() throws {
        var story = try Story.introduced()
        let papi = try Story.papi.get()
        let app = try App()
        _ = try story.grant(.ownKey, to: app, at: [story.alpha, story.beta], for: [papi])
        story.parties.federation.unreachable = [try #require(story.alpha.serviceURL)]
        try story.parties.perform(.signOut)
        #expect(story.parties.federation.deliver() == 1)
        #expect(try story.uses(app, story.beta, papi) == nil)
        // What the service cannot know yet it cannot heed.
        #expect(try story.uses(app, story.alpha, papi) != nil)
        story.parties.federation.wait(.seconds(1_000))
        #expect(story.parties.federation.deliver() == 0)
        story.parties.federation.unreachable = []
        story.parties.federation.wait(.seconds(2_000))
        #expect(story.parties.federation.deliver() == 1)
        #expect(try story.uses(app, story.alpha, papi) == nil)
        #expect(try story.renews(app, story.alpha, papi) == .refused(.invalidGrant))
        story.parties.federation.wait(.seconds(86_400))
        #expect(story.parties.federation.deliver() == 0)
    }

    @Test("A version that is excluded while in use kills the app tokens at the universities", .proves("FED-4"))
    func versionExcluded() throws {
        var story = try Story.introduced()
        let papi = try Story.papi.get()
        let app = try App()
        _ = try story.grant(.symmetricKey, to: app, at: [story.alpha, story.beta], for: [papi])
        #expect(try story.uses(app, story.alpha, papi) != nil)
        let version = try #require(story.parties.versionKeys[0].id)
        #expect(story.parties.federation.administrate(.block(version)).status == .noContent)
        #expect(story.parties.federation.deliver() == 2)
        #expect(try story.uses(app, story.alpha, papi) == nil)
        #expect(try story.uses(app, story.beta, papi) == nil)
        #expect(story.parties.federation.refusals.last?.clause == "TOK-1")
        // It stays so when the version is let in again.
        _ = story.parties.federation.administrate(.unblock(version))
        #expect(try story.renews(app, story.alpha, papi) == .refused(.invalidGrant))
    }

    @Test("An instance that is upgraded keeps what it authorized", .proves("REG-5"))
    func upgrade() throws {
        var story = try Story.introduced()
        let papi = try Story.papi.get()
        let app = try App()
        _ = try story.grant(.ownKey, to: app, at: [story.alpha], for: [papi])
        let newer = story.parties.session.installation.updated(to: try SigningKey(story.parties.versionKeys[1]))
        try story.parties.perform(.upgrade(to: newer))
        #expect(story.parties.federation.deliver() == 0)
        #expect(try story.uses(app, story.alpha, papi) != nil)
        _ = try story.grant(.ownKey, to: app, at: [story.beta], for: [papi])
        #expect(try story.uses(app, story.beta, papi) != nil)
        // And when the old version is shut out afterwards, nothing of the upgraded instance goes with it.
        _ = story.parties.federation.administrate(.block(try #require(story.parties.versionKeys[0].id)))
        #expect(story.parties.federation.deliver() == 0)
        #expect(try story.uses(app, story.alpha, papi) != nil)
    }

    @Test(
        "The thief of a device has nothing left once it is rejected, and another device of the person loses nothing",
        .proves("REG-8"))
    func deviceStolen() throws {
        var story = try Story.introduced()
        let papi = try Story.papi.get()
        let (stolen, kept) = (try App(), try App())
        _ = try story.grant(.ownKey, to: stolen, at: [story.alpha, story.beta], for: [papi])
        let thief = story.parties.session
        let second = try Parties.installation(
            on: "Tablet", version: SigningKey(story.parties.versionKeys[0]), using: &story.parties.federation.entropy)
        story.parties.session = AuthorizingApp.Session(second, with: thief.eduID)
        try story.parties.signIn()
        try story.parties.authorize(try #require(story.alpha.serviceURL))
        _ = try story.grant(.ownKey, to: kept, at: [story.alpha], for: [papi])

        #expect(story.parties.federation.administrate(.reject(thief.installation.instance)).status == .noContent)
        #expect(story.parties.federation.deliver() == 2)
        #expect(try story.uses(stolen, story.alpha, papi) == nil)
        #expect(try story.uses(stolen, story.beta, papi) == nil)
        #expect(try story.uses(kept, story.alpha, papi) != nil)
        // Neither the service token nor a new registration helps.
        story.parties.session = thief
        #expect(throws: Rejection.self) {
            try story.parties.perform(.access(for: stolen.id, at: story.alpha, to: [papi]))
        }
        let alpha = try #require(story.alpha.serviceURL)
        #expect(throws: Rejection.self) { try story.parties.perform(.introduction(to: alpha)) }
        #expect(throws: Rejection.self) { try story.parties.perform(.registration) }
        #expect(try story.uses(kept, story.alpha, papi) != nil)
    }

    @Test("The person ends what an app got, and the app learns of it at its next request", .proves("TOK-5"))
    func userRevokes() throws {
        var story = try Story.introduced()
        let papi = try Story.papi.get()
        let home = try #require(story.alpha.serviceURL)
        let app = try App()
        _ = try story.grant(.ownKey, to: app, at: [story.alpha], for: [papi])
        story.parties.federation.wait(.seconds(7_200))
        // The service token has expired by now, and ends all the same what stands on it.
        try story.parties.perform(.unlinking(home))
        #expect(try story.renews(app, story.alpha, papi) == .refused(.invalidGrant))
        #expect(throws: NAILState.Refusal.ended(.invalidGrant)) {
            try story.uses(app, story.alpha, papi)
        }
        #expect(
            story.parties.federation.services[Story.alphaPlace].store.living(.app, at: story.parties.federation.now)
                == 0)
    }

    // MARK: A network that loses, doubles, delays and reorders

    /// What one service lives through when requests and answers take their own ways.
    private struct Storm {
        var stage: Stage
        var chance: SeededGenerator
        let seed: UInt64
        /// What was given, as far as the answers arrived.
        var services: [Held] = []
        var apps: [Held] = []
        /// All requests that were ever made, sent or still on their way, and what the service said to those that
        /// arrived.
        var requests: [(request: HTTP.Request, answer: HTTP.Response?)] = []
        var ended: Set<TokenID> = []
        var assertions = 0

        init(seed: UInt64) throws {
            let (stage, service, app) = try Stage.authorized()
            self.stage = stage
            self.seed = seed
            chance = SeededGenerator(seed: seed)
            services = [service]
            apps = [app]
        }

        mutating func pick(_ count: Int) -> Int { Int(chance.next() % UInt64(max(1, count))) }

        /// Makes a request, which may be lost or wait; its answer may be lost too.
        mutating func send(_ request: HTTP.Request) -> HTTP.Response? {
            let fate = pick(6)
            guard fate > 0 else {
                requests.append((request, nil))
                return nil
            }
            let answer = stage.send(request)
            requests.append((request, answer))
            return fate > 1 ? answer : nil
        }

        mutating func step() throws {
            switch pick(9) {
            case 0:
                assertions += 1
                let request = try Stage.redeeming(stage.assertion("storm-\(assertions)"), stage.instanceProof())
                if let answer = send(request), answer.status == .ok {
                    services.append(try Held(answer, .pair(Pair.instance), of: Stage.instance))
                }
            case 1:
                let service = services[pick(services.count)]
                let request = try Stage.authorizing(stage.code(with: service, binding: Pair.app), stage.proof(service))
                if let answer = send(request), answer.status == .ok {
                    apps.append(try Held(answer, .pair(Pair.app), of: Stage.reader))
                }
            case 2:
                let place = pick(apps.count)
                if let answer = send(try stage.refreshing(apps[place])), answer.status == .ok {
                    apps[place] = try Held(answer, .pair(Pair.app), of: Stage.reader)
                }
            case 3:
                let app = apps[pick(apps.count)]
                _ = send(try stage.revoking(app.refresh, by: app))
            case 4 where pick(3) == 0:
                let service = services[pick(services.count)]
                _ = send(try stage.revoking(service.access, by: service))
            case 5 where pick(3) == 0:
                _ = send(try stage.takingBack("storm-\(pick(assertions + 3))"))
            case 6: stage.now = stage.now + .seconds(Int64(pick(40)))
            case 7: try use()
            default: try deliverAgain()
            }
            try checkThatEndsAreFinal()
        }

        /// An app uses its token, which opens exactly when its grant lives and its time is not over.
        private mutating func use() throws {
            let app = apps[pick(apps.count)]
            let lives = stage.store.verdict(of: try app.record, at: stage.now).isLive
            #expect(try stage.opens(Stage.papi, app) == lives, "seed \(seed)")
        }

        /// A request that was lost arrives after all, or one that had arrived comes again.
        private mutating func deliverAgain() throws {
            guard !requests.isEmpty else { return }
            let place = pick(requests.count)
            let before = stage.state
            let answer = stage.send(requests[place].request)
            if requests[place].answer != nil {
                #expect(stage.state == before, "seed \(seed): a doubled message changed something")
                #expect(answer.status != .ok, "seed \(seed): a doubled message was granted")
            }
            requests[place].answer = answer
        }

        private mutating func checkThatEndsAreFinal() throws {
            for held in services + apps {
                let id = try held.record
                if stage.store.verdict(of: id, at: stage.now).grantLives {
                    #expect(!ended.contains(id), "seed \(seed)")
                } else {
                    ended.insert(id)
                }
            }
        }
    }

    @Test(
        "Whatever the network does, nothing opens again that was revoked, and a doubled message gives nothing",
        .proves("TOK-8"),
        arguments: 1...4 as ClosedRange<UInt64>)
    func storm(seed: UInt64) throws {
        var storm = try Storm(seed: seed)
        for _ in 0..<30 { try storm.step() }
        // When the storm is over: what is dead stays so, what lives works.
        for app in storm.apps {
            let lives = storm.stage.store.verdict(of: try app.record, at: storm.stage.now).isLive
            #expect(try storm.stage.opens(Stage.papi, app) == lives, "seed \(seed)")
        }
    }
}
