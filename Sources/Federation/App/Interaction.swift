internal import OAuth2Grants
public import Wire

extension AuthorizingApp {
    /// Something that an instance does with others: requests, one after the other, and what follows from their answers.
    ///
    /// It is the sequence alone. ``Session/carryOut(_:at:using:over:)`` carries it out at once, ``AuthorizingProcess``
    /// while others wait; ``Conversation`` does so step by step.
    public struct Interaction<Value: Sendable>: Sendable {
        /// How far it has come.
        enum Progress: Sendable {
            case ask(HTTP.Request, then: @Sendable (inout Turn, HTTP.Response?) throws(Rejection) -> Progress)
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
        func then<Next>(
            _ next: @escaping @Sendable (inout Turn, Value) throws(Rejection) -> Interaction<Next>
        ) -> Interaction<Next> {
            @Sendable func follow(_ progress: Progress, _ turn: inout Turn) throws(Rejection)
                -> Interaction<Next>.Progress
            {
                switch progress {
                case .done(let value): try next(&turn, value).begin(&turn)
                case .ask(let request, let take):
                    .ask(request) { turn, response throws(Rejection) in
                        try follow(try take(&turn, response), &turn)
                    }
                }
            }
            return Interaction<Next> { [begin] turn throws(Rejection) in try follow(try begin(&turn), &turn) }
        }

        /// This interaction, or another one where it is rejected.
        func recovering(
            _ other: @escaping @Sendable (inout Turn, Rejection) throws(Rejection) -> Interaction
        ) -> Interaction {
            @Sendable func attempt(
                _ turn: inout Turn, _ body: (inout Turn) throws(Rejection) -> Progress
            ) throws(Rejection) -> Progress {
                let progress: Progress
                do throws(Rejection) { progress = try body(&turn) } catch {
                    return try other(&turn, error).begin(&turn)
                }
                guard case .ask(let request, let take) = progress else { return progress }
                return .ask(request) { turn, response throws(Rejection) in
                    try attempt(&turn) { turn throws(Rejection) in try take(&turn, response) }
                }
            }
            return Interaction { [begin] turn throws(Rejection) in try attempt(&turn, begin) }
        }
    }

    /// A session at a moment: what a step of an interaction works with.
    struct Turn: Sendable {
        var session: Session
        let now: Timestamp
        var chance: Chance

        /// A request with which a holder proves to be one, at a URL.
        mutating func message(
            to url: WebURL, of holder: Holder, _ make: (ClientCredential, WebURL) throws(SyntaxError) -> HTTP.Request
        ) throws(Rejection) -> HTTP.Request {
            let proof = try session.token(of: holder).proof(for: url, at: now, using: &chance)
            return try wrapping(Rejection.syntax, try make(.bearer(proof), url))
        }

        /// A request for a resource, opened by a holder's token.
        ///
        /// - Parameter query: what is asked for; the proof is for the URL without it.
        mutating func resource(
            _ method: HTTP.Request.Method, _ url: WebURL, asking query: String? = nil, of holder: Holder,
            body: [UInt8] = []
        ) throws(Rejection) -> HTTP.Request {
            let proof = try session.token(of: holder).proof(for: url, at: now, using: &chance)
            let target = try query.map { query throws(Rejection) in
                try wrapping(Rejection.url, try WebURL(parsing: url.text + "?" + query))
            }
            var request = HTTP.Request(method, .absolute(target ?? url), body: body)
            // Request tokens keep within the limits of fields.
            try? request.fields.append(.authorization, "Bearer " + proof.secret)
            try? request.fields.append(.accept, HTTP.MediaType.json.text)
            if !body.isEmpty { try? request.fields.append(.contentType, HTTP.MediaType.json.text) }
            return request
        }

        /// Keeps the token that an answer granted to a holder.
        ///
        /// - Parameter identity: who asked for it; who asked for the earlier one, or else the installation.
        mutating func keep(
            _ response: HTTP.Response?, of holder: Holder, from endpoint: WebURL? = nil,
            renewing isRenewal: Bool = false, as identity: ClientIdentity? = nil
        ) throws(Rejection) {
            let earlier = isRenewal ? session.held(holder) : nil
            let identity = identity ?? earlier?.identity ?? session.installation.identity
            let token = try HeldToken(
                AuthorizingApp.granted(response), renewing: earlier, of: identity, at: now)
            try session.keep(token, of: holder, from: endpoint)
        }
    }

    /// An interaction under way, for hosts that carry the messages themselves.
    public struct Conversation<Value: Sendable>: Sendable {
        /// What the instance holds by now.
        public internal(set) var session: Session
        private var chance: Chance
        private(set) var progress: Interaction<Value>.Progress

        /// Begins an interaction.
        public init(
            _ interaction: Interaction<Value>, of session: Session, at now: Timestamp,
            using entropy: inout some RandomNumberGenerator
        ) throws(Rejection) {
            var turn = Turn(session: session, now: now, chance: Chance(using: &entropy))
            progress = try interaction.begin(&turn)
            (self.session, chance) = (turn.session, turn.chance)
        }

        /// What is to be sent now; `nil` at the end.
        public var request: HTTP.Request? {
            if case .ask(let request, _) = progress { request } else { nil }
        }

        /// What came of it; `nil` before the end.
        public var value: Value? {
            if case .done(let value) = progress { value } else { nil }
        }

        /// Takes in the answer to the request, or that there was none.
        public mutating func take(_ response: HTTP.Response?, at now: Timestamp) throws(Rejection) {
            guard case .ask(_, let take) = progress else { return }
            var turn = Turn(session: session, now: now, chance: chance)
            defer { (session, chance) = (turn.session, turn.chance) }
            progress = try take(&turn, response)
        }
    }
}

extension AuthorizingApp.Interaction where Value == Void {
    /// What does nothing.
    static var nothing: Self { .value(()) }
}

extension AuthorizingApp.Session {
    /// Carries out an interaction over a network that answers at once.
    public mutating func carryOut<Value>(
        _ interaction: AuthorizingApp.Interaction<Value>, at now: Timestamp,
        using entropy: inout some RandomNumberGenerator, over send: (HTTP.Request) -> HTTP.Response?
    ) throws(Rejection) -> Value {
        var conversation = try AuthorizingApp.Conversation(interaction, of: self, at: now, using: &entropy)
        defer { self = conversation.session }
        while true {
            switch conversation.progress {
            case .done(let value): return value
            case .ask(let request, _): try conversation.take(send(request), at: now)
            }
        }
    }
}

// MARK: - Messages

extension AuthorizingApp {
    static func granted(_ response: HTTP.Response?) throws(Rejection) -> TokenResponse {
        switch try answer(
            response, { response throws(ParameterRejection) in try TokenRequest.Outcome(parsing: response) })
        {
        case .granted(let response): return response
        case .refused(let error): throw .refused(error)
        }
    }

    static func answer<Value>(
        _ response: HTTP.Response?, _ read: (HTTP.Response) throws(ParameterRejection) -> Value
    ) throws(Rejection) -> Value {
        guard let response else { throw .unanswered }
        return try wrapping(Rejection.unusable, try read(response))
    }

    /// The body of a resource's answer, or what it was refused with.
    static func body(_ response: HTTP.Response?) throws(Rejection) -> [UInt8] {
        guard let response else { throw .unanswered }
        if response.status.isSuccess { return response.body }
        throw .refused(try wrapping(Rejection.unusable, try OAuth2Error(parsing: response)))
    }
}
