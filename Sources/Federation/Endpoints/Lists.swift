internal import OAuth2Grants
public import TokenTree
public import Wire

// What people see of the tree, a portion at a time, and what they end in it.

/// Why an administrator ended or locked something, in words for the next one who looks: at most 200 characters, all of
/// which can be seen.
///
/// It is kept with what ended, and shown where that is listed; the person concerned is not told.
public struct Remark: Sendable, Hashable, Parsable, CustomStringConvertible {
    /// The words.
    @ExactText public private(set) var text: String

    /// Reads a remark.
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        let words = try Identifier<Limits>(parsing: bytes).text
        let length = words.unicodeScalars.count
        guard length <= 200 else { throw .tooLong(.remark, length: length, limit: 200) }
        if let offset = words.firstUnfitForDisplay { throw .foreignCharacter(.remark, offset: offset) }
        text = words
    }

    /// The words.
    public var description: String { text }

    private enum Limits: IdentifierKind {
        static var lengthLimit: Int { 800 }
    }
}

extension SyntaxError.Format {
    fileprivate static let remark = SyntaxError.Format("remark", "threat-14")
}

extension Record {
    private static let remark: JSON.Name = "reason"

    /// Why it ended, where somebody said so.
    var remark: String? { attributes[Self.remark]?.string }

    /// What is kept with it, and why it ends.
    func remarked(_ remark: Remark?) -> JSON.Object {
        var kept = attributes
        kept[Self.remark] = remark.map { .string($0.text) }
        return kept
    }
}

/// Which part of a list is wanted: what stands in so many records behind a place.
///
/// An answer holds no more than that, be it less; where the list goes on, its `Link` field with `rel="next"` says how
/// to ask for the rest (RFC 8288).
public struct Portion: Sendable, Hashable {
    /// The place behind which it begins; `nil` for the beginning of the list.
    public let last: TokenID?
    /// How many records are looked at: one at least, and 1,000 at most.
    public let limit: Int

    /// A part of a list.
    public init(after last: TokenID? = nil, limit: Int = 100) {
        self.last = last
        self.limit = min(max(limit, 1), 1_000)
    }
}

extension Call {
    /// What the request says beside its path: in its query, and with POST in its body.
    func details() throws(Refusal) -> HTTP.Form {
        let text = request.method == .post ? request.body : Array((request.target.query ?? "").utf8)
        guard let form = try? HTTP.Form(parsing: text) else {
            throw Refusal(.invalidRequest, "the parameters are no form", "RFC6749-B")
        }
        return form
    }

    /// Why something is to end or to be locked.
    func remark() throws(Refusal) -> Remark? {
        try details().read("reason", "a text of at most 200 characters that can be seen") { try? Remark(parsing: $0) }
    }

    /// Whether only who is locked is wanted.
    func wantsLocked() throws(Refusal) -> Bool {
        try details().read("locked", "'true'") { $0.utf8.elementsEqual("true".utf8) ? true : nil } ?? false
    }

    /// Which part of a list is wanted.
    func portion() throws(Refusal) -> Portion {
        let form = try details()
        let last = try form.read("after", "the place that the last answer ended with") { try? TokenID(parsing: $0) }
        let limit = try form.read("limit", "a number from 1 to 1000") { text in
            Int(text).flatMap { (1...1_000).contains($0) ? $0 : nil }
        }
        return Portion(after: last, limit: limit ?? 100)
    }
}

extension HTTP.Form {
    /// The parameter of a name, where there is one; it comes once, and is what it should be.
    func read<Value>(_ name: String, _ expected: String, _ read: (String) -> Value?) throws(Refusal) -> Value? {
        switch value(of: name) {
        case .absent: return nil
        case .once(let text):
            if let value = read(text) { return value }
        case .repeated: break
        }
        throw Refusal(.invalidRequest, "'\(name)' must be \(expected), and come once", "RFC6749-3.1")
    }
}

extension Inquiry {
    /// A part of a list.
    mutating func portion(_ portion: Portion, of selection: Facts.Selection) throws(Refusal) -> Facts.Page {
        let facts = try facts(.records(selection, after: portion.last, limit: portion.limit))
        if let page = facts.page(of: selection, after: portion.last, limit: portion.limit) { return page }
        guard portion.last == nil else { throw .lostPlace }
        return Facts.Page(lineages: [], next: nil)
    }

