public import Wire

extension ServiceDescription: Parsable {
    /// Reads a JSON document within the standard limits.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        self = try Self.reading(bytes, as: .json).description
    }

    /// A document and what a reader noticed in it.
    public struct Reading: Sendable {
        /// The document.
        public let description: ServiceDescription
        /// Deviations from the strict form, in document order, at most a thousand.
        public let findings: [Finding]
    }

    /// Reads a document in any binding; both XML bindings are told apart by the document itself.
    public static func reading(
        _ bytes: Span<UInt8>,
        as binding: Binding,
        limits: Limits = .standard
    ) throws(Rejection) -> Reading {
        switch binding {
        case .json:
            return try reading(json: bytes, limits)
        case .yaml:
            let value: JSON
            do throws(YAML.Rejection) {
                value = try YAML.value(parsing: bytes, limits: YAML.Limits(bytes: limits.bytes, depth: limits.depth))
            } catch {
                throw .yaml(error)
            }
            // Escapes can make the JSON text of a YAML document six times as long.
            var wide = limits
            wide.bytes *= 6
            return try reading(json: value.encoded().span, wide)
        case .xml, .xmlAttributes:
            return try reading(xml: bytes, limits)
        }
    }

    /// Reads a document in any binding from any collection of bytes.
    public static func reading(
        _ bytes: some Collection<UInt8>,
        as binding: Binding,
        limits: Limits = .standard
    ) throws(Rejection) -> Reading {
        try reading([UInt8](bytes).span, as: binding, limits: limits)
    }

    private static func reading(json bytes: Span<UInt8>, _ limits: Limits) throws(Rejection) -> Reading {
        let document: JSON.Document
        do throws(JSON.Rejection) {
            document = try JSON.Document(parsing: bytes, limits: JSON.Limits(size: limits.bytes, depth: limits.depth))
        } catch {
            throw .json(error)
        }
        var reader = JSONBindingReader(limits: limits)
        let service = try reader.service(document.root)
        return Reading(description: service, findings: reader.findings.all)
    }
}

/// Reads the information model from a JSON document in place, one pass over the members of each object.
struct JSONBindingReader {
    typealias Value = JSON.Document.Value
    typealias Rejection = ServiceDescription.Rejection

    let limits: ServiceDescription.Limits
    var findings = Findings()

    init(limits: ServiceDescription.Limits) {
        self.limits = limits
    }

    mutating func service(_ root: Value) throws(Rejection) -> ServiceDescription {
        var service = ServiceDescription()
        // PHP writes a description that has nothing to say as [].
        guard let members = try object(root) else { return service }
        var hasLink = false
        var hasAPIs = false
        for member in members {
            let name = member.name
            let value = member.value
            switch ServiceMember(name.text) {
            case .engineName: service.engineName = try text(value)
            case .engineID: service.engineID = try text(value)
            case .engineLink:
                let link = try link(value)
                service.engineLink = link ?? ""
                hasLink = link != nil
            case .homePageLink: service.homePageLink = try link(value)
            case .homePageIcon: service.homePageIcon = try link(value)
            case .apis:
                service.setDistinct(try apis(value))
                hasAPIs = true
            case .authorization: service.authorization = try authorization(value)
            case nil: service.extensions.members[name] = value.tree()
            }
        }
        guard hasAPIs else { throw .missing(path: "$.apis") }
        if !hasLink { findings.note(.engineLinkRequired, at: "$", found: "none") }
        return service
    }

    private mutating func apis(_ value: Value) throws(Rejection) -> [ServiceDescription.API] {
        guard let members = try object(value) else { return [] }
        guard members.count <= limits.members else {
            throw .tooMany(path: value.path.description, limit: limits.members)
        }
        var apis: [ServiceDescription.API] = []
        apis.reserveCapacity(members.count)
        for member in members {
            let value = member.value
            // As a span: the way from a text is generic, and dearer than the copy.
            let bytes = Array(member.name.text.utf8)
            guard let name = try? ProtocolName(parsing: bytes.span) else {
                throw .malformedName(path: value.path.description)
            }
            apis.append(ServiceDescription.API(name, link: nil))
            // In its place in the list, because a protocol is a large value to copy.
            try read(value, into: &apis[apis.count - 1])
        }
        return apis
    }

    private mutating func read(_ value: Value, into api: inout ServiceDescription.API) throws(Rejection) {
        if let members = try object(value) {
            for member in members {
                let name = member.name
                let value = member.value
                switch APIMember(name.text) {
                case .apiLink: api.link = try link(value)
                case .apiVersion: api.versions = try versions(value)
                case .engineID: api.engineID = try text(value)
                case .preferred: api.isPreferred = try flag(value)
                case .transport: api.transports = try transports(value)
                case .docs: api.docs = try link(value)
                case .description: api.description = try link(value)
                case .notes: api.notes = try text(value)
                case .settings: api.settings = try settings(value)
                case .authorization: api.authorization = try authorization(value)
                case nil: api.extensions.members[name] = value.tree()
                }
            }
        }
        if api.link == nil { findings.note(.apiLinkRequired, at: value.path.description, found: "none") }
    }

