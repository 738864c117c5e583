import Wire

extension Operation {
    /// The formats below every protocol: JSON, Base64URL, URIs.
    static let formats = [
        Operation("json-parse") { input throws(Fault) in
            let bytes = try input.bytes("bytes")
            return .bool((try? JSON.Document(parsing: bytes)) != nil)
        },
        Operation("b64url-decode") { input throws(Fault) in
            let text = try input.text("text")
            guard let bytes = try? Base64URL.decode(text) else { return false }
            return ["ok": true, "hex": .string(Hex.encode(bytes))]
        },
        Operation("uri-resolve") { input throws(Fault) in
            let (base, reference) = (try input.text("base"), try input.text("ref"))
            guard let base = try? URI.Reference(parsing: base), let reference = try? URI.Reference(parsing: reference),
                let resolved = try? base.resolve(reference)
            else { return false }
            return ["uri": .string(resolved.text)]
        },
        Operation("url-parse") { input throws(Fault) in
            let text = try input.text("input")
            let base = try input.optionalText("base")
            guard let url = try? absoluteURL(text, base: base) else { return false }
            return [
                "protocol": .string(url.scheme.rawValue + ":"),
                "hostname": .string(url.host.text),
                "port": .string(url.port.map(String.init) ?? ""),
            ]
        },
    ]

    /// A base that is no web URL has no say in where an absolute URL leads, and nothing relative to it is one.
    private static func absoluteURL(_ text: String, base: String?) throws(URI.Rejection) -> WebURL {
        guard let base else { return try WebURL(parsing: text) }
        do throws(URI.Rejection) {
            return try WebURL(parsing: text, relativeTo: WebURL(parsing: base))
        } catch {
            guard let scheme = (try? URI.Reference(parsing: base))?.scheme?.lowercased(), scheme != "http",
                scheme != "https"
            else {
                throw error
            }
            return try WebURL(parsing: text)
        }
    }
}
