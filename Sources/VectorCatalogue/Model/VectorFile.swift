internal import Wire

/// The vectors of one chapter as a file: what many of them know stands there once, and each vector on a line of its
/// own.
package struct VectorFile: Sendable {
    /// What they are about.
    package let chapter: Chapter
    /// The vectors in their order.
    package let vectors: [Vector]

    package init(_ chapter: Chapter, _ vectors: [Vector]) {
        self.chapter = chapter
        self.vectors = vectors
    }

    /// The version of the vectors: it changes when they do, with a line in the changelog of their README.
    package static let version = 19

    /// The path of a chapter's file below the folder of all vectors.
    package static func path(of chapter: Chapter) -> String { chapter.folder + "/vectors.json" }

    /// The longest file that is read.
    package static let byteLimit = 64 << 20
}

// MARK: - Writing

extension VectorFile {
    /// The file; the same vectors give the same bytes.
    package func encoded() -> [UInt8] {
        var parties = Shared(), batches = Shared()
        let lines = vectors.map { vector -> JSON.Object in
            var given = vector.given
            if let party = given["party"] { given["party"] = parties.place(of: party) }
            if let store = given["store"]?.array { given["store"] = .array(store.map { batches.place(of: $0) }) }
            return [
                "id": .string(vector.id), "title": .string(vector.title),
                "proves": .array(vector.proves.map { .string($0) }),
                "kind": .string(vector.kind.rawValue), "given": .object(given), "expect": .object(vector.expect),
            ]
        }
        var text =
            "{\"version\":\(Self.version),\"chapter\":\"\(chapter.rawValue)\",\"title\":\"\(chapter.title)\",\n"
        text += "\"parties\":" + Self.list(parties.values) + ",\n\"batches\":" + Self.list(batches.values) + ",\n"
        text += "\"vectors\":" + Self.list(lines.map { .object($0) }) + "}\n"
        return Array(text.utf8)
    }

    private static func list(_ values: [JSON]) -> String {
        "[\n" + values.map { $0.encodedString() }.joined(separator: ",\n") + "\n]"
    }

    /// Values that several vectors have in common, each by its place.
    private struct Shared {
        var values: [JSON] = []
        private var places: [JSON.Name: Int] = [:]

        mutating func place(of value: JSON) -> JSON {
            let text = JSON.Name(value.encodedString())
            if places[text] == nil {
                places[text] = values.count
                values.append(value)
            }
            return .number(JSON.Number(places[text] ?? 0))
        }
    }
}

// MARK: - Reading

extension VectorFile {
    /// Reads a file, with everything that its vectors share put back into each of them.
    package init(parsing bytes: [UInt8]) throws(Vector.Rejection) {
        let json = try Vector.Rejection.need(
            try? JSON(parsing: bytes, limits: JSON.Limits(size: Self.byteLimit)), "the file")
        guard json["version"]?.number?.integer(as: Int.self) == Self.version else { throw Vector.Rejection("version") }
        chapter = try Vector.Rejection.need(json["chapter"]?.string.flatMap { Chapter(rawValue: $0) }, "chapter")
        let (parties, batches) = (json["parties"]?.array ?? [], json["batches"]?.array ?? [])
        func shared(_ place: JSON, _ values: [JSON], _ member: String) throws(Vector.Rejection) -> JSON {
            let place = try Vector.Rejection.need(place.number?.integer(as: Int.self), member)
            guard values.indices.contains(place) else { throw Vector.Rejection(member) }
            return values[place]
        }
        var vectors: [Vector] = []
        for line in try Vector.Rejection.need(json["vectors"]?.array, "vectors") {
            var given = try Vector.Rejection.need(line["given"]?.object, "given")
            if let party = given["party"] { given["party"] = try shared(party, parties, "party") }
            if let store = given["store"]?.array {
                var values: [JSON] = []
                for batch in store { values.append(try shared(batch, batches, "store")) }
                given["store"] = .array(values)
            }
            vectors.append(
                Vector(
                    try Vector.Rejection.need(line["id"]?.string, "id"), chapter,
                    try Vector.Rejection.need(line["title"]?.string, "title"),
                    proves: (line["proves"]?.array ?? []).compactMap { $0.string },
                    kind: try Vector.Rejection.need(line["kind"]?.string.flatMap { Vector.Kind(rawValue: $0) }, "kind"),
                    given: given,
                    expect: try Vector.Rejection.need(line["expect"]?.object, "expect")))
        }
        self.vectors = vectors
    }
}
