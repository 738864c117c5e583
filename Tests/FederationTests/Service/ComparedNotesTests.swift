import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("Two services compare all that they ever received")
struct ComparedNotesTests {
    @Test("Of one person on one device they have nothing in common", .proves("threat-77"))
    func pairwise() throws {
        let services = try TwoServices(users: .pairwise, clients: .pairwise)
        let shared = services.shared()
        #expect(shared.isEmpty, "\(shared.sorted().prefix(20))")
    }

    @Test("Where they know instances as the federation does, name and key give the device away", .proves("threat-77"))
    func commonInstances() throws {
        let services = try TwoServices(users: .pairwise, clients: .common)
        let shared = services.shared()
        let installation = services.sessions[0].installation.instance.text
        #expect(Received(installation).pieces.isSubset(of: shared))
        let keys = services.federation.traffic.compactMap { message -> String? in
            guard message.request.target.path == "/token", message.request.parameter("client_assertion") != nil else {
                return nil
            }
            return try? claims(of: message.request.parameter("client_assertion"))["cnf"]?["jwk"]?["x"]?.string
        }
        #expect(Received(try #require(keys.first)).pieces.isSubset(of: shared))
        #expect(Received(try #require(keys.last)).pieces.isDisjoint(with: shared), "another device's")
    }

    @Test("Where they know people as the federation does, the name does", .proves("threat-77"))
    func commonUsers() throws {
        let services = try TwoServices(users: .common, clients: .pairwise)
        #expect(Received("user-0001").pieces.subtracting(Received("user-000").pieces).isSubset(of: services.shared()))
    }
}

/// All pieces of eight bytes of the values that somebody received: of fields, parameters and members, and of whatever
/// is signed what it says.
private struct Received {
    private(set) var pieces: Set<String> = []

    init(_ values: String...) { for value in values { take(value) } }

    mutating func take(_ value: String) {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        let words = value.split(separator: " ")
        if words.count == 2, ["Bearer", "DPoP"].contains(words[0]) {
            take(String(words[1]))
            return
        } else if parts.count == 3, let claims = Self.json(parts[1]), let header = Self.json(parts[0]) {
            take(header)
            take(claims)
            // Its spelling says nothing more than what it says.
            take(String(parts[2]))
            return
        } else if let json = try? JSON(parsing: value), json.object != nil || json.array != nil {
            take(json)
        }
        let bytes = Array(value.utf8)
        guard bytes.count >= 8 else { return }
        for start in 0...bytes.count - 8 {
            pieces.insert(String(decoding: bytes[start..<start + 8], as: UTF8.self))
        }
    }

    private static func json(_ part: Substring) -> JSON? {
        (try? Base64URL.decode(String(part))).flatMap { try? JSON(parsing: $0) }
    }

    private mutating func take(_ json: JSON) {
        if let object = json.object {
            for member in object { take(member.value) }
        } else if let array = json.array {
            for element in array { take(element) }
        } else {
            take(json.string ?? json.encodedString())
        }
    }

    mutating func take(_ fields: HTTP.Fields, _ body: [UInt8]) {
        for field in fields { take(field.value) }
        if let json = try? JSON(parsing: body) {
            take(json)
        } else {
            for pair in (try? HTTP.Form(parsing: body))?.pairs ?? [] { take(pair.value) }
        }
    }

    mutating func take(_ request: HTTP.Request) {
        take(request.target.path)
        take(request.target.query ?? "")
        take(request.fields, request.body)
    }
}

/// Two people, each on a device, do the same at the same time at two services, which ask the edu-ID service about
/// everything; the second one shows what everybody's messages have in common.
private struct TwoServices {
    var federation: SimulatedFederation
    var sessions: [AuthorizingApp.Session]
    /// What each service received, by the person whom it was about.
    private var notes: [[Received]]
    private let homes: [ServiceURL]
    private let people: [SimulatedFederation.User]
    private let reader: BundleID = "ch.example.reader"

    init(users: ServiceIndex.Member.Names, clients: ServiceIndex.Member.Names) throws {
        var parties = try Parties(seed: 80)
        homes = try Parties.homes.map { try ServiceURL(parsing: $0) }
        let members = parties.federation.eduID.index.services.map { member in
            var member = member
            (member.subjects, member.clients, member.releasedClaims) = (users, clients, [])
            return member
        }
        parties.federation.eduID.index = ServiceIndex(members)
        let bob = SimulatedFederation.User(
            try UserName(parsing: "bob"), password: try Secret.Password(parsing: "hunter2hunter2"),
            subject: try Record.Subject(parsing: "user-0002"), profile: ["name": "Bob"])
        people = [parties.person, bob]
        parties.federation.users = people
        let tablet = try Parties.installation(
            on: "Bob's phone", version: SigningKey(parties.versionKeys[0]), using: &parties.federation.entropy)
        sessions = [parties.session, AuthorizingApp.Session(tablet, with: parties.session.eduID)]
        federation = parties.federation
        for place in federation.services.indices {
            federation.services[place].service.eduID.introspection = try WebURL(parsing: Parties.eduID + "/introspect")
            federation.services[place].service.eduID.userinfo = try WebURL(parsing: Parties.eduID + "/userinfo")
        }
        notes = people.map { _ in [Received(), Received()] }
        try run()
    }

