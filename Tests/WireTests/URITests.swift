import TestSupport
import Testing
import Wire

@Suite("RFC 3986: generic syntax")
struct URIReferenceTests {
    private func fault(_ text: String) -> URI.Rejection? {
        rejection { () throws(URI.Rejection) in try URI.Reference(parsing: text) }
    }

    @Test("§1.1.2: the standard's examples and their components", .proves("RFC3986-3"))
    func examples() throws {
        let ldap = try URI.Reference(parsing: "ldap://[2001:db8::7]/c=GB?objectClass?one")
        #expect(ldap.scheme == "ldap")
        #expect(ldap.authority?.host == .ipv6(try URI.IPv6Address(parsing: "2001:db8::7")))
        #expect((ldap.path, ldap.query, ldap.fragment) == ("/c=GB", "objectClass?one", nil))

        let telnet = try URI.Reference(parsing: "telnet://192.0.2.16:80/")
        #expect(telnet.authority?.host == .ipv4(URI.IPv4Address(bits: 0xc000_0210)))
        #expect(telnet.authority?.port == 80)

        let urn = try URI.Reference(parsing: "urn:oasis:names:specification:docbook:dtd:xml:4.1.2")
        #expect(urn.authority == nil)
        #expect(urn.path == "oasis:names:specification:docbook:dtd:xml:4.1.2")

        let example = try URI.Reference(parsing: "foo://user:pass@Example.com:8042/over/there?name=ferret#nose")
        #expect(try example.authority == URI.Reference(parsing: "x://user:pass@Example.com:8042").authority)
        #expect(example.authority?.userInformation == "user:pass")
        #expect(example.authority?.host == .name("Example.com"))
        #expect((example.path, example.query, example.fragment) == ("/over/there", "name=ferret", "nose"))
        for text in [
            "ftp://ftp.is.co.za/rfc/rfc1808.txt", "mailto:John.Doe@example.com",
            "news:comp.infosystems.www.servers.unix",
            "tel:+1-816-555-1212",
        ] {
            #expect(try URI.Reference(parsing: text).text == text)
        }
    }

    @Test(
        "what is empty is not what is missing, and every text is kept", .proves("RFC3986-5.3"),
        arguments: [
            "", "?", "#", "?#", "//", "//?", "x:", "x://", "x://@", "x://:", "x://@:/", "x://a:", "x://a:0080/",
            "a/b:c", "./b:c", "///",
            "x:///", "/%41%7e",
        ])
    func identity(text: String) throws {
        let reference = try URI.Reference(parsing: text)
        #expect(reference.text == text)
        #expect(reference.encoded() == Array(text.utf8))
        #expect((reference.query == nil) == !text.contains("?"))
        #expect((reference.fragment == nil) == !text.contains("#"))
        #expect((reference.authority == nil) == !text.contains("//"))
    }

    @Test(
        "one fault each", .proves("RFC3986-3"),
        arguments: [
            ("1x:y", .foreignCharacter(0x31, in: .scheme, offset: 0)),
            (":x", .foreignCharacter(0x3a, in: .scheme, offset: 0)),
            ("a_b:c", .foreignCharacter(0x5f, in: .scheme, offset: 1)),
            ("%41:b", .foreignCharacter(0x25, in: .scheme, offset: 0)),
            ("a b", .foreignCharacter(0x20, in: .path, offset: 1)),
            ("/a\\b", .foreignCharacter(0x5c, in: .path, offset: 2)),
            ("/é", .foreignCharacter(0xc3, in: .path, offset: 1)),
            ("/a\nb", .foreignCharacter(0x0a, in: .path, offset: 2)),
            ("/[", .foreignCharacter(0x5b, in: .path, offset: 1)),
            ("/a?b[c", .foreignCharacter(0x5b, in: .query, offset: 4)),
            ("/a?b#c#d", .foreignCharacter(0x23, in: .fragment, offset: 6)),
            ("#^", .foreignCharacter(0x5e, in: .fragment, offset: 1)),
            ("/%", .brokenTriplet(in: .path, offset: 1)), ("/%4", .brokenTriplet(in: .path, offset: 1)),
            ("/%4g", .brokenTriplet(in: .path, offset: 1)),
            ("/a?%4", .brokenTriplet(in: .query, offset: 3)), ("#%", .brokenTriplet(in: .fragment, offset: 1)),
            ("//h%4/1", .brokenTriplet(in: .host, offset: 3)),
            ("//u%@h", .brokenTriplet(in: .userInformation, offset: 3)),
            ("//u[@h", .foreignCharacter(0x5b, in: .userInformation, offset: 3)),
            ("//a@b@c", .foreignCharacter(0x40, in: .host, offset: 5)),
            ("//h<", .foreignCharacter(0x3c, in: .host, offset: 3)),
            ("//h:8x", .foreignCharacter(0x78, in: .port, offset: 5)),
            ("//h:80:80", .foreignCharacter(0x3a, in: .port, offset: 6)),
            ("//h:-1", .foreignCharacter(0x2d, in: .port, offset: 4)), ("//h:65536", .portOutOfRange(offset: 4)),
            ("//h:99999999999999999999999", .portOutOfRange(offset: 4)), ("//[::1", .malformedAddress(offset: 2)),
            ("//[]", .malformedAddress(offset: 3)),
            ("//[::1]x", .foreignCharacter(0x78, in: .host, offset: 7)), ("//[::g]", .malformedAddress(offset: 5)),
            ("//[1::2::3]", .malformedAddress(offset: 8)),
            ("//[v.x]", .malformedAddress(offset: 3)), ("//[v1.]", .malformedAddress(offset: 3)),
            ("//[v1]", .malformedAddress(offset: 3)),
            ("//[vg.x]", .malformedAddress(offset: 4)), ("//[v1.x/]", .malformedAddress(offset: 2)),
            ("//[v1.%41]", .malformedAddress(offset: 6)),
            ("//[fe80::1%25eth0]", .malformedAddress(offset: 10)),
        ] as [(String, URI.Rejection)])
    func faults(text: String, expected: URI.Rejection) {
        #expect(fault(text) == expected)
    }

