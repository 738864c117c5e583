import Federation
import Foundation
import Hosting
import JOSE
import Synchronization
import TokenTree
import Wire

/// What is written down about a party at work: lines for whoever runs it, records of its decisions, and numbers.
final class Books: Sendable {
    let metrics = Metrics()
    /// Tells the time since the party was opened.
    let stopwatch: @Sendable () -> Duration = { [begun = ContinuousClock.now] in begun.duration(to: .now) }
    private let issuer: Issuer
    private let tell: @Sendable (String, LogLevel) -> Void
    private let audit: AuditFile?
    private let level: Mutex<LogLevel>

    /// Opens the books of a party.
    ///
    /// - Parameter tell: takes a line for whoever runs the party.
    init(
        of configuration: Configuration, telling tell: @escaping @Sendable (String, LogLevel) -> Void
    ) throws(Failure) {
        (issuer, self.tell) = (configuration.issuer, tell)
        level = Mutex(configuration.log)
        do throws(HostingFailure) {
            audit = try configuration.audit.map { path throws(HostingFailure) in try AuditFile(at: path) }
        } catch {
            throw .refused("the audit records: \(error)")
        }
    }

    /// Writes down what was decided: why something was refused is a line of its own.
    func note(_ record: AuditRecord) {
        metrics.note(record)
        if let refusal = record.refusal { say("refused \(record.endpoint ?? "a request"): \(refusal)", as: .info) }
        // What everybody may read, and whoever asks for it, is in the lines about requests.
        guard let audit, record.refusal != nil || !record.acts.isEmpty else { return }
        if !audit.append(record.encoded(by: issuer)) { say("an audit record could not be written", as: .error) }
    }

    /// Writes down what was answered; monitoring asks too often for a line each time.
    func note(_ line: AccessLine, at purpose: Premises.Purpose) {
        guard purpose != .monitoring else { return }
        metrics.note(line)
        say("\(line)", as: .info)
    }

    /// Writes down what was refused before anybody read it; the web server has lines about all requests itself.
    func note(refused line: AccessLine) {
        if line.rule != nil { say("\(line)", as: .info) }
    }

    /// Writes down what a tick did.
    func note(_ report: Upkeep.Report) {
        metrics.note(report, at: systemTime())
        for message in report.deadLetters {
            say("\(message.destination.text) has not confirmed message \(message.id.text) for a week")
        }
    }

    /// Writes down that the store failed.
    func note(_ failure: any Error) {
        metrics.noteStoreFailure()
        say("the store failed: \(failure)", as: .error)
    }

    /// Writes a line, if the configuration wants lines of its level.
    func say(_ line: String, as level: LogLevel = .warning) {
        if level <= self.level.withLock({ $0 }) { tell(line, level) }
    }

    /// Goes on as a configuration says that was read anew, in a new file where the old one was moved away.
    func reopen(for configuration: Configuration) throws(Failure) {
        do throws(HostingFailure) { try audit?.reopen() } catch { throw .refused("the audit records: \(error)") }
        level.withLock { $0 = configuration.log }
    }

    /// What sends requests to other parties, of which each is a line where somebody looks closely.
    func noting(
        _ send: @escaping @Sendable (HTTP.Request) async -> HTTP.Response?
    ) -> @Sendable (HTTP.Request) async -> HTTP.Response? {
        { request in
            let begun = self.stopwatch()
            let response = await send(request)
            let milliseconds = (self.stopwatch() - begun) / .milliseconds(1)
            let place = if case .absolute(let url) = request.target { url.origin.text + url.path } else { "" }
            let outcome = response.map { $0.status.description } ?? "no answer"
            self.say("asked \(request.method.text) \(place): \(outcome), \(Int(milliseconds)) ms", as: .debug)
            return response
        }
    }
}
