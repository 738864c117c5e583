import JOSE
import NAIL
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL Interface API: response", .proves("NIF-5"))
struct ProtocolResponseTests {
    private func checked(_ protocols: [String] = [Sample.reading], single: Bool = false) throws
        -> ProtocolRequest.Checked
    {
        try Sample.request(protocols, single: single).checkedOnce(against: [:], at: Sample.now)
    }

    private func document(_ json: JSON) throws -> ServiceDescription { try ServiceDescription(parsing: json.encoded()) }

    private func rejection(_ checked: ProtocolRequest.Checked, _ documents: JSON...) throws -> MessageRejection? {
        let documents = try documents.map(document)
        do throws(MessageRejection) {
            _ = try ProtocolResponse(to: checked, granting: documents)
            return nil
        } catch {
            return error
        }
    }

    // MARK: writing

    @Test func nothingGrantedIsAnEmptyList() throws {
        #expect(String(decoding: ProtocolResponse.empty.encoded(), as: UTF8.self) == "[]")
        #expect(try String(decoding: ProtocolResponse(to: checked(), granting: []).encoded(), as: UTF8.self) == "[]")
        #expect(try ProtocolResponse(parsing: "[]").documents.isEmpty)
    }

    @Test func onlyWhatWasRequestedIsWritten() throws {
        let offered = Sample.document(offering: [Sample.reading, Sample.writing, "org.example.admin"])
        let response = try ProtocolResponse(to: checked(), granting: [document(offered)])
        let written = try JSON(parsing: response.encoded())
        #expect(written[0]?["apis"]?.object?.map(\.name) == ["org.ietf.oauth2", "org.example.reading"])
        #expect(written[0]?["authorization"]?["access_token"]?.string == "token-1")
        #expect(try ProtocolResponse(parsing: response.encoded()).documents == response.documents)
    }

