internal import JOSETesting
internal import Wire

// (4), (6), (10): services for the members of some institutions; Gerd, who belongs to two universities, and leaves one.

extension World {
    private static let claim: JSON.Name = "eduPersonScopedAffiliation"

    /// Gerd, and a service of each university for its own people.
    fileprivate func withMembers(
        _ listed: JSON = ["staff@alpha.example.ch", "student@beta.example.ch"],
        _ demands: (alpha: JSON, beta: JSON) = (["*@alpha.example.ch"], ["student@beta.example.ch"])
    ) -> World {
        let gerd: JSON = [
            "name": "gerd", "password": .string(Self.passphrase(of: "gerd")), "subject": "user-0007",
            "profile": Self.profile(listing: listed),
        ]
        return with("users", at: .eduID) { .array(($0.array ?? []) + [gerd]) }
            .withEach("services", at: .eduID) { service in
                service.with("affiliations", service["home"] == .string(Self.alpha) ? demands.alpha : demands.beta)
                    .with("released_claims", ["given_name", .string(Self.claim.text)])
            }
    }

    private static func profile(listing listed: JSON) -> JSON {
        listed == .null ? ["given_name": "Gerd"] : ["given_name": "Gerd", claim: listed]
    }

    /// The same where the directory lists something else for Gerd.
    fileprivate func listing(_ listed: JSON) -> World {
        withEach("users", at: .eduID) { user in
            user["name"] == "gerd" ? user.with("profile", Self.profile(listing: listed)) : user
        }
    }

    /// The same where a provider has said at the sign-in what Gerd is, and the directory does not.
    fileprivate func told(byProviderOn personal: Held) -> World {
        var world = listing(.null).with(["affiliation_lifetime": 1_000], at: .eduID)
        let former: JSON.Object = ["amr": ["pwd"], "auth_time": .number(JSON.Number(Self.beginning))]
        var kept = former
        kept["provider"] = ["user": "user-0007", "told": .number(JSON.Number(Self.beginning + 10))]
        kept["profile"] = .object([Self.claim: ["staff@alpha.example.ch"]])
        world.append(
            [["do": "describe", "id": .string(personal.id), "attributes": .object(kept), "from": .object(former)]],
            at: .eduID)
        return world
    }
}

extension Catalogue {
    /// Where the administration ends that a person is something somewhere.
    private static func place(of affiliation: String, _ user: String = "user-0007") -> String {
        "/admin/users/\(user)/affiliations/" + Base64URL.encode(Array(affiliation.utf8))
    }

    private static func signedIn(_ world: World) throws -> (World, client: Held, gerd: Held) {
        var world = world
        let client = try world.register()
        let gerd = try world.signIn(client, "gerd", World.passphrase(of: "gerd"))
        return (world, client, gerd)
    }

    mutating func addMemberships() throws {
        let (world, client, gerd) = try Self.signedIn(World().withMembers())
        try addMembers(world, gerd)
        try addStrangers()
        try addLeavers(world, client, gerd)
        try addProvided(world.told(byProviderOn: gerd), gerd)
    }