    /// The lock that shuts a name out.
    mutating func lock(of name: Record.Holder) throws(Refusal) -> Record? {
        try lineage(of: .lock, heldBy: name)?.record
    }

    /// What locks a name, or says anew why it is locked.
    mutating func locking(
        _ name: Record.Holder, of subject: Record.Subject? = nil, _ remark: Remark?
    ) throws(Refusal) -> [Change] {
        if let lock = try lock(of: name) { return lock.keepingAnew(lock.remarked(remark)) }
        var lock = Record(
            id: TokenID(using: &chance), kind: .lock, parent: nil, issued: now, holder: name, subject: subject)
        lock.attributes = lock.remarked(remark)
        return [.insert(lock)]
    }

    /// What lets a name in again.
    ///
    /// - Parameter isOther: whether what is known under the name is another thing than a lock.
    mutating func unlocking(
        _ name: Record.Holder, unless isOther: (Record) -> Bool = { _ in false }
    ) throws(Refusal) -> [Change] {
        guard let lock = try lock(of: name), !isOther(lock) else { return [] }
        return [.revoke(lock.id, .administrator)]
    }
}

extension Refusal {
    static let lostPlace = Refusal(
        .invalidRequest, "the place in the list is not there any more; begin the list anew", "threat-14")
}

/// How many records end with one request; whoever wants more asks again.
let endedAtOnce = 256

extension Lineage {
    /// What ends by somebody's wish: it was not ended before, be what it stands on alive or not.
    var isUnended: Bool { entry.fate.revocation == nil }

    /// The end of a record, and with it why, where that can still be noted.
    func ended(_ reason: Record.Reason, _ remark: Remark? = nil, at now: Timestamp) -> [Change] {
        let note = remark != nil && verdict(at: now).grantLives ? [record.keeping(record.remarked(remark))] : []
        return note + [.revoke(record.id, reason)]
    }

    /// What lists tell of how it stands.
    func writeState(to object: inout JSON.ObjectWriter, at now: Timestamp) {
        object.member("state", verdict(at: now).description)
        object.member("reason", ifPresent: record.remark)
    }
}

extension Answer<HTTP.Response> {
    /// A list, and where it goes on.
    static func list(_ body: [UInt8], nextOf call: Call? = nil, _ next: TokenID?) -> Answer {
        var response = HTTP.Response.json(body)
        response.link(to: next, call)
        return Answer(response)
    }

    /// Where lists are, by their names, so that nobody has to know their paths.
    static func overview(of lists: [String], below base: WebURL) -> Answer {
        Answer(
            .json(
                JSON.encodedObject { object in
                    for list in lists { object.member(JSON.Name(list), base.below(list).text) }
                }))
    }

    /// What is answered to who wants something to end: 204 when that is done, 404 where nothing was to end, and 202 for
    /// a part of it, after which the same has to be asked again.
    static func ended(_ changes: [Change], isWhole: Bool = true) -> Answer {
        if !isWhole { return Answer(HTTP.Response(.accepted), changes) }
        // Nobody is told that something ended where nothing did.
        return Answer(HTTP.Response(changes.isEmpty ? .notFound : .noContent), changes)
    }
}

extension HTTP.Response {
    /// Says where a list goes on.
    mutating func link(to next: TokenID?, _ call: Call? = nil) {
        guard let next, let name = try? HTTP.Field.Name(parsing: "Link") else { return }
        let others = (try? call?.details())?.pairs.filter { !$0.name.utf8.elementsEqual("after".utf8) } ?? []
        let query = HTTP.Form(others + [HTTP.Form.Pair("after", next.text)]).text
        // A query has the characters of a field.
        try? fields.append(name, "<?\(query)>; rel=\"next\"")
    }

    /// Where a list goes on, as whoever asked for it reads it; `nil` at its end.
    package var nextPlace: String? {
        guard let name = try? HTTP.Field.Name(parsing: "Link"), case .once(let link) = fields.value(of: name),
            let begin = link.firstIndex(of: "?"), let end = link.firstIndex(of: ">"), begin < end,
            let form = try? HTTP.Form(parsing: Array(link[link.index(after: begin)..<end].utf8))
        else { return nil }
        return form.value(of: "after").value
    }
}
