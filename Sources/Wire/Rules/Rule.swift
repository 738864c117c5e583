/// A rule that an input or a party broke, in words with its evidence, and the clause that sets it.
public struct Rule: Hashable, Sendable {
    /// The clause that sets the rule: a standard's as `RFC7515-4.1`, one of our own as `threat-36`.
    public let clause: String
    /// The rule in words, with the evidence of its breach and never a secret; fit to be told to a peer.
    public let text: String

    /// Joins a rule's clause and its words; words that quote another error of the same clause do not repeat it.
    public init(_ clause: String, _ text: String) {
        let repeated = " (\(clause))"
        let words = text.utf8
        self.clause = clause
        self.text =
            words.suffix(repeated.utf8.count).elementsEqual(repeated.utf8)
            ? String(decoding: words.dropLast(repeated.utf8.count), as: UTF8.self) : text
    }
}

/// An error that names the rule that was broken.
///
/// One switch over the cases states each rule whole; `clause`, `text` and `description` follow from it.
public protocol BrokenRule: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rule that was broken.
    var rule: Rule { get }
}

extension BrokenRule {
    /// The clause that sets the rule.
    public var clause: String { rule.clause }

    /// The rule in words, without its clause.
    public var text: String { rule.text }

    /// The rule in words, with its clause.
    public var description: String {
        let rule = rule
        return "\(rule.text) (\(rule.clause))"
    }
}

/// The value of an expression, or its error as a caller's: `try wrapping(Outer.inner, try read())`.
///
/// What drops the error names its type, `{ (_: Inner) in Outer.unreadable }`, and so does a closure of several
/// statements, `try { () throws(Inner) in … }()`: the compiler does not find either by itself.
@inlinable @inline(__always)
package func wrapping<Value: ~Copyable, Inner: Error, Outer: Error>(
    _ wrap: (Inner) -> Outer, _ body: @autoclosure () throws(Inner) -> Value
) throws(Outer) -> Value {
    do throws(Inner) {
        return try body()
    } catch {
        throw wrap(error)
    }
}
