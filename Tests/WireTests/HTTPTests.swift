import TestSupport
import Testing
import Wire

@Suite("RFC 9110 §5: fields")
struct HTTPFieldTests {
    private func fault(_ value: [UInt8]) -> SyntaxError? {
        rejection { () throws(SyntaxError) in try HTTP.Field(.location, value) }
    }

    @Test("§5.1: names are compared without regard to case", .proves("RFC9110-5.1"))
    func names() throws {
        let name = try HTTP.Field.Name(parsing: "cONTENT-tYPE")
        #expect(name == .contentType)
        #expect(Set([name, .contentType, .accept]).count == 2)
        #expect(name.text == "cONTENT-tYPE")
        for longer in ["Content-Type-", "Content-Typ"] { #expect(try HTTP.Field.Name(parsing: longer) != .contentType) }
        #expect(try HTTP.Field.Name(parsing: "X!#$%&'*+-.^_`|~09") != .accept)
    }

    @Test(
        "§5.1: one fault each", .proves("RFC9110-5.1"),
        arguments: [
            ("", .empty(.fieldName)), ("a b", .foreignCharacter(.fieldName, offset: 1)),
            ("a:", .foreignCharacter(.fieldName, offset: 1)),
            ("\r\nx", .foreignCharacter(.fieldName, offset: 0)),
            ("é", .foreignCharacter(.fieldName, offset: 0)), ("a(", .foreignCharacter(.fieldName, offset: 1)),
            ("a\u{0}", .foreignCharacter(.fieldName, offset: 1)),
        ] as [(String, SyntaxError)])
    func nameFaults(text: String, expected: SyntaxError) {
        #expect(rejection { () throws(SyntaxError) in try HTTP.Field.Name(parsing: text) } == expected)
    }

    @Test("§5.5: no value ends the line", .proves("RFC9110-5.5"))
    func injection() throws {
        #expect(try HTTP.Field(.location, " \t a b\tc \t").value == "a b\tc")
        #expect(try HTTP.Field(.location, "").value.isEmpty)
        #expect(try HTTP.Field(.location, "é").value == "é")
        for byte in (0..<0x20).map({ UInt8($0) }) + [0x7f] where byte != 0x09 {
            #expect(fault([0x61, 0x62, byte, 0x63]) == .foreignCharacter(.fieldValue, offset: 2))
        }
        #expect(fault([0x61, 0x0d, 0x0a]) == .foreignCharacter(.fieldValue, offset: 1), "not even at the end")
        #expect(fault([0x61, 0xff]) == .illFormedUTF8(.fieldValue, offset: 1))
        #expect(fault([UInt8](repeating: 0x61, count: 32_769)) == .tooLong(.fieldValue, length: 32_769, limit: 32_768))
    }

    @Test("order and repetitions stay visible; the number is bounded", .proves("threat-37"))
    func collection() throws {
        var fields = HTTP.Fields()
        try fields.append(.authorization, "one")
        try fields.append(HTTP.Field.Name(parsing: "AUTHORIZATION"), "two")
        try fields.append(.accept, "three")
        #expect(fields.value(of: .authorization) == .repeated(2))
        #expect(fields.values(of: .authorization) == ["one", "two"])
        #expect(fields.value(of: .accept) == .once("three"))
        #expect(fields.value(of: .host) == .absent)
        #expect(fields.map(\.name.text) == ["Authorization", "AUTHORIZATION", "Accept"])
        #expect(!"\(fields) \(fields[0])".contains("one"))
        while fields.count < HTTP.Fields.countLimit { try fields.append(.accept, "x") }
        let full = fields
        #expect(
            rejection { () throws(SyntaxError) in
                var fields = full
                try fields.append(.accept, "x")
                return fields
            } == .tooMany(.fieldName, limit: 128))
    }
}

