public import JOSE
public import Federation
public import OAuth2Grants
public import RSD2
public import Wire

// The steps of every story, each from the app's first request to the last answer.

extension Parties {
    /// (1) The instance registers.
    public mutating func register() throws(ClientRejection) {
        let response = federation.send(try session.registration())
        try session.receiveRegistration(response, at: federation.now)
    }

    /// (2) The person signs in, and the app fetches the profile (2a) and the usage list (3).
    public mutating func signIn() throws(ClientRejection) {
        try signIn(person.name, person.password)
    }

    /// (2) Somebody signs in.
    public mutating func signIn(_ name: UserName, _ password: Secret.Password) throws(ClientRejection) {
        let now = federation.now
        let signIn = try session.signIn(name, password, at: now, using: &federation.entropy)
        let code = federation.send(signIn.request)
        let request = try session.redemption(of: signIn, code, at: now, using: &federation.entropy)
        try session.receiveSignIn(federation.send(request), at: now)
        try session.receiveProfile(federation.send(try session.profileRequest(at: now, using: &federation.entropy)))
        try refreshUsage()
    }

    /// (3) The app asks which services the person has used.
    public mutating func refreshUsage() throws(ClientRejection) {
        let request = try session.usageRequest(at: federation.now, using: &federation.entropy)
        try session.receiveUsage(federation.send(request))
    }

    /// (3b) The app asks for the services that offer some protocols.
    public mutating func discover(_ protocols: [ProtocolName]) throws(ClientRejection) -> [ServiceDescription] {
        let request = try session.discovery(.protocols(protocols), at: federation.now, using: &federation.entropy)
        return try session.discovered(in: federation.send(request)).map { $0.description }
    }

    /// (4) and (5) The app is introduced to a service and redeems the assertion there.
    public mutating func authorize(_ service: ServiceURL) throws(ClientRejection) {
        let now = federation.now
        let introduction = try session.introduction(to: service, at: now, using: &federation.entropy)
        let answer = federation.send(introduction.request)
        let redeeming = try session.redemption(of: introduction, answer, at: now, using: &federation.entropy)
        try session.receive(redeeming, federation.send(redeeming.request), at: now)
    }

    /// (8) The app obtains the token of a third-party app at a service.
    public mutating func authorizeApp(
        _ app: BundleID, at service: ServiceDescription, for protocols: [ProtocolName], binding key: JWK? = nil
    ) throws(ClientRejection) -> ServiceDescription {
        let request = try session.appAuthorization(
            of: app, at: service, for: protocols, binding: key, at: federation.now, using: &federation.entropy)
        return try session.authorization(of: service, for: protocols, federation.send(request))
    }

    /// (10) The person signs out.
    public mutating func signOut() throws(ClientRejection) {
        let request = try session.signOut(at: federation.now, using: &federation.entropy)
        try session.receiveSignOut(federation.send(request))
    }
}
