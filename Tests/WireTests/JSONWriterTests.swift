import TestSupport
import Testing
import Wire

@Suite("RFC 8259 §10: writing JSON")
struct JSONWriterTests {
    @Test("Members and elements are separated and nested by the writer", .proves("RFC8259-10"))
    func structure() throws {
        let bytes = JSON.encodedObject { object in
            object.member("iss", "https://eduid.ch")
            object.member("exp", 1_700_000_000)
            object.member("none", ifPresent: nil as String?)
            object.member("some", ifPresent: "x" as String?)
            object.object("empty") { _ in }
            object.array("list") { list in
                list.element(true)
                list.array { _ in }
                list.object { $0.member("", JSON.null) }
                list.element(["a", "b"])
            }
            object.member("tree", ["k": "v"] as JSON)
            object.member("number", (try? JSON.Number(parsing: "1.50")) ?? 0)
        }
        let text =
            #"{"iss":"https://eduid.ch","exp":1700000000,"some":"x","empty":{},"list":[true,[],{"":null},["a","b"]],"tree":{"k":"v"},"number":1.50}"#
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        #expect(JSON.encodedArray { _ in } == Array("[]".utf8))
        #expect(JSON.encodedObject { _ in } == Array("{}".utf8))
    }

    @Test("The indented layout has two spaces a level, a line a member, and nothing in what is empty")
    func indented() throws {
        let json: JSON = ["a": [1, [], ["b": .null]], "c": [:]]
        let expected = """
            {
              "a": [
                1,
                [],
                {
                  "b": null
                }
              ],
              "c": {}
            }
            """
        #expect(json.encodedString(.indented) == expected)
        let streamed = JSON.encodedObject(.indented) { object in
            object.array("a") { list in
                list.element(1)
                list.array { _ in }
                list.object { $0.member("b", JSON.null) }
            }
            object.object("c") { _ in }
        }
        #expect(String(decoding: streamed, as: UTF8.self) == expected)
    }

    @Test(
        "Strings of every length, with what must be escaped at every place, are written as they are read",
        .proves("RFC8259-7"))
    func strings() throws {
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            #expect(JSON.string(plain).encodedString() == "\"\(plain)\"")
            for place in 0..<length {
                for (scalar, escape) in [
                    ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\0", #"\u0000"#), ("\u{1f}", #"\u001f"#),
                    ("é", "é"), ("/", "/"),
                    ("\u{7f}", "\u{7f}"),
                ] {
                    let before = String(repeating: "x", count: place)
                    let after = String(repeating: "x", count: length - place - 1)
                    #expect(JSON.string(before + scalar + after).encodedString() == "\"\(before)\(escape)\(after)\"")
                    let object = JSON.encodedObject { $0.member(JSON.Name(before + scalar + after), 1) }
                    #expect(String(decoding: object, as: UTF8.self) == "{\"\(before)\(escape)\(after)\":1}")
                }
            }
        }
    }

    @Test("Integers of every length are written in full", .proves("RFC8259-6"))
    func integers() {
        var values: [UInt64] = [
            0, 9, 10, 99_999_999, 100_000_000, 100_000_001, 9_999_999_999_999_999, 10_000_000_000_000_000, .max,
        ]
        var power: UInt64 = 1
        for _ in 0..<19 {
            values += [power - 1, power, power + 1, power &* 7]
            power &*= 10
        }
        let seed: UInt64 = 10
        var generator = SeededGenerator(seed: seed)
        values += (0..<2_000).map { _ in generator.next() >> UInt64.random(in: 0..<64, using: &generator) }
        for value in values {
            let signed = Int64(truncatingIfNeeded: value)
            let bytes = JSON.encodedArray { array in
                array.element(value)
                array.element(signed)
                array.element(Int(signed))
            }
            #expect(String(decoding: bytes, as: UTF8.self) == "[\(value),\(signed),\(signed)]", "seed \(seed)")
        }
    }

    @Test("Long output is written whole, wherever the region is full")
    func growth() {
        for length in [
            900, 1_000, 1_010, 1_011, 1_012, 1_013, 1_014, 1_015, 1_016, 1_020, 1_023, 1_024, 1_025, 5_000, 70_000,
        ] {
            let text = String(repeating: "é", count: length / 2) + (length % 2 == 0 ? "" : "x")
            let bytes = JSON.encodedObject { object in
                object.member("t", text)
                object.member("n\n", 1_234_567_890)
            }
            #expect(String(decoding: bytes, as: UTF8.self) == "{\"t\":\"\(text)\",\"n\\n\":1234567890}")
        }
    }

    @Test("A value of a document is copied byte for byte")
    func copies() throws {
        let source = try JSON.Document(parsing: #"{"keep": {"x" : 1.0, "y":[ ]}, "s":"\u0041"}"#).root.object()
        let bytes = try JSON.encodedObject { [keep = source["keep"], text = source["s"]] object in
            object.member("keep", keep)
            object.member("s", text)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"keep":{"x" : 1.0, "y":[ ]},"s":"\u0041"}"#)
    }

    @Test("A type of one's own writes one value, and null when it writes none")
    func writable() {
        struct Scope: JSON.Writable {
            let names: [String]

            func write(to place: consuming JSON.ValueWriter) {
                if !names.isEmpty { place.string(names.joined(separator: " ")) }
            }
        }
        let bytes = JSON.encodedArray { array in
            array.element(Scope(names: ["a", "b"]))
            array.element(Scope(names: []))
            array.element(Scope(names: ["c"]))
        }
        #expect(bytes == Array(#"["a b",null,"c"]"#.utf8))
    }
}
