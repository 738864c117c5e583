public import Wire

extension ServiceDescription: Parsable {
    /// Reads a JSON document within the standard limits.
    public init(parsing bytes: Span<UInt8>) throws(Rejection) {
        self = try Self.reading(bytes, as: .json).description
    }

    /// A document and what a reader noticed in it.
    public struct Reading: Sendable {
        /// The document.
        public internal(set) var description: ServiceDescription
        /// Deviations from the strict form, in document order, at most a thousand.
        public internal(set) var deviations: [Deviation]
    }

    /// Reads a document in any binding; both XML bindings are told apart by the document itself.
    public static func reading(
        _ bytes: Span<UInt8>, as binding: Binding, limits: Limits = Limits()
    ) throws(Rejection) -> Reading {
        let bounds = JSON.Limits(size: limits.bytes, depth: limits.depth)
        switch binding {
        case .json:
            var reader = DocumentReader(limits: limits)
            let document = try wrapping(Rejection.json, try JSON.Document(parsing: bytes, limits: bounds))
            return try reader.reading(document)
        case .yaml:
            var reader = DocumentReader(limits: limits)
            let value = try wrapping(Rejection.format, try YAML.value(parsing: bytes, limits: bounds))
            return try reader.reading(Self.document(value))
        case .xml, .xmlAttributes:
            let bounds = XML.Limits(bytes: limits.bytes, depth: limits.depth)
            let root = try wrapping(Rejection.format, try XML.Element(parsing: bytes, limits: bounds))
            var form = XMLForm(limits: limits)
            let members = try form.document(root)
            var reader = DocumentReader(limits: limits, deviations: form.deviations)
            var reading = try reader.reading(Self.document(.object(members)))
            reading.description.extensions.elements = form.elements
            for (position, elements) in form.elementsOfAPIs.enumerated() where !elements.isEmpty {
                reading.description.apis[position].extensions.elements = elements
            }
            return reading
        }
    }

    private static func document(_ value: JSON) throws(Rejection) -> JSON.Document {
        try wrapping(Rejection.json, try JSON.Document(of: value))
    }

    /// Reads a document in any binding from any collection of bytes.
    public static func reading(
        _ bytes: some Collection<UInt8>, as binding: Binding, limits: Limits = Limits()
    ) throws(Rejection) -> Reading {
        try reading([UInt8](bytes).span, as: binding, limits: limits)
    }
}

/// Reads the information model from the JSON that a document of any binding is, or stands for, in place: one pass over
/// the members of each object.
struct DocumentReader {
    typealias Value = JSON.Document.Value
    typealias Rejection = ServiceDescription.Rejection

    let limits: ServiceDescription.Limits
    var deviations = Deviations()

    mutating func reading(_ document: JSON.Document) throws(Rejection) -> ServiceDescription.Reading {
        let service = try service(document.root)
        return ServiceDescription.Reading(description: service, deviations: deviations.all)
    }

    private mutating func service(_ root: Value) throws(Rejection) -> ServiceDescription {
        var service = ServiceDescription()
        // PHP writes a description that has nothing to say as [].
        guard let members = try object(root) else { return service }
        var engineLink: String?
        var hasAPIs = false
        for member in members {
            let name = member.name
            let value = member.value
            switch ServiceMember(name.text) {
            case .engineName: service.engineName = try text(value)
            case .engineID: service.engineID = try text(value)
            case .engineLink: engineLink = try link(value)
            case .homePageLink: service.homePageLink = try link(value)
            case .homePageIcon: service.homePageIcon = try link(value)
            case .apis:
                service.apis = try apis(value)
                hasAPIs = true
            case .authorization: service.authorization = try authorization(value)
            case nil: service.extensions.members[name] = value.tree()
            }
        }
        guard hasAPIs else { throw .missing(path: "$.apis") }
        if engineLink == nil { deviations.note(.engineLinkRequired, at: "$", found: "none") }
        service.engineLink = engineLink ?? ""
        return service
    }

