import Federation
import FederationTesting
import JOSE
import NAIL
import OAuth2Grants
import PureCrypto
import RSD2
import TokenTree
import Wire

/// The story of the federation: who does what, in which order.
struct FederationStory: Story {
    private var parties: Parties
    private var reader: Reader
    private var narrator = Narrator()

    /// The clock of the story is its own, so that the same seed tells the same story at any time.
    init(seed: UInt64) throws {
        parties = try Parties(seed: seed)
        reader = try Reader(using: &parties.federation.entropy)
        // The second university wants to hear from the edu-ID service that an assertion still stands (6).
        guard let introspection = parties.federation.eduID.description?.endpoints[.introspection] else {
            throw Broken("no introspection")
        }
        parties.federation.services[1].service.eduID.introspection = introspection
        // What the discovery knows it finds out itself.
        parties.federation.eduID.directory = ServiceDirectory()
    }

    mutating func sign(by service: SigningService) throws { try parties.sign(by: service) }

    mutating func tell(in presentation: inout Presentation) throws {
        presentation.introduce([
            "A person, Ada, has an account at the edu-ID service of a federation of universities.",
            "Alpha and Beta are universities, 'Reader' is a company's app on Ada's phone, and so is the edu-ID app.",
            "Reader shall open Ada's libraries, without ever seeing her password or learning what she did not grant.",
        ])
        try crawl(&presentation)
        try register(&presentation)
        try signIn(&presentation)
        let request = try ask(&presentation)
        try grant(request, &presentation)
        try use(&presentation)
        try attack(&presentation)
        try rotate(&presentation)
        try withdraw(&presentation)
        try logOut(&presentation)
    }

    // MARK: (0)

    private mutating func crawl(_ presentation: inout Presentation) throws {
        var crawl = Crawl()
        _ = crawl.setIndex(parties.federation.eduID.index.listings, at: parties.federation.now)
        // Bound: each service is asked for its list and for its document.
        for _ in 0..<8 {
            let (requests, _) = crawl.requests(at: parties.federation.now, limit: 8)
            if requests.isEmpty { break }
            for request in requests {
                let response = parties.federation.send(request.http)
                for event in crawl.receive(
                    response.map { .response($0) } ?? .failure, for: request.id, at: parties.federation.now)
                {
                    parties.federation.eduID.directory.apply(event)
                }
            }
        }
        guard
            parties.federation.eduID.directory.services(at: parties.federation.eduID.index.services.map { $0.home })
                .count
                == 2
        else {
            throw Broken("the crawl did not find both services")
        }
        tell(
            "0", "The federation finds out what its services offer", as: "RSD discovery", ["RSD-1", "RSD-2", "DSC-7"],
            &presentation)
    }

    // MARK: (1), (2), (2a), (3)

    private mutating func register(_ presentation: inout Presentation) throws {
        try parties.perform(.registration)
        tell(
            "1", "The edu-ID app on Ada's phone registers, with its version's key and a key of its own",
            as: "edu-ID app",
            ["REG-1", "REG-2", "REG-3", "REQ-1 to REQ-14", "POP-1"], &presentation)
    }

    private mutating func signIn(_ presentation: inout Presentation) throws {
        let person = parties.person
        try parties.perform(.signIn(person.name, person.password))
        try parties.perform(.launch)
        guard parties.session.profile["given_name"] == "Ada" else { throw Broken("the profile is not Ada's") }
        tell(
            "2, 2a, 3", "Ada signs in; the app learns her profile and which services she has used", as: "edu-ID app",
            ["AUT-1", "AUT-2", "AUT-4", "AUT-6", "USE-1", "USE-2", "USE-3"], &presentation)
    }

    // MARK: (7), (3b)

    private mutating func ask(_ presentation: inout Presentation) throws -> ProtocolRequest.Checked {
        let checked = try reader.request(of: &parties)
        let message = Interaction.Message(
            from: "Reader", to: "edu-ID app",
            request: MessageSummary.lines(of: try JSON(parsing: checked.request.encoded())),
            answer: ["the request is Reader's: its token verifies with the key that is registered for it"])
        presentation.show(
            Interaction(
                number: "7", title: "Reader asks for whatever speaks \(Parties.protocolName)", messages: [message],
                fulfils: ["NIF-1", "NIF-2", "NIF-3", "NAI-9"]))
        return checked
    }

    // MARK: (4), (5), (6), (8), (7)

