import Testing
import TestSupport
import Wire

@testable import RSD2

@Suite("RSD2: publishing and finding documents", .proves("RSD-2"))
struct PublishingTests {
    private func rejection(_ text: String) -> FormatRejection? {
        do throws(FormatRejection) { return try ServiceList(parsing: text).skipped.first } catch { return error }
    }

    @Test func aListIsReadAndRankedAsSeenFromItsURL() throws {
        let text =
            "# services\r\n\r\n  application/x-rsd+xml ;  /rsd.xml\t\nttl: 3600\rapplication/x-rsd+yaml; a/rsd.yaml\napplication/x-rsd+json; https://b.ch/rsd\ntext/html; /"
        let list = try ServiceList(parsing: text)
        #expect(list.timeToLive == 3600)
        let found = list.publications(at: try WebURL(parsing: "https://a.ch/x/services.txt"))
        #expect(
            found.map(\.url.text) == [
                "https://a.ch/rsd.xml", "https://a.ch/x/a/rsd.yaml", "https://b.ch/rsd", "https://a.ch/",
            ])
        #expect(found.readable.map(\.binding) == [.json, .yaml, .xml])
        #expect(try ServiceList(parsing: list.encoded()) == list)
    }

    @Test func brokenLinesAreSkippedByNumber() throws {
        #expect(rejection("") == nil)
        #expect(rejection("\n\njust text") == .malformedLine(line: 3))
        #expect(rejection("application/json;") == .malformedLine(line: 1))
        #expect(rejection("; /x") == .malformedType(line: 1))
        #expect(rejection("a b; /x") == .malformedType(line: 1))
        #expect(
            rejection("a/b; javascript:alert(1)") == .malformedReference(line: 1, URI.Rejection.foreignScheme.rule))
        #expect(
            rejection("a/b; https://u@a.ch/")
                == .malformedReference(line: 1, URI.Rejection.userInformation(offset: 8).rule))
        #expect(
            rejection("a/b; /x y")
                == .malformedReference(line: 1, URI.Rejection.foreignCharacter(0x20, in: .path, offset: 2).rule))
        #expect(rejection("ttl: soon") == .malformedInterval(line: 1))
        #expect(rejection("ttl: -1") == .malformedInterval(line: 1))
        #expect(rejection("ttl: 12345678901") == .malformedInterval(line: 1))
        #expect(rejection("ttl: 1\nTTL: 2") == .malformedInterval(line: 2))
        #expect(rejection(String(repeating: "a/b; /x\n", count: 257)) == .tooManyEntries(line: 257, limit: 256))
        #expect(rejection(String(repeating: "#", count: 65_537)) == .tooLong(bytes: 65_537, limit: 65_536))
    }

    @Test(.proves("threat-57")) func oneBadLineCostsThatLine() throws {
        let list = try ServiceList(parsing: "a/b\nttl: soon\na/b; /one\nc/d; javascript:x\nttl: 5\na/b; /two\n")
        #expect(list.entries.map(\.reference.text) == ["/one", "/two"] && list.timeToLive == 5)
        #expect(list.skipped.count == 3)
        // The lines that are read stay bounded, and so do those that are not.
        let many = try ServiceList(parsing: String(repeating: "a/b; /x\n", count: 300))
        #expect(many.entries.count == 256 && many.skipped.count == 44)
        #expect(try ServiceList(parsing: String(repeating: "a\n", count: 30_000)).skipped.count == 257)
    }

    private func links(_ html: String) throws -> [String] {
        Publication.announced(by: Array(html.utf8), at: try WebURL(parsing: "https://a.ch/b/c?d")).map {
            $0.mediaType + " " + $0.url.text
        }
    }

    @Test func linksOfRealPagesAreFound() throws {
        #expect(
            try links("<link rel=\"ServiceAPI\" type=\"application/x-rsd+json\" title=\"RSD\" href=\"/rsd\">") == [
                "application/x-rsd+json https://a.ch/rsd"
            ])
        #expect(
            try links("<LINK\nHREF = 'x'\tTYPE=application/rsd+xml REL='alternate edituri' />") == [
                "application/rsd+xml https://a.ch/b/x"
            ])
        #expect(try links("<link rel=serviceapi href=x?a&amp;b=&#x26;&#99;>") == [" https://a.ch/b/x?a&b=&c"])
        #expect(
            try links("<base href='https://z.ch/y/'><base href='/no'><link rel=ServiceAPI href=x>") == [
                " https://z.ch/y/x"
            ])
        #expect(try links("<link rel=ServiceAPI href=x><link rel=ServiceAPI href=x>") == [" https://a.ch/b/x"])
        #expect(
            try links(
                "< link rel=ServiceAPI href=a><p title='<link rel=ServiceAPI href=b>'><link rel=ServiceAPI href=c rel=no>"
            ) == [
                " https://a.ch/b/c"
            ])
    }

    @Test func whatIsNoLinkIsPassedOver() throws {
        let hidden = "<link rel=ServiceAPI href=x>"
        for html in [
            "<!-- \(hidden) -->", "<script>'\(hidden)'</script>", "<style>\(hidden)</style>",
            "<title>\(hidden)</title>",
            "<textarea>\(hidden)</textarea>",
            "<link rel=stylesheet href=x>", "<link rel=ServiceAPI>", "<link rel=ServiceAPI href='javascript:x'>",
            "<link rel=ServiceAPI href='x",
            "<links rel=ServiceAPI href=x>", "<!-- \(hidden)", "<script>\(hidden)",
        ] { #expect(try links(html).isEmpty, "\(html)") }
        #expect(try links("<!-->" + hidden).count == 1)
        #expect(try links("<script></SCRIPT >" + hidden).count == 1)
        let many = (0..<100).map { "<link rel=ServiceAPI href=x\($0)>" }.joined()
        #expect(try links(many).count == Publication.announcementLimit)
    }

    @Test func whatIsAnnouncedIsFound() throws {
        let publication = Publication(.yaml, at: try WebURL(parsing: "https://a.ch/x?y&z"))
        #expect(Publication.announced(by: Array(publication.htmlLink.utf8), at: publication.url) == [publication])
        #expect(publication.htmlLink.contains("y&amp;z"))
    }

    @Test(.proves("threat-14")) func randomPagesNeverTrapAndHostileOnesTakeLinearTime() throws {
        let seed: UInt64 = 0x48544D4C
        var generator = SeededGenerator(seed: seed)
        let page = try WebURL(parsing: "https://a.ch/")
        let pieces = [
            "<", ">", "<!--", "-->", "<script>", "</script", "<link rel=ServiceAPI href=", "'", "\"", "=", "/", "&#",
            ";", "<base href=",
            " ",
        ]
        for _ in 0..<3_000 {
            let html = (0..<20).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
            _ = Publication.announced(by: Array(html.utf8), at: page)
        }
        for piece in ["<", "<!--", "<script>", "<a b='", "<a b=c ", "&#", "<link rel=ServiceAPI href=x>"] {
            let html = Array(String(repeating: piece, count: (1 << 17) / piece.utf8.count).utf8)
            #expect(
                ContinuousClock().measure { _ = Publication.announced(by: html, at: page) } < .seconds(10), "\(piece)")
        }
    }
}
