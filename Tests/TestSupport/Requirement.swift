public import Testing

/// Names the obligation that a test proves: a requirement (`REQ-4`), a threat (`threat-13`) or a clause of a standard
/// (`RFC8032-5.1.7`).
public struct RequirementTrait: TestTrait, SuiteTrait {
    /// The obligation's identifier, as the catalogue or the standard spells it.
    public let id: String

    /// Shown by the test runner beside the test's name.
    public var comments: [Comment] { [Comment(rawValue: id)] }
}

extension Trait where Self == RequirementTrait {
    /// Marks a test as the proof of one obligation.
    public static func proves(_ id: String) -> Self { RequirementTrait(id: id) }
}