    private mutating func grant(_ checked: ProtocolRequest.Checked, _ presentation: inout Presentation) throws {
        guard
            case .authorization(var mode) = AuthorizingApp.Mode(
                opening: checked.request, signedIn: parties.session.profile)
        else {
            throw Broken("a request opens no authorization mode")
        }
        let candidates = try parties.perform(.candidates(for: checked.request))
        try mode.note(.found(candidates))
        guard candidates.count == 2 else { throw Broken("\(candidates.count) services were found, two exist") }
        tell(
            "3b", "The app asks which services match, and shows them to Ada", as: "edu-ID app",
            ["DSC-1", "DSC-5", "UX-1", "UX-2"], &presentation,
            remarks: candidates.map { "on the screen: \($0.name), \($0.isUsed ? "used before" : "new")" })

        guard case .finish(.accepted(let choice)) = try mode.take(.accept) else {
            throw Broken("Ada's word was not taken")
        }
        var granted: [ServiceDescription] = []
        for service in choice.services {
            try parties.perform(.authorization(at: service))
            let name = parties.session.store.contents.services[service]?.name ?? service.identity
            let isVerified =
                parties.federation.services.first { $0.home == service }?.service.eduID.introspection != nil
            tell(
                isVerified ? "4, 5, 6" : "4, 5", "Ada picks none, which means all: \(name) is told who she is",
                as: "edu-ID app",
                ["APP-1", "AST-1 to AST-7", "AST-9", "GRT-1"] + (isVerified ? ["AST-8"] : []), &presentation)
            granted.append(try parties.perform(.access(for: checked, at: service)))
            tell(
                "8", "\(name) gives Reader a token, through Ada's app and bound to Reader's own key", as: "edu-ID app",
                ["APP-2 to APP-9", "APP-11"], &presentation)
        }

        let response = try reader.accept(granted, for: checked, at: parties.federation.now)
        let message = Interaction.Message(
            from: "edu-ID app", to: "Reader", request: MessageSummary.lines(of: try JSON(parsing: response.encoded())),
            answer: reader.state.serviceNames.map { "Reader may use \($0.identity)" })
        presentation.show(
            Interaction(
                number: "7", title: "Reader receives what Ada granted, and nothing else", messages: [message],
                fulfils: ["NIF-5", "NIF-6", "NAI-2", "NAI-12"]))
    }

    // MARK: (9)

    private mutating func use(_ presentation: inout Presentation) throws {
        for service in reader.state.serviceNames {
            let (request, outcome) = try reader.use(service, path: "items", of: &parties)
            guard case .granted(let access)? = outcome else { throw Broken("\(service) did not let Reader in") }
            let message = Interaction.Message(
                from: "Reader", to: name(of: service), request: MessageSummary.lines(of: request),
                answer: [
                    "let in: user \(MessageSummary.shortened(access.subject.text, to: 20))",
                    "through instance \(access.instance?.text ?? "none")",
                    "app \(access.app?.text ?? "none")", "for \(access.scope.text)",
                ])
            presentation.show(
                Interaction(
                    number: "9",
                    title: "Reader uses the protocol; the service knows who, through whom and for what",
                    messages: [message], fulfils: ["NIF-7", "NAI-5", "NAI-6", "APP-8", "TOK-1"]))
        }
    }

    // MARK: Attacks

    private mutating func attack(_ presentation: inout Presentation) throws {
        let name = try ProtocolName(parsing: Parties.protocolName)
        guard let service = reader.state.serviceNames.first else { throw Broken("Reader has no service") }
        let way = try reader.state.access(to: service.identity, name)
        let token = try way.token(at: parties.federation.now, using: &parties.federation.entropy)
        _ = try parties.present(token, at: way.endpoint)
        try refuse(
            "somebody sends the same request token a second time", try parties.present(token, at: way.endpoint), 401,
            "threat 36", &presentation)

        let elsewhere = try WebURL(parsing: Parties.homes[0] + "/api/lti/marks")
        let narrow = try way.token(at: parties.federation.now, using: &parties.federation.entropy)
        try refuse(
            "Reader's token is sent to an endpoint that was not granted", try parties.present(narrow, at: elsewhere),
            401,
            "threats 36 and 51",
            &presentation)

        let given = parties.federation.traffic.filter {
            receiver(of: $0.request) == parties.federation.services[0].service.document.engineName
        }
        guard let stolen = given.compactMap({ $0.response?.accessToken }).last else {
            throw Broken("no token was given")
        }
        try refuse(
            "a thief has the access token, but not the key that it is bound to",
            try parties.present(stolen, at: way.endpoint),
            401, "threat 36",
            &presentation)
        narrator.skip(parties.federation)
    }

    private func refuse(
        _ title: String, _ attempt: (request: HTTP.Request, outcome: Access.Outcome?), _ status: UInt16, _ rule: String,
        _ presentation: inout Presentation
    ) throws {
        guard case .refused(let response)? = attempt.outcome, response.status.code == status else {
            throw Broken("not refused: \(title)")
        }
        presentation.show(
            Attack(
                title: title, attempt: MessageSummary.lines(of: attempt.request),
                answer: MessageSummary.lines(of: response),
                rule: rule))
    }

    // MARK: Keys that change

