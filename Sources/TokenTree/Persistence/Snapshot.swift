internal import PureCrypto
internal import Wire

/// A state of a tree as text, in pieces of some 64 KiB that end with a line.
///
/// The first line names format, version and chain end; then come records, remembered keys, visits and messages; the last line is the SHA-256
/// of all before it. Equal trees that were filled alike give equal texts.
public struct Snapshot: Sequence, Sendable {
    let tree: TokenTree

    /// The version of the format that is written, and the only one that is read.
    public static let version = 1

    /// Starts at the first line.
    public func makeIterator() -> Iterator { Iterator(tree: tree) }

    /// The whole text in one piece, for small trees.
    public func encoded() -> [UInt8] {
        var text: [UInt8] = []
        for piece in self { text += piece }
        return text
    }

    /// The pieces of the text in order.
    public struct Iterator: IteratorProtocol, Sendable {
        private let tree: TokenTree
        private var part = Part.head
        private var seal = SHA256()

        private enum Part {
            case head
            case records(next: Int)
            case rest
            case end
        }

        private static let pieceByteCount = 1 << 16

        init(tree: TokenTree) {
            self.tree = tree
        }

        /// The next piece, until the seal has been written.
        public mutating func next() -> [UInt8]? {
            var piece: [UInt8] = []
            switch part {
            case .head:
                piece.append(line: tree.snapshotHead)
                part = .records(next: 0)
            case .records(var slot):
                piece.reserveCapacity(Self.pieceByteCount + 1024)
                tree.appendSnapshotRecords(from: &slot, to: &piece, upTo: Self.pieceByteCount)
                part = slot < tree.count ? .records(next: slot) : .rest
            case .rest:
                tree.appendSnapshotRest(to: &piece)
                seal.update(data: piece)
                let text = Fingerprint(seal.finalize()).description
                piece.append(line: JSON.encodedObject { $0.member("seal", text) })
                part = .end
                return piece
            case .end:
                return nil
            }
            seal.update(data: piece)
            return piece
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(line: [UInt8]) {
        append(contentsOf: line)
        append(UInt8(ascii: "\n"))
    }
}

extension Contents {
    var snapshotHead: [UInt8] {
        JSON.encodedObject { members in
            members.member("tokentree", Snapshot.version)
            members.member("head", word: chain.head)
            members.member("records", lives.count)
            members.member("horizon", ifPresent: replays.horizon)
        }
    }

    /// Writes records until the piece is long enough, and moves the slot behind them.
    func appendSnapshotRecords(from slot: inout Int, to piece: inout [UInt8], upTo byteCount: Int) {
        while slot < lives.count, piece.count < byteCount {
            if let entry = entry(ofSlot: UInt32(truncatingIfNeeded: slot)) {
                piece.append(line: JSON.encodedObject { $0.member("record", entry) })
            }
            slot += 1
        }
    }

    /// What is kept beside the records, each list in an order of its own.
    func appendSnapshotRest(to piece: inout [UInt8]) {
        for (key, until) in replays.ordered {
            piece.append(
                line: JSON.encodedObject { line in
                    line.object("replay") { members in
                        members.member("key", word: key)
                        members.member("until", until)
                    }
                })
        }
        let visitors: [(Record.Subject, [ServiceUse])] = visits.compactMap { entry in names.identifier(entry.key).map { ($0, entry.value) } }
        for (subject, uses) in visitors.sorted(by: { $0.0 < $1.0 }) {
            for use in uses {
                guard let service: Record.Audience = names.identifier(use.service) else { continue }
                piece.append(
                    line: JSON.encodedObject { line in
                        line.object("visit") { members in
                            members.member("subject", subject)
                            members.member("service", service)
                            members.member("last", use.last)
                        }
                    })
            }
        }
        for message in outbox.pending.values.sorted(by: { $0.id < $1.id }) {
            piece.append(line: JSON.encodedObject { $0.member("message", message) })
        }
        for (id, settled) in outbox.settled.sorted(by: { $0.key < $1.key }) {
            piece.append(
                line: JSON.encodedObject { line in
                    line.object("settled") { members in
                        members.member("message", id)
                        members.member("as", word: settled.settlement)
                        members.member("at", settled.at)
                    }
                })
        }
    }
}
