import VectorCatalogue
import Wire

/// Conformance vectors: what there is, and whether an implementation does what they say.
enum Vectors {
    static let command = Command(
        name: "vectors", abstract: "List the conformance vectors, show one, and run them against an implementation.",
        subcommands: [list, show, run, generate])

    private static let folder = Option(
        name: "vectors", value: "folder", abstract: "Where the vectors are.", fallback: "Fixtures/vectors")
    private static let interaction = Option(
        name: "interaction", value: "number", abstract: "Only the vectors of this interaction.",
        kind: .choice(Chapter.interactions.map(\.rawValue)))
    private static let module = Option(
        name: "module", value: "name", abstract: "Only the vectors of this module.",
        kind: .choice(Chapter.modules.map(\.rawValue)))
    private static let requirement = Option(
        name: "requirement", value: "id", abstract: "Only the vectors that show this requirement, threat or clause.")
    private static let selection = [folder, interaction, module, requirement]
    private static let name = Argument(name: "id", kind: .text, abstract: "The vector's id, such as 5/twice.")
    private static let against = Option(
        name: "against", value: "command",
        abstract:
            "Run them against this command of the shell, which speaks the testkit protocol, instead of this program.")
    private static let compare = Option(
        name: "compare", value: "how", abstract: "Compare all members of an answer, or only what it means.",
        kind: .choice(Vector.Comparison.allCases.map(\.rawValue)), fallback: "exact")
    private static let target = Option(
        name: "to", value: "folder", abstract: "Where to write the files.", fallback: "Fixtures/vectors")

    // MARK: Choosing

    private static func chosen(_ invocation: Invocation, _ console: Console) throws(Failure) -> [Vector] {
        var vectors: [Vector] = []
        let wanted = [invocation[interaction], invocation[module]].compactMap { $0 }
        for part in Chapter.allCases where wanted.isEmpty || wanted.contains(where: { $0.spells(part.rawValue) }) {
            let path = (invocation[folder] ?? "") + "/" + VectorFile.path(of: part)
            let bytes = try console.read(path, limit: VectorFile.byteLimit)
            vectors += try wrapping(
                { (error: Vector.Rejection) in Failure.refused("\(path): \(error)") },
                try VectorFile(parsing: bytes).vectors)
        }
        guard let id = invocation[requirement] else { return vectors }
        return vectors.filter { $0.proves.contains { $0.spells(id) } }
    }

    private static let list = Command(
        name: "list", abstract: "List the vectors.", options: selection + [.output],
        discussion: """
            A line for each vector: its id, what its party says (yes, or the error and the clause
            of the rule that was broken), the situation, and what it shows.

            As JSON: vectors, an array of objects with id, kind, title, accepted and proves.
            """
    ) { (invocation, console) throws(Failure) in
        let vectors = try chosen(invocation, console)
        guard !invocation.isForPrograms else {
            console.report([
                "vectors": .array(
                    vectors.map { vector in
                        [
                            "id": .string(vector.id), "kind": .string(vector.kind.rawValue),
                            "title": .string(vector.title),
                            "accepted": .bool(vector.isAccepted), "proves": .array(vector.proves.map { .string($0) }),
                        ]
                    })
            ])
            return
        }
        for vector in vectors {
            let refusal = vector.expect["refusal"]
            let words = [refusal?["error"]?.string, refusal?["clause"]?.string].compactMap { $0 }.joined(separator: " ")
            let verdict = vector.isAccepted ? "yes" : "no: " + words
            console.say("\(vector.id): \(verdict): \(vector.title) [\(vector.proves.joined(separator: " "))]")
        }
        console.say("\(vectors.count) vectors")
    }

    private static let show = Command(
        name: "show", abstract: "Show a vector with everything that its party knows.", arguments: [name],
        options: [folder],
        discussion: """
            The vector as one JSON object on several lines: id, kind, title, proves, given and
            expect, as the README of the vectors explains them.
            """
    ) { (invocation, console) throws(Failure) in
        let id = try invocation.required(name)
        guard let vector = try chosen(invocation, console).first(where: { $0.id.spells(id) }) else {
            throw .refused("there is no vector '\(id)'; 'eduid vectors list' tells which there are")
        }
        let value: JSON = [
            "id": .string(vector.id), "kind": .string(vector.kind.rawValue), "title": .string(vector.title),
            "proves": .array(vector.proves.map { .string($0) }), "given": .object(vector.given),
            "expect": .object(vector.expect),
        ]
        console.say(value.legible)
    }

    // MARK: Running

    private static let run = Command(
        name: "run", abstract: "Run the vectors, and say which fail.",
        options: selection + [against, compare, .output],
        discussion: """
            Without '--against' this program performs them itself. With it the command is started
            once, with the word 'vector' behind it; it reads a vector a line from standard input
            and writes its answer to standard output, as the README of the vectors explains.

            Exit status: 0 when all passed, 1 when one failed or was not served.
            As JSON: passed, failed and unsupported (numbers), failures (an array of objects with
            id, title, proves and members, the names of what is not as expected), modules,
            interactions and requirements (objects of the numbers passed, failed and unsupported
            by name).
            """
    ) { (invocation, console) throws(Failure) in
        let vectors = try chosen(invocation, console)
        let comparison = invocation[compare].flatMap { Vector.Comparison(rawValue: $0) } ?? .exact
        var report = VectorReport()
        if let line = invocation[against] {
            let peer = try console.start(line)
            for vector in vectors {
                report.note(vector, vector.result(of: try peer.answer(to: vector.question), by: comparison))
            }
            peer.end()
        } else {
            for vector in vectors { report.note(vector, vector.result(of: own(vector), by: comparison)) }
        }
        if invocation.isForPrograms { console.report(report.members) } else { report.write(to: &console) }
        guard report.isClean else {
            throw .refused("\(report.total.failed) vectors failed, \(report.total.unsupported) were not served")
        }
    }

    /// What this program makes of a vector.
    static func own(_ vector: Vector) -> JSON {
        do throws(Vector.Rejection) {
            return .object(try Reference.outcome(of: vector.kind, vector.given))
        } catch {
            return ["error": .string(error.description)]
        }
    }

    // MARK: Generating

    private static let generate = Command(
        name: "generate", abstract: "Write the vectors anew from the catalogue of situations.", options: [target],
        discussion: """
            Where a party does something else than its situation says, nothing is written. The
            same catalogue gives the same bytes. Whoever changes a vector raises the version.
            """
    ) { (invocation, console) throws(Failure) in
        let catalogue = try console.catalogue()
        guard catalogue.contradictions.isEmpty else { throw .refused(catalogue.contradictions.joined(separator: "\n")) }
        for file in catalogue.files {
            try console.store(
                file.encoded(), (invocation[target] ?? "") + "/" + VectorFile.path(of: file.chapter), .shared, true)
        }
        console.say("\(catalogue.vectors.count) vectors written")
    }
}
