import TestSupport
import Testing
import Wire

@Suite("Reading JSON in place")
struct JSONDocumentTests {
    static let claims = #"""
        {"iss":"https://eduid.ch","sub":"7\u00e9","exp":1700000300,"aud":["a","b"],"cnf":{"jwk":{"kty":"OKP","n":null}},
         "active":true,"org.ietf.oauth2":{"api link":1}, "long name of more than eight bytes" : { "raw" : [ 1.0 ,2 ] } }
        """#

    func claims() throws -> JSON.Document.Object {
        try JSON.Document(parsing: Self.claims).root.object()
    }

    @Test("Members are found by name and taken as what they are", .proves("RFC8259-4"))
    func access() throws {
        let claims = try claims()
        #expect(try claims["iss"].string() == "https://eduid.ch")
        #expect(try claims["sub"].string() == "7é")
        #expect(try claims["exp"].integer() == 1_700_000_300)
        #expect(try claims["exp"].number() == 1_700_000_300)
        #expect(try claims["active"].bool())
        #expect(try claims["cnf"].object()["jwk"].object()["kty"].isString("OKP"))
        #expect(try claims["cnf"].object()["jwk"].object()["n"].isNull)
        #expect(try claims["aud"].array().map { value in try value.string() } == ["a", "b"])
        #expect(try claims["aud"].array()[1].string() == "b")
        #expect(try claims.optional("exp")?.integer(as: UInt32.self) == 1_700_000_300)
        #expect(claims.optional("nbf") == nil)
        #expect(claims.contains("iss") && !claims.contains("is") && !claims.contains("issu") && !claims.contains(""))
        #expect(claims.count == 8)
    }

    @Test("Members and elements come in their order", .proves("RFC8259-4"))
    func iteration() throws {
        var names: [JSON.Name] = []
        for member in try claims() { names.append(member.name) }
        #expect(
            names == [
                "iss", "sub", "exp", "aud", "cnf", "active", "org.ietf.oauth2", "long name of more than eight bytes",
            ])
        #expect(
            try claims().map(\.value.kind) == [.string, .string, .number, .array, .object, .bool, .object, .object])
        let empty = try JSON.Document(parsing: "[[],{}]").root.array()
        #expect(try empty[0].array().isEmpty && empty[0].array().map(\.kind) == [])
        #expect(try empty[1].object().isEmpty && empty[1].object().map(\.name) == [])
    }

    @Test("A value of another type is told with its path, the type due and the type found", .proves("RFC8259-3"))
    func mismatches() throws {
        let claims = try claims()
        #expect(throws: JSON.Rejection.mismatch(at: "$.iss", expected: .number, found: .string)) {
            try claims["iss"].number()
        }
        #expect(throws: JSON.Rejection.mismatch(at: "$.iss", expected: .number, found: .string)) {
            try claims["iss"].integer(as: Int.self)
        }
        #expect(throws: JSON.Rejection.mismatch(at: "$.exp", expected: .string, found: .number)) {
            try claims["exp"].string()
        }
        #expect(throws: JSON.Rejection.mismatch(at: "$.aud", expected: .object, found: .array)) {
            try claims["aud"].object()
        }
        #expect(throws: JSON.Rejection.mismatch(at: "$.cnf", expected: .array, found: .object)) {
            try claims["cnf"].array()
        }
        #expect(throws: JSON.Rejection.mismatch(at: "$.aud[1]", expected: .bool, found: .string)) {
            try claims["aud"].array()[1].bool()
        }
        #expect(throws: JSON.Rejection.mismatch(at: "$.cnf.jwk.n", expected: .string, found: .null)) {
            try claims["cnf"].object()["jwk"].object()["n"].string()
        }
        #expect(throws: JSON.Rejection.mismatch(at: "$", expected: .array, found: .object)) { try claims.value.array() }
    }

    @Test("A member or element that is not there is told with its path", .proves("RFC8259-4"))
    func missing() throws {
        let claims = try claims()
        #expect(throws: JSON.Rejection.missing(at: "$.nbf")) { try claims["nbf"] }
        #expect(throws: JSON.Rejection.missing(at: "$.cnf.jwk.crv")) {
            try claims["cnf"].object()["jwk"].object()["crv"]
        }
        #expect(throws: JSON.Rejection.missing(at: "$.aud[2]")) { try claims["aud"].array()[2] }
        #expect(throws: JSON.Rejection.missing(at: "$.aud[-1]")) { try claims["aud"].array()[-1] }
    }

    @Test("Paths quote names that are no words, and shorten long ones")
    func paths() throws {
        let claims = try claims()
        #expect(try claims["org.ietf.oauth2"].object()["api link"].path == #"$["org.ietf.oauth2"]["api link"]"#)
        let odd = try JSON.Document(parsing: #"{"":[{"\n\"":1}]}"#).root.object()
        #expect(try odd[""].array()[0].object()["\n\""].path == #"$[""][0]["\n\""]"#)
        let long = try JSON.Document(parsing: "{\"\(String(repeating: "n", count: 100_000))\":1}").root.object()
        let path = try #require(long.map(\.value.path).first)
        #expect(path.description == "$[\"" + String(repeating: "n", count: 63) + "…\"]")
    }

    @Test("Names are found by their bytes, escaped or not", .proves("RFC8259-8.3"))
    func names() throws {
        let object = try JSON.Document(
            parsing: "{\"\u{e9}\":1,\"e\u{301}\":2,\"\u{212a}\":3,\"\\u006bid\":4,\"\\ud834\\udd1e--------\":5}"
        )
        .root.object()
        #expect(try object["\u{e9}"].integer() == 1)
        #expect(try object["e\u{301}"].integer() == 2)
        #expect(throws: JSON.Rejection.missing(at: "$.K")) { try object["K"] }
        #expect(try object["kid"].integer() == 4)
        #expect(try object["\u{1d11e}--------"].integer() == 5)
        let third = try #require(object.dropFirst(2).first { _ in true })
        switch third.name {
        case "K": Issue.record("the Kelvin sign is not K")
        case "\u{212a}": break
        default: Issue.record("\(third.name)")
        }
        #expect(object.contains("\u{212a}"))
    }

    @Test("Names are found beside and behind containers, whose own names are not looked at")
    func namesBesideContainers() throws {
        let text = #"{"a":[1,2],"b":{"c":1,"d":2,"kind of":3},"c":4,"e":[],"f":5,"kind of":6,"long enough":7}"#
        let object = try JSON.Document(parsing: text).root.object()
        #expect(try object["c"].integer() == 4 && object["f"].integer() == 5 && object["kind of"].integer() == 6)
        #expect(try object["long enough"].integer() == 7 && object["e"].array().isEmpty)
        #expect(!object.contains("d") && !object.contains("") && !object.contains("lon") && !object.contains("a\0"))
        let flat = try object["b"].object()
        #expect(try flat["c"].integer() == 1 && flat["d"].integer() == 2 && flat["kind of"].integer() == 3)
        #expect(!flat.contains("e") && !flat.contains("a") && !flat.contains("f"))
    }

    /// The pairs were searched for: the reader's fingerprints of both are the same.
    @Test(
        "A name is not found by another that looks alike",
        arguments: [("fsnbxz", "yjaqfi"), ("wasawkb", "ezksrz")])
    func alikeNames(one: String, other: String) throws {
        for (name, absent) in [(one, other), (other, one)] {
            let escaped = "\\u00" + String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
            for written in [name, escaped] {
                let object = try JSON.Document(parsing: "{\"\(written)\":1}").root.object()
                #expect(object.contains(JSON.Name(name)) && !object.contains(JSON.Name(absent)), "\(written)")
            }
            let both = try JSON.Document(parsing: "{\"\(name)\":1,\"\(absent)\":2}").root.object()
            #expect(try both[JSON.Name(name)].integer() == 1 && both[JSON.Name(absent)].integer() == 2)
        }
    }

    @Test("A value's source is kept byte for byte", .proves("RFC8259-2"))
    func raw() throws {
        let claims = try claims()
        #expect(
            try String(decoding: claims["long name of more than eight bytes"].raw, as: UTF8.self)
                == #"{ "raw" : [ 1.0 ,2 ] }"#)
        #expect(try String(decoding: claims["sub"].raw, as: UTF8.self) == #""7\u00e9""#)
        #expect(try JSON.Document(parsing: "  12 ").root.raw == Array("12".utf8))
        #expect(try JSON.Document(parsing: "  12 ").root.offset == 2)
    }

    @Test("A part becomes a tree of its own", .proves("RFC8259-4"))
    func trees() throws {
        let claims = try claims()
        #expect(try claims["cnf"].tree() == ["jwk": ["kty": "OKP", "n": .null]])
        #expect(try claims["aud"].array().tree() == ["a", "b"])
        #expect(claims.tree()["exp"] == 1_700_000_300)
        #expect(claims.value.tree() == .object(claims.tree()))
    }

    @Test("Every kind of bytes is read alike", .proves("RFC8259-8.1"))
    func sources() throws {
        let bytes = Array(Self.claims.utf8)
        let expected = try JSON(parsing: bytes)
        #expect(try JSON(parsing: bytes[...]) == expected)
        #expect(try JSON(parsing: Self.claims) == expected)
        #expect(try JSON(parsing: bytes.span) == expected)
        #expect(try JSON(parsing: bytes.lazy.map { $0 }) == expected)
        #expect(try JSON(parsing: Self.claims.utf8) == expected)
        #expect(try JSON.Document(parsing: bytes.reversed().reversed() as [UInt8]).root.tree() == expected)
        #expect(throws: JSON.Rejection.tooLarge(size: 5, limit: 4)) {
            try JSON(parsing: repeatElement(0x20, count: 90), limits: JSON.Limits(size: 4))
        }
    }
}
