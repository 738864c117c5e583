import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import Wire

/// The third-party app of the stories: a reader of university libraries, made by a company.
struct Reader {
    let bundle: BundleID
    let key: AppKey
    private let signing: SigningKey
    /// What the edu-ID app knows of it.
    private let registered: JWKSet
    private(set) var state = NAILState()

    init(using entropy: inout some RandomNumberGenerator) throws {
        key = AppKey(using: &entropy)
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32))
        let name = try KeyID(parsing: "reader-2027")
        bundle = try BundleID(parsing: "com.example.reader")
        signing = SigningKey(pair, id: name)
        registered = JWKSet([JWK(pair.publicKey, attributes: JWK.Attributes(id: name))])
    }

    /// Asks for whatever speaks the universities' protocol, and is checked by the edu-ID app.
    func request(of parties: inout Parties) throws -> ProtocolRequest.Checked {
        let now = parties.federation.now
        let unsigned = try ProtocolRequest(
            from: ClientID(parsing: "reader"), of: bundle, named: AppName(parsing: "Reader"),
            for: [ProtocolName(parsing: Parties.protocolName)])
        let request = try unsigned.signed(
            with: signing, binding: key.publicKey, at: now, using: &parties.federation.entropy)
        let received = try ProtocolRequest(parsing: request.encoded())
        var unused = SimulatedFederation.Entropy(seed: 0)
        return try parties.session.carryOut(
            .check(received, against: [bundle: registered]), at: now, using: &unused
        ) { _ in nil }
    }

    /// Takes what it was granted; it must be able to use all of it.
    mutating func accept(
        _ granted: [ServiceDescription], for checked: ProtocolRequest.Checked, at now: Timestamp
    ) throws -> ProtocolResponse {
        let response = try ProtocolResponse(to: checked, granting: granted)
        let acceptance = state.accept(
            try ProtocolResponse(parsing: response.encoded()), to: checked.request, key: key, at: now)
        guard acceptance.accepted.count == granted.count, acceptance.dropped.isEmpty else {
            throw Broken("Reader could not use what it was given")
        }
        return response
    }

    /// Uses what it got at a service, with a request token that it makes for this one request.
    func use(
        _ service: ServiceURL, path: String, of parties: inout Parties
    ) throws -> (HTTP.Request, Access.Outcome?) {
        let name = try ProtocolName(parsing: Parties.protocolName)
        let access = try state.access(to: service.identity, name, path: path)
        let token = try access.token(at: parties.federation.now, using: &parties.federation.entropy)
        return try parties.present(token, at: access.endpoint)
    }
}

extension Parties {
    /// Shows a token at a URL.
    mutating func present(_ token: String, at url: WebURL) throws -> (HTTP.Request, Access.Outcome?) {
        var request = HTTP.Request(.get, .absolute(url))
        try request.fields.append(.authorization, "Bearer " + token)
        return (request, federation.use(url, with: token))
    }
}
