import Wire

extension Operation {
    /// The formats below every protocol: JSON, Base64URL, URIs.
    static let formats = [
        Operation(judging: "json-parse") { try JSON.Document(parsing: $0.bytes("bytes")) },
        Operation("b64url-decode") { input in
            ["ok": true, "hex": .string(Hex.encode(try Base64URL.decode(input.text("text"))))]
        },
        Operation("uri-resolve") { input in
            let (base, reference) = (try input.text("base"), try input.text("ref"))
            let resolved = try URI.Reference(parsing: base).resolve(URI.Reference(parsing: reference))
            return ["uri": .string(resolved.text)]
        },
        Operation("url-parse") { input in
            let text = try input.text("input")
            let url = try absoluteURL(text, base: input.optionalText("base"))
            return [
                "protocol": .string(url.scheme.rawValue + ":"), "hostname": .string(url.host.text),
                "port": .string(url.port.map(String.init) ?? ""),
            ]
        },
    ]

    /// A base that is not a web URL has no say in what an absolute URL means, and nothing relative to it is one.
    private static func absoluteURL(_ text: String, base: String?) throws -> WebURL {
        let scheme = base.flatMap { try? URI.Reference(parsing: $0) }?.scheme?.lowercased()
        guard let base, scheme == nil || scheme == "http" || scheme == "https" else {
            return try WebURL(parsing: text)
        }
        return try WebURL(parsing: text, relativeTo: WebURL(parsing: base))
    }
}
