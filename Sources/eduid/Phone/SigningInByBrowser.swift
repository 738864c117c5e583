import Federation
import Foundation
import Hosting
import OAuth2Grants
import Synchronization
import Wire

extension Phone {
    /// Has the person sign in with a browser, and waits for it to come back.
    static func signInByBrowser(
        _ app: AuthorizingApp, calledBackAt address: CallbackAddress?, _ console: inout Console
    ) throws(Failure) {
        guard let address else {
            throw .refused(
                "this phone has no address to be called back at; make one with 'eduid phone init --callback'")
        }
        // What the browser opens has to be listened at before it is sent.
        let door = try CallbackDoor(at: address)
        let location = try waiting { () async throws(Rejection) in
            try await app.beginBrowserSignIn(callingBackAt: address)
        }
        console.say("Open this in a browser, within 90 seconds:")
        console.say()
        console.say("  \(location)")
        console.say()
        while true {
            guard let link = try door.map({ door throws(Failure) in try door.link() }) ?? typed() else {
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

        func add(_ link: String) { found.withLock { $0.append(link) } }

        func next() -> String? { found.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
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
    func link() throws(Failure) -> String? {
        let links = links
        let found = Waiting.value { () async -> String? in
            // Bound: twelve minutes.
            for _ in 0..<7_200 {
                if let link = links.next() { return link }
                try? await Task.sleep(for: .milliseconds(100))
            }
            return nil
        }
        return found ?? nil
    }

    private static var page: HTTP.Response {
        var response = HTTP.Response(.ok, body: Array("Go back to the terminal.\n".utf8))
        // Fixed words keep the rules of fields.
        try? response.fields.append(.contentType, "text/plain; charset=utf-8")
        try? response.fields.append(.cacheControl, "no-store")
        return response
    }
}
