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

        func renamed(_ name: ProtocolName) -> API {
            var copy = self
            copy.name = name
            return copy
        }

        /// How messages travel; where the document is silent, as a web form.
        public var effectiveTransports: [Transport] { transports.isEmpty ? [.webForm] : transports }
    }

    /// A way in which messages travel; the list is open.
    public struct Transport: Sendable, Hashable {
        /// The word that stands for it in documents.
        public let text: String

        /// The transport that a word stands for.
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
        /// Form data over HTTP, which is also meant where nothing is said.
        public static let webForm = Transport("Web-Form")

        /// The transports that the information model names.
        public static let known = [soap, rest, xmlRPC, jsonRPC, webForm]

        /// Whether this is one of them; told by length first, because every transport of every document is asked.
        var isKnown: Bool {
            switch text.utf8.count {
            case 4: text.spells("SOAP") || text.spells("REST")
            case 7: text.spells("XML-RPC")
            case 8: text.spells("JSON-RPC") || text.spells("Web-Form")
            default: false
            }
        }

        /// Whether both are the same bytes.
        public static func == (left: Transport, right: Transport) -> Bool {
            left.text.spells(right.text)
        }

        /// Feeds the bytes.
        public func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
            hasher.combine(0xFF as UInt8)
        }
    }
}