@Suite("RFC 9110: requests and responses")
struct HTTPMessageTests {
    @Test("RFC 9112 §3.2: targets", .proves("RFC9112-3.2"))
    func targets() throws {
        let origin = try HTTP.Request.Target(parsing: "/authorize?response_type=code&client_id=s6BhdRkqt3")
        #expect((origin.path, origin.query) == ("/authorize", "response_type=code&client_id=s6BhdRkqt3"))
        let slashes = try HTTP.Request.Target(parsing: "//evil.example/x")
        #expect((slashes.path, slashes.query) == ("//evil.example/x", nil))
        let absolute = try HTTP.Request.Target(parsing: "https://h.example?q")
        #expect((absolute.path, absolute.query) == ("/", "q"))
    }

    @Test(
        "RFC 9112 §3.2: one fault each", .proves("RFC9112-3.2"),
        arguments: [
            ("", .notATarget), ("*", .notATarget), ("path", .notATarget),
            ("h.example:443", .foreignScheme),
            ("/a#b", .fragmentInTarget), ("https://h/#b", .fragmentInTarget),
            ("/a b", .foreignCharacter(0x20, in: .path, offset: 2)),
            ("/a?%", .brokenTriplet(in: .query, offset: 3)),
            ("//a:x@[/", .foreignCharacter(0x5b, in: .path, offset: 6)),
            ("https://u@h/", .userInformation(offset: 8)),
        ] as [(String, URI.Rejection)])
    func targetFaults(text: String, expected: URI.Rejection) {
        #expect(rejection { () throws(URI.Rejection) in try HTTP.Request.Target(parsing: text) } == expected)
    }

    @Test("§9.1: methods are tokens and have a case", .proves("RFC9110-9.1"))
    func methods() throws {
        #expect(try HTTP.Request.Method(parsing: "GET") == .get)
        #expect(try HTTP.Request.Method(parsing: "get") != .get)
        #expect(
            rejection { () throws(SyntaxError) in try HTTP.Request.Method(parsing: "GE T") }
                == .foreignCharacter(.method, offset: 2))
        #expect(rejection { () throws(SyntaxError) in try HTTP.Request.Method(parsing: "") } == .empty(.method))
    }

    @Test("§15: status codes", .proves("RFC9110-15"))
    func status() {
        #expect(HTTP.Response.Status(200) == .ok)
        #expect(HTTP.Response.Status(201)?.isSuccess == true)
        #expect(HTTP.Response.Status(302)?.isSuccess == false)
        #expect([99, 600, -1, 0, .max, .min].allSatisfy { HTTP.Response.Status($0) == nil })
    }

    @Test("no description shows a query, a value or a body", .proves("threat-22"))
    func secrets() throws {
        var fields = HTTP.Fields()
        try fields.append(.authorization, "Bearer secret")
        let request = HTTP.Request(
            .post, try HTTP.Request.Target(parsing: "/token?code=secret"), fields: fields, body: Array("secret".utf8))
        #expect(request.description == "POST /token, 1 fields, 6 bytes")
        #expect(HTTP.Response(.ok, fields: fields, body: Array("secret".utf8)).description == "200, 1 fields, 6 bytes")
    }
}

@Suite("RFC 9110 §8.3.1: media types")
struct MediaTypeTests {
    @Test("the standard's equal examples", .proves("RFC9110-8.3.1"))
    func examples() throws {
        for text in [
            "text/html;charset=utf-8", "Text/HTML;Charset=\"utf-8\"", "text/html; charset=\"utf-8\"",
            " text/html;; charset=utf-8 ;",
        ] {
            let type = try HTTP.MediaType(parsing: text)
            #expect(type.essence == "text/html")
            #expect(type["CHARSET"] == "utf-8")
            #expect(type.text == "text/html;charset=utf-8")
        }
        #expect(try HTTP.MediaType(parsing: "application/json;charset=UTF-8").matches(.json))
        #expect(try !HTTP.MediaType(parsing: "application/jsonp").matches(.json))
        #expect(try HTTP.MediaType(parsing: "a/b;c=\"d \\\" \\\\ e\"")["c"] == "d \" \\ e")
        #expect(try HTTP.MediaType(parsing: "a/b;c=\"d \\\" e\"").text == "a/b;c=\"d \\\" e\"")
    }

