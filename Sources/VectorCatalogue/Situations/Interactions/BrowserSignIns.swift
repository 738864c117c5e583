internal import JOSETesting
internal import Wire

// (2) A sign-in in a browser, at a provider: an app begins it, and is told where the browser goes.

extension World {
    fileprivate static let link = "https://app.example/signed-in"
    fileprivate static let scheme = "ch.eduid.mobile:/signed-in"
    fileprivate static let here = "http://127.0.0.1:8084/signed-in"

    /// The same where versions have addresses at which apps are called back; those of other versions are left out.
    fileprivate func registering(_ addresses: [JSON], with version: JSON = "ios-1.0") -> World {
        withEach("versions", at: .eduID) { $0["kid"] == version ? $0.with("callbacks", .array(addresses)) : $0 }
    }
}

extension Catalogue {
    private static let addresses: [JSON] = [.string(World.scheme), .string(World.link)]
    private static let appState = "AbcdefghijklmnopqrstuvwxyZ-0123456789._~AbC"

    /// Begins a sign-in.
    private static func begin(
        _ world: inout World, _ client: Held, at address: String = World.scheme,
        changing more: KeyValuePairs<String, String> = [:], proved: Bool = true, tied: Bool = true
    ) -> JSON {
        World.form(
            challenging,
            [
                "response_type": "code", "client_id": client.holder, "redirect_uri": address,
                "state": tied ? appState : "", "code_challenge": World.challenge, "code_challenge_method": "S256",
            ], bearer: proved ? world.proof(client, challenging).text : nil, more: more)
    }

    /// The name and the secret that an app was told, apart by a dot.
    private static func begun(_ world: inout World, _ client: Held) throws(Vector.Rejection) -> String {
        let body = try world.ask(.eduID, begin(&world, client))
        let name = try Vector.Rejection.need(body["request_uri"]?.string, "request_uri")
        return String(name.dropFirst("urn:ietf:params:oauth:request_uri:".count))
    }

    mutating func addBrowserSignIns() throws {
        var plain = World()
        let client = try plain.register()
        let world = plain.registering(Self.addresses).atProvider()
        try addBeginnings(world, client)
        try addForeignAddresses(world, client)
        try addPlaces(world, client)
        try addMisuses(world, client)
        try add(
            in: plain.registering(Self.addresses), at: .eduID,
            [
                .refused(
                    "browser-nowhere", "people sign in at no provider", ["OIC-1"], "invalid_request", "OIC-1"
                ) { Self.begin(&$0, client) },
                .refused(
                    "browser-nowhere-unregistered", "they do not, whatever is registered", ["OIC-1"],
                    "invalid_request", "OIC-1", in: plain
                ) { Self.begin(&$0, client) },
            ])
    }

