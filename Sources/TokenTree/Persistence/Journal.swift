internal import PureCrypto
internal import Wire

// A journal line is `{"head":…,"batch":…}` or `{"head":…,"purge":…}`: what was done, and the end of the hash chain with it. The chain's
// next end is the SHA-256 of its last one (32 bytes) followed by the text of the value, byte for byte as it stands in the line.

extension Contents {
    /// Prolongs the chain by what was done, and writes its line.
    mutating func record(_ what: StaticString, _ text: [UInt8], in journal: inout [UInt8]) {
        head = Self.link(head, text.span)
        journal.reserveCapacity(journal.count + text.count + 80)
        journal.append(contentsOf: #"{"head":""#.utf8)
        journal.append(contentsOf: head.description.utf8)
        journal.append(contentsOf: #"",""#.utf8)
        what.withUTF8Buffer { journal.append(contentsOf: $0) }
        journal.append(contentsOf: #"":"#.utf8)
        journal.append(contentsOf: text)
        journal.append(contentsOf: "}\n".utf8)
    }

    /// The end of a chain after one more text.
    static func link(_ head: Fingerprint, _ text: Span<UInt8>) -> Fingerprint {
        var hash = SHA256()
        hash.update(data: head.bytes)
        hash.update(data: text)
        return Fingerprint(hash.finalize())
    }
}
