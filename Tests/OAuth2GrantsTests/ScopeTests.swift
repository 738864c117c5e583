import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("RFC 6749 §3.3: scope")
struct ScopeTests {
    @Test("order and repetition mean nothing", .proves("RFC6749-3.3"))
    func equality() throws {
        let scope = try Scope(parsing: "read write https://a.example/x")
        #expect(try scope == Scope(parsing: "https://A.example/x/ write read read"))
        #expect(try scope.hashValue == Scope(parsing: "https://A.example/x/ write read").hashValue)
        #expect(try scope != Scope(parsing: "read write"))
        #expect(scope.text == "read write https://a.example/x")
    }

    @Test("a word is one, byte by byte", .proves("RFC6749-3.3"))
    func bytewise() throws {
        #expect(try Scope(parsing: "read") != Scope(parsing: "Read"))
    }

    @Test(
        "a text that is no scope is refused for its fault", .proves("RFC6749-3.3"),
        arguments: [
            ("", ParameterRejection.scope(.empty(.scope))), (" read", .scope(.malformed(.scope, offset: 0))),
            ("read ", .scope(.malformed(.scope, offset: 4))),
            ("read  write", .scope(.malformed(.scope, offset: 5))),
            ("read\twrite", .scope(.foreignCharacter(.scope, offset: 4))),
            ("read wr\"te", .scope(.foreignCharacter(.scope, offset: 7))),
            ("read \\", .scope(.foreignCharacter(.scope, offset: 5))),
            ("https://a.example/x?y", .scopeEndpointWithQuery), ("https://a.example/#y", .scopeEndpointWithQuery),
            ("https://u@a.example/", .scopeEndpoint(.userInformation(offset: 8))),
        ]
    )
    func refusal(text: String, expected: ParameterRejection) {
        #expect(throws: expected) { try Scope(parsing: text) }
    }

    @Test("more words than the bound are refused", .proves("threat-14"))
    func bound() throws {
        let words = (0..<Scope.countLimit).map { "w\($0)" }.joined(separator: " ")
        #expect(try Scope(parsing: words).tokens.count == Scope.countLimit)
        #expect(throws: ParameterRejection.scope(.tooMany(.scope, limit: Scope.countLimit))) {
            try Scope(parsing: words + " one-more")
        }
    }

    @Test("an endpoint allows what lies under it, at a boundary of segments", .proves("threat-30"))
    func containment() throws {
        let scope = try Scope(parsing: "profile https://a.example/api/v1")
        let within = [
            "profile", "https://a.example/api/v1", "https://a.example/api/v1/", "https://a.example/api/v1/items",
        ]
        let without = [
            "email", "https://a.example/api", "https://a.example/api/v10", "http://a.example/api/v1",
            "https://b.example/api/v1",
            "https://a.example/api/v1/../v2",
        ]
        for text in within { #expect(try scope.contains(Scope(parsing: text)), "\(text)") }
        for text in without { #expect(try !scope.contains(Scope(parsing: text)), "\(text)") }
        #expect(try !scope.contains(Scope(parsing: "profile email")))
        #expect(scope.contains(Scope()))
    }
}
