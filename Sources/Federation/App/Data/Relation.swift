internal import OAuth2Grants
public import RSD2
public import Wire

/// A row of one of the app's relations, found by its key.
public protocol RelationRow: Sendable, Equatable {
    /// What tells the rows of the relation apart, compared byte by byte.
    associatedtype Key: Hashable, Comparable, Sendable
    /// The key of this row.
    var key: Key { get }
}

/// The rows of one relation, each key once (DAT-2).
public struct Relation<Row: RelationRow>: Sendable, Equatable {
    private var rowsByKey: [Row.Key: Row] = [:]

    init() {}

    /// All rows in the order of their keys.
    public var rows: [Row] { rowsByKey.values.sorted { $0.key < $1.key } }

    /// How many rows there are.
    public var count: Int { rowsByKey.count }

    /// The row of a key.
    public subscript(key: Row.Key) -> Row? { rowsByKey[key] }

    mutating func replace(_ row: Row) {
        rowsByKey[row.key] = row
    }

    mutating func remove(_ key: Row.Key) -> Row? {
        rowsByKey.removeValue(forKey: key)
    }
}

/// Why a row cannot enter its relation; no case carries a secret.
public enum RowRejection: Error, Equatable, Sendable {
    /// A field is longer than the policy allows.
    case fieldTooLong(length: Int, limit: Int)
    /// The relation has as many rows as the policy allows.
    case tooManyRows(limit: Int)
    /// The fields of the store would have more bytes together than the policy allows.
    case storeFull(limit: Int)
    /// Two rows have one key.
    case repeatedKey
    /// A name is none.
    case name(SyntaxError)
    /// A URL is no safe one.
    case url(URI.Rejection)
    /// Tokens would travel unencrypted to this URL.
    case unencrypted(WebURL)
    /// A token is none.
    case secret(SyntaxError)
    /// A service description is none.
    case document(ServiceDescription.Rejection)
    /// A service description has no URL that the service could be known by.
    case nameless
    /// The service description is another service's.
    case otherService(expected: ServiceURL, found: ServiceURL)
    /// Protocols of a service that the store does not know.
    case unknownService(ServiceURL)
    /// No protocol was requested.
    case nothingRequested
    /// A protocol is named twice.
    case repeatedProtocol(ProtocolName)
}

extension RowRejection: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch self {
        case .fieldTooLong(let length, let limit): "a field of \(length) bytes, at most \(limit) are kept (\(clause))"
        case .tooManyRows(let limit): "the relation has \(limit) rows already (\(clause))"
        case .storeFull(let limit): "the fields of the store would exceed \(limit) bytes (\(clause))"
        case .repeatedKey: "two rows have one key (\(clause))"
        case .name(let rejection): rejection.description
        case .url(let rejection): rejection.description
        case .unencrypted(let url): "\(url.origin) would be sent tokens without encryption (\(clause))"
        case .secret(let rejection): rejection.description
        case .document(let rejection): rejection.description
        case .nameless: "a description has no URL to know its service by (\(clause))"
        case .otherService(let expected, let found):
            "the description of \(found) in the place of \(expected) (\(clause))"
        case .unknownService(let service): "no description of \(service) is kept (\(clause))"
        case .nothingRequested: "no protocol was requested (\(clause))"
        case .repeatedProtocol(let name): "\(name) is named twice (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .fieldTooLong, .tooManyRows, .storeFull: "threat-14"
        case .repeatedKey, .unknownService, .nothingRequested, .repeatedProtocol: "DAT-2"
        case .nameless, .otherService: "DAT-3"
        case .unencrypted: "threat-40"
        case .name(let rejection): rejection.clause
        case .url(let rejection): rejection.clause
        case .secret(let rejection): rejection.clause
        case .document(let rejection): rejection.clause
        }
    }
}
