internal import JOSETesting
internal import Wire

// What people do, among all parties, from the first message to the last.

extension Catalogue {
    mutating func addJourneys() throws {
        add(try Self.visit())
        add(try Self.lostAnswers())
        add(try Self.endedRegistration())
        add(try Self.refusal())
        add(try Self.offline())
        add(try Self.comingBack())
        add(try Self.wrongClock())
        add(try Self.handedOn())
        add(try Self.lateService())
        add(try Self.steps())
        add(try Self.endpointsElsewhere())
        add(try Self.endpointElsewhere("token"))
        add(try Self.endpointElsewhere("authorize"))
        add(try Self.endpointElsewhere("revoke"))
        add(try Self.movingEndpoints())
        add(try Self.listedEndpoint())
        add(try Self.leftWithEndpoint())
    }

    private static func answering(_ services: String..., by changes: JSON.Object = [:]) -> JSON.Object {
        [
            "do": "answer",
            "request": DeviceMessages.request(changes.changed(["token": DeviceMessages.token(for: changes)])),
            "registry": ["ch.example.reader": [TestKey.pair("reader").publicJWK("reader-1")]],
            "pick": .array(services.map { .string($0 + "/") }),
        ]
    }

    private static func discovering(_ service: String) -> JSON.Object {
        ["do": "discover", "services": [.string(service + "/")]]
    }

    private static func authorizing(_ service: String) -> JSON.Object {
        ["do": "authorize", "service": .string(service + "/")]
    }

    private static func introduced(_ name: String, to service: String, in world: World = World()) throws -> Journey {
        var journey = try Journey.signedIn(name, in: world)
        try journey.act(discovering(service), "the app learns of a service", ["DSC-2"])
        try journey.act(authorizing(service), "the phone is introduced to a service", ["AST-1", "AST-5"])
        return journey
    }

    /// An app is authorized and used, and ends with the session.
    private static func visit() throws -> Journey {
        var journey = try Journey.signedIn("visit")
        try journey.act(
            answering(World.alpha), "Reader asks, Ada grants it one service",
            ["NIF-1", "DSC-1", "AST-1", "AST-5", "APP-7"])
        let documents = journey.done
        try journey.use(documents, at: World.alpha, "Reader uses the protocol", ["APP-7", "APP-8"])
        journey.wait(60)
        try journey.act(["do": "launch"], "the next launch tells that the service accepted", ["USE-3", "DSC-10"])
        try journey.act(["do": "sign_out"], "Ada signs out", ["UX-5", "TOK-5"])
        try journey.deliver("the service is told", ["TOK-7", "AST-9"])
        try journey.use(documents, at: World.alpha, "Reader's next request", ["TOK-6", "UX-6"])
        try journey.finish("the phone's part in the visit", ["DAT-2", "DAT-3", "UX-5"])
        return journey
    }

    /// Answers get lost, and are given again.
    private static func lostAnswers() throws -> Journey {
        var journey = try Journey("lost")
        try journey.act(["do": "register"], "an answer to a registration is lost", ["REG-1"], losing: [1])
        journey.wait(5)
        try journey.act(["do": "register"], "the phone registers again, and proves its key", ["REG-1", "REG-5"])
        try journey.act(Journey.signingIn, "an answer to the challenge is lost", ["AUT-2"], losing: [1])
        try journey.act(Journey.signingIn, "Ada signs in", ["AUT-2"])
        try journey.act(discovering(World.beta), "the app learns of a service", ["DSC-2"])
        let again = authorizing(World.beta)
        try journey.act(again, "the answer of the service is lost", ["AST-1"], losing: [2])
        try journey.act(again, "the phone is introduced once more", ["AST-1", "AST-5"])
        journey.wait(3_600)
        try journey.act(again, "the service token is renewed", ["TOK-2"])
        try journey.act(authorizing("https://gamma.example.ch"), "a service that nobody knows", ["AST-1"])
        try journey.finish("the phone's part where answers are lost", ["AST-1", "DAT-4"])
        return journey
    }

