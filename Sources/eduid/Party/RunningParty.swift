import Federation
import Foundation
import Hosting
import JOSE
import RSD2
import TokenStores
import TokenTree
import Wire

/// A party that can be run, told to stop, and made to read its folder anew; of which kind it is, and where it stores,
/// matters nowhere else.
struct RunningParty: Sendable {
    /// Works until it is told to stop; answers why it could not.
    let run: @Sendable () async -> Failure?
    /// Tells it to stop; told again, it ends at once.
    let stop: @Sendable () -> Void
    /// Reads the folder anew, all or nothing; answers why the old configuration stands (SYS-4).
    let reload: @Sendable () -> Failure?
}

// MARK: - Opening

extension RunningParty {
    /// Opens the store and the sockets of the party that a folder describes.
    ///
    /// - Parameter offersReading: whether a service offers a protocol of its own to try things with.
    init(
        _ configuration: Configuration, at premises: Premises, offeringReading offersReading: Bool = false,
        _ console: Console
    ) throws(Failure) {
        switch configuration.store {
        case .journal(let path):
            let store = try Self.opening { () throws(StoreFailure) in try JournalStore.open(path, clock: systemTime) }
            if store.opening.tornByteCount > 0 {
                premises.say(
                    "\(store.opening.tornByteCount) bytes that a crash had torn were cut from '\(path)'", .warning)
            }
            self = try Self.opened(configuration, in: store, at: premises, offersReading, console)
        case .sqlite(let path, let space):
            #if SQLite
            let store = try Self.opening { () throws(StoreFailure) in
                try SQLStore(space: space, clock: .host(systemTime)) { () throws(SQLFailure) in
                    try SQLiteConnection(path: path)
                }
            }
            self = try Self.opened(configuration, in: store, at: premises, offersReading, console)
            #else
            throw .withoutTrait("SQLite", for: path, space)
            #endif
        case .postgreSQL(let words, let space):
            #if PostgreSQL
            let store = try Self.opening { () throws(StoreFailure) in
                try SQLStore(space: space, clock: .database) { () throws(SQLFailure) in
                    try PostgreSQLConnection(words)
                }
            }
            self = try Self.opened(configuration, in: store, at: premises, offersReading, console)
            #else
            throw .withoutTrait("PostgreSQL", for: words, space)
            #endif
        }
    }

    private static func opening<Store>(
        _ open: () throws(StoreFailure) -> Store
    ) throws(Failure) -> Store {
        do throws(StoreFailure) { return try open() } catch { throw .refused("the store: \(error)") }
    }

    private static func opened(
        _ configuration: Configuration, in store: some ClosableStore, at premises: Premises, _ offersReading: Bool,
        _ console: Console
    ) throws(Failure) -> RunningParty {
        switch configuration.role {
        case .service(let service):
            try Self.service(service, configuration, in: store, at: premises, offersReading, console)
        case .eduID(let eduID): try Self.eduID(eduID, configuration, in: store, at: premises, console)
        }
    }
}

/// A store that is closed when its party has ended.
protocol ClosableStore: AsyncTokenStore {
    func close() async
    /// Rids the store's files of what is removed; answers why that was not done.
    func condense() async -> String?
}

extension JournalStore: ClosableStore {
    func condense() async -> String? {
        do throws(StoreFailure) {
            try await compact()
            return nil
        } catch {
            return "\(error)"
        }
    }
}

extension SQLStore: ClosableStore {
    func condense() async -> String? { "the database does that by itself, or by its own command, VACUUM" }
}

/// What time it is.
@Sendable func systemTime() -> Timestamp { Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }

extension Failure {
    static func withoutTrait(_ name: String, for place: String, _ space: String) -> Failure {
        .refused(
            "the store '\(place)' (\(space)) needs a program that was built with it: swift build --traits \(name)")
    }
}

// MARK: - The two kinds

extension RunningParty {
    private static func service<Store: ClosableStore>(
        _ service: Configuration.Service, _ configuration: Configuration, in store: Store, at premises: Premises,
        _ offersReading: Bool, _ console: Console
    ) throws(Failure) -> RunningParty {
        let books = try Books(of: configuration, at: premises)
        let network = configuration.network
        let send = books.noting { await network.send($0) }
        let host = PartyHost(
            try service.party(configuration, console), in: store, clock: systemTime, stopwatch: books.stopwatch,
            note: { books.note($0) },
            network: send)
        let door = Guard(host, at: configuration.base)
        let room = offersReading ? ReadingRoom(configuration.base) : nil
        let reload = reloading(configuration) { (anew, console) throws(Failure) in
            guard case .service(let service) = anew.role else { throw .otherRole(configuration) }
            let party = try service.party(anew, console)
            try books.reopen(for: anew)
            host.change { $0 = party }
        }
        let working = try WorkingParty(
            host, of: configuration, at: premises, keeping: books,
            errands: ["reload": { reload()?.description }, "compaction": { await store.condense() }],
            guarding: { question in await door.response(to: question) { books.note($0) } },
            application: { request, _ in await room?.answer(request, at: host) },
            duties: [], close: { await store.close() })
        return RunningParty(run: working.run, stop: working.stop, reload: reload)
    }

