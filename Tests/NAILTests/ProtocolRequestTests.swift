import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import Wire

@Suite("NAIL Interface API: request", .proves("NIF-2"))
struct ProtocolRequestTests {
    private func encoded(_ change: (inout JSON.Object) -> Void = { _ in }) -> [UInt8] {
        var members: JSON.Object = [
            "client_id": "device-7", "app_id": "ch.example.reader", "app_name": "Reader",
            "protocols": ["org.example.reading"],
        ]
        change(&members)
        return members.encoded()
    }

    private func rejection(_ change: (inout JSON.Object) -> Void) -> MessageRejection? {
        do throws(MessageRejection) {
            _ = try ProtocolRequest(parsing: encoded(change))
            return nil
        } catch {
            return error
        }
    }

    @Test(.proves("NIF-1")) func theTypeNameIsTheOneThatAuthorizingAppsListenTo() {
        #expect(ProtocolRequest.typeName == "urn:ietf:params:oauth:assertion")
    }

    /// The source's name is neither a media type nor an identifier of Apple's; what stands in its place there is, and
    /// means nothing else.
    @Test(.proves("NIF-1")) func theTypeHasANameInEachGrammar() throws {
        func isMediaType(_ text: String) -> Bool {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            let isToken = { (part: Substring) in
                !part.isEmpty && part.utf8.allSatisfy { (0x61...0x7a).contains($0) || ".-+".utf8.contains($0) }
            }
            return parts.count == 2 && parts.allSatisfy(isToken)
        }
        func isTypeIdentifier(_ text: String) -> Bool {
            text.utf8.allSatisfy { (0x61...0x7a).contains($0) || ".-".utf8.contains($0) }
        }
        #expect(!isMediaType(ProtocolRequest.typeName) && !isTypeIdentifier(ProtocolRequest.typeName))
        #expect(isMediaType(ProtocolRequest.mediaType) && isTypeIdentifier(ProtocolRequest.typeIdentifier))
        // The audience of a signature is the source's name alone.
        let signed = try Sample.request().signed(with: Device.appKey.get())
        #expect(try SignedParts(#require(signed.token).secret).claims["aud"]?.string == ProtocolRequest.typeName)
    }

    @Test func whatIsWrittenIsWhatTheSourceLists() throws {
        let request = try Sample.request([Sample.reading, Sample.writing], single: true)
        let text = String(decoding: request.encoded(), as: UTF8.self)
        #expect(
            text == #"{"client_id":"device-7","app_id":"ch.example.reader","app_name":"Reader","#
                + #""protocols":["org.example.reading","org.example.writing"],"single":true}"#)
        #expect(try ProtocolRequest(parsing: text) == request)
    }

    @Test(.proves("NIF-4")) func theWishForOneServiceTravels() throws {
        let request = try ProtocolRequest(parsing: Sample.request(single: true).encoded())
        let checked = try request.checkedOnce(against: [:], at: Sample.now)
        #expect(request.prefersSingle)
        #expect(checked.choiceLimit == 1)
        let open = try ProtocolRequest(parsing: encoded()).checkedOnce(against: [:], at: Sample.now)
        #expect(open.choiceLimit == nil)
    }

    @Test func optionalMembersMayBeAbsentNullOrUnknown() throws {
        let request = try ProtocolRequest(
            parsing: encoded { members in
                members["token"] = .null
                members["single"] = .null
                members["platform"] = "android"
            })
        #expect(request.token == nil)
        #expect(!request.prefersSingle)
    }

    @Test(arguments: ["client_id", "app_id", "app_name", "protocols"] as [JSON.Name])
    func everyRequiredMemberIsRequired(_ member: JSON.Name) {
        #expect(rejection { $0[member] = nil } == .json(.missing(at: JSON.Path(stringLiteral: "$.\(member.text)"))))
    }

