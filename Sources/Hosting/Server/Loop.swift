internal import Wire

/// What the thread of a server does: it waits for sockets, and holds all connections.
struct Loop<Ready: Readiness>: Sendable {
    let policy: Server.Policy
    let mailbox: Mailbox
    var readiness: Ready
    private let log: @Sendable (AccessLine) -> Void
    private let answer: Server.Answering

    var listeners: [Listener]
    /// By the number of the socket.
    var slots: [Slot?] = []
    var connectionCount = 0
    var countOfPeers: [HTTP.Peer: Int] = [:]
    /// How many answers are looked for.
    private var searchCount = 0
    var idle = IdleOrder()
    var acceptance = Acceptance.open
    private var nextSerial: UInt64 = 1
    private var clock = MomentClock()
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    /// When the last connections are ended that have not ended by themselves.
    private var deadline: ContinuousClock.Instant?

    /// A connection with its socket.
    struct Slot {
        let socket: Socket
        let peer: HTTP.Peer
        let token: UInt64
        var connection: Connection
        var interest: Interest
        var hasEndedSending = false
    }

    /// Whether connections are taken.
    enum Acceptance: Equatable {
        case open
        /// Until one of those that are there ends.
        case full
        case pausing(until: ContinuousClock.Instant)
    }

    init(
        _ listeners: [Listener], policy: Server.Policy, mailbox: Mailbox, readiness: Ready,
        log: @escaping @Sendable (AccessLine) -> Void, answer: @escaping Server.Answering
    ) {
        self.listeners = listeners
        self.policy = policy
        self.mailbox = mailbox
        self.readiness = readiness
        self.log = log
        self.answer = answer
    }

    /// Which socket a token is about; the part above tells connections from others with the same number.
    private static func socket(of token: UInt64) -> Int32 { Int32(truncatingIfNeeded: token & 0xffff_ffff) }

    /// So often it is looked for what takes too long, in milliseconds.
    private static var sweepInterval: Int32 { 250 }
}

// MARK: - The thread

extension Loop {
    /// Serves until there is nothing left to serve.
    mutating func run() {
        readiness.add(mailbox.socket, .reading, token: UInt64(mailbox.socket))
        for listener in listeners {
            readiness.add(listener.socket.number, .reading, token: UInt64(listener.socket.number))
        }
        var events: [(token: UInt64, interest: Interest)] = []
        var nextSweep = clock.now().instant
        var nextPulse = nextSweep
        while true {
            readiness.wait(Self.sweepInterval) { events.append(($0, $1)) }
            let now = clock.now()
            for event in events { handle(event.token, event.interest, at: now) }
            events.removeAll(keepingCapacity: true)
            if now.instant >= nextSweep {
                sweep(at: now)
                nextSweep = now.instant + .milliseconds(Int(Self.sweepInterval))
            }
            if let pulse = policy.pulse, now.instant >= nextPulse {
                pulse.tell()
                nextPulse = now.instant + pulse.interval
            }
            if let deadline, connectionCount == 0 || now.instant >= deadline { return closeAll() }
        }
    }

    private mutating func handle(_ token: UInt64, _ interest: Interest, at now: Moment) {
        let number = Self.socket(of: token)
        guard token >> 32 == 0 else { return serve(number, token, interest, at: now) }
        guard number == mailbox.socket else {
            if let listener = listeners.first(where: { $0.socket.number == number }) { accept(from: listener, at: now) }
            return
        }
        for post in mailbox.take() {
            switch post {
            case .answer(let token, let response):
                searchCount -= 1
                give(response, to: token, at: now)
            case .ownAnswer(let token, let response): give(response, to: token, at: now)
            case .drain: drain(at: now)
            case .stop: deadline = now.instant
            }
        }
    }

    /// Gives a connection its answer, unless it is gone.
    private mutating func give(_ response: HTTP.Response, to token: UInt64, at now: Moment) {
        let number = Self.socket(of: token)
        guard slots[Int(number)]?.token == token else { return }
        change(number, at: now) { $0.answer(response, at: now) }
    }

    private mutating func drain(at now: Moment) {
        guard deadline == nil else { return }
        for listener in listeners {
            readiness.remove(listener.socket.number)
            // Whoever ends the process next does not wait until nobody has the listener any more.
            listener.withdraw()
        }
        listeners = []
        deadline = now.instant + policy.drainTime
        for number in slots.indices where slots[number] != nil {
            change(Int32(number), at: now) { $0.drain() }
        }
    }

    /// Looks for what takes too long.
    private mutating func sweep(at now: Moment) {
        for number in slots.indices {
            guard let deadline = slots[number]?.connection.deadline, deadline <= now.instant else { continue }
            change(Int32(number), at: now) { $0.expire(at: now) }
        }
        if case .pausing(let end) = acceptance, end <= now.instant { setAcceptance(.open) }
    }

