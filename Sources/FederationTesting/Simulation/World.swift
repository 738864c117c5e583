internal import Federation
internal import JOSE
internal import OAuth2Grants
internal import PureCrypto
internal import RSD2
internal import TokenTree
internal import Wire

/// A federation to which one history happens: parties with stores and processes, phones with people, a network on which
/// messages are bytes, and a ledger of what people granted and ended.
///
/// One thread plays it. Whatever others do meanwhile happens inside of a look at a store or of a commit, between which
/// everything else is one step.
final class World {
    let cast: Cast
    /// Whether the host of the edu-ID service knows some people by other names than those that follow from their
    /// accounts at the provider.
    let knowsAccounts: Bool
    static let beginning = Timestamp(seconds: 1_800_000_000)
    var now = World.beginning
    var entropy: SimulatedFederation.Entropy
    let eduID: Host<EduIDService>
    var provider: SimulatedProvider
    let services: [Host<FederationService>]
    let phones: Phones
    var ledger: Ledger
    var coverage = FederationSimulation.Coverage()
    /// What goes wrong at the next occasions.
    private var faults: [(fault: FederationSimulation.Fault, left: Int)] = []
    /// How often something went wrong so far that can leave it open what became of a message.
    var mishaps = 0
    /// The steps that have not happened yet.
    private var coming: ArraySlice<FederationSimulation.Step> = []
    private(set) var depth = 0
    /// The first law that was broken.
    private(set) var broken: (law: String, evidence: String)?
    /// How many steps were begun.
    private(set) var stepCount = 0

    // What the network keeps.
    /// Requests that were sent, by who sees them: the last of them are kept.
    var seen: [Sent] = []
    /// Requests that were held back.
    var heldBack: [Sent] = []
    /// Which phone waits for an answer at the moment.
    var sender: Phone?
    var digest: [UInt8] = []

    /// The names by which services know people, as they told them.
    var names: [Int: [String: Int]] = [:]
    /// Who is locked out, and which versions are shut out, by the word of the edu-ID service.
    var locked: Set<Int> = []
    var blocked: Set<Int> = []
    /// Instances that administrators rejected.
    var rejected: Set<Int> = []
    var maybeRejected: Set<Int> = []
    /// A version whose key was withdrawn, and whether that was confirmed.
    var discredited: (version: Int, isCertain: Bool)?
    /// What was known when the stores of parties were backed up.
    var archives: [Ledger.Witness: Archive] = [:]
    /// Whether the edu-ID service has withdrawn keys, of which not everybody may have heard.
    var isWithdrawing = false
    /// Those who have taken a key of the edu-ID service.
    var thieves: [Thief] = []
    /// What the federation is told of services, where that is not the truth, and since when.
    var publications: [Int: (publication: Publication, time: Timestamp)] = [:]
    /// Who belongs to the institution no more by the accounts' word, and since when.
    var outsiders: [Int: Timestamp] = [:]
    /// Whom administrators have expelled from the institution, and when, until the provider tells of them anew.
    var dismissed: [Int: Timestamp] = [:]
    /// Of whom administrators have had everything forgotten, until they come again.
    var forgotten: Set<Int> = []
    /// How often somebody has come, or was told of by the provider.
    var comings = 0
    /// Who comes at the moment, and of whom the provider tells.
    var (welcomed, provided): ([Int], [Int]) = ([], [])
    /// How often a reader has asked for something, and how many do so at the moment.
    var (askings, asking) = (0, 0)
    /// Services that have lied in an answer.
    var liars: Set<Int> = []
    /// Copies of the app that are on no phone any more.
    var removed: [Int] = []
    var tokensOfReaders = 0
    /// At which phones somebody has begun to sign in.
    private(set) var arriving: Set<Int> = []
    /// The one-time codes with which somebody has signed in.
    var usedCodes: Set<String> = []
    /// What has begun so far, in this order: sign-ins, registrations, and moves to other versions.
    var begun: [Ledger.Ground] = []
    /// How often the provider said that somebody's sessions have ended.
    var disavowals = 0
    /// Who is told how far this has come.
    var hear: ((FederationSimulation.Progress) -> Void)?
    /// Whether what is told is kept.
    let isTelling: Bool
    private(set) var story: [String] = []

    /// A request as it was sent.
    final class Sent {
        let request: HTTP.Request
        let url: WebURL
        /// Whether somebody made it of what he had seen, and knows what stands in it.
        let isForged: Bool
        /// The copy of the app that it is from, with the person at it, if it is from one.
        let sender: (installation: Int, person: Int?)?
        /// What it renews, if nobody has to prove anything for that.
        let renewed: Ledger.Holding?
        /// Whether its receiver has done what it asks for.
        var isTaken = false

