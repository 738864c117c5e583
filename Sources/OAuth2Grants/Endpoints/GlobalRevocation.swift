public import JOSE
public import Wire

/// A request to end all that somebody was given (Global Token Revocation), by whoever vouches for that person.
public struct GlobalRevocation: Equatable, Sendable {
    /// With what the requester says who it is.
    public let credential: ClientCredential
    /// In whose words the person is named.
    public let issuer: Issuer
    /// The person, as that issuer names him or her.
    public let subject: Subject

    /// Asks for the end of what somebody was given, by a signed statement about the requester.
    public init(of subject: Subject, by issuer: Issuer, credential: Assertion) {
        (self.subject, self.issuer, self.credential) = (subject, issuer, .assertion(credential))
    }
}

extension GlobalRevocation {
    /// The only form in which a person is named: by issuer and subject together (RFC 9493 §3.2.3).
    private static let format = "iss_sub"

    /// The request to the endpoint at a URL, with the statement in the header.
    public func encoded(to endpoint: WebURL) throws(SyntaxError) -> HTTP.Request {
        var credential = credential
        if case .assertion(let statement) = credential {
            credential = .bearer(try AccessToken(parsing: statement.secret))
        }
        var fields = try HTTP.Fields(accepting: credential)
        fields.add(.contentType, HTTP.MediaType.json.text)
        let body = JSON.encodedObject(.compact) { object in
            object.object("sub_id") { person in
                person.member("format", Self.format)
                person.member("iss", issuer.text)
                person.member("sub", subject.text)
            }
        }
        return HTTP.Request(.post, .absolute(endpoint), fields: fields, body: body)
    }

    /// Reads a request, whose statement stands in the header or among the members.
    public init(parsing request: HTTP.Request) throws(ParameterRejection) {
        let parameters = try Parameters(bodyOf: request)
        let credential = try ClientCredential(of: request, parameters)
        if case .bearer(let token) = credential {
            self.credential = .assertion(
                try wrapping(ParameterRejection.credential, try Assertion(parsing: token.secret)))
        } else {
            self.credential = credential
        }
        let person = try parameters.required("sub_id", try parameters.members("sub_id"))
        let format = try person.required("format", try person.text("format"))
        guard format.utf8.elementsEqual(Self.format.utf8) else { throw .subjectFormat(format) }
        issuer = try person.required("iss", try person.identifier("iss"))
        subject = try person.required("sub", try person.identifier("sub"))
    }
}