    private static func eduID<Store: ClosableStore>(
        _ eduID: Configuration.EduID, _ configuration: Configuration, in store: Store, at premises: Premises,
        _ console: Console
    ) throws(Failure) -> RunningParty {
        let books = try Books(of: configuration, at: premises)
        let network = configuration.network
        let send = books.noting { await network.send($0) }
        let known = configuration.knownServices(try eduID.index(console))
        let logins = try Logins(eduID.accounts)
        let host = PartyHost(
            try eduID.party(configuration, knowing: known, users: logins.directory, console), in: store,
            clock: systemTime, stopwatch: books.stopwatch, note: { books.note($0) },
            network: send)
        var policy = Crawl.Policy()
        policy.destinations = configuration.destinations
        // Where everything is on one machine, what is not up yet will be in a moment.
        if configuration.isLocal { policy.firstPause = 1 }
        let crawler = Crawler(policy: policy, knowing: known, network: send)
        let crawl: @Sendable () async -> Void = {
            let report = await crawler.tick(for: host.party.index.listings, clock: systemTime)
            books.metrics.note(report)
            for (service, reason) in report.failed { books.say("\(service) cannot be read: \(reason)") }
            if report.changed.isEmpty { return }
            host.change { $0.directory = crawler.directory }
            if !configuration.keep(crawler.directory) {
                books.say(
                    "what was found out about services could not be kept in '\(configuration.folder)'", as: .error)
            }
        }
        let pages = eduID.pages.map { settings in
            Pages(host, at: configuration.base, settings, clock: systemTime) { books.note($0) }
        }
        let reload = reloading(configuration) { (anew, console) throws(Failure) in
            guard case .eduID(let eduID) = anew.role else { throw .otherRole(configuration) }
            let party = try eduID.party(anew, knowing: crawler.directory, users: logins.directory, console)
            try logins.reload()
            try books.reopen(for: anew)
            if let settings = eduID.pages { pages?.change(settings) }
            host.change { $0 = party }
        }
        let crawlAnew: @Sendable () async -> String? = {
            crawler.startOver()
            await crawl()
            return nil
        }
        let working = try WorkingParty(
            host, of: configuration, at: premises, keeping: books,
            errands: [
                "crawl": crawlAnew, "reload": { reload()?.description }, "compaction": { await store.condense() },
            ],
            application: { request, client in await pages?.response(to: request, from: client) }, duties: [crawl],
            close: { await store.close() })
        return RunningParty(run: working.run, stop: working.stop, reload: reload)
    }

    /// What reads the folder anew, all or nothing, and answers why the old configuration stands.
    private static func reloading(
        _ configuration: Configuration,
        _ change: @escaping @Sendable (Configuration, Console) throws(Failure) -> Void
    ) -> @Sendable () -> Failure? {
        {
            do throws(Failure) {
                let console = Console.system()
                try change(try Configuration(in: configuration.folder, from: console), console)
                return nil
            } catch {
                return error
            }
        }
    }
}

extension Failure {
    fileprivate static func otherRole(_ configuration: Configuration) -> Failure {
        .refused("'role' in '\(configuration.folder)' is another one now; what runs stays what it is: end it first")
    }
}

/// Whoever checks logins, as a configuration names it.
struct Logins: Sendable {
    let directory: UserDirectory
    private let accounts: Accounts?

    init(_ place: Configuration.EduID.Accounts) throws(Failure) {
        switch place {
        case .file(let path):
            let accounts = try Failure.refusing("the accounts", try Accounts(at: path))
            (self.accounts, directory) = (accounts, accounts.directory)
        case .command(let path, let arguments, let time):
            (accounts, directory) = (nil, LoginCommand(path, arguments, within: time).directory)
        }
    }

    /// Reads the accounts anew, all or none.
    func reload() throws(Failure) {
        guard let accounts else { return }
        try Failure.refusing("the accounts", try accounts.reload())
    }
}