    private mutating func closeAll() {
        for number in slots.indices where slots[number] != nil { close(Int32(number)) }
    }
}

// MARK: - One connection

extension Loop {
    /// Begins to serve a connection.
    mutating func begin(_ socket: Socket, of peer: HTTP.Peer, at now: Moment) {
        let number = socket.number
        while slots.count <= Int(number) { slots.append(nil) }
        let token = nextSerial << 32 | UInt64(number)
        // After four thousand million connections numbers come again, none of whose answers is still awaited.
        nextSerial = nextSerial == 0xffff_ffff ? 1 : nextSerial + 1
        let connection = Connection(of: peer, policy: policy, at: now)
        slots[Int(number)] = Slot(
            socket: socket, peer: peer, token: token, connection: connection, interest: .reading)
        connectionCount += 1
        countOfPeers[peer, default: 0] += 1
        idle.append(number)
        readiness.add(number, .reading, token: token)
    }

    private mutating func serve(_ number: Int32, _ token: UInt64, _ interest: Interest, at now: Moment) {
        // What is told of a connection that has ended means nothing to the next one with its number.
        guard slots.indices.contains(Int(number)), slots[Int(number)]?.token == token, var slot = take(number) else {
            return
        }
        // What came before the loss is read first; what nobody waits for is lost with it.
        if interest.contains(.loss), !slot.interest.contains(.reading) { return end(slot) }
        if interest.contains(.reading) || interest.contains(.loss) {
            switch slot.socket.receive(into: &buffer) {
            case .bytes(let count):
                start(slot.connection.take(buffer.span.extracting(0..<count), at: now), for: slot)
            case .later: break
            case .over: slot.connection.end(at: now)
            }
        }
        settle(slot, at: now)
    }

    /// Takes a connection out of its place, so that it can be changed where it is and copied nowhere.
    private mutating func take(_ number: Int32) -> Slot? {
        guard slots.indices.contains(Int(number)) else { return nil }
        return slots[Int(number)].take()
    }

    /// Has the answer looked for, unless as many are looked for already as there may be connections: those of clients
    /// that have gone count as well.
    private mutating func start(_ asked: Connection.Asked?, for slot: borrowing Slot) {
        guard let asked else { return }
        let (mailbox, answer, token) = (mailbox, answer, slot.token)
        guard let request = asked.head.request(body: asked.body) else {
            return mailbox.post(.ownAnswer(token, HTTP.Response(.noContent)))
        }
        guard searchCount < policy.connectionLimit else {
            return mailbox.post(.ownAnswer(token, HTTP1.answer(refusing: .serviceUnavailable)))
        }
        searchCount += 1
        let client = asked.client
        Task(executorPreference: policy.workers) { mailbox.post(.answer(token, await answer(request, client))) }
    }

    /// Writes what can be written, puts the connection in its place, and waits for what comes next.
    private mutating func settle(_ slot: consuming Slot, at now: Moment) {
        while slot.connection.sent < slot.connection.output.count {
            let moved = slot.socket.send(slot.connection.output, from: slot.connection.sent)
            if moved == .later { break }
            guard case .bytes(let count) = moved else { return end(slot) }
            start(slot.connection.wrote(count, at: now), for: slot)
        }
        for line in slot.connection.takeLines() { log(line) }
        if slot.connection.isOver { return end(slot) }
        if slot.connection.isLingering, !slot.hasEndedSending {
            slot.socket.endSending()
            slot.hasEndedSending = true
        }
        let number = slot.socket.number
        if slot.connection.isIdle { idle.append(number) } else { idle.remove(number) }
        let interest = slot.connection.interest
        if interest != slot.interest { readiness.change(number, interest, token: slot.token) }
        slot.interest = interest
        slots[Int(number)] = slot
    }

    /// Ends a connection that was taken out of its place.
    private mutating func end(_ slot: Slot) {
        let number = slot.socket.number
        readiness.remove(number)
        idle.remove(number)
        connectionCount -= 1
        let party = slot.peer
        countOfPeers[party] = countOfPeers[party].flatMap { $0 > 1 ? $0 - 1 : nil }
        if acceptance == .full { setAcceptance(.open) }
    }

    /// Ends a connection, whatever it is about.
    mutating func close(_ number: Int32) {
        if let slot = take(number) { end(slot) }
    }

    /// Lets something happen to a connection.
    private mutating func change(_ number: Int32, at now: Moment, _ happen: (inout Connection) -> Void) {
        guard var slot = take(number) else { return }
        happen(&slot.connection)
        settle(slot, at: now)
    }
}
