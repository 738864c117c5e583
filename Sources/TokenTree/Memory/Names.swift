import Wire

/// All texts of a tree, each kept once: the names of records apart from all others, because they lead to slots.
struct Names: Sendable {
    var arena = Arena()
    private var ids = HashIndex()
    private var texts = HashIndex()

    /// No texts.
    init() {}

    /// No texts yet, and room in the indices for as many as others have.
    init(roomFor others: Names) {
        (ids, texts) = (HashIndex(roomFor: others.ids), HashIndex(roomFor: others.texts))
    }

    /// Refers to no text.
    static let none = Arena.none

    // MARK: Records

    /// The slot of the record with this name.
    @inline(__always)
    func slot(of id: Span<UInt8>) -> UInt32? {
        ids.first(hash: indexHash(id)) { arena.holds($0, id) }.map { arena.link(of: $0) }
    }

    /// Adds the name of a record, which must be new.
    mutating func insert(_ id: Span<UInt8>, slot: UInt32) -> UInt32 {
        let reference = arena.append(id, link: slot)
        ids.insert(reference, hash: indexHash(id))
        return reference
    }

    mutating func remove(id reference: UInt32) {
        ids.remove(reference, hash: arena.withRun(reference) { indexHash($0) })
    }

    // MARK: Texts

    func find(_ text: Span<UInt8>) -> UInt32? {
        texts.first(hash: indexHash(text)) { arena.holds($0, text) }
    }

    /// The reference of a text, which is added when it is new.
    mutating func intern(_ text: Span<UInt8>) -> (reference: UInt32, isNew: Bool) {
        let hash = indexHash(text)
        if let known = texts.first(hash: hash, where: { arena.holds($0, text) }) { return (known, false) }
        let reference = arena.append(text, link: Self.none)
        texts.insert(reference, hash: hash)
        return (reference, true)
    }

    mutating func remove(text reference: UInt32) {
        texts.remove(reference, hash: arena.withRun(reference) { indexHash($0) })
    }

    // MARK: Reading

    /// The identifier there; `nil` if nothing is referred to.
    func identifier<Kind>(
        _ reference: UInt32, as kind: Identifier<Kind>.Type = Identifier<Kind>.self
    ) -> Identifier<Kind>? {
        guard reference != Self.none else { return nil }
        return arena.withRun(reference) { try? Identifier(parsing: $0) }
    }

    func attributes(_ reference: UInt32) -> JSON.Object {
        guard reference != Self.none else { return JSON.Object() }
        return arena.withRun(reference) { JSON.Object(stored: $0) }
    }
}

extension JSON.Object {
    /// The attributes of a record, from the text that is kept of them.
    init(stored text: Span<UInt8>) { self = (try? JSON(parsing: text).object) ?? JSON.Object() }
}
