import VectorCatalogue
import Wire

extension Operation {
    /// Conformance vectors: what this package's modules and parties make of a situation.
    static let vectors = [vector(breaking: nil)]

    /// The operation `vector`, by an implementation that keeps all rules, or leaves one out.
    static func vector(breaking rule: OmittedRule?) -> Operation {
        Operation("vector") { input in
            let kind = try input.choice("kind") { Vector.Kind(rawValue: $0) }
            guard let given = input["given"]?.object else { throw Fault.missing("given") }
            return .object(
                try wrapping(
                    { (error: Vector.Rejection) in Fault.missing("given." + error.member) },
                    try Reference.outcome(of: kind, rule?.applied(to: given) ?? given)))
        }
    }
}
