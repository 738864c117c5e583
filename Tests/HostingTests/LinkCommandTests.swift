import Federation
import Hosting
import JOSE
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("A program that says whose an account at the provider is")
struct LinkCommandTests {
    private func account() throws -> ProvidedAccount {
        ProvidedAccount(
            try Subject(parsing: "A-1"), at: try Issuer(parsing: "https://login.example.org/"),
            claims: ["email": "ada@example.org", "family_name": "s \u{e9}\n"], profile: ["hidden": "x"])
    }

    private func link(_ script: String, within time: Duration = .seconds(20)) async throws -> ProvidedAccount.Link? {
        await LinkCommand("/bin/sh", ["-c", script], within: time).link(of: try account())
    }

    @Test("It knows nobody, names a user, or refuses", .proves("OIC-12"))
    func answers() async throws {
        #expect(try await link("echo '{}'") == .unknown)
        #expect(try await link(#"echo '{"subject":"user-0001"}'"#) == .user(Record.Subject(parsing: "user-0001")))
        #expect(try await link(#"printf '{"refused": true}'"#) == .refused)
        // It need not read what it is told.
        #expect(try await link("exec <&-; echo '{}'") == .unknown)
    }

    @Test("It is told issuer, subject and claims on one line, and nothing of this process", .proves("OIC-12"))
    func told() async throws {
        let question =
            #"{"issuer":"https://login.example.org/","subject":"A-1","#
            + #""claims":{"email":"ada@example.org","family_name":"s é\n"}}"#
        let script = """
            IFS= read -r line; IFS= read -r more
            [ "$line" = '\(question)' ] && [ -z "$more$HOME$USER" ] && echo '{"refused":true}'
            """
        #expect(try await link(script) == .refused)
    }

    @Test(
        "Whatever else it does says nothing", .proves("OIC-12"),
        arguments: [
            "exit 0", "exit 1", "exit 2", "echo nonsense", "echo '[]'", "echo '{'", "kill -9 $$",
            #"echo '{"subject":""}'"#, #"echo '{"subject":1}'"#, #"echo '{"subject":null}'"#,
            #"echo '{"refused":false}'"#, #"echo '{"refused":"true"}'"#, #"echo '{"subject":"42","refused":true}'"#,
            #"echo '{"subject":"42","more":1}'"#, #"echo '{"sub":"42"}'"#, #"echo '{"subject":"42"}{}'"#,
            #"echo '{"subject":"42","subject":"43"}'"#, #"echo '{"subject":"42"}'; exit 3"#,
            #"echo '{"subject":"42"}'; kill -9 $$"#, "head -c 70000 /dev/zero",
            #"echo '{}'; head -c 70000 /dev/zero | tr '\000' ' '"#,
        ])
    func nothing(_ script: String) async throws {
        #expect(try await link(script) == nil)
    }

    @Test("One that is not there says nothing", .proves("OIC-12"))
    func absent() async throws {
        #expect(await LinkCommand("/absent").link(of: try account()) == nil)
    }

    @Test("One that takes too long is ended, with what it has started", .proves("OIC-12"))
    func late() async throws {
        let begun = ContinuousClock.now
        #expect(try await link("sleep 3600 & echo '{}'; sleep 3600", within: .milliseconds(300)) == nil)
        #expect(ContinuousClock.now - begun < .seconds(1_800))
    }
}
