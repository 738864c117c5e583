import PureCrypto
import TokenTree
import TokenTreeTesting
import Wire

/// The token tree with a million live tokens; they are made when the first of these benchmarks runs.
///
/// Looking up goes through the tokens in random order, so that the processor's caches help as little as they would a
/// server.
func tokenTreeBenchmarks() -> [Benchmark] {
    [
        Benchmark("tokentree-verdict-6") { MillionTokens.shared.verdict() },
        Benchmark("tokentree-verdict-6-small") { MillionTokens.small.verdict() },
        Benchmark("tokentree-grant-6") { MillionTokens.shared.grant() }
            .against("the verdict alone") { MillionTokens.shared.verdict() },
        Benchmark("tokentree-lineage-6") { MillionTokens.shared.lineage() }
            .against("the verdict alone") { MillionTokens.shared.verdict() },
        Benchmark("tokentree-issue") { MillionTokens.shared.issue() },
        Benchmark("tokentree-issue-journaled") { MillionTokens.shared.issueJournaled() },
        Benchmark("tokentree-refresh") { MillionTokens.shared.refresh() },
        Benchmark("tokentree-revoke-all") { MillionTokens.shared.revokeAll() },
        Benchmark("tokentree-restore-100000") { MillionTokens.restore() },
    ]
}

/// Users with one instance each, two services and four apps: ten records, of which the four apps stand at depth six.
private final class MillionTokens {
    nonisolated(unsafe) static let shared = MillionTokens(records: 1_000_000)
    nonisolated(unsafe) static let small = MillionTokens(records: 1000)
    private static let snapshot = [[UInt8]](MillionTokens(records: 100_000).tree.snapshot())

    private var tree = MemoryStore()
    private var chance = SeededSequence(seed: 1)
    private var apps: [TokenID] = []
    private var services: [TokenID] = []
    private var next = 0
    private var issued = 0
    private let now = Timestamp(seconds: 1_800_000_000)

    init(records: Int) {
        insert(Record(id: id(), kind: .versionKey, parent: nil, issued: now, holder: name("version-42")))
        while tree.count < records { insertUser() }
        apps.shuffle(using: &chance)
    }

    private func name<Kind>(_ text: String) -> Identifier<Kind> {
        guard let id = try? Identifier<Kind>(parsing: text) else { preconditionFailure("'\(text)' is no identifier") }
        return id
    }

