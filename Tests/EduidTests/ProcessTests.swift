import Foundation
import TestSupport
import Testing

/// The program as a shell meets it: streams, files and exit statuses.
@Suite("Command line: the process")
struct ProcessTests {
    /// The program lies beside the test bundle that the package manager built.
    static let program: URL? = {
        let candidates =
            [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
            + CommandLine.arguments.map { URL(filePath: $0).deletingLastPathComponent() }
        return candidates.map { $0.appending(path: "eduid") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
    }()

    private struct Run {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Runs a line of shell with the program's path as `$0`.
    private func run(_ line: String, in folder: URL) throws -> Run {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", line, try #require(Self.program, "the product eduid lies not beside the tests").path,
        ]
        process.currentDirectoryURL = folder
        let (stdout, stderr) = (Pipe(), Pipe())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "eduid-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test("a key is made, shown, signs and verifies, through pipes and files") func pipeline() throws {
        try inFolder { (folder) throws in
            let made = try run(#""$0" key generate -o key.jwk"#, in: folder)
            #expect(made.status == 0)
            #expect(made.output.isEmpty)
            let line =
                #"echo '{"sub":"anna"}' | "$0" jwt sign --key key.jwk --lifetime 60 - | "$0" jwt verify --key key.jwk --output json -"#
            let verified = try run(line, in: folder)
            #expect(verified.status == 0)
            #expect(verified.output.hasPrefix(#"{"valid":true,"#))
            #expect(verified.errors.isEmpty)
        }
    }

    @Test("secret files are the owner's alone, also in the place of older ones") func modes() throws {
        try inFolder { (folder) throws in
            func mode(_ name: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)[.posixPermissions]
                    as? Int
            }
            #expect(try run("umask 000; \"$0\" key generate -o key.jwk", in: folder).status == 0)
            #expect(try mode("key.jwk") == 0o600)
            #expect(
                try run("umask 022; \"$0\" key public key.jwk -o public.jwk; chmod 666 key.jwk", in: folder).status == 0
            )
            #expect(try mode("public.jwk") == 0o644)
            #expect(try run("umask 000; \"$0\" key generate -o key.jwk --force", in: folder).status == 0)
            #expect(try mode("key.jwk") == 0o600)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["key.jwk", "public.jwk"])
        }
    }

    @Test("no file is overwritten without being asked for, and no link followed") func overwriting() throws {
        try inFolder { (folder) throws in
            let refused = try run(
                #"echo mine > key.jwk; "$0" key generate -o key.jwk; status=$?; cat key.jwk; exit $status"#, in: folder)
            #expect(refused.status == 1)
            #expect(refused.output == "mine\n")
            #expect(refused.errors == "Error: 'key.jwk' exists; '--force' replaces it\n")
            let link = try run(
                #"ln -s key.jwk link; "$0" key generate -o link --force; status=$?; cat key.jwk; exit $status"#,
                in: folder)
            #expect(link.status == 1)
            #expect(link.output == "mine\n")
            #expect(link.errors == "Error: 'link' is not a regular file\n")
            #expect(try run(#""$0" key generate -o absent/key.jwk"#, in: folder).status == 1)
        }
    }

    @Test("a reader that goes away is no fault") func pipe() throws {
        try inFolder { (folder) throws in
            let run = try run(#"{ sleep 0.3; "$0" completions bash; echo "status $?" >&2; } | true"#, in: folder)
            #expect(run.errors == "status 0\n")
        }
    }

    @Test("what cannot be written is a failure") func fullDevice() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        try inFolder { (folder) throws in
            let run = try run(#""$0" --version > /dev/full"#, in: folder)
            #expect(run.status == 1)
            #expect(run.errors == "Error: cannot write to standard output\n")
        }
    }

    @Test("reading ends at a bound") func endless() throws {
        try inFolder { (folder) throws in
            let run = try run(#""$0" key public - < /dev/zero"#, in: folder)
            #expect(run.status == 1)
            #expect(run.errors == "Error: standard input has more than 4194304 bytes\n")
        }
    }

    @Test("names may begin with a dash, as those do that are drawn by chance") func names() throws {
        try inFolder { (folder) throws in
            let document = #"{"engineLink":"","homePageLink":"https://a.example.ch","apis":{}}"#
            try document.write(to: folder.appending(path: "a.json"), atomically: true, encoding: .utf8)
            for name in ["-dz-V", "-- --dz"] {
                let run = try run(#""$0" rsd2 resolve a.json "# + name, in: folder)
                #expect(run.status == 1 && run.errors.contains("is not offered"), "\(run.errors)")
            }
            for word in ["-d", "--dz"] {
                let run = try run(#""$0" rsd2 resolve a.json "# + word, in: folder)
                let error = "Error: Unknown option '\(word)'. A name that begins like that goes behind '--'\n"
                #expect(run.status == 64 && run.errors.hasPrefix(error), "\(run.errors)")
            }
            let typo = try run(#""$0" rsd2 resolve a.json -alow-unencrypted"#, in: folder)
            #expect(
                typo.errors.hasPrefix(
                    "Error: Unknown option '-alow-unencrypted'. Did you mean '--allow-unencrypted'?\n"))
            // A command that takes files alone takes no such names.
            let strict = try run(#""$0" rsd2 validate a.json -strict"#, in: folder)
            #expect(strict.errors.hasPrefix("Error: Unknown option '-strict'. Did you mean '--strict'?\n"))
        }
    }

    @Test("usage errors are told on standard error, with 64") func misuse() throws {
        try inFolder { (folder) throws in
            let run = try run(#""$0" key generate --too"#, in: folder)
            #expect(run.status == 64)
            #expect(run.output.isEmpty)
            #expect(
                run.errors.hasPrefix("Error: Unknown option '--too'. Did you mean '--to'?\nUsage: eduid key generate "))
        }
    }
}
