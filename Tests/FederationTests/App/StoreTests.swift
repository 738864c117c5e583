import Federation
import NAIL
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import Wire

@Suite("S3: the data stores", .proves("DAT-1"))
struct StoreTests {
    private func rejection(
        _ text: String, opening seal: Seal = AppSample.seal, limits: AuthorizingApp.Store.Limits = .standard
    )
        -> Rejection?
    {
        do throws(Rejection) {
            _ = try AuthorizingApp.Store(parsing: text, opening: seal, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private static func enveloped(_ content: String) -> String {
        #"{"eduid":1,"sealed":""# + Base64URL.encode(Array(content.utf8)) + #""}"#
    }

    /// What is found in a content that somebody wrote who can open the seal.
    private func forged(_ members: String) -> Rejection? {
        rejection(Self.enveloped(#"{"store":"group.ch.eduid.mobile","# + members + "}"), opening: AppSample.clear)
    }

    private static func content(_ text: String) throws -> String {
        let sealed = try #require(try JSON(parsing: text)["sealed"]?.string)
        return String(decoding: try Base64URL.decode(sealed), as: UTF8.self)
    }

    // MARK: there and back

    @Test func whatIsReadIsWhatWasWritten() throws {
        let store = try AppSample.store()
        let text = store.serialized(sealing: AppSample.seal)
        let restored = try AuthorizingApp.Store(parsing: text, opening: AppSample.seal)
        #expect(restored == store)
        #expect(restored.serialized(sealing: AppSample.seal) == text)
        #expect(!text.contains("secret"))
    }

    @Test(.proves("DAT-2")) func theFieldsAreTheSources() throws {
        let document =
            #"{"engineName":"A","homePageLink":"https://a.ch","engineLink":"","apis":{"org.ietf.oauth2":{"apiLink":"o"}}}"#
        let (language, key) = (try AppSample.name("language"), try AppSample.key(subject: "s", target: "g", type: "y"))
        let (token, names) = (try AppSample.token("t"), try AppSample.names("q", "p"))
        var service = try AuthorizingApp.Store.Service(parsing: document)
        service.token = try AppSample.token("v")
        var store = AuthorizingApp.Store()
        try store.change { contents in
            contents.settings[language] = "rm"
            contents.tokens[key] = token
            contents.cache([service])
            contents.protocols[service.url] = names
        }
        let escaped = document.replacing("\"", with: "\\\"")
        #expect(
            try Self.content(store.serialized(sealing: AppSample.clear))
                == #"{"store":"group.ch.eduid.mobile","revision":1,"EduidConfiguration":[{"cfg_name":"language","cfg_value":"rm"}],"#
                + #""Protocols":[{"baseurl":"https://a.ch/","protocol_id":"p\nq"}],"#
                + #""Tokens":[{"subject":"s","target":"g","type":"y","token":"t"}],"#
                + #""UserServices":[{"baseurl":"https://a.ch/","name":"A","rsd":""# + escaped
                + #"","token":"v","token_target":"https://a.ch/o"}]}"#)
    }

    @Test func theOrderOfChangesDoesNotShow() throws {
        var entropy = SeededGenerator(seed: 11)
        let settings = try (0..<20).map { try AppSample.name("name-\($0)") }
        var texts: Set<[UInt8]> = []
        for _ in 0..<5 {
            var store = AuthorizingApp.Store(in: .app)
            for setting in settings.shuffled(using: &entropy) { try store.change { $0.settings[setting] = "v" } }
            texts.insert(Array(store.serialized(sealing: AppSample.seal).utf8))
        }
        #expect(texts.count == 1)
    }

    @Test func aFullStoreCanBeReadAgain() throws {
        let limits = AuthorizingApp.Store.Limits(rows: 8, field: 2_000, bytes: 4_000)
        var store = AuthorizingApp.Store(limits: limits)
        let names = try ["a", "b", "c"].map { try AppSample.name($0) }
        // Nothing grows more when it is written than control characters.
        try store.change { $0.settings[names[0]] = String(repeating: "\u{1}", count: 1_999) }
        try store.change { $0.settings[names[1]] = String(repeating: "\u{1f}", count: 1_999) }
        #expect(throws: Rejection.storeFull(limit: 4_000)) {
            try store.change { $0.settings[names[2]] = "" }
        }
        #expect(
            try AuthorizingApp.Store(
                parsing: store.serialized(sealing: AppSample.seal), opening: AppSample.seal, limits: limits) == store)
        var wide = AuthorizingApp.Store(limits: AuthorizingApp.Store.Limits(rows: 200, field: 400, bytes: 200_000))
        let (token, protocols) = (try AppSample.token("t"), try AppSample.names("p"))
        var contents = wide.contents
        for number in 0..<200 {
            let document = #"{"engineLink":"https://s\#(number).ch","apis":{}}"#
            var service = try AuthorizingApp.Store.Service(parsing: document)
            (service.token, service.tokenTarget) = (token, service.url.url)
            contents.services[service.url] = service
            contents.protocols[service.url] = protocols
            contents.tokens[try AppSample.key(subject: "\(number)", target: "g", type: "y")] = token
            contents.settings[try AppSample.name("\(number)")] = ""
        }
        try wide.change { [contents] in $0 = contents }
        #expect(
            try AuthorizingApp.Store(
                parsing: wide.serialized(sealing: AppSample.seal), opening: AppSample.seal, limits: wide.limits) == wide
        )
    }

    @Test func noStorePassesForAnother() throws {
        let language = try AppSample.name("language")
        var store = AuthorizingApp.Store(in: .app)
        try store.change { $0.settings[language] = "rm" }
        let text = store.serialized(sealing: AppSample.seal)
        #expect(try AuthorizingApp.Store(parsing: text, opening: AppSample.seal, in: .app) == store)
        #expect(rejection(text) == .otherStore(expected: AuthorizingApp.Store.Place.group.rawValue))
        #expect(throws: Rejection.otherStore(expected: AuthorizingApp.Store.Place.extension.rawValue)) {
            try AuthorizingApp.Store(parsing: text, opening: AppSample.seal, in: .extension)
        }
    }

    @Test(arguments: [AuthorizingApp.Store.Place.app, .extension]) func otherStoresTakeSettingsAlone(
        _ place: AuthorizingApp.Store.Place
    ) throws {
        let whole = try AppSample.store().contents
        let foreign = Rejection.notShared(place.rawValue)
        var store = AuthorizingApp.Store(in: place)
        #expect(throws: foreign) { try store.change { $0.tokens = whole.tokens } }
        #expect(throws: foreign) { try store.change { $0.services = whole.services } }
        #expect(throws: foreign) { try store.change { $0.protocols = whole.protocols } }
        #expect(store == AuthorizingApp.Store(in: place))
        try store.change { $0.settings = whole.settings }
        #expect(store.contents.settings.count == 3)
    }

    @Test(arguments: ["Protocols", "Tokens", "UserServices"]) func authorizationDataLiesInTheGroupStoreAlone(
        _ relation: String
    ) throws {
        let text = { (store: String) in Self.enveloped("{\"store\":\"\(store)\",\"\(relation)\":[]}") }
        let foreign = Rejection.foreignMember(at: JSON.Path(stringLiteral: "$.\(relation)"))
        for place in [AuthorizingApp.Store.Place.app, .extension] {
            #expect(throws: foreign) {
                try AuthorizingApp.Store(parsing: text(place.rawValue), opening: AppSample.clear, in: place)
            }
        }
        #expect(rejection(text("group.ch.eduid.mobile"), opening: AppSample.clear) == nil)
    }

