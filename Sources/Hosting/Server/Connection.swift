internal import Wire

/// One connection of HTTP/1.1 without its socket: what the client sends goes in, and what it is sent comes out.
///
/// It is told the time with all that happens, and waits for nothing itself. A wish to speak another protocol is a field
/// like others (HTP-28).
struct Connection {
    /// What is written to the socket, from ``sent`` on.
    private(set) var output: [UInt8] = []
    private(set) var sent = 0
    /// When ``expire(at:)`` is to be called.
    private(set) var deadline: ContinuousClock.Instant
    /// What was answered since it was taken from here last.
    private(set) var lines: [AccessLine] = []

    private let peer: HTTP.Peer
    private let policy: Server.Policy
    private var reader: HTTP1.Reader
    /// In place of the other one, where that is spoken.
    private var gateway: CGI.SCGIReader?
    private var phase = Phase.idle
    private var client: HTTP.Client?
    /// What came while there was something to answer.
    private var rest: [UInt8] = []
    private var isDraining = false
    private var hasEnded = false

    private enum Phase {
        case idle, head, body
        case answering(HTTP1.Head)
        /// An answer is on its way: nothing is read before it was taken, so that no answers pile up.
        case writing
        /// The last answer is on its way.
        case closing
        /// Everything was written, and what still comes is thrown away, so many bytes at most (HTP-29).
        case lingering(Int)
        case over
    }

    /// A request to be answered.
    struct Asked {
        let head: HTTP1.Head
        let body: [UInt8]
        let client: HTTP.Client
    }

    init(of peer: HTTP.Peer, policy: Server.Policy, at now: Moment) {
        self.peer = peer
        self.policy = policy
        reader = HTTP1.Reader(limits: policy.limits)
        gateway = policy.dialect == .scgi ? CGI.SCGIReader(limits: policy.limits) : nil
        deadline = now.instant + policy.idleTime
    }

    /// So much room is kept for the next answer.
    private static var keptCapacity: Int { 16_384 }
    private static var lingeringBytes: Int { 65_536 }
    private static var lingeringTime: Duration { .seconds(2) }
}

// MARK: - What its owner does

extension Connection {
    /// What the socket is waited for.
    var interest: Interest {
        var interest: Interest = sent < output.count ? .writing : []
        switch phase {
        case .idle, .head, .body, .lingering: if !hasEnded { interest.insert(.reading) }
        case .answering, .writing, .closing, .over: break
        }
        return interest
    }

    /// Whether nothing has begun that would have to end.
    var isIdle: Bool { if case .idle = phase { true } else { false } }

    /// Whether the socket is to be closed.
    var isOver: Bool { if case .over = phase { true } else { false } }

    /// Whether nothing is sent any more, while the client may not know yet that it need not send either.
    var isLingering: Bool { if case .lingering = phase { true } else { false } }

    /// Takes the lines for the log.
    mutating func takeLines() -> [AccessLine] {
        defer { lines = [] }
        return lines
    }
}

// MARK: - What happens

extension Connection {
    /// Takes what has come, and hands over a request that is whole.
    mutating func take(_ bytes: Span<UInt8>, at now: Moment) -> Asked? {
        switch phase {
        case .over, .closing: return nil
        case .lingering(let left):
            phase = bytes.count < left ? .lingering(left - bytes.count) : .over
            return nil
        case .answering, .writing:
            rest.append(contentsOf: bytes)
            return nil
        case .idle, .head, .body: return read(bytes, at: now)
        }
    }

