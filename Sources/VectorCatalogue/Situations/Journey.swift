internal import JOSETesting
internal import Wire

/// What people do, one message after the other, with everything that the parties know by then: the vectors of a journey
/// are its messages in their order, and last the device's part of it.
struct Journey {
    private let name: String
    private(set) var world: World
    /// The vectors so far: what each is about, how it is performed and what goes in.
    private(set) var messages: [Message] = []
    private var device: JSON.Object
    private var steps: [JSON] = []
    /// What came of the last thing that the person did.
    private(set) var done: JSON = .null
    /// How many seconds the device's clock is ahead of everybody's; servers then tell the time beside their answers.
    var ahead: Int64?
    /// How far the time that servers tell is from the right one.
    var toldAhead: Int64 = 0

    struct Message {
        let name: String
        let title: String
        let proves: [String]
        let kind: Vector.Kind
        let given: JSON.Object
        let refusal: Expected?
    }

    init(_ name: String, in world: World = World(), on device: JSON.Object = Journey.phone) throws(Vector.Rejection) {
        (self.name, self.world, self.device) = (name, world, device)
        let metadata = World.request("GET", World.eduID + "/.well-known/oauth-authorization-server")
        let answer = try send(metadata, "what the edu-ID service says about itself", ["GRT-1"])
        self.device["edu_id"] = (answer["body"]?.string).flatMap { try? JSON(parsing: $0) }
    }

    /// One copy of the edu-ID app.
    static let phone: JSON.Object = [
        "role": "app", "app_name": .string(World.appName), "version_key": TestKey.pair("ios-1.0").privateJWK("ios-1.0"),
        "instance": .string(World.phone), "key": TestKey.pair("phone").privateJWK("phone"),
        "device": ["device_id": "device-1", "name": "Ada's phone", "device_type": "phone", "os_version": "18.1"],
    ]

    // MARK: Messages

    private mutating func add(
        _ title: String, _ proves: [String], _ kind: Vector.Kind, _ given: (String) -> JSON.Object
    ) throws(Vector.Rejection) -> JSON.Object {
        let number = messages.count + 1
        let id = "\(name)-" + (number < 10 ? "0" : "") + String(number)
        let given = given("journeys/" + id)
        let outcome = try Reference.outcome(of: kind, given)
        let refusal = outcome["refusal"].flatMap { refusal in
            refusal["clause"]?.string.map { Expected(error: refusal["error"]?.string, clause: $0) }
        }
        messages.append(
            Message(name: id, title: title, proves: proves, kind: kind, given: given, refusal: refusal))
        return outcome
    }

    /// A request to whom it is for, who keeps what follows from it; the answer.
    @discardableResult
    private mutating func send(
        _ request: JSON, _ title: String, _ proves: [String]
    ) throws(Vector.Rejection) -> JSON {
        let role = try role(of: request)
        let world = world
        let outcome = try add(title, proves, .exchange) { id in world.given(role, request, entropy: id) }
        try self.world.commit(outcome, at: role)
        return outcome["response"] ?? .null
    }

    private func role(of request: JSON) throws(Vector.Rejection) -> World.Role {
        let url = request["url"]?.string ?? ""
        for (role, home) in [(World.Role.eduID, World.eduID), (.alpha, World.alpha), (.beta, World.beta)]
        where url.utf8.starts(with: home.utf8) { return role }
        throw Vector.Rejection("url")
    }

    // MARK: The device

    /// Lets the person do something, and everybody answer until it is done.
    ///
    /// - Parameter lost: which answers do not arrive, counted from one.
    mutating func act(
        _ command: JSON.Object, _ title: String, _ proves: [String], losing lost: Set<Int> = []
    ) throws(Vector.Rejection) {
        var step = command
        step["entropy"] = World.entropy("journeys/\(name) step \(steps.count)")
        step["now"] = .number(JSON.Number(world.now + (ahead ?? 0)))
        steps.append(.object(step))
        var count = 0
        while case let outcome = try Reference.outcome(of: .conversation, conversation),
            let last = outcome["steps"]?.array?.last
        {
            guard let request = last["request"] else {
                done = last["done"] ?? last
                return
            }
            count += 1
            let answer = try send(request, title, proves)
            let received = lost.contains(count) ? JSON.null : dated(answer)
            steps.append(["answer": received, "now": .number(JSON.Number(world.now + (ahead ?? 0)))])
        }
    }

    /// An answer as it arrives from servers that tell their time.
    private func dated(_ answer: JSON) -> JSON {
        let told = Timestamp(seconds: world.now + toldAhead)
        guard ahead != nil, let date = try? told.httpDate(), var fields = answer["headers"]?.object else {
            return answer
        }
        fields["Date"] = .string(date)
        return answer.with("headers", .object(fields))
    }

