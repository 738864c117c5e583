internal import JOSETesting
internal import Wire

// (10): all of a person ends, by the word of whoever vouches for him or her.

extension World {
    fileprivate static let tool = "https://watch.example.ch"
    fileprivate static let atAlpha = alpha + "/oauth/global-token-revocation"
    fileprivate static let atEduID = eduID + "/global-token-revocation"

    /// The name of a person, as issuer and subject.
    fileprivate static func person(_ issuer: String, _ subject: String) -> JSON {
        ["format": "iss_sub", "iss": .string(issuer), "sub": .string(subject)]
    }

    /// A request with a statement in the header.
    fileprivate static func ending(_ person: JSON, at url: String, by statement: TestToken?) -> JSON {
        request(
            "POST", url, bearer: statement?.text, type: "application/json",
            body: JSON.object(["sub_id": person]).encodedString())
    }

    /// The edu-ID service has all of somebody ended at alpha.
    fileprivate mutating func ending(
        _ subject: String = "pseudonym-of-ada", by issuer: String = eduID, _ change: (TestToken) -> TestToken = { $0 }
    ) -> JSON {
        let statement = change(eduIDsAssertion())
        return Self.ending(Self.person(issuer, subject), at: Self.atAlpha, by: statement)
    }

    /// A tool has all of somebody ended at the edu-ID service.
    fileprivate mutating func endingAtEduID(
        _ subject: String = "user-0001", by issuer: String = eduID, _ change: (TestToken) -> TestToken = { $0 }
    ) -> JSON {
        let statement = change(clientAssertion(of: Self.tool, "tool", named: "tool-1", to: Self.eduID))
        return Self.ending(Self.person(issuer, subject), at: Self.atEduID, by: statement)
    }

    /// The same where the tool may do that.
    fileprivate var watched: World {
        with(
            ["revokers": [["issuer": .string(Self.tool), "keys": [TestKey.pair("tool").publicJWK("tool-1")]]]],
            at: .eduID)
    }
}

extension Catalogue {
    mutating func addGlobalRevocations() throws {
        try addGlobalRevocationsAtService()
        try addNamelessPeople()
        try addFlawedCallers()
        try addGlobalRevocationsAtEduID()
    }

    private mutating func addGlobalRevocationsAtService() throws {
        var world = World()
        let service = try world.redeem()
        _ = try world.authorize(service)
        _ = try world.redeem("assertion-2")
        var ended = world
        try ended.perform(.alpha, ended.ending())
        let holder = try World.assertionHolder
        let ahead = { (token: TestToken) in token.claiming(["iat": token.time(30)]) }
        var barred = world
        try barred.perform(.alpha, barred.ending("pseudonym-of-ada", ahead))
        try add(
            in: world, at: .alpha,
            [
                .accepted(
                    "everything", "all of a person ends by one word of the edu-ID service", ["GTR-1", "TOK-1"]
                ) { $0.ending() },
                .accepted(
                    "everything-again", "the second time it ends what came since, which is nothing",
                    ["GTR-1", "GTR-3"], in: ended.later(5)
                ) { $0.ending() },
                .accepted(
                    "everything-ahead", "by a clock that is ahead, which says what was made before", ["GTR-1"]
                ) { $0.ending("pseudonym-of-ada", ahead) },
                .accepted(
                    "everything-behind", "by one that is behind, which takes nothing of that back", ["GTR-1"],
                    in: barred
                ) { $0.ending() },
                .accepted("everything-between", "in the middle of a second", ["GTR-1"]) {
                    let time = try JSON(parsing: "1800000000.5")
                    return $0.ending { $0.claiming(["iat": time]) }
                },
                .accepted("everything-of-nobody", "of whom nobody knows here", ["GTR-3"]) { $0.ending("nobody") },
                .accepted("everything-in-body", "with the statement among the members", ["GTR-1"]) {
                    World.request(
                        "POST", World.atAlpha, type: "application/json",
                        body: JSON.object([
                            "client_assertion_type": .string(World.assertionType),
                            "client_assertion": .string($0.eduIDsAssertion().text),
                            "sub_id": World.person(World.eduID, "pseudonym-of-ada"),
                        ]).encodedString())
                },
                .refused(
                    "everything-then-older", "an introduction that was made before is taken no more", ["GTR-1"],
                    "invalid_grant", "GTR-1", in: ended.later(-1)
                ) {
                    let older = $0.assertion("assertion-3")
                    $0.now += 20
                    return $0.redeeming(older, by: holder)
                },
                .refused(
                    "everything-then-equal", "nor one of the same second", ["GTR-1"], "invalid_grant", "GTR-1",
                    in: ended
                ) { $0.redeeming($0.assertion("assertion-3"), by: holder) },
                .accepted(
                    "everything-then-newer", "one that was made later is", ["GTR-1"], in: ended.later(1)
                ) { $0.redeeming($0.assertion("assertion-3"), by: holder) },
                .refused(
                    "everything-then-renewed", "what was given before is renewed no more", ["GTR-1", "TOK-3"],
                    "invalid_grant", "TOK-3", in: ended
                ) { $0.refreshing(service, at: World.alpha + "/oauth/token") },
                .refused(
                    "everything-of-another", "of a person whom somebody else vouches for", ["GTR-2"], "access_denied",
                    "GTR-2"
                ) { $0.ending(by: World.beta) },
            ])
    }

