import TokenTreeTesting
import Wire

extension Operation {
    /// Histories of issuing and revoking, answered by the tree.
    static let tokenTrees = [
        Operation("tokentree-trace") { input in
            guard let operations = input["ops"] else { throw Fault.missing("ops") }
            let trace = try Trace(JSON.Document(parsing: operations.encoded()).root)
            return ["results": .array(trace.answers().map(JSON.bool))]
        }
    ]
}
