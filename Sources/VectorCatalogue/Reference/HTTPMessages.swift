internal import OAuth2Grants
package import Wire

// Messages as JSON, in the form of the testkit: {"method", "url" or "path", "headers", "body"} and {"status",
// "headers", "body"}, the body as text.

extension HTTP.Request {
    package init(vector json: JSON) throws(Vector.Rejection) { try self.init(given: Given(json, "request.")) }

    init(given: Given) throws(Vector.Rejection) {
        let method = try given.parse("method") { try Method(parsing: $0) }
        let target = try given.parse(given["url"] == nil ? "path" : "url") { try Target(parsing: $0) }
        let fields = try given.need("headers") { $0.object.flatMap { HTTP.Fields(vector: $0) } }
        self.init(method, target, fields: fields, body: Array((given["body"]?.string ?? "").utf8))
    }

    package var vector: JSON {
        var members: JSON.Object = [
            "method": .string(method.text), "url": .string(urlText), "headers": .object(fields.vector),
        ]
        if !body.isEmpty { members["body"] = .string(String(decoding: body, as: UTF8.self)) }
        return .object(members)
    }

    private var urlText: String {
        switch target {
        case .absolute(let url): url.text
        case .origin(let path, let query): path + (query.map { "?" + $0 } ?? "")
        }
    }
}

extension HTTP.Response {
    package init(vector json: JSON) throws(Vector.Rejection) { try self.init(given: Given(json, "answer.")) }

    init(given: Given) throws(Vector.Rejection) {
        let status = try given.need("status") { $0.number?.integer(as: Int.self).flatMap { Status($0) } }
        let fields = try given.need("headers") { $0.object.flatMap { HTTP.Fields(vector: $0) } }
        self.init(status, fields: fields, body: Array((given["body"]?.string ?? "").utf8))
    }

    package var vector: JSON {
        var members: JSON.Object = ["status": .number(JSON.Number(status.code)), "headers": .object(fields.vector)]
        if !body.isEmpty { members["body"] = .string(String(decoding: body, as: UTF8.self)) }
        return .object(members)
    }

    /// The code of the OAuth error that the body tells, or that the field of a resource does.
    var errorCode: String? {
        if let code = (try? JSON(parsing: body))?["error"]?.string { return code }
        return status.isSuccess ? nil : "http_\(status.code)"
    }
}

extension HTTP.Fields {
    init?(vector object: JSON.Object) {
        self.init()
        for member in object {
            guard let name = try? HTTP.Field.Name(parsing: member.name.text) else { return nil }
            for value in member.value.array ?? [member.value] {
                guard let text = value.string, (try? append(name, text)) != nil else { return nil }
            }
        }
    }

    var vector: JSON.Object {
        var object: JSON.Object = [:]
        for field in self {
            let values = values(of: field.name)
            object[JSON.Name(field.name.text)] =
                values.count == 1 ? .string(field.value) : .array(values.map { .string($0) })
        }
        return object
    }
}
