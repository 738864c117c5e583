internal import OAuth2Grants
internal import RSD2
internal import TokenTree
internal import Wire

/// The three endpoints of protocol discovery, of which two say what the query asks for.
enum DiscoveryEndpoint: String {
    case either = "discovery"
    case protocols = "discovery/protocols"
    case services = "discovery/services"

    /// The documents that answer a query, as a JSON array; an empty one if nothing matches (DSC-3).
    func documents(for http: HTTP.Request, from directory: ServiceDirectory) throws(Refusal) -> [UInt8] {
        do throws(FormatRejection) {
            let query = try DiscoveryQuery(parsing: http.body)
            switch (self, query) {
            case (.protocols, .services), (.services, .protocols): throw .mixed
            case (.either, _), (.protocols, .protocols), (.services, .services): break
            }
            return try directory.answer(to: query)
        } catch {
            throw Refusal(.invalidRequest, "the query: \(error.text)", error.clause)
        }
    }
}
