import VectorCatalogue
import Wire

/// What a run of vectors came to, by chapter and by requirement.
struct VectorReport {
    struct Count {
        var passed = 0
        var failed = 0
        var unsupported = 0

        mutating func add(_ result: Vector.Result) {
            switch result {
            case .passed: passed += 1
            case .failed: failed += 1
            case .unsupported: unsupported += 1
            }
        }

        var json: JSON {
            [
                "passed": .number(JSON.Number(passed)), "failed": .number(JSON.Number(failed)),
                "unsupported": .number(JSON.Number(unsupported)),
            ]
        }
    }

    private(set) var total = Count()
    private var chapters: [Chapter: Count] = [:]
    private var requirements: [JSON.Name: Count] = [:]
    private var failures: [(vector: Vector, members: [String])] = []

    var isClean: Bool { total.failed == 0 && total.unsupported == 0 }

    mutating func note(_ vector: Vector, _ result: Vector.Result) {
        total.add(result)
        chapters[vector.chapter, default: Count()].add(result)
        for id in Set(vector.proves.map { JSON.Name($0) }) { requirements[id, default: Count()].add(result) }
        if case .failed(let members) = result { failures.append((vector, members)) }
    }

    var members: JSON.Object {
        [
            "passed": .number(JSON.Number(total.passed)), "failed": .number(JSON.Number(total.failed)),
            "unsupported": .number(JSON.Number(total.unsupported)),
            "failures": .array(
                failures.map { failure in
                    [
                        "id": .string(failure.vector.id), "title": .string(failure.vector.title),
                        "proves": .array(failure.vector.proves.map { .string($0) }),
                        "members": .array(failure.members.map { .string($0) }),
                    ]
                }),
            "modules": .object(counts(of: Chapter.modules)), "interactions": .object(counts(of: Chapter.interactions)),
            "requirements": .object(
                JSON.Object(requirements.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })),
        ]
    }

    private func counts(of parts: [Chapter]) -> JSON.Object {
        JSON.Object(parts.compactMap { part in chapters[part].map { (JSON.Name(part.rawValue), $0.json) } })
    }

    func write(to console: inout Console) {
        for (vector, members) in failures {
            let (wrong, shown) = (members.joined(separator: ", "), vector.proves.joined(separator: " "))
            console.say("FAILED \(vector.id): \(vector.title) (\(wrong); \(shown))", as: .bad)
        }
        for part in Chapter.allCases {
            guard let count = chapters[part] else { continue }
            console.say(
                "\(part.isInteraction ? "(\(part.rawValue))" : part.rawValue) \(part.title): \(Self.words(count))")
        }
        let broken = requirements.filter { $0.value.failed > 0 }.map { $0.key }.sorted().map { $0.text }
        let failed = broken.isEmpty ? "none" : broken.joined(separator: " ")
        console.say("requirements, threats and clauses shown: \(requirements.count), with failures: \(failed)")
        console.say("all: \(Self.words(total))", as: isClean ? .good : .bad)
    }

    private static func words(_ count: Count) -> String {
        var words = "\(count.passed) passed"
        if count.failed > 0 { words += ", \(count.failed) failed" }
        if count.unsupported > 0 { words += ", \(count.unsupported) not served" }
        return words
    }
}
