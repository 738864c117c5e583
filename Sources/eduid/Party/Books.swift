import Federation
import Foundation
import Hosting
import JOSE
import TokenTree
import Wire

/// What is written down about a party at work: lines for whoever runs it, records of its decisions, and numbers.
final class Books: Sendable {
    let metrics = Metrics()
    /// Tells the time since the party was opened.
    let stopwatch: @Sendable () -> Duration = { [begun = ContinuousClock.now] in begun.duration(to: .now) }
    private let issuer: Issuer
    private let premises: Premises
    private let audit: AuditFile?

    /// Opens the books of a party.
    init(of configuration: Configuration, at premises: Premises) throws(Failure) {
        (issuer, self.premises) = (configuration.issuer, premises)
        do throws(HostingFailure) {
            audit = try configuration.audit.map { path throws(HostingFailure) in try AuditFile(at: path) }
        } catch {
            throw .refused("the audit records: \(error)")
        }
    }

    /// Writes down what was decided: why something was refused is a line of its own.
    func note(_ record: AuditRecord) {
        metrics.note(record)
        if let refusal = record.refusal { premises.note("refused \(record.endpoint ?? "a request"): \(refusal)") }
        // What everybody may read, and whoever asks for it, is in the lines about requests.
        guard let audit, record.refusal != nil || !record.acts.isEmpty else { return }
        if !audit.append(record.encoded(by: issuer)) { premises.say("an audit record could not be written") }
    }

    /// Writes down what was answered; monitoring asks too often for a line each time.
    func note(_ line: AccessLine, at purpose: Premises.Purpose) {
        guard purpose != .monitoring else { return }
        metrics.note(line)
        premises.note("\(line)")
    }

    /// Writes down that the store failed.
    func note(_ failure: any Error) {
        metrics.noteStoreFailure()
        premises.say("the store failed: \(failure)")
    }

    func say(_ line: String) { premises.say(line) }

    /// Goes on in a new file where the old one was moved away.
    func reopen() throws(Failure) {
        do throws(HostingFailure) { try audit?.reopen() } catch { throw .refused("the audit records: \(error)") }
    }
}
