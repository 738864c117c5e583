import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import Wire

@Suite("S3: what servers answer", .proves("threat-56"), .proves("threat-71"))
struct HostileAnswerTests {
    @Test("Whatever is taken in can be read back", arguments: LyingServers.Errand.allCases)
    func everythingTakenInSurvives(_ errand: LyingServers.Errand) throws {
        let seed: UInt64 = 0x6c69_6573
        let servers = try LyingServers(seed: 56)
        var distortion = Distortion(seed: seed)
        var taken = 0
        for round in 0..<60 {
            let (session, rejection) = servers.session(after: errand, distortedBy: &distortion)
            if rejection == nil { taken += 1 }
            let message: Comment = "seed \(seed), round \(round)"
            #expect(LyingServers.survivesRestart(session) && session.isRegistered, message)
            // Who was not refused lost nothing.
            guard case .refused? = rejection else {
                #expect(session.isSignedIn, message)
                continue
            }
        }
        // Otherwise the distortions say nothing about what is kept.
        #expect(taken > 2)
    }

    @Test("What an answer has no room for is not asked for, and is said to be missing", .proves("NIF-6"))
    func fullResponse() throws {
        var parties = try Parties(seed: 8)
        try parties.signIn()
        var seen = ProtocolRequest.Seen()
        let checked = try AppSample.request([Parties.protocolName])
            .checked(against: [:], remembering: &seen, at: parties.federation.now)
        let home = try #require(try parties.perform(.candidates(for: checked.request)).first).service
        var answer = AuthorizingApp.Answer()
        answer.length = (8 << 20) - (128 << 10) - (64 << 10) - 1
        let full = try parties.perform(.adding(home, to: answer, for: checked))
        #expect(full.missing.map(\.reason) == [.answerFull] && parties.session.authorizedServices.isEmpty)
        answer.length -= 1
        #expect(try parties.perform(.adding(home, to: answer, for: checked)).missing.isEmpty)
    }

    /// The token endpoint answers a renewal of the user's token with these members beside the usual ones.
    private func renewing(
        with members: JSON.Object, without absent: [JSON.Name] = []
    ) throws -> (AuthorizingApp.Session, Rejection?) {
        var parties = try Parties(seed: 7)
        try parties.signIn()
        var session = parties.session
        var entropy = SimulatedFederation.Entropy(seed: 1)
        let refused = rejection { () throws(Rejection) in
            try session.carryOut(.renewal(of: .user), at: parties.federation.now, using: &entropy) { request in
                guard let response = parties.federation.send(request),
                    var body = (try? JSON(parsing: response.body))?.object
                else { return nil }
                for name in absent { body[name] = nil }
                for member in members { body[member.name] = member.value }
                return HTTP.Response(response.status, fields: response.fields, body: body.encoded())
            }
        }
        return (session, refused)
    }

    @Test("An answer of as many members as are read is kept without those that nobody interprets")
    func crowdedAnswers() throws {
        // What an answer need not repeat is kept beside its own members.
        let usual: [JSON.Name] = ["expires_in", "refresh_token", "scope", "cnf"]
        let crowd = JSON.Object((0..<254).map { (JSON.Name("x-\($0)"), true) })
        let (session, refused) = try renewing(with: crowd, without: usual)
        #expect(refused == nil)
        #expect(session.isSignedIn && LyingServers.survivesRestart(session))
        let long = JSON.Object((0..<20).map { (JSON.Name("x-\($0)"), .string(String(repeating: "\u{1}", count: 500))) })
        #expect(try renewing(with: long).0.isSignedIn)
    }

