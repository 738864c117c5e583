internal import OAuth2Grants
internal import RSD2
internal import Wire

extension AuthorizingApp.Store {
    /// A relation as it is stored.
    enum Relation: String, CaseIterable {
        case settings = "EduidConfiguration"
        case protocols = "Protocols"
        case tokens = "Tokens"
        case services = "UserServices"

        /// All of them, each behind those that it refers to.
        static let inOrderOfReading: [Relation] = [.settings, .tokens, .services, .protocols]

        var name: JSON.Name { JSON.Name(rawValue) }

        var columns: [JSON.Name] {
            switch self {
            case .settings: ["cfg_name", "cfg_value"]
            case .protocols: ["baseurl", "protocol_id"]
            case .tokens: ["subject", "target", "type", "token"]
            case .services: ["baseurl", "name", "rsd", "token", "token_target"]
            }
        }
    }

    /// A row with its key.
    enum Row {
        case setting(Name, String)
        case requested(ServiceURL, [ProtocolName])
        case token(TokenKey, Token)
        case service(ServiceURL, Service)

        /// How many bytes each field has, without making it.
        fileprivate var lengths: [Int] {
            switch self {
            case .setting(let name, let value): [name.text.utf8.count, value.utf8.count]
            case .requested(let service, let names):
                [service.identity.utf8.count, names.reduce(names.count - 1) { $0 + $1.text.utf8.count }]
            case .token(let key, let token):
                [key.subject, key.target, key.type].map { $0.text.utf8.count } + [token.secret.utf8.count]
            case .service(let url, let service):
                [
                    url.identity.utf8.count, service.name.utf8.count, service.text.utf8.count,
                    service.token?.secret.utf8.count ?? 0, service.tokenTarget?.text.utf8.count ?? 0,
                ]
            }
        }

        /// The fields in the order of the columns.
        var fields: [String?] {
            switch self {
            case .setting(let name, let value): [name.text, value]
            case .requested(let service, let names):
                [service.identity, names.sorted().map { $0.text }.joined(separator: "\n")]
            case .token(let key, let token): [key.subject.text, key.target.text, key.type.text, token.secret]
            case .service(let url, let service):
                [url.identity, service.name, service.text, service.token?.secret, service.tokenTarget?.text]
            }
        }

        /// Whether both have the same fields, byte for byte.
        func isSpelled(as other: Self) -> Bool {
            zip(fields, other.fields).allSatisfy { one, other in
                switch (one, other) {
                case (let one?, let other?): one.utf8.elementsEqual(other.utf8)
                case (nil, nil): true
                default: false
                }
            }
        }
    }

    /// What a store has room for, row by row.
    struct Room {
        private let limits: Limits
        private var rows = 0
        private var bytes = 0

        init(_ limits: Limits) { self.limits = limits }

        /// Begins a relation.
        mutating func begin() { rows = 0 }

        mutating func take(_ row: Row) throws(Rejection) {
            guard rows < limits.rows else { throw .tooManyRows(limit: limits.rows) }
            var sum = bytes
            for length in row.lengths {
                guard length <= limits.field else { throw .fieldTooLong(length: length, limit: limits.field) }
                sum += length
            }
            guard sum <= limits.bytes else { throw .storeFull(limit: limits.bytes) }
            (rows, bytes) = (rows + 1, sum)
        }
    }
}

extension AuthorizingApp.Store.Contents {
    private typealias Row = AuthorizingApp.Store.Row

    /// All rows of a relation, in the order of their keys, or in none that means anything.
    func rows(of relation: AuthorizingApp.Store.Relation, sorted isSorted: Bool = true) -> [AuthorizingApp.Store.Row] {
        func rows<Key: Comparable, Value>(_ rows: [Key: Value], _ row: (Key, Value) -> Row) -> [Row] {
            // Keys are moved about in place of whole rows.
            isSorted ? rows.keys.sorted().compactMap { key in rows[key].map { row(key, $0) } } : rows.map(row)
        }
        return switch relation {
        case .settings: rows(settings, Row.setting)
        case .protocols: rows(protocols, Row.requested)
        case .tokens: rows(tokens, Row.token)
        case .services: rows(services, Row.service)
        }
    }

