import RSD2
import Wire

extension Operation {
    /// Service descriptions, their links and lists, and the readers of XML and YAML below them.
    static let serviceDescriptions = [
        Operation(judging: "xml-parse") { try XML.Element(parsing: $0.bytes("bytes")) },
        Operation("yaml-parse") { ["json": try YAML.value(parsing: Array($0.text("text").utf8).span)] },
        Operation(judging: "rsd2-parse") { input in
            let bindings: [String: ServiceDescription.Binding] = ["json": .json, "xml": .xml, "yaml": .yaml]
            let binding = try input.choice("format") { bindings[$0] }
            guard let bytes = try? Base64.decode(input.text("b64")) else { throw Fault.missing("b64") }
            return try ServiceDescription.reading(bytes, as: binding)
        },
        Operation("rsd2-endpoint") { input in
            let name = try ProtocolName(parsing: "protocol")
            var service = ServiceDescription(
                engineLink: try input.optionalText("engineLink") ?? "",
                homePageLink: try input.optionalText("homePageLink"))
            service[name] = ServiceDescription.API(name, link: try input.optionalText("apiLink"))
            // Vectors build links as documents may state them; that apps demand https is a policy on top.
            let path = try input.optionalText("path")
            return .string(try service.endpoint(for: name, path: path, encryption: .optional).text)
        },
        Operation("rsd2-services") { input in
            ["count": .number(JSON.Number(try ServiceList(parsing: input.text("text")).entries.count))]
        },
    ]
}
