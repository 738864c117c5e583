#if PostgreSQL
import Foundation
import Synchronization
import TestSupport
import Testing
@testable import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

/// Needs a server, whose connection string stands in the environment.
@Suite(
    "STO: PostgreSQL", .proves("STO-3"), .proves("STO-7"), .proves("STO-8"), .proves("STO-12"),
    .enabled(if: postgreSQL != nil))
struct PostgreSQLStoreTests {
    private var connect: SQLStoreLaws<PostgreSQLConnection>.Connect {
        { () throws(SQLFailure) in try PostgreSQLConnection(postgreSQL ?? "") }
    }

    @Test("It keeps every law, also across restarts") func laws() async {
        for violation in await SQLStoreLaws.laws(connect) { Issue.record("\(violation)") }
    }

    @Test("It says what the model says, in random histories") func histories() {
        let failure = SQLStoreLaws.histories(0..<12, connect)
        #expect(failure == nil, Comment(rawValue: failure ?? ""))
    }

    @Test("The example of the documentation finds no server of these names") func example() {
        #expect(throws: StoreFailure.self) {
            // example: a store on PostgreSQL
            let servers = "host=db1,db2 dbname=eduid target_session_attrs=read-write"
            let store = try SQLStore { () throws(SQLFailure) in try PostgreSQLConnection(servers) }
            // end of example
            // example: a store that goes by the clock of its database
            let shared = try SQLStore(clock: .database) { () throws(SQLFailure) in try PostgreSQLConnection(servers) }
            // end of example
            _ = (store, shared)
        }
        #expect(throws: StoreFailure.self) {
            // example: a replica of PostgreSQL
            let standbys = "host=db2,db3 dbname=eduid target_session_attrs=standby"
            let replica = try SQLReplica { () throws(SQLFailure) in try PostgreSQLConnection(standbys) }
            // end of example
            _ = replica
        }
    }

    @Test("No clock of a host harms what others stored, where the database's counts", .proves("threat-66"))
    func clocks() async throws {
        let harm = try await SharedClock(space: SQLStoreLaws<PostgreSQLConnection>.space(), connect: connect).harm(
            by: .database)
        #expect(harm.removed == 0 && !harm.isTooLate)
    }

    @Test("What two stores on the same tables do at once is explained by an order") func races() async {
        for violation in await SQLStoreLaws.races(rounds: 4, connect) { Issue.record("\(violation)") }
    }

    @Test("That is so as well where the server ends their sessions before they meet, while they do, and after it")
    func disturbedRaces() async throws {
        let name = SQLStoreLaws<PostgreSQLConnection>.space()
        let ended = CallCounter()
        let violations = await SQLStoreLaws<PostgreSQLConnection>.races(
            rounds: 3,
            disturbing: {
                let ending = SQLStatement(
                    """
                    SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE application_name = $1
                    """, [.text(name)])
                guard let watcher = try? PostgreSQLConnection(postgreSQL ?? "") else { return }
                for _ in 0..<3 {
                    let count = (try? watcher.perform([ending]).first?.count) ?? 0
                    ended.calls.withLock { $0 += count }
                    try? await Task.sleep(for: .milliseconds(2))
                }
            },
            { () throws(SQLFailure) in
                try PostgreSQLConnection((postgreSQL ?? "") + " application_name=\(name)")
            })
        for violation in violations { Issue.record("\(violation)") }
        #expect(ended.calls.withLock { $0 } > 10)
    }
}

/// The connection string of a server that tests may use as they like.
let postgreSQL = ProcessInfo.processInfo.environment["EDUID_TEST_POSTGRESQL"]
#endif
