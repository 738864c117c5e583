import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Synchronization
import TestSupport
import Testing
import Wire

@Suite("S2, Native Application Integration Layer, as printed")
struct SourceExampleTests {
    private let device = Device()

    // MARK: the framework's calls

    /// "NAIL Framework API": every call as it is printed, and what it gives here.
    ///
    /// Two services answer, one of them with a token for each request.
    @Test(.proves("NAI-1"), .proves("NAI-2"), .proves("NAI-6")) func everyPrintedCall() async throws {
        let nail = IntegrationLayer(try device.app())
        device.grants(
            Sample.document(name: "Alpha"), Sample.document(Sample.beta, authorization: Sample.symmetric("a")))
        device.serves([:])
        let (list, singleton) = ([Sample.reading], true)
        let (service, name, path) = ("https://alpha.example.ch/", Sample.reading, "list")
        let claims: JSON.Object = ["nonce": "n-0S6"]
        var kept = ""
        let calls: [(printed: String, call: () async throws -> String)] = [
            ("serviceNames() -> listOfServiceNames", { "\(nail.serviceNames())" }),
            (
                "authorizeProtocols(protocolList) -> completionPromise",
                { "\(await nail.authorizeProtocols(list))" }
            ),
            (
                "authorizeProtocols(protocolList, singleton) -> completionPromise",
                { "\(await nail.authorizeProtocols(list, singleton))" }
            ),
            ("serviceNames() -> listOfServiceNames", { "\(nail.serviceNames().count)" }),
            (
                "serialize() -> String",
                {
                    kept = nail.serialize()
                    return "\(kept.isEmpty)"
                }
            ),
            ("parse(nailSerialization)", { "\(try nail.parse(kept))" }),
            ("getDisplayName(serviceName) -> string", { nail.getDisplayName(service) }),
            ("getServiceUrl(serviceName) -> string", { nail.getServiceUrl(service) }),
            ("getEndpointUrl(serviceName, protocolName) -> uristring", { nail.getEndpointUrl(service, name) }),
            (
                "getEndpointUrl(serviceName, protocolName, endpointPath) -> uristring",
                { nail.getEndpointUrl(service, name, path) }
            ),
            ("getServiceToken(serviceName, protocolName) -> string", { await nail.getServiceToken(service, name) }),
            (
                "getServiceToken(serviceName, protocolName, endpointPath) -> string",
                { await nail.getServiceToken(service, name, path) }
            ),
            (
                "getServiceToken(serviceName, protocolName, claims) -> string",
                { await nail.getServiceToken(service, name, claims) }
            ),
            (
                "getServiceToken(serviceName, protocolName, endpointPath, claims) -> string",
                { await nail.getServiceToken(service, name, path, claims) }
            ),
            ("revokeToken(serviceName) -> completionPromise", { "\(await nail.revokeToken(service))" }),
            ("removeService(serviceName)", { "\(nail.removeService(service))" }),
            ("clearAllServices()", { "\(nail.clearAllServices())" }),
            ("serviceNames() -> listOfServiceNames", { "\(nail.serviceNames())" }),
        ]
        var given: [String] = []
        for (_, call) in calls { given.append(try await call()) }
        #expect(
            given == [
                "[]", "()", "()", "2", "false", "()", "Alpha", "https://alpha.example.ch",
                "https://alpha.example.ch/reading", "https://alpha.example.ch/reading/list", "token-1", "token-1",
                "token-1", "token-1", "true", "()", "()", "[]",
            ])
        #expect(device.asked.map(\.prefersSingle) == [false, true])
        // Sixteen different calls are printed.
        #expect(Set(calls.map(\.printed)).count == 16)
    }

    // MARK: the data type

    /// "Data type name".
    static let typeName = """
        The edu-ID Mobile App expects incoming requests for the follwing data type.

        ``` urn:ietf:params:oauth:assertion ```
        """

    @Test(.proves("NIF-1")) func theDataTypeIsThePrintedOne() {
        #expect(Self.typeName.split(separator: "```").last?.split(separator: " ").joined() == ProtocolRequest.typeName)
    }

    // MARK: the request

    /// "Request data structure".
    static let request = """
        | Name | Type | Required |  Description |
        | :--- | :--- | :--- | :--- |
        | client_id | ```String``` | Yes | Unique identitifier of an app instance. |
        | app_id | ```String``` | Yes | The app's bundle-ID as registered in the repsective Application Store. |
        | app_name | ```String``` | Yes | The apps display name as registered in the respective Application store. |
        | protocols | ```Array``` | Yes | A list of protocol names. |
        | token | ```JWT-String``` | No | signed JWT |
        | single | ```Boolean``` | No | Indicates the preference of only one authorization. |
        """

    private struct Field {
        let name: JSON.Name
        let type: String
        let isRequired: Bool

        init(_ line: Substring) {
            let cells = line.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
            name = JSON.Name(cells[0])
            type = cells[1].split(separator: "```").joined()
            isRequired = cells[2] == "Yes"
        }

        /// A value of the printed type, and one of another.
        var values: (right: JSON, wrong: JSON) {
            switch type {
            case "Array": ([.string(Sample.reading)], "org.example.reading")
            case "Boolean": (true, "true")
            case "JWT-String": ("e30.e30.AAAA", 7)
            default: ("ch.example.reader", ["ch.example.reader"])
            }
        }
    }

    private var fields: [Field] { Self.request.split(separator: "\n").dropFirst(2).map { Field($0) } }

    private func parsed(_ members: JSON.Object) throws -> ProtocolRequest {
        try ProtocolRequest(parsing: members.encoded())
    }

    @Test(.proves("NIF-2")) func theRequestHasThePrintedFields() throws {
        let whole = JSON.Object(fields.map { ($0.name, $0.values.right) })
        #expect(whole.count == 6)
        let request = try parsed(whole)
        #expect(request.prefersSingle && request.token != nil && request.protocols.map(\.text) == [Sample.reading])
        // It is written with the same names, in the order in which they are printed.
        #expect(try JSON(parsing: request.encoded()).object?.map(\.name) == fields.map(\.name))
        for field in fields {
            var members = whole
            members[field.name] = nil
            if field.isRequired {
                #expect(throws: MessageRejection.self) { try parsed(members) }
            } else {
                _ = try parsed(members)
            }
            members[field.name] = field.values.wrong
            #expect(throws: MessageRejection.self, "\(field.name)") { try parsed(members) }
        }
    }

    /// "Request data structure": the claims of the token.
    static let claims = """
        * aud: containing the string ```urn:ietf:params:oauth:assertion```.
        * sub: Unique identitifier of an app instance. MUST be identical to ```client_id```.
        * iss: The app's bundle-ID. MUST be identical to ```app_id```.
        * name: the apps display name. MUST be identical to ```app_name```.
        """

    /// Each claim, and the text that is set as code beside it: the type name, or the field that it repeats.
    private var printedClaims: [(name: JSON.Name, same: String)] {
        Self.claims.split(separator: "\n").map { line in
            let parts = line.dropFirst(2).split(separator: "```")
            return (JSON.Name(String(parts[0].prefix { $0 != ":" })), String(parts[1]))
        }
    }

    /// A request whose token has the printed claims and no others.
    private func signed(_ change: (inout JSON.Object) -> Void = { _ in }) throws -> ProtocolRequest {
        var members: JSON.Object = [
            "client_id": "device-7", "app_id": "ch.example.reader", "app_name": "Reader",
            "protocols": [.string(Sample.reading)],
        ]
        var claims = JSON.Object(
            printedClaims.map { ($0.name, members[JSON.Name($0.same)] ?? JSON.string($0.same)) })
        change(&claims)
        members["token"] = .string(try JWT.signed(JWT.Claims(claims), with: Device.appKey.get()))
        return try parsed(members)
    }

    private func registry() throws -> [BundleID: JWKSet] {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32))
        let key = JWK(pair.publicKey, attributes: JWK.Attributes(id: try Device.appKey.get().id))
        return [try BundleID(parsing: "ch.example.reader"): JWKSet([key])]
    }

    /// With the printed claims alone a signature covers neither the protocols nor a time: whoever has seen one asks for
    /// anything, for ever.
    ///
    /// It is taken where the host says so, and the person is told that the request is not verified.
    @Test(.proves("NIF-3"), .proves("threat-47")) func aTokenOfThePrintedClaims() throws {
        #expect(printedClaims.map(\.name) == ["aud", "sub", "iss", "name"])
        let request = try signed()
        #expect(throws: MessageRejection.self) { try request.checkedOnce(against: registry(), at: Sample.now) }
        var policy = ProtocolRequest.CheckPolicy()
        policy.acceptsUncovered = true
        let checked = try request.checkedOnce(against: registry(), policy: policy, at: Sample.now)
        #expect(checked.signer != nil && !checked.isVerified)
        // Each claim is needed, and says what the request says, whatever the policy.
        for claim in printedClaims {
            let without = try signed { $0[claim.name] = nil }
            #expect(throws: MessageRejection.self) {
                try without.checkedOnce(against: registry(), policy: policy, at: Sample.now)
            }
            let other = try signed { $0[claim.name] = "other" }
            #expect(throws: MessageRejection.self) {
                try other.checkedOnce(against: registry(), policy: policy, at: Sample.now)
            }
        }
    }

    // MARK: the response

    /// "Response data structure" prints no response; these are written by its words.
    ///
    /// An array of filtered RSD2 objects, with what was requested and OAuth, each with an authorization; an empty one
    /// where nothing was granted.
    @Test(.proves("NIF-5")) func aResponseByTheWordsOfTheSource() throws {
        let checked = try Sample.request().checkedOnce(against: [:], at: Sample.now)
        #expect(try ProtocolResponse(to: checked, granting: []).encoded() == Array("[]".utf8))
        #expect(try ProtocolResponse(parsing: Array("[]".utf8)).documents.isEmpty)
        let document = try ServiceDescription(
            parsing: Sample.document(offering: [Sample.reading, Sample.writing]).encoded())
        let answer = try JSON(parsing: ProtocolResponse(to: checked, granting: [document]).encoded())
        let object = try #require(answer.array?.first)
        #expect(answer.array?.count == 1)
        #expect(Set((object["apis"]?.object ?? [:]).map(\.name.text)) == ["org.ietf.oauth2", Sample.reading])
        #expect(object["authorization"]?["access_token"]?.string == "token-1")
        var bare = document
        bare.authorization = nil
        #expect(throws: MessageRejection.self) { try ProtocolResponse(to: checked, granting: [bare]) }
    }
}
