extension HTTP.Authentication.Credentials: Parsable {
    /// Reads the value of an `Authorization` field (RFC 9110 §11.4).
    public init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        var reader = try ChallengeReader(bytes)
        (scheme, details) = try reader.next(bytes)
        guard reader.at == bytes.count else { throw .malformed(.authentication, offset: reader.at) }
    }
}

extension HTTP.Authentication.Challenge {
    /// Reads the value of a `WWW-Authenticate` field: one challenge or several (RFC 9110 §11.6.1).
    public static func list(parsing bytes: Span<UInt8>) throws(SyntaxError) -> [HTTP.Authentication
        .Challenge]
    {
        var reader = try ChallengeReader(bytes)
        var challenges: [HTTP.Authentication.Challenge] = []
        while reader.at < bytes.count {
            guard challenges.count < FieldGrammar.countLimit else {
                throw .tooMany(.authentication, limit: FieldGrammar.countLimit)
            }
            let (scheme, details) = try reader.next(bytes)
            challenges.append(HTTP.Authentication.Challenge(scheme: scheme, details: details))
        }
        guard !challenges.isEmpty else { throw .malformed(.authentication, offset: bytes.count) }
        return challenges
    }

    /// Reads the value of a `WWW-Authenticate` field: one challenge or several.
    public static func list(parsing text: String) throws(SyntaxError) -> [HTTP.Authentication
        .Challenge]
    {
        try withBytes(of: text.utf8) { bytes throws(SyntaxError) in try list(parsing: bytes) }
    }
}

/// Reads challenges from a list in which commas part both challenges and their parameters: a token before an equals
/// sign is a parameter, any other token begins a challenge.
private struct ChallengeReader {
    private(set) var at = 0

    init(_ bytes: Span<UInt8>) throws(SyntaxError) {
        if let offset = WellFormedUTF8.firstFault(in: bytes) { throw .illFormedUTF8(.authentication, offset: offset) }
        FieldGrammar.skipEmptyElements(bytes, &at)
    }

    /// The next challenge; afterwards the offset is at the beginning of another one or at the end.
    mutating func next(_ bytes: Span<UInt8>) throws(SyntaxError) -> (
        HTTP.Authentication.Scheme, HTTP.Authentication.Details
    ) {
        let name = FieldGrammar.token(bytes, &at)
        guard !name.isEmpty else { throw .malformed(.authentication, offset: at) }
        let scheme = HTTP.Authentication.Scheme(name: bytes.lowercasedText(name))
        let separator = at
        FieldGrammar.skipBlanks(bytes, &at)
        if endsElement(bytes) {
            FieldGrammar.skipEmptyElements(bytes, &at)
            return (scheme, .token68(""))
        }
        guard at > separator else { throw .malformed(.authentication, offset: at) }

        let start = at
        let token = FieldGrammar.token68(bytes, &at)
        FieldGrammar.skipBlanks(bytes, &at)
        if !token.isEmpty, endsElement(bytes) {
            FieldGrammar.skipEmptyElements(bytes, &at)
            return (scheme, .token68(bytes.text(token)))
        }
        at = start
        var parameters: [HTTP.FieldParameter] = []
        repeat {
            guard parameters.count < FieldGrammar.countLimit else {
                throw .tooMany(.authentication, limit: FieldGrammar.countLimit)
            }
            let place = at
            let parameter = try parameter(bytes)
            guard !parameters.contains(where: { FieldGrammar.areAlike($0.name, parameter.name) }) else {
                throw .repeatedParameter(.authentication, offset: place)
            }
            parameters.append(parameter)
            guard endsElement(bytes) else { throw .malformed(.authentication, offset: at) }
            FieldGrammar.skipEmptyElements(bytes, &at)
        } while beginsParameter(bytes)
        return (scheme, .parameters(parameters))
    }

    private func endsElement(_ bytes: Span<UInt8>) -> Bool {
        at == bytes.count || bytes[at] == UInt8(ascii: ",")
    }

    private func beginsParameter(_ bytes: Span<UInt8>) -> Bool {
        var ahead = at
        guard !FieldGrammar.token(bytes, &ahead).isEmpty else { return false }
        FieldGrammar.skipBlanks(bytes, &ahead)
        return FieldGrammar.skip("=", bytes, &ahead)
    }

    private mutating func parameter(_ bytes: Span<UInt8>) throws(SyntaxError) -> HTTP.FieldParameter {
        let name = FieldGrammar.token(bytes, &at)
        FieldGrammar.skipBlanks(bytes, &at)
        guard !name.isEmpty, FieldGrammar.skip("=", bytes, &at) else { throw .malformed(.authentication, offset: at) }
        FieldGrammar.skipBlanks(bytes, &at)
        guard let value = FieldGrammar.tokenOrQuotedString(bytes, &at) else {
            throw .malformed(.authentication, offset: at)
        }
        FieldGrammar.skipBlanks(bytes, &at)
        return HTTP.FieldParameter(name: bytes.lowercasedText(name), value: value)
    }
}

// MARK: - Writing

extension HTTP.Authentication.Challenge: CustomStringConvertible {
    /// The challenge as a field value.
    public var text: String { details.text(after: scheme) }

    /// The challenge as a field value.
    public var description: String { text }
}

extension HTTP.Authentication.Credentials: CustomStringConvertible {
    /// The credentials as a field value: a secret.
    public var text: String { details.text(after: scheme) }

    /// The scheme only; what follows it is a secret.
    public var description: String { scheme.registered + " …" }
}

extension HTTP.Authentication.Details: CustomStringConvertible {
    /// What kind it is and the names of parameters; the values may be secrets.
    public var description: String {
        switch self {
        case .token68: "…"
        case .parameters(let parameters): parameters.map { $0.name + "=…" }.joined(separator: ", ")
        }
    }

    fileprivate func text(after scheme: HTTP.Authentication.Scheme) -> String {
        var text = scheme.registered
        switch self {
        case .token68(let token):
            if !token.utf8.isEmpty { text += " " + token }
        case .parameters(let parameters):
            for (index, parameter) in parameters.enumerated() {
                text += (index == 0 ? " " : ", ") + parameter.name + "="
                FieldGrammar.append(quoting: parameter.value, to: &text)
            }
        }
        return text
    }
}
