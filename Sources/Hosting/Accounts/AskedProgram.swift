#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Wire

/// A program of the host's that is asked, and answers once: it is started for each question without a shell and with an
/// empty environment, reads the question on its standard input, and has said everything when it ends.
struct AskedProgram: Sendable {
    private let path: String
    private let arguments: [String]
    private let time: Duration
    private let threads: OwnThreads

    /// The most bytes that the program may say.
    static let outputLimit = 64 << 10

    /// What came of a question.
    enum Outcome: Sendable {
        /// The program ended by itself.
        case ended(status: Int32, output: [UInt8])
        /// It could not be started, said too much, took too long, or was ended by a signal.
        case failed
        /// Too many questions wait.
        case busy
    }

    /// Names the program.
    ///
    /// - Parameter limit: how many run at a time.
    init(_ path: String, _ arguments: [String], within time: Duration, atOnce limit: Int) {
        (self.path, self.arguments, self.time) = (path, arguments, time)
        threads = OwnThreads(limit: limit, waitingLimit: 256)
    }

    /// Asks the program.
    func answer(to question: [UInt8]) async -> Outcome {
        await withCheckedContinuation { end in
            let job = OwnThreads.Job(isWanted: { true }) { end.resume(returning: self.run(question)) }
            do throws(OwnThreads.Refusal) { try threads.begin(job) } catch { end.resume(returning: .busy) }
        }
    }

    private func run(_ question: [UInt8]) -> Outcome {
        guard let child = Child(path, arguments),
            let run = child.run(question, within: time, atMost: Self.outputLimit)
        else { return .failed }
        return .ended(status: run.status, output: run.output)
    }
}

extension AskedProgram.Outcome {
    /// The one object that a program wrote which ended with status 0; `nil` for anything else.
    var object: JSON.Object? {
        guard case .ended(0, let output) = self else { return nil }
        let limits = JSON.Limits(size: AskedProgram.outputLimit, depth: 8)
        return (try? JSON(parsing: output, limits: limits))?.object
    }
}

/// A program that was started, with pipes to its standard input and from its standard output.
private struct Child {
    private let process: pid_t
    private let input: Socket
    private let output: Socket

    /// Starts it in a group of its own; `nil` if that is not possible.
    init?(_ path: String, _ arguments: [String]) {
        var ends: (inner: [Int32], outer: [Int32]) = ([], [])
        for _ in 0..<2 {
            var pair: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Socket.stream, 0, &pair) == 0 else {
                for number in ends.inner + ends.outer { close(number) }
                return nil
            }
            ends.inner.append(pair[0])
            ends.outer.append(pair[1])
        }
        (input, output) = (Socket(ends.outer[0]), Socket(ends.outer[1]))
        guard let process = Self.start(path, arguments, ends.inner) else { return nil }
        self.process = process
    }

    private static func start(_ path: String, _ arguments: [String], _ ends: [Int32]) -> pid_t? {
        #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            for number in ends { close(number) }
        }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        for number in ends { posix_spawn_file_actions_addclose(&actions, number) }
        // A group of its own is ended with whatever the program has started.
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var environment = [strdup("PATH=/usr/local/bin:/usr/bin:/bin"), nil]
        defer { for word in words + environment { free(word) } }
        var process = pid_t()
        return posix_spawn(&process, path, &actions, &attributes, &words, &environment) == 0 ? process : nil
    }

    /// Gives it its input and takes what it says; `nil` if it says too much, takes too long or is ended by a signal.
    func run(
        _ bytes: [UInt8], within time: Duration, atMost limit: Int
    ) -> (status: Int32, output: [UInt8])? {
        let deadline = ContinuousClock.now + time
        let said = exchange(bytes, until: deadline, atMost: limit)
        var status: Int32 = 0
        var ended = said == nil ? 0 : waitpid(process, &status, WNOHANG)
        while said != nil, ended == 0, ContinuousClock.now < deadline {
            usleep(1_000)
            ended = waitpid(process, &status, WNOHANG)
        }
        // The group goes in any case: what the program has started must not stay.
        kill(-process, SIGKILL)
        if ended == 0 {
            waitpid(process, &status, 0)
            return nil
        }
        // A status of 0 in the lower bits means that it ended by itself.
        guard ended == process, status & 0x7f == 0, let said else { return nil }
        return (status >> 8 & 0xff, said)
    }

    private func exchange(
        _ bytes: [UInt8], until deadline: ContinuousClock.Instant, atMost limit: Int
    ) -> [UInt8]? {
        var (sent, said) = (0, [UInt8]())
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return nil }
            var places = [pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)]
            if sent < bytes.count { places.append(pollfd(fd: input.number, events: Int16(POLLOUT), revents: 0)) }
            let milliseconds = Int32(clamping: 1 + Int64(min(left / .milliseconds(1), 1e9)))
            guard poll(&places, nfds_t(places.count), milliseconds) >= 0 || errno == EINTR else { return nil }
            if sent < bytes.count {
                switch input.send(bytes, from: sent) {
                case .bytes(let count):
                    sent += count
                    if sent == bytes.count { input.endSending() }
                case .later: break
                // It knows enough.
                case .over: sent = bytes.count
                }
            }
            switch output.receive(into: &buffer) {
            case .bytes(let count):
                guard said.count + count <= limit else { return nil }
                said += buffer[..<count]
            case .over: return said
            case .later: break
            }
        }
    }
}
