import TestSupport
import Testing
import Wire

@Suite("WHATWG URL §5, RFC 6749 appendix B: forms")
struct FormTests {
    private func fault(_ text: String, _ limits: HTTP.Form.Limits = HTTP.Form.Limits()) -> SyntaxError? {
        rejection { () throws(SyntaxError) in try HTTP.Form(parsing: Array(text.utf8), limits: limits) }
    }

    @Test("RFC 6749 appendix B: the standard's example", .proves("RFC6749-B"))
    func example() throws {
        let form = HTTP.Form([HTTP.Form.Pair("a", " %&+£€")])
        #expect(form.text == "a=+%25%26%2B%C2%A3%E2%82%AC")
        #expect(try HTTP.Form(parsing: form.text) == form)
    }

    @Test("order and repetitions stay visible", .proves("threat-37"))
    func repetitions() throws {
        let form = try HTTP.Form(parsing: "scope=a&code=1&scope=b&empty=&bare&=x&&scope=c&")
        #expect(form.pairs.map(\.name) == ["scope", "code", "scope", "empty", "bare", "", "scope"])
        #expect(form.value(of: "scope") == .repeated(3))
        #expect(form.value(of: "scope").value == nil)
        #expect(form.value(of: "code") == .once("1"))
        #expect(form.value(of: "empty") == .once(""))
        #expect(form.value(of: "bare") == .once(""))
        #expect(form.value(of: "") == .once("x"))
        #expect(form.value(of: "Code") == .absent)
    }

    @Test("a name spelled with escapes is the same name", .proves("threat-37"))
    func escapedNames() throws {
        let form = try HTTP.Form(parsing: "code=1&%63ode=2&c%6Fde=3")
        #expect(form.value(of: "code") == .repeated(3))
    }

    @Test("canonically equivalent names and values are different", .proves("threat-17"))
    func equivalence() throws {
        let form = try HTTP.Form(parsing: "%C3%A9=1&e%CC%81=2")
        #expect(form.value(of: "é") == .once("1"))
        #expect(form.value(of: "e\u{301}") == .once("2"))
        #expect(HTTP.Form.Pair("é", "") != HTTP.Form.Pair("e\u{301}", ""))
        #expect(HTTP.Form.Pair("", "é") != HTTP.Form.Pair("", "e\u{301}"))
        #expect(Set([HTTP.Form.Pair("é", ""), HTTP.Form.Pair("e\u{301}", "")]).count == 2)
    }

    @Test("everything that can be written is read again", .proves("RFC6749-B"))
    func roundTrip() throws {
        let seed: UInt64 = 47
        var generator = SeededGenerator(seed: seed)
        for round in 0..<500 {
            let pairs = (0..<generator.below(6)).map { _ in
                HTTP.Form.Pair(
                    String(decoding: generator.bytes(generator.below(9)), as: UTF8.self),
                    String(decoding: generator.bytes(9), as: UTF8.self))
            }
            let form = HTTP.Form(pairs)
            #expect(try HTTP.Form(parsing: form.encoded()) == form, "seed \(seed), round \(round)")
            #expect(
                form.encoded().allSatisfy {
                    "%&=+*-._".utf8.contains($0) || Character(Unicode.Scalar($0)).isLetter
                        || Character(Unicode.Scalar($0)).isNumber
                })
        }
    }

    @Test(
        "one fault each", .proves("RFC6749-B"), .proves("threat-19"),
        arguments: [
            ("a=%", .brokenTriplet(.form, offset: 2)), ("a=%4", .brokenTriplet(.form, offset: 2)),
            ("a=b%4g", .brokenTriplet(.form, offset: 3)),
            ("%=a", .brokenTriplet(.form, offset: 0)),
            ("a=1&b=%%41", .brokenTriplet(.form, offset: 6)), ("a=%&41=b", .brokenTriplet(.form, offset: 2)),
            ("a=%4&1=b", .brokenTriplet(.form, offset: 2)),
            ("a=%FF", .illFormedUTF8(.form, offset: 2)), ("a=x&%C3=1", .illFormedUTF8(.form, offset: 4)),
            ("a=%ED%A0%80", .illFormedUTF8(.form, offset: 2)),
            ("a=%C0%80", .illFormedUTF8(.form, offset: 2)), ("a=b c", .foreignCharacter(.form, offset: 3)),
            ("a=b\r\n", .foreignCharacter(.form, offset: 3)),
            ("a\u{0}=b", .foreignCharacter(.form, offset: 1)), ("a=\u{7f}", .foreignCharacter(.form, offset: 2)),
        ] as [(String, SyntaxError)])
    func faults(text: String, expected: SyntaxError) {
        #expect(fault(text) == expected)
    }

    @Test("size and number of pairs are bounded", .proves("threat-14"))
    func limits() {
        #expect(fault("a=12345", HTTP.Form.Limits(bytes: 7)) == nil)
        #expect(fault("a=123456", HTTP.Form.Limits(bytes: 7)) == .tooLong(.form, length: 8, limit: 7))
        #expect(fault("a&b&c", HTTP.Form.Limits(pairs: 3)) == nil)
        #expect(fault("a&b&c&d", HTTP.Form.Limits(pairs: 3)) == .tooMany(.form, limit: 3))
        #expect(fault(String(repeating: "&", count: 60_000), HTTP.Form.Limits(pairs: 0)) == nil)
        #expect(fault(String(repeating: "a", count: 65_537)) == .tooLong(.form, length: 65_537, limit: 65_536))
    }

    @Test("no description shows a value", .proves("threat-22"))
    func secrets() throws {
        let form = try HTTP.Form(parsing: "username=ada&password=secret")
        #expect(form.description == "username=…&password=…")
        #expect(!"\(form) \(form.pairs)".contains("secret"))
    }

    @Test("random and mutated forms never trap", .proves("threat-14"))
    func mutated() {
        let seed: UInt64 = 48
        var generator = SeededGenerator(seed: seed)
        for round in 0..<10_000 {
            let text = generator.mutated(
                Array("grant_type=refresh_token&scope=a+b%20c&x=%E2%82%AC".utf8), with: "%&=+aF0 \u{7f}")
            guard let form = try? HTTP.Form(parsing: text) else { continue }
            #expect((try? HTTP.Form(parsing: form.encoded())) == form, "seed \(seed), round \(round)")
        }
    }
}
