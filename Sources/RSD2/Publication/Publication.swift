public import Wire

/// Where a document is published, and in which binding.
public struct Publication: Hashable, Sendable {
    /// The media type, as it was written.
    @ExactText public private(set) var mediaType: String
    /// The document's URL.
    public let url: WebURL

    /// A document of a media type at a URL.
    public init(mediaType: String, url: WebURL) {
        self.mediaType = mediaType
        self.url = url
    }

    /// A document in a binding at a URL.
    public init(_ binding: ServiceDescription.Binding, at url: WebURL) {
        self.init(mediaType: binding.mediaType, url: url)
    }

    /// The binding that the media type stands for.
    public var binding: ServiceDescription.Binding? { ServiceDescription.Binding(mediaType: mediaType) }

    /// The element that announces the document in the head of a web page.
    public var htmlLink: String {
        func escaped(_ text: String) -> String {
            var output = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "&": output += "&amp;"
                case "\"": output += "&quot;"
                case "<": output += "&lt;"
                default: output.unicodeScalars.append(scalar)
                }
            }
            return output
        }
        return "<link rel=\"ServiceAPI\" type=\"\(escaped(mediaType))\" title=\"RSD\" href=\"\(escaped(url.text))\">"
    }
}

extension ServiceDescription.Binding {
    /// The media type under which documents are published.
    public var mediaType: String {
        switch self {
        case .json: "application/x-rsd+json"
        case .yaml: "application/x-rsd+yaml"
        case .xml, .xmlAttributes: "application/x-rsd+xml"
        }
    }

    /// The binding behind a media type, told by its suffix, or its subtype if it has none; parameters do not count.
    public init?(mediaType: String) {
        let bytes = Array(mediaType.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 })
        let start = bytes.lastIndex { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }.map { $0 + 1 } ?? 0
        switch bytes[start...].lowercasedText {
        case "json": self = .json
        case "yaml", "yml", "x-yaml": self = .yaml
        case "xml": self = .xml
        default: return nil
        }
    }

    /// How much a reader likes the binding; the least comes first.
    var rank: Int {
        switch self {
        case .json: 0
        case .yaml: 1
        case .xml, .xmlAttributes: 2
        }
    }
}

extension Sequence<Publication> {
    /// The documents that can be read, those that are read best first: JSON, YAML, XML.
    public var readable: [Publication] {
        let ranked = compactMap { publication in publication.binding.map { (rank: $0.rank, publication) } }
        // The sort is stable, so that among equals the publisher's order stands.
        return ranked.sorted { $0.rank < $1.rank }.map { $0.1 }
    }
}