    /// An administrator has signed Ada out: the next thing that the app does tells it.
    private static func endedRegistration() throws -> Journey {
        var journey = try introduced("ended", to: World.alpha)
        var world = journey.world
        try world.administrate(["do": "sign_out", "user": "user-0001"])
        journey.change { _ in world }
        try journey.act(["do": "launch"], "the session has ended elsewhere", ["TOK-5", "UX-3"])
        try journey.act(Journey.signingIn, "Ada signs in again", ["AUT-2", "UX-3"])
        try journey.finish("the phone's part where a session ends elsewhere", ["TOK-5", "DAT-1"])
        return journey
    }

    /// A service refuses the person: the app gets nothing there, and the service does not count as used.
    private static func refusal() throws -> Journey {
        let denying = World().with(["only_users": ["nobody"]], at: .alpha)
        var journey = try Journey.signedIn("refused", in: denying)
        try journey.act(
            answering(World.alpha, World.beta), "one of two services refuses Ada", ["AST-6", "APP-1"])
        let documents = journey.done
        try journey.use(documents, at: World.beta, "Reader uses the other one", ["APP-7"])
        try journey.act(["do": "launch"], "what was accepted is told", ["USE-3", "AST-6"])
        try journey.finish("the phone's part where a service refuses", ["AST-6"])
        return journey
    }

    /// Who signs out without a network and signs in again when there is one: the end is told first.
    private static func comingBack() throws -> Journey {
        var journey = try Journey.signedIn("back")
        try journey.act(["do": "sign_out"], "Ada signs out, and no answer arrives", ["UX-5"], losing: [1])
        try journey.act(
            Journey.signingIn, "nobody answers: the end is not told, and nobody signs in", ["UX-5"], losing: [1])
        try journey.act(Journey.signingIn, "the end is told, and Ada signs in", ["UX-5", "AUT-2"])
        try journey.act(["do": "launch"], "the new session goes on", ["USE-3", "TOK-1"])
        try journey.finish("the phone's part where somebody comes back", ["UX-5"])
        return journey
    }

    /// The device's clock is wrong, and then right; last it is the edu-ID service whose time is wrong.
    private static func wrongClock() throws -> Journey {
        var journey = try Journey("clock")
        journey.ahead = -600
        try journey.act(["do": "register"], "the phone is ten minutes late: it registers all the same", ["REG-1"])
        try journey.act(Journey.signingIn, "Ada signs in with the corrected time", ["AUT-2"])
        try journey.act(authorizing(World.alpha), "a service that the phone does not know yet", ["AST-1"])
        try journey.act(discovering(World.beta), "the app learns of a service", ["DSC-2"])
        try journey.act(authorizing(World.beta), "the phone is introduced by the right time", ["AST-1", "AST-5"])
        journey.ahead = 0
        try journey.act(["do": "launch"], "the clock was corrected", ["AUT-6"])
        try journey.act(["do": "endings"], "nothing has ended", ["UX-5"])
        journey.toldAhead = 3_600
        var world = journey.world
        try world.administrate(["do": "sign_out", "user": "user-0001"])
        journey.change { _ in world }
        try journey.act(
            ["do": "launch"], "the session has ended, whatever time the edu-ID service tells", ["TOK-5", "UX-3"])
        try journey.finish("the phone's part where clocks are wrong", ["REG-1", "TOK-5"])
        return journey
    }

    /// Signing out without a network is over at once, and told later.
    private static func offline() throws -> Journey {
        var journey = try introduced("offline", to: World.beta)
        try journey.act(["do": "sign_out"], "Ada signs out, and no answer arrives", ["UX-5"], losing: [1])
        journey.wait(600)
        try journey.act(authorizing(World.beta), "nobody can use the session meanwhile", ["UX-3"])
        try journey.act(["do": "endings"], "it is told when there is a network", ["UX-5", "TOK-5"])
        try journey.deliver("the service is told", ["TOK-7"])
        try journey.finish("the phone's part without a network", ["UX-5"])
        return journey
    }

