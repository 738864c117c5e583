import Federation
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import Wire

@Suite("S3: the data model")
struct ContentsTests {
    @Test(.proves("DAT-2"), .proves("threat-17")) func keysAreComparedByteByByte() throws {
        let store = try AppSample.store()
        #expect(store.contents.settings[try AppSample.name("caf\u{e9}")] == "composed")
        #expect(store.contents.settings[try AppSample.name("cafe\u{301}")] == "decomposed")
        #expect(store.contents.settings.count == 3)
        let keys =
            try ["\u{e9}", "e\u{301}"].map { try AppSample.key(subject: $0) }
            + ["\u{e9}", "e\u{301}"].map { try AppSample.key(target: $0) }
            + ["\u{e9}", "e\u{301}", "access"].map { try AppSample.key(type: $0) }
        #expect(Set(keys).count == 7)
    }

    @Test(.proves("threat-17")) func storesAreEqualWhenTheirBytesAre() throws {
        let name = try AppSample.name("a")
        let stores = try ["\u{e9}", "e\u{301}"].map { value in
            var store = AuthorizingApp.Store()
            try store.change { $0.settings[name] = value }
            return store
        }
        #expect(stores[0] != stores[1])
        let services = try ["\u{e9}", "e\u{301}"].map { try AppSample.service(AppSample.alpha, named: $0) }
        let candidates = services.map {
            AuthorizingApp.Candidate($0.url, named: $0.name, isUsed: false)
        }
        #expect(candidates[0] != candidates[1])
    }

    @Test(.proves("DAT-2")) func aKeyHasOneRow() throws {
        var store = try AppSample.store()
        let (language, key) = (try AppSample.name("language"), try AppSample.key(subject: "instance-7"))
        let (beta, names) = (try AppSample.url("HTTPS://beta.example.ch:443/"), try AppSample.names(AppSample.reading))
        let token = try AppSample.token("other")
        try store.change { contents in
            contents.settings[language] = "de"
            contents.tokens[key] = token
            contents.protocols[beta] = names
        }
        #expect(store.contents.settings[language] == "de")
        #expect(store.contents.settings.count == 3)
        #expect(store.contents.tokens.count == 2)
        #expect(store.contents.protocols.count == 1)
        #expect(store.contents.protocols[try AppSample.url(AppSample.beta)]?.map(\.text) == [AppSample.reading])
    }

