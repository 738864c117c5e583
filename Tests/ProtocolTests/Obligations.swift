import Foundation
import TestSupport
import VectorCatalogue

/// An obligation of the architecture or a threat, with where it is told, in which code it lives, and what shows it.
struct Obligation {
    let id: String
    let text: String
    var pages: [String] = []
    var types: [String] = []
    var vectors: [String] = []

    /// What a link to it leads to.
    var anchor: String { id.lowercased() }

    /// All of them, obligations first.
    static let all: [Obligation] = {
        let rows = table("requirements.tsv").map { ($0[0], $0[2]) } + table("threats.tsv").map { ($0[0], $0[2]) }
        var pages: [String: [String]] = [:]
        for page in Page.all where page.name != "obligations.md" {
            for id in page.obligations { pages[id, default: []].append(page.name) }
        }
        var vectors: [String: [String]] = [:]
        for vector in Published.vectors { for id in vector.proves { vectors[id, default: []].append(vector.id) } }
        let types = Self.types()
        return rows.map { id, text in
            Obligation(id: id, text: text, pages: pages[id] ?? [], types: types[id] ?? [], vectors: vectors[id] ?? [])
        }
    }()

    private static func table(_ name: String) -> [[String]] {
        let text = (try? Repository.fixture(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// In which files of the library an obligation is named, as types: `Wire/WebURL`.
    private static func types() -> [String: [String]] {
        let modules = ["PureCrypto", "Wire", "JOSE", "RSD2", "TokenTree", "OAuth2Grants", "NAIL", "Federation"]
        var types: [String: [String]] = [:]
        for module in modules {
            let folder = Repository.root.appending(path: "Sources/" + module).resolvingSymlinksInPath()
            let paths = ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []).sorted()
            for path in paths where path.hasSuffix(".swift") {
                let text = (try? String(contentsOf: folder.appending(path: path), encoding: .utf8)) ?? ""
                let name = path.split(separator: "/").last?.dropLast(6) ?? ""
                var named = Set(text.matches(of: #/\b[A-Z]{3,4}-\d+\b/#).map { String($0.0) })
                for match in text.matches(of: #/\bthreats? ((?:\d+(?:, | and )?)+)/#) {
                    named.formUnion(match.1.matches(of: #/\d+/#).map { "threat-\($0.0)" })
                }
                for id in named { types[id, default: []].append("\(module)/\(name)") }
            }
        }
        return types
    }

    /// The page that lists them all.
    static func page() -> String {
        var lines = [
            "# Obligations", "",
            "Every obligation of the architecture and every threat that is answered: where it is told, in which files of the library",
            "it lives, and how many vectors show it.", "",
            "Vectors are listed by `eduid vectors list`, and shown by `eduid vectors show`. This page is written by a program.",
            "",
            "| obligation | what it says | pages | library | vectors |", "| --- | --- | --- | --- | --- |",
        ]
        for one in all {
            let pages = one.pages.map { "[\($0.dropLast(3))](\($0))" }.joined(separator: ", ")
            let shown = one.vectors.isEmpty ? "–" : "\(one.vectors.count), as `\(one.vectors[0])`"
            let text = one.text.replacing("|", with: "\\|")
            lines.append(
                "| <a id=\"\(one.anchor)\"></a>\(one.id) | \(text) | \(pages.isEmpty ? "–" : pages) | "
                    + "\(one.types.isEmpty ? "–" : one.types.map { "`\($0)`" }.joined(separator: " ")) | \(shown) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The links at the end of a page to what it names in brackets.
    static func references(of page: Page) -> [String] {
        let named = page.obligations
        return all.filter { named.contains($0.id) }.map { "[\($0.id)]: obligations.md#\($0.anchor)" }
    }
}