    /// The last answer to a sign-in is lost, and the phone is handed on: what nobody holds is ended before the next
    /// person signs in.
    private static func handedOn() throws -> Journey {
        var journey = try Journey("handed-on")
        try journey.act(["do": "register"], "the phone registers", ["REG-1"])
        try journey.act(Journey.signingIn, "Ada signs in, and the last answer is lost", ["AUT-2"], losing: [2])
        journey.wait(3_600)
        try journey.act(
            ["do": "sign_in", "user": "bob", "password": "hunter2hunter2"],
            "Bob signs in, after what Ada was given is ended by its code", ["USR-1", "TOK-4"])
        try journey.act(["do": "endings"], "nothing is left to tell", ["UX-5"])
        try journey.finish("the phone's part where it is handed on", ["USR-1", "UX-5"])
        return journey
    }

    /// A service whose clock is an hour ahead refuses what would end something: nothing has ended; it is told again.
    private static func lateService() throws -> Journey {
        var journey = try introduced("late-service", to: World.beta)
        journey.wait(3_600)
        journey.ahead = -3_600
        try journey.act(
            ["do": "unlink", "service": .string(World.beta + "/")],
            "a service whose time is an hour ahead does not take the proof", ["TOK-5", "threat-11"])
        journey.wait(-3_600)
        journey.ahead = 0
        try journey.act(["do": "endings"], "it is told when its time is right", ["TOK-5"])
        try journey.finish("the phone's part where a service has another time", ["TOK-5"])
        return journey
    }

    /// A service whose description has the endpoints of its authorization component in other places: all look there.
    private static func endpointsElsewhere() throws -> Journey {
        let world = World().having("token", "authorize", "revoke", at: "login/")
        var journey = try Journey.signedIn("elsewhere", in: world)
        try journey.act(
            answering(World.alpha), "Reader is granted a service that takes tokens elsewhere",
            ["RSD-3", "AST-1", "AST-5", "APP-3", "APP-7", "NIF-5"])
        let documents = journey.done
        try journey.use(documents, at: World.alpha, "Reader uses the protocol", ["APP-7"])
        try journey.send("renew", of: documents, at: World.alpha, "Reader renews its token", ["RSD-3", "NIF-9"])
        try journey.send(
            "revoke", of: documents, at: World.alpha, "Reader gives up what it has", ["RSD-3", "NIF-10"])
        journey.wait(3_600)
        try journey.act(authorizing(World.alpha), "the service token is renewed", ["RSD-3", "TOK-2"])
        try journey.act(
            ["do": "unlink", "service": .string(World.alpha + "/")], "Ada unlinks the service", ["RSD-3", "TOK-5"])
        try journey.finish("the phone's part where a service takes tokens elsewhere", ["RSD-3"])
        return journey
    }

    /// One of them alone.
    private static func endpointElsewhere(_ path: String) throws -> Journey {
        try grantedAndUnlinked(
            "elsewhere-" + path, in: World().having(path, at: "login/"), aService: "that has '\(path)' elsewhere",
            where: "a service has '\(path)' elsewhere")
    }

    private static func grantedAndUnlinked(
        _ name: String, in world: World, aService kind: String, where part: String
    ) throws -> Journey {
        var journey = try Journey.signedIn(name, in: world)
        try journey.act(answering(World.alpha), "Reader is granted a service \(kind)", ["RSD-3", "APP-3"])
        try journey.act(
            ["do": "unlink", "service": .string(World.alpha + "/")], "Ada unlinks the service", ["RSD-3", "TOK-5"])
        try journey.finish("the phone's part where \(part)", ["RSD-3"])
        return journey
    }

