import RSD2
import Wire

extension Operation {
    /// Service descriptions, their links and lists, and the readers of XML and YAML below them.
    static let serviceDescriptions = [
        Operation("xml-parse") { input throws(Fault) in
            let bytes = try input.bytes("bytes")
            return .bool((try? XML.Element(parsing: bytes)) != nil)
        },
        Operation("yaml-parse") { input throws(Fault) in
            let text = try input.text("text")
            guard let value = try? YAML.value(parsing: Array(text.utf8).span) else { return false }
            return ["json": value]
        },
        Operation("rsd2-parse") { input throws(Fault) in
            let name = try input.text("format")
            let encoded = try input.text("b64")
            let binding: ServiceDescription.Binding
            switch name {
            case "json": binding = .json
            case "xml": binding = .xml
            case "yaml": binding = .yaml
            default: throw .unknown("format", value: name)
            }
            guard let bytes = try? Base64.decode(encoded) else { throw .missing("b64") }
            return .bool((try? ServiceDescription.reading(bytes, as: binding)) != nil)
        },
        Operation("rsd2-endpoint") { input throws(Fault) in
            guard let name = try? ProtocolName(parsing: "protocol") else { return false }
            var service = ServiceDescription(
                engineLink: try input.optionalText("engineLink") ?? "",
                homePageLink: try input.optionalText("homePageLink"))
            service[name] = ServiceDescription.API(name, link: try input.optionalText("apiLink"))
            let path = try input.optionalText("path")
            // Vectors build links as documents may state them; that apps demand https is a policy on top.
            guard let endpoint = try? service.endpoint(for: name, path: path, encryption: .optional) else {
                return false
            }
            return .string(endpoint.text)
        },
        Operation("rsd2-services") { input throws(Fault) in
            let text = try input.text("text")
            guard let list = try? ServiceList(parsing: text) else { return false }
            return ["count": .number(JSON.Number(Int64(list.entries.count)))]
        },
    ]
}
