import Federation
import FederationTesting
import Foundation
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import Wire

/// What the interactions of a device cost the services that take part in them: the time of a processor between request
/// and answer, with all that is looked up and stored, in memory.
///
/// Many devices of one person do in turn what devices do, and beside each a signature is checked, so that machines, and
/// hours on one machine, can be compared. Passwords are compared here and not hashed; a host that hashes them counts
/// that beside.
struct Interactions {
    private static let devices = 1_000

    private var parties: Parties
    private let home: ServiceURL
    private let description: ServiceDescription
    private let protocols: [ProtocolName]
    private let reader: BundleID
    private let readerKey: JWK
    private let signature: BareSignature
    /// What a check of that signature took, beside each device.
    private var checks: [Double] = []
    private var costs: [Cost] = []

    /// What an interaction took at either service, of each device.
    private struct Cost {
        let title: String
        var atEduID: [Double] = []
        var atService: [Double] = []
    }

    private init() throws {
        parties = try Parties(seed: 9)
        description = parties.federation.services[0].service.document
        guard let home = description.serviceURL else { throw SimulationError() }
        self.home = home
        protocols = [try ProtocolName(parsing: Parties.protocolName)]
        reader = try BundleID(parsing: "ch.example.reader")
        var entropy = SimulatedFederation.Entropy(seed: 10)
        let pair = try Curve25519.Signing.PrivateKey(rawRepresentation: entropy.bytes(32))
        readerKey = JWK(pair.publicKey)
        let token = try RequestToken.Issuance(with: SigningKey(pair, id: "key"), of: .app(reader))
            .token(for: home.url, at: parties.federation.now, using: &entropy)
        signature = try BareSignature(of: token.secret, by: pair)
    }

    /// Measures and says it; the exit status.
    static func run(_ say: (String) -> Void) throws -> Int32 {
        var interactions = try Interactions()
        for number in 0..<devices { try interactions.play(number) }
        let check = median(interactions.checks)
        say(String(format: "%.1f µs of a processor check a signature by a key that comes as bytes\n", check / 1e3))
        say("medians of \(devices) devices, in µs and in checks of a signature:\n")
        for cost in interactions.costs {
            let (eduID, service) = (median(cost.atEduID), median(cost.atService))
            say(
                cost.title.padding(toLength: 28, withPad: " ", startingAt: 0)
                    + String(
                        format: "edu-ID service %5.0f = %4.1f, service %5.0f = %4.1f\n", eduID / 1e3, eduID / check,
                        service / 1e3, service / check))
        }
        return EXIT_SUCCESS
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// What a device does, from the first start of its app on.
    private mutating func play(_ number: Int) throws {
        let installation = try Parties.installation(
            on: "device \(number)", version: SigningKey(parties.versionKeys[0]), using: &parties.federation.entropy)
        parties.session = AuthorizingApp.Session(installation, with: parties.session.eduID)
        let person = parties.person
        let began = threadNanoseconds()
        guard signature.isValidToStranger() else { throw SimulationError() }
        checks.append(threadNanoseconds() - began)
        try measure("(1) register", .registration)
        try measure("(2) sign in", .signIn(person.name, person.password))
        try measure("(2a) profile", .profile)
        try measure("(3) look for a service", .discovery(.services([home])))
        try measure("(4, 5) introduce, redeem", .introduction(to: home))
        try measure("(8) authorize an app", .access(for: reader, at: description, to: protocols, binding: readerKey))
        try measure("renew at the edu-ID service", .renewal(of: .user))
        try measure("renew at a service", .renewal(of: .service(home)))
    }

    private mutating func measure<Value>(_ title: String, _ interaction: AuthorizingApp.Interaction<Value>) throws {
        var (atEduID, atService) = (0.0, 0.0)
        var session = parties.session
        var entropy = SimulatedFederation.Entropy(seed: parties.federation.entropy.next())
        _ = try session.carryOut(interaction, at: parties.federation.now, using: &entropy) { request in
            let began = threadNanoseconds()
            let response = parties.federation.send(request)
            let time = threadNanoseconds() - began
            if case .absolute(let url) = request.target, url.origin == home.url.origin {
                atService += time
            } else {
                atEduID += time
            }
            return response
        }
        parties.session = session
        let place = costs.firstIndex { $0.title == title } ?? costs.count
        if place == costs.count { costs.append(Cost(title: title)) }
        costs[place].atEduID.append(atEduID)
        costs[place].atService.append(atService)
    }
}
