internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// (1): registering instances of the app.

extension EduIDService {
    /// Answers at the token endpoint.
    func token(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try TokenRequest(parsing: call.request))
        switch request.grant {
        // REG-9: client credentials buy a registration and nothing else.
        case .clientCredentials: return try registration(request, call)
        case .code(let code, let verifier): return try redemption(of: code, verifier, request, call)
        case .refresh(let token): return try renewal(with: token, request, call)
        case .password(let name, let password) where policy.takesPasswords:
            return try signIn(name, password, request, call)
        case .signedCode:
            return Exchange.proved(by: try instance(request.credential, as: nil, call)) { _, _ throws(Refusal) in
                throw .unknownCode
            }
        case .password, .assertion:
            throw Refusal(.unsupportedGrantType, "this grant is not served here", "RFC6749-5.2")
        }
    }

    /// The record of a version, whose name is that of its key.
    func ground(of version: KeyID) -> TokenID { TokenID(version) }

    /// Whether a version has been shut out: in the registry, with its platform, or by an administrator (FED-4, REG-4).
    func isExcluded(_ version: AppVersion, by record: Record?) -> Bool {
        version.isBlocked || policy.excludedPlatforms.contains(version.platform)
            || record?.attributes[Self.blocked]?.bool == true
    }

    static let blocked: JSON.Name = "blocked"

    /// Checks S1's request token, and with it whether its version is admitted.
    func checked(
        _ received: Statement.AppRegistration.Unverified, _ asking: inout Inquiry
    ) throws(Refusal) -> (token: Statement.AppRegistration, ground: Lineage?) {
        let ground = try asking.lineage(of: ground(of: received.keyID))
        var version = versions[received.keyID]
        if let known = version {
            // A key that was stolen vouches for nothing any more, while its honest instances go on (threat 76).
            version?.isBlocked = isExcluded(known, by: ground?.record) || ground?.record.withdrawnSince != nil
        }
        let token = try refusing(
            TokenRejection.self,
            try Statement.AppRegistration(
                checking: received, against: version, to: addressee, policy: policy.appRequest, at: asking.now)
        )
        return (token, ground)
    }

    /// The service as statements and assertions mean it.
    var addressee: Statement.Addressee { Statement.Addressee(authority.issuer) }

    private func registration(_ request: TokenRequest, _ call: Call) throws(Refusal) -> Procedure {
        let received: Statement.AppRegistration.Unverified
        switch request.credential {
        case .proven: return try deviceDescription(request, call)
        case .assertion(let assertion):
            received = try refusing(TokenRejection.self, try Statement.AppRegistration.Unverified(parsing: assertion))
        case .bearer(let token):
            received = try refusing(TokenRejection.self, try Statement.AppRegistration.Unverified(parsing: token))
            if versions[received.keyID] == nil { return try deviceDescription(request, call) }
        case .none, .password:
            throw Refusal(
                .invalidClient, "registration takes a request token signed with the key of the app's version", "REG-1")
        }
        guard let assertion = request.instanceAssertion else {
            return { asking throws(Refusal) in try register(received, request, call, nil, &asking) }
        }
        guard let proof = try? AccessToken(parsing: assertion.secret) else { throw .failed }
        let proving = try authority.proving(
            .bearer(proof), call.demand(.client, evenUnconfirmed: true), policy: policy.proof, at: call.now)
        return { asking throws(Refusal) in try register(received, request, call, proving, &asking) }
    }

    /// Registers an instance, or if it proves which one it is puts it on what the statement says.
    private func register(
        _ received: Statement.AppRegistration.Unverified, _ request: TokenRequest, _ call: Call,
        _ proving: Proving?, _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        let (token, ground) = try checked(received, &asking)
        if let client = request.client, client.canonical != token.instance {
            throw Refusal(.invalidClient, "'client_id' is not the instance that the assertion is about", "RFC7521-4.2")
        }
        let holder = Record.Holder(token.instance)
        let earlier = try asking.lineage(of: .client, heldBy: holder)
        // REG-7: who has been rejected comes back under no version.
        if earlier?.entry.fate.revocation?.reason == .barred {
            throw Refusal(.unauthorizedClient, "this instance has been rejected", "REG-7")
        }
        var changes = token.singleUse.map { [$0.change] } ?? []
        if ground == nil { changes.append(.insert(record(of: token.version, at: asking.now))) }
        let present = try proving.map { proving throws(Refusal) in try proving(&asking) }
        if let present { return try renewed(present, by: token, from: earlier, changes, &asking) }
        if let earlier {
            // REG-5: a new registration is no way back to a lower version.
            guard !isDowngrade(of: earlier, to: token.version) else { throw .downgrade }
            guard !earlier.verdict(at: asking.now).grantLives else {
                // Who knows a version's key and a UUID is not yet that instance (threat 63).
                guard let proof = request.proof else { throw .unprovedInstance }
                let present = try authority.requester(
                    earlier, proof, at: call.url, policy: policy.proof, asking.now)
                return try renewed(present, by: token, from: earlier, changes, &asking)
            }
            // REQ-10: what is left of the earlier token ends, with all below it.
            changes += ending(earlier, .superseded, at: asking.now)
        }
        let (key, uses) = try newKey(of: token, request, call)
        let record = Record(
            id: TokenID(using: &asking.chance), kind: .client, parent: self.ground(of: token.version.keyID),
            issued: asking.now, holder: holder, boundKey: try authority.binding(to: key, policy.proof),
            attributes: ["device": .object(token.device.members)])
        return Answer(try clientToken(for: record, &asking), changes + uses + [.insert(record)])
    }

    /// The key that a new instance wants to be known by: it is in the statement, or the request is signed by it (threat
    /// 63), lest somebody on the way put another one there.
    private func newKey(
        of token: Statement.AppRegistration, _ request: TokenRequest, _ call: Call
    ) throws(Refusal) -> (key: JWK?, uses: [Change]) {
        let key = try token.key.agreeing(with: request.key, .twoKeys)
        guard let key, token.key == nil || request.proof != nil else { return (key, []) }
        guard let proof = request.proof else { throw .unsignedKey }
        let received = try refusingClient(try DPoPProof.Unverified(parsing: proof))
        let checked = try refusingClient(
            try DPoPProof(
                checking: received, for: .post, requesting: call.url, with: nil, policy: policy.proof, at: call.now))
        guard checked.isBy(key, under: policy.proof.holders) else { throw .unsignedKey }
        return (key, [checked.singleUse.change])
    }

    /// How long the token of an instance is good: longer than everything else that the service signs, unless its access
    /// tokens are.
    package static let clientTokenLifetime: Duration = .seconds(365 * 86_400)

    /// The token of an instance: unique to it (REG-3), bound to its key (POP-1), and good until it is revoked.
    private func clientToken(
        for record: Record, serial: String? = nil, _ asking: inout Inquiry
    ) throws(Refusal) -> HTTP.Response {
        try authority.response(
            for: record, scope: Scope(), lifetime: Self.clientTokenLifetime, isTold: false, serial: serial, &asking)
    }

    private func isDowngrade(of earlier: Lineage, to version: AppVersion) -> Bool {
        guard let old = self.version(of: earlier) else { return false }
        return old.platform == version.platform && old.appName == version.appName && version.number < old.number
    }

    /// The version that an instance runs (FED-2).
    func version(of lineage: Lineage) -> AppVersion? {
        lineage.nearest(.versionKey).flatMap { try? KeyID(parsing: $0.id.text) }.flatMap { versions[$0] }
    }

    /// A version, as the ground of its instances.
    func record(of version: AppVersion, at now: Timestamp) -> Record {
        Record(
            id: ground(of: version.keyID), kind: .versionKey, parent: nil, issued: now,
            holder: .init(version.keyID),
            attributes: [
                "platform": .string(version.platform.name.text), "version": .string(version.number.description),
            ])
    }
}