    private mutating func read(_ bytes: Span<UInt8>, at now: Moment) -> Asked? {
        if case .idle = phase, !bytes.isEmpty { begin(.head, until: now.instant + policy.headTime) }
        var at = 0
        while true {
            let left = bytes.extracting(at..<bytes.count)
            let (taken, event) = gateway?.take(left) ?? reader.take(left)
            at += taken
            switch event {
            case .needsMore: return nil
            case .head(let head):
                guard policy.serves(head.authority) else {
                    refuse(.misdirectedRequest, "HTP-14", of: head, at: now)
                    return nil
                }
                do throws(HTTP.Forwarding.Refusal) {
                    client = head.client
                    if client == nil {
                        client = try policy.forwarding.client(of: peer, scheme: .http, fields: head.fields)
                    }
                } catch {
                    refuse(.badRequest, error.clause, of: head, at: now)
                    return nil
                }
                if head.awaitsContinue, at == bytes.count { HTTP1.appendContinue(to: &output) }
                begin(.body, until: now.instant + policy.bodyTime)
            case .request(let head, let body):
                rest.append(contentsOf: bytes.extracting(at..<bytes.count))
                begin(.answering(head), until: now.instant + policy.answerTime)
                return client.map { Asked(head: head, body: body, client: $0) }
            case .refusal(let refusal):
                refuse(refusal.status, refusal.clause, of: nil, at: now)
                return nil
            }
        }
    }

    /// Takes the answer to the request that was handed over last.
    mutating func answer(_ response: HTTP.Response, at now: Moment) {
        guard case .answering(let head) = phase else { return }
        let closes = isDraining || hasEnded || !head.isPersistent
        lines.append(AccessLine(client, peer, head, response, rule: nil, at: now))
        write(response, to: head.method, isClosing: closes, at: now)
        begin(closes ? .closing : .writing, until: now.instant + policy.bodyTime)
    }

    /// Notes that so many bytes were written, and hands over the next request that is there already.
    mutating func wrote(_ count: Int, at now: Moment) -> Asked? {
        sent += count
        guard sent == output.count else { return nil }
        output.removeAll(keepingCapacity: output.count <= Self.keptCapacity)
        sent = 0
        switch phase {
        case .closing:
            if hasEnded {
                phase = .over
            } else {
                begin(.lingering(Self.lingeringBytes), until: now.instant + Self.lingeringTime)
            }
        case .writing:
            if isDraining && rest.isEmpty {
                phase = .over
                return nil
            }
            begin(.idle, until: now.instant + policy.idleTime)
            guard !rest.isEmpty else { return nil }
            let bytes = rest
            rest = []
            return read(bytes.span, at: now)
        case .idle, .head, .body, .answering, .lingering, .over: break
        }
        return nil
    }

    /// Notes that the client sends nothing more, which is a refusal inside of a message (HTP-27).
    mutating func end(at now: Moment) {
        hasEnded = true
        switch phase {
        case .writing: phase = .closing
        case .idle, .lingering: phase = .over
        case .head, .body:
            let refusal = gateway == nil ? reader.end() : gateway?.end()
            guard let refusal else { return phase = .over }
            refuse(refusal.status, refusal.clause, of: nil, at: now)
        case .answering, .closing, .over: break
        }
    }

    /// Ends what takes too long.
    mutating func expire(at now: Moment) {
        guard deadline <= now.instant else { return }
        switch phase {
        case .idle, .writing, .closing, .lingering, .over: phase = .over
        case .head, .body: refuse(.requestTimeout, "HTP-27", of: nil, at: now)
        case .answering(let head): refuse(.serviceUnavailable, "SYS-5", of: head, at: now)
        }
    }

    /// Lets what has begun come to its end, and nothing begin (SYS-3).
    mutating func drain() {
        isDraining = true
        if isIdle, rest.isEmpty { phase = .over }
    }
}

// MARK: - Inside

extension Connection {
    private mutating func begin(_ phase: Phase, until deadline: ContinuousClock.Instant) {
        self.phase = phase
        self.deadline = deadline
    }

    private mutating func write(
        _ response: HTTP.Response, to method: HTTP.Request.Method?, isClosing: Bool, at now: Moment
    ) {
        switch policy.dialect {
        case .http: HTTP1.append(response, to: method, date: now.date, isClosing: isClosing, to: &output)
        case .scgi: CGI.append(response, to: method, origin: policy.origin, output: &output)
        }
    }

    /// Answers in the server's own words, and closes.
    private mutating func refuse(
        _ status: HTTP.Response.Status, _ rule: String, of head: HTTP1.Head?, at now: Moment
    ) {
        let response = HTTP1.answer(refusing: status)
        lines.append(AccessLine(client, peer, head, response, rule: rule, at: now))
        write(response, to: head?.method, isClosing: true, at: now)
        rest = []
        begin(.closing, until: now.instant + policy.bodyTime)
    }
}
