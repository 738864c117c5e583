import Federation
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("My apps, at a service")
struct AppAccountTests {
    private static let apps = Stage.home + "/oauth/apps"
    private static let admin = Stage.home + "/oauth/admin"
    private static let reader: BundleID = "ch.example.reader"
    private static let writer: BundleID = "ch.example.writer"

    /// A request by whoever holds a service token.
    private func ask(
        _ stage: inout Stage, _ held: Held, _ method: HTTP.Request.Method, _ url: String, _ query: String = "",
        body: String = ""
    ) throws -> HTTP.Response {
        let proof = try stage.proof(held, url).text
        var request = try Stage.get(url + query, bearer: proof, method: method)
        if method == .post {
            try request.fields.append(.contentType, "application/x-www-form-urlencoded")
            request = HTTP.Request(.post, request.target, fields: request.fields, body: Array(body.utf8))
        }
        return stage.send(request)
    }

    private func list(_ response: HTTP.Response) throws -> [JSON] {
        #expect(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
        return try #require(try JSON(parsing: response.body).array)
    }

    /// The same user on another instance.
    private func second(_ stage: inout Stage) throws -> Held {
        let assertion = try stage.assertion("assertion-2").claiming([
            "azp": "instance-2", "cnf": ["jwk": try Pair.json(Pair.otherInstance), "kid": "client-2"],
        ])
        let proof = stage.requestToken(Stage.token, .pair(Pair.otherInstance), named: "client-2", of: "instance-2")
        return try Held(stage.send(try Stage.redeeming(assertion, proof)), .pair(Pair.otherInstance), of: "instance-2")
    }

    /// Another user.
    private func stranger(_ stage: inout Stage) throws -> Held {
        let assertion = try stage.assertion("assertion-3").claiming(["sub": "user-9", "azp": "instance-3"])
        let proof = stage.requestToken(Stage.token, .pair(Pair.instance), named: "client-1", of: "instance-3")
        return try Held(stage.send(try Stage.redeeming(assertion, proof)), .pair(Pair.instance), of: "instance-3")
    }

    @Test(
        "A user sees what apps were given, through which instance, and nobody else's", .proves("APP-11"),
        .proves("threat-77"))
    func lists() throws {
        var (stage, first, reader) = try Stage.authorized()
        stage.service.policy.notesUse = true
        let issued = stage.now.seconds
        stage.now = stage.now + .seconds(20)
        #expect(try stage.opens(Stage.papi, reader))
        let second = try second(&stage)
        let writer = try stage.authorize(with: second, for: Self.writer.text, scope: Stage.papi + " " + Stage.lti)
        let stranger = try stranger(&stage)
        _ = try stage.authorize(with: stranger)
        let tokens = try list(try ask(&stage, first, .get, Self.apps))
        #expect(tokens.count == 2)
        let own = try #require(tokens.first { $0["app"]?.string == Self.reader.text })
        #expect(own["this"] == true && own["scope"]?.string == Stage.papi && own["instance"] == "instance-1")
        #expect(own["issued"] == .number(JSON.Number(issued)))
        #expect(own["last_used"] == .number(JSON.Number(issued + 20)))
        let other = try #require(tokens.first { $0["app"]?.string == Self.writer.text })
        #expect(other["this"] == nil && other["scope"]?.string == Stage.papi + " " + Stage.lti)
        // The service knows no more of the device than its name here.
        #expect(other["instance"] == "instance-2" && other.object?.count == 4)
        #expect(try list(try ask(&stage, stranger, .get, Self.apps)).count == 1)
        // An app sees nothing of that.
        try Expected("invalid_token", 401, "threat-18").check(
            &stage, try Stage.get(Self.apps, bearer: stage.proof(writer, Self.apps).text))
    }

    @Test(
        "A user ends one app, whichever instance gave it something; it learns so at its next request", .proves("TOK-5"),
        .proves("TOK-4"))
    func ends() throws {
        var (stage, first, reader) = try Stage.authorized()
        let second = try second(&stage)
        let again = try stage.authorize(with: second)
        let writer = try stage.authorize(with: second, for: Self.writer.text)
        let stranger = try stranger(&stage)
        let foreign = try stage.authorize(with: stranger)
        let path = Self.apps + "/" + Self.reader.text
        #expect(try ask(&stage, first, .delete, path).status == .noContent)
        #expect(try !stage.opens(Stage.papi, reader) && !stage.opens(Stage.papi, again))
        #expect(try stage.opens(Stage.papi, writer) && stage.opens(Stage.papi, foreign))
        #expect(stage.store.verdict(of: try reader.record, at: stage.now).reason == .user)
        #expect(stage.send(try stage.refreshing(reader)).status == .badRequest)
        #expect(try list(try ask(&stage, first, .get, Self.apps)).map { $0["app"]?.string } == [Self.writer.text])
        #expect(try ask(&stage, first, .delete, path).status == .notFound)
        #expect(try ask(&stage, first, .delete, Self.apps).status == .noContent)
        #expect(try !stage.opens(Stage.papi, writer) && stage.opens(Stage.papi, foreign))
        #expect(try ask(&stage, first, .delete, Self.apps).status == .notFound)
        // The instances keep their tokens, and the person may authorize the app anew.
        _ = try stage.authorize(with: first)
    }

