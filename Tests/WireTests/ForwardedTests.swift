import TestSupport
import Testing
import Wire

private let proxy = HTTP.Peer.ipv4(URI.IPv4Address(bits: 0x0a00_0001))
private let stranger = HTTP.Peer.ipv4(URI.IPv4Address(bits: 0x0a00_0002))

/// Whom a request of the proxy comes from, as `name scheme`, or the clause that refuses it.
private func client(
    _ family: HTTP.Forwarding.Family, _ lines: [(String, String)], hops: Int = 1, of peer: HTTP.Peer = proxy,
    trusting peers: Set<HTTP.Peer> = [proxy], scheme: WebURL.Scheme = .http
) throws -> String {
    let policy = try #require(HTTP.Forwarding(trusting: peers, family: family, hops: hops))
    var fields = HTTP.Fields()
    for (name, value) in lines { try fields.append(HTTP.Field.Name(parsing: name), value) }
    do throws(HTTP.Forwarding.Refusal) {
        return try policy.client(of: peer, scheme: scheme, fields: fields).words
    } catch {
        return error.clause
    }
}

private func standard(_ values: String..., hops: Int = 1) throws -> String {
    try client(.standard, values.map { ("Forwarded", $0) }, hops: hops)
}

private func customary(_ addresses: String, _ schemes: String? = nil, hops: Int = 1) throws -> String {
    let lines = [("X-Forwarded-For", addresses)] + (schemes.map { [("X-Forwarded-Proto", $0)] } ?? [])
    return try client(.customary, lines, hops: hops)
}

extension HTTP.Client {
    fileprivate var words: String {
        let name =
            switch name {
            case .peer(.ipv4(let address)): address.description
            case .peer(.ipv6(let address)): address.description
            case .peer(.localSocket): "socket"
            case .obfuscated(let name): name
            case .unknown: "?"
            }
        return name + " " + scheme.rawValue
    }
}

@Suite("RFC 7239: who a request comes from")
struct ForwardedTests {
    private static let all = [
        ("Forwarded", "for=1.1.1.1;proto=https"), ("X-Forwarded-For", "2.2.2.2"), ("X-Forwarded-Proto", "https"),
        ("X-Real-IP", "3.3.3.3"),
    ]

    @Test("Nobody is believed by default, and strangers never", .proves("FWD-1"))
    func untrusted() throws {
        var fields = HTTP.Fields()
        for (name, value) in Self.all + [("Forwarded", "\"")] {
            try fields.append(HTTP.Field.Name(parsing: name), value)
        }
        #expect(try HTTP.Forwarding.ignored.client(of: proxy, scheme: .http, fields: fields).words == "10.0.0.1 http")
        for family in [HTTP.Forwarding.Family.standard, .customary] {
            #expect(try client(family, Self.all + [("Forwarded", "\"")], of: stranger) == "10.0.0.2 http")
            #expect(try client(family, Self.all, of: .localSocket) == "socket http")
            #expect(try client(family, [("X-Real-IP", "3.3.3.3")]) == "10.0.0.1 http")
        }
    }

    @Test("One of two families is read, of the peers that are named", .proves("FWD-2"))
    func families() throws {
        #expect(try client(.standard, Self.all) == "1.1.1.1 https")
        #expect(try client(.customary, Self.all) == "2.2.2.2 https")
        #expect(try client(.standard, Array(Self.all[1...])) == "10.0.0.1 http")
        #expect(try client(.customary, Array(Self.all[..<1]), scheme: .https) == "10.0.0.1 https")
        #expect(try client(.standard, Self.all, of: .localSocket, trusting: [.localSocket]) == "1.1.1.1 https")
        let mapped = HTTP.Peer(try URI.IPv6Address(parsing: "::ffff:10.0.0.1"))
        #expect(try client(.standard, Self.all, of: mapped) == "1.1.1.1 https")
        #expect(HTTP.Forwarding(trusting: [], family: .standard) == nil)
        for hops in [.min, -1, 0, HTTP.Forwarding.hopLimit + 1, .max] {
            #expect(HTTP.Forwarding(trusting: [proxy], family: .standard, hops: hops) == nil, "\(hops) hops")
        }
        #expect(HTTP.Forwarding(trusting: [proxy], family: .standard, hops: HTTP.Forwarding.hopLimit) != nil)
    }