    @Test func membersHaveTheirTypes() {
        #expect(
            rejection { $0["client_id"] = 7 } == .json(.mismatch(at: "$.client_id", expected: .string, found: .number)))
        #expect(
            rejection { $0["protocols"] = "a" } == .json(.mismatch(at: "$.protocols", expected: .array, found: .string))
        )
        #expect(
            rejection { $0["protocols"] = [1] }
                == .json(.mismatch(at: "$.protocols[0]", expected: .string, found: .number)))
        #expect(rejection { $0["single"] = "yes" } == .json(.mismatch(at: "$.single", expected: .bool, found: .string)))
        #expect(rejection { $0["token"] = 1 } == .json(.mismatch(at: "$.token", expected: .string, found: .number)))
    }

    @Test func namesAreNames() {
        #expect(rejection { $0["app_id"] = "" } == .malformedName("app_id", .empty(.identifier)))
        #expect(
            rejection { $0["app_name"] = "a\nb" }
                == .malformedName("app_name", .foreignCharacter(.identifier, offset: 1)))
        #expect(rejection { $0["protocols"] = [""] } == .malformedName("protocols", .empty(.identifier)))
        #expect(rejection { $0["token"] = "" } == .malformedToken(.empty(.secret("assertion"))))
    }

    @Test func protocolsAreSomeAndNotTooMany() throws {
        #expect(rejection { $0["protocols"] = [] } == .noProtocols)
        let many = (0...ProtocolRequest.protocolLimit).map { JSON.string("p\($0)") }
        #expect(rejection { $0["protocols"] = .array(many) } == .tooManyProtocols(limit: 64))
        #expect(rejection { $0["protocols"] = .array(Array(many.dropLast())) } == nil)
        #expect(try Sample.request(["a", "b", "a"]).protocols.map(\.text) == ["a", "b"])
    }

    @Test(.proves("threat-13")) func aMemberStandsOnce() {
        let text = #"{"client_id":"a","app_id":"b","app_name":"c","protocols":["d"],"\u0061pp_id":"e"}"#
        #expect(throws: MessageRejection.json(.duplicateName(offset: 63))) {
            try ProtocolRequest(parsing: text)
        }
    }

    @Test func noPrefixIsARequest() throws {
        let bytes = try Sample.request().encoded()
        for length in 0..<bytes.count {
            #expect(throws: MessageRejection.self) { try ProtocolRequest(parsing: bytes.prefix(length)) }
        }
    }

    @Test func mutatedBytesNeverTrap() throws {
        let bytes = try Sample.request([Sample.reading, Sample.writing], single: true).encoded()
        var entropy = SeededGenerator(seed: 0x4e41494c)
        for _ in 0..<2_000 {
            var copy = bytes
            for _ in 0...Int.random(in: 0..<3, using: &entropy) {
                copy[Int.random(in: copy.indices, using: &entropy)] = UInt8.random(in: 0...255, using: &entropy)
            }
            guard let request = try? ProtocolRequest(parsing: copy) else { continue }
            #expect(try ProtocolRequest(parsing: request.encoded()) == request, "seed 0x4e41494c")
        }
    }
}

@Suite("NAIL Interface API: signature of a request", .proves("NIF-3"), .proves("threat-47"))
struct RequestProofTests {
    private let app: SigningKey
    private let stranger: SigningKey
    private let registry: [BundleID: JWKSet]

