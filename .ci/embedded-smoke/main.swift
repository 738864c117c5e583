import PureCrypto
import Wire

/// What the modules answer where no runtime supports them.
let knownAnswers: [(name: StaticString, holds: Bool)] = []

for answer in knownAnswers {
    print(answer.holds ? "ok: " : "WRONG: ", terminator: "")
    print(answer.name)
}
print("\(knownAnswers.count) known answers")
precondition(knownAnswers.allSatisfy { $0.holds }, "a known answer is wrong")
