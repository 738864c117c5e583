import Wire

extension ServiceDescription {
    /// The namespace of RSD2 documents.
    static let namespace = "http://github.com/rsd-spec/rsd"
    /// The namespace of RSD 1.0 documents, which may also have none.
    static let legacyNamespace = "http://archipelago.phrasewise.com/rsd"

    static func reading(xml bytes: Span<UInt8>, _ limits: Limits) throws(Rejection) -> Reading {
        var bounds = XML.Limits.standard
        bounds.bytes = limits.bytes
        bounds.depth = limits.depth
        let document: XML.Document
        do throws(XML.Rejection) {
            document = try XML.Document(parsing: bytes, limits: bounds)
        } catch {
            throw .xml(error)
        }
        var reader = XMLBindingReader(limits: limits)
        let service = try reader.document(document.root)
        return Reading(description: service, findings: reader.findings.all)
    }
}

/// Reads the information model from the elements of an XML document.
struct XMLBindingReader {
    typealias Rejection = ServiceDescription.Rejection

    /// How the properties of a protocol are written; the first protocol that has any decides.
    private enum Style {
        case attributes
        case elements
    }

    let limits: ServiceDescription.Limits
    var findings = Findings()
    private var namespace = ServiceDescription.namespace
    private var style: Style?

    init(limits: ServiceDescription.Limits) {
        self.limits = limits
    }

    mutating func document(_ root: XML.Element) throws(Rejection) -> ServiceDescription {
        let version = root.attribute("version") ?? ""
        namespace = root.name.namespace
        let isCurrent = version.spells("2.0") && namespace.spells(ServiceDescription.namespace)
        let isLegacy =
            version.spells("1.0") && (namespace.isEmpty || namespace.spells(ServiceDescription.legacyNamespace))
        guard root.name.local.spells("rsd"), isCurrent || isLegacy else {
            throw .foreignRoot(found: "\(root.name.local) version \"\(version)\" of namespace \"\(namespace)\"")
        }
        if isLegacy { findings.note(.legacyVersion, at: "$", found: "version 1.0") }
        var service: ServiceDescription?
        var others: [XML.Element] = []
        for child in root.elements {
            if isOurs(child, "service") {
                guard service == nil else { throw .notOnce(path: "$", element: "service") }
                service = try self.service(child)
            } else {
                others.append(child)
            }
        }
        guard var service else { throw .notOnce(path: "$", element: "service") }
        service.extensions.elements += others
        return service
    }

    private func isOurs(_ element: XML.Element) -> Bool { element.name.namespace.spells(namespace) }

    private func isOurs(_ element: XML.Element, _ name: String) -> Bool {
        isOurs(element) && element.name.local.spells(name)
    }

    private mutating func service(_ element: XML.Element) throws(Rejection) -> ServiceDescription {
        var service = ServiceDescription()
        var hasLink = false
        var apis: [ServiceDescription.API]?
        for child in element.elements {
            let path = "$." + child.name.local
            switch isOurs(child) ? ServiceMember(child.name.local) : nil {
            case .engineName: service.engineName = child.text
            case .engineID: service.engineID = child.text
            case .engineLink:
                service.engineLink = link(child.text, path)
                hasLink = true
            case .homePageLink: service.homePageLink = link(child.text, path)
            case .homePageIcon: service.homePageIcon = link(child.text, path)
            case .apis:
                guard apis == nil else { throw .notOnce(path: "$", element: "apis") }
                apis = try self.apis(child, &service.extensions)
            case .authorization: service.authorization = try authorization(child, path)
            case nil: keep(child, in: &service.extensions)
            }
        }
        keep(element.attributes, in: &service.extensions)
        guard let apis else { throw .missing(path: "$.apis") }
        service.setDistinct(apis)
        if !hasLink { findings.note(.engineLinkRequired, at: "$", found: "none") }
        return service
    }

    private mutating func apis(
        _ element: XML.Element,
        _ extensions: inout ServiceDescription.Extensions
    ) throws(Rejection) -> [ServiceDescription.API] {
        var apis: [ServiceDescription.API] = []
        var names: Set<ProtocolName> = []
        for child in element.elements {
            guard isOurs(child, "api") else {
                keep(child, in: &extensions)
                continue
            }
            guard apis.count < limits.members else { throw .tooMany(path: "$.apis", limit: limits.members) }
            let path = "$.apis[\(apis.count)]"
            guard let text = child.attribute("name") else { throw .missing(path: path + ".name") }
            guard let name = try? ProtocolName(parsing: text) else { throw .malformedName(path: path) }
            guard names.insert(name).inserted else { throw .duplicateName(path: path) }
            apis.append(try api(child, name, path))
        }
        return apis
    }

    // MARK: protocols