    @Test("A token that is bound to somebody else's key is of no use, and takes nobody's place", .proves("threat-36"))
    func otherKey() throws {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 7, count: 32))
        let key = JWK(pair.publicKey, attributes: JWK.Attributes(id: "other"))
        let (session, refused) = try renewing(with: ["cnf": ["jwk": try JSON(parsing: key.encoded())]])
        #expect(refused == .foreignKey)
        #expect(session.isSignedIn && LyingServers.survivesRestart(session))
    }

    @Test("A sign-in whose token cannot be kept takes nobody's place", .proves("USR-1"))
    func unkept() throws {
        var parties = try Parties(seed: 7)
        try parties.signIn()
        let home = try ServiceURL(parsing: Parties.homes[0])
        try parties.authorize(home)
        var session = parties.session
        let rows = session.store.contents
        session.store = AuthorizingApp.Store(limits: .init(rows: 100, field: 16_000, bytes: 1 << 20))
        try session.store.change { $0 = rows }
        var entropy = SimulatedFederation.Entropy(seed: 1)
        let (person, now) = (parties.person, parties.federation.now)
        let refused = rejection { () throws(Rejection) in
            try session.carryOut(.signIn(person.name, person.password), at: now, using: &entropy) { request in
                guard let response = parties.federation.send(request) else { return nil }
                guard request.target.path == "/token", var body = (try? JSON(parsing: response.body))?.object else {
                    return response
                }
                body["access_token"] = .string(String(repeating: "a", count: 16_000))
                return HTTP.Response(response.status, fields: response.fields, body: body.encoded())
            }
        }
        guard case .fieldTooLong? = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(session.isSignedIn && session.authorizedServices == [home] && !session.profile.isEmpty)
    }

    @Test("Attributes that the app does not want are not kept, though the service tells them", .proves("USR-7"))
    func unwanted() throws {
        var parties = try Parties(seed: 7)
        try parties.signIn()
        parties.session.profileFilter = ["given_name"]
        var entropy = SimulatedFederation.Entropy(seed: 1)
        var queries: [String?] = []
        try parties.session.carryOut(.profile, at: parties.federation.now, using: &entropy) { request in
            queries.append(request.target.query)
            return HTTP.Response(.ok, body: Array(#"{"sub":"user-0001","name":"Ada Muster","given_name":"Ada"}"#.utf8))
        }
        #expect(queries == ["claims=given_name"] && parties.session.profile == ["given_name": "Ada"])
    }

    @Test("Numbers as deployed servers write them are taken, and what is no number changes nothing")
    func oddLifetimes() throws {
        for lifetime: JSON in ["3600", 3600, "0"] {
            let (session, refused) = try renewing(with: ["expires_in": lifetime])
            #expect(refused == nil && session.isSignedIn, "\(lifetime)")
        }
        for member: (JSON.Name, JSON) in [("expires_in", -1), ("scope", ["a"]), ("refresh_token", 7), ("cnf", "k")] {
            let (session, refused) = try renewing(with: [member.0: member.1])
            guard case .unusable? = refused else {
                Issue.record("\(member.0.text): \(String(describing: refused))")
                continue
            }
            #expect(session.isSignedIn)
        }
    }
}

@Suite("S3: a damaged store", .proves("threat-56"))
struct DamagedStoreTests {
    private static func enveloped(_ content: JSON) -> String {
        #"{"eduid":1,"sealed":""# + Base64URL.encode(content.encoded()) + #""}"#
    }

    private func content() throws -> JSON.Object {
        let text = try AppSample.store().serialized(sealing: AppSample.clear)
        let sealed = try #require(try JSON(parsing: text)["sealed"]?.string)
        return try #require(try JSON(parsing: Base64URL.decode(sealed)).object)
    }

    /// The sample with one row changed, as far as it can be restored, and what was lost of it.
    private func salvaged(_ relation: JSON.Name, _ change: (inout [JSON]) -> Void) throws -> (
        store: AuthorizingApp.Store, lost: [Rejection]
    ) {
        var content = try content()
        var rows = content[relation]?.array ?? []
        change(&rows)
        content[relation] = .array(rows)
        return try salvaged(content)
    }

    private func salvaged(_ content: JSON.Object) throws -> (store: AuthorizingApp.Store, lost: [Rejection]) {
        let text = Self.enveloped(.object(content))
        var lost: [Rejection] = []
        let store = try AuthorizingApp.Store(salvaging: text, opening: AppSample.clear) { lost.append($0) }
        #expect(throws: Rejection.self) { try AuthorizingApp.Store(parsing: text, opening: AppSample.clear) }
        // What was restored is a store like any other.
        let again = store.serialized(sealing: AppSample.clear)
        #expect(try AuthorizingApp.Store(parsing: again, opening: AppSample.clear) == store)
        return (store, lost)
    }

    private func setting(_ name: JSON.Name, _ value: JSON?, of row: inout JSON) {
        var members = row.object ?? [:]
        members[name] = value
        row = .object(members)
    }

    @Test("A field that cannot be read costs its row") func aRow() throws {
        let (store, lost) = try salvaged("EduidConfiguration") { setting("cfg_value", 7, of: &$0[1]) }
        #expect(store.contents.settings.count == 2 && store.contents.services.count == 2)
        #expect(
            lost == [
                .json(.mismatch(at: "$.EduidConfiguration[1].cfg_value", expected: .string, found: .number))
            ])
        let tokens = try salvaged("Tokens") { setting("token", "", of: &$0[0]) }
        #expect(tokens.store.contents.tokens.count == 1 && tokens.lost.count == 1)
    }

    @Test("A damaged service costs what was requested of it, and no other service") func aService() throws {
        let (store, lost) = try salvaged("UserServices") { setting("rsd", "{", of: &$0[1]) }
        let (alpha, beta) = (try AppSample.url(AppSample.alpha), try AppSample.url(AppSample.beta))
        #expect(store.contents.services.keys.map(\.identity) == [alpha.identity])
        #expect(store.contents.services[alpha]?.token != nil && store.contents.tokens.count == 2)
        #expect(store.contents.protocols.isEmpty)
        #expect(lost.count == 2 && lost.last == .unknownService(beta))
    }

    @Test("The second row of one key is lost, and so is a row that breaks a rule") func rules() throws {
        let (store, lost) = try salvaged("EduidConfiguration") { rows in
            rows.append(rows[0])
            setting("cfg_value", "other", of: &rows[3])
        }
        #expect(try store == AppSample.store())
        #expect(lost == [.repeatedKey(at: "$.EduidConfiguration[3]")])
        let open = try salvaged("UserServices") { setting("token_target", "http://alpha.example.ch/", of: &$0[0]) }
        #expect(open.lost == [.unencrypted(try WebURL(parsing: "http://alpha.example.ch/"))])
        #expect(open.store.contents.services.count == 1 && open.store.contents.protocols.count == 1)
    }

    @Test("A relation that is none costs that relation, and one too many is passed over") func relations() throws {
        var content = try content()
        content["Tokens"] = [:]
        content["Others"] = []
        let (store, lost) = try salvaged(content)
        #expect(store.contents.tokens.isEmpty && store.contents.services.count == 2)
        #expect(lost.first == .foreignMember(at: "$.Others") && lost.count == 2)
    }

    @Test("What there is no room for is lost") func room() throws {
        let text = try AppSample.store().serialized(sealing: AppSample.clear)
        let limits = AuthorizingApp.Store.Limits(rows: 2, field: 1_000, bytes: 10_000)
        var lost: [Rejection] = []
        let store = try AuthorizingApp.Store(salvaging: text, opening: AppSample.clear, limits: limits) {
            lost.append($0)
        }
        #expect(store.contents.settings.count == 2 && store.contents.services.count == 2)
        #expect(lost == [.tooManyRows(limit: 2)])
    }

    @Test("Another hand, another place and another version cost all") func all() throws {
        let text = try AppSample.store().serialized(sealing: AppSample.seal)
        func refused(_ text: String, in place: AuthorizingApp.Store.Place = .group) -> Rejection? {
            rejection { () throws(Rejection) in
                try AuthorizingApp.Store(salvaging: text, opening: AppSample.seal, in: place) { _ in
                    Issue.record("nothing is salvaged")
                }
            }
        }
        #expect(refused(text.replacing("\"eduid\":2", with: "\"eduid\":3")) == .unknownVersion("3"))
        #expect(refused(text, in: .app) == .otherStore(expected: "app"))
        var bytes = Array(text.utf8)
        bytes[100] = bytes[100] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(refused(String(decoding: bytes, as: UTF8.self)) == .brokenSeal)
    }

    @Test("Mutated contents never trap, and what is restored can be written and read") func mutations() throws {
        let content = try content()
        let seed: UInt64 = 0x726f_7773
        var distortion = Distortion(seed: seed)
        var whole = 0
        for round in 0..<400 {
            let text = Self.enveloped(distortion.distorted(.object(content)))
            guard
                let store = try? AuthorizingApp.Store(salvaging: text, opening: AppSample.clear, losing: { _ in })
            else { continue }
            whole += 1
            let again = try AuthorizingApp.Store(
                parsing: store.serialized(sealing: AppSample.clear), opening: AppSample.clear)
            #expect(again == store, "seed \(seed), round \(round)")
        }
        #expect(whole > 200)
    }
}
