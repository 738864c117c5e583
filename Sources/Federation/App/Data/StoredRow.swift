internal import OAuth2Grants
internal import RSD2
internal import Wire

/// How a row is written and read: one member for each field of the source, under the field's name.
protocol StoredRow: RelationRow {
    static var relation: JSON.Name { get }
    static var columns: [JSON.Name] { get }
    /// The bytes of each field.
    var fieldLengths: [Int] { get }
    func write(to object: inout JSON.ObjectWriter)
    init(reading reader: RowReader) throws(StoreRejection)
    /// Lends the relation of such rows.
    static func withRelation<Result>(of relations: inout Relations, _ body: (inout Relation<Self>) -> Result) -> Result
    /// Refuses a row that refers to one that is not there.
    func checkReferences(in relations: Relations) throws(RowRejection)
}

extension StoredRow {
    func checkReferences(in relations: Relations) throws(RowRejection) {}

    /// The bytes of all fields.
    var size: Int { fieldLengths.reduce(0, +) }
}

extension Setting: StoredRow {
    static let relation: JSON.Name = "EduidConfiguration"
    static let columns: [JSON.Name] = ["cfg_name", "cfg_value"]
    var fieldLengths: [Int] { [name.text.utf8.count, value.utf8.count] }

    static func withRelation<Result>(of relations: inout Relations, _ body: (inout Relation<Setting>) -> Result)
        -> Result
    {
        body(&relations.configuration)
    }

    func write(to object: inout JSON.ObjectWriter) {
        object.member("cfg_name", name.text)
        object.member("cfg_value", value)
    }

    init(reading reader: RowReader) throws(StoreRejection) {
        self.init(try reader.name("cfg_name"), to: try reader.text("cfg_value"))
    }
}

extension RequestedProtocols: StoredRow {
    static let relation: JSON.Name = "Protocols"
    static let columns: [JSON.Name] = ["baseurl", "protocol_id"]
    var fieldLengths: [Int] { [baseURL.identity.utf8.count, list.utf8.count] }
    private var list: String { names.map { $0.text }.joined(separator: "\n") }

    static func withRelation<Result>(
        of relations: inout Relations, _ body: (inout Relation<RequestedProtocols>) -> Result
    ) -> Result {
        body(&relations.protocols)
    }

    func checkReferences(in relations: Relations) throws(RowRejection) {
        guard relations.userServices[baseURL] != nil else { throw .unknownService(baseURL) }
    }

    func write(to object: inout JSON.ObjectWriter) {
        object.member("baseurl", baseURL.identity)
        object.member("protocol_id", list)
    }

    init(reading reader: RowReader) throws(StoreRejection) {
        let baseURL = try reader.service("baseurl")
        var names: [ProtocolName] = []
        for line in try reader.text("protocol_id").utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        {
            do throws(SyntaxError) {
                names.append(try ProtocolName(parsing: String(Substring(line))))
            } catch {
                throw reader.refusing("protocol_id", .name(error))
            }
        }
        do throws(RowRejection) { try self.init(names, of: baseURL) } catch {
            throw reader.refusing("protocol_id", error)
        }
    }
}

extension StoredToken: StoredRow {
    static let relation: JSON.Name = "Tokens"
    static let columns: [JSON.Name] = ["subject", "target", "type", "token"]

    var fieldLengths: [Int] {
        [key.subject.text.utf8.count, key.target.text.utf8.count, key.type.text.utf8.count, token.secret.utf8.count]
    }

    static func withRelation<Result>(of relations: inout Relations, _ body: (inout Relation<StoredToken>) -> Result)
        -> Result
    {
        body(&relations.tokens)
    }

    func write(to object: inout JSON.ObjectWriter) {
        object.member("subject", key.subject.text)
        object.member("target", key.target.text)
        object.member("type", key.type.text)
        object.member("token", token.secret)
    }

