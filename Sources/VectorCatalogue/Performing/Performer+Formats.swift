internal import Wire

// The formats below all messages.

extension Performer {
    static func jsonText(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let text = given["bytes"] == nil ? Array(try text(given, "text").utf8) : try bytes(given, "bytes")
        do throws(JSON.Rejection) {
            return ["value": try JSON(parsing: text)]
        } catch {
            return refused(error.clause)
        }
    }

    static func base64URL(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let text = try text(given, "text")
        do throws(SyntaxError) {
            return ["bytes": hexadecimal(try Base64URL.decode(text))]
        } catch {
            return refused(error.clause)
        }
    }

    static func url(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let text = try text(given, "text")
        let base = try given["base"].map { base throws(Malformed) in
            try Malformed.need(base.string.flatMap { try? WebURL(parsing: $0) }, "base")
        }
        do throws(URI.Rejection) {
            let url = if let base { try WebURL(parsing: text, relativeTo: base) } else { try WebURL(parsing: text) }
            var members: JSON.Object = [
                "url": .string(url.text), "scheme": .string(url.scheme.rawValue), "host": .string(url.host.text),
            ]
            members["port"] = url.port.map { .number(JSON.Number($0)) }
            return members
        } catch {
            return refused(error.clause)
        }
    }

    static func form(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let text = try text(given, "text")
        do throws(SyntaxError) {
            let form = try Form(parsing: text)
            return ["pairs": .array(form.pairs.map { [.string($0.name), .string($0.value)] })]
        } catch {
            return refused(error.clause)
        }
    }
}
