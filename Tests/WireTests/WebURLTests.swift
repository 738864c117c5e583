import TestSupport
import Testing
import Wire

@Suite("URLs that everybody reads alike")
struct WebURLTests {
    private func fault(_ text: String) -> URI.Rejection? {
        rejection { () throws(URI.Rejection) in try WebURL(parsing: text) }
    }

    @Test("refuse, or agree with browsers", .proves("threat-40"))
    func verdicts() throws {
        var accepted = 0
        for row in try Table("uri/browser-verdicts.tsv").rows {
            let texts = row.map { String(decoding: $0, as: UTF8.self) }
            let base = row[2].isEmpty ? nil : try WebURL(parsing: row[2])
            let url = base.map { try? WebURL(parsing: row[1], relativeTo: $0) } ?? (try? WebURL(parsing: row[1]))
            #expect((url != nil) == (texts[0] == "accept"), "\(texts)")
            guard let url else { continue }
            accepted += 1
            #expect(url.scheme.rawValue + ":" == texts[3], "\(texts)")
            #expect(url.host.text == texts[4], "\(texts)")
            #expect(url.port.map { String($0) } ?? "" == texts[5], "\(texts)")
        }
        #expect(accepted == 118)
    }

    @Test(
        "one fault each", .proves("threat-40"),
        arguments: [
            ("/path", .relative), ("//h/path", .relative), ("ftp://h/", .foreignScheme),
            ("javascript:alert(1)", .foreignScheme),
            ("data:,x", .foreignScheme),
            ("file:///etc/passwd", .foreignScheme), ("httpx://h/", .foreignScheme), ("https:h", .missingAuthority),
            ("https:/h", .missingAuthority), ("https:", .missingAuthority),
            ("https:///h", .emptyHost(offset: 8)), ("https://", .emptyHost(offset: 8)),
            ("https://:80/", .emptyHost(offset: 8)),
            ("https://user@h/", .userInformation(offset: 8)), ("https://@h/", .userInformation(offset: 8)),
            ("https://a:b@h/", .userInformation(offset: 8)),
            ("https://h%41/", .foreignHostCharacter(0x25, offset: 9)),
            ("https://a!b/", .foreignHostCharacter(0x21, offset: 9)),
            ("https://a~b/", .foreignHostCharacter(0x7e, offset: 9)),
            ("https://a..b/", .emptyLabel(offset: 10)), ("https://.a/", .emptyLabel(offset: 8)),
            ("https://./", .emptyLabel(offset: 8)),
            ("https://a../", .emptyLabel(offset: 10)),
            ("https://b.\(String(repeating: "a", count: 64)).c/", .labelTooLong(offset: 10)),
            ("https://\(String(repeating: "a23456789.", count: 26))/", .hostTooLong(length: 259)),
            ("http://127.1/", .disguisedAddress(offset: 11)),
            ("http://0x7f.1/", .disguisedAddress(offset: 12)), ("http://2130706433/", .disguisedAddress(offset: 7)),
            ("http://010.0.0.1/", .disguisedAddress(offset: 15)),
            ("http://127.0.0.1./", .disguisedAddress(offset: 15)), ("http://a.0X/", .disguisedAddress(offset: 9)),
            ("http://a.b.09/", .disguisedAddress(offset: 11)),
            ("http://1.2.3.256/", .disguisedAddress(offset: 13)), ("http://[v1.a]/", .foreignAddress(offset: 7)),
            ("http://[fe80::1%25eth0]/", .malformedAddress(offset: 15)),
            ("http://xn--a/", .doubtfulLabel(offset: 7)),
            ("http://b.xn--abc-/", .doubtfulLabel(offset: 9)), ("http://xn--wgv71a119e.jp/", .doubtfulLabel(offset: 7)),
            ("https://h\\x", .foreignCharacter(0x5c, in: .host, offset: 9)),
            ("https:\\\\h", .foreignCharacter(0x5c, in: .path, offset: 6)),
            ("https://h/\\x", .foreignCharacter(0x5c, in: .path, offset: 10)),
            (" https://h", .foreignCharacter(0x20, in: .scheme, offset: 0)),
            ("https://h/ ", .foreignCharacter(0x20, in: .path, offset: 10)),
            ("ht\ntps://h", .foreignCharacter(0x0a, in: .scheme, offset: 2)),
            ("https://h/\t", .foreignCharacter(0x09, in: .path, offset: 10)),
            ("https://é/", .foreignCharacter(0xc3, in: .host, offset: 8)),
            ("https://h:65536/", .portOutOfRange(offset: 10)),
            ("https://h:8a/", .foreignCharacter(0x61, in: .port, offset: 11)),
        ] as [(String, URI.Rejection)])
    func faults(text: String, expected: URI.Rejection) {
        #expect(fault(text) == expected)
    }

