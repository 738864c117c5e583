import Federation
import Foundation
@testable import Hosting
import OAuth2Grants
import PureCrypto
import TestSupport
import Testing
import TokenTree
import Wire

/// Who can sign in, by a file or by a program.
@Suite("Hosting: accounts")
struct AccountTests {
    private func attempt(_ name: String, _ password: String) throws -> SignInAttempt {
        SignInAttempt(
            user: try UserName(parsing: name), password: try Secret.Password(parsing: password),
            client: try ClientID(parsing: "device"), version: nil, failures: 0)
    }

    private func file() throws -> AccountFile {
        var (file, entropy) = (AccountFile(), SeededGenerator(seed: 4))
        for (name, given) in [("ada", "Ada"), ("ben", "Ben")] {
            try file.add(
                UserName(parsing: name), password: Secret.Password(parsing: "secret of \(name)"),
                profile: ["name": .string(given + " Muster"), "email": .string(name + "@example.ch")], rounds: 1_000,
                using: &entropy)
        }
        return file
    }

    private func inFolder(_ body: (String) async throws -> Void) async throws {
        let folder = temporaryPath("accounts")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test("A right password is its owner's, and nothing else is anybody's", .proves("OPS-2"), .proves("threat-39"))
    func logins() async throws {
        try await inFolder { folder in
            let path = folder + "/accounts"
            var file = try file()
            try file.write(to: path)
            let accounts = try Accounts(at: path)
            let directory = accounts.directory
            let ada = try #require(file[UserName(parsing: "ada")])
            #expect(await directory.user(try attempt("ada", "secret of ada")) == .user(ada.subject))
            for (name, password) in [
                ("ada", "secret of ben"), ("ada", "secret of ada "), ("Ada", "secret of ada"), ("eve", "x"),
            ] {
                #expect(await directory.user(try attempt(name, password)) == .nobody, "\(name), \(password)")
            }
            #expect(await directory.profile(ada.subject)["name"] == "Ada Muster")
            #expect(await directory.search("muster ADA") == [ada.subject])
            #expect(await directory.search("muster").count == 2)
            #expect(await directory.search(" ").isEmpty)
            // Changes count once they are read anew, all or nothing.
            try file.setDisabled(true, ada.name)
            try file.write(to: path)
            #expect(await directory.user(try attempt("ada", "secret of ada")) == .user(ada.subject))
            try accounts.reload()
            #expect(await directory.user(try attempt("ada", "secret of ada")) == .nobody)
            try "{}".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: AccountsFailure.self) { try accounts.reload() }
            let ben = try #require(file[UserName(parsing: "ben")])
            #expect(await directory.user(try attempt("ben", "secret of ben")) == .user(ben.subject))
        }
    }

