public import Wire

/// As what somebody belongs to an institution, such as `staff@example.edu`: in the words of whoever knows it, and byte
/// for byte.
public typealias Affiliation = Identifier<AffiliationKind>

/// Names an affiliation.
public enum AffiliationKind: IdentifierKind {}

/// As what somebody has to belong to which institution: as one thing, or as anything.
public struct AffiliationDemand: Sendable, Hashable, CustomStringConvertible {
    private let text: String
    private let institution: Affiliation?

    /// An affiliation such as `staff@example.edu`, or `*@example.edu` for all that there are at one institution.
    public init(parsing text: String) throws(SyntaxError) {
        let affiliation = try Affiliation(parsing: text)
        self.text = affiliation.text
        institution = text.hasPrefix("*@") ? try Affiliation(parsing: String(text.dropFirst(2))) : nil
    }

    /// What it was read from.
    public var description: String { text }

    /// Whether an affiliation is what is demanded; one with several `@` is of no institution, because readers differ in
    /// which.
    package func isMet(by affiliation: Affiliation) -> Bool {
        guard let institution else { return affiliation.text.utf8.elementsEqual(text.utf8) }
        let parts = affiliation.text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].elementsEqual(institution.text.utf8)
    }
}