    @Test(
        "one fault each", .proves("RFC9110-8.3.1"),
        arguments: [
            ("", .malformed(.mediaType, offset: 0)), ("text", .malformed(.mediaType, offset: 4)),
            ("text/", .malformed(.mediaType, offset: 5)),
            ("/html", .malformed(.mediaType, offset: 0)), ("text/html, a/b", .malformed(.mediaType, offset: 9)),
            ("text/html a", .malformed(.mediaType, offset: 10)), ("text/html;a", .malformed(.mediaType, offset: 11)),
            ("text/html;a =b", .malformed(.mediaType, offset: 11)),
            ("text/html;a=", .malformed(.mediaType, offset: 12)),
            ("text/html;a=\"b", .malformed(.mediaType, offset: 12)),
            ("text/html;a=b c", .malformed(.mediaType, offset: 14)),
            ("te xt/html", .malformed(.mediaType, offset: 2)),
            ("text/html;a=1;A=2", .repeatedParameter(.mediaType, offset: 14)),
            ("text/html;a=\"\u{1}\"", .malformed(.mediaType, offset: 13)),
            ("a/b" + String(repeating: ";a", count: 65), .malformed(.mediaType, offset: 5)),
        ] as [(String, SyntaxError)])
    func faults(text: String, expected: SyntaxError) {
        #expect(rejection { () throws(SyntaxError) in try HTTP.MediaType(parsing: text) } == expected)
    }

    @Test("the number of parameters is bounded", .proves("threat-14"))
    func limit() {
        let many = "a/b" + (0...64).map { ";p\($0)=1" }.joined()
        #expect(
            rejection { () throws(SyntaxError) in try HTTP.MediaType(parsing: many) }
                == .tooMany(.mediaType, limit: 64))
        #expect(
            rejection { () throws(SyntaxError) in try HTTP.MediaType(parsing: [0x61, 0x2f, 0x62, 0xff]) }
                == .illFormedUTF8(.mediaType, offset: 3))
    }
}

