public import JOSE
public import Wire

extension OpenID {
    /// What a provider tells about whoever signed in, beside the ID token (OpenID Connect Core §5.3).
    public struct Userinfo: Sendable, Equatable {
        /// The claims, without the subject: carried, and not interpreted.
        public let claims: JSON.Object

        /// The request for it.
        public static func request(to endpoint: WebURL, with token: AccessToken) throws(SyntaxError) -> HTTP.Request {
            HTTP.Request(.get, .absolute(endpoint), fields: try HTTP.Fields(accepting: .bearer(token)))
        }

        /// Reads an answer, which is dropped as a whole if it is about anybody else than the ID token (OIC-9).
        ///
        /// Signed answers are not read.
        public init(parsing response: HTTP.Response, about subject: Subject) throws(ParameterRejection) {
            let members = try Parameters(answer: response)
            let found = try members.required("sub", try members.text("sub"))
            guard found.utf8.elementsEqual(subject.text.utf8) else { throw .otherSubject }
            claims = members.others(beside: ["sub"])
        }
    }
}
