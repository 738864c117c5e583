internal import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

/// What one copy of the edu-ID app holds: its registration, its user's personal token, and the tokens that services
/// gave it.
///
/// Each interaction is a pair of functions: one makes the request, which the host sends, and one takes in the answer.
/// An answer that says nothing changes nothing; a new refresh token is here before anybody uses the access token that
/// came with it.
public struct Session: Sendable {
    /// The copy of the app.
    public private(set) var installation: Installation
    /// The edu-ID service, as its metadata describe it (RFC 8414).
    public let eduID: ServerDescription
    var client: HeldToken?
    var personal: HeldToken?
    var services: [ServiceURL: ServiceToken] = [:]
    /// The user's attributes, for display only (USR-7).
    public internal(set) var profile = JSON.Object()
    /// The services that the user used, where the edu-ID service tells (USE-4).
    public internal(set) var usage: [ServiceURL]?

    /// A token of a service, with where it is renewed and ended.
    struct ServiceToken: Sendable {
        var token: HeldToken
        let tokenEndpoint: WebURL
    }

    /// A copy of the app that is not registered yet.
    public init(_ installation: Installation, with eduID: ServerDescription) {
        self.installation = installation
        self.eduID = eduID
    }

    /// Whether the instance is registered.
    public var isRegistered: Bool { client != nil }
    /// Whether a user is signed in.
    public var isSignedIn: Bool { personal != nil }
    /// Whether the personal token has to be renewed before it is used.
    public func isPersonalTokenExpired(at now: Timestamp) -> Bool { personal?.isExpired(at: now) ?? false }
    /// The services that gave the instance a token.
    public var authorizedServices: [ServiceURL] { services.keys.sorted() }
    /// The name of the instance's record, by which the edu-ID service knows it.
    public var clientKeyName: String? { client?.keyID.text }

    func endpoint(_ endpoint: ServerDescription.Endpoint) throws(ClientRejection) -> WebURL {
        guard let url = eduID.endpoints[endpoint] else { throw .noEndpoint(endpoint) }
        return url
    }

    func registered() throws(ClientRejection) -> HeldToken {
        guard let client else { throw .unregistered }
        return client
    }

    func signedIn() throws(ClientRejection) -> HeldToken {
        guard let personal else { throw .signedOut }
        return personal
    }

    /// Forgets everything that hangs on the user.
    mutating func forgetUser() {
        personal = nil
        services = [:]
        profile = JSON.Object()
        usage = nil
    }
}

// MARK: - (1) Registration

extension Session {
    /// Registers the instance (REG-1), with the statement that its version's key signs.
    public func registration() throws(ClientRejection) -> HTTP.Request {
        try encoded(.registration(try statement()), to: try endpoint(.token))
    }

    /// Takes in the answer: the instance has a token of its own, and nothing of an earlier registration.
    public mutating func receiveRegistration(_ response: HTTP.Response?, at now: Timestamp) throws(ClientRejection) {
        client = try HeldToken(try granted(response), of: installation, at: now)
        forgetUser()
    }

    /// Moves the instance to a newer version (REG-5); its user stays signed in.
    public func upgrade(to newer: Installation, at now: Timestamp, using entropy: inout some RandomNumberGenerator)
        throws(ClientRejection)
        -> HTTP.Request
    {
        let url = try endpoint(.token)
        guard case .bearer(let token) = try registered().proof(for: url, at: now, using: &entropy),
            let proof = try? Assertion(parsing: token.secret)
        else { throw .unregistered }
        return try encoded(.upgrade(try Session(newer, with: eduID).statement(), of: proof), to: url)
    }

    /// Takes in the answer to an upgrade.
    public mutating func receiveUpgrade(to newer: Installation, _ response: HTTP.Response?, at now: Timestamp)
        throws(ClientRejection)
    {
        client = try HeldToken(try granted(response), of: newer, at: now)
        installation = newer
    }

    /// Tells the service that the device has changed, such as its name (REG-6).
    public func deviceChange(
        to device: AppVersion.Device, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    )
        throws(ClientRejection)
        -> HTTP.Request
    {
        let url = try endpoint(.token)
        guard
            case .bearer(let token) = try registered().proof(for: url, adding: device.members, at: now, using: &entropy)
        else {
            throw .unregistered
        }
        return try encoded(.change(token), to: url)
    }

    /// Takes in the answer to a change of the device.
    public mutating func receiveDeviceChange(
        to device: AppVersion.Device, _ response: HTTP.Response?, at now: Timestamp
    )
        throws(ClientRejection)
    {
        client = try HeldToken(try granted(response), of: installation, at: now)
        installation.device = device
    }

    private func statement() throws(ClientRejection) -> Assertion {
        do throws(IssuanceRejection) {
            return try Statement.AppRegistration.signed(
                with: installation.versionKey, of: installation.appName, instance: installation.instance,
                on: installation.device,
                to: eduID.issuer, binding: installation.publicKey)
        } catch {
            throw .issuance(error)
        }
    }
}