@Suite("RFC 9110 §11: authentication")
struct AuthenticationTests {
    @Test("RFC 6750, RFC 9449, RFC 7617: credentials", .proves("RFC6750-2.1"))
    func credentials() throws {
        let bearer = try HTTP.Authentication(parsing: "Bearer mF_9.B5f-4.1JqM")
        #expect(bearer.scheme == .bearer)
        #expect(bearer.token == "mF_9.B5f-4.1JqM")
        #expect(try HTTP.Authentication(.bearer, token: "mF_9.B5f-4.1JqM") == bearer)
        #expect(bearer.text == "Bearer mF_9.B5f-4.1JqM")
        #expect(!"\(bearer) \(bearer.details)".contains("mF_9"))
        #expect(
            try HTTP.Authentication(parsing: "bEARER   abc==\t")
                == HTTP.Authentication(.bearer, token: "abc=="))
        #expect(
            try HTTP.Authentication(parsing: "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW").token
                == "czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(try HTTP.Authentication(parsing: "DPoP a.b.c").scheme == .dpop)
        #expect(try HTTP.Authentication(parsing: "Bearer").token == nil)
        let digest = try HTTP.Authentication(parsing: "Digest username=\"Mufasa\", qop=auth,nc = 00000001")
        #expect((digest["USERNAME"], digest["qop"], digest["nc"]) == ("Mufasa", "auth", "00000001"))
    }

    @Test(
        "§11.4: credentials, one fault each", .proves("RFC9110-11.4"),
        arguments: [
            ("", .malformed(.authentication, offset: 0)), (" ", .malformed(.authentication, offset: 1)),
            ("Bearer a b", .malformed(.authentication, offset: 9)),
            ("Bearer a, b", .malformed(.authentication, offset: 10)),
            ("Bearer a=b=c", .malformed(.authentication, offset: 10)),
            ("Bearer a b=c", .malformed(.authentication, offset: 9)),
            ("Bearer, Basic x", .malformed(.authentication, offset: 8)),
            ("Bearer \"a\"", .malformed(.authentication, offset: 7)),
            ("Bearer é", .malformed(.authentication, offset: 7)),
            ("Be(rer a", .malformed(.authentication, offset: 2)), ("Bearer =a", .malformed(.authentication, offset: 7)),
            ("Digest a=1, A=2", .repeatedParameter(.authentication, offset: 12)),
            ("Digest a=\"b", .malformed(.authentication, offset: 9)),
            ("Digest a=1 b=2", .malformed(.authentication, offset: 11)),
            ("Bearer a\nb", .malformed(.authentication, offset: 8)),
            ("Bearer/a", .malformed(.authentication, offset: 6)),
            ("Bearer\"a\"", .malformed(.authentication, offset: 6)),
        ] as [(String, SyntaxError)])
    func credentialFaults(text: String, expected: SyntaxError) {
        #expect(
            rejection { () throws(SyntaxError) in try HTTP.Authentication(parsing: text) }
                == expected)
    }

    @Test("§11.6.1: several challenges in one field", .proves("RFC9110-11.6.1"))
    func challenges() throws {
        let list = try HTTP.Authentication.list(
            parsing: "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"".utf8)
        #expect(list.map(\.scheme.name) == ["basic", "newauth"])
        #expect(list[0]["realm"] == "simple")
        #expect((list[1]["realm"], list[1]["type"], list[1]["title"]) == ("apps", "1", "Login to \"apps\""))

        let mixed = try HTTP.Authentication.list(
            parsing: " , Negotiate , NTLM abc==,, Bearer error=\"invalid_token\" , DPoP algs = \"ES256 EdDSA\" ,".utf8)
        #expect(mixed.map(\.scheme.name) == ["negotiate", "ntlm", "bearer", "dpop"])
        #expect(mixed[0].details == .token68(""))
        #expect(mixed[1].details == .token68("abc=="))
        #expect(mixed[3]["ALGS"] == "ES256 EdDSA")
    }

    @Test("RFC 6750 §3: the standard's challenge is written as it stands there", .proves("RFC6750-3"))
    func writing() throws {
        let challenge = try HTTP.Authentication(
            .bearer,
            [("realm", "example"), ("error", "invalid_token"), ("error_description", "The access token expired")])
        #expect(
            challenge.text
                == "Bearer realm=\"example\", error=\"invalid_token\", error_description=\"The access token expired\"")
        #expect(try HTTP.Authentication.list(parsing: challenge.text.utf8) == [challenge])
        let quoting = try HTTP.Authentication(.dpop, [("a", "\"\\é,=")])
        #expect(quoting.text == "DPoP a=\"\\\"\\\\é,=\"")
        #expect(try HTTP.Authentication.list(parsing: quoting.text.utf8) == [quoting])
        #expect(try HTTP.Authentication(.bearer).text == "Bearer")
    }

    @Test("nothing is written that would be read differently", .proves("RFC9110-11.2"))
    func unwritable() {
        #expect(
            rejection { () throws(SyntaxError) in
                try HTTP.Authentication(.bearer, [("a", "b"), ("c", "d\r\nX: y")])
            }
                == .unwritableParameter(index: 1))
        #expect(
            rejection { () throws(SyntaxError) in
                try HTTP.Authentication(.bearer, [("a b", "c")])
            }
                == .unwritableParameter(index: 0))
        #expect(
            rejection { () throws(SyntaxError) in
                try HTTP.Authentication(.bearer, [("a", "c"), ("A", "d")])
            }
                == .unwritableParameter(index: 1))
        #expect(
            rejection { () throws(SyntaxError) in
                try HTTP.Authentication(.bearer, token: "")
            } == .empty(.token))
        #expect(
            rejection { () throws(SyntaxError) in
                try HTTP.Authentication(.bearer, token: "ab c")
            }
                == .foreignCharacter(.token, offset: 2))
        #expect(
            rejection { () throws(SyntaxError) in
                try HTTP.Authentication(.bearer, token: "ab=c")
            }
                == .foreignCharacter(.token, offset: 3))
        #expect(
            rejection { () throws(SyntaxError) in
                try HTTP.Authentication(.bearer, token: "=")
            }
                == .foreignCharacter(.token, offset: 0))
    }

    @Test(
        "§11.6.1: challenges, one fault each", .proves("RFC9110-11.6.1"),
        arguments: [
            ("", .malformed(.authentication, offset: 0)), (",,", .malformed(.authentication, offset: 2)),
            ("Basic realm=\"a\" Bearer", .malformed(.authentication, offset: 16)),
            ("a=b", .malformed(.authentication, offset: 1)),
            ("Basic a=1, a=2", .repeatedParameter(.authentication, offset: 11)),
            ("Basic realm=\"", .malformed(.authentication, offset: 12)),
            ("Bearer x, =y", .malformed(.authentication, offset: 10)),
            (Array(repeating: "a", count: 65).joined(separator: ","), .tooMany(.authentication, limit: 64)),
            ("a " + (0...64).map { "p\($0)=1" }.joined(separator: ","), .tooMany(.authentication, limit: 64)),
        ] as [(String, SyntaxError)])
    func challengeFaults(text: String, expected: SyntaxError) {
        #expect(
            rejection { () throws(SyntaxError) in
                try HTTP.Authentication.list(parsing: text.utf8)
            } == expected)
    }

    @Test("mutated challenges never trap; what is read is written and read again alike", .proves("threat-14"))
    func mutated() {
        let seed: UInt64 = 52
        var generator = SeededGenerator(seed: seed)
        let source = Array("Basic realm=\"a \\\"b\", Newauth x==, Bearer a=1, b = \"2\", DPoP".utf8)
        for round in 0..<10_000 {
            let text = generator.mutated(source, with: ",= \"\\a1\t;/")
            if let list = try? HTTP.Authentication.list(parsing: text) {
                let written = list.map(\.text).joined(separator: ", ")
                #expect(
                    (try? HTTP.Authentication.list(parsing: written.utf8)) == list, "seed \(seed), round \(round)")
            }
            if let credentials = try? HTTP.Authentication(parsing: text) {
                #expect(
                    (try? HTTP.Authentication(parsing: credentials.text)) == credentials,
                    "seed \(seed), round \(round)")
            }
        }
    }
}

