#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
public import Federation
internal import OAuth2Grants
internal import Synchronization
internal import TokenTree
public import Wire

/// A program that checks logins, such as one that asks LDAP or PAM (OPS-3).
///
/// It is started for each login without a shell, with an empty environment, and reads the name and the password on a
/// line of its standard input each. If the password is right it writes a JSON object with `subject`, and with what is
/// known about the person in `profile`, and ends with status 0; if it is wrong it ends with status 1. Whatever else it
/// does, and if it takes too long, nobody is let in, and it can be tried again.
///
/// Who needs more than a password has `step` in that object as well, such as `otp` for a one-time code, and if it helps
/// `hint` with words for the person, or `challenge` with what an app needs. For the answer the program is started anew:
/// it reads the name, an empty line, because nobody keeps passwords, and the answer, and ends in the same ways. An
/// answer that was right passes once in ten minutes.
public final class LoginCommand: Sendable {
    private let path: String
    private let arguments: [String]
    private let time: Duration
    private let clock: @Sendable () -> Timestamp
    private let threads: OwnThreads
    private let profiles = Mutex<[Record.Subject: JSON.Object]>([:])

    /// The most bytes that the program may say.
    private static let outputLimit = 64 << 10
    /// For how long no answer passes twice: no code that a device makes is good for longer (FPA-17).
    private static let answerLifetime: Duration = .seconds(600)
    /// How many people's attributes are remembered.
    private static let profileLimit = 100_000

    /// Names the program.
    ///
    /// - Parameters:
    ///   - logins: how many logins are checked at a time.
    ///   - clock: tells the time; if there is none, the machine's does.
    public init(
        _ path: String, _ arguments: [String] = [], within time: Duration = .seconds(10), logins: Int = 8,
        clock: (@Sendable () -> Timestamp)? = nil
    ) {
        (self.path, self.arguments, self.time) = (path, arguments, time)
        self.clock = clock ?? { .onTheWall }
        threads = OwnThreads(limit: logins, waitingLimit: 256)
    }

    /// What an edu-ID service asks; what is told of a person is what the program said at the last login.
    public var directory: UserDirectory {
        UserDirectory(
            user: { attempt in await self.user(attempt) },
            step: { attempt in await self.step(attempt) },
            profile: { subject in self.profiles.withLock { $0[subject] } ?? JSON.Object() })
    }

    private func user(_ attempt: SignInAttempt) async -> SignInAttempt.Outcome {
        guard let password = attempt.password else { return .nobody }
        return switch await verdict(on: [attempt.user.text, password.secret]) {
        case .user(let subject, nil)?: .user(subject)
        case .user(let subject, let step?)?: .more(subject, [OfferedStep(step)])
        case .nobody?: .nobody
        case .unclear?: .lockedOut
        case nil: .unchecked
        }
    }

    private func step(_ attempt: StepAttempt) async -> StepAttempt.Outcome {
        // Whoever has answered to a step before has given a password before that.
        guard attempt.subject != nil else { return .failed }
        // In whichever form it comes: who sends a code as a text must not have it pass twice.
        let spent = clock() + Self.answerLifetime
        return switch await verdict(on: [attempt.user.text, "", attempt.answer.response.secret]) {
        case .user(let subject, nil)?: .user(subject, spent: spent)
        case .user(let subject, let step?)?: .more(subject, [OfferedStep(step)], spent: spent)
        case .nobody?: .failed
        case .unclear?, nil: .unchecked
        }
    }

    /// What the program says.
    private enum Verdict {
        /// It is this person, who has to make the step as well if there is one.
        case user(Record.Subject, SignInStep?)
        case nobody
        /// It did not keep to what is agreed.
        case unclear
    }

    /// Asks the program; `nil` if too many wait.
    private func verdict(on lines: [String]) async -> Verdict? {
        // One line more would be another password, or answer.
        guard lines.allSatisfy({ line in !line.utf8.contains { $0 == 0x0a || $0 == 0x0d } }) else { return .nobody }
        let input = Array(lines.map { $0 + "\n" }.joined().utf8)
        return await withCheckedContinuation { end in
            let job = OwnThreads.Job(isWanted: { true }) {
                end.resume(returning: self.verdict(on: input, isOfStep: lines.count > 2))
            }
            do throws(OwnThreads.Refusal) { try threads.begin(job) } catch { end.resume(returning: nil) }
        }
    }

    private func verdict(on input: [UInt8], isOfStep: Bool) -> Verdict {
        guard let child = Child(path, arguments), let run = child.run(input, within: time, atMost: Self.outputLimit)
        else { return .unclear }
        if run.status == 1 { return .nobody }
        let limits = JSON.Limits(size: Self.outputLimit, depth: 8)
        guard run.status == 0, let told = (try? JSON(parsing: run.output, limits: limits))?.object,
            let subject = told["subject"]?.string.flatMap({ try? Record.Subject(parsing: $0) })
        else { return .unclear }
        var step: SignInStep?
        if let wanted = told["step"] {
            // What cannot be read lets nobody in without it.
            guard let name = wanted.string.flatMap({ try? SignInStep.Name(parsing: $0) }) else { return .unclear }
            step = SignInStep(name, challenge: told["challenge"], hint: told["hint"]?.string)
        }
        profiles.withLock { profiles in
            if profiles[subject] == nil, profiles.count >= Self.profileLimit { profiles.removeAll() }
            // With the answer to a step nothing has to be told again.
            let former = isOfStep ? profiles[subject] : nil
            profiles[subject] = told["profile"]?.object ?? former ?? JSON.Object()
        }
        return .user(subject, step)
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