// MARK: - What a registered instance changes

extension EduIDService {
    /// Puts a registered instance on a new statement, of its own version or a higher one (REG-5).
    ///
    /// It shows that version's key and its own, and its user stays signed in. Its earlier token ends (REQ-10).
    private func renewed(
        _ requester: Requester, by token: Statement.AppRegistration, from earlier: Lineage?, _ changes: [Change],
        _ asking: inout Inquiry
    ) throws(Refusal) -> Answer<HTTP.Response> {
        guard requester.record.id == earlier?.record.id, let old = requester.lineage.nearest(.versionKey)?.id else {
            throw Refusal(.invalidClient, "the two proofs are of different instances", "REG-5")
        }
        let new = ground(of: token.version.keyID)
        // From a version that is not registered any more every way is one up.
        let isUpgrade = version(of: requester.lineage).map { token.version.isUpgrade(of: $0) } ?? true
        guard new == old || isUpgrade else { throw .downgrade }
        if let key = token.key, (try? key.thumbprint()) != requester.key?.thumbprint {
            throw Refusal(.invalidClient, "an instance keeps its key as long as it is registered", "threat-38")
        }
        // What came through a version that is shut out ends with it, also where nobody was told so far: behind the move
        // nothing would be known of it.
        let left = isAdmitted(requester.lineage) ? [] : try takenBack(ofInstance: requester.record.id, &asking)
        guard left.count <= 2 * endedAtOnce else {
            throw Refusal.endsFirst.changing(changes + requester.changes + left.prefix(2 * endedAtOnce))
        }
        var attributes = requester.record.attributes
        attributes["device"] = .object(token.device.members)
        let serial = Base64URL.encode(asking.chance.bytes(6))
        attributes[Record.currentToken] = .string(serial)
        return Answer(
            try clientToken(for: requester.record, serial: serial, &asking),
            changes + requester.changes + left
                + (new == old ? [] : [.reground(requester.record.id, from: old, onto: new)])
                + [requester.record.keeping(attributes)])
    }

