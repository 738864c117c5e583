import Federation
import FederationTesting
import OAuth2Grants
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Sign-ins that were begun at a provider, and not come to their end")
struct BegunSignInTests {
    private func comesIn(_ street: inout Street, with link: String) -> Bool {
        do { try street.perform(.returning(with: link)) } catch { return false }
        return true
    }

    @Test(
        "Where the provider says that all has ended, or that session, nobody comes in with it any more",
        .proves("OIC-15"), .proves("OIC-17"), arguments: [nil, "s-1"])
    func ended(session: String?) throws {
        var street = try Street(seed: 311)
        let link = try street.link()
        #expect(try street.tell(session: session, "l-1") == .ok)
        #expect(!comesIn(&street, with: link))
        #expect(street.lastClause == "threat-26")
        try street.signIn()
    }

    @Test("A word that was given before the sign-in, or of another session, ends none of it", .proves("OIC-17"))
    func others() throws {
        for (session, late) in [(nil, Int64(61)), ("s-1", 61), ("s-2", 0)] {
            var street = try Street(seed: 312)
            let link = try street.link()
            #expect(try street.tell(session: session, "l-1", late: late) == .ok)
            #expect(comesIn(&street, with: link), "\(session ?? "all")")
        }
    }

    @Test("Another account's sign-in goes on", .proves("OIC-17"))
    func otherAccount() throws {
        var street = try Street(seed: 313)
        let link = try street.link(as: "E-1")
        #expect(try street.tell("l-1") == .ok)
        #expect(comesIn(&street, with: link))
    }

    @Test("Whom an administrator signs out everywhere does not come in with what was begun", .proves("USR-4"))
    func signedOut() throws {
        var street = try Street(seed: 314)
        try street.signIn()
        let user = try #require(
            street.parties.federation.eduIDStore.page(of: .all(.personal), limit: 9)?.lineages.first)
        try street.perform(.signOut)
        let link = try street.link()
        street.parties.federation.administrate(.signOut(try #require(user.record.subject)))
        #expect(!comesIn(&street, with: link))
        #expect(street.lastClause == "threat-26")
    }

    @Test("However many sign-ins have begun in a session, they are looked up at once, and all end", .proves("OIC-17"))
    func many() throws {
        func outcome(of count: Int) throws -> (lookups: Int, changes: Int) {
            var street = try Street(seed: 315)
            for _ in 0..<count { _ = try street.link() }
            var federation = street.parties.federation
            let token = try #require(federation.provider)
                .logoutToken(of: Street.ada, in: "s-1", named: "l-1", at: federation.now)
            var exchange = federation.eduID.exchange(
                for: try street.logout(token: token), at: federation.now, using: &federation.entropy)
            var (lookups, sets) = (0, KeySets())
            while let lookup = exchange.lookup {
                lookups += 1
                switch lookup {
                case .facts(let keys): exchange.supply(.facts(federation.eduIDStore.load(keys)))
                case .answer(let question): exchange.supply(.answer(federation.send(question)))
                case .keys(let question):
                    exchange.supply(sets.answer(question, at: federation.now) { federation.send($0) })
                default: exchange.supply(lookup.nothing)
                }
            }
            #expect(exchange.decision.refusal == nil)
            return (lookups, exchange.decision.batch.changes.count)
        }
        let (one, two, many) = (try outcome(of: 1), try outcome(of: 2), try outcome(of: 20))
        #expect(one.lookups == many.lookups)
        #expect(many.changes - one.changes == 19 * (two.changes - one.changes) && two.changes > one.changes)
    }
}
