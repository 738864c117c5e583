extension HTTP {
    /// What a server demands, from `WWW-Authenticate`, or a client shows, from `Authorization` (RFC 9110 §11): the
    /// latter is a secret, which the description keeps.
    package struct Authentication: Hashable, Sendable {
        /// The scheme.
        package let scheme: Scheme
        /// What follows it.
        package let details: Details

        /// The name of a scheme in lower case, because case says nothing there.
        package struct Scheme: Hashable, Sendable {
            /// The name in lower case.
            package let name: String

            /// RFC 7617.
            package static let basic = Scheme(name: "basic")
            /// RFC 6750.
            package static let bearer = Scheme(name: "bearer")
            /// RFC 9449.
            package static let dpop = Scheme(name: "dpop")

            /// The spelling by which the scheme is registered, if it is one of those above.
            fileprivate var registered: String {
                switch self {
                case .basic: "Basic"
                case .bearer: "Bearer"
                case .dpop: "DPoP"
                default: name
                }
            }
        }

        /// What follows a scheme: nothing, one token68, or parameters of which no name comes twice.
        package enum Details: Hashable, Sendable, CustomStringConvertible {
            /// One text of the alphabet of Base64 and its relatives; empty where nothing follows the scheme.
            case token68(String)
            /// Named values.
            case parameters([HTTP.FieldParameter])

            /// What kind it is and the names of parameters; the values may be secrets.
            package var description: String {
                switch self {
                case .token68: "…"
                case .parameters(let parameters): parameters.map { $0.name + "=…" }.joined(separator: ", ")
                }
            }
        }
    }
}

extension HTTP.Authentication: CustomStringConvertible {
    /// Demands or shows a scheme with parameters, which are written in quotes.
    package init(_ scheme: Scheme, _ parameters: [(name: String, value: String)] = []) throws(SyntaxError) {
        var checked: [HTTP.FieldParameter] = []
        for (index, (name, value)) in parameters.enumerated() {
            guard FieldGrammar.isToken(name), !value.utf8.contains(where: ASCII.isControl), checked[name] == nil else {
                throw .unwritableParameter(index: index)
            }
            let lowered = String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self)
            checked.append(HTTP.FieldParameter(name: lowered, value: value))
        }
        self.init(scheme: scheme, details: checked.isEmpty ? .token68("") : .parameters(checked))
    }

    /// Shows a token as RFC 6750 §2.1 and RFC 9449 §7.1 write it.
    package init(_ scheme: Scheme, token: String) throws(SyntaxError) {
        let length = withBytes(of: token.utf8) { bytes in
            var at = 0
            return FieldGrammar.token68(bytes, &at).count
        }
        guard !token.utf8.isEmpty else { throw .empty(.token) }
        guard length == token.utf8.count else { throw .foreignCharacter(.token, offset: length) }
        self.init(scheme: scheme, details: .token68(token))
    }

    /// The token, if one token68 follows the scheme and nothing else.
    package var token: String? {
        guard case .token68(let token) = details, !token.utf8.isEmpty else { return nil }
        return token
    }

    /// The value of a parameter, whose name is compared without regard to case.
    package subscript(name: String) -> String? {
        guard case .parameters(let parameters) = details else { return nil }
        return parameters[name]
    }

    /// The field value, which may be a secret.
    package var text: String {
        switch details {
        case .token68(let token): return scheme.registered + (token.utf8.isEmpty ? "" : " " + token)
        case .parameters(let parameters):
            var text = scheme.registered
            for (index, parameter) in parameters.enumerated() {
                text += (index == 0 ? " " : ", ") + parameter.name + "="
                FieldGrammar.append(quoting: parameter.value, to: &text)
            }
            return text
        }
    }

    /// The scheme only; what follows it may be a secret.
    package var description: String { scheme.registered + " …" }
}

// MARK: - Reading

extension HTTP.Authentication: Parsable {
    /// Reads the value of an `Authorization` field (RFC 9110 §11.4).
    package init(parsing bytes: Span<UInt8>) throws(SyntaxError) {
        var at = try Self.start(bytes)
        self = try Self.next(bytes, &at)
        guard at == bytes.count else { throw .malformed(.authentication, offset: at) }
    }

    /// Reads the value of a `WWW-Authenticate` field: one challenge or several (RFC 9110 §11.6.1).
    package static func list(parsing text: some Collection<UInt8>) throws(SyntaxError) -> [HTTP.Authentication] {
        try withBytes(of: text) { bytes throws(SyntaxError) in
            var at = try start(bytes)
            var challenges: [HTTP.Authentication] = []
            repeat {
                guard challenges.count < FieldGrammar.countLimit else {
                    throw .tooMany(.authentication, limit: FieldGrammar.countLimit)
                }
                challenges.append(try next(bytes, &at))
            } while at < bytes.count
            return challenges
        }
    }

    private static func start(_ bytes: Span<UInt8>) throws(SyntaxError) -> Int {
        if let offset = WellFormedUTF8.firstFault(in: bytes) { throw .illFormedUTF8(.authentication, offset: offset) }
        var at = 0
        FieldGrammar.skipEmptyElements(bytes, &at)
        return at
    }

    /// The next challenge of a list in which commas part both challenges and their parameters: a token before an equals
    /// sign is a parameter, any other token begins a challenge.
    ///
    /// Afterwards the offset is at the beginning of another one or at the end.
    private static func next(_ bytes: Span<UInt8>, _ at: inout Int) throws(SyntaxError) -> HTTP.Authentication {
        let name = FieldGrammar.token(bytes, &at)
        guard !name.isEmpty else { throw .malformed(.authentication, offset: at) }
        let scheme = Scheme(name: bytes.lowercasedText(name))
        let separator = at
        FieldGrammar.skipBlanks(bytes, &at)
        let start = at
        let token = FieldGrammar.token68(bytes, &at)
        FieldGrammar.skipBlanks(bytes, &at)
        if start > separator || token.isEmpty, FieldGrammar.endsElement(bytes, at) {
            FieldGrammar.skipEmptyElements(bytes, &at)
            return HTTP.Authentication(scheme: scheme, details: .token68(bytes.text(token)))
        }
        at = start
        guard start > separator else { throw .malformed(.authentication, offset: at) }
        var parameters: [HTTP.FieldParameter] = []
        repeat {
            try FieldGrammar.readParameter(bytes, &at, .authentication, into: &parameters)
            guard FieldGrammar.endsElement(bytes, at) else { throw .malformed(.authentication, offset: at) }
            FieldGrammar.skipEmptyElements(bytes, &at)
        } while beginsParameter(bytes, at)
        return HTTP.Authentication(scheme: scheme, details: .parameters(parameters))
    }

    private static func beginsParameter(_ bytes: Span<UInt8>, _ offset: Int) -> Bool {
        var at = offset
        guard !FieldGrammar.token(bytes, &at).isEmpty else { return false }
        FieldGrammar.skipBlanks(bytes, &at)
        return FieldGrammar.skip("=", bytes, &at)
    }
}