    private mutating func addBeginnings(_ world: World, _ client: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "browser-begun", "an app is to go on in a browser", ["OIC-1", "OIC-2"], "redirect_to_web", "OIC-1"
                ) { Self.begin(&$0, client) },
                .refused(
                    "browser-begun-link", "the same by another address that is registered", ["OIC-1", "OIC-2"],
                    "redirect_to_web", "OIC-1"
                ) { Self.begin(&$0, client, at: World.link) },
                .refused(
                    "browser-begun-here", "the same by a port of the machine, which is registered with its number",
                    ["OIC-2"], "redirect_to_web", "OIC-1", in: world.registering([.string(World.here)])
                ) { Self.begin(&$0, client, at: World.here) },
                .refused(
                    "browser-anew", "a sign-in in a browser takes the place of the one before", ["OIC-1"],
                    "redirect_to_web", "OIC-1", after: { _ = try Self.begun(&$0, client) }
                ) { Self.begin(&$0, client) },
                .refused(
                    "browser-anew-late", "the one before is over already", ["OIC-1"], "redirect_to_web", "OIC-1",
                    after: {
                        _ = try Self.begun(&$0, client)
                        $0.now += 90
                    }
                ) { Self.begin(&$0, client) },
                .refused(
                    "browser-while-signed-in", "somebody is signed in, maybe the one who comes back", ["OIC-1"],
                    "redirect_to_web", "OIC-1", after: { _ = try $0.signIn(client) }
                ) { Self.begin(&$0, client) },
                .refused(
                    "browser-unproved", "nobody proves who begins", ["OIC-1", "FPA-1"], "invalid_client",
                    "RFC6750-2.1"
                ) { Self.begin(&$0, client, proved: false) },
                .refused(
                    "browser-without-state", "an empty state ties no answer to the sign-in", ["OIC-1", "OIC-13"],
                    "invalid_request", "RFC6749-3.1"
                ) { Self.begin(&$0, client, tied: false) },
                .accepted("browser-with-user", "with name and password nobody goes to a browser", ["OIC-1"]) {
                    Self.begin(
                        &$0, client, changing: ["username": "ada", "password": "correct horse battery staple"])
                },
            ])
    }

    private mutating func addForeignAddresses(_ world: World, _ client: Held) throws {
        let rows: [(String, String, String)] = [
            ("slash", "an address with a slash more", World.scheme + "/"),
            ("below", "an address below one that is registered", World.link + "/x"),
            ("capitals", "an address in other letters", "ch.eduid.mobile:/Signed-in"),
            ("host-capitals", "an address whose host is in other letters", "https://APP.example/signed-in"),
            ("default-port", "an address with the port of https", "https://app.example:443/signed-in"),
            ("port", "a port of the machine", World.here),
        ]
        for (name, title, address) in rows {
            try add(
                in: world, at: .eduID,
                [
                    .refused(
                        "browser-at-" + name, title + ", which is not registered", ["OIC-2"], "invalid_request",
                        "OIC-2"
                    ) { Self.begin(&$0, client, at: address) }
                ])
        }
    }

    private mutating func addPlaces(_ world: World, _ client: Held) throws {
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "browser-at-none", "no address is registered with the version", ["OIC-2"], "invalid_request",
                    "OIC-2", in: world.registering([])
                ) { Self.begin(&$0, client) },
                .refused(
                    "browser-at-other-version", "the address is registered with another version of the app",
                    ["OIC-2"], "invalid_request", "OIC-2",
                    in: world.registering([]).registering(Self.addresses, with: "ios-2.0")
                ) { Self.begin(&$0, client) },
                .refused(
                    "browser-at-other-port", "another port of the machine than is registered", ["OIC-2"],
                    "invalid_request", "OIC-2", in: world.registering([.string(World.here)])
                ) { Self.begin(&$0, client, at: "http://127.0.0.1:8085/signed-in") },
            ])
    }

    private mutating func addMisuses(_ world: World, _ client: Held) throws {
        let address: KeyValuePairs = ["redirect_uri": World.scheme, "code_verifier": World.verifier]
        func redeeming(_ world: inout World, _ code: String, _ more: KeyValuePairs<String, String>) -> JSON {
            let url = World.eduID + "/token"
            return World.form(
                url, ["grant_type": "authorization_code", "code": code], bearer: world.proof(client, url).text,
                more: more)
        }
        try add(
            in: world, at: .eduID,
            [
                .refused(
                    "browser-as-code", "what leads a browser to a sign-in is redeemed as if it were a code",
                    ["OIC-1", "threat-26"], "invalid_grant", "threat-26"
                ) { redeeming(&$0, try Self.begun(&$0, client), address) },
                .refused(
                    "browser-as-session", "what leads a browser to a sign-in is presented as one in steps",
                    ["OIC-1", "FPA-5"], "invalid_session", "FPA-5"
                ) {
                    let session = try Self.begun(&$0, client)
                    return World.form(
                        Self.challenging,
                        ["response_type": "code", "auth_session": session, "step": "otp", "otp": "123456"],
                        bearer: $0.proof(client, Self.challenging).text)
                },
                .refused(
                    "browser-as-refresh", "what leads a browser to a sign-in is presented as a refresh token",
                    ["OIC-1"], "invalid_grant", "RFC6749-6"
                ) {
                    let (session, url) = (try Self.begun(&$0, client), World.eduID + "/token")
                    return World.form(
                        url, ["grant_type": "refresh_token", "refresh_token": session],
                        bearer: $0.proof(client, url).text)
                },
                .refused(
                    "browser-as-token", "what leads a browser to a sign-in is presented as a token", ["OIC-1"],
                    "invalid_token", "threat-36"
                ) {
                    let session = try Self.begun(&$0, client)
                    return World.request("GET", World.eduID + "/userinfo", bearer: session)
                },
                .accepted(
                    "browser-not-code", "an address says nothing with a code that no browser brought", ["OIC-13"]
                ) {
                    let body = try $0.ask(.eduID, Self.ask(&$0, client))
                    let code = try Vector.Rejection.need(body["authorization_code"]?.string, "authorization_code")
                    return redeeming(&$0, code, address)
                },
            ])
    }
}
