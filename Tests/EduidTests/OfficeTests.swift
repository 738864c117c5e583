import Foundation
import FoundationNetworking
import TestSupport
import Testing
import Wire

/// What operators do with parties at work.
@Suite("Command line: administration", .serialized)
struct OfficeTests {
    /// A member of a line of JSON.
    private func list(_ trial: RunningTrial, _ words: String...) throws -> [JSON] {
        let done = try trial.run(["admin"] + words + ["--output", "json"], input: "")
        try #require(done.status == 0, "\(words): \(done.output)")
        let report = try JSON(parsing: Array(done.output.utf8))
        return try #require(report.object?.first?.value.array, "\(done.output)")
    }

    private func admin(_ trial: RunningTrial, _ words: String...) throws -> String {
        let done = try trial.run(["admin"] + words, input: "")
        try #require(done.status == 0, "\(words): \(done.output)")
        return done.output
    }

    private func refused(_ trial: RunningTrial, _ words: String...) throws -> String {
        let done = try trial.run(["admin"] + words, input: "")
        #expect(done.status == 1, "\(words): \(done.output)")
        return done.output
    }

    private func authorize(_ trial: RunningTrial) throws {
        let (answering, _) = try trial.answering("--accept", "all")
        let asked = try trial.run("reader", "authorize")
        answering.terminate()
        answering.waitUntilExit()
        try #require(asked.status == 0, "\(asked.output)")
    }

    private let eduID = ".eduid/edu-id"
    private let alpha = ".eduid/alpha"

