public import Wire

/// What a check of access reads of a record and of what it stands on: whether it may be used, for whom it stands, and
/// what its holder has to show.
///
/// A store finds it without making the rest of a ``Lineage``, because such a check comes with every request.
public struct Grant: Sendable, Hashable {
    /// The name of the record.
    public let id: TokenID
    /// The level of the tree that the record belongs to.
    public let kind: Record.Kind
    /// Whether the record may be used at the time that was asked about, or the one reason why not.
    public let verdict: Verdict
    /// Who may present it.
    public let holder: Record.Holder?
    /// Whom it speaks for.
    public let subject: Record.Subject?
    /// What it allows.
    public let scope: Record.Scope?
    /// The key whose possession must be proved.
    public let boundKey: Record.BoundKey?
    /// What else the issuer keeps with the record.
    public let attributes: JSON.Object
    /// The holder of the nearest grant of a service, itself included: the instance that let an app in.
    public let instance: Record.Holder?
    private let introduction: Kept

    /// What the issuer keeps with the nearest assertion, itself included; read each time that it is asked for.
    public var introducedWith: JSON.Object { introduction.object }

    init(
        id: TokenID, kind: Record.Kind, verdict: Verdict, holder: Record.Holder?, subject: Record.Subject?,
        scope: Record.Scope?, boundKey: Record.BoundKey?, attributes: JSON.Object, instance: Record.Holder?,
        introducedWith introduction: Kept
    ) {
        self.id = id
        self.kind = kind
        self.verdict = verdict
        self.holder = holder
        self.subject = subject
        self.scope = scope
        self.boundKey = boundKey
        self.attributes = attributes
        self.instance = instance
        self.introduction = introduction
    }

    /// What a lineage says at a time: the answer of every store that has no shorter way to it.
    public init(_ lineage: Lineage, at now: Timestamp) {
        let record = lineage.record
        self.init(
            id: record.id, kind: record.kind, verdict: lineage.verdict(at: now), holder: record.holder,
            subject: record.subject, scope: record.scope, boundKey: record.boundKey, attributes: record.attributes,
            instance: lineage.nearest(.service)?.holder,
            introducedWith: .object(lineage.nearest(.assertion)?.attributes ?? JSON.Object()))
    }

    /// What is kept with a record: as values, or as the text that a store has of them.
    enum Kept: Sendable, Hashable {
        case object(JSON.Object)
        case text([UInt8])

        var object: JSON.Object {
            switch self {
            case .object(let object): object
            case .text(let text): JSON.Object(stored: text.span)
            }
        }

        static func == (one: Kept, other: Kept) -> Bool { one.object == other.object }

        func hash(into hasher: inout Hasher) { hasher.combine(object) }
    }
}
