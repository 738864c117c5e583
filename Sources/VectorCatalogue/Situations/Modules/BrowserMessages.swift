internal import JOSETesting
internal import Wire

// Sign-in with a browser at a provider: how it begins, how it is answered, and with what its code is redeemed.

extension Catalogue {
    mutating func addBrowserMessages() {
        add(.message, "browser-", Self.beginnings + Self.states + Self.brokenBeginnings, Self.begun)
        add(.message, "browser-at-", Self.addresses + Self.noAddresses) { Self.begun(["redirect_uri": .string($0)]) }
        add(.message, "browser-json-", Self.typed) { changes in
            var body = Self.asking
            for member in changes { body[member.name] = member.value }
            return [
                "endpoint": "challenge",
                "request": World.request(
                    "POST", Self.place, bearer: Self.anyToken, type: "application/json",
                    body: JSON.object(body).encodedString()),
            ]
        }
        add(.message, "browser-code", Self.redemptions) { ["endpoint": "token", "request": $0] }
        add(.reply, "answer-browser", Self.invitations) { ["endpoint": "challenge", "answer": $0] }
    }

    private static let place = "https://server.example/authorize-challenge"
    private static let state = "AbcdefghijklmnopqrstuvwxyZ-0123456789._~AbC"
    private static let asking: JSON.Object = [
        "response_type": "code", "client_id": .string(World.phone),
        "redirect_uri": "https://app.example/signed-in", "state": .string(state),
        "code_challenge": .string(World.challenge), "code_challenge_method": "S256",
    ]

    private static func told(_ clause: String) -> Expected { Expected(error: "invalid_request", clause: clause) }

    /// The beginning with these parameters changed, or left out where they are null.
    private static func begun(_ changes: JSON.Object) -> JSON.Object {
        let pairs = asking.changed(changes).compactMap { member in
            member.value.string.map { HTTP.Form.Pair(member.name.text, $0) }
        }
        let body = String(decoding: HTTP.Form(pairs).encoded(), as: UTF8.self)
        return [
            "endpoint": "challenge",
            "request": World.request(
                "POST", place, bearer: anyToken, type: "application/x-www-form-urlencoded", body: body),
        ]
    }

    // MARK: Beginnings

    private static let beginnings: [Row<JSON.Object>] = [
        ("begun", "an app begins a sign-in in a browser", ["OIC-1", "OIC-2"], nil, [:]),
        ("without-client", "who asks is told by the credential alone", ["OIC-1"], nil, ["client_id": .null]),
        ("empty-user", "a user name without a value is none", ["OIC-1"], nil, ["username": ""]),
        (
            "steps", "what belongs to a password says nothing", ["OIC-1"], nil,
            ["steps_supported": " ", "password": "x"]
        ),
        (
            "with-user", "with a user name it is no sign-in in a browser, and the address is not read", ["OIC-1"], nil,
            ["username": "ada", "password": "correct horse", "redirect_uri": "nowhere", "state": "x"]
        ),
        (
            "with-session", "what goes on with a sign-in in steps begins none in a browser", ["OIC-1", "FPA-9"], nil,
            [
                "auth_session": "a-session", "step": "otp", "otp": "123456", "redirect_uri": "nowhere",
                "state": .null, "code_challenge": .null, "code_challenge_method": .null,
            ]
        ),
    ]

    private static let states: [Row<JSON.Object>] = [
        ("no-state", "without 'state'", ["OIC-1", "OIC-13"], told("RFC6749-3.1"), ["state": .null]),
        ("empty-state", "with a state that is empty", ["OIC-1", "OIC-13"], told("RFC6749-3.1"), ["state": ""]),
        (
            "short-state", "with a state of 42 characters", ["OIC-1", "OIC-13"], told("RFC6749-A"),
            ["state": .string(String(state.dropLast()))]
        ),
        (
            "long-state", "with a state of 44 characters", ["OIC-1", "OIC-13"], told("threat-14"),
            ["state": .string(state + "x")]
        ),
        (
            "foreign-state", "with a state that has a plus sign", ["OIC-1", "OIC-13"], told("RFC6749-A"),
            ["state": .string(state.dropLast() + "+")]
        ),
        (
            "wide-state", "with a state of 43 bytes that are not ASCII", ["OIC-1", "OIC-13"], told("RFC6749-A"),
            ["state": .string(state.dropLast(2) + "\u{e4}")]
        ),
    ]

