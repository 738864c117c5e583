import TestSupport
import Testing
import Wire

@testable import VectorCatalogue

/// The vectors that are published.
enum Published {
    static let files = Result {
        try Chapter.allCases.map { try VectorFile(parsing: Repository.fixture("vectors/" + VectorFile.path(of: $0))) }
    }

    static var vectors: [Vector] { get throws { try files.get().flatMap(\.vectors) } }
}

@Suite("Vectors: what is published", .proves("house"))
struct PublishedTests {
    @Test("There are four hundred and more, each with a name of its own, in the folder of its chapter") func names()
        throws
    {
        let vectors = try Published.vectors
        #expect(vectors.count >= 400)
        #expect(Set(vectors.map(\.id)).count == vectors.count)
        for vector in vectors {
            #expect(vector.id.hasPrefix(vector.chapter.rawValue + "/"), "\(vector.id)")
            #expect(!vector.proves.isEmpty, "\(vector.id)")
        }
    }

    @Test("Every chapter has five positive vectors and a negative one", arguments: Chapter.allCases)
    func chapters(_ chapter: Chapter) throws {
        let vectors = try Published.vectors.filter { $0.chapter == chapter }
        #expect(vectors.count(where: \.isAccepted) >= 5)
        #expect(vectors.contains { !$0.isAccepted })
    }

    /// One vector in so many is performed here; the release build performs all of them.
    private static let stride = 12

    @Test("What is published is what the parties do") func performed() throws {
        let vectors = try Published.vectors
        for vector in vectors.enumerated().filter({ $0.offset.isMultiple(of: Self.stride) }).map(\.element) {
            let outcome = try Reference.outcome(of: vector.kind, vector.given)
            #expect(vector.result(of: .object(outcome), by: .exact) == .passed, "\(vector.id)")
        }
    }

    @Test("A file that is read is written with the same bytes", arguments: Chapter.allCases)
    func files(_ chapter: Chapter) throws {
        let bytes = try Repository.fixture("vectors/" + VectorFile.path(of: chapter))
        #expect(try VectorFile(parsing: bytes).encoded() == bytes)
    }

    @Test("The changelog tells of each version, the newest first") func changelog() throws {
        let readme = String(decoding: try Repository.fixture("vectors/README.md"), as: UTF8.self)
        let lines = readme.split(separator: "\n").drop { $0 != "### Changelog" }.filter { $0.hasPrefix("- ") }
        #expect(lines.map { $0.prefix { $0 != ":" } } == (1...VectorFile.version).reversed().map { "- \($0)" })
    }

    @Test("A file of another version is not read") func versions() throws {
        let bytes = Array(#"{"version":1,"chapter":"1","parties":[],"batches":[],"vectors":[]}"#.utf8)
        #expect(throws: Vector.Rejection("version")) { try VectorFile(parsing: bytes) }
        let vector = #"{"id":"1/x","title":"","kind":"exchange","given":{"party":3},"expect":{}}"#
        let rest = #""chapter":"1","parties":[],"batches":[],"vectors":[\#(vector)]}"#
        let place = #"{"version":\#(VectorFile.version),"# + rest
        #expect(throws: Vector.Rejection("party")) { try VectorFile(parsing: Array(place.utf8)) }
    }
}

@Suite("Vectors: how answers are compared", .proves("house"))
struct ComparisonTests {
    private static let vector = Vector(
        "1/x", .registration, "a situation", proves: ["REG-1"], kind: .exchange, given: [:],
        expect: [
            "changes": [], "response": ["status": 200, "headers": [:], "body": #"{"access_token":"a","scope":"b"}"#],
        ])
    private static let refused = Vector(
        "1/y", .registration, "a situation", proves: ["REG-1"], kind: .exchange, given: [:],
        expect: [
            "changes": [], "response": ["status": 400, "headers": [:]],
            "refusal": ["error": "invalid_grant", "clause": "AST-3"],
        ])

    @Test("Exactly: every member counts, missing ones and strange ones too") func exact() {
        #expect(Self.vector.result(of: .object(Self.vector.expect), by: .exact) == .passed)
        #expect(Self.vector.result(of: ["changes": []], by: .exact) == .failed(["response"]))
        var more = Self.vector.expect
        more["questions"] = []
        #expect(Self.vector.result(of: .object(more), by: .exact) == .failed(["questions"]))
        #expect(Self.vector.result(of: ["unsupported": true], by: .exact) == .unsupported)
        #expect(Self.vector.result(of: ["error": "x"], by: .exact) != .passed)
        #expect(Self.vector.result(of: 7, by: .meaning) != .passed)
    }

    @Test("By meaning: other tokens and other words are as good, other members and errors are not") func meaning() {
        #expect(
            Self.vector.result(
                of: [
                    "response": [
                        "status": 200, "headers": ["X": "y"], "body": #"{"scope":"c","access_token":"other"}"#,
                    ]
                ], by: .meaning)
                == .passed)
        #expect(
            Self.vector.result(of: ["response": ["status": 200, "body": #"{"access_token":"a"}"#]], by: .meaning)
                == .failed(["body"]))
        #expect(
            Self.refused.result(of: ["response": ["status": 400], "refusal": ["error": "invalid_grant"]], by: .meaning)
                == .passed)
        #expect(
            Self.refused.result(
                of: ["response": ["status": 400], "refusal": ["error": "invalid_client"]], by: .meaning)
                == .failed(["error"]))
        #expect(
            Self.refused.result(of: ["response": ["status": 200]], by: .meaning)
                == .failed(["accepted", "status", "error"]))
    }

