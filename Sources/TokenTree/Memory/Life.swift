import Wire

/// What a verdict reads of every ground: 24 bytes, so that a walk of six grounds touches few cache lines.
struct Life: Sendable {
    /// When the grant ends by itself; of no meaning without its mark.
    var end: Timestamp
    /// The slot of the parent, or none.
    var parent: UInt32
    var marks: Marks
    var kind: Record.Kind
    var reason: Record.Reason

    struct Marks: OptionSet, Sendable {
        let rawValue: UInt16

        static let revoked = Marks(rawValue: 1)
        static let ends = Marks(rawValue: 2)
        static let hasAccess = Marks(rawValue: 4)
        static let consumed = Marks(rawValue: 8)
        static let used = Marks(rawValue: 16)
        static let hasFinal = Marks(rawValue: 32)
        static let confirmed = Marks(rawValue: 64)
        /// The record is gone; its slot is vacant until the tree is built anew.
        static let removed = Marks(rawValue: 128)
    }
}

/// What a verdict reads of one record at most: times, which mean something only where their marks are set, references
/// to names, links.
///
/// Children hang on their parent as a doubly linked list, the records of a subject on its name as a single one; both
/// begin with the newest.
struct Particulars: Sendable {
    var issued: Timestamp
    var id: UInt32
    var final: Timestamp
    var holder: UInt32
    var consumed: Timestamp
    var subject: UInt32
    var used: Timestamp
    var audience: UInt32
    var scope: UInt32
    var boundKey: UInt32
    var access: Timestamp
    var attributes: UInt32
    var revoked: Timestamp
    var refresh: UInt32
    var firstChild = Arena.none
    var next = Arena.none
    var previous = Arena.none
    var nextOfSubject = Arena.none
}
