import Foundation
import Hosting
import TestSupport
import Testing
import Wire

@testable import eduid

/// Signing in at a phone of the terminal where the edu-ID service wants a one-time code as well.
@Suite("Command line: a phone and one-time codes", .serialized)
struct PhoneStepTests {
    private let trial: RunningTrial

    init() throws { trial = try RunningTrial() }

    /// The code that is shown now; each one once, so that no test has to wait for the next.
    private func code() throws -> String {
        let shown = try trial.run("account", "code", ".eduid/edu-id/accounts", "ben")
        try #require(shown.status == 0, "\(shown.output)")
        return String(shown.output.dropLast())
    }

    private func signIn(_ lines: String...) throws -> (status: Int32, output: String) {
        let typed = [try trial.password(of: "ben")] + lines
        return try trial.run("phone", "sign-in", "ben", input: typed.joined(separator: "\n") + "\n")
    }

    private func status() throws -> JSON {
        try JSON(parsing: Array(trial.run("phone", "status", "--output", "json").output.utf8))
    }

    @Test("A code on the next line signs in, with spaces and after wrong ones, and passes once", .proves("OPS-19"))
    func wholeSignIn() throws {
        let right = try code()
        let spaced = right.prefix(3) + " " + right.dropFirst(3)
        let done = try signIn("000", "not a code, but many words with no end", String(spaced))
        #expect(done.status == 0, "\(done.output)")
        #expect(done.output.contains("This code is wrong, or has passed before"))
        #expect(done.output.hasSuffix("Ben Franklin is signed in.\n"))
        #expect(try status()["waiting"] == .null)
        #expect(try status()["signed_in"] == true)
        // While it is right still it passes no second time; the next one does.
        let again = try signIn(right)
        #expect(again.status == 1 && again.output.contains("has passed before"), "\(again.output)")
    }

    @Test("Three wrong codes end a sign-in", .proves("OPS-19"))
    func threeTries() throws {
        let over = try signIn("1", "2", "3", "4")
        #expect(over.status == 1, "\(over.output)")
        #expect(over.output.components(separatedBy: "This code is wrong").count == 3, "\(over.output)")
        #expect(over.output.contains("sign in anew"), "\(over.output)")
        #expect(try status()["waiting"] == .null)
        let late = try trial.run("phone", "code", input: "5\n")
        #expect(late.status == 1 && late.output.contains("no sign-in waits for a step"), "\(late.output)")
    }

    @Test("A sign-in that waits is shown, goes on in another process, begins anew, or is given up", .proves("OPS-19"))
    func interrupted() throws {
        let waiting = try signIn()
        #expect(waiting.status == 1 && waiting.output.hasSuffix("run: eduid phone code\n"), "\(waiting.output)")
        #expect(try status()["waiting"] == ["user": "ben", "steps": ["otp"]])
        #expect(try status()["signed_in"] == false)
        let told = try trial.run("phone", "status")
        #expect(told.output.contains("the sign-in of 'ben' waits for a one-time code; run: eduid phone code"))
        // Apps get no answer meanwhile, and whoever wants to answer them is told the way on.
        let answering = try trial.run("phone", "answer", "--once", "--accept", "all")
        #expect(answering.status == 1 && answering.output.contains("run: eduid phone code"), "\(answering.output)")
        // A wrong one leaves it waiting, for a process that is killed as for one that ends.
        let wrong = try trial.run("phone", "code", input: "1\n")
        #expect(wrong.status == 1 && wrong.output.hasSuffix("run: eduid phone code\n"), "\(wrong.output)")
        // With a name it begins anew: what is typed next is a password again, and is not taken for a code.
        #expect(try signIn().status == 1)
        let anew = try trial.run("phone", "sign-in", "ben", input: try code() + "\n")
        #expect(anew.status == 1 && !anew.output.contains("code"), "\(anew.output)")
        #expect(try status()["waiting"] == .null)
        // Given up.
        #expect(try signIn().status == 1)
        let given = try trial.run("phone", "sign-out")
        #expect(given.status == 0 && given.output == "The sign-in of 'ben' does not go on.\n", "\(given.output)")
        #expect(try status()["waiting"] == .null)
        // Without a name it goes on.
        #expect(try signIn().status == 1)
        let done = try trial.run("phone", "sign-in", input: try code() + "\n")
        #expect(done.status == 0, "\(done.output)")
        #expect(done.output == "The sign-in of ben goes on.\nBen Franklin is signed in.\n")
    }