    private mutating func addMembers(_ world: World, _ gerd: Held) throws {
        let preferring = try Self.signedIn(
            World().withMembers(
                ["student@alpha.example.ch", "staff@alpha.example.ch"],
                (["staff@alpha.example.ch", "*@alpha.example.ch"], [])))
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "member", "an introduction stands on the affiliation that its service needs", ["AFF-1", "AFF-4"]
                ) { $0.introducing(gerd) },
                .accepted(
                    "member-again", "the next one stands on the same", ["AFF-1"], after: { _ = try $0.introduce(gerd) }
                ) { $0.introducing(gerd) },
                .accepted(
                    "member-elsewhere", "at another service the same person is something else", ["AFF-1", "AFF-4"],
                    after: { _ = try $0.introduce(gerd) }
                ) { $0.introducing(gerd, to: World.beta + "/") },
                .accepted(
                    "member-by-preference", "the service prefers one, whatever comes first with the person",
                    ["AFF-1", "AFF-4"], in: preferring.0
                ) { $0.introducing(preferring.gerd) },
                .accepted(
                    "member-of-many", "to a service for everybody the whole list is told", ["AFF-1", "AFF-4"],
                    in: world.withEach("services", at: .eduID) { $0.with("affiliations", []) }
                ) { $0.introducing(gerd) },
            ])
    }

    private mutating func addStrangers() throws {
        let strangers: [(String, String, JSON)] = [
            ("unlisted", "the person belongs to nothing", .null),
            ("elsewhere", "the person belongs to another university", ["staff@beta.example.ch"]),
            ("upper-case", "the institution is written in other letters", ["staff@Alpha.example.ch"]),
            ("longer", "the institution's name goes on", ["staff@alpha.example.ch.example"]),
            ("two-signs", "somebody says where he or she belongs twice", ["staff@beta.example.ch@alpha.example.ch"]),
            ("nothing", "somebody is nothing there", ["@alpha.example.ch"]),
            ("no-name", "what is listed is no text", [["staff@alpha.example.ch"], 5, ""]),
        ]
        for (name, title, listed) in strangers {
            let (world, _, gerd) = try Self.signedIn(World().withMembers(listed))
            try add(
                in: world, at: .eduID,
                [.refused("stranger-" + name, title, ["AFF-1"], "access_denied", "AFF-1") { $0.introducing(gerd) }])
        }
        let (world, _, gerd) = try Self.signedIn(World().withMembers("student@beta.example.ch"))
        try add(
            in: world, at: .eduID,
            [
                .accepted("member-of-one", "a list of one may be a text", ["AFF-1"]) {
                    $0.introducing(gerd, to: World.beta + "/")
                }
            ])
    }

    private mutating func addLeavers(_ world: World, _ client: Held, _ gerd: Held) throws {
        var introduced = world
        _ = try introduced.introduce(gerd)
        let left = introduced.listing(["student@beta.example.ch"])
        try add(
            in: left, at: .eduID,
            [
                .accepted(
                    "member-left", "what the directory lists no more ends with the next introduction",
                    ["AFF-2", "AFF-3"]
                ) { $0.introducing(gerd, to: World.beta + "/") },
                .refused(
                    "member-left-here", "also where nothing is left to be introduced as", ["AFF-1", "AFF-2", "AFF-3"],
                    "access_denied", "AFF-1"
                ) { $0.introducing(gerd) },
                .accepted("member-signs-in", "and with the next sign-in", ["AFF-2", "AFF-3"]) {
                    let asked = try $0.ask(
                        .eduID, $0.challenging(client, "gerd", World.passphrase(of: "gerd")))
                    return $0.redeeming(
                        try Vector.Rejection.need(asked["authorization_code"]?.string, "authorization_code"),
                        by: client)
                },
            ])
    }

    /// What a provider has said counts for a while, until it says something else or an administrator ends it.
    private mutating func addProvided(_ world: World, _ gerd: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .accepted("member-by-provider", "a provider has said it", ["AFF-1", "AFF-3"], in: world.later(1_009)) {
                    $0.introducing(gerd)
                },
                .refused(
                    "member-too-long-ago", "a provider has said it too long ago", ["AFF-3"],
                    "insufficient_authorization", "AFF-3", in: world.later(1_010)
                ) { $0.introducing(gerd) },
            ])
    }

    // MARK: What administrators end

    mutating func addExpulsions() throws {
        let members = World().withMembers().with(["administrators": ["user-0007"]], at: .eduID)
        var (world, _, gerd) = try Self.signedIn(members)
        let staff = "staff@alpha.example.ch"
        let assertion = try world.introduce(gerd)
        _ = try world.introduce(gerd, to: World.beta + "/")
        var expelled = world
        try expelled.perform(.eduID, expelled.asking(gerd, "DELETE", Self.place(of: staff)))
        var provided = world.told(byProviderOn: gerd)
        provided.parties[.eduID]?["policy"] = ["administrators": ["user-0007"]]
        try add(
            in: world, at: .eduID,
            [
                .accepted("expelled", "a person is one university's no more", ["AFF-2", "TOK-7"]) {
                    $0.asking(gerd, "DELETE", Self.place(of: staff))
                },
                .accepted(
                    "expelled-from-provider", "what a provider has said is taken out of what was kept", ["AFF-2"],
                    in: provided
                ) { $0.asking(gerd, "DELETE", Self.place(of: staff)) },
                .accepted(
                    "expelled-assertion", "an assertion that stood on it is good no more", ["AFF-2"], in: expelled
                ) { Self.asking(&$0, assertion) },
                .refused("expelled-again", "there is nothing of it any more", ["AFF-2"], "http_404", "-", in: expelled)
                {
                    $0.asking(gerd, "DELETE", Self.place(of: staff))
                },
                .refused("expelled-nobody", "nobody is that there", ["AFF-2"], "http_404", "-") {
                    $0.asking(gerd, "DELETE", Self.place(of: staff, "user-0001"))
                },
                .refused("expelled-nowhere", "an affiliation whose name is not UTF-8", ["AFF-2"], "http_404", "-") {
                    $0.asking(gerd, "DELETE", "/admin/users/user-0007/affiliations/_w")
                },
                .refused(
                    "expelled-by-user", "a user who is no administrator", ["AFF-2", "TOK-5"], "insufficient_scope",
                    "TOK-5", in: world.with([:], at: .eduID)
                ) { $0.asking(gerd, "DELETE", Self.place(of: staff)) },
            ])
    }
}
