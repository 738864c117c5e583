import Wire

extension ServiceDescription {
    /// The document in one of the XML bindings of RSD2.
    func xmlEncoded(withAttributes: Bool) throws(Rejection) -> [UInt8] {
        var service = XML.Element(Self.name("service"))
        service.append("engineName", engineName)
        service.append("engineId", engineID)
        service.append("engineLink", engineLink)
        service.append("homePageLink", homePageLink)
        service.append("homePageIcon", homePageIcon)
        var list = XML.Element(Self.name("apis"))
        for api in apis { list.children.append(.element(api.element(withAttributes: withAttributes))) }
        service.children.append(.element(list))
        service.append(authorization)
        service.append(extensions, except: { ServiceMember($0) != nil })
        let root = XML.Element(
            Self.name("rsd"), attributes: [XML.Attribute(XML.Name("version"), "2.0")], children: [.element(service)]
        )
        do throws(XML.UnwritableCharacter) {
            return try XML.Document(root: root).encoded()
        } catch {
            throw .unwritable(path: "$", scalar: error.scalar)
        }
    }

    static func name(_ local: String) -> XML.Name {
        XML.Name(local, namespace: namespace)
    }
}

extension ServiceDescription.API {
    fileprivate func element(withAttributes: Bool) -> XML.Element {
        var element = XML.Element(
            ServiceDescription.name("api"), attributes: [XML.Attribute(XML.Name("name"), name.text)])
        let preferred: String? = isPreferred ? "true" : nil
        let properties: [(String, [String])] = [
            ("apiLink", link.map { [$0] } ?? []), ("apiVersion", versions), ("engineId", engineID.map { [$0] } ?? []),
            ("preferred", preferred.map { [$0] } ?? []), ("transport", transports.map { $0.text }),
            ("docs", docs.map { [$0] } ?? []),
            ("description", description.map { [$0] } ?? []), ("notes", notes.map { [$0] } ?? []),
        ]
        for (name, values) in properties where !values.isEmpty {
            if withAttributes {
                element.attributes.append(XML.Attribute(XML.Name(name), values.joined(separator: " ")))
            } else {
                for value in values { element.append(name, value) }
            }
        }
        if !settings.isEmpty {
            var list = XML.Element(ServiceDescription.name("settings"))
            for setting in settings {
                let name = XML.Attribute(XML.Name("name"), setting.name.text)
                let children = setting.value.plainText.map { $0.isEmpty ? [] : [XML.Node.text($0)] } ?? []
                list.children.append(
                    .element(XML.Element(ServiceDescription.name("setting"), attributes: [name], children: children)))
            }
            element.children.append(.element(list))
        }
        element.append(authorization)
        element.append(extensions, except: { APIMember($0) != nil })
        return element
    }
}

extension XML.Element {
    fileprivate mutating func append(_ name: String, _ text: String?) {
        guard let text else { return }
        let children: [XML.Node] = text.isEmpty ? [] : [.text(text)]
        self.children.append(.element(XML.Element(ServiceDescription.name(name), children: children)))
    }

    fileprivate mutating func append(_ authorization: ServiceDescription.Authorization?) {
        guard let authorization else { return }
        var element = XML.Element(ServiceDescription.name("authorization"))
        for member in authorization.members where XML.isName(member.name.text) {
            element.append(member.name.text, member.value.plainText)
        }
        children.append(.element(element))
    }

    /// What the model does not know: members that can be elements, and not be taken for something the model knows, then
    /// elements.
    fileprivate mutating func append(_ extensions: ServiceDescription.Extensions, except isKnown: (String) -> Bool) {
        for member in extensions.members where XML.isName(member.name.text) && !isKnown(member.name.text) {
            append(member.name.text, member.value.plainText)
        }
        for element in extensions.elements { children.append(.element(element)) }
    }
}

extension JSON {
    /// A string as its text, anything else as its JSON text.
    fileprivate var plainText: String? {
        string ?? encodedString()
    }
}
