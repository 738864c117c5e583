import TestSupport
import Testing
import Wire

@testable import RSD2

@Suite("YAML 1.2, the subset of service descriptions", .proves("RSD-2"))
struct YAMLReaderTests {
    private func verdict(_ text: String) -> (value: JSON?, rejection: String?) {
        do throws(FormatRejection) {
            return (try YAML.value(parsing: Array(text.utf8).span), nil)
        } catch {
            return (nil, error.description)
        }
    }

    /// Numbers by value: the vectors are written in JSON's spelling, the texts in YAML's.
    private func isSame(_ left: JSON, _ right: JSON) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left.double == right.double
        case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy(isSame)
        case (.object(let left), .object(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { $0.name == $1.name && isSame($0.value, $1.value) }
        default: left == right
        }
    }

    @Test(.proves("threat-44")) func everyVectorHasItsVerdict() throws {
        for vector in try vectors("yaml.jsonl") {
            let (value, rejection) = verdict(vector["text"]?.string ?? "")
            #expect(rejection == vector["rejection"]?.string, "\(vector)")
            if let value, let expected = vector["json"] {
                #expect(isSame(value, expected), "\(vector), read \(value.encodedString())")
            }
        }
    }

    @Test(.proves("threat-43")) func everyBoundIsKept() {
        func rejection(_ text: String, _ limits: JSON.Limits) -> FormatRejection? {
            do throws(FormatRejection) { _ = try YAML.value(parsing: Array(text.utf8).span, limits: limits) } catch {
                return error
            }
            return nil
        }
        let limits = JSON.Limits(size: 20, depth: 2)
        #expect(rejection("a:\n  b: c", limits) == nil)
        #expect(rejection("a:\n  b:\n    c: d", limits) == .tooDeep(line: 3, limit: 2, in: .yaml))
        #expect(rejection("- - - a", limits) == .tooDeep(line: 1, limit: 2, in: .yaml))
        #expect(rejection("[[[]]]", limits) == .tooDeep(line: 1, limit: 2, in: .yaml))
        #expect(rejection("a: 45678901234567890", limits) == nil)
        #expect(rejection("a: 456789012345678901", limits) == .tooLong(bytes: 21, limit: 20))
        let deep = String(repeating: "[", count: 100_000)
        #expect(
            rejection(deep, JSON.Limits(size: 1 << 20, depth: 1_000_000)) == .tooDeep(line: 1, limit: 64, in: .yaml))
        #expect(rejection(String(repeating: "a", count: 1025) + ": b", YAML.limits) == .longKey(line: 1))
    }

    @Test func writingAndReadingIsTheIdentity() throws {
        let seed: UInt64 = 0x59414D4C
        var generator = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let object = JSON.Object((0..<3).map { (JSON.Name("k\($0)"), Self.random(depth: 3, using: &generator)) })
            let written = YAML.encoded(object)
            #expect(
                try YAML.value(parsing: written.span) == .object(object),
                "seed \(seed), round \(round): \(String(decoding: written, as: UTF8.self))")
        }
        #expect(YAML.encoded(JSON.Object()) == Array("{}\n".utf8))
    }

    private static func random(depth: Int, using generator: inout SeededGenerator) -> JSON {
        let texts = [
            "", "a", "no", "NULL", "0123", "1.5", "~", "- a", "a: b", "a #b", " a", "a ", "a:", "x\ny", "\t", "\"'\\",
            "é\u{301}",
            "\u{85}\u{2028}\u{7F}",
            "[", "https://x.ch/?a=b#c", "<<", "*a", "&a", "!a", "---", "...", "\u{0}\u{FFFF}", "1e3", "|", "%a",
            "\u{1F600}", "\u{FEFF}",
            "y", ".inf",
        ]
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .number(JSON.Number(Int64.random(in: -1000...1000, using: &generator)))
        case 3, 4: return .string(texts.randomElement(using: &generator) ?? "")
        case 5, 6:
            return .array(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            let count = Int.random(in: 0...3, using: &generator)
            let offset = Int.random(in: 0..<texts.count, using: &generator)
            // An empty key cannot be written plain and is written quoted, which is a key.
            return .object(
                JSON.Object(
                    (0..<count).map {
                        (JSON.Name(texts[(offset + $0) % texts.count]), random(depth: depth - 1, using: &generator))
                    }))
        }
    }

    @Test func randomChangesNeverTrapAndPrefixesNeverHang() throws {
        let seed: UInt64 = 0x5941
        var generator = SeededGenerator(seed: seed)
        let samples = try vectors("yaml.jsonl").compactMap { $0["text"]?.string }
        let pieces = [
            "\n", "\n  ", "\t", ": ", "- ", "? ", "#", "|", ">-", "\"", "'", "[", "]", "{", "}", ",", "---\n", "...\n",
            "\\", "&", "<<: ",
        ]
        for round in 0..<6_000 {
            let sample = Array(samples[round % samples.count].utf8)
            let bytes = mutated(sample, with: pieces, using: &generator)
            guard let value = try? YAML.value(parsing: bytes.span), case .object(let object) = value else { continue }
            #expect(try YAML.value(parsing: YAML.encoded(object).span) == value, "seed \(seed), round \(round)")
        }
        for sample in samples {
            let bytes = Array(sample.utf8)
            for length in bytes.indices { _ = try? YAML.value(parsing: Array(bytes.prefix(length)).span) }
        }
    }

    @Test(.proves("threat-14")) func hostileSizesTakeLinearTime() {
        let clock = ContinuousClock()
        let size = 1 << 16
        for piece in ["a\n\n", "- ", "\n", "# c\n", "a: b\n", "[", "a, ", "x\n ", "''", "- a\n", "\"\n", "a:\n"] {
            for prefix in ["", "a: ", "a: [", "a: \"", "a: |\n "] {
                let text = prefix + String(repeating: piece, count: size / piece.utf8.count)
                let time = clock.measure { _ = try? YAML.value(parsing: Array(text.utf8).span) }
                #expect(time < .seconds(10), "\(prefix)\(piece)")
            }
        }
        let keys = (0..<20_000).map { "k\($0): v\n" }.joined()
        #expect(clock.measure { _ = try? YAML.value(parsing: Array(keys.utf8).span) } < .seconds(10))
    }
}
