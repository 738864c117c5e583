import Federation
import FederationTesting
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import VectorCatalogue

@Suite("Names of the protocol, in writing and in use")
struct NameTests {
    private static let glossary = Glossary(Page.all)
    private static let used = WireNames(acceptedIn: Published.vectors)
    private static let words: Set<String> = Published.vectors.reduce(into: []) { $0.formUnion($1.words) }

    /// What vectors make up, to show that it is ignored or handed on.
    private static let madeUp: Set<String> = ["colour", "page", "purpose"]

    /// What no vector can use: work that takes several requests has none.
    private static let withoutVectors: [Glossary.Category: Set<String>] = [
        .member: ["authorizations"],
        .attribute: ["swept"],
        .mediaType: ["application/x.oauth-assertion"],
    ]

    @Test("Every name that the interactions use is defined", arguments: Glossary.Category.allCases)
    func defined(_ category: Glossary.Category) {
        var defined = Self.glossary[category].union(Self.madeUp)
        // What is told of a user has the names of claims; a body of JSON has members.
        let neighbours: [Glossary.Category: [Glossary.Category]] = [
            .member: [.claim, .header], .claim: [.member], .parameter: [.member],
        ]
        for other in neighbours[category] ?? [] { defined.formUnion(Self.glossary[other]) }
        // Protocols have names with dots, which stand for themselves.
        let missing = (Self.used.names[category] ?? [:]).filter {
            !defined.contains($0.key) && !(category == .member && $0.key.contains("."))
        }
        #expect(missing.isEmpty, "\(category.rawValue): \(missing.sorted { $0.key < $1.key })")
    }

    @Test("Every name that is defined is used by a vector", arguments: Glossary.Category.allCases)
    func used(_ category: Glossary.Category) {
        guard category != .endpoint else { return }
        let excused = Self.withoutVectors[category] ?? []
        let unused = Self.glossary[category].subtracting(Self.words).subtracting(excused)
        #expect(unused.isEmpty, "\(category.rawValue): \(unused.sorted())")
        // An excuse that is not needed any more goes.
        #expect(excused.isSubset(of: Self.glossary[category].subtracting(Self.words)), "\(category.rawValue)")
    }

    @Test("Every endpoint of the code is written down, and every one that is written down is there")
    func endpoints() throws {
        let federation = try Parties(seed: 1).federation
        let service = try #require(federation.services.first).service
        let discovery = ProtocolDiscovery(service, directory: ServiceDirectory())
        let places = (federation.eduID.endpointPlaces + service.endpointPlaces + discovery.endpointPlaces).map {
            place in
            place.replacing(#/^https://[^/]+/(oauth/)?/#) { match in match.0.hasSuffix("oauth/") ? "" : "/" }
        }
        let fixed = ["/rsd2.json": "rsd2.json", "/services.txt": "services.txt"]
        #expect(Self.glossary[.endpoint] == Set(places.map { fixed[$0] ?? $0 }))
    }

    @Test("Metadata, grants and errors of the code are written down")
    func vocabulary() throws {
        let endpoints = Set(ServerDescription.Endpoint.allCases.map(\.rawValue))
        #expect(Self.glossary[.member].isSuperset(of: endpoints))
        #expect(Self.glossary[.grantType].isSuperset(of: TokenRequest.GrantType.allCases.map(\.rawValue)))
        let source = try String(
            decoding: Repository.source("Sources/OAuth2Grants/Vocabulary/OAuth2Error.swift"), as: UTF8.self)
        let errors = source.matches(of: #/Self\(known: "([a-z_]+)"\)/#).map { String($0.1) }
        #expect(errors.count > 10 && Self.glossary[.error].isSuperset(of: errors))
    }
}
