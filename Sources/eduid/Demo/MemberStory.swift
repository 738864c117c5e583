import Federation
import FederationTesting
import JOSE
import OAuth2Grants
import RSD2
import TokenTree
import Wire

/// The story of a person of two universities, who leaves one: what stood on that ends, and nothing else.
struct MemberStory: Story {
    private var parties: Parties
    private var narrator = Narrator()
    private let name: UserName
    private let password: Secret.Password
    private let subject: Record.Subject
    /// What Mia's authenticator shows.
    private let code: Secret.OneTimeCode
    private let alpha: ServiceURL
    private let beta: ServiceURL
    private var reader: Reader

    private static let claim: JSON.Name = "eduPersonScopedAffiliation"
    private static let staff = "staff@alpha.example.ch"
    private static let student = "student@beta.example.ch"

    init(seed: UInt64) throws {
        parties = try Parties(seed: seed)
        name = try UserName(parsing: "mia")
        password = try Secret.Password(parsing: "horse staple correct")
        subject = try Record.Subject(parsing: "user-0003")
        code = try Secret.OneTimeCode(parsing: "271828")
        alpha = try ServiceURL(parsing: Parties.homes[0])
        beta = try ServiceURL(parsing: Parties.homes[1])
        reader = try Reader(using: &parties.federation.entropy)
        let demands = try ["*@alpha.example.ch", "*@beta.example.ch"].map { try AffiliationDemand(parsing: $0) }
        parties.federation.eduID.index = ServiceIndex(
            zip(parties.federation.eduID.index.services, demands).map { service, demand in
                var service = service
                service.affiliations = [demand]
                service.releasedClaims.append(Self.claim)
                return service
            })
        list([Self.staff, Self.student])
    }

    mutating func sign(by service: SigningService) throws { try parties.sign(by: service) }

    /// What the directory of the edu-ID service lists for Mia from now on.
    private mutating func list(_ affiliations: [String]) {
        var mia = SimulatedFederation.User(
            name, password: password, subject: subject,
            profile: ["given_name": "Mia", Self.claim: .array(affiliations.map { .string($0) })])
        mia.oneTimeCode = code
        parties.federation.users = parties.federation.users.filter { $0.subject != subject } + [mia]
    }

    mutating func tell(in presentation: inout Presentation) throws {
        presentation.introduce([
            "Mia works at the University of Alpha, and studies at the University of Beta.",
            "Each has a service for its own people, and she has one account, with one-time codes.",
        ])
        try signIn(&presentation)
        try belong(&presentation)
        try refuseStrangers(&presentation)
        try leave(&presentation)
        try goOn(&presentation)
    }

    // MARK: Scenes

    private mutating func signIn(_ presentation: inout Presentation) throws {
        try parties.perform(.launch)
        guard rejection(of: .signIn(name, password)) == .stepWanted else { throw Broken("a password is enough") }
        try parties.perform(.step(.oneTimeCode(code)))
        try parties.perform(.launch)
        guard parties.session.profile["given_name"] == "Mia" else { throw Broken("Mia is not signed in") }
        tell(
            "1, 2, 2a, 3", "Mia signs in: a password, and a code of her authenticator", ["AUT-1", "FPA-3"],
            &presentation)
    }

    private mutating func belong(_ presentation: inout Presentation) throws {
        for service in [alpha, beta] { try parties.authorize(service) }
        let checked = try reader.request(of: &parties)
        let granted = try [alpha, beta].map { try parties.perform(.access(for: checked, at: $0)) }
        _ = try reader.accept(granted, for: checked, at: parties.federation.now)
        let told = try [alpha, beta].map { service in
            "\(title(service)) knows her as \(try affiliation(at: service) ?? "nobody")"
        }
        guard told[0].hasSuffix(Self.staff), told[1].hasSuffix(Self.student) else { throw Broken("\(told)") }
        tell(
            "4 to 9", "Each university learns of one thing that she is, and Reader is let in at both",
            ["AFF-1", "AFF-4", "APP-7"], &presentation, remarks: told)
    }

    /// Ada belongs to no university, and signs in on a phone of her own.
    private mutating func refuseStrangers(_ presentation: inout Presentation) throws {
        let mia = parties.session
        let installation = try Parties.installation(
            on: "Ada's phone", version: SigningKey(parties.versionKeys[0]), using: &parties.federation.entropy)
        parties.session = AuthorizingApp.Session(installation, with: mia.eduID)
        try parties.signIn()
        guard let refused = rejection(of: .introduction(to: alpha)) else { throw Broken("Ada is introduced") }
        parties.session = mia
        tell(
            "4", "Ada, who belongs to neither, is not introduced", ["AFF-1"], &presentation,
            remarks: ["her app says: \(refused)"])
    }

    private mutating func leave(_ presentation: inout Presentation) throws {
        list([Self.student])
        let left = try Affiliation(parsing: Self.staff)
        guard parties.federation.administrate(.expel(left, subject)).status.code == 204 else {
            throw Broken("nothing ends")
        }
        _ = parties.federation.deliver()
        guard try affiliation(at: alpha) == nil, try affiliation(at: beta) == Self.student else {
            throw Broken("the wrong thing ended")
        }
        tell(
            "10", "Mia leaves Alpha: what stood on that ends there, and nothing ends at Beta", ["AFF-2", "TOK-7"],
            &presentation,
            remarks: ["Reader at \(title(alpha)): refused", "Reader at \(title(beta)): let in, as before"])
    }

    private mutating func goOn(_ presentation: inout Presentation) throws {
        guard let refused = rejection(of: .introduction(to: alpha)) else { throw Broken("Mia is introduced as staff") }
        try parties.perform(.introduction(to: beta))
        guard parties.session.isSignedIn else { throw Broken("Mia is signed out") }
        tell(
            "4", "She stays signed in, and goes on where she still belongs", ["AFF-1", "AFF-2"], &presentation,
            remarks: ["to \(title(alpha)): \(refused)"])
    }

    // MARK: What is done and shown in them

    /// As what a service knows the person by whose leave Reader asks; `nil` where it is let in no more.
    private mutating func affiliation(at service: ServiceURL) throws -> String? {
        guard case .granted(let access)? = try reader.use(service, path: "items", of: &parties).1 else { return nil }
        return access.profile[Self.claim]?.array?.first?.string
    }

    private mutating func rejection<Value>(of interaction: AuthorizingApp.Interaction<Value>) -> Rejection? {
        do throws(Rejection) {
            try parties.perform(interaction)
            return nil
        } catch {
            return error
        }
    }

    private mutating func tell(
        _ interaction: String, _ title: String, _ fulfils: [String], _ presentation: inout Presentation,
        remarks: [String] = []
    ) {
        presentation.show(
            narrator.tell(interaction, title, as: "edu-ID app", fulfils, of: parties.federation, remarks: remarks))
    }

    private func title(_ service: ServiceURL) -> String { Narrator.name(of: service, in: parties.federation) }
}
