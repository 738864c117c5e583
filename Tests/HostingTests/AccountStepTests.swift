import Federation
import FederationTesting
import Foundation
@testable import Hosting
import JOSE
import OAuth2Grants
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// Accounts in a file, of which one has the one-time codes that follow from the secret of RFC 6238.
struct CodedAccounts {
    let accounts: Accounts
    static let password = "correct horse battery staple"
    static let subject = "user-0001"
    static let begin = Timestamp(seconds: 1_800_000_000)
    /// The codes of each 30 seconds from then on: `hmac.new(b"12345678901234567890", step, "sha1")` of Python, cut as RFC
    /// 4226 has it.
    static let codes = [
        "74768147", "98050219", "60687638", "03945226", "58629123", "97794138", "52126043", "90992184", "07371974",
        "30666849", "88384470", "16224016", "09722105", "90757608",
    ]

    init(
        passkeys: Passkeys? = nil, askingOnDemand asksOnDemand: Bool = false,
        clock: @escaping @Sendable () -> Timestamp
    ) throws {
        var (file, entropy) = (AccountFile(), SeededGenerator(seed: 9))
        for name in ["ada", "ben"] {
            try file.add(
                UserName(parsing: name), password: Secret.Password(parsing: Self.password),
                profile: ["name": .string("\(name) Muster")], rounds: 1_000, using: &entropy)
        }
        let codes = try #require(OneTimeCodes(secret: Array("12345678901234567890".utf8), digits: 8))
        try file.addCodes(codes, to: UserName(parsing: "ada"))
        let made = try #require(file[UserName(parsing: "ada")]).subject
        let text = String(decoding: file.serialized(), as: UTF8.self).replacing(made.text, with: Self.subject)
        let folder = temporaryPath("coded")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try AccountFile(parsing: Array(text.utf8)).write(to: folder + "/accounts")
        accounts = try Accounts(
            at: folder + "/accounts", passkeys: passkeys, askingOnDemand: asksOnDemand, clock: clock)
    }
}

/// A clock that is moved by hand.
final class HandClock: Sendable {
    private let time: Mutex<Timestamp>
    init(_ now: Timestamp) { time = Mutex(now) }
    var now: Timestamp { time.withLock { $0 } }
    func wait(_ seconds: Int64) { time.withLock { $0 = $0 + .seconds(seconds) } }
}

/// Who signs in with more than a password, by a file or by a program.
@Suite("Hosting: further steps of a sign-in")
struct AccountStepTests {
    private let clock = HandClock(CodedAccounts.begin)

    private func attempt(
        _ name: String, _ password: String, demanding demand: AuthenticationDemand = .none
    ) throws -> SignInAttempt {
        SignInAttempt(
            user: try UserName(parsing: name), password: try Secret.Password(parsing: password),
            client: try ClientID(parsing: "device"), version: nil, failures: 0, demanding: demand)
    }

    private func code(_ text: String) throws -> SignInStep.Answer {
        .oneTimeCode(try Secret.OneTimeCode(parsing: text))
    }

    private func step(
        _ answer: SignInStep.Answer, _ subject: String? = CodedAccounts.subject, as name: String = "ada",
        keeping kept: JSON = .null
    ) throws -> StepAttempt {
        StepAttempt(
            user: try UserName(parsing: name), subject: try subject.map { try Record.Subject(parsing: $0) },
            answer: answer, kept: kept, client: try ClientID(parsing: "device"))
    }

    // MARK: by a file

    @Test("A file's right password is asked for a code, and a wrong one is nobody's", .proves("OPS-19"))
    func asked() async throws {
        let directory = try CodedAccounts(clock: { [clock] in clock.now }).accounts.directory
        let ada = try Record.Subject(parsing: CodedAccounts.subject)
        let offered = SignInAttempt.Outcome.more(
            ada, [OfferedStep(SignInStep(.oneTimeCode, hint: "Code of your authenticator app"))])
        #expect(await directory.user(try attempt("ada", CodedAccounts.password)) == offered)
        #expect(await directory.user(try attempt("ada", "wrong")) == .nobody)
        guard case .user = await directory.user(try attempt("ben", CodedAccounts.password)) else {
            Issue.record("who has no codes is asked for one")
            return
        }
    }

