public import Wire

/// Why a request to another service had no answer; every case says what helps.
public enum NetworkFailure: BrokenRule {
    /// The request names no URL.
    case noURL
    /// Without TLS only this machine is asked.
    case notEncrypted(host: String)
    /// TLS was not built in.
    case withoutTLS(host: String)
    /// The other side could not show that it is who it should be.
    case untrusted(host: String, words: String)
    /// The address may not be asked.
    case notPermitted(host: String)
    /// Nobody takes connections there.
    case unreachable(host: String, words: String)
    /// The connection was lost before the answer was whole.
    case lost(host: String)
    /// The answer breaks a rule.
    case unreadable(host: String, Rule)
    /// The answer took longer than it is waited for.
    case late(Duration)
    /// Too many calls wait already.
    case busy(Int)
    /// Nobody waits for the answer any more.
    case cancelled
    /// A call of the system failed.
    case failed(call: String, code: Int32)

    /// The rule.
    public var rule: Rule {
        switch self {
        case .noURL: Rule("NET-3", "the request has a path and no URL; give it the whole URL of the service")
        case .notEncrypted(let host):
            Rule("NET-4", "\(host) is another machine, which is asked over TLS alone; its URL has to begin with https")
        case .withoutTLS(let host):
            Rule("NET-4", "\(host) is asked over TLS, which needs a program built with it: swift build --traits Curl")
        case .untrusted(let host, let words):
            Rule("NET-4", "\(host) does not show by its certificate that it is that host: \(words)")
        case .notPermitted(let host):
            Rule(
                "NET-5",
                "\(host) is an address that others may not send requests to: of this machine or its network; where a "
                    + "federation lives in one network, its parties say 'destinations: anywhere'")
        case .unreachable(let host, let words): Rule("NET-3", "\(host) takes no connection: \(words)")
        case .lost(let host): Rule("NET-1", "\(host) ended the connection before its answer was whole")
        case .unreadable(let host, let rule): Rule(rule.clause, "the answer of \(host) is refused: \(rule.text)")
        case .late(let time): Rule("NET-2", "there was no answer within \(time.components.seconds) seconds")
        case .busy(let count): Rule("NET-2", "\(count) requests wait to be sent already; try again later")
        case .cancelled: Rule("NET-2", "nobody waits for the answer any more")
        case .failed(let call, let code): Rule("NET-3", "\(call) failed with error \(code)")
        }
    }
}
