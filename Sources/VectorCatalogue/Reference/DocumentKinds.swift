internal import RSD2
internal import Wire

// Service descriptions, the lists that lead to them, and the directory that finds them.

extension Reference {
    static func document(_ given: Given) throws -> JSON.Object {
        let text = try given.text("text")
        let binding: ServiceDescription.Binding =
            switch given["format"] {
            case "json": .json
            case "xml": .xml
            case "yaml": .yaml
            default: throw Vector.Rejection("format")
            }
        let description = try ServiceDescription.reading(Array(text.utf8).span, as: binding).description
        var members: JSON.Object = ["document": json(description.encoded())]
        if let query = given["query"] {
            var directory = ServiceDirectory()
            if let url = description.serviceURL { try directory.update(url, description) }
            let matches = json(try directory.answer(to: DiscoveryQuery(parsing: query.encoded())))
            members["matches"] = .bool(matches != [])
        }
        if given["endpoint"] != nil {
            let ask = try given.part("endpoint")
            let name = try ask.parse("protocol") { try ProtocolName(parsing: $0) }
            members["endpoint"] = .string(try description.endpoint(for: name, path: ask["path"]?.string).text)
        }
        return members
    }

    static func serviceList(_ given: Given) throws -> JSON.Object {
        let list = try ServiceList(parsing: try given.text("text"))
        let documents = list.publications(at: try given.parse("url") { try WebURL(parsing: $0) })
        var members: JSON.Object = [
            "documents": .array(documents.map { ["type": .string($0.mediaType), "url": .string($0.url.text)] })
        ]
        members["ttl"] = list.timeToLive.map { .number(JSON.Number($0)) }
        if !list.skipped.isEmpty { members["skipped"] = .number(JSON.Number(list.skipped.count)) }
        return members
    }

    /// What a directory answers; in the order of the documents' URLs, because the answer's own carries no meaning.
    static func directory(_ given: Given) throws -> JSON.Object {
        var directory = ServiceDirectory()
        for document in given["documents"]?.object ?? [:] {
            let service = Given(["url": .string(document.name.text), "document": document.value], "documents.")
            try directory.update(
                try service.parse("url") { try ServiceURL(parsing: $0) },
                try service.decode("document") { try ServiceDescription(parsing: $0) })
        }
        let found = try directory.services(matching: DiscoveryQuery(parsing: try given.text("query")))
        return ["services": .array(found.map { JSON.Name($0.service.url.text) }.sorted().map { .string($0.text) })]
    }
}
