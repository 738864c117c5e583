import TestSupport
import Testing
import Wire

@Suite("JSON as a tree")
struct JSONTreeTests {
    @Test("What is written is read as the same tree", .proves("RFC8259-10"))
    func roundTrip() throws {
        let seed: UInt64 = 8259
        var generator = SeededGenerator(seed: seed)
        for round in 0..<600 {
            let json = JSON.random(depth: 5, using: &generator)
            #expect(try JSON(parsing: json.encoded()) == json, "seed \(seed), round \(round)")
            #expect(try JSON(parsing: json.encoded(.indented)) == json, "seed \(seed), round \(round)")
            #expect(try JSON(parsing: json.encoded()).encoded() == json.encoded(), "seed \(seed), round \(round)")
            #expect(try JSON(parsing: json.encoded()).hashValue == json.hashValue, "seed \(seed), round \(round)")
        }
    }

    @Test("Order, unknown members and the text of numbers survive", .proves("RFC8259-4"), .proves("RFC8259-6"))
    func identity() throws {
        let text = #"{"z":1.00,"a":[1e2,-0],"m":{"y":"é","x":null},"":true}"#
        #expect(try JSON(parsing: text).encodedString() == text)
    }

    @Test("Values are equal when they are written alike", .proves("RFC8259-8.3"), .proves("threat-17"))
    func equality() throws {
        #expect(try JSON(parsing: #"{"a":"\u0041"}"#) == ["a": "A"])
        #expect(JSON.string("\u{e9}") != .string("e\u{301}"))
        #expect(JSON.string("K") != .string("\u{212a}"))
        #expect(JSON.Name("\u{e9}") != JSON.Name("e\u{301}"))
        #expect(Set([JSON.Name("\u{e9}"), JSON.Name("e\u{301}"), JSON.Name("\u{e9}")]).count == 2)
        #expect(["a": 1, "b": 2] as JSON != ["b": 2, "a": 1])
        #expect(try JSON(parsing: "1") != JSON(parsing: "1.0"))
        #expect(JSON.null != false && JSON.array([]) != .object([:]) && JSON.string("1") != 1)
    }

    @Test("Texts that differ in one byte, wherever it is, are not equal", .proves("RFC8259-8.3"))
    func oneByte() {
        for length in 0..<40 {
            let text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
            #expect(
                JSON.Name(String(decoding: text, as: UTF8.self)) == JSON.Name(String(decoding: text, as: UTF8.self)))
            #expect(
                JSON.Name(String(decoding: text, as: UTF8.self))
                    != JSON.Name(String(decoding: text + text.prefix(1) + [0], as: UTF8.self)))
            for place in 0..<length {
                var other = text
                other[place] = UInt8(ascii: "y")
                #expect(
                    JSON.string(String(decoding: text, as: UTF8.self))
                        != .string(String(decoding: other, as: UTF8.self)))
            }
        }
    }

    @Test("An object holds each name once: setting replaces in place or appends, nil removes", .proves("RFC8259-4"))
    func setting() {
        var object: JSON.Object = ["a": 1, "b": 2, "a": 3]
        #expect(object.map(\.name) == ["a", "b"] && object["a"] == 3)
        object["b"] = nil
        object["c"] = true
        object["a"] = "x"
        object["d"] = nil
        #expect(JSON.object(object).encodedString() == #"{"a":"x","c":true}"#)
        object["e\u{301}"] = 1
        object["\u{e9}"] = 2
        #expect(object.count == 4 && object["\u{e9}"] == 2 && object["e\u{301}"] == 1)
    }

    @Test("Large objects behave as small ones", .proves("RFC8259-4"))
    func largeObjects() {
        let seed: UInt64 = 17
        var generator = SeededGenerator(seed: seed)
        var object = JSON.Object()
        var model: [(String, Int)] = []
        for step in 0..<1_500 {
            let name = "n\(Int.random(in: 0..<60, using: &generator))"
            let place = model.firstIndex { $0.0 == name }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                object[JSON.Name(name)] = nil
                if let place { model.remove(at: place) }
            } else {
                object[JSON.Name(name)] = .number(JSON.Number(step))
                if let place { model[place].1 = step } else { model.append((name, step)) }
            }
            #expect(object.map(\.name.text) == model.map(\.0), "seed \(seed), step \(step)")
            #expect(
                object[JSON.Name(name)]?.number?.integer(as: Int.self) == model.first { $0.0 == name }?.1,
                "seed \(seed), step \(step)")
        }
    }

    @Test("A look inside answers nothing where there is nothing")
    func optionals() throws {
        let json: JSON = ["list": [1, "two", true, .null], "object": ["x": 0]]
        #expect(json["list"]?[1]?.string == "two")
        #expect(json["list"]?[2]?.bool == true)
        #expect(json["list"]?[3]?.isNull == true)
        #expect(json["list"]?[4] == nil && json["list"]?[-1] == nil && json["list"]?["x"] == nil && json[0] == nil)
        #expect(json["object"]?["x"]?.number?.integer() == 0)
        #expect(
            json["none"] == nil && json.string == nil && json.array == nil && json.number == nil && json.bool == nil)
    }

    @Test("Names are ordered by their bytes", .proves("RFC7638-3.3"))
    func order() {
        let names: [JSON.Name] = ["z", "e", "\u{e9}", "e\u{301}", "kty", "", "\u{10000}", "\u{ffff}", "k"]
        #expect(names.sorted() == ["", "e", "e\u{301}", "k", "kty", "z", "\u{e9}", "\u{ffff}", "\u{10000}"])
    }
}

extension JSON {
    /// A tree with all that is hard to write: odd names, escapes, scalars of every length, empty containers.
    static func random(depth: Int, using generator: inout SeededGenerator) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2:
            return .number(
                Number(
                    Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0...63, using: &generator)))
        case 3: return Number(exactly: Double(bitPattern: generator.next())).map { .number($0) } ?? .null
        case 4: return .string(randomText(using: &generator))
        case 5, 6:
            return .array(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            return .object(
                Object(
                    (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                        (Name(randomText(using: &generator)), random(depth: depth - 1, using: &generator))
                    }))
        }
    }

    private static func randomText(using generator: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            let bound: UInt32 = [0x20, 0x80, 0x80, 0x800, 0x11_0000].randomElement(using: &generator) ?? 0x80
            if let scalar = Unicode.Scalar(.random(in: 0..<bound, using: &generator)) { text.append(scalar) }
        }
        return String(text)
    }
}
