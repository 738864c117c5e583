internal import JOSE
internal import NAIL
internal import OAuth2Grants
internal import RSD2
internal import Wire

extension AuthorizingApp {
    /// A session at a moment: what a step of an interaction works with.
    ///
    /// A step is a function of it and of what was answered. One that has to wait for a signature runs again from the
    /// same turn when that is there, and then asks for the same bytes (KEY-20).
    struct Turn: Sendable {
        var session: Session
        let now: Timestamp
        var chance: Chance
        /// What came from where keys lie, and what did not come.
        var signatures = Signatures.none
        var keys: [ServiceURL: DeviceKey] = [:]
        var declined: Set<Awaited> = []
        var clock = ClockTrial()
        /// What the person had ended before the interaction began.
        var ended: [String] = []
        /// Whether the request bears a time that whoever checks it compares with theirs.
        private(set) var isDated = false

        /// The time in what is signed for a request to a URL.
        mutating func signingTime(for url: WebURL) -> Timestamp {
            isDated = true
            return now + (clock.difference(for: url, in: session) ?? .zero)
        }

        /// Whether the person has ended a service, or an app there, since the interaction began: then it is not for the
        /// interaction to begin there anew, whatever was chosen before.
        func isEndedMeanwhile(_ service: ServiceURL, for app: BundleID? = nil) -> Bool {
            session.isEnded(service, for: app, since: ended)
        }

        /// A request with which a holder proves to be one, at a URL.
        mutating func message(
            to url: WebURL, of holder: Holder, _ make: (ClientCredential, WebURL) throws(SyntaxError) -> HTTP.Request
        ) throws(Rejection) -> HTTP.Request {
            let proof = try proof(of: holder, for: url)
            return try wrapping(Rejection.syntax, try make(.bearer(proof), url))
        }

        private mutating func proof(of holder: Holder, for url: WebURL) throws(Rejection) -> AccessToken {
            try session.token(of: holder).proof(
                for: url, at: signingTime(for: url), knowing: signatures, using: &chance)
        }

        /// A request for a resource, opened by a holder's token.
        ///
        /// - Parameter query: what is asked for; the proof is for the URL without it.
        mutating func resource(
            _ method: HTTP.Request.Method, _ url: WebURL, asking query: String? = nil, of holder: Holder,
            body: [UInt8] = []
        ) throws(Rejection) -> HTTP.Request {
            let proof = try proof(of: holder, for: url)
            let target = try query.map { query throws(Rejection) in
                try wrapping(Rejection.url, try WebURL(parsing: url.text + "?" + query))
            }
            var request = HTTP.Request(method, .absolute(target ?? url), body: body)
            // Request tokens keep within the limits of fields.
            try? request.fields.append(.authorization, "Bearer " + proof.secret)
            try? request.fields.append(.accept, HTTP.MediaType.json.text)
            if !body.isEmpty { try? request.fields.append(.contentType, HTTP.MediaType.json.text) }
            return request
        }

        /// Keeps the token that an answer granted to a holder.
        ///
        /// - Parameter identity: who asked for it; who asked for the earlier one, or else the installation.
        mutating func keep(
            _ response: HTTP.Response?, of holder: Holder, from endpoint: WebURL? = nil,
            renewing isRenewal: Bool = false, as identity: ClientIdentity? = nil
        ) throws(Rejection) {
            let earlier = isRenewal ? session.held(holder) : nil
            let identity = identity ?? earlier?.identity ?? session.installation.identity
            let token = try HeldToken(
                AuthorizingApp.granted(response), renewing: earlier, of: identity, at: now)
            try session.keep(token, of: holder, from: endpoint)
        }
    }

    /// What a step waits for from where keys lie.
    enum Awaited: Hashable, Sendable {
        case signature(SignatureRequest)
        case key(ServiceURL)
    }
}

extension Rejection {
    /// What the step waits for that was rejected with this.
    var awaited: AuthorizingApp.Awaited? {
        switch self {
        case .issuance(.signing(.awaited(let request))): .signature(request)
        case .awaitedKey(let service): .key(service)
        default: nil
        }
    }
}

// MARK: - Messages

extension AuthorizingApp {
    static func granted(_ response: HTTP.Response?) throws(Rejection) -> TokenResponse {
        switch try answer(
            response, { response throws(ParameterRejection) in try TokenRequest.Outcome(parsing: response) })
        {
        case .granted(let response): return response
        case .refused(let error): throw .refused(error)
        }
    }

    static func answer<Value>(
        _ response: HTTP.Response?, _ read: (HTTP.Response) throws(ParameterRejection) -> Value
    ) throws(Rejection) -> Value {
        guard let response else { throw .unanswered }
        return try wrapping(Rejection.unusable, try read(response))
    }

    /// The body of a resource's answer, or what it was refused with.
    static func body(_ response: HTTP.Response?) throws(Rejection) -> [UInt8] {
        guard let response else { throw .unanswered }
        if response.status.isSuccess { return response.body }
        throw .refused(try wrapping(Rejection.unusable, try OAuth2Error(parsing: response)))
    }
}
