internal import JOSE
internal import OAuth2Grants
internal import RSD2
internal import Wire

/// What a token endpoint's answer to a renewal says about the authorization.
enum TokenAnswer {
    /// New tokens, with all members that came with them.
    case granted(JSON.Object)
    /// The service will not renew it.
    case refused(OAuth2Error.Code)
    /// Nothing: there was no answer, or it is about something else.
    case unavailable

    /// Reads an answer; an error that blames the server for the moment, the refusal of a proof by a server that has
    /// another time, and all that is no answer of OAuth, say nothing.
    ///
    /// Of a success nothing more is asked than an access token: the used refresh token is worth nothing any more,
    /// whatever else is wrong.
    init(_ response: HTTP.Response?, at now: Timestamp) {
        self = .unavailable
        guard let response, !response.refusesProof || response.difference(from: now, at: now) == nil else { return }
        if response.status == .ok {
            guard
                let members = try? JSON(parsing: response.body, limits: JSON.Limits(size: 64 << 10, depth: 16)).object,
                members["access_token"]?.string != nil
            else { return }
            self = .granted(members)
        } else if case .refused(let error)? = try? TokenRequest.Outcome(parsing: response) {
            self = .refused(error.code)
        }
    }
}

extension NAILState.Grant {
    /// An endpoint of the service's authorization component.
    func authorizationEndpoint(_ path: String) throws(NAILState.Refusal) -> WebURL {
        guard let oauth2 = description.oauth2 else { throw .noAuthorizationServer }
        return try endpoint(of: oauth2.name, path: path)
    }
}

extension Credentials {
    /// The authorization after an answer to the renewal of these, and what became of the renewal.
    func settled(
        by answer: TokenAnswer, at now: Timestamp, in grant: NAILState.Grant
    ) -> (Authorization, NAILState.Renewal.Outcome) {
        switch answer {
        case .unavailable: return (.live(self), .unavailable)
        case .refused(let code): return (.ended(code), .refused(code))
        case .granted(let members):
            do throws(MessageRejection) {
                let renewed = try readable(renewed(by: members))
                return (.live(try Credentials(renewed, receivedAt: now, key: grant.key, app: grant.app)), .renewed)
            } catch {
                let kept = keepingOnly(members["refresh_token"], key: grant.key, app: grant.app)
                return (.live(kept), .unusable(error))
            }
        }
    }

    /// The members after a renewal: what the answer says, and what it need not repeat (RFC 6749 §6).
    private func renewed(by answer: JSON.Object) -> JSON.Object {
        var renewed = members
        renewed["expires_in"] = nil
        for member in answer { renewed[member.name] = member.value }
        // Deployed servers write the lifetime as a text, or with a fraction.
        let lifetime = renewed["expires_in"].flatMap { $0.number?.text ?? $0.string }
        if let seconds = lifetime.flatMap({ try? Timestamp(parsing: $0) })?.seconds {
            renewed["expires_in"] = .number(JSON.Number(seconds))
        }
        return renewed
    }

    /// The members, when the reader of a serialized state takes them: what it does not take must not enter (threat 56).
    private func readable(_ members: JSON.Object) throws(MessageRejection) -> JSON.Object {
        let (length, limit) = (members.encoded().count, ProtocolResponse.authorizationLimit)
        guard length <= limit else { throw .tooLong(length: length, limit: limit) }
        return try wrapping(MessageRejection.document, try ServiceDescription.Authorization(members: members)).members
    }

    /// The credentials with nothing new but the refresh token, because the used one is worth nothing any more.
    fileprivate func keepingOnly(_ refreshToken: JSON?, key: DeviceKey?, app: BundleID) -> Credentials {
        var kept = members
        if let refreshToken { kept["refresh_token"] = refreshToken }
        let members = (try? readable(kept)) ?? members
        var credentials = (try? Credentials(members, expiration: expiration, key: key, app: app)) ?? self
        credentials.isRefused = true
        return credentials
    }
}

extension Authorization {
    /// With what a request to an endpoint of the service says that it is the holder's: a request token where the
    /// authorization is bound to a key.
    func credential(
        for endpoint: WebURL, at now: Timestamp, knowing signatures: Signatures,
        using entropy: inout some RandomNumberGenerator
    ) throws(NAILState.Refusal) -> ClientCredential {
        guard case .signed(let requests, _)? = credentials?.presentation else { return .none }
        return .bearer(
            try wrapping(
                NAILState.Refusal.signing,
                try requests.token(for: endpoint, at: now, knowing: signatures, using: &entropy)))
    }
}

extension NAILState.Grant {
    /// The app's name as that of a client; `nil` where a request token names the app already.
    func client(beside credential: ClientCredential) -> ClientID? {
        credential == .none ? try? ClientID(parsing: app.text) : nil
    }
}
