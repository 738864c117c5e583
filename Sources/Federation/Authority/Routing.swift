internal import OAuth2Grants
internal import Wire

/// The way of a request to one of a service's endpoints: what it asks for, below the service's base URL.
struct Way {
    let method: HTTP.Request.Method
    /// The parts of the path below the base, percent signs and all.
    let parts: [Substring]

    /// The way of a request; nothing where it leads elsewhere.
    init?(of request: HTTP.Request, below base: WebURL) {
        if case .absolute(let url) = request.target, url.origin != base.origin { return nil }
        let root = base.path.utf8.last == UInt8(ascii: "/") ? base.path : base.path + "/"
        let path = request.target.path
        guard path.utf8.starts(with: root.utf8) else { return nil }
        method = request.method
        parts = path.dropFirst(root.count).split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Whether the path is made of these words.
    func leads(_ words: String...) -> Bool {
        parts.count == words.count && zip(parts, words).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    /// What stands behind these words, where that is one part and not empty.
    func leads(_ words: String..., thenPart place: Int) -> Substring? {
        guard parts.count == words.count + 1, parts.indices.contains(place), !parts[place].isEmpty else { return nil }
        var rest = parts
        let part = rest.remove(at: place)
        guard zip(rest, words).allSatisfy({ $0.utf8.elementsEqual($1.utf8) }) else { return nil }
        return part
    }
}

extension HTTP.Response {
    /// Nothing is found at that path.
    static var nowhere: HTTP.Response { HTTP.Response(.notFound) }

    /// The path is right, and the method is not.
    static func notAllowed(but methods: [HTTP.Request.Method]) -> HTTP.Response {
        var response = HTTP.Response(.methodNotAllowed)
        let allowed = methods.map { $0.text }.joined(separator: ", ")
        if let name = try? HTTP.Field.Name(parsing: "Allow") { try? response.fields.append(name, allowed) }
        return response
    }

    /// A JSON text for the one who asked, which nobody else may keep.
    static func json(_ body: [UInt8], isPublic: Bool = false) -> HTTP.Response {
        var response = HTTP.Response(.ok, body: body)
        // Fixed words keep the rules of fields.
        try? response.fields.append(.contentType, HTTP.MediaType.json.text)
        try? response.fields.append(.cacheControl, isPublic ? "max-age=3600" : "no-store")
        return response
    }
}
