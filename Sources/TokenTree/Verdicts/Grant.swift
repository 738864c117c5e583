public import Wire

/// What a check of access reads of a record and of what it stands on: whether it may be used, for whom it stands, and
/// what its holder has to show.
///
/// A store finds it without making the rest of a ``Lineage``, because such a check comes with every request.
public struct Grant: Sendable, Hashable {
    private let contents: Contents

    /// Kept apart, so that a grant is one word to whatever carries it along with a request.
    private final class Contents: Sendable {
        let parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    private struct Parts: Sendable, Hashable {
        let id: TokenID
        let kind: Record.Kind
        let verdict: Verdict
        let holder: Record.Holder?
        let subject: Record.Subject?
        let scope: Record.Scope?
        let boundKey: Record.BoundKey?
        let attributes: JSON.Object
        let instance: Record.Holder?
        let introduction: Kept
    }

    /// The name of the record.
    public var id: TokenID { contents.parts.id }
    /// The level of the tree that the record belongs to.
    public var kind: Record.Kind { contents.parts.kind }
    /// Whether the record may be used at the time that was asked about, or the one reason why not.
    public var verdict: Verdict { contents.parts.verdict }
    /// Who may present it.
    public var holder: Record.Holder? { contents.parts.holder }
    /// Whom it speaks for.
    public var subject: Record.Subject? { contents.parts.subject }
    /// What it allows.
    public var scope: Record.Scope? { contents.parts.scope }
    /// The key whose possession must be proved.
    public var boundKey: Record.BoundKey? { contents.parts.boundKey }
    /// What else the issuer keeps with the record.
    public var attributes: JSON.Object { contents.parts.attributes }
    /// The holder of the nearest grant of a service, itself included: the instance that let an app in.
    public var instance: Record.Holder? { contents.parts.instance }
    /// What the issuer keeps with the nearest assertion, itself included; read each time that it is asked for.
    public var introducedWith: JSON.Object { contents.parts.introduction.object }

    init(
        id: TokenID, kind: Record.Kind, verdict: Verdict, holder: Record.Holder?, subject: Record.Subject?,
        scope: Record.Scope?, boundKey: Record.BoundKey?, attributes: JSON.Object, instance: Record.Holder?,
        introducedWith introduction: Kept
    ) {
        contents = Contents(
            Parts(
                id: id, kind: kind, verdict: verdict, holder: holder, subject: subject, scope: scope,
                boundKey: boundKey, attributes: attributes, instance: instance, introduction: introduction))
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

    /// Whether both say the same.
    public static func == (one: Grant, other: Grant) -> Bool { one.contents.parts == other.contents.parts }

    /// Feeds what it says.
    public func hash(into hasher: inout Hasher) { hasher.combine(contents.parts) }
}