    private static let brokenBeginnings: [Row<JSON.Object>] = [
        ("no-address", "with a state, and without an address", ["OIC-1"], told("RFC6749-3.1"), ["redirect_uri": .null]),
        ("empty-address", "with an address that is empty", ["OIC-2"], told("RFC6749-3.1"), ["redirect_uri": ""]),
        (
            "no-challenge", "without 'code_challenge'", ["OIC-1", "threat-26"], told("RFC6749-3.1"),
            ["code_challenge": .null]
        ),
        (
            "short-challenge", "with a challenge of 42 characters", ["OIC-1", "threat-26"], told("RFC7636-4.2"),
            ["code_challenge": .string(String(World.challenge.dropLast()))]
        ),
        (
            "plain-challenge", "with a challenge of the method plain", ["OIC-1", "threat-26"], told("RFC7636-4.3"),
            ["code_challenge_method": "plain"]
        ),
        (
            "no-method", "without 'code_challenge_method'", ["OIC-1", "threat-26"], told("RFC7636-4.3"),
            ["code_challenge_method": .null]
        ),
        (
            "token", "with the response type 'token'", ["OIC-1"],
            Expected(error: "unsupported_response_type", clause: "RFC6749-3.1.1"), ["response_type": "token"]
        ),
        (
            "session-and-user", "with a session and a user name", ["OIC-1", "FPA-9"], told("FPA-9"),
            ["auth_session": "a-session", "step": "otp", "otp": "123456", "username": "ada"]
        ),
    ]

    private static let typed: [Row<JSON.Object>] = [
        ("begun", "an app begins a sign-in in a browser, in JSON", ["OIC-1"], nil, [:]),
        ("null", "members that are null are absent", ["OIC-1"], nil, ["username": .null, "auth_session": .null]),
        ("number-address", "with an address that is a number", ["OIC-2"], told("RFC6749-3.1"), ["redirect_uri": 7]),
        ("list-state", "with a state that is a list", ["OIC-13"], told("RFC6749-3.1"), ["state": [.string(state)]]),
        ("number-user", "with a user name that is a number", ["OIC-1"], told("RFC6749-3.1"), ["username": 7]),
    ]

    // MARK: Addresses

    private static let addresses: [Row<String>] = [
        ("link", "a link that an app has claimed", ["OIC-2"], nil, "https://app.example/signed-in"),
        ("link-host", "a link without a path", ["OIC-2"], nil, "https://app.example"),
        ("link-port", "a link with a port", ["OIC-2"], nil, "https://app.example:8443/signed-in"),
        (
            "link-characters", "a link with each kind of character that an address may have", ["OIC-2"], nil,
            "https://app.example/aZ0-._~:@!$&'()*+,;="
        ),
        ("scheme", "a scheme of the app's own", ["OIC-2"], nil, "ch.eduid.mobile:/signed-in"),
        ("scheme-short", "a scheme of two words, and nothing behind the slash", ["OIC-2"], nil, "a.b:/"),
        ("scheme-digits", "a scheme with digits and a hyphen", ["OIC-2"], nil, "ch.7-eduid.2-x:/signed-in"),
        ("scheme-slashes", "a scheme with two slashes behind it", ["OIC-2"], nil, "ch.eduid.mobile://signed-in"),
        ("here", "a port of the machine itself", ["OIC-2"], nil, "http://127.0.0.1:8084/signed-in"),
        ("here-port", "the port of http of the machine itself, without a path", ["OIC-2"], nil, "http://127.0.0.1:80"),
        ("here-six", "a port of the machine itself, by IPv6", ["OIC-2"], nil, "http://[::1]:8084/signed-in"),
        (
            "long", "an address of 512 bytes", ["OIC-2", "threat-10"], nil,
            "ch.eduid:/" + String(repeating: "x", count: 502)
        ),
    ]