    @Test("By meaning: what is computed without chance has to be the same") func values() {
        let hash = Vector(
            "purecrypto/x", .hashing, "", proves: ["RFC2104-2"], kind: .hash, given: [:], expect: ["digest": "00"])
        #expect(hash.result(of: ["digest": "00"], by: .meaning) == .passed)
        #expect(hash.result(of: ["digest": "01"], by: .meaning) == .failed(["digest"]))
        let access = Vector(
            "9/x", .use, "", proves: ["APP-7"], kind: .access, given: [:],
            expect: ["changes": [], "granted": ["subject": "ada"]])
        #expect(access.result(of: ["changes": [7], "granted": ["subject": "ada"]], by: .meaning) == .passed)
        #expect(access.result(of: ["granted": ["subject": "bob"]], by: .meaning) == .failed(["granted"]))
    }

    @Test("The order of members and the form of numbers mean nothing") func forms() {
        func isAlike(_ one: JSON, _ other: JSON) -> Bool {
            let vector = Vector(
                "wire/x", .formats, "", proves: ["RFC8259-2"], kind: .json, given: [:], expect: ["value": one])
            return vector.result(of: ["value": other], by: .exact) == .passed
        }
        func number(_ text: String) -> JSON { (try? JSON(parsing: text)) ?? .null }
        #expect(isAlike(["a": 1, "b": ["c": [2], "d": 3]], ["b": ["d": 3, "c": [2]], "a": 1]))
        #expect(
            !isAlike(["a": 1, "b": 2], ["a": 1]) && !isAlike(["a": 1], ["a": 1, "b": 2]) && !isAlike(["a": 1], ["b": 1])
        )
        #expect(!isAlike([1, 2], [2, 1]) && !isAlike([1], [1, 1]) && !isAlike("1", 1))
        for (one, other) in [
            ("100", "1E+2"), ("-0", "0"), ("0.50", "5e-1"), ("0e7", "0"), ("1.5", "15e-1"), ("1e400", "10E399"),
        ] {
            #expect(isAlike(number(one), number(other)), "\(one) \(other)")
        }
        let beyond = "1e99999999999999999999"
        for (one, other) in [
            ("100", "1e3"), ("1", "-1"), ("0.5", "0.05"), ("1e400", "1e401"), ("10", "1"), (beyond, "1"),
            (beyond, beyond + "9"),
        ] {
            #expect(!isAlike(number(one), number(other)), "\(one) \(other)")
        }
    }

    @Test("By meaning: rules have other names elsewhere") func clauses() {
        let refused = Vector(
            "jose/x", .tokens, "", proves: ["threat-1"], kind: .jws, given: [:],
            expect: ["refusal": ["clause": "threat-1"]])
        #expect(refused.result(of: ["refusal": ["clause": "unsecured"]], by: .meaning) == .passed)
        #expect(refused.result(of: ["refusal": ["clause": "unsecured"]], by: .exact) == .failed(["refusal"]))
        #expect(refused.result(of: ["payload": ""], by: .meaning) == .failed(["accepted", "payload"]))
    }
}