    @Test("Of several who change the file at the same time nobody undoes what another did", .proves("OPS-1"))
    func together() async throws {
        try await inFolder { folder in
            let path = folder + "/accounts"
            let ada = try UserName(parsing: "ada")
            #expect(throws: AccountsFailure.self) {
                try AccountFile.change(at: path) { file throws(AccountsFailure) in try file.remove(ada) }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        var entropy = SeededGenerator(seed: UInt64(number))
                        let (name, password) = (
                            try UserName(parsing: "person-\(number)"), try Secret.Password(parsing: "secret")
                        )
                        try AccountFile.change(at: path, makingIt: true) { file throws(AccountsFailure) in
                            try file.add(name, password: password, rounds: 1_000, using: &entropy)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try AccountFile(at: path).all.count == 8)
            let mode = try FileManager.default.attributesOfItem(atPath: path + ".lock")[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("What the file keeps is PBKDF2 with HMAC and SHA-512, as others compute it", .proves("OPS-2"))
    func standard() throws {
        // hashlib.pbkdf2_hmac("sha512", b"secret", bytes(range(16)), 2000, 32)
        let key = "nhfGD7-bLuKh15MPW3YJJL1o8KPqufm2W7OJUjn7nt8"
        let line =
            #"{"name":"ada","subject":"s","password":{"pbkdf2-sha512":{"rounds":2000,"salt":"AAECAwQFBgcICQoLDA0ODw","key":""#
            + key + #""}},"profile":{}}"#
        let file = try AccountFile(parsing: Array(("{\"accounts\":1}\n" + line + "\n").utf8))
        let hash = file.all[0].password
        #expect(hash.matches(try Secret.Password(parsing: "secret")))
        #expect(!hash.matches(try Secret.Password(parsing: "Secret")))
        #expect(String(decoding: file.serialized(), as: UTF8.self).hasSuffix(line + "\n"))
    }

    @Test("People are told apart by bytes, and keep their subject", .proves("OPS-1"))
    func people() throws {
        var (file, entropy) = (try file(), SeededGenerator(seed: 5))
        // The same to a reader, not to a computer.
        for name in ["\u{e9}", "e\u{301}"] {
            try file.add(
                UserName(parsing: name), password: Secret.Password(parsing: name), rounds: 1_000, using: &entropy)
        }
        #expect(Set(file.all.map { $0.subject }).count == 4)
        let ada = try UserName(parsing: "ada")
        let subject = file[ada]?.subject
        try file.setPassword(Secret.Password(parsing: "another"), of: ada, rounds: 1_000, using: &entropy)
        #expect(file[ada]?.subject == subject)
        #expect(throws: AccountsFailure.self) {
            try file.add(ada, password: Secret.Password(parsing: "x"), rounds: 1_000, using: &entropy)
        }
        try file.remove(ada)
        #expect(file[ada] == nil && file.all.count == 3)
        #expect(throws: AccountsFailure.self) { try file.remove(ada) }
        for rounds in [999, 10_000_001] {
            #expect(throws: AccountsFailure.self) {
                try file.add(ada, password: Secret.Password(parsing: "x"), rounds: rounds, using: &entropy)
            }
        }
        let again = try AccountFile(parsing: file.serialized())
        #expect(again.serialized() == file.serialized())
    }

    @Test("Nobody's login costs as much as the dearest one", .proves("threat-39"))
    func dearest() throws {
        var (file, entropy) = (AccountFile(), SeededGenerator(seed: 6))
        #expect(file.mostRounds == 210_000)
        let (ada, ben) = (try UserName(parsing: "ada"), try UserName(parsing: "ben"))
        let password = try Secret.Password(parsing: "x")
        try file.add(ada, password: password, rounds: 3_000, using: &entropy)
        #expect(file.mostRounds == 3_000)
        try file.add(ben, password: password, rounds: 1_000, using: &entropy)
        #expect(file.mostRounds == 3_000)
        try file.setPassword(password, of: ben, rounds: 4_000, using: &entropy)
        #expect(file.mostRounds == 4_000)
        try file.setPassword(password, of: ben, rounds: 2_000, using: &entropy)
        #expect(try file.mostRounds == 3_000 && AccountFile(parsing: file.serialized()).mostRounds == 3_000)
        try file.remove(ada)
        #expect(file.mostRounds == 2_000)
        try file.remove(ben)
        #expect(file.mostRounds == 210_000)
    }

    @Test("A line that is not as it was written is refused with its number", .proves("OPS-1"))
    func strictness() throws {
        let text = String(decoding: try file().serialized(), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        func refusal(_ lines: [String]) -> String? {
            do throws(AccountsFailure) {
                _ = try AccountFile(parsing: Array(lines.joined(separator: "\n").utf8))
                return nil
            } catch {
                return error.rule.text
            }
        }
        #expect(refusal(lines) == nil)
        #expect(refusal(Array(lines.dropFirst()))?.hasPrefix("line 1 ") == true)
        #expect(refusal([#"{"accounts":2}"#] + lines.dropFirst())?.hasPrefix("line 1 ") == true)
        #expect(refusal(lines + [lines[1]])?.contains("line 4 of the accounts has the name 'ada'") == true)
        let changes: [(String, String)] = [
            (#""name":"ben""#, #""name":"""#), (#""name":"ben""#, #""name":7"#), (#""name":"ben","#, ""),
            (#""rounds":1000"#, #""rounds":999"#), (#""rounds":1000"#, #""rounds":10000001"#),
            (#""rounds":1000"#, #""rounds":1e3.5"#), (#""profile":{"#, #""admin":true,"profile":{"#),
            (#""profile":{"#, #""disabled":"yes","profile":{"#), (#""pbkdf2-sha512""#, #""pbkdf2-sha1""#),
            (#""salt":""#, #""salt":"A"#), (#""key":""#, #""key":"AAAA"#),
        ]
        for (found, written) in changes {
            let changed = lines[2].replacingOccurrences(of: found, with: written)
            try #require(changed != lines[2], "\(found)")
            #expect(refusal([lines[0], lines[1], changed])?.hasPrefix("line 3 ") == true, "\(written)")
        }
        // Another person with the subject of the first one.
        let subject = try #require(lines[1].split(separator: "\"").dropFirst(7).first)
        let other = try #require(lines[2].split(separator: "\"").dropFirst(7).first)
        #expect(
            refusal([lines[0], lines[1], lines[2].replacingOccurrences(of: other, with: subject)])?
                .contains("a subject that stands above") == true)
    }

    @Test("A file that others can read is refused, and one that is written is not", .proves("OPS-1"))
    func privacy() async throws {
        try await inFolder { folder in
            let path = folder + "/accounts"
            try file().write(to: path)
            #expect(try AccountFile(at: path).all.count == 2)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            #expect(throws: AccountsFailure.self) { try AccountFile(at: path) }
            #expect(throws: AccountsFailure.self) { try AccountFile(at: folder + "/absent") }
            #expect(throws: AccountsFailure.self) { try AccountFile().write(to: folder + "/absent/accounts") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["accounts"])
        }
    }

    // MARK: by a program

    @Test("A program says yes with a subject, no with 1, and everything else lets nobody in", .proves("OPS-3"))
    func command() async throws {
        func outcome(_ script: String, within time: Duration = .seconds(20)) async throws -> SignInAttempt.Outcome {
            let login = LoginCommand("/bin/sh", ["-c", script], within: time)
            return await login.directory.user(try attempt("ada", "s e\u{e9}"))
        }
        let yes = #"read name; read password; [ "$name/$password" = "ada/s eé" ] || exit 1; echo '{"subject":"42"}'"#
        #expect(try await outcome(yes) == .user(Record.Subject(parsing: "42")))
        #expect(try await outcome("exit 1") == .nobody)
        for script in [
            "exit 2", "exit 0", "echo nonsense", #"echo '{"subject":""}'"#, "kill -9 $$",
            "head -c 70000 /dev/zero", #"echo '{"subject":"42"}'; exit 3"#,
        ] {
            #expect(try await outcome(script) == .lockedOut, "\(script)")
        }
        // Nothing of this process is the program's.
        let lonely = #"[ -z "$HOME$USER" ] && echo '{"subject":"42"}'"#
        #expect(try await outcome(lonely) == .user(Record.Subject(parsing: "42")))
        let absent = LoginCommand("/absent")
        #expect(await absent.directory.user(try attempt("ada", "x")) == .lockedOut)
    }

    @Test("A program that takes too long is ended, with what it has started", .proves("OPS-3"))
    func lateCommand() async throws {
        // What it has started would hold its output open for an hour.
        let begun = ContinuousClock.now
        let login = LoginCommand("/bin/sh", ["-c", "sleep 3600 & sleep 3600"], within: .milliseconds(300))
        #expect(await login.directory.user(try attempt("ada", "x")) == .lockedOut)
        #expect(ContinuousClock.now - begun < .seconds(1_800))
    }

    @Test("What a program tells about a person is known until the next login", .proves("OPS-3"))
    func profiles() async throws {
        let login = LoginCommand(
            "/bin/sh", ["-c", #"echo '{"subject":"42","profile":{"name":"Ada"}}'"#], within: .seconds(20))
        let subject = try Record.Subject(parsing: "42")
        #expect(await login.directory.profile(subject).isEmpty)
        _ = await login.directory.user(try attempt("ada", "x"))
        #expect(await login.directory.profile(subject)["name"] == "Ada")
    }
}
