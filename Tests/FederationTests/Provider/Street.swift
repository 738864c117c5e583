import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

/// A federation whose people sign in at a provider, with a phone and a browser.
struct Street {
    static let provider = "https://login.example.org/"
    static let ada = SimulatedProvider.Person(
        "A-1", claims: ["given_name": "Augusta", "email": "augusta@example.org", "sid": "s-1"])
    static let eve = SimulatedProvider.Person("E-1", claims: ["given_name": "Eve"])

    var parties: Parties
    let callback: CallbackAddress
    /// What the browser keeps, by the names of cookies.
    var cookies: [String: String] = [:]

    init(seed: UInt64 = 231) throws {
        parties = try Parties(seed: seed)
        callback = try CallbackAddress(parsing: "ch.eduid.mobile:/signed-in")
        var entropy = SimulatedFederation.Entropy(seed: seed &+ 1)
        let (issuer, client) = (try Issuer(parsing: Self.provider), try ClientID(parsing: Parties.eduID))
        var simulated = try SimulatedProvider(
            issuer, client: client, answeredAt: try WebURL(parsing: Parties.eduID + "/callback/example"),
            using: &entropy)
        simulated.people = [Self.ada, Self.eve]
        parties.federation.provider = simulated
        var provider = try Provider(
            issuer, client: client, by: .secretInBody(try Secret.Password(parsing: "secret of the service")),
            answeringAt: "example")
        provider.algorithms = [.edDSA]
        parties.federation.eduID.provider = provider
        try registerCallback()
    }

    /// Registers where the app is called back, with each of its versions.
    private mutating func registerCallback() throws {
        var versions = parties.federation.eduID.versions.all
        for index in versions.indices { versions[index].callbacks = [callback] }
        parties.federation.eduID.versions = try AppVersion.Registry(versions)
    }

    mutating func wait(_ seconds: Int64) { parties.federation.wait(.seconds(seconds)) }

    @discardableResult
    mutating func perform<Value>(_ interaction: AuthorizingApp.Interaction<Value>) throws -> Value {
        var federation = parties.federation
        defer { parties.federation = federation }
        let now = federation.now
        var entropy = SimulatedFederation.Entropy(seed: federation.entropy.next())
        return try parties.session.carryOut(interaction, at: now, using: &entropy) { federation.send($0) }
    }

    /// Begins a sign-in, and says where the browser is to go.
    mutating func begin(demanding demand: AuthenticationDemand = .none) throws -> WebURL {
        try perform(.browserSignIn(callingBackAt: callback, demanding: demand))
    }

    /// Opens a URL in the browser.
    mutating func open(_ text: String) throws -> HTTP.Response {
        var request = HTTP.Request(.get, .absolute(try WebURL(parsing: text)))
        if text.hasPrefix(Parties.eduID), !cookies.isEmpty {
            let words = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let name = try HTTP.Field.Name(parsing: "Cookie")
            try request.fields.append(name, words.joined(separator: "; "))
        }
        let answer = parties.federation.send(request)
        let response = try #require(answer)
        let setting = try HTTP.Field.Name(parsing: "Set-Cookie")
        for text in response.fields.values(of: setting) {
            let pair = text.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies[String(pair[0])] = pair.count > 1 ? String(pair[1]) : ""
        }
        return response
    }

    func location(_ response: HTTP.Response) throws -> String {
        guard response.status == .found, case .once(let text) = response.fields.value(of: .location) else {
            throw Stop(answer: response)
        }
        return text
    }

    /// Goes to the provider, signs in as somebody, and says where the provider sends the browser.
    mutating func visitProvider(_ place: WebURL, as person: String = "A-1") throws -> String {
        let page = try location(open(place.text))
        return try location(open(page + "&person=" + person))
    }

    /// The whole way of the browser, to the link with which it calls the app back.
    mutating func link(as person: String = "A-1", demanding demand: AuthenticationDemand = .none) throws -> String {
        let place = try begin(demanding: demand)
        return try location(open(visitProvider(place, as: person)))
    }

    mutating func signIn(as person: String = "A-1") throws {
        try perform(.returning(with: try link(as: person)))
        try perform(.launch)
    }

    /// The parameters of a link to the app.
    func parameters(_ link: String) throws -> [String: String] {
        #expect(link.hasPrefix(callback.text + "?"))
        let form = try HTTP.Form(parsing: String(link.dropFirst(callback.text.utf8.count + 1)))
        return Dictionary(uniqueKeysWithValues: form.pairs.map { ($0.name, $0.value) })
    }

    /// How often an endpoint of the provider was asked.
    func count(_ name: String) -> Int {
        parties.federation.traffic.count {
            if case .absolute(let url) = $0.request.target { url.text.hasPrefix(Self.provider + name) } else { false }
        }
    }

    var lastClause: String? { parties.federation.refusals.last?.clause }

    /// The provider says that somebody has signed out there, now or some seconds ago.
    mutating func tell(session: String? = nil, _ id: String, late seconds: Int64 = 0) throws -> HTTP.Response.Status {
        let provider = try #require(parties.federation.provider)
        let said = parties.federation.now - .seconds(seconds)
        return try tell(token: provider.logoutToken(of: Self.ada, in: session, named: id, at: said))
    }

    /// The same in a token that is there.
    mutating func tell(token: String) throws -> HTTP.Response.Status {
        try #require(parties.federation.send(try logout(token: token))).status
    }

    func logout(token: String) throws -> HTTP.Request {
        var request = HTTP.Request(
            .post, .absolute(try WebURL(parsing: Parties.eduID + "/backchannel-logout")),
            body: HTTP.Form([HTTP.Form.Pair("logout_token", token)]).encoded())
        try request.fields.append(.contentType, "application/x-www-form-urlencoded")
        return request
    }

    /// Another answer than a redirect.
    struct Stop: Error { let answer: HTTP.Response }
}