@Suite("RFC 9111 §5.2: keeping answers")
struct CacheControlTests {
    @Test(
        "what a keeper of keys must know", .proves("RFC9111-5.2"),
        arguments: [
            ("", false, false, nil), ("max-age=300", false, false, 300), ("no-store", true, false, nil),
            ("No-Cache, MAX-AGE=\"60\", private=\"a, b\"", false, true, 60),
            ("max-age=99999999999999999999999", false, false, 1 << 31), ("max-age=x", false, false, 0),
            ("max-age", false, false, 0),
            ("max-age=5, max-age=5", false, false, 5),
            ("max-age=5, max-age=6", false, false, 0), ("max-age=-1", false, false, 0),
            (" , public ,, must-revalidate", false, false, nil),
        ] as [(String, Bool, Bool, UInt32?)])
    func directives(text: String, isNeverStored: Bool, isAlwaysValidated: Bool, maxAge: UInt32?) throws {
        let control = try HTTP.CacheControl(parsing: text)
        #expect((control.isNeverStored, control.isAlwaysValidated) == (isNeverStored, isAlwaysValidated))
        #expect(control.maxAge == maxAge)
    }

    @Test(
        "one fault each", .proves("RFC9111-5.2"),
        arguments: [
            ("max-age=", .malformed(.cacheControl, offset: 8)), ("max-age =5", .malformed(.cacheControl, offset: 8)),
            ("a b", .malformed(.cacheControl, offset: 2)),
            ("=5", .malformed(.cacheControl, offset: 0)), ("a=\"b", .malformed(.cacheControl, offset: 2)),
            (Array(repeating: "a", count: 65).joined(separator: ","), .tooMany(.cacheControl, limit: 64)),
        ] as [(String, SyntaxError)])
    func faults(text: String, expected: SyntaxError) {
        #expect(
            rejection { () throws(SyntaxError) in try HTTP.CacheControl(parsing: text) } == expected)
    }
}