@Suite("Vectors: implementations with a rule left out", .proves("house"))
struct OmittedRuleTests {
    @Test("Each broken rule fails exactly the vectors that it concerns", arguments: OmittedRule.allCases)
    func exactly(_ rule: OmittedRule) throws {
        let vectors = try Published.vectors
        let concerned = vectors.filter { rule.concerns($0) }
        #expect(!concerned.isEmpty)
        for vector in concerned { #expect(Self.result(of: vector, without: rule) != .passed, "\(rule): \(vector.id)") }
        // A vector from which the rule takes nothing is performed as it was; of the others one in so many is tried.
        let touched = vectors.filter { !rule.concerns($0) && rule.applied(to: $0.given) != $0.given }
        for vector in touched.enumerated().filter({ $0.offset.isMultiple(of: 12) }).map(\.element) {
            #expect(Self.result(of: vector, without: rule) == .passed, "\(rule): \(vector.id)")
        }
    }

    /// What the vector says of an implementation without the rule; where this cannot even read its own past, that is an
    /// answer too.
    private static func result(of vector: Vector, without rule: OmittedRule) -> Vector.Result {
        let outcome = try? Reference.outcome(of: vector.kind, rule.applied(to: vector.given))
        return vector.result(of: outcome.map { .object($0) } ?? ["error": "the store"], by: .exact)
    }
}

@Suite("Vectors: requirements", .proves("house"))
struct CoverageTests {
    private static let rows = Result {
        String(decoding: try Repository.fixture("requirements.tsv"), as: UTF8.self).split(separator: "\n").dropFirst()
            .map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            }
    }

    /// What no request, answer, state or screen can show to be kept or broken.
    static let beyondVectors: [String: String] = [
        "KEY-6": "a signature with another nonce is as good, and nobody can tell",
        "KEY-7": "how long something takes shows in no vector",
        "KEY-10": "both names are good, whichever is written",
        "KEY-13": "a thumbprint is computed, and nobody refuses one",
        "KEY-20": "who waits shows nothing; that a signature never comes is shown with KEY-21",
        "KEY-24": "a rotation breaks nothing that could be refused",
        "KEY-25": "a recipe is for people, and shows in no message",
    ]

    /// What becomes of disks, processes and databases shows in no message, nor does how one was carried; what a provider
    /// of others answers is shown by answers that others made.
    static let familiesBeyondVectors = ["STO-", "HTP-", "SCG-", "CGI-", "FWD-", "SYS-", "NET-", "OPS-", "OIC-"]

    @Test("Every MUST has a vector in which it is broken, or a reason why none can show it") func musts() throws {
        let negative = Set(try Published.vectors.filter { !$0.isAccepted }.flatMap(\.proves))
        let known = Set(try Self.rows.get().map { $0[0] })
        for row in try Self.rows.get() where row[1] == "MUST" {
            if Self.familiesBeyondVectors.contains(where: { row[0].hasPrefix($0) }) { continue }
            #expect(negative.contains(row[0]) != (Self.beyondVectors[row[0]] != nil), "\(row[0])")
        }
        #expect(Set(Self.beyondVectors.keys).isSubset(of: known))
    }

    @Test("What vectors show exists: a requirement of the catalogue, a threat, or a clause") func ids() throws {
        let known = Set(try Self.rows.get().map { $0[0] })
        let standards = ["threat-", "RFC", "FIPS"]
        for id in Set(try Published.vectors.flatMap(\.proves)) where !standards.contains(where: { id.hasPrefix($0) }) {
            #expect(known.contains(id), "\(id)")
        }
    }
}