    @Test("the length is bounded", .proves("threat-14"))
    func length() {
        #expect(fault(String(repeating: "/", count: 65_536)) == nil)
        #expect(fault(String(repeating: "/", count: 65_537)) == .tooLong(length: 65_537, limit: 65_536))
    }

    @Test("no description shows user information", .proves("threat-22"))
    func secrets() throws {
        #expect(try URI.Reference(parsing: "ftp://user:secret@h/x").description == "ftp://…@h/x")
    }

    @Test("random and mutated references never trap; what is read is written again as it was", .proves("RFC3986-5.3"))
    func mutated() {
        let seed: UInt64 = 49
        var generator = SeededGenerator(seed: seed)
        let sources = [
            "http://u:p@h.example:80/a/b;c?d=e#f", "//[::ffff:1.2.3.4]:8/x", "urn:a:b", "../a/./b", "x://[v1.a:b]/",
        ].map {
            Array($0.utf8)
        }
        for round in 0..<20_000 {
            let text = generator.mutated(generator.pick(sources), with: ":/?#[]@%.;=0aAg")
            guard let reference = try? URI.Reference(parsing: text) else { continue }
            #expect(reference.encoded() == text, "seed \(seed), round \(round)")
            let rebuilt =
                (reference.scheme.map { $0 + ":" } ?? "")
                + (reference.authority == nil ? "" : "//\(authority(of: text))") + reference.path
                + (reference.query.map { "?" + $0 } ?? "") + (reference.fragment.map { "#" + $0 } ?? "")
            #expect(Array(rebuilt.utf8) == text, "seed \(seed), round \(round)")
            #expect(reference.normalized().normalized() == reference.normalized(), "seed \(seed), round \(round)")
        }
    }

    private func authority(of text: [UInt8]) -> String {
        let string = String(decoding: text, as: UTF8.self)
        let start = string.firstRange(of: "//")?.upperBound ?? string.endIndex
        return String(string[start...].prefix { !"/?#".contains($0) })
    }
}

@Suite("RFC 3986 §5: resolution")
struct URIResolutionTests {
    @Test("§5.4: the standard's normal and abnormal examples", .proves("RFC3986-5.4"))
    func examples() throws {
        let base = try URI.Reference(parsing: "http://a/b/c/d;p?q")
        let rows = try Table("uri/rfc3986-5.4.tsv").texts
        #expect(rows.count == 42)
        for row in rows { #expect(try base.resolve(URI.Reference(parsing: row[0])).text == row[1], "\(row[0])") }
    }

    @Test(
        "bases without path, without authority, with dot segments", .proves("RFC3986-5.2"),
        arguments: [
            ("http://a", "g", "http://a/g"), ("http://a?q#f", "", "http://a?q"), ("http://a/b#f", "", "http://a/b"),
            ("s:a/b", "c", "s:a/c"), ("s:a", "../c", "s:c"),
            ("s:", "c", "s:c"), ("s:/a/b", "../../../c", "s:/c"), ("http://a/b/../c/", "d", "http://a/c/d"),
            ("http://a/b/../c", "?x", "http://a/b/../c?x"),
            ("http://u@a:1/b", "/c", "http://u@a:1/c"), ("http://a/b?q", "#f", "http://a/b?q#f"),
            ("http://a/b", "//c/d/../e", "http://c/e"),
            ("http://a/b", "/.//c", "http://a//c"), ("http://a/b/", "..//c", "http://a//c"),
        ])
    func bases(base: String, reference: String, target: String) throws {
        #expect(try URI.Reference(parsing: base).resolve(URI.Reference(parsing: reference)).text == target)
    }

    @Test("what cannot be resolved is refused", .proves("RFC3986-5.1"))
    func faults() throws {
        let reference = try URI.Reference(parsing: "x")
        #expect(rejection { () throws(URI.Rejection) in try reference.resolve(reference) } == .relativeBase)
        let pathOnly = try URI.Reference(parsing: "s:/a")
        let slashes = try URI.Reference(parsing: "/.//b")
        #expect(rejection { () throws(URI.Rejection) in try pathOnly.resolve(slashes) } == .pathReadsAsAuthority)
        let long = try URI.Reference(parsing: "http://a/" + String(repeating: "b", count: 65_000) + "/")
        let added = try URI.Reference(parsing: String(repeating: "c", count: 1_000))
        #expect(
            rejection { () throws(URI.Rejection) in try long.resolve(added) } == .tooLong(length: 66_010, limit: 65_536)
        )
    }

