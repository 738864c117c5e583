/// Text as people search it: in lower case, and known by its runs of three bytes.
enum SearchText {
    /// The longest text that is indexed or searched for.
    static let lengthLimit = 256

    static func folded(_ text: String) -> [UInt8] {
        Array(text.lowercased().utf8.prefix(lengthLimit))
    }

    /// The words of what somebody typed, parted by spaces.
    static func words(_ text: String) -> [[UInt8]] {
        folded(text).split { $0 <= 0x20 }.map { Array($0) }
    }

    /// All runs of three bytes; none for a shorter text.
    static func trigrams(_ text: [UInt8]) -> Set<UInt32> {
        guard text.count > 2 else { return [] }
        var trigrams: Set<UInt32> = []
        trigrams.reserveCapacity(text.count)
        for index in 0..<text.count - 2 {
            trigrams.insert(UInt32(text[index]) << 16 | UInt32(text[index + 1]) << 8 | UInt32(text[index + 2]))
        }
        return trigrams
    }

    static func contains(_ word: [UInt8], in text: [UInt8]) -> Bool {
        guard word.count <= text.count, let first = word.first else { return word.isEmpty }
        return (0...text.count - word.count).contains { text[$0] == first && text[$0...].starts(with: word) }
    }
}
