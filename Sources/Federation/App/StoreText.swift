public import NAIL
internal import OAuth2Grants
internal import RSD2
internal import Wire

// The form in which a store outlives the process: one JSON object, sealed, with one member for each relation and one
// object for each row, whose members are the fields of the source.

extension AuthorizingApp.Store {
    /// The version of the format that is written.
    private static let version = 1

    /// The whole store as a sealed text from which it can be restored entirely (DAT-1); equal stores are equal before
    /// they are sealed.
    ///
    /// There is no unsealed form: a host whose system protects the file itself says so with a seal that changes
    /// nothing. What nobody here can notice is an old text in the place of a newer one.
    public func serialized(sealing seal: Seal) -> String {
        "{\"eduid\":\(Self.version),\"sealed\":\"\(Base64URL.encode(seal.seal(encodedContents())))\"}"
    }

    /// Restores a store from the text that ``serialized(sealing:)`` gave, wholly or not at all (threat 49).
    public init(
        parsing text: String, opening seal: Seal, in place: Place = .group, limits: Limits = .standard
    ) throws(Rejection) {
        self.init(in: place, limits: limits)
        let envelope = try wrapping(
            Rejection.json, try JSON.Document(parsing: text, limits: limits.envelope).root.object())
        let version = try wrapping(Rejection.json, try envelope["eduid"].number())
        guard version.integer(as: Int.self) == Self.version else { throw .unknownVersion(version.text) }
        try envelope.refuse(allBut: ["eduid", "sealed"])
        let sealed = try wrapping(Rejection.json, try envelope["sealed"].string())
        guard let bytes = try? Base64URL.decode(sealed), let content = seal.open(bytes) else { throw .brokenSeal }
        let object = try wrapping(
            Rejection.json, try JSON.Document(parsing: content, limits: limits.content).root.object())
        let name = try wrapping(Rejection.json, try object["store"].string())
        guard name.utf8.elementsEqual(place.rawValue.utf8) else { throw .otherStore(expected: place.rawValue) }
        let relations = Relation.allCases.filter { place == .group || $0 == .settings }
        try object.refuse(allBut: ["store"] + relations.map { $0.name })
        var contents = Contents()
        for relation in relations {
            guard let value = object.optional(relation.name) else { continue }
            for element in try wrapping(Rejection.json, try value.array()) {
                let row = try wrapping(Rejection.json, try element.object())
                try row.refuse(allBut: relation.columns)
                guard try contents.insert(row, into: relation) else { throw .repeatedKey(at: element.path) }
            }
        }
        try change { stored in stored = contents }
    }

    private func encodedContents() -> [UInt8] {
        JSON.encodedObject { object in
            object.member("store", place.rawValue)
            for relation in Relation.allCases {
                let rows = contents.rows(of: relation)
                // One without rows is left out, so that only a group store names those that are its own.
                if rows.isEmpty { continue }
                object.array(relation.name) { array in
                    for row in rows {
                        array.object { object in
                            for (column, field) in zip(relation.columns, row) {
                                object.member(column, ifPresent: field)
                            }
                        }
                    }
                }
            }
        }
    }
}

extension AuthorizingApp.Store: Equatable {
    /// Whether both have the same rows, byte for byte.
    public static func == (one: AuthorizingApp.Store, other: AuthorizingApp.Store) -> Bool {
        one.encodedContents() == other.encodedContents()
    }
}

// MARK: - Rows

extension AuthorizingApp.Store {
    /// A relation as it is stored.
    enum Relation: String, CaseIterable {
        case settings = "EduidConfiguration"
        case protocols = "Protocols"
        case tokens = "Tokens"
        case services = "UserServices"

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
}

extension AuthorizingApp.Store.Contents {
    private typealias Store = AuthorizingApp.Store

