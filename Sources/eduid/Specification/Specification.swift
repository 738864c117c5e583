import VectorCatalogue

/// The written protocol, in a terminal.
enum Specification {
    static let command = Command(
        name: "spec", abstract: "Read the protocol: a page, or where an obligation is told.",
        arguments: [topic], options: [folder],
        discussion: """
            Without a topic the pages are listed. A topic is the name of a page, such as tokens,
            or an obligation or threat, such as AST-3 or threat-23: then it is shown with the
            lines that name it and the vectors that show it.
            """
    ) { (invocation, console) throws(Failure) in
        let pages = Pages(folder: invocation[folder] ?? "")
        guard let topic = invocation.all(topic).first else { return try list(pages, &console) }
        let names = try pages.names(&console)
        if let name = names.first(where: { $0.spells(topic) }) {
            for line in try pages.lines(of: name, &console) { say(line, &console) }
        } else if isObligation(topic) {
            try explain(topic, in: pages, names, &console)
        } else {
            let near = Invocation.suggestion(for: topic, among: names)
            throw .misuse("There is no page '\(topic)'" + (near.isEmpty ? ". 'eduid spec' lists the pages." : near))
        }
    }

    private static let topic = Argument(
        name: "topic", kind: .text, abstract: "A page, an obligation or a threat.", arity: .optional)
    private static let folder = Option(
        name: "pages", value: "folder", abstract: "Where the pages are.", fallback: "Fixtures/protocol")

    /// The pages with what each is about, in the order of the first one.
    private static func list(_ pages: Pages, _ console: inout Console) throws(Failure) {
        for name in try pages.names(&console) {
            let lines = try pages.lines(of: name, &console)
            let title = lines.first.map { String($0.drop { $0 == "#" || $0 == " " }) } ?? name
            let abstract = lines.dropFirst().drop { $0.isEmpty }.prefix { !$0.isEmpty }.joined(separator: " ")
            console.say(name, as: .strong)
            console.say("    \(title). \(abstract)")
        }
        console.say("'eduid spec tokens' shows a page, 'eduid spec AST-3' where an obligation is told.")
    }

    /// A line as it is, and a heading as one.
    private static func say(_ line: Substring, _ console: inout Console) {
        let isMarker = line.utf8.starts(with: "<!--".utf8)
        if !isMarker { console.say(String(line), as: line.utf8.first == UInt8(ascii: "#") ? .strong : .plain) }
    }

    private static func isObligation(_ topic: String) -> Bool {
        guard let dash = topic.utf8.lastIndex(of: UInt8(ascii: "-")) else { return false }
        let number = topic.utf8[topic.utf8.index(after: dash)...]
        return !number.isEmpty && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The row of the table of obligations, and every line that names it.
    private static func explain(
        _ id: String, in pages: Pages, _ names: [String], _ console: inout Console
    ) throws(Failure) {
        let rows = try pages.lines(of: Pages.obligations, &console)
        let row = rows.compactMap { Pages.Obligation(row: $0) }.first { $0.id.spells(id) }
        guard let row else { throw .refused("there is no obligation '\(id)'; 'eduid spec obligations' lists them") }
        console.say("\(row.id): \(row.text)", as: .strong)
        console.say("Library: \(row.library)")
        console.say("Vectors: \(row.vectors)")
        for name in names where !name.spells(Pages.obligations) {
            for (number, line) in try pages.lines(of: name, &console).enumerated() {
                guard line.contains("[\(id)]"), !line.utf8.starts(with: "[\(id)]:".utf8) else { continue }
                console.say("\(name):\(number + 1): \(line.trimmed)")
            }
        }
    }
}

/// The pages of the protocol in a folder.
private struct Pages {
    let folder: String

    /// The table that says where each obligation is told.
    static let obligations = "obligations"
    private static let first = "README"
    private static let byteLimit = 1 << 20

    /// The lines of a page.
    func lines(of name: String, _ console: inout Console) throws(Failure) -> [Substring] {
        let bytes = try console.read("\(folder)/\(name).md", limit: Self.byteLimit)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The names of the pages, in the order in which the first one lists them.
    func names(_ console: inout Console) throws(Failure) -> [String] {
        var names = [Self.first, "interactions"]
        for line in try lines(of: Self.first, &console) where line.utf8.starts(with: "| [".utf8) {
            let parts = line.split(separator: "](", maxSplits: 1)
            guard parts.count == 2, let link = parts[1].split(separator: ")").first, link.hasSuffix(".md") else {
                continue
            }
            names.append(String(link.dropLast(3)))
        }
        return names
    }

    /// A row of the table of obligations.
    struct Obligation {
        let id: String
        let text: String
        let library: String
        let vectors: String

        init?(row: Substring) {
            let cells = row.split(separator: "|").map { $0.trimmed }
            guard cells.count >= 5, let id = cells[0].split(separator: ">").last, cells[0].hasPrefix("<a id=") else {
                return nil
            }
            self.id = String(id)
            (text, library, vectors) = (cells[1], cells[cells.count - 2], cells[cells.count - 1])
        }
    }
}

extension Substring {
    /// Without the spaces around it.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