        init(
            _ request: HTTP.Request, to url: WebURL, from phone: Phone? = nil, forged isForged: Bool = false,
            renewing renewed: Ledger.Holding? = nil
        ) {
            (self.request, self.url, self.isForged, self.renewed) = (request, url, isForged, renewed)
            sender = phone.map { ($0.installation, $0.person) }
        }

        /// Whether it only ends something.
        var isEnding: Bool { url.text.hasSuffix("/revoke") || isWord }

        /// Whether somebody who vouches for a person has all of that person's ended.
        var isWord: Bool {
            ["/backchannel-logout", "/global-token-revocation"].contains { url.text.hasSuffix($0) }
        }
    }

    init(_ cast: Cast, seed: UInt64, size: FederationSimulation.Size, telling isTelling: Bool) {
        self.cast = cast
        self.isTelling = isTelling
        provider = cast.provider
        entropy = SimulatedFederation.Entropy(seed: seed)
        knowsAccounts = seed % 2 == 1
        let users = knowsAccounts ? cast.eduID.users.linking { _ in nil } : cast.eduID.users
        eduID = Self.eduIDService(of: cast, with: users, keys: cast.eduIDKeys, processes: size.eduIDProcesses)
        services = cast.services.prefix(size.services).map { member in
            Host(member.service, keys: member.keys, processes: 1) { service, keys in
                var service = service
                let issuer = service.authority.issuer
                if let authority = try? Authority(issuer, keys: keys) { service.authority = authority }
                return service
            }
        }
        ledger = Ledger(copies: size.phones)
        phones = Phones(size.phones, chance: &entropy)
    }

    /// An edu-ID service as the cast has it, under some keys.
    static func eduIDService(
        of cast: Cast, with users: UserDirectory, keys: Authority.Keys, processes count: Int
    ) -> Host<EduIDService> {
        var service = cast.eduID
        service.users = users
        return Host(service, keys: keys, processes: count) { service, keys in
            var service = service
            if let authority = try? Authority(service.authority.issuer, keys: keys) { service.authority = authority }
            return service
        }
    }

    // MARK: Steps

    /// After how many steps, and after how many phones, it is told how far this has come.
    static let newsEvery = 100

    /// Lets a history happen, and says which law it breaks, if it breaks one.
    func play(_ history: FederationSimulation.History) -> FederationSimulation.Violation? {
        coming = history.steps[...]
        while broken == nil, let step = coming.popFirst() {
            begin(step)
            if stepCount % Self.newsEvery == 0 { hear?(.steps(stepCount, of: history.steps.count)) }
        }
        if broken == nil {
            tell("the end: everything is repaired, and time passes")
            conclude()
        }
        coverage.time = now - Self.beginning
        return broken.map { .init(law: $0.law, evidence: $0.evidence, step: stepCount) }
    }

    /// The next step happens before something else is done.
    func performNext() {
        guard depth < 3, broken == nil, let step = coming.popFirst() else { return }
        mishaps += 1
        begin(step)
    }

    private func begin(_ step: FederationSimulation.Step) {
        depth += 1
        stepCount += 1
        now = now + .seconds(1)
        tell("\(stepCount). \(step)")
        coverage.count(step.verb)
        perform(step)
        depth -= 1
        if depth == 0 { tellTrees() }
    }

    func note(_ phone: Int, arrives: Bool) {
        if arrives { arriving.insert(phone) } else { arriving.remove(phone) }
    }

    // MARK: Faults

    func arm(_ fault: FederationSimulation.Fault, after count: Int) { faults.append((fault, count)) }

    func disarm() { faults = [] }

    /// What goes wrong at an occasion, if something does.
    func strike(_ occasion: FederationSimulation.Fault.Occasion) -> FederationSimulation.Fault? {
        var striking: Int?
        for place in faults.indices where faults[place].fault.occasion == occasion {
            if faults[place].left > 0 { faults[place].left -= 1 } else if striking == nil { striking = place }
        }
        guard let striking else { return nil }
        let fault = faults.remove(at: striking).fault
        coverage.count(fault)
        tell("  ! \(fault)")
        if ![.overtakenBefore, .overtaken, .distorted].contains(fault) { mishaps += 1 }
        return fault
    }

    func overtake(at occasion: FederationSimulation.Fault.Occasion) {
        if strike(occasion) == .overtakenBefore { performNext() }
    }

    // MARK: What is said

    func breaks(_ law: String, _ evidence: @autoclosure () -> String) {
        guard broken == nil else { return }
        broken = (law, evidence())
        tell("  BROKEN: \(law): \(broken?.evidence ?? "")")
    }

    func tell(_ line: @autoclosure () -> String) {
        if isTelling { story.append(line()) }
    }
}