    @Test func writingIsStrict() throws {
        let missing = Sample.document(offering: [Sample.writing])
        #expect(try rejection(checked(), missing) == .notOffered(try Sample.name(Sample.reading)))
        #expect(
            try rejection(checked(), Sample.document(), Sample.document(authorization: nil))
                == .unauthorized)
        let elsewhere = Sample.document(
            offering: [Sample.reading, Sample.writing], authorization: nil, own: [Sample.writing: Sample.plain("a")])
        #expect(try rejection(checked(), elsewhere) == .unauthorized)
        #expect(try rejection(checked(), Sample.document(own: [Sample.reading: Sample.plain("a")])) == nil)
        #expect(try rejection(checked(), Sample.document("no url")) == .nameless)
    }

    @Test(.proves("NIF-4")) func whoCanUseOneServiceGetsOne() throws {
        let two = [Sample.document(), Sample.document(Sample.beta)]
        #expect(try rejection(checked(single: true), two[0], two[1]) == .tooManyChosen(found: 2, limit: 1))
        #expect(try rejection(checked(single: true), two[0]) == nil)
        #expect(try rejection(checked(), two[0], two[1]) == nil)
    }

    // MARK: reading what deployed apps send

    @Test(.proves("NAI-11")) func anObjectKeyedByHomePage() throws {
        var bare = Sample.document(Sample.beta).object ?? [:]
        bare["homePageLink"] = nil
        let keyed: JSON = [JSON.Name(Sample.alpha): Sample.document(), JSON.Name(Sample.beta): .object(bare)]
        let response = try ProtocolResponse(parsing: keyed.encoded())
        #expect(response.documents.map(\.homePageLink) == [Sample.alpha, Sample.beta])
        #expect(response.dropped.isEmpty)
        #expect(try ProtocolResponse(parsing: "{}").documents.isEmpty)
    }

    @Test(.proves("NAI-11")) func aListUnderServices() throws {
        let wrapped: JSON = ["services": [Sample.document(), Sample.document(Sample.beta)]]
        #expect(try ProtocolResponse(parsing: wrapped.encoded()).documents.count == 2)
        #expect(try ProtocolResponse(parsing: #"{"services":[]}"#).documents.isEmpty)
    }

    @Test(.proves("NAI-11"), arguments: ["authorization", "token"]) func authorizationAsText(_ member: String) throws {
        var members = Sample.document(authorization: nil).object ?? [:]
        members[JSON.Name(member)] = .string(Sample.plain("token-1", refresh: "r", expiresIn: 60).encodedString())
        let response = try ProtocolResponse(parsing: JSON.array([.object(members)]).encoded())
        let authorization = try #require(response.documents.first?.authorization)
        #expect(authorization.accessToken == "token-1")
        #expect(authorization.refreshToken == "r")
        #expect(authorization.expiresIn == 60)
        #expect(response.documents.first?.extensions.isEmpty == true)
    }

    @Test(.proves("NAI-11")) func tokenInThePlaceOfAuthorization() throws {
        for empty in [JSON.null, [], nil] {
            var members = Sample.document(authorization: empty).object ?? [:]
            members["token"] = Sample.plain("token-1")
            let response = try ProtocolResponse(parsing: JSON.array([.object(members)]).encoded())
            #expect(response.documents.first?.authorization?.accessToken == "token-1")
        }
        // Where both are there the name of the standard wins, and the other's secret goes.
        var members = Sample.document().object ?? [:]
        members["token"] = Sample.plain("token-2")
        let both = try ProtocolResponse(parsing: JSON.array([.object(members)]).encoded())
        #expect(both.documents.first?.authorization?.accessToken == "token-1")
        #expect(!String(decoding: both.encoded(), as: UTF8.self).contains("token-2"))
    }

    @Test(.proves("NAI-11")) func theSameAtAProtocol() throws {
        var members = Sample.document(authorization: nil).object ?? [:]
        members["apis"] = [
            "org.ietf.oauth2": ["apiLink": "oauth/"],
            "org.example.reading": ["apiLink": "reading", "token": .string(Sample.plain("own").encodedString())],
        ]
        let response = try ProtocolResponse(parsing: JSON.array([.object(members)]).encoded())
        #expect(response.documents.first?[try Sample.name(Sample.reading)]?.authorization?.accessToken == "own")
    }

    // MARK: what is wrong

    @Test(.proves("NIF-6")) func oneBadDocumentHarmsNoOther() throws {
        let bad: [JSON] = [7, ["apis": 7], ["engineLink": ""], .object(["apis": ["": [:]], "engineLink": ""])]
        for element in bad {
            let response = try ProtocolResponse(parsing: JSON.array([element, Sample.document()]).encoded())
            #expect(response.documents.map(\.homePageLink) == [Sample.alpha])
            #expect(response.dropped.map(\.path) == ["$[0]"])
        }
    }

    @Test(.proves("NIF-6")) func oneBadAuthorizationHarmsNoOther() throws {
        let document = Sample.document(
            offering: [Sample.reading, Sample.writing], authorization: ["token_type": "Bearer"],
            own: [Sample.writing: Sample.plain("own")])
        let response = try ProtocolResponse(parsing: JSON.array([document]).encoded())
        #expect(response.documents.first?.authorization == nil)
        #expect(response.documents.first?[try Sample.name(Sample.writing)]?.authorization?.accessToken == "own")
        #expect(response.dropped.map(\.path) == ["$[0].authorization"])
        #expect(response.dropped.map(\.reason) == [.document(.missing(path: "$.authorization.access_token"))])
    }

    @Test func authorizationsThatAreNoneAreReported() throws {
        func reason(_ authorization: JSON) throws -> MessageRejection? {
            try ProtocolResponse(parsing: JSON.array([Sample.document(authorization: authorization)]).encoded()).dropped
                .first?.reason
        }
        #expect(
            try reason("opaque-token")
                == .json(.unexpectedByte(UInt8(ascii: "o"), offset: 0, expected: .value)))
        #expect(
            try reason(7) == .document(.mismatch(path: "$.authorization", expected: "an object", found: "number")))
        #expect(
            try reason("[1]")
                == .document(.mismatch(path: "$.authorization", expected: "an object", found: "array")))
        let late: JSON = ["access_token": "a", "expires_in": "soon"]
        #expect(
            try reason(late)
                == .document(.mismatch(path: "$.authorization.expires_in", expected: "an integer", found: "string"))
        )
        #expect(try reason(.null) == nil)
        #expect(try reason([]) == nil)
    }

    @Test func anythingElseIsNoResponse() {
        #expect(throws: MessageRejection.wrongType(expected: .array, found: .null)) {
            try ProtocolResponse(parsing: "null")
        }
        #expect(throws: MessageRejection.wrongType(expected: .array, found: .string)) {
            try ProtocolResponse(parsing: #""[]""#)
        }
        #expect(throws: MessageRejection.json(.unexpectedEnd(offset: 0, expected: .value))) {
            try ProtocolResponse(parsing: "")
        }
        #expect(throws: MessageRejection.json(.duplicateName(offset: 15))) {
            try ProtocolResponse(parsing: #"{"services":[],"services":[]}"#)
        }
    }

    @Test(.proves("threat-14")) func thereAreBounds() throws {
        let many = JSON.array(Array(repeating: 0, count: ProtocolResponse.documentLimit + 1))
        #expect(throws: MessageRejection.tooManyDocuments(found: 257, limit: 256)) {
            try ProtocolResponse(parsing: many.encoded())
        }
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(throws: MessageRejection.json(.tooDeep(offset: 40, limit: 40))) {
            try ProtocolResponse(parsing: deep)
        }
    }

    @Test func mutatedBytesNeverTrap() throws {
        let whole: JSON = [
            "services": [Sample.document(own: [Sample.reading: Sample.symmetric("own")]), Sample.document(Sample.beta)]
        ]
        let bytes = whole.encoded()
        let request = try Sample.request()
        var entropy = SeededGenerator(seed: 0x7265_7370)
        for _ in 0..<1_500 {
            var copy = bytes
            for _ in 0...Int.random(in: 0..<3, using: &entropy) {
                copy[Int.random(in: copy.indices, using: &entropy)] = UInt8.random(in: 0x20...0x7e, using: &entropy)
            }
            guard let response = try? ProtocolResponse(parsing: copy) else { continue }
            var state = NAILState()
            state.accept(response, to: request, at: Sample.now)
            #expect(try NAILState(parsing: state.serialized()).serialized() == state.serialized(), "seed 0x72657370")
        }
        for length in 0..<bytes.count {
            #expect(throws: MessageRejection.self) { try ProtocolResponse(parsing: bytes.prefix(length)) }
        }
    }
}
