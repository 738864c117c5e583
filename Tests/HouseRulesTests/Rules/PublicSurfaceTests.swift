import Foundation
import TestSupport
import Testing

@Suite("House: public surface", .proves("house"))
struct PublicSurfaceTests {
    private func surface(_ texts: String...) -> [String] {
        publicSurface(of: texts.map { SourceFile(path: "Sources/Wire/A.swift", text: $0) })
    }

    /// Set `UPDATE_PUBLIC_SURFACE=1` to write the lists anew.
    @Test(arguments: House.libraries.keys.sorted())
    func everyChangeOfTheSurfaceIsDeliberate(module: String) throws {
        let files = Checkout.librarySources.filter { $0.module == module }
        let list = Repository.root.appending(path: "Fixtures/public-surface/\(module).txt")
        guard !files.isEmpty else {
            #expect(!FileManager.default.fileExists(atPath: list.path), "\(module) has a list but no sources")
            return
        }
        let current = publicSurface(of: files)
        if ProcessInfo.processInfo.environment["UPDATE_PUBLIC_SURFACE"] == "1" {
            try Data(current.map { $0 + "\n" }.joined().utf8).write(to: list)
        }
        let recorded = try? String(contentsOf: list, encoding: .utf8)
        let changes = difference(from: (recorded ?? "").split(separator: "\n").map(String.init), to: current)
        let advice = "If this is meant: UPDATE_PUBLIC_SURFACE=1 swift test --filter PublicSurfaceTests"
        #expect(recorded != nil, "Fixtures/public-surface/\(module).txt is missing. \(advice)")
        #expect(
            changes.isEmpty,
            Comment(
                rawValue: (["The public surface of \(module) changed."] + changes + [advice]).joined(separator: "\n")))
    }

    @Test func membersAreListedUnderTheirType() {
        let found = surface(
            """
            public struct Bounds: Equatable, Sendable {
                public var depth: Int
                public private(set) var size = 5
                public let name: String = "x"
                var hidden = 1
                private let secret: [UInt8]
                public static let standard: Bounds = Bounds(depth: 64)
                public init(depth: Int = 64, _ label: String = "a, \\"b\\"") { self.depth = depth; let x = 5 }
                public struct Inner { public func f() {} ; func g() {} }
                struct Unseen { public func f() {} }
            }
            """
        )
        #expect(
            found == [
                "Bounds.Inner: func f()",
                "Bounds: init(depth: Int = 64, _ label: String = \"a, \\\"b\\\"\")",
                "Bounds: static var standard: Bounds { get }",
                "Bounds: struct Inner",
                "Bounds: var depth: Int { get set }",
                "Bounds: var name: String { get }",
                "Bounds: var size = 5 { get }",
                "struct Bounds: Equatable, Sendable",
            ]
        )
    }

    @Test func accessorsTellReadingFromWriting() {
        let found = surface(
            """
            public struct A {
                public var a: Int { 1 }
                public var b: Int { get throws(E) { 1 } }
                public var c: Int { get { 1 } set { _ = newValue } }
                public var d: Int = 0 { didSet { a() } }
                public var e: [Int: Set<Int>] = [1: [2, 3]], f: Int
                public let i: Map<Int, Set<Int>>, j: (Int) -> Int
                public internal(set) var g: Int { get { 1 } set {} }
                public var k: Int?
                public let l: [Int?]?
                public var m = true
                    ? 1
                    : 2
                public subscript(i: Int) -> Int { i }
                public subscript(j i: Int) -> Int { _read { yield i } _modify { var j = i; yield &j } }
                public var h: Int {
                    let set = 1
                    return set
                }
            }
            """
        )
        #expect(
            found == [
                "A: subscript(i: Int) -> Int { get }",
                "A: subscript(j i: Int) -> Int { get set }",
                "A: var a: Int { get }",
                "A: var b: Int { get throws(E) }",
                "A: var c: Int { get set }",
                "A: var d: Int { get set }",
                "A: var e: [Int: Set<Int>] { get set }",
                "A: var f: Int { get set }",
                "A: var g: Int { get }",
                "A: var h: Int { get }",
                "A: var i: Map<Int, Set<Int>> { get }",
                "A: var j: (Int) -> Int { get }",
                "A: var k: Int? { get set }",
                "A: var l: [Int?]? { get }",
                "A: var m = true ? 1 : 2 { get set }",
                "struct A",
            ]
        )
    }

    @Test func casesAndRequirementsArePublicWithTheirType() {
        let found = surface(
            """
            public enum Rejection: Error { case a, b(limit: Int, [Int: String]); indirect case c(Rejection)
                func f() { switch self { case .a: break; default: break } } }
            enum Own { case a }
            public protocol Source<Element> { associatedtype Element; var size: Int { get }; mutating func next() throws(E) -> Element? }
            protocol Inside { func f() }
            extension Source { public func f() {} }
            """
        )
        #expect(
            found == [
                "Rejection: case a", "Rejection: case b(limit: Int, [Int: String])",
                "Rejection: indirect case c(Rejection)",
                "Source: func f()", "Source: requirement associatedtype Element",
                "Source: requirement mutating func next() throws(E) -> Element?",
                "Source: requirement var size: Int { get }",
                "enum Rejection: Error", "protocol Source<Element>",
            ]
        )
    }

    @Test func extensionsLendTheirAccessAndKeepTheirCondition() {
        let found = surface(
            "public struct A {}; struct B {}; protocol P {}; public enum C {}",
            "public extension A { func f() {}; internal func g() {}; private var h: Int { 1 } }",
            "extension A { public func i() {}; func j() {}; public enum N { case x } }",
            "extension B { public func f() {} }; extension B: Sendable {}; extension A: P {}; private extension A { func k() {} }",
            "extension A.N: Hashable {}; extension A: Collection where Element == UInt8 { public var first: Int { 1 } }",
            "extension Span<UInt8> { public func f() {} }"
        )
        #expect(
            found == [
                "A where Element == UInt8: var first: Int { get }",
                "A.N: case x", "A.N: extension A.N: Hashable",
                "A: enum N", "A: extension A: Collection where Element == UInt8", "A: func f()", "A: func i()",
                "Span<UInt8>: func f()",
                "enum C", "struct A",
            ]
        )
    }

    @Test func signaturesOfSeveralLinesBecomeOne() {
        let found = surface(
            """
            public func f<T: P, U>(
                _ a: T,
                b: (Int) -> Void = { _ in },
            ) throws(E)
                -> [T]
                where T: Q,
                U == Int
            {
                public struct NotHere {}
            }
            @inlinable @discardableResult
            public static func == (a: A, b: A) -> Bool { true }
            public typealias Bytes = [UInt8]
            #if os(Linux)
            @available(*, deprecated, message: "m") public func g() {}
            #endif
            """
        )
        #expect(
            found == [
                "@available(*, deprecated, message: \"m\") func g()",
                "@discardableResult static func == (a: A, b: A) -> Bool",
                "func f<T: P, U>(_ a: T, b: (Int) -> Void = { _ in }) throws(E) -> [T] where T: Q, U == Int",
                "typealias Bytes = [UInt8]",
            ]
        )
    }

    @Test func differencesNameTheirLines() {
        #expect(difference(from: ["a", "b"], to: ["b", "c"]) == ["- a", "+ c"])
        #expect(difference(from: ["a"], to: ["a"]).isEmpty)
    }
}
