internal import JOSETesting
internal import Wire

// How a crawler keeps the description of one service: its requests, and what it makes of the answers.

extension Catalogue {
    mutating func addCrawls() {
        add(.crawl, "crawl-", Self.rounds + Self.returns + Self.hosts + Self.failures) { Self.crawling($0) }
        add(.crawl, "crawl-", Self.moves) { location, more in
            Self.crawling([[:], ["answer": Self.list()], ["answer": Self.moved(location)]] + more)
                .changed(["allowed_hosts": ["files.example.ch"]])
        }
        add(.crawl, "crawl-known-", Self.memories) { known, steps in
            Self.crawling(steps).changed(["known": .object(known)])
        }
        add(.crawl, "crawl-list-", Self.flawedLists) { text in
            Self.crawling([[:], ["answer": Self.answer(text)], ["answer": Self.answer("<html></html>")]])
        }
        add(.crawl, "crawl-document-", Self.flawedDocuments) { text in
            Self.crawling([[:], ["answer": Self.list()], ["answer": Self.answer(text)]])
        }
    }

    private static let home = World.alpha
    private static let place = home + "/rsd2.json"

    /// Steps of which each comes a second after the one before, unless it says otherwise.
    private static func crawling(_ steps: [JSON.Object]) -> JSON.Object {
        var now = World.beginning - 1
        let timed = steps.map { step -> JSON in
            var step = step
            now += step["after"]?.number?.integer(as: Int64.self) ?? 1
            step["after"] = nil
            step["now"] = .number(JSON.Number(now))
            return .object(step)
        }
        return ["service": .string(home), "steps": .array(timed)]
    }

    private static func answer(_ body: String, _ headers: JSON.Object = [:], _ status: JSON = 200) -> JSON {
        let members: JSON.Object = ["status": status, "headers": .object(headers)]
        return .object(body.isEmpty ? members : members.changed(["body": .string(body)]))
    }

    private static func list(_ lines: String = "ttl: 3600\n", _ link: String = place, _ headers: JSON.Object = [:])
        -> JSON
    {
        answer(lines + "application/x-rsd+json; \(link)\n", headers)
    }

