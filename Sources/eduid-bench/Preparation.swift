import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TokenTree
import Wire

/// A federation whose first service gets busy, and what an instance and its apps ask of it.
final class Preparation {
    var parties: Parties
    let url: WebURL
    let readers: [BundleID]
    let pairs: [Curve25519.Signing.PrivateKey]
    let curvePairs: [P256.Signing.PrivateKey]
    private let papi: ProtocolName
    private let description: ServiceDescription
    private let home: ServiceURL

    /// A store remembers 32,768 proofs of a key in about a minute, and time stands still here.
    private static let keysOfEachKind = 14

    init() throws {
        var parties = try Parties(seed: 3)
        try parties.signIn()
        papi = try ProtocolName(parsing: Parties.protocolName)
        description = parties.federation.services[0].service.document
        guard let home = description.serviceURL else { throw SimulationError() }
        self.home = home
        url = try description.endpoint(for: papi, path: "items")
        try parties.authorize(home)
        readers = try (1...Self.keysOfEachKind).map { try BundleID(parsing: "ch.example.reader-\($0)") }
        var entropy = SimulatedFederation.Entropy(seed: 4)
        pairs = try readers.map { _ in try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32)) }
        curvePairs = try readers.map { _ in try P256.Signing.PrivateKey(rawRepresentation: entropy.bytes(32)) }
        self.parties = parties
    }

    /// What an app is given.
    func grant(_ app: BundleID, binding key: JWK?) throws -> TokenResponse {
        let given = try parties.perform(.access(for: app, at: description, to: [papi], binding: key))
        return try TokenResponse(parsing: given.authorization?.members.encoded() ?? [])
    }

    /// Requests of all apps, each with what it was given and the key that this is bound to.
    func requests(
        _ granted: (Int, BundleID) throws -> (TokenResponse, (KeyID) throws -> SigningKey)
    ) throws -> OneTimeRequests {
        let issuances = try readers.enumerated().map { number, reader in
            let (given, key) = try granted(number, reader)
            guard let id = given.confirmation?.keyID else { throw SimulationError() }
            return try RequestToken.Issuance(with: key(id), of: .app(reader))
        }
        return OneTimeRequests(issuances, to: url, at: parties.federation.now)
    }

    /// The request that redeems an assertion, and those that authorize an app with a key of each type.
    func tokenRequests() throws -> (redemption: HTTP.Request, authorization: HTTP.Request, onCurve: HTTP.Request) {
        let now = parties.federation.now
        var (session, chance) = (parties.session, SimulatedFederation.Entropy(seed: 5))
        var again = try AuthorizingApp.Conversation(.introduction(to: home), of: &session, at: now, using: &chance)
        if let request = again.request { try again.take(parties.federation.send(request), at: now) }
        let asked = try [JWK(pairs[0].publicKey), JWK(curvePairs[0].publicKey)].map { key in
            try AuthorizingApp.Conversation(
                .access(for: readers[0], at: description, to: [papi], binding: key), of: &session, at: now,
                using: &chance
            ).request
        }
        guard let redemption = again.request, let authorization = asked[0], let onCurve = asked[1] else {
            throw SimulationError()
        }
        return (redemption, authorization, onCurve)
    }
}