    private static let noAddresses: [Row<String>] = [
        ("elsewhere", "http at another machine", ["OIC-2"], told("OIC-2"), "http://app.example/signed-in"),
        ("elsewhere-port", "a port of another machine", ["OIC-2"], told("OIC-2"), "http://127.0.0.2:8084/signed-in"),
        ("localhost", "the machine itself by a name", ["OIC-2"], told("OIC-2"), "http://localhost:8084/signed-in"),
        ("no-port", "the machine itself without a port", ["OIC-2"], told("OIC-2"), "http://127.0.0.1/signed-in"),
        ("no-port-six", "the same by IPv6", ["OIC-2"], told("OIC-2"), "http://[::1]/signed-in"),
        ("empty-port", "a port without a digit", ["OIC-2"], told("OIC-2"), "http://127.0.0.1:/signed-in"),
        ("other-spelling", "IPv6 in another spelling", ["OIC-2"], told("OIC-2"), "http://[0::1]:8084/signed-in"),
        ("http-capitals", "http in capitals", ["OIC-2"], told("OIC-2"), "HTTP://127.0.0.1:8084/signed-in"),
        ("https-capitals", "https in capitals", ["OIC-2"], told("OIC-2"), "HTTPS://app.example/signed-in"),
        ("no-dot", "a scheme without a dot", ["OIC-2"], told("OIC-2"), "eduid:/signed-in"),
        ("capitals", "a scheme with a capital letter", ["OIC-2"], told("OIC-2"), "ch.eduid.Mobile:/signed-in"),
        ("empty-word", "a scheme with an empty word", ["OIC-2"], told("OIC-2"), "ch..mobile:/signed-in"),
        ("empty-first", "a scheme that begins with a dot", ["OIC-2"], told("OIC-2"), ".eduid.mobile:/signed-in"),
        ("empty-last", "a scheme that ends with a dot", ["OIC-2"], told("OIC-2"), "ch.eduid.:/signed-in"),
        ("digit-first", "a scheme that begins with a digit", ["OIC-2"], told("OIC-2"), "7.eduid:/signed-in"),
        ("hyphen-first", "a scheme that begins with a hyphen", ["OIC-2"], told("OIC-2"), "-ch.eduid:/signed-in"),
        ("underscore", "a scheme with an underscore", ["OIC-2"], told("OIC-2"), "ch.edu_id:/signed-in"),
        ("plus", "a scheme with a plus sign", ["OIC-2"], told("OIC-2"), "ch.edu+id:/signed-in"),
        ("no-slash", "a scheme without a slash behind it", ["OIC-2"], told("OIC-2"), "ch.eduid.mobile:signed-in"),
        ("scheme-alone", "a scheme and nothing behind it", ["OIC-2"], told("OIC-2"), "ch.eduid.mobile:"),
        ("no-scheme", "a path", ["OIC-2"], told("OIC-2"), "/signed-in"),
        ("word", "a word", ["OIC-2"], told("OIC-2"), "signed-in"),
        ("script", "a script", ["OIC-2"], told("OIC-2"), "javascript:alert(1)"),
        ("query", "a query", ["OIC-2", "threat-10"], told("threat-10"), "https://app.example/signed-in?a=b"),
        ("scheme-query", "a scheme and a query", ["OIC-2", "threat-10"], told("threat-10"), "ch.eduid:/signed-in?a"),
        ("fragment", "a fragment", ["OIC-2", "threat-10"], told("threat-10"), "https://app.example/signed-in#a"),
        ("percent", "a percent sign", ["OIC-2", "threat-10"], told("threat-10"), "https://app.example/%41"),
        ("space", "a space", ["OIC-2", "threat-10"], told("threat-10"), "https://app.example/signed in"),
        ("line-end", "a line's end", ["OIC-2", "threat-10"], told("threat-10"), "https://app.example/signed-in\r\n"),
        ("quote", "a quote", ["OIC-2", "threat-10"], told("threat-10"), "https://app.example/\""),
        ("backslash", "a backslash", ["OIC-2", "threat-10"], told("threat-10"), "https://app.example\\signed-in"),
        ("letter", "a letter beyond ASCII", ["OIC-2", "threat-10"], told("threat-10"), "https://app.example/\u{e4}"),
        (
            "too-long", "513 bytes", ["OIC-2", "threat-10"], told("threat-10"),
            "ch.eduid:/" + String(repeating: "x", count: 503)
        ),
        ("https-alone", "https and nothing behind it", ["OIC-2", "threat-40"], told("threat-40"), "https:"),
        ("https-path", "https without a host", ["OIC-2", "threat-40"], told("threat-40"), "https:/signed-in"),
        ("empty-host", "https with an empty host", ["OIC-2"], told("RFC9110-4.2.1"), "https:///signed-in"),
        ("huge-port", "a port that there is not", ["OIC-2"], told("RFC3986-3.2.3"), "https://app.example:65536/"),
        ("bracket", "a bracket in a path", ["OIC-2"], told("RFC3986-3.3"), "https://app.example/[a]"),
        ("user", "a link with user information", ["OIC-2", "threat-40"], told("threat-40"), "https://a@app.example/"),
        (
            "user-here", "another machine behind what looks like this one", ["OIC-2", "threat-40"], told("threat-40"),
            "http://127.0.0.1:80@app.example/"
        ),
        (
            "number-host", "a link to a number that some read as an address", ["OIC-2", "threat-40"],
            told("threat-40"), "https://2130706433/"
        ),
    ]

    // MARK: Codes

    private static func redeeming(_ more: String) -> JSON {
        World.request(
            "POST", "https://server.example/token", bearer: anyToken, type: "application/x-www-form-urlencoded",
            body: "grant_type=authorization_code&code=a-code&code_verifier=" + World.verifier + more)
    }

