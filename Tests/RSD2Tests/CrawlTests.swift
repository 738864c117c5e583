import TestSupport
import Testing
import Wire

@testable import RSD2

@Suite("RSD discovery: the crawl", .proves("RSD-1"))
struct CrawlTests {
    /// A network in memory: what each URL answers.
    private struct Network {
        var pages: [String: HTTP.Response] = [:]
        private(set) var asked: [String] = []

        static func response(_ code: Int, _ body: String = "", _ fields: [(String, String)] = []) throws
            -> HTTP.Response
        {
            var response = HTTP.Response(try #require(HTTP.Response.Status(code)), body: Array(body.utf8))
            for (name, value) in fields { try response.fields.append(HTTP.Field.Name(parsing: name), value) }
            return response
        }

        mutating func answer(_ request: Crawl.Request) -> Crawl.Outcome {
            asked.append(request.url.text)
            return pages[request.url.text].map { .response($0) } ?? .failure
        }
    }

    private let start = Timestamp(seconds: 1_700_000_000)
    private let home = "https://moodle.example.ch/"
    private let document =
        #"{"engineLink":"","homePageLink":"https://moodle.example.ch/","apis":{"org.ietf.oauth2":{"apiLink":"x"}}}"#

    private func listing(_ url: String, allowing hosts: [String] = []) throws -> Crawl.Listing {
        Crawl.Listing(try serviceURL(url), allowedHosts: try hosts.map { try WebURL(parsing: "https://\($0)/").host })
    }

    /// Runs until nothing is due at the moment.
    private func run(_ crawl: inout Crawl, _ network: inout Network, at now: Timestamp) -> [Crawl.Event] {
        var events: [Crawl.Event] = []
        while true {
            let work = crawl.requests(at: now, limit: 10)
            events += work.events
            if work.requests.isEmpty { return events }
            for request in work.requests { events += crawl.receive(network.answer(request), for: request.id, at: now) }
        }
    }

    private func words(_ events: [Crawl.Event]) -> [String] {
        events.map { event in
            switch event {
            case .found: "found"
            case .changed: "changed"
            case .unchanged: "unchanged"
            case .failed(_, let failure, let retry):
                "failed: \(failure.description), again in \(retry.seconds - start.seconds)"
            case .gone: "gone"
            }
        }
    }

    private func published() throws -> Network {
        var network = Network()
        network.pages[home + "services.txt"] = try Network.response(
            200, "application/x-rsd+json; rsd.json\nttl: 1800\n", [("ETag", "\"l\"")])
        network.pages[home + "rsd.json"] = try Network.response(
            200, document, [("ETag", "\"d\""), ("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT")])
        return network
    }

    private func crawl(_ listings: [Crawl.Listing], _ policy: Crawl.Policy = Crawl.Policy()) -> Crawl {
        var crawl = Crawl(policy: policy)
        _ = crawl.setIndex(listings, at: start)
        return crawl
    }

    @Test func aDocumentIsFoundByItsListAndKeptUntilItChanges() throws {
        var network = try published()
        var crawl = crawl([try listing(home)])
        #expect(words(run(&crawl, &network, at: start)) == ["found"])
        #expect(network.asked == [home + "services.txt", home + "rsd.json"])
        #expect(crawl.nextWork == start + .seconds(1_800))
        #expect(run(&crawl, &network, at: start + .seconds(1_799)).isEmpty)
        #expect(words(run(&crawl, &network, at: start + .seconds(1_800))) == ["unchanged"])
        network.pages[home + "rsd.json"] = try Network.response(200, document.replacing("\"x\"", with: "\"y\""))
        #expect(words(run(&crawl, &network, at: start + .seconds(4_000))) == ["changed"])
        #expect(crawl.document(of: try serviceURL(home))?.apis[0].link == "y")
        network.pages[home + "rsd.json"] = try Network.response(200, document.replacing("\"x\"", with: " \"y\""))
        #expect(words(run(&crawl, &network, at: start + .seconds(6_000))) == ["unchanged"], "white space is no change")
    }

