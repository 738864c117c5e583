import Wire

/// The keys that must not pass again, each until its time, in memory bounded by limits.
///
/// Keys lie in slices of time by when they end. Each key that comes takes a few away whose slice is past, so that a key
/// costs constant time, whatever else is remembered. Machines' clocks differ: a key is forgotten only some time after
/// it expired, and a decision from before that is refused, never guessed. By whose clock that is, the store says: one
/// that is far ahead makes nothing be forgotten (threat 66).
struct ReplayMemory: Sendable {
    /// Many, so that none of them is large when it grows or is copied.
    private var parts = [[ReplayKey.Words: Timestamp]](repeating: [:], count: 1024)
    /// In the order of time.
    private var slices: [Slice] = []
    private(set) var count = 0
    /// The latest time until which a forgotten key was to be remembered.
    var horizon: Timestamp?
    /// Of the time before this it is not known for certain what was seen.
    var unknownBefore: Timestamp?

    /// By how much decisions may arrive late before they are refused.
    static let skew: Duration = .seconds(60)
    /// For how long anything is remembered at most.
    private static let longest: Duration = .seconds(86_400)

    /// What ends in the same 64 seconds.
    private struct Slice {
        let number: Int64
        var keys: [ReplayKey.Words] = []
        /// How many of the keys each owner has.
        var shares: [UInt64: Int] = [:]

        static func end(of number: Int64) -> Timestamp { Timestamp(seconds: (number + 1) << shift) }

        static let shift: Int64 = 6

        static func number(of time: Timestamp) -> Int64 { time.seconds >> shift }
    }

    private static func part(of words: ReplayKey.Words) -> Int { Int(words.high >> 54) }

    /// Until when a key is remembered.
    subscript(key: ReplayKey) -> Timestamp? { parts[Self.part(of: key.words)][key.words] }

    /// What stands against remembering a key.
    ///
    /// - Parameter time: by what time keys are forgotten, where the decision's own is not taken for that.
    func conflict(of key: ReplayKey, at now: Timestamp, forgettingAt time: Timestamp) -> Batch.Conflict? {
        if let horizon, now < horizon { return .forgotten(horizon: horizon) }
        if let until = self[key], time < until { return .replayed(key, until: until) }
        return nil
    }

    /// Whether it is not known for certain that the key was never seen: what it stands for was made before the time of
    /// which all is known, or within the minute after it by a clock that may be ahead, or does not say when
    /// (threat 67).
    ///
    /// Bound: what says when it was made is refused for a minute, and what does not for a day at most.
    func doubt(about key: ReplayKey, until: Timestamp) -> Batch.Conflict? {
        guard let unknownBefore else { return nil }
        let isCertain =
            if let made = key.made { made > unknownBefore + Self.skew } else { until > unknownBefore + Self.longest }
        return isCertain ? nil : .unproven(key, before: unknownBefore)
    }

    /// Notes that of the time before this it is not known for certain what was seen; no decision after it is too late.
    mutating func startAnew(at now: Timestamp) {
        unknownBefore = max(now, unknownBefore ?? now)
        if let horizon { self.horizon = min(horizon, now) }
    }

    /// What there is no room for, after what is past has made some.
    mutating func shortage(
        of key: ReplayKey, until: Timestamp, at now: Timestamp, limits: MemoryStore.Limits
    ) -> Batch.Conflict? {
        forget(4, at: now)
        if count >= limits.replayKeys { return .memoryFull(limit: limits.replayKeys) }
        let slice = place(of: Slice.number(of: until))
        guard slice.isThere, slices[slice.position].shares[key.owner] ?? 0 >= limits.replayKeysOfOwner else {
            return nil
        }
        return .memoryFull(limit: limits.replayKeysOfOwner)
    }

    /// Remembers a key, and says until when it was remembered before.
    @discardableResult
    mutating func remember(_ key: ReplayKey, until: Timestamp) -> Timestamp? {
        let old = parts[Self.part(of: key.words)].updateValue(until, forKey: key.words)
        if old == nil { count += 1 }
        let slice = position(of: Slice.number(of: until))
        slices[slice].keys.append(key.words)
        if key.owner != 0 { slices[slice].shares[key.owner, default: 0] += 1 }
        return old
    }

    /// Counts keys of an owner that are remembered elsewhere.
    mutating func add(share count: Int, ofOwnerOf key: ReplayKey, until: Timestamp) {
        let slice = position(of: Slice.number(of: until))
        slices[slice].shares[key.owner, default: 0] += count
    }

    /// Takes back what `remember` did last.
    mutating func takeBack(_ key: ReplayKey, to old: Timestamp?) {
        guard let until = self[key] else { return }
        parts[Self.part(of: key.words)][key.words] = old
        if old == nil { count -= 1 }
        let slice = position(of: Slice.number(of: until))
        slices[slice].keys.removeLast()
        if key.owner != 0 { slices[slice].shares[key.owner, default: 1] -= 1 }
    }

    /// Forgets so many keys that expired long enough ago, if there are any, and says how many those were.
    @discardableResult
    mutating func forget(_ most: Int, at now: Timestamp) -> Int {
        let oldest = now - Self.skew
        var left = most
        // Nobody else holds the slice meanwhile: else taking one key away would copy all of them.
        while left > 0, let number = slices.first?.number, Slice.end(of: number) <= oldest {
            guard let words = slices[0].keys.popLast() else {
                slices.removeFirst()
                continue
            }
            left -= 1
            let part = Self.part(of: words)
            // A key that was remembered anew after it had expired lies in two slices, and goes with the later one.
            guard let until = parts[part][words], Slice.number(of: until) == number else { continue }
            parts[part][words] = nil
            count -= 1
            horizon = max(until, horizon ?? until)
        }
        return most - left
    }

    /// Where the slice of this number is; it is made if it is not there yet.
    private mutating func position(of number: Int64) -> Int {
        let place = place(of: number)
        if !place.isThere { slices.insert(Slice(number: number), at: place.position) }
        return place.position
    }

    /// Where the slice of this number is or belongs.
    private func place(of number: Int64) -> (position: Int, isThere: Bool) {
        var (low, high) = (0, slices.count)
        while low < high {
            let middle = (low + high) / 2
            if slices[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return (low, low < slices.count && slices[low].number == number)
    }

    /// All keys in the order of their bytes, so that equal memories are written alike.
    var ordered: [(key: ReplayKey, until: Timestamp)] { places.flatMap { keys(at: $0) } }

    /// Where keys can be taken a few at a time, in the order of all.
    var places: Range<Int> { parts.indices }

    /// The keys of a place in the order of their bytes.
    func keys(at place: Int) -> [(key: ReplayKey, until: Timestamp)] {
        parts[place].sorted { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }
            .map { (key: ReplayKey($0.key), until: $0.value) }
    }
}
