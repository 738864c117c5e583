internal import JOSE
internal import Wire

/// The parameters of a request, in whichever of the three ways they came: each name once, those without a value left out (RFC 6749 §3.1).
///
/// The one place where parameters are read. Whoever asks for one gets a checked value or a rejection that names it.
struct Parameters {
    private enum Value {
        case text(String)
        case json(JSON.Document.Value)
    }

    private var values: [(name: String, value: Value)] = []

    /// The most bytes of a body or query.
    static let byteLimit = 65_536

    /// Reads the body of a POST request, a form or a JSON object by its media type.
    init(bodyOf request: HTTPRequest) throws(RequestRejection) {
        guard request.method == .post else { throw .method(request.method) }
        guard request.body.count <= Self.byteLimit else { throw .tooLarge(size: request.body.count, limit: Self.byteLimit) }
        switch try Self.mediaType(of: request) {
        case .form: try self.init(form: request.body)
        case .json: try self.init(json: request.body)
        }
    }

    /// Reads the query of a request.
    init(queryOf request: HTTPRequest) throws(RequestRejection) {
        let query = Array((request.target.query ?? "").utf8)
        guard query.count <= Self.byteLimit else { throw .tooLarge(size: query.count, limit: Self.byteLimit) }
        try self.init(form: query)
    }

    private enum Format {
        case form
        case json
    }

    private static func mediaType(of request: HTTPRequest) throws(RequestRejection) -> Format {
        guard case .once(let text) = request.fields.value(of: .contentType) else { throw .mediaType(nil) }
        let type: MediaType
        do throws(MediaType.Rejection) { type = try MediaType(parsing: text) } catch { throw .mediaType(text) }
        if type.matches(.form) { return .form }
        if type.matches(.json) { return .json }
        throw .mediaType(text)
    }

    private init(form bytes: [UInt8]) throws(RequestRejection) {
        let form: Form
        do throws(Form.Rejection) { form = try Form(parsing: bytes) } catch { throw .form(error) }
        var names: Set<JSON.Name> = []
        for pair in form.pairs {
            guard names.insert(JSON.Name(pair.name)).inserted else { throw .repeated(pair.name) }
            if !pair.value.utf8.isEmpty { values.append((pair.name, .text(pair.value))) }
        }
    }

    private static let limits = JSON.Limits(size: byteLimit, depth: 8, values: 1_024, members: 256)

    private init(json bytes: [UInt8]) throws(RequestRejection) {
        do throws(JSON.Rejection) {
            for member in try JSON.Document(parsing: bytes, limits: Self.limits).root.object() {
                if member.value.isNull || member.value.isString("") { continue }
                values.append((member.name.text, .json(member.value)))
            }
        } catch {
            throw .json(error)
        }
    }
}

// MARK: - Asking for parameters

extension Parameters {
    private func value(_ name: String) -> Value? {
        values.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The text of a parameter, where it has a value.
    func text(_ name: String) throws(RequestRejection) -> String? {
        switch value(name) {
        case nil: return nil
        case .text(let text): return text
        case .json(let value):
            do throws(JSON.Rejection) { return try value.string() } catch { throw .wrongType(name, found: value.kind) }
        }
    }

    /// The text of a parameter, under the first of these names that it has; two of them together are one too many.
    func text(_ name: String, or other: String) throws(RequestRejection) -> String? {
        guard let text = try text(name) else { return try self.text(other) }
        guard value(other) == nil else { throw .repeated(other) }
        return text
    }

    /// What a parameter that must be there is.
    func required<Value>(_ name: String, _ value: Value?) throws(RequestRejection) -> Value {
        guard let value else { throw .missing(name) }
        return value
    }

    /// A name of its kind.
    func identifier<Kind: Identifier>(_ name: String, _ kind: Kind.Type = Kind.self) throws(RequestRejection) -> Kind? {
        guard let text = try text(name) else { return nil }
        do throws(IdentifierRejection) { return try Kind(parsing: text) } catch { throw .identifier(name, error) }
    }

    /// A secret of its kind.
    func secret<Kind: SecretText>(_ name: String, _ kind: Kind.Type = Kind.self) throws(RequestRejection) -> Kind? {
        guard let text = try text(name) else { return nil }
        do throws(SecretRejection) { return try Kind(parsing: text) } catch { throw .secret(error) }
    }

    /// The scope.
    func scope() throws(RequestRejection) -> Scope? {
        guard let text = try text("scope") else { return nil }
        do throws(Scope.Rejection) { return try Scope(parsing: text) } catch { throw .scope(error) }
    }

    /// A URL.
    func url(_ name: String, _ text: String?) throws(RequestRejection) -> WebURL? {
        guard let text else { return nil }
        do throws(WebURL.Rejection) { return try WebURL(parsing: text) } catch { throw .url(name, error) }
    }

    /// The public key that a client wants its token bound to (`req_cnf`, RFC 9201 §3.1): a JSON object, in forms as its text.
    func confirmation() throws(RequestRejection) -> JWK? {
        let document: JSON.Document.Value
        switch value("req_cnf") {
        case nil: return nil
        case .json(let value) where value.kind == .object: document = value
        case .json, .text:
            guard let text = try text("req_cnf") else { return nil }
            do throws(JSON.Rejection) {
                document = try JSON.Document(parsing: text, limits: Self.limits).root
            } catch {
                throw .confirmation(.malformed(error))
            }
        }
        let confirmation: JWT.Confirmation
        do throws(JWT.Confirmation.Rejection) { confirmation = try JWT.Confirmation(document) } catch { throw .confirmation(error) }
        guard let key = confirmation.key else { throw .confirmationWithoutKey }
        return key
    }
}
