public import JOSE
internal import OAuth2Grants
internal import TokenTree
public import Wire

// Whoever vouches for somebody has all ended that he or she was given (GTR-1 to GTR-3).

extension EduIDService {
    /// A tool of the operator's that may have all ended that somebody was given, such as one that watches for theft.
    public struct Revoker: Sendable {
        /// The name under which it signs.
        public let issuer: Issuer
        let keys: [VerificationKey]

        /// A tool with its keys, which vouch for it alone.
        public init(_ issuer: Issuer, keys: [VerificationKey]) {
            self.issuer = issuer
            self.keys = keys.map { $0.owned(by: issuer) }
        }
    }

    /// Who asks, by the name under which the request is signed.
    private enum Caller {
        case provider(Provider)
        case tool(Revoker)
        /// One that is known here, and vouches for nobody.
        case service(ServiceIndex.Member)

        var issuer: Issuer {
            switch self {
            case .provider(let provider): provider.issuer
            case .tool(let tool): tool.issuer
            case .service(let service): service.issuer
            }
        }
    }

    /// Ends all that somebody was given, wherever it is, and what he or she has begun; instances stay registered.
    func endEverything(_ call: Call) throws(Refusal) -> Procedure {
        let request = try refusing(ParameterRejection.self, try GlobalRevocation(parsing: call.request))
        let token = try Statement.Unverified(ofParty: request.credential)
        let caller = token.claimedIssuer.flatMap { self.caller($0) }
        let person = person(meantBy: request, caller)
        return { asking throws(Refusal) in
            // Looked up first, so that signatures are checked when nothing is missing any more.
            let standing = try person.map { user throws(Refusal) in try self.standing(of: user, &asking) } ?? []
            // For an unknown caller there are no keys, and it is answered like a wrong signature.
            var keys: [VerificationKey] = []
            if let caller { keys = try self.keys(of: caller, naming: token.keyID, &asking) }
            let checked = try refusing(
                TokenRejection.self,
                try Statement.ClientAssertion(
                    checking: token, by: keys, of: ClientID(caller?.issuer ?? authority.issuer), to: addressee,
                    at: call.now))
            let use = [checked.singleUse.change].evenWithoutRoom
            guard person != nil else { throw Refusal.foreignPerson.changing(use) }
            let now = asking.now
            return try .everything(use, standing.map { ending($0, .issuer, at: now) })
        }
    }

    private func caller(_ issuer: Issuer) -> Caller? {
        if let provider, provider.issuer == issuer { return .provider(provider) }
        if let tool = policy.revokers.first(where: { $0.issuer == issuer }) { return .tool(tool) }
        return index[issuer].map { .service($0) }
    }

    private func keys(
        of caller: Caller, naming id: KeyID?, _ asking: inout Inquiry
    ) throws(Refusal) -> [VerificationKey] {
        switch caller {
        case .provider(let provider):
            try asking.keys(of: provider, try asking.description(of: provider), naming: id)
        case .tool(let tool): tool.keys
        case .service(let service): try asking.keys(of: keys(of: service), naming: id).keys
        }
    }

    /// Whom a caller may mean: a provider its own people, a tool whom this service calls so.
    private func person(meantBy request: GlobalRevocation, _ caller: Caller?) -> Record.Subject? {
        switch caller {
        case .provider(let provider) where request.issuer == provider.issuer:
            provider.user(request.subject, following: authority.master)
        case .tool where request.issuer == authority.issuer: Record.Subject(request.subject)
        default: nil
        }
    }

    /// What somebody was given here and has begun, and has not ended.
    private func standing(of user: Record.Subject, _ asking: inout Inquiry) throws(Refusal) -> [Lineage] {
        try begunSignIns(of: user, &asking)
            + signIns(of: user, &asking).filter { $0.isUnended }
    }
}

extension Answer<HTTP.Response> {
    /// What is answered to who has all of a person's ended: nobody learns whether there was anything (GTR-3).
    ///
    /// What is too much for one change of the store is told as a failure, because a success would be taken for the
    /// whole.
    static func everything(_ use: [Change], _ ends: [[Change]]) throws(Refusal) -> Answer {
        let changes = use + ends.prefix(endedAtOnce).flatMap { $0 }
        guard ends.count <= endedAtOnce else { throw Refusal.moreToEnd.changing(changes) }
        return Answer(HTTP.Response(.noContent), changes)
    }
}

extension Refusal {
    /// Whoever asks vouches for other people than the one who is meant, or for none.
    static let foreignPerson = {
        var refusal = Refusal(.accessDenied, "you do not vouch for the person whom 'sub_id' names", "GTR-2")
        refusal.status = .forbidden
        return refusal
    }()
    fileprivate static let moreToEnd = Refusal(
        .temporarilyUnavailable, "a part has ended, and there is more; ask again with a new statement", "threat-53")
}
