import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import PureCrypto
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(10) Everything of a person, at the edu-ID service")
struct GlobalRevocationTests {
    private static let tool = Result { try Issuer(parsing: "https://watch.example.ch") }
    private static let place = Parties.eduID + "/global-token-revocation"

    private static func key() throws -> JWK.Private {
        JWK.Private(
            try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 77, count: 32)),
            attributes: JWK.Attributes(id: try KeyID(parsing: "tool-1")))
    }

    /// What stands of people: sign-ins here, and introductions at each service.
    private func standing(_ federation: SimulatedFederation) -> [Int] {
        let now = federation.now
        return [federation.eduIDStore.living(.personal, at: now)]
            + federation.services.map { $0.store.living(.assertion, at: now) }
    }

    /// Sends a request, and says how it was answered.
    private func send(
        _ subject: String, _ issuer: String, by statement: Assertion, _ federation: inout SimulatedFederation
    ) throws -> HTTP.Response.Status {
        let request = try GlobalRevocation(
            of: Subject(parsing: subject), by: Issuer(parsing: issuer), credential: statement)
        let response = federation.send(try request.encoded(to: WebURL(parsing: Self.place)))
        return try #require(response).status
    }

    private func statement(_ federation: inout SimulatedFederation) throws -> Assertion {
        let issuance = try Statement.ClientAssertion.Issuance(
            with: SigningKey(Self.key()), of: ClientID(parsing: Self.tool.get().text))
        return try issuance.assertion(
            to: Issuer(parsing: Parties.eduID), at: federation.now, using: &federation.entropy)
    }

    private func introduced() throws -> Parties {
        var parties = try Parties(seed: 41)
        let key = try #require(try Self.key().publicKey)
        parties.federation.eduID.policy.revokers = [
            EduIDService.Revoker(try Self.tool.get(), keys: [try VerificationKey(key)])
        ]
        try parties.signIn()
        for home in Parties.homes { try parties.authorize(try ServiceURL(parsing: home)) }
        return parties
    }

    @Test(
        "A tool ends all of a person at every service; the app stays registered, and the person comes back",
        .proves("GTR-1"), .proves("GTR-3"))
    func byTool() throws {
        var parties = try introduced()
        let subject = parties.person.subject.text
        #expect(standing(parties.federation) == [1, 1, 1])
        let statement = try statement(&parties.federation)
        #expect(try send(subject, Parties.eduID, by: statement, &parties.federation) == .noContent)
        _ = parties.federation.deliver()
        #expect(standing(parties.federation) == [0, 0, 0])
        #expect(parties.federation.eduIDStore.living(.client, at: parties.federation.now) == 1)
        let again = try self.statement(&parties.federation)
        #expect(try send(subject, Parties.eduID, by: again, &parties.federation) == .noContent)
        let nobody = try self.statement(&parties.federation)
        #expect(try send("nobody", Parties.eduID, by: nobody, &parties.federation) == .noContent)
        #expect(throws: Rejection.self) { try parties.perform(.launch) }
        #expect(!parties.session.isSignedIn)
        try parties.signIn()
        for home in Parties.homes { try parties.authorize(try ServiceURL(parsing: home)) }
        #expect(standing(parties.federation) == [1, 1, 1])
    }

    @Test("A tool speaks of people by their names here, and of nobody else's", .proves("GTR-2"))
    func foreigners() throws {
        var parties = try introduced()
        for issuer in [try Self.tool.get().text, Parties.homes[0], Parties.eduID + "/"] {
            let statement = try statement(&parties.federation)
            #expect(try send(parties.person.subject.text, issuer, by: statement, &parties.federation) == .forbidden)
            // It counts once all the same.
            #expect(
                try send(parties.person.subject.text, issuer, by: statement, &parties.federation) == .unauthorized)
        }
        #expect(standing(parties.federation) == [1, 1, 1])
        parties.federation.eduID.policy.revokers = []
        let statement = try statement(&parties.federation)
        let answer = try send(parties.person.subject.text, Parties.eduID, by: statement, &parties.federation)
        #expect(answer == .notFound)
    }

    @Test("A provider ends all of its people, by their names there", .proves("GTR-1"), .proves("GTR-2"))
    func byProvider() throws {
        var street = try Street()
        try street.signIn()
        for home in Parties.homes { try street.parties.authorize(try ServiceURL(parsing: home)) }
        func send(_ subject: String, _ issuer: String) throws -> HTTP.Response.Status {
            let (provider, now) = (try #require(street.parties.federation.provider), street.parties.federation.now)
            let statement = try provider.statement(
                to: Issuer(parsing: Parties.eduID), at: now, using: &street.parties.federation.entropy)
            return try self.send(subject, issuer, by: statement, &street.parties.federation)
        }
        let here = try #require(
            street.parties.federation.eduIDStore.page(of: .all(.personal), limit: 9)?.lineages.first?.record.subject)
        #expect(try send("E-1", Street.provider) == .noContent)
        #expect(try send(here.text, Parties.eduID) == .forbidden)
        #expect(standing(street.parties.federation) == [1, 1, 1])
        #expect(try send("A-1", Street.provider) == .noContent)
        _ = street.parties.federation.deliver()
        #expect(standing(street.parties.federation) == [0, 0, 0])
    }

    @Test("More than ends at once ends in steps, none of which is told as the whole", .proves("threat-53"))
    func inSteps() throws {
        var parties = try introduced()
        let (now, user) = (parties.federation.now, parties.person.subject)
        let client = try #require(
            parties.federation.eduIDStore.page(of: .all(.client), limit: 1)?.lineages.first?.record.id)
        let changes = (0..<300).map { number in
            Change.insert(
                Record(
                    id: TokenID(stringLiteral: "personal-\(number)"), kind: .personal, parent: client, issued: now,
                    subject: user))
        }
        #expect(parties.federation.eduIDStore.commit(Batch(at: now, changes)) == .applied)
        for (answer, left) in [(HTTP.Response.Status.serviceUnavailable, 45), (.noContent, 0)] {
            let statement = try statement(&parties.federation)
            #expect(try send(user.text, Parties.eduID, by: statement, &parties.federation) == answer)
            #expect(parties.federation.eduIDStore.living(.personal, at: now) == left)
        }
    }
}
