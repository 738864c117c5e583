import Federation
import Foundation
import Hosting
import JOSE
import OAuth2Grants
import RSD2
import Synchronization
import TokenStores
import TokenTree
import Wire

/// A party whose store is open: it answers, whoever brings the requests, and does what timers do when it is told to; of
/// which kind it is, and where it stores, matters nowhere else.
struct OpenParty: Sendable {
    /// Answers a request.
    let answer: Server.Answering
    /// Answers a web server that asks before it answers itself; `nil` where there is nothing to guard.
    let guarding: (@Sendable (HTTP.Request) async -> HTTP.Response)?
    /// Answers operators.
    let operate: @Sendable (HTTP.Request) async -> HTTP.Response
    /// Answers monitoring.
    let vitalSigns: @Sendable (HTTP.Request) async -> HTTP.Response
    /// What timers do, each at its own pace: nothing waits for what others take their time for.
    let duties: [@Sendable () async -> Void]
    /// Reads the folder anew, all or nothing; answers why the old configuration stands (SYS-4).
    let reload: @Sendable () -> Failure?
    /// Closes the store.
    let close: @Sendable () async -> Void
}

// MARK: - Opening

extension OpenParty {
    /// Opens the store of the party that a folder describes.
    ///
    /// - Parameters:
    ///   - lasts: whether the process goes on, or ends when it has done one thing.
    ///   - books: where it is written down what happens.
    ///   - offersReading: whether a service offers a protocol of its own to try things with.
    init(
        _ configuration: Configuration, lasting lasts: Bool, keeping books: Books,
        offeringReading offersReading: Bool = false, _ console: Console
    ) throws(Failure) {
        let store: any ClosableStore
        do throws(StoreFailure) {
            store = try configuration.store.open(connections: lasts ? 4 : 1) { books.say($0) }
        } catch {
            throw .refused("the store: \(error)")
        }
        let setting = Setting(configuration: configuration, books: books, lasts: lasts, offersReading: offersReading)
        self = try Self.opened(setting, in: store, console)
    }

    /// What a party is opened in.
    private struct Setting {
        let configuration: Configuration
        let books: Books
        let lasts: Bool
        let offersReading: Bool

        /// What a tick does: where no process goes on with the next one, it does all.
        var upkeep: Upkeep {
            var upkeep = Upkeep()
            if !lasts { upkeep.pagesAtOnce = .max }
            return upkeep
        }
    }

    private static func opened(
        _ setting: Setting, in store: some ClosableStore, _ console: Console
    ) throws(Failure) -> OpenParty {
        switch setting.configuration.role {
        case .service(let service): try Self.service(service, setting, in: store, console)
        case .eduID(let eduID): try Self.eduID(eduID, setting, in: store, console)
        }
    }

    /// - Parameters:
    ///   - errands: what operators can have done at once, beside what every party can do.
    ///   - application: answers what is not the party's own to answer; `nil` for what is nobody's.
    ///   - duty: what timers do beside the host's own.
    private init<Served: Party, Store: ClosableStore>(
        _ host: PartyHost<Served, Store>, in store: Store, _ books: Books,
        errands: BackOffice<Served, Store>.Errands = [:], reload: @escaping @Sendable () -> Failure?,
        guarding: (@Sendable (HTTP.Request) async -> HTTP.Response)? = nil,
        application: @escaping @Sendable (HTTP.Request, HTTP.Client) async -> HTTP.Response?,
        duty: @escaping @Sendable () async -> Void = {}
    ) {
        let tick: @Sendable () async -> Void = {
            do {
                let report = try await host.tick()
                books.note(report)
            } catch {
                books.note(error)
            }
        }
        var errands = errands
        errands["due"] = {
            await tick()
            await duty()
            return nil
        }
        errands["reload"] = { reload()?.description }
        errands["compaction"] = { await store.condense() }
        let office = BackOffice(host, counting: books.metrics, errands: errands, clock: systemTime)
        answer = { request, client in
            if let answer = await application(request, client) { return answer }
            return await host.response(to: request) { books.note($0) }
        }
        operate = { await office.response(to: $0) }
        vitalSigns = { await office.vitalSigns(for: $0) }
        close = { await store.close() }
        (duties, self.reload, self.guarding) = ([tick, duty], reload, guarding)
    }
}

// MARK: - The two kinds

extension OpenParty {
    private static func service<Store: ClosableStore>(
        _ service: Configuration.Service, _ setting: Setting, in store: Store, _ console: Console
    ) throws(Failure) -> OpenParty {
        let (configuration, books) = (setting.configuration, setting.books)
        let network = configuration.network
        let host = PartyHost(
            try service.party(configuration, console), in: store, upkeep: setting.upkeep, clock: systemTime,
            stopwatch: books.stopwatch, note: { books.note($0) }, network: books.noting { await network.send($0) })
        let door = Guard(host, at: configuration.base)
        let room = setting.offersReading ? ReadingRoom(configuration.base) : nil
        let reload = reloading(configuration) { (anew, console) throws(Failure) in
            guard case .service(let service) = anew.role else { throw .fixed(["role"], configuration) }
            let party = try service.party(anew, console)
            try books.reopen(for: anew)
            host.change { $0 = party }
        }
        return OpenParty(
            host, in: store, books, reload: reload,
            guarding: { question in await door.response(to: question) { books.note($0) } },
            application: { request, _ in await room?.answer(request, at: host) })
    }

