import Federation
import Foundation
import Hosting
import OAuth2Grants
import Synchronization
import Wire

extension Phone {
    /// Has the person sign in with a browser, and waits for it to come back.
    static func signInByBrowser(
        _ app: AuthorizingApp, calledBackAt address: CallbackAddress?,
        demanding demand: AuthenticationDemand = .none, _ console: inout Console
    ) throws(Failure) {
        guard let address else {
            throw .refused(
                "this phone has no address to be called back at; make one with 'eduid phone init --callback'")
        }
        // What the browser opens has to be listened at before it is sent.
        let door = try CallbackDoor(at: address)
        let location = try waiting { () async throws(Rejection) in
            try await app.beginBrowserSignIn(callingBackAt: address, demanding: demand)
        }
        console.say("Open this in a browser, within 90 seconds:")
        console.say()
        console.say("  \(location)")
        console.say()
        while true {
            guard let link = door.map({ $0.link() }) ?? typed() else {
                throw .refused("no browser came back; sign in again")
            }
            do throws(Rejection) {
                try waited { () async throws(Rejection) in try await app.returned(with: link) }
                break
            } catch {
                // What is not the answer leaves the sign-in as it is.
                guard case .unusable = error else { throw failure(of: error) }
                console.complain("This link is not the answer: \(error)")
            }
        }
        let session = try waiting { () async throws(Rejection) in await app.session }
        console.say("\(name(in: session) ?? "Somebody") is signed in.")
    }

    private static func typed() -> String? {
        let line = Typing.line("The link with which the browser calls the app back: ")
        return line.isEmpty ? nil : line
    }
}

/// Where a browser calls a terminal back: a port of this machine (RFC 8252 §7.3).
private struct CallbackDoor {
    private let address: CallbackAddress
    private let server: Server
    private let links: Links

    /// What came, for whoever waits.
    private final class Links: Sendable {
        private let found = Mutex<[String]>([])
        private let came = DispatchSemaphore(value: 0)

        /// Takes a link, unless so many wait that somebody else must be sending them.
        func add(_ link: String) {
            let isTaken = found.withLock { links in
                guard links.count < 16 else { return false }
                links.append(link)
                return true
            }
            if isTaken { came.signal() }
        }

        /// The next link; `nil` if none comes in so long.
        func next(within patience: DispatchTimeInterval) -> String? {
            guard came.wait(timeout: .now() + patience) == .success else { return nil }
            return found.withLock { $0.removeFirst() }
        }
    }

    /// Listens at an address; `nil` if it is not one of this machine.
    init?(at address: CallbackAddress) throws(Failure) {
        guard let url = try? WebURL(parsing: address.text), url.scheme == .http, let port = url.port,
            let place = Address("\(url.host.text):\(port)")
        else { return nil }
        self.address = address
        let links = Links()
        self.links = links
        let path = url.path
        server = try Failure.refusing(
            "the address to be called back at",
            try Server(at: Listener.listen(at: place)) { request, _ in
                guard request.method == .get, request.target.path.utf8.elementsEqual(path.utf8),
                    let query = request.target.query
                else { return HTTP.Response(.notFound) }
                links.add(address.text + "?" + query)
                return Self.page
            })
        let server = server
        Task { try? await server.run() }
    }

    /// The link with which a browser came; `nil` if none did in as long as the service waits.
    func link() -> String? { links.next(within: .seconds(690)) }

    private static var page: HTTP.Response {
        var response = HTTP.Response(.ok, body: Array("Go back to the terminal.\n".utf8))
        // Fixed words keep the rules of fields.
        try? response.fields.append(.contentType, "text/plain; charset=utf-8")
        try? response.fields.append(.cacheControl, "no-store")
        return response
    }
}
