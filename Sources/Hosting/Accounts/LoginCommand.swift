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
    private let program: AskedProgram
    private let clock: @Sendable () -> Timestamp
    private let profiles = Mutex<[Record.Subject: JSON.Object]>([:])

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
        program = AskedProgram(path, arguments, within: time, atOnce: logins)
        self.clock = clock ?? { .onTheWall }
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
        let outcome = await program.answer(to: Array(lines.map { $0 + "\n" }.joined().utf8))
        switch outcome {
        case .busy: return nil
        case .failed: return .unclear
        case .ended(1, _): return .nobody
        case .ended: return outcome.object.map { verdict(by: $0, isOfStep: lines.count > 2) } ?? .unclear
        }
    }

    private func verdict(by told: JSON.Object, isOfStep: Bool) -> Verdict {
        guard let subject = told["subject"]?.string.flatMap({ try? Record.Subject(parsing: $0) }) else {
            return .unclear
        }
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
