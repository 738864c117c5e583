import TokenTreeTesting
import Wire

extension Operation {
    /// Histories of issuing and revoking, answered by the tree.
    static let tokenTrees = [
        Operation("tokentree-trace") { input throws(Fault) in
            guard let operations = input["ops"] else { throw .missing("ops") }
            guard let document = try? JSON.Document(parsing: operations.encoded()),
                let trace = try? Trace(document.root)
            else {
                return false
            }
            return ["results": .array(trace.answers().map(JSON.bool))]
        }
    ]
}
