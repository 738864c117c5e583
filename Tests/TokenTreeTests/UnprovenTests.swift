import TestSupport
import Testing
import TokenTree
import Wire

/// What a store knows that was restored from a copy: nothing of what was written after that (threat 67).
@Suite("TOK-8: restored without proof")
struct UnprovenTests {
    /// The tree as it was when the copy was made; afterwards its user signed out.
    private var tree = MemoryStore(sixLevels)
    private let copy: [UInt8]

    init() {
        copy = tree.snapshot().encoded()
        _ = tree.apply(50, .revoke("personal", .user))
    }

    private func restored(journal: inout [UInt8], at seconds: Int64 = 100) throws -> MemoryStore {
        var restoration = MemoryStore.Restoration()
        try restoration.read(copy)
        return try restoration.finish(unprovenAt: at(seconds), journal: &journal).tree
    }

    private func restored() throws -> MemoryStore {
        var journal: [UInt8] = []
        return try restored(journal: &journal)
    }

    private func verdicts(_ tree: MemoryStore, at seconds: Int64 = 200) -> [Verdict] {
        sixLevels.map { record in
            let verdict = tree.verdict(of: record.id, at: at(seconds))
            #expect(tree.lineage(of: record.id)?.verdict(at: at(seconds)) == verdict, "\(record.id)")
            return verdict
        }
    }

    private let unconfirmed = Verdict.unconfirmed(before: at(100))

    @Test(.proves("threat-67")) func aCopyDoesNotPassForTheWhole() throws {
        var restoration = MemoryStore.Restoration()
        try restoration.read(copy)
        do throws(MemoryStore.Restoration.Rejection) {
            _ = try restoration.finish(expecting: tree.head)
            Issue.record("a copy passed for the whole")
        } catch {
            guard case .otherHead(expected: tree.head, _) = error else { throw error }
        }
    }

    @Test(.proves("threat-67")) func whatWasIssuedBeforeHasToBeConfirmed() throws {
        var tree = try restored()
        #expect(tree.unprovenBefore == at(100))
        // A version's key says nothing about what stands on it.
        #expect(verdicts(tree) == [.live] + Array(repeating: unconfirmed, count: 5))
        #expect(!unconfirmed.isLive && unconfirmed.grantLives)
        #expect(tree.apply(101, .confirm("assertion")) == .applied)
        #expect(verdicts(tree) == [.live, unconfirmed, unconfirmed, .live, .live, .live])
        // As old as the restoration is young enough.
        var other = try restored()
        #expect(other.apply(100, .confirm("client")) == .applied)
        #expect(verdicts(other) == Array(repeating: .live, count: 6))
        #expect(other.apply(99, .confirm("client")) == .applied && verdicts(other)[5] == .live)
    }

    @Test(.proves("threat-67")) func anotherVersionConfirmsNothing() throws {
        var tree = try restored()
        let newer = Record(id: "newer", kind: .versionKey, parent: nil, issued: at(110))
        #expect(tree.apply(110, .insert(newer), .reground("client", from: "version", onto: "newer")) == .applied)
        #expect(tree.apply(111, .confirm("newer")) == .applied)
        #expect(verdicts(tree)[1...] == ArraySlice(Array(repeating: unconfirmed, count: 5)))
    }

    @Test(.proves("threat-67")) func whatIsUnconfirmedGivesNothing() throws {
        var entropy = SeededGenerator(seed: 67)
        let issued = Record.Refresh.issued(for: "renewable", using: &entropy)
        var old = MemoryStore(
            sixLevels + [.sample("renewable", .app, on: "service", access: 900, refresh: issued.refresh)])
        var restoration = MemoryStore.Restoration()
        try restoration.read(old.snapshot().encoded())
        var journal: [UInt8] = []
        old = try restoration.finish(unprovenAt: at(100), journal: &journal).tree
        let lineage = try #require(old.lineage(of: "renewable"))
        guard
            case .dead(unconfirmed) = lineage.renewal(
                with: issued.token, proof: nil, accessExpiry: nil, at: at(110)),
            case .current(_, let next) = issued.refresh.presentation(
                of: issued.token, proof: nil, at: at(110), window: .zero)
        else {
            Issue.record("renewed")
            return
        }
        let rotation = Change.rotate("renewable", from: issued.refresh, to: next, accessExpiry: at(1_000))
        #expect(old.apply(110, rotation).conflict == .dead("renewable", unconfirmed))
        #expect(old.apply(110, .consume("assertion")).conflict == .dead("assertion", unconfirmed))
        let grants: [Record] = [
            .sample("new-assertion", .assertion, on: "personal"), .sample("new-service", .service, on: "assertion"),
            .sample("new-app", .app, on: "service"), .sample("new-code", .code, on: "service"),
        ]
        for record in grants {
            let ground = try #require(record.parent)
            #expect(old.apply(110, .insert(record)).conflict == .dead(ground, unconfirmed), "\(record.id)")
        }
        #expect(old.apply(120, .confirm("assertion")) == .applied)
        #expect(old.apply(120, rotation) == .applied && old.apply(120, .insert(grants[2])) == .applied)
    }

