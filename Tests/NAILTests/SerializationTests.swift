import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL state: serialization", .proves("NAI-3"))
struct SerializationTests {
    /// A state with everything in it that a state can have.
    static func whole() throws -> NAILState {
        let both = [Sample.reading, Sample.writing]
        let key = Sample.appKey()
        var state = NAILState()
        state.accept(
            try Sample.response(
                Sample.document(
                    name: "Universit\u{e9} \u{1f393} \"Alpha\"", offering: both,
                    authorization: Sample.plain("common", refresh: "r-1", expiresIn: 3600),
                    own: [Sample.writing: Sample.bound("own", to: key, refresh: "r-2", expiresIn: 60)],
                    extra: ["x-kept": [true, .null]]),
                Sample.document(Sample.beta, offering: both, authorization: Sample.symmetric("sym", refresh: "r-3"))),
            to: try Sample.request(both), key: key, at: Timestamp(seconds: 1_700_000_000, nanoseconds: 250_000_000))
        state.accept(
            try Sample.response(Sample.document(authorization: Sample.plain("later"))), to: try Sample.request(),
            at: Sample.now)
        let name = try Sample.name(Sample.writing)
        var entropy = SeededGenerator(seed: 5)
        let renewal = try state.renew(Sample.alpha, name, at: Sample.now, using: &entropy)
        let refusal = HTTP.Response(.badRequest, body: Array(#"{"error":"invalid_grant"}"#.utf8))
        state.settle(renewal, with: refusal, at: Sample.now)
        state.noteRefusal(of: try state.token(Sample.beta), by: Sample.beta, name)
        return state
    }

    private func rejection(_ text: String, opening seal: Seal? = nil) -> NAILState.Rejection? {
        do throws(NAILState.Rejection) {
            _ = try NAILState(parsing: text, opening: seal)
            return nil
        } catch {
            return error
        }
    }

    /// The text of a state with its content changed and a digest that fits, as somebody would write it who means harm.
    private func forged(_ change: (inout JSON.Object) -> Void) throws -> String {
        let envelope = try #require(JSON(parsing: try Self.whole().serialized()).object)
        var content = try #require(envelope["state"]?.object)
        change(&content)
        return Self.enveloped(String(decoding: content.encoded(), as: UTF8.self))
    }

    private static func enveloped(_ content: String) -> String {
        let digest = Base64URL.encode(SHA256.hash(data: Array(content.utf8)))
        return "{\"nail\":1,\"digest\":\"\(digest)\",\"state\":\(content)}"
    }

    /// The content with one place changed, which is named by its path: members and positions.
    private func changing(_ path: [JSON], in value: JSON, to new: JSON?) -> JSON {
        guard let step = path.first else { return new ?? .null }
        let rest = Array(path.dropFirst())
        if let name = step.string {
            var object = value.object ?? [:]
            let member = JSON.Name(name)
            object[member] = rest.isEmpty ? new : changing(rest, in: object[member] ?? .null, to: new)
            return .object(object)
        }
        var array = value.array ?? []
        guard let index = step.number?.integer(as: Int.self), array.indices.contains(index) else { return value }
        if rest.isEmpty, new == nil {
            array.remove(at: index)
        } else {
            array[index] = changing(rest, in: array[index], to: new)
        }
        return .array(array)
    }

    private func forged(_ path: JSON..., to new: JSON?) throws -> NAILState.Rejection? {
        rejection(
            try forged { content in
                content = changing(path, in: .object(content), to: new).object ?? [:]
            })
    }

    // MARK: there and back

    @Test func whatIsReadIsWhatWasWritten() throws {
        let state = try Self.whole()
        let text = state.serialized()
        let restored = try NAILState(parsing: text)
        #expect(restored.serialized() == text)
        #expect(restored.serviceNames == state.serviceNames)
        for service in [Sample.alpha, Sample.beta] {
            #expect(try restored.displayName(of: service) == state.displayName(of: service))
            #expect(try restored.protocols(of: service) == state.protocols(of: service))
            for name in [Sample.reading, Sample.writing] {
                let name = try Sample.name(name)
                #expect(
                    try restored.standing(of: service, name, at: Sample.now)
                        == state.standing(of: service, name, at: Sample.now))
                #expect(try restored.endpoint(of: service, name) == state.endpoint(of: service, name))
            }
        }
        #expect(try restored.token(Sample.alpha) == "later")
        let writing = try Sample.name(Sample.writing)
        #expect(
            try restored.standing(of: Sample.alpha, writing, at: Sample.now) == .ended(.invalidGrant))
        #expect(
            try restored.standing(of: Sample.beta, writing, at: Sample.now) == .expired(.refused, isRenewable: true))
    }

    @Test(.proves("threat-56")) func aDamagedServiceCostsNoOther() throws {
        let content = try forged { content in
            content = changing(["services", 0, "grants", 0, "app"], in: .object(content), to: 7).object ?? [:]
        }
        var lost: [NAILState.Rejection] = []
        let salvaged = try NAILState(salvaging: content) { lost.append($0) }
        #expect(salvaged.serviceNames.map(\.identity) == [Sample.beta + "/"])
        #expect(lost.count == 1)
        #expect(throws: NAILState.Rejection.self) { try NAILState(parsing: content) }
        // What was changed by another hand costs all.
        let broken = content.replacing("beta", with: "bets")
        #expect(throws: NAILState.Rejection.otherDigest) {
            try NAILState(salvaging: broken) { _ in Issue.record("nothing is salvaged") }
        }
    }

    @Test func anEmptyStateIsAStateToo() throws {
        let text = NAILState().serialized()
        #expect(try NAILState(parsing: text).serviceNames.isEmpty)
        #expect(
            text == #"{"nail":1,"digest":""#
                + Base64URL.encode(SHA256.hash(data: Array(#"{"keys":[],"services":[]}"#.utf8)))
                + #"","state":{"keys":[],"services":[]}}"#)
    }

    @Test func keysSurvive() throws {
        let key = Sample.appKey()
        let state = try Sample.state(Sample.document(authorization: Sample.bound("a", to: key)), key: key)
        let restored = try NAILState(parsing: state.serialized())
        #expect(try restored.token(Sample.alpha) == state.token(Sample.alpha))
    }

    /// One fixture for each version of the format that was ever written; none may become unreadable.
    @Test(.proves("threat-69"), arguments: [1]) func everyVersionStillParses(_ version: Int) throws {
        let bytes = try Repository.fixture("nail-state/version-\(version).json")
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined()
        let restored = try NAILState(parsing: text)
        #expect(restored.serviceNames.map(\.identity) == ["https://alpha.example.ch/", "https://beta.example.ch/"])
        #expect(try restored.token(Sample.alpha) == "later")
        let writing = try Sample.name(Sample.writing)
        #expect(try restored.standing(of: Sample.alpha, writing, at: Sample.now) == .ended(.invalidGrant))
        #expect(
            try restored.standing(of: Sample.beta, writing, at: Sample.now) == .expired(.refused, isRenewable: true))
        // The present version is still written like this.
        if version == 1 { #expect(try restored.serialized() == Self.whole().serialized()) }
    }

    // MARK: what is refused

    @Test(.proves("threat-69")) func aLaterVersionSaysWhatToDo() {
        #expect(rejection(#"{"nail":3,"digest":"x","state":{}}"#)?.text.contains("update the app") == true)
    }

    @Test(.proves("threat-49")) func laterVersionsAreRefused() {
        #expect(rejection(#"{"nail":3,"digest":"x","state":{}}"#) == .unknownVersion("3"))
        #expect(rejection(#"{"nail":3,"something":"else"}"#) == .unknownVersion("3"))
        #expect(rejection(#"{"nail":0,"state":{}}"#) == .unknownVersion("0"))
        #expect(rejection(#"{"nail":1e400,"state":{}}"#) == .unknownVersion("1e400"))
        #expect(
            rejection(#"{"nail":"1","state":{}}"#) == .json(.mismatch(at: "$.nail", expected: .number, found: .string)))
        #expect(rejection(#"{"state":{}}"#) == .json(.missing(at: "$.nail")))
    }

    @Test(.proves("threat-49")) func whatWasChangedIsRefused() throws {
        let text = try Self.whole().serialized()
        #expect(rejection(text.replacing("later", with: "eviI!")) == .otherDigest)
        #expect(rejection(text.replacing("{\"keys\"", with: "{ \"keys\"")) == .otherDigest)
        #expect(rejection(text.replacing("alpha.example.ch", with: "omega.example.ch")) == .otherDigest)
    }

    @Test(.proves("threat-49")) func whatWasCutOffIsRefused() throws {
        let bytes = Array(try Self.whole().serialized().utf8)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(rejection(String(decoding: bytes[..<length], as: UTF8.self)) != nil)
        }
        #expect(rejection(String(decoding: bytes, as: UTF8.self) + "x") == .json(.trailingContent(offset: bytes.count)))
    }

    @Test(.proves("threat-49")) func everyContradictionIsFound() throws {
        let service = try #require(JSON(parsing: try Self.whole().serialized())["state"]?["services"]?[0])
        let grant = try #require(service["grants"]?[1])
        let place = "$.state.services[0].grants[1]"
        #expect(try forged("services", 1, to: service) == .impossible(at: "$.state.services[1]", .repeatedService))
        #expect(
            try forged("services", 0, "grants", 0, to: grant)
                == .impossible(at: "$.state.services[0].grants[1]", .repeatedProtocol))
        #expect(try forged("services", 0, "grants", to: []) == .impossible(at: "$.state.services[0]", .nothingGranted))
        #expect(
            try forged("services", 0, "grants", 1, "for", to: [])
                == .impossible(at: "$.state.services[0].grants[1]", .nothingGranted))
        #expect(
            try forged("services", 0, "grants", 1, "for", to: ["org.example.other"])
                == .impossible(at: JSON.Path(stringLiteral: place + ".document"), .notOffered))
        #expect(
            try forged("services", 0, "grants", 1, "document", "homePageLink", to: .string(Sample.beta))
                == .impossible(at: JSON.Path(stringLiteral: place), .otherService))
        #expect(
            try forged("services", 0, "grants", 1, "key", to: 1)
                == .impossible(at: JSON.Path(stringLiteral: place + ".key"), .unknownKey))
        #expect(
            try forged("services", 0, "grants", 1, "key", to: -1)
                == .impossible(at: JSON.Path(stringLiteral: place + ".key"), .unknownKey))
        let first = JSON.Path(stringLiteral: place + ".authorizations[0]")
        let second = JSON.Path(stringLiteral: place + ".authorizations[1]")
        #expect(
            try forged("services", 0, "grants", 1, "authorizations", 1, "at", to: nil)
                == .impossible(at: second, .repeatedAuthorization))
        #expect(
            try forged("services", 0, "grants", 1, "authorizations", 1, "at", to: "x")
                == .impossible(at: second, .notOffered))
        #expect(
            try forged("services", 0, "grants", 1, "authorizations", 0, "ended", to: "")
                == .impossible(at: first, .malformedCode))
    }

    @Test(.proves("threat-49")) func everyPartIsCheckedAsIfItCameFromAStranger() throws {
        let place = "$.state.services[0].grants[1]"
        let authorization = JSON.Path(stringLiteral: place + ".authorizations[0].authorization")
        #expect(try forged("keys", 0, to: "AAAA") == .malformedKey(at: "$.state.keys[0]"))
        #expect(try forged("keys", to: []) == .impossible(at: JSON.Path(stringLiteral: place + ".key"), .unknownKey))
        #expect(
            try forged("services", 0, "url", to: "javascript:alert(1)")
                == .malformedURL(at: "$.state.services[0].url", .foreignScheme))
        #expect(
            try forged("services", 0, "grants", 1, "app", to: "")
                == .malformedName(at: JSON.Path(stringLiteral: place + ".app"), .empty(.identifier)))
        #expect(
            try forged("services", 0, "grants", 1, "authorizations", 0, "authorization", "access_token", to: nil)
                == .malformedDocument(at: authorization, .missing(path: "$.authorization.access_token")))
        #expect(
            try forged("services", 0, "grants", 1, "authorizations", 0, "authorization", "access_token", to: "a b")
                == .unusable(at: authorization, .malformedToken(.foreignCharacter(.secret("access token"), offset: 1))))
        #expect(
            try forged(
                "services", 0, "grants", 1, "authorizations", 0, "expires", to: .number(JSON.Number(parsing: "1e400")))
                == .malformedTime(at: JSON.Path(stringLiteral: place + ".authorizations[0].expires"), .outOfRange))
        #expect(
            try forged("services", 1, "grants", 0, "authorizations", 0, "refused", to: 1)
                == .json(
                    .mismatch(
                        at: "$.state.services[1].grants[0].authorizations[0].refused", expected: .bool, found: .number))
        )
    }

    @Test(.proves("threat-49")) func mutatedStatesNeverTrapAndAreReadWhollyOrNot() throws {
        let text = try Self.whole().serialized()
        let content = Array(try JSON.Document(parsing: text).root.object()["state"].raw)
        var entropy = SeededGenerator(seed: 0x7374_6174)
        var restored = 0
        for _ in 0..<1_000 {
            var copy = content
            for _ in 0...Int.random(in: 0..<3, using: &entropy) {
                let position = Int.random(in: copy.indices, using: &entropy)
                switch UInt8.random(in: 0..<3, using: &entropy) {
                case 0: copy[position] = UInt8.random(in: 0x20...0x7e, using: &entropy)
                case 1: copy.remove(at: position)
                default: copy.insert(copy[Int.random(in: copy.indices, using: &entropy)], at: position)
                }
            }
            guard let state = try? NAILState(parsing: Self.enveloped(String(decoding: copy, as: UTF8.self))) else {
                continue
            }
            restored += 1
            let again = state.serialized()
            #expect(try NAILState(parsing: again).serialized() == again, "seed 0x73746174")
            for service in state.serviceNames { _ = try? state.token(service.identity) }
        }
        // Otherwise the mutations say nothing about what lies behind the parser.
        #expect(restored > 30)
    }

    @Test func randomBytesNeverTrap() {
        var entropy = SeededGenerator(seed: 0x7261_6e64)
        for _ in 0..<500 {
            let bytes = entropy.bytes(Int.random(in: 0..<64, using: &entropy))
            #expect(rejection(String(decoding: bytes, as: UTF8.self)) != nil, "seed 0x72616e64")
        }
    }

    // MARK: seals

    /// A seal as a test needs one: it hides by turning bits over, and notices changes by a keyed hash.
    private func seal(_ byte: UInt8) -> Seal {
        let key = SymmetricKey(data: [UInt8](repeating: byte, count: 32))
        return Seal(
            seal: { bytes in Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key)) + bytes.map { $0 ^ byte } },
            open: { sealed in
                guard sealed.count >= 32 else { return nil }
                let bytes = sealed.dropFirst(32).map { $0 ^ byte }
                return HMAC<SHA256>.isValidAuthenticationCode(sealed.prefix(32), authenticating: bytes, using: key)
                    ? bytes : nil
            })
    }

    @Test(.proves("threat-49")) func aSealHidesAndReveals() throws {
        let state = try Self.whole()
        let text = state.serialized(sealing: seal(0x5a))
        #expect(!text.contains("common"))
        #expect(try NAILState(parsing: text, opening: seal(0x5a)).serialized() == state.serialized())
        #expect(rejection(text, opening: seal(0x5b)) == .brokenSeal)
        #expect(rejection(text) == .sealed)
        #expect(rejection(state.serialized(), opening: seal(0x5a)) == .unsealed)
        var bytes = Array(text.utf8)
        bytes[bytes.count / 2] ^= 1
        #expect(rejection(String(decoding: bytes, as: UTF8.self), opening: seal(0x5a)) == .brokenSeal)
        #expect(rejection(#"{"nail":1,"sealed":"not base64"}"#, opening: seal(0x5a)) == .brokenSeal)
    }
}