    // MARK: members

    /// The object that a value is, or nothing for the empty array that PHP writes in its place.
    private mutating func object(_ value: Value) throws(Rejection) -> JSON.Document.Object? {
        if let object = try? value.object() { return object }
        guard let array = try? value.array(), array.isEmpty else { throw mismatch(value, expected: "an object") }
        findings.note(.emptyObjectAsArray, at: value.path.description, found: "[]")
        return nil
    }

    private mutating func text(_ value: Value) throws(Rejection) -> String? {
        switch value.kind {
        case .string: return try? value.string()
        case .null:
            findings.note(.nullMember, at: value.path.description, found: "null")
            return nil
        case .number:
            guard let number = try? value.number() else { return nil }
            findings.note(.textAsNumber, at: value.path.description, found: number.text)
            return number.text
        case .bool, .array, .object: throw mismatch(value, expected: "text")
        }
    }

    private mutating func link(_ value: Value) throws(Rejection) -> String? {
        if value.kind == .number { throw mismatch(value, expected: "text") }
        guard let text = try text(value) else { return nil }
        guard let trimmed = text.trimmed else { return text }
        findings.note(.linkTrimmed, at: value.path.description, found: text)
        return trimmed
    }

    private mutating func flag(_ value: Value) throws(Rejection) -> Bool {
        if let flag = try? value.bool() { return flag }
        guard let text = try text(value) else { return false }
        guard let flag = Bool(choice: text), value.kind == .string else {
            throw .foreignValue(path: value.path.description, expected: "a boolean", found: text)
        }
        findings.note(.booleanAsText, at: value.path.description, found: text)
        return flag
    }

    /// One string or a list of strings.
    private mutating func versions(_ value: Value) throws(Rejection) -> [String] {
        guard let array = try list(value) else { return try text(value).map { [$0] } ?? [] }
        var versions: [String] = []
        versions.reserveCapacity(array.count)
        for element in array { versions.append(try listed(element)) }
        return versions
    }

    private mutating func transports(_ value: Value) throws(Rejection) -> [ServiceDescription.Transport] {
        guard let array = try list(value) else {
            guard value.kind == .string || value.isNull else { throw mismatch(value, expected: "a list of transports") }
            guard let text = try text(value) else { return [] }
            findings.note(.listAsText, at: value.path.description, found: "one string")
            return [transport(text, value)]
        }
        var transports: [ServiceDescription.Transport] = []
        transports.reserveCapacity(array.count)
        for element in array { transports.append(transport(try listed(element), element)) }
        return transports
    }

    private mutating func transport(_ text: String, _ value: Value) -> ServiceDescription.Transport {
        let transport = ServiceDescription.Transport(text)
        if !transport.isKnown { findings.note(.transportUnknown, at: value.path.description, found: text) }
        return transport
    }

    private func list(_ value: Value) throws(Rejection) -> JSON.Document.Array? {
        guard value.kind == .array, let array = try? value.array() else { return nil }
        guard array.count <= limits.listed else { throw .tooMany(path: value.path.description, limit: limits.listed) }
        return array
    }

    private mutating func listed(_ element: Value) throws(Rejection) -> String {
        guard let text = try text(element) else { throw mismatch(element, expected: "text") }
        return text
    }

    private mutating func settings(_ value: Value) throws(Rejection) -> JSON.Object {
        guard let object = try object(value) else { return JSON.Object() }
        guard object.count <= limits.members else {
            throw .tooMany(path: value.path.description, limit: limits.members)
        }
        return object.tree()
    }

    private mutating func authorization(_ value: Value) throws(Rejection) -> ServiceDescription.Authorization? {
        // No token was given: PHP's [] again, or null.
        if value.isNull { return nil }
        guard let object = try object(value) else { return nil }
        findings.note(.authorizationPresent, at: value.path.description, found: "tokens")
        let members = object.tree()
        if members["kid"]?.number != nil || members["cnf"]?["kid"]?.number != nil {
            findings.note(.textAsNumber, at: value.path.description + ".kid", found: "a number")
        }
        return try ServiceDescription.Authorization(members: members, at: value.path.description)
    }

    private func mismatch(_ value: Value, expected: String) -> Rejection {
        .mismatch(path: value.path.description, expected: expected, found: value.kind)
    }
}
