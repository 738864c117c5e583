public import Wire

/// One more thing that is asked of a person who signs in, after OAuth 2.0 for First-Party Applications §5.2.2: of the
/// steps that are offered at a time, one suffices.
public struct SignInStep: Sendable, Hashable {
    /// What kind of step it is; the app knows what to ask the person for.
    public let name: Name
    /// What the app needs for it, such as the options of a passkey.
    public var challenge: JSON?
    /// What helps the person, such as where a code was sent.
    public var hint: String?

    /// A step.
    public init(_ name: Name, challenge: JSON? = nil, hint: String? = nil) {
        (self.name, self.challenge, self.hint) = (name, challenge, hint)
    }

    /// The name of a kind of step: a word that service and app have agreed on.
    public typealias Name = Identifier<NameKind>

    /// Names a kind of step.
    public enum NameKind: IdentifierKind {
        /// More than a word has.
        public static var lengthLimit: Int { 64 }
    }

    /// How many steps are offered at a time, or named by an app, at most.
    public static let limit = 16

    /// What a person, or the platform in the person's name, answers to a step.
    public struct Answer: Sendable, Equatable {
        /// Which of the steps that were offered it answers.
        public let step: Name
        /// The answer.
        public let response: Response

        /// Answers a step.
        public init(_ response: Response, to step: Name) { (self.response, self.step) = (response, step) }

        /// A code that the person copied from somewhere.
        public static func oneTimeCode(_ code: Secret.OneTimeCode) -> Answer { Answer(.code(code), to: .oneTimeCode) }
    }

    /// The two forms of answers.
    public enum Response: Sendable, Equatable {
        /// A code that is good once (`otp`).
        case code(Secret.OneTimeCode)
        /// Whatever else (`step_response`).
        case text(Secret.StepResponse)

        /// What was answered, in whichever form.
        public var secret: String {
            switch self {
            case .code(let code): code.secret
            case .text(let text): text.secret
            }
        }
    }
}

extension SignInStep.Name {
    /// A code of an authenticator, a message or a list.
    public static var oneTimeCode: Self { "otp" }
    /// What a passkey signs.
    public static var passkey: Self { "passkey" }
}

// MARK: - In messages

extension SignInStep: JSON.Writable {
    /// Writes `step`, `challenge` and `hint`.
    public func write(to place: consuming JSON.ValueWriter) {
        place.object { object in
            object.member("step", name.text)
            object.member("challenge", ifPresent: challenge)
            object.member("hint", ifPresent: hint)
        }
    }
}

extension SignInStep {
    /// A hint that is longer is not shown.
    private static let hintLimit = 1_024

    /// Reads a step that a server offers; `nil` for what is none.
    package init?(_ value: JSON.Document.Value) {
        guard let members = try? value.object(), let text = try? members["step"].string(),
            let name = try? Name(parsing: text)
        else { return nil }
        let hint = members.optional("hint").flatMap { try? $0.string() }
        self.init(
            name, challenge: members.optional("challenge").flatMap { $0.isNull ? nil : $0.tree() },
            hint: hint.flatMap { $0.utf8.count <= Self.hintLimit ? $0 : nil })
    }
}

extension SignInStep.Answer {
    var pairs: [HTTP.Form.Pair] {
        let answer =
            switch response {
            case .code(let code): HTTP.Form.Pair("otp", code.secret)
            case .text(let text): HTTP.Form.Pair("step_response", text.secret)
            }
        return [HTTP.Form.Pair("step", step.text), answer]
    }

    /// Reads an answer to a step, which has one of the two forms.
    init(_ parameters: Parameters) throws(ParameterRejection) {
        let step: SignInStep.Name = try parameters.required("step", try parameters.identifier("step"))
        let code: Secret.OneTimeCode? = try parameters.secret("otp")
        let text: Secret.StepResponse? = try parameters.secret("step_response")
        switch (code, text) {
        case (let code?, nil): self.init(.code(code), to: step)
        case (nil, let text?): self.init(.text(text), to: step)
        case (nil, nil): throw .missing(step == .oneTimeCode ? "otp" : "step_response")
        case (_?, _?): throw .together("otp", "step_response")
        }
    }
}

extension Parameters {
    /// The steps that a client can make, where it says so.
    func supportedSteps() throws(ParameterRejection) -> [SignInStep.Name]? {
        guard let text = try text("steps_supported") else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count <= SignInStep.limit else {
            throw .identifier(
                "steps_supported", .tooLong(.identifier, length: words.count, limit: SignInStep.limit))
        }
        var names: [SignInStep.Name] = []
        for word in words {
            names.append(
                try wrapping(
                    { (error) in ParameterRejection.identifier("steps_supported", error) },
                    try SignInStep.Name(parsing: String(word))))
        }
        return names
    }

    /// The steps that a server offers; those that cannot be read are passed over, as those that nobody knows.
    func offeredSteps() throws(ParameterRejection) -> [SignInStep] {
        guard let value = json("steps") else { return [] }
        guard let elements = try? value.array() else { throw .wrongType("steps", found: value.kind) }
        return elements.prefix(SignInStep.limit).compactMap { SignInStep($0) }
    }
}
