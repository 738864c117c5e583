import TestSupport
import Testing

@Suite("House: reading Swift", .proves("house"))
struct SwiftTokensTests {
    private func texts(_ source: String) throws -> [String] {
        try tokens(of: source).map(\.text)
    }

    @Test func commentsVanishAlsoNestedOnes() throws {
        #expect(try texts("a /* b /* c */ d */ e // f\ng") == ["a", "e", "g"])
        #expect(try texts("a/**/b") == ["a", "b"])
        #expect(try texts("x +/*z*/y -// z\nw") == ["x", "+", "y", "-", "w"])
    }

    @Test func linesAreCountedThroughCommentsAndStrings() throws {
        let source = "/*\n\n*/ a\n\"\"\"\n  b\n\"\"\"\nc"
        #expect(try tokens(of: source).map(\.line) == [3, 4, 7])
    }

    @Test func stringsAreOneTokenAndHideTheirText() throws {
        #expect(
            try texts(#"a("print(1) // \" no comment", b)"#) == [
                "a", "(", #""print(1) // \" no comment""#, ",", "b", ")",
            ])
        #expect(try texts("\"\" + \"a\"") == ["\"\"", "+", "\"a\""])
    }

    @Test func multiLineStringsMayHoldQuotationMarks() throws {
        let source = "\"\"\"\n say \"hi\" \\\"\"\" \\\n more\n\"\"\" x"
        #expect(try texts(source).last == "x")
        #expect(try texts(source).count == 2)
    }

    @Test func rawStringsCloseWithTheirOwnDelimiterOnly() throws {
        #expect(try texts(##"#"a " \ b"# c"##) == [##"#"a " \ b"#"##, "c"])
        #expect(try texts(###"##"a "# b"## c"###) == [###"##"a "# b"##"###, "c"])
        #expect(try texts(##"#"""# c"##) == [##"#"""#"##, "c"])
        #expect(try texts("#\"\"\"\n \"\"\" \\( \n\"\"\"# c").last == "c")
    }

    @Test func interpolatedCodeIsCode() throws {
        #expect(
            try texts(#"f("a \(print(x)) b") g"#) == ["f", "(", #""a \("#, "print", "(", "x", ")", #") b""#, ")", "g"])
        #expect(try texts(##"#"\(a) \#(b) "#"##) == [##"#"\(a) \#("##, "b", ##") "#"##])
        #expect(try texts(#""\("\(a)")" b"#) == [#""\("#, #""\("#, "a", #")""#, #")""#, "b"])
    }

    @Test func operatorsAreTakenWhole() throws {
        #expect(
            try texts("a->b ... c..<d x! try!f &+= >>") == [
                "a", "->", "b", "...", "c", "..<", "d", "x", "!", "try", "!", "f", "&+=", ">>",
            ])
        #expect(
            try texts("a.b.0.1 1.5e3 0x1F_u 1...2") == ["a", ".", "b", ".", "0.1", "1.5e3", "0x1F_u", "1", "...", "2"])
    }

    @Test func directivesEscapedNamesAndExtendedRegexLiterals() throws {
        let found = try tokens(of: "#if os(Linux)\n`default` = #/a\"b/# `two words`")
        #expect(found.map(\.text) == ["#if", "os", "(", "Linux", ")", "`default`", "=", "#/a\"b/#", "`two words`"])
        #expect(found.first?.kind == .directive)
        #expect(found.filter(\.startsLine).map(\.text) == ["#if", "`default`"])
    }

    @Test func whatCannotBeFollowedIsReported() {
        #expect(throws: UnreadableSource.openComment(line: 2)) { try tokens(of: "a\n/* /* */") }
        #expect(throws: UnreadableSource.openLiteral(line: 1)) { try tokens(of: "\"a\nb\"") }
        #expect(throws: UnreadableSource.openLiteral(line: 1)) { try tokens(of: "\"\"\"\na") }
        #expect(throws: UnreadableSource.openInterpolation(line: 1)) { try tokens(of: #""\(a"#) }
    }
}
