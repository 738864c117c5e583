public import NAIL
internal import OAuth2Grants
internal import RSD2
internal import Wire

// The form in which a store outlives the process: one JSON object, sealed, with one member for each relation and one
// object for each row, whose members are the fields of the source.

extension AuthorizingApp.Store {
    private static let form = SealedText(name: "eduid", version: 2)

    /// The whole store as a sealed text from which it can be restored entirely (DAT-1), with the number of its changes.
    ///
    /// There is no unsealed form: `Seal(_:for:using:)` needs nothing but a key, and a host whose system protects
    /// the file itself says so with a seal that changes nothing. What nobody here can notice is an old text in the
    /// place of a newer one.
    public func serialized(sealing seal: Seal) -> String {
        Self.form.text(of: encodedContents(), sealing: seal)
    }

    /// Restores a store from the text that ``serialized(sealing:)`` gave, wholly or not at all (threat 49).
    public init(
        parsing text: String, opening seal: Seal, in place: Place = .group, limits: Limits = .standard
    ) throws(Rejection) {
        try self.init(text, opening: seal, in: place, limits: limits) { (damage) throws(Rejection) in throw damage }
    }

    /// Restores what can be restored: a row that is damaged is left out and told, with those that refer to it, and
    /// costs no other one (threat 56).
    ///
    /// A text whose seal does not open, another store's, and one of another version are refused as a whole.
    public init(
        salvaging text: String, opening seal: Seal, in place: Place = .group, limits: Limits = .standard,
        losing: (Rejection) -> Void
    ) throws(Rejection) {
        try self.init(text, opening: seal, in: place, limits: limits) { (damage) throws(Rejection) in losing(damage) }
    }

    private init(
        _ text: String, opening seal: Seal, in place: Place, limits: Limits,
        damaged: (Rejection) throws(Rejection) -> Void
    ) throws(Rejection) {
        self.init(in: place, limits: limits)
        let object = try Self.content(of: text, opening: seal, in: place, limits)
        let relations = Relation.inOrderOfReading.filter { place == .group || $0 == .settings }
        let known = ["store", "revision"] + relations.map { $0.name }
        for member in object where !known.contains(member.name) {
            try damaged(.foreignMember(at: member.value.path))
        }
        var (contents, room) = (Contents(), Room(limits))
        for relation in relations {
            room.begin()
            do throws(Rejection) {
                guard let value = object.optional(relation.name) else { continue }
                for element in try wrapping(Rejection.json, try value.array()) {
                    do throws(Rejection) {
                        try contents.restore(element, of: relation, &room)
                    } catch {
                        try damaged(error)
                    }
                }
            } catch {
                try damaged(error)
            }
        }
        try change { stored in stored = contents }
        // Texts of the first version do not tell how often the store was changed.
        revision =
            object.optional("revision").flatMap { try? $0.integer(as: Int64.self) }.map { UInt64(max($0, 1)) } ?? 1
    }

    /// What a text holds, when it is this store's and was not changed.
    private static func content(
        of text: String, opening seal: Seal, in place: Place, _ limits: Limits
    ) throws(Rejection) -> JSON.Document.Object {
        let content = try Self.form.content(of: text, opening: seal, limits.envelope)
        let object = try wrapping(
            Rejection.json, try JSON.Document(parsing: content, limits: limits.content).root.object())
        let name = try wrapping(Rejection.json, try object["store"].string())
        guard name.utf8.elementsEqual(place.rawValue.utf8) else { throw .otherStore(expected: place.rawValue) }
        return object
    }

    private func encodedContents() -> [UInt8] {
        JSON.encodedObject { object in
            object.member("store", place.rawValue)
            object.member("revision", Int64(clamping: revision))
            for relation in Relation.allCases {
                let rows = contents.rows(of: relation)
                // One without rows is left out, so that only a group store names those that are its own.
                if rows.isEmpty { continue }
                object.array(relation.name) { array in
                    for row in rows {
                        array.object { object in
                            for (column, field) in zip(relation.columns, row.fields) {
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
        one.place == other.place && one.contents.isSame(as: other.contents)
    }
}

extension AuthorizingApp.Store.Contents {
    fileprivate mutating func restore(
        _ value: JSON.Document.Value, of relation: AuthorizingApp.Store.Relation,
        _ room: inout AuthorizingApp.Store.Room
    ) throws(Rejection) {
        let row = try AuthorizingApp.Store.Row(value, of: relation)
        try check(row)
        var left = room
        try left.take(row)
        guard insert(row) else { throw .repeatedKey(at: value.path) }
        room = left
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
