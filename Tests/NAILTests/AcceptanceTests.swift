import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL state: accepting a response", .proves("NIF-6"))
struct AcceptanceTests {
    private func drops(
        _ documents: JSON..., requesting protocols: [String] = [Sample.reading], key: AppKey? = nil
    ) throws -> [MessageRejection] {
        var state = NAILState()
        let response = try ProtocolResponse(parsing: JSON.array(documents).encoded())
        return state.accept(response, to: try Sample.request(protocols), key: key, at: Sample.now).dropped.map(\.reason)
    }

    private func rejection(_ authorization: JSON, key: AppKey? = nil) throws -> MessageRejection? {
        try drops(Sample.document(authorization: authorization), key: key).first
    }

    @Test(
        "Whatever has the length of a response is read, and one more document fits where there is room",
        .proves("NIF-6"))
    func room() throws {
        // Each value has two bytes.
        let list = "[0" + String(repeating: ",0", count: 220_000) + "]"
        let text = "{\"services\":[],\"x\":[" + Array(repeating: list, count: 5).joined(separator: ",") + "]}"
        #expect(try ProtocolResponse(parsing: Array(text.utf8)).documents.isEmpty)
        #expect(ProtocolResponse.hasRoom(behind: 255, documents: 0))
        #expect(!ProtocolResponse.hasRoom(behind: 256, documents: 0))
        let most = (8 << 20) - (128 << 10) - (64 << 10) - 2
        #expect(ProtocolResponse.hasRoom(behind: 0, documents: most))
        #expect(!ProtocolResponse.hasRoom(behind: 0, documents: most + 1))
    }

    @Test(.proves("NAI-2")) func eachServiceIsKnownByItsHomePage() throws {
        let state = try Sample.state(Sample.document(), Sample.document("HTTPS://Beta.Example.ch:443/"))
        #expect(state.serviceNames.map(\.identity) == ["https://alpha.example.ch/", "https://beta.example.ch/"])
    }

    @Test(.proves("NAI-10")) func moreServicesThanWishedForAreHandled() throws {
        var state = NAILState()
        let response = try Sample.response(
            Sample.document(), Sample.document(Sample.beta, authorization: Sample.plain("token-2")))
        let report = state.accept(response, to: try Sample.request(single: true), at: Sample.now)
        #expect(report.accepted.count == 2)
        #expect(try state.token(Sample.alpha) == "token-1")
        #expect(try state.token(Sample.beta) == "token-2")
    }

    @Test(.proves("NAI-12")) func aServiceThatDoesNotOfferEverythingIsDropped() throws {
        let both = [Sample.reading, Sample.writing]
        let half = Sample.document(offering: [Sample.reading])
        #expect(try drops(half, requesting: both) == [.notOffered(try Sample.name(Sample.writing))])
        let state = try Sample.state(half, Sample.document(Sample.beta, offering: both), requesting: both)
        #expect(state.serviceNames.map(\.identity) == ["https://beta.example.ch/"])
    }