    @Test("A passkey is asked for by the host's options, and verified against them", .proves("FPA-10"))
    func passkeys() async throws {
        let ada = try Record.Subject(parsing: CodedAccounts.subject)
        let options: JSON = ["challenge": "bm9uY2U"]
        let passkeys = Passkeys(
            asking: { $0 == ada ? options : nil },
            verifying: { $0 == ada && $1.utf8.elementsEqual("signed".utf8) && $2 == options })
        let directory = try CodedAccounts(passkeys: passkeys, clock: { [clock] in clock.now }).accounts.directory
        let code = OfferedStep(SignInStep(.oneTimeCode, hint: "Code of your authenticator app"))
        let passkey = OfferedStep(SignInStep(.passkey, challenge: options), keeping: options)
        #expect(await directory.user(try attempt("ada", CodedAccounts.password)) == .more(ada, [passkey, code]))
        #expect(await directory.user(try attempt("ada", "wrong")) == .nobody)
        guard case .user(let ben) = await directory.user(try attempt("ben", CodedAccounts.password)) else {
            throw CocoaError(.featureUnsupported)
        }
        func answer(_ text: String, to kept: JSON = options, of subject: String? = CodedAccounts.subject) async throws
            -> StepAttempt.Outcome
        {
            let response = SignInStep.Answer(.text(try Secret.StepResponse(parsing: text)), to: .passkey)
            return await directory.step(try step(response, subject, keeping: kept))
        }
        #expect(try await answer("signed") == .user(ada))
        #expect(try await answer("other") == .failed)
        #expect(try await answer("signed", to: ["challenge": "b3RoZXI"]) == .failed)
        #expect(try await answer("signed", of: ben.text) == .failed)
        #expect(try await answer("signed", of: nil) == .failed)
        #expect(await directory.step(try step(try self.code(CodedAccounts.codes[0]))) != .failed)
        // Of a person who has shown the passkey only the code adds something.
        let demand = try AuthenticationDemand([Authentication.ContextClass(parsing: "mfa")])
        let attempt = StepUpAttempt(
            by: ada, signedIn: Authentication(by: ["pwd", "hwk"]), demanding: demand,
            client: try ClientID(parsing: "device"))
        #expect(await directory.stepUp(attempt) == .steps(try UserName(parsing: "ada"), [code]))
    }

