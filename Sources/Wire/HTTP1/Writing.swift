extension HTTP1 {
    /// Appends the final answer to a request as bytes (RFC 9112 §4).
    ///
    /// Length, date (HTP-34) and the end of the connection (HTP-35) are this function's to tell: fields of the answer
    /// for them are not written (HTP-32). An answer that is no final one becomes a 500, because the client would go on
    /// waiting.
    ///
    /// - Parameters:
    ///   - method: the request's; `nil` where none could be read.
    ///   - date: when the answer is written, as ``Timestamp/httpDate()`` has it; `nil` where the clock is beyond dates.
    ///   - isClosing: whether the connection ends behind the answer.
    package static func append(
        _ response: HTTP.Response, to method: HTTP.Request.Method?, date: String?, isClosing: Bool,
        to output: inout [UInt8]
    ) {
        guard response.status.code >= 200 else {
            return append(
                answer(refusing: .internalServerError), to: method, date: date, isClosing: isClosing, to: &output)
        }
        output.append(contentsOf: "HTTP/1.1 ".utf8)
        append(response.status, to: &output)
        if let date { append("Date", date, to: &output) }
        if isClosing { append("Connection", "close", to: &output) }
        for field in response.fields where isPassedOn(field) { append(field.name.text, field.value, to: &output) }
        let body = response.status.hasNoBody ? [] : response.body
        if response.status.hasNoBody {
            // What the length of a 304 would mean, only the 200 in its place could say (RFC 9110 §8.6).
            if response.status.code == 205 { append("Content-Length", "0", to: &output) }
        } else {
            append("Content-Length", String(body.count), to: &output)
        }
        output.append(contentsOf: "\r\n".utf8)
        if method != .head { output.append(contentsOf: body) }
    }

    /// Appends what lets a client go on with the body of its request (HTP-26).
    package static func appendContinue(to output: inout [UInt8]) {
        output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }

    /// What a server answers in its own words: a few, and none of the request's (HTP-36).
    package static func answer(refusing status: HTTP.Response.Status) -> HTTP.Response {
        var fields = HTTP.Fields()
        var own: [(HTTP.Field.Name, String)] = [
            (.contentType, "text/plain; charset=utf-8"), (.cacheControl, "no-store"),
        ]
        if status == .serviceUnavailable { own.append((.retryAfter, "1")) }
        for (name, value) in own { try? fields.append(name, value) }
        return HTTP.Response(status, fields: fields, body: Array((status.reason + "\n").utf8))
    }
}

// MARK: - Requests

extension HTTP1 {
    /// Whether a field of a request is the sender's to set, and looks like one.
    package static func isSent(_ field: HTTP.Field) -> Bool { isPassedOn(field) && field.name != .host }

    /// Appends a request as bytes (RFC 9112 §3), after whose answer the connection ends.
    ///
    /// Host, length and the end of the connection are this function's to tell: fields of the request for them are not
    /// written.
    package static func append(_ request: HTTP.Request, to url: WebURL, to output: inout [UInt8]) {
        output.append(contentsOf: request.method.text.utf8)
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: (url.path.isEmpty ? "/" : url.path).utf8)
        if let query = url.query { output.append(contentsOf: ("?" + query).utf8) }
        output.append(contentsOf: " HTTP/1.1\r\n".utf8)
        append("Host", url.host.text + (url.origin.port.map { ":\($0)" } ?? ""), to: &output)
        append("Connection", "close", to: &output)
        for field in request.fields where isSent(field) { append(field.name.text, field.value, to: &output) }
        // What could have a body says that it has none (RFC 9110 §8.6).
        if !request.body.isEmpty || request.method != .get && request.method != .head {
            append("Content-Length", String(request.body.count), to: &output)
        }
        output.append(contentsOf: "\r\n".utf8)
        output.append(contentsOf: request.body)
    }
}

// MARK: - What CGI writes as well

extension HTTP1 {
    /// Appends a status with the words that belong to it, and the end of the line.
    static func append(_ status: HTTP.Response.Status, to output: inout [UInt8]) {
        output.append(contentsOf: String(status.code).utf8)
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: status.reason.utf8)
        output.append(contentsOf: "\r\n".utf8)
    }

    static func append(_ name: String, _ value: String, to output: inout [UInt8]) {
        output.append(contentsOf: name.utf8)
        output.append(contentsOf: ": ".utf8)
        output.append(contentsOf: value.utf8)
        output.append(contentsOf: "\r\n".utf8)
    }

    /// Whether the field is the handler's to set, and looks like one: once more, wherever it was made (HTP-31).
    static func isPassedOn(_ field: HTTP.Field) -> Bool { !isFraming(field.name) && isWritable(field) }

    private static func isFraming(_ name: HTTP.Field.Name) -> Bool {
        name == .contentLength || name == .transferEncoding || name == .connection || name == .date
    }

    private static func isWritable(_ field: HTTP.Field) -> Bool {
        !field.name.text.isEmpty && field.name.text.utf8.allSatisfy { ASCII.isToken($0) }
            && field.value.utf8.allSatisfy { !ASCII.isControl($0) || $0 == 0x09 }
    }
}

extension HTTP.Response.Status {
    /// Whether an answer of this status has no body (HTP-33, RFC 9110 §§15.3.5, 15.3.6, 15.4.5).
    var hasNoBody: Bool { code == 204 || code == 205 || code == 304 }

    /// What the status means, in the words of RFC 9110 §15 and RFC 6585; those of its class for others.
    fileprivate var reason: String {
        switch code {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 205: "Reset Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default:
            switch code / 100 {
            case 2: "OK"
            case 3: "Redirection"
            case 4: "Client Error"
            default: "Server Error"
            }
        }
    }
}
