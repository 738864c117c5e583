import Federation
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import Wire

@Suite("S3: the data model")
struct RelationTests {
    @Test(.proves("DAT-2"), .proves("threat-17")) func keysAreComparedByteByByte() throws {
        let store = try AppSample.store()
        #expect(store.configuration[try Setting.Name(parsing: "caf\u{e9}")]?.value == "composed")
        #expect(store.configuration[try Setting.Name(parsing: "cafe\u{301}")]?.value == "decomposed")
        #expect(store.configuration.count == 3)
        var tokens = GroupStore()
        for subject in ["\u{e9}", "e\u{301}"] { try tokens.put(AppSample.token("s", subject: subject)) }
        for target in ["\u{e9}", "e\u{301}"] { try tokens.put(AppSample.token("s", target: target)) }
        for type in ["\u{e9}", "e\u{301}", "access"] { try tokens.put(AppSample.token("s", type: type)) }
        #expect(tokens.tokens.count == 7)
    }

    @Test(.proves("threat-17")) func rowsAreEqualWhenTheirBytesAre() throws {
        #expect(try AppSample.setting("a", "\u{e9}") != AppSample.setting("a", "e\u{301}"))
        let services = try ["\u{e9}", "e\u{301}"].map { UserService(try AppSample.service(AppSample.alpha, named: $0)) }
        #expect(services[0] != services[1])
        let candidates = services.map { Candidate($0.baseURL, named: $0.name, isUsed: false, isPreselected: false) }
        #expect(candidates[0] != candidates[1])
    }

    @Test(.proves("DAT-2")) func aKeyHasOneRow() throws {
        var store = try AppSample.store()
        try store.put(AppSample.setting("language", "de"))
        #expect(store.configuration[try Setting.Name(parsing: "language")]?.value == "de")
        #expect(store.configuration.count == 3)
        try store.put(AppSample.token("other", subject: "instance-7"))
        #expect(store.tokens.count == 2)
        try store.put(
            RequestedProtocols(AppSample.names(AppSample.reading), of: AppSample.url("HTTPS://beta.example.ch:443/")))
        #expect(store.protocols.count == 1)
        #expect(store.protocols[try AppSample.url(AppSample.beta)]?.names.map(\.text) == [AppSample.reading])
    }

