internal import JOSETesting
internal import Wire

// (2) A browser comes to the edu-ID service with a sign-in that an app has begun, and is sent to a provider.

extension Catalogue {
    mutating func addBrowserArrivals(_ world: World, _ client: Held) throws {
        try addArrivals(world, client)
        try addSilentProviders(world, client)
        try addPushedRequests(world, client)
    }

    private mutating func addArrivals(_ world: World, _ client: Held) throws {
        func arrive(
            _ world: inout World, _ change: (JSON) -> JSON = { $0 }
        ) throws -> JSON {
            let arrival = change(try world.arriving(by: client))
            world.answers = [World.description()]
            return arrival
        }
        func edited(_ found: String, _ other: String) -> (JSON) -> JSON {
            { $0.with("url", .string(($0["url"]?.string ?? "").replacing(found, by: other))) }
        }
        let unknown: [(String, String, [String], (JSON) -> JSON)] = [
            ("secret", "with another secret", ["OIC-1", "OIC-5"], { $0.with("url", $0["url"].flipped) }),
            (
                "client", "as another app's", ["OIC-1"],
                edited("client_id=" + World.phone, "client_id=" + World.tablet)
            ),
            ("urn", "by a name of another kind", ["OIC-1"], edited("request_uri%3A", "other%3A")),
        ]
        for (name, title, proves, change) in unknown {
            try add(
                in: world, at: .eduID,
                [
                    .refused("arrival-other-" + name, title, proves, "invalid_request", "OIC-5") {
                        try arrive(&$0, change)
                    }
                ])
        }
        try add(
            in: world, at: .eduID,
            [
                .accepted("arrival", "a browser is sent to the provider", ["OIC-3", "OIC-4"]) { try arrive(&$0) },
                .accepted("arrival-late", "in the last second", ["OIC-1"]) {
                    let arrival = try arrive(&$0)
                    $0.now += 89
                    return arrival
                },
                .refused("arrival-too-late", "a second later", ["OIC-1"], "invalid_request", "OIC-5") {
                    let arrival = try arrive(&$0)
                    $0.now += 90
                    return arrival
                },
                .refused("arrival-twice", "a second browser with the same name", ["OIC-1"], "invalid_request", "OIC-5")
                {
                    let arrival = try arrive(&$0)
                    try $0.attempt(.eduID, arrival)
                    $0.answers = [World.description()]
                    return arrival
                },
                .refused(
                    "arrival-superseded", "the app has begun another sign-in", ["OIC-1"], "invalid_request", "OIC-5"
                ) {
                    let arrival = try arrive(&$0)
                    _ = try $0.arriving(by: client)
                    $0.answers = [World.description()]
                    return arrival
                },
                .refused(
                    "arrival-blocked", "the version of the app has been shut out", ["OIC-1", "FED-4"],
                    "unauthorized_client", "FED-4"
                ) {
                    let arrival = try arrive(&$0)
                    $0 = $0.blocking("ios-1.0")
                    return arrival
                },
                .accepted("arrival-demanding", "what the app demands goes to the provider", ["OIC-4", "FPA-18"]) {
                    let arrival = try $0.arriving(
                        by: client, demanding: ["acr_values": "password", "max_age": "60"])
                    $0.answers = [World.description()]
                    return arrival
                },
                .refused("arrival-nameless", "without a name", ["OIC-1"], "invalid_request", "RFC6749-3.1") { _ in
                    World.visit(World.eduID + "/authorize", ["client_id": World.phone, "request_uri": ""])
                        .with("headers", [:])
                        .with("url", .string(World.eduID + "/authorize?request_uri=x"))
                },
            ])
    }

    private mutating func addSilentProviders(_ world: World, _ client: Held) throws {
        let slashless: JSON = .string(String(World.provider.dropLast()))
        let rows: [(String, String, [String], String, String, [JSON])] = [
            (
                "silent", "the provider does not answer", ["OIC-10"], "temporarily_unavailable", "OIC-7", [.null]
            ),
            (
                "slashless", "the provider names itself without the slash", ["OIC-10"], "server_error", "OIC-10",
                [World.description(["issuer": slashless])]
            ),
            (
                "codeless", "the provider gives no codes", ["OIC-10"], "server_error", "OIC-10",
                [World.description(["response_types_supported": ["id_token"]])]
            ),
            (
                "keyless", "the provider does not say where its keys are", ["OIC-10"], "server_error",
                "RFC6749-3.1", [World.description(["jwks_uri": .null])]
            ),
            (
                "unencrypted", "the provider's tokens would go unencrypted", ["OIC-10"], "temporarily_unavailable",
                "RFC6749-3.2", [World.description(["token_endpoint": "http://login.example.org/token"])]
            ),
            (
                "page", "the provider's description is a page", ["OIC-10"], "temporarily_unavailable", "RFC6749-5.1",
                [["status": 200, "headers": ["Content-Type": "text/html"], "body": "<p>Moved</p>"]]
            ),
            (
                "missing", "the provider has no description", ["OIC-10"], "temporarily_unavailable", "RFC6749-5.2",
                [["status": 404, "headers": [:]]]
            ),
        ]
        for (name, title, proves, error, clause, answers) in rows {
            try add(
                in: world, at: .eduID,
                [
                    .refused("arrival-" + name, title, proves, error, clause) {
                        let arrival = try $0.arriving(by: client)
                        $0.answers = answers
                        return arrival
                    }
                ])
        }
    }

    private mutating func addPushedRequests(_ world: World, _ client: Held) throws {
        let place: JSON = .string(World.provider + "par")
        let description = World.description(["pushed_authorization_request_endpoint": place])
        let kept: JSON = ["request_uri": "urn:ietf:params:oauth:request_uri:of-the-provider", "expires_in": 60]
        func arriving(_ answers: [JSON]) -> Situation.Request {
            {
                let arrival = try $0.arriving(by: client)
                $0.answers = answers
                return arrival
            }
        }
        try add(
            in: world, at: .eduID,
            [
                .accepted(
                    "arrival-pushed", "the request is left at the provider", ["OIC-7"],
                    arriving([description, World.answer(kept, 201)])),
                .refused(
                    "arrival-pushed-in-vain", "the provider does not take the request", ["OIC-7"], "server_error",
                    "OIC-7", arriving([description, World.answer(["error": "invalid_request"], 400)])),
                .refused(
                    "arrival-pushed-silent", "the provider does not answer when the request is left", ["OIC-7"],
                    "temporarily_unavailable", "OIC-7", arriving([description, .null])),
                .refused(
                    "arrival-pushed-ok", "the provider says that all is well, and not that it keeps the request",
                    ["OIC-7"], "temporarily_unavailable", "RFC6749-5.2",
                    arriving([description, World.answer(kept)])),
                .refused(
                    "arrival-pushed-nowhere", "the provider takes no other requests, and says not where", ["OIC-7"],
                    "server_error", "OIC-7",
                    arriving([World.description(["require_pushed_authorization_requests": true])])),
            ])
    }
}

extension JSON? {
    /// A text whose last letter is another one.
    fileprivate var flipped: JSON {
        let text = self?.string ?? ""
        return .string(text.dropLast() + (text.utf8.last == UInt8(ascii: "A") ? "Q" : "A"))
    }
}

extension String {
    /// The text with another part in the place of one.
    fileprivate func replacing(_ part: String, by other: String) -> String {
        var (rest, text) = (Substring(self), "")
        while let place = rest.firstRange(of: part) {
            text += rest[..<place.lowerBound] + other
            rest = rest[place.upperBound...]
        }
        return text + rest
    }
}