    private var conversation: JSON.Object { ["party": .object(device), "steps": .array(steps)] }

    /// The device's part, from the first message to the last.
    mutating func finish(_ title: String, _ proves: [String]) throws(Vector.Rejection) {
        let conversation = conversation
        _ = try add(title, proves, .conversation) { _ in conversation }
    }

    /// The device's part as far as the answer of one of the endpoints, whose body is this one.
    func conversation(until path: String, answers body: String) throws(Vector.Rejection) -> JSON.Object {
        let asked = try Reference.outcome(of: .conversation, conversation)["steps"]?.array ?? []
        let place = asked.firstIndex { $0["request"]?["url"]?.string?.hasSuffix(path) == true }
        guard let place, steps.indices.contains(place + 1), let answer = steps[place + 1]["answer"] else {
            throw Vector.Rejection(path)
        }
        var conversation = conversation
        let told = steps[place + 1].with("answer", answer.with("body", .string(body)))
        conversation["steps"] = .array(steps[...place] + [told])
        return conversation
    }

    // MARK: Other parties

    mutating func wait(_ seconds: Int64) { world = world.later(seconds) }

    mutating func change(_ change: (World) -> World) { world = change(world) }

    /// The edu-ID service looks for what stood on what has ended, and tells services.
    mutating func deliver(_ title: String, _ proves: [String]) throws(Vector.Rejection) {
        world.takeBack()
        let before = world
        func given(_ id: String, _ answer: JSON?) -> JSON.Object {
            var given = before.given(.eduID, .null, entropy: id)
            given["request"] = nil
            given["answer"] = answer
            return given
        }
        let number = messages.count + 2
        let id = "journeys/\(name)-" + (number < 10 ? "0" : "") + String(number)
        let attempt = try Reference.outcome(of: .delivery, given(id, nil))
        guard let request = attempt["request"] else { throw Vector.Rejection("request") }
        let answer = try send(request, title, proves)
        let outcome = try add(title, proves, .delivery) { _ in given(id, answer) }
        if let attempt = outcome["attempt"] { world.append([attempt], at: .eduID) }
        try world.commit(outcome, at: .eduID)
    }

    /// What the app makes of what it was given.
    private mutating func make(
        _ word: JSON, of documents: JSON, at service: String, _ title: String, _ proves: [String]
    ) throws(Vector.Rejection) -> JSON {
        let now = world.now
        let outcome = try add(title, proves, .protocolResponse) { id in
            [
                "request": DeviceMessages.request(), "answer": .string(documents.encodedString()),
                "now": .number(JSON.Number(now)), "entropy": World.entropy(id),
                "asks": [DeviceMessages.ask(word, ["service": .string(service + "/")])],
            ]
        }
        return outcome["results"]?.array?.first ?? .null
    }

    /// The app renews or revokes what it was given.
    mutating func send(
        _ word: JSON, of documents: JSON, at service: String, _ title: String, _ proves: [String]
    ) throws(Vector.Rejection) {
        let request = try make(word, of: documents, at: service, title, proves)
        try send(request.array?.first ?? request, title, proves)
    }

    /// The app uses what it was given, at the endpoint of a protocol.
    mutating func use(
        _ documents: JSON, at service: String, _ title: String, _ proves: [String]
    ) throws(Vector.Rejection) {
        let token = try make("token", of: documents, at: service, title, ["NIF-7", "NAI-6"]).string ?? ""
        let request = World.request("GET", service + "/api/papi", bearer: token)
        let (role, world) = (try role(of: request), world)
        let outcome = try add(title, proves, .access) { id in world.given(role, request, entropy: id) }
        try self.world.commit(outcome, at: role)
    }
}

extension Journey {
    static let signingIn: JSON.Object = ["do": "sign_in", "user": "ada", "password": "correct horse battery staple"]

    static func signedIn(_ name: String, in world: World = World()) throws(Vector.Rejection) -> Journey {
        var journey = try Journey(name, in: world)
        try journey.act(["do": "register"], "the phone registers", ["REG-1", "REG-3"])
        try journey.act(signingIn, "Ada signs in", ["AUT-2", "USR-1"])
        try journey.act(["do": "launch"], "the app learns what there is to show", ["AUT-6", "USE-3"])
        return journey
    }
}

extension Catalogue {
    /// The vectors of a journey.
    mutating func add(_ journey: Journey) {
        for message in journey.messages {
            add(
                message.name, message.title, message.proves, message.kind, message.given, expecting: message.refusal)
        }
    }
}
