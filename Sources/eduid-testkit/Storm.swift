import JOSE
import PureCrypto
import RSD2
import TokenTreeTesting
import VectorCatalogue
import Wire

/// Random and mutated input for every parser of the suite: whatever comes, each answers and none traps.
///
/// A trap ends the process, so an exit with a count is the proof. The same seed gives the same inputs.
struct Storm {
    private var chance: SeededSequence

    init(seed: UInt64) {
        chance = SeededSequence(seed: seed)
    }

    /// One kind of input: valid samples to start from, and the reader that has to judge whatever becomes of them.
    struct Target: Sendable {
        let name: String
        let samples: [[UInt8]]
        let accepts: @Sendable ([UInt8]) -> Bool

        /// Input that is accepted if nothing is thrown.
        init<Value>(
            _ name: String, _ samples: [String], _ parse: @escaping @Sendable ([UInt8]) throws -> Value
        ) {
            self.name = name
            self.samples = samples.map { Array($0.utf8) }
            accepts = { (try? parse($0)) != nil }
        }
    }

    /// How many of `count` inputs the target took for valid.
    mutating func run(_ target: Target, count: Int) -> Int {
        var accepted = 0
        for _ in 0..<count where target.accepts(nextInput(for: target)) { accepted += 1 }
        return accepted
    }

    /// A sixteenth of the inputs is noise, the others are samples changed in a few places: near misses reach deepest.
    private mutating func nextInput(for target: Target) -> [UInt8] {
        if chance.below(16) == 0 { return (0..<chance.below(64)).map { _ in UInt8(truncatingIfNeeded: chance.next()) } }
        var input = target.samples[chance.below(target.samples.count)]
        for _ in 0...chance.below(4) { change(&input, with: target.samples[chance.below(target.samples.count)]) }
        return input
    }

    private mutating func change(_ input: inout [UInt8], with other: [UInt8]) {
        let place = chance.below(input.count + 1)
        switch chance.below(7) {
        case 0: input.insert(UInt8(truncatingIfNeeded: chance.next()), at: place)
        case 1 where place < input.count: input[place] = UInt8(truncatingIfNeeded: chance.next())
        case 2 where place < input.count: input[place] ^= 1 << UInt8(chance.below(8))
        case 3 where place < input.count: input.remove(at: place)
        case 4 where place < input.count && !other.isEmpty: input[place] = other[chance.below(other.count)]
        case 5: input.removeSubrange(place...)
        default: input.insert(contentsOf: other.prefix(chance.below(other.count + 1)), at: place)
        }
    }
}

extension Storm.Target {
    /// Every parser that takes bytes from outside.
    static let all = formats + messages + signedTokens + device + keptTrees