    /// People who are not named by issuer and subject.
    private mutating func addNamelessPeople() throws {
        let name = World.person(World.eduID, "pseudonym-of-ada")
        let persons: [(String, String, JSON, String)] = [
            ("no-name", "nobody is named", .null, "RFC6749-3.1"),
            ("list", "people are named in a list", [name], "RFC6749-3.1"),
            ("text", "somebody is named by a text", "pseudonym-of-ada", "RFC6749-3.1"),
            ("no-format", "the form of the name is not told", name.with("format", .null), "RFC6749-3.1"),
            ("email", "somebody is named by an address", ["format": "email", "email": "ada@example.ch"], "GTR-3"),
            ("no-issuer", "a name of nobody's", name.with("iss", .null), "RFC6749-3.1"),
            ("no-subject", "an issuer without a name", name.with("sub", ""), "RFC6749-3.1"),
            ("number", "a name that is a number", name.with("sub", 7), "RFC6749-3.1"),
        ]
        try add(
            in: World(), at: .alpha,
            persons.map { name, title, person, clause in
                .refused("everything-" + name, title, ["GTR-3"], "invalid_request", clause) {
                    World.ending(person, at: World.atAlpha, by: $0.eduIDsAssertion())
                }
            })
    }

    private static let flawedCallers: [Defect] = [
        Defect("foreign-signature", "signed by another key", ["GTR-2"], "RFC7515-5.2") {
            $0.signed(by: .pair("stranger"))
        },
        Defect("stranger", "of somebody who is not known", ["GTR-2", "threat-25"], "RFC8725-3.8") {
            $0.claiming(["iss": .string(World.beta), "sub": .string(World.beta)])
        },
        Defect("endpoint", "for the endpoint instead of the service", ["GTR-2", "threat-64"], "RFC7519-4.1.3") {
            $0.claiming(["aud": .string(World.atAlpha)])
        },
        Defect("two-audiences", "for two services", ["GTR-2", "threat-24"], "threat-24") {
            $0.claiming(["aud": [.string(World.alpha), .string(World.beta)]])
        },
        Defect("upper-case", "for a service in other letters", ["GTR-2"], "RFC7519-4.1.3") {
            $0.claiming(["aud": "https://ALPHA.example.ch"])
        },
        Defect("expired", "whose end has come", ["GTR-2", "threat-16"], "RFC7519-4.1.4") {
            $0.claiming(["iat": $0.time(-60), "exp": $0.time(0)])
        },
        Defect("grant", "that is a service assertion", ["GTR-2", "threat-18"], "RFC8725-3.11") {
            $0.heading(["typ": "authorization-grant+jwt"])
        },
    ]