    private static func document(
        _ name: String = "University of Alpha", _ more: String = "", takingTokensAt link: String = "oauth"
    ) -> String {
        joined(
            #"{"engineName":"\#(name)","engineLink":"","homePageLink":"\#(home)","apis":{"org.ietf.oauth2":"#,
            #"{"apiLink":"\#(link)"}}\#(more)}"#)
    }

    private static func moved(_ location: JSON?) -> JSON {
        answer("", location.map { ["Location": $0] } ?? [:], 302)
    }

    private static let found: [JSON.Object] = [[:], ["answer": list()], ["answer": answer(document())]]
    private static let tagged: JSON.Object = [
        "ETag": "\"one\"", "Last-Modified": "Fri, 15 Jan 2027 08:00:00 GMT",
    ]
    private static let taggedRound: [JSON.Object] = [
        [:], ["answer": list("ttl: 3600\n", place, ["ETag": "\"list\""])], ["answer": answer(document(), tagged)],
    ]
    private static let standing: JSON = ["status": 304, "headers": [:]]

    // MARK: Rounds

    private static let rounds: [Row<[JSON.Object]>] = [
        ("found", "a list leads to the document", ["RSD-1", "RSD-2"], nil, found),
        (
            "page", "there is no list, and the page announces the document", ["RSD-1", "RSD-2"], nil,
            [
                [:], ["answer": answer("", [:], 404)],
                [
                    "answer": answer(
                        #"<html><head><link rel="ServiceAPI" type="application/x-rsd+json" href="rsd2.json">"#
                            + "</head></html>"
                    )
                ], ["answer": answer(document())],
            ]
        ),
        (
            "best", "of several documents that of the best binding is asked for, and of one that fails the next",
            ["RSD-1", "RSD-2"], nil,
            [
                [:],
                [
                    "answer": answer(
                        "application/x-rsd+xml; /rsd2.xml\napplication/x-rsd+yaml; /rsd2.yaml\n"
                            + "application/x-rsd+json; /rsd2.json\n"
                    )
                ], ["answer": answer("no document")], ["answer": answer("", [:], 404)],
                [
                    "answer": answer(
                        joined(
                            #"<rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd"><service>"#,
                            "<engineName>Alpha</engineName><engineLink></engineLink>",
                            "<homePageLink>\(home)</homePageLink><apis>",
                            "<api name=\"org.ietf.oauth2\" apiLink=\"oauth\"/></apis></service></rsd>"))
                ],
            ]
        ),
        (
            "tokens", "tokens in a published document are not spread", ["RSD-1", "threat-45"], nil,
            [
                [:], ["answer": list()],
                ["answer": answer(document("Alpha", #","authorization":{"access_token":"a","token_type":"Bearer"}"#))],
            ]
        ),
        (
            "short-interval", "a list that wants to be asked all the time", ["RSD-1", "threat-43"], nil,
            [[:], ["answer": list("ttl: 1\n")], ["answer": answer(document())]]
        ),
        (
            "long-interval", "a list that wants never to be asked again", ["RSD-1"], nil,
            [[:], ["answer": list("ttl: 9999999999\n")], ["answer": answer(document())]]
        ),
        (
            "no-interval", "a list that names no interval", ["RSD-1"], nil,
            [[:], ["answer": list("")], ["answer": answer(document())]]
        ),
    ]

    private static let returns: [Row<[JSON.Object]>] = [
        (
            "unchanged", "what was read before is asked for conditionally, and stands", ["RSD-1"], nil,
            taggedRound + [["after": 3_600], ["answer": standing], ["answer": standing]]
        ),
        (
            "unchanged-bytes", "the same bytes once more", ["RSD-1"], nil,
            found + [["after": 3_600], ["answer": list()], ["answer": answer(document())]]
        ),
        (
            "changed", "another document than before", ["RSD-1"], nil,
            taggedRound
                + [["after": 3_600], ["answer": standing], ["answer": answer(document("The University of Alpha"))]]
        ),
        (
            "moved-list", "the document lies elsewhere now: it is asked for without conditions", ["RSD-1"], nil,
            taggedRound
                + [["after": 3_600], ["answer": list("", home + "/new.json")], ["answer": answer(document())]]
        ),
        ("early", "nothing is asked before it is due", ["RSD-1"], nil, found + [["after": 3_599]]),
        (
            "left", "a service leaves the index, and its document goes", ["RSD-1"], nil,
            found + [["after": 60, "listed": false]]
        ),
        (
            "given-up", "after five failures the last good document goes", ["RSD-1"], nil,
            found + pauses.flatMap { [["after": $0], ["answer": .null, "after": 0]] }
        ),
        (
            "given-up-anew", "a document that was given up is asked for without conditions", ["RSD-1"], nil,
            [[:], ["answer": list()], ["answer": answer(document(), ["ETag": #""one""#])]]
                + pauses.flatMap { [["after": $0], ["answer": .null, "after": 0]] }
                + [["after": 4_800], ["answer": list()], ["answer": answer(document())]]
        ),
    ]

    /// Before each of five failures in a row.
    private static let pauses: [JSON] = [3_600, 300, 600, 1_200, 2_400]

    // MARK: Other hosts

    private static let redirected: JSON = "https://files.example.ch/alpha.json"
    private static let elsewhere = document(takingTokensAt: "https://login.example.ch/oauth")
    private static let foundElsewhere: [JSON.Object] = [
        ["allowed_hosts": ["login.example.ch"]], ["answer": list()],
        ["answer": answer(elsewhere, ["ETag": #""one""#])],
    ]

    private static let hosts: [Row<[JSON.Object]>] = [
        (
            "host-withdrawn", "a host that the index allows no more: what is taken there goes at once",
            ["RSD-1", "threat-52"], nil, foundElsewhere + [["after": 60, "allowed_hosts": []]]
        ),
        (
            "host-withdrawn-again", "and is not taken in again", ["RSD-1", "threat-52"], "threat-52",
            foundElsewhere
                + [["after": 60, "allowed_hosts": []], ["answer": list()], ["answer": answer(elsewhere)]]
        ),
        (
            "host-withdrawn-document", "a document that lies on a host that the index allows no more",
            ["RSD-1", "threat-52"], "RSD-2",
            [
                ["allowed_hosts": ["files.example.ch"]],
                ["answer": list("", "https://files.example.ch/alpha.json")], ["answer": answer(document())],
                ["after": 60, "allowed_hosts": []],
                ["answer": list("", "https://files.example.ch/alpha.json")], ["answer": answer("<html></html>")],
            ]
        ),
        (
            "host-withdrawn-redirect", "a document that was found behind a redirect to such a host",
            ["RSD-1", "threat-52"], nil,
            [["allowed_hosts": ["files.example.ch"]], ["answer": list()], ["answer": moved(redirected)]]
                + [["answer": answer(document())], ["after": 60, "allowed_hosts": []]]
        ),
        (
            "host-withdrawn-moved", "a document that has stayed the same, but has moved to such a host",
            ["RSD-1", "threat-52"], nil,
            [["allowed_hosts": ["files.example.ch"]], ["answer": list()], ["answer": answer(document())]]
                + [["after": 3600], ["answer": list()], ["answer": moved(redirected)]]
                + [["answer": answer(document())], ["after": 60, "allowed_hosts": []]]
        ),
        (
            "host-withdrawn-unused", "a host that the index allows no more, and that nobody needs",
            ["RSD-1", "threat-52"], nil,
            [["allowed_hosts": ["login.example.ch"]], ["answer": list()], ["answer": answer(document())]]
                + [["after": 60, "allowed_hosts": []], ["answer": list()], ["answer": answer(document())]]
        ),
        (
            "host-allowed", "a host that the index allows now: the service is asked at once", ["RSD-1", "threat-52"],
            nil,
            [[:], ["answer": list()], ["answer": answer(elsewhere)]]
                + [["after": 60, "allowed_hosts": ["login.example.ch"]], ["answer": list()]]
                + [["answer": answer(elsewhere)]]
        ),
        (
            "host-order", "the same hosts in another order", ["RSD-1"], nil,
            [["allowed_hosts": ["login.example.ch", "files.example.ch"]], ["answer": list()]]
                + [["answer": answer(elsewhere)]]
                + [["after": 60, "allowed_hosts": ["files.example.ch", "login.example.ch"]]]
        ),
        (
            "host-allowed-meanwhile", "a host that the index allows now, while a request is under way",
            ["RSD-1", "threat-52"], nil,
            [[:], ["after": 60, "allowed_hosts": ["login.example.ch"]], ["answer": list("ttl: 900\n")]]
                + [["answer": list()], ["answer": answer(elsewhere)]]
        ),
        (
            "host-allowed-unanswered", "the same where nothing comes of the request", ["RSD-1", "threat-52"], nil,
            [[:], ["after": 60, "allowed_hosts": ["login.example.ch"]], ["after": 60], ["answer": list()]]
        ),
    ]

    // MARK: Restarts

    private static func known(_ changes: JSON.Object = [:], takingTokensAt link: String = "oauth") -> JSON.Object {
        let document: JSON = [
            "engineName": "University of Alpha", "engineLink": "", "homePageLink": .string(home),
            "apis": ["org.ietf.oauth2": ["apiLink": .string(link)]],
        ]
        let known: JSON.Object = [
            "document": document, "location": .string(place), "origin": .string(place), "failures": 0,
        ]
        return known.changed(changes)
    }

    private static let memories: [Row<(known: JSON.Object, steps: [JSON.Object])>] = [
        (
            "unchanged", "what was known before a restart, and is the same", ["NET-8"], nil,
            (known(), [[:], ["answer": list()], ["answer": answer(document())]])
        ),
        (
            "changed", "what was known before a restart, and has changed", ["NET-8"], nil,
            (known(), [[:], ["answer": list()], ["answer": answer(document("Alpha"))]])
        ),
        (
            "failing", "three failures before the restart, and two behind it", ["NET-8"], nil,
            (known(["failures": 3]), [[:], ["answer": .null], ["after": 2_400], ["answer": .null]])
        ),
        (
            "recovered", "a failure before the restart, a success, and a failure: the first one counts no more",
            ["NET-8"], nil,
            (
                known(["failures": 4]),
                [[:], ["answer": list()], ["answer": answer(document())], ["after": 3_600], ["answer": .null]]
            )
        ),
        (
            "left", "a service that has left the index meanwhile", ["NET-8"], nil, (known(), [["listed": false]])
        ),
        (
            "tokens", "one that takes tokens where the index allows it no more", ["NET-8", "threat-52"], nil,
            (known(takingTokensAt: "https://login.example.ch/oauth"), [[:]])
        ),
        (
            "location", "one whose document lies where the index allows it no more", ["NET-8", "threat-52"], nil,
            (known(["location": redirected]), [[:]])
        ),
        (
            "origin", "one whose document came from where the index allows it no more", ["NET-8", "threat-52"], nil,
            (known(["origin": redirected]), [[:]])
        ),
        (
            "allowed", "the same where the index allows it, until it does no more", ["NET-8", "threat-52"], nil,
            (
                known(["origin": redirected]),
                [["allowed_hosts": ["files.example.ch"]], ["answer": .null], ["after": 60, "allowed_hosts": []]]
            )
        ),
    ]

    // MARK: Failures

    private static func unavailable(_ status: JSON, _ headers: JSON.Object = [:]) -> [JSON.Object] {
        [[:], ["answer": answer("", headers, status)]]
    }

    private static let failures: [Row<[JSON.Object]>] = [
        ("no-answer", "nobody answers", ["RSD-1"], nil, [[:], ["answer": .null]]),
        ("late", "no answer within two minutes", ["RSD-1"], nil, [[:], ["after": 119], ["after": 1]]),
        ("status", "a server that cannot answer now", ["RSD-1"], nil, unavailable(503)),
        (
            "retry-after", "a server that asks for a longer pause", ["RSD-1"], nil,
            unavailable(429, ["Retry-After": "1000"])
        ),
        (
            "retry-after-short", "a server that asks for a shorter pause", ["RSD-1"], nil,
            unavailable(503, ["Retry-After": "1"])
        ),
        (
            "retry-after-date", "a server that names a date", ["RSD-1"], nil,
            unavailable(503, ["Retry-After": "Fri, 15 Jan 2027 12:00:00 GMT"])
        ),
        (
            "retry-after-long", "a server that asks for a pause of years", ["RSD-1", "threat-43"], nil,
            unavailable(503, ["Retry-After": "999999999"])
        ),
        (
            "doubled", "a second failure doubles the pause", ["RSD-1"], nil,
            unavailable(500) + [["after": 300], ["answer": answer("", [:], 500), "after": 0]]
        ),
        (
            "stands", "a failure leaves the last good document", ["RSD-1"], nil,
            found + [["after": 3_600], ["answer": answer("", [:], 500)]]
        ),
        (
            "document-missing", "the document is not there", ["RSD-1"], nil,
            [[:], ["answer": list()], ["answer": answer("", [:], 404)]]
        ),
        (
            "list-too-long", "a list of 65,537 bytes", ["RSD-1", "threat-43"], "threat-43",
            [[:], ["answer": answer(String(repeating: "#", count: 65_537))]]
        ),
        (
            "page-missing", "neither list nor page", ["RSD-1"], nil,
            [[:], ["answer": answer("", [:], 404)], ["answer": answer("", [:], 404)]]
        ),
    ]

    private static let flawedLists: [Row<String>] = [
        ("empty", "a list of nothing, and a page of nothing", ["RSD-1", "RSD-2"], "RSD-2", ""),
        ("type", "a document of a type that nobody reads", ["RSD-2"], "RSD-2", "application/pdf; /rsd2.pdf\n"),
        (
            "other-host", "a document on another host", ["RSD-1", "threat-42"], "RSD-2",
            "application/x-rsd+json; https://evil.example.ch/rsd2.json\n"
        ),
        (
            "unencrypted", "a document without encryption", ["RSD-1", "threat-42"], "RSD-2",
            "application/x-rsd+json; http://alpha.example.ch/rsd2.json\n"
        ),
        (
            "port", "a document at a port of its own", ["RSD-1", "threat-42"], "RSD-2",
            "application/x-rsd+json; https://alpha.example.ch:8443/rsd2.json\n"
        ),
    ]

    private static let flawedDocuments: [Row<String>] = [
        ("no-json", "a document that is no JSON", ["RSD-1", "RSD-2"], "RFC8259-2", "services"),
        (
            "other-service", "a document of another service", ["RSD-1", "threat-52"], "threat-52",
            #"{"engineLink":"","homePageLink":"https://beta.example.ch","apis":{}}"#
        ),
        (
            "other-oauth", "a document that takes tokens on another host", ["RSD-1", "threat-52"], "threat-52",
            #"{"engineLink":"","apis":{"org.ietf.oauth2":{"apiLink":"https://evil.example.ch/oauth"}}}"#
        ),
    ]

    // MARK: Redirects

    private static let moves: [Row<(JSON?, [JSON.Object])>] = [
        (
            "redirect", "a redirect on the same host", ["RSD-1", "threat-42"], nil,
            ("/files/rsd2.json", [["answer": answer(document())]])
        ),
        (
            "redirect-allowed", "a redirect to a host that the index allows", ["RSD-1", "threat-42"], nil,
            ("https://files.example.ch/alpha.json", [["answer": answer(document())]])
        ),
        (
            "redirect-thrice", "three redirects in a row", ["RSD-1", "threat-42"], nil,
            ("/1", [["answer": moved("/2")], ["answer": moved("/3")], ["answer": answer(document())]])
        ),
        (
            "redirect-on-and-on", "a fourth redirect in a row", ["RSD-1", "threat-42"], "threat-42",
            ("/1", [["answer": moved("/2")], ["answer": moved("/3")], ["answer": moved("/4")]])
        ),
        (
            "redirect-elsewhere", "a redirect to another host", ["RSD-1", "threat-42"], "threat-42",
            ("https://evil.example.ch/rsd2.json", [])
        ),
        (
            "redirect-unencrypted", "a redirect to the same host without encryption", ["RSD-1", "threat-42"],
            "threat-42", ("http://alpha.example.ch/rsd2.json", [])
        ),
        (
            "redirect-address", "a redirect to an address of the own network", ["RSD-1", "threat-42"], "threat-42",
            ("https://169.254.169.254/rsd2.json", [])
        ),
        ("redirect-nowhere", "a redirect without a place", ["RSD-1", "threat-42"], "threat-42", (nil, [])),
        (
            "redirect-two-places", "a redirect to two places", ["RSD-1", "threat-42"], "threat-42",
            (["/1", "/2"], [])
        ),
    ]
}
