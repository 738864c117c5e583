internal import RSD2
internal import Wire

// Service descriptions, the lists that lead to them, and the directory that finds them.

extension Performer {
    static func document(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let text = try Malformed.need(given["text"]?.string, "text")
        let binding: ServiceDescription.Binding =
            switch given["format"]?.string {
            case "json": .json
            case "xml": .xml
            case "yaml": .yaml
            default: throw Malformed("format")
            }
        let description: ServiceDescription
        do throws(ServiceDescription.Rejection) {
            description = try ServiceDescription.reading(Array(text.utf8).span, as: binding).description
        } catch {
            return ["refusal": ["clause": .string(error.clause)]]
        }
        var members: JSON.Object = ["document": json(description.encoded())]
        if let query = given["query"] {
            let matches: JSON
            do throws(FormatRejection) {
                var directory = ServiceDirectory()
                if let url = description.serviceURL { directory.update(url, description) }
                matches = json(try directory.answer(to: DiscoveryQuery(parsing: query.encoded())))
            } catch {
                return ["refusal": ["clause": .string(error.clause)]]
            }
            members["matches"] = .bool(matches != [])
        }
        guard let ask = given["endpoint"] else { return members }
        let name = try Malformed.need(
            ask["protocol"]?.string.flatMap { try? ProtocolName(parsing: $0) }, "endpoint.protocol")
        do throws(ServiceDescription.LinkRejection) {
            members["endpoint"] = .string(try description.endpoint(for: name, path: ask["path"]?.string).text)
        } catch {
            return ["refusal": ["clause": .string(error.clause)]]
        }
        return members
    }

    static func serviceList(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let text = try text(given, "text")
        let list: ServiceList
        do throws(FormatRejection) { list = try ServiceList(parsing: text) } catch {
            return refused(error.clause)
        }
        let url = try Malformed.need(given["url"]?.string.flatMap { try? WebURL(parsing: $0) }, "url")
        var members: JSON.Object = [
            "documents": .array(
                list.publications(at: url).map { ["type": .string($0.mediaType), "url": .string($0.url.text)] })
        ]
        members["ttl"] = list.timeToLive.map { .number(JSON.Number($0)) }
        return members
    }

    /// What a directory answers; in the order of the documents' URLs, because the answer's own carries no meaning.
    static func directory(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        var directory = ServiceDirectory()
        for document in given["documents"]?.object ?? [:] {
            let url = try Malformed.need(try? ServiceURL(parsing: document.name.text), "documents")
            directory.update(
                url, try Malformed.need(try? ServiceDescription(parsing: document.value.encoded()), "documents"))
        }
        let query = try text(given, "query")
        do throws(FormatRejection) {
            let found = try directory.services(matching: DiscoveryQuery(parsing: query))
            return ["services": .array(found.map { JSON.Name($0.service.url.text) }.sorted().map { .string($0.text) })]
        } catch {
            return refused(error.clause)
        }
    }
}