    @Test("Ending works with an old token, and for whom the service admits no more", .proves("USR-5"))
    func oldTokens() throws {
        var (stage, first, reader) = try Stage.authorized()
        stage.service.policy.instances = .allBut([ClientID(stringLiteral: Stage.instance)])
        stage.now = stage.now + .seconds(4_000)
        #expect(try ask(&stage, first, .get, Self.apps).status == .unauthorized)
        #expect(try ask(&stage, first, .delete, Self.apps).status == .noContent)
        #expect(stage.store.verdict(of: try reader.record, at: stage.now).reason == .user)
    }

    @Test("Lists are for whom the service admits, and for a token that is good for them", .proves("USR-5"))
    func listsAskThePolicy() throws {
        var stage = try Stage.fresh()
        stage.service.policy.serviceScope = try Scope(parsing: Stage.lti)
        let first = try stage.redeem()
        #expect(try ask(&stage, first, .get, Self.apps).status == .ok)
        stage.service.policy.instances = .allBut([ClientID(stringLiteral: Stage.instance)])
        #expect(try ask(&stage, first, .get, Self.apps).status == .unauthorized)
        #expect(stage.refusals.last?.clause == "USR-5")
        stage.service.policy.instances = .everybody
        let less = try Stage.form(
            ["grant_type": "refresh_token", "refresh_token": first.refresh, "scope": Stage.lti],
            bearer: stage.proof(first).text)
        let narrowed = try Held(stage.send(less), first.key, of: first.holder)
        for method in [HTTP.Request.Method.get, .delete] {
            #expect(try ask(&stage, narrowed, method, Self.apps).status == .forbidden)
            #expect(stage.refusals.last?.clause == "AST-7")
        }
    }

    @Test("On the service's own pages a user does the same", .proves("TOK-5"))
    func onPages() throws {
        var (stage, _, reader) = try Stage.authorized()
        func ask(_ command: FederationService.AccountCommand, of user: Record.Subject) -> HTTP.Response {
            let (service, now) = (stage.service, stage.now)
            var entropy = stage.entropy
            return stage.store.carryOut { service.exchange(for: command, of: user, at: now, using: &entropy) }
        }
        let user = try Record.Subject(parsing: Stage.user)
        #expect(try list(ask(.apps, of: user)).count == 1 && list(ask(.apps, of: "user-9")).isEmpty)
        #expect(ask(.end(Self.reader), of: "user-9").status == .notFound)
        #expect(ask(.end(Self.reader), of: user).status == .noContent)
        #expect(ask(.endAll, of: user).status == .notFound)
        #expect(try !stage.opens(Stage.papi, reader))
    }

    /// That a request is refused for a lock that the store knows of, and changes nothing.
    private func expectLockedOut(
        _ stage: inout Stage, _ request: HTTP.Request, location: SourceLocation = #_sourceLocation
    ) throws {
        let before = stage.contents
        let response = stage.send(request)
        #expect(response.status == .badRequest, sourceLocation: location)
        #expect(try JSON(parsing: response.body)["error"] == "access_denied", sourceLocation: location)
        #expect(stage.contents == before, sourceLocation: location)
    }

    // MARK: Administrators

    private func administrated() throws -> (Stage, Held, Held) {
        var (stage, held, app) = try Stage.authorized()
        stage.service.policy.administrators = [Subject(stringLiteral: Stage.user)]
        return (stage, held, app)
    }

