import JOSE
import VectorCatalogue
import Wire

/// A message in a page, which is taken from a vector: `<!-- example: ID PATH -->` or, for the header and the claims of
/// a token, `<!-- decoded: ID PATH -->`, and a block of code below it.
struct Example {
    let isDecoded: Bool
    let id: String
    let path: [Substring]

    /// Reads the line above a block.
    init?(marker line: String) {
        guard let match = line.wholeMatch(of: #/\s*<!-- (example|decoded): (\S+) (\S+) -->/#) else { return nil }
        isDecoded = match.1 == "decoded"
        id = String(match.2)
        path = match.3.split(separator: ".")
    }

    /// The lines of the block; `nil` if the vector or the place in it does not exist.
    var lines: [String]? {
        guard let vector = Published.byID[id] else { return nil }
        var place: JSON = .object(["given": .object(vector.given), "expect": .object(vector.expect)])
        for step in path {
            guard let next = Self.step(into: place, String(step)) else { return nil }
            place = next
        }
        let text = isDecoded ? Self.decoded(place) : Self.printed(place)
        return text?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func step(into place: JSON, _ name: String) -> JSON? {
        if let list = place.array { return Int(name).flatMap { list.indices.contains($0) ? list[$0] : nil } }
        guard let text = place.string else { return place[JSON.Name(name)] }
        if text.hasPrefix("{") || text.hasPrefix("[") {
            return (try? JSON(parsing: text)).flatMap { step(into: $0, name) }
        }
        let form = try? HTTP.Form(parsing: Array(text.utf8))
        return form?.pairs.first { $0.name == name }.map { .string($0.value) }
    }

    /// An HTTP message as it goes over the wire, JSON in lines, a text as it is.
    private static func printed(_ value: JSON) -> String? {
        if let text = value.string { return text }
        let first: String
        if let method = value["method"]?.string, let url = value["url"]?.string.flatMap({ try? WebURL(parsing: $0) }) {
            let query = url.query.map { "?" + $0 } ?? ""
            first = "\(method) \(url.path)\(query) HTTP/1.1\nHost: \(url.origin.text.split(separator: "/").last ?? "")"
        } else if let status = value["status"]?.number, value["headers"] != nil {
            first = "HTTP/1.1 \(status.text)"
        } else {
            return value.encodedString(.indented)
        }
        var lines = [first]
        for field in value["headers"]?.object ?? [:] {
            for text in field.value.array ?? [field.value] { lines.append("\(field.name.text): \(text.string ?? "")") }
        }
        if let body = value["body"]?.string { lines += ["", body] }
        return lines.joined(separator: "\n")
    }

    private static func decoded(_ value: JSON) -> String? {
        guard let parts = value.string?.split(separator: " ").last?.split(separator: "."), parts.count == 3,
            let header = WireNames.object(parts[0]), let claims = WireNames.object(parts[1])
        else { return nil }
        return [header, claims].map { JSON.object($0).encodedString(.indented) }.joined(separator: "\n.\n")
    }
}