    init(reading reader: RowReader) throws(StoreRejection) {
        let key = Key(
            subject: try reader.name("subject"), target: try reader.name("target"), type: try reader.name("type"))
        self.init(try reader.token("token", try reader.text("token")), as: key)
    }
}

extension UserService: StoredRow {
    static let relation: JSON.Name = "UserServices"
    static let columns: [JSON.Name] = ["baseurl", "name", "rsd", "token", "token_target"]

    var fieldLengths: [Int] {
        [
            baseURL.identity.utf8.count, name.utf8.count, discovered.text.utf8.count, token?.secret.utf8.count ?? 0,
            tokenTarget?.text.utf8.count ?? 0,
        ]
    }

    static func withRelation<Result>(of relations: inout Relations, _ body: (inout Relation<UserService>) -> Result)
        -> Result
    {
        body(&relations.userServices)
    }

    func write(to object: inout JSON.ObjectWriter) {
        object.member("baseurl", baseURL.identity)
        object.member("name", name)
        object.member("rsd", discovered.text)
        object.member("token", ifPresent: token?.secret)
        object.member("token_target", ifPresent: tokenTarget?.text)
    }

    init(reading reader: RowReader) throws(StoreRejection) {
        let baseURL = try reader.service("baseurl")
        let name = try reader.text("name")
        let text = try reader.text("rsd")
        let discovered: DiscoveredService
        do throws(RowRejection) { discovered = try DiscoveredService(parsing: text) } catch {
            throw reader.refusing("rsd", error)
        }
        guard discovered.service == baseURL else {
            throw reader.refusing("rsd", .otherService(expected: baseURL, found: discovered.service))
        }
        let token: TokenText? =
            if let text = try reader.optionalText("token") { try reader.token("token", text) } else { nil }
        let target: WebURL? =
            if let text = try reader.optionalText("token_target") { try reader.url("token_target", text) } else { nil }
        do throws(RowRejection) {
            try self.init(discovered, name: name, token: token, tokenTarget: target)
        } catch {
            throw reader.refusing("token_target", error)
        }
    }
}

/// Reads the fields of one row; whatever they say is checked as if it came from a stranger.
struct RowReader {
    private let object: JSON.Document.Object

    init(_ value: JSON.Document.Value, columns: [JSON.Name]) throws(StoreRejection) {
        do throws(JSON.Rejection) { object = try value.object() } catch { throw .json(error) }
        for member in object where !columns.contains(member.name) { throw .foreignMember(at: member.value.path) }
    }

    func text(_ column: JSON.Name) throws(StoreRejection) -> String {
        do throws(JSON.Rejection) { return try object[column].string() } catch { throw .json(error) }
    }

    func optionalText(_ column: JSON.Name) throws(StoreRejection) -> String? {
        object.contains(column) ? try text(column) : nil
    }

    func name<Kind>(_ column: JSON.Name) throws(StoreRejection) -> Identifier<Kind> {
        let text = try text(column)
        do throws(SyntaxError) { return try Identifier(parsing: text) } catch {
            throw refusing(column, .name(error))
        }
    }

    func token(_ column: JSON.Name, _ text: String) throws(StoreRejection) -> TokenText {
        do throws(SyntaxError) { return try TokenText(parsing: text) } catch {
            throw refusing(column, .secret(error))
        }
    }

    func url(_ column: JSON.Name, _ text: String) throws(StoreRejection) -> WebURL {
        do throws(URI.Rejection) { return try WebURL(parsing: text) } catch { throw refusing(column, .url(error)) }
    }

    func service(_ column: JSON.Name) throws(StoreRejection) -> ServiceURL {
        ServiceURL(try url(column, try text(column)))
    }

    /// The refusal of what stands in a field.
    func refusing(_ column: JSON.Name, _ rejection: RowRejection) -> StoreRejection {
        .row(at: object.optional(column)?.path ?? object.value.path, rejection)
    }
}
