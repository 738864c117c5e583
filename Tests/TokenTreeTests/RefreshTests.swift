import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("TOK-2: refresh tokens")
struct RefreshTests {
    // Computed with Python's hmac and hashlib: salt 00…1f, first secret 64…83 (hex), proof SHA-256 of "proof", record
    // "grant".
    private let texts = [
        "AAAAAFiLZbdr8FfPRRxwIxhpNtRkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5_gIGCgw.grant",
        "AAAAAViLZbdr8FfPRRxwIxhpNtQubn369FwT5G1sVa2PNDOrlNYkNPUDHZzEweBQMdjpYg.grant",
        "AAAAAliLZbdr8FfPRRxwIxhpNtR9w8xQHiE8L8RWst2De94pn6om8SMKqpeWZkxgNOteFQ.grant",
    ]
    private let proof = Fingerprint(of: [UInt8]("proof".utf8))
    private let window: Duration = .seconds(60)

    private func stored() throws -> Record.Refresh {
        let salt = try #require(Fingerprint(bytes: [UInt8](0..<32)))
        return Record.Refresh(generation: 0, hash: Fingerprint(of: [UInt8](100..<132)), salt: salt, rotated: nil)
    }

    private func token(_ generation: Int) throws -> Record.Refresh.Token {
        try Record.Refresh.Token(parsing: texts[generation])
    }

    /// What the store knows after one and two renewals.
    private func renewed(_ times: Int) throws -> Record.Refresh {
        var refresh = try stored()
        for generation in 0..<times {
            guard
                case .current(_, let next) = refresh.presentation(
                    of: try token(generation), proof: proof, at: at(Int64(generation) * 100), window: window)
            else { throw Unexpected() }
            refresh = next
        }
        return refresh
    }

    private struct Unexpected: Error {}

    @Test(.proves("TOK-2")) func theNextTokenFollowsFromTheOneBefore() throws {
        guard
            case .current(let next, let state) = try stored().presentation(
                of: token(0), proof: proof, at: at(5), window: window)
        else {
            Issue.record("the current token was not taken")
            return
        }
        #expect(next.encoded() == texts[1])
        #expect(state.generation == 1)
        #expect(state.hash.description == "ACx370GMcUVXZivlPSRnEaOSXUAGGxQTbIZBiJGw5O0")
        #expect(state.rotated == at(5))
        guard
            case .current(let third, _) = state.presentation(
                of: next, proof: proof, at: at(6), window: window)
        else {
            Issue.record("the second token was not taken")
            return
        }
        #expect(third.encoded() == texts[2])
    }

    @Test(.proves("threat-28")) func aLostAnswerIsGivenAgainWithinTheWindow() throws {
        let refresh = try renewed(1)
        for seconds in [Int64(0), 60] {
            guard
                case .repeated(let token) = refresh.presentation(
                    of: try token(0), proof: proof, at: at(seconds), window: window)
            else {
                Issue.record("refused after \(seconds) s")
                return
            }
            #expect(token.encoded() == texts[1])
        }
    }

    private func isReused(_ presentation: Record.Refresh.Presentation) -> Bool {
        if case .reused = presentation { true } else { false }
    }

    private func isForeign(_ presentation: Record.Refresh.Presentation) -> Bool {
        if case .foreign = presentation { true } else { false }
    }

    @Test(.proves("threat-28")) func everythingElseThatIsOldIsReuse() throws {
        let refresh = try renewed(1)
        let late = refresh.presentation(of: try token(0), proof: proof, at: at(61), window: window)
        #expect(isReused(late))
        let without = refresh.presentation(of: try token(0), proof: proof, at: at(0), window: .zero)
        #expect(isReused(without))
        let noProof = refresh.presentation(of: try token(0), proof: nil, at: at(1), window: window)
        #expect(isReused(noProof))
        let older = try renewed(2).presentation(of: try token(0), proof: proof, at: at(101), window: window)
        #expect(isReused(older))
    }

    @Test(.proves("threat-72")) func anotherRequestWithinTheWindowIsGivenNothingAndEndsNothing() throws {
        let refresh = try renewed(1)
        let other = refresh.presentation(of: try token(0), proof: Fingerprint(of: [1]), at: at(1), window: window)
        guard case .differing = other else {
            Issue.record("\(other)")
            return
        }
    }

    @Test(.proves("threat-72")) func theFirstTokenIsMadeAgainForItsOwnRequestOnly() throws {
        var entropy = SeededGenerator(seed: 7)
        let key = HMAC<SHA256>.PreparedKey(SymmetricKey(data: [UInt8](repeating: 1, count: 32)))
        let otherKey = HMAC<SHA256>.PreparedKey(SymmetricKey(data: [UInt8](repeating: 2, count: 32)))
        let request = Fingerprint(of: [1])
        let issued = Record.Refresh.issued(for: "grant", under: key, answering: request, generation: 3, using: &entropy)
        let refresh = issued.refresh
        #expect(refresh.first(for: "grant", under: key, answering: request)?.encoded() == issued.token.encoded())
        #expect(refresh.first(for: "grant", under: key, answering: Fingerprint(of: [2])) == nil)
        #expect(refresh.first(for: "other", under: key, answering: request) == nil)
        #expect(refresh.first(for: "grant", under: otherKey, answering: request) == nil)
        guard
            case .current(_, let next) = refresh.presentation(of: issued.token, proof: proof, at: at(0), window: window)
        else {
            Issue.record("the token is not the current one")
            return
        }
        #expect(next.first(for: "grant", under: key, answering: request) == nil)
    }