    /// Whether both have the same rows, byte for byte.
    func isSame(as other: Self) -> Bool {
        func isSame<Key, Value>(_ one: [Key: Value], _ other: [Key: Value], _ row: (Key, Value) -> Row) -> Bool {
            one.count == other.count
                && one.allSatisfy { key, value in
                    other[key].map { row(key, $0).isSpelled(as: row(key, value)) } ?? false
                }
        }
        return isSame(settings, other.settings, Row.setting) && isSame(protocols, other.protocols, Row.requested)
            && isSame(tokens, other.tokens, Row.token) && isSame(services, other.services, Row.service)
    }

    /// Takes in a row, unless there is one of its key.
    mutating func insert(_ row: AuthorizingApp.Store.Row) -> Bool {
        func put<Key, Value>(_ value: Value, _ key: Key, _ relation: inout [Key: Value]) -> Bool {
            guard relation[key] == nil else { return false }
            relation[key] = value
            return true
        }
        return switch row {
        case .setting(let name, let value): put(value, name, &settings)
        case .requested(let service, let names): put(names, service, &protocols)
        case .token(let key, let token): put(token, key, &tokens)
        case .service(let url, let service): put(service, url, &services)
        }
    }
}

// MARK: - Reading

extension AuthorizingApp.Store.Row {
    private typealias Store = AuthorizingApp.Store

    /// Reads a row; whatever its fields say is checked as if it came from a stranger.
    init(_ value: JSON.Document.Value, of relation: AuthorizingApp.Store.Relation) throws(Rejection) {
        let row = try wrapping(Rejection.json, try value.object())
        try row.refuse(allBut: relation.columns)
        switch relation {
        case .settings:
            let name = try row.field("cfg_name", Rejection.syntax, Store.Name.init(parsing:))
            self = .setting(name, try row.text("cfg_value"))
        case .protocols:
            let url = try row.field("baseurl", Rejection.url, ServiceURL.init(parsing:))
            let names = try row.field("protocol_id", Rejection.syntax) { text throws(SyntaxError) in
                try text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                    .map { line throws(SyntaxError) in try ProtocolName(parsing: String(Substring(line))) }
            }
            self = .requested(url, names)
        case .tokens:
            let names = try ["subject", "target", "type"].map { (column: JSON.Name) throws(Rejection) in
                try row.field(column, Rejection.syntax, Store.Name.init(parsing:))
            }
            let key = Store.TokenKey(subject: names[0], target: names[1], type: names[2])
            self = .token(key, try row.field("token", Rejection.syntax, Store.Token.init(parsing:)))
        case .services:
            let url = try row.field("baseurl", Rejection.url, ServiceURL.init(parsing:))
            var service = try row.field("rsd", { $0 }, Store.Service.init(parsing:))
            service.name = try row.text("name")
            service.token =
                row.contains("token") ? try row.field("token", Rejection.syntax, Store.Token.init(parsing:)) : nil
            service.tokenTarget =
                row.contains("token_target")
                ? try row.field("token_target", Rejection.url, WebURL.init(parsing:)) : nil
            self = .service(url, service)
        }
    }
}

extension JSON.Document.Object {

    func refuse(allBut known: [JSON.Name]) throws(Rejection) {
        for member in self where !known.contains(member.name) { throw .foreignMember(at: member.value.path) }
    }

    fileprivate func text(_ column: JSON.Name) throws(Rejection) -> String {
        try wrapping(Rejection.json, try self[column].string())
    }

    func field<Field, Failure>(
        _ column: JSON.Name, _ reason: (Failure) -> Rejection, _ parse: (String) throws(Failure) -> Field
    ) throws(Rejection) -> Field {
        let (text, path) = (try text(column), optional(column)?.path ?? value.path)
        return try wrapping({ Rejection.field(at: path, reason($0)) }, try parse(text))
    }
}
