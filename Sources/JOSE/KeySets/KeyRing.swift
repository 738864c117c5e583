/// Verification keys that get faster with use: a key is prepared when it verifies for the second time, and the least
/// recently used preparation is given up where there are too many.
///
/// A ring is a value; verifying with it changes it. A reader without state verifies with a ``JWKSet`` instead, to the
/// same results.
public struct KeyRing: Sendable {
    /// The keys, in the order in which they were given.
    package private(set) var keys: [VerificationKey]
    private var plain: [VerificationKey]
    private var uses: [Use]
    private var clock: UInt64 = 0
    private let capacity: Int
    private var preparedCount = 0

    private struct Use {
        var count: UInt8 = 0
        var last: UInt64 = 0
        var isPrepared = false
    }

    /// A ring of these keys, of which at most so many are prepared at a time; each takes about 6 KiB then.
    package init(_ keys: [VerificationKey], preparing capacity: Int = 64) {
        self.keys = keys
        plain = keys
        uses = Array(repeating: Use(), count: keys.count)
        self.capacity = max(capacity, 0)
    }

    /// A ring of the keys of a set, of which at most so many are prepared at a time; each takes about 6 KiB then.
    public init(_ set: JWKSet, preparing capacity: Int = 64) {
        self.init(set.keys, preparing: capacity)
    }

    /// How many keys are prepared at the moment.
    package var preparations: Int { preparedCount }

    /// Notes that the key at this place has verified a signature.
    mutating func noteUse(at index: Int) {
        clock &+= 1
        uses[index].last = clock
        guard !uses[index].isPrepared, capacity > 0, plain[index].gainsByPreparation else { return }
        uses[index].count &+= 1
        guard uses[index].count >= 2 else { return }
        if preparedCount == capacity { giveUpOldest() }
        keys[index] = plain[index].prepared()
        uses[index].isPrepared = true
        preparedCount += 1
    }

    private mutating func giveUpOldest() {
        let prepared = uses.indices.filter { uses[$0].isPrepared }
        guard let oldest = prepared.min(by: { uses[$0].last < uses[$1].last }) else { return }
        keys[oldest] = plain[oldest]
        uses[oldest] = Use(count: 0, last: uses[oldest].last, isPrepared: false)
        preparedCount -= 1
    }
}
