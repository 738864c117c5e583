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

    /// Reads an answer; an error that blames the server for the moment, and all that is no answer of OAuth, says
    /// nothing.
    ///
    /// Of a success nothing more is asked than an access token: the used refresh token is worth nothing any more,
    /// whatever else is wrong.
    init(_ response: HTTP.Response?) {
        self = .unavailable
        guard let response else { return }
        if response.status == .ok {
            guard
                let members = try? JSON(parsing: response.body, limits: JSON.Limits(size: 64 << 10, depth: 16)).object,
                members["access_token"]?.string != nil
            else { return }
            self = .granted(members)
        } else if case .refused(let error)? = try? TokenOutcome(parsing: response) {
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

    /// The grant after an answer, wherever this refresh token stands in it.
    func replacing(
        _ refreshToken: RefreshToken, by answer: TokenAnswer, at now: Timestamp, _ outcome: inout Renewal.Outcome
    ) -> NAILState.Grant {
        var copy = self
        if let common, let changed = common.replacing(refreshToken, by: answer, at: now, in: self, &outcome) {
            copy.common = changed
        }
        for (name, authorization) in own {
            if let changed = authorization.replacing(refreshToken, by: answer, at: now, in: self, &outcome) {
                copy.own[name] = changed
            }
        }
        return copy
    }
}

extension Authorization {
    /// The authorization after an answer, where it has this refresh token.
    fileprivate func replacing(
        _ refreshToken: RefreshToken, by answer: TokenAnswer, at now: Timestamp, in grant: NAILState.Grant,
        _ outcome: inout Renewal.Outcome
    ) -> Authorization? {
        guard case .live(let credentials) = self, credentials.refreshToken == refreshToken else { return nil }
        switch answer {
        case .unavailable: return nil
        case .refused(let code):
            outcome = .refused(.renewalRefused(code))
            return .ended(.renewalRefused(code))
        case .granted(let members):
            do throws(AuthorizationRejection) {
                let renewed = try Credentials(
                    credentials.renewed(by: members), receivedAt: now, key: grant.key, app: grant.app)
                outcome = .renewed
                return .live(renewed)
            } catch {
                outcome = .unusable(error)
                return .live(credentials.keepingOnly(members["refresh_token"], key: grant.key, app: grant.app))
            }
        }
    }
}

extension Credentials {
    /// The members after a renewal: what the answer says, and what it need not repeat (RFC 6749 §6).
    fileprivate func renewed(by answer: JSON.Object) -> JSON.Object {
        var renewed = members
        renewed["expires_in"] = nil
        for member in answer { renewed[member.name] = member.value }
        return renewed
    }

    /// The credentials with nothing new but the refresh token, because the used one is worth nothing any more.
    fileprivate func keepingOnly(_ refreshToken: JSON?, key: AppKey?, app: BundleID) -> Credentials {
        var kept = members
        if let refreshToken { kept["refresh_token"] = refreshToken }
        var credentials = (try? Credentials(kept, expiration: expiration, key: key, app: app)) ?? self
        credentials.isRefused = true
        return credentials
    }

    /// Whether a token is the access token, or was signed for a request since this access token came.
    func hasGiven(_ token: String) -> Bool {
        switch presentation {
        case .bearer:
            guard let token = try? AccessToken(parsing: token) else { return false }
            return token == accessToken
        case .signed:
            let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 3, let payload = try? Base64URL.decode(parts[1]),
                let claims = try? JSON(parsing: payload, limits: JSON.Limits(size: 16 << 10, depth: 16)),
                let issued = claims["iat"]?.number?.integer(as: Int64.self)
            else { return false }
            return issued >= received?.seconds ?? .min
        }
    }
}

extension Authorization {
    /// With what a request to an endpoint of the service says that it is the holder's: a request token where the
    /// authorization is bound to a key.
    func credential(
        for endpoint: WebURL, at now: Timestamp, using entropy: inout some RandomNumberGenerator
    ) throws(NAILState.Refusal) -> ClientCredential {
        guard case .signed(let requests)? = credentials?.presentation else { return .none }
        do throws(IssuanceRejection) {
            return .bearer(try requests.token(for: endpoint, at: now, using: &entropy))
        } catch {
            throw .signing(error)
        }
    }
}

extension NAILState.Grant {
    /// The app's name as that of a client; nothing where a request token names the app already.
    func client(beside credential: ClientCredential) -> ClientID? {
        credential == .none ? try? ClientID(parsing: app.text) : nil
    }
}