    @Test("More is shown where it is demanded, and whoever is signed in stays so", .proves("FPA-20"))
    func stepUp() throws {
        #expect(trial.end() == 0)
        let place = trial.state.appending(path: "edu-id/eduid.yaml")
        let lines = "sign-in-classes:\n  - mfa pwd otp\none-time-codes: on-demand\n"
        try (String(contentsOf: place, encoding: .utf8) + lines).write(to: place, atomically: true, encoding: .utf8)
        try trial.begin()
        let early = try trial.run("phone", "step-up", "--class", "mfa")
        #expect(early.status == 1 && early.output.contains("sign in first"), "\(early.output)")
        #expect(try signIn().status == 0)
        let asked = try trial.run("phone", "step-up", "--class", "elsewhere", "--class", "mfa", "--max-age", "60")
        #expect(asked.status == 1, "\(asked.output)")
        #expect(asked.output.contains("the stronger sign-in waits for a one-time code; run: eduid phone code"))
        #expect(try status()["waiting"] == ["user": .null, "steps": ["otp"]])
        #expect(try status()["signed_in"] == true)
        let done = try trial.run("phone", "code", input: try code() + "\n")
        #expect(done.status == 0 && done.output == "Ben Franklin is signed in.\n", "\(done.output)")
        // What is enough already asks for nothing.
        let enough = try trial.run("phone", "step-up", "--class", "mfa")
        #expect(enough.status == 0 && enough.output == "Ben Franklin is signed in.\n", "\(enough.output)")
        let never = try trial.run("phone", "step-up", "--class", "elsewhere")
        #expect(never.status == 1 && never.output.contains("no sign-in of this person here"), "\(never.output)")
        #expect(try status()["signed_in"] == true)
        for words in [["--max-age", "-1"], ["--max-age", "soon"], ["--class", "a b"], []] {
            let wrong = try trial.run(["phone", "step-up"] + words, input: "")
            #expect(wrong.status != 0 && wrong.output.contains("Error"), "\(words): \(wrong.output)")
        }
    }

    @Test("Apps get no answer while a sign-in waits, and get one of the same process after it", .proves("NIF-1"))
    func answering() throws {
        try trial.signIn()
        let (process, lines) = try trial.answering("--accept", "all")
        defer { process.terminate() }
        #expect(try trial.run("phone", "sign-out").status == 0)
        #expect(try signIn().status == 1)
        #expect(try trial.run("reader", "authorize").status == 1)
        #expect(lines.wait(for: 2).last == "no answer: nobody is signed in; run: eduid phone sign-in", "\(lines.all)")
        #expect(try trial.run("phone", "code", input: try code() + "\n").status == 0)
        let asked = try trial.run("reader", "authorize")
        #expect(asked.status == 0, "\(asked.output)")
        #expect(lines.wait(for: 3).last?.contains("is granted: ") == true, "\(lines.all)")
    }

    @Test("Without a network a sign-in waits, and 'code' goes on with it", .proves("OPS-19"))
    func offline() throws {
        #expect(try signIn().status == 1)
        let right = try code()
        trial.end()
        let lonely = try trial.run("phone", "code", input: right + "\n")
        #expect(lonely.status == 1 && lonely.output.contains("nobody answered"), "\(lonely.output)")
        #expect(try status()["waiting"] != .null)
        try trial.begin()
        let done = try trial.run("phone", "code", input: try code() + "\n")
        #expect(done.status == 0 && done.output == "Ben Franklin is signed in.\n", "\(done.output)")
    }

    @Test("Whoever has no codes is shown none, and signs in as before", .proves("OPS-19"))
    func withoutCodes() throws {
        try trial.signIn()
        #expect(try trial.run("account", "list", ".eduid/edu-id/accounts").output.contains("one-time codes"))
        let none = try trial.run("account", "code", ".eduid/edu-id/accounts", "ada")
        #expect(none.status == 1 && none.output.hasPrefix("Error: 'ada' has no one-time codes"), "\(none.output)")
        let nobody = try trial.run("account", "code", ".eduid/edu-id/accounts", "eve")
        #expect(nobody.status == 1 && nobody.output.contains("no account of the name 'eve'"), "\(nobody.output)")
        let digits = try code()
        #expect(digits.count == 6 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) })
    }
}
