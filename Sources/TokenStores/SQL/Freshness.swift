/// Which commits an answer must know of: what a store tells that has committed, and a replica is asked to have.
///
/// It names machines and processes, and is meant for those of the same party: whoever commits gives it to whoever will
/// look, in the words of ``description``.
public struct Freshness: Sendable, Hashable {
    /// How many commits of each writer there were.
    ///
    /// A replica takes over commits in the order in which they happened, so that it has all that came before these.
    private var commits: [String: Int64] = [:]

    /// What every database knows of.
    public init() {}

    /// Adds what another one asks for.
    public mutating func merge(_ other: Freshness) {
        for (writer, count) in other.commits { note(count, of: writer) }
    }

    mutating func note(_ count: Int64, of writer: String) { commits[writer] = max(count, commits[writer] ?? 0) }

    /// The writers with the numbers of their commits.
    var writers: [(writer: String, count: Int64)] { commits.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 } }
}

// MARK: - In words

extension Freshness: LosslessStringConvertible {
    /// So long may its words be that come from elsewhere.
    private static var longest: Int { 16_384 }

    /// What a name of a writer consists of.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/")
        }
    }

    /// The words of a process that has committed, with the numbers of its connections, as in
    /// `db1/4711/1800000000.5:0=3,2=17`.
    public var description: String {
        var processes: [(name: String, counts: String)] = []
        for (writer, count) in writers {
            let bytes = writer.utf8
            let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex
            let (name, number) = (String(writer[..<end]), String(writer[end...].dropFirst()))
            if processes.last?.name == name {
                processes[processes.count - 1].counts += ",\(number)=\(count)"
            } else {
                processes.append((name, "\(number)=\(count)"))
            }
        }
        return processes.map { "\($0.name):\($0.counts)" }.joined(separator: " ")
    }

    /// Reads the words of another process; none where they are not such words.
    public init?(_ description: String) {
        guard description.utf8.count <= Self.longest else { return nil }
        self.init()
        if description.isEmpty { return }
        for process in description.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
            let parts = process.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(Self.isWord) else { return nil }
            for pair in parts[1].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let sides = pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
                guard sides.count == 2, let number = Self.number(sides[0]), let count = Self.number(sides[1]),
                    count > 0
                else { return nil }
                let writer = "\(Substring(parts[0]))/\(number)"
                guard commits.updateValue(count, forKey: writer) == nil else { return nil }
            }
        }
        guard self.description == description else { return nil }
    }

    private static func number(_ digits: Substring.UTF8View) -> Int64? {
        guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(Substring(digits))
    }
}