    @Test(.proves("threat-48")) func protocolsThatNobodyAskedForAreDropped() throws {
        let document = Sample.document(
            offering: [Sample.reading, Sample.writing], own: [Sample.writing: Sample.plain("unasked")])
        let state = try Sample.state(document)
        #expect(try state.protocols(of: Sample.alpha).map(\.text) == [Sample.reading])
        #expect(throws: NAILState.Refusal.notGranted(try Sample.name(Sample.writing))) {
            try state.token(Sample.alpha, Sample.writing)
        }
        #expect(throws: NAILState.Refusal.notGranted(try Sample.name(Sample.writing))) {
            try state.endpoint(of: Sample.alpha, Sample.name(Sample.writing))
        }
        #expect(!state.serialized().contains("unasked"))
        #expect(!state.serialized().contains(Sample.writing))
    }

    @Test func documentsWithoutAuthorizationAreDropped() throws {
        #expect(try drops(Sample.document(authorization: nil)) == [.unauthorized])
        let elsewhere = Sample.document(
            offering: [Sample.reading, Sample.writing], authorization: nil, own: [Sample.writing: Sample.plain("a")])
        #expect(try drops(elsewhere) == [.unauthorized])
        #expect(try drops(Sample.document("nowhere")) == [.nameless])
    }

    @Test(.proves("DSC-4")) func theOrderOfTheAnswerDoesNotMatter() throws {
        let documents = [
            Sample.document(), Sample.document(Sample.beta, own: [Sample.reading: Sample.symmetric("own")]),
            Sample.document("https://gamma.example.ch", name: "Gamma"),
            Sample.document(authorization: Sample.plain("second")),
        ]
        func text(_ order: [Int]) throws -> String {
            var state = NAILState()
            let response = try ProtocolResponse(parsing: JSON.array(order.map { documents[$0] }).encoded())
            state.accept(response, to: try Sample.request(), at: Sample.now)
            return state.serialized()
        }
        let reference = try text([0, 1, 2, 3])
        for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] { #expect(try text(order) == reference) }
    }

    @Test func theSecondDocumentOfOneServiceIsDropped() throws {
        #expect(
            try drops(Sample.document(), Sample.document(Sample.alpha + "/", authorization: Sample.plain("other"))) == [
                .repeated
            ])
    }

    @Test(.proves("NIF-6")) func anAuthorizationOfNoUseHarmsNoOther() throws {
        let document = Sample.document(
            offering: [Sample.reading, Sample.writing],
            own: [Sample.writing: ["access_token": "a", "token_type": "mac"]])
        var state = NAILState()
        let report = state.accept(
            try Sample.response(document), to: try Sample.request([Sample.reading, Sample.writing]), at: Sample.now)
        #expect(report.dropped.map(\.reason) == [.unknownType("mac")])
        #expect(report.dropped.map(\.name) == [try Sample.name(Sample.writing)])
        #expect(try state.token(Sample.alpha) == "token-1")
    }

    @Test(.proves("threat-22")) func tokensThatCannotStandInAHeaderFieldAreDropped() throws {
        #expect(
            try rejection(["access_token": "a\r\nHost: evil"])
                == .malformedToken(.foreignCharacter(.secret("access token"), offset: 1)))
        #expect(
            try rejection(["access_token": "a", "refresh_token": "a b"])
                == .malformedToken(.foreignCharacter(.secret("refresh token"), offset: 1)))
        let long = String(repeating: "a", count: 16_385)
        #expect(
            try rejection(["access_token": .string(long)])
                == .malformedToken(.tooLong(.secret("access token"), length: 16_385, limit: 16_384)))
    }

    @Test(.proves("RFC6749-7.1")) func tokensOfAnUnknownTypeAreDropped() throws {
        #expect(try rejection(Sample.plain("a", type: "mac")) == .unknownType("mac"))
        #expect(try rejection(Sample.plain("a", type: "PoP")) == .unknownType("PoP"))
        #expect(try rejection(Sample.plain("a", type: "BEARER")) == nil)
        #expect(try rejection(Sample.plain("a", type: nil)) == nil)
    }

    @Test(.proves("POP-1")) func anAuthorizationMustBeBoundToAKeyThatIsThere() throws {
        let key = Sample.appKey()
        #expect(try rejection(Sample.bound("a", to: key), key: key) == nil)
        #expect(try rejection(Sample.bound("a", to: key)) == .foreignKey)
        #expect(try rejection(Sample.bound("a", to: key), key: Sample.appKey(8)) == .foreignKey)
        #expect(try rejection(["access_token": "a", "cnf": ["kid": "k"]]) == .foreignKey)
        #expect(try rejection(["access_token": "a", "cnf": ["kid": "k"]], key: key) == nil)
        let thumbprint = try key.publicKey.thumbprint().text
        #expect(
            try rejection(["access_token": "a", "cnf": ["jkt": .string(thumbprint), "kid": "k"]], key: key) == nil)
        #expect(try rejection(["access_token": "a", "cnf": ["jkt": .string(thumbprint)]], key: key) == .namelessKey)
        #expect(try rejection(["access_token": "a", "cnf": [:]], key: key) == .confirmation(.unknownConfirmation))
    }

    @Test(.proves("threat-20")) func aSymmetricKeyMustBeAKey() throws {
        func with(_ jwk: JSON) -> JSON { ["access_token": "a", "cnf": ["jwk": jwk]] }
        let short = JSON.string(Base64URL.encode(Sample.secret.dropLast()))
        #expect(
            try rejection(with(["kty": "oct", "kid": "k", "k": short]))
                == .key(.secretTooShort(.hs256, bytes: 31, least: 32)))
        #expect(try rejection(with(["kty": "oct", "k": .string(Base64URL.encode(Sample.secret))])) == .namelessKey)
        #expect(try rejection(with(["kty": "oct", "kid": "k", "k": ""])) == .key(.emptySecret))
    }

    @Test(.proves("APP-9")) func laterGrantsForOtherProtocolsStandBeside() throws {
        var state = try Sample.state(Sample.document(authorization: Sample.plain("first")))
        let later = Sample.document(offering: [Sample.writing], authorization: Sample.plain("second"))
        state.accept(try Sample.response(later), to: try Sample.request([Sample.writing]), at: Sample.now)
        #expect(state.serviceNames.count == 1)
        #expect(try state.protocols(of: Sample.alpha).map(\.text) == [Sample.reading, Sample.writing])
        #expect(try state.token(Sample.alpha, Sample.reading) == "first")
        #expect(try state.token(Sample.alpha, Sample.writing) == "second")
    }

    @Test func laterGrantsReplaceEarlierOnesForTheirProtocolsOnly() throws {
        let both = [Sample.reading, Sample.writing]
        let first = Sample.document(
            offering: both, authorization: Sample.plain("first"), own: [Sample.reading: Sample.plain("own")])
        var state = try Sample.state(first, requesting: both)
        #expect(try state.token(Sample.alpha, Sample.reading) == "own")
        let response = try Sample.response(Sample.document(authorization: Sample.plain("second")))
        state.accept(response, to: try Sample.request(), at: Sample.now)
        #expect(try state.token(Sample.alpha, Sample.reading) == "second")
        #expect(try state.token(Sample.alpha, Sample.writing) == "first")
        #expect(!state.serialized().contains("\"own\""))
    }

    @Test func anEmptyAnswerChangesNothing() throws {
        var state = try Sample.state(Sample.document())
        let before = state.serialized()
        let report = state.accept(.empty, to: try Sample.request(), at: Sample.now)
        #expect(report.accepted.isEmpty)
        #expect(state.serialized() == before)
    }

    @Test("The longest document that services publish is taken, with its tokens", .proves("threat-43"))
    func theLongest() throws {
        func document(_ count: Int) -> JSON {
            Sample.document(extra: ["notes": .string(String(repeating: "x", count: count))])
        }
        let empty = try ServiceDescription(parsing: document(0).encoded()).withoutAuthorization.encoded().count
        let longest = document(ServiceDescription.lengthLimit - empty)
        try ServiceDescription(parsing: longest.encoded()).checkLength()
        #expect(try drops(longest).isEmpty)
        #expect(try drops(document(ServiceDescription.lengthLimit - empty + 1)).count == 1)
    }

    @Test(.proves("threat-43")) func thereAreBounds() throws {
        let long = Sample.document(extra: [
            "notes": .string(String(repeating: "x", count: ServiceDescription.lengthLimit))
        ])
        guard case .tooLong(_, limit: ServiceDescription.lengthLimit)? = try drops(long).first else {
            Issue.record("a long document was taken")
            return
        }
        var state = NAILState()
        let documents = (0...NAILState.grantLimit).map { Sample.document("https://s\($0).example.ch") }
        for half in [documents[..<128], documents[128...]] {
            state.accept(
                try ProtocolResponse(parsing: JSON.array(Array(half)).encoded()), to: try Sample.request(),
                at: Sample.now)
        }
        #expect(state.serviceNames.count == NAILState.grantLimit)
        let report = state.accept(
            try Sample.response(documents[256], documents[0]), to: try Sample.request(), at: Sample.now)
        #expect(report.accepted.count == 1)
    }

    @Test(.proves("threat-22")) func nothingShowsTheSecrets() throws {
        let key = Sample.appKey()
        let state = try Sample.state(
            Sample.document(),
            Sample.document(Sample.beta, authorization: Sample.bound("s3cret", to: key, refresh: "r3fresh")), key: key)
        var shown = "\(state) \(String(reflecting: state)) \(key) \(String(reflecting: key))"
        dump(state, to: &shown)
        for secret in ["token-1", "s3cret", "r3fresh"] { #expect(!shown.contains(secret)) }
        let access = try state.access(to: Sample.beta, Sample.name(Sample.reading))
        var dumped = "\(access)"
        dump(access, to: &dumped)
        var copy = state
        var entropy = SeededGenerator(seed: 6)
        let renewal = try copy.renew(Sample.beta, Sample.name(Sample.reading), at: Sample.now, using: &entropy)
        dump(renewal, to: &dumped)
        dump(try copy.revoke(Sample.beta, at: Sample.now, using: &entropy), to: &dumped)
        dump(try Sample.response(Sample.document(authorization: Sample.plain("s3cret"))), to: &dumped)
        #expect(!dumped.contains("r3fresh"))
        #expect(!dumped.contains("s3cret"))
    }
}
