import Wire

/// One interaction of the story, as it is told.
struct Interaction {
    let number: String
    let title: String
    var messages: [Message] = []
    /// What else is to be seen.
    var remarks: [String] = []
    let fulfils: [String]

    /// A request and its answer, in their essential parts.
    struct Message {
        let from: String
        let to: String
        let request: [String]
        let answer: [String]
    }

    var members: JSON.Object {
        [
            "interaction": .string(number), "title": .string(title),
            "messages": .array(
                messages.map { message in
                    [
                        "from": .string(message.from), "to": .string(message.to),
                        "request": .array(message.request.map { .string($0) }),
                        "answer": .array(message.answer.map { .string($0) }),
                    ]
                }),
            "remarks": .array(remarks.map { .string($0) }), "fulfils": .array(fulfils.map { .string($0) }),
        ]
    }
}

/// Something that must not succeed, and did not.
struct Attack {
    let title: String
    let attempt: [String]
    let answer: [String]
    let rule: String

    var members: JSON.Object {
        [
            "title": .string(title), "refused": true, "attempt": .array(attempt.map { .string($0) }),
            "answer": .array(answer.map { .string($0) }), "rule": .string(rule),
        ]
    }
}

/// A token that is good for nothing any more, and why.
struct DeadToken {
    let service: String
    let kind: String
    let id: String
    let verdict: String

    var members: JSON.Object {
        ["service": .string(service), "kind": .string(kind), "id": .string(id), "verdict": .string(verdict)]
    }
}
