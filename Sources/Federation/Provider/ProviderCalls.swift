internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

// What a provider is asked, and what it means that it does not answer as it should.

extension Inquiry {
    /// What a provider says about itself, as its host has it kept.
    mutating func description(of provider: Provider) throws(Refusal) -> OpenID.ProviderDescription {
        let place = try refusing(
            ParameterRejection.self, try OpenID.ProviderDescription.location(of: provider.issuer))
        return try outcome(of: HTTP.Request(.get, .absolute(place))) { response throws(ParameterRejection) in
            try OpenID.ProviderDescription(of: provider.issuer, parsing: response)
        }
    }

    /// The keys of a provider for a token that names one; they are kept by the rules of OIC-11.
    mutating func keys(
        of provider: Provider, _ description: OpenID.ProviderDescription, naming id: KeyID?
    ) throws(Refusal) -> [VerificationKey] {
        let party = TrustedKeys.published(provider.issuer, at: description.keys, under: .provider)
        return try keys(of: party, naming: id).keys
    }

    /// What a provider answers; one that cannot be read is as good as none, and another time helps.
    mutating func outcome<Outcome>(
        of request: HTTP.Request, _ read: (HTTP.Response) throws(ParameterRejection) -> Outcome
    ) throws(Refusal) -> Outcome {
        guard let response = try answer(to: request) else { throw .silentProvider }
        return try wrapping(Refusal.unreadable, try read(response))
    }
}

extension Refusal {
    /// The provider does not answer.
    static let silentProvider = Refusal(
        .temporarilyUnavailable, "the provider does not answer; try again later", "OIC-7")
    /// The browser is not the one that was sent to the provider.
    static let otherBrowser = Refusal(
        .invalidRequest, "the answer came with another browser than was sent to the provider", "OIC-5")
    /// Another provider was asked than the one whose path it is.
    static let otherCallback = Refusal(
        .invalidRequest, "the answer came to another path than that of the provider that was asked", "OIC-6")

    /// The provider's answer says nothing, or what it says is not what counts here, which another time will not help.
    fileprivate static func unreadable(_ rejection: ParameterRejection) -> Refusal {
        switch rejection {
        case .otherSubject, .missing, .tokenType, .codeNotServed: .failingProvider(rejection.text, rejection.clause)
        case .issuer: .failingProvider(rejection.text, "OIC-10")
        default:
            Refusal(
                .temporarilyUnavailable, "the provider's answer cannot be read: \(rejection.text)", rejection.clause)
        }
    }

    /// What the provider gave cannot be sent back to it.
    static func unsendable(_ error: SyntaxError) -> Refusal { .failingProvider(error.text, error.clause) }

    /// Something is wrong between the provider and this service, and the person can do nothing about it.
    static func failingProvider(_ words: String, _ clause: String) -> Refusal {
        Refusal(.serverError, "the provider fails: \(words)", clause)
    }

    /// What a provider's refusal is for the app: words for developers stay here.
    static func refused(by error: OAuth2Error) -> Refusal {
        let code: OAuth2Error.Code =
            switch error.code {
            case .temporarilyUnavailable: .temporarilyUnavailable
            case _ where isPersons(error.code): .accessDenied
            default: .serverError
            }
        return Refusal(code, "the provider refuses: \(error.code.text.prefix(64))", "OIC-13")
    }

    /// Whether it was the person who did not do what was asked, or could not (OpenID Connect Core §3.1.2.6).
    private static func isPersons(_ code: OAuth2Error.Code) -> Bool {
        [
            "access_denied", "login_required", "interaction_required", "consent_required",
            "account_selection_required", "unmet_authentication_requirements",
        ].contains { code.text.utf8.elementsEqual($0.utf8) }
    }
}

extension RemoteKeySet.Policy {
    /// How the keys of an OpenID provider are kept (OIC-11): what has vanished does not serve for a moment longer.
    static let provider = {
        var policy = RemoteKeySet.Policy()
        policy.shortestLifetime = .seconds(300)
        policy.longestLifetime = .seconds(86_400)
        policy.cooldown = .seconds(300)
        policy.staleIfError = .seconds(3_600)
        policy.overlap = .zero
        return policy
    }()
}
