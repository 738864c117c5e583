public import Wire

extension ServiceDescription {
    /// The ways to write a document down.
    public enum Binding: Sendable, Hashable, CaseIterable {
        /// JSON.
        case json
        /// XML with the properties of a protocol as elements.
        case xml
        /// XML with the properties of a protocol as attributes.
        case xmlAttributes
        /// YAML.
        case yaml
    }

    /// The document in a binding.
    ///
    /// Only the XML bindings can refuse: XML has no way to write most control characters. They leave out members that
    /// the model does not know and that are no XML names; JSON and YAML leave out XML elements that it does not know
    /// and that are more than text.
    public func encoded(as binding: Binding) throws(Rejection) -> [UInt8] {
        switch binding {
        case .json: json.encoded(.indented)
        case .yaml: YAML.encoded(json)
        case .xml: try wrapping(Rejection.format, try xml(withAttributes: false).encoded())
        case .xmlAttributes: try wrapping(Rejection.format, try xml(withAttributes: true).encoded())
        }
    }

    /// The document as strict JSON.
    public func encoded() -> [UInt8] {
        json.encoded()
    }

    /// The document as a JSON value in its strict form: the members that the model knows, then the others.
    public var json: JSON.Object {
        var members = JSON.Object()
        members["engineName"] = engineName.map { .string($0) }
        members["engineId"] = engineID.map { .string($0) }
        members["engineLink"] = .string(engineLink)
        members["homePageLink"] = homePageLink.map { .string($0) }
        members["homePageIcon"] = homePageIcon.map { .string($0) }
        members["apis"] = .object(JSON.Object(apis.map { (JSON.Name($0.name.text), JSON.object($0.json)) }))
        members["authorization"] = authorization.map { .object($0.members) }
        for member in extensions.members where ServiceMember(member.name.text) == nil {
            members[member.name] = member.value
        }
        return members
    }
}

extension ServiceDescription.API {
    /// The protocol as a JSON value in its strict form, without its name.
    var json: JSON.Object {
        var members = JSON.Object()
        members["apiLink"] = link.map { .string($0) }
        let versions = versions.map { JSON.string($0) }
        if !versions.isEmpty { members["apiVersion"] = versions.count == 1 ? versions[0] : .array(versions) }
        members["engineId"] = engineID.map { .string($0) }
        if isPreferred { members["preferred"] = true }
        if !transports.isEmpty { members["transport"] = .array(transports.map { .string($0.text) }) }
        members["docs"] = docs.map { .string($0) }
        members["description"] = description.map { .string($0) }
        members["notes"] = notes.map { .string($0) }
        if !settings.isEmpty { members["settings"] = .object(settings) }
        members["authorization"] = authorization.map { .object($0.members) }
        for member in extensions.members where APIMember(member.name.text) == nil {
            members[member.name] = member.value
        }
        return members
    }
}
