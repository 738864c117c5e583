public import Wire

extension Server {
    /// How much a server takes, and how long it waits.
    public struct Policy: Sendable {
        /// The most bytes of a request's body (HTP-24).
        public var bodyLimit = 1 << 20
        /// The most requests of one connection.
        public var requestLimit = 1_000
        /// The most connections at a time (SYS-6); what the process may open bounds it as well.
        public var connectionLimit = 512
        /// Who may have more than a quarter of all connections: the web server in front, as a rule this machine.
        public var isTrusted: @Sendable (HTTP.Peer) -> Bool = { $0.isLocal }
        /// How long a head may take from its first byte on (HTP-27).
        public var headTime: Duration = .seconds(10)
        /// How long a body may take after its head, and an answer to be taken.
        public var bodyTime: Duration = .seconds(30)
        /// How long a connection may be open without a request.
        public var idleTime: Duration = .seconds(60)
        /// How long an answer may take to be found; then the client is told to try again.
        public var answerTime: Duration = .seconds(30)
        /// How long what is begun may take to end after the server was told to stop (SYS-3).
        public var drainTime: Duration = .seconds(20)
        /// What is spoken.
        public var dialect = Dialect.http
        /// What the server is called from outside; over SCGI, paths in answers are told below it.
        public var origin: WebURL?
        /// Which proxies are believed when they say whom a request comes from.
        public var forwarding = HTTP.Forwarding.ignored
        /// How often, and how, somebody is told that the server is alive, by the thread that serves (SYS-2).
        public var pulse: Pulse?
        /// Where answers are looked for; `nil` where Swift runs tasks, whose threads a process may need for something
        /// else.
        public var workers: (any TaskExecutor)?
        /// The hosts that requests may be meant for, with their ports where these are not the usual ones, as in
        /// `localhost:8080`.
        ///
        /// `nil` takes all: behind a web server that has chosen already.
        public var authorities: Set<String>?

        /// The limits of the specification.
        public init() {}

        /// Whether requests that are meant for this host are answered (HTP-14).
        func serves(_ authority: HTTP1.Authority?) -> Bool {
            guard let authorities else { return true }
            guard let authority else { return false }
            return authorities.contains(authority.port.map { "\(authority.host):\($0)" } ?? authority.host)
        }

        /// How much of a request is read.
        var limits: HTTP1.Limits {
            var limits = HTTP1.Limits()
            limits.body = bodyLimit
            limits.requests = requestLimit
            return limits
        }
    }

    /// What a server speaks.
    public enum Dialect: Sendable, Hashable {
        /// HTTP/1.1.
        case http
        /// SCGI, to a web server beside it, which is believed (SCG-12).
        case scgi
    }

    /// Signs of life.
    public struct Pulse: Sendable {
        let interval: Duration
        let tell: @Sendable () -> Void

        /// Tells so often.
        public init(every interval: Duration, _ tell: @escaping @Sendable () -> Void) {
            (self.interval, self.tell) = (interval, tell)
        }
    }
}