    @Test(
        "Somebody is found, locked with a reason, let in again and forgotten; records tell it and name nobody",
        .proves("OPS-8"), .proves("OPS-10"))
    func people() throws {
        let trial = try RunningTrial()
        try trial.signIn()
        try authorize(trial)
        #expect(try trial.run("reader", "use").status == 0)
        let found = try list(trial, "user", "list", eduID, "--search", "ada")
        let user = try #require(found.first?["user"]?.string)
        #expect(found.count == 1)
        let device = try #require(try list(trial, "instance", "list", eduID).first)
        // A lock on the name by which somebody signs in would shut out nobody.
        let mistaken = try refused(trial, "user", "lock", eduID, "ada")
        #expect(mistaken.contains("nobody is known under the name 'ada'; by these words there is: \(user)"))
        #expect(try list(trial, "user", "list", eduID, "--locked").isEmpty)
        #expect(try admin(trial, "user", "lock", eduID, user, "--reason", "the phone was stolen").contains("is locked"))
        #expect(try admin(trial, "user", "list", eduID, "--locked").contains("the phone was stolen"))
        _ = try admin(trial, "run", eduID, "delivery")
        let locked = try trial.run("reader", "use").output
        #expect(!locked.contains(": 200 "), "the end has come to services: \(locked)")
        _ = try admin(trial, "user", "unlock", eduID, user)
        #expect(try list(trial, "user", "list", eduID, "--locked").isEmpty)
        #expect(try admin(trial, "user", "erase", eduID, user).contains("is forgotten"))
        #expect(try refused(trial, "user", "erase", eduID, user).contains("nothing of this name"))
        let known = try #require(try list(trial, "user", "list", alpha).first?["user"]?.string)
        #expect(try admin(trial, "user", "erase", alpha, known).contains("is forgotten"))

        var acts = Set<String>()
        let places = try [eduID, alpha].map { try records(trial, in: $0) }
        for line in places.joined() {
            for act in line["acts"]?.array ?? [] { acts.insert(act.string ?? "") }
        }
        #expect(acts == ["storage", "reading", "alteration", "disclosure", "deletion"])
        let names = [user, known, "\"ada", "\"Ada", device["device_id"]?.string ?? "", "a terminal"]
        for text in places.joined().map({ $0.encodedString() }) {
            for name in names { #expect(!text.contains(name), "\(name): \(text)") }
        }
        let named = places[0].compactMap { $0["record"]?.string }
        let record = try #require(named.first)
        #expect(try admin(trial, "explain", eduID, record).contains(record))
    }

    @Test(
        "Who leaves an institution is out at the service for its people, and nowhere else", .proves("AFF-1"),
        .proves("AFF-2"))
    func members() throws {
        let trial = try RunningTrial()
        let accounts = eduID + "/accounts"
        let services = trial.folder.appending(path: eduID + "/services.yaml")
        var lines = try String(contentsOf: services, encoding: .utf8).split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex { $0.contains("url:") })
        lines.insert("    affiliations: ['*@alpha.example.ch']", at: first + 1)
        try lines.joined(separator: "\n").write(to: services, atomically: true, encoding: .utf8)
        func tell(_ affiliations: JSON?) throws {
            let shown = try trial.run("account", "profile", accounts, "ada")
            var profile = try #require(try JSON(parsing: Array(shown.output.utf8)).object, "\(shown.output)")
            #expect(profile["given_name"] == "Ada")
            profile["eduPersonScopedAffiliation"] = affiliations
            try JSON.object(profile).encodedString()
                .write(to: trial.folder.appending(path: "ada.json"), atomically: true, encoding: .utf8)
            let told = try trial.run("account", "profile", accounts, "ada", "--profile", "ada.json")
            #expect(told.output.hasPrefix("'ada' has another profile.\n"))
            _ = try admin(trial, "run", eduID, "reload")
        }
        func granted() throws -> Int {
            try trial.run("reader", "use").output.split(separator: "\n").count { $0.contains(": 200 ") }
        }
        try tell(["staff@alpha.example.ch", "student@beta.example.ch"])
        try trial.signIn()
        try authorize(trial)
        #expect(try granted() == 2)
        try tell(["student@beta.example.ch"])
        let user = try #require(try list(trial, "user", "list", eduID, "--search", "ada").first?["user"]?.string)
        let expelled = try admin(trial, "user", "expel", eduID, user, "staff@alpha.example.ch", "--reason", "left")
        #expect(expelled == "'\(user)' is introduced as 'staff@alpha.example.ch' no more.\n")
        _ = try admin(trial, "run", eduID, "delivery")
        #expect(try granted() == 1)
        #expect(
            try refused(trial, "user", "expel", eduID, user, "staff@alpha.example.ch").contains("nothing of this name"))
        try authorize(trial)
        #expect(try granted() == 1, "nobody is introduced there who is no member")
        #expect(try trial.run("account", "profile", accounts, "eve").output.contains("no account of the name 'eve'"))
    }

    @Test("A reload takes over other accounts, and refuses what only a start takes over", .proves("SYS-4"))
    func otherAccounts() throws {
        let trial = try RunningTrial()
        let place = trial.folder.appending(path: eduID + "/eduid.yaml")
        let text = try String(contentsOf: place, encoding: .utf8)
        func reload(_ found: String, _ written: String) throws -> (status: Int32, output: String) {
            try #require(text.contains(found), "\(found)")
            try text.replacing(found, with: written).write(to: place, atomically: true, encoding: .utf8)
            return try trial.run(["admin", "run", eduID, "reload"], input: "")
        }
        for (found, written, name) in [
            ("audit: audit.jsonl", "audit: others.jsonl", "'audit'"),
            ("# destinations: worldwide", "destinations: worldwide", "'destinations'"),
            ("# authorities: authorities.pem", "authorities: authorities.pem", "'authorities'"),
            ("shown: true", "shown: false", "'shown'"),
        ] {
            let refused = try reload(found, written)
            #expect(refused.status == 1 && refused.output.contains(name), "\(refused.output)")
            #expect(refused.output.contains("start it anew"), "\(refused.output)")
        }
        let made = try trial.run(
            "account", "add", eduID + "/others", "eve", "--rounds", "1000", input: "secret of eve\n")
        try #require(made.status == 0, "\(made.output)")
        #expect(try trial.run("phone", "sign-in", "eve", input: "secret of eve\n").status != 0)
        let reloaded = try reload("\naccounts: accounts", "\naccounts: others")
        #expect(reloaded.status == 0, "\(reloaded.output)")
        let entered = try trial.run("phone", "sign-in", "eve", input: "secret of eve\n")
        #expect(entered.status == 0, "\(entered.output)")
    }

    @Test("A tool that the configuration names ends all of a person over HTTP, at every service", .proves("GTR-1"))
    func everything() async throws {
        let trial = try RunningTrial()
        let configuration = trial.folder.appending(path: eduID + "/eduid.yaml")
        let lines = "\nrevokers:\n  - issuer: https://watch.example.ch\n    keys: watch.jwks\n"
        try (String(contentsOf: configuration, encoding: .utf8) + lines)
            .write(to: configuration, atomically: true, encoding: .utf8)
        #expect(try refused(trial, "run", eduID, "reload").contains("watch.jwks"))
        _ = try trial.run("key", "generate", "--id", "watch-1", "-o", "watch.jwk")
        _ = try trial.run("key", "public", "watch.jwk", "-o", eduID + "/watch.jwks")
        _ = try admin(trial, "run", eduID, "reload")
        try trial.signIn()
        try authorize(trial)
        #expect(try trial.run("reader", "use").status == 0)
        let user = try #require(try list(trial, "user", "list", eduID, "--search", "ada").first?["user"]?.string)
        let issuer = String(trial.url(of: 0).dropLast())
        let metadata = try JSON(
            parsing: [UInt8](
                Data(contentsOf: try #require(URL(string: issuer + "/.well-known/oauth-authorization-server")))))
        let name = try #require(metadata["issuer"]?.string)
        let place = try #require(metadata["global_token_revocation_endpoint"]?.string)
        let claims: JSON = [
            "iss": "https://watch.example.ch", "sub": "https://watch.example.ch", "aud": .string(name), "jti": "1",
        ]
        let signed = try trial.run(
            "jwt", "sign", "-", "--key", "watch.jwk", "--type", "client-authentication+jwt", "--lifetime", "60",
            input: claims.encodedString())
        var request = URLRequest(url: try #require(URL(string: place)))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer " + signed.output.filter { !$0.isNewline }, forHTTPHeaderField: "Authorization")
        let body: JSON = ["sub_id": ["format": "iss_sub", "iss": .string(name), "sub": .string(user)]]
        request.httpBody = Data(body.encodedString().utf8)
        let (told, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 204, "\(String(decoding: told, as: UTF8.self))")
        _ = try admin(trial, "run", eduID, "delivery")
        let used = try trial.run("reader", "use").output
        #expect(!used.contains(": 200 "), "\(used)")
        #expect(try trial.run("phone", "sign-in", "ada", input: trial.password(of: "ada") + "\n").status == 0)
    }

    private func records(_ trial: RunningTrial, in folder: String) throws -> [JSON] {
        let bytes = try Data(contentsOf: trial.folder.appending(path: folder + "/audit.jsonl"))
        return try bytes.split(separator: 0x0a).map { try JSON(parsing: [UInt8]($0)) }
    }

    @Test("Keys are rotated while everything works, and a stolen one is withdrawn", .proves("OPS-11"))
    func keys() throws {
        let trial = try RunningTrial()
        try trial.signIn()
        try authorize(trial)
        let first = try #require(try list(trial, "key", "list", eduID).first?["id"]?.string)
        #expect(try refused(trial, "key", "rotate", eduID).contains("prepare"))
        #expect(try refused(trial, "key", "withdraw", eduID, first, "--since", "1").contains("rotated first"))
        _ = try admin(trial, "key", "prepare", eduID)
        #expect(try refused(trial, "key", "prepare", eduID).contains("there is a next key"))
        let next = try #require(try list(trial, "key", "list", eduID).last?["id"]?.string)
        #expect(try published(trial) == [first, next])
        _ = try admin(trial, "key", "rotate", eduID)
        #expect(try published(trial) == [first, next])
        #expect(try list(trial, "key", "list", eduID).map { $0["state"]?.string } == ["signs", "former"])
        // Tokens of the former key are good, and introductions are signed by the new one.
        #expect(try trial.run("reader", "use").status == 0)
        try authorize(trial)
        #expect(try trial.run("phone", "status").status == 0)
        #expect(try refused(trial, "key", "retire", eduID).contains("another"))
        // Wherever a rotation is cut off: the former key is published twice, which is once.
        let files = FileManager.default
        let home = trial.folder.appending(path: eduID)
        let signing = home.appending(path: "signing.jwk")
        try files.copyItem(at: signing, to: home.appending(path: "kept"))
        _ = try admin(trial, "key", "prepare", eduID)
        _ = try admin(trial, "key", "rotate", eduID)
        try files.removeItem(at: signing)
        try files.moveItem(at: home.appending(path: "kept"), to: signing)
        _ = try admin(trial, "run", eduID, "reload")
        #expect(try published(trial) == [first, next])
        _ = try admin(trial, "key", "withdraw", eduID, first, "--since", "2026-01-01T00:00:00Z")
        #expect(
            try refused(trial, "key", "withdraw", eduID, first, "--since", "2026-01-01T00:00:01Z").contains("already"))
        _ = try admin(trial, "key", "withdraw", eduID, first, "--since", "2025-12-31T23:59:59Z")
        #expect(try list(trial, "key", "list", eduID).contains { $0["state"]?.string == "withdrawn" })
        _ = try admin(trial, "key", "retire", eduID, "--force")
        #expect(try published(trial) == [first, next], "a key that was withdrawn stays")
        let mode = try files.attributesOfItem(atPath: signing.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    /// The names of the keys that the edu-ID service publishes.
    private func published(_ trial: RunningTrial) throws -> Set<String> {
        let bytes = try Data(contentsOf: try #require(URL(string: trial.url(of: 0) + "jwks")))
        let keys = try JSON(parsing: [UInt8](bytes))["keys"]?.array ?? []
        return Set(keys.compactMap { $0["kid"]?.string })
    }

    @Test("No more keys are published than others read", .proves("threat-14"))
    func tooManyKeys() throws {
        let trial = try RunningTrial()
        let bytes = try Data(contentsOf: try #require(URL(string: trial.url(of: 0) + "jwks")))
        let key = try #require(try JSON(parsing: [UInt8](bytes))["keys"]?.array?.first?.object)
        let former = (0..<127).map { number in
            var former = key
            former["kid"] = .string("former-\(number)")
            return JSON.object(former)
        }
        let file = trial.folder.appending(path: eduID + "/signing.former.jwk")
        try Data(JSON.object(["keys": .array(former)]).encoded()).write(to: file)
        #expect(try refused(trial, "key", "prepare", eduID).contains("retire"))
        try Data(JSON.object(["keys": .array(former.dropLast())]).encoded()).write(to: file)
        _ = try admin(trial, "key", "prepare", eduID)
        #expect(try published(trial).count == 128)
    }

    @Test("Versions and services are added as the party takes them, or nothing is changed", .proves("OPS-13"))
    func rosters() throws {
        let trial = try RunningTrial()
        _ = try trial.run("key", "generate", "--id", "ios-2.0", "-o", "version.jwk")
        _ = try trial.run("key", "public", "version.jwk", "-o", "public.jwk")
        let version = ["--app", "ch.example.eduid", "--platform", "ios", "--number", "2.0"]
        let added = try trial.run(["admin", "version", "add", eduID, "public.jwk"] + version, input: "")
        #expect(added.status == 0, "\(added.output)")
        #expect(try list(trial, "version", "list", eduID).count == 2)
        let twice = try trial.run(["admin", "version", "add", eduID, "public.jwk"] + version, input: "")
        #expect(twice.status == 1, "\(twice.output)")
        #expect(try admin(trial, "version", "block", eduID, "ios-2.0", "--reason", "a fault").contains("is shut out"))
        #expect(try admin(trial, "version", "list", eduID).contains("a fault"))
        _ = try admin(trial, "version", "unblock", eduID, "ios-2.0")

        let file = trial.folder.appending(path: eduID + "/services.yaml")
        let home = "https://gamma.example.edu"
        #expect(try admin(trial, "service", "add", eduID, home, "--release", "email").contains("belongs"))
        #expect(try refused(trial, "service", "add", eduID, home + "/").contains("listed already"))
        #expect(try list(trial, "service", "list", eduID).count == 3)
        _ = try admin(trial, "service", "allow", eduID, home, "www.example.edu")
        #expect(try refused(trial, "service", "allow", eduID, home, "www.example.edu").contains("there already"))
        let before = try String(contentsOf: file, encoding: .utf8)
        #expect(before.contains("www.example.edu") && before.contains("email"))
        // What the party would refuse is undone, and told.
        #expect(try refused(trial, "service", "allow", eduID, home, "not a host").contains("hosts"))
        #expect(try String(contentsOf: file, encoding: .utf8) == before)
        _ = try admin(trial, "service", "remove", eduID, home)
        #expect(try list(trial, "service", "list", eduID).count == 2)
        #expect(try refused(trial, "service", "add", alpha, home).contains("its edu-ID service lists"))
        #expect(try refused(trial, "version", "list", alpha).contains("nothing of this name"))
    }

    @Test("A copy of a store brings back what there was, and without proof nothing opens", .proves("OPS-14"))
    func backup() throws {
        let trial = try RunningTrial()
        try trial.signIn()
        try authorize(trial)
        let told = try admin(trial, "backup", alpha, "copy")
        let head = try #require(told.split(separator: " ").last).trimmingCharacters(in: .whitespacesAndNewlines)
        let mode =
            try FileManager.default.attributesOfItem(
                atPath: trial.folder.appending(path: "copy").path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try refused(trial, "backup", alpha, "copy").contains("exists"))
        #expect(try refused(trial, "restore", alpha, "copy").contains("is at work"))
        trial.end()
        #expect(try refused(trial, "status", alpha).contains("is not at work"))
        #expect(try refused(trial, "restore", alpha, "copy").contains("there are records already"))
        let store = trial.folder.appending(path: alpha + "/store")
        for (words, opens) in [(["--head", head], true), ([], false)] {
            try FileManager.default.removeItem(at: store)
            let restored = try trial.run(["admin", "restore", alpha, "copy"] + words, input: "")
            #expect(restored.status == 0 && restored.output.contains("Without proof") != opens, "\(restored.output)")
            try trial.begin()
            let used = try trial.run("reader", "use")
            #expect(used.output.contains("<\(trial.url(of: 1))>: 200 ") == opens, "\(used.output)")
            trial.end()
        }
        try FileManager.default.removeItem(at: store)
        let wrong = try trial.run(
            ["admin", "restore", alpha, "copy", "--head", "-" + String(repeating: "A", count: 42)], input: "")
        #expect(wrong.status == 1 && !FileManager.default.fileExists(atPath: store.path), "\(wrong.output)")
    }

    @Test(
        "An edu-ID service that was restored without proof ends what it does not know, by withdrawing its key",
        .proves("OPS-14"), .proves("OPS-11"))
    func lostIntroductions() throws {
        let trial = try RunningTrial()
        try trial.signIn()
        let time = Int(Date().timeIntervalSince1970)
        _ = try admin(trial, "backup", eduID, "copy")
        try authorize(trial)
        trial.end()
        try FileManager.default.removeItem(at: trial.folder.appending(path: eduID + "/store"))
        let restored = try trial.run(["admin", "restore", eduID, "copy"], input: "")
        #expect(restored.status == 0 && restored.output.contains("'withdraw'"), "\(restored.output)")
        try trial.begin()
        // The service was introduced after the copy was made, and nothing at the edu-ID service leads to it any more.
        #expect(try trial.run("reader", "use").output.contains("<\(trial.url(of: 1))>: 200 "))
        let former = try #require(try list(trial, "key", "list", eduID).first?["id"]?.string)
        _ = try admin(trial, "key", "prepare", eduID)
        _ = try admin(trial, "key", "rotate", eduID)
        _ = try admin(trial, "key", "withdraw", eduID, former, "--since", "\(time)")
        _ = try admin(trial, "run", eduID, "reconciliation")
        _ = try admin(trial, "run", eduID, "delivery")
        let used = try trial.run("reader", "use").output
        #expect(!used.contains(": 200 "), "\(used)")
    }
}
