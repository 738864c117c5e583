import Wire

extension ServiceDescription {
    /// The namespace of RSD2 documents.
    static let namespace = "http://github.com/rsd-spec/rsd"
    /// The namespace of RSD 1.0 documents, which may also have none.
    static let legacyNamespace = "http://archipelago.phrasewise.com/rsd"
}

/// The JSON that an XML document stands for, and besides it what only XML can say.
struct XMLForm {
    typealias Rejection = ServiceDescription.Rejection

    /// How the properties of a protocol are written; the first protocol that has any decides.
    private enum Style {
        case attributes
        case elements
    }

    let limits: ServiceDescription.Limits
    var deviations = Deviations()
    /// Elements of the service that the model does not know.
    private(set) var elements: [XML.Element] = []
    /// Elements of each protocol that the model does not know.
    private(set) var elementsOfAPIs: [[XML.Element]] = []
    private var namespace = ServiceDescription.namespace
    private var style: Style?

    init(limits: ServiceDescription.Limits) {
        self.limits = limits
    }

    mutating func document(_ root: XML.Element) throws(Rejection) -> JSON.Object {
        let version = root.attribute("version") ?? ""
        namespace = root.name.namespace
        let isCurrent = version.spells("2.0") && namespace.spells(ServiceDescription.namespace)
        let isLegacy =
            version.spells("1.0") && (namespace.isEmpty || namespace.spells(ServiceDescription.legacyNamespace))
        guard root.name.local.spells("rsd"), isCurrent || isLegacy else {
            throw .foreignRoot(found: "\(root.name.local) version \"\(version)\" of namespace \"\(namespace)\"")
        }
        if isLegacy { deviations.note(.legacyVersion, at: "$", found: "version 1.0") }
        let services = root.elements.filter { isOurs($0, "service") }
        guard services.count == 1 else { throw .notOnce(path: "$", element: "service") }
        let members = try service(services[0])
        elements += root.elements.filter { !isOurs($0, "service") }
        return members
    }

    private func isOurs(_ element: XML.Element) -> Bool { element.name.namespace.spells(namespace) }

    private func isOurs(_ element: XML.Element, _ name: String) -> Bool {
        isOurs(element) && element.name.local.spells(name)
    }

    private mutating func service(_ element: XML.Element) throws(Rejection) -> JSON.Object {
        var members = JSON.Object()
        for child in element.elements {
            let name = JSON.Name(child.name.local)
            switch isOurs(child) ? ServiceMember(name.text) : nil {
            case .apis:
                guard members["apis"] == nil else { throw .notOnce(path: "$", element: "apis") }
                members["apis"] = .object(try apis(child))
            case .authorization: members[name] = try authorization(child, "$.authorization")
            case .some: members[name] = .string(child.text)
            case nil: keep(child, in: &members, &elements)
            }
        }
        keep(element.attributes.filter { ServiceMember($0.name.local) == nil }, in: &members)
        return members
    }

    private mutating func apis(_ element: XML.Element) throws(Rejection) -> JSON.Object {
        var apis = JSON.Object()
        for child in element.elements {
            guard isOurs(child, "api") else {
                elements.append(child)
                continue
            }
            guard apis.count < limits.members else { throw .tooMany(path: "$.apis", limit: limits.members) }
            let path = "$.apis[\(apis.count)]"
            guard let text = child.attribute("name") else { throw .missing(path: path + ".name") }
            let name = JSON.Name(text)
            guard apis[name] == nil else { throw .duplicateName(path: path) }
            apis[name] = .object(try api(child, path))
        }
        return apis
    }

    // MARK: protocols

    private mutating func api(_ element: XML.Element, _ path: String) throws(Rejection) -> JSON.Object {
        var members = JSON.Object()
        var others: [XML.Attribute] = []
        var elements: [XML.Element] = []
        for attribute in element.attributes where !attribute.name.namespace.isEmpty || !attribute.name.spells("name") {
            let member = attribute.name.namespace.isEmpty ? APIMember(attribute.name.local) : nil
            if let member, member != .settings, member != .authorization {
                try settle(.attributes, path)
                set(member, attribute.name.local, attribute.value, in: &members)
            } else if attribute.name.spells("blogID") {
                try settle(.attributes, path)
                deviations.note(.legacyName, at: path, found: "blogID")
            } else if APIMember(attribute.name.local) == nil {
                others.append(attribute)
            }
        }
        for child in element.elements {
            switch isOurs(child) ? APIMember(child.name.local) : nil {
            case .settings: try settings(child, in: &members, &elements, path + ".settings")
            case .authorization: members["authorization"] = try authorization(child, path + ".authorization")
            case let member?:
                try settle(.elements, path)
                set(member, child.name.local, child.text, in: &members)
            case nil: keep(child, in: &members, &elements)
            }
        }
        if members["engineId"] == nil { members["engineId"] = element.attribute("blogID").map { .string($0) } }
        keep(others, in: &members)
        elementsOfAPIs.append(elements)
        return members
    }

    private mutating func settle(_ found: Style, _ path: String) throws(Rejection) {
        guard style == nil || style == found else { throw .mixedBindings(path: path) }
        style = found
    }

    /// Sets a property; elements repeat for a list, an attribute has its members in one value, apart by white space.
    private func set(_ member: APIMember, _ name: String, _ text: String, in members: inout JSON.Object) {
        let name = JSON.Name(name)
        switch member {
        case .apiVersion, .transport:
            let trims = member == .transport
            let words = text.split { $0 == " " || $0 == "," }.map { JSON.string(String($0)) }
            let found = style == .attributes ? words : [.string(trims ? text.trimmed ?? text : text)]
            members[name] = .array((members[name]?.array ?? []) + found)
        case .preferred: members[name] = Bool(choice: text.trimmed ?? text).map { .bool($0) } ?? .string(text)
        default: members[name] = .string(text)
        }
    }

