import JOSE
import TestSupport
import Testing
import Wire

@Suite("RFC 7519 §4.1: claims")
struct ValidationTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        let claims: [String: String]
        let rejection: JWT.Rejection?

        init(_ claims: [String: String], _ rejection: JWT.Rejection?) {
            self.claims = claims
            self.rejection = rejection
        }

        var testDescription: String { claims.description }
    }

    private func check(_ fault: Fault, _ change: (inout JWT.Expectation) -> Void = { _ in }) throws {
        var expectation = try Sample.expectation()
        change(&expectation)
        #expect(try Sample.invalidity(Sample.claims(fault.claims), expecting: expectation) == fault.rejection)
    }

    private static func time(_ seconds: Int64, _ nanoseconds: UInt32 = 0) -> Timestamp {
        Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }

    @Test("A token in order is believed, and its claims are typed", .proves("RFC7519-7.2"))
    func good() throws {
        let text = Sample.token(payload: Sample.claims(["name": #""Käthe""#, "nbf": "1699999990.5"]))
        let token = try JWS.Unverified(parsing: text).verified(by: [Sample.hmacKey()], accepting: [.hs256])
            .validated(expecting: Sample.expectation(), at: Sample.now)
        #expect(token.issuer == (try Issuer(parsing: "https://issuer.example")))
        #expect(token.subject == (try Subject(parsing: "user-1")))
        #expect(token.audience == [try Audience(parsing: "https://service.example/token")])
        #expect(token.id == "id-1")
        #expect(token.expiration == Self.time(1_700_000_060))
        #expect(token.notBefore == Self.time(1_699_999_990, 500_000_000))
        #expect(token.issuedAt == Self.time(1_699_999_990))
        #expect(try token["name"].string() == "Käthe")
        #expect(token.allClaims["name"] == "Käthe")
        #expect(try token.confirmation() == nil)
        #expect(token.signature.key.id == (try Sample.id("k1")))
    }

    @Test(
        "Expired when now is at 'exp' or later, without leeway", .proves("threat-16"), .proves("RFC7519-4.1.4"),
        arguments: [
            Fault(["exp": "1700000001"], nil),
            Fault(["exp": "1700000000.000000001"], nil),
            Fault(["exp": "17.00000001e8"], nil),
            Fault(["exp": "1700000000"], .expired(at: time(1_700_000_000), now: Sample.now)),
            Fault(["exp": "1699999999"], .expired(at: time(1_699_999_999), now: Sample.now)),
            Fault(["exp": "0"], .expired(at: .epoch, now: Sample.now)),
            Fault(["exp": ""], .missing("exp")),
        ])
    func expiry(fault: Fault) throws { try check(fault) }

    @Test(
        "Times are numbers from 1970 to 9999, exact or refused", .proves("threat-15"), .proves("threat-16"),
        .proves("RFC7519-2"),
        arguments: [
            Fault(["exp": #""1700000060""#], .wrongType("exp", expected: .number, found: .string)),
            Fault(["exp": "true"], .wrongType("exp", expected: .number, found: .bool)),
            Fault(["exp": "null"], .wrongType("exp", expected: .number, found: .null)),
            Fault(["exp": "[1700000060]"], .wrongType("exp", expected: .number, found: .array)),
            Fault(["exp": "{}"], .wrongType("exp", expected: .number, found: .object)),
            Fault(["exp": "-1"], .malformedTime("exp", .outOfRange)),
            Fault(["exp": "-0.5"], .malformedTime("exp", .outOfRange)),
            Fault(["exp": "1e400"], .malformedTime("exp", .outOfRange)),
            Fault(["exp": "18446744073709551616"], .malformedTime("exp", .outOfRange)),
            Fault(["exp": "9223372036854775807"], .malformedTime("exp", .outOfRange)),
            Fault(["exp": "1700000060000"], .malformedTime("exp", .outOfRange)),
            Fault(["exp": "253402300799"], nil),
            Fault(["nbf": "null"], .wrongType("nbf", expected: .number, found: .null)),
            Fault(["nbf": #""0""#], .wrongType("nbf", expected: .number, found: .string)),
            Fault(["iat": "false"], .wrongType("iat", expected: .number, found: .bool)),
            Fault(["iat": "-1"], .malformedTime("iat", .outOfRange)),
            Fault(["iat": "-0"], nil),
        ])
    func times(fault: Fault) throws { try check(fault) }

    @Test("A number of a thousand digits is refused, not computed", .proves("threat-15"))
    func longNumber() throws {
        let digits = String(repeating: "9", count: 1000)
        #expect(try Sample.invalidity(Sample.claims(["exp": digits])) == .malformedTime("exp", .outOfRange))
    }

    @Test(
        "'nbf' and 'iat' have a leeway of a minute", .proves("RFC7519-4.1.5"), .proves("RFC7519-4.1.6"),
        arguments: [
            Fault(["nbf": "1700000060"], nil),
            Fault(["nbf": "1700000060.5"], .notYetValid(from: time(1_700_000_060, 500_000_000), now: Sample.now)),
            Fault(["nbf": "1700000061"], .notYetValid(from: time(1_700_000_061), now: Sample.now)),
            Fault(["iat": "1700000060"], nil),
            Fault(["iat": "1700000061"], .issuedInTheFuture(at: time(1_700_000_061), now: Sample.now)),
        ])
    func leeway(fault: Fault) throws { try check(fault) }

    @Test("Leeway for 'exp' and the maximum age are the caller's to grant")
    func policies() throws {
        try check(Fault(["exp": "1699999990"], nil)) { $0.expirationLeeway = .seconds(11) }
        try check(Fault(["exp": "1699999990"], .expired(at: Self.time(1_699_999_990), now: Sample.now))) {
            $0.expirationLeeway = .seconds(10)
        }
        try check(Fault(["nbf": "1700000001"], .notYetValid(from: Self.time(1_700_000_001), now: Sample.now))) {
            $0.leeway = .zero
        }
        try check(Fault(["iat": "1699999990"], nil)) { $0.maximumAge = .seconds(10) }
        try check(Fault(["iat": "1699999989"], .tooOld(issued: Self.time(1_699_999_989), now: Sample.now))) {
            $0.maximumAge = .seconds(10)
        }
        try check(Fault(["iat": ""], .missing("iat"))) { $0.maximumAge = .seconds(10) }
        try check(Fault(["exp": ""], nil)) { $0.requiresExpiration = false }
        try check(Fault([:], .missing("name"))) { $0.requiredClaims = ["sub", "name"] }
        try check(Fault(["name": "null"], .missing("name"))) { $0.requiredClaims = ["name"] }
    }

    @Test(
        "'iss' is the expected issuer, byte by byte", .proves("threat-17"), .proves("RFC7519-4.1.1"),
        arguments: [
            "https://issuer.example/", "https://issuer.example.evil", "https://issuer.exampl", "HTTPS://issuer.example",
            " https://issuer.example",
            "https://issuer.example\u{301}",
        ])
    func issuer(name: String) throws {
        let expected = try Issuer(parsing: "https://issuer.example")
        #expect(
            try Sample.invalidity(Sample.claims(["iss": JSON.string(name).encodedString()]))
                == .wrongIssuer(expected: [expected], found: name))
    }

    @Test("Canonically equivalent names are different names", .proves("threat-17"))
    func equivalence() throws {
        let (composed, decomposed) = ("https://caf\u{e9}.example", "https://cafe\u{301}.example")
        #expect(composed == decomposed, "Swift's own comparison is the trap")
        var expectation = try Sample.expectation()
        let expected = try Issuer(parsing: composed)
        expectation.issuer = .exactly(expected)
        let claims = Sample.claims(["iss": JSON.string(decomposed).encodedString()])
        #expect(
            try Sample.invalidity(claims, expecting: expectation)
                == .wrongIssuer(expected: [expected], found: decomposed))
    }

    @Test(
        "Names are strings with something in them", .proves("threat-17"),
        arguments: [
            Fault(["iss": ""], .missing("iss")),
            Fault(["iss": #"["https://issuer.example"]"#], .wrongType("iss", expected: .string, found: .array)),
            Fault(["iss": "null"], .wrongType("iss", expected: .string, found: .null)),
            Fault(["sub": "7"], .wrongType("sub", expected: .string, found: .number)),
            Fault(["sub": #""""#], .malformedName("sub", .empty(.identifier))),
            Fault(["sub": #""a\u0000b""#], .malformedName("sub", .foreignCharacter(.identifier, offset: 1))),
            Fault(["jti": "7"], .wrongType("jti", expected: .string, found: .number)),
            Fault(["aud": ""], .missing("aud")),
            Fault(["aud": "null"], .wrongType("aud", expected: .string, found: .null)),
            Fault(["aud": "{}"], .wrongType("aud", expected: .string, found: .object)),
            Fault(["aud": "[]"], .emptyAudience),
            Fault(
                ["aud": #"["https://service.example/token",null]"#], .wrongType("aud", expected: .string, found: .null)),
            Fault(
                ["aud": #"["https://service.example/token",["x"]]"#],
                .wrongType("aud", expected: .string, found: .array)),
            Fault(
                ["aud": #"["https://service.example/token",7]"#], .wrongType("aud", expected: .string, found: .number)),
        ])
    func names(fault: Fault) throws { try check(fault) }

    @Test(
        "'aud' is this reader: alone, or among others where the caller says so", .proves("threat-24"),
        .proves("RFC7519-4.1.3"))
    func audience() throws {
        let audience = try Audience(parsing: "https://service.example/token")
        let other = try Audience(parsing: "https://other.example")
        func wrong(_ expected: JWT.Expectation.Audiences, _ found: String...) -> JWT.Rejection {
            switch expected {
            case .only(let audience): .wrongAudience(expected: [audience], alone: true, found: found)
            case .onlyOneOf(let audiences): .wrongAudience(expected: audiences, alone: true, found: found)
            case .including(let audience): .wrongAudience(expected: [audience], alone: false, found: found)
            case .unnamed, .unchecked: .wrongAudience(expected: [], alone: true, found: found)
            }
        }
        let both = #"["https://service.example/token","https://other.example"]"#
        try check(Fault(["aud": #"["https://service.example/token"]"#], nil))
        try check(Fault(["aud": both], wrong(.only(audience), audience.text, other.text)))
        try check(Fault(["aud": both], nil)) { $0.audience = .including(audience) }
        try check(Fault(["aud": #""https://other.example""#], wrong(.including(audience), other.text))) {
            $0.audience = .including(audience)
        }
        try check(
            Fault(
                ["aud": #""https://service.example/token/""#], wrong(.only(audience), "https://service.example/token/"))
        )
        try check(Fault([:], nil)) { $0.audience = .onlyOneOf([other, audience]) }
        try check(Fault([:], wrong(.onlyOneOf([other]), audience.text))) { $0.audience = .onlyOneOf([other]) }
        try check(Fault([:], wrong(.unnamed, audience.text))) { $0.audience = .unnamed }
        try check(Fault(["aud": ""], nil)) { $0.audience = .unnamed }
        try check(Fault([:], nil)) { $0.audience = .unchecked }
        try check(Fault(["aud": "[7]"], .wrongType("aud", expected: .string, found: .number))) {
            $0.audience = .unchecked
        }
    }

    @Test(
        "A key vouches for the issuer that it belongs to, and for no other", .proves("threat-25"),
        .proves("RFC8725-3.8"))
    func ownership() throws {
        let (owner, other) = (
            try Issuer(parsing: "https://issuer.example"), try Issuer(parsing: "https://other.example")
        )
        var expectation = try Sample.expectation()
        expectation.issuer = .oneOf([owner, other])
        let (key, otherKey) = (try Sample.hmacKey().owned(by: owner), try Sample.hmacKey().owned(by: other))
        #expect(try Sample.invalidity(Sample.claims(), expecting: expectation, key: key) == nil)
        #expect(
            try Sample.invalidity(Sample.claims(), expecting: expectation, key: otherKey)
                == .keyOfAnotherIssuer(owner: other, found: owner.text))
        expectation.issuer = .ownerOfKey
        #expect(try Sample.invalidity(Sample.claims(), expecting: expectation, key: key) == nil)
        #expect(try Sample.invalidity(Sample.claims(), expecting: expectation) == .keyWithoutOwner)
        expectation.issuer = .unchecked
        #expect(
            try Sample.invalidity(Sample.claims(), expecting: expectation, key: otherKey)
                == .keyOfAnotherIssuer(owner: other, found: owner.text))
    }

    @Test("The subject is checked where it is known")
    func subject() throws {
        let other = try Subject(parsing: "user-2")
        try check(Fault([:], .wrongSubject(expected: other, found: "user-1"))) { $0.subject = other }
        try check(Fault(["sub": ""], .missing("sub"))) { $0.subject = other }
        try check(Fault(["sub": #""user-2""#], nil)) { $0.subject = other }
    }

    @Test("A token of one kind is none of another", .proves("threat-18"), .proves("RFC8725-3.11"))
    func kinds() throws {
        func found(_ type: String?, as kind: JWT.Kind) throws -> JWT.Rejection? {
            let header = type.map { #"{"alg":"HS256","typ":"\#($0)"}"# } ?? #"{"alg":"HS256"}"#
            return try Sample.invalidity(Sample.claims(["client_id": #""c""#]), header: header, as: kind)
        }
        let lenient = JWT.Kind("at+jwt", acceptsUntyped: true)
        #expect(try found("at+jwt", as: .accessToken) == nil)
        #expect(try found("application/at+JWT", as: .accessToken) == nil)
        #expect(try found(nil, as: .accessToken) == .wrongKind(expected: "at+jwt", found: nil))
        #expect(try found("JWT", as: .accessToken) == .wrongKind(expected: "at+jwt", found: "JWT"))
        #expect(try found("JWT", as: lenient) == nil)
        #expect(try found(nil, as: lenient) == nil)
        #expect(try found("request+jwt", as: lenient) == .wrongKind(expected: "at+jwt", found: "request+jwt"))
        #expect(try found("at+jwt", as: .plain) == .wrongKind(expected: "JWT", found: "at+jwt"))
        #expect(try found("at+jwt", as: .any) == nil)
        #expect(try found("JOSE", as: .any) == .wrongKind(expected: nil, found: "JOSE"))
        #expect(
            try Sample.invalidity(Sample.claims(), header: #"{"alg":"HS256","typ":"at+jwt"}"#, as: .accessToken)
                == .missing("client_id"))
    }

    @Test("A nested token is not claims", .proves("RFC7519-5.2"))
    func nested() throws {
        #expect(try Sample.invalidity(Sample.claims(), header: #"{"alg":"HS256","cty":"JWT"}"#) == .nested)
    }

    @Test(
        "Claims are one JSON object without duplicates", .proves("threat-13"), .proves("threat-19"),
        arguments: [
            (#"{"exp":1700000060,"exp":1700000060}"#, JSON.Rejection.duplicateName(offset: 18)),
            (#"{"exp":1700000060,"\u0065xp":1}"#, .duplicateName(offset: 18)),
            (#"{"cnf":{"kid":"a","kid":"b"}}"#, .duplicateName(offset: 18)),
            ("[]", .mismatch(at: "$", expected: .object, found: .array)),
            ("\"text\"", .mismatch(at: "$", expected: .object, found: .string)),
            ("", .unexpectedEnd(offset: 0, expected: .value)),
            ("{} {}", .trailingContent(offset: 3)),
            ("{\"a\":NaN}", .unexpectedByte(0x4e, offset: 5, expected: .value)),
            ("\u{feff}{}", .byteOrderMark),
            (#"{"a":"\udc00"}"#, .loneSurrogate(offset: 6)),
        ])
    func objects(payload: String, rejection: JSON.Rejection) throws {
        #expect(try Sample.invalidity(payload) == .malformedClaims(rejection))
    }

    @Test("Nesting bombs end at the depth", .proves("threat-14"))
    func depth() throws {
        let bomb = #"{"a":"# + String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000) + "}"
        #expect(try Sample.invalidity(bomb) == .malformedClaims(.tooDeep(offset: 36, limit: 32)))
    }

    @Test("Every rejection says its clause, and what was expected and found")
    func messages() throws {
        let rejection = try #require(try Sample.invalidity(Sample.claims(["aud": #""https://other.example""#])))
        #expect(rejection.clause == "RFC7519-4.1.3")
        #expect(
            rejection.description
                == "'aud' is 'https://other.example', expected 'https://service.example/token' alone (RFC7519-4.1.3)")
        let expired = try #require(try Sample.invalidity(Sample.claims(["exp": "1"])))
        #expect(expired.text == "'exp' is 1, now is 1700000000")
    }
}
