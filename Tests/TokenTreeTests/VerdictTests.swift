import TestSupport
import Testing
import TokenTree
import Wire

@Suite("TOK-1: verdicts")
struct VerdictTests {
    private var tree = MemoryStore(sixLevels)

    @Test(.proves("TOK-1")) func whatStandsOnTheLivingLives() {
        for record in sixLevels { #expect(tree.verdict(of: record.id, at: at(0)) == .live) }
        #expect(tree.verdict(of: "nobody", at: at(0)) == .unknown)
    }

    @Test(.proves("TOK-1"), arguments: 0..<6) mutating func revokingOneEndsItAndAllBelow(level: Int) {
        #expect(tree.apply(10, .revoke(sixLevels[level].id, .user)) == .applied)
        for (index, record) in sixLevels.enumerated() {
            let expected: Verdict = index < level ? .live : .revoked(by: sixLevels[level].id, at: at(10), reason: .user)
            #expect(tree.verdict(of: record.id, at: at(11)) == expected, "\(record.id)")
        }
    }

    @Test(.proves("TOK-8")) mutating func theFirstRevocationIsTheReasonFromThenOn() {
        _ = tree.apply(30, .revoke("service", .user))
        let verdict = tree.verdict(of: "app", at: at(40))
        #expect(verdict == .revoked(by: "service", at: at(30), reason: .user))
        _ = tree.apply(50, .revoke("app", .misused), .revoke("version", .administrator))
        #expect(tree.verdict(of: "app", at: at(60)) == verdict)
        // Recorded late, but earlier in time; at equal times the one nearer to the root.
        _ = tree.apply(20, .revoke("personal", .user), .revoke("client", .barred))
        #expect(tree.verdict(of: "app", at: at(60)) == .revoked(by: "client", at: at(20), reason: .barred))
    }

    @Test(.proves("threat-16")) mutating func revocationComesBeforeExpiryAndRedemptionBeforeLapse() {
        _ = tree.apply(1, .consume("assertion"))
        #expect(tree.verdict(of: "assertion", at: at(1000)) == .consumed(at: at(1)))
        #expect(tree.verdict(of: "app", at: at(1000)) == .live)
        _ = tree.apply(2, .insert(.sample("short", .app, on: "service", access: 10)))
        #expect(tree.verdict(of: "short", at: at(9)) == .live)
        #expect(
            tree.verdict(of: "short", at: at(10)) == .expired(by: "short", at: at(10), ends: .grant)
        )
        _ = tree.apply(20, .revoke("service", .user))
        #expect(tree.verdict(of: "short", at: at(30)) == .revoked(by: "service", at: at(20), reason: .user))
        #expect(tree.verdict(of: "assertion", at: at(30)) == .consumed(at: at(1)))
    }

    @Test func timeThatRunsBackwardsRevivesNothingRevoked() {
        var tree = tree
        _ = tree.apply(100, .revoke("app", .user))
        #expect(tree.verdict(of: "app", at: at(50)) == .revoked(by: "app", at: at(100), reason: .user))
    }

    @Test mutating func eachGroundIsJudgedByItselfToo() throws {
        _ = tree.apply(400, .revoke("client", .user))
        let lineage = try #require(tree.lineage(of: "assertion"))
        let revoked = Verdict.revoked(by: "client", at: at(400), reason: .user)
        #expect(lineage.verdict(at: at(500)) == revoked)
        #expect(
            lineage.ownVerdicts(at: at(500)) == [
                .expired(by: "assertion", at: at(300), ends: .access), .live, revoked, .live,
            ])
        #expect(revoked.description == "revoked with client at 2027-01-15T08:06:40Z: user")
        #expect(
            "\(lineage.ownVerdicts(at: at(500))[0])" == "expired, access of assertion at 2027-01-15T08:05:00Z")
    }

    @Test(.proves("TOK-1")) func aLineageIsCompleteOrNone() throws {
        let entries = try #require(tree.lineage(of: "app")).entries
        #expect(Lineage(entries)?.entries.count == 6)
        #expect(Lineage([]) == nil)
        // Cut off above, a link missing, in another order.
        #expect(Lineage([Lineage.Entry](entries.dropLast())) == nil)
        #expect(Lineage(entries.filter { $0.record.id != "personal" }) == nil)
        #expect(Lineage(entries.reversed()) == nil)
        #expect(Lineage([Lineage.Entry](entries.dropFirst()))?.record.id == "service")
    }

    @Test(.proves("TOK-1")) func everyRecordOfALineageKeepsNamesOfItsOwn() throws {
        var tree = MemoryStore()
        let audiences = ["https://a.example", "https://b.example", nil, "https://b.example", "https://a.example"]
        let records = try audiences.enumerated().map { place, audience in
            Record(
                id: name("r-\(place)"), kind: [.versionKey, .client, .personal, .assertion, .service][place],
                parent: place == 0 ? nil : name("r-\(place - 1)"), issued: at(0),
                subject: try Record.Subject(parsing: "s-\(place / 2)"),
                audience: try audience.map { try Record.Audience(parsing: $0) })
        }
        #expect(tree.commit(Batch(at: at(0), records.map { .insert($0) })) == .applied)
        #expect(tree.lineage(of: "r-4")?.entries.map(\.record) == records.reversed())
    }

    @Test(.proves("threat-34")) func factsThatWereNotAskedForAreAbsent() {
        let facts = tree.load([.record("client")])
        #expect(facts.verdict(of: "client", at: at(0)) == .live)
        #expect(facts.verdict(of: "app", at: at(0)) == .unknown)
        #expect(facts.lineage(of: .client, heldBy: name("instance")) == nil)
        #expect(facts.page(of: .all(.client), limit: 3) == nil)
        var merged = facts
        merged.merge(tree.load([.record("app"), .holder(.client, name("instance"))]))
        #expect(merged.verdict(of: "app", at: at(0)) == .live)
        #expect(merged.verdict(of: "client", at: at(0)) == .live)
        #expect(merged.lineage(of: .client, heldBy: name("instance"))?.record.id == "client")
    }

    /// The tree judges by its own walk, facts by the lineage: both must say the same.
    @Test func theWalkAndTheLineageAgree() throws {
        var generator = SeededGenerator(seed: 11)
        for seed in 0..<60 {
            var tree = tree
            for record in sixLevels where generator.next() % 3 == 0 {
                _ = tree.apply(Int64(generator.next() % 50), .revoke(record.id, .user))
            }
            _ = tree.apply(0, .insert(.sample("final", .app, on: "service", final: Int64(generator.next() % 60))))
            let now = at(Int64(generator.next() % 80))
            for id in sixLevels.map(\.id) + ["final"] {
                guard let lineage = tree.lineage(of: id) else { continue }
                #expect(tree.verdict(of: id, at: now) == lineage.verdict(at: now), "seed \(seed), \(id)")
            }
        }
    }
}
