import Foundation
import TestSupport

/// One page of the written protocol.
struct Page {
    /// Its file name.
    let name: String
    var lines: [String]

    /// All pages, by their names.
    static let all: [Page] = {
        let folder = Repository.root.appending(path: "Fixtures/protocol").resolvingSymlinksInPath()
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        return names.filter { $0.hasSuffix(".md") }.map { name in
            let text = (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
            return Page(
                name: name, lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        }
    }()

    var text: String { lines.joined(separator: "\n") }

    /// The lines that are no part of a block of code.
    var prose: [(number: Int, text: String)] {
        var isCode = false
        return lines.enumerated().compactMap { number, line in
            if line.hasPrefix("```") {
                isCode.toggle()
                return nil
            }
            return isCode ? nil : (number + 1, line)
        }
    }

    /// A table: the words above its columns, and its rows.
    struct Table {
        let header: [String]
        let rows: [[String]]
    }

    var tables: [Table] {
        var tables: [Table] = []
        var block: [[String]] = []
        for (_, line) in prose + [(0, "")] {
            if line.hasPrefix("|") {
                let cells = line.replacing("\\|", with: "\u{1}").split(separator: "|", omittingEmptySubsequences: false)
                block.append(
                    cells.dropFirst().dropLast().map {
                        $0.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces)
                    })
            } else {
                if block.count > 2 { tables.append(Table(header: block[0], rows: Array(block.dropFirst(2)))) }
                block = []
            }
        }
        return tables
    }

    /// The places that links can lead to, as they follow from the headings.
    var anchors: Set<String> {
        var anchors: Set<String> = []
        for (_, line) in prose where line.hasPrefix("#") {
            let words = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
            anchors.insert(
                String(
                    words.compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil }))
        }
        for match in text.matches(of: #/<a id="([^"]+)"/#) { anchors.insert(String(match.1)) }
        return anchors
    }

    /// Where its links lead.
    var links: [(line: Int, target: String)] {
        prose.flatMap { number, line in
            line.matches(of: #/\]\(([^)\s]+)\)/#).map { (number, String($0.1)) }
                + line.matches(of: #/^\[[^\]]+\]: (\S+)/#).map { (number, String($0.1)) }
        }
    }

    /// The obligations and threats that it names, in brackets.
    var obligations: Set<String> {
        Set(prose.flatMap { _, line in line.matches(of: #/\[([A-Z]{2,4}-\d+|threat-\d+)\]/#).map { String($0.1) } })
    }
}

/// What the pages define: names in backticks in the first column of a table whose first heading says what they are.
struct Glossary {
    enum Category: String, CaseIterable {
        case endpoint, parameter, header, claim, member, field, error, typ, mediaType = "media type"
        case grantType = "grant_type", tokenType = "token_type", kind, change, attribute, reason
    }

    private(set) var names: [Category: Set<String>] = [:]

    init(_ pages: [Page]) {
        for table in pages.flatMap(\.tables) {
            guard let first = table.header.first, let category = Category(rawValue: first) else { continue }
            for row in table.rows {
                for match in row[0].matches(of: #/`([^`]+)`/#) { names[category, default: []].insert(String(match.1)) }
            }
        }
    }

    subscript(category: Category) -> Set<String> { names[category] ?? [] }
}

extension Page {
    /// Writes a page anew.
    static func write(_ text: String, as name: String) throws {
        try text.write(
            to: Repository.root.appending(path: "Fixtures/protocol/" + name), atomically: true, encoding: .utf8)
    }
}
