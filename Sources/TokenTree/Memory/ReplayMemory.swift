import Wire

/// The keys that must not pass again, each until its time, in memory bounded by a limit.
///
/// What has expired is swept out part by part whenever a part has doubled, so that a key costs constant time on
/// average. Machines' clocks differ: a key is forgotten only some time after it expired, and a decision from before
/// that is refused, never guessed.
struct ReplayMemory: Sendable {
    private var parts = [[ReplayKey: Timestamp]](repeating: [:], count: 64)
    private var thresholds = [Int](repeating: 32, count: 64)
    private(set) var count = 0
    /// The latest time until which a forgotten key was to be remembered.
    var horizon: Timestamp?

    /// By how much decisions may arrive late before they are refused.
    private static let skew: Duration = .seconds(300)

    private static func part(of key: ReplayKey) -> Int { Int(key.high >> 58) }

    subscript(key: ReplayKey) -> Timestamp? {
        get { parts[Self.part(of: key)][key] }
        set {
            let part = Self.part(of: key)
            count -= parts[part].count
            parts[part][key] = newValue
            count += parts[part].count
        }
    }

    /// What stands against remembering a key.
    func conflict(of key: ReplayKey, at now: Timestamp) -> Batch.Conflict? {
        if let horizon, now < horizon { return .forgotten(horizon: horizon) }
        if let until = self[key], now < until { return .replayed(key, until: until) }
        return nil
    }

    /// Makes room for one more key; false if there is none within the limit.
    mutating func makeRoom(for key: ReplayKey, at now: Timestamp, limit: Int) -> Bool {
        let part = Self.part(of: key)
        if parts[part].count >= thresholds[part] {
            sweep(part, at: now)
            thresholds[part] = max(32, parts[part].count * 2)
        }
        if count >= limit { sweep(at: now) }
        return count < limit
    }

    /// Forgets all that expired long enough ago.
    mutating func sweep(at now: Timestamp) {
        for part in parts.indices { sweep(part, at: now) }
    }

    private mutating func sweep(_ part: Int, at now: Timestamp) {
        let oldest = now - Self.skew
        var latest: Timestamp?
        for until in parts[part].values where until <= oldest { latest = max(until, latest ?? until) }
        guard let latest else { return }
        count -= parts[part].count
        parts[part] = parts[part].filter { $0.value > oldest }
        count += parts[part].count
        horizon = max(latest, horizon ?? latest)
    }

    /// All keys in the order of their bytes, so that equal memories are written alike.
    var ordered: [(key: ReplayKey, until: Timestamp)] {
        parts.flatMap { part in part.map { (key: $0.key, until: $0.value) } }
            .sorted { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }
    }
}
