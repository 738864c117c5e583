import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TestSupport
import Testing
import TokenTree
import Wire

@Suite("(2) Signing in with a browser, at a provider")
struct BrowserSignInTests {
    @Test(
        "The app gets a code for itself, and what the provider says of the person goes where it is released",
        .proves("OIC-1"), .proves("OIC-3"), .proves("OIC-13"))
    func signsIn() throws {
        var street = try Street()
        try street.signIn()
        #expect(street.parties.session.isSignedIn)
        #expect(street.parties.session.profile["given_name"] == "Augusta")
        #expect(street.cookies["__Host-eduid-signin"]?.utf8.count == 43)
        // At a service it is the provider's word that is released, and no more of it than to others.
        let service = try ServiceURL(parsing: Parties.homes[0])
        try street.parties.authorize(service)
        #expect(street.parties.session.authorizedServices == [service])
        // The app sees no token of the provider, and the provider none of ours.
        let texts = street.parties.federation.traffic.compactMap { $0.response?.body }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let access = try #require(texts.first { $0.contains(#""id_token":"#) })
        #expect(texts.count { $0 == access } == 1)
    }

    @Test("A simulated provider with many accounts shows some of them, and takes the names of the others")
    func manyAccounts() throws {
        var street = try Street()
        street.parties.federation.provider?.people = (0..<20_000).map { SimulatedProvider.Person("P-\($0)") }
        let place = try street.begin()
        let (endpoint, page) = try (Street.provider + "authorize", street.location(street.open(place.text)))
        let body = try street.open(page).body
        let text = String(decoding: body, as: UTF8.self)
        #expect(body.count < 1 << 20 && text.contains(">P-99<") && !text.contains(">P-100<"))
        // What the form keeps is all that was asked with.
        let kept = text.matches(of: /type="hidden" name="([^"]+)" value="([^"]*)"/)
            .map { HTTP.Form.Pair(String($0.1), String($0.2)) }
        #expect(endpoint + "?" + HTTP.Form(kept).text == page)
        let answered = endpoint + "?" + HTTP.Form(kept + [HTTP.Form.Pair("person", "P-19999")]).text
        let link = try street.location(street.open(street.location(street.open(answered))))
        #expect(try street.parameters(link)["code"] != nil)
    }

    @Test("The name of a sign-in is good once, for 90 seconds, for the app that got it", .proves("OIC-1"))
    func once() throws {
        var street = try Street()
        let place = try street.begin()
        var other = street
        let stranger = place.text.replacing(street.parties.session.installation.instance.text, with: "another-app")
        #expect(try other.open(stranger).status == .badRequest && other.count("authorize") == 0)
        other.wait(90)
        #expect(try other.open(place.text).status == .badRequest)
        street.wait(89)
        _ = try street.location(street.open(place.text))
        let again = try street.open(place.text)
        #expect(again.status == .badRequest && street.lastClause == "OIC-5")
        #expect(String(decoding: again.body, as: UTF8.self).contains("Go back to the app"))
        // What is no name at all is refused by its form.
        #expect(try street.open(Parties.eduID + "/authorize?request_uri=x").status == .badRequest)
        #expect(street.lastClause == "RFC6749-3.1")
    }

    @Test("With a credential the endpoint is the app's, whatever else the query says", .proves("OIC-3"))
    func credential() throws {
        var street = try Street()
        let place = try street.begin()
        var request = HTTP.Request(.get, .absolute(place))
        try request.fields.append(.authorization, "Bearer x")
        let answer = street.parties.federation.send(request)
        let response = try #require(answer)
        #expect(response.status != .found && response.fields.value(of: .contentType) == .once("application/json"))
        // Its name is still good.
        _ = try street.location(street.open(place.text))
    }