    private mutating func api(_ element: XML.Element, _ name: ProtocolName, _ path: String) throws(Rejection)
        -> ServiceDescription.API
    {
        var api = ServiceDescription.API(name, link: nil)
        var blogID: String?
        var others: [XML.Attribute] = []
        for attribute in element.attributes {
            let local = attribute.name.local
            if !attribute.name.namespace.isEmpty {
                others.append(attribute)
            } else if local.spells("blogID") {
                try settle(.attributes, path)
                blogID = attribute.value
            } else if let member = APIMember(local), member != .settings, member != .authorization {
                try settle(.attributes, path)
                try set(member, attribute.value, isList: true, in: &api, path + "." + local)
            } else if !local.spells("name") {
                others.append(attribute)
            }
        }
        for child in element.elements {
            let below = path + "." + child.name.local
            switch isOurs(child) ? APIMember(child.name.local) : nil {
            case .settings: try settings(child, in: &api, below)
            case .authorization: api.authorization = try authorization(child, below)
            case let member?:
                try settle(.elements, path)
                try set(member, child.text, isList: false, in: &api, below)
            case nil: keep(child, in: &api.extensions)
            }
        }
        keep(others, in: &api.extensions)
        if let blogID {
            findings.note(.legacyName, at: path, found: "blogID")
            if api.engineID == nil { api.engineID = blogID }
        }
        if api.link == nil { findings.note(.apiLinkRequired, at: path, found: "none") }
        return api
    }

    private mutating func settle(_ found: Style, _ path: String) throws(Rejection) {
        guard style == nil || style == found else { throw .mixedBindings(path: path) }
        style = found
    }

    /// Sets a property; elements repeat for a list, an attribute has its members in one value, apart by white space.
    private mutating func set(
        _ member: APIMember, _ text: String, isList: Bool, in api: inout ServiceDescription.API, _ path: String
    ) throws(Rejection) {
        switch member {
        case .apiLink: api.link = link(text, path)
        case .apiVersion: api.versions += isList ? words(text) : [text]
        case .engineID: api.engineID = text
        case .preferred:
            guard let flag = Bool(choice: text.trimmed ?? text) else {
                throw .foreignValue(path: path, expected: "a boolean", found: text)
            }
            api.isPreferred = flag
        case .transport:
            for word in isList ? words(text) : [text.trimmed ?? text] {
                let transport = ServiceDescription.Transport(word)
                if !transport.isKnown { findings.note(.transportUnknown, at: path, found: word) }
                api.transports.append(transport)
            }
        case .docs: api.docs = link(text, path)
        case .description: api.description = link(text, path)
        case .notes: api.notes = text
        case .settings, .authorization: break
        }
        guard api.versions.count <= limits.listed, api.transports.count <= limits.listed else {
            throw .tooMany(path: path, limit: limits.listed)
        }
    }

    private func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "," }.map { String($0) }
    }

    private mutating func settings(_ element: XML.Element, in api: inout ServiceDescription.API, _ path: String)
        throws(Rejection)
    {
        for child in element.elements {
            if isOurs(child, "setting"), let name = child.attribute("name") {
                guard api.settings.count < limits.members else { throw .tooMany(path: path, limit: limits.members) }
                let key = JSON.Name(name)
                guard api.settings[key] == nil else { throw .duplicateName(path: path + "." + name) }
                // RSD 1.0 has values also as an attribute.
                api.settings[key] = .string(child.attribute("value") ?? child.text)
            } else if isOurs(child, "docs"), style != .elements {
                api.docs = api.docs ?? link(child.text, path + ".docs")
            } else if isOurs(child, "notes"), style != .elements {
                api.notes = api.notes ?? child.text
            } else {
                api.extensions.elements.append(child)
            }
        }
    }

    // MARK: other members

    private mutating func link(_ text: String, _ path: String) -> String {
        guard let trimmed = text.trimmed else { return text }
        findings.note(.linkTrimmed, at: path, found: text)
        return trimmed
    }

    /// The members of an authorization are elements; what is not text is written as JSON.
    private mutating func authorization(_ element: XML.Element, _ path: String) throws(Rejection) -> ServiceDescription
        .Authorization?
    {
        findings.note(.authorizationPresent, at: path, found: "tokens")
        var members = JSON.Object()
        for child in element.elements where isOurs(child) {
            let name = JSON.Name(child.name.local)
            guard members[name] == nil else { throw .duplicateName(path: path + "." + name.text) }
            let isText = name != "expires_in" && name != "cnf"
            guard !isText else {
                members[name] = .string(child.text)
                continue
            }
            do throws(JSON.Rejection) {
                members[name] = try JSON(parsing: child.text, limits: JSON.Limits(depth: limits.depth))
            } catch {
                throw .json(error)
            }
        }
        return try ServiceDescription.Authorization(members: members, at: path)
    }

    /// Keeps an element that the model does not know: as a member where it is plain text under a new name, else as it
    /// is.
    private func keep(_ element: XML.Element, in extensions: inout ServiceDescription.Extensions) {
        let name = JSON.Name(element.name.local)
        let isPlain = isOurs(element) && element.attributes.isEmpty && element.elements.isEmpty
        if isPlain && extensions.members[name] == nil {
            extensions.members[name] = .string(element.text)
        } else {
            extensions.elements.append(element)
        }
    }

    private func keep(_ attributes: [XML.Attribute], in extensions: inout ServiceDescription.Extensions) {
        for attribute in attributes {
            let name = JSON.Name(attribute.name.local)
            if extensions.members[name] == nil { extensions.members[name] = .string(attribute.value) }
        }
    }
}
