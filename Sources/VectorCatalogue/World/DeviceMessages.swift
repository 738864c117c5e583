internal import JOSETesting
internal import PureCrypto
internal import Wire

/// What apps and the authorizing app say to each other on a device, as it should be unless a situation says otherwise.
enum DeviceMessages {
    static let reading: JSON.Object = [
        "client_id": "device-7", "app_id": "ch.example.reader", "app_name": "Reader", "protocols": ["org.ieee.papi"],
    ]

    static func request(_ changes: JSON.Object = [:]) -> JSON {
        .string(JSON.object(reading.changed(changes)).encodedString())
    }

    static func token(
        for changes: JSON.Object = [:], _ change: (TestToken) -> TestToken = { $0 }
    ) -> JSON {
        let request = reading.changed(changes)
        let claims: JSON.Object = [
            "aud": "urn:ietf:params:oauth:assertion", "sub": "device-7", "iss": "ch.example.reader", "name": "Reader",
            "iat": .number(JSON.Number(World.beginning)), "jti": "request-1", "req_hash": .string(digest(of: request)),
        ]
        let token = TestToken(
            "protocol-request+jwt", .pair("reader"), named: "reader-1", at: World.beginning, claims)
        return .string(change(token).text)
    }

    /// What the app's signature covers of a request.
    static func digest(of request: JSON.Object) -> String {
        let names = (request["protocols"]?.array ?? []).compactMap { $0.string }
        let protocols = Set(names.map { JSON.Name($0) }).sorted().map { $0.text }
        let single = request["single"]?.bool == true ? "1" : "0"
        let lines = [request["app_id"]?.string ?? "", request["client_id"]?.string ?? "", single] + protocols
        return Base64URL.encode(SHA256.hash(data: Array(lines.map { $0 + "\n" }.joined().utf8)))
    }

    static func service(
        _ home: String = World.alpha, token: String?, offering protocols: [String] = ["org.ieee.papi"],
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
            let authorization: JSON.Object = ["access_token": .string(token), "token_type": "Bearer"]
            members["authorization"] = .object(authorization.changed(more))
        }
        return .object(members.changed(extra))
    }

    static func answered(_ documents: JSON, _ asks: [JSON] = [], _ changes: JSON.Object = [:]) -> JSON.Object {
        [
            "request": request(changes), "answer": .string(documents.encodedString()),
            "now": .number(JSON.Number(World.beginning)),
            "asks": .array(asks),
        ]
    }

    static func ask(_ word: JSON, _ more: JSON.Object = [:]) -> JSON {
        let members: JSON.Object = ["ask": word, "service": .string(World.alpha + "/"), "protocol": "org.ieee.papi"]
        return .object(members.changed(more))
    }
}
