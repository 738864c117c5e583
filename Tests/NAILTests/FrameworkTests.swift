import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL Framework API: authorizeProtocols", .proves("NAI-1"))
struct AuthorizeProtocolsTests {
    private let device = Device()

    @Test func itAsksOnceAndOpensWhatIsGranted() async throws {
        device.grants(Sample.document(), Sample.document(Sample.beta))
        let nail = IntegrationLayer(try device.app())
        await nail.authorizeProtocols([Sample.reading])
        #expect(device.asked.map(\.protocols) == [[try Sample.name(Sample.reading)]])
        #expect(device.asked.map(\.prefersSingle) == [false])
        #expect(nail.serviceNames().count == 2)
        #expect(device.stored == [nail.serialize()])
        #expect(device.sent.isEmpty)
    }

    @Test(.proves("NAI-10")) func singletonIsAWish() async throws {
        device.grants(Sample.document(), Sample.document(Sample.beta))
        let nail = IntegrationLayer(try device.app())
        await nail.authorizeProtocols([Sample.reading], true)
        #expect(device.asked.map(\.prefersSingle) == [true])
        #expect(nail.serviceNames().count == 2)
        await nail.authorizeProtocols([Sample.reading], false)
        #expect(device.asked.last?.prefersSingle == false)
    }

    @Test(.proves("NAI-11")) func theAuthorizingAppMayBeAnother() async throws {
        let keyed: JSON = [JSON.Name(Sample.alpha): Sample.document()]
        device.answers { _ in keyed.encoded() }
        let nail = IntegrationLayer(try device.app())
        await nail.authorizeProtocols([Sample.reading])
        #expect(nail.serviceNames() == [Sample.alpha + "/"])
    }

    @Test func emptyNothingIsGrantedOrNobodyAnswers() async throws {
        let nail = IntegrationLayer(try device.app())
        for answer in ["[]", "{}", nil] as [String?] {
            device.answers { _ in answer.map { Array($0.utf8) } }
            await nail.authorizeProtocols([Sample.reading])
            #expect(nail.serviceNames().isEmpty)
        }
        #expect(device.asked.count == 3)
        #expect(device.stored.isEmpty)
    }

    @Test func emptyWithoutProtocolsNobodyIsAsked() async throws {
        let nail = IntegrationLayer(try device.app())
        await nail.authorizeProtocols([])
        await nail.authorizeProtocols(["a\u{0}b"])
        await nail.authorizeProtocols([Sample.reading, ""])
        #expect(device.asked.isEmpty)
        #expect(device.notices.count == 3)
    }

    @Test func tamperedAnswersOpenNothing() async throws {
        let nail = try await device.nail(Sample.document())
        let before = nail.serialize()
        for answer in ["", "null", "[", #"[{"apis":{}}]"#, #"{"services":7}"#, "\u{feff}[]"] {
            device.answers { _ in Array(answer.utf8) }
            await nail.authorizeProtocols([Sample.reading])
            #expect(nail.serialize() == before)
        }
    }

    @Test func withoutASurroundingItDoesNothing() async {
        let nail = IntegrationLayer()
        await nail.authorizeProtocols([Sample.reading])
        #expect(nail.serviceNames().isEmpty)
        #expect(nail.tokenNow(Sample.alpha) == "")
        #expect(await nail.revokeToken(Sample.alpha) == false)
    }

    @Test(.proves("NIF-3")) func theRequestIsSignedWhereTheAppHasAKey() async throws {
        let key = try Device.appKey.get()
        let nail = IntegrationLayer(try device.app(proof: .signature(key)))
        await nail.authorizeProtocols([Sample.reading])
        let registry = [try BundleID(parsing: "ch.example.reader"): try registered(key)]
        let checked = try #require(device.asked.first).checkedOnce(against: registry, at: device.now)
        #expect(checked.signer != nil)
        #expect(checked.appKey == nil)
    }