    /// A service gives endpoints places of their own, one after the other: where the token is shown at one that has
    /// moved, it is forgotten.
    private static func movingEndpoints() throws -> Journey {
        var journey = try introduced("moving", to: World.alpha)
        for path in ["authorize", "revoke", "token"] {
            journey.change { $0.having(path, at: "login/") }
            try journey.act(discovering(World.alpha), "the app learns of another place of '\(path)'", ["DSC-2"])
            try journey.act(
                authorizing(World.alpha), "the phone is introduced anew where the token was shown there",
                ["RSD-3", "DAT-3", "AST-1"])
        }
        try journey.finish("the phone's part where endpoints move", ["RSD-3", "DAT-3"])
        return journey
    }

    /// The index names the token endpoint itself, and the description has others: where the token is from counts.
    private static func listedEndpoint() throws -> Journey {
        let world = World().having("token", "authorize", "revoke", at: "login/")
        let document = World().parties[.alpha]?["document"] ?? .null
        let listed = world.with("document", at: .alpha) { _ in document }.withEach("services", at: .eduID) {
            $0["home"] == .string(World.alpha) ? $0.with("token_endpoint", .string(World.alpha + "/oauth/token")) : $0
        }
        return try grantedAndUnlinked(
            "listed", in: listed, aService: "whose token endpoint is listed", where: "a token endpoint is listed")
    }

    /// A service has left the index; that the phone knows where its tokens end is no offer.
    private static func leftWithEndpoint() throws -> Journey {
        var journey = try introduced("left", to: World.alpha, in: World().having("revoke", at: "login/"))
        journey.change { world in
            world.with("services", at: .eduID) { services in
                .array((services.array ?? []).filter { $0["home"] != .string(World.alpha) })
            }
        }
        try journey.act(discovering(World.alpha), "the app learns that a service has left", ["RSD-1"])
        try journey.act(
            answering(World.alpha, by: ["protocols": ["org.ietf.oauth2.revoke"]]),
            "Reader asks for what tells where tokens end, and nobody answers", ["RSD-3", "NAI-12"], losing: [1])
        try journey.finish("the phone's part where a service has left", ["RSD-1", "RSD-3"])
        return journey
    }

    /// Cleo signs in with a one-time code, on a phone that Dora has begun to sign in on.
    private static func steps() throws -> Journey {
        var journey = try Journey("step", in: World().withPeopleOfSteps)
        func begin(_ name: String) -> JSON.Object {
            ["do": "sign_in", "user": .string(name), "password": .string(World.passphrase(of: name))]
        }
        try journey.act(begin("dora"), "Dora's password is right, and a step is asked for", ["FPA-3", "FPA-9"])
        try journey.act(["do": "step", "otp": "654321"], "the first of two steps is made", ["FPA-4", "FPA-10"])
        try journey.act(begin("cleo"), "Cleo begins in her place", ["FPA-4", "FPA-5"])
        try journey.act(["do": "step", "otp": "123457"], "the code is wrong, and may be given again", ["FPA-15"])
        try journey.act(
            ["do": "step", "otp": "123456"], "the code is right, and the answer is lost", ["FPA-7"], losing: [1])
        try journey.act(["do": "step", "otp": "123456"], "the same again, and Cleo is signed in", ["FPA-7", "AUT-2"])
        try journey.act(["do": "step", "otp": "123456"], "nothing waits for a step any more", ["FPA-7"])
        try journey.act(["do": "launch"], "the app learns what there is to show", ["AUT-6"])
        try journey.act(["do": "sign_out"], "Cleo signs out", ["UX-5"])
        try journey.act(begin("dora"), "Dora signs in again", ["FPA-3"])
        journey.wait(600)
        try journey.act(["do": "step", "otp": "654321"], "the step comes too late, and nobody is asked", ["FPA-7"])
        try journey.finish("the phone's part where people sign in in steps", ["FPA-4", "FPA-7"])
        return journey
    }
}
