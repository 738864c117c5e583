internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import Wire

extension Provider {
    /// How somebody should be authenticated at the provider, as whoever sends the person there needs it.
    struct Wish: Sendable {
        /// What is needed of the sign-in.
        var demand = AuthenticationDemand.none
        /// Whether the provider shall ask the person, although it need not.
        var prompt: OpenID.AuthenticationRequest.Prompt?
        /// Who is likely to sign in.
        var loginHint: String?

        /// Leaves everything to the provider.
        init() {}
    }

    /// What is kept of somebody who was sent to a provider until the answer comes, which is found by the imprint of its
    /// state and counts once (OIC-4).
    ///
    /// Of state, nonce and the browser's mark it has the imprints. The verifier is not kept: it follows from the state,
    /// which only the answer brings back, and a secret of the service.
    struct Departure: Sendable, Equatable {
        /// The provider's ``Provider/callbackName``.
        @ExactText private(set) var callbackName: String
        /// The imprint of the state: a name for the record in which this is kept.
        let state: OpenID.Imprint
        let nonce: OpenID.Imprint
        let browser: OpenID.Imprint
        let demand: AuthenticationDemand
    }

    /// Where a browser is sent, and what is kept meanwhile.
    struct Redirect: Sendable {
        /// The provider, with the request or its name.
        let location: WebURL
        /// What the browser keeps, in a cookie of the service.
        let mark: OpenID.BrowserMark
        /// What the service keeps; it is stored before the browser is sent.
        let departure: Departure

        /// The answer that sends a browser, and has it keep its mark for as long as people may take at the provider.
        var response: HTTP.Response {
            var response = HTTP.Response.sending(to: location)
            response.set(Provider.cookie, to: mark.secret, for: Provider.patience)
            return response
        }
    }

    /// How long people may take at the provider.
    static let patience: Duration = .seconds(600)
    static let cookie = HTTP.Cookie("eduid-signin")

    /// What a browser kept that was sent to a provider; `nil` for none, or something else.
    static func mark(of request: HTTP.Request) -> OpenID.BrowserMark? {
        guard case .once(let text) = request.value(of: cookie) else { return nil }
        return try? OpenID.BrowserMark(parsing: text)
    }
}

extension HTTP.Response {
    /// An answer that sends a browser elsewhere and tells nobody there where it comes from.
    static func sending(to location: WebURL) -> HTTP.Response { sending(toLink: location.text) }

    /// The same, with a link that may lead to an app.
    static func sending(toLink link: String) -> HTTP.Response {
        var fields = HTTP.Fields()
        let policies: [(HTTP.Field.Name, String)] = [(.location, link), (.cacheControl, "no-store")]
        // URLs and callback addresses have the characters of fields.
        for (name, value) in policies { try? fields.append(name, value) }
        if let name = try? HTTP.Field.Name(parsing: "Referrer-Policy") { try? fields.append(name, "no-referrer") }
        return HTTP.Response(.found, fields: fields)
    }
}

// MARK: - Sending

extension Provider {
    /// Where this provider answers.
    func callback(at service: Authority) -> WebURL { service.endpoint("callback/" + callbackName) }

    /// Sends somebody to the provider: asks for its description, and leaves the request there where it takes that
    /// (RFC 9126).
    func redirect(
        for wish: Wish = Wish(), from service: Authority, _ asking: inout Inquiry
    ) throws(Refusal) -> Redirect {
        let description = try asking.description(of: self)
        let (state, nonce, mark) = (
            OpenID.State(using: &asking.chance), OpenID.Nonce(using: &asking.chance),
            OpenID.BrowserMark(using: &asking.chance)
        )
        var request = OpenID.AuthenticationRequest(
            by: client, answeredAt: callback(at: service), state: state, nonce: nonce,
            challenge: verifier(of: state, following: service.master).challenge)
        // OIC-14: nothing is kept that would outlive the sign-in.
        request.scope = Scope(scope.tokens.filter { !$0.text.utf8.elementsEqual("offline_access".utf8) })
        request.demand = wish.demand
        request.prompt = wish.prompt
        request.loginHint = wish.loginHint
        let departure = Departure(
            callbackName: callbackName, state: state.imprint, nonce: nonce.imprint, browser: mark.imprint,
            demand: wish.demand)
        return Redirect(
            location: try location(of: request, description, &asking), mark: mark, departure: departure)
    }

    private func location(
        of request: OpenID.AuthenticationRequest, _ description: OpenID.ProviderDescription,
        _ asking: inout Inquiry
    ) throws(Refusal) -> WebURL {
        guard let endpoint = description.pushedRequests else {
            guard !description.demandsPushedRequests else { throw .failingProvider("it takes no requests", "OIC-7") }
            return try refusing(ParameterRejection.self, try request.location(at: description.authorization))
        }
        let credential = try authentication(&asking)
        let sent = try refusing(ParameterRejection.self, try request.pushed(to: endpoint, by: credential))
        switch try asking.outcome(of: sent, OpenID.PushedRequest.Outcome.init(parsing:)) {
        case .kept(let pushed):
            return try refusing(
                ParameterRejection.self, try request.location(at: description.authorization, of: pushed))
        case .refused(let error): throw .failingProvider("it does not take the request: \(error.code)", "OIC-7")
        }
    }

    /// The secret with which a code is redeemed: only who has the state and the service's own secret knows it.
    func verifier(of state: OpenID.State, following master: HMAC<SHA256>.PreparedKey) -> Secret.CodeVerifier {
        let code = [UInt8](master.authenticationCode(for: Array(("verifier at a provider: " + state.secret).utf8)))
        guard let verifier = try? Secret.CodeVerifier(parsing: Base64URL.encode(code)) else {
            preconditionFailure("32 bytes in Base64url are a verifier")
        }
        return verifier
    }

    /// What shows the provider who asks.
    func authentication(_ asking: inout Inquiry) throws(Refusal) -> OpenID.ClientAuthentication {
        switch credential {
        case .secretInHeader(let secret): return .secretInHeader(secret)
        case .secretInBody(let secret): return .secretInBody(secret)
        case .key(let key):
            let now = asking.now
            let assertion = try asking.signed { (signatures, chance) throws(IssuanceRejection) in
                try Statement.ClientAssertion.Issuance(with: key, of: client).assertion(
                    to: issuer, at: now, knowing: signatures, using: &chance)
            }
            return .assertion(assertion)
        }
    }
}

// MARK: - What is kept

extension Provider.Departure {
    private static let version = 1

    /// Members of a record's attributes.
    var attributes: JSON.Object {
        var attributes: JSON.Object = [
            "version": .number(JSON.Number(Self.version)), "provider": .string(callbackName),
            "state": .string(state.text), "nonce": .string(nonce.text), "browser": .string(browser.text),
        ]
        for member in demand.members { attributes[member.name] = member.value }
        return attributes
    }

    /// Reads what was kept; `nil` for anything else, also for what a later version keeps: who signs in begins anew.
    init?(_ attributes: JSON.Object) {
        func imprint(_ name: JSON.Name) -> OpenID.Imprint? { attributes[name]?.string.flatMap { OpenID.Imprint($0) } }
        guard attributes["version"]?.number?.integer(as: Int.self) == Self.version,
            let callbackName = attributes["provider"]?.string, let state = imprint("state"),
            let nonce = imprint("nonce"), let browser = imprint("browser")
        else { return nil }
        guard let demand = AuthenticationDemand(keptIn: attributes) else { return nil }
        self.init(callbackName: callbackName, state: state, nonce: nonce, browser: browser, demand: demand)
    }
}
