/// The four relations of the data model (DAT-2), within bounds; which of them a store has is said by its type.
struct Relations: Sendable {
    let limits: StoreLimits
    var configuration = Relation<Setting>()
    var protocols = Relation<RequestedProtocols>()
    var tokens = Relation<StoredToken>()
    var userServices = Relation<UserService>()
    /// The bytes of all fields; each is the length of a text that exists, so that their sum is far from overflowing.
    private var size = 0

    init(limits: StoreLimits) {
        self.limits = limits
    }

    var count: Int { configuration.count + protocols.count + tokens.count + userServices.count }

    /// Puts in a row, in the place of an earlier one of its key; a refused one changes nothing.
    mutating func insert<Row: StoredRow>(_ row: Row) throws(RowRejection) {
        for length in row.fieldLengths where length > limits.field {
            throw .fieldTooLong(length: length, limit: limits.field)
        }
        try row.checkReferences(in: self)
        let (earlier, count) = Row.withRelation(of: &self) { ($0[row.key], $0.count) }
        guard earlier != nil || count < limits.rows else { throw .tooManyRows(limit: limits.rows) }
        let total = size - (earlier?.size ?? 0) + row.size
        guard total <= limits.bytes else { throw .storeFull(limit: limits.bytes) }
        size = total
        Row.withRelation(of: &self) { $0.replace(row) }
    }

    /// Removes a row; answers whether it was there.
    @discardableResult
    mutating func remove<Row: StoredRow>(_: Row.Type, _ key: Row.Key) -> Bool {
        let row = Row.withRelation(of: &self) { $0.remove(key) }
        size -= row?.size ?? 0
        return row != nil
    }
}

extension Relations: Equatable {
    /// Whether both have the same rows, whatever their bounds.
    static func == (one: Relations, other: Relations) -> Bool {
        one.configuration == other.configuration && one.protocols == other.protocols && one.tokens == other.tokens
            && one.userServices == other.userServices
    }
}

/// Bounds of what a store holds.
public struct StoreLimits: Sendable, Equatable {
    /// The most rows of a relation.
    public let rows: Int
    /// The longest field in bytes.
    public let field: Int
    /// The most bytes of all fields together.
    public let bytes: Int

    /// Room for every service of a large federation, and for the longest description that readers take.
    public static let standard = StoreLimits(rows: 4_096, field: 512 << 10, bytes: 32 << 20)

    /// Bounds of the caller's choice, each at most a gigabyte.
    public init(rows: Int, field: Int, bytes: Int) {
        func bounded(_ limit: Int) -> Int { min(max(limit, 0), 1 << 30) }
        self.rows = bounded(rows)
        self.field = bounded(field)
        self.bytes = bounded(bytes)
    }
}
