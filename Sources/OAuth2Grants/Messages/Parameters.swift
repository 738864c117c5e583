internal import JOSE
internal import Wire

/// The parameters of a message, in whichever of the three ways they came: each name once, those without a value as if
/// they were not there (RFC 6749 §3.1).
///
/// The one place where parameters are read, of requests and of answers alike. Whoever asks for one gets a checked value
/// or a rejection that names it.
struct Parameters {
    private enum Value {
        case text(String)
        case json(JSON.Document.Value)
    }

    private var values: [(name: JSON.Name, value: Value)] = []

    /// The most bytes of a body or query.
    static let byteLimit = 65_536

    /// Reads the body of a POST request, a form or a JSON object by its media type.
    init(bodyOf request: HTTP.Request) throws(ParameterRejection) {
        guard request.method == .post else { throw .method(request.method) }
        guard request.body.count <= Self.byteLimit else {
            throw .tooLarge(size: request.body.count, limit: Self.byteLimit)
        }
        guard case .once(let text) = request.fields.value(of: .contentType) else { throw .mediaType(nil) }
        guard let type = try? HTTP.MediaType(parsing: text) else { throw .mediaType(text) }
        if type.matches(.form) {
            try self.init(form: request.body)
        } else if type.matches(.json) {
            try self.init(json: request.body)
        } else {
            throw .mediaType(text)
        }
    }

    /// Reads the query of a request.
    init(queryOf request: HTTP.Request) throws(ParameterRejection) {
        try self.init(query: (request.target.query ?? "").utf8)
    }

    /// Reads a query.
    init(query: some Collection<UInt8>) throws(ParameterRejection) {
        let query = Array(query)
        guard query.count <= Self.byteLimit else { throw .tooLarge(size: query.count, limit: Self.byteLimit) }
        try self.init(form: query)
    }

    private init(form bytes: [UInt8]) throws(ParameterRejection) {
        let form = try wrapping(ParameterRejection.form, try HTTP.Form(parsing: bytes))
        values.reserveCapacity(form.pairs.count)
        for pair in form.pairs {
            // A form has few pairs, which its limits see to, so that looking at each costs less than a set would.
            let name = JSON.Name(pair.name)
            guard !values.contains(where: { $0.name == name }) else { throw .repeated(pair.name) }
            values.append((name, .text(pair.value)))
        }
    }

    private static let limits = JSON.Limits(size: byteLimit, depth: 8, values: 1_024, members: 256)

    init(json bytes: [UInt8]) throws(ParameterRejection) {
        self.init(
            try wrapping(
                ParameterRejection.json, try JSON.Document(parsing: bytes, limits: Self.limits).root.object()))
    }

    private init(_ object: JSON.Document.Object) {
        for member in object { values.append((member.name, .json(member.value))) }
    }
}

// MARK: - Asking for parameters

extension Parameters {
    private func value(_ name: String) -> Value? {
        let name = JSON.Name(name)
        return switch values.first(where: { $0.name == name })?.value {
        case .text(let text) where text.utf8.isEmpty: nil
        case .json(let value) where value.isNull || value.isString(""): nil
        case let value: value
        }
    }

    /// The text of a parameter, where it has a value.
    func text(_ name: String) throws(ParameterRejection) -> String? {
        switch value(name) {
        case nil: return nil
        case .text(let text): return text
        case .json(let value):
            guard value.kind == .string, let text = try? value.string() else {
                throw .wrongType(name, found: value.kind)
            }
            return text
        }
    }

    /// The text of a parameter, under the first of these names that it has; two of them together are one too many.
    func text(_ name: String, or other: String) throws(ParameterRejection) -> String? {
        guard let text = try text(name) else { return try self.text(other) }
        guard value(other) == nil else { throw .repeated(other) }
        return text
    }

    /// What a parameter that must be there is.
    func required<Value>(_ name: String, _ value: Value?) throws(ParameterRejection) -> Value {
        guard let value else { throw .missing(name) }
        return value
    }

    /// A name of its kind.
    func identifier<Kind>(_ name: String) throws(ParameterRejection) -> Identifier<Kind>? {
        guard let text = try text(name) else { return nil }
        return try wrapping({ (error) in ParameterRejection.identifier(name, error) }, try Identifier(parsing: text))
    }

    /// A secret of its kind.
    func secret<Kind>(_ name: String) throws(ParameterRejection) -> Secret.Text<Kind>? {
        guard let text = try text(name) else { return nil }
        return try wrapping(ParameterRejection.secret, try Secret.Text(parsing: text))
    }

    /// The scope.
    func scope() throws(ParameterRejection) -> Scope? {
        guard let text = try text("scope") else { return nil }
        return try Scope(parsing: text)
    }

    /// The URL of a service, which has no fragment.
    func url(_ name: String, _ text: String?) throws(ParameterRejection) -> WebURL? {
        guard let text else { return nil }
        let url = try wrapping({ (error) in ParameterRejection.url(name, error) }, try WebURL(parsing: text))
        guard url.fragment == nil else { throw .fragment(name) }
        return url
    }