    @Test(.proves("threat-33")) func anInventedTokenChangesNothing() throws {
        let refresh = try renewed(1)
        // One fault each: the tag, the record, a generation that was never reached, the secret of the current
        // generation.
        let bytes = try Base64URL.decode(String(texts[1].prefix { $0 != "." }))
        for index in [0, 4, 19, 20, 51] {
            var changed = bytes
            changed[index] ^= 1
            let token = try Record.Refresh.Token(parsing: Base64URL.encode(changed) + ".grant")
            #expect(
                isForeign(refresh.presentation(of: token, proof: proof, at: at(1), window: window)), "byte \(index)")
        }
        let other = try Record.Refresh.Token(parsing: Base64URL.encode(bytes) + ".grant2")
        #expect(isForeign(refresh.presentation(of: other, proof: proof, at: at(1), window: window)))
    }

    @Test func aTextThatIsNoTokenIsRefused() throws {
        let text = texts[0]
        for (text, error) in [
            ("abc", SyntaxError.malformed(.refreshToken, offset: 3)),
            ("ab=.grant", .malformed(.refreshToken, offset: 0)), ("AAAA.grant", .malformed(.refreshToken, offset: 0)),
            (String(text.prefix(71)), .empty(.identifier)),
        ] {
            #expect(throws: error) { try Record.Refresh.Token(parsing: text) }
        }
        #expect(try Record.Refresh.Token(parsing: text).encoded() == text)
        for count in 0...71 {
            #expect(throws: SyntaxError.self) {
                try Record.Refresh.Token(parsing: [UInt8](text.utf8.prefix(count)))
            }
        }
    }

    @Test func randomTextsNeverTrap() {
        var generator = SeededGenerator(seed: 77)
        for _ in 0..<500 {
            var text = [UInt8](texts[0].utf8)
            for _ in 0..<3 {
                text[Int(generator.next() % UInt64(text.count))] = UInt8(truncatingIfNeeded: generator.next())
            }
            _ = try? Record.Refresh.Token(parsing: text)
        }
    }
}

@Suite("TOK-3: renewing a grant")
struct RenewalTests {
    private var tree = MemoryStore(sixLevels.dropLast())
    private let token: Record.Refresh.Token
    private let proof = Fingerprint(of: [1])

    init() {
        var entropy = SeededGenerator(seed: 3)
        let issued = Record.Refresh.issued(for: "app", using: &entropy)
        token = issued.token
        _ = tree.apply(0, .insert(.sample("app", .app, on: "service", access: 100, refresh: issued.refresh)))
    }

    private func renewal(of id: TokenID = "app", at seconds: Int64, with token: Record.Refresh.Token? = nil) throws
        -> Lineage.Renewal
    {
        try #require(tree.lineage(of: id)).renewal(
            with: token ?? self.token, proof: proof, accessExpiry: at(seconds + 100), at: at(seconds))
    }

    @Test(.proves("TOK-2")) mutating func anExpiredAccessTokenIsRenewed() throws {
        guard case .granted(let next, let change) = try renewal(at: 500) else {
            Issue.record("not granted")
            return
        }
        #expect(
            tree.verdict(of: "app", at: at(500)) == .expired(by: "app", at: at(100), ends: .access))
        #expect(tree.apply(500, change) == .applied)
        #expect(tree.verdict(of: "app", at: at(599)) == .live)
        guard case .repeated(let again) = try renewal(at: 501) else {
            Issue.record("not repeated")
            return
        }
        #expect(again.encoded() == next.encoded())
        guard case .reused(let end) = try renewal(at: 700) else {
            Issue.record("not taken for reused")
            return
        }
        #expect(end == .revoke("app", .refreshReused))
        #expect(tree.apply(700, end) == .applied)
        guard case .dead(let verdict) = try renewal(at: 701, with: next) else {
            Issue.record("renewed although dead")
            return
        }
        #expect(verdict == .revoked(by: "app", at: at(700), reason: .refreshReused))
    }

    @Test(.proves("TOK-3")) mutating func nothingIsRenewedFromARevokedGround() throws {
        #expect(tree.apply(10, .revoke("version", .administrator)) == .applied)
        guard case .dead(let verdict) = try renewal(at: 11) else {
            Issue.record("renewed although dead")
            return
        }
        #expect(verdict == .revoked(by: "version", at: at(10), reason: .administrator))
    }

    @Test(.proves("threat-33")) func anotherRecordsTokenIsForeign() throws {
        guard case .foreign = try renewal(of: "service", at: 1) else {
            Issue.record("a record without refresh token took one")
            return
        }
        var entropy = SeededGenerator(seed: 4)
        guard case .foreign = try renewal(at: 1, with: Record.Refresh.issued(for: "app", using: &entropy).token) else {
            Issue.record("an invented token was taken")
            return
        }
    }
}
