import Federation
import FederationTesting
import Foundation
@testable import Hosting
import JOSE
import OAuth2Grants
import RSD2
import Synchronization
import TestSupport
import Testing
import TokenTree
import Wire

/// The pages for people and administrators, as a browser without script uses them.
@Suite("The pages of an edu-ID service")
struct AccountPageTests {
    typealias Store = SharedStore<MemoryStore>
    static let password = "correct horse battery staple"

    /// An edu-ID service with a person whose phone is known at a service, its pages, and a browser.
    final class Scene {
        let host: PartyHost<EduIDService, Store>
        let pages: Pages<Store>
        let clock: Clock
        let person: SimulatedFederation.User
        var cookies: [String: String] = [:]
        var accepted = "en"
        var address = "192.0.2.7"

        final class Clock: Sendable {
            let now: Mutex<Timestamp>
            init(_ now: Timestamp) { self.now = Mutex(now) }
            func wait(_ seconds: Int64) { now.withLock { $0 = $0 + .seconds(seconds) } }
        }

        init(
            administrating: Bool = false, at base: String = Parties.eduID, named device: String? = nil,
            profile: JSON.Object? = nil, hasCodes: Bool = false
        ) throws {
            var parties = try Parties(seed: 71)
            if let device {
                parties.session = AuthorizingApp.Session(
                    try Parties.installation(
                        on: device, version: try .init(parties.versionKeys[0]), using: &parties.federation.entropy),
                    with: parties.session.eduID)
            }
            try parties.signIn()
            try parties.authorize(try ServiceURL(parsing: Parties.homes[0]))
            person = parties.person
            var service = parties.federation.eduID
            if administrating { service.policy.administrators = [person.subject] }
            let (user, told) = (person, profile ?? parties.person.profile)
            service.users = UserDirectory(
                user: { attempt in
                    if attempt.user.text.spells("busy") { return .unchecked }
                    let isRight = attempt.user == user.name && attempt.password == user.password
                    return isRight ? .user(user.subject) : .nobody
                },
                profile: { $0 == user.subject ? told : JSON.Object() },
                search: { $0.spells("ada") ? [user.subject] : [] })
            let clock = Clock(parties.federation.now)
            self.clock = clock
            if hasCodes {
                service.users = try CodedAccounts(clock: { clock.now.withLock { $0 } }).accounts.directory
            }
            host = PartyHost(
                service, in: SharedStore(parties.federation.eduIDStore), clock: { clock.now.withLock { $0 } })
            var settings = PageSettings(named: "edu-ID & <co>")
            settings.backupDays = 30
            settings.help = try WebURL(parsing: "https://help.example.ch/?a=1&b=2")
            pages = Pages(host, at: try WebURL(parsing: base), settings, clock: { clock.now.withLock { $0 } })
        }

        /// Asks as the browser does, which keeps cookies.
        func ask(
            _ method: HTTP.Request.Method, _ target: String, _ form: [(String, String)] = [],
            _ fields: [(String, String)] = []
        ) async throws -> HTTP.Response? {
            var request = HTTP.Request(method, try HTTP.Request.Target(parsing: target))
            if method == .post {
                request.body = HTTP.Form(form.map { HTTP.Form.Pair($0.0, $0.1) }).encoded()
                try request.fields.append(.contentType, "application/x-www-form-urlencoded")
            }
            let jar = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
            for (name, value) in [("Cookie", jar), ("Accept-Language", accepted)] + fields where !value.isEmpty {
                try request.fields.append(try HTTP.Field.Name(parsing: name), value)
            }
            let client = try client(address)
            let response = await pages.response(to: request, from: client)
            for cookie in response?.fields.values(of: try HTTP.Field.Name(parsing: "Set-Cookie")) ?? [] {
                let pair = cookie.split(separator: ";")[0].split(separator: "=", omittingEmptySubsequences: false)
                #expect(cookie.contains("; Path=/; Secure; HttpOnly; SameSite=Lax") && pair[0].hasPrefix("__Host-"))
                cookies[String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1])
            }
            return response
        }