    @Test(
        "The endpoints are for administrators", .proves("TOK-5"),
        arguments: [
            "GET users", "DELETE users/user-9", "POST users/user-9/lock", "POST users/user-9/unlock",
            "DELETE users/user-9/apps/ch.example.reader", "GET apps", "DELETE apps/ch.example.reader",
            "POST apps/ch.example.reader/lock", "POST apps/ch.example.reader/unlock",
        ])
    func authorization(_ endpoint: String) throws {
        let words = endpoint.split(separator: " ")
        let method = try HTTP.Request.Method(parsing: String(words[0]))
        let url = Self.admin + "/" + words[1]
        var (stage, held, app) = try Stage.authorized()
        let before = stage.contents.count
        let refused = try ask(&stage, held, method, url)
        #expect(refused.status == .forbidden && stage.refusals.last?.clause == "TOK-5")
        var request = try Stage.get(url, bearer: stage.proof(app, url).text, method: method)
        #expect(stage.send(request).status == .unauthorized)
        request = try Stage.get(url, method: method)
        #expect(stage.send(request).status == .unauthorized)
        #expect(stage.contents.count <= before + 2)
        stage.service.policy.administrators = [Subject(stringLiteral: Stage.user)]
        #expect(try [200, 204, 404].contains(ask(&stage, held, method, url).status.code))
    }

    @Test("Users and apps are listed with what they have, a portion at a time", .proves("TOK-5"), .proves("threat-14"))
    func listsForAdministrators() throws {
        var (stage, held, _) = try administrated()
        let stranger = try stranger(&stage)
        _ = try stage.authorize(with: stranger)
        _ = try stage.authorize(with: stranger, for: Self.writer.text)
        let users = try list(try ask(&stage, held, .get, Self.admin + "/users"))
        #expect(users.map { $0["user"]?.string } == [Stage.user, "user-9"] && users.map { $0["instances"] } == [1, 1])
        let apps = try list(try ask(&stage, held, .get, Self.admin + "/apps"))
        #expect(apps.map { $0["app"]?.string } == [Self.reader.text, Self.writer.text])
        #expect(apps.map { $0["tokens"] } == [2, 1] && apps.map { $0["users"] } == [2, 1])
        let page = try ask(&stage, held, .get, Self.admin + "/apps", "?limit=2")
        #expect(try list(page).count == 1)
        #expect(page.fields.value(of: try HTTP.Field.Name(parsing: "Link")).value?.contains("limit=2&after=") == true)
    }

    @Test("One who was introduced several times comes once, whatever the portions", .proves("TOK-5"))
    func portions() throws {
        var (stage, held, _) = try administrated()
        _ = try stranger(&stage)
        _ = try second(&stage)
        var (found, query): ([String], String?) = ([], "?limit=1")
        while let next = query, found.count < 9 {
            let page = try ask(&stage, held, .get, Self.admin + "/users", next)
            found += try list(page).compactMap { $0["user"]?.string }
            let link = page.fields.value(of: try HTTP.Field.Name(parsing: "Link")).value
            query = link.map { String($0.dropFirst().prefix { $0 != ">" }) }
        }
        #expect(found.sorted() == [Stage.user, "user-9"])
    }

    @Test("However much is asked for at once, 256 tokens of an app end with one request", .proves("threat-59"))
    func endsInSteps() throws {
        var (stage, held, _) = try administrated()
        let (now, ground) = (stage.now, try held.record)
        let tokens = (0..<300).map { number in
            Record(
                id: TokenID(stringLiteral: "many-\(number)"), kind: .app, parent: ground, issued: now,
                holder: Record.Holder(Self.reader), subject: Record.Subject(stringLiteral: Stage.user))
        }
        #expect(stage.store.commit(Batch(at: now, tokens.map { .insert($0) })) == .applied)
        let path = Self.admin + "/apps/" + Self.reader.text
        let answer = try ask(&stage, held, .delete, path, "?limit=1000")
        #expect(answer.status.code == 202 && stage.store.living(.app, at: now) == 301 - 256)
        let link = try #require(answer.fields.value(of: try HTTP.Field.Name(parsing: "Link")).value)
        let rest = try ask(&stage, held, .delete, path, String(link.dropFirst().prefix { $0 != ">" }))
        #expect(rest.status == .noContent && stage.store.living(.app, at: now) == 0)
    }

    @Test("An app is ended for one user and for all, and says why", .proves("APP-6"), .proves("TOK-5"))
    func endsApps() throws {
        var (stage, held, own) = try administrated()
        let stranger = try stranger(&stage)
        let foreign = try stage.authorize(with: stranger)
        let writer = try stage.authorize(with: stranger, for: Self.writer.text)
        let one = Self.admin + "/users/user-9/apps/" + Self.reader.text
        #expect(try ask(&stage, held, .delete, one).status == .noContent)
        #expect(try !stage.opens(Stage.papi, foreign) && stage.opens(Stage.papi, own))
        // All of an app comes a portion of all tokens at a time.
        var (query, rounds) = ("?reason=leaks&limit=1", 0)
        while true {
            let answer = try ask(&stage, held, .delete, Self.admin + "/apps/" + Self.reader.text, query)
            rounds += 1
            guard answer.status.code == 202, rounds < 9 else {
                #expect(answer.status == .noContent)
                break
            }
            let link = try #require(answer.fields.value(of: try HTTP.Field.Name(parsing: "Link")).value)
            query = String(link.dropFirst().prefix { $0 != ">" })
        }
        #expect(rounds == 3)
        #expect(try !stage.opens(Stage.papi, own) && stage.opens(Stage.papi, writer))
        let apps = try list(try ask(&stage, held, .get, Self.admin + "/apps"))
        #expect(apps.first { $0["app"]?.string == Self.reader.text }?["reason"] == "leaks")
    }