    private static let formats = [
        Self(
            "JSON",
            [
                joined(
                    #"{"iss":"https://a.example/","aud":["x","\u00e9\ud83d\ude00"],"exp":1.7e9,"#,
                    #""cnf":{"jwk":{"kty":"OKP"}},"ok":[true,null,-0.5]}"#)
            ]
        ) { bytes in
            let value = try JSON(parsing: bytes)
            try need(JSON(parsing: value.encoded()) == value)
        },
        Self("JSON number", ["0", "-12.50e+3", "1e400", "18446744073709551616"]) { bytes in
            let number = try JSON.Number(parsing: String(decoding: bytes, as: UTF8.self))
            _ = try? Timestamp(parsing: number.text)
        },
        Self("Base64URL", ["", "-_8", "Zm9vYmFyIGJheg"]) { try Base64URL.decode($0) },
        Self("Base64", ["", "+/8=", "Zm9vYmFyIGJheg=="]) { try Base64.decode($0) },
        Self("hexadecimal", ["", "00ff", "DEADBEEF"]) { try Hex.decode($0) },
        Self("percent-encoding", ["a%20b", "%C3%A9", "100%25"]) { try PercentEncoding.decode($0) },
        Self("URI", ["http://u@[::1]:80/a/../b;p?q#f", "../g?y#s", "urn:ietf:params:oauth", "//host/%7e/"]) { bytes in
            let reference = try URI.Reference(parsing: bytes)
            _ = try? reference.resolve(reference)
            _ = reference.normalized()
        },
        Self(
            "URL",
            [
                "https://example.ch/a/b?c#d", "HTTP://[::ffff:1.2.3.4]:8080/", "http://127.0.0.1/",
                "https://xn--bcher-kva.example/%2e/",
            ]
        ) {
            bytes in
            let url = try WebURL(parsing: bytes)
            _ = url.covers(url)
            try need(url == url)
        },
        Self("relative URL", ["a/b", "/a?b", "//other.example/x", "?q", "#f", "http:x"]) { bytes in
            let base = try WebURL(parsing: "https://example.ch/x/y?z")
            return try WebURL(parsing: bytes, relativeTo: base)
        },
        Self("form", ["grant_type=refresh_token&scope=a+b%20c&x=%E2%82%AC", "a&b=&=c"]) { try HTTP.Form(parsing: $0) },
        Self(
            "HTTP date",
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        ) { bytes in try Timestamp(httpDate: String(decoding: bytes, as: UTF8.self), at: .epoch) },
        Self("media type", ["application/json; charset=\"utf-8\"", "a/b;c=d;e=\"\\\"\""]) {
            try HTTP.MediaType(parsing: $0)
        },
        Self("credentials", ["Bearer abc.def-_~+/==", "DPoP x", "Digest a=\"b\", c=d"]) {
            try HTTP.Authentication(parsing: $0)
        },
        Self("challenges", ["Bearer realm=\"x\", error=\"invalid_token\", Basic", "a, b c=d, e==\t, f"]) { bytes in
            try HTTP.Authentication.list(parsing: bytes)
        },
        Self("cache control", ["max-age=60, no-store", "private=\"a, b\", x=\"\\\\\""]) {
            try HTTP.CacheControl(parsing: $0)
        },
        Self("request target", ["/a?b", "https://example.ch/", "*"]) { try HTTP.Request.Target(parsing: $0) },
        Self(
            "JWK",
            [#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","use":"sig","kid":"a"}"#]
        ) { bytes in try JWK(parsing: bytes) },
        Self(
            "key set",
            [#"{"keys":[{"kty":"oct","k":"AAECAwQFBgc"},{"kty":"EC","crv":"P-256","x":"AA","y":"AA"},{"kty":"new"}]}"#]
        ) { bytes in try JWKSet(parsing: bytes, allowingSecrets: true) },
        Self(
            "compact JWS",
            ["eyJhbGciOiJFZERTQSJ9.RXhhbXBsZQ.AAAA", "eyJhbGciOiJIUzI1NiIsImNyaXQiOlsiYjY0Il0sImI2NCI6ZmFsc2V9.$.AA"]
        ) { bytes in try JWS.Unverified(parsing: bytes) },
        Self(
            "JSON JWS",
            [
                joined(
                    #"{"payload":"AA","signatures":[{"protected":"eyJhbGciOiJFZERTQSJ9","header":{"kid":"a"},"#,
                    #""signature":"AAAA"}]}"#)
            ]
        ) { bytes in try JWS.Unverified(parsingJSON: bytes) },
        Self(
            "service description",
            [#"{"engineLink":"","apis":{"org.ietf.oauth2":{"apiLink":"a/","transport":["REST"],"settings":{}}}}"#]
        ) { bytes in
            let reading = try ServiceDescription.reading(bytes, as: .json)
            for api in reading.description.apis { _ = try? reading.description.endpoint(for: api.name, path: "x?y") }
        },
        Self(
            "service description in XML",
            [
                joined(
                    #"<?xml version="1.0"?><rsd version="2.0" xmlns="http://github.com/rsd-spec/rsd"><service>"#,
                    #"<engineLink>a/</engineLink>"#)
                    + ##"<apis><api name="a" apiLink="b&#x26;"/><!-- c --></apis></service></rsd>"##
            ]
        ) { bytes in try ServiceDescription.reading(bytes, as: .xml) },
        Self(
            "YAML",
            ["engineLink: \"a\\u00e9\"\napis:\n  x: {apiLink: 'b', settings: [1, ~]}\n  y: |-\n    text\n# end\n"]
        ) { bytes in try YAML.value(parsing: bytes.span) },
        Self("services.txt", ["application/x-rsd+json; /rsd.json\n# comment\nttl: 60\n"]) {
            try ServiceList(parsing: $0)
        },
        Self(
            "HTML page", ["<base href=/a><link rel='ServiceAPI' type=application/x-rsd+json href=\"b\"><!-- <link> -->"]
        ) { bytes in
            let page = try WebURL(parsing: "https://example.ch/")
            try need(!Publication.announced(by: bytes, at: page).isEmpty)
        },
        Self(
            "Ed25519 key and signature",
            ["=@\u{17}\u{c3}0123456789abcdef0123456789", String(repeating: "x", count: 32)]
        ) { bytes in
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: bytes.prefix(32))
            let prepared = key.prepared()
            try need(key.isValidSignature(bytes, for: bytes) || prepared.isValidSignature(bytes + bytes, for: bytes))
        },
    ]
}
