internal import Wire

extension Loop {
    /// So many connections are taken before those that are there have their turn.
    private static var turn: Int { 64 }
    /// How long nobody is taken where the system has no room (SYS-6).
    private static var pause: Duration { .milliseconds(100) }

    /// Takes connections, and makes room by ending the one that was without a request for longest.
    mutating func accept(from listener: Listener, at now: Moment) {
        for _ in 0..<Self.turn {
            let isFull = connectionCount >= policy.connectionLimit
            guard !isFull || idle.first != nil else { return setAcceptance(.full) }
            switch listener.accept() {
            case .connection(let socket, let peer):
                // One that has too many already is turned away, whom nobody else should wait for.
                guard policy.isTrusted(peer) || countOfPeers[peer, default: 0] < max(1, policy.connectionLimit / 4)
                else { continue }
                if isFull, let longest = idle.first { close(longest) }
                begin(socket, of: peer, at: now)
            case .nobody: return
            case .full: return setAcceptance(.pausing(until: now.instant + Self.pause))
            }
        }
    }

    mutating func setAcceptance(_ acceptance: Acceptance) {
        self.acceptance = acceptance
        for listener in listeners {
            readiness.change(
                listener.socket.number, acceptance == .open ? .reading : [], token: UInt64(listener.socket.number))
        }
    }
}
