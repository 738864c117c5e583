public import Wire

extension ServiceURL {
    /// Whether what lies on a host is the service's: it is its own, or one that the index allows.
    package func owns(_ host: WebURL.Host, besides allowedHosts: [WebURL.Host]) -> Bool {
        host == url.host || allowedHosts.contains(host)
    }
}

extension ServiceDescription {
    /// The document as that of the service for whose entry in the index it was published, and nobody else's (threat
    /// 52).
    ///
    /// It carries the index's URL as its home page. Who names another service's home page speaks for somebody else; who
    /// takes tokens elsewhere than on the service's host, or on one that the index allows, could be sent another
    /// service's. What is too long for those who get it is refused here, so that nobody is offered what cannot be used.
    public func published(
        for service: ServiceURL, allowedHosts: [WebURL.Host] = []
    ) throws(Rejection) -> ServiceDescription {
        if let homePageLink, (try? ServiceURL(parsing: homePageLink)) != service {
            throw .otherService(expected: service.identity, found: homePageLink)
        }
        var owned = self
        owned.homePageLink = service.url.text
        for api in apis where api.name.belongsToOAuth2 {
            guard let endpoint = try? owned.endpoint(for: api.name, encryption: .optional) else { continue }
            guard service.owns(endpoint.host, besides: allowedHosts) else {
                throw .foreignHost(api.name, endpoint.host)
            }
        }
        try owned.checkLength()
        return owned
    }
}
