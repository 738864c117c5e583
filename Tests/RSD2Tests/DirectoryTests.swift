import TestSupport
import Testing
import Wire

@testable import RSD2

@Suite("RSD2: the directory and its queries")
struct DirectoryTests {
    private func service(_ number: Int, offering names: [String], name: String? = nil) throws -> (
        ServiceURL, ServiceDescription
    ) {
        let url = try serviceURL("https://s\(number).example.ch/")
        var description = ServiceDescription(homePageLink: url.identity)
        description.engineName = name ?? "Service \(number)"
        for text in names {
            let name = try protocolName(text)
            description[name] = ServiceDescription.API(name, link: "x")
        }
        return (url, description)
    }

    private func directory(_ services: [(ServiceURL, ServiceDescription)]) throws -> ServiceDirectory {
        var directory = ServiceDirectory()
        for (url, description) in services { try directory.update(url, description) }
        return directory
    }

    private func names(_ texts: String...) throws -> [ProtocolName] { try texts.map(protocolName) }

    private func found(_ entries: [ServiceDirectory.Entry]) -> Set<String> { Set(entries.map(\.service.identity)) }

    @Test(.proves("DSC-1"), .proves("DSC-3"), .proves("DSC-6"), .proves("DSC-7")) func allProtocolsMustBeOffered()
        throws
    {
        let directory = try directory([
            try service(1, offering: ["org.ietf.oauth2", "a", "b"]),
            try service(2, offering: ["org.ietf.oauth2", "a"]),
            try service(3, offering: ["a", "b"]), try service(4, offering: []),
            try service(5, offering: ["org.ietf.oauth2", "A"]),
        ])
        #expect(
            found(try directory.services(offering: names("a"))) == ["https://s1.example.ch/", "https://s2.example.ch/"])
        #expect(found(try directory.services(offering: names("a", "b"))) == ["https://s1.example.ch/"])
        #expect(try directory.services(offering: names("org.ietf.oauth2")).count == 3)
        #expect(try directory.services(offering: names("a", "z")).isEmpty)
        #expect(try directory.services(offering: names("a", "a")).count == 2)
        #expect(throws: FormatRejection.nothingAsked) { try directory.services(offering: []) }
    }

    @Test(.proves("DSC-2")) func servicesAreFoundByTheirURLAndEachOnce() throws {
        let directory = try directory([try service(1, offering: []), try service(2, offering: ["a"])])
        let urls = try [
            "https://S1.example.ch", "https://s1.example.ch:443/", "https://s9.example.ch/", "http://s2.example.ch/",
        ].map(
            serviceURL)
        #expect(directory.services(at: urls).map(\.service.identity) == ["https://s1.example.ch/"])
        #expect(directory.services(at: []).isEmpty)
    }

    @Test(.proves("threat-43")) func queriesAreBounded() throws {
        let directory = try directory([try service(1, offering: ["org.ietf.oauth2", "a"])])
        let most = DiscoveryQuery.lengthLimit
        let many = try Array(repeating: ProtocolName(parsing: "a"), count: most + 1)
        let refusal = FormatRejection.tooManyNames(count: most + 1, limit: most)
        #expect(try directory.services(offering: Array(many.dropFirst())).count == 1)
        #expect(throws: refusal) { try directory.services(offering: many) }
        func text(_ count: Int) -> String { "[" + Array(repeating: #""a""#, count: count).joined(separator: ",") + "]" }
        #expect(try DiscoveryQuery(parsing: text(most)) == .protocols(Array(many.dropFirst())))
        #expect(throws: refusal) { try DiscoveryQuery(parsing: text(most + 1)) }
    }

    @Test(.proves("DSC-1"), .proves("DSC-2")) func queriesAreReadAndAnsweredAsJSON() throws {
        func rejection(_ text: String) -> FormatRejection? {
            do throws(FormatRejection) { _ = try DiscoveryQuery(parsing: text) } catch { return error }
            return nil
        }
        #expect(try DiscoveryQuery(parsing: #"["a.b","c"]"#) == .protocols(try names("a.b", "c")))
        #expect(
            try DiscoveryQuery(parsing: #"["https://a.ch","ftp://b"]"#) == .services([try serviceURL("https://a.ch/")]))
        #expect(rejection("[]") == .nothingAsked)
        #expect(rejection(#"{"a":1}"#) == .notStrings)
        #expect(rejection("[1]") == .notStrings)
        #expect(rejection(#"["a","https://a.ch"]"#) == .mixed)
        #expect(rejection(#"["ftp://b","a"]"#) == .mixed)
        #expect(rejection(#"["a",""]"#) == .malformedName(position: 1))
        var (url, description) = try service(1, offering: ["org.ietf.oauth2", "a"])
        description.authorization = ServiceDescription.Authorization(accessToken: "SECRET")
        description.extensions.members["x"] = "kept"
        let directory = try directory([(url, description)])
        let answer = try directory.answer(to: DiscoveryQuery(parsing: #"["a"]"#))
        #expect(!String(decoding: answer, as: UTF8.self).contains("SECRET"))
        #expect(try JSON(parsing: answer)[0]?["x"] == "kept")
        #expect(try directory.answer(to: DiscoveryQuery(parsing: #"["z"]"#)) == Array("[]".utf8))
    }

    @Test("An answer is no longer than clients take; whoever writes at length is left out first", .proves("threat-43"))
    func longAnswers() throws {
        var services = try (1...4).map { try service($0, offering: ["org.ietf.oauth2", "a"]) }
        services[1].1.extensions.members["notes"] = .string(String(repeating: "x", count: 5_000))
        let directory = try directory(services)
        let query = try DiscoveryQuery(parsing: #"["a"]"#)
        func found(_ bytes: Int, _ count: Int = 10) throws -> [String] {
            let answer = try directory.answer(to: query, within: bytes, documents: count)
            #expect(answer.count <= bytes)
            return try #require(JSON(parsing: answer).array).map { $0["engineName"]?.string ?? "" }
        }
        let all = try directory.answer(to: query)
        #expect(all.count > 5_000)
        #expect(try found(all.count) == ["Service 1", "Service 2", "Service 3", "Service 4"])
        #expect(try found(all.count - 1) == ["Service 1", "Service 3", "Service 4"])
        #expect(try found(all.count, 3) == ["Service 1", "Service 3", "Service 4"])
        #expect(try found(all.count, 2) == ["Service 1", "Service 3"])
        #expect(try found(2) == [])
    }

    @Test(.proves("NIF-5")) func documentsAreFilteredForAnApp() throws {
        var service = try service(1, offering: ["org.ietf.oauth2", "a", "b"]).1
        service.authorization = ServiceDescription.Authorization(accessToken: "t")
        service.extensions.members["x"] = "y"
        let filtered = service.filtered(for: try names("b", "z"))
        #expect(filtered.apis.map(\.name.text) == ["org.ietf.oauth2", "b"])
        #expect(
            filtered.engineName == "Service 1" && filtered.authorization?.accessToken == "t"
                && filtered.extensions.members == ["x": "y"])
        #expect(try service.matches(names("a", "b")) && !service.matches(names("z")) && !service.matches([]))
        #expect(try !filtered.matches(names("a")))
    }

    @Test(.proves("NIF-5"), .proves("RSD-3")) func whatAnswersForTheAuthorizationComponentComesWithIt() throws {
        let names = ["org.ietf.oauth2", "org.ietf.oauth2.token", "org.ietf.oauth20", "a", "a.b"]
        let filtered = try service(1, offering: names).1.filtered(for: [protocolName("a")])
        #expect(filtered.apis.map(\.name.text) == ["org.ietf.oauth2", "org.ietf.oauth2.token", "a"])
    }

    @Test func peopleFindServicesByWordsOfNameAndHost() throws {
        var directory = ServiceDirectory()
        let names = ["Moodle HTW Chur", "ILIAS Bern", "Moodle Università della Svizzera", "Ööb"]
        for (number, name) in names.enumerated() {
            let (url, description) = try service(number, offering: ["org.ietf.oauth2"])
            try directory.update(url, description, displayName: name)
        }
        #expect(directory.search("moodle").count == 2)
        #expect(directory.search("CHUR Moodle").map(\.displayName) == ["Moodle HTW Chur"])
        #expect(directory.search("s1.example").map(\.displayName) == ["ILIAS Bern"])
        #expect(directory.search("öö").map(\.displayName) == ["Ööb"])
        #expect(directory.search("rn").map(\.displayName) == ["ILIAS Bern"])
        #expect(directory.search("example", limit: 3).count == 3)
        #expect(
            directory.search("").isEmpty && directory.search("nothing").isEmpty
                && directory.search("a", limit: 0).isEmpty)
    }

    @Test func aCopyStaysAsItIs() throws {
        var directory = try directory([try service(1, offering: ["org.ietf.oauth2", "a"])])
        let copy = directory
        let (url, changed) = try service(1, offering: ["org.ietf.oauth2", "b"])
        try directory.update(url, changed)
        #expect(try copy.services(offering: names("a")).count == 1)
        #expect(try directory.services(offering: names("a")).isEmpty)
        #expect(try directory.services(offering: names("b")).count == 1)
    }

    /// Random histories against a plain dictionary, over both thresholds of a posting.
    @Test func theIndexAgreesWithANaiveModel() throws {
        let seed: UInt64 = 0x444952
        var generator = SeededGenerator(seed: seed)
        var directory = ServiceDirectory()
        var model: [ServiceURL: ServiceDescription] = [:]
        let pool = ["org.ietf.oauth2", "a", "b", "c"]
        let services = try (0..<900).map { try serviceURL("https://s\($0).example.ch/") }
        let queries = try [names("a"), names("a", "b"), names("c", "b", "a"), names("org.ietf.oauth2")]
        func check(_ round: Int) throws {
            #expect(directory.count == model.count)
            for query in queries {
                let expected = Set(model.filter { $0.value.matches(query) }.map(\.key.identity))
                #expect(found(try directory.services(offering: query)) == expected, "seed \(seed), round \(round)")
            }
        }
        for round in 0..<4_000 {
            let number = Int.random(in: 0..<services.count, using: &generator)
            // Fill, then change, then empty.
            let removes = Int.random(in: 0..<4_000, using: &generator) < round
            if removes {
                #expect(directory.remove(services[number]) == (model.removeValue(forKey: services[number]) != nil))
            } else {
                let offered = pool.filter { $0 == pool[0] || Bool.random(using: &generator) }
                let description = try service(number, offering: offered).1
                try directory.update(services[number], description)
                model[services[number]] = description
            }
            if round % 200 == 0 { try check(round) }
        }
        for url in services {
            directory.remove(url)
            model[url] = nil
        }
        try check(4_000)
        #expect(directory.isEmpty && directory.entries.isEmpty && directory.search("service").isEmpty)
    }

    @Test func postingsChangeTheirFormAndNothingElse() {
        var posting = PostingList()
        for number in 0..<UInt32(PostingList.longestList) { posting.insert(number * 3) }
        #expect(!posting.isDense)
        posting.insert(9_999)
        #expect(
            posting.isDense && posting.count == 513 && posting.contains(9_999) && posting.contains(3)
                && !posting.contains(4))
        #expect(Set(posting.numbers).count == 513)
        for number in 0..<UInt32(PostingList.longestList) { posting.remove(number * 3) }
        #expect(!posting.isDense && posting.numbers == [9_999])
        #expect(PostingList.common([]).isEmpty)
    }

    @Test func whatPostingsHaveInCommonIsTheIntersection() {
        let seed: UInt64 = 0x504F5354
        var generator = SeededGenerator(seed: seed)
        for round in 0..<60 {
            // From short lists to bitmaps of different lengths.
            let sets = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                let (count, bound) = (
                    Int.random(in: 0...1_500, using: &generator), UInt32.random(in: 100...3_000, using: &generator)
                )
                return Set((0..<count).map { _ in UInt32.random(in: 0..<bound, using: &generator) })
            }
            let postings = sets.map { numbers in
                var posting = PostingList()
                for number in numbers { posting.insert(number) }
                return posting
            }
            let expected = sets.dropFirst().reduce(sets[0]) { $0.intersection($1) }
            let found = PostingList.common(postings)
            #expect(found.count == expected.count && Set(found) == expected, "seed \(seed), round \(round)")
        }
    }
}