    private static let redemptions: [Row<JSON>] = [
        (
            "", "a code that a browser brought to a link", ["OIC-13"], nil,
            redeeming("&redirect_uri=https%3A%2F%2Fapp.example%2Fsigned-in")
        ),
        (
            "-scheme", "a code that a browser brought to an app's own scheme", ["OIC-13"], nil,
            redeeming("&redirect_uri=ch.eduid.mobile%3A%2Fsigned-in")
        ),
        (
            "-resource", "the address to which a code was brought is not the service that the token is for", ["OIC-13"],
            nil, redeeming("&redirect_uri=ch.eduid.mobile%3A%2F&resource=https%3A%2F%2Fservice.example%2F")
        ),
        (
            "-no-address", "what is no address is not the one to which a code was brought", ["OIC-13"], nil,
            redeeming("&redirect_uri=http%3A%2F%2Fapp.example%2F")
        ),
        (
            "-long-address", "the same of what is too long", ["OIC-13", "threat-10"], nil,
            redeeming("&redirect_uri=ch.eduid%3A%2F" + String(repeating: "x", count: 503))
        ),
        ("-empty-address", "an address that is empty is none", ["OIC-13"], nil, redeeming("&redirect_uri=")),
        (
            "-twice", "with two addresses", ["OIC-13", "threat-37"], told("threat-37"),
            redeeming("&redirect_uri=a.b%3A%2F&redirect_uri=a.b%3A%2F")
        ),
    ]

    // MARK: Answers

    private static let name = "urn:ietf:params:oauth:request_uri:a-name.a-secret"

    private static func answer(_ status: JSON, _ changes: JSON.Object, more: (JSON.Name, JSON)? = nil) -> JSON {
        let body: JSON.Object = [
            "error": "redirect_to_web", "error_description": "go on in a browser", "request_uri": .string(name),
            "expires_in": 90,
        ]
        var headers: JSON.Object = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        if let more { headers[more.0] = more.1 }
        return [
            "status": status, "headers": .object(headers),
            "body": .string(JSON.object(body.changed(changes)).encodedString()),
        ]
    }

    private static let invitations: [Row<JSON>] = [
        ("", "the app is to go on in a browser", ["OIC-1"], nil, answer(403, [:])),
        ("-other-name", "a name of another form", ["OIC-1"], nil, answer(403, ["request_uri": "a-name"])),
        (
            "-long-name", "a name of 2,048 bytes", ["OIC-1"], nil,
            answer(403, ["request_uri": .string(String(repeating: "x", count: 2_048))])
        ),
        ("-quoted", "seconds in quotes", ["OIC-1"], nil, answer(403, ["expires_in": "90"])),
        ("-unknown", "members that nobody knows", ["OIC-1"], nil, answer(403, ["steps": [], "x": 1])),
        (
            "-too-long", "an invitation whose name has 2,049 bytes", ["OIC-1", "threat-14"], "threat-14",
            answer(403, ["request_uri": .string(String(repeating: "x", count: 2_049))])
        ),
        ("-space", "an invitation whose name has a space", ["OIC-1"], "RFC6749-A", answer(403, ["request_uri": "a b"])),
        (
            "-number-name", "an invitation whose name is a number", ["OIC-1"], "RFC6749-3.1",
            answer(403, ["request_uri": 7])
        ),
        ("-endless", "an invitation without an end", ["OIC-1"], "RFC6749-3.1", answer(403, ["expires_in": .null])),
        ("-negative", "an invitation that is over", ["OIC-1"], "RFC6749-3.1", answer(403, ["expires_in": -1])),
        (
            "-and-code", "an invitation with a code", ["OIC-1", "FPA-9"], "FPA-9",
            answer(403, ["authorization_code": "a-code"])
        ),
        (
            "-and-session", "an invitation with what goes on with a sign-in in steps", ["OIC-1", "FPA-3"],
            "RFC6749-5.2", answer(403, ["auth_session": "a-session"])
        ),
        (
            "-success", "an invitation with a code and its status", ["OIC-1", "FPA-9"], "FPA-9",
            answer(200, ["authorization_code": "a-code"])
        ),
        ("-bad-request", "with the status 400 the app is refused", ["OIC-1"], nil, answer(400, [:])),
        ("-without-name", "without a name the app is refused", ["OIC-1"], nil, answer(403, ["request_uri": .null])),
        ("-unauthorized", "with the status 401 the app is refused", ["OIC-1"], nil, answer(401, [:])),
        (
            "-no-error", "a name in the answer that asks for more than a password", ["OIC-1", "FPA-3"], nil,
            answer(403, ["error": "insufficient_authorization"])
        ),
        (
            "-number-error", "an error that is a number counts by what the header says", ["OIC-1"], nil,
            answer(403, ["error": 7], more: ("WWW-Authenticate", #"Bearer error="insufficient_scope""#))
        ),
        (
            "-other-error", "a name beside an error that has another status", ["OIC-1"], "RFC6749-5.2",
            answer(403, ["error": "access_denied"])
        ),
    ]
}
