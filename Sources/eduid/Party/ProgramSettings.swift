/// A program of the host's that is asked something, as the folder of a party names it.
struct ProgramSettings: Sendable, Equatable {
    let path: String
    let arguments: [String]
    /// How long it may take.
    let time: Duration

    init(_ settings: inout Settings) {
        // Where it is missing that is complained of, and nothing starts.
        path = settings.required("command", "the path of a program") { $0 } ?? ""
        arguments = settings.list("arguments", "words") { $0 }
        time = settings.seconds("seconds") ?? .seconds(10)
    }
}
