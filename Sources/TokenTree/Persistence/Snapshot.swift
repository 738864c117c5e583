internal import PureCrypto
internal import Wire

extension MemoryStore {
    /// The whole state as text, piece by piece: JSON values, one to a line, closed by a seal.
    ///
    /// The snapshot holds its own copy of the tree, which costs next to nothing; the tree can go on while it is
    /// written. What is committed after this call belongs into the journal behind it.
    public func snapshot() -> Snapshot { Snapshot(tree: self) }

    /// A state of a tree as text, in pieces of some 64 KiB that end with a line.
    ///
    /// Every line is a JSON object. The first names format, version, chain end and number of records. Then come the
    /// records, oldest first; a `text` line before a record gives the next number to a name, and the record says the
    /// number. A parent is the number of its record, counted from zero. Remembered keys, visits and messages follow.
    /// The last line is the SHA-256 of all before it. Equal trees that were filled alike give equal texts.
    public struct Snapshot: Sequence, IteratorProtocol, Sendable {
        private let tree: MemoryStore
        private var part = Part.head
        /// The numbers that texts got, by their references.
        private var texts: [UInt32: Int] = [:]
        /// The numbers of records by their slots, where these differ because some are vacant.
        private var numbers: [UInt32] = []
        private var seal = SHA256()

        private enum Part {
            case head
            case records(next: UInt32)
            case replays(next: Int)
            case rest
            case end
        }

        /// The version of the format that is written, of snapshot and journal.
        ///
        /// Version 1 had no confirmations, and knew neither time before which something is not proven; version 2 had no
        /// locks, and forgot no single use of a service; version 3 did not tell what a purge had removed.
        static let version = 4

        private static let pieceByteCount = 1 << 16

        fileprivate init(tree: MemoryStore) {
            self.tree = tree
        }

        /// The next piece, until the seal has been written.
        public mutating func next() -> [UInt8]? {
            var piece: [UInt8] = []
            switch part {
            case .head:
                tree.box.contents.writeHead(to: &piece)
                numbers = tree.box.contents.numbersOfRecords()
                part = .records(next: 0)
            case .records(var slot):
                piece.reserveCapacity(Self.pieceByteCount + 1024)
                let end = tree.box.contents.lives.end
                while slot < end, piece.count < Self.pieceByteCount {
                    tree.box.contents.writeRecord(slot, to: &piece, texts: &texts, numbers: numbers)
                    slot += 1
                }
                part = slot < end ? .records(next: slot) : .replays(next: 0)
            case .replays(var place):
                let end = tree.box.contents.replays.places.upperBound
                while place < end, piece.count < Self.pieceByteCount {
                    tree.box.contents.writeReplays(at: place, to: &piece)
                    place += 1
                }
                part = place < end ? .replays(next: place) : .rest
            case .rest:
                tree.box.contents.writeRest(to: &piece)
                seal.update(data: piece)
                let text = Fingerprint(seal.finalize()).description
                piece.appendLine { $0.member("seal", text) }
                part = .end
                return piece
            case .end: return nil
            }
            seal.update(data: piece)
            return piece
        }

        /// What is left of the text in one piece, for small trees.
        public func encoded() -> [UInt8] { reduce(into: []) { $0 += $1 } }
    }
}

extension [UInt8] {
    fileprivate mutating func appendLine(_ members: (inout JSON.ObjectWriter) -> Void) {
        append(contentsOf: JSON.encodedObject(.compact, members))
        append(UInt8(ascii: "\n"))
    }
}

// MARK: - Lines

extension Contents {
    fileprivate func writeHead(to piece: inout [UInt8]) {
        piece.appendLine { members in
            members.member("tokentree", MemoryStore.Snapshot.version)
            members.member("head", word: chain.head)
            members.member("records", count)
            members.member("horizon", ifPresent: replays.horizon)
            members.member("unknown", ifPresent: replays.unknownBefore)
            members.member("unproven", ifPresent: unprovenBefore)
        }
    }

    /// The number of each record, by its slot; none where every slot has one.
    fileprivate func numbersOfRecords() -> [UInt32] {
        guard vacancies > 0 else { return [] }
        var numbers: [UInt32] = []
        numbers.reserveCapacity(lives.count)
        var number: UInt32 = 0
        for slot in 0..<lives.end {
            numbers.append(number)
            if !lives[slot].marks.contains(.removed) { number += 1 }
        }
        return numbers
    }

    /// Writes a record, before it the texts that it is the first to need.
    fileprivate func writeRecord(
        _ slot: UInt32, to piece: inout [UInt8], texts: inout [UInt32: Int], numbers: [UInt32]
    ) {
        let life = lives[slot]
        guard !life.marks.contains(.removed) else { return }
        let more = particulars[slot]
        func number(_ reference: UInt32) -> Int? {
            guard reference != Names.none else { return nil }
            if let number = texts[reference] { return number }
            piece.appendLine { $0.member("text", names.arena.text(reference)) }
            texts[reference] = texts.count
            return texts.count - 1
        }
        let (holder, subject, audience) = (number(more.holder), number(more.subject), number(more.audience))
        let (scope, key, attributes) = (number(more.scope), number(more.boundKey), number(more.attributes))
        piece.appendLine { members in
            members.member("record", names.arena.text(more.id))
            members.member("kind", word: life.kind)
            if life.parent != Self.none {
                members.member("parent", Int(numbers.isEmpty ? life.parent : numbers[Int(life.parent)]))
            }
            members.member("holder", ifPresent: holder)
            members.member("subject", ifPresent: subject)
            members.member("audience", ifPresent: audience)
            members.member("scope", ifPresent: scope)
            members.member("key", ifPresent: key)
            members.member("issued", more.issued)
            if life.marks.contains(.hasAccess) { members.member("access", more.access) }
            if life.marks.contains(.hasFinal) { members.member("final", more.final) }
            if more.refresh != Self.none { members.object("refresh") { refreshes[more.refresh].write(to: &$0) } }
            members.member("attributes", ifPresent: attributes)
            fate(ofSlot: slot).write(to: &members)
        }
    }

    /// Writes the remembered keys of a place.
    fileprivate func writeReplays(at place: Int, to piece: inout [UInt8]) {
        for (key, until) in replays.keys(at: place) {
            piece.appendLine { line in
                line.object("replay") { members in
                    members.member("key", word: key)
                    members.member("until", until)
                }
            }
        }
    }

    /// What is kept beside records and keys, each list in an order of its own.
    fileprivate func writeRest(to piece: inout [UInt8]) {
        let visitors = visits.map { entry in (subject: JSON.Name(names.arena.text(entry.key)), uses: entry.value) }
        for (subject, uses) in visitors.sorted(by: { $0.subject < $1.subject }) {
            for use in uses {
                piece.appendLine { line in
                    line.object("visit") { members in
                        members.member("subject", subject.text)
                        members.member("service", names.arena.text(use.service))
                        members.member("last", use.last)
                    }
                }
            }
        }
        for message in outbox.pending.values.sorted(by: { $0.id < $1.id }) {
            piece.appendLine { $0.object("message") { message.write(to: &$0) } }
        }
        for (id, settled) in outbox.settled.sorted(by: { $0.key < $1.key }) {
            piece.appendLine { line in
                line.object("settled") { members in
                    members.member("message", id)
                    members.member("as", word: settled.settlement)
                    members.member("at", settled.at)
                }
            }
        }
    }
}