    private static func eduID<Store: ClosableStore>(
        _ eduID: Configuration.EduID, _ setting: Setting, in store: Store, _ console: Console
    ) throws(Failure) -> OpenParty {
        let (configuration, books) = (setting.configuration, setting.books)
        let network = configuration.network
        let send = books.noting { await network.send($0) }
        var policy = Crawl.Policy()
        policy.destinations = configuration.destinations
        // Where everything is on one machine, what is not up yet will be in a moment.
        if configuration.isLocal { policy.firstPause = 1 }
        let file = KnownServices(path: configuration.folder + "/directory.json")
        let known = file.read(try eduID.index(console), policy)
        let crawler = Crawler(policy: policy, knowing: known, network: send)
        let logins = try Logins(eduID.accounts)
        let inUse = Mutex(logins)
        let host = PartyHost(
            try eduID.party(configuration, knowing: crawler.directory, users: logins.directory, console), in: store,
            upkeep: setting.upkeep, clock: systemTime, stopwatch: books.stopwatch, note: { books.note($0) },
            network: send)
        let crawl: @Sendable () async -> Void = {
            let report = await crawler.tick(for: host.party.index.listings, clock: systemTime)
            books.metrics.note(report)
            for (service, reason) in report.failed { books.say("\(service) cannot be read: \(reason)") }
            if !report.changed.isEmpty { host.change { $0.directory = crawler.directory } }
            if report.hasNews, !file.keep(crawler.known) {
                books.say(
                    "what was found out about services could not be kept in '\(configuration.folder)'", as: .error)
            }
        }
        let pages = eduID.pages.map { settings in
            Pages(host, at: configuration.base, settings, clock: systemTime) { books.note($0) }
        }
        let reload = reloading(configuration) { (anew, console) throws(Failure) in
            guard case .eduID(let eduID) = anew.role else { throw .fixed(["role"], configuration) }
            let logins = try inUse.withLock { $0 }.following(eduID.accounts)
            let party = try eduID.party(anew, knowing: crawler.directory, users: logins.directory, console)
            try logins.reload()
            try books.reopen(for: anew)
            if let settings = eduID.pages { pages?.change(settings) }
            inUse.withLock { $0 = logins }
            host.change { $0 = party }
        }
        let crawlAnew: @Sendable () async -> String? = {
            crawler.startOver()
            await crawl()
            return nil
        }
        return OpenParty(
            host, in: store, books, errands: ["crawl": crawlAnew], reload: reload,
            application: { request, client in await pages?.response(to: request, from: client) },
            duty: {
                // Who begins anew each time would ask all services each time.
                if setting.lasts { await crawl() }
            })
    }

    /// What reads the folder anew, all or nothing, and answers why the old configuration stands.
    private static func reloading(
        _ configuration: Configuration,
        _ change: @escaping @Sendable (Configuration, Console) throws(Failure) -> Void
    ) -> @Sendable () -> Failure? {
        {
            do throws(Failure) {
                let console = Console.system()
                var anew = try Configuration(in: configuration.folder, from: console)
                if let provider = configuration.addedProvider { anew.signInAlso(at: provider) }
                let fixed = configuration.fixed(unlike: anew)
                guard fixed.isEmpty else { throw .fixed(fixed, configuration) }
                try change(anew, console)
                return nil
            } catch {
                return error
            }
        }
    }
}

extension Failure {
    /// What a party at work keeps from its start is not as it was.
    fileprivate static func fixed(_ names: [String], _ configuration: Configuration) -> Failure {
        let settings = names.map { "'\($0)'" }.joined(separator: ", ")
        return .refused(
            "\(settings) in '\(configuration.folder)': what runs keeps what it began with; end it, and start it anew")
    }
}

extension Configuration {
    /// The settings that a party at work keeps from its start, of those that another configuration has otherwise;
    /// sockets and the store are known to stay.
    fileprivate func fixed(unlike anew: Configuration) -> [String] {
        var names: [String] = []
        switch (role, anew.role) {
        case (.eduID(let eduID), .eduID(let other)):
            if (eduID.pages == nil) != (other.pages == nil) { names.append("shown") }
        case (.service, .service): break
        case (.eduID, .service), (.service, .eduID): return ["role"]
        }
        if !issuer.text.spells(anew.issuer.text) || !base.text.spells(anew.base.text) { names.append("issuer") }
        if destinations != anew.destinations { names.append("destinations") }
        if authorities != anew.authorities { names.append("authorities") }
        if audit != anew.audit { names.append("audit") }
        return names
    }
}

/// Whoever checks logins, as a configuration names it.
struct Logins: Sendable {
    let directory: UserDirectory
    private let accounts: Accounts?
    private let place: Configuration.EduID.Accounts

    init(_ place: Configuration.EduID.Accounts) throws(Failure) {
        self.place = place
        switch place {
        case .file(let path, let asksOnDemand):
            let accounts = try Failure.refusing("the accounts", try Accounts(at: path, askingOnDemand: asksOnDemand))
            (self.accounts, directory) = (accounts, accounts.directory)
        case .command(let program):
            let command = LoginCommand(program.path, program.arguments, within: program.time)
            (accounts, directory) = (nil, command.directory)
        }
    }

    /// These, with what is remembered, or others where a configuration names others.
    func following(_ place: Configuration.EduID.Accounts) throws(Failure) -> Logins {
        try place == self.place ? self : Logins(place)
    }

    /// Reads the accounts anew, all or none.
    func reload() throws(Failure) {
        guard let accounts else { return }
        try Failure.refusing("the accounts", try accounts.reload())
    }
}
