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
/// Who has one-time codes or passkeys is asked for one after the right password, always or where more is demanded. Each
/// code passes once, for as long as it is right.
public final class Accounts: Sendable {
    private let path: String
    private let file: Mutex<AccountFile>
    private let threads: OwnThreads
    private let asksOnDemand: Bool
    private let passkeys: Passkeys?
    private let clock: @Sendable () -> Timestamp

    /// How many logins may wait for their turn.
    private static let waitingLimit = 256

    /// Reads the accounts, which nobody but the file's owner may be able to read.
    ///
    /// - Parameters:
    ///   - passkeys: what verifies people's passkeys, where any have some.
    ///   - asksOnDemand: whether codes and passkeys are asked for only where more is demanded than a password.
    ///   - logins: how many logins are computed at a time.
    ///   - clock: tells the time, by which one-time codes are right; if there is none, the machine's does.
    public init(
        at path: String, passkeys: Passkeys? = nil, askingOnDemand asksOnDemand: Bool = false, logins: Int = 2,
        clock: (@Sendable () -> Timestamp)? = nil
    ) throws(AccountsFailure) {
        self.path = path
        (self.passkeys, self.asksOnDemand) = (passkeys, asksOnDemand)
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
            step: { attempt in await self.step(attempt) },
            stepUp: { attempt in await self.stepUp(attempt) },
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
        let isRight: Bool? = await withCheckedContinuation { end in
            let job = OwnThreads.Job(isWanted: { true }) { end.resume(returning: hash.matches(password)) }
            do throws(OwnThreads.Refusal) { try threads.begin(job) } catch { end.resume(returning: nil) }
        }
        guard let isRight else { return .unchecked }
        guard isRight, let account, !account.isDisabled else { return .nobody }
        let steps = asksOnDemand && attempt.demand.isEmpty ? [] : await steps(of: account)
        return steps.isEmpty ? .user(account.subject) : .more(account.subject, steps)
    }

    /// The step of who has one-time codes.
    private static let code = OfferedStep(SignInStep(.oneTimeCode, hint: "Code of your authenticator app"))

    /// What somebody can be asked for beside the password: the passkey first, which nobody can be talked out of.
    private func steps(of account: AccountFile.Account) async -> [OfferedStep] {
        let options = await passkeys?.options(account.subject)
        return (options.map { [OfferedStep(SignInStep(.passkey, challenge: $0), keeping: $0)] } ?? [])
            + (account.hasCodes ? [Self.code] : [])
    }

    private func step(_ attempt: StepAttempt) async -> StepAttempt.Outcome {
        guard let subject = attempt.subject else { return .failed }
        switch (attempt.answer.step, attempt.answer.response) {
        case (.oneTimeCode, .code(let code)):
            let now = clock()
            guard let acceptance = acceptance(of: code.secret, from: subject, at: now) else { return .failed }
            return .user(subject, spent: now + acceptance.span)
        case (.passkey, .text(let response)):
            let isRight = await passkeys?.verification(subject, response.secret, attempt.kept) ?? false
            // Whoever was shut out meanwhile is not let in.
            let isDisabled = file.withLock { $0[subject]?.isDisabled } ?? true
            return isRight && !isDisabled ? .user(subject) : .failed
        default: return .failed
        }
    }

    /// A second proof of the same kind says no more than the first, but that it is new.
    private func stepUp(_ attempt: StepUpAttempt) async -> StepUpAttempt.Outcome {
        guard let account = file.withLock({ $0[attempt.subject] }), !account.isDisabled else { return .none }
        let steps = await steps(of: account).filter { step in
            attempt.demand.maximumAge != nil || !step.methods.allSatisfy { attempt.authentication.contains($0) }
        }
        return steps.isEmpty ? .none : .steps(account.name, steps)
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
