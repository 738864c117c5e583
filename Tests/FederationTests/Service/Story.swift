import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import RSD2
import Testing
import Wire

/// The whole federation, with a person who is signed in and introduced to both universities, and third-party apps
/// beside.
struct Story: Sendable {
    var parties: Parties
    let alpha: ServiceDescription
    let beta: ServiceDescription

    static let papi = Result { try ProtocolName(parsing: Parties.protocolName) }
    static let lti = Result { try ProtocolName(parsing: Parties.otherProtocol) }

    private static let told = Result { try Story(seed: 21) }

    /// Everybody is introduced; copies cost nothing.
    static func introduced() throws -> Story { try told.get() }

    private init(seed: UInt64) throws {
        parties = try Parties(seed: seed)
        try parties.signIn()
        let found = try parties.perform(.discovery(.protocols([try Self.papi.get()]))).map(\.description)
        alpha = try #require(found.first { $0.engineName == "University of Alpha" })
        beta = try #require(found.first { $0.engineName == "University of Beta" })
        try parties.authorize(try #require(alpha.serviceURL))
        try parties.authorize(try #require(beta.serviceURL))
    }

    /// The place of a university among the services.
    static let (alphaPlace, betaPlace) = (0, 1)

    /// What kind of token an app gets.
    enum Kind: CaseIterable, Sendable { case ownKey, symmetricKey, bearerToken }

    /// An app asks, the person grants, and the edu-ID app hands over what the universities gave.
    mutating func grant(
        _ kind: Kind, to app: App, at universities: [ServiceDescription], for protocols: [ProtocolName]
    ) throws -> [NAILState.Dropped] {
        for place in parties.federation.services.indices {
            parties.federation.services[place].service.policy.keylessApps =
                kind == .bearerToken ? .bearerToken : .symmetricKey
        }
        let key = kind == .ownKey ? AppKey(using: &parties.federation.entropy) : nil
        var documents: [UInt8] = [UInt8(ascii: "[")]
        for university in universities {
            let document = try parties.perform(
                .access(for: app.id, at: university, to: protocols, binding: key?.publicKey))
            if documents.count > 1 { documents.append(UInt8(ascii: ",")) }
            documents += document.encoded()
        }
        documents.append(UInt8(ascii: "]"))
        let request = try ProtocolRequest(
            from: ClientID(parsing: "device-7"), of: app.id, named: AppName(parsing: "Reader"), for: protocols)
        return app.state.accept(
            try ProtocolResponse(parsing: documents), to: request, key: key, at: parties.federation.now
        ).dropped
    }

    /// The app uses an endpoint; nothing where its own state or the service says no.
    mutating func uses(_ app: App, _ university: ServiceDescription, _ name: ProtocolName, path: String? = nil) throws
        -> Access?
    {
        let way = try app.state.access(to: identity(university), name, path: path)
        let token = try way.token(at: parties.federation.now, using: &parties.federation.entropy)
        guard case .granted(let access)? = parties.federation.use(way.endpoint, with: token) else { return nil }
        return access
    }

    /// The app renews what opens a protocol.
    mutating func renews(_ app: App, _ university: ServiceDescription, _ name: ProtocolName) throws
        -> NAILState.Renewal.Outcome
    {
        let renewal = try app.state.renew(
            identity(university), name, at: parties.federation.now, using: &parties.federation.entropy)
        return app.state.settle(renewal, with: parties.federation.send(renewal.request), at: parties.federation.now)
    }

    func identity(_ university: ServiceDescription) throws -> String { try #require(university.serviceURL).identity }
}

/// A third-party app with what it holds.
final class App {
    let id: BundleID
    var state = NAILState()

    init(_ id: String = "ch.example.reader") throws { self.id = try BundleID(parsing: id) }
}
