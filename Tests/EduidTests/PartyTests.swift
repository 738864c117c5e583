import Foundation
import TestSupport
import Testing
import Wire

@testable import eduid

/// Parties in folders: made, checked, run, and told to read themselves anew.
@Suite("Command line: parties", .serialized)
struct PartyTests {
    private let folder: URL

    init() throws {
        folder = URL(filePath: "/tmp/eduid-\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func run(_ words: String...) throws -> (status: Int32, output: String) {
        try RunningTrial.finished(words, in: folder)
    }

    /// What README.md shows of parties; each is played below.
    static let shownCommands = [
        "eduid init moodle --role service --issuer https://moodle.example.edu --edu-id https://eduid.example.ch "
            + "--name Moodle --protocol org.moodle.mobile=api",
        "eduid check moodle", "eduid serve moodle",
    ]

    private func makeService() throws {
        let words = Self.shownCommands[0].split(separator: " ").dropFirst().map(String.init)
        let (process, lines) = try RunningTrial.start(words, in: folder)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(lines.all)")
    }

    private var configuration: URL { folder.appending(path: "moodle/eduid.yaml") }

    private func change(_ found: String, _ written: String) throws {
        let text = try String(contentsOf: configuration, encoding: .utf8)
        try #require(text.contains(found), "\(found)")
        let changed = text.replacingOccurrences(of: found, with: written)
        try changed.write(to: configuration, atomically: false, encoding: .utf8)
    }

    @Test("A folder that was just made is in order, and secrets are its owner's", .proves("OPS-4"))
    func made() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        let checked = try run("check", "moodle", "--offline")
        #expect(checked.status == 0, "\(checked.output)")
        #expect(checked.output.contains("offers org.ietf.oauth2, org.moodle.mobile"))
        for name in ["signing.jwk", "secret"] {
            let path = folder.appending(path: "moodle/" + name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        let again = try run(
            "init", "moodle", "--role", "edu-id", "--issuer", "https://eduid.example.ch")
        #expect(again.status == 1 && again.output.contains("is not empty"), "\(again.output)")
        let eduID = try run("init", "edu-id", "--role", "edu-id", "--issuer", "https://eduid.example.ch")
        #expect(eduID.status == 0)
        let nobody = try run("check", "edu-id", "--offline")
        #expect(nobody.status == 1 && nobody.output.contains("wrong     accounts: "), "\(nobody.output)")
        for words in [
            ["--role", "service", "--issuer", "https://a.example"],
            ["--role", "edu-id", "--issuer", "http://a.example"],
            ["--role", "edu-id", "--issuer", "https://a.example?b"], ["--role", "edu-id"],
        ] {
            let (process, _) = try RunningTrial.start(["init", "other"] + words, in: folder)
            process.waitUntilExit()
            #expect(process.terminationStatus == 64, "\(words)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "other").path))
    }

    @Test(
        "Each thing that is wrong is told with its place", .proves("OPS-4"),
        arguments: [
            ("role: service", "role: servcie", "'role' is 'servcie'; expected edu-id or service"),
            ("role: service", "rolle: service", "'role' is missing"),
            ("issuer: 'https://moodle.example.edu'", "issuer: 'http://moodle.example.edu'", "'http' is overheard"),
            ("issuer: 'https://moodle.example.edu'", "issuer: [a]", "'issuer' has to be a text"),
            ("issuer: 'https://moodle.example.edu'", "issuer: 'https://other.example.edu'", "has to be the issuer"),
            ("notes-use: false", "notes-use: 1", "'notes-use' has to be true or false"),
            ("notes-use: false", "note-use: false", "'note-use' is not known here. Did you mean 'notes-use'?"),
            ("keyless-apps: symmetric-key", "keyless-apps: none", "expected one of bearer, symmetric-key"),
            ("access-lifetime: 3600", "access-lifetime: 0", "'access-lifetime' has to be a whole number"),
            ("access-lifetime: 3600", "access-lifetime: 34560001", "from 1 to 34560000"),
            ("store: journal:store", "store: redis:store", "expected journal:FOLDER"),
            ("http: 'loopback:8080'", "http: 'moodle:8080'", "listen: 'http' is 'moodle:8080'"),
            ("http: 'loopback:8080'", "https: 'loopback:8080'", "'listen' needs 'http' or 'scgi'"),
            ("  # scgi: unix:/run/eduid/scgi", "  scgi: 0.0.0.0:4000", "is open to other machines"),
            ("  # guard: unix:/run/eduid/guard", "  guard: '[::]:4000'", "is open to other machines"),
            ("connections: 512", "connections: 7", "'connections' has to be a whole number from 8"),
            ("edu-id:", "edu_id:", "'edu-id' is missing"),
            ("  introspection: true", "  introspect: true", "edu-id: 'introspect' is not known here"),
            ("signing: signing.jwk", "signing: absent.jwk", "absent.jwk"),
            ("secret: secret", "secret: signing.jwk", "has no secret of 32 bytes"),
            ("signing: signing.jwk", "signing: [", "eduid.yaml"),
        ])
    func wrong(found: String, written: String, told: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        try change(found, written)
        let checked = try run("check", "moodle", "--offline")
        #expect(checked.status == 1 && checked.output.contains(told), "\(checked.output)")
        let served = try run("serve", "moodle")
        #expect(served.status == 1, "\(served.output)")
    }

    @Test("A class that no sign-in reaches is told where it is demanded", .proves("OPS-4"), .proves("FPA-21"))
    func unreachedClass() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = try run("init", "edu-id", "--role", "edu-id", "--issuer", "https://eduid.example.ch")
        try #require(made.status == 0, "\(made.output)")
        func append(_ lines: String, to name: String) throws {
            let place = folder.appending(path: "edu-id/" + name)
            let text = (try? String(contentsOf: place, encoding: .utf8)) ?? ""
            try (text + lines).write(to: place, atomically: false, encoding: .utf8)
        }
        let before = try run("check", "edu-id", "--offline").output
        #expect(!before.contains("sign-in-classes"), "\(before)")
        try append("administrators-sign-in:\n  classes: [mfa]\n", to: "eduid.yaml")
        let told = "no sign-in here is of a class that 'administrators-sign-in' demands; expected one of"
        #expect(try run("check", "edu-id", "--offline").output.contains(told))
        try append("sign-in-classes: [MFA pwd otp]\n", to: "eduid.yaml")
        #expect(try run("check", "edu-id", "--offline").output.contains(told), "names are compared byte by byte")
        let place = folder.appending(path: "edu-id/eduid.yaml")
        try String(contentsOf: place, encoding: .utf8).replacing("[MFA ", with: "[mfa ")
            .write(to: place, atomically: false, encoding: .utf8)
        #expect(try !run("check", "edu-id", "--offline").output.contains(told))
        let services = "services:\n  - url: https://moodle.example.edu\n    sign-in:\n      classes: [other]\n"
        try services.write(to: folder.appending(path: "edu-id/services.yaml"), atomically: false, encoding: .utf8)
        let checked = try run("check", "edu-id", "--offline")
        #expect(checked.status == 1 && checked.output.contains("'sign-in' demands"), "\(checked.output)")
    }

    @Test("Assertions hold no longer than services take them", .proves("OPS-4"))
    func assertionLifetime() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = try run("init", "edu-id", "--role", "edu-id", "--issuer", "https://eduid.example.ch")
        try #require(made.status == 0, "\(made.output)")
        let place = folder.appending(path: "edu-id/eduid.yaml")
        let text = try String(contentsOf: place, encoding: .utf8)
        try #require(text.contains("assertion-lifetime: 300"))
        let told = "'assertion-lifetime' has to be a whole number from 1 to 600"
        for (seconds, isRefused) in [(0, true), (1, false), (600, false), (601, true)] {
            try text.replacing("assertion-lifetime: 300", with: "assertion-lifetime: \(seconds)")
                .write(to: place, atomically: false, encoding: .utf8)
            let checked = try run("check", "edu-id", "--offline").output
            #expect(checked.contains(told) == isRefused, "\(seconds): \(checked)")
        }
    }

    @Test("Several things that are wrong are told at once", .proves("OPS-4"))
    func several() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        try change("notes-use: false", "notes-use: 1")
        try change("connections: 512", "connections: 7")
        let checked = try run("check", "moodle", "--offline", "--output", "json")
        #expect(checked.output.contains("'notes-use'") && checked.output.contains("'connections'"), "\(checked.output)")
    }

