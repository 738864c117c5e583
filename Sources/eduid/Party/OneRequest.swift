import Foundation
import Hosting
import Wire

extension Running {
    /// The variable in which a web server that starts the program by CGI says which party is meant.
    static let folderVariable = "EDUID_FOLDER"

    /// Answers the one request for which a web server started the program, and the exit status (CGI-5).
    ///
    /// The answer has standard output for itself. What somebody should know goes where web servers keep it, to standard
    /// error.
    static func answer(_ gateway: Gateway) -> Int32 {
        let lines = Lines(upTo: .debug, output: STDERR_FILENO)
        do throws(Failure) {
            guard let folder = ProcessInfo.processInfo.environment[folderVariable] else {
                throw .refused("no '\(folderVariable)' names the party; 'eduid init FOLDER --print cgi' has all of it")
            }
            let console = Console.system()
            let configuration = try Configuration(in: folder, from: console)
            guard configuration.listening.isByCGI else {
                throw .refused("'listen' in '\(folder)' has to say 'cgi: true'")
            }
            let books = try Books(of: configuration) { lines.write($0, as: $1) }
            var policy = Server.Policy()
            policy.authorities = configuration.ownHosts
            policy.origin = configuration.base
            let isWritten = Waiting.value { [policy] in
                await gateway.serve(policy: policy, log: { books.note(refused: $0) }) { request, client in
                    do throws(Failure) {
                        let party = try OpenParty(configuration, lasting: false, keeping: books, .system())
                        return await party.answer(request, client)
                    } catch {
                        books.say("\(error)", as: .error)
                        return HTTP.Response(.internalServerError)
                    }
                }
            }
            return isWritten == true ? EXIT_SUCCESS : EXIT_FAILURE
        } catch {
            lines.write("\(error)", as: .error)
            return gateway.fail() ? EXIT_SUCCESS : EXIT_FAILURE
        }
    }
}
