internal import PureCrypto
internal import Wire

/// What was done to a tree, each step bound to all before it.
///
/// A journal line is `{"version":4,"head":…,"batch":…}`: the version of the format, the end of the chain after the
/// step, and the step, which is a `batch`, a `purge`, a `reset` of the horizon, or `unproven`, a restoration without
/// proof that nothing is missing. A line without version is of version 1, which has the first two. The chain's next end
/// is the SHA-256 of its last one (32 bytes) followed by the text of the step, byte for byte as it stands in the line.
struct HashChain: Sendable {
    private var last: Fingerprint
    /// How many steps were taken since that no journal tells.
    private var gap: UInt64 = 0

    /// The longest step; its line has some hundred bytes more, and a reader takes that.
    static let stepByteLimit = (1 << 26) - 1_024

    /// The chain with this end, or the beginning of every chain.
    init(head: Fingerprint = Fingerprint(of: [UInt8]("swift-eduid token tree 1".utf8))) {
        last = head
    }

    /// The end of the chain; a gap counts as a step that no text gives back, and tells how long it is.
    var head: Fingerprint {
        guard gap > 0 else { return last }
        var count: [UInt8] = []
        count.append(bigEndian: gap)
        return Self.link(last, count.span)
    }

    /// Takes a step that is not written.
    mutating func skip() { gap &+= 1 }

    /// The end of the chain after one more step.
    func head(after step: Span<UInt8>) -> Fingerprint { Self.link(head, step) }

    /// Takes a step, and writes its line.
    mutating func prolong(by kind: StaticString, _ step: [UInt8], journal: inout [UInt8]) {
        last = head(after: step.span)
        gap = 0
        journal.append(contentsOf: Self.opening)
        journal.append(contentsOf: last.description.utf8)
        journal.append(contentsOf: #"",""#.utf8)
        kind.withUTF8Buffer { journal.append(contentsOf: $0) }
        journal.append(contentsOf: #"":"#.utf8)
        journal.append(contentsOf: step)
        journal.append(contentsOf: "}\n".utf8)
    }

    /// Each line says the version, so that a journal may be cut into files anywhere.
    private static let opening = [UInt8](#"{"version":\#(MemoryStore.Snapshot.version),"head":""#.utf8)

    private static func link(_ head: Fingerprint, _ text: Span<UInt8>) -> Fingerprint {
        var hash = SHA256()
        hash.update(data: head.bytes)
        hash.update(data: text)
        return Fingerprint(hash.finalize())
    }
}
