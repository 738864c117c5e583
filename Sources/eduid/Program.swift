import Foundation
import Hosting

/// The program `eduid`: what the libraries of this package do, from the command line.
///
/// A new command is one more value in ``command`` or in one of its groups.
@main
enum Program {
    static let version = "0.2.0"

    static let command = Command(
        name: "eduid", abstract: "Keys, tokens, service descriptions and token trees of an identity federation.",
        discussion: """
            Files are named by their path, standard input by '-'. Secrets are read from files
            or standard input, never from arguments, which other users of a machine can see.
            With '--output json' a command prints one JSON object on one line, whose members
            its help lists; members may be added, but none is removed or changes its meaning.

            Exit status: 0 for success, 1 where the answer is no or something failed, 64 where
            the arguments are not understood. Messages go to standard error.
            """, version: version,
        subcommands: [
            Running.up, Phone.command, ReaderCommands.command, Running.initialize, Running.check, Running.serve,
            Administering.command, AccountCommands.command, Demo.command, Simulate.command, Keys.command,
            Tokens.command, Services.command, Trees.command,
            Vectors.command, Specification.command, .completions,
            .help,
        ])

    static func main() {
        // A reader that has seen enough closes its end of the pipe; the write then fails, and that is all that should
        // happen.
        signal(SIGPIPE, SIG_IGN)
        takeSignals()
        // What a client can put on this command line is no command (CGI-5).
        if let gateway = Gateway() { exit(Running.answer(gateway)) }
        var console = Console.system()
        exit(command.execute(Array(CommandLine.arguments.dropFirst()), on: &console))
    }

    /// Lets the signals that end a program end this one, whatever the process that started it had put off.
    private static func takeSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