    /// What both services received about the first person, and neither about the second.
    func shared() -> Set<String> {
        notes[0][0].pieces.intersection(notes[0][1].pieces).subtracting(notes[1][0].pieces)
            .subtracting(notes[1][1].pieces)
    }

    private mutating func run() throws {
        for person in people.indices {
            try perform(.registration, by: person)
            try perform(.signIn(people[person].name, people[person].password), by: person)
            try perform(.launch, by: person)
            _ = try perform(.discovery(.services(homes)), by: person)
        }
        try eachEverywhere { services, person, place in
            try services.perform(.introduction(to: services.homes[place]), by: person)
        }
        try eachEverywhere { services, person, place in try services.useAsApp(person, place) }
        federation.wait(.seconds(3_600))
        try eachEverywhere { services, person, place in
            try services.perform(.renewal(of: .service(services.homes[place])), by: person)
        }
        for person in people.indices { try perform(.renewal(of: .user), by: person) }
        try eachEverywhere { services, person, place in
            try services.perform(.unlinking(services.homes[place]), by: person)
        }
        try eachEverywhere { services, person, place in
            try services.perform(.introduction(to: services.homes[place]), by: person)
        }
        for person in people.indices {
            try perform(.signOut, by: person)
            let before = federation.traffic.count
            #expect(federation.deliver() >= 2)
            read(from: before, about: person)
        }
        #expect(federation.refusals.isEmpty, "\(federation.refusals)")
    }

    private mutating func eachEverywhere(_ step: (inout TwoServices, Int, Int) throws -> Void) rethrows {
        for place in homes.indices {
            for person in people.indices { try step(&self, person, place) }
        }
    }

    @discardableResult
    private mutating func perform<Value>(_ interaction: AuthorizingApp.Interaction<Value>, by person: Int) throws
        -> Value
    {
        let before = federation.traffic.count
        var entropy = SimulatedFederation.Entropy(seed: federation.entropy.next())
        let value = try sessions[person].carryOut(interaction, at: federation.now, using: &entropy) {
            federation.send($0)
        }
        read(from: before, about: person)
        return value
    }

    /// (8), (9): an app is let in, uses what it got, and renews it.
    private mutating func useAsApp(_ person: Int, _ place: Int) throws {
        let (papi, document) = (try ProtocolName(parsing: Parties.protocolName), federation.services[place].service)
        let granted = try perform(.access(for: reader, at: document.document, to: [papi]), by: person)
        let response = try TokenResponse(parsing: granted.authorization?.members.encoded() ?? [])
        guard case .made(let key)? = response.confirmation, let refresh = response.refreshToken else {
            throw SimulationError()
        }
        let issuance = try RequestToken.Issuance(with: SigningKey(key), of: .app(reader))
        func token(for url: WebURL) throws -> AccessToken {
            try issuance.token(for: url, at: federation.now, using: &federation.entropy)
        }
        let url = try document.document.endpoint(for: papi)
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token(for: url).secret)
        guard case .granted(let access) = federation.use(request, at: place, url) else { throw SimulationError() }
        notes[person][place].take(request)
        notes[person][place].take(access.instance?.text ?? "")
        notes[person][place].take(access.subject.text)
        let endpoint = try document.document.endpoint(for: "org.ietf.oauth2", path: "token")
        let before = federation.traffic.count
        let renewal = try TokenRequest.refresh(refresh, credential: .bearer(token(for: endpoint)))
        #expect(federation.send(try renewal.encoded(to: endpoint))?.status == .ok)
        read(from: before, about: person)
    }

    /// Notes what came to the services, what they answered, and what they were answered.
    private mutating func read(from start: Int, about person: Int) {
        for (request, response) in federation.traffic[start...] {
            // What is published is the same for everybody.
            guard !request.target.path.hasSuffix("/jwks"), let place = receiver(of: request) ?? asker(of: request)
            else { continue }
            notes[person][place].take(request)
            if let response { notes[person][place].take(response.fields, response.body) }
        }
    }

    private func receiver(of request: HTTP.Request) -> Int? {
        guard case .absolute(let url) = request.target else { return nil }
        return homes.firstIndex { $0.url.host == url.host }
    }

    /// The service that asks the edu-ID service something.
    private func asker(of request: HTTP.Request) -> Int? {
        let token = request.parameter("client_assertion") ?? request.fields.values(of: .authorization).first
        let parts = token?.split(separator: ".") ?? []
        guard parts.count == 3, let bytes = try? Base64URL.decode(String(parts[1])),
            let claims = try? JSON(parsing: bytes)
        else { return nil }
        return homes.firstIndex { home in
            [claims["iss"]?.string, claims["client_id"]?.string].contains(home.identity)
        }
    }
}
