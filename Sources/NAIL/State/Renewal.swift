public import JOSE
public import OAuth2Grants
public import RSD2
public import Wire

extension NAILState {
    /// A renewal that was begun: the request to send to the service's token endpoint, whose answer is settled with
    /// ``NAILState/settle(_:with:at:)``.
    public struct Renewal: Sendable, CustomStringConvertible, CustomReflectable {
        /// What is to be sent, once.
        public let request: HTTP.Request
        let key: Key
        /// When it was begun, in the time of the service where that is known.
        let signing: Signing
        /// Whether there is something that bears that time.
        let isSigned: Bool

        /// What makes two renewals the same: one refresh token at one endpoint, wherever in the state it stands.
        struct Key: Hashable, Sendable {
            let endpoint: WebURL
            let refreshToken: RefreshToken

            func hash(into hasher: inout Hasher) {
                hasher.combine(endpoint)
                for byte in refreshToken.secret.utf8 { hasher.combine(byte) }
            }
        }

        /// What became of a renewal.
        public enum Outcome: Equatable, Sendable {
            /// New tokens are in the state.
            case renewed
            /// The service refused; the authorization is over, and no other.
            case refused(OAuth2Error.Code)
            /// There was no answer, or none that says anything about the authorization; nothing has changed.
            case unavailable
            /// The service refuses what was signed, and its clock is so far ahead of the device's; nothing has changed.
            ///
            /// The next renewal is signed in the service's time. Where this comes of that as well, tell the person to
            /// set the device's clock, unless it is zero: then the renewal was too long on its way.
            case otherTime(Duration)
            /// The authorization is no longer in the state; nothing has changed.
            case superseded
            /// New tokens came, and this app cannot use them; what was new about renewing is kept.
            case unusable(MessageRejection)
        }

        /// Where it goes, without any token.
        public var description: String { "Renewal(\(key.endpoint); redacted)" }

        /// Nothing to look into: a dump ends up in logs.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}

extension NAILState {
    /// Begins to renew what opens a protocol of a service, whether or not it has expired yet (TOK-2, NIF-9).
    ///
    /// A refresh token is good for one use, so each is under way only once (threat 28): the second who asks is refused,
    /// and asks again when the first is settled. Where a signature is awaited from elsewhere (KEY-20), nothing is under
    /// way until it is among those that are known.
    public mutating func renew(
        _ serviceName: String, _ name: ProtocolName, path: String? = nil, at now: Timestamp,
        knowing signatures: Signatures = .none, using entropy: inout some RandomNumberGenerator
    ) throws(Refusal) -> Renewal {
        let found = try find(serviceName, name, path: path)
        let key = try found.grant.renewalKey(of: found.authorization)
        guard !underWay.contains(key) else { throw .underWay }
        guard destinations.permits(key.endpoint, namedBy: found.service.url) else { throw .closedAddress(key.endpoint) }
        let signing = signing(for: key.endpoint, at: now)
        let credential = try found.authorization.credential(
            for: key.endpoint, at: signing.time, knowing: signatures, using: &entropy)
        var request = TokenRequest.refresh(key.refreshToken, credential: credential)
        request.client = found.grant.client(beside: credential)
        // Request tokens consist of characters that every header field can carry.
        guard let message = try? request.encoded(to: key.endpoint) else { throw .unwritable }
        underWay.insert(key)
        return Renewal(request: message, key: key, signing: signing, isSigned: credential != .none)
    }