    /// The fields of all rows, in the order of their keys.
    func rows(of relation: AuthorizingApp.Store.Relation) -> [[String?]] {
        switch relation {
        case .settings: settings.sorted { $0.key < $1.key }.map { [$0.key.text, $0.value] }
        case .protocols:
            protocols.sorted { $0.key < $1.key }.map { service, names in
                [service.identity, names.sorted().map { $0.text }.joined(separator: "\n")]
            }
        case .tokens:
            tokens.sorted { $0.key < $1.key }.map { key, token in
                [key.subject.text, key.target.text, key.type.text, token.secret]
            }
        case .services:
            services.values.sorted { $0.url < $1.url }.map { service in
                [service.url.identity, service.name, service.text, service.token?.secret, service.tokenTarget?.text]
            }
        }
    }

    /// Takes in a row, unless there is one of its key; whatever its fields say is checked as if it came from a
    /// stranger.
    fileprivate mutating func insert(_ row: JSON.Document.Object, into relation: AuthorizingApp.Store.Relation)
        throws(Rejection) -> Bool
    {
        switch relation {
        case .settings:
            let name = try row.field("cfg_name", Rejection.syntax, Store.Name.init(parsing:))
            return settings.updateValue(try row.text("cfg_value"), forKey: name) == nil
        case .protocols:
            let url = try row.field("baseurl", Rejection.url, ServiceURL.init(parsing:))
            let names = try row.field("protocol_id", Rejection.syntax) { text throws(SyntaxError) in
                try text.split(separator: "\n", omittingEmptySubsequences: false).map { line throws(SyntaxError) in
                    try ProtocolName(parsing: String(line))
                }
            }
            return protocols.updateValue(names, forKey: url) == nil
        case .tokens:
            let names = try ["subject", "target", "type"].map { (column: JSON.Name) throws(Rejection) in
                try row.field(column, Rejection.syntax, Store.Name.init(parsing:))
            }
            let key = Store.TokenKey(subject: names[0], target: names[1], type: names[2])
            return tokens.updateValue(try row.field("token", Rejection.syntax, Store.Token.init(parsing:)), forKey: key)
                == nil
        case .services:
            let url = try row.field("baseurl", Rejection.url, ServiceURL.init(parsing:))
            var service = try row.field("rsd", { $0 }, Store.Service.init(parsing:))
            service.name = try row.text("name")
            service.token =
                row.contains("token") ? try row.field("token", Rejection.syntax, Store.Token.init(parsing:)) : nil
            service.tokenTarget =
                row.contains("token_target")
                ? try row.field("token_target", Rejection.url, WebURL.init(parsing:)) : nil
            return services.updateValue(service, forKey: url) == nil
        }
    }
}

extension JSON.Document.Object {

    fileprivate func refuse(allBut known: [JSON.Name]) throws(Rejection) {
        for member in self where !known.contains(member.name) { throw .foreignMember(at: member.value.path) }
    }

    fileprivate func text(_ column: JSON.Name) throws(Rejection) -> String {
        try wrapping(Rejection.json, try self[column].string())
    }

    fileprivate func field<Field, Failure>(
        _ column: JSON.Name, _ reason: (Failure) -> Rejection, _ parse: (String) throws(Failure) -> Field
    ) throws(Rejection) -> Field {
        let (text, path) = (try text(column), optional(column)?.path ?? value.path)
        return try wrapping({ Rejection.field(at: path, reason($0)) }, try parse(text))
    }
}

extension AuthorizingApp.Store.Limits {
    /// What a store of these bounds takes at most as JSON: six bytes for one that is escaped, and for each row of the
    /// four relations its braces, names and quotes; 30 names and values, the rows themselves among them, in four rows.
    fileprivate var content: JSON.Limits {
        let size = 6 * bytes + 4 * 128 * rows + 1_024
        return JSON.Limits(
            size: size, depth: 4, values: 32 * rows + 64, members: rows + 16, stringLength: 6 * field + 16)
    }

    /// The same in Base64url, with room for what a seal adds.
    fileprivate var envelope: JSON.Limits {
        let size = content.size / 3 * 4 + 65_536
        return JSON.Limits(size: size, depth: 2, values: 8, members: 8, stringLength: size)
    }
}
