public import Federation
internal import OAuth2Grants
internal import Synchronization
package import TokenTree
public import Wire

/// The accounts in a file, as an edu-ID service asks for them.
///
/// ```swift
/// let accounts = try Accounts(at: "/etc/eduid/accounts")
/// let service = try EduIDService("https://eduid.example.ch", keys: keys, users: accounts.directory)
/// ```
///
/// A login costs the same whatever is wrong with it (threat 39), and as its hash takes long, it is computed on a few
/// threads that nothing else waits for; who comes while too many wait is told no.
///
/// Who has one-time codes is asked for one after the right password, always or where more is demanded. Each passes
/// once, for as long as it is right.
public final class Accounts: Sendable {
    private let path: String
    private let file: Mutex<AccountFile>
    private let threads: OwnThreads
    private let asksOnDemand: Bool
    private let clock: @Sendable () -> Timestamp

    /// How many logins may wait for their turn.
    private static let waitingLimit = 256

    /// Reads the accounts, which nobody but the file's owner may be able to read.
    ///
    /// - Parameters:
    ///   - asksOnDemand: whether one-time codes are asked for only where more is demanded than a password.
    ///   - logins: how many logins are computed at a time.
    ///   - clock: tells the time, by which one-time codes are right; if there is none, the machine's does.
    public init(
        at path: String, askingOnDemand asksOnDemand: Bool = false, logins: Int = 2,
        clock: (@Sendable () -> Timestamp)? = nil
    ) throws(AccountsFailure) {
        self.path = path
        self.asksOnDemand = asksOnDemand
        self.clock = clock ?? { .onTheWall }
        file = Mutex(try AccountFile(at: path))
        threads = OwnThreads(limit: logins, waitingLimit: Self.waitingLimit)
    }

    /// Reads the file anew, all or nothing (SYS-4).
    public func reload() throws(AccountsFailure) {
        let anew = try AccountFile(at: path)
        file.withLock { $0 = anew }
    }

    /// What an edu-ID service asks.
    public var directory: UserDirectory {
        UserDirectory(
            user: { attempt in await self.user(attempt) },
            step: { attempt in self.step(attempt) },
            stepUp: { attempt in self.stepUp(attempt) },
            profile: { subject in self.file.withLock { $0[subject]?.profile } ?? JSON.Object() },
            search: { words in self.search(words) })
    }

    private func user(_ attempt: SignInAttempt) async -> SignInAttempt.Outcome {
        // Whoever has an account here has a password.
        guard let password = attempt.password else { return .nobody }
        let (account, hash) = file.withLock { file in
            let account = file[attempt.user]
            return (account, account?.password ?? .decoy(rounds: file.mostRounds))
        }
        return await withCheckedContinuation { end in
            let job = OwnThreads.Job(isWanted: { true }) {
                let isRight = hash.matches(password)
                guard isRight, let account, !account.isDisabled else { return end.resume(returning: .nobody) }
                let isAsked = account.hasCodes && !(self.asksOnDemand && attempt.demand.isEmpty)
                end.resume(returning: isAsked ? .more(account.subject, [Self.code]) : .user(account.subject))
            }
            do throws(OwnThreads.Refusal) { try threads.begin(job) } catch { end.resume(returning: .unchecked) }
        }
    }

    /// The step of who has one-time codes.
    private static let code = OfferedStep(SignInStep(.oneTimeCode, hint: "Code of your authenticator app"))

    private func step(_ attempt: StepAttempt) -> StepAttempt.Outcome {
        guard attempt.answer.step == .oneTimeCode, case .code(let code) = attempt.answer.response,
            let subject = attempt.subject,
            let acceptance = acceptance(of: code.secret, from: subject, at: clock())
        else { return .failed }
        return .user(subject, spent: acceptance.end)
    }

    /// Who has one-time codes can be asked for one; a second one says no more than the first, but that it is new.
    private func stepUp(_ attempt: StepUpAttempt) -> StepUpAttempt.Outcome {
        guard let account = file.withLock({ $0[attempt.subject] }), account.hasCodes, !account.isDisabled,
            attempt.demand.maximumAge != nil || !attempt.authentication.contains("otp")
        else { return .none }
        return .steps(account.name, [Self.code])
    }

    /// What a one-time code of a person is of at a time; `nil` if it is wrong.
    ///
    /// It takes the same time for who has no codes, is shut out or does not exist as for who was given codes by
    /// ``AccountFile`` (threat 39). Codes brought from elsewhere, of another hash, take some microseconds more or less.
    package func acceptance(
        of code: String, from subject: Record.Subject, at now: Timestamp
    ) -> OneTimeCodes.Acceptance? {
        let account = file.withLock { $0[subject] }
        let acceptance = (account?.codes ?? .decoy).acceptance(of: code, at: now)
        guard let account, account.hasCodes, !account.isDisabled else { return nil }
        return acceptance
    }

    /// How many people an administrator is shown.
    private static let foundLimit = 100

    /// The people whose names or addresses have all of these words, whatever their case.
    private func search(_ words: String) -> [Record.Subject] {
        let words = words.lowercased().split(separator: " ")
        guard !words.isEmpty else { return [] }
        return file.withLock { file in
            var found: [Record.Subject] = []
            for account in file.all where found.count < Self.foundLimit {
                let told = [account.profile["name"]?.string, account.profile["email"]?.string].compactMap { $0 }
                let text = ([account.name.text] + told).joined(separator: " ").lowercased()
                if words.allSatisfy({ text.contains($0) }) { found.append(account.subject) }
            }
            return found
        }
    }
}
