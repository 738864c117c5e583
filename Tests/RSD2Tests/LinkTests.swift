import TestSupport
import Testing
import Wire

@testable import RSD2

@Suite("RSD2: links", .proves("RSD-3"))
struct LinkTests {
    private func verdict(_ vector: JSON.Object) throws -> String {
        let name = try protocolName("org.example.p")
        var service = ServiceDescription(
            engineLink: vector["engineLink"]?.string ?? "", homePageLink: vector["homePageLink"]?.string)
        service[name] = ServiceDescription.API(name, link: vector["apiLink"]?.string)
        do throws(ServiceDescription.LinkRejection) {
            return try service.endpoint(for: name, path: vector["path"]?.string, encryption: .optional).text
        } catch {
            return error.description
        }
    }

    @Test(.proves("NAI-5"), .proves("threat-40"), .proves("threat-41")) func everyVectorHasItsVerdict() throws {
        for vector in try vectors("endpoints.jsonl") {
            #expect(try verdict(vector) == (vector["endpoint"] ?? vector["rejection"])?.string, "\(vector)")
        }
    }

    @Test(.proves("NAI-5")) func aProtocolOfItsOwnAnswersForAPath() throws {
        let service = try ServiceDescription(parsing: Repository.fixture("rsd2/moodle.json"))
        let oauth2 = try protocolName("org.ietf.oauth2")
        #expect(try service.endpoint(for: oauth2).text == "https://moodle.example.ch/auth/eduid")
        #expect(try service.endpoint(for: oauth2, path: "token").text == "https://login.example.ch/token")
        #expect(try service.endpoint(for: oauth2, path: "revoke").text == "https://moodle.example.ch/auth/eduid/revoke")
    }

    @Test(.proves("NAI-5")) func whatIsNotOfferedHasNoEndpoint() throws {
        let service = try ServiceDescription(parsing: Repository.fixture("rsd2/moodle.json"))
        let (mobile, other) = (try protocolName("org.moodle.mobile"), try protocolName("Org.moodle.mobile"))
        #expect(throws: ServiceDescription.LinkRejection.missing(.apiLink(mobile))) {
            try service.endpoint(for: mobile)
        }
        #expect(throws: ServiceDescription.LinkRejection.notOffered(other)) { try service.endpoint(for: other) }
    }

    @Test(.proves("threat-40")) func plainHTTPIsRefusedButOnThisMachine() throws {
        let name = try protocolName("p")
        func endpoint(_ link: String) throws -> String {
            var service = ServiceDescription()
            service[name] = ServiceDescription.API(name, link: link)
            return try service.endpoint(for: name).text
        }
        #expect(throws: ServiceDescription.LinkRejection.unencrypted(.apiLink(name))) {
            try endpoint("http://example.ch/")
        }
        #expect(try endpoint("http://localhost:8080/x") == "http://localhost:8080/x")
        #expect(try endpoint("http://127.0.0.1/x") == "http://127.0.0.1/x")
        #expect(throws: ServiceDescription.LinkRejection.unencrypted(.apiLink(name))) {
            try endpoint("http://localhost.example.ch/")
        }
    }

    @Test func servicesAreToldApartByTheirNormalForm() throws {
        let same = ["https://Example.ch", "HTTPS://example.CH:443/", "https://example.ch/"]
        #expect(Set(try same.map(serviceURL)).count == 1)
        #expect(try serviceURL("https://example.ch/a") == serviceURL("https://example.ch/a/"))
        for other in ["http://example.ch", "https://example.ch/A", "https://example.ch/a//", "https://example.ch:444"] {
            #expect(try serviceURL(other) != serviceURL("https://example.ch/a"))
        }
        #expect(
            try ServiceDescription(parsing: Repository.fixture("rsd2/moodle.json")).serviceURL
                == serviceURL("https://MOODLE.example.ch"))
    }

    @Test(.proves("threat-41")) func noPartEverLeavesItsBase() throws {
        let seed: UInt64 = 0x4C494E4B
        var generator = SeededGenerator(seed: seed)
        let base = try WebURL(parsing: "https://a.ch/b")
        let pieces = [
            "..", ".", "/", "%2e", "%2E", "%2f", "%5c", "\\", "//", ":", "x", "%25", "25", ";", "@", "?", "#", "http:",
            " ", "\t", "a.ch",
        ]
        let name = try protocolName("p")
        var accepted = 0
        for round in 0..<20_000 {
            let part = (0..<Int.random(in: 1...6, using: &generator)).compactMap { _ in
                pieces.randomElement(using: &generator)
            }.joined()
            var service = ServiceDescription(engineLink: base.text)
            service[name] = ServiceDescription.API(name, link: round % 2 == 0 ? part : "x")
            guard let url = try? service.endpoint(for: name, path: round % 2 == 0 ? nil : part) else { continue }
            accepted += 1
            #expect(
                url.origin == base.origin && url.path.hasPrefix("/b/"),
                "seed \(seed), round \(round): \(part) led to \(url)")
            #expect(!PathSegments(url.path).climb, "seed \(seed), round \(round): \(part) led to \(url)")
        }
        #expect(accepted > 1_000, "seed \(seed)")
    }
}