    /// The URL of an endpoint, to which secrets may be sent.
    func endpoint(_ name: String) throws(ParameterRejection) -> WebURL? {
        guard let url = try url(name, try text(name)) else { return nil }
        guard url.isSecure else { throw .insecure(name) }
        return url
    }

    /// The public key that a client wants its token bound to (`req_cnf`, RFC 9201 §3.1): a JSON object, in forms as its
    /// text.
    func requestedKey() throws(ParameterRejection) -> JWK? {
        let name = "req_cnf"
        let confirmation: JWT.Confirmation
        switch value(name) {
        case nil: return nil
        case .json(let value) where value.kind == .object:
            confirmation = try wrapping(
                { (error) in ParameterRejection.confirmation(name, error) }, try JWT.Confirmation(value))
        case .json, .text:
            guard let text = try text(name) else { return nil }
            let document = try wrapping(
                { (error) in ParameterRejection.confirmation(name, .malformedConfirmation(error)) },
                try JSON.Document(parsing: text, limits: Self.limits))
            confirmation = try wrapping(
                { (error) in ParameterRejection.confirmation(name, error) }, try JWT.Confirmation(document.root))
        }
        guard let key = confirmation.key else { throw .confirmationWithoutKey(name) }
        return key
    }

    /// A whole number of seconds; some servers put it into quotes.
    func seconds(_ name: String) throws(ParameterRejection) -> Int64? {
        guard let number = try number(name) else { return nil }
        guard let seconds: Int64 = number.integer(), seconds >= 0 else { throw .number(name) }
        return seconds
    }

    /// A time in seconds since the epoch, which may have a fraction.
    func time(_ name: String) throws(ParameterRejection) -> Timestamp? {
        guard let number = try number(name) else { return nil }
        guard let time = try? Timestamp(parsing: number.text), time >= .epoch else { throw .number(name) }
        return time
    }

    private func number(_ name: String) throws(ParameterRejection) -> JSON.Number? {
        let number: JSON.Number?
        switch value(name) {
        case nil: return nil
        case .text(let text): number = try? JSON.Number(parsing: text)
        case .json(let value) where value.kind == .string:
            number = (try? value.string()).flatMap { try? JSON.Number(parsing: $0) }
        case .json(let value): number = try? value.number()
        }
        guard let number else { throw .number(name) }
        return number
    }

    /// Whom a token is for: one server, which may stand alone in a list.
    func audience() throws(ParameterRejection) -> String? {
        guard let value = json("aud"), value.kind == .array else { return try text("aud") }
        let names = try texts("aud") ?? []
        guard names.count == 1 else { throw .wrongType("aud", found: .array) }
        return names[0]
    }

    /// Whether something is so.
    func flag(_ name: String) throws(ParameterRejection) -> Bool? {
        switch value(name) {
        case nil: return nil
        case .text: throw .wrongType(name, found: .string)
        case .json(let value):
            guard let flag = try? value.bool() else { throw .wrongType(name, found: value.kind) }
            return flag
        }
    }

    /// A list of texts.
    func texts(_ name: String) throws(ParameterRejection) -> [String]? {
        switch value(name) {
        case nil: return nil
        case .text: throw .wrongType(name, found: .string)
        case .json(let value):
            guard let elements = try? value.array() else { throw .wrongType(name, found: value.kind) }
            var texts: [String] = []
            for element in elements {
                guard let text = try? element.string() else { throw .wrongType(name, found: value.kind) }
                texts.append(text)
            }
            return texts
        }
    }

    /// The members of an object.
    func members(_ name: String) throws(ParameterRejection) -> Parameters? {
        switch value(name) {
        case nil: return nil
        case .text: throw .wrongType(name, found: .string)
        case .json(let value):
            guard let object = try? value.object() else { throw .wrongType(name, found: value.kind) }
            return Parameters(object)
        }
    }

    /// Refuses an answer by anybody else than who was asked.
    func checkIssuer(_ name: String, _ issuer: Issuer) throws(ParameterRejection) {
        let found = try text(name)
        guard let found, found.utf8.elementsEqual(issuer.text.utf8) else {
            throw .issuer(expected: issuer.text, found: found)
        }
    }

    /// Whether a parameter has a value.
    func contains(_ name: String) -> Bool { value(name) != nil }

    /// What is demanded of the sign-in.
    func demand() throws(ParameterRejection) -> AuthenticationDemand {
        try AuthenticationDemand(
            try text(AuthenticationDemand.classes), try seconds(AuthenticationDemand.age))
    }

    /// The value of a JSON parameter, unread.
    func json(_ name: String) -> JSON.Document.Value? {
        guard case .json(let value) = value(name) else { return nil }
        return value
    }

    /// The parameters that have none of these names, as JSON.
    func others(beside names: [JSON.Name]) -> JSON.Object {
        var rest = JSON.Object()
        for (name, value) in values where !names.contains(name) {
            switch value {
            case .text(let text): rest[name] = .string(text)
            case .json(let value): rest[name] = value.tree()
            }
        }
        return rest
    }
}

extension WebURL {
    /// Whether nobody on the way can read what is sent there.
    var isSecure: Bool { scheme == .https || isLoopback }
}
