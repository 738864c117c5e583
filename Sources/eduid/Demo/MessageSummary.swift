import Wire

/// Tells what is in a message: parameters and members by name, tokens by what they say, secrets not at all.
enum MessageSummary {
    static func lines(of request: HTTP.Request) -> [String] {
        var lines = [request.method.text + " " + target(of: request)]
        for value in request.fields.values(of: .authorization) {
            let parts = value.split(separator: " ", maxSplits: 1).map { String($0) }
            lines.append("Authorization: \(parts.first ?? "") " + told(parts.last ?? ""))
        }
        if let form = try? HTTP.Form(parsing: request.body), isForm(request) {
            for pair in form.pairs { lines.append("\(pair.name) = " + told(pair.value, named: pair.name)) }
        } else if let json = try? JSON(parsing: request.body) {
            lines += self.lines(of: json)
        }
        return lines
    }

    static func lines(of response: HTTP.Response?) -> [String] {
        guard let response else { return ["(no answer)"] }
        var lines = ["\(response.status)"]
        if let json = try? JSON(parsing: response.body) {
            lines += self.lines(of: json)
        } else if !response.body.isEmpty {
            lines += String(decoding: response.body, as: UTF8.self).split(separator: "\n").prefix(4).map { String($0) }
        }
        return lines
    }

    static func lines(of json: JSON) -> [String] {
        switch json {
        case .object(let object):
            object.map { member in
                if let text = member.value.string {
                    return "\(member.name.text): " + told(text, named: member.name.text)
                }
                return "\(member.name.text): " + shortened(JSON(withoutSecrets: member.value).encodedString(), to: 96)
            }
        case .array(let elements):
            elements.isEmpty
                ? ["[]"]
                : elements.map { element in
                    if let name = element["engineName"]?.string {
                        return "[\(name)] protocols " + protocols(in: element)
                    }
                    return shortened(JSON(withoutSecrets: element).encodedString(), to: 96)
                }
        default: [json.encodedString()]
        }
    }

    /// Which protocols a service description offers, and whether it carries an authorization.
    private static func protocols(in description: JSON) -> String {
        let names = description["apis"]?.object?.map { $0.name.text } ?? []
        return names.joined(separator: ", ") + (description["authorization"] == nil ? "" : ", with authorization")
    }

    private static func isForm(_ request: HTTP.Request) -> Bool {
        request.fields.values(of: .contentType).contains { $0.hasPrefix("application/x-www-form-urlencoded") }
    }

    private static func target(of request: HTTP.Request) -> String {
        if case .absolute(let url) = request.target { return url.text }
        return request.target.path
    }

    /// A value as it can be shown: a signed text by its claims, a secret by its beginning, a password not at all.
    static func told(_ value: String, named name: String = "") -> String {
        if ["password", "otp", "step_response"].contains(name) { return "(not shown)" }
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 3, let header = claims(parts[0]), let payload = claims(parts[1]) {
            let kind = header["typ"]?.string ?? "JWT"
            let told = ["iss", "sub", "aud", "azp", "client_id", "name", "scope"].compactMap { name in
                payload[JSON.Name(name)].flatMap { $0.string }.map { "\(name) \(shortened($0, to: 44))" }
            }
            let key = header["kid"]?.string.map { ", key \(shortened($0, to: 14))" } ?? ""
            return "<\(kind)\(key): " + told.joined(separator: ", ") + ">"
        }
        let isSecret = [
            "code", "authorization_code", "code_verifier", "refresh_token", "access_token", "token", "state",
            "auth_session",
        ].contains(name)
        return shortened(value, to: isSecret ? 18 : 88)
    }

    private static func claims(_ part: Substring) -> JSON.Object? {
        guard let bytes = try? Base64URL.decode(String(part)) else { return nil }
        return (try? JSON(parsing: bytes))?.object
    }

    static func shortened(_ text: String, to count: Int) -> String {
        text.count > count ? text.prefix(count - 1) + "…" : text
    }
}

extension JSON {
    /// The value without the members that only their holder may see.
    fileprivate init(withoutSecrets value: JSON) {
        switch value {
        case .object(let object):
            self = .object(
                JSON.Object(
                    object.map {
                        ($0.name, ["k", "d"].contains($0.name.text) ? "(not shown)" : JSON(withoutSecrets: $0.value))
                    }))
        case .array(let elements): self = .array(elements.map { JSON(withoutSecrets: $0) })
        default: self = value
        }
    }
}
