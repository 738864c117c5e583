public import JOSE
public import Wire

extension Statement {
    /// A server as tokens mean it in `aud`: by its issuer identifier, and where its policy allows by the exact URL of
    /// the endpoint that was called.
    ///
    /// For the edu-ID service the identifier is the base URL of S1 (REQ-11). A token is for one server alone: one that
    /// names several is refused, whichever they are (threat 24).
    public struct Addressee: Hashable, Sendable {
        /// The server's issuer identifier.
        public let issuer: Issuer
        /// The endpoint that was called, where tokens may name that instead of the server.
        public let endpoint: WebURL?
        /// The identifier, where it is a URL.
        private let base: WebURL?

        /// The server of this name, and the endpoint whose URL tokens may name instead; a policy that forbids that
        /// leaves it out.
        public init(_ issuer: Issuer, orEndpoint endpoint: WebURL? = nil) {
            self.issuer = issuer
            self.endpoint = endpoint
            base = try? WebURL(parsing: issuer.text)
        }

        /// Whether a text means this server: the same bytes, or the same URL as URLs are compared.
        func isMeant(by text: String) -> Bool {
            if text.utf8.elementsEqual(issuer.text.utf8) { return true }
            guard let url = try? WebURL(parsing: text) else { return false }
            return url == base || url == endpoint
        }
    }
}

extension WebURL {
    /// Whether a text is this URL, as URLs are compared.
    func isMeant(by text: String) -> Bool {
        guard let url = try? WebURL(parsing: text) else { return false }
        return url == self
    }

    /// The URL without query and fragment, as request tokens and proofs name it (RFC 9449 §4.2).
    var withoutQuery: WebURL {
        guard query != nil || fragment != nil else { return self }
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        // What a URL loses at its end leaves one.
        return end.flatMap { try? WebURL(parsing: text.utf8[..<$0]) } ?? self
    }
}
