public import Wire

extension ServiceDescription {
    /// A protocol that a service offers.
    public struct API: Sendable {
        /// The protocol's name.
        public internal(set) var name: ProtocolName
        /// Where it is served; without one it is offered, but no endpoint can be built.
        public var link: String?
        /// The versions that are served.
        public var versions: [String]
        /// An identifier that beats the service's own.
        public var engineID: String?
        /// Whether the service would rather be asked this way; orders an app's choice, filters nothing.
        public var isPreferred: Bool
        /// How messages travel, as the document says; see ``effectiveTransports``.
        public var transports: [Transport]
        /// A link to documentation for people.
        public var docs: String?
        /// A link to a description for machines.
        public var description: String?
        /// Remarks for people.
        public var notes: String?
        /// Named values that the protocol defines.
        public var settings: JSON.Object
        /// The authorization for this protocol alone, which beats the service's.
        public var authorization: Authorization?
        /// What other people have put in.
        public var extensions: Extensions

        /// A protocol served under a link.
        public init(_ name: ProtocolName, link: String?) {
            self.name = name
            self.link = link
            versions = []
            isPreferred = false
            transports = []
            settings = ServiceDescription.Extensions.none
            extensions = Extensions()
        }

        /// How messages travel: as a web form if the document is silent.
        public var effectiveTransports: [Transport] { transports.isEmpty ? [.webForm] : transports }
    }

    /// How messages travel; the list is open.
    public struct Transport: Sendable, Hashable {
        /// The word that stands for it in documents.
        @ExactText public private(set) var text: String

        /// The transport that a word of documents stands for.
        public init(_ text: String) {
            self.text = text
        }

        /// SOAP.
        public static let soap = Transport("SOAP")
        /// Plain HTTP on resources.
        public static let rest = Transport("REST")
        /// XML-RPC.
        public static let xmlRPC = Transport("XML-RPC")
        /// JSON-RPC.
        public static let jsonRPC = Transport("JSON-RPC")
        /// Form data over HTTP, which is also meant if a document names no transport.
        public static let webForm = Transport("Web-Form")

        /// Whether the information model names it.
        var isKnown: Bool {
            Self.soap == self || Self.rest == self || Self.xmlRPC == self || Self.jsonRPC == self
                || Self.webForm == self
        }
    }
}