    @Test(.proves("threat-67")) func aSignInConfirmsItself() throws {
        var tree = try restored()
        let code = Record(id: "code", kind: .code, parent: "client", issued: at(110), accessExpiry: at(170))
        let signIn = Record(id: "signed-in", kind: .personal, parent: "code", issued: at(111))
        #expect(tree.apply(110, .insert(code)) == .applied)
        #expect(tree.apply(111, .consume("code"), .insert(signIn), .touch("client")) == .applied)
        #expect(tree.verdict(of: "signed-in", at: at(112)) == .live)
        #expect(tree.apply(112, .insert(.sample("new", .assertion, on: "signed-in"))) == .applied)
        // What its user had before stays as it was.
        #expect(verdicts(tree)[1...] == ArraySlice(Array(repeating: unconfirmed, count: 5)))
        let instance = Record(id: "other", kind: .client, parent: "version", issued: at(113), holder: name("other"))
        #expect(tree.apply(113, .insert(instance)) == .applied && tree.verdict(of: "other", at: at(113)) == .live)
    }

    @Test(.proves("threat-67")) func endingWorksAsEver() throws {
        var tree = try restored()
        #expect(tree.apply(110, .revoke("personal", .user), .touch("client")) == .applied)
        #expect(tree.verdict(of: "app", at: at(111)) == .revoked(by: "personal", at: at(110), reason: .user))
        #expect(tree.apply(111, .confirm("app")).conflict == .dead("app", tree.verdict(of: "app", at: at(111))))
        #expect(tree.apply(111, .confirm("nobody")).conflict == .unknown("nobody"))
    }

    @Test(.proves("threat-67")) func theMarkIsKept() throws {
        var disk = copy
        var tree = try restored(journal: &disk)
        let gone: [Change] = [.insert(.sample("gone", .versionKey)), .revoke("gone", .administrator)]
        #expect(tree.commit(Batch(at: at(110), [.confirm("service")] + gone), journal: &disk) == .applied)
        let expected: [Verdict] = [.live, unconfirmed, unconfirmed, unconfirmed, .live, .live]
        #expect(verdicts(tree) == expected)
        // A purge builds the tree anew.
        #expect(tree.purge(at: at(120), keeping: Retention(explained: .zero), journal: &disk) == 1)
        #expect(verdicts(tree) == expected)
        for text in [disk, tree.snapshot().encoded()] {
            var restoration = MemoryStore.Restoration()
            try restoration.read(text)
            let again = try restoration.finish(expecting: tree.head).tree
            #expect(verdicts(again) == expected && again.snapshot().encoded() == tree.snapshot().encoded())
        }
        // A copy of that, restored in the same way, has to be confirmed anew.
        var restoration = MemoryStore.Restoration()
        try restoration.read(disk)
        tree = try restoration.finish(unprovenAt: at(150), journal: &disk).tree
        #expect(verdicts(tree) == [.live] + Array(repeating: .unconfirmed(before: at(150)), count: 5))
        // A clock that goes back takes nothing back.
        restoration = MemoryStore.Restoration()
        try restoration.read(disk)
        tree = try restoration.finish(unprovenAt: at(5), journal: &disk).tree
        #expect(tree.unprovenBefore == at(150))
    }

    @Test(.proves("threat-67")) func aRefusedBatchConfirmsNothing() throws {
        var tree = try restored()
        let before = tree.snapshot().encoded()
        let made = Record(id: "made", kind: .client, parent: "version", issued: at(1))
        let changes: [Change] = [.insert(made), .confirm("made"), .confirm("personal"), .touch("nobody")]
        #expect(tree.commit(Batch(at: at(110), changes)) != .applied)
        #expect(tree.snapshot().encoded() == before && verdicts(tree)[5] == unconfirmed)
        #expect(tree.apply(110, .insert(made)) == .applied)
        #expect(tree.verdict(of: "made", at: at(110)) == unconfirmed)
    }

    @Test(.proves("threat-67"), .proves("threat-36")) func proofsFromBeforeDoNotPass() throws {
        var tree = try restored()
        func remember(_ made: Int64?, until: Int64) -> Batch.Conflict? {
            var key = ReplayKey("proof", "anna", "\(made ?? 0), \(until)")
            key.made = made.map(at)
            return tree.apply(160, .remember(key, until: at(until))).conflict
        }
        // Until a minute after it, by the clock of whoever made it.
        for made: Int64 in [99, 100, 160] {
            guard case .unproven(_, before: at(100))? = remember(made, until: made + 61) else {
                Issue.record("a proof made at \(made) passed")
                continue
            }
        }
        #expect(remember(161, until: 222) == nil)
        // What does not say when it was made may have been seen as long as anything is remembered.
        #expect(remember(nil, until: 100 + 86_400) != nil)
        #expect(remember(nil, until: 101 + 86_400) == nil)
        #expect(Batch.Conflict.unproven(ReplayKey("a", "b"), before: at(100)).clause == "threat-67")
    }
}
