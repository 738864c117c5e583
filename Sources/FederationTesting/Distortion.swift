package import Wire

/// Changes of meaning in messages: what is JSON before is JSON afterwards, and says something else.
package struct Distortion: Sendable {
    private var entropy: SimulatedFederation.Entropy

    /// The changes that follow from a seed.
    package init(seed: UInt64) { entropy = SimulatedFederation.Entropy(seed: seed) }

    /// A number below a bound.
    package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &entropy) }

    /// An answer with a few changes, or none at all.
    package mutating func distorted(_ response: HTTP.Response) -> HTTP.Response? {
        if below(16) == 0 { return nil }
        let status = below(8) == 0 ? Self.statuses[below(Self.statuses.count)] : response.status
        return HTTP.Response(status, fields: response.fields, body: distorted(response.body))
    }

    /// A text with a few changes; one that is not JSON stays as it is.
    package mutating func distorted(_ text: [UInt8]) -> [UInt8] {
        guard let value = try? JSON(parsing: text) else { return text }
        let changed = distorted(value)
        var bytes = changed.encoded()
        // A member that stands twice is in no tree.
        if below(12) == 0, let members = changed.object, !members.isEmpty {
            let double = JSON.object([members[below(members.count)].name: odd()]).encoded()
            bytes.replaceSubrange(0..<1, with: double.dropLast() + [UInt8(ascii: ",")])
        }
        return bytes
    }

    /// A value with a few changes.
    package mutating func distorted(_ value: JSON) -> JSON {
        var value = value
        // Near misses reach deepest.
        for _ in 0...max(0, below(6) - 3) { value = changed(value) }
        return value
    }

    private mutating func changed(_ value: JSON) -> JSON {
        switch value {
        case .object(let members) where !members.isEmpty && below(8) > 0: .object(changed(members))
        case .array(let elements) where !elements.isEmpty && below(8) > 0: .array(changed(elements))
        default: odd()
        }
    }

    private mutating func changed(_ members: JSON.Object) -> JSON.Object {
        var members = members
        let (name, value) = (members[below(members.count)].name, members[below(members.count)].value)
        switch below(8) {
        case 0: members[name] = nil
        case 1: members[name] = odd()
        case 2: members[name] = value
        case 3: members[Self.names[below(Self.names.count)]] = odd()
        case 4 where below(4) == 0: for number in 0..<300 { members[JSON.Name("x-\(number)")] = JSON.null }
        default: members[name] = changed(members[name] ?? JSON.null)
        }
        return members
    }

    private mutating func changed(_ elements: [JSON]) -> [JSON] {
        var elements = elements
        let place = below(elements.count)
        switch below(4) {
        case 0: elements.remove(at: place)
        case 1: elements += Array(repeating: elements[place], count: below(8) == 0 ? 5_000 : 1)
        default: elements[place] = changed(elements[place])
        }
        return elements
    }

    private mutating func odd() -> JSON { Self.values[below(Self.values.count)] }

    private static let statuses: [HTTP.Response.Status] = [.ok, .badRequest, .unauthorized, .notFound]

    private static let names: [JSON.Name] = [
        "access_token", "token_type", "expires_in", "refresh_token", "scope", "cnf", "kid", "jwk", "error", "iss",
        "code",
        "state", "redirect_uri", "homePageLink", "engineLink", "engineName", "apis", "apiLink", "authorization",
        "token",
    ]

    private static let values: [JSON] =
        [
            .null, true, false, [], [:], ["a"], ["a": 1], "", "a", "3600", "-1", "3599.5", "a b", "\u{0}", "\n",
            "\u{e9}",
            "e\u{301}", "\u{202e}", "Bearer", "PoP", "DPoP", "https://evil.example/", "https://alpha.example.ch/",
            "https://beta.example.ch", "http://127.0.0.1/", "https://[::1]:8443/x", "javascript:1", "../..", "a.b.c",
            .string(String(repeating: "x", count: 20_000)), .string(String(repeating: "\u{1}", count: 12_000)),
            .array(Array(repeating: .null, count: 2_000)),
            .object(JSON.Object((0..<300).map { (JSON.Name("m-\($0)"), JSON.null) })),
            ["jwk": ["kty": "oct", "k": "AAECAwQFBgcICQoLDA0ODw", "kid": "k"]], ["kid": "k"], ["jkt": "a"],
        ]
        + ["0", "-1", "1", "3600", "3599.5", "1e400", "-0", "9223372036854775807", "9223372036854775808", "1e-5"]
        .compactMap { try? JSON.Number(parsing: $0) }.map { .number($0) }
}
