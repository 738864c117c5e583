extension FederationSimulation.History {
    /// The history of a seed, of so many steps: people come in, get something, and then anything can happen.
    ///
    /// - Parameter days: over how many days the steps are spread; chance decides where that is left out.
    public init(seed: UInt64, steps count: Int, size: FederationSimulation.Size = .init(), days: Int? = nil) {
        var growth = Growth(size, chance: SimulatedFederation.Entropy(seed: seed ^ 0x6869_7374_6f72_79))
        while growth.steps.count < count { growth.grow() }
        self.init([FederationSimulation.Step](growth.steps.prefix(count)))
        if let days { self = spread(over: days * 86_400) }
    }

    /// The same steps, of which those that wait do so for as long altogether, each for its share.
    private func spread(over seconds: Int) -> Self {
        let sum = steps.reduce(0) { $0 + ($1.verb == .wait ? $1[0] : 0) }
        guard sum > 0 else { return self }
        return Self(
            steps.map { step in
                guard step.verb == .wait else { return step }
                // Weeks by a hundred years are far below what fits.
                return .init(.wait, step[0] * seconds / sum)
            })
    }
}

/// A history while chance makes it up.
private struct Growth {
    typealias Verb = FederationSimulation.Step.Verb
    typealias Fault = FederationSimulation.Fault

    let size: FederationSimulation.Size
    var chance: SimulatedFederation.Entropy
    var steps: [FederationSimulation.Step] = []
    /// How dangerous this history is, in percent.
    private let danger: Int
    /// To which phones somebody has come in.
    private var visited: [Int] = []
    /// Whether somebody has taken a key.
    private var isRobbed = false
    /// Which parties' stores were backed up.
    private var archived: [Int] = []
    /// How many phones there are at most of which each is as likely as another; where there are more, most things
    /// happen at those to which somebody has come in.
    private static let crowd = 1_000

    init(_ size: FederationSimulation.Size, chance: SimulatedFederation.Entropy) {
        (self.size, self.chance) = (size, chance)
        danger = [0, 10, 25, 45][Int(self.chance.next() % 4)]
    }

