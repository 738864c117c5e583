internal import Wire

extension HTTP.Request {
    /// A form sent to an endpoint, with whatever the client says who it is with; its name stands there once, whoever
    /// says it.
    init(
        form pairs: [HTTP.Form.Pair], client: ClientID? = nil, to endpoint: WebURL, _ credential: ClientCredential,
        proof: Assertion? = nil
    ) throws(SyntaxError) {
        var pairs = pairs
        if let client, credential.client == nil { pairs.append(HTTP.Form.Pair("client_id", client.text)) }
        var fields = try HTTP.Fields(accepting: credential)
        if let proof, fields.value(of: .dpop) == .absent { fields.add(.dpop, proof.secret) }
        fields.add(.contentType, HTTP.MediaType.form.text)
        self.init(.post, .absolute(endpoint), fields: fields, body: HTTP.Form(pairs + credential.parameters).encoded())
    }
}

extension HTTP.Fields {
    /// The fields of a request that wants JSON for an answer, and carries a credential.
    init(accepting credential: ClientCredential) throws(SyntaxError) {
        self.init()
        add(.accept, HTTP.MediaType.json.text)
        for (name, value) in try credential.fields() { add(name, value) }
    }

    /// The fields of an answer that nobody may keep (RFC 6749 §5.1).
    static var uncached: HTTP.Fields {
        var fields = HTTP.Fields()
        fields.add(.cacheControl, "no-store")
        fields.add(.pragma, "no-cache")
        return fields
    }

    /// Adds a field that the bounds of tokens and scopes keep within the limits of fields.
    mutating func add(_ name: HTTP.Field.Name, _ value: String) {
        do throws(SyntaxError) {
            try append(name, value)
        } catch {
            // Secrets have 16 KiB and no control characters, fields may have 32 KiB, and there are fewer than ten of
            // them.
            assertionFailure("\(name) cannot be carried: \(error)")
        }
    }
}

extension HTTP.Response {
    /// A JSON object that nobody may keep.
    static func json(_ status: Status = .ok, _ members: (inout JSON.ObjectWriter) -> Void) -> HTTP.Response {
        var fields = HTTP.Fields.uncached
        fields.add(.contentType, HTTP.MediaType.json.text)
        return HTTP.Response(status, fields: fields, body: JSON.encodedObject(.compact, members))
    }

    /// The media type of a page for people, if the answer is one.
    var page: String? {
        guard !body.isEmpty else { return nil }
        return fields.values(of: .contentType).first { text in
            let type = text.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
            let word = String(decoding: type, as: UTF8.self).lowercased()
            return ["text/html", "application/xhtml+xml"].contains { word.utf8.elementsEqual($0.utf8) }
        }
    }

    /// An empty success that nobody may keep.
    static var done: HTTP.Response { HTTP.Response(.ok, fields: .uncached) }
}

extension Parameters {
    /// Reads the members of a successful answer.
    init(answer response: HTTP.Response) throws(ParameterRejection) {
        guard response.status == .ok else { throw .status(response.status) }
        try self.init(membersOf: response)
    }

    /// Reads the members of an answer, whatever its status; a server that names no media type is believed to send JSON.
    init(membersOf response: HTTP.Response) throws(ParameterRejection) {
        guard response.body.count <= Self.byteLimit else {
            throw .tooLarge(size: response.body.count, limit: Self.byteLimit)
        }
        switch response.fields.value(of: .contentType) {
        case .absent: break
        case .once(let text):
            guard let type = try? HTTP.MediaType(parsing: text), type.matches(.json) else {
                throw .answerMediaType(text)
            }
        case .repeated: throw .answerMediaType(nil)
        }
        try self.init(json: response.body)
    }
}