    /// Sixteen random bytes.
    private func id() -> TokenID {
        let words = [chance.next(), chance.next()]
        return name(
            Base64URL.encode(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }))
    }

    @discardableResult
    private func insert(_ record: Record) -> TokenID {
        guard tree.commit(Batch(at: now, [.insert(record)])) == .applied else {
            preconditionFailure("\(record.id) was refused")
        }
        return record.id
    }

    private var root: TokenID?

    private func insertUser() {
        let version = root ?? tree.lineage(of: .versionKey, holder: name("version-42"))
        root = version
        let holder: Record.Holder = name("5f0c1d2e-\(chance.next())")
        let subject: Record.Subject = name("user-\(tree.count)@example.edu")
        let key: Record.BoundKey = name(
            #"{"kty":"OKP","crv":"Ed25519","x":"\#(Fingerprint(of: [UInt8](holder.text.utf8)))"}"#)
        let client = insert(
            Record(
                id: id(), kind: .client, parent: version, issued: now, holder: holder, boundKey: key,
                attributes: [
                    "device_id": .string(holder.text), "device_name": "Anna's phone", "device_type": "phone",
                    "os_version": "18.3.1",
                ]))
        let personal = id()
        insert(
            Record(
                id: personal, kind: .personal, parent: client, issued: now, holder: holder, subject: subject,
                boundKey: key,
                accessExpiry: now + .seconds(3600),
                refresh: Record.Refresh.issued(for: personal, using: &chance).refresh))
        for _ in 0..<2 {
            let number = chance.next() % 100
            let audience: Record.Audience = name("https://service-\(number).example.edu/")
            let assertion = insert(
                Record(
                    id: id(), kind: .assertion, parent: personal, issued: now, holder: holder, subject: subject,
                    audience: audience,
                    boundKey: key,
                    accessExpiry: now + .seconds(300)))
            let service = id()
            insert(
                Record(
                    id: service, kind: .service, parent: assertion, issued: now, holder: holder, subject: subject,
                    audience: audience,
                    boundKey: key, accessExpiry: now + .seconds(3600),
                    refresh: Record.Refresh.issued(for: service, using: &chance).refresh))
            services.append(service)
            for _ in 0..<2 { apps.append(insert(app(on: service, audience: audience, subject: subject))) }
        }
    }

    private func app(on service: TokenID, audience: Record.Audience, subject: Record.Subject) -> Record {
        let app = id()
        return Record(
            id: app, kind: .app, parent: service, issued: now, holder: name("com.example.app-\(chance.next() % 20)"),
            subject: subject,
            audience: audience, scope: name("\(audience)api/one \(audience)api/two"),
            accessExpiry: now + .seconds(3600),
            refresh: Record.Refresh.issued(for: app, using: &chance).refresh)
    }

    // MARK: Operations

    private func anyApp() -> TokenID {
        next = next + 1 < apps.count ? next + 1 : 0
        return apps[next]
    }

    func verdict() -> Verdict {
        tree.verdict(of: anyApp(), at: now)
    }

    func grant() -> Grant? { tree.grant(of: anyApp(), at: now) }

    func lineage() -> Lineage? { tree.lineage(of: anyApp()) }

    /// A batch with one fresh app; making its name is part of the time.
    private func freshApp() -> Batch {
        issued += 1
        let service = services[issued % services.count]
        let record = Record(
            id: name("fresh-\(issued)"), kind: .app, parent: service, issued: now, holder: holder, audience: audience,
            accessExpiry: now + .seconds(3600), refresh: refreshes[issued & 1])
        return Batch(at: now, [.insert(record)])
    }

    private let holder: Record.Holder = "com.example.app-7"
    private let audience: Record.Audience = "https://service-7.example.edu/"
    private let refreshes = (0..<2).map {
        Record.Refresh(generation: 0, hash: Fingerprint(of: [$0]), salt: Fingerprint(of: []), rotated: nil)
    }

    func issue() -> Batch.Outcome {
        tree.commit(freshApp())
    }

    func issueJournaled() -> Batch.Outcome {
        var journal: [UInt8] = []
        return tree.commit(freshApp(), journal: &journal)
    }

    /// Finds the record, derives the next token, commits.
    func refresh() -> Batch.Outcome? {
        let app = anyApp()
        guard let current = tree.lineage(of: app)?.record.refresh else { return nil }
        let next = Record.Refresh(
            generation: current.generation + 1, hash: current.hash, salt: current.salt, rotated: now)
        return tree.commit(Batch(at: now, [.rotate(app, from: current, to: next, accessExpiry: now + .seconds(3600))]))
    }

    /// Revokes the root of all, and takes that back because the change behind it is refused: an upper bound that can be
    /// repeated.
    func revokeAll() -> Batch.Outcome? {
        guard let root else { return nil }
        return tree.commit(
            Batch(
                at: now,
                [.revoke(root, .administrator), .insert(Record(id: root, kind: .versionKey, parent: nil, issued: now))])
        )
    }

    func justTree() -> MemoryStore { tree }

    static func restore() -> Int? {
        var restoration = MemoryStore.Restoration()
        for piece in snapshot { guard (try? restoration.read(piece)) != nil else { return nil } }
        return (try? restoration.inspected())?.tree.count
    }
}

extension MemoryStore {
    fileprivate func lineage(of kind: Record.Kind, holder: Record.Holder) -> TokenID? {
        load([.holder(kind, holder)]).lineage(of: kind, heldBy: holder)?.record.id
    }
}

/// A tree of so many records, to be weighed.
func tokenTreeOfSize(_ records: Int) -> MemoryStore { MillionTokens(records: records).justTree() }
