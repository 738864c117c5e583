import Foundation
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

@Suite("eduid up --provider: a person signs in at an OpenID provider, with a browser")
struct ProviderTrialTests {
    /// A browser that keeps cookies, and is led from place to place.
    ///
    /// It waits on the thread of its test: a suspended test goes on when one of the few threads of all tests is free,
    /// which may be later than a phone waits.
    private final class Browser: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
        private(set) var cookies: [String: String] = [:]
        private lazy var session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        private func answer(to request: URLRequest) throws -> (response: HTTPURLResponse, body: Data) {
            let answer = Mutex<(Data?, URLResponse?, (any Error)?)>((nil, nil, nil))
            let hasCome = DispatchSemaphore(value: 0)
            session.dataTask(with: request) { body, response, error in
                answer.withLock { $0 = (body, response, error) }
                hasCome.signal()
            }.resume()
            hasCome.wait()
            let (body, response, error) = answer.withLock { $0 }
            if let error { throw error }
            return (try #require(response as? HTTPURLResponse), body ?? Data())
        }

        /// Opens a link; what is shown in the end, and where.
        func open(_ link: String) throws -> (place: URL, text: String) {
            var place = try #require(URL(string: link))
            for _ in 0..<8 {
                var request = URLRequest(url: place)
                request.httpShouldHandleCookies = false
                let pairs = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
                if !pairs.isEmpty { request.setValue(pairs, forHTTPHeaderField: "Cookie") }
                let (response, body) = try answer(to: request)
                if let text = response.value(forHTTPHeaderField: "Set-Cookie")?.prefix(while: { $0 != ";" }) {
                    let words = text.split(separator: "=", maxSplits: 1).map { String($0) }
                    cookies[words[0]] = words.count > 1 ? words[1] : ""
                }
                guard response.statusCode == 302 else { return (place, String(decoding: body, as: UTF8.self)) }
                let next = try #require(response.value(forHTTPHeaderField: "Location"))
                place = try #require(URL(string: next, relativeTo: place)?.absoluteURL)
            }
            throw URLError(.httpTooManyRedirects)
        }

        /// Goes to the provider, and says by a click who it is.
        func signIn(by link: String, as name: String) throws -> String {
            let page = try open(link)
            let start = try #require(page.text.firstRange(of: "href=\"")).upperBound
            let links = page.text[start...].components(separatedBy: "href=\"").compactMap {
                $0.components(separatedBy: "\"").first
            }
            let own = try #require(links.first { $0.hasSuffix("person=" + name) }, "\(page.text)")
            let href = own.replacingOccurrences(of: "&amp;", with: "&")
            return try open(try #require(URL(string: href, relativeTo: page.place)).absoluteString).text
        }
    }

    /// Runs a command of the phone that shows a link, and signs in with that.
    private func go(_ trial: RunningTrial, _ words: [String], as name: String, with browser: Browser) throws -> String {
        let (process, lines) = try RunningTrial.start(words, in: trial.folder)
        try #require(lines.waits(for: "/authorize?"), "\(lines.all)")
        let link = try #require(lines.all.first { $0.contains("/authorize?") }).trimmingCharacters(in: .whitespaces)
        _ = try browser.signIn(by: link, as: name)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(lines.all)")
        _ = lines.waits(for: "is signed in")
        return lines.all.joined(separator: "\n")
    }

    @Test("From the phone to the provider and back, and once more where more is demanded", .proves("FPA-18"))
    func signIn() throws {
        let trial = try RunningTrial("--provider")
        let browser = Browser()
        let signedIn = try go(trial, ["phone", "sign-in", "--browser"], as: "ada", with: browser)
        #expect(signedIn.contains("Ada Lovelace is signed in."), "\(signedIn)")
        #expect(browser.cookies.keys.contains("__Host-eduid-signin"))
        let used = try trial.run("phone", "status")
        #expect(used.status == 0 && used.output.contains("Ada Lovelace"), "\(used.output)")
        // Nothing here leads to more, and so the phone goes to the provider once more.
        sleep(2)
        let more = try go(trial, ["phone", "step-up", "--max-age", "0"], as: "ada", with: browser)
        #expect(more.contains("Ada Lovelace is signed in."), "\(more)")
    }
}
