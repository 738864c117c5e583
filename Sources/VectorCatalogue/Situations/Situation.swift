internal import JOSETesting
internal import Wire

/// How a party says no: with this error on the wire, because this clause is broken.
struct Expected: Sendable {
    let error: String?
    let clause: String
}

extension Expected: ExpressibleByStringLiteral {
    /// No by a clause alone, where nothing goes over the wire.
    init(stringLiteral clause: String) { self.init(error: nil, clause: clause) }
}

/// One request to a party, and what has to come of it; a table of these is what a chapter is made of.
struct Situation {
    let name: String
    let title: String
    let proves: [String]
    /// How the party says no, or `nil` if it says yes.
    let refusal: Expected?
    /// Who is asked, and in which world, unless it is those of the table.
    let role: World.Role?
    let world: World?
    /// What another party answers to the one who is asked.
    let answer: JSON?
    /// What happens before, and the request.
    let before: Step?
    let request: Request

    typealias Step = (inout World) throws -> Void
    typealias Request = (inout World) throws -> JSON

    /// The party says yes.
    static func accepted(
        _ name: String, _ title: String, _ proves: [String], at role: World.Role? = nil, in world: World? = nil,
        answer: JSON? = nil, after before: Step? = nil, _ request: @escaping Request
    ) -> Situation {
        Situation(
            name: name, title: title, proves: proves, refusal: nil, role: role, world: world, answer: answer,
            before: before, request: request)
    }

    /// The party says no, with this error on the wire for the breach of this clause.
    static func refused(
        _ name: String, _ title: String, _ proves: [String], _ error: String?, _ clause: String,
        at role: World.Role? = nil, in world: World? = nil, answer: JSON? = nil, after before: Step? = nil,
        _ request: @escaping Request
    ) -> Situation {
        Situation(
            name: name, title: title, proves: proves, refusal: Expected(error: error, clause: clause), role: role,
            world: world, answer: answer, before: before, request: request)
    }
}

extension Catalogue {
    /// Adds a table of situations, each with a copy of the world of its own.
    mutating func add(
        in world: World, at role: World.Role, kind: Vector.Kind = .exchange, _ situations: [Situation]
    ) throws {
        for situation in situations {
            var world = situation.world ?? world
            try situation.before?(&world)
            let request = try situation.request(&world)
            var given = world.given(situation.role ?? role, request, entropy: "\(chapter.rawValue)/\(situation.name)")
            given["answer"] = situation.answer
            add(situation.name, situation.title, situation.proves, kind, given, expecting: situation.refusal)
        }
    }

    /// What is wrong with request tokens, at one place: the request is the same in all of them.
    ///
    /// - Parameter error: what the place says, `invalid_client` or `invalid_token`.
    /// - Parameter clauses: the clauses of defects that the place meets in another order.
    /// - Parameter replays: whether nothing but the token keeps the request from going through twice.
    mutating func refuseRequestTokens(
        _ prefix: String, _ defects: [Defect], _ error: String, _ proves: [String], in world: World,
        at role: World.Role, of held: Held, for url: String, kind: Vector.Kind = .exchange,
        clauses: [String: String] = [:], replays: Bool = true, _ request: @escaping (String) -> JSON
    ) throws {
        let broken = defects.map { defect in
            Situation.refused(
                "\(prefix)-\(defect.name)", "with a request token \(defect.title)", proves + defect.proves, error,
                clauses[defect.name] ?? defect.clause
            ) { request(defect.change($0.proof(held, url)).text) }
        }
        try add(in: world, at: role, kind: kind, broken)
        // The same token once more: the first request went through.
        var replayed = world
        let text = replayed.proof(held, url).text
        guard replays, (try? replayed.attempt(role, request(text), kind: kind)) != nil else { return }
        let title = "with a request token that was presented before"
        try add(
            in: replayed, at: role, kind: kind,
            [.refused("\(prefix)-replayed", title, proves + ["threat-36"], error, "threat-36") { _ in request(text) }])
    }

    /// Where a plain token is taken as well, what is no signed text is a plain token that nobody was given, and is
    /// answered like that.
    static let unread = Dictionary(
        uniqueKeysWithValues: [
            "unsecured", "unsecured-spelled", "without-algorithm", "empty-signature", "padded", "critical", "detached",
            "repeated-parameter",
        ].map { ($0, "threat-39") })
}