    /// Takes in what the service answered, or that it did not answer.
    ///
    /// A new refresh token is in the state together with its access token. Only a refusal in the words of OAuth ends an
    /// authorization; silence and confusion end none. When the authorization was replaced or removed in the meantime,
    /// nothing changes (NIF-9).
    @discardableResult
    public mutating func settle(_ renewal: Renewal, with response: HTTP.Response?, at now: Timestamp) -> Renewal.Outcome
    {
        underWay.remove(renewal.key)
        if renewal.isSigned {
            if let difference = hear(response, to: renewal.signing, at: now) { return .otherTime(difference) }
            // Nothing is over because of a time that was only supposed.
            if response?.refusesProof == true, forgetUnproven(renewal.signing) { return .unavailable }
        }
        let answer = TokenAnswer(response, at: renewal.signing.time)
        if case .unavailable = answer { return .unavailable }
        var outcome = Renewal.Outcome.superseded
        for (identity, service) in services {
            for (position, grant) in service.grants.enumerated()
            where (try? grant.authorizationEndpoint("token")) == renewal.key.endpoint {
                for (place, authorization) in grant.authorizations {
                    guard case .live(let credentials) = authorization,
                        credentials.refreshToken == renewal.key.refreshToken
                    else { continue }
                    let (changed, result) = credentials.settled(by: answer, at: now, in: grant)
                    services[identity]?.grants[position].authorizations[place] = changed
                    outcome = result
                }
            }
        }
        return outcome
    }

    /// Notes that a service refused a token that the state gave (NIF-9): the access token is taken for expired, and no
    /// other is.
    ///
    /// A token from before the last renewal says nothing about the one that came with it; what is not the state's own
    /// token changes nothing. Answers whether the authorization is now expired.
    ///
    /// - Parameter now: what time it is, so that the refusal counts also where the device's clock was set back.
    @discardableResult
    public mutating func noteRefusal(
        of token: String, by serviceName: String, _ name: ProtocolName, path: String? = nil, at now: Timestamp? = nil
    ) -> Bool {
        guard let found = try? find(serviceName, name, path: path), var credentials = found.authorization.credentials,
            credentials.hasGiven(token, by: clocks, at: now)
        else { return false }
        credentials.isRefused = true
        replace(found, by: .live(credentials))
        return true
    }
}

extension NAILState {
    /// What a renewal for a protocol is known by.
    func renewalKey(_ serviceName: String, _ name: ProtocolName, path: String?) throws(Refusal) -> Renewal.Key {
        let found = try find(serviceName, name, path: path)
        return try found.grant.renewalKey(of: found.authorization)
    }

    /// Takes the place of this state; what is under way stays so, because its answers are still to come.
    mutating func replace(with other: NAILState) {
        services = other.services
    }

    /// What renewals at a service are known by.
    func renewalKeys(of serviceName: String) -> [Renewal.Key] {
        guard let service = try? service(serviceName) else { return [] }
        return service.grants.flatMap { grant in
            grant.authorizations.values.compactMap { try? grant.renewalKey(of: $0) }
        }
    }

    /// The protocols that are asked for anew when this one is: those of the grant that serves it.
    func grantedTogether(with name: ProtocolName, at service: ServiceURL) throws(Refusal) -> [ProtocolName] {
        try self.service(service.identity).grant(for: name).requested
    }

    /// The protocols at a service whose authorization gave a token, one for each authorization.
    func protocols(at service: ServiceURL, openedBy token: String, at now: Timestamp) -> [ProtocolName] {
        (services[JSON.Name(service.identity)]?.grants ?? []).flatMap { grant in
            let opened = grant.sorted.filter {
                $0.authorization.credentials?.hasGiven(token, by: clocks, at: now) == true
            }
            return opened.compactMap { entry in
                entry.place ?? grant.requested.first { grant.place(of: $0) == nil }
            }
        }
    }
}

extension NAILState.Grant {
    /// What a renewal of an authorization is known by.
    func renewalKey(of authorization: Authorization) throws(NAILState.Refusal) -> NAILState.Renewal.Key {
        switch authorization {
        case .ended(let code): throw .ended(code)
        case .live(let credentials):
            guard let refreshToken = credentials.refreshToken else { throw .notRenewable }
            return NAILState.Renewal.Key(endpoint: try authorizationEndpoint("token"), refreshToken: refreshToken)
        }
    }
}
