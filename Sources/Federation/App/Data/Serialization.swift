public import NAIL
internal import OAuth2Grants
internal import RSD2
public import Wire

extension DataStore {
    /// The version of the format that is written.
    private static var version: Int { 1 }

    /// Whether the store's place is the one where authorization data may lie.
    private static var holdsAuthorizationData: Bool { JSON.Name(Location.name) == JSON.Name(GroupLocation.name) }

    /// The whole store as a sealed text from which it can be restored entirely (DAT-1); equal stores are equal before
    /// they are sealed.
    ///
    /// There is no unsealed form: a host whose system protects the file itself says so with a seal that changes
    /// nothing. What nobody here can notice is an old text in the place of a newer one.
    public func serialized(sealing seal: Seal) -> String {
        let content = JSON.encodedObject { object in
            object.member("store", Location.name)
            relations.configuration.write(to: &object)
            relations.protocols.write(to: &object)
            relations.tokens.write(to: &object)
            relations.userServices.write(to: &object)
        }
        return "{\"eduid\":\(Self.version),\"sealed\":\"\(Base64URL.encode(seal.seal(content)))\"}"
    }

    /// Restores a store from the text that ``serialized(sealing:)`` gave, wholly or not at all (threat 49).
    public init(parsing text: String, opening seal: Seal, limits: StoreLimits = .standard) throws(StoreRejection) {
        self.init(limits: limits)
        let envelope = try Self.object(Array(text.utf8), limits.envelope)
        let version: JSON.Number
        do throws(JSON.Rejection) { version = try envelope["eduid"].number() } catch { throw .json(error) }
        guard version.integer(as: Int.self) == Self.version else { throw .unknownVersion(version.text) }
        for member in envelope where member.name != "eduid" && member.name != "sealed" {
            throw .foreignMember(at: member.value.path)
        }
        let sealed: String
        do throws(JSON.Rejection) { sealed = try envelope["sealed"].string() } catch { throw .json(error) }
        guard let bytes = try? Base64URL.decode(sealed), let content = seal.open(bytes) else { throw .brokenSeal }
        try read(try Self.object(content, limits.content))
    }

    private static func object(_ bytes: [UInt8], _ limits: JSON.Limits) throws(StoreRejection) -> JSON.Document.Object {
        do throws(JSON.Rejection) { return try JSON.Document(parsing: bytes, limits: limits).root.object() } catch {
            throw .json(error)
        }
    }

    private mutating func read(_ content: JSON.Document.Object) throws(StoreRejection) {
        let place: String
        do throws(JSON.Rejection) { place = try content["store"].string() } catch { throw .json(error) }
        guard JSON.Name(place) == JSON.Name(Location.name) else { throw .otherStore(expected: Location.name) }
        let own: [JSON.Name] = ["store", Setting.relation]
        let group =
            Self.holdsAuthorizationData
            ? [RequestedProtocols.relation, StoredToken.relation, UserService.relation] : []
        for member in content where !own.contains(member.name) && !group.contains(member.name) {
            throw .foreignMember(at: member.value.path)
        }
        try relations.read(Setting.self, from: content)
        try relations.read(StoredToken.self, from: content)
        try relations.read(UserService.self, from: content)
        // After the services, because each row must name one of them.
        try relations.read(RequestedProtocols.self, from: content)
    }
}

extension Relation where Row: StoredRow {
    /// Writes the relation; one without rows is left out, so that only a group store names those that are its own.
    fileprivate func write(to object: inout JSON.ObjectWriter) {
        guard count > 0 else { return }
        object.array(Row.relation) { array in
            for row in rows { array.object { row.write(to: &$0) } }
        }
    }
}

extension Relations {
    fileprivate mutating func read<Row: StoredRow>(_: Row.Type, from content: JSON.Document.Object)
        throws(StoreRejection)
    {
        guard let value = content.optional(Row.relation) else { return }
        let elements: JSON.Document.Array
        do throws(JSON.Rejection) { elements = try value.array() } catch { throw .json(error) }
        for element in elements {
            let row = try Row(reading: try RowReader(element, columns: Row.columns))
            let isKnown = Row.withRelation(of: &self) { $0[row.key] != nil }
            guard !isKnown else { throw .row(at: element.path, .repeatedKey) }
            do throws(RowRejection) { try insert(row) } catch { throw .row(at: element.path, error) }
        }
    }
}

extension StoreLimits {
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

/// Why a text gives back no store; the text may hold tokens, and no case carries any of it.
public enum StoreRejection: Error, Equatable, Sendable {
    /// It is not JSON, or a member is missing or of another type.
    case json(JSON.Rejection)
    /// It was written by another version of the format, a later one most likely.
    case unknownVersion(String)
    /// The seal does not open: the text was changed, or sealed with another key.
    case brokenSeal
    /// It is the text of another store.
    case otherStore(expected: String)
    /// A relation or field that this store does not have; data that authorization uses is foreign to all stores but the
    /// group's.
    case foreignMember(at: JSON.Path)
    /// A row is none, or cannot be in the store.
    case row(at: JSON.Path, RowRejection)
}

extension StoreRejection: CustomStringConvertible {
    /// The rule in words, with the place of its breach.
    public var description: String {
        switch self {
        case .json(let rejection): "a stored text: \(rejection)"
        case .unknownVersion(let version): "a stored text of version \(version), which is not known here (\(clause))"
        case .brokenSeal: "the seal of a stored text does not open (\(clause))"
        case .otherStore(let expected): "the text of another store in the place of '\(expected)' (\(clause))"
        case .foreignMember(let path): "\(path): does not belong into this store (\(clause))"
        case .row(let path, let rejection): "\(path): \(rejection)"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .json(let rejection): rejection.clause
        case .unknownVersion, .brokenSeal: "threat-49"
        case .otherStore, .foreignMember: "DAT-1"
        case .row(_, let rejection): rejection.clause
        }
    }
}
