import RSD2
public import Wire

extension ProtocolResponse: Parsable {
    /// The most documents that a response may have.
    package static let documentLimit = 256

    /// The most bytes that a response may have.
    public static let lengthLimit = 8 << 20
    /// The longest authorization of a service's that a response carries, and a renewal leaves.
    package static let authorizationLimit = 64 << 10
    // A value has two bytes at least with what follows it: a text of that length has no more of them.
    private static let limits = JSON.Limits(size: lengthLimit, depth: 40, values: lengthLimit / 2, members: 1 << 18)

    /// Whether one more document fits behind so many of so many bytes, each with a comma, be it as long as any.
    package static func hasRoom(behind count: Int, documents length: Int) -> Bool {
        count < documentLimit && length + ServiceDescription.lengthLimit + authorizationLimit + 2 <= lengthLimit
    }

    /// Reads a response in the form of the standard, or as deployed authorizing apps write it (NAI-11).
    ///
    /// Those send an object keyed by home page URL, or a list in the member `services`; the `authorization` as a JSON
    /// text; the `token` in its place. Each document is read by itself: what is wrong with one is reported and concerns
    /// no other (NIF-6).
    public init(parsing bytes: Span<UInt8>) throws(MessageRejection) {
        let document: JSON.Document
        do throws(JSON.Rejection) {
            document = try JSON.Document(parsing: bytes, limits: Self.limits)
        } catch {
            throw .json(error)
        }
        let entries = try Entry.entries(of: document.root)
        guard entries.count <= Self.documentLimit else {
            throw .tooManyDocuments(found: entries.count, limit: Self.documentLimit)
        }
        var reader = DocumentReader()
        let documents = entries.compactMap { reader.document($0) }
        self.init(documents: documents, dropped: reader.dropped)
    }
}

/// A document in a response, and the key under which it stands.
private struct Entry {
    let value: JSON.Document.Value
    let path: String
    var key: String?

    static func entries(of root: JSON.Document.Value) throws(MessageRejection) -> [Entry] {
        if let list = try? root.array() { return elements(list, path: "$") }
        guard let object = try? root.object() else { throw .wrongType(expected: .array, found: root.kind) }
        if let list = try? object.optional("services")?.array() { return elements(list, path: "$.services") }
        return object.map { Entry(value: $0.value, path: "$[\"\($0.name.text)\"]", key: $0.name.text) }
    }

    private static func elements(_ list: JSON.Document.Array, path: String) -> [Entry] {
        list.enumerated().map { Entry(value: $0.element, path: "\(path)[\($0.offset)]") }
    }
}

/// Reads documents one by one and notes what it has to leave out.
private struct DocumentReader {
    var dropped: [ProtocolResponse.Dropped] = []

    mutating func document(_ entry: Entry) -> ServiceDescription? {
        guard var members = entry.value.tree().object else {
            drop(.wrongType(expected: .object, found: entry.value.kind), at: entry.path)
            return nil
        }
        if let key = entry.key, members["homePageLink"]?.string == nil, (try? ServiceURL(parsing: key)) != nil {
            members["homePageLink"] = .string(key)
        }
        settleAuthorization(in: &members, at: entry.path)
        if var apis = members["apis"]?.object {
            for api in apis {
                guard var own = api.value.object else { continue }
                settleAuthorization(in: &own, at: "\(entry.path).apis[\"\(api.name.text)\"]")
                apis[api.name] = .object(own)
            }
            members["apis"] = .object(apis)
        }
        do throws(ServiceDescription.Rejection) {
            return try ServiceDescription(parsing: members.encoded())
        } catch {
            drop(.document(error), at: entry.path)
            return nil
        }
    }

    /// Leaves `authorization` as an object that is one, or takes it out; `token` is its other name and goes in any
    /// case.
    private mutating func settleAuthorization(in members: inout JSON.Object, at path: String) {
        var value = members["authorization"]
        if let alias = members["token"], alias.object != nil || alias.string != nil {
            if value.map(Self.saysNothing) ?? true { value = alias }
            members["token"] = nil
        }
        members["authorization"] = nil
        guard let value, !Self.saysNothing(value) else { return }
        do throws(MessageRejection) {
            members["authorization"] = .object(try Self.authorization(value))
        } catch {
            drop(error, at: path + ".authorization")
        }
    }

    private static func authorization(_ value: JSON) throws(MessageRejection) -> JSON.Object {
        let limits = JSON.Limits(size: 256 << 10, depth: 16)
        let value =
            if let text = value.string {
                try wrapping(MessageRejection.json, try JSON(parsing: text, limits: limits))
            } else { value }
        guard let members = value.object else {
            throw .document(.mismatch(path: "$.authorization", expected: "an object", found: value.kind.description))
        }
        return try wrapping(MessageRejection.document, try ServiceDescription.Authorization(members: members)).members
    }

    /// Whether the value stands for no authorization: `null`, or the empty list that PHP writes.
    private static func saysNothing(_ value: JSON) -> Bool {
        value.isNull || value.array?.isEmpty == true
    }

    private mutating func drop(_ reason: MessageRejection, at path: String) {
        dropped.append(ProtocolResponse.Dropped(path: path, reason: reason))
    }
}
