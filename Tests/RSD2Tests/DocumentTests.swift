import TestSupport
import Testing
import Wire

@testable import RSD2

@Suite("RSD2: documents and their bindings", .proves("RSD-2"))
struct DocumentTests {
    private func reading(_ text: String, _ binding: ServiceDescription.Binding) throws(ServiceDescription.Rejection)
        -> ServiceDescription.Reading
    {
        try ServiceDescription.reading(Array(text.utf8), as: binding)
    }

    private func rejection(_ text: String, _ binding: ServiceDescription.Binding = .json) -> String? {
        do throws(ServiceDescription.Rejection) { _ = try reading(text, binding) } catch { return error.description }
        return nil
    }

    @Test func whatProducersSendIsReadAndReported() throws {
        let reading = try ServiceDescription.reading(Repository.fixture("rsd2/moodle.json"), as: .json)
        let service = reading.description
        #expect(service.engineID == "3")
        #expect(service.homePageLink == "https://moodle.example.ch/")
        #expect(service.apis.map(\.name.text) == ["org.moodle.mobile", "org.ietf.oauth2", "org.ietf.oauth2.token"])
        #expect(service.apis[0].isPreferred && service.apis[0].link == nil && service.apis[0].transports == [.rest])
        #expect(service.apis[1].effectiveTransports == [.webForm])
        #expect(service.extensions.members["generator"] == "local_eduid")
        #expect(service.apis[1].extensions.members["x-rate"]?["limit"] == 10)
        let rules: [Rule] = [
            .textAsNumber, .linkTrimmed, .listAsText, .booleanAsText, .emptyObjectAsArray, .apiLinkRequired,
            .nullMember,
        ]
        #expect(reading.deviations.map(\.rule) == rules)
        #expect(reading.deviations.allSatisfy { !$0.isError })
        #expect(reading.deviations[1].path == "$.homePageLink")
    }

    @Test(arguments: ServiceDescription.Binding.allCases) func theStrictFormHasNothingToReport(
        binding: ServiceDescription.Binding
    ) throws {
        var service = try ServiceDescription(parsing: Repository.fixture("rsd2/moodle.json"))
        service[try protocolName("org.moodle.mobile")]?.link = "webservice/rest"
        let again = try ServiceDescription.reading(service.encoded(as: binding), as: binding)
        #expect(again.deviations.isEmpty)
    }

    @Test func hierarchicalXMLIsRead() throws {
        let service = try ServiceDescription.reading(Repository.fixture("rsd2/hierarchical.xml"), as: .xml).description
        let api = service.apis[0]
        #expect(service.engineName == "Example & Sons" && service.engineID == "42" && service.engineLink == "service/")
        #expect(service.homePageLink == "https://www.example.ch")
        #expect(api.versions == ["2.0", "2.1"] && api.transports == [.rest, .webForm] && api.isPreferred)
        #expect(api.settings == ["grant": "code"])
        #expect(api.extensions.members == ["region": "CH"])
        #expect(api.extensions.elements.map(\.name) == [XML.Name(local: "shape", namespace: "urn:example:other")])
        let written = try ServiceDescription.reading(service.encoded(as: .xml), as: .xml).description
        #expect(written == service)
        #expect(written.apis[0].extensions.elements[0].attribute("sides") == "3")
        #expect(written.apis[0].extensions.elements[0].elements.count == 1)
    }

