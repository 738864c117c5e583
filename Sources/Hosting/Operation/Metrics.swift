public import Federation
internal import Synchronization
public import Wire

/// What has happened since the process began, in numbers.
///
/// It is told of every answer and every decision, and writes the text format of Prometheus (OPS-9). No number is about
/// a person.
public final class Metrics: Sendable {
    private let state = Mutex(State())

    fileprivate struct State {
        var counters: [Series: UInt64] = [:]
        var times = Histogram()
        var lastRound: Timestamp?
    }

    /// One line of the text.
    fileprivate struct Series: Hashable, Comparable {
        let family: Family
        /// The value of the family's label.
        let value: String

        static func < (one: Series, other: Series) -> Bool {
            one.family == other.family ? one.value < other.value : one.family.rawValue < other.family.rawValue
        }
    }

    /// The most values of one label: rules and endpoints are few, and nobody outside adds to them.
    fileprivate static let seriesLimit = 1_024

    /// Nothing has happened yet.
    public init() {}

    /// Counts a request that was answered.
    public func note(_ line: AccessLine) {
        state.withLock { state in
            state.count(.requests, line.status.description)
            if let rule = line.rule { state.count(.unread, rule) }
        }
    }

    /// Counts a decision.
    public func note(_ record: AuditRecord) {
        state.withLock { state in
            state.count(.decisions, record.endpoint ?? "other")
            if let refusal = record.refusal { state.count(.refusals, refusal.rule.clause) }
            for act in record.acts { state.count(.acts, act.rawValue) }
            state.times.add(record.duration)
        }
    }

    /// Counts what a timer did.
    public func note(_ report: Upkeep.Report, at now: Timestamp) {
        state.withLock { state in
            state.count(.rounds)
            state.count(.confirmed, by: report.confirmed)
            state.count(.purged, by: report.purged)
            state.lastRound = now
        }
    }

    /// Counts what a crawl found.
    public func note(_ report: Crawler.Report) {
        state.withLock { state in
            state.count(.described, by: report.changed.count)
            state.count(.undescribed, by: report.failed.count)
        }
    }

    /// Counts that the store failed.
    public func noteStoreFailure() { state.withLock { $0.count(.storeFailures) } }

    /// Everything in the text format of Prometheus, version 0.0.4.
    ///
    /// - Parameter gauges: what is true at this moment, by the names of gauges.
    func text(_ gauges: [Gauge: Double]) -> String {
        let (counters, times, lastRound) = state.withLock { ($0.counters, $0.times, $0.lastRound) }
        var text = ""
        let series = counters.sorted { $0.key < $1.key }
        for family in Family.allCases {
            text += Self.head(family.rawValue, "counter", family.words)
            let own = series.filter { $0.key.family == family }
            if own.isEmpty, family.label == nil { text += "\(family.rawValue) 0\n" }
            for (key, count) in own { text += "\(family.rawValue)\(family.label(key.value)) \(count)\n" }
        }
        text += times.text
        var gauges = gauges
        gauges[.lastRound] = lastRound.map { Double($0.seconds) }
        for gauge in Gauge.allCases {
            guard let value = gauges[gauge] else { continue }
            text += Self.head(gauge.rawValue, "gauge", gauge.words) + "\(gauge.rawValue) \(value)\n"
        }
        return text
    }

    /// What stands above the lines of a name.
    fileprivate static func head(_ name: String, _ kind: String, _ words: String) -> String {
        "# HELP \(name) \(words)\n# TYPE \(name) \(kind)\n"
    }
}

extension Metrics.State {
    fileprivate mutating func count(_ family: Metrics.Family, _ value: String = "", by number: Int = 1) {
        var series = Metrics.Series(family: family, value: value)
        if counters[series] == nil, counters.count >= Metrics.seriesLimit {
            series = Metrics.Series(family: family, value: family.label == nil ? "" : "other")
        }
        counters[series, default: 0] += UInt64(max(0, number))
    }
}

// MARK: - What is counted