    @Test func whatIsKnownIsAskedForConditionally() throws {
        var network = try published()
        var crawl = crawl([try listing(home)])
        _ = run(&crawl, &network, at: start)
        let now = start + .seconds(1_800)
        let list = try #require(crawl.requests(at: now, limit: 1).requests.first)
        #expect(list.http.fields.map(\.value) == ["text/plain", "\"l\""])
        _ = crawl.receive(.response(try Network.response(304)), for: list.id, at: now)
        let request = try #require(crawl.requests(at: now, limit: 1).requests.first)
        #expect(
            request.http.fields.map(\.value) == ["application/x-rsd+json", "\"d\"", "Tue, 14 Nov 2023 22:13:20 GMT"])
        #expect(words(crawl.receive(.response(try Network.response(304)), for: request.id, at: now)) == ["unchanged"])
    }

    @Test func thePageIsAskedWhereThereIsNoList() throws {
        var network = Network()
        network.pages[home + "services.txt"] = try Network.response(404)
        network.pages[home] = try Network.response(
            200,
            "<link rel=ServiceAPI type=application/x-rsd+xml href=a.xml><link rel=ServiceAPI type=application/x-rsd+json href=b.json>"
        )
        network.pages[home + "b.json"] = try Network.response(200, "no JSON")
        network.pages[home + "a.xml"] = try Network.response(
            200,
            "<rsd version='2.0' xmlns='http://github.com/rsd-spec/rsd'><service><engineLink/><apis/></service></rsd>")
        var crawl = crawl([try listing(home)])
        #expect(words(run(&crawl, &network, at: start)) == ["found"])
        #expect(network.asked == [home + "services.txt", home, home + "b.json", home + "a.xml"])
    }

