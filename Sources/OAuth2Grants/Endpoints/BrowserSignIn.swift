public import JOSE
public import Wire

// A sign-in that a person makes with the system's browser, at a provider where he or she has an account already: what
// the app sends and opens, and what comes back to it (OIC-1 to OIC-3, OIC-13; RFC 8252).

/// What leads a browser to a sign-in that an app has begun, once (OIC-1).
public struct BrowserInvitation: Sendable, Equatable {
    /// What names the sign-in: whoever has it can send a browser with it.
    public let request: Secret.RequestName
    /// For how many seconds it is good.
    public let lifetime: Int64

    /// Names a sign-in.
    public init(_ request: Secret.RequestName, for lifetime: Int64) {
        (self.request, self.lifetime) = (request, lifetime)
    }

    private static let prefix = "urn:ietf:params:oauth:request_uri:"

    /// The name with a secret in it that leads to what is kept.
    package static func name(of secret: String) throws(SyntaxError) -> Secret.RequestName {
        try Secret.RequestName(parsing: prefix + secret)
    }

    /// The secret in a name; `nil` where somebody else made it.
    package static func secret(in name: Secret.RequestName) -> String? {
        let (bytes, prefix) = (name.secret.utf8, Self.prefix.utf8)
        guard bytes.starts(with: prefix) else { return nil }
        return String(name.secret.dropFirst(prefix.count))
    }

    /// What goes with it.
    package static let error = OAuth2Error(.redirectToWeb, "go on in a browser, at the authorization endpoint")

    func encoded() -> HTTP.Response {
        .json(Self.error.status()) { object in
            Self.error.write(to: &object)
            object.member("request_uri", request.secret)
            object.member("expires_in", lifetime)
        }
    }

    /// Reads an answer that leads to a browser; `nil` if it is another, or says nothing to go there with.
    init?(parsing response: HTTP.Response) throws(ParameterRejection) {
        guard response.status == .forbidden, let members = try? Parameters(membersOf: response),
            let error = try? members.text("error"), error.spells(OAuth2Error.Code.redirectToWeb.text),
            let name: Secret.RequestName = try members.secret("request_uri")
        else { return nil }
        guard !members.contains("authorization_code") else { throw .together("request_uri", "authorization_code") }
        self.init(name, for: try members.required("expires_in", try members.seconds("expires_in")))
    }

    /// Where the app has the browser go, at the service's authorization endpoint.
    public func location(at endpoint: WebURL, for client: ClientID) throws(ParameterRejection) -> WebURL {
        try endpoint.adding(
            HTTP.Form([HTTP.Form.Pair("client_id", client.text), HTTP.Form.Pair("request_uri", request.secret)]))
    }
}

/// A browser that comes to an authorization endpoint to begin a sign-in (OIC-3).
public struct BrowserArrival: Sendable, Equatable {
    /// The app that sent it.
    public let client: ClientID
    /// What names the sign-in.
    public let request: Secret.RequestName

    /// Whether a request is one, and not an app's that asks by a credential of its own.
    public static func isMade(by request: HTTP.Request) -> Bool {
        guard request.method == .get, request.fields.value(of: .authorization) == .absent,
            let parameters = try? Parameters(queryOf: request)
        else { return false }
        return parameters.contains("request_uri")
    }

    /// Reads the query of a request; other parameters are ignored.
    public init(parsing request: HTTP.Request) throws(ParameterRejection) {
        let parameters = try Parameters(queryOf: request)
        client = try parameters.required("client_id", try parameters.identifier("client_id"))
        self.request = try parameters.required("request_uri", try parameters.secret("request_uri"))
    }
}

/// What a browser brings back to an app (OIC-13): a code or an error, the app's state, and who answers (RFC 9207).
public struct BrowserReturn: Sendable, Equatable {
    /// What an authorization server answers through a browser.
    public enum Answer: Equatable, Sendable {
        /// The code.
        case code(Secret.AuthorizationCode)
        /// Why there is none.
        case refused(OAuth2Error)
    }

    /// The code, or why there is none.
    public let answer: Answer
    private let state: Secret.CallbackState
    private let issuer: Issuer

    /// Answers an app.
    public init(_ answer: Answer, state: Secret.CallbackState, by issuer: Issuer) {
        (self.answer, self.state, self.issuer) = (answer, state, issuer)
    }

    /// Where the browser is sent: to the app's address, with the answer behind it.
    public func link(to address: CallbackAddress) -> String {
        var pairs =
            switch answer {
            case .code(let code): [HTTP.Form.Pair("code", code.secret)]
            case .refused(let error):
                [HTTP.Form.Pair("error", error.code.text)]
                    + (error.explanation.map { [HTTP.Form.Pair("error_description", $0.text)] } ?? [])
            }
        pairs += [HTTP.Form.Pair("state", state.secret), HTTP.Form.Pair("iss", issuer.text)]
        return address.text + "?" + HTTP.Form(pairs).text
    }

    /// Reads a link with which the app was called, which counts where it goes to the app's address, has the state that
    /// the app made, and is by the service that was asked.
    public init(
        parsing link: String, to address: CallbackAddress, expecting state: Secret.CallbackState, by service: Issuer
    ) throws(ParameterRejection) {
        let (bytes, start) = (Array(link.utf8), Array((address.text + "?").utf8))
        guard bytes.starts(with: start) else { throw .callback }
        let parameters = try Parameters(query: bytes[start.count...].prefix { $0 != UInt8(ascii: "#") })
        let found: Secret.CallbackState = try parameters.required("state", try parameters.secret("state"))
        guard found == state else { throw .state }
        try parameters.checkIssuer("iss", service)
        (self.state, issuer) = (found, service)
        answer = try parameters.callbackAnswer()
    }
}

extension Parameters {
    /// The code or the error that came through a browser; both together are none.
    func callbackAnswer() throws(ParameterRejection) -> BrowserReturn.Answer {
        let code: Secret.AuthorizationCode? = try secret("code")
        switch (code, try text("error")) {
        case (let code?, nil): return .code(code)
        case (nil, let error?):
            let code = try wrapping(ParameterRejection.error, try OAuth2Error.Code(parsing: error))
            return .refused(OAuth2Error(code, try text("error_description")))
        case (nil, nil): throw .missing("code")
        case (_?, _?): throw .repeated("error")
        }
    }
}
