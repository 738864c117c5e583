extension HTTP {
    /// How often something occurs that should occur once at most.
    public enum Occurrence<Value> {
        /// It does not occur.
        case absent
        /// It occurs once.
        case once(Value)
        /// It occurs that many times, which is more than once.
        case repeated(Int)

        init(_ values: some Sequence<Value>) {
            self = .absent
            var count = 0
            for value in values {
                count += 1
                self = count == 1 ? .once(value) : .repeated(count)
            }
        }

        /// The value, if it occurs exactly once.
        public var value: Value? {
            guard case .once(let value) = self else { return nil }
            return value
        }
    }
}

extension HTTP.Occurrence: Sendable where Value: Sendable {}
extension HTTP.Occurrence: Equatable where Value: Equatable {}
