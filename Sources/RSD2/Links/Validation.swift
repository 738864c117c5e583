import Wire

extension ServiceDescription {
    /// Reads a document and reports everything that is wrong with it: what the reader noticed, then what becomes of its
    /// links.
    public static func validate(
        _ bytes: some Collection<UInt8>,
        as binding: Binding,
        limits: Limits = Limits()
    ) throws(Rejection) -> Reading {
        let reading = try reading(bytes, as: binding, limits: limits)
        return Reading(
            description: reading.description, deviations: reading.deviations + reading.description.linkDeviations)
    }

    /// What becomes of the links: endpoints that cannot be built, that are not encrypted, or that apps will not look
    /// for.
    public var linkDeviations: [Deviation] {
        var deviations = Deviations()
        for api in apis where api.link != nil {
            let path = "$.apis[\"\(api.name.text)\"].apiLink"
            do throws(LinkRejection) {
                let url = try endpoint(for: api.name, encryption: .optional)
                if url.scheme == .http && !url.isLoopback { deviations.note(.linkInsecure, at: path, found: url.text) }
            } catch {
                deviations.note(.linkUnusable, at: path, found: error.description)
            }
        }
        if !apis.isEmpty && oauth2 == nil {
            deviations.note(.oauth2Missing, at: "$.apis", found: "\(apis.count) other protocols")
        }
        return deviations.all
    }
}