    private func settings(
        _ element: XML.Element, in members: inout JSON.Object, _ elements: inout [XML.Element], _ path: String
    ) throws(Rejection) {
        var settings = members["settings"]?.object ?? JSON.Object()
        for child in element.elements {
            if isOurs(child, "setting"), let name = child.attribute("name").map({ JSON.Name($0) }) {
                guard settings.count < limits.members else { throw .tooMany(path: path, limit: limits.members) }
                guard settings[name] == nil else { throw .duplicateName(path: path + "." + name.text) }
                // RSD 1.0 has values also as an attribute.
                settings[name] = .string(child.attribute("value") ?? child.text)
            } else if style != .elements, isOurs(child, "docs") || isOurs(child, "notes") {
                let name = JSON.Name(child.name.local)
                members[name] = members[name] ?? .string(child.text)
            } else {
                elements.append(child)
            }
        }
        members["settings"] = .object(settings)
    }

    /// The members of an authorization are elements; what is not text is written as JSON.
    private func authorization(_ element: XML.Element, _ path: String) throws(Rejection) -> JSON {
        var members = JSON.Object()
        for child in element.elements where isOurs(child) {
            let name = JSON.Name(child.name.local)
            guard members[name] == nil else { throw .duplicateName(path: path + "." + name.text) }
            let isText = name != "expires_in" && name != "cnf"
            let limits = JSON.Limits(depth: limits.depth)
            members[name] =
                isText
                ? .string(child.text) : try wrapping(Rejection.json, try JSON(parsing: child.text, limits: limits))
        }
        return .object(members)
    }

    // MARK: what the model does not know

    /// Keeps an element: as a member if it is plain text under a new name, else as it is.
    private func keep(_ element: XML.Element, in members: inout JSON.Object, _ elements: inout [XML.Element]) {
        let name = JSON.Name(element.name.local)
        let isPlain = isOurs(element) && element.attributes.isEmpty && element.elements.isEmpty
        if isPlain && members[name] == nil { members[name] = .string(element.text) } else { elements.append(element) }
    }

    private func keep(_ attributes: [XML.Attribute], in members: inout JSON.Object) {
        for attribute in attributes {
            let name = JSON.Name(attribute.name.local)
            if members[name] == nil { members[name] = .string(attribute.value) }
        }
    }
}

extension ServiceDescription {
    /// The root element of the document in one of the XML bindings of RSD2.
    func xml(withAttributes: Bool) -> XML.Element {
        var service = XML.Element(rsd: "service")
        for member in json {
            switch ServiceMember(member.name.text) {
            case .apis:
                service.append(XML.Element(rsd: "apis", apis.map { $0.xml(withAttributes: withAttributes) }))
            case .authorization: service.append(authorization: member.value)
            default: service.append(member.name.text, member.value)
            }
        }
        service.children += extensions.elements.map { .element($0) }
        var root = XML.Element(rsd: "rsd", [service])
        root.attributes = [XML.Attribute("version", "2.0")]
        return root
    }
}

extension ServiceDescription.API {
    fileprivate func xml(withAttributes: Bool) -> XML.Element {
        var element = XML.Element(rsd: "api")
        element.attributes = [XML.Attribute("name", name.text)]
        for member in json {
            let name = member.name.text
            switch APIMember(name) {
            case .settings: element.append(XML.Element(rsd: "settings", settings.map(XML.Element.init(setting:))))
            case .authorization: element.append(authorization: member.value)
            case nil: element.append(name, member.value)
            default:
                let values = member.value.array ?? [member.value]
                if withAttributes {
                    let text = values.compactMap { $0.plainText }.joined(separator: " ")
                    element.attributes.append(XML.Attribute(name, text))
                } else {
                    for value in values { element.append(name, value) }
                }
            }
        }
        element.children += extensions.elements.map { .element($0) }
        return element
    }
}

extension XML.Element {
    fileprivate init(rsd local: String, _ elements: [XML.Element] = []) {
        self.init(name: XML.Name(local: local, namespace: ServiceDescription.namespace))
        children = elements.map { .element($0) }
    }

    fileprivate init(setting: JSON.Object.Member) {
        self.init(rsd: "setting")
        attributes = [XML.Attribute("name", setting.name.text)]
        if let text = setting.value.plainText, !text.isEmpty { children = [.text(text)] }
    }

    fileprivate mutating func append(_ element: XML.Element) {
        children.append(.element(element))
    }

    /// Appends a value as text, unless its name cannot be that of an element.
    fileprivate mutating func append(_ name: String, _ value: JSON) {
        guard XMLCharacter.isName(name), let text = value.plainText else { return }
        var element = XML.Element(rsd: name)
        if !text.isEmpty { element.children = [.text(text)] }
        append(element)
    }

    fileprivate mutating func append(authorization: JSON) {
        var element = XML.Element(rsd: "authorization")
        for member in authorization.object ?? [:] { element.append(member.name.text, member.value) }
        append(element)
    }
}

extension XML.Attribute {
    fileprivate init(_ name: String, _ value: String) {
        self.init(name: XML.Name(local: name), value: value)
    }
}

extension XML.Name {
    fileprivate func spells(_ local: String) -> Bool { namespace.isEmpty && self.local.spells(local) }
}

extension JSON {
    /// A string as its text, anything else as its JSON text.
    fileprivate var plainText: String? {
        string ?? encodedString()
    }
}