    private mutating func addFlawedCallers() throws {
        let world = World()
        try add(
            in: world, at: .alpha,
            Self.flawedCallers.map { defect in
                .refused(
                    "everything-by-" + defect.name, "a statement " + defect.title, defect.proves, "invalid_client",
                    defect.clause
                ) { $0.ending { defect.change($0) } }
            } + [
                .refused(
                    "everything-by-nobody", "nobody says who asks", ["GTR-2"], "invalid_client", "RFC7523-2.2"
                ) { _ in
                    World.ending(World.person(World.eduID, "pseudonym-of-ada"), at: World.atAlpha, by: nil)
                },
                .refused(
                    "everything-replayed", "the same request comes again", ["GTR-2", "threat-36"], "invalid_client",
                    "threat-36",
                    after: { world in
                        var copy = world
                        try world.perform(.alpha, copy.ending())
                    }
                ) { $0.ending() },
            ])
    }

    private mutating func addGlobalRevocationsAtEduID() throws {
        var world = World().watched.withPeopleOfSteps
        let client = try world.register()
        let tablet = try world.register(World.tablet, device: "tablet")
        let personal = try world.signIn(client)
        try world.introduce(personal)
        var ended = world
        try ended.perform(.eduID, ended.endingAtEduID())
        var begun = world
        _ = try begun.ask(.eduID, begun.challenging(tablet, "cleo", World.passphrase(of: "cleo")))
        let service = { (world: inout World) in
            world.clientAssertion(of: World.alpha, "alpha", named: "alpha-1", to: World.eduID)
        }
        try add(
            in: world, at: .eduID,
            [
                .accepted("person", "all of a person ends by the word of a tool", ["GTR-1"]) { $0.endingAtEduID() },
                .accepted("person-again", "and again", ["GTR-3"], in: ended) { $0.endingAtEduID() },
                .accepted("person-of-nobody", "of whom nobody knows", ["GTR-3"]) { $0.endingAtEduID("user-0999") },
                .accepted(
                    "person-begun", "a sign-in that has begun ends as well", ["GTR-1"], in: begun
                ) { $0.endingAtEduID("user-0003") },
                .refused(
                    "person-then-renewed", "what was given before is renewed no more", ["GTR-1", "TOK-3"],
                    "invalid_grant", "TOK-3", in: ended
                ) { $0.refreshing(personal, at: World.eduID + "/token") },
                .refused(
                    "person-of-another", "a person whom the tool does not vouch for", ["GTR-2"], "access_denied",
                    "GTR-2"
                ) { $0.endingAtEduID(by: World.tool) },
                .refused(
                    "person-by-service", "a service, which vouches for nobody", ["GTR-2"], "access_denied", "GTR-2"
                ) {
                    World.ending(World.person(World.eduID, "user-0001"), at: World.atEduID, by: service(&$0))
                },
                .refused(
                    "person-by-service-own", "be it in its own name", ["GTR-2"], "access_denied", "GTR-2"
                ) {
                    World.ending(World.person(World.alpha, "user-0001"), at: World.atEduID, by: service(&$0))
                },
                .refused(
                    "person-by-stranger", "somebody who is not known", ["GTR-2", "threat-25"], "invalid_client",
                    "RFC7515-6"
                ) {
                    $0.endingAtEduID { $0.claiming(["iss": .string(World.beta + "/x"), "sub": "x"]) }
                },
                .refused(
                    "person-nowhere", "where nobody may do that there is no such place", ["GTR-2"], "http_404", "-",
                    in: world.with([:], at: .eduID)
                ) { $0.endingAtEduID() },
            ])
    }
}
