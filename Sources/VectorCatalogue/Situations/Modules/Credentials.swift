internal import Wire

// Who asks, in the header: what is read there, and what is not.

extension Catalogue {
    mutating func addCredentials() {
        add(.message, "credential-", Self.wellFormed + Self.malformed) { value in
            ["endpoint": "resource", "request": Self.showing(value)]
        }
        add(.message, "basic-", Self.passwords) { value in
            ["endpoint": "resource", "request": Self.showing("Basic " + value)]
        }
        add(.message, "basic-", Self.besideParameters) { client in
            let body = "grant_type=client_credentials&client_id=" + client
            let request = Self.showing("Basic YTpiYw==", "POST", "application/x-www-form-urlencoded")
            return ["endpoint": "token", "request": request.with("body", .string(body))]
        }
    }

    private static func showing(_ value: String, _ method: String = "GET", _ type: JSON? = nil) -> JSON {
        var headers: JSON.Object = ["Authorization": .string(value)]
        headers["Content-Type"] = type
        return ["method": .string(method), "url": "https://server.example/token", "headers": .object(headers)]
    }

    private static func told(_ clause: String) -> Expected { Expected(error: "invalid_request", clause: clause) }

    private static let wellFormed: [Row<String>] = [
        ("capitals", "a scheme in other letters", ["RFC9110-11.1"], nil, "bEARER a-token"),
        (
            "commas", "empty elements around the credential count for nothing", ["RFC9110-11.4"], nil,
            ", Bearer a-token ,"
        ),
        ("padded", "a token that ends with equals signs", ["RFC6750-2.1"], nil, "Bearer a-token=="),
    ]

    private static let malformed: [Row<String>] = [
        ("empty", "a field without any byte", ["threat-37"], told("RFC9110-11.3"), ""),
        ("no-scheme", "a field that begins with no scheme", ["threat-37"], told("RFC9110-11.3"), "=a-token"),
        ("two-tokens", "two tokens behind one scheme", ["threat-37"], told("RFC9110-11.3"), "Bearer a-token b"),
        (
            "two-schemes", "two credentials in one field", ["threat-37"], told("RFC9110-11.3"),
            "Bearer a-token, Bearer b-token"
        ),
        ("colon", "a byte that no token has", ["threat-37"], told("RFC9110-11.3"), "Bearer a:token"),
        (
            "open-quote", "a quoted value without its end", ["threat-37"], told("RFC9110-11.3"),
            #"Bearer realm="a-token"#
        ),
        ("alone", "a scheme without a token", ["threat-37"], told("RFC6750-2.1"), "Bearer"),
        (
            "parameters", "parameters in the place of the token", ["threat-37"], told("RFC6750-2.1"),
            #"Bearer realm="edu-ID", scope="a""#
        ),
        (
            "parameter-twice", "a parameter that comes twice, in other letters", ["threat-37"],
            told("RFC9110-11.2"), "Digest realm=a, Realm=b"
        ),
        (
            "many-parameters", "sixty-five parameters", ["threat-14"], told("threat-14"),
            "Digest " + (1...65).map { "p\($0)=v" }.joined(separator: ", ")
        ),
        (
            "long", "a token of 16,385 bytes", ["threat-14"], told("threat-14"),
            "Bearer " + String(repeating: "a", count: 16_385)
        ),
        (
            "bare-token", "a token without a scheme is taken for one that nobody knows", ["threat-37"],
            Expected(error: "invalid_client", clause: "RFC6749-2.3"), "eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl"
        ),
        (
            "proof-missing", "a token that comes without the proof of its scheme", ["POP-1"],
            told("RFC9449-7.1"), "DPoP a-token"
        ),
    ]

    // MARK: Names and passwords of clients (RFC 7617, RFC 6749 §2.3.1)

    private static let passwords: [Row<String>] = [
        ("read", "a client's name and password, which is read and good for nothing", ["threat-37"], nil, "YTpiYw=="),
        (
            "colons", "only the first colon parts the two: a:b:c", ["threat-37"], nil, "YTpiOmM="
        ),
        (
            "encoded", "both are form-encoded: a%3Ab:c+d", ["threat-37"], nil, "YSUzQWI6Yytk"
        ),
        ("no-padding", "without padding", ["threat-37"], told("RFC9110-11.3"), "YTpiYw"),
        ("other-alphabet", "in the alphabet of Base64url", ["threat-37"], told("RFC9110-11.3"), "YTrDvw-_"),
        ("stray-bits", "bits behind the last byte", ["threat-37"], told("RFC9110-11.3"), "YTpiYx=="),
        ("no-colon", "a name without a colon: ab", ["threat-37"], told("RFC9110-11.3"), "YWI="),
        ("ampersand", "more than one pair: a:b&c", ["threat-37"], told("RFC9110-11.3"), "YTpiJmM="),
        ("triplet", "a name that is not form-encoded: a%4:b", ["threat-37"], told("RFC6749-B"), "YSU0OmI="),
        ("space", "a password that is not form-encoded: a:b c", ["threat-37"], told("RFC6749-B"), "YTpiIGM="),
        ("no-utf8", "a password that is no UTF-8: a:%FF", ["threat-37"], told("RFC3629-4"), "YTolRkY="),
        ("no-name", "a password without a name: :b", ["threat-10"], told("threat-10"), "OmI="),
        ("no-password", "a name without a password: a:", ["threat-37"], told("RFC6749-A"), "YTo="),
        ("parameters", "parameters in the place of both", ["threat-37"], told("RFC9110-11.3"), #"realm="a""#),
    ]

    private static let besideParameters: [Row<String>] = [
        ("same-client", "'client_id' names the same client as the header", ["threat-37"], nil, "a"),
        (
            "other-client", "'client_id' names another client than the header", ["threat-37"], told("threat-37"),
            "b"
        ),
    ]
}