    @Test("the bounds of a host name are reached and not passed", .proves("RFC1035-2.3.4"))
    func bounds() throws {
        let label = String(repeating: "a", count: 63)
        let longest = [label, label, label, String(repeating: "b", count: 61)].joined(separator: ".")
        #expect(fault("https://\(longest)/") == nil)
        #expect(fault("https://\(longest)./") == nil)
        #expect(fault("https://\(longest)b/") == .hostTooLong(length: 254))
    }

    @Test(
        "in a document, a host counts as much as elsewhere", .proves("threat-41"),
        arguments: [
            ("//user@h", .userInformation(offset: 2)), ("///h", .emptyHost(offset: 2)),
            ("//127.1", .disguisedAddress(offset: 6)),
            ("https:x", .missingAuthority),
            ("javascript:x", .foreignScheme), ("/\\h", .foreignCharacter(0x5c, in: .path, offset: 1)),
        ] as [(String, URI.Rejection)])
    func relativeFaults(text: String, expected: URI.Rejection) throws {
        let base = try WebURL(parsing: "https://base.example/a/b")
        #expect(rejection { () throws(URI.Rejection) in try WebURL(parsing: text, relativeTo: base) } == expected)
    }

    @Test(
        "relative references stay at the base's host", .proves("threat-41"),
        arguments: [
            ("c", "https://base.example:8443/a/c"), ("../../../c", "https://base.example:8443/c"),
            ("/c?d#e", "https://base.example:8443/c?d#e"),
            ("?d", "https://base.example:8443/a/b?d"), ("", "https://base.example:8443/a/b?q"),
            ("//other.example", "https://other.example"),
            ("http://other.example/x", "http://other.example/x"),
            ("/.//evil.example", "https://base.example:8443//evil.example"),
        ])
    func relative(text: String, expected: String) throws {
        let base = try WebURL(parsing: "https://base.example:8443/a/b?q#f")
        #expect(try WebURL(parsing: text, relativeTo: base).text == expected)
    }

    @Test("internationalized labels: the letters of Europe, in either case of the prefix", .proves("RFC5891-5.4"))
    func internationalized() throws {
        for label in [
            "xn--zrich-kva", "xn--mnchen-3ya", "xn--strae-oqa", "xn--80akhbyknj4f", "XN--ZRICH-KVA", "xn--d1acufc",
        ] {
            #expect(try WebURL(parsing: "https://www.\(label).ch/").host.text == "www.\(label.lowercased()).ch")
        }
        // Nothing beyond ASCII; a capital, combining, mapped, mathematical, right-to-left, symbolic, unassigned letter;
        // a look-alike of one in the table; a script beyond it; broken encodings.
        for label in [
            "xn--", "xn---", "XN--A", "xN--a", "Xn--abc-", "xn--abc", "xn--abc-", "xn--zrich-2pa", "xn--zurich-xyd",
            "xn--ab-npa",
            "xn--ab-5va", "xn--a-rla",
            "xn--ab-ika", "xn--4dbc", "xn--a-1xp",
            "xn--a-qib", "xn--80ak6aa92e", "xn--mxac", "xn--99999999", "xn--zrich-kv", "xn--zrich-kva9",
            "xn--zrich-k_a",
        ] {
            #expect((try? WebURL(parsing: "https://\(label)/")) == nil, "\(label)")
        }
    }