    @Test("Only an address that is registered with the version is called back", .proves("OIC-2"))
    func addresses() throws {
        var street = try Street()
        for text in ["ch.eduid.mobile:/signed-in/", "ch.eduid.mobile:/signed-iN", "https://eduid.example.ch/callback"] {
            let address = try CallbackAddress(parsing: text)
            let rejection = #expect(throws: Rejection.self) {
                try street.perform(.browserSignIn(callingBackAt: address))
            }
            guard case .refused(let error)? = rejection else { throw Street.Stop(answer: HTTP.Response(.ok)) }
            #expect(error.code == .invalidRequest && street.lastClause == "OIC-2", "\(text)")
        }
    }

    @Test(
        "What nobody can be called back at is no address", .proves("OIC-2"),
        arguments: [
            "", "https:", "http://eduid.example.ch/x", "http://localhost:8080/x", "http://127.0.0.1/x", "eduid:/x",
            "http://127.0.0.1:/x", "http://[::1]:/x", "HTTPS://a.example/x",
            "javascript.x:alert", "ch..eduid:/x", ".ch.eduid:/x", "9a.b:/x", "CH.eduid:/x", "ch.eduid:x",
            "https://a.example/x?y=1", "https://a.example/x#y", "https://a.example/%41", "https://a.example/ x",
            "https://a.example/\u{e4}", "ch.eduid:/" + String(repeating: "x", count: 512),
        ])
    func noAddress(_ text: String) {
        #expect(throws: ParameterRejection.self) { try CallbackAddress(parsing: text) }
    }

    @Test("Links, schemes of domains and ports of the machine are addresses", .proves("OIC-2"))
    func addressesThereAre() throws {
        for text in [
            "https://app.example.ch/signed-in", "ch.eduid.mobile:/signed-in", "ch.eduid-2.x:/", "http://127.0.0.1:80/x",
            "http://[::1]:8084/signed-in",
        ] {
            #expect(try CallbackAddress(parsing: text).text == text)
        }
    }

    @Test(
        "An answer of the provider counts once, for the browser that was sent, at its own path", .proves("OIC-5"),
        .proves("OIC-6"))
    func answers() throws {
        var street = try Street()
        let place = try street.begin()
        let answer = try street.visitProvider(place)
        let mark = street.cookies
        for cookies in [[:], ["__Host-eduid-signin": String(repeating: "A", count: 43)]] {
            street.cookies = cookies
            #expect(try street.open(answer).status == .badRequest && street.lastClause == "OIC-5")
        }
        street.cookies = mark
        let elsewhere = answer.replacing("/callback/example?", with: "/callback/other?")
        #expect(try street.open(elsewhere).status == .badRequest && street.lastClause == "OIC-6")
        let foreign = answer.replacing("state=", with: "state=x").replacing("statex", with: "state")
        #expect(try street.open(foreign).status == .badRequest)
        #expect(street.count("token") == 0, "nothing was redeemed")
        let link = try street.location(street.open(answer))
        #expect(try street.parameters(link)["code"] != nil && street.count("token") == 1)
        #expect(try street.open(answer).status == .badRequest && street.count("token") == 1)
        try street.perform(.returning(with: link))
        #expect(street.parties.session.isSignedIn)
    }

    @Test("Whoever takes too long at the provider begins anew", .proves("OIC-5"))
    func late() throws {
        var street = try Street()
        let answer = try street.visitProvider(try street.begin())
        street.wait(600)
        #expect(try street.open(answer).status == .badRequest && street.count("token") == 0)
    }

    @Test("Of two answers at once one counts, and an app that begins anew leaves the first", .proves("OIC-5"))
    func anew() throws {
        var street = try Street()
        let first = try street.visitProvider(try street.begin())
        let second = try street.begin()
        #expect(try street.open(first).status == .badRequest)
        let link = try street.location(street.open(street.visitProvider(second)))
        try street.perform(.returning(with: link))
        #expect(street.parties.session.isSignedIn)
    }

    @Test("Why there is no code, the app is told in three words, and nothing is left of it", .proves("OIC-13"))
    func refusals() throws {
        var street = try Street()
        // The person did not want to.
        var told = try street.parameters(try street.link(as: "nobody"))
        #expect(told["error"] == "access_denied" && told["code"] == nil && told["iss"] == Parties.eduID)
        #expect(told["state"]?.utf8.count == 43)
        // What the provider says is about another request.
        street.parties.federation.provider?.distort = { $0["nonce"] = "another" }
        let link = try street.link()
        told = try street.parameters(link)
        #expect(told["error"] == "server_error" && told["error_description"] == nil && street.lastClause == "OIC-8")
        #expect(throws: Rejection.refused(OAuth2Error(.serverError))) { try street.perform(.returning(with: link)) }
        #expect(throws: Rejection.noPendingSignIn) { try street.perform(.returning(with: link)) }
        #expect(!street.parties.session.isSignedIn)
        let now = street.parties.federation.now
        #expect(street.parties.federation.eduIDStore.living(.personal, at: now) == 0)
    }

    @Test("Who is locked, or whose app was shut out meanwhile, gets no code", .proves("threat-78"), .proves("FED-4"))
    func shutOut() throws {
        var street = try Street()
        try street.signIn()
        let signIns = street.parties.federation.eduIDStore.page(of: .all(.personal), limit: 10)
        let user = try #require(signIns?.lineages.first?.record.subject)
        try street.perform(.signOut)
        street.parties.federation.administrate(.lock(user))
        #expect(try street.parameters(try street.link())["error"] == "access_denied")
        street.parties.federation.administrate(.unlock(user))
        let answer = try street.visitProvider(try street.begin())
        var versions = street.parties.federation.eduID.versions.all
        for index in versions.indices { versions[index].isBlocked = true }
        street.parties.federation.eduID.versions = try AppVersion.Registry(versions)
        let told = try street.parameters(try street.location(street.open(answer)))
        #expect(told["error"] == "access_denied" && street.lastClause == "FED-4" && street.count("token") == 2)
    }

    @Test("The browser of an app that was shut out meanwhile is sent nowhere", .proves("FED-4"))
    func shutOutBefore() throws {
        var street = try Street()
        let place = try street.begin()
        var versions = street.parties.federation.eduID.versions.all
        for index in versions.indices { versions[index].isBlocked = true }
        street.parties.federation.eduID.versions = try AppVersion.Registry(versions)
        let response = try street.open(place.text)
        #expect(response.status == .badRequest && street.lastClause == "FED-4" && street.cookies.isEmpty)
    }

    @Test("A code that a browser brought is redeemed with the address, by the app that asked", .proves("OIC-13"))
    func redemption() throws {
        var street = try Street()
        let link = try street.link()
        // The app says where it was called back.
        var heard: HTTP.Request?
        var federation = street.parties.federation
        var session = street.parties.session
        let now = federation.now
        _ = try? session.carryOut(.returning(with: link), at: now, using: &street.parties.federation.entropy) {
            if $0.target.path == "/token" { heard = heard ?? $0 }
            return nil
        }
        let request = try #require(heard)
        let form = try HTTP.Form(parsing: request.body)
        for address in [nil, "ch.eduid.mobile:/signed-iN"] {
            var changed = request
            let others = form.pairs.filter { $0.name != "redirect_uri" }
            changed.body = HTTP.Form(others + (address.map { [HTTP.Form.Pair("redirect_uri", $0)] } ?? [])).encoded()
            var copy = federation
            #expect(copy.send(changed)?.status == .badRequest)
            #expect(copy.refusals.last?.clause == "OIC-13")
        }
        #expect(federation.send(request)?.status == .ok)
    }

    @Test("Another person than who is signed in does not come in, and is told so", .proves("USR-1"))
    func otherPerson() throws {
        var street = try Street()
        try street.signIn()
        let told = try street.parameters(try street.link(as: "E-1"))
        #expect(told["error"] == "access_denied" && told["error_description"]?.contains("sign out") == true)
        #expect(street.parties.session.profile["given_name"] == "Augusta")
        try street.perform(.signOut)
        try street.signIn(as: "E-1")
        #expect(street.parties.session.profile["given_name"] == "Eve")
    }

    @Test("Where there is no provider nobody is sent to a browser", .proves("OIC-1"))
    func noProvider() throws {
        var street = try Street()
        street.parties.federation.eduID.provider = nil
        #expect(throws: Rejection.self) { try street.begin() }
        #expect(street.lastClause == "OIC-1")
        #expect(try street.open(Parties.eduID + "/callback/example?state=x").status == .notFound)
    }

    // MARK: The app

    @Test("The app waits through a restart, and takes no other link for the answer", .proves("OIC-13"))
    func otherLinks() throws {
        var street = try Street()
        let link = try street.link()
        let kept = street.parties.session.store.serialized(sealing: AppSample.seal)
        street.parties.session = AuthorizingApp.Session(
            street.parties.session.installation, with: street.parties.session.eduID,
            store: try AuthorizingApp.Store(parsing: kept, opening: AppSample.seal))
        let now = street.parties.federation.now
        #expect(street.parties.session.awaitedBrowser(at: now)?.address == street.callback)
        #expect(street.parties.session.pendingSignIn(at: now) == nil)
        let others = [
            link.replacing("ch.eduid.mobile:/signed-in?", with: "ch.eduid.mobile:/other?"),
            link.replacing("&state=", with: "&state=A"), link.replacing("state=", with: "stat="),
            link.replacing("&iss=https", with: "&iss=httpz"), link.replacing("iss=", with: "is="),
            link + "&error=access_denied", link + "&code=x", "", "?",
        ]
        for other in others {
            #expect(throws: Rejection.self, "\(other)") { try street.perform(.returning(with: other)) }
            #expect(street.parties.session.awaitedBrowser(at: now) != nil, "\(other)")
        }
        try street.perform(.returning(with: link))
        #expect(street.parties.session.isSignedIn && street.parties.session.awaitedBrowser(at: now) == nil)
    }

    @Test(
        "Where the word on whose token it is was lost once, what the person had hidden stays so", .proves("threat-72"),
        arguments: [1, 2])
    func lostName(_ times: Int) throws {
        var street = try Street()
        try street.signIn()
        let service = try ServiceURL(parsing: Parties.homes[1])
        try street.perform(.hiding(service))
        // Nobody signs out: the session ends elsewhere.
        #expect(try street.tell("l-1") == .ok)
        #expect(throws: Rejection.signedOut) { try street.perform(.launch) }
        let link = try street.link()
        var (federation, lost) = (street.parties.federation, 0)
        let now = federation.now
        try street.parties.session.carryOut(
            .returning(with: link), at: now, using: &street.parties.federation.entropy
        ) { request in
            let response = federation.send(request)
            guard request.target.path == "/userinfo", lost < times else { return response }
            lost += 1
            return nil
        }
        #expect(street.parties.session.isSignedIn && lost == times)
        #expect(street.parties.session.hiddenServices == (times == 1 ? [service] : []))
    }

    @Test("After a while nobody waits any more, and who gives up does not either", .proves("OIC-13"))
    func givingUp() throws {
        var street = try Street()
        let link = try street.link()
        var other = street
        try other.perform(.abandonedSignIn)
        #expect(throws: Rejection.noPendingSignIn) { try other.perform(.returning(with: link)) }
        street.wait(690)
        #expect(street.parties.session.awaitedBrowser(at: street.parties.federation.now) == nil)
    }

    @Test("Whoever learns a link has nothing: the code is the instance's", .proves("threat-26"))
    func stolen() throws {
        var street = try Street()
        let link = try street.link()
        var thief = street
        thief.parties.session = AuthorizingApp.Session(
            try Parties.installation(
                on: "another phone", version: SigningKey(street.parties.versionKeys[0]),
                using: &thief.parties.federation.entropy), with: street.parties.session.eduID)
        _ = try thief.begin()
        #expect(throws: Rejection.self) { try thief.perform(.returning(with: link)) }
        // Not even as an answer to the thief's own request.
        let own = try #require(try thief.parameters(thief.link())["state"])
        let state = try #require(try street.parameters(link)["state"])
        #expect(throws: Rejection.self) {
            try thief.perform(.returning(with: link.replacing(state, with: own)))
        }
        #expect(!thief.parties.session.isSignedIn)
        try street.perform(.returning(with: link))
        #expect(street.parties.session.isSignedIn)
    }

    // MARK: More than the sign-in was

    @Test("Who signed in at the provider is sent there for more, and keeps what there is", .proves("FPA-18"))
    func more() throws {
        var street = try Street()
        try street.signIn()
        try street.parties.authorize(try ServiceURL(parsing: Parties.homes[0]))
        let demand = try AuthenticationDemand([], maximumAge: 60)
        try street.perform(.stepUp(to: demand))
        street.wait(121)
        let rejection = #expect(throws: Rejection.self) { try street.perform(.stepUp(to: demand)) }
        guard case .refused(let error)? = rejection else { throw Street.Stop(answer: HTTP.Response(.ok)) }
        #expect(error.code == .redirectToWeb && error.demand == demand && street.lastClause == "FPA-18")
        try street.perform(.returning(with: try street.link(demanding: demand)))
        try street.perform(.stepUp(to: demand))
        let now = street.parties.federation.now
        #expect(street.parties.federation.eduIDStore.living(.personal, at: now) == 1)
        #expect(street.parties.federation.eduIDStore.living(.assertion, at: now) == 1)
    }

    @Test("Whom no browser can call back is told that nothing leads there", .proves("FPA-18"))
    func noMore() throws {
        var street = try Street()
        try street.signIn()
        street.wait(121)
        street.parties.federation.eduID.provider = nil
        let demand = try AuthenticationDemand([], maximumAge: 60)
        let rejection = #expect(throws: Rejection.self) { try street.perform(.stepUp(to: demand)) }
        guard case .refused(let error)? = rejection else { throw Street.Stop(answer: HTTP.Response(.ok)) }
        #expect(error.code == .unmetRequirements)
    }

    // MARK: What the provider ends

    @Test("A word that comes late ends nothing of a sign-in that was made anew meanwhile", .proves("OIC-17"))
    func lateWord() throws {
        var street = try Street()
        try street.signIn()
        try street.parties.authorize(try ServiceURL(parsing: Parties.homes[0]))
        street.wait(200)
        try street.perform(.returning(with: try street.link()))
        #expect(try street.tell("l-1", late: 100) == .ok)
        let now = street.parties.federation.now
        #expect(street.parties.federation.eduIDStore.living(.personal, at: now) == 1)
        #expect(try street.tell("l-2") == .ok)
        #expect(street.parties.federation.eduIDStore.living(.personal, at: now) == 0)
    }

    @Test("Who signs out at the provider everywhere is signed out here, at services too", .proves("OIC-17"))
    func logout() throws {
        var street = try Street()
        try street.signIn()
        try street.parties.authorize(try ServiceURL(parsing: Parties.homes[0]))
        #expect(try street.tell("l-1") == .ok)
        let now = street.parties.federation.now
        #expect(street.parties.federation.eduIDStore.living(.personal, at: now) == 0)
        #expect(street.parties.federation.eduIDStore.living(.assertion, at: now) == 0)
    }

    @Test(
        "Of one session: nothing ends, the renewal asks for a sign-in, and that goes on with everything",
        .proves("OIC-17"))
    func sessionEnds() throws {
        var street = try Street()
        try street.signIn()
        let service = try ServiceURL(parsing: Parties.homes[0])
        try street.parties.authorize(service)
        #expect(try street.tell(session: "s-2", "l-1") == .ok)
        street.wait(3_600)
        try street.perform(.renewal(of: .user))
        #expect(try street.tell(session: "s-1", "l-2") == .ok)
        street.wait(3_600)
        let rejection = #expect(throws: Rejection.self) { try street.perform(.renewal(of: .user)) }
        guard case .refused(let error)? = rejection else { throw Street.Stop(answer: HTTP.Response(.ok)) }
        #expect(error.code == .insufficientAuthorization && street.lastClause == "OIC-17")
        #expect(street.parties.session.isSignedIn, "nothing is lost")
        let now = street.parties.federation.now
        #expect(street.parties.federation.eduIDStore.living(.personal, at: now) == 1)
        try street.signIn()
        street.wait(3_600)
        try street.perform(.renewal(of: .user))
        #expect(street.parties.federation.eduIDStore.living(.assertion, at: now) == 1)
    }

    @Test("The end of a session says nothing of who has signed in again in another one", .proves("OIC-17"))
    func earlierSession() throws {
        var street = try Street()
        try street.signIn()
        var claims = Street.ada.claims
        claims["sid"] = "s-2"
        street.parties.federation.provider?.people[0] = SimulatedProvider.Person("A-1", claims: claims)
        try street.signIn()
        #expect(try street.tell(session: "s-1", "l-1") == .ok)
        street.wait(3_600)
        try street.perform(.renewal(of: .user))
        #expect(try street.tell(session: "s-2", "l-2") == .ok)
        street.wait(3_600)
        #expect(throws: Rejection.self) { try street.perform(.renewal(of: .user)) }
        #expect(street.lastClause == "OIC-17")
    }

    @Test("A sign-in that begins leaves what finds the one that there is", .proves("OIC-17"))
    func foundStill() throws {
        var street = try Street()
        try street.signIn()
        _ = try street.begin()
        // What has found the code is over when the code would be.
        street.wait(60)
        // The one that waits, and that which finds the other; a store forgets what was revoked.
        #expect(street.parties.federation.eduIDStore.living(.session, at: street.parties.federation.now) == 2)
        #expect(try street.tell(session: "s-1", "l-1") == .ok)
        street.wait(3_600)
        #expect(throws: Rejection.self) { try street.perform(.renewal(of: .user)) }
        #expect(street.lastClause == "OIC-17")
    }
}