    private func registered(_ key: SigningKey) throws -> JWKSet {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32))
        return JWKSet([JWK(pair.publicKey, attributes: JWK.Attributes(id: key.id))])
    }

    @Test(.proves("POP-1")) func tokensAreBoundToANewKeyForEachRequest() async throws {
        let key = try Device.appKey.get()
        let registry = [try BundleID(parsing: "ch.example.reader"): try registered(key)]
        let now = device.now
        device.answers { request in
            guard let own = try? request.checkedOnce(against: registry, at: now).appKey,
                let jwk = try? JSON(parsing: own.encoded())
            else {
                return nil
            }
            let authorization: JSON = [
                "access_token": "opaque", "token_type": "PoP", "cnf": ["jwk": jwk, "kid": "issuers-name"],
            ]
            return JSON.array([Sample.document(authorization: authorization)]).encoded()
        }
        let nail = IntegrationLayer(try device.app(proof: .signatureWithBinding(key)))
        await nail.authorizeProtocols([Sample.reading])
        let parts = try SignedParts(nail.tokenNow(Sample.alpha))
        #expect(parts.header["alg"] == "EdDSA")
        #expect(parts.header["kid"] == "issuers-name")
        await nail.authorizeProtocols([Sample.reading])
        let keys = try device.asked.map { try $0.checkedOnce(against: registry, at: now).appKey }
        #expect(keys.count == 2)
        #expect(keys[0] != keys[1])
        // The key is in the state, so the token can still be signed by whoever reads it back.
        let other = IntegrationLayer(try device.app())
        try other.parse(nail.serialize())
        #expect(try SignedParts(other.tokenNow(Sample.alpha)).header["kid"] == "issuers-name")
    }

    @Test func concurrentRequestsAllEnter() async throws {
        device.answers { request in
            let name = request.protocols.first?.text ?? ""
            return JSON.array([Sample.document("https://\(name).example.ch", offering: [name])]).encoded()
        }
        let nail = IntegrationLayer(try device.app())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { await nail.authorizeProtocols(["p\(number)"]) } }
        }
        #expect(nail.serviceNames().count == 20)
        #expect(device.stored.last == nail.serialize())
    }

    @Test func thereIsOneSharedObject() {
        #expect(IntegrationLayer.shared === IntegrationLayer.shared)
    }
}

@Suite("NAIL Framework API: serviceNames", .proves("NAI-2"))
struct ServiceNamesTests {
    private let device = Device()

    @Test func serviceNamesAreTheIdentitiesOfAllRequestsSoFar() async throws {
        let nail = IntegrationLayer(try device.app())
        #expect(nail.serviceNames() == [])
        device.grants(Sample.document(Sample.beta))
        await nail.authorizeProtocols([Sample.reading])
        device.grants(Sample.document())
        await nail.authorizeProtocols([Sample.reading])
        #expect(nail.serviceNames() == ["https://alpha.example.ch/", "https://beta.example.ch/"])
        device.grants()
        await nail.authorizeProtocols([Sample.reading])
        #expect(nail.serviceNames().count == 2)
    }

    @Test func expiredOrEndedServicesAreStillNamed() async throws {
        let nail = try await device.nail(
            Sample.document(authorization: Sample.plain("a", expiresIn: 60)),
            Sample.document(Sample.beta, authorization: Sample.plain("b", refresh: "r-1", expiresIn: 60)))
        device.pass(seconds: 60)
        device.serves(["error": "invalid_grant"], status: .badRequest)
        #expect(await nail.getServiceToken(Sample.beta, Sample.reading) == "")
        #expect(nail.serviceNames().count == 2)
        for service in nail.serviceNames() {
            #expect(nail.getDisplayName(service) != "")
            #expect(nail.getServiceUrl(service) != "")
            #expect(nail.getEndpointUrl(service, Sample.reading) != "")
        }
    }
}

@Suite("NAIL Framework API: getDisplayName, getServiceUrl", .proves("NAI-4"))
struct DisplayNameTests {
    private let device = Device()