    private mutating func apis(_ value: Value) throws(Rejection) -> [ServiceDescription.API] {
        guard let members = try boundedObject(value) else { return [] }
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
                case .apiVersion: api.versions = try texts(value)
                case .engineID: api.engineID = try text(value)
                case .preferred: api.isPreferred = try flag(value)
                case .transport: api.transports = try transports(value)
                case .docs: api.docs = try link(value)
                case .description: api.description = try link(value)
                case .notes: api.notes = try text(value)
                case .settings: api.settings = try boundedObject(value)?.tree() ?? JSON.Object()
                case .authorization: api.authorization = try authorization(value)
                case nil: api.extensions.members[name] = value.tree()
                }
            }
        }
        if api.link == nil { note(.apiLinkRequired, value, found: "none") }
    }

    // MARK: members

    private mutating func note(_ rule: Rule, _ value: Value, found: @autoclosure () -> String) {
        deviations.note(rule, at: value.path.description, found: found())
    }

    /// The object that a value is, or `nil` for the empty array that PHP writes in its place.
    private mutating func object(_ value: Value) throws(Rejection) -> JSON.Document.Object? {
        if let object = try? value.object() { return object }
        guard let array = try? value.array(), array.isEmpty else { throw mismatch(value, expected: "an object") }
        note(.emptyObjectAsArray, value, found: "[]")
        return nil
    }

    private mutating func boundedObject(_ value: Value) throws(Rejection) -> JSON.Document.Object? {
        guard let object = try object(value) else { return nil }
        guard object.count <= limits.members else {
            throw .tooMany(path: value.path.description, limit: limits.members)
        }
        return object
    }

    private mutating func text(_ value: Value) throws(Rejection) -> String? {
        switch value.kind {
        case .string: return try? value.string()
        case .null:
            note(.nullMember, value, found: "null")
            return nil
        case .number:
            guard let number = try? value.number() else { return nil }
            note(.textAsNumber, value, found: number.text)
            return number.text
        case .bool, .array, .object: throw mismatch(value, expected: "text")
        }
    }

    private mutating func link(_ value: Value) throws(Rejection) -> String? {
        if value.kind == .number { throw mismatch(value, expected: "text") }
        guard let text = try text(value) else { return nil }
        guard let trimmed = text.trimmed else { return text }
        note(.linkTrimmed, value, found: text)
        return trimmed
    }

    private mutating func flag(_ value: Value) throws(Rejection) -> Bool {
        if let flag = try? value.bool() { return flag }
        guard let text = try text(value) else { return false }
        guard let flag = Bool(choice: text), value.kind == .string else {
            throw .mismatch(path: value.path.description, expected: "a boolean", found: text)
        }
        note(.booleanAsText, value, found: text)
        return flag
    }

    /// The texts of a list; a text alone is a list of one.
    private mutating func texts(_ value: Value) throws(Rejection) -> [String] {
        guard value.kind == .array, let array = try? value.array() else { return try text(value).map { [$0] } ?? [] }
        guard array.count <= limits.listed else { throw .tooMany(path: value.path.description, limit: limits.listed) }
        var texts: [String] = []
        texts.reserveCapacity(array.count)
        for element in array {
            guard let text = try text(element) else { throw mismatch(element, expected: "text") }
            texts.append(text)
        }
        return texts
    }

    private mutating func transports(_ value: Value) throws(Rejection) -> [ServiceDescription.Transport] {
        switch value.kind {
        case .array, .null: break
        case .string: note(.listAsText, value, found: "one string")
        case .number, .bool, .object: throw mismatch(value, expected: "a list of transports")
        }
        var transports: [ServiceDescription.Transport] = []
        for text in try texts(value) {
            transports.append(ServiceDescription.Transport(text))
            if transports.last?.isKnown != true { note(.transportUnknown, value, found: text) }
        }
        return transports
    }

    private mutating func authorization(_ value: Value) throws(Rejection) -> ServiceDescription.Authorization? {
        // No token was given: PHP's [] again, or null.
        guard !value.isNull, let object = try object(value) else { return nil }
        note(.authorizationPresent, value, found: "tokens")
        let members = object.tree()
        if members["kid"]?.number != nil || members["cnf"]?["kid"]?.number != nil {
            deviations.note(.textAsNumber, at: value.path.description + ".kid", found: "a number")
        }
        return try ServiceDescription.Authorization(members: members, at: value.path.description)
    }

    private func mismatch(_ value: Value, expected: String) -> Rejection {
        .mismatch(path: value.path.description, expected: expected, found: value.kind.description)
    }
}
