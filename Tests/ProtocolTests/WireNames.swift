import JOSE
import TestSupport
import VectorCatalogue
import Wire

/// The vectors of every chapter, as they are published.
enum Published {
    static let vectors: [Vector] = Chapter.allCases.flatMap { chapter -> [Vector] in
        let bytes = try? Repository.fixture("vectors/" + VectorFile.path(of: chapter))
        return bytes.flatMap { try? VectorFile(parsing: $0).vectors } ?? []
    }

    static let byID: [String: Vector] = Dictionary(vectors.map { ($0.id, $0) }) { first, _ in first }
}

/// The names that vectors use on the wire and in stores, each with one of the vectors.
struct WireNames {
    private(set) var names: [Glossary.Category: [String: String]] = [:]
    private var vector = ""

    /// What the interactions use that come to something.
    init(acceptedIn vectors: [Vector]) {
        for vector in vectors where vector.chapter.isInteraction && vector.expect["refusal"] == nil {
            self.vector = vector.id
            switch vector.kind {
            case .exchange, .access, .delivery:
                take(request: vector.given["request"] ?? vector.expect["request"])
                take(response: vector.expect["response"], isAbout: vector.given["request"]?["url"]?.string)
                for question in vector.expect["questions"]?.array ?? [] { take(request: question) }
                for batch in (vector.given["store"]?.array ?? []) + [.object(vector.expect)] {
                    for change in batch["changes"]?.array ?? [] { take(change: change) }
                }
            default: break
            }
        }
    }

    private mutating func note(_ category: Glossary.Category, _ name: String) {
        if names[category]?[name] == nil { names[category, default: [:]][name] = vector }
    }

    private mutating func take(request: JSON?) {
        guard let request else { return }
        let (type, body) = take(message: request)
        let query = request["url"]?.string?.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let form = type == "application/x-www-form-urlencoded" ? [body] : []
        for text in [String(query)] + form {
            for pair in (try? HTTP.Form(parsing: Array(text.utf8)))?.pairs ?? [] {
                note(.parameter, pair.name)
                if pair.name == "grant_type" { note(.grantType, pair.value) }
                take(tokens: pair.value)
            }
        }
        if type == "application/json", let object = (try? JSON(parsing: body))?.object {
            for member in object {
                note(.parameter, member.name.text)
                if member.name == "grant_type", let value = member.value.string { note(.grantType, value) }
                if let text = member.value.string { take(tokens: text) }
            }
        }
    }

    private mutating func take(response: JSON?, isAbout url: String?) {
        guard let response else { return }
        let (_, body) = take(message: response)
        if let json = try? JSON(parsing: body) { take(members: json) }
    }

    private mutating func take(message: JSON) -> (type: String, body: String) {
        var type = ""
        for field in message["headers"]?.object ?? [:] {
            note(.field, field.name.text)
            for value in field.value.array ?? [field.value] {
                guard let text = value.string else { continue }
                take(tokens: text)
                if field.name == "Content-Type" {
                    type = String(text.split(separator: ";")[0])
                    note(.mediaType, type)
                }
            }
        }
        return (type, message["body"]?.string ?? "")
    }

    /// The members of an answer; what settings of protocols hold is nobody's business.
    private mutating func take(members json: JSON) {
        for element in json.array ?? [] { take(members: element) }
        for member in json.object ?? [:] {
            note(.member, member.name.text)
            if member.name == "token_type", let value = member.value.string { note(.tokenType, value) }
            if member.name != "settings" { take(members: member.value) }
            if let text = member.value.string { take(tokens: text) }
        }
    }

    private mutating func take(tokens text: String) {
        for word in text.split(separator: " ") where word.hasPrefix("eyJ") {
            let parts = word.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]) else {
                continue
            }
            for member in header { note(.header, member.name.text) }
            if let type = header["typ"]?.string { note(.typ, type) }
            for claim in claims { note(.claim, claim.name.text) }
        }
    }

    /// What a part of a token says.
    static func object(_ part: Substring) -> JSON.Object? {
        (try? Base64URL.decode(String(part))).flatMap { try? JSON(parsing: $0) }?.object
    }

    private mutating func take(change: JSON) {
        if let name = change["do"]?.string { note(.change, name) }
        if let reason = change["reason"]?.string { note(.reason, reason) }
        guard let record = change["record"] else { return }
        if let kind = record["kind"]?.string { note(.kind, kind) }
        for attribute in record["attributes"]?.object ?? [:] { note(.attribute, attribute.name.text) }
    }
}

extension Vector {
    /// All words in it that can be names: of members and fields, of parameters in forms, and short texts, those in
    /// tokens and in JSON texts too.
    var words: Set<String> {
        var words: Set<String> = []
        Self.collect(.object(given), into: &words)
        Self.collect(.object(expect), into: &words)
        return words
    }

    private static func collect(_ json: JSON, into words: inout Set<String>) {
        for element in json.array ?? [] { collect(element, into: &words) }
        for member in json.object ?? [:] {
            words.insert(member.name.text)
            collect(member.value, into: &words)
        }
        guard let text = json.string else { return }
        if text.utf8.count <= 200 { words.insert(text) }
        if text.hasPrefix("{") || text.hasPrefix("[") {
            if let inner = try? JSON(parsing: text) { collect(inner, into: &words) }
            return
        }
        let query = text.split(separator: "?", maxSplits: 1).last ?? ""
        if query.contains("="), let form = try? HTTP.Form(parsing: Array(query.utf8)) {
            for pair in form.pairs {
                words.insert(pair.name)
                collect(.string(pair.value), into: &words)
            }
        }
        for word in text.split(whereSeparator: { " ;,<>\"\n:=".contains($0) }) {
            words.formUnion(word.split(separator: "/").map(String.init) + [String(word)])
            for part in word.split(separator: ".") where word.hasPrefix("eyJ") {
                if let object = WireNames.object(part) { collect(.object(object), into: &words) }
            }
        }
    }
}
