import TestSupport
import Testing
import Wire

@Suite("RFC 8259 §6: numbers")
struct JSONNumberTests {
    @Test(
        "A number is an integer when its value is one that fits, whatever its spelling", .proves("RFC8259-6"),
        .proves("threat-15"))
    func values() throws {
        for row in try JSONFixture("numbers").rows {
            let value = try JSON.Document(parsing: row[0]).root
            let number = try value.number()
            #expect(number.text == row[0])
            #expect(number.integer(as: Int64.self).map(String.init) == Int64(row[1]).map(String.init), "\(row[0])")
            #expect(number.integer(as: UInt64.self).map(String.init) == UInt64(row[2]).map(String.init), "\(row[0])")
            #expect(outcome { () throws(JSON.Rejection) in try value.integer(as: Int64.self) } == row[1], "\(row[0])")
            #expect(outcome { () throws(JSON.Rejection) in try value.integer(as: UInt64.self) } == row[2], "\(row[0])")
            #expect(number.double?.bitPattern == UInt64(row[3], radix: 16), "\(row[0])")
        }
    }

    private func outcome<Integer: FixedWidthInteger>(_ body: () throws(JSON.Rejection) -> Integer) -> String {
        do {
            return String(try body())
        } catch .fraction(at: "$") {
            return "fraction"
        } catch .outOfRange(at: "$") {
            return "range"
        } catch {
            return "\(error)"
        }
    }

    @Test("Narrow types hold what fits them", .proves("RFC8259-6"))
    func narrowTypes() throws {
        #expect(try JSON.Document(parsing: "255").root.integer(as: UInt8.self) == 255)
        #expect(throws: JSON.Rejection.outOfRange(at: "$")) {
            try JSON.Document(parsing: "256").root.integer(as: UInt8.self)
        }
        #expect(throws: JSON.Rejection.outOfRange(at: "$")) {
            try JSON.Document(parsing: "-1").root.integer(as: UInt8.self)
        }
        #expect(try JSON.Document(parsing: "-128").root.integer(as: Int8.self) == -128)
        #expect(throws: JSON.Rejection.outOfRange(at: "$")) {
            try JSON.Document(parsing: "-129").root.integer(as: Int8.self)
        }
    }

    @Test("Equal numbers are equal texts", .proves("RFC8259-6"))
    func equality() throws {
        #expect(try JSON.Number(parsing: "1") == 1)
        #expect(try JSON.Number(parsing: "1.0") != 1)
        #expect(try JSON.Number(parsing: "1e0") != JSON.Number(parsing: "1E0"))
        #expect(JSON.Number(Int64.min).text == "-9223372036854775808")
        #expect(JSON.Number(UInt64.max).text == "18446744073709551615")
    }

    @Test("A number alone is read without white space or anything else", .proves("RFC8259-6"))
    func parsing() throws {
        #expect(try JSON.Number(parsing: "-1.5e3").text == "-1.5e3")
        #expect(throws: JSON.Rejection.trailingContent(offset: 1)) { try JSON.Number(parsing: "1 ") }
        #expect(throws: JSON.Rejection.unexpectedByte(0x20, offset: 0, expected: .value)) {
            try JSON.Number(parsing: " 1")
        }
        #expect(throws: JSON.Rejection.malformedNumber(offset: 1)) { try JSON.Number(parsing: "01") }
        #expect(throws: JSON.Rejection.mismatch(at: "$", expected: .number, found: .string)) {
            try JSON.Number(parsing: "\"1\"")
        }
        #expect(throws: JSON.Rejection.unexpectedEnd(offset: 0, expected: .value)) { try JSON.Number(parsing: "") }
    }

    @Test("A double becomes a text that reads back as itself, unless it is none", .proves("RFC8259-6"))
    func doubles() throws {
        for value in [0, -0.0, 1, 0.1, 1e16, 1e-5, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -2.5] {
            let number = try #require(JSON.Number(exactly: value))
            #expect(try JSON.Number(parsing: number.text) == number)
            #expect(number.double?.bitPattern == value.bitPattern)
        }
        #expect(JSON.Number(exactly: .infinity) == nil)
        #expect(JSON.Number(exactly: -.infinity) == nil)
        #expect(JSON.Number(exactly: .nan) == nil)
    }
}
