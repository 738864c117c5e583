import Foundation
import TestSupport

/// A text file of the repository under its path from the root.
struct SourceFile {
    var path: String
    var text: String
    /// The file's tokens, or why it cannot be read as Swift; for other files it is empty.
    var reading: Result<[Token], UnreadableSource>

    init(path: String, text: String) {
        self.path = path
        self.text = text
        reading =
            path.hasSuffix(".swift")
            ? Result { () throws(UnreadableSource) in try HouseRulesTests.tokens(of: text) } : .success([])
    }

    /// The tokens of a readable file; that every file is readable is a rule of its own.
    var tokens: [Token] { (try? reading.get()) ?? [] }

    /// The folder directly below `Sources` or `Tests` that the file lies in: its module.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// The lines of the text, without their ends.
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}

/// One place where a rule of the house is broken.
struct Violation: Equatable, CustomStringConvertible {
    var path: String
    var line: Int
    var rule: String

    var description: String { "\(path):\(line): \(rule)" }
}

/// The files that the rules are applied to, read once.
enum Checkout {
    static let sources = files(under: "Sources")
    static let tests = files(under: "Tests")
    static let swiftSources = sources.filter { $0.path.hasSuffix(".swift") }
    static let swiftTests = tests.filter { $0.path.hasSuffix(".swift") }
    static let manifest = file("Package.swift")
    static let readme = file("README.md")

    /// The Swift files of the library modules.
    static let librarySources = swiftSources.filter { House.libraries[$0.module] != nil }

    static func file(_ path: String) -> SourceFile {
        SourceFile(
            path: path, text: (try? String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)) ?? "")
    }

    /// The names directly inside a folder.
    static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: folder).resolvingSymlinksInPath().path)) ?? [])
            .sorted()
    }

    private static func files(under folder: String) -> [SourceFile] {
        let paths =
            (try? FileManager.default.subpathsOfDirectory(
                atPath: Repository.root.appending(path: folder).resolvingSymlinksInPath().path)) ?? []
        return paths.sorted().filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") || $0.hasSuffix(".tsv") }.map {
            file("\(folder)/\($0)")
        }
    }
}

/// The lines of a failure message: one violation each.
func report(_ violations: [Violation]) -> String {
    violations.map(\.description).joined(separator: "\n")
}
