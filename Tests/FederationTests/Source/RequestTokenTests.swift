import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("S1, Request Tokens, as printed")
struct PrintedRequestTokenTests {
    /// "Grant Token".
    static let required = PrintedText(
        """
        The grant token MUST contain the following claims.

        * issuer (iss)
        * subject (sub)
        * audience (aud)
        * device name (name)

        The grant token MAY contain an issued at (iat) claim.
        """)

    /// "Grant Token".
    static let unwanted = PrintedText(
        """
        The grant token SHOULD NOT contain the following claims.

        * expires after (exp)
        * not before (nbf)
        * JSON Token ID (jti)
        """)

    /// S0, "eduID Mobile App Client Assertion".
    static let device = PrintedText(
        """
        A client assertion MUST include the instance's device information including.

        * unique device ID
        * device name
        * device type
        * OS Version.
        """)

    /// Under which claims the device's information travels; the sources print no names for three of them.
    static let names: [String: JSON.Name] = [
        "unique device ID": "device_id", "device name": "name", "device type": "device_type",
        "OS Version.": "os_version",
    ]

    /// The names in the brackets.
    private func claims(_ text: PrintedText) -> [String] {
        text.points.compactMap { $0.split(separator: "(").last.map { String($0.dropLast()) } }
    }

    /// A token with these claims and no others, presented in the header as the source demands.
    private func present(_ claims: [String], _ scene: inout Scene) throws -> Reply {
        let token = try scene.statement(of: scene.phone, kind: .clientAuthentication) { members in
            members = JSON.Object(members.filter { claims.contains($0.name.text) }.map { ($0.name, $0.value) })
        }
        return scene.send(try scene.form("token", [("grant_type", "client_credentials")], .bearer(token)))
    }

    private var all: [String] { claims(Self.required) + Self.device.points.compactMap { Self.names[$0]?.text } }

    @Test(
        "With the printed claims, and no others, the token registers an instance", .proves("REQ-6"), .proves("REQ-13"))
    func thePrintedToken() throws {
        #expect(claims(Self.required) == ["iss", "sub", "aud", "name"])
        #expect(Set(all).count == 7)
        var scene = try Scene.fresh()
        scene.service.policy.appRequest.strictSource = true
        let reply = try present(all, &scene)
        reply.expectSuccess()
        #expect(try claims(of: reply["access_token"])["sub"]?.string == scene.phone.id)
        // "MAY contain an issued at claim".
        scene = try Scene.fresh()
        scene.service.policy.appRequest.strictSource = true
        try present(all + ["iat"], &scene).expectSuccess()
    }

    /// The source wants no name and no end in the token.
    ///
    /// Whoever ever saw such a token could register the device again,
    /// and so end all that stands on its registration; by default ours needs a time and a name (threat 63).
    @Test("By default it needs a time and a name besides", .proves("threat-63"))
    func byDefault() throws {
        var scene = try Scene.fresh()
        try present(all, &scene).expectRefusal("invalid_client", 401, "threat-63")
        try present(all + ["iat", "jti"], &scene).expectSuccess()
    }

    @Test("Each claim that is printed is needed", .proves("REQ-6"), .proves("REG-2"))
    func eachClaim() throws {
        for strict in [true, false] {
            for missing in all {
                var scene = try Scene.fresh()
                scene.service.policy.appRequest.strictSource = strict
                let clause = claims(Self.required).contains(missing) ? "REQ-6" : "REG-2"
                try present(all.filter { $0 != missing } + ["iat", "jti"], &scene).expectRefusal(
                    "invalid_client", 401, clause)
            }
        }
    }

    /// "SHOULD NOT" forbids nobody: whoever says when the token ends is taken by the word (REQ-8).
    @Test("What a token should not contain is honoured where it is there", .proves("REQ-8"))
    func unwantedClaims() throws {
        #expect(claims(Self.unwanted) == ["exp", "nbf", "jti"])
        for (name, value) in [("exp", 1_799_999_999), ("nbf", 1_800_000_061)] as [(JSON.Name, Int64)] {
            var scene = try Scene.fresh()
            scene.service.policy.appRequest.strictSource = true
            let token = try scene.statement(of: scene.phone) { $0[name] = .number(JSON.Number(value)) }
            scene.send(try scene.form("token", [("grant_type", "client_credentials")], .bearer(token))).expectRefusal(
                "invalid_client", 401, "REQ-8")
        }
    }

    private func claims(of token: String?) throws -> JSON {
        try JSON(parsing: Base64URL.decode(Array(try #require(token).split(separator: ".")[1].utf8)))
    }
}