    @Test("mutated URLs never trap, and their parts make the same URL again", .proves("threat-40"))
    func mutated() {
        let seed: UInt64 = 51
        var generator = SeededGenerator(seed: seed)
        let sources = [
            "https://example.com:8443/a/b?c#d", "http://127.0.0.1/x", "http://[::ffff:1.2.3.4]:80/",
            "https://xn--zrich-kva.ch/%2e/x",
        ].map { Array($0.utf8) }
        var accepted = 0
        for round in 0..<20_000 {
            let text = generator.mutated(generator.pick(sources), with: ":/?#[]@%.\\0x1aA-_\t")
            guard let url = try? WebURL(parsing: text) else { continue }
            accepted += 1
            let again = try? WebURL(parsing: url.identity)
            #expect(again == url, "seed \(seed), round \(round)")
            #expect(again?.identity == url.identity, "seed \(seed), round \(round)")
            #expect(again?.origin == url.origin, "seed \(seed), round \(round)")
        }
        #expect(accepted > 2_000)
    }

    @Test("every prefix is refused, or is a URL of another host, port or path", .proves("threat-40"))
    func prefixes() throws {
        let text = "https://example.com:8443/a/b?c=d#e"
        let whole = try WebURL(parsing: text)
        for length in 0..<text.utf8.count {
            guard let url = try? WebURL(parsing: String(text.prefix(length))) else { continue }
            #expect(url != whole)
        }
        for length in 0...8 { #expect((try? WebURL(parsing: String(text.prefix(length)))) == nil) }
    }
}

@Suite("Identity and reach of URLs")
struct WebURLIdentityTests {
    @Test(
        "spellings of one URL", .proves("threat-17"),
        arguments: [
            [
                "https://example.com", "HTTPS://EXAMPLE.COM/", "https://example.com:443", "https://Example.com:/",
                "https://example.com:00443/",
            ],
            ["http://h/a", "http://h/a/", "http://H:80/a"], ["http://[::1]/", "http://[0:0:0:0:0:0:0:1]:80"],
            ["https://h/a?q", "https://h:443/a/?q"],
            ["https://xn--zrich-kva.ch", "https://XN--ZRICH-kva.ch/"],
        ])
    func same(texts: [String]) throws {
        let urls = try texts.map { try WebURL(parsing: $0) }
        #expect(Set(urls).count == 1)
        #expect(Set(urls.map(\.identity)).count == 1)
        #expect(urls.map(\.text) == texts, "what was read is kept")
    }

    @Test("different URLs", .proves("threat-17"))
    func different() throws {
        let texts = [
            "https://h/a", "http://h/a", "https://h:444/a", "https://g/a", "https://h/A", "https://h/a//",
            "https://h/a?", "https://h/a?q",
            "https://h/a?q/", "https://h/a#",
            "https://h/%61", "https://h./a", "https://h/a/b", "https://h/", "https://h//",
        ]
        let urls = try texts.map { try WebURL(parsing: $0) }
        #expect(Set(urls).count == texts.count)
        #expect(Set(urls.map(\.identity)).count == texts.count)
    }

    @Test("the normal form is written out")
    func identity() throws {
        #expect(try WebURL(parsing: "HTTPS://Example.COM:443").identity == "https://example.com/")
        #expect(try WebURL(parsing: "http://H:8080/A/b/?Q=%c3").identity == "http://h:8080/A/b?Q=%c3")
        #expect(try WebURL(parsing: "http://[2001:DB8::0:1]#").identity == "http://[2001:db8::1]/#")
        #expect(try WebURL(parsing: "https://example.com:443/x").origin.text == "https://example.com")
    }