        private func client(_ address: String) throws -> HTTP.Client {
            let four = try URI.IPv4Address(parsing: Array(address.utf8).span)
            return try HTTP.Forwarding.ignored.client(of: .ipv4(four), scheme: .https, fields: HTTP.Fields())
        }

        /// The page at a path.
        func page(_ target: String) async throws -> String {
            let response = try #require(try await ask(.get, target))
            #expect(response.status == .ok, "\(target): \(response.status)")
            return String(decoding: response.body, as: UTF8.self)
        }

        /// What the form of a page bears.
        func token(on target: String) async throws -> String {
            let page = try await page(target)
            let start = try #require(page.range(of: "name=\"token\" value=\"")?.upperBound)
            return String(page[start...].prefix { $0 != "\"" })
        }

        func signIn(
            _ password: String = AccountPageTests.password, as user: String = "ada", code: String? = nil,
            next: String? = nil
        ) async throws -> HTTP.Response {
            cookies["__Host-eduid-session"] = nil
            let token = try await token(on: "/account/sign-in")
            return try #require(
                try await ask(
                    .post, "/account/sign-in",
                    [("token", token), ("user", user), ("password", password)]
                        + (code.map { [("code", $0)] } ?? []) + (next.map { [("next", $0)] } ?? [])))
        }

        var isPhoneSignedIn: Bool {
            get async throws {
                let list = await host.carryOut { [person] in
                    $0.exchange(for: .instances, of: person.subject, at: $1, using: &$2)
                }
                return String(decoding: list.body, as: UTF8.self).contains("\"platform\":\"ios\"")
            }
        }
    }

    func place(_ response: HTTP.Response?) -> String? {
        (try? HTTP.Field.Name(parsing: "Location")).flatMap { response?.fields.values(of: $0).first }
    }

    private let wholeList = [
        "", "/services", "/activity", "/data", "/end?what=everything", "/end?what=erasure", "/administration",
        "/administration/versions", "/administration/services", "/administration/messages",
        "/administration/act?act=lock&name=user-0001", "/nothing", "/end?what=service&name=https://alpha.example.ch/",
    ]

    @Test("What lies elsewhere is none of the pages', and what is no page is told so", .proves("OPS-16"))
    func places() async throws {
        let scene = try Scene()
        for other in ["/", "/token", "/accounts", "/accountant/x", "/Account", "/instances", "/account%2F"] {
            #expect(try await scene.ask(.get, other) == nil, "\(other)")
        }
        #expect(try await scene.ask(.get, "/account/nothing")?.status == .notFound)
        #expect(try await scene.ask(.get, "/account//services")?.status == .notFound)
        #expect(try await scene.ask(.post, "/account/data")?.status == .methodNotAllowed)
        #expect(try await scene.ask(.get, "/account/sign-out")?.status == .methodNotAllowed)
        #expect(try await scene.ask(.delete, "/account")?.status == .methodNotAllowed)
        let nested = try Scene(at: "https://example.ch/eduid/")
        #expect(try await nested.ask(.get, "/account") == nil)
        #expect(place(try await nested.ask(.get, "/eduid/account")) == "https://example.ch/eduid/account/sign-in")
    }

    @Test("Nobody sees a page without signing in, and is then where he or she wanted to be", .proves("OPS-15"))
    func signingIn() async throws {
        let scene = try Scene()
        for path in wholeList where path != "/nothing" {
            let response = try await scene.ask(.get, "/account" + path)
            #expect(place(response)?.hasPrefix("https://eduid.example.ch/account/sign-in") == true, "\(path)")
        }
        let asked = place(try await scene.ask(.get, "/account/data"))
        #expect(asked == "https://eduid.example.ch/account/sign-in?next=data")
        #expect(try await scene.signIn("wrong").status == .forbidden)
        // Where nobody could look at the password nothing is said of it.
        let busy = try await scene.signIn(as: "busy")
        #expect(busy.status == .serviceUnavailable)
        #expect(String(decoding: busy.body, as: UTF8.self).contains("cannot answer at the moment"))
        #expect(scene.cookies["__Host-eduid-session"] == nil)
        let signedIn = try await scene.signIn(next: "activity")
        #expect(signedIn.status.code == 303 && place(signedIn) == "https://eduid.example.ch/account/activity")
        #expect(try await scene.page("/account").contains("University of Alpha"))
        #expect(place(try await scene.ask(.get, "/account/sign-in")) == "https://eduid.example.ch/account")
        for elsewhere in ["//evil.example", "https://evil.example", "end", "sign-out", "../token", ""] {
            let other = try Scene()
            let led = place(try await other.signIn(next: elsewhere))
            #expect(led == "https://eduid.example.ch/account", "\(elsewhere)")
        }
    }

    @Test("Nothing is done for a request that another site made", .proves("OPS-16"))
    func forgeries() async throws {
        let scene = try Scene(administrating: true)
        // A sign-in that another site makes would have people work in somebody else's account.
        _ = try await scene.page("/account/sign-in")
        let entry = [("user", "ada"), ("password", Self.password)]
        for token in [[], [("token", "")], [("token", "AAAA")], [("token", FormToken(for: "").text)]] {
            #expect(try await scene.ask(.post, "/account/sign-in", entry + token)?.status == .forbidden)
        }
        #expect(scene.cookies["__Host-eduid-session"] == nil)
        _ = try await scene.signIn()
        let good = try await scene.token(on: "/account/end?what=everything")
        let other = try Scene()
        _ = try await other.signIn()
        let foreign = try await other.token(on: "/account")
        let acts: [(String, [(String, String)])] = [
            ("/account/end", [("what", "everything")]), ("/account/end", [("what", "erasure")]),
            ("/account/administration/act", [("act", "lock"), ("name", "user-0001")]),
            ("/account/sign-out", []), ("/account/administration/messages", []),
        ]
        for (path, form) in acts {
            for token in [[], [("token", foreign)], [("token", good), ("token", good)]] {
                _ = try await scene.ask(.post, path, form + token)
            }
            // Browsers say truly from where a form comes, even one that knows the token.
            for site in ["cross-site", "same-site", "none"] {
                _ = try await scene.ask(.post, path, form + [("token", good)], [("Sec-Fetch-Site", site)])
            }
            #expect(try await scene.ask(.get, "/account")?.status == .ok, "\(path)")
            #expect(try await scene.isPhoneSignedIn)
        }
        let ended = try await scene.ask(
            .post, "/account/end", [("what", "everything"), ("token", good)], [("Sec-Fetch-Site", "same-origin")])
        #expect(place(ended)?.hasSuffix("/account/sign-in?said=everything") == true)
        #expect(try await !scene.isPhoneSignedIn)
    }

    @Test("What ends something takes the password again after five minutes", .proves("OPS-16"))
    func again() async throws {
        let scene = try Scene(administrating: true)
        _ = try await scene.signIn()
        #expect(try await !scene.page("/account/end?what=everything").contains("type=\"password\""))
        scene.clock.wait(300)
        #expect(try await scene.page("/account/end?what=everything").contains("type=\"password\""))
        let token = try await scene.token(on: "/account")
        for (path, form) in [
            ("/account/end", [("what", "everything")]), ("/account/end", [("what", "erasure")]),
            ("/account/administration/act", [("act", "sign-out"), ("name", "user-0001")]),
        ] {
            for password in [[], [("password", "")], [("password", "wrong")]] {
                let refused = try await scene.ask(.post, path, form + [("token", token)] + password)
                #expect(refused?.status == .forbidden, "\(path)")
                #expect(try await scene.isPhoneSignedIn)
            }
        }
        let former = try #require(scene.cookies["__Host-eduid-session"])
        let parts = try await scene.page("/account").split(separator: "what=device&amp;name=")
        let phone = try #require(parts.dropFirst().first)
        let id = String(phone.prefix { $0 != "\"" })
        let ended = try await scene.ask(
            .post, "/account/end",
            [("what", "device"), ("name", id), ("token", token), ("password", Self.password)])
        #expect(place(ended) == "https://eduid.example.ch/account?said=ended")
        #expect(try await !scene.isPhoneSignedIn)
        // The password began a new session, and the former one is over.
        let anew = try #require(scene.cookies["__Host-eduid-session"])
        #expect(anew != former)
        #expect(try await scene.page("/account?said=ended").contains("It has ended."))
        scene.cookies["__Host-eduid-session"] = former
        #expect(try await scene.ask(.get, "/account")?.status.code == 303)
        // For who wants to see something it was not needed.
        scene.cookies["__Host-eduid-session"] = anew
        scene.clock.wait(3_000)
        #expect(try await scene.page("/account/data").contains("30 days"))
    }

    @Test("A browser that is ended from itself is signed out, with the password or without", .proves("OPS-16"))
    func ownDevice() async throws {
        for seconds in [0, 400] as [Int64] {
            let scene = try Scene()
            _ = try await scene.signIn()
            scene.clock.wait(seconds)
            let token = try await scene.token(on: "/account")
            let secret = try #require(scene.cookies["__Host-eduid-session"])
            let session = try #require(
                try await scene.host.carryOut { $0.exchange(openingSession: secret, at: $1, using: &$2) }.get())
            let ended = try await scene.ask(
                .post, "/account/end",
                [("what", "device"), ("name", session.client.text), ("token", token), ("password", Self.password)])
            #expect(place(ended)?.hasSuffix("/account/sign-in?said=sign-out") == true)
            #expect(try await scene.ask(.get, "/account")?.status.code == 303)
            #expect(try await scene.isPhoneSignedIn)
        }
    }

    @Test("Administrators reach on pages what they reach below 'admin', and nobody else does", .proves("OPS-18"))
    func administration() async throws {
        let person = try Scene()
        _ = try await person.signIn()
        let own = try await person.token(on: "/account")
        for path in wholeList where path.hasPrefix("/administration") {
            #expect(try await person.ask(.get, "/account" + path)?.status == .forbidden, "\(path)")
        }
        let refused = try await person.ask(
            .post, "/account/administration/act", [("act", "lock"), ("name", "user-0001"), ("token", own)])
        #expect(refused?.status == .forbidden)
        #expect(try await !person.page("/account").contains("/account/administration"))

        let scene = try Scene(administrating: true)
        _ = try await scene.signIn()
        let people = try await scene.page("/account/administration")
        #expect(people.contains("user-0001") && people.contains("Ada Muster"))
        #expect(try await scene.page("/account/administration?search=ada").contains("Ada Muster"))
        #expect(try await !scene.page("/account/administration?search=nobody").contains("Ada Muster"))
        #expect(try await scene.page("/account/administration/versions").contains("ios"))
        #expect(try await scene.page("/account/administration/services").contains("University of Alpha"))
        #expect(try await scene.page("/account/administration/messages").contains("confirmed"))
        let token = try await scene.token(on: "/account/administration/act?act=block&name=ios-1.0")
        #expect(try await scene.page("/account/administration/act?act=block&name=ios-1.0").contains("Block ios 1?"))
        let blocked = try await scene.ask(
            .post, "/account/administration/act",
            [("act", "block"), ("name", "ios-1.0"), ("reason", "stolen & sold"), ("token", token)])
        #expect(place(blocked)?.hasSuffix("/account/administration/versions?said=done") == true)
        let versions = try await scene.page("/account/administration/versions")
        #expect(versions.contains("blocked") && versions.contains("stolen &amp; sold"))
        // A key that was stolen is withdrawn, if it is said when that was.
        let question = try await scene.page("/account/administration/act?act=withdraw&name=ios-1.0")
        #expect(question.contains("Withdraw the key of ios 1?") && question.contains("datetime-local"))
        let withdrawal = [("act", "withdraw"), ("name", "ios-1.0"), ("token", token)]
        for time in [nil, "", "yesterday", "2026-13-01T12:00", "2026-01-01", "2026-01-01T12:00:00Z"] {
            let pairs = withdrawal + (time.map { [("since", $0)] } ?? [])
            let wanted = try await scene.ask(.post, "/account/administration/act", pairs)
            #expect(wanted?.status == .badRequest, "\(time ?? "none")")
        }
        #expect(try await !scene.page("/account/administration/versions").contains("key withdrawn"))
        let withdrawn = try await scene.ask(
            .post, "/account/administration/act", withdrawal + [("since", "2026-01-01T12:00")])
        #expect(place(withdrawn)?.hasSuffix("/account/administration/versions?said=done") == true)
        let after = try await scene.page("/account/administration/versions")
        #expect(after.contains("key withdrawn") && !after.contains("act=withdraw&amp;name=ios-1.0"))
        // A name is a name, whatever characters it has.
        for name in ["../../token", "user-0001/lock", "user?x", "nobody", "%2e%2e"] {
            let nothing = try await scene.ask(
                .post, "/account/administration/act", [("act", "unlock"), ("name", name), ("token", token)])
            #expect(nothing?.status.code == 303, "\(name)")
        }
        #expect(try await scene.page("/account/administration").contains("not locked"))
        // Whoever locks him- or herself out is out.
        _ = try await scene.ask(
            .post, "/account/administration/act", [("act", "lock"), ("name", "user-0001"), ("token", token)])
        #expect(try await scene.ask(.get, "/account")?.status.code == 303)
        #expect(String(decoding: try await scene.signIn().body, as: UTF8.self).contains("locked"))
    }

    @Test(
        "Every page is well-formed whatever others are called, needs no script, and says how it may be used",
        .proves("OPS-17"))
    func markup() async throws {
        let hostile = #""><script>alert('x')</script>&amp;<b onclick="y"> '"#
        let scene = try Scene(
            administrating: true, named: hostile,
            profile: ["name": .string(hostile), "given_name": .string(hostile), "</dl><script>": .string(hostile)])
        _ = try await scene.signIn()
        for language in PageLanguage.allCases {
            scene.accepted = language.rawValue
            let odd = ["?said=%3Cscript%3E", "/administration?search=%22%3E%3Cscript%3E", "/services?x=%22"]
            for path in wholeList + odd {
                let response = try #require(try await scene.ask(.get, "/account" + path))
                let text = String(decoding: response.body, as: UTF8.self)
                for word in ["<script", "onclick=\"y", "style="] { #expect(!text.contains(word), "\(path)") }
                #expect(throws: Never.self, "\(path)") {
                    try XML.Element(parsing: Array(text.drop { $0 != "\n" }.dropFirst().utf8).span)
                }
                #expect(text.contains("<html lang=\"\(language.rawValue)\">"))
                for (name, value) in [
                    ("Content-Security-Policy", "default-src 'none'"), ("X-Frame-Options", "DENY"),
                    ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
                    ("Content-Type", "text/html; charset=utf-8"), ("Referrer-Policy", "same-origin"),
                ] {
                    let found = response.fields.values(of: try HTTP.Field.Name(parsing: name))
                    #expect(found.count == 1 && found[0].hasPrefix(value), "\(path): \(name)")
                }
                let policy = response.fields.values(of: try HTTP.Field.Name(parsing: "Content-Security-Policy"))
                #expect(!policy[0].contains("unsafe"))
            }
        }
        let activity = try await scene.page("/account/activity")
        #expect(activity.contains("&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)"))
    }

    @Test("People are spoken to in the language they chose, or else that their browsers ask for", .proves("OPS-17"))
    func languages() async throws {
        for (accepted, language) in [
            ("de-CH,de;q=0.9,en;q=0.8", "de"), ("rm, fr;q=0.5, it;q=0.7", "it"), ("fr", "fr"), ("ja", "en"), ("", "en"),
            ("de;q=0, fr;q=0.1", "fr"), ("*", "en"), ("de;q=x", "en"), (";;,,=", "en"), ("EN-gb;q=1", "en"),
        ] {
            let scene = try Scene()
            scene.accepted = accepted
            #expect(try await scene.page("/account/sign-in").contains("<html lang=\"\(language)\">"), "\(accepted)")
        }
        let scene = try Scene()
        #expect(try await scene.page("/account/sign-in?language=it").contains("lang=\"it\""))
        #expect(scene.cookies["__Host-eduid-language"] == "it")
        #expect(try await scene.page("/account/sign-in").contains("<html lang=\"it\">"))
        #expect(try await scene.page("/account/sign-in?language=xx").contains("<html lang=\"it\">"))
        // What is chosen on a question leaves the question.
        _ = try await scene.signIn()
        let question = try await scene.page("/account/end?what=everything")
        #expect(question.contains("/account/end?what=everything&amp;language=fr"))
    }

    @Test("What is kept is taken away as a document", .proves("OPS-16"))
    func download() async throws {
        let scene = try Scene()
        _ = try await scene.signIn()
        let response = try #require(try await scene.ask(.get, "/account/data/download"))
        let disposition = response.fields.values(of: try HTTP.Field.Name(parsing: "Content-Disposition"))
        #expect(disposition == ["attachment; filename=\"edu-id.json\""])
        let document = try JSON(parsing: response.body)
        #expect(document["user"]?.string == "user-0001" && document["services"]?.array?.count == 1)
        #expect(try await scene.page("/account/data").contains("/account/data/download"))
    }

    @Test("Where a browser is counts among failures and for nothing else", .proves("FWD-6"))
    func addresses() async throws {
        let scene = try Scene()
        _ = try await scene.signIn()
        let session = scene.cookies
        // Whoever moves from the office home stays signed in, and ends what is to end.
        scene.address = "203.0.113.9"
        #expect(try await scene.ask(.get, "/account")?.status == .ok)
        scene.cookies = [:]
        for number in 0..<40 {
            #expect(try await scene.signIn("wrong \(number)", as: "user-\(number)").status == .forbidden)
        }
        #expect(try await scene.signIn().status.code == 429)
        // Who is signed in already is not concerned.
        scene.cookies = session
        let token = try await scene.token(on: "/account/end?what=everything")
        let ended = try await scene.ask(.post, "/account/end", [("what", "everything"), ("token", token)])
        #expect(place(ended)?.hasSuffix("said=everything") == true)
        scene.address = "192.0.2.7"
        #expect(try await scene.signIn().status.code == 303)
        // From this machine everybody comes through the web server, and is not counted together.
        scene.address = "127.0.0.1"
        for number in 0..<41 {
            #expect(try await scene.signIn("wrong \(number)", as: "user-\(number)").status == .forbidden)
        }
        #expect(try await scene.signIn().status.code == 303)
    }

    @Test("A cookie that comes twice, or is none of ours, opens nothing", .proves("OPS-15"))
    func cookies() async throws {
        let scene = try Scene()
        _ = try await scene.signIn()
        let session = try #require(scene.cookies["__Host-eduid-session"])
        scene.cookies = [:]
        for jar in [
            "__Host-eduid-session=\(session); __Host-eduid-session=\(session)", "eduid-session=\(session)",
            "__host-eduid-session=\(session)", "__Host-eduid-session=\"\(session)\"", "__Host-eduid-session", "=;=;;",
            "__Host-eduid-session=\(session)%20", String(repeating: "a=b; ", count: 2_000),
        ] {
            let response = try await scene.ask(.get, "/account", [], [("Cookie", jar)])
            #expect(response?.status.code == 303, "\(jar.prefix(40))")
        }
        let found = try await scene.ask(.get, "/account", [], [("Cookie", "a=b;__Host-eduid-session=\(session) ;c=d")])
        #expect(found?.status.code == 303)
        let good = try await scene.ask(.get, "/account", [], [("Cookie", "a=b; __Host-eduid-session=\(session)")])
        #expect(good?.status == .ok)
    }
}
