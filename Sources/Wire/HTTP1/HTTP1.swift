/// Messages of HTTP/1.1 as bytes (RFC 9112), read and written without any connection.
package enum HTTP1 {
    /// How much of a message is taken; what is equal to a limit passes (HTP-24).
    package struct Limits: Hashable, Sendable {
        /// The most bytes of a message's first line without its end.
        package var startLine = 8192
        /// The most bytes of a field line without its end.
        package var fieldLine = 32_768
        /// The most fields of a head, and of trailers.
        package var fields = HTTP.Fields.countLimit
        /// The most bytes of a head, and of trailers, with the ends of their lines.
        package var head = 65_536
        /// The most bytes of a body.
        package var body = 1 << 20
        /// The most bytes of a line that begins a chunk, without its end.
        package var chunkLine = 256
        /// The most requests of one connection.
        package var requests = 1000

        /// The limits of the specification.
        package init() {}
    }

    /// Why a request is not taken: the rule that it broke, and the status of the answer.
    package struct Refusal: BrokenRule, Hashable {
        /// The rule.
        package let rule: Rule
        /// The status to answer with.
        package let status: HTTP.Response.Status

        init(_ clause: String, _ text: String, _ status: HTTP.Response.Status = .badRequest) {
            rule = Rule(clause, text)
            self.status = status
        }
    }

    /// What a request is sent to (RFC 9112 §3.2).
    package enum Target: Hashable, Sendable {
        /// A resource.
        case resource(HTTP.Request.Target)
        /// The server as a whole, `*`.
        case server
    }

    /// The host and port that a request is meant for (HTP-14), as sent but for the case of letters.
    package struct Authority: Hashable, Sendable {
        /// The host in lower case, an address of version 6 in its brackets.
        package let host: String
        /// The port, if one is named.
        package let port: UInt16?
    }

    /// The part of a request before its body.
    package struct Head: Hashable, Sendable {
        /// What is asked for.
        package let method: HTTP.Request.Method
        /// From what it is asked.
        package let target: Target
        /// The header fields, repetitions apart and in order (HTP-30).
        package let fields: HTTP.Fields
        /// Whom the request is meant for; `nil` where a request of HTTP/1.0 does not say.
        package let authority: Authority?
        /// Whether the request is of HTTP/1.0.
        package let isOld: Bool
        /// Whether another request may follow (HTP-23).
        package let isPersistent: Bool
        /// Whether `100 Continue` is to be written before the body is sent (HTP-26).
        package let awaitsContinue: Bool
        /// Whom the web server in front speaks for, where it says so by SCGI or CGI.
        package let client: HTTP.Client?
    }

    /// What has been read.
    package enum Event: Hashable, Sendable {
        /// All bytes were taken, and the message goes on.
        case needsMore
        /// The head is there and within its limits; the rest is read by giving the bytes that were not taken.
        case head(Head)
        /// The request is whole.
        case request(Head, body: [UInt8])
        /// The request is refused, and nothing more is taken.
        case refusal(Refusal)
    }
}

extension HTTP1.Head {
    /// The request as a value, unless it is sent to the server as a whole.
    package func request(body: [UInt8]) -> HTTP.Request? {
        guard case .resource(let target) = target else { return nil }
        return HTTP.Request(method, target, fields: fields, body: body)
    }

    /// The target as it was sent.
    package var targetText: String {
        switch target {
        case .server: "*"
        case .resource(.origin(let path, let query)): query.map { path + "?" + $0 } ?? path
        case .resource(.absolute(let url)): url.text
        }
    }
}