    @Test func rsd1StaysValid() throws {
        let reading = try ServiceDescription.reading(Repository.fixture("rsd2/legacy.xml"), as: .xml)
        let (first, second) = (reading.description.apis[0], reading.description.apis[1])
        #expect(
            first.engineID == "7" && first.docs == "http://www.example.org/docs" && first.notes == "Needs an account.")
        #expect(first.settings == ["service-specific": "value"] && first.isPreferred)
        #expect(second.engineID == "8" && !second.isPreferred)
        #expect(reading.deviations.map(\.rule) == [.legacyVersion, .legacyName, .legacyName])
    }

    @Test func conversionLosesNothingThatTheModelKnows() throws {
        var service = ServiceDescription(engineLink: "e/", homePageLink: "https://a.ch/?é")
        (service.engineName, service.engineID, service.homePageIcon) = ("<N> & \"ö\"", "0123", "https://a.ch/i.png")
        var api = ServiceDescription.API(try protocolName("p.q"), link: "x/")
        (api.versions, api.engineID, api.isPreferred, api.transports) = (["no", "2.0"], "é", true, [.soap, .jsonRPC])
        (api.docs, api.description, api.notes) = ("https://d", "https://w", "two\nlines\ttab ]]> \u{1F600}")
        api.settings = ["a b": "1", "é": " x ", "": ""]
        var token = ServiceDescription.Authorization(accessToken: "t1")
        (token.refreshToken, token.tokenType, token.expiresIn, token.scope) = ("r", "PoP", 3600, "a b")
        token.confirmation = ["jwk": ["kty": "OKP", "x": "y"]]
        api.authorization = token
        service.authorization = ServiceDescription.Authorization(accessToken: "t2")
        service[api.name] = api
        let expected = #"""
            {"engineName":"<N> & \"ö\"","engineId":"0123","engineLink":"e/","homePageLink":"https://a.ch/?é","homePageIcon":"https://a.ch/i.png",
            "apis":{"p.q":{"apiLink":"x/","apiVersion":["no","2.0"],"engineId":"é","preferred":true,"transport":["SOAP","JSON-RPC"],
            "docs":"https://d","description":"https://w","notes":"two\nlines\ttab ]]> \ud83d\ude00","settings":{"a b":"1","é":" x ","":""},
            "authorization":{"access_token":"t1","refresh_token":"r","token_type":"PoP","expires_in":3600,"scope":"a b",
            "cnf":{"jwk":{"kty":"OKP","x":"y"}}}}},"authorization":{"access_token":"t2"}}
            """#
        #expect(try JSON.object(service.json) == JSON(parsing: expected))
        for first in ServiceDescription.Binding.allCases {
            for second in ServiceDescription.Binding.allCases {
                let once = try ServiceDescription.reading(service.encoded(as: first), as: first).description
                let twice = try ServiceDescription.reading(once.encoded(as: second), as: second).description
                #expect(twice == service, "\(first) to \(second)")
            }
        }
    }

    @Test(.proves("threat-46")) func brokenDocumentsAreRefusedByName() {
        let cases: [(String, String)] = [
            ("{}", "$.apis is required (RSD-2)"),
            (#"{"apis":"x"}"#, "$.apis: expected an object, found string (RSD-2)"),
            (#"{"apis":["x"]}"#, "$.apis: expected an object, found array (RSD-2)"),
            (#"{"apis":{},"engineLink":1}"#, "$.engineLink: expected text, found number (RSD-2)"),
            (#"{"apis":{},"engineName":[]}"#, "$.engineName: expected text, found array (RSD-2)"),
            (#"{"apis":{"":{}}}"#, #"$.apis[""]: not a name (RSD-2)"#),
            (#"{"apis":{"a":{"preferred":"maybe"}}}"#, "$.apis.a.preferred: expected a boolean, found maybe (RSD-2)"),
            (
                #"{"apis":{"a":{"transport":[1.5,true]}}}"#,
                "$.apis.a.transport[1]: expected text, found boolean (RSD-2)"
            ),
            (#"{"apis":{"a":{"settings":"x"}}}"#, "$.apis.a.settings: expected an object, found string (RSD-2)"),
            (#"{"apis":{},"authorization":{"refresh_token":"x"}}"#, "$.authorization.access_token is required (RSD-2)"),
            (#"{"apis":{},"authorization":{"access_token":""}}"#, "$.authorization.access_token is required (RSD-2)"),
            (
                #"{"apis":{},"authorization":{"access_token":"x","expires_in":"1"}}"#,
                "$.authorization.expires_in: expected an integer, found string (RSD-2)"
            ),
            (#"{"apis":{"a":{},"\u0061":{}}}"#, "duplicate member name at byte 16 (RFC8259-4)"),
        ]
        for (text, expected) in cases { #expect(rejection(text) == expected, "\(text)") }
    }

    private func document(_ apis: String, version: String = "2.0", namespace: String = ServiceDescription.namespace)
        -> String
    {
        "<rsd version='\(version)' xmlns='\(namespace)'><service><engineLink/>\(apis)</service></rsd>"
    }

    @Test(.proves("threat-46")) func brokenXMLDocumentsAreRefusedByName() {
        let mixed = "$.apis[1]: attributes and elements are mixed (threat-46)"
        let cases: [(String, String)] = [
            (document("<apis><api name='a' apiLink='x'/><api name='b'><apiLink>y</apiLink></api></apis>"), mixed),
            (document("<apis><api name='a'><apiLink>y</apiLink></api><api name='b' preferred='true'/></apis>"), mixed),
            (
                document("<apis><api name='a' notes='x'><docs>y</docs></api></apis>"),
                "$.apis[0]: attributes and elements are mixed (threat-46)"
            ),
            (document("<apis><api name='a'/><api name='a'/></apis>"), "$.apis[1] occurs twice (threat-46)"),
            (document("<apis><api/></apis>"), "$.apis[0].name is required (RSD-2)"),
            (document("<apis/><apis/>"), "$: there must be one element apis (RSD-2)"),
            (document(""), "$.apis is required (RSD-2)"),
            (
                document(
                    "<apis><api name='a'><settings><setting name='s'/><setting name='s'/></settings></api></apis>"),
                "$.apis[0].settings.s occurs twice (threat-46)"
            ),
            (
                document("<apis/>", namespace: "urn:x"),
                "the root element is rsd version \"2.0\" of namespace \"urn:x\", not that of an RSD document (RSD-2)"
            ),
            (
                document("<apis/>", version: "3.0"),
                "the root element is rsd version \"3.0\" of namespace \"\(ServiceDescription.namespace)\", not that of an RSD document (RSD-2)"
            ),
        ]
        for (text, expected) in cases { #expect(rejection(text, .xml) == expected, "\(text)") }
        #expect(rejection(document("<apis><api name='a' apiLink='x'/><api name='b'/></apis>"), .xml) == nil)
        #expect(rejection("<rsd version='1.0'><service><apis/></service></rsd>", .xml) == nil)
    }

    @Test func anEmptyDescriptionMayBeAnEmptyArray() throws {
        #expect(try reading("[]", .json).deviations.map(\.rule) == [.emptyObjectAsArray])
        #expect(rejection("[1]") == "$: expected an object, found array (RSD-2)")
    }

    @Test(.proves("threat-43")) func everyBoundIsKept() {
        let limits = ServiceDescription.Limits(bytes: 60, depth: 4, members: 2, listed: 1)
        func rejection(_ text: String) -> ServiceDescription.Rejection? {
            do throws(ServiceDescription.Rejection) {
                _ = try ServiceDescription.reading(Array(text.utf8), as: .json, limits: limits)
            } catch { return error }
            return nil
        }
        #expect(rejection(#"{"apis":{"a":{},"b":{}}}"#) == nil)
        #expect(rejection(#"{"apis":{"a":{},"b":{},"c":{}}}"#) == .tooMany(path: "$.apis", limit: 2))
        #expect(rejection(#"{"apis":{"a":{"transport":["x","y"]}}}"#) == .tooMany(path: "$.apis.a.transport", limit: 1))
        #expect(rejection(#"{"apis":{},"x":[[[[]]]]}"#) == .json(.tooDeep(offset: 18, limit: 4)))
        #expect(rejection(#"{"apis":{}}"# + String(repeating: " ", count: 50)) == .json(.tooLarge(size: 61, limit: 60)))
    }

    @Test(.proves("threat-22")) func noTokenIsEverShown() throws {
        let text = #"{"apis":{},"authorization":{"access_token":"SECRET1","refresh_token":"SECRET2","kid":5}}"#
        let reading = try reading(text, .json)
        let shown =
            "\(reading) \(reading.deviations) \(String(reflecting: reading.description)) \(String(describing: reading.description.authorization))"
        #expect(!shown.contains("SECRET"))
        #expect(reading.description.authorization?.members["kid"] == "5")
        #expect(reading.deviations.map(\.rule) == [.authorizationPresent, .textAsNumber, .engineLinkRequired])
        #expect(
            rejection(#"{"apis":{},"authorization":{"access_token":"SECRET","scope":["SECRET"]}}"#)?.contains("SECRET")
                == false)
    }

    @Test func validationTellsWhatBecomesOfTheLinks() throws {
        let text =
            #"{"engineLink":"","apis":{"a":{"apiLink":"x"},"b":{"apiLink":"http://b.ch/"},"c":{"apiLink":"https://c.ch/"}}}"#
        let deviations = try ServiceDescription.validate(Array(text.utf8), as: .json).deviations
        #expect(deviations.map(\.rule) == [.linkUnusable, .linkInsecure, .oauth2Missing])
        #expect(deviations.map(\.isError) == [true, false, false])
        #expect(
            deviations[0].description.hasPrefix(#"error: $.apis["a"].apiLink: no endpoint can be built from the links"#)
        )
    }

    @Test func randomChangesNeverTrap() throws {
        let seed: UInt64 = 0x525344
        var generator = SeededGenerator(seed: seed)
        let service = try ServiceDescription(parsing: Repository.fixture("rsd2/moodle.json"))
        let samples = try ServiceDescription.Binding.allCases.map { ($0, try service.encoded(as: $0)) }
        let pieces = [
            "[]", "{}", "null", "\"", "apis", "engineLink", "apiLink=\"x\"", "<api name='a'/>", ":", ",", "true", "1",
            "\n  ", "- ",
        ]
        for round in 0..<2_000 {
            let (binding, sample) = samples[round % samples.count]
            let bytes = mutated(sample, with: pieces, using: &generator)
            guard let read = try? ServiceDescription.reading(bytes, as: binding).description else { continue }
            let again = try ServiceDescription(parsing: read.encoded())
            #expect(again == read, "seed \(seed), round \(round)")
        }
    }
}
