import TestSupport
import Testing

@Suite("House: layers", .proves("house"))
struct LayeringTests {
    private func rules(_ path: String, _ text: String) -> [String] {
        layeringViolations(in: SourceFile(path: path, text: text)).map(\.rule)
    }

    private let settings = "swiftSettings: rules"

    private func manifestRules(_ text: String, folders: Set<String> = []) -> [String] {
        manifestViolations(in: SourceFile(path: "Package.swift", text: text), folders: folders).map(\.rule)
    }

    @Test func everyModuleImportsFromRowsBelowOnly() {
        let violations = Checkout.swiftSources.flatMap(layeringViolations)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func theManifestDeclaresTheSameLayers() {
        let folders = Set(Checkout.names(in: "Sources").filter { !$0.hasPrefix(".") })
        #expect(!folders.isEmpty)
        let violations = manifestViolations(in: Checkout.manifest, folders: folders)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func everyImportIsDeclared() {
        let violations = undeclaredImports(in: Checkout.swiftSources + Checkout.swiftTests, manifest: Checkout.manifest)
        #expect(violations.isEmpty, Comment(rawValue: report(violations)))
    }

    @Test func undeclaredImportsAreFound() {
        let manifest = SourceFile(
            path: "Package.swift",
            text:
                ".target(name: \"Wire\"), .executableTarget(name: \"a-tool\", dependencies: [\"Wire\"]), .testTarget(name: \"ToolTests\", "
                + "dependencies: [\"a-tool\"])"
        )
        func rules(_ path: String, _ text: String) -> [String] {
            undeclaredImports(in: [SourceFile(path: path, text: text)], manifest: manifest).map(\.rule)
        }
        #expect(rules("Sources/a-tool/main.swift", "import Wire\nimport Foundation").isEmpty)
        #expect(rules("Tests/ToolTests/A.swift", "@testable import a_tool").isEmpty)
        #expect(
            rules("Tests/ToolTests/A.swift", "import Wire") == ["'ToolTests' does not declare its dependency 'Wire'"])
    }

    @Test func theTableOfImportsFollowsTheRows() {
        #expect(Set(House.rows.joined()) == Set(House.libraries.keys))
        for (number, row) in House.rows.enumerated() {
            let below = Set(House.rows.prefix(number).joined())
            for module in row {
                #expect(
                    House.libraries[module]?.subtracting(["Synchronization"]).isSubset(of: below) == true, "\(module)")
            }
        }
    }

    @Test func importsAgainstTheLayersAreFound() {
        #expect(rules("Sources/Wire/A.swift", "import Foundation") == ["Wire may not import 'Foundation'"])
        #expect(rules("Sources/Wire/Deep/A.swift", "import PureCrypto") == ["Wire may not import 'PureCrypto'"])
        #expect(
            rules("Sources/PureCrypto/A.swift", "internal import Synchronization") == [
                "PureCrypto may not import 'Synchronization'"
            ])
        #expect(rules("Sources/TokenTree/A.swift", "public import JOSE") == ["TokenTree may not import 'JOSE'"])
        #expect(rules("Sources/NAIL/A.swift", "import TokenTree") == ["NAIL may not import 'TokenTree'"])
        #expect(
            rules("Sources/Wire/A.swift", "#if canImport(Glibc)\nimport Glibc\n#endif") == [
                "Wire may not import 'Glibc'"
            ])
        #expect(rules("Sources/Wire/A.swift", "import struct Foundation.Data") == ["Wire may not import 'Foundation'"])
        #expect(rules("Sources/JOSE/A.swift", "@_exported import Wire") == ["import carries '@_exported'"])
        #expect(rules("Sources/eduid-bench/main.swift", "import eduid") == ["imports the program 'eduid'"])
        #expect(rules("Sources/Tools/A.swift", "") == ["'Tools' is no module of the house"])
    }

    @Test func importsThatTheLayersAllowPass() {
        #expect(rules("Sources/JOSE/A.swift", "public import Wire\ninternal import PureCrypto").isEmpty)
        #expect(rules("Sources/NAIL/A.swift", "import Synchronization").isEmpty)
        #expect(rules("Sources/eduid/main.swift", "import Foundation\nimport Federation").isEmpty)
        #expect(rules("Sources/Wire/A.swift", "// import Foundation\nlet a = \"import Foundation\"").isEmpty)
    }

    @Test func manifestsAgainstTheLayersAreFound() {
        let upward = ".target(name: \"Wire\", dependencies: [\"JOSE\"], \(settings))"
        #expect(manifestRules(upward) == ["'Wire' may not depend on 'JOSE'"])
        let product =
            ".target(name: \"Wire\", dependencies: [.product(name: \"Crypto\", package: \"swift-crypto\")], \(settings))"
        #expect(manifestRules(product).contains("'Wire' may not depend on 'Crypto'"))
        #expect(manifestRules(".target(name: \"Wire\")") == ["'Wire' lacks the common settings"])
        #expect(
            manifestRules(".executableTarget(name: \"tool\", \(settings))") == ["'tool' is no program of the house"])
        #expect(manifestRules(".package(url: \"https://example.com\", from: \"1.0.0\")") == ["declares 'package'"])
        #expect(manifestRules(".systemLibrary(name: \"CZ\")") == ["'CZ' is no door of the house"])
        #expect(manifestRules("[.unsafeFlags([\"-O\"])]") == ["declares 'unsafeFlags'"])
        #expect(manifestRules("", folders: ["Wire"]) == ["has no target for the folder Sources/Wire"])
    }

    @Test func aManifestWithinTheLayersPasses() {
        let text = ".target(name: \"JOSE\", dependencies: [\"PureCrypto\", .target(name: \"Wire\")], \(settings))"
        #expect(manifestRules(text, folders: ["JOSE"]).isEmpty)
        #expect(
            manifestRules(
                ".target(name: \"JOSE\", dependencies: [\"Wire\"], path: \"x\", \(settings))", folders: ["JOSE"]
            ).isEmpty)
    }
}