    @Test func namesAndURLs() async throws {
        let nail = try await device.nail(
            Sample.document(name: "Universit\u{e9} \u{3b1}"), Sample.document("https://Beta.example.ch/home/"))
        #expect(nail.getDisplayName(Sample.alpha) == "Universit\u{e9} \u{3b1}")
        #expect(nail.getDisplayName("https://beta.example.ch/home") == "beta.example.ch")
        #expect(nail.getServiceUrl(Sample.alpha) == Sample.alpha)
        #expect(nail.getServiceUrl("https://beta.example.ch/home") == "https://Beta.example.ch/home/")
    }

    @Test func emptyOrAmbiguousNamesGiveTheEmptyString() async throws {
        let nail = try await device.nail(Sample.document(name: "Twin"), Sample.document(Sample.beta, name: "Twin"))
        for name in ["", "Twin", "https://gamma.example.ch", "twin"] {
            #expect(nail.getDisplayName(name) == "")
            #expect(nail.getServiceUrl(name) == "")
            #expect(nail.getEndpointUrl(name, Sample.reading) == "")
            #expect(nail.tokenNow(name) == "")
        }
        #expect(nail.getDisplayName(Sample.alpha) == "Twin")
    }

}

@Suite("NAIL Framework API: getEndpointUrl", .proves("NAI-5"))
struct EndpointUrlTests {
    private let device = Device()

    @Test func endpointsOfAProtocolAndBelow() async throws {
        let nail = try await device.nail(Sample.document(Sample.alpha + "/base"))
        #expect(nail.getEndpointUrl(Sample.alpha + "/base", Sample.reading) == "https://alpha.example.ch/base/reading")
        #expect(
            nail.getEndpointUrl(Sample.alpha + "/base", Sample.reading, "a/b?c=d")
                == "https://alpha.example.ch/base/reading/a/b?c=d")
        #expect(
            nail.getEndpointUrl(Sample.alpha + "/base", Sample.reading, "") == "https://alpha.example.ch/base/reading")
    }

    @Test(.proves("threat-41")) func endpointsThatAreNoneGiveTheEmptyString() async throws {
        let nail = try await device.nail(Sample.document())
        #expect(nail.getEndpointUrl(Sample.alpha, Sample.writing) == "")
        #expect(nail.getEndpointUrl(Sample.alpha, "") == "")
        #expect(nail.getEndpointUrl(Sample.alpha, Sample.reading, "../admin") == "")
        #expect(nail.getEndpointUrl(Sample.alpha, Sample.reading, "https://evil.example") == "")
    }

}

@Suite("NAIL Framework API: removeService, clearAllServices", .proves("NAI-8"))
struct RemovalTests {
    private let device = Device()

    @Test func removalForgetsOneServiceOrAll() async throws {
        let nail = try await device.nail(
            Sample.document(), Sample.document(Sample.beta), Sample.document("https://gamma.example.ch", name: "Gamma"))
        nail.removeService("HTTPS://alpha.example.ch/")
        #expect(nail.serviceNames() == ["https://beta.example.ch/", "https://gamma.example.ch/"])
        #expect(nail.tokenNow(Sample.alpha) == "")
        nail.removeService("Gamma")
        nail.removeService("https://nowhere.example.ch")
        nail.removeService("")
        #expect(nail.serviceNames() == ["https://beta.example.ch/"])
        nail.clearAllServices()
        #expect(nail.serviceNames() == [])
        #expect(nail.tokenNow(Sample.beta) == "")
        #expect(nail.serialize() == NAILState().serialized())
        nail.clearAllServices()
        #expect(device.sent.isEmpty)
    }

    @Test func anAmbiguousNameRemovesNothing() async throws {
        let nail = try await device.nail(Sample.document(name: "Twin"), Sample.document(Sample.beta, name: "Twin"))
        nail.removeService("Twin")
        #expect(nail.serviceNames().count == 2)
    }

