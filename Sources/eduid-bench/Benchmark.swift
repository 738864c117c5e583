import Foundation

/// One timed operation, and the rival doing the same task where this machine has one.
struct Benchmark {
    let name: String
    private let body: Body
    private var rival: (name: String, body: Body)?

    /// Performs the operation as often as it is told, so that the loop's own cost vanishes in the operation's.
    private typealias Body = (_ iterations: Int) -> Void

    /// A benchmark of an operation whose result is kept from the optimizer.
    @inline(__always)
    init<Result>(_ name: String, _ operation: @escaping () -> Result) {
        self.name = name
        body = Self.loop(operation)
    }

    /// The same benchmark, measured in turn with somebody else's way to the same result.
    @inline(__always)
    func against<Result>(_ rival: String, _ operation: @escaping () -> Result) -> Benchmark {
        var copy = self
        copy.rival = (rival, Self.loop(operation))
        return copy
    }

    @inline(__always)
    private static func loop<Result>(_ operation: @escaping () -> Result) -> Body {
        { iterations in
            for _ in 0..<iterations { keep(operation()) }
        }
    }
}

/// Takes a value out of the optimizer's sight, so that the work that made it cannot be dropped; costs a call and no
/// generic metadata.
@inline(__always)
private func keep<Value>(_ value: Value) {
    withUnsafeBytes(of: value) { witness($0) }
}

/// Sees everything and does nothing, which the optimizer is not to find out.
@inline(never) @_optimize(none)
private func witness(_: UnsafeRawBufferPointer) {}

/// What was measured: the median over samples, how far the middle half of them spreads around it, and the rival's
/// median.
struct Measurement {
    let name: String
    let nanoseconds: Double
    let spread: Double
    let iterations: Int
    let rival: (name: String, nanoseconds: Double)?

    /// The rival's time over ours: above 1, ours is faster.
    var ratio: Double? { rival.map { $0.nanoseconds / nanoseconds } }
}

extension Benchmark {
    /// A sample lasts at least this long, so that reading the clock (some 300 ns) stays below a thousandth of it.
    private static let sampleNanoseconds = 400_000.0
    private static let fewestSamples = 5

    /// Samples for about the given time, ours and the rival's in turn, after a warm-up in which lazily made tables come
    /// into being.
    func measured(seconds: Double) -> Measurement {
        let batch = Self.calibratedBatch(body)
        let rivalBatch = rival.map { Self.calibratedBatch($0.body) }
        var samples: [Double] = []
        var rivalSamples: [Double] = []
        var spent = 0.0
        while spent < seconds * 1e9 || samples.count < Self.fewestSamples {
            let elapsed = Self.time(body, batch)
            spent += elapsed
            samples.append(elapsed / Double(batch))
            if let rival, let rivalBatch {
                rivalSamples.append(Self.time(rival.body, rivalBatch) / Double(rivalBatch))
            }
        }
        samples.sort()
        rivalSamples.sort()
        let median = samples[samples.count / 2]
        return Measurement(
            name: name,
            nanoseconds: median,
            spread: (samples[samples.count * 3 / 4] - samples[samples.count / 4]) / median,
            iterations: batch * samples.count,
            rival: rival.map { ($0.name, rivalSamples[rivalSamples.count / 2]) }
        )
    }

    private static func calibratedBatch(_ body: Body) -> Int {
        body(1)
        var batch = 1
        while time(body, batch) < sampleNanoseconds { batch *= 2 }
        return batch
    }

    /// What so many operations take.
    private static func time(_ body: Body, _ iterations: Int) -> Double {
        let began = threadNanoseconds()
        body(iterations)
        return threadNanoseconds() - began
    }
}

/// The time that this thread has spent on a processor, to which nothing is added by what else the machine does.
func threadNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
