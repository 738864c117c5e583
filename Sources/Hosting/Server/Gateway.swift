#if canImport(Glibc)
@preconcurrency internal import Glibc
#elseif canImport(Musl)
@preconcurrency internal import Musl
#elseif canImport(Darwin)
@preconcurrency internal import Darwin
#endif
internal import Wire

/// The one request for which a web server started this process, by CGI/1.1.
///
/// Nothing lives from one request to the next: a process answers and ends (CGI-5). What its command line says may be
/// the client's words, and is nobody's order.
public struct Gateway: Sendable {
    private let environment: [[UInt8]]
    private let input: Int32
    private let output: Int32

    /// The request, with its body on standard input and the answer on standard output; `nil` where no web server
    /// started the process.
    public init?() { self.init(environment: Self.environment, input: STDIN_FILENO, output: STDOUT_FILENO) }

    /// - Parameter environment: `NAME=value` each, as the system gives them.
    init?(environment: [[UInt8]], input: Int32, output: Int32) {
        guard environment.contains(where: { $0.starts(with: "GATEWAY_INTERFACE=".utf8) }) else { return nil }
        (self.environment, self.input, self.output) = (environment, input, output)
    }

    /// The environment of this process, byte by byte: nothing is repaired, and nothing that comes twice is left out.
    private static var environment: [[UInt8]] {
        var entries: [[UInt8]] = []
        var place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        while let text = place?.pointee {
            entries.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
            place = place?.successor()
        }
        return entries
    }
}

// MARK: - Serving

extension Gateway {
    /// Reads the request, has it answered, and says whether the answer could be written.
    ///
    /// - Parameters:
    ///   - policy: how much is taken, how long is waited, and what the server is called from outside.
    ///   - log: hears of the answer.
    ///   - answer: finds the answer.
    public func serve(
        policy: Server.Policy = Server.Policy(), log: (AccessLine) -> Void = { _ in },
        answer: @escaping Server.Answering
    ) async -> Bool {
        let head: HTTP1.Head
        let length: Int
        do throws(HTTP1.Refusal) {
            (head, length) = try CGI.request(from: environment, limits: policy.limits)
        } catch {
            return refuse(error.status, error.clause, of: nil, policy, log)
        }
        guard policy.serves(head.authority) else { return refuse(.misdirectedRequest, "HTP-14", of: head, policy, log) }
        guard let client = head.client, let body = body(of: length, within: policy.bodyTime) else {
            return refuse(.requestTimeout, "SCG-9", of: head, policy, log)
        }
        guard let request = head.request(body: body) else {
            return write(HTTP.Response(.noContent), to: head, rule: nil, policy, log)
        }
        guard let response = await Self.first(within: policy.answerTime, { await answer(request, client) }) else {
            return refuse(.serviceUnavailable, "SYS-5", of: head, policy, log)
        }
        return write(response, to: head, rule: nil, policy, log)
    }

    /// Answers that nothing can be answered here, in the server's own words; says whether that could be written.
    public func fail() -> Bool {
        write(HTTP1.answer(refusing: .internalServerError), to: nil, rule: nil, Server.Policy()) { _ in }
    }

    /// What the answer is, if it is found in time.
    private static func first(
        within time: Duration, _ answer: @escaping @Sendable () async -> HTTP.Response
    ) async -> HTTP.Response? {
        let (answers, told) = AsyncStream.makeStream(of: HTTP.Response?.self)
        let timer = Task {
            try? await Task.sleep(for: time)
            told.yield(nil)
        }
        defer { timer.cancel() }
        Task { told.yield(await answer()) }
        for await first in answers { return first }
        return nil
    }

    private func refuse(
        _ status: HTTP.Response.Status, _ rule: String, of head: HTTP1.Head?, _ policy: Server.Policy,
        _ log: (AccessLine) -> Void
    ) -> Bool {
        write(HTTP1.answer(refusing: status), to: head, rule: rule, policy, log)
    }

    private func write(
        _ response: HTTP.Response, to head: HTTP1.Head?, rule: String?, _ policy: Server.Policy,
        _ log: (AccessLine) -> Void
    ) -> Bool {
        var clock = MomentClock()
        log(AccessLine(head?.client, .localSocket, head, response, rule: rule, at: clock.now()))
        var bytes: [UInt8] = []
        CGI.append(response, to: head?.method, origin: policy.origin, output: &bytes)
        return write(bytes)
    }
}

// MARK: - Bytes

extension Gateway {
    /// The body: so many bytes, whatever comes behind them; `nil` where it ends before, or takes too long.
    private func body(of length: Int, within time: Duration) -> [UInt8]? {
        let deadline = ContinuousClock.now + time
        var body = [UInt8](repeating: 0, count: length)
        var count = 0
        while count < length {
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            guard left > 0 else { return nil }
            var place = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            // Bound: no time of a policy has so many milliseconds that a number of 32 bits could not hold them.
            let ready = poll(&place, 1, Int32(min(left, 1e9)) + 1)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let step = body.withUnsafeMutableBytes { buffer in
                read(input, buffer.baseAddress.map { $0 + count }, length - count)
            }
            if step < 0, errno == EINTR || errno == EAGAIN { continue }
            guard step > 0 else { return nil }
            count += step
        }
        return body
    }

    /// Writes all of it, unless nobody reads on.
    private func write(_ bytes: [UInt8]) -> Bool {
        var count = 0
        while count < bytes.count {
            let step = bytes.withUnsafeBytes { buffer in
                systemWrite(output, buffer.baseAddress.map { $0 + count }, bytes.count - count)
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { return false }
            count += step
        }
        return true
    }
}

private func systemWrite(_ number: Int32, _ place: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, place, count)
}