    @Test func failuresAreRetriedLaterAndLaterUntilTheDocumentIsGone() throws {
        var policy = Crawl.Policy()
        (policy.patience, policy.longestPause) = (3, 1_000)
        var network = try published()
        var crawl = crawl([try listing(home)], policy)
        _ = run(&crawl, &network, at: start)
        network.pages = [:]
        #expect(words(run(&crawl, &network, at: start + .seconds(2_000))) == ["failed: no answer, again in 2300"])
        #expect(crawl.document(of: try serviceURL(home)) != nil)
        #expect(words(run(&crawl, &network, at: start + .seconds(2_300))) == ["failed: no answer, again in 2900"])
        #expect(
            words(run(&crawl, &network, at: start + .seconds(2_900))) == ["failed: no answer, again in 3900", "gone"])
        #expect(crawl.document(of: try serviceURL(home)) == nil)
        #expect(words(run(&crawl, &network, at: start + .seconds(3_900))) == ["failed: no answer, again in 4900"])
        network = try published()
        #expect(words(run(&crawl, &network, at: start + .seconds(4_900))) == ["found"])
    }

    @Test func aBusyServerSaysWhenToComeBack() throws {
        var network = Network()
        network.pages[home + "services.txt"] = try Network.response(503, "", [("Retry-After", "7200")])
        var crawl = crawl([try listing(home)])
        #expect(words(run(&crawl, &network, at: start)) == ["failed: status 503, again in 7200"])
    }

    @Test(.proves("threat-42")) func onlyTheServicesOwnHostAndTheAllowedOnesAreAsked() throws {
        let places = [
            "https://evil.example.com/a", "http://moodle.example.ch/a", "https://moodle.example.ch:8443/a",
            "https://moodle.example.ch.evil.example.com/a",
            "https://127.0.0.1/a", "https://cdn.example.ch/a",
        ]
        for place in places {
            var network = Network()
            network.pages[home + "services.txt"] = try Network.response(200, "application/x-rsd+json; \(place)")
            network.pages[home] = try Network.response(200, "")
            network.pages[place] = try Network.response(200, document)
            var crawl = crawl([try listing(home)])
            #expect(
                words(run(&crawl, &network, at: start)) == ["failed: no document is published (RSD-2), again in 300"],
                "\(place)")
            #expect(!network.asked.contains(place))
            var generous = self.crawl([try listing(home, allowing: ["cdn.example.ch"])])
            #expect(
                words(run(&generous, &network, at: start)).first
                    == (place == "https://cdn.example.ch/a"
                        ? "found" : "failed: no document is published (RSD-2), again in 300"))
        }
    }

    @Test(.proves("threat-42")) func redirectsAreCheckedLikeEveryURL() throws {
        func verdict(_ location: String?, _ status: Int = 302) throws -> [String] {
            var network = try published()
            network.pages[home + "moved.json"] = network.pages[home + "rsd.json"]
            network.pages[home + "rsd.json"] = try Network.response(
                status, "", location.map { [("Location", $0)] } ?? [])
            network.pages["https://evil.example.com/"] = try Network.response(200, document)
            var crawl = crawl([try listing(home)])
            let events = words(run(&crawl, &network, at: start))
            #expect(!network.asked.contains("https://evil.example.com/"))
            return events
        }
        let refused = ["failed: a redirect that may not be followed (threat-42), again in 300"]
        #expect(try verdict("moved.json") == ["found"])
        #expect(try verdict("/moved.json", 308) == ["found"])
        for location in [
            "https://evil.example.com/", "//evil.example.com/", "http://moodle.example.ch/moved.json",
            "file:///etc/passwd", "rsd.json",
            nil,
        ] {
            #expect(try verdict(location) == refused, "\(location ?? "none")")
        }
    }

    @Test(.proves("threat-43")) func longBodiesAreRefused() throws {
        var network = try published()
        var policy = Crawl.Policy()
        policy.limits = ServiceDescription.Limits(bytes: 50)
        var crawl = crawl([try listing(home)], policy)
        #expect(
            words(run(&crawl, &network, at: start)) == [
                "failed: a body of more than 50 bytes (threat-43), again in 300"
            ])
    }

    @Test("What is too long to be handed on is not taken in, in whatever binding", .proves("threat-43"))
    func tooLongForApps() throws {
        let limit = ServiceDescription.lengthLimit
        func crawled(_ type: String, _ body: String) throws -> [String] {
            var network = Network()
            network.pages[home + "services.txt"] = try Network.response(200, "application/x-rsd+\(type); rsd\n")
            network.pages[home + "rsd"] = try Network.response(200, body)
            var crawl = crawl([try listing(home)])
            return words(run(&crawl, &network, at: start))
        }
        func written(_ count: Int) -> String {
            String(document.dropLast()) + #","notes":"\#(String(repeating: "x", count: count))"}"#
        }
        let longest = limit - written(0).utf8.count
        #expect(try crawled("json", written(longest)) == ["found"])
        let refused = try crawled("json", written(longest + 1))
        #expect(refused.count == 1 && refused[0].contains("threat-43") && refused[0].contains("\(limit + 1) bytes"))
        // Whose quotes are two bytes each in JSON.
        let yaml = "engineLink: ''\napis: {}\nnotes: x" + String(repeating: #"""#, count: limit / 2) + "\n"
        #expect(yaml.utf8.count < limit)
        #expect(try crawled("yaml", yaml).first?.contains("threat-43") == true)
        // Nor where somebody else has found it.
        let url = try serviceURL(home)
        let long = try ServiceDescription(parsing: written(longest + 1))
        var directory = ServiceDirectory()
        #expect(throws: ServiceDescription.Rejection.tooLong(length: limit + 1, limit: limit)) {
            try directory.update(url, long)
        }
    }

    @Test(.proves("threat-45")) func tokensOfPublicDocumentsAreDropped() throws {
        var network = try published()
        let tokens = #""authorization":{"access_token":"SECRET"}"#
        network.pages[home + "rsd.json"] = try Network.response(
            200, #"{"engineLink":"",\#(tokens),"apis":{"a":{\#(tokens)}}}"#)
        var crawl = crawl([try listing(home)])
        _ = run(&crawl, &network, at: start)
        let document = try #require(crawl.document(of: serviceURL(home)))
        #expect(document.authorization == nil && document.apis[0].authorization == nil)
    }

    @Test func oneHostIsAskedOneThingAtATime() throws {
        var crawl = crawl(try (0..<30).map { try listing("https://many.example.ch/\($0)") } + [try listing(home)])
        var most = 0
        var done: Set<String> = []
        var open: [Crawl.Request] = []
        var now = start
        for _ in 0..<400 {
            open += crawl.requests(at: now, limit: 5).requests
            most = max(most, open.filter { $0.url.host.text == "many.example.ch" }.count)
            guard !open.isEmpty else { break }
            let request = open.removeFirst()
            done.insert(request.service.identity)
            _ = crawl.receive(.failure, for: request.id, at: now)
            now = now + .seconds(1)
        }
        #expect(most == 1)
        #expect(done.count == 31)
    }

    @Test func whoLeavesTheIndexIsGoneAndHoldsNobodyUp() throws {
        var network = try published()
        var crawl = crawl([
            try listing(home), try listing("https://x.example.ch/1"), try listing("https://x.example.ch/2"),
            try listing("https://x.example.ch/3"),
        ])
        let first = crawl.requests(at: start, limit: 10).requests
        #expect(first.count == 2)
        for request in first where request.url.host.text == "moodle.example.ch" {
            _ = crawl.receive(network.answer(request), for: request.id, at: start)
        }
        _ = run(&crawl, &network, at: start)
        #expect(words(crawl.setIndex([try listing("https://x.example.ch/3")], at: start)) == ["gone"])
        for request in first { #expect(crawl.receive(.failure, for: request.id, at: start).isEmpty) }
        let next = crawl.requests(at: start, limit: 10).requests
        #expect(next.map(\.service.identity) == ["https://x.example.ch/3"])
    }

    @Test func aLostOutcomeCountsAsAFailure() throws {
        var crawl = crawl([try listing(home)])
        let lost = try #require(crawl.requests(at: start, limit: 1).requests.first)
        #expect(crawl.requests(at: start + .seconds(119), limit: 1).events.isEmpty)
        #expect(
            words(crawl.requests(at: start + .seconds(120), limit: 1).events) == ["failed: no answer, again in 420"])
        #expect(crawl.receive(.failure, for: lost.id, at: start + .seconds(121)).isEmpty)
    }

    // MARK: Whose document it is

    /// Alpha publishes on its own host what claims to be Beta's, and keeps Beta's tokens for itself.
    @Test(.proves("threat-52")) func nobodySpeaksForAnotherService() throws {
        let (alpha, beta) = ("https://alpha.example.ch/", "https://beta.example.ch/")
        func document(_ home: String?, _ link: String, path: String? = nil) -> String {
            let page = home.map { #""homePageLink":"\#($0)","# } ?? ""
            let extra = path.map { #","org.ietf.oauth2.token":{"apiLink":"\#($0)"}"# } ?? ""
            return #"{"engineLink":"",\#(page)"apis":{"org.ietf.oauth2":{"apiLink":"\#(link)"}\#(extra)}}"#
        }
        func publish(_ text: String, allowing hosts: [String] = []) throws -> (ServiceDirectory, [String]) {
            var network = Network()
            for (home, body) in [(alpha, text), (beta, document(beta, "oauth"))] {
                network.pages[home + "services.txt"] = try Network.response(200, "application/x-rsd+json; rsd.json")
                network.pages[home + "rsd.json"] = try Network.response(200, body)
            }
            var crawl = crawl([try listing(alpha, allowing: hosts), try listing(beta)])
            var directory = ServiceDirectory()
            let events = run(&crawl, &network, at: start)
            for event in events { directory.apply(event) }
            return (directory, words(events))
        }
        for text in [
            document(beta, "https://alpha.example.ch/oauth"), document("https://Beta.example.ch:443", "oauth"),
            document("not a URL", "oauth"), document(alpha, "https://evil.example.com/oauth"),
            document(alpha, "oauth", path: "https://evil.example.com/token"),
            document(nil, "https://beta.example.ch/oauth"),
        ] {
            let (directory, words) = try publish(text)
            #expect(words.count == 2 && words.contains { $0.contains("threat-52") } && words.contains("found"))
            // The honest one is untouched.
            #expect(directory.entries.map(\.service.identity) == [beta])
            let endpoint = try directory.entries[0].description.endpoint(for: protocolName("org.ietf.oauth2"))
            #expect(endpoint.text == "https://beta.example.ch/oauth")
        }
        // Its own document is found, under the index's URL, in whatever spelling it says it, or if it says none.
        for text in [document("HTTPS://ALPHA.example.ch", "oauth"), document(nil, "https://alpha.example.ch/oauth")] {
            let (directory, words) = try publish(text)
            #expect(words == ["found", "found"])
            #expect(try directory.services(at: [serviceURL(alpha)])[0].description.homePageLink == alpha)
        }
        let elsewhere = try publish(document(alpha, "https://id.example.ch/"), allowing: ["id.example.ch"])
        #expect(elsewhere.1 == ["found", "found"])
    }

    @Test(.proves("threat-52")) func aHostThatIsAllowedNoMoreIsNobodysAtOnce() throws {
        let text = document.replacing(#""x""#, with: #""https://id.example.ch/x""#)
        var network = try published()
        network.pages[home + "rsd.json"] = try Network.response(200, text, [("ETag", "\"d\"")])
        let (there, here) = (try listing(home, allowing: ["id.example.ch"]), try listing(home))
        var crawl = crawl([there])
        #expect(words(run(&crawl, &network, at: start)) == ["found"])
        // What is asked meanwhile says nothing about the service as it is listed now.
        let late = try #require(crawl.requests(at: start + .seconds(1_800), limit: 1).requests.first)
        let now = start + .seconds(1_801)
        #expect(words(crawl.setIndex([here], at: now)) == ["gone"])
        #expect(crawl.document(of: try serviceURL(home)) == nil)
        #expect(crawl.receive(network.answer(late), for: late.id, at: now).isEmpty)
        let refused = words(run(&crawl, &network, at: now))
        #expect(refused.count == 1 && refused[0].contains("threat-52"))
        #expect(crawl.setIndex([here], at: now).isEmpty && run(&crawl, &network, at: now).isEmpty)
        // Nothing is due when the service would have been asked, had it stayed as it was.
        #expect(crawl.nextWork == now + .seconds(300))
        #expect(crawl.setIndex([there], at: now).isEmpty)
        #expect(words(run(&crawl, &network, at: now)) == ["found"])
    }

    @Test(.proves("threat-52")) func theDirectoryTakesNobodysDocumentForAnother() throws {
        var directory = ServiceDirectory()
        let claim = try ServiceDescription(parsing: document)
        let other = try serviceURL("https://alpha.example.ch/")
        #expect(
            throws: ServiceDescription.Rejection.otherService(
                expected: other.identity, found: "https://moodle.example.ch/")
        ) { try directory.update(other, claim) }
        #expect(directory.isEmpty)
        var elsewhere = claim
        elsewhere.apis[0].link = "https://login.example.ch/"
        let moodle = try serviceURL(home)
        #expect(throws: ServiceDescription.Rejection.self) { try directory.update(moodle, elsewhere) }
        let allowed = try WebURL(parsing: "https://login.example.ch/").host
        try directory.update(moodle, elsewhere, allowedHosts: [allowed])
        #expect(directory.count == 1)
    }

    @Test func theDirectoryFollowsTheCrawl() throws {
        var network = try published()
        var crawl = crawl([try listing(home)])
        var directory = ServiceDirectory()
        for event in run(&crawl, &network, at: start) { directory.apply(event) }
        #expect(try directory.services(offering: [protocolName("org.ietf.oauth2")]).count == 1)
        for event in crawl.setIndex([], at: start) { directory.apply(event) }
        #expect(directory.isEmpty)
    }

    @Test(
        .proves("threat-42"),
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255",
            "192.0.0.8", "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        ])
    func closedIPv4AddressesAreRefused(text: String) throws {
        let rule = Destinations.worldwide
        let address = try URI.IPv4Address(parsing: text)
        #expect(!Destinations.worldwide.permits(address))
        #expect(!rule.permits(URI.IPv6Address(bits: 0xFFFF << 32 | UInt128(address.bits))), "mapped")
        #expect(!rule.permits(URI.IPv6Address(bits: 0x0064_FF9B << 96 | UInt128(address.bits))), "NAT64")
        #expect(!rule.permits(URI.IPv6Address(bits: 0x2002 << 112 | UInt128(address.bits) << 80)), "6to4")
    }

    @Test(
        .proves("threat-42"),
        arguments: [
            "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "fec0::1", "2001::1", "2001:db8::1",
            "2002:808:808::1", "3fff::1",
            "64:ff9b:1::808:808", "::808:808", "100::1", "4000::1",
        ])
    func closedIPv6AddressesAreRefused(text: String) throws {
        #expect(!Destinations.worldwide.permits(try URI.IPv6Address(parsing: text)))
    }

    @Test(.proves("threat-42")) func openAddressesAndNamesPass() throws {
        for text in ["8.8.8.8", "130.60.0.1", "172.15.0.1", "172.32.0.1", "100.128.0.1", "1.1.1.1"] {
            #expect(Destinations.worldwide.permits(try URI.IPv4Address(parsing: text)))
        }
        for text in ["2001:620::1", "2a00::1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"] {
            #expect(Destinations.worldwide.permits(try URI.IPv6Address(parsing: text)))
        }
        for (text, isOpen) in [
            ("a.ch", true), ("localhost", false), ("a.localhost", false), ("printer.local", false), ("intranet", false),
            ("x.home.arpa", false), ("a.internal.", false),
        ] {
            #expect(Destinations.worldwide.permits(try WebURL(parsing: "https://\(text)/").host) == isOpen, "\(text)")
        }
    }

    @Test(.proves("threat-70")) func socketsAddressesAreJudgedAlike() {
        let rule = Destinations.worldwide
        #expect(rule.permits(octets: [8, 8, 8, 8]) && !rule.permits(octets: [127, 0, 0, 1]))
        #expect(!rule.permits(octets: [UInt8](repeating: 0, count: 15) + [1]))
        #expect(rule.permits(octets: [0x2a] + [UInt8](repeating: 0, count: 15)))
        for count in [0, 3, 5, 15, 17] { #expect(!rule.permits(octets: [UInt8](repeating: 8, count: count))) }
        #expect(Destinations.anywhere.permits(octets: [127, 0, 0, 1]))
    }

    @Test(.proves("threat-70")) func portsAreTheDefaultOrTheServicesOwn() throws {
        let home = try WebURL(parsing: "https://a.ch:8443/")
        for (text, isOpen) in [
            ("https://a.ch:8443/x", true), ("https://a.ch/x", true), ("https://b.ch/", true),
            ("https://a.ch:22/", false),
            ("https://b.ch:8443/", false), ("https://10.0.0.1/", false),
        ] {
            #expect(Destinations.worldwide.permits(try WebURL(parsing: text), namedBy: home) == isOpen, "\(text)")
        }
    }

    @Test(.proves("threat-42")) func aCrawlOfTheOwnNetworkHasToBeAllowed() throws {
        let home = try ServiceURL(parsing: "http://127.0.0.1:8080/")
        func requests(_ policy: Crawl.Policy) -> Int {
            var crawl = Crawl(policy: policy)
            _ = crawl.setIndex([Crawl.Listing(home)], at: start)
            return crawl.requests(at: start, limit: 8).requests.count
        }
        var policy = Crawl.Policy()
        #expect(requests(policy) == 0)
        policy.destinations = .anywhere
        #expect(requests(policy) == 1)
    }

    @Test func fingerprintsAreThoseOfFNV() {
        // From the published test vectors of FNV-1a, 128 bits: "", "a", "foobar".
        #expect(Fingerprint([]).hash == 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D)
        #expect(Fingerprint(Array("a".utf8)).hash == 0xD228_CB69_6F1A_8CAF_7891_2B70_4E4A_8964)
        #expect(Fingerprint(Array("foobar".utf8)).hash == 0x343E_1662_793C_64BF_6F0D_3597_BA44_6F18)
    }
}
