public import Wire

/// Why a server does not begin to serve; every case says what helps.
public enum HostingFailure: BrokenRule {
    /// An address is none of those that can be listened at.
    case notAnAddress(String)
    /// A call of the system failed for an address.
    case failed(call: String, address: String, words: String)
    /// Something listens there already.
    case taken(address: String)
    /// The path of a socket is longer than the system allows.
    case pathTooLong(String)
    /// What stands at the path of a socket is something else.
    case notASocket(path: String)
    /// What the service manager handed over is not a socket that listens.
    case notListening(descriptor: Int32)
    /// A file of the party's cannot be written.
    case file(path: String, words: String)
    /// SCGI is not spoken where strangers can connect.
    case publicSCGI(address: String)

    /// The rule.
    public var rule: Rule {
        switch self {
        case .notAnAddress(let text):
            Rule(
                "SYS-8",
                "'\(text)' is no address to listen at; write a port as in 'loopback:8080', a number as in "
                    + "'127.0.0.1:8080' or '[::1]:8080', or a path as in 'unix:/run/eduid/http'")
        case .failed(let call, let address, let words):
            Rule("SYS-6", "cannot listen at \(address): \(call) says '\(words)'")
        case .taken(let address):
            Rule("SYS-7", "something listens at \(address) already; stop it, or choose another address")
        case .pathTooLong(let path):
            Rule(
                "SYS-7",
                "the path '\(path)' of a socket is longer than \(Address.longestPath) bytes; choose a shorter one")
        case .notASocket(let path):
            Rule("SYS-7", "'\(path)' is not a socket and is left alone; remove it, or choose another path")
        case .notListening(let descriptor):
            Rule(
                "SYS-1",
                "descriptor \(descriptor) of the service manager is not a stream socket that listens; use "
                    + "'ListenStream=' in the socket unit")
        case .file(let path, let words): Rule("OPS-10", "'\(path)' cannot be written: \(words)")
        case .publicSCGI(let address):
            Rule(
                "SCG-12",
                "SCGI at \(address) would believe whoever connects; listen at loopback or at a path, beside the web "
                    + "server")
        }
    }
}
