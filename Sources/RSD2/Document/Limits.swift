extension ServiceDescription {
    /// Bounds of what a reader takes in.
    public struct Limits: Sendable, Equatable {
        /// The longest document in bytes.
        public var bytes: Int
        /// The deepest nesting, at most 64.
        public var depth: Int
        /// The most protocols of a service, and the most settings of a protocol.
        public var members: Int
        /// The most versions or transports of a protocol.
        public var listed: Int

        /// Ten times what the largest service in use needs.
        public static let standard = Limits(bytes: 512 << 10, depth: 32, members: 1_000, listed: 64)

        /// Bounds of the caller's choice.
        public init(bytes: Int, depth: Int, members: Int, listed: Int) {
            self.bytes = bytes
            self.depth = min(depth, 64)
            self.members = members
            self.listed = listed
        }
    }

    /// The ways to write a document down.
    public enum Binding: Sendable, Hashable, CaseIterable {
        /// JSON.
        case json
        /// XML with the properties of a protocol as elements.
        case xml
        /// XML with the properties of a protocol as attributes.
        case xmlAttributes
        /// YAML.
        case yaml
    }
}
