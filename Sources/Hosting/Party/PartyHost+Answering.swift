public import Federation
public import TokenTree
public import Wire

extension PartyHost {
    /// Answers a request, also where the store fails: then with 503, which says nothing of what failed, and that the
    /// request can be made again (SYS-5).
    ///
    /// - Parameter failed: hears why the store failed.
    public func response(
        to request: HTTP.Request, failed: @Sendable (Store.Failure) -> Void = { _ in }
    ) async -> HTTP.Response {
        do {
            return try await answer(request)
        } catch {
            failed(error)
            return .unavailable
        }
    }
}

extension HTTP.Response {
    /// What is answered while a store cannot be asked.
    static var unavailable: HTTP.Response {
        var response = HTTP.Response(.serviceUnavailable)
        try? response.fields.append(.cacheControl, "no-store")
        try? response.fields.append(.retryAfter, "5")
        return response
    }
}
