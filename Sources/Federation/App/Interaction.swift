internal import Wire

extension AuthorizingApp {
    /// Something that an instance does with others: requests, one after the other, and what follows from their answers.
    ///
    /// It is the sequence alone. ``Session/carryOut(_:at:using:over:signing:making:)`` carries it out at once,
    /// ``AuthorizingProcess`` while others wait; ``Conversation`` does so step by step.
    public struct Interaction<Value: Sendable>: Sendable {
        /// How far it has come.
        enum Progress: Sendable {
            case ask(HTTP.Request, then: @Sendable (inout Turn, HTTP.Response?) throws(Rejection) -> Progress)
            /// What was done is done, whatever becomes of what follows.
            case next(@Sendable (inout Turn) throws(Rejection) -> Progress)
            case done(Value)
        }

        let begin: @Sendable (inout Turn) throws(Rejection) -> Progress

        init(_ begin: @escaping @Sendable (inout Turn) throws(Rejection) -> Progress) {
            self.begin = begin
        }

        /// What is done already.
        static func value(_ value: Value) -> Interaction { Interaction { _ throws(Rejection) in .done(value) } }

        /// One request and what its answer says.
        init(
            asking request: @escaping @Sendable (inout Turn) throws(Rejection) -> HTTP.Request,
            _ take: @escaping @Sendable (inout Turn, HTTP.Response?) throws(Rejection) -> Value
        ) {
            begin = { turn throws(Rejection) in
                .ask(try request(&turn)) { turn, response throws(Rejection) in .done(try take(&turn, response)) }
            }
        }

        /// This interaction, and with what came of it another one.
        ///
        /// What the first has changed stays where the second has to wait for a signature, or gets none: an answer may
        /// hold the only refresh token.
        func then<Next>(
            _ next: @escaping @Sendable (inout Turn, Value) throws(Rejection) -> Interaction<Next>
        ) -> Interaction<Next> {
            @Sendable func follow(_ progress: Progress) -> Interaction<Next>.Progress {
                switch progress {
                case .done(let value):
                    .next { turn throws(Rejection) in try next(&turn, value).begin(&turn) }
                case .next(let step):
                    .next { turn throws(Rejection) in follow(try step(&turn)) }
                case .ask(let request, let take):
                    .ask(request) { turn, response throws(Rejection) in follow(try take(&turn, response)) }
                }
            }
            return Interaction<Next> { [begin] turn throws(Rejection) in follow(try begin(&turn)) }
        }

        /// This interaction, or another one where it is rejected; what waits for a signature is not rejected.
        func recovering(
            _ other: @escaping @Sendable (inout Turn, Rejection) throws(Rejection) -> Interaction
        ) -> Interaction {
            @Sendable func attempt(
                _ turn: inout Turn, _ body: (inout Turn) throws(Rejection) -> Progress
            ) throws(Rejection) -> Progress {
                let progress: Progress
                let session = turn.session
                do throws(Rejection) { progress = try body(&turn) } catch {
                    guard let awaited = error.awaited else { return try other(&turn, error).begin(&turn) }
                    guard turn.declined.contains(awaited) else { throw error }
                    // What was not signed was not done, nor anything on the way there.
                    turn.session = session
                    return try other(&turn, .unsigned).begin(&turn)
                }
                switch progress {
                case .done: return progress
                case .next(let step):
                    return .next { turn throws(Rejection) in try attempt(&turn, step) }
                case .ask(let request, let take):
                    return .ask(request) { turn, response throws(Rejection) in
                        try attempt(&turn) { turn throws(Rejection) in try take(&turn, response) }
                    }
                }
            }
            return Interaction { [begin] turn throws(Rejection) in try attempt(&turn, begin) }
        }
    }
}

extension AuthorizingApp.Interaction where Value == Void {
    /// What does nothing.
    static var nothing: Self { .value(()) }
}
