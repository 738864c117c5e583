internal import Federation
internal import JOSE
internal import TokenTree
internal import Wire

extension World {
    /// A party at work: its store, and the processes that answer from it, each with what it remembers by itself.
    final class Host<Served: Party> {
        let disk: Disk
        /// How the party is set up, also after a restart.
        private(set) var configuration: Served
        private(set) var keys: Authority.Keys
        private(set) var processes: [Process]
        var isDown = false
        /// How far its clock is ahead.
        var clockError: Duration = .zero {
            didSet { worstClockError = max(worstClockError, clockError, .zero - clockError) }
        }
        /// How far it was off at most, either way.
        private(set) var worstClockError: Duration = .zero
        var wasClockWrong: Bool { worstClockError != .zero }
        /// The end of the chain of what was told last of the tree.
        var toldHead: Fingerprint?
        /// Which process the next message goes to.
        private var turn = 0
        /// Makes the party anew, with nothing remembered.
        private let begin: (Served, Authority.Keys) -> Served
        private(set) var rotations = 0
        /// The key that signs, and former ones, the latest first.
        var publishedKeys: [JWK] { (keys.publicKey.map { [$0] } ?? []) + keys.others }

        /// What one process has in memory.
        struct Process {
            var served: Served
            var keys = KeySets()
            var descriptions = ProviderDescriptions()
            var upkeep = Upkeep()
            /// What was decided since its last tick, of which not everybody could be told at once.
            var unfinished: [AuditRecord] = []
        }

        init(
            _ configuration: Served, keys: Authority.Keys, processes count: Int,
            beginning begin: @escaping (Served, Authority.Keys) -> Served
        ) {
            (self.configuration, self.keys, self.begin) = (configuration, keys, begin)
            disk = Disk(isShared: count > 1)
            processes = (0..<count).map { _ in Process(served: begin(configuration, keys)) }
        }

        /// The process that answers next.
        func next() -> Int {
            turn += 1
            return turn % processes.count
        }

        func withProcess<Value>(_ number: Int, _ body: (inout Process) -> Value) -> Value {
            body(&processes[number])
        }

        /// Ends a process, which starts anew; a party with one process reads its store from what was written.
        func restart(_ number: Int, at now: Timestamp) -> String? {
            processes[number] = Process(served: begin(configuration, keys))
            return processes.count == 1 ? disk.restart(at: now) : nil
        }

        /// Ends all processes, of which the first that starts anew reads the store.
        func restartAll(at now: Timestamp) -> String? {
            for number in processes.indices { processes[number] = Process(served: begin(configuration, keys)) }
            return disk.restart(at: now)
        }

        /// Sets the party up in another way, at once and for later.
        func reconfigure(_ change: (inout Served) -> Void) {
            change(&configuration)
            for number in processes.indices { processes[number].served = begin(configuration, keys) }
        }

        /// Has all processes work under other keys.
        func rotate(to keys: Authority.Keys) {
            rotations += 1
            self.keys = keys
            for number in processes.indices { processes[number].served = begin(configuration, keys) }
        }
    }
}