    @Test(.proves("DAT-2")) func rowsComeInTheOrderOfTheirKeys() throws {
        let store = try AppSample.store()
        #expect(store.configuration.rows.map(\.name.text) == ["cafe\u{301}", "caf\u{e9}", "language"])
        #expect(store.tokens.rows.map(\.key.subject.text) == ["instance-7", "user-1"])
        #expect(
            store.userServices.rows.map(\.baseURL.identity) == [
                "https://alpha.example.ch/", "https://beta.example.ch/",
            ])
    }

    @Test(.proves("DAT-2")) func requestedProtocolsBelongToAKnownService() throws {
        var store = try AppSample.store()
        let before = store
        let gamma = try AppSample.url(AppSample.gamma)
        let row = try RequestedProtocols(AppSample.names(AppSample.reading), of: gamma)
        #expect(throws: RowRejection.unknownService(gamma)) { try store.put(row) }
        #expect(store == before)
        #expect(throws: RowRejection.nothingRequested) { try RequestedProtocols([], of: gamma) }
        let twice = try AppSample.names(AppSample.reading, AppSample.writing, AppSample.reading)
        #expect(throws: RowRejection.repeatedProtocol(twice[0])) { try RequestedProtocols(twice, of: gamma) }
        let removals = [store.remove(try AppSample.url(AppSample.beta)), store.remove(gamma)]
        #expect(removals == [true, false])
        #expect(store.protocols.count == 0)
    }

    // MARK: the description as it was delivered

    @Test(.proves("DAT-3")) func theDescriptionKeepsEveryByte() throws {
        let text = AppSample.text(AppSample.alpha)
        let service = UserService(try DiscoveredService(parsing: text))
        #expect(Array(service.discovered.text.utf8) == Array(text.utf8))
        #expect(service.discovered.description.extensions.members["x-\u{e9}"] != nil)
        #expect(
            Array(service.discovered.description.encoded()) != Array(text.utf8),
            "the sample is not in the form that the model writes")
        var store = GroupStore()
        try store.put(service)
        let restored = try GroupStore(parsing: store.serialized(sealing: AppSample.seal), opening: AppSample.seal)
        #expect(restored.userServices.rows.map { Array($0.discovered.text.utf8) } == [Array(text.utf8)])
    }

    @Test(.proves("DAT-3"), .proves("DSC-2"), .proves("DSC-4")) func anAnswerGivesEachServiceOnceInWhateverOrder()
        throws
    {
        let texts = [
            AppSample.text(AppSample.beta), AppSample.text(AppSample.alpha, named: "B"),
            AppSample.text(AppSample.alpha, named: "A"),
            #"{"engineLink":"","apis":{}}"#, "17",
        ]
        let answer = try DiscoveryAnswer(parsing: "[\(texts.joined(separator: " , "))]")
        #expect(answer.services.map(\.text) == [texts[2], texts[0]])
        #expect(answer.flaws.map(\.position) == [3, 4])
        #expect(answer.flaws[0].rejection == .nameless)
        let reversed = try DiscoveryAnswer(parsing: "[\(texts.reversed().joined(separator: ","))]")
        #expect(reversed.services == answer.services)
        #expect(try DiscoveryAnswer(parsing: "[]").services.isEmpty)
        #expect(throws: JSON.Rejection.mismatch(at: "$", expected: .array, found: .object)) {
            try DiscoveryAnswer(parsing: "{}")
        }
    }

    @Test(.proves("DAT-3")) func theTokenIsForTheOAuth2Endpoint() throws {
        let service = UserService(try AppSample.service(AppSample.alpha))
        #expect(service.tokenTarget?.text == "https://alpha.example.ch/oauth/")
        #expect(service.name == "alpha.example.ch")
        let endpoint = try WebURL(parsing: "https://alpha.example.ch/oauth/token")
        #expect(try service.holding(TokenText(parsing: "t"), from: endpoint).tokenTarget == endpoint)
        let open = try WebURL(parsing: "http://alpha.example.ch/token")
        #expect(throws: RowRejection.unencrypted(open)) { try service.holding(nil, from: open) }
        let without = try DiscoveredService(parsing: AppSample.text(AppSample.alpha, oauth2: nil))
        #expect(UserService(without).tokenTarget == nil)
    }

    @Test(.proves("threat-27")) func aTokenStaysOnlyWhileItsEndpointDoes() throws {
        var store = try AppSample.store()
        let alpha = try AppSample.url(AppSample.alpha)
        try store.cache([AppSample.service(AppSample.alpha, named: "Renamed")])
        #expect(store.userServices[alpha]?.name == "Renamed")
        #expect(store.userServices[alpha]?.token?.secret == "secret-service")
        try store.cache([DiscoveredService(parsing: AppSample.text(AppSample.alpha, oauth2: "https://evil.example/"))])
        #expect(store.userServices[alpha]?.token == nil)
        #expect(store.userServices[alpha]?.tokenTarget?.text == "https://evil.example/")
    }

    // MARK: bounds

    @Test(.proves("threat-14")) func rowsAndFieldsAndBytesAreBounded() throws {
        var store = GroupStore(limits: StoreLimits(rows: 2, field: 10, bytes: 16))
        try store.put(AppSample.setting("a", "0123456789"))
        #expect(throws: RowRejection.fieldTooLong(length: 11, limit: 10)) {
            try store.put(AppSample.setting("a", "01234567890"))
        }
        #expect(throws: RowRejection.storeFull(limit: 16)) { try store.put(AppSample.setting("b", "01234")) }
        try store.put(AppSample.setting("b", "0123"))
        #expect(throws: RowRejection.tooManyRows(limit: 2)) { try store.put(AppSample.setting("c", "")) }
        #expect(store.configuration.rows.map(\.value) == ["0123456789", "0123"])
        // What is replaced or removed gives its room back.
        try store.put(AppSample.setting("a", "1"))
        try store.put(AppSample.setting("b", "0123456789"))
        let name = try Setting.Name(parsing: "b")
        let removals = [store.remove(name), store.remove(name)]
        #expect(removals == [true, false])
        try store.put(AppSample.setting("c", "0123456789"))
    }

    @Test(.proves("threat-14")) func whatIsCachedIsCachedWhollyOrNotAtAll() throws {
        let services = try [AppSample.alpha, AppSample.beta, AppSample.gamma].map { try AppSample.service($0) }
        var store = GroupStore(limits: StoreLimits(rows: 2, field: 1_000, bytes: 10_000))
        #expect(throws: RowRejection.tooManyRows(limit: 2)) { try store.cache(services) }
        #expect(store.userServices.count == 0)
        try store.cache(Array(services.dropFirst()))
        #expect(store.userServices.count == 2)
    }

    @Test(.proves("UX-5")) func logoutForgetsTheUserAndKeepsTheInstance() throws {
        var store = try AppSample.store()
        store.unlink(keepingTokensOf: try StoredToken.Subject(parsing: "instance-7"))
        #expect(store.tokens.rows.map(\.token.secret) == ["secret-instance"])
        #expect(store.userServices.count == 0)
        #expect(store.protocols.count == 0)
        #expect(store.configuration.count == 3)
    }

    @Test(.proves("threat-22")) func nothingSecretIsShown() throws {
        let store = try AppSample.store()
        var texts = ["\(store)", String(reflecting: store)]
        for token in store.tokens.rows { texts += ["\(token)", String(reflecting: token)] }
        for service in store.userServices.rows { texts += ["\(service)", String(reflecting: service)] }
        dump(store, to: &texts[0])
        for row in store.tokens.rows { dump(row, to: &texts[0]) }
        for row in store.userServices.rows { dump(row, to: &texts[0]) }
        for text in texts { #expect(!text.contains("secret-"), "\(text)") }
        let careless =
            #"{"homePageLink":"https://a.ch","engineLink":"","apis":{},"authorization":{"access_token":"secret-public"}}"#
        let discovered = try DiscoveredService(parsing: careless)
        #expect(["\(discovered)", String(reflecting: discovered)] == ["a.ch <https://a.ch/>", "a.ch <https://a.ch/>"])
        var dumped = ""
        dump(UserService(discovered), to: &dumped)
        dump(discovered, to: &dumped)
        #expect(!dumped.contains("secret-"))
        #expect("\(store.tokens.rows[0])" == "access of instance-7 for https://eduid.example.ch (redacted)")
    }

    @Test func everyRejectionNamesItsClause() throws {
        let service = try AppSample.url(AppSample.alpha)
        let rejections: [(RowRejection, String)] = [
            (.fieldTooLong(length: 2, limit: 1), "threat-14"), (.tooManyRows(limit: 1), "threat-14"),
            (.storeFull(limit: 1), "threat-14"),
            (.repeatedKey, "DAT-2"), (.unknownService(service), "DAT-2"), (.nothingRequested, "DAT-2"),
            (.repeatedProtocol(try ProtocolName(parsing: "p")), "DAT-2"), (.nameless, "DAT-3"),
            (.otherService(expected: service, found: service), "DAT-3"), (.unencrypted(service.url), "threat-40"),
            (.name(.empty(.identifier)), "threat-10"), (.secret(.empty("stored token")), "RFC6749-A"),
        ]
        for (rejection, clause) in rejections {
            #expect(rejection.clause == clause)
            #expect("\(rejection)".hasSuffix("(\(clause))"))
            #expect(StoreRejection.row(at: "$.Tokens[3]", rejection).clause == clause)
            #expect("\(StoreRejection.row(at: "$.Tokens[3]", rejection))" == "$.Tokens[3]: \(rejection)")
        }
        let whole: [(StoreRejection, String)] = [
            (.unknownVersion("2"), "threat-49"), (.brokenSeal, "threat-49"), (.otherStore(expected: "app"), "DAT-1"),
            (.foreignMember(at: "$.Tokens"), "DAT-1"),
        ]
        for (rejection, clause) in whole {
            #expect(rejection.clause == clause)
            #expect("\(rejection)".hasSuffix("(\(clause))"))
        }
    }
}
