public import JOSE
public import Wire

extension OpenID {
    /// What a browser brings back from a provider (OIC-5): a code or an error, and neither is to be had before the
    /// answer was found to belong to a request and to be by the provider that was asked.
    public struct Callback: Sendable {
        /// What ties it to a request: good for finding that, and nothing else is.
        public let state: State
        private let issuer: String?
        private let answer: Answer

        /// What a provider answers through the browser.
        public typealias Answer = BrowserReturn.Answer

        /// Reads the query of a request; other parameters are ignored.
        public init(parsing request: HTTP.Request) throws(ParameterRejection) {
            guard request.method == .get else { throw .method(request.method) }
            let parameters = try Parameters(queryOf: request)
            state = try parameters.required("state", try parameters.secret("state"))
            issuer = try parameters.text("iss")
            answer = try parameters.callbackAnswer()
        }

        /// The answer, if it is one to this request, by the provider that was asked.
        ///
        /// - Parameter imprint: what was kept of the request's state.
        /// - Parameter isPromised: whether the provider says that it names itself in every answer: one without a name
        ///   is then another's, or was cut (RFC 9207 §2.4). A name that nobody promised has to be the right one too.
        public func answer(
            to imprint: Imprint, by provider: Issuer, promised isPromised: Bool
        ) throws(ParameterRejection) -> Answer {
            guard imprint.isLeft(by: state.secret) else { throw .state }
            guard issuer?.utf8.elementsEqual(provider.text.utf8) ?? !isPromised else {
                throw .issuer(expected: provider.text, found: issuer)
            }
            return answer
        }
    }
}