// MARK: - (2) Signing in

/// A sign-in under way: the secret that only this instance has, behind the code that it asks for (RFC 7636).
public struct SignIn: Sendable {
    /// What is to be sent.
    public let request: HTTP.Request
    let verifier: Secret.CodeVerifier
}

extension Session {
    /// Hands the user's credentials over, which the app does not keep (AUT-2).
    public func signIn(
        _ user: UserName, _ password: Secret.Password, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> SignIn {
        let url = try endpoint(.authorizationChallenge)
        let verifier = Secret.CodeVerifier(using: &entropy)
        let credential = try registered().proof(for: url, at: now, using: &entropy)
        let request = ChallengeRequest(
            client: installation.instance, user: user, password: password, challenge: verifier.challenge,
            credential: credential)
        do throws(SyntaxError) {
            return SignIn(request: try request.encoded(to: url), verifier: verifier)
        } catch {
            throw .unwritable(error)
        }
    }

    /// Redeems the code that the credentials were answered with.
    public func redemption(
        of signIn: SignIn, _ response: HTTP.Response?, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        let outcome: ChallengeRequest.Outcome = try answer(response) { response throws(ParameterRejection) in
            try .init(parsing: response)
        }
        switch outcome {
        case .refused(let error): throw .refused(error)
        case .granted(let code):
            let url = try endpoint(.token)
            let credential = try registered().proof(for: url, at: now, using: &entropy)
            return try encoded(.code(code, verifier: signIn.verifier, credential: credential), to: url)
        }
    }

    /// Takes in the personal token.
    public mutating func receiveSignIn(_ response: HTTP.Response?, at now: Timestamp) throws(ClientRejection) {
        let token = try HeldToken(try granted(response), of: installation, at: now)
        forgetUser()
        personal = token
    }

    /// Renews the personal token (AUT-3).
    public func renewal(at now: Timestamp, using entropy: inout some RandomNumberGenerator) throws(ClientRejection)
        -> HTTP.Request
    {
        try renewal(of: try signedIn(), at: try endpoint(.token), now, &entropy)
    }

    /// Takes in the answer to a renewal; when it is a refusal nobody is signed in any more.
    public mutating func receiveRenewal(_ response: HTTP.Response?, at now: Timestamp) throws(ClientRejection) {
        do throws(ClientRejection) {
            personal = try signedIn().renewed(by: try granted(response), of: installation, at: now)
        } catch {
            if case .refused = error { forgetUser() }
            throw error
        }
    }
}

// MARK: - Requests and answers

extension Session {
    func encoded(_ request: TokenRequest, to url: WebURL) throws(ClientRejection) -> HTTP.Request {
        do throws(SyntaxError) { return try request.encoded(to: url) } catch {
            throw .unwritable(error)
        }
    }

    func granted(_ response: HTTP.Response?) throws(ClientRejection) -> TokenResponse {
        let outcome: TokenRequest.Outcome = try answer(response) { response throws(ParameterRejection) in
            try .init(parsing: response)
        }
        switch outcome {
        case .granted(let response): return response
        case .refused(let error): throw .refused(error)
        }
    }

    func answer<Value>(
        _ response: HTTP.Response?, _ read: (HTTP.Response) throws(ParameterRejection) -> Value
    ) throws(ClientRejection) -> Value {
        guard let response else { throw .unanswered }
        do throws(ParameterRejection) { return try read(response) } catch { throw .unusable(error) }
    }

    /// The body of a resource's answer, or what it was refused with.
    func body(_ response: HTTP.Response?) throws(ClientRejection) -> [UInt8] {
        guard let response else { throw .unanswered }
        if response.status.isSuccess { return response.body }
        let error: OAuth2Error = try answer(response) { response throws(ParameterRejection) in
            try .init(parsing: response)
        }
        throw .refused(error)
    }

    func renewal(
        of held: HeldToken, at url: WebURL, _ now: Timestamp, _ entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        guard let refreshToken = held.response.refreshToken else { throw .notRenewable }
        return try encoded(
            .refresh(refreshToken, credential: try held.proof(for: url, at: now, using: &entropy)), to: url)
    }

    /// A request for a resource, opened by a token.
    func request(
        _ method: HTTP.Request.Method, _ url: WebURL, with held: HeldToken, body: [UInt8] = [], _ now: Timestamp,
        _ entropy: inout some RandomNumberGenerator
    ) throws(ClientRejection) -> HTTP.Request {
        var request = HTTP.Request(method, .absolute(url), body: body)
        guard case .bearer(let token) = try held.proof(for: url, at: now, using: &entropy) else { throw .unboundToken }
        // Request tokens keep within the limits of fields.
        try? request.fields.append(.authorization, "Bearer " + token.secret)
        try? request.fields.append(.accept, HTTP.MediaType.json.text)
        if !body.isEmpty { try? request.fields.append(.contentType, HTTP.MediaType.json.text) }
        return request
    }
}