    @Test("A key that others can read is refused", .proves("OPS-4"))
    func exposed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        for name in ["signing.jwk", "secret"] {
            let path = folder.appending(path: "moodle/" + name).path
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let checked = try run("check", "moodle", "--offline")
            #expect(checked.status == 1 && checked.output.contains("run: chmod 600"), "\(checked.output)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    @Test(
        "What is printed for neighbours names every place of the party",
        arguments: ["nginx", "lighttpd", "apache", "systemd", "container"])
    func neighbours(name: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        let printed = try run("init", "moodle", "--print", name)
        #expect(printed.status == 0 && !printed.output.isEmpty, "\(printed.output)")
        guard ["nginx", "lighttpd", "apache"].contains(name) else { return }
        let text = printed.output.replacingOccurrences(of: "\\.", with: ".")
        for path in ["/oauth/", "/rsd2.json", "/services.txt", "/.well-known/oauth-authorization-server"] {
            #expect(text.contains(path), "\(path)")
        }
        #expect(text.contains("127.0.0.1"))
        // What is sent to a second process by itself brings a proof that the first one may have taken.
        #expect(name != "nginx" || text.contains("proxy_next_upstream off;"))
    }

    @Test("A unit allows a party what it needs, and nothing else", .proves("SYS-9"))
    func unit() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        let printed = try run("init", "moodle", "--print", "systemd").output.split(separator: "\n").map(String.init)
        for line in [
            "Type=notify", "ExecReload=/bin/kill -HUP $MAINPID", "DynamicUser=yes", "ProtectSystem=strict",
            "NoNewPrivileges=yes", "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6", "MemoryDenyWriteExecute=yes",
            "SystemCallFilter=@system-service", "CapabilityBoundingSet=", "PrivateDevices=yes", "UMask=0077",
        ] {
            #expect(printed.contains(line), "\(line)")
        }
        // Kept from one start to the next it would lie where no web server can come (systemd.exec(5)).
        #expect(!printed.contains { $0.hasPrefix("RuntimeDirectoryPreserve") })
        // Nothing but its own folders can be written to.
        let writable = printed.filter { $0.contains("Directory=") || $0.contains("ReadWritePaths") }
        #expect(writable == ["StateDirectory=eduid/%i", "RuntimeDirectory=eduid/%i"])
    }

    @Test("A party at work reads its folder anew, all or nothing, and ends when it is told to", .proves("SYS-4"))
    func reloaded() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        try change("http: 'loopback:8080'", "http: 'unix:\(folder.path)/http'")
        let (process, lines) = try RunningTrial.start(["serve", "moodle"], in: folder)
        #expect(lines.waits(for: "https://moodle.example.edu/ is ready"), "\(lines.all)")
        let second = try run("serve", "moodle")
        #expect(second.status == 1 && second.output.contains("is in use by process"), "\(second.output)")
        try change("notes-use: false", "notes-use: 1")
        kill(process.processIdentifier, SIGHUP)
        #expect(lines.waits(for: "the old configuration stands: "), "\(lines.all)")
        #expect(process.isRunning)
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(lines.all)")
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "http").path))
    }

    @Test("Where the system has no room for connections they wait, without a turn for nothing", .proves("SYS-6"))
    func noRoom() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        try change("http: 'loopback:8080'", "http: 'unix:\(folder.path)/http'")
        let process = Process()
        let program = try #require(ProcessTests.program)
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "ulimit -n 48; exec \"$0\" serve moodle 2>&1", program.path]
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        let lines = RunningTrial.Lines(output)
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        #expect(lines.waits(for: "https://moodle.example.edu/ is ready"), "\(lines.all)")
        var sockets = try (0..<80).map { _ in try connect(to: folder.path + "/http") }
        // What it does in the time in which nobody can be taken is next to nothing.
        let before = try processorTime(of: process)
        sleep(3)
        #expect(try processorTime(of: process) - before < 1)
        for socket in sockets { close(socket) }
        sockets = []
        // A command of an operator gets through when those have gone.
        var status: Int32 = 1
        for _ in 0..<100 where status != 0 { status = try run("admin", "user", "list", "moodle").status }
        #expect(status == 0)
    }

    private func connect(to path: String) throws -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        let isConnected = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(number >= 0 && isConnected)
        return number
    }

    /// How many seconds a process has worked.
    private func processorTime(of process: Process) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        let fields = try #require(text.split(separator: ")").last).split(separator: " ")
        let ticks = try #require(Double(fields[11])) + (try #require(Double(fields[12])))
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    @Test("As much is written as the configuration says, which a reload changes", .proves("SYS-10"))
    func levels() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try makeService()
        try change("http: 'loopback:8080'", "http: 'unix:\(folder.path)/http'")
        try change("log: info", "log: notice")
        #expect(try run("admin", "status", "moodle").output.contains("not at work"))
        let (process, lines) = try RunningTrial.start(["serve", "moodle"], in: folder)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        #expect(lines.waits(for: "https://moodle.example.edu/ is ready"), "\(lines.all)")
        #expect(try run("admin", "user", "list", "moodle").status == 0)
        #expect(lines.all.count == 1, "\(lines.all)")
        try change("log: notice", "log: debug")
        #expect(try run("admin", "run", "moodle", "reload").status == 0)
        #expect(try run("admin", "user", "list", "moodle").status == 0)
        #expect(lines.waits(for: "unix GET /admin/users 200"), "\(lines.all)")
        #expect(try run("admin", "run", "moodle", "compaction").output.contains("compaction is done"))
        try change("log: debug", "log: loud")
        let refused = try run("admin", "run", "moodle", "reload")
        #expect(refused.status == 1 && refused.output.contains("one of debug, error, info, notice, warning"))
    }

    private func account(_ words: [String], _ input: String = "") throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let program = try #require(ProcessTests.program)
        let line = #"printf '%s' "$1" | "$0" account "# + words.joined(separator: " ") + " 2>&1"
        process.arguments = ["-c", line, program.path, input]
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    /// How a service at work learns of what has changed.
    private static let advice = "A service at work learns of it by: eduid admin run FOLDER reload\n"

    @Test("Accounts are made, changed and listed, and passwords are never shown", .proves("OPS-1"))
    func accounts() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try account(["add", "people", "ada", "--rounds", "1000"], "secret of ada\n").status == 0)
        #expect(try account(["add", "people", "ada", "--rounds", "1000"], "x\n").output.contains("already"))
        #expect(try account(["add", "people", "ben", "--rounds", "10"], "x\n").status == 1)
        #expect(try account(["disable", "people", "ada"]).status == 0)
        let list = try account(["list", "people", "--output", "json"])
        #expect(list.output.contains(#""name":"ada""#) && list.output.contains(#""disabled":true"#), "\(list.output)")
        #expect(try account(["password", "people", "ada", "--rounds", "1000"], "another\n").status == 0)
        #expect(try account(["enable", "people", "ada"]).output == "'ada' can sign in again.\n" + Self.advice)
        let text = try String(contentsOf: folder.appending(path: "people"), encoding: .utf8)
        #expect(!text.contains("secret of ada") && !text.contains("another"))
        #expect(try account(["remove", "people", "ada"]).status == 0)
        #expect(try account(["remove", "people", "ada"]).status == 1)
    }

    @Test("What others change while a password is waited for stays changed", .proves("OPS-1"))
    func meanwhile() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try account(["add", "people", "ada", "--rounds", "1000"], "secret of ada\n").status == 0)
        let (process, typed) = (Process(), Pipe())
        process.executableURL = ProcessTests.program
        process.arguments = ["account", "password", "people", "ada", "--rounds", "1000"]
        process.currentDirectoryURL = folder
        process.standardInput = typed
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // Time enough to come to the question.
        usleep(500_000)
        #expect(try account(["disable", "people", "ada"]).status == 0)
        #expect(try account(["add", "people", "ben", "--rounds", "1000"], "secret of ben\n").status == 0)
        typed.fileHandleForWriting.write(Data("another\n".utf8))
        try typed.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let list = try account(["list", "people"]).output.split(separator: "\n")
        #expect(list.count == 2 && list.first?.hasSuffix("  disabled") == true, "\(list)")
    }

    @Test("One-time codes are shown when they are made, and never again", .proves("OPS-19"))
    func codes() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // What the file has, in Base32: five bits a letter.
        func secret() throws -> String {
            let text = try String(contentsOf: folder.appending(path: "people"), encoding: .utf8)
            let account = try JSON(parsing: Array(text.split(separator: "\n")[1].utf8))
            let bits = try Base64URL.decode(#require(account["otp"]?["secret"]?.string))
                .flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
            #expect(bits.count == 160)
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
            return String(
                stride(from: 0, to: bits.count, by: 5).map { start in
                    letters[bits[start..<start + 5].reduce(0) { $0 << 1 | Int($1) }]
                })
        }
        #expect(try account(["add", "people", "ada", "--rounds", "1000"], "secret of ada\n").status == 0)
        #expect(try account(["list", "people", "--output", "json"]).output.contains(#""otp":false"#))
        // What is refused changes nothing.
        for (words, refusal) in [
            (["ada", "--remove"], "'ada' has no one-time codes"), (["eve"], "no account of the name 'eve'"),
            (["eve", "--remove"], "no account of the name 'eve'"), (["ada", "--issuer", "a:b"], "without a colon"),
        ] {
            let refused = try account(["otp", "people"] + words)
            #expect(refused.status == 1 && refused.output.contains(refusal), "\(refused.output)")
        }
        #expect(try account(["list", "people", "--output", "json"]).output.contains(#""otp":false"#))
        #expect(try account(["otp", "people", "ada", "--remove", "--issuer", "a"]).status == 64)
        let made = try account(["otp", "people", "ada"])
        let base32 = try secret()
        let groups = stride(from: 0, to: 32, by: 4).map { String(base32.dropFirst($0).prefix(4)) }
        #expect(
            made.output == """
                'ada' has one-time codes. What follows is their secret, and is not shown again.
                otpauth://totp/edu-ID:ada?secret=\(base32)&issuer=edu-ID&algorithm=SHA1&digits=6&period=30
                \(groups.joined(separator: " "))

                """ + Self.advice)
        // Nothing else says it, not even what would replace it.
        let again = try account(["otp", "people", "ada"])
        #expect(again.status == 1 && again.output.contains("'ada' has one-time codes already; remove them first"))
        let list = try account(["list", "people"])
        #expect(list.output.hasSuffix("  one-time codes\n"))
        #expect(try account(["disable", "people", "ada"]).status == 0)
        #expect(try account(["list", "people"]).output.hasSuffix("  one-time codes  disabled\n"))
        let json = try account(["list", "people", "--output", "json"])
        #expect(json.output.contains(#""otp":true"#))
        for said in [again, list, json] {
            for part in [String(base32.prefix(8)), groups[0] + " " + groups[1], "otpauth"] {
                #expect(!said.output.contains(part), "\(said.output)")
            }
        }
        #expect(try secret() == base32)
        let removed = try account(["otp", "people", "ada", "--remove"])
        #expect(removed.output == "'ada' has no one-time codes any more.\n" + Self.advice)
        // Others are others, under the name that is asked for.
        let other = try account(["otp", "people", "ada", "--issuer", "'Swiss edu-ID'"])
        #expect(try other.output.contains("/Swiss%20edu-ID:ada?secret=\(secret())&issuer=Swiss%20edu-ID&"))
        #expect(try secret() != base32)
    }
}