    /// A planned rotation: everybody can read the next key before it signs, and the last one while something lives that
    /// it signed.
    private mutating func rotate(_ presentation: inout Presentation) throws {
        let next = try parties.keyPair(named: "edu-id-2")
        guard let published = next.publicKey, let last = parties.keys.publicKey else { throw Broken("no public keys") }
        try parties.publish([published])
        parties.federation.wait(.seconds(600))
        try parties.sign(with: next, publishing: [last])
        try parties.perform(.launch)
        try introduceAgain()
        try checkReader()
        tell(
            "4, 5, 6", "The edu-ID service signs with its next key: nobody has to do anything, and nobody notices",
            as: "edu-ID app", ["AST-4", "threat 76"], &presentation)
    }

    /// An emergency: somebody else has the key, and what it signed since then ends, wherever that is.
    private mutating func withdraw(_ presentation: inout Presentation) throws {
        let theft = parties.federation.now
        let (stolen, next) = (parties.keys.publicKey, try parties.keyPair(named: "edu-id-3"))
        parties.federation.wait(.seconds(600))
        try introduceAgain()
        guard var withdrawn = stolen else { throw Broken("no public key") }
        parties.federation.wait(.seconds(60))
        withdrawn.attributes.withdrawal = JWK.Withdrawal(since: theft, reason: "compromised")
        try parties.sign(with: next, publishing: [withdrawn])
        narrator.skip(parties.federation)
        parties.federation.reconcile()
        guard parties.federation.deliver() == 2 else { throw Broken("not everybody knows of the theft") }
        tell(
            "10", "The key was stolen: its withdrawal is published, and every service is told to read the keys anew",
            as: "edu-ID service", ["TOK-7", "threat 76"], &presentation,
            remarks: ["what it signed since the theft is over, by one change at each service"])

        try parties.perform(.launch)
        try introduceAgain()
        try checkReader()
        tell(
            "4, 5, 6", "The app introduces Ada again; what was given before the theft never ended",
            as: "edu-ID app", ["TOK-2", "AST-4"], &presentation)
    }

    /// Beta is told once more who Ada is; what it was told before goes on.
    private mutating func introduceAgain() throws {
        guard let service = parties.federation.services[1].home else { throw Broken("Beta has no home page") }
        try parties.perform(.introduction(to: service))
    }

    private mutating func checkReader() throws {
        for service in reader.state.serviceNames {
            guard case .granted? = try reader.use(service, path: "items", of: &parties).1 else {
                throw Broken("\(service) shuts Reader out because of a key that it has nothing to do with")
            }
        }
    }

    // MARK: (10)

    private mutating func logOut(_ presentation: inout Presentation) throws {
        try parties.perform(.signOut)
        guard parties.federation.deliver() >= 2 else { throw Broken("not both universities have confirmed") }
        var remarks: [String] = []
        for service in reader.state.serviceNames {
            guard case .refused(let response)? = try reader.use(service, path: "items", of: &parties).1 else {
                throw Broken("\(service) still lets Reader in")
            }
            remarks.append("Reader's next request to \(name(of: service)): \(response.status), it has to ask Ada again")
        }
        tell(
            "10",
            "Ada logs out: the edu-ID service ends her token, and tells every service that was given something on it",
            as: "edu-ID app",
            ["UX-5", "UX-6", "TOK-1", "TOK-4", "TOK-6", "TOK-7"], &presentation, remarks: remarks)
        let dead = try deadTokens()
        guard dead.count >= 8 else { throw Broken("only \(dead.count) tokens are dead") }
        presentation.show("Every token of the tree is dead", dead)
    }

    /// What hung on Ada's sign-in, here and at the universities: none of it may be alive.
    private func deadTokens() throws -> [DeadToken] {
        let stores =
            [("edu-ID", parties.federation.eduIDStore)]
            + parties.federation.services.map { ($0.service.document.engineName ?? "a service", $0.store) }
        var dead: [DeadToken] = []
        for (name, store) in stores {
            for kind in [Record.Kind.code, .personal, .assertion, .service, .app] {
                for lineage in store.page(of: .all(kind), limit: 100)?.lineages ?? []
                where kind != .code || lineage.record.subject != nil {
                    let verdict = lineage.verdict(at: parties.federation.now)
                    // The code of the sign-in was spent when it was redeemed.
                    guard !verdict.isLive else { throw Broken("the \(kind) \(lineage.record.id) at \(name) is alive") }
                    dead.append(
                        DeadToken(
                            service: name, kind: kind.description,
                            id: MessageSummary.shortened(lineage.record.id.text, to: 14),
                            verdict: verdict.description))
                }
            }
        }
        return dead
    }

    /// Shows what went over the network since the last scene.
    private mutating func tell(
        _ interaction: String, _ title: String, as teller: String, _ fulfils: [String],
        _ presentation: inout Presentation, remarks: [String] = []
    ) {
        presentation.show(
            narrator.tell(interaction, title, as: teller, fulfils, of: parties.federation, remarks: remarks))
    }

    private func receiver(of request: HTTP.Request) -> String { Narrator.receiver(of: request, in: parties.federation) }

    private func name(of service: ServiceURL) -> String { Narrator.name(of: service, in: parties.federation) }
}

extension HTTP.Response {
    fileprivate var accessToken: String? { (try? JSON(parsing: body))?["access_token"]?.string }
}