    @Test(
        "the machine itself",
        arguments: [
            ("http://localhost/", true), ("http://LOCALHOST:8080", true), ("http://127.0.0.1/", true),
            ("http://127.255.1.2/", true),
            ("http://[::1]/", true),
            ("http://localhost.example/", false), ("http://localhost./", false), ("http://128.0.0.1/", false),
            ("http://[::2]/", false),
            ("http://[::ffff:127.0.0.1]/", false),
            ("http://0.0.0.0/", false),
        ])
    func loopback(text: String, expected: Bool) throws {
        #expect(try WebURL(parsing: text).isLoopback == expected)
    }

    @Test(
        "a URL covers itself and what lies below it, at a boundary of segments", .proves("threat-51"),
        arguments: [
            ("https://h", "https://h/"), ("https://h/", "https://h"), ("https://h/", "https://h/a/b?c"),
            ("https://h/a", "https://h/a"),
            ("https://h/a", "https://h/a/"),
            ("https://h/a/", "https://h/a"), ("https://h/a", "https://h/a/b"), ("https://h/a/", "https://h/a/b"),
            ("https://h/a", "HTTPS://H:443/a?b#c"),
            ("https://h/a", "https://h/a//b"), ("https://h/a", "https://h/a/..."),
            ("https://h/a", "https://h/a/100%25"),
            ("https://h/a", "https://h/a/b;v=1"), ("https://h/a//", "https://h/a//"),
            ("https://h/a//", "https://h/a//b"),
            ("https://h//", "https://h//a"),
        ])
    func covers(base: String, other: String) throws {
        #expect(try WebURL(parsing: base).covers(WebURL(parsing: other)))
    }

    @Test(
        "a URL does not cover", .proves("threat-41"), .proves("threat-51"),
        arguments: [
            ("https://h/a", "https://h/ab"), ("https://h/a", "https://h/"), ("https://h/a/", "https://h/ab"),
            ("https://h/a", "http://h/a"),
            ("https://h/a", "https://h:444/a"),
            ("https://h/a", "https://h.evil/a"), ("https://h/a", "https://h/A"), ("https://h/a", "https://h/%61/b"),
            ("https://h/a/b", "https://h/a//b"),
            ("https://h/a", "https://h/a/../b"), ("https://h/a", "https://h/a/."), ("https://h/a", "https://h/a/.."),
            ("https://h/a", "https://h/a/%2e%2e/b"),
            ("https://h/a", "https://h/a/.%2E/b"), ("https://h/a", "https://h/a/%2e"),
            ("https://h/a", "https://h/a/..;x/b"),
            ("https://h/a", "https://h/a/%2e%2e;/b"),
            // No text, or one that lenient servers read as dots: overlong, cut short, a surrogate.
            ("https://h/a", "https://h/a/%C0%AE%C0%AE/b"), ("https://h/a", "https://h/a/%FF"),
            ("https://h/a", "https://h/a/b%C3"), ("https://h/a", "https://h/a/%ED%A0%80"),
            ("https://h/a", "https://h/a/..%3bx/b"), ("https://h/a", "https://h/a/..%2fb"),
            ("https://h/a", "https://h/a/b%2F..%2Fc"),
            ("https://h/a", "https://h/a/..%5cb"),
            ("https://h/a", "https://h/a/b%5Cc"), ("https://h/a", "https://h/a/%252e%252e/b"),
            ("https://h/a", "https://h/a/%25%32%65"),
            ("https://h/a", "https://h/a/b%252fc"),
            ("https://h/a", "https://h/a/b%00"), ("https://h/a", "https://h/a/b%0a"),
            ("https://h/a?x", "https://h/a?x"),
            ("https://h/a#", "https://h/a"),
            ("https://h/a/../b", "https://h/a/../b/c"), ("https://h/a%2fb", "https://h/a%2fb/c"),
            ("https://h/a//", "https://h/a/"),
            ("https://h//", "https://h/a"),
        ])
    func doesNotCover(base: String, other: String) throws {
        #expect(try !WebURL(parsing: base).covers(WebURL(parsing: other)))
    }
}