extension Metrics {
    /// What only grows.
    fileprivate enum Family: String, CaseIterable {
        case requests = "eduid_requests_total"
        case unread = "eduid_unread_requests_total"
        case decisions = "eduid_decisions_total"
        case refusals = "eduid_refusals_total"
        case acts = "eduid_acts_total"
        case rounds = "eduid_timer_rounds_total"
        case confirmed = "eduid_messages_confirmed_total"
        case purged = "eduid_records_purged_total"
        case described = "eduid_descriptions_changed_total"
        case undescribed = "eduid_descriptions_failed_total"
        case storeFailures = "eduid_store_failures_total"

        var words: String {
            switch self {
            case .requests: "Answers at all sockets, by status."
            case .unread: "Requests that were refused before anybody read them, by rule."
            case .decisions: "Decisions, by endpoint."
            case .refusals: "Decisions to refuse, by rule."
            case .acts: "What was done with what is kept about people."
            case .rounds: "Rounds of what timers do."
            case .confirmed: "Messages to other services that they confirmed."
            case .purged: "Records that were dead and have been removed."
            case .described: "Descriptions of services that were found, changed or given up."
            case .undescribed: "Descriptions of services that could not be read."
            case .storeFailures: "Failures of the store."
            }
        }

        var label: String? {
            switch self {
            case .requests: "status"
            case .unread, .refusals: "rule"
            case .decisions: "endpoint"
            case .acts: "act"
            case .rounds, .confirmed, .purged, .described, .undescribed, .storeFailures: nil
            }
        }

        func label(_ value: String) -> String {
            guard let label else { return "" }
            var escaped = ""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\\": escaped += "\\\\"
                case "\"": escaped += "\\\""
                case "\n": escaped += "\\n"
                default: escaped.unicodeScalars.append(scalar)
                }
            }
            return "{\(label)=\"\(escaped)\"}"
        }
    }

    /// What rises and falls.
    enum Gauge: String, CaseIterable {
        case lastRound = "eduid_timer_last_round_timestamp_seconds"
        case waiting = "eduid_messages_waiting"
        case deadLetters = "eduid_messages_waiting_a_week"
        case isReady = "eduid_ready"
        case started = "process_start_time_seconds"

        var words: String {
            switch self {
            case .lastRound: "When timers did their work last."
            case .waiting: "Messages that other services have not confirmed, up to 1000."
            case .deadLetters: "Those of them that were tried in vain for seven days."
            case .isReady: "Whether requests can be answered: 1 or 0."
            case .started: "When the process began."
            }
        }
    }

    /// How long decisions took.
    fileprivate struct Histogram {
        /// The bounds in microseconds, with the text of each in seconds.
        private static let bounds: [(microseconds: Int64, seconds: String)] = [
            (100, "0.0001"), (250, "0.00025"), (500, "0.0005"), (1_000, "0.001"), (2_500, "0.0025"), (5_000, "0.005"),
            (10_000, "0.01"), (25_000, "0.025"), (50_000, "0.05"), (100_000, "0.1"), (250_000, "0.25"),
            (500_000, "0.5"), (1_000_000, "1"), (2_500_000, "2.5"), (5_000_000, "5"), (10_000_000, "10"),
        ]
        private static let name = "eduid_decision_seconds"

        /// How many fell below each bound and above the one before; last those above all.
        private var counts = [UInt64](repeating: 0, count: bounds.count + 1)
        private var microseconds: Int64 = 0

        mutating func add(_ duration: Duration) {
            let (seconds, attoseconds) = duration.components
            let time = min(seconds, 1 << 40) * 1_000_000 + attoseconds / 1_000_000_000_000
            counts[Self.bounds.firstIndex { time <= $0.microseconds } ?? Self.bounds.count] += 1
            microseconds &+= time
        }

        var text: String {
            var text = Metrics.head(
                Self.name, "histogram", "How long decisions took, with what was looked up and stored for them.")
            var sum: UInt64 = 0
            for (bound, count) in zip(Self.bounds, counts) {
                sum += count
                text += "\(Self.name)_bucket{le=\"\(bound.seconds)\"} \(sum)\n"
            }
            sum += counts[Self.bounds.count]
            text += "\(Self.name)_bucket{le=\"+Inf\"} \(sum)\n"
            text += "\(Self.name)_sum \(Double(microseconds) / 1e6)\n\(Self.name)_count \(sum)\n"
            return text
        }
    }
}