    /// Corrects what is known of an instance's device (REG-6): the claims of its request token that describe the device
    /// take the place of what was there.
    private func deviceDescription(_ request: TokenRequest, _ call: Call) throws(Refusal) -> Procedure {
        let client = try client(
            request.credential, call.demand(.client, evenUnconfirmed: true), as: request.client, call.now)
        return Exchange.proved(by: client) { requester, asking throws(Refusal) in
            var device = requester.record.attributes["device"]?.object ?? JSON.Object()
            for name in AppVersion.Device.claims {
                guard let value = requester.possession?.claims[name] else { continue }
                guard let text = value.string, (try? AppVersion.Device.Detail(parsing: text)) != nil else {
                    throw Refusal(.invalidRequest, "the claim '\(name)' must be a text that is not empty", "REG-2")
                }
                device[name] = value
            }
            var attributes = requester.record.attributes
            attributes["device"] = .object(device)
            return Answer(
                try clientToken(for: requester.record, &asking),
                [requester.record.keeping(attributes), .touch(requester.record.id)])
        }
    }
}

extension Refusal {
    fileprivate static let twoKeys = Refusal(
        .invalidRequest, "the statement and 'req_cnf' name different keys", "POP-1")
    fileprivate static let unprovedInstance = Refusal(
        .invalidClient,
        "the instance is registered: prove its present key with 'instance_assertion' or a DPoP proof", "threat-63")
    fileprivate static let unsignedKey = Refusal(
        .invalidClient, "the key beside the statement does not sign the request; put it into the statement", "threat-63"
    )
    fileprivate static let endsFirst = Refusal(
        .temporarilyUnavailable, "what came through the version before is still being ended; try again", "FED-4")
    fileprivate static let downgrade = Refusal(
        .unauthorizedClient, "an instance moves to a higher version of its line and never back", "REG-5")
}

extension AppVersion.Device {
    /// The claims that describe a device (REG-2).
    static let claims: [JSON.Name] = ["device_id", "name", "device_type", "os_version"]

    /// The device as records keep it.
    var members: JSON.Object {
        [
            "device_id": .string(id.text), "name": .string(name.text), "device_type": .string(type.text),
            "os_version": .string(systemVersion.text),
        ]
    }
}
