extension CGI {
    /// Appends an answer to a web server, as bytes (SCG-11, CGI-3).
    ///
    /// Framing and date are the web server's, and what it would take for its own orders is not written. A path as
    /// `Location` would have it ask once more instead of its client: such an answer is made absolute, or a 500.
    ///
    /// - Parameters:
    ///   - method: the request's; `nil` where none could be read.
    ///   - origin: what paths of `Location` stand below: `https://id.example`.
    package static func append(
        _ response: HTTP.Response, to method: HTTP.Request.Method?, origin: WebURL? = nil, output: inout [UInt8]
    ) {
        guard let fields = fields(of: response, origin), response.status.code >= 200 else {
            return append(HTTP1.answer(refusing: .internalServerError), to: method, output: &output)
        }
        output.append(contentsOf: "Status: ".utf8)
        HTTP1.append(response.status, to: &output)
        for field in fields { HTTP1.append(field.name.text, field.value, to: &output) }
        let body = response.status.hasNoBody ? [] : response.body
        if !body.isEmpty, fields.allSatisfy({ $0.name != .contentType }) {
            HTTP1.append("Content-Type", "application/octet-stream", to: &output)
        }
        HTTP1.append("Content-Length", String(body.count), to: &output)
        output.append(contentsOf: "\r\n".utf8)
        if method != .head { output.append(contentsOf: body) }
    }

    /// The fields that a web server is to pass on; `nil` where one of them cannot be.
    private static func fields(of response: HTTP.Response, _ origin: WebURL?) -> [HTTP.Field]? {
        var fields: [HTTP.Field] = []
        for field in response.fields where HTTP1.isPassedOn(field) && !isOrder(field.name) {
            guard field.name == .location, !isAbsolute(field.value) else {
                fields.append(field)
                continue
            }
            guard let origin, let url = try? WebURL(parsing: field.value, relativeTo: origin),
                let absolute = try? HTTP.Field(.location, url.text)
            else { return nil }
            fields.append(absolute)
        }
        return fields
    }

    private static func isAbsolute(_ location: String) -> Bool {
        (try? URI.Reference(parsing: location))?.layout.scheme != nil
    }

    /// Whether a web server would take the field for an order to itself: `Status`, `X-Accel-…`, `X-Sendfile`.
    private static func isOrder(_ name: HTTP.Field.Name) -> Bool {
        let name = name.text.utf8.map { ASCII.lowercased($0) }
        return ["x-accel-", "x-sendfile", "x-lighttpd-"].contains { name.starts(with: $0.utf8) }
            || name.elementsEqual("status".utf8)
    }
}
