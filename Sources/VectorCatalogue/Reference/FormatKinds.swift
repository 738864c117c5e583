internal import Wire

// The formats below all messages.

extension Reference {
    static func jsonText(_ given: Given) throws -> JSON.Object {
        let text = given["bytes"] == nil ? Array(try given.text("text").utf8) : try given.bytes("bytes")
        return ["value": try JSON(parsing: text)]
    }

    static func base64URL(_ given: Given) throws -> JSON.Object {
        ["bytes": hexadecimal(try Base64URL.decode(try given.text("text")))]
    }

    static func url(_ given: Given) throws -> JSON.Object {
        let text = try given.text("text")
        let base = try given.parseIfThere("base") { try WebURL(parsing: $0) }
        let url = if let base { try WebURL(parsing: text, relativeTo: base) } else { try WebURL(parsing: text) }
        var members: JSON.Object = [
            "url": .string(url.text), "scheme": .string(url.scheme.rawValue), "host": .string(url.host.text),
        ]
        members["port"] = url.port.map { .number(JSON.Number($0)) }
        return members
    }

    static func form(_ given: Given) throws -> JSON.Object {
        let form = try HTTP.Form(parsing: try given.text("text"))
        return ["pairs": .array(form.pairs.map { [.string($0.name), .string($0.value)] })]
    }
}