    init() throws {
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32))
        let id = try KeyID(parsing: "app-1")
        app = SigningKey(pair, id: id)
        stranger = SigningKey(
            try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 6, count: 32)), id: id)
        registry = [
            try BundleID(parsing: "ch.example.reader"): JWKSet([JWK(pair.publicKey, attributes: JWK.Attributes(id: id))]
            )
        ]
    }

    /// What the app says of its request; the digest is computed from its lines here.
    private static let claims: JSON.Object = [
        "iss": "ch.example.reader", "sub": "device-7", "aud": "urn:ietf:params:oauth:assertion", "name": "Reader",
        "iat": 1_700_000_000, "jti": "r-1",
        "req_hash": .string(
            Base64URL.encode(
                SHA256.hash(data: Array("ch.example.reader\ndevice-7\n0\norg.example.reading\n".utf8)))),
    ]

    /// The claims that the app's signature makes, one of them changed.
    private func request(
        _ change: (inout JSON.Object) -> Void = { _ in }, as kind: JWT.Kind = .protocolRequest, key: SigningKey? = nil
    ) throws -> ProtocolRequest {
        var claims = Self.claims
        change(&claims)
        let token = try JWT.signed(JWT.Claims(claims), with: key ?? app, as: kind)
        var members = try JSON(parsing: Sample.request().encoded()).object ?? [:]
        members["token"] = .string(token)
        return try ProtocolRequest(parsing: members.encoded())
    }

    private func refusal(_ request: ProtocolRequest, policy: ProtocolRequest.CheckPolicy = .init()) -> MessageRejection?
    {
        do throws(MessageRejection) {
            _ = try request.checkedOnce(against: registry, policy: policy, at: Sample.now)
            return nil
        } catch {
            return error
        }
    }

    @Test func whatTheAppSignsPasses() throws {
        let signed = try Sample.request().signed(with: app)
        let received = try ProtocolRequest(parsing: signed.encoded())
        let checked = try received.checkedOnce(against: registry, at: Sample.now)
        #expect(received == signed)
        #expect(checked.signer?.id?.text == "app-1")
        #expect(checked.appKey == nil)
        let parts = try SignedParts(try #require(signed.token?.secret))
        #expect(parts.header["typ"]?.string == "protocol-request+jwt")
        #expect(parts.claims["aud"]?.string == ProtocolRequest.typeName)
    }

    @Test func aKeyToBindTokensToTravelsInTheSignature() throws {
        let key = Sample.appKey()
        let signed = try Sample.request().signed(with: app, binding: key.publicKey)
        let checked = try ProtocolRequest(parsing: signed.encoded()).checkedOnce(against: registry, at: Sample.now)
        #expect(checked.appKey == key.publicKey)
        #expect(!String(decoding: signed.encoded(), as: UTF8.self).contains("\"d\""))
    }

    @Test(arguments: ["JWT", nil, "protocol-request+jwt"])
    func deployedAppsNameNoType(_ type: String?) throws {
        let kind = JWT.Kind.any
        var header = JWS.SigningHeader()
        header.type = type.map { JWS.ContentType($0) }
        let claims = Self.claims
        let token = try JWT.Issuance(with: app, as: kind, header: header).token(JWT.Claims(claims))
        var members = try JSON(parsing: Sample.request().encoded()).object ?? [:]
        members["token"] = .string(token)
        #expect(refusal(try ProtocolRequest(parsing: members.encoded())) == nil)
    }

    @Test(.proves("threat-58")) func whoCanSignMust() throws {
        let checked = try Sample.request(appID: "ch.example.other").checkedOnce(against: registry, at: Sample.now)
        #expect(checked.signer == nil && !checked.isVerified)
        var policy = ProtocolRequest.CheckPolicy()
        #expect(refusal(try Sample.request(), policy: policy) == .unsigned)
        policy.unsigned = .ofAll
        #expect(refusal(try Sample.request(), policy: policy) == nil)
        policy.unsigned = .ofUnregistered
        #expect(refusal(try Sample.request(appID: "ch.example.other"), policy: policy) == nil)
        policy.unsigned = .ofNone
        #expect(refusal(try Sample.request(appID: "ch.example.other"), policy: policy) == .unsigned)
    }

    @Test func theAudienceIsTheTypeName() throws {
        let audience = try Audience(parsing: ProtocolRequest.typeName)
        let refused = refusal(try request { $0["aud"] = "urn:ietf:param:oauth:assertion" })
        #expect(
            refused
                == .token(.wrongAudience(expected: [audience], alone: true, found: ["urn:ietf:param:oauth:assertion"])))
        #expect(refusal(try request { $0["aud"] = nil }) == .token(.missing("aud")))
    }

    @Test func theIssuerIsTheApp() throws {
        let refused = refusal(try request { $0["iss"] = "ch.example.Reader" })
        #expect(
            refused
                == .token(
                    .wrongIssuer(expected: [try Issuer(parsing: "ch.example.reader")], found: "ch.example.Reader"))
        )
        #expect(refusal(try request { $0["iss"] = nil }) == .token(.missing("iss")))
    }

    @Test func theSubjectIsTheClient() throws {
        let refused = refusal(try request { $0["sub"] = "device-8" })
        #expect(
            refused == .token(.wrongSubject(expected: try Subject(parsing: "device-7"), found: "device-8")))
        #expect(refusal(try request { $0["sub"] = nil }) == .token(.missing("sub")))
    }

    @Test func theNameIsTheAppsNameByteForByte() throws {
        #expect(
            refusal(try request { $0["name"] = "Reader " })
                == .otherName(expected: try AppName(parsing: "Reader"), found: "Reader "))
        #expect(refusal(try request { $0["name"] = nil }) == .token(.missing("name")))
        #expect(
            refusal(try request { $0["name"] = 7 })
                == .token(.wrongType("name", expected: .string, found: .number)))
        let composed = try Sample.request(appName: "L\u{e9}seur").signed(with: app)
        var members = try JSON(parsing: composed.encoded()).object ?? [:]
        members["app_name"] = "Le\u{301}seur"
        guard case .otherName? = refusal(try ProtocolRequest(parsing: members.encoded())) else {
            Issue.record("canonically equivalent names passed for one another")
            return
        }
    }

    @Test func theAppIsRegistered() throws {
        let id = try BundleID(parsing: "ch.example.unknown")
        let other = try Sample.request(appID: "ch.example.unknown").signed(with: app)
        #expect(refusal(other) == .unknownApp(id))
    }

    @Test func theKeyIsTheApps() throws {
        #expect(refusal(try request(key: stranger)) == .token(.invalidSignature))
        let unknown = SigningKey(
            try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32)),
            id: try KeyID(parsing: "app-2"))
        #expect(refusal(try request(key: unknown)) == .token(.unknownKey(try KeyID(parsing: "app-2"))))
    }

    @Test(.proves("threat-18")) func anotherKindOfTokenIsNone() throws {
        let refused = refusal(try request(as: .request))
        #expect(refused == .token(.wrongKind(expected: "protocol-request+jwt", found: "request+jwt")))
    }

    @Test func whatSaysThatItExpiredHas() throws {
        let refused = refusal(try request { $0["exp"] = 1_700_000_000 })
        #expect(refused == .token(.expired(at: Sample.now, now: Sample.now)))
        #expect(refusal(try request { $0["iat"] = 1_699_999_400 }) == nil)
        let issued = Timestamp(seconds: 1_699_999_399)
        #expect(
            refusal(try request { $0["iat"] = 1_699_999_399 }) == .token(.tooOld(issued: issued, now: Sample.now)))
    }

    // MARK: What the signature covers (threat 58)

    @Test(.proves("threat-58")) func aSignatureIsGoodForItsOwnRequestOnly() throws {
        let signed = try Sample.request([Sample.writing, Sample.reading]).signed(with: app)
        func moved(_ change: (inout JSON.Object) -> Void) throws -> MessageRejection? {
            var members = try #require(JSON(parsing: signed.encoded()).object)
            change(&members)
            return refusal(try ProtocolRequest(parsing: members.encoded()))
        }
        #expect(try moved { $0["protocols"] = ["org.example.reading"] } == .otherRequest)
        #expect(try moved { $0["protocols"] = ["org.example.reading", "org.example.writing", "x"] } == .otherRequest)
        #expect(try moved { $0["single"] = true } == .otherRequest)
        #expect(try moved { $0["single"] = false } == nil)
        // The order of the protocols and their repetition mean nothing.
        #expect(
            try moved { $0["protocols"] = ["org.example.reading", "org.example.writing", "org.example.reading"] } == nil
        )
        #expect(refusal(try request { $0["req_hash"] = "x" }) == .otherRequest)
        for name: JSON.Name in ["iat", "jti", "req_hash"] {
            #expect(refusal(try request { $0[name] = nil }) == .token(.missing(name)))
        }
        #expect(
            refusal(try request { $0["jti"] = 7 }) == .token(.wrongType("jti", expected: .string, found: .number)))
    }

    @Test(.proves("threat-58")) func inATimeOfTransitionThePersonIsTold() throws {
        var policy = ProtocolRequest.CheckPolicy()
        policy.acceptsUncovered = true
        var seen = ProtocolRequest.Seen()
        func check(_ request: ProtocolRequest) throws -> Bool {
            try request.checked(against: registry, policy: policy, remembering: &seen, at: Sample.now).isVerified
        }
        #expect(try !check(request { $0["req_hash"] = nil }))
        #expect(
            try !check(
                request {
                    $0["iat"] = nil; $0["jti"] = nil; $0["req_hash"] = nil
                }))
        #expect(try check(request()))
        // Who says what he covers covers it.
        #expect(throws: MessageRejection.otherRequest) { try check(request { $0["req_hash"] = "x" }) }
        #expect(throws: MessageRejection.token(.missing("jti"))) { try check(request { $0["jti"] = nil }) }
    }

    @Test(.proves("threat-58")) func aSignatureComesOnce() throws {
        var seen = ProtocolRequest.Seen()
        func check(_ request: ProtocolRequest, at now: Timestamp = Sample.now) -> MessageRejection? {
            do throws(MessageRejection) {
                _ = try request.checked(against: registry, remembering: &seen, at: now)
                return nil
            } catch {
                return error
            }
        }
        #expect(check(try request()) == nil)
        #expect(check(try request()) == .seen("r-1"))
        // Also after a restart, and to the last second in which the signature is good.
        seen = ProtocolRequest.Seen(try #require(JSON(parsing: seen.json.encoded()).object))
        #expect(check(try request(), at: Sample.now + .seconds(600)) == .seen("r-1"))
        // What is refused for another reason is not spent.
        #expect(
            check(
                try request({
                    $0["jti"] = "r-2"; $0["req_hash"] = "x"
                })) == .otherRequest)
        #expect(check(try request { $0["jti"] = "r-2" }) == nil)
        for number in 3...64 { #expect(check(try request { $0["jti"] = .string("r-\(number)") }) == nil) }
        #expect(check(try request { $0["jti"] = "r-65" }) == .tooManySigned(limit: 64))
        let later = Sample.now + .seconds(601)
        #expect(
            check(
                try request {
                    $0["jti"] = "r-65"; $0["iat"] = 1_700_000_601
                }, at: later) == nil)
        #expect(seen.json["ch.example.reader"]?.object?.members.count == 1)
    }

    @Test(.proves("threat-58")) func longNamesOfSignaturesTakeLittleRoom() throws {
        var seen = ProtocolRequest.Seen()
        let name = String(repeating: "n", count: 1_000)
        func check(_ name: String) throws {
            _ = try request { $0["jti"] = .string(name) }
                .checked(against: registry, remembering: &seen, at: Sample.now)
        }
        try check(name)
        #expect(seen.json.encoded().count < 100)
        #expect(throws: MessageRejection.seen(JWT.ID(stringLiteral: name))) { try check(name) }
        try check(name + "n")
        // All apps together fill no more than their share.
        var crowd = JSON.Object()
        for app in 0..<16 {
            let until = JSON.number(JSON.Number(Sample.now.seconds + 600))
            crowd[JSON.Name("app-\(app)")] = .object(JSON.Object((0..<64).map { (JSON.Name("s-\($0)"), until) }))
        }
        seen = ProtocolRequest.Seen(crowd)
        #expect(throws: MessageRejection.tooManySigned(limit: 1_024)) { try check("another") }
    }

    @Test(.proves("threat-58")) func theSystemsWordAboutWhoAsksCounts() throws {
        var seen = ProtocolRequest.Seen()
        let asked = try request()
        #expect(throws: MessageRejection.otherCaller(expected: "ch.example.reader", found: "ch.example.evil")) {
            try asked.checked(against: registry, from: "ch.example.evil", remembering: &seen, at: Sample.now)
        }
        let checked = try asked.checked(
            against: registry, from: "ch.example.reader", remembering: &seen, at: Sample.now)
        #expect(checked.isVerified)
    }

    @Test(
        .proves("threat-58"),
        arguments: [
            "Bank\u{202E}redaeR", "Read\u{200B}er", "\u{FEFF}Reader", "Reader\u{200D}", "R\u{200D}eader",
            "Reader\u{FE0F}",
            "Rea\u{AD}der", "Reader\u{2028}", "\u{2066}Reader", "Reader\u{E0041}", "\u{3164}", "Reader\u{61C}",
        ])
    func namesForPeopleHideNothing(_ name: String) throws {
        #expect(throws: MessageRejection.self) { try Sample.request(appName: name) }
    }

    @Test(arguments: ["Lecteur d'été", "مى\u{200C}خوانم", "\u{1F469}\u{200D}\u{1F52C} Lab", "❤\u{FE0F} Books", "读者"])
    func namesOfAllScriptsPass(_ name: String) throws {
        #expect(try Sample.request(appName: name).appName.text.utf8.elementsEqual(name.utf8))
    }

    @Test func theKeyForBindingIsPublicAndThere() throws {
        let secret: JSON = ["jwk": ["kty": "oct", "k": .string(Base64URL.encode(Sample.secret))]]
        #expect(refusal(try request { $0["cnf"] = secret }) == .confirmation(.confirmationKey(.secretMember("k"))))
        #expect(refusal(try request { $0["cnf"] = ["kid": "a"] }) == .confirmationWithoutKey)
    }

    @Test(.proves("threat-2")) func aTokenThatIsNoneIsRefused() throws {
        var members = try JSON(parsing: Sample.request().encoded()).object ?? [:]
        members["token"] = "a.b"
        #expect(refusal(try ProtocolRequest(parsing: members.encoded())) == .token(.wrongPartCount(2)))
        let none = "eyJhbGciOiJub25lIn0.e30."
        members["token"] = .string(none)
        #expect(refusal(try ProtocolRequest(parsing: members.encoded())) != nil)
    }
}
