public import JOSE
public import Wire

extension Statement {
    /// A server as tokens mean it in `aud`: by its issuer identifier as text, and in an assertion for a grant where its
    /// policy allows by the exact URL of the endpoint that was called (BIS-4, threat 64).
    ///
    /// For the edu-ID service the identifier is the base URL of S1 (REQ-11). A token is for one server alone: one that
    /// names several is refused, whichever they are (threat 24).
    public struct Addressee: Hashable, Sendable {
        /// The server's issuer identifier.
        public let issuer: Issuer
        /// The endpoint that was called, where assertions for a grant may name that instead of the server.
        public let endpoint: WebURL?

        /// The server of this name, and the endpoint whose URL assertions for a grant may name instead; a policy that
        /// forbids that leaves it out.
        public init(_ issuer: Issuer, orEndpoint endpoint: WebURL? = nil) {
            self.issuer = issuer
            self.endpoint = endpoint
        }

        /// The same server, by its issuer identifier and nothing else.
        var byName: Addressee { Addressee(issuer) }

        /// Whether a text means this server: the same bytes as its identifier, or the same URL as the endpoint.
        func isMeant(by text: String) -> Bool {
            if text.utf8.elementsEqual(issuer.text.utf8) { return true }
            return endpoint?.isMeant(by: text) ?? false
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
