internal import JOSE
internal import OAuth2Grants
internal import Synchronization
internal import TokenTree

/// The keys of holders who come again and again: each is read once, and prepared when it comes for the second time,
/// after which a check of its signatures takes a third of the time.
///
/// It may be emptied at any time, and no answer depends on it: it knows keys and nothing about what is alive. A
/// record's key never changes, and one that is of another record, or of another holder, is not used; a key that comes
/// with a message is known by all of its material.
final class HolderKeys: Sendable {
    private struct Memory: Sendable {
        /// The keys that records are bound to.
        var ofRecords: Generations<TokenID, Entry>
        /// The keys that holders brought, and proved.
        var brought: Generations<JWK.Material, Brought>
    }

    private struct Entry: Sendable {
        let binding: Record.BoundKey
        let holder: Record.Holder?
        let key: Statement.BoundKey
        let isPrepared: Bool

        func isOf(_ record: some Presentable) -> Bool { binding == record.boundKey && holder == record.holder }
    }

    /// A key that came once, or the same one prepared.
    private typealias Brought = VerificationKey?

    private let capacity: Int
    private let memory: Mutex<Memory>

    /// Keeps so many keys of records at least, and twice as many at most, and of keys that were brought the same; each
    /// takes about 7 KiB once it is prepared.
    init(capacity: Int) {
        self.capacity = max(capacity, 0)
        memory = Mutex(
            Memory(ofRecords: Generations(capacity: capacity), brought: Generations(capacity: capacity)))
    }

    /// How many keys of records are kept.
    var count: Int { memory.withLock { $0.ofRecords.count } }

    /// How many keys are kept that were brought.
    var broughtCount: Int { memory.withLock { $0.brought.count } }
}

// MARK: - Keys of records

extension HolderKeys {
    /// The key of a record, remembered or read; `nil` if the record is bound to none.
    func key(
        of record: some Presentable, reading read: () throws(Refusal) -> Statement.BoundKey?
    ) throws(Refusal) -> Statement.BoundKey? {
        guard capacity > 0, let binding = record.boundKey else { return try read() }
        let found = memory.withLock { $0.ofRecords.find(record.id) }
        if let found, found.entry.isOf(record) {
            let known = found.entry
            if found.isYoung, known.isPrepared { return known.key }
            let owner = Owner(of: record)
            // Whoever has too many keys does not make us prepare one each time.
            guard memory.withLock({ $0.ofRecords.hasRoom(for: record.id, of: owner) }) else { return known.key }
            // Prepared outside of the lock; two who do it at once do the same.
            let key = known.isPrepared ? known.key : known.key.prepared()
            let entry = Entry(binding: binding, holder: record.holder, key: key, isPrepared: true)
            memory.withLock { $0.ofRecords.keep(entry, as: record.id, of: owner) }
            return key
        }
        guard let key = try read() else { return nil }
        let entry = Entry(binding: binding, holder: record.holder, key: key, isPrepared: false)
        memory.withLock { $0.ofRecords.keep(entry, as: record.id, of: Owner(of: record)) }
        return key
    }

    /// The public key of a record, as it was read, if it is remembered.
    func publicKey(of record: Record) -> JWK? {
        guard capacity > 0 else { return nil }
        guard let known = memory.withLock({ $0.ofRecords.find(record.id)?.entry }), known.isOf(record) else {
            return nil
        }
        return known.key.publicKey
    }
}

// MARK: - Keys that are brought

extension HolderKeys {
    /// The same key prepared, if it has come before; whatever it says about itself, it is this material that computes.
    func prepared(_ key: JWK) -> VerificationKey? {
        guard capacity > 0 else { return nil }
        return memory.withLock { $0.brought.find(key.material)?.entry } ?? nil
    }

    /// Notes that a holder has proved a key, and prepares it when that is so for the second time.
    ///
    /// Bound: keys of other types gain nothing, and may be large.
    func note(_ key: JWK, of owner: Owner) {
        switch key.material {
        case .ed25519, .p256: break
        case .p384, .p521, .rsa, .foreign: return
        }
        guard capacity > 0 else { return }
        let (found, hasRoom) = memory.withLock {
            ($0.brought.find(key.material), $0.brought.hasRoom(for: key.material, of: owner))
        }
        guard hasRoom else { return }
        if let found, found.isYoung, found.entry != nil { return }
        var entry: Brought = found.flatMap { $0.entry }
        if found != nil, entry == nil {
            entry = (try? VerificationKey(JWK(material: key.material, attributes: .init())))?.prepared()
        }
        memory.withLock { $0.brought.keep(entry, as: key.material, of: owner) }
    }
}

// MARK: - Memory

/// Whose keys they are: a user's, or those of an instance without one.
struct Owner: Hashable, Sendable {
    private let subject: Record.Subject?
    private let holder: Record.Holder?

    init(_ subject: Record.Subject) { (self.subject, holder) = (subject, nil) }

    init(of record: some Presentable) {
        subject = record.subject
        holder = record.subject == nil ? record.holder : nil
    }
}

/// Two generations: when the young one is full it becomes the old one, and what was not asked for since is forgotten.
///
/// One owner has no more than a sixteenth of a generation, so that whoever brings ever new keys pushes nobody else's
/// out; what exceeds that is not kept.
struct Generations<Name: Hashable & Sendable, Entry: Sendable>: Sendable {
    private var young: [Name: Entry] = [:]
    private var old: [Name: Entry] = [:]
    /// How many of the young ones each owner has.
    private var shares: [Owner: Int] = [:]
    private let capacity: Int

    init(capacity: Int) { self.capacity = max(capacity, 0) }

    private var share: Int { max(capacity / 16, 1) }

    var count: Int { young.count + old.count }

    func find(_ name: Name) -> (entry: Entry, isYoung: Bool)? {
        if let entry = young[name] { return (entry, true) }
        return old[name].map { ($0, false) }
    }

    func hasRoom(for name: Name, of owner: Owner) -> Bool {
        young[name] != nil || shares[owner] ?? 0 < share
    }

    mutating func keep(_ entry: Entry, as name: Name, of owner: Owner) {
        guard hasRoom(for: name, of: owner) else { return }
        if young[name] == nil {
            if young.count >= capacity { (young, old, shares) = ([:], young, [:]) }
            shares[owner, default: 0] += 1
            old[name] = nil
        }
        young[name] = entry
    }
}
