public import Wire

/// An RSD2 document: what one service is, and under which links it serves which protocols.
public struct ServiceDescription: Sendable {
    /// The name of the software, for people.
    public var engineName: String?
    /// An identifier of the service within its software.
    public var engineID: String?
    /// The base of relative links of protocols; empty if it has none of its own.
    public var engineLink: String
    /// The page that people know the service by.
    public var homePageLink: String?
    /// A picture of the service.
    public var homePageIcon: String?
    /// The protocols that are offered, in document order, with distinct names.
    public internal(set) var apis: [API]
    /// The authorization of the app that the document was made for; never in public documents.
    public var authorization: Authorization?
    /// What other people have put in.
    public var extensions: Extensions

    /// A description without protocols.
    public init(engineLink: String = "", homePageLink: String? = nil) {
        self.engineLink = engineLink
        self.homePageLink = homePageLink
        apis = []
        extensions = Extensions()
    }

    /// The protocol of this name; setting replaces it in its place or appends it, `nil` removes it.
    public subscript(name: ProtocolName) -> API? {
        get { position(of: name).map { apis[$0] } }
        set {
            var api = newValue
            api?.name = name
            switch (position(of: name), api) {
            case (let position?, let api?): apis[position] = api
            case (let position?, nil): apis.remove(at: position)
            case (nil, let api?): apis.append(api)
            case (nil, nil): break
            }
        }
    }

    /// The protocol `org.ietf.oauth2`, which a service offers that wants access from mobile apps (DSC-7).
    public var oauth2: API? { apis.first { $0.name.isOAuth2 } }

    /// Whether the protocol of this name is offered.
    public func offers(_ name: ProtocolName) -> Bool {
        position(of: name) != nil
    }

    private func position(of name: ProtocolName) -> Int? {
        apis.indices.first { apis[$0].name.text.spells(name.text) }
    }
}

/// The name of a protocol, by convention a reversed domain name such as `org.ietf.oauth2`; case matters.
public typealias ProtocolName = Identifier<ServiceDescription.ProtocolKind>

extension ServiceDescription {
    /// Names a protocol.
    public enum ProtocolKind: IdentifierKind {
        /// Longer than any name in use, short enough for an index.
        public static var lengthLimit: Int { 255 }
    }
}

extension ProtocolName {
    /// Whether this is `org.ietf.oauth2`, which a service offers that wants access from mobile apps (DSC-7).
    public var isOAuth2: Bool { text.spells("org.ietf.oauth2") }

    /// Whether this is `org.ietf.oauth2`, or stands for a path below its link, as `org.ietf.oauth2.token` does (RSD-3).
    package var belongsToOAuth2: Bool { isOAuth2 || text.utf8.starts(with: "org.ietf.oauth2.".utf8) }
}

extension ServiceDescription {
    /// Members that the information model does not know; they belong to other people and survive reading and writing.
    public struct Extensions: Sendable {
        /// Members of a JSON or YAML document, and attributes and plain text elements of an XML document.
        public var members: JSON.Object
        /// Elements of an XML document with attributes, children or a namespace of their own; only XML can say them.
        package var elements: [XML.Element]

        /// An object without members, made once: every protocol of every document begins with two of them.
        static let none = JSON.Object()

        /// Nothing.
        public init() {
            members = Self.none
            elements = []
        }

        /// Whether there is nothing.
        public var isEmpty: Bool { members.isEmpty && elements.isEmpty }
    }
}

extension ServiceDescription {
    /// Bounds of the text that a reader takes in; by default ten times what the largest service in use needs.
    public struct Limits: Sendable {
        /// The longest document in bytes.
        public let bytes: Int
        /// The deepest nesting, at most 64.
        public let depth: Int
        /// The most protocols of a service, and the most settings of a protocol.
        public let members: Int
        /// The most versions or transports of a protocol.
        public let listed: Int

        /// Bounds of the caller's choice; what is not given takes the default.
        public init(bytes: Int = 512 << 10, depth: Int = 32, members: Int = 1_000, listed: Int = 64) {
            self.bytes = bytes
            self.depth = min(depth, 64)
            self.members = members
            self.listed = listed
        }
    }
}

extension ServiceDescription {
    /// The longest document in bytes that is handed on, as JSON in its strict form without tokens: those who publish
    /// it, collect it, offer it and use it hold to the same.
    public static let lengthLimit = 128 << 10

    /// Refuses what is too long to be handed on, in whatever binding it came.
    public func checkLength() throws(Rejection) {
        let length = withoutAuthorization.encoded().count
        guard length <= Self.lengthLimit else { throw .tooLong(length: length, limit: Self.lengthLimit) }
    }
}

extension ServiceDescription: Equatable {
    /// Whether both say the same, byte for byte, in the same order; XML elements that the model does not know are left
    /// out.
    public static func == (left: ServiceDescription, right: ServiceDescription) -> Bool {
        left.json == right.json
    }
}
