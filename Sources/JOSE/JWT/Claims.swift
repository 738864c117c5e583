public import Wire

extension JWT {
    /// Claims to be signed, in their order.
    ///
    /// Typed where RFC 7519 and RFC 7800 define them; everything else goes by its name.
    public struct Claims: Hashable, Sendable {
        /// All claims as they will be written.
        package private(set) var members: JSON.Object

        /// No claims yet.
        public init() { members = JSON.Object() }

        /// These claims.
        public init(_ members: JSON.Object) { self.members = members }

        /// The value of a claim by its name.
        public subscript(name: JSON.Name) -> JSON? {
            get { members[name] }
            set { members[name] = newValue }
        }

        /// Who says it (`iss`).
        public var issuer: Issuer? {
            get { identifier("iss") }
            set { members["iss"] = newValue.map { .string($0.text) } }
        }

        /// Whom it is about (`sub`).
        public var subject: Subject? {
            get { identifier("sub") }
            set { members["sub"] = newValue.map { .string($0.text) } }
        }

        /// For whom it is meant (`aud`): one is written as a string, several as an array.
        public var audience: [Audience] {
            get {
                switch members["aud"] {
                case .string(let text): [try? Audience(parsing: text)].compactMap { $0 }
                case .array(let elements): elements.compactMap { $0.string.flatMap { try? Audience(parsing: $0) } }
                default: []
                }
            }
            set {
                let texts = newValue.map { JSON.string($0.text) }
                members["aud"] = texts.count > 1 ? .array(texts) : texts.first
            }
        }

        /// When it ceases to hold (`exp`).
        public var expiration: Timestamp? {
            get { time("exp") }
            set { members["exp"] = newValue.map { $0.json } }
        }

        /// When it begins to hold (`nbf`).
        public var notBefore: Timestamp? {
            get { time("nbf") }
            set { members["nbf"] = newValue.map { $0.json } }
        }

        /// When it was said (`iat`).
        public var issuedAt: Timestamp? {
            get { time("iat") }
            set { members["iat"] = newValue.map { $0.json } }
        }

        /// The token's own name (`jti`).
        public var id: String? {
            get { members["jti"]?.string }
            set { members["jti"] = newValue.map { .string($0) } }
        }

        /// The key that the presenter must prove to hold (`cnf`).
        package mutating func confirm(by confirmation: JWT.Confirmation) {
            members["cnf"] = (try? JSON.Document(of: confirmation))?.tree()
        }

        private func identifier<Kind>(_ name: JSON.Name) -> Identifier<Kind>? {
            members[name]?.string.flatMap { try? Identifier(parsing: $0) }
        }

        private func time(_ name: JSON.Name) -> Timestamp? {
            members[name]?.number.flatMap { try? Timestamp(parsing: $0.text) }
        }
    }
}

extension Timestamp {
    /// The time as a numeric date (RFC 7519 §2): an integer for a whole second.
    fileprivate var json: JSON {
        if nanoseconds == 0 { return .number(JSON.Number(seconds)) }
        // A time writes itself by the grammar of JSON.
        return (try? JSON.Number(parsing: number)).map { .number($0) } ?? .number(JSON.Number(seconds))
    }
}