    @Test("Elements count from the right, over all fields of the name", .proves("FWD-3"))
    func hops() throws {
        #expect(try standard("for=9.9.9.9, for=1.1.1.1") == "1.1.1.1 http")
        #expect(try standard("for=9.9.9.9", "for=1.1.1.1") == "1.1.1.1 http")
        #expect(try standard("for=9.9.9.9, for=1.1.1.1;proto=https, for=2.2.2.2", hops: 2) == "1.1.1.1 https")
        #expect(try standard("for=9.9.9.9, for=1.1.1.1", "for=2.2.2.2;proto=https", hops: 2) == "1.1.1.1 http")
        #expect(try standard("for=1.1.1.1", hops: 2) == "FWD-3")
        #expect(try customary("9.9.9.9, 1.1.1.1") == "1.1.1.1 http")
        #expect(try customary("9.9.9.9 ,1.1.1.1\t, 2.2.2.2", "http, https, http", hops: 2) == "1.1.1.1 https")
        #expect(try customary("1.1.1.1, 2.2.2.2", "https", hops: 2) == "1.1.1.1 https")
        #expect(try customary("1.1.1.1", hops: 2) == "FWD-3")
        #expect(try customary("1.1.1.1, 2.2.2.2, 3.3.3.3", "https, http", hops: 3) == "FWD-3")
        // What others have said is not even read, where it cannot hide the element behind it.
        #expect(try customary("anything=\"at all, , 1.1.1.1", "gopher, https") == "1.1.1.1 https")
    }

    @Test(
        "The grammar, with all that an element may say", .proves("FWD-4"), .proves("FWD-5"),
        arguments: [
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60 http"),
            ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17 http"), ("for=\"[::1]\"", "::1 http"),
            ("for=\"[::ffff:1.2.3.4]\"", "1.2.3.4 http"), ("for=\"192.0.2.43:47011\"", "192.0.2.43 http"),
            ("for=\"1.1.1.1:_p.-1\"", "1.1.1.1 http"), ("for=_gazonk", "_gazonk http"), ("for=Unknown", "? http"),
            ("for=\"unknown:1\"", "? http"), ("proto=HTTPS", "? https"), ("for=\"1.1.\\1.1\"", "1.1.1.1 http"),
            ("for=1.1.1.1;host=evil.example;secret=\"a, b;c\"", "1.1.1.1 http"),
            ("\tfor=9.9.9.9 \t,\t for=1.1.1.1 ", "1.1.1.1 http"),
        ])
    func taken(value: String, expected: String) throws {
        #expect(try standard(value) == expected)
    }

    @Test(
        "One fault each", .proves("FWD-4"),
        arguments: [
            "", ",", "for=1.1.1.1,", ",for=1.1.1.1", "for=1.1.1.1,,for=1.1.1.1", ";for=1.1.1.1", "for=1.1.1.1;",
            "for=1.1.1.1;;by=_a", "for", "for=", "=1.1.1.1", "for =1.1.1.1", "for= 1.1.1.1", "for=1.1.1.1 ;by=_a",
            "for=1.1.1.1; by=_a", "for=1.1.1.1 x", "for=1.1.1.1;for=1.1.1.1", "for=1.1.1.1;FOR=1.1.1.1",
            "a=b;for=1.1.1.1;A=c", "for=\"1.1.1.1", "for=\"1.1.1.1\\", "for=1.1.1.1:80", "for=[::1]", "for=\"::1\"",
            "for=\"[::1\"", "for=\"[::1]x\"", "for=\"[]\"", "for=\"[fe80::1%1]\"", "for=\"\"", "for=\":1\"",
            "for=01.1.1.1", "for=1.1.1", "for=1.1.1.256", "for=host.example", "for=_", "for=_a~b", "for=\"_a b\"",
            "for=\"1.1.1.1:\"", "for=\"1.1.1.1:123456\"", "for=\"1.1.1.1:1a\"", "for=\"1.1.1.1:_\"", "for=unknown2",
            "for=1.1.1.1;by=1.1.1", "for=1.1.1.1;proto=gopher", "for=\"é\"", "for=x, for=1.1.1.1",
        ])
    func faults(value: String) throws {
        #expect(try standard(value) == "FWD-4")
    }

    @Test("The customary fields name bare addresses and schemes of the web", .proves("FWD-4"))
    func customaryGrammar() throws {
        #expect(try customary("2001:db8::1", "HTTPS") == "2001:db8::1 https")
        #expect(try customary("::ffff:1.2.3.4") == "1.2.3.4 http")
        #expect(try customary("Unknown") == "? http")
        for fault in ["", "1.1.1.1,", "1.1.1.1:80", "[::1]", "_a", "\"1.1.1.1\"", "1.1.1.1 2.2.2.2", "01.1.1.1"] {
            #expect(try customary(fault) == "FWD-4", "\(fault)")
        }
        for fault in ["", "https,", "wss", "\"https\""] {
            #expect(try customary("1.1.1.1", fault) == "FWD-4", "\(fault)")
        }
    }

    @Test("The elements of a field, and the parameters of one, are bounded", .proves("FWD-4"))
    func bounds() throws {
        let element = "for=1.1.1.1"
        #expect(try standard(Array(repeating: element, count: 64).joined(separator: ",")) == "1.1.1.1 http")
        #expect(try standard(Array(repeating: element, count: 65).joined(separator: ",")) == "FWD-4")
        let parameters = (1...63).map { "a\($0)=b" }.joined(separator: ";") + ";" + element
        #expect(try standard(parameters) == "1.1.1.1 http")
        #expect(try standard(parameters + ";a64=b") == "FWD-4")
    }
}
