public import RSD2
internal import Wire

/// What the authorizing app hands back: the documents of the services that were granted, each cut down to what was
/// asked for and with its authorization; none where nothing was granted (NIF-5).
///
/// There is no error case: the answer carries no reasons for what is missing.
public struct ProtocolResponse: Sendable {
    /// The documents, in an order that means nothing.
    public let documents: [ServiceDescription]
    /// What a reader left out; empty in a response that was made here.
    public let dropped: [Dropped]

    /// The response that grants nothing.
    public static let empty = ProtocolResponse(documents: [], dropped: [])

    init(documents: [ServiceDescription], dropped: [Dropped]) {
        self.documents = documents
        self.dropped = dropped
    }

    /// Something in a response that says nothing usable, and was left out without harm to the rest (NIF-6).
    public struct Dropped: Equatable, Sendable, CustomStringConvertible {
        /// Where it stands, from the root `$`.
        public let path: String
        /// What is wrong with it.
        public let reason: MessageRejection

        /// The place, and what is wrong there.
        public var description: String { "\(path): \(reason)" }
    }
}

// MARK: - The authorizing app's side

extension ProtocolResponse {
    /// The response to a request that was checked; each document is filtered for the requested protocols.
    ///
    /// Writing is strict: what an app could only drop is not written.
    public init(to checked: ProtocolRequest.Checked, granting documents: [ServiceDescription]) throws(MessageRejection)
    {
        if let limit = checked.choiceLimit, documents.count > limit {
            throw .tooManyChosen(found: documents.count, limit: limit)
        }
        let names = checked.request.protocols
        for document in documents {
            guard document.serviceURL != nil else { throw .nameless }
            for name in names where !document.offers(name) { throw .notOffered(name) }
            let isAuthorized = document.authorization != nil || names.contains { document[$0]?.authorization != nil }
            guard isAuthorized else { throw .unauthorized }
        }
        self.init(documents: documents.map { $0.filtered(for: names) }, dropped: [])
    }

    /// The response as the channel carries it.
    public func encoded() -> [UInt8] {
        JSON.encodedArray { array in
            for document in documents { array.element(document.json) }
        }
    }
}

extension ProtocolResponse: CustomStringConvertible, CustomReflectable {
    /// How much there is, without any token.
    public var description: String {
        "ProtocolResponse(\(documents.count) documents, \(dropped.count) dropped; redacted)"
    }

    /// Nothing to look into: a dump ends up in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
