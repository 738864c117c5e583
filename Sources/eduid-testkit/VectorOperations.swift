import VectorCatalogue
import Wire

extension Operation {
    /// Conformance vectors: what this package's modules and parties make of a situation.
    static let vectors = [vector(breaking: nil)]

    /// The operation `vector`, by an implementation that keeps all rules, or leaves one out.
    static func vector(breaking rule: OmittedRule?) -> Operation {
        Operation("vector") { input in
            let name = try input.text("kind")
            guard let kind = Vector.Kind(rawValue: name) else { throw Fault.unknown("kind", value: name) }
            guard let given = input["given"]?.object else { throw Fault.missing("given") }
            do throws(Vector.Rejection) {
                return .object(try Reference.outcome(of: kind, rule?.applied(to: given) ?? given))
            } catch {
                throw Fault.missing("given." + error.member)
            }
        }
    }
}
