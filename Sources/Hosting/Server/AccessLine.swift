public import Wire

/// What is told about one request: no fields, no query, no body (SYS-10).
public struct AccessLine: Sendable, Hashable, CustomStringConvertible {
    /// When it was answered.
    public let date: Timestamp
    /// Whom the request comes from, or who connected where that could not be read.
    public let client: String
    /// The method and the path; `nil` where the request could not be read so far.
    public let request: String?
    /// The status of the answer.
    public let status: HTTP.Response.Status
    /// How many bytes the body of the answer has.
    public let byteCount: Int
    /// The rule by which the server itself refused it; `nil` where it was answered.
    public let rule: String?

    init(
        _ client: HTTP.Client?, _ peer: HTTP.Peer, _ head: HTTP1.Head?, _ response: HTTP.Response, rule: String?,
        at now: Moment
    ) {
        date = now.time
        self.client = client?.description ?? peer.description
        request = head.map { head in
            switch head.target {
            case .server: head.method.text + " *"
            case .resource(let target): head.method.text + " " + target.path
            }
        }
        status = response.status
        byteCount = response.body.count
        self.rule = rule
    }

    /// One line.
    public var description: String {
        "\(date) \(client) \(request ?? "-") \(status) \(byteCount)" + (rule.map { " " + $0 } ?? "")
    }
}