    /// One fixture for each version of the format that was ever written, each with a seal that changes nothing; none may
    /// become unreadable.
    @Test(.proves("threat-69"), arguments: [1, 2]) func everyVersionStillParses(_ version: Int) throws {
        let bytes = try Repository.fixture("app-store/version-\(version).json")
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined()
        let restored = try AuthorizingApp.Store(parsing: text, opening: AppSample.clear)
        let (alpha, beta) = (try AppSample.url(AppSample.alpha), try AppSample.url(AppSample.beta))
        #expect(restored.contents.settings[try AppSample.name("language")] == "rm")
        #expect(restored.contents.services[alpha]?.token?.secret == "secret-service")
        #expect(restored.contents.services[beta]?.tokenTarget?.text == "https://beta.example.ch/oauth/")
        #expect(restored.contents.protocols[beta]?.map(\.text) == [AppSample.reading, AppSample.writing])
        #expect(restored.contents.tokens[try AppSample.key(subject: "instance-7")]?.secret == "secret-instance")
        #expect(try restored == AppSample.store())
        // The present version is still written like this.
        if version == 2 { #expect(restored.serialized(sealing: AppSample.clear) == text) }
    }

    // MARK: what is refused

    @Test(.proves("threat-69")) func aLaterVersionSaysWhatToDo() {
        #expect(rejection(#"{"eduid":3,"sealed":"AA"}"#)?.text.contains("update the app") == true)
    }

    @Test(.proves("threat-49")) func otherVersionsAreRefused() {
        #expect(rejection(#"{"eduid":3,"sealed":"AA"}"#) == .unknownVersion("3"))
        #expect(rejection(#"{"eduid":3,"something":"else"}"#) == .unknownVersion("3"))
        #expect(rejection(#"{"eduid":1e400,"sealed":"AA"}"#) == .unknownVersion("1e400"))
        #expect(rejection(#"{"eduid":"1"}"#) == .json(.mismatch(at: "$.eduid", expected: .number, found: .string)))
        #expect(rejection(#"{"eduid":1}"#) == .json(.missing(at: "$.sealed")))
        #expect(rejection(#"{"eduid":1,"sealed":"AA","x":0}"#) == .foreignMember(at: "$.x"))
    }

    @Test(.proves("threat-49")) func whatWasCutOffIsRefused() throws {
        let text = try AppSample.store().serialized(sealing: AppSample.seal)
        let bytes = Array(text.utf8)
        for length in 0..<bytes.count {
            let prefix = rejection(String(decoding: bytes[..<length], as: UTF8.self))
            guard case .json = prefix else {
                Issue.record("\(length) bytes: \(String(describing: prefix))")
                continue
            }
        }
        let content = Array(try Self.content(AppSample.store().serialized(sealing: AppSample.clear)).utf8)
        for length in stride(from: 0, to: content.count, by: 5) {
            let prefix = Self.enveloped(String(decoding: content[..<length], as: UTF8.self))
            #expect(rejection(prefix, opening: AppSample.clear) != nil)
        }
        #expect(rejection(text + "x") == .json(.trailingContent(offset: bytes.count)))
    }

    @Test(.proves("threat-49")) func whatWasChangedIsRefused() throws {
        let text = try AppSample.store().serialized(sealing: AppSample.seal)
        var bytes = Array(text.utf8)
        bytes[100] = bytes[100] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(rejection(String(decoding: bytes, as: UTF8.self)) == .brokenSeal)
        #expect(rejection(text, opening: Seal(seal: { $0 }, open: { _ in nil })) == .brokenSeal)
        #expect(rejection(#"{"eduid":1,"sealed":"AB"}"#) == .brokenSeal, "stray bits")
    }

    @Test(.proves("threat-49")) func changedBytesNeverTrap() throws {
        let seed: UInt64 = 0xda7a
        var entropy = SeededGenerator(seed: seed)
        let content = Array(try Self.content(AppSample.store().serialized(sealing: AppSample.clear)).utf8)
        for round in 0..<400 {
            var bytes = content
            for _ in 0...Int.random(in: 0..<4, using: &entropy) {
                let place = Int.random(in: 0..<bytes.count, using: &entropy)
                switch Int.random(in: 0..<3, using: &entropy) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &entropy)
                case 1: bytes.remove(at: place)
                default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &entropy)], at: place)
                }
            }
            let text = #"{"eduid":1,"sealed":""# + Base64URL.encode(bytes) + #""}"#
            guard let store = try? AuthorizingApp.Store(parsing: text, opening: AppSample.clear) else { continue }
            let again = try AuthorizingApp.Store(
                parsing: store.serialized(sealing: AppSample.seal), opening: AppSample.seal)
            #expect(again == store, "seed \(seed), round \(round)")
        }
    }

    @Test(.proves("DAT-2")) func everyRowIsCheckedAsIfItCameFromAStranger() throws {
        let setting = #"{"cfg_name":"a","cfg_value":"1"}"#
        #expect(forged("\"EduidConfiguration\":[\(setting)]") == nil)
        #expect(
            forged("\"EduidConfiguration\":[\(setting),\(setting)]")
                == .repeatedKey(at: "$.EduidConfiguration[1]"))
        #expect(
            forged(#""EduidConfiguration":[{"cfg_name":"","cfg_value":"1"}]"#)
                == .field(at: "$.EduidConfiguration[0].cfg_name", .syntax(.empty(.identifier))))
        #expect(
            forged(#""EduidConfiguration":[{"cfg_name":"a"}]"#)
                == .json(.missing(at: "$.EduidConfiguration[0].cfg_value")))
        #expect(
            forged(#""EduidConfiguration":[{"cfg_name":"a","cfg_value":"1","x":0}]"#)
                == .foreignMember(at: "$.EduidConfiguration[0].x"))
        #expect(
            forged(#""EduidConfiguration":{}"#)
                == .json(.mismatch(at: "$.EduidConfiguration", expected: .array, found: .object)))
        #expect(forged(#""Others":[]"#) == .foreignMember(at: "$.Others"))
        #expect(
            forged(#""Tokens":[{"subject":"s","target":"t","type":"y","token":""}]"#)
                == .field(at: "$.Tokens[0].token", .syntax(.empty(.secret("stored token")))))
        #expect(
            forged(#""Tokens":[{"subject":"s","target":"t","type":"\u0000","token":"t"}]"#)
                == .field(at: "$.Tokens[0].type", .syntax(.foreignCharacter(.identifier, offset: 0))))
        let unknown = try AppSample.url("https://a.ch")
        #expect(
            forged(#""Protocols":[{"baseurl":"https://a.ch","protocol_id":"p"}]"#)
                == .unknownService(unknown))
        #expect(
            forged(#""Protocols":[{"baseurl":"https://a.ch","protocol_id":""}]"#)
                == .field(at: "$.Protocols[0].protocol_id", .syntax(.empty(.identifier))))
        let known =
            #""UserServices":[{"baseurl":"https://a.ch/","name":"A","rsd":"{\"engineLink\":\"https://a.ch\",\"apis\":{}}"}],"#
        #expect(
            forged(known + #""Protocols":[{"baseurl":"https://a.ch","protocol_id":"p\np"}]"#)
                == .repeatedProtocol(try ProtocolName(parsing: "p")))
    }

    @Test(.proves("DAT-3")) func everyServiceIsCheckedAsIfItCameFromAStranger() throws {
        func service(_ baseURL: String, _ document: String, _ rest: String = "") -> Rejection? {
            let document = document.replacing("\"", with: "\\\"")
            return forged(
                "\"UserServices\":[{\"baseurl\":\"\(baseURL)\",\"name\":\"A\",\"rsd\":\"\(document)\"\(rest)}]")
        }
        let document = #"{"homePageLink":"https://a.ch","engineLink":"","apis":{}}"#
        #expect(service("https://a.ch/", document) == nil)
        #expect(
            service(
                "https://a.ch/", document, #","token":"t","token_target":"https://a.ch/o"}"#.replacing("}", with: ""))
                == nil)
        #expect(service("javascript:1", document) == .field(at: "$.UserServices[0].baseurl", .url(.foreignScheme)))
        let rsd: JSON.Path = "$.UserServices[0].rsd"
        #expect(
            service("https://b.ch/", document)
                == .otherService(
                    expected: try AppSample.url("https://b.ch"), found: try AppSample.url("https://a.ch")))
        #expect(service("https://a.ch/", #"{"engineLink":"","apis":{}}"#) == .field(at: rsd, .nameless))
        #expect(
            service("https://a.ch/", "{")
                == .field(at: rsd, .document(.json(.unexpectedEnd(offset: 1, expected: .name))))
        )
        #expect(
            service("https://a.ch/", document, #","token_target":"http://a.ch/o""#)
                == .unencrypted(try WebURL(parsing: "http://a.ch/o")))
    }

    @Test(.proves("threat-14")) func boundsHoldForWhatIsReadToo() throws {
        let text = try AppSample.store().serialized(sealing: AppSample.seal)
        #expect(
            rejection(text, limits: AuthorizingApp.Store.Limits(rows: 2, field: 1_000, bytes: 10_000))
                == .tooManyRows(limit: 2))
        #expect(
            rejection(text, limits: AuthorizingApp.Store.Limits(rows: 9, field: 1_000, bytes: 30))
                == .storeFull(limit: 30))
        let long = Self.enveloped(String(repeating: " ", count: 200_000))
        #expect(
            rejection(long, limits: AuthorizingApp.Store.Limits(rows: 1, field: 10, bytes: 10))
                == .json(.tooLarge(size: long.utf8.count, limit: 67_664)))
        #expect(
            AuthorizingApp.Store.Limits(rows: .max, field: .min, bytes: .max)
                == AuthorizingApp.Store.Limits(rows: 1 << 30, field: 0, bytes: 1 << 30))
    }
}
