internal import JOSE
internal import OAuth2Grants
internal import TokenTree
internal import Wire

extension Authority {
    /// The record that a token in a request for revocation means, wherever it leads and whatever the hint says; nothing
    /// for what was never given.
    func record(meantBy request: RevocationRequest, _ asking: inout Inquiry) throws(Refusal) -> Lineage? {
        let text = request.token.secret
        if let token = try? Record.Refresh.Token(parsing: text), let lineage = try asking.lineage(of: token.id),
            let refresh = lineage.record.refresh
        {
            // Every token of the family means the grant; an invention means nothing.
            switch refresh.presentation(of: token, proof: nil, at: asking.now, window: .zero) {
            case .foreign: break
            case .current, .repeated, .reused: return lineage
            }
        }
        if request.token.resemblesJWT {
            // What has expired can be renewed until it is ended: success must not be said of that (threat 32).
            guard let token = ownAccessToken(request.token, evenExpired: true, at: asking.now),
                let id = TokenID(of: token.id)
            else {
                return nil
            }
            return try asking.lineage(of: id)
        }
        if let token = OpaqueToken(presented: text), let lineage = try asking.lineage(of: token.id),
            token.opens(lineage.record)
        {
            return lineage
        }
        return nil
    }
}
