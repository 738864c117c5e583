internal import PureCrypto
internal import Wire

/// What was done to a tree, each step bound to all before it.
///
/// A journal line is `{"head":…,"batch":…}` or `{"head":…,"purge":…}`: the end of the chain after the step, and the
/// step. The chain's next end is the SHA-256 of its last one (32 bytes) followed by the text of the step, byte for byte
/// as it stands in the line.
struct HashChain: Sendable {
    private var last: Fingerprint
    /// Whether something was done since that no journal tells.
    var hasGap = false

    /// The longest step; its line has some hundred bytes more, and a reader takes that.
    static let stepByteLimit = (1 << 26) - 1_024

    /// The chain with this end, or the beginning of every chain.
    init(head: Fingerprint = Fingerprint(of: [UInt8]("swift-eduid token tree 1".utf8))) {
        last = head
    }

    /// The end of the chain; a gap counts as a step that no text gives back.
    var head: Fingerprint { hasGap ? Self.link(last, Span()) : last }

    /// The end of the chain after one more step.
    func head(after step: Span<UInt8>) -> Fingerprint { Self.link(head, step) }

    /// Takes a step, and writes its line.
    mutating func prolong(by kind: StaticString, _ step: [UInt8], journal: inout [UInt8]) {
        last = head(after: step.span)
        hasGap = false
        journal.reserveCapacity(journal.count + step.count + 80)
        journal.append(contentsOf: #"{"head":""#.utf8)
        journal.append(contentsOf: last.description.utf8)
        journal.append(contentsOf: #"",""#.utf8)
        kind.withUTF8Buffer { journal.append(contentsOf: $0) }
        journal.append(contentsOf: #"":"#.utf8)
        journal.append(contentsOf: step)
        journal.append(contentsOf: "}\n".utf8)
    }

    private static func link(_ head: Fingerprint, _ text: Span<UInt8>) -> Fingerprint {
        var hash = SHA256()
        hash.update(data: head.bytes)
        hash.update(data: text)
        return Fingerprint(hash.finalize())
    }
}
