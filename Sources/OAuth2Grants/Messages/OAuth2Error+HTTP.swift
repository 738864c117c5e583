public import JOSE
public import Wire

extension OAuth2Error {
    /// Where a peer is refused; the same error has another form at a resource than at an endpoint of the authorization
    /// server.
    public enum Place: Sendable, Hashable {
        /// An endpoint of the authorization server (RFC 6749 §5.2).
        case authorizationServer
        /// A resource that tokens open (RFC 6750 §3), with the scope that opens it, where that is what the token lacks.
        case resource(scope: Scope? = nil)
    }

    /// What the status of an answer tells about the error; what is wrong with a proof is the token endpoint's business
    /// like any other parameter (RFC 9449 §5 and §8), and a resource's like the token's (§7.1 and §9).
    public func status(at place: Place = .authorizationServer) -> HTTP.Response.Status {
        switch code {
        case .invalidClient, .invalidToken: .unauthorized
        case .useNonce, .invalidProof:
            if case .resource = place { .unauthorized } else { .badRequest }
        case .insufficientUserAuthentication:
            if case .resource = place { .unauthorized } else { .badRequest }
        case .insufficientScope, .insufficientAuthorization, .redirectToWeb: .forbidden
        case .serverError: .internalServerError
        case .temporarilyUnavailable: .serviceUnavailable
        default: .badRequest
        }
    }

    /// The answer that tells a peer.
    ///
    /// - Parameter algorithms: those of proofs, which a challenge tells (RFC 9449 §7.1).
    public func response(
        at place: Place = .authorizationServer, acceptingProofsBy algorithms: [Algorithm] = Algorithm.ofHolders
    ) -> HTTP.Response {
        let status = status(at: place)
        var response = HTTP.Response.json(status) { write(to: &$0) }
        if status == .unauthorized || code == .insufficientScope {
            for challenge in challenges(at: place, algorithms) { response.fields.add(.wwwAuthenticate, challenge.text) }
        }
        return response
    }

    /// What a resource answers to a request that carries no token at all: a challenge without an error (RFC 6750 §3.1),
    /// with the scope that opens it.
    public static func challengeWithoutToken(
        scope: Scope? = nil, acceptingProofsBy algorithms: [Algorithm] = Algorithm.ofHolders
    ) -> HTTP.Response {
        var response = HTTP.Response(.unauthorized, fields: .uncached)
        for scheme in [HTTP.Authentication.Scheme.bearer, .dpop] {
            var parameters = [scheme == .dpop ? Self.algorithms(algorithms) : Self.realm]
            if let scope, !scope.isEmpty { parameters.append((name: "scope", value: scope.text)) }
            guard let challenge = try? HTTP.Authentication(scheme, parameters) else { continue }
            response.fields.add(.wwwAuthenticate, challenge.text)
        }
        return response
    }

    private static let scopeLimit = 16_384
    private static let realm = (name: "realm", value: "edu-ID")

    private static func algorithms(_ algorithms: [Algorithm]) -> (name: String, value: String) {
        (name: "algs", value: algorithms.map { $0.name.text }.joined(separator: " "))
    }

    private func challenges(at place: Place, _ algorithms: [Algorithm]) -> [HTTP.Authentication] {
        var parameters = [(name: "error", value: code.text)]
        if let explanation { parameters.append((name: "error_description", value: explanation.text)) }
        parameters += demand.parameters
        // A scope that no header field can carry helps nobody.
        if case .resource(let scope?) = place, 1...Self.scopeLimit ~= scope.text.utf8.count {
            parameters.append((name: "scope", value: scope.text))
        }
        // The characters of errors and scopes are all allowed between quotes, and no name comes twice.
        let bearer = try? HTTP.Authentication(.bearer, [Self.realm] + parameters)
        let dpop = try? HTTP.Authentication(.dpop, [Self.algorithms(algorithms)] + parameters)
        return [bearer, dpop].compactMap { $0 }
    }
}

extension OAuth2Error: JSON.Writable {
    /// Writes the members of RFC 6749 §5.2, and what is demanded of the sign-in.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { write(to: &$0) }
    }

    func write(to object: inout JSON.ObjectWriter) {
        object.member("error", code.text)
        object.member("error_description", ifPresent: explanation?.text)
        object.member("error_uri", ifPresent: page?.text)
        demand.write(to: &object)
    }
}

extension OAuth2Error {
    /// Reads what an answer refuses with; what is no answer of OAuth is no refusal.
    public init(parsing response: HTTP.Response) throws(ParameterRejection) {
        guard response.status.code / 100 >= 4 else { throw .status(response.status) }
        // Resources may say it in the challenge alone (RFC 6750 §3), whatever their body is, and what they demand of
        // the sign-in they may say nowhere else (RFC 9470 §3).
        let challenge = OAuth2Error(challengeOf: response)
        do throws(ParameterRejection) {
            let told = try OAuth2Error(bodyOf: response)
            let isWhole = !told.demand.isEmpty || challenge?.code != told.code
            self.init(
                code: told.code, explanation: told.explanation, page: told.page,
                demand: isWhole ? told.demand : challenge?.demand ?? .none)
        } catch {
            guard let challenge else { throw error }
            self = challenge
        }
    }

    private init(bodyOf response: HTTP.Response) throws(ParameterRejection) {
        let members = try Parameters(membersOf: response)
        let name = try members.required("error", try members.text("error"))
        let code = try wrapping(ParameterRejection.error, try Code(parsing: name))
        // Words are for people: those that break the character set are told all the same, without what breaks it.
        let words = try members.text("error_description").map { Explanation(sanitizing: $0) }
        let page = try members.text("error_uri").flatMap { try? WebURL(parsing: $0) }
        // What is demanded and cannot be read is not known, as where nothing is said.
        self.init(code: code, explanation: words, page: page, demand: (try? members.demand()) ?? .none)
    }

    /// What an endpoint of an authorization server refuses with, or `nil` if it answers with success: by its status a
    /// fault of the request, and none of the server's.
    ///
    /// Everything else is no word on the request, and says nothing about the grant behind it.
    static func refusal(in response: HTTP.Response) throws(ParameterRejection) -> OAuth2Error? {
        if response.status == .ok { return nil }
        guard [.badRequest, .unauthorized, .forbidden].contains(response.status) else { throw .status(response.status) }
        let error = try OAuth2Error(parsing: response)
        guard error.code != .serverError, error.code != .temporarilyUnavailable else { throw .status(response.status) }
        // These words go with that status (RFC 6750 §3.1, FPA-3); with any other it is a gateway's.
        let words: [Code] = [.insufficientScope, .insufficientAuthorization, .redirectToWeb]
        guard response.status != .forbidden || words.contains(error.code) else { throw .status(response.status) }
        return error
    }

    private init?(challengeOf response: HTTP.Response) {
        for text in response.fields.values(of: .wwwAuthenticate) {
            guard let challenges = try? HTTP.Authentication.list(parsing: text.utf8) else { continue }
            for challenge in challenges where challenge.scheme == .bearer || challenge.scheme == .dpop {
                guard let name = challenge["error"], let code = try? Code(parsing: name) else { continue }
                self.init(
                    code: code, explanation: challenge["error_description"].map { Explanation(sanitizing: $0) },
                    page: nil, demand: challenge.demand ?? .none)
                return
            }
        }
        return nil
    }
}
