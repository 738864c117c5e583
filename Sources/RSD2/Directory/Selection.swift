extension ServiceDescription {
    /// Whether all of these protocols are offered, and `org.ietf.oauth2` besides; no protocols match nothing.
    public func matches(_ names: [ProtocolName]) -> Bool {
        !names.isEmpty && names.allSatisfy(offers) && oauth2 != nil
    }

    /// The document as an app may see it (NIF-5): the service's own members, the protocols that it asked for, and
    /// `org.ietf.oauth2` with what answers for paths below its link, so that all find the same endpoints (RSD-3).
    public func filtered(for names: [ProtocolName]) -> ServiceDescription {
        var copy = self
        copy.apis.removeAll { !$0.name.belongsToOAuth2 && !names.contains($0.name) }
        return copy
    }

    /// The document without any tokens, as it may be published (threat 45).
    public var withoutAuthorization: ServiceDescription {
        var copy = self
        copy.authorization = nil
        for position in apis.indices where apis[position].authorization != nil {
            copy.apis[position].authorization = nil
        }
        return copy
    }

    /// The protocols of the document, those that the service would rather be asked by first.
    public var apisByPreference: [API] {
        apis.filter { $0.isPreferred } + apis.filter { !$0.isPreferred }
    }
}