    @Test(
        "A locked app is given nothing and renews nothing, until it is unlocked", .proves("APP-6"), .proves("threat-78")
    )
    func locksApps() throws {
        var (stage, held, app) = try administrated()
        let path = Self.admin + "/apps/" + Self.reader.text
        #expect(try ask(&stage, held, .post, path + "/lock", body: "reason=leaks").status == .noContent)
        try expectLockedOut(
            &stage, try Stage.authorizing(stage.code(with: held, binding: Pair.app), stage.proof(held)))
        try expectLockedOut(
            &stage, try stage.refreshing(app))
        _ = try stage.authorize(with: held, for: Self.writer.text)
        let locked = try list(try ask(&stage, held, .get, Self.admin + "/apps", "?locked=true"))
        #expect(locked.count == 1 && locked[0]["reason"] == "leaks")
        #expect(try ask(&stage, held, .post, path + "/unlock").status == .noContent)
        #expect(try ask(&stage, held, .post, path + "/unlock").status == .notFound)
        _ = try stage.authorize(with: held)
    }

    @Test(
        "A locked user loses everything here and is not let in again, until unlocked", .proves("AST-6"),
        .proves("threat-78"))
    func locksUsers() throws {
        var (stage, held, own) = try administrated()
        let stranger = try stranger(&stage)
        let foreign = try stage.authorize(with: stranger)
        let path = Self.admin + "/users/user-9"
        #expect(try ask(&stage, held, .post, path + "/lock").status == .noContent)
        #expect(try !stage.opens(Stage.papi, foreign) && stage.opens(Stage.papi, own))
        let assertion = try stage.assertion("assertion-4").claiming(["sub": "user-9", "azp": "instance-3"])
        let proof = stage.requestToken(Stage.token, .pair(Pair.instance), named: "client-1", of: "instance-3")
        try expectLockedOut(
            &stage, try Stage.redeeming(assertion, proof))
        let users = try list(try ask(&stage, held, .get, Self.admin + "/users", "?locked=true"))
        #expect(users.map { $0["user"]?.string } == ["user-9"])
        #expect(try list(try ask(&stage, held, .get, Self.admin + "/apps", "?locked=true")).isEmpty)
        #expect(try ask(&stage, held, .post, path + "/unlock").status == .noContent)
        // The assertion was not spent.
        #expect(
            stage.send(
                try Stage.redeeming(
                    assertion,
                    stage.requestToken(
                        Stage.token, .pair(Pair.instance), named: "client-1", of: "instance-3"))
            ).status == .ok)
    }

    @Test("What was decided before a lock is stored after it as nothing", .proves("threat-78"))
    func lockedMeanwhile() throws {
        var (stage, held, _) = try administrated()
        let lock = HTTP.Request(
            .post, .absolute(try WebURL(parsing: Self.admin + "/apps/" + Self.reader.text + "/lock")),
            fields: try Stage.get(
                Self.admin, bearer: stage.proof(held, Self.admin + "/apps/" + Self.reader.text + "/lock").text
            ).fields)
        let app = try Stage.authorizing(stage.code(with: held, binding: Pair.app), stage.proof(held))
        let (locked, given) = stage.race(lock, app)
        #expect(locked.status == .noContent)
        #expect(try given.status == .badRequest && JSON(parsing: given.body)["error"] == "access_denied")
    }

    @Test("Administrators of the host begin the same", .proves("TOK-5"))
    func byTheHost() throws {
        var (stage, _, app) = try Stage.authorized()
        func ask(_ command: FederationService.Administration) -> HTTP.Response {
            let (service, now) = (stage.service, stage.now)
            var entropy = stage.entropy
            return stage.store.carryOut { service.exchange(for: command, at: now, using: &entropy) }
        }
        #expect(try list(ask(.users())).count == 1 && list(ask(.apps(locked: true))).isEmpty)
        #expect(ask(.endUser(Record.Subject(stringLiteral: Stage.user))).status == .noContent)
        #expect(try !stage.opens(Stage.papi, app))
        #expect(ask(.endUser(Record.Subject(stringLiteral: Stage.user))).status == .notFound)
    }
}