    @Test(.proves("DAT-2")) func requestedProtocolsBelongToAKnownService() throws {
        var store = try AppSample.store()
        let before = store
        let (gamma, beta) = (try AppSample.url(AppSample.gamma), try AppSample.url(AppSample.beta))
        let twice = try AppSample.names(AppSample.reading, AppSample.writing, AppSample.reading)
        #expect(throws: Rejection.unknownService(gamma)) {
            try store.change { $0.protocols[gamma] = [twice[0]] }
        }
        #expect(throws: Rejection.nothingRequested) {
            try store.change { $0.protocols[beta] = [] }
        }
        #expect(throws: Rejection.repeatedProtocol(twice[0])) {
            try store.change { $0.protocols[beta] = twice }
        }
        #expect(throws: Rejection.unknownService(beta)) {
            try store.change { $0.services[beta] = nil }
        }
        #expect(store == before)
    }

    // MARK: the description as it was delivered

    @Test(.proves("DAT-3")) func theDescriptionKeepsEveryByte() throws {
        let text = AppSample.text(AppSample.alpha)
        let service = try AuthorizingApp.Store.Service(parsing: text)
        #expect(Array(service.text.utf8) == Array(text.utf8))
        #expect(service.description.extensions.members["x-\u{e9}"] != nil)
        #expect(
            Array(service.description.encoded()) != Array(text.utf8),
            "the sample is not in the form that the model writes")
        var store = AuthorizingApp.Store()
        try store.change { $0.cache([service]) }
        let restored = try AuthorizingApp.Store(
            parsing: store.serialized(sealing: AppSample.seal), opening: AppSample.seal)
        #expect(restored.contents.services.values.map { Array($0.text.utf8) } == [Array(text.utf8)])
    }

    @Test(.proves("DAT-3"), .proves("DSC-2"), .proves("DSC-4")) func anAnswerGivesEachServiceOnceInWhateverOrder()
        throws
    {
        let texts = [
            AppSample.text(AppSample.beta), AppSample.text(AppSample.alpha, named: "B"),
            AppSample.text(AppSample.alpha, named: "A"),
            #"{"engineLink":"","apis":{}}"#, "17",
        ]
        let answer = try AuthorizingApp.DiscoveryAnswer(parsing: "[\(texts.joined(separator: " , "))]")
        #expect(answer.services.map(\.text) == [texts[2], texts[0]])
        #expect(answer.dropped.map(\.position) == [3, 4])
        #expect(answer.dropped[0].reason == .nameless)
        let reversed = try AuthorizingApp.DiscoveryAnswer(parsing: "[\(texts.reversed().joined(separator: ","))]")
        #expect(reversed.services.map(\.text) == answer.services.map(\.text))
        #expect(try AuthorizingApp.DiscoveryAnswer(parsing: "[]").services.isEmpty)
        // What apps could not use.
        let notes = String(repeating: "x", count: ServiceDescription.lengthLimit)
        let long = #"{"engineLink":"","homePageLink":"https://long.example.ch","apis":{},"notes":"\#(notes)"}"#
        let other = try AuthorizingApp.DiscoveryAnswer(parsing: "[\(long),\(texts[0])]")
        #expect(other.services.map(\.text) == [texts[0]] && other.dropped.map(\.position) == [0])
        #expect(throws: JSON.Rejection.mismatch(at: "$", expected: .array, found: .object)) {
            try AuthorizingApp.DiscoveryAnswer(parsing: "{}")
        }
    }

    @Test(.proves("DAT-3")) func theTokenIsForTheOAuth2Endpoint() throws {
        let service = try AppSample.service(AppSample.alpha)
        #expect(service.tokenTarget?.text == "https://alpha.example.ch/oauth/")
        #expect(service.name == "alpha.example.ch")
        var store = AuthorizingApp.Store()
        try store.change { $0.cache([service]) }
        let open = try WebURL(parsing: "http://alpha.example.ch/token")
        #expect(throws: Rejection.unencrypted(open)) {
            try store.change { $0.services[service.url]?.tokenTarget = open }
        }
        let without = try AuthorizingApp.Store.Service(parsing: AppSample.text(AppSample.alpha, oauth2: nil))
        #expect(without.tokenTarget == nil)
    }

    @Test(.proves("threat-27")) func aTokenStaysOnlyWhileItsEndpointDoes() throws {
        var store = try AppSample.store()
        let alpha = try AppSample.url(AppSample.alpha)
        let renamed = try AppSample.service(AppSample.alpha, named: "Renamed")
        try store.change { $0.cache([renamed]) }
        #expect(store.contents.services[alpha]?.name == "Renamed")
        #expect(store.contents.services[alpha]?.token?.secret == "secret-service")
        let evil = try AuthorizingApp.Store.Service(
            parsing: AppSample.text(AppSample.alpha, oauth2: "https://evil.example/"))
        try store.change { $0.cache([evil]) }
        #expect(store.contents.services[alpha]?.token == nil)
        #expect(store.contents.services[alpha]?.tokenTarget?.text == "https://evil.example/")
    }

    // MARK: bounds

    @Test(.proves("threat-14")) func rowsAndFieldsAndBytesAreBounded() throws {
        var store = AuthorizingApp.Store(limits: AuthorizingApp.Store.Limits(rows: 2, field: 10, bytes: 16))
        let names = try ["a", "b", "c"].map { try AppSample.name($0) }
        func put(_ place: Int, _ value: String?) throws { try store.change { $0.settings[names[place]] = value } }
        try put(0, "0123456789")
        #expect(throws: Rejection.fieldTooLong(length: 11, limit: 10)) {
            try put(0, "01234567890")
        }
        #expect(throws: Rejection.storeFull(limit: 16)) { try put(1, "01234") }
        try put(1, "0123")
        #expect(throws: Rejection.tooManyRows(limit: 2)) { try put(2, "") }
        #expect(names.map { store.contents.settings[$0] } == ["0123456789", "0123", nil])
        // What is replaced or removed gives its room back.
        try put(0, "1")
        try put(1, "0123456789")
        try put(1, nil)
        try put(2, "0123456789")
    }

    @Test(.proves("threat-14")) func whatIsCachedIsCachedWhollyOrNotAtAll() throws {
        let services = try [AppSample.alpha, AppSample.beta, AppSample.gamma].map { try AppSample.service($0) }
        var store = AuthorizingApp.Store(limits: AuthorizingApp.Store.Limits(rows: 2, field: 1_000, bytes: 10_000))
        #expect(throws: Rejection.tooManyRows(limit: 2)) {
            try store.change { $0.cache(services) }
        }
        #expect(store.contents.services.count == 0)
        try store.change { $0.cache(Array(services.dropFirst())) }
        #expect(store.contents.services.count == 2)
    }

    @Test(.proves("UX-5")) func logoutForgetsTheUserAndKeepsTheInstance() throws {
        var store = try AppSample.store()
        try store.change { $0.unlink(keepingTokensOf: "instance-7") }
        #expect(store.contents.tokens.values.map(\.secret) == ["secret-instance"])
        #expect(store.contents.services.count == 0)
        #expect(store.contents.protocols.count == 0)
        #expect(store.contents.settings.count == 3)
    }

    @Test(.proves("threat-22")) func nothingSecretIsShown() throws {
        let store = try AppSample.store()
        var texts = ["\(store)", String(reflecting: store)]
        for token in store.contents.tokens.values { texts += ["\(token)", String(reflecting: token)] }
        for service in store.contents.services.values { texts += ["\(service)", String(reflecting: service)] }
        dump(store, to: &texts[0])
        dump(store.contents, to: &texts[0])
        for text in texts { #expect(!text.contains("secret-"), "\(text)") }
        let careless =
            #"{"homePageLink":"https://a.ch","engineLink":"","apis":{},"authorization":{"access_token":"secret-public"}}"#
        let discovered = try AuthorizingApp.Store.Service(parsing: careless)
        #expect(["\(discovered)", String(reflecting: discovered)] == ["a.ch <https://a.ch/>", "a.ch <https://a.ch/>"])
        var dumped = ""
        dump(discovered, to: &dumped)
        #expect(!dumped.contains("secret-"))
    }

    @Test func everyRejectionNamesItsClause() throws {
        let service = try AppSample.url(AppSample.alpha)
        let rejections: [(Rejection, String)] = [
            (.fieldTooLong(length: 2, limit: 1), "threat-14"), (.tooManyRows(limit: 1), "threat-14"),
            (.storeFull(limit: 1), "threat-14"), (.notShared("app"), "DAT-1"), (.unknownService(service), "DAT-2"),
            (.nothingRequested, "DAT-2"), (.repeatedProtocol("p"), "DAT-2"), (.nameless, "DAT-3"),
            (.otherService(expected: service, found: service), "DAT-3"), (.unencrypted(service.url), "threat-40"),
            (.syntax(.empty(.identifier)), "threat-10"), (.syntax(.empty(.secret("stored token"))), "RFC6749-A"),
            (.unknownVersion("2"), "threat-49"), (.brokenSeal, "threat-49"),
            (.otherStore(expected: AuthorizingApp.Store.Place.app.rawValue), "DAT-1"),
            (.foreignMember(at: "$.Tokens"), "DAT-1"), (.repeatedKey(at: "$.Tokens[1]"), "DAT-2"),
        ]
        for (rejection, clause) in rejections {
            #expect(rejection.clause == clause)
            #expect("\(rejection)".hasSuffix("(\(clause))"))
            let inField = Rejection.field(at: "$.Tokens[3]", rejection)
            #expect(inField.clause == clause)
            #expect(inField.text == "$.Tokens[3]: \(rejection.text)")
        }
    }
}
