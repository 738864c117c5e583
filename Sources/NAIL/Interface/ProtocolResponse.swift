public import RSD2
public import Wire

/// What the authorizing app hands back: the documents of the services that were granted, each cut down to what was
/// asked for and with its authorization; none where nothing was granted (NIF-5).
///
/// There is no error case: the answer carries no reasons for what is missing.
public struct ProtocolResponse: Sendable {
    /// The documents, in an order that means nothing.
    public let documents: [ServiceDescription]
    /// What a reader left out; empty in a response that was made here.
    public let flaws: [Flaw]

    /// The response that grants nothing.
    public static let empty = ProtocolResponse(documents: [], flaws: [])

    init(documents: [ServiceDescription], flaws: [Flaw]) {
        self.documents = documents
        self.flaws = flaws
    }

    /// Something in a response that says nothing usable, and was left out without harm to the rest (NIF-6).
    public struct Flaw: Equatable, Sendable {
        /// Where it stands, from the root `$`.
        public let path: String
        /// What is wrong with it.
        public let reason: Reason

        /// What is wrong with a part of a response.
        public enum Reason: Equatable, Sendable {
            /// Documents are objects.
            case noObject(JSON.Kind)
            /// The document is none.
            case document(ServiceDescription.Rejection)
            /// The authorization is none.
            case authorization(ServiceDescription.Rejection)
            /// The authorization is a text, but not that of a JSON object.
            case text(JSON.Rejection)
        }
    }
}

// MARK: - The authorizing app's side

extension ProtocolResponse {
    /// The response to a request that was checked; each document is cut down to the requested protocols and
    /// `org.ietf.oauth2`.
    ///
    /// Writing is strict: what an app could only drop is not written.
    public init(to checked: ProtocolRequest.Checked, granting documents: [ServiceDescription]) throws(GrantRejection) {
        if let limit = checked.choiceLimit, documents.count > limit {
            throw .tooMany(found: documents.count, limit: limit)
        }
        let names = checked.request.protocols
        for (position, document) in documents.enumerated() {
            guard document.serviceURL != nil else { throw .nameless(position: position) }
            for name in names where !document.offers(name) { throw .notOffered(position: position, name) }
            let isAuthorized = document.authorization != nil || names.contains { document[$0]?.authorization != nil }
            guard isAuthorized else { throw .unauthorized(position: position) }
        }
        self.init(documents: documents.map { $0.filtered(for: names) }, flaws: [])
    }

    /// The response as the channel carries it.
    public func encoded() -> [UInt8] {
        JSON.encodedArray { array in
            for document in documents { array.element(document.json) }
        }
    }

    /// Why documents are no response to a request.
    public enum GrantRejection: Error, Equatable, Sendable {
        /// The app can use fewer services than the user was let choose.
        case tooMany(found: Int, limit: Int)
        /// The document has no URL that the service could be known by.
        case nameless(position: Int)
        /// The service does not offer a protocol that the app needs.
        case notOffered(position: Int, ProtocolName)
        /// The document has no authorization for any of the protocols.
        case unauthorized(position: Int)
    }
}

extension ProtocolResponse.GrantRejection: CustomStringConvertible {
    /// The rule in words, with the document that breaks it.
    public var description: String {
        switch self {
        case .tooMany(let found, let limit): "\(found) services granted to an app that asked for \(limit) (\(clause))"
        case .nameless(let position): "document \(position) has no URL to know the service by (\(clause))"
        case .notOffered(let position, let name): "document \(position) does not offer \(name) (\(clause))"
        case .unauthorized(let position): "document \(position) has no authorization (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .tooMany: "NIF-4"
        case .nameless: "RSD-3"
        case .notOffered: "NAI-12"
        case .unauthorized: "NIF-5"
        }
    }
}

extension ProtocolResponse: CustomStringConvertible, CustomReflectable {
    /// How much there is, without any token.
    public var description: String { "ProtocolResponse(\(documents.count) documents, \(flaws.count) flaws; redacted)" }

    /// Nothing to look into: a dump ends up in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ProtocolResponse.Flaw: CustomStringConvertible {
    /// The place, and what is wrong there.
    public var description: String { "\(path): \(reason)" }
}

extension ProtocolResponse.Flaw.Reason: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch self {
        case .noObject(let kind): "a document is an object, not a value of type \(kind) (\(clause))"
        case .document(let rejection): rejection.description
        case .authorization(let rejection): rejection.description
        case .text(let rejection): "the authorization as text: \(rejection) (\(clause))"
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .noObject: "NIF-5"
        case .document(let rejection), .authorization(let rejection): rejection.clause
        case .text(let rejection): rejection.clause
        }
    }
}