    @Test("Codes on demand are asked for where something is demanded", .proves("FPA-18"), .proves("FPA-20"))
    func onDemand() async throws {
        let coded = try CodedAccounts(askingOnDemand: true, clock: { [clock] in clock.now })
        let directory = coded.accounts.directory
        let ada = try Record.Subject(parsing: CodedAccounts.subject)
        let demand = try AuthenticationDemand([Authentication.ContextClass(parsing: "mfa")])
        let step = OfferedStep(SignInStep(.oneTimeCode, hint: "Code of your authenticator app"))
        #expect(await directory.user(try attempt("ada", CodedAccounts.password)) == .user(ada))
        #expect(
            await directory.user(try attempt("ada", CodedAccounts.password, demanding: demand)) == .more(ada, [step]))
        guard case .user(let ben) = await directory.user(try attempt("ben", CodedAccounts.password, demanding: demand))
        else { throw CocoaError(.featureUnsupported) }
        func more(_ subject: Record.Subject, _ methods: [String], _ demand: AuthenticationDemand) async throws
            -> StepUpAttempt.Outcome
        {
            await directory.stepUp(
                StepUpAttempt(
                    by: subject, signedIn: Authentication(by: methods), demanding: demand,
                    client: try ClientID(parsing: "device")))
        }
        let name = try UserName(parsing: "ada")
        #expect(try await more(ada, ["pwd"], demand) == .steps(name, [step]))
        // A second code says no more than the first, but that it is new.
        #expect(try await more(ada, ["pwd", "otp"], demand) == .none)
        #expect(try await more(ada, ["pwd", "otp"], AuthenticationDemand([], maximumAge: 0)) == .steps(name, [step]))
        #expect(try await more(ben, ["pwd"], demand) == .none)
        #expect(try await more(Record.Subject(parsing: "nobody"), ["pwd"], demand) == .none)
    }

    @Test("A code is right for its person, as a code, and says until when", .proves("OPS-19"), .proves("threat-39"))
    func answered() async throws {
        let directory = try CodedAccounts(clock: { [clock] in clock.now }).accounts.directory
        let ada = try Record.Subject(parsing: CodedAccounts.subject)
        let codes = CodedAccounts.codes
        // It is right one step early and late, and must not pass again for as long as it is right in all.
        for code in [codes[0], codes[1]] {
            let outcome = await directory.step(try step(self.code(code)))
            #expect(outcome == .user(ada, spent: CodedAccounts.begin + .seconds(90)))
        }
        clock.wait(59)
        #expect(
            await directory.step(try step(code(codes[0])))
                == .user(ada, spent: CodedAccounts.begin + .seconds(59 + 90)))
        clock.wait(1)
        #expect(await directory.step(try step(code(codes[0]))) == .failed)
        let right = codes[2]
        #expect(await directory.step(try step(code(right))) != .failed)
        let ben = await directory.user(try attempt("ben", CodedAccounts.password))
        guard case .user(let other) = ben else { throw CocoaError(.featureUnsupported) }
        for subject in [nil, other.text, "nobody"] {
            #expect(await directory.step(try step(code(right), subject)) == .failed, "\(subject ?? "none")")
        }
        for wrong in ["60687639", "6068 7638", right + "0", "687638", "x"] {
            #expect(await directory.step(try step(code(wrong))) == .failed, "\(wrong)")
        }
        // Nothing else is a code, whatever it is called.
        let text = SignInStep.Response.text(try Secret.StepResponse(parsing: right))
        #expect(await directory.step(try step(.init(text, to: .oneTimeCode))) == .failed)
        let coded = SignInStep.Response.code(try Secret.OneTimeCode(parsing: right))
        #expect(await directory.step(try step(.init(coded, to: .passkey))) == .failed)
    }

    @Test(
        "At a service a code signs in one device once, and three wrong ones end the sign-in", .proves("OPS-19"),
        .proves("AUT-1"))
    func atService() async throws {
        var parties = try Parties(seed: 73)
        #expect(parties.federation.now == CodedAccounts.begin)
        var service = parties.federation.eduID
        service.users = try CodedAccounts(clock: { [clock] in clock.now }).accounts.directory
        let host = PartyHost(
            service, in: SharedStore(parties.federation.eduIDStore), clock: { [clock] in clock.now })
        func device(_ name: String) throws -> AuthorizingApp {
            let installation = try Parties.installation(
                on: name, version: .init(parties.versionKeys[0]), using: &parties.federation.entropy)
            let session = AuthorizingApp.Session(installation, with: parties.session.eduID)
            return AuthorizingApp(
                session,
                on: AuthorizingApp.Host(
                    send: { await host.response(to: $0) }, keep: { _ in }, now: { [clock] in clock.now },
                    entropy: { UInt64.random(in: 0 ... .max) }))
        }
        func rejection(_ body: () async throws -> Void) async -> Rejection? {
            do {
                try await body()
                return nil
            } catch {
                return error as? Rejection
            }
        }
        /// Whether somebody is signed in; `nil` where that waits for a code.
        func isSignedIn(_ app: AuthorizingApp) async -> Bool? {
            let session = await app.session
            if session.pendingSignIn(at: clock.now) != nil { return session.isSignedIn ? true : nil }
            return session.isSignedIn
        }
        let (ada, password) = (try UserName(parsing: "ada"), try Secret.Password(parsing: CodedAccounts.password))
        let codes = CodedAccounts.codes
        let (first, second, third) = (try device("one"), try device("two"), try device("three"))
        for app in [first, second, third] {
            try await app.register()
            #expect(await rejection { try await app.signIn(ada, password) } == .stepWanted)
            #expect(await isSignedIn(app) == nil)
        }
        try await first.takeStep(code(codes[0]))
        #expect(await isSignedIn(first) == true)
        #expect(await first.session.profile["name"] == "ada Muster")
        // It is right still, and does not pass again.
        for _ in 0..<2 {
            let again = await rejection { try await second.takeStep(code(codes[0])) }
            guard case .refused(let error)? = again else { throw CocoaError(.featureUnsupported) }
            #expect(error.code == .invalidGrant)
            #expect(await isSignedIn(second) == nil)
        }
        try await second.takeStep(code(codes[1]))
        #expect(await isSignedIn(second) == true)
        clock.wait(60)
        for number in 1...3 {
            #expect(await rejection { try await third.takeStep(code("0000000\(number)")) } != nil)
            #expect(await isSignedIn(third) == (number < 3 ? nil : false))
        }
        #expect(await rejection { try await third.takeStep(code(codes[2])) } == .noPendingSignIn)
        #expect(await isSignedIn(third) == false)
    }

    // MARK: by a program

    /// As the page on parties shows it: the password is 'secret', and the code '123 456' without the space.
    private static let program = #"""
        IFS= read -r name; IFS= read -r password; IFS= read -r code
        if [ -n "$password" ]; then
            [ "$name/$password" = ada/secret ] || exit 1
            echo '{"subject":"42","profile":{"name":"Ada"},"step":"otp","hint":"Code of your token"}'
        else
            [ "$name/$code" = ada/123456 ] || exit 1
            echo '{"subject":"42"}'
        fi
        """#

    private func login(_ script: String) -> LoginCommand {
        LoginCommand("/bin/sh", ["-c", script], within: .seconds(20), clock: { [clock] in clock.now })
    }

    @Test("A program asks for a step, and is asked again with the answer alone", .proves("OPS-3"))
    func program() async throws {
        let directory = login(Self.program).directory
        let subject = try Record.Subject(parsing: "42")
        let offered = OfferedStep(SignInStep(.oneTimeCode, hint: "Code of your token"))
        #expect(await directory.user(try attempt("ada", "secret")) == .more(subject, [offered]))
        #expect(await directory.user(try attempt("ada", "123456")) == .nobody)
        let spent = clock.now + .seconds(600)
        #expect(await directory.step(try step(code("123456"), "42")) == .user(subject, spent: spent))
        // The second time nothing is told of the person, and what was stays.
        #expect(await directory.profile(subject)["name"] == "Ada")
        #expect(await directory.step(try step(code("123457"), "42")) == .failed)
        #expect(await directory.step(try step(code("secret"), "42")) == .failed)
        #expect(await directory.step(try step(code("123456"), "42", as: "ben")) == .failed)
        // Nobody who has not given a password.
        #expect(await directory.step(try step(code("123456"), nil)) == .failed)
        // What comes as a text passes once as well.
        let text = SignInStep.Response.text(try Secret.StepResponse(parsing: "123456"))
        #expect(await directory.step(try step(.init(text, to: .oneTimeCode), "42")) == .user(subject, spent: spent))
    }

    @Test("An answer is one line, and the password is on none", .proves("OPS-3"))
    func lines() async throws {
        let told = login(
            #"""
            all=$(cat | od -An -tx1 | tr -d ' \n')
            [ "$all" = 6164610a0a3132330a ] || exit 1
            echo '{"subject":"42"}'
            """#
        ).directory
        #expect(await told.step(try step(code("123"), "42")) != .failed)
        #expect(await told.step(try step(code("1234"), "42")) == .failed)
        // One line more would be another answer.
        for lines in ["1\n123", "123\n", "123\r"] {
            guard let response = try? Secret.StepResponse(parsing: lines) else { continue }
            let answer = SignInStep.Answer(.text(response), to: .oneTimeCode)
            #expect(await login(#"echo '{"subject":"42"}'"#).directory.step(try step(answer, "42")) == .failed)
        }
    }

    @Test("A program that does not say what it wants lets nobody in, and can be asked again", .proves("OPS-3"))
    func unclear() async throws {
        for wanted in ["null", "7", #""""#, #"["otp"]"#, "{}"] {
            let script = #"echo '{"subject":"42","step":"# + wanted + #"}'"#
            #expect(await login(script).directory.user(try attempt("ada", "secret")) == .lockedOut, "\(wanted)")
            #expect(await login(script).directory.step(try step(code("1"), "42")) == .unchecked, "\(wanted)")
        }
        for script in ["exit 2", "exit 0", "echo nonsense", #"echo '{"subject":""}'"#, "kill -9 $$"] {
            #expect(await login(script).directory.step(try step(code("1"), "42")) == .unchecked, "\(script)")
        }
        // It may want one more, of any kind, and hand something over for it.
        let another = login(#"echo '{"subject":"42","step":"passkey","challenge":{"a":[1]},"hint":7}'"#).directory
        let subject = try Record.Subject(parsing: "42")
        let offered = OfferedStep(SignInStep(.passkey, challenge: ["a": [1]]))
        #expect(
            await another.step(try step(code("1"), "42"))
                == .more(subject, [offered], spent: clock.now + .seconds(600)))
    }
}