    @Test("deep climbing is linear and ends at the root", .proves("threat-14"))
    func climbing() throws {
        let base = try URI.Reference(parsing: "http://a/" + String(repeating: "b/", count: 10_000))
        let climb = try URI.Reference(parsing: String(repeating: "../", count: 20_000) + "c")
        #expect(try base.resolve(climb).text == "http://a/c")
    }

    @Test(
        "§6.2.2: the normal form", .proves("RFC3986-6.2.2"),
        arguments: [
            ("HTTP://Example.COM/%7efoo/%c3%a9", "http://Example.COM/~foo/%C3%A9".replacingHost),
            ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
            ("http://%41.example/", "http://a.example/"), ("HTTP://h/%2e%2e/a", "http://h/a"), ("%2e%2e/a", "../a"),
            ("x:/.//a", "x:/.//a"),
            ("u:A%2fb?%5f#%5F", "u:A%2Fb?_#_"),
            ("//U%5fs@H%c3:80", "//U_s@h%C3:80"),
        ])
    func normalForm(text: String, expected: String) throws {
        #expect(try URI.Reference(parsing: text).normalized().text == expected)
    }
}

extension String {
    fileprivate var replacingHost: String { replacing("Example.COM", with: "example.com") }
}

@Suite("RFC 3986 §2.1: percent-encoding")
struct PercentEncodingTests {
    @Test("every byte there and back", .proves("RFC3986-2.1"))
    func everyByte() throws {
        let bytes = (0...255).map { UInt8($0) }
        let text = PercentEncoding.encode(bytes)
        #expect(try PercentEncoding.decode(text) == bytes)
        #expect(text.hasPrefix("%00%01") && text.hasSuffix("%FE%FF"))
        #expect(PercentEncoding.encode("AZaz09-._~") == "AZaz09-._~")
        #expect(PercentEncoding.encode("é/?:+ ") == "%C3%A9%2F%3F%3A%2B%20")
    }

    @Test(
        "broken triplets are refused at their place", .proves("RFC3986-2.1"),
        arguments: [("%", 0), ("a%", 1), ("a%4", 1), ("%41%4x", 3), ("%%41", 0)])
    func faults(text: String, offset: Int) {
        #expect(
            rejection { () throws(SyntaxError) in try PercentEncoding.decode(text) }
                == .brokenTriplet(.percentEncoding, offset: offset))
    }
}

@Suite("RFC 4291, RFC 5952: addresses")
struct IPAddressTests {
    @Test(
        "the shortest text of an address", .proves("RFC5952-4"),
        arguments: [
            ("::", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("::ffff:192.0.2.1", "::ffff:c000:201"), ("1::", "1::"),
            ("64:ff9b::255.255.255.255", "64:ff9b::ffff:ffff"),
        ])
    func text(source: String, expected: String) throws {
        let address = try URI.IPv6Address(parsing: source)
        #expect(address.description == expected)
        #expect(try URI.IPv6Address(parsing: expected) == address)
    }

    @Test("random addresses there and back", .proves("RFC5952-4"))
    func roundTrip() throws {
        let seed: UInt64 = 50
        var generator = SeededGenerator(seed: seed)
        for round in 0..<5_000 {
            var bits: UInt128 = 0
            for _ in 0..<8 { bits = bits << 16 | (generator.below(2) == 0 ? 0 : UInt128(generator.next() & 0xffff)) }
            #expect(
                try URI.IPv6Address(parsing: URI.IPv6Address(bits: bits).description).bits == bits,
                "seed \(seed), round \(round)")
            let four = UInt32(truncatingIfNeeded: bits)
            #expect(
                try URI.IPv4Address(parsing: URI.IPv4Address(bits: four).description).bits == four,
                "seed \(seed), round \(round)")
        }
    }

    @Test(
        "four numbers, plainly", .proves("RFC3986-3.2.2"),
        arguments: [
            ("127.1", 5), ("1.2.3", 5), ("1.2.3.", 6), ("1.2.3.4.", 7), ("1.2.3.4.5", 7), ("01.2.3.4", 1),
            ("1.2.3.256", 8), ("1..3.4", 2),
            ("", 0), ("0x1.2.3.4", 1), ("1.2.3.4 ", 7),
            ("+1.2.3.4", 0), ("1.2.3.99999999999", 8),
        ])
    func fourNumbers(text: String, offset: Int) {
        #expect(
            rejection { () throws(URI.Rejection) in try URI.IPv4Address(parsing: text) }
                == .malformedAddress(offset: offset))
    }
}
