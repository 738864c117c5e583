import Foundation
import Testing
@testable import TokenStores
import TokenTree
import TokenTreeTesting
import Wire

/// Two hosts on the same tables, of which one lives 400 days ahead.
struct SharedClock<Connection: SQLConnection> {
    let space: String
    let connect: @Sendable () throws(SQLFailure) -> Connection

    /// What the host that is ahead removed of what lives, and whether the other one could go on.
    func harm(by clock: StoreClock) async throws -> (removed: Int, isTooLate: Bool) {
        let now = Timestamp(seconds: Int64(Date().timeIntervalSince1970))
        let ahead = now + .seconds(400 * 86_400)
        let right = try SQLStore(space: space, clock: clock, connect: connect)
        let wrong = try SQLStore(space: space, clock: clock, connect: connect)
        let client = Record(
            id: "client", kind: .client, parent: "key", issued: now, finalExpiry: now + .seconds(300 * 86_400))
        let began = Batch(at: now, [.insert(.sample("key")), .insert(client)])
        #expect(try await right.commit(began) == .applied)
        let seen = Batch(at: now, [.remember(ReplayKey("clock", "1"), until: now + .seconds(86_400))])
        #expect(try await right.commit(seen) == .applied)
        let late = Batch(at: ahead, [.remember(ReplayKey("clock", "2"), until: ahead + .seconds(60))])
        #expect(try await wrong.commit(late) == .applied)
        let removed = try await wrong.purge(at: ahead, keeping: Retention())
        // What was seen is not let pass again, and what is new is. The hours leave room for a machine that is busy.
        let again = try await right.commit(seen)
        let next = Batch(at: now + .seconds(1), [.remember(ReplayKey("clock", "3"), until: now + .seconds(7_200))])
        let isTooLate = try await right.commit(next) != .applied
        #expect(again != .applied)
        return (removed, isTooLate)
    }
}
