import TestSupport
import Testing
import Wire

@Suite("RFC 8259 §9: limits")
struct JSONLimitsTests {
    @Test("Each limit admits what it says and refuses one more", .proves("threat-14"), .proves("threat-43"))
    func bounds() {
        #expect(rejection(of: "[1,2]", limits: JSON.Limits(size: 5)) == nil)
        #expect(rejection(of: "[1,2] ", limits: JSON.Limits(size: 5)) == .tooLarge(size: 6, limit: 5))
        #expect(rejection(of: "[{}]", limits: JSON.Limits(depth: 2)) == nil)
        #expect(rejection(of: "[{\"a\":[]}]", limits: JSON.Limits(depth: 2)) == .tooDeep(offset: 6, limit: 2))
        #expect(rejection(of: "1", limits: JSON.Limits(depth: 0)) == nil)
        #expect(rejection(of: "[]", limits: JSON.Limits(depth: 0)) == .tooDeep(offset: 0, limit: 0))
        #expect(rejection(of: "[1,2]", limits: JSON.Limits(members: 2)) == nil)
        #expect(rejection(of: "[1,2,3]", limits: JSON.Limits(members: 2)) == .tooManyMembers(offset: 4, limit: 2))
        #expect(rejection(of: "{\"a\":[1,2],\"b\":[3,4]}", limits: JSON.Limits(members: 2)) == nil)
        #expect(
            rejection(of: "{\"a\":[1],\"b\":2,\"c\":3}", limits: JSON.Limits(members: 2))
                == .tooManyMembers(offset: 14, limit: 2))
        #expect(rejection(of: "{\"abcd\":\"1234\"}", limits: JSON.Limits(stringLength: 4)) == nil)
        #expect(
            rejection(of: "[\"12345\"]", limits: JSON.Limits(stringLength: 4)) == .stringTooLong(offset: 1, limit: 4))
        #expect(
            rejection(of: "{\"abcde\":1}", limits: JSON.Limits(stringLength: 4)) == .stringTooLong(offset: 1, limit: 4))
        #expect(
            rejection(of: "[\"1\\n34\"]", limits: JSON.Limits(stringLength: 4)) == .stringTooLong(offset: 1, limit: 4))
        #expect(
            rejection(of: "[\"é123\"]", limits: JSON.Limits(stringLength: 4)) == .stringTooLong(offset: 1, limit: 4))
        #expect(rejection(of: "[-1.5]", limits: JSON.Limits(numberLength: 4)) == nil)
        #expect(rejection(of: "[-1.25]", limits: JSON.Limits(numberLength: 4)) == .numberTooLong(offset: 1, limit: 4))
    }

    @Test("Values and names are counted together, whatever comes last", .proves("threat-14"))
    func values() {
        #expect(rejection(of: "1", limits: JSON.Limits(values: 1)) == nil)
        #expect(rejection(of: "1", limits: JSON.Limits(values: 0)) == .tooManyValues(offset: 0, limit: 0))
        #expect(rejection(of: "1", limits: JSON.Limits(values: -1)) == .tooManyValues(offset: 0, limit: 0))
        #expect(rejection(of: "[1,2]", limits: JSON.Limits(values: 3)) == nil)
        #expect(rejection(of: "[1,2]", limits: JSON.Limits(values: 2)) == .tooManyValues(offset: 3, limit: 2))
        #expect(rejection(of: "{\"a\":1}", limits: JSON.Limits(values: 3)) == nil)
        #expect(rejection(of: "{\"a\":1}", limits: JSON.Limits(values: 2)) == .tooManyValues(offset: 7, limit: 2))
        #expect(rejection(of: "{\"a\":1,\"b\":2}", limits: JSON.Limits(values: 5)) == nil)
        #expect(
            rejection(of: "{\"a\":1,\"b\":2}", limits: JSON.Limits(values: 4)) == .tooManyValues(offset: 13, limit: 4))
    }

    @Test("Limits that make no sense are taken as the nearest that do")
    func clamping() {
        let least = JSON.Limits(size: -1, depth: -1, values: -1, members: -1, stringLength: -1, numberLength: -1)
        #expect(least == JSON.Limits(size: 0, depth: 0, values: 0, members: 1, stringLength: 0, numberLength: 0))
        let most = JSON.Limits(
            size: .max, depth: .max, values: .max, members: .max, stringLength: .max, numberLength: .max)
        #expect(most.size == 1 << 30 && most.depth == 512 && most.values == 1 << 24 - 1)
        #expect(rejection(of: "[{\"a\":\"b\"},1]", limits: most) == nil)
    }

    @Test("Nesting is refused at the depth that is too deep, however long it goes on", .proves("threat-14"))
    func nesting() throws {
        let open = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(rejection(of: open) == .tooDeep(offset: 64, limit: 64))
        let objects = Array(String(repeating: "{\"a\":", count: 50_000).utf8)
        #expect(rejection(of: objects) == .tooDeep(offset: 320, limit: 64))
        let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try JSON(parsing: deepest).encodedString() == deepest)
        let deep = String(repeating: "[{\"a\":", count: 256) + "1" + String(repeating: "}]", count: 256)
        #expect(try JSON(parsing: deep, limits: JSON.Limits(depth: 600)).encodedString() == deep)
    }

    @Test("Long arrays are read whole, and the tape grows under them", .proves("threat-14"))
    func longArrays() throws {
        let text = "[" + String(repeating: "1,", count: 19_999) + "[2]]"
        let array = try JSON.Document(parsing: text).root.array()
        #expect(array.count == 20_000)
        #expect(try array[19_999].array()[0].integer() == 2)
        #expect(try JSON(parsing: text).encodedString() == text)
    }

    @Test(
        "Large objects: a duplicate is found wherever it stands, and only then", .proves("RFC8259-4"),
        .proves("threat-14"))
    func largeObjects() throws {
        for count in [1, 2, 15, 16, 17, 63, 64, 65, 66, 300, 3_000] {
            let names = (0..<count).map { "name-\($0 * 7 % count)-\($0)" }
            #expect(rejection(of: object(names)) == nil, "\(count)")
            for (first, second) in [(0, count - 1), (count / 2, count - 1), (0, count / 2)] where first < second {
                var doubled = names
                doubled[second] = names[first]
                #expect(
                    rejection(of: object(doubled)) == .duplicateName(offset: offset(of: second, in: doubled)),
                    "\(count): \(first), \(second)")
                doubled[second] = names[first].replacing("-", with: "\\u002d", maxReplacements: 1)
                #expect(
                    rejection(of: object(doubled)) == .duplicateName(offset: offset(of: second, in: doubled)),
                    "\(count): \(first), \(second)")
            }
        }
    }

    @Test("Of several duplicates the first in the text is told", .proves("RFC8259-4"))
    func firstDuplicate() {
        for count in [4, 40, 400] {
            var names = (0..<count).map { "\($0)" }
            names[count - 1] = names[0]
            names[count - 2] = names[count - 3]
            #expect(
                rejection(of: object(names)) == .duplicateName(offset: offset(of: count - 2, in: names)), "\(count)")
        }
    }

    @Test("Names made to look alike cost no more than others", .proves("threat-14"))
    func collisions() throws {
        // Same length, same first, middle and last eight bytes: every shortcut sees one name.
        func name(_ number: Int) -> String {
            let digits = String(number)
            return "aaaaaaaa" + String(repeating: "0", count: 8 - digits.count) + digits
                + "mmmmmmmmmmmmmmmmmmmmmmmmzzzzzzzz"
        }
        var names = (0..<2_000).map(name)
        let members = names.enumerated().map { "\"\($1)\":\($0)" }
        let document = try JSON.Document(parsing: "{\(members.joined(separator: ","))}").root.object()
        for number in [0, 1, 77, 1_999] { #expect(try document[JSON.Name(names[number])].integer() == number) }
        #expect(document.optional(JSON.Name(name(2_000))) == nil)
        names[1_500] = name(20).replacing("m", with: "\\u006d", maxReplacements: 3)
        #expect(rejection(of: object(names)) == .duplicateName(offset: offset(of: 1_500, in: names)))
    }

    @Test("Numbers of a thousand digits are kept, longer ones refused", .proves("threat-15"))
    func longNumbers() throws {
        let digits = String(repeating: "9", count: 1_024)
        #expect(try JSON(parsing: digits).number?.text == digits)
        #expect(try JSON(parsing: digits).number?.integer(as: UInt64.self) == nil)
        #expect(rejection(of: digits + "9") == .numberTooLong(offset: 0, limit: 1_024))
    }

    private func object(_ names: [String]) -> [UInt8] {
        Array("{\(names.map { "\"\($0)\":0" }.joined(separator: ","))}".utf8)
    }

    private func offset(of name: Int, in names: [String]) -> Int {
        1 + names.prefix(name).reduce(0) { $0 + $1.utf8.count + 5 }
    }
}