    @Test func concurrentRemovalsLeaveWhatNobodyRemoved() async throws {
        let device = self.device
        device.answers { _ in JSON.array((0..<20).map { Sample.document("https://s\($0).example.ch") }).encoded() }
        let nail = IntegrationLayer(try device.app())
        await nail.authorizeProtocols([Sample.reading])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<19 { group.addTask { nail.removeService("https://s\(number).example.ch") } }
        }
        #expect(nail.serviceNames() == ["https://s19.example.ch/"])
    }
}

@Suite("NAIL Framework API: serialize, parse", .proves("NAI-3"))
struct SerializeTests {
    private let device = Device()

    @Test func whatWasSerializedComesBackWhole() async throws {
        let nail = try await device.nail(
            Sample.document(name: "\u{1f393}"), Sample.document(Sample.beta, authorization: Sample.symmetric("a")))
        let text = nail.serialize()
        let other = IntegrationLayer(try device.app())
        try other.parse(text)
        #expect(other.serialize() == text)
        #expect(other.serviceNames() == nail.serviceNames())
        #expect(other.tokenNow(Sample.alpha) == "token-1")
        try other.parse(IntegrationLayer().serialize())
        #expect(other.serviceNames() == [])
    }

    @Test(.proves("threat-49")) func tamperedStatesAreRefusedAndTheOldOneStays() async throws {
        let nail = try await device.nail(Sample.document())
        let before = nail.serialize()
        let other = try await device.nail(Sample.document(Sample.beta))
        let text = other.serialize()
        #expect(throws: NAILState.Rejection.otherDigest) { try nail.parse(text.replacing("token-1", with: "token-2")) }
        #expect(throws: NAILState.Rejection.unknownVersion("3")) {
            try nail.parse(text.replacing("\"nail\":1", with: "\"nail\":3"))
        }
        #expect(throws: NAILState.Rejection.self) { try nail.parse(String(text.dropLast())) }
        #expect(throws: NAILState.Rejection.json(.unexpectedEnd(offset: 0, expected: .value))) { try nail.parse("") }
        #expect(nail.serialize() == before)
        #expect(nail.tokenNow(Sample.alpha) == "token-1")
    }

    @Test func expiryOutlivesTheProcess() async throws {
        let nail = try await device.nail(
            Sample.document(authorization: Sample.plain("a", refresh: "r-1", expiresIn: 60)))
        let text = nail.serialize()
        device.pass(seconds: 59)
        let other = IntegrationLayer(try device.app())
        try other.parse(text)
        #expect(other.tokenNow(Sample.alpha) == "a")
        device.pass(seconds: 1)
        #expect(other.tokenNow(Sample.alpha) == "")
        device.serves(["access_token": "new", "refresh_token": "r-2"])
        #expect(await other.getServiceToken(Sample.alpha, Sample.reading) == "new")
    }

    @Test func aSealedStateNeedsItsSeal() async throws {
        let seal = Seal(seal: { [1] + $0 }, open: { $0.first == 1 ? Array($0.dropFirst()) : nil })
        let nail = IntegrationLayer(try device.app(seal: seal))
        device.grants(Sample.document())
        await nail.authorizeProtocols([Sample.reading])
        let text = nail.serialize()
        #expect(!text.contains("token-1"))
        #expect(device.stored == [text])
        #expect(throws: NAILState.Rejection.sealed) { try IntegrationLayer().parse(text) }
        let other = IntegrationLayer(try device.app(seal: seal))
        try other.parse(text)
        #expect(other.tokenNow(Sample.alpha) == "token-1")
    }

    @Test func concurrentCallsSeeWholeStatesOnly() async throws {
        let nail = try await device.nail(Sample.document(), Sample.document(Sample.beta))
        let one = nail.serialize()
        nail.removeService(Sample.beta)
        let other = nail.serialize()
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    switch number % 4 {
                    case 0: try? nail.parse(one)
                    case 1: try? nail.parse(other)
                    case 2: return nail.tokenNow(Sample.alpha) == "token-1"
                    default: break
                    }
                    return [1, 2].contains(nail.serviceNames().count) && [one, other].contains(nail.serialize())
                }
            }
            for await isWhole in group { #expect(isWhole) }
        }
    }
}
