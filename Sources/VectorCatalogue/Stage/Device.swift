internal import Wire

/// What apps and the authorizing app say to each other on a device, as it should be unless a situation says otherwise.
enum Device {
    static let reading: JSON.Object = [
        "client_id": "device-7", "app_id": "ch.example.reader", "app_name": "Reader", "protocols": ["org.ieee.papi"],
    ]

    static func request(_ changes: JSON.Object = [:]) -> JSON {
        var members = reading
        for change in changes { members[change.name] = change.value == .null ? nil : change.value }
        return .string(JSON.object(members).encodedString())
    }

    static func token(_ change: (Draft) -> Draft = { $0 }) -> JSON {
        .string(
            change(
                Draft(
                    "protocol-request+jwt", .pair("reader"), named: "reader-1",
                    [
                        "aud": "urn:ietf:params:oauth:assertion", "sub": "device-7", "iss": "ch.example.reader",
                        "name": "Reader",
                    ])
            ).text)
    }

    static func service(
        _ home: String = Stage.alpha, token: String?, offering protocols: [String] = ["org.ieee.papi"],
        more: JSON.Object = [:],
        own: JSON? = nil,
        extra: JSON.Object = [:]
    ) -> JSON {
        var apis: JSON.Object = ["org.ietf.oauth2": ["apiLink": "oauth"]]
        for name in protocols {
            var api: JSON.Object = ["apiLink": .string("api/" + (name.split(separator: ".").last ?? "x"))]
            api["authorization"] = own
            apis[JSON.Name(name)] = .object(api)
        }
        var members: JSON.Object = [
            "engineName": "University of Alpha", "engineLink": "", "homePageLink": .string(home), "apis": .object(apis),
        ]
        if let token {
            var authorization: JSON.Object = ["access_token": .string(token), "token_type": "Bearer"]
            for member in more { authorization[member.name] = member.value }
            members["authorization"] = .object(authorization)
        }
        for member in extra { members[member.name] = member.value }
        return .object(members)
    }

    static func answered(_ documents: JSON, _ asks: [JSON] = [], _ changes: JSON.Object = [:]) -> JSON.Object {
        [
            "request": request(changes), "answer": .string(documents.encodedString()),
            "now": .number(JSON.Number(Stage.beginning)),
            "asks": .array(asks),
        ]
    }

    static func ask(_ word: JSON, _ more: JSON.Object = [:]) -> JSON {
        var members: JSON.Object = ["ask": word, "service": .string(Stage.alpha + "/"), "protocol": "org.ieee.papi"]
        for member in more { members[member.name] = member.value }
        return .object(members)
    }
}
