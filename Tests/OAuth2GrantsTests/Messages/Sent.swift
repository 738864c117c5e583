import JOSE
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import Wire

/// A request put together by hand from names and values, so that a test can break exactly one thing.
struct Sent: Sendable {
    var pairs: [(name: String, value: String)]
    var method = HTTP.Request.Method.post
    var contentType: String? = "application/x-www-form-urlencoded"
    var authorization: String?
    var fields: [(HTTP.Field.Name, String)] = []

    init(_ pairs: KeyValuePairs<String, String>) {
        self.pairs = pairs.map { ($0.key, $0.value) }
    }

    /// The same with a parameter more.
    func adding(_ name: String, _ value: String) -> Sent {
        var copy = self
        copy.pairs.append((name, value))
        return copy
    }

    /// The same with the value of a parameter replaced.
    func with(_ name: String, _ value: String) -> Sent {
        var copy = self
        for index in copy.pairs.indices where copy.pairs[index].name == name { copy.pairs[index].value = value }
        return copy
    }

    /// The same without a parameter.
    func without(_ name: String) -> Sent {
        var copy = self
        copy.pairs.removeAll { $0.name == name }
        return copy
    }

    /// The same with a field `Authorization`.
    func authorized(_ text: String) -> Sent { field(.authorization, text) }

    /// The same with a field more.
    func field(_ name: HTTP.Field.Name, _ value: String) -> Sent {
        var copy = self
        copy.fields.append((name, value))
        return copy
    }

    /// The same with another media type, or with none.
    func typed(_ type: String?) -> Sent {
        var copy = self
        copy.contentType = type
        return copy
    }

    /// The same with another method.
    func method(_ method: HTTP.Request.Method) -> Sent {
        var copy = self
        copy.method = method
        return copy
    }

    private func request(_ target: String, type: String?, body: [UInt8]) throws -> HTTP.Request {
        var request = HTTP.Request(method, try HTTP.Request.Target(parsing: target), body: body)
        if let type { try request.fields.append(.contentType, type) }
        for (name, value) in fields { try request.fields.append(name, value) }
        return request
    }

    private var form: HTTP.Form { HTTP.Form(pairs.map { HTTP.Form.Pair($0.name, $0.value) }) }

    /// The request with a form for a body.
    var posted: HTTP.Request {
        get throws { try request("/endpoint", type: contentType, body: form.encoded()) }
    }

    /// The request with a JSON object for a body, in which names may come twice.
    var json: HTTP.Request {
        get throws {
            let members = pairs.map {
                JSON.string($0.name).encodedString() + ":" + JSON.string($0.value).encodedString()
            }
            return try request(
                "/endpoint", type: "application/json", body: Array("{\(members.joined(separator: ","))}".utf8))
        }
    }

    /// The request with the parameters in its query.
    var query: HTTP.Request {
        get throws { try method(.get).request("/endpoint?" + form.text, type: nil, body: []) }
    }

    /// The request with a body as it is.
    func carrying(_ body: String) throws -> HTTP.Request {
        try request("/endpoint", type: contentType, body: Array(body.utf8))
    }
}

/// One change to a request or answer in order, and the rejection that it must meet.
struct MessageFault<Message: Sendable, Rejection: Error & Equatable>: CustomTestStringConvertible, Sendable {
    let change: String
    let message: Message
    let rejection: Rejection

    init(_ change: String, _ message: Message, _ rejection: Rejection) {
        self.change = change
        self.message = message
        self.rejection = rejection
    }

    var testDescription: String { change }
}

/// Parts of messages that the tests share.
enum Part {
    static let endpoint = "https://moodle.example.ch/token"
    static let signed = "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJhIn0.AAAA"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let bearer = ClientCredential.assertionType
    static let longToken = String(repeating: "a", count: 16_385)

    static func assertion(_ text: String = signed) throws -> Assertion { try Assertion(parsing: text) }
    static func token(_ text: String = "mF_9.B5f-4.1JqM") throws -> AccessToken { try AccessToken(parsing: text) }
    static func code(_ text: String = "SplxlOBeZQQYbYS6WxSbIA") throws -> Secret.AuthorizationCode {
        try Secret.AuthorizationCode(parsing: text)
    }
    static func url(_ text: String = endpoint) throws -> WebURL { try WebURL(parsing: text) }
}

/// An answer with a status, members and a media type.
func answer(
    _ members: String, _ status: HTTP.Response.Status = .ok, type: String? = "application/json;charset=UTF-8",
    _ fields: [(HTTP.Field.Name, String)] = []
) throws -> HTTP.Response {
    var response = HTTP.Response(status, body: Array(members.utf8))
    if let type { try response.fields.append(.contentType, type) }
    for (name, value) in fields { try response.fields.append(name, value) }
    return response
}

/// Checks that an answer may be kept by nobody.
func expectUncached(_ response: HTTP.Response, _ place: SourceLocation = #_sourceLocation) {
    #expect(response.fields.value(of: .cacheControl) == .once("no-store"), sourceLocation: place)
    #expect(response.fields.value(of: .pragma) == .once("no-cache"), sourceLocation: place)
}
