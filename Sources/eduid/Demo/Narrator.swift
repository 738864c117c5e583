import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import Wire

/// A story that is played in memory: who does what, in which order.
///
/// Each scene throws when it does not end as it should.
protocol Story {
    /// Everybody, before anything has happened; what is left to chance follows from the seed.
    init(seed: UInt64) throws
    /// Plays all of it, and shows each scene.
    mutating func tell(in presentation: inout Presentation) throws
    /// Lets the edu-ID service sign with a key that lies elsewhere, from the beginning.
    mutating func sign(by service: SigningService) throws
}

/// Makes a scene of what has gone over a federation's network since the last one.
struct Narrator {
    private var told = 0

    /// Leaves out what has gone over the network so far.
    mutating func skip(_ federation: SimulatedFederation) { told = federation.traffic.count }

    /// What has gone over the network since, as a scene.
    ///
    /// - Parameter teller: who made the requests that no service made.
    mutating func tell(
        _ interaction: String, _ title: String, as teller: String, _ fulfils: [String],
        of federation: SimulatedFederation, remarks: [String] = []
    ) -> Interaction {
        let news = federation.traffic[told...]
        skip(federation)
        let messages = news.map { exchange in
            Interaction.Message(
                from: Self.sender(of: exchange.request, teller, in: federation),
                to: Self.receiver(of: exchange.request, in: federation),
                request: MessageSummary.lines(of: exchange.request),
                answer: MessageSummary.lines(of: exchange.response))
        }
        return Interaction(number: interaction, title: title, messages: messages, remarks: remarks, fulfils: fulfils)
    }

    static func receiver(of request: HTTP.Request, in federation: SimulatedFederation) -> String {
        guard case .absolute(let url) = request.target else { return "a service" }
        if url.text.hasPrefix(Parties.eduID) { return "edu-ID service" }
        return federation.services.first { $0.home?.url.origin == url.origin }?.service.document.engineName
            ?? url.origin.text
    }

    static func name(of service: ServiceURL, in federation: SimulatedFederation) -> String {
        federation.services.first { $0.home == service }?.service.document.engineName ?? service.identity
    }

    /// A service that asks or tells another one says with an assertion who it is; everything else comes from the phone.
    private static func sender(
        of request: HTTP.Request, _ teller: String, in federation: SimulatedFederation
    ) -> String {
        if request.target.path.hasSuffix("/jwks") {
            return receiver(of: request, in: federation) == "edu-ID service" ? "a service" : "edu-ID service"
        }
        guard let form = try? HTTP.Form(parsing: request.body), form.value(of: "token").value != nil,
            let assertion = form.value(of: "client_assertion").value,
            let issuer = (try? Statement.Unverified(parsing: Assertion(parsing: assertion), as: .clientAssertion))?
                .claimedIssuer
        else { return teller }
        return federation.services.first { $0.service.authority.issuer == issuer }?.service.document.engineName
            ?? "edu-ID service"
    }
}
