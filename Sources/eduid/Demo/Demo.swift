import Wire

/// Stories of the federation, each played whole in one process.
enum Demo {
    private static let story = Option(
        name: "story", value: "name",
        abstract: "Which story: of the federation, of a person with devices, or of a member of two universities.",
        kind: .choice(["federation", "person", "member"]), fallback: "federation")
    private static let seed = Option(
        name: "seed", value: "number",
        abstract: "Play with this chance: the same number tells the same story, byte for byte.")
    private static let step = Option(name: "step", abstract: "Stop after each interaction until Return is pressed.")
    private static let json = Option(name: "json", abstract: "Short for '--output json'.")

    static let command = Command(
        name: "demo", abstract: "Play the whole story: a person, two universities, an app, three attacks, a logout.",
        options: [story, seed, step] + SigningService.options + [.output, json],
        discussion: """
            Everything really happens, in memory: keys are made, tokens signed, checked, stored
            and revoked, and every message is the one that would go over the wire. Each scene
            shows the number of its interaction, the parties, the essential parts of request and
            answer, and the requirements that it fulfils. Nothing leaves the process.

            The story of a person has a lost answer, a choice of services, an app that is ended,
            a flight without network, a second person on the tablet, a device stolen, a service
            left, and a phone whose keys lie in its secure element. That of a member has a
            sign-in with a one-time code, and a university that somebody leaves.

            As JSON: seed, scenes (an array of objects with interaction, title, messages and
            fulfils; each message has from, to, request, answer), attacks (objects with title,
            refused and answer), tokens (objects with service, kind, id and verdict).

            Exit status: 0 only if all of it happened as told.
            """
    ) { (invocation, console) throws(Failure) in
        let isForPrograms = invocation.isForPrograms || invocation.has(json)
        guard !(isForPrograms && invocation.has(step)) else {
            throw .misuse("'--step' is for people, and JSON is for programs")
        }
        let number: UInt64
        if let text = invocation[seed] {
            guard let given = UInt64(text) else {
                throw Invocation.invalid(text, seed, "expected a number from 0 to 2^64 - 1")
            }
            number = given
        } else {
            number = console.entropy.next()
        }
        let told = invocation[story].flatMap { $0.spells("federation") ? nil : $0 }
        var presentation = Presentation(
            console: console, command: "eduid demo" + (told.map { " --story " + $0 } ?? ""), seed: number,
            isForPrograms: isForPrograms, stops: invocation.has(step))
        let service = try SigningService(invocation, on: console)
        do {
            var story: any Story =
                switch told {
                case "person"?: try PersonStory(seed: number)
                case "member"?: try MemberStory(seed: number)
                default: try FederationStory(seed: number)
                }
            if let service { try story.sign(by: service) }
            try story.tell(in: &presentation)
        } catch {
            console = presentation.console
            throw .refused("the story broke after '\(presentation.lastTitle)': \(error)")
        }
        presentation.finish()
        console = presentation.console
    }
}

/// That something did not happen as told.
struct Broken: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Where the story is shown: interaction by interaction to people, as a whole to programs.
struct Presentation {
    var console: Console
    /// The command that tells the same story again.
    let command: String
    let seed: UInt64
    let isForPrograms: Bool
    let stops: Bool
    private(set) var lastTitle = "the beginning"
    private(set) var interactions: [JSON] = []
    private(set) var attacks: [JSON] = []
    private(set) var tokens: [JSON] = []

    mutating func introduce(_ lines: [String]) {
        guard !isForPrograms else { return }
        for line in lines { console.say(line) }
    }

    mutating func show(_ interaction: Interaction) {
        lastTitle = "(\(interaction.number)) \(interaction.title)"
        interactions.append(.object(interaction.members))
        guard !isForPrograms else { return }
        console.say()
        console.say("(\(interaction.number)) \(interaction.title)", as: .strong)
        for message in interaction.messages {
            console.say("  \(message.from) -> \(message.to)")
            for line in message.request { console.say("      " + line) }
            console.say("    answer")
            for line in message.answer { console.say("      " + line) }
        }
        for line in interaction.remarks { console.say("  " + line) }
        console.say("  fulfils " + interaction.fulfils.joined(separator: ", "), as: .good)
        pause()
    }

    mutating func show(_ attack: Attack) {
        lastTitle = attack.title
        attacks.append(.object(attack.members))
        guard !isForPrograms else { return }
        console.say()
        console.say("Attack: \(attack.title)", as: .bad)
        for line in attack.attempt { console.say("      " + line) }
        console.say("    answer")
        for line in attack.answer { console.say("      " + line) }
        console.say("  refused (\(attack.rule))", as: .good)
        pause()
    }

    mutating func show(_ heading: String, _ dead: [DeadToken]) {
        lastTitle = heading
        tokens += dead.map { .object($0.members) }
        guard !isForPrograms else { return }
        console.say()
        console.say(heading, as: .strong)
        for token in dead { console.say("  \(token.service)  \(token.kind) \(token.id): \(token.verdict)") }
        pause()
    }

    mutating func finish() {
        if isForPrograms {
            console.report([
                "seed": .string(String(seed)), "scenes": .array(interactions), "attacks": .array(attacks),
                "tokens": .array(tokens),
            ])
        } else {
            console.say()
            console.say("All of this happened. The same story again: \(command) --seed \(seed)", as: .good)
        }
    }

    private mutating func pause() {
        guard stops else { return }
        console.say("  [Return]")
        console.pause()
    }
}