    private mutating func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(max(1, bound))) }
    private mutating func add(_ verb: Verb, _ arguments: Int...) { steps.append(.init(verb, arguments: arguments)) }
    private var phone: Int {
        mutating get {
            guard size.phones > Self.crowd, !visited.isEmpty, below(4) > 0 else { return below(size.phones) }
            return visited[below(visited.count)]
        }
    }
    private var person: Int { mutating get { below(size.people) } }
    /// Somebody who signs in at the provider, where there is anybody who does.
    private var guest: Int { mutating get { size.people > 2 ? 3 * below(size.people / 3) + 2 : person } }
    private var service: Int { mutating get { below(size.services) } }
    private var reader: Int { mutating get { below(2) } }
    /// What somebody grants, as bits: of very many services some few.
    private var picks: Int {
        mutating get {
            let bits = FederationSimulation.Step.bitsOfServices
            return size.services > bits ? 1 << below(bits) : below(1 << size.services)
        }
    }
    private var party: Int { mutating get { below(3) == 0 ? 0 : below(size.services + 1) } }

    mutating func grow() {
        if steps.isEmpty || below(100) < 12 {
            // Somebody comes to something that can be ended.
            let (phone, reader) = (phone, reader)
            add(.signIn, phone, below(2) == 0 ? person : phone % size.people, 0)
            visited.append(phone)
            ask(phone, reader)
            add(.use, phone, reader, service)
        }
        if below(100) < danger { trouble() }
        if below(100) < 8 { race() }
        switch below(100) {
        case ..<12: ask(phone, reader, mayBeKilled: true)
        case ..<28: add(.use, phone, reader, service)
        case ..<31: add(.renew, phone, reader, service)
        case ..<36: arrive()
        case ..<38: add(.goOn, phone, below(4) == 0 ? 1 : 0)
        case ..<39: add(.mistype, phone, person)
        case ..<42: add(.signOut, phone)
        case ..<45: add(.launch, phone)
        case ..<49: add(.introduce, phone, service)
        case ..<53: add(.unlink, phone, service)
        case ..<56: endReader()
        case ..<58: add(.giveBack, phone, reader, service)
        case ..<59: add(.hide, phone, service)
        case ..<62: add(.upgrade, phone, below(3))
        case ..<72: administer()
        case ..<80: add(.wait, [30, 90, 400, 4_000, 40_000, 400_000, 4_000_000][below(7)])
        case ..<85: add(.tick, party)
        case ..<89: add(.replay, below(24))
        case ..<91: add(.steal, phone, reader, service, service)
        case ..<93: add(.rotate, party)
        case ..<94: add(.startOver, phone)
        default: add(.kill, phone)
        }
    }

    /// A reader asks for what services of a kind have.
    private mutating func ask(_ phone: Int, _ reader: Int, mayBeKilled: Bool = false) {
        let (picks, killed) = (picks, mayBeKilled && below(12) == 0 ? 1 : 0)
        let kinds = Cast.kinds(ofServices: size.services)
        ask(phone, reader, picks, killed, ofKind: kinds > 1 ? below(kinds) : 0)
    }

    /// A reader asks for what a service has, and gets it.
    private mutating func ask(_ phone: Int, _ reader: Int, for service: Int) {
        let picks = 1 << (service % FederationSimulation.Step.bitsOfServices)
        ask(phone, reader, picks, 0, ofKind: Cast.kind(ofService: service))
    }

    private mutating func ask(_ phone: Int, _ reader: Int, _ picks: Int, _ killed: Int, ofKind kind: Int) {
        // Where a history has no more to say, it is shorter.
        if kind == 0 { add(.ask, phone, reader, picks, killed) } else { add(.ask, phone, reader, picks, killed, kind) }
    }

    /// A person ends what a reader got, perhaps very often.
    private mutating func endReader() {
        let (phone, service, reader) = (phone, service, reader)
        if below(12) == 0 { add(.insist, phone, reader, service) }
        add(.endReader, phone, service, reader)
    }

    /// Somebody signs in, perhaps not to the end, and perhaps somebody else comes between.
    private mutating func arrive() {
        let phone = phone
        guard below(3) == 0 else { return add(.signIn, phone, person, 0) }
        let person = below(2) == 0 ? guest : person
        if below(10) == 0 {
            add(.fault, Fault.unknowing.rawValue, 0)
            add(.signIn, phone, guest, 0)
        }
        add(.signIn, phone, person, 1 + below(4))
        if below(3) > 0 { add(.goOn, phone, 1) }
        if below(2) == 0 { endAll(of: person) }
        if below(3) > 0 { add(.goOn, phone, 0) }
    }

    /// Everything of a person's is ended, by one or another who may.
    private mutating func endAll(of person: Int) {
        switch below(5) {
        case 0: add(.expel, person, below(2))
        case 1: add(.lock, person, below(2))
        case 2: add(.forget, person)
        case 3: add(.renounce, person)
        default: add(.disavow, person, below(2))
        }
    }

    /// Whoever comes to something, or has come to it, is overtaken by somebody who ends just that.
    private mutating func race() {
        let (phone, reader, service) = (phone, reader, service)
        let person = below(2) == 0 ? guest : person
        let fault: Fault = below(3) == 0 ? .overtakenBefore : .overtaken
        let isThere = below(2) == 0
        if isThere {
            add(.signIn, phone, person, 0)
            ask(phone, reader, for: service)
            add(.use, phone, reader, service)
        }
        let way = isThere ? 1 + below(5) : 0
        // About as many decisions as each of them takes.
        add(.fault, fault.rawValue, below([6, 3, 6, 2, 2, 3][way]))
        switch way {
        case 0: add(.signIn, phone, person, 0)
        case 1: add(.launch, phone)
        case 2: ask(phone, reader, for: service)
        case 3: add(.use, phone, reader, service)
        case 4: add(.renew, phone, reader, service)
        default: add(.introduce, phone, service)
        }
        switch below(7) {
        case 0: add(.dismiss, person)
        case 1: add(.forget, person)
        case 2: add(.signOut, phone)
        case 3: add(.unlink, phone, service)
        case 4: add(.endReader, phone, service, reader)
        case 5: add(.leave, person, service)
        default: endAll(of: person)
        }
        if below(2) == 0 { ask(phone, reader, for: service) }
        add(.use, phone, reader, service)
    }

    private mutating func administer() {
        switch below(15) {
        case 0 where size.phones <= Self.crowd || below(20) == 0:
            let phone = phone
            add(.block, below(3))
            if below(3) == 0 { add(.reinstall, phone) }
            if below(2) == 0 { add(.signIn, phone, person, 0) }
        case 0, 1: add(.unblock, below(3))
        case 2: add(.reject, phone)
        case 3: add(.expel, person, below(2))
        case 4: add(.lock, person, below(2))
        case 5: add(.unlock, person)
        case 6: add(.forget, person)
        case 7: add(.leave, person, service)
        case 8, 9: add(.disavow, guest, below(2))
        case 10: add(.renounce, guest)
        case 11, 12: add(.belong, person, below(2))
        case 13: add(.dismiss, person)
        default: add(.remove, phone, person)
        }
    }

    /// A store is backed up, and perhaps restored after something has ended of which the backup knows nothing.
    private mutating func archive() {
        let (phone, reader, service) = (phone, reader, service)
        let party = below(2) == 0 ? 0 : service + 1
        archived.append(party)
        let isUsed = below(2) == 0
        if isUsed { ask(phone, reader, for: service) }
        add(.archive, party)
        guard isUsed else { return }
        add(.use, phone, reader, service)
        // What happens in between is what its store does not know afterwards.
        switch below(party == 0 ? 8 : 5) {
        case 0: add(.unlink, phone, service)
        case 1: add(.endReader, phone, service, reader)
        case 2: add(.leave, person, service)
        case 3: add(.signOut, phone)
        case 4, 5: add(.signIn, phone, person, 0)
        default: ask(phone, reader)
        }
        // Others are told of an end before nobody knows of it any more.
        if below(2) == 0 { add(.tick, party) }
        add(.revert, party)
        for _ in 0..<2 { add(.replay, below(6)) }
        add(.use, phone, reader, service)
    }

    /// Somebody takes the edu-ID service's key and makes use of it, until that is noticed.
    private mutating func steal() {
        if !isRobbed || below(6) == 0 { add(.burgle) } else if below(3) == 0 { add(.withdraw) }
        isRobbed = true
        for _ in 0...below(2) { add(.plunder, service, person, reader) }
        if below(3) == 0 { add(.rotate, 0) }
        let (phone, reader) = (phone, reader)
        if below(2) == 0 { ask(phone, reader) }
        guard below(2) == 0 else { return }
        add(.withdraw)
        add(.tick, 0)
        add(.use, phone, reader, service)
    }

    private mutating func trouble() {
        switch below(38) {
        case ..<11: add(.fault, below(Fault.allCases.count), below(5))
        case ..<12: add(.down, party)
        case ..<14: add(.up, party)
        case ..<15: add(.stop, party, below(size.eduIDProcesses))
        case ..<16: add(.clock, party, [2, 40, 4_000][below(3)], below(2))
        case ..<17: add(.backUp, phone)
        case ..<18: add(.restore, phone)
        case ..<19: add(.arrive, below(4))
        case ..<20: add(.reinstall, phone)
        case ..<22: archive()
        case ..<24: add(.revert, archived.isEmpty ? party : archived[below(archived.count)])
        case ..<26: add(.publish, service, below(3) == 0 ? 0 : 1 + below(4), service)
        case ..<27: add(.handOver, service)
        case ..<29: add(.misdeliver, below(24), party)
        case ..<31: add(.garble, below(24), below(1_000))
        case ..<34: add(.forge, service, below(30))
        case ..<36: steal()
        case ..<37: add(.discredit, below(3), [0, 400, 40_000, 4_000_000][below(4)])
        default: add(.flood, phone, person, phone + 1)
        }
    }
}
