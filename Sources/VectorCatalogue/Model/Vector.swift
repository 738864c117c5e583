package import Wire

/// One situation with what has to come of it: what a party knows, the time, its chance, what it is asked, and what it
/// answers and changes.
///
/// Everything in it is JSON, so that no reader has to know this package.
package struct Vector: Sendable {
    /// What its names lead to.
    package let id: String
    /// What it is about.
    package let chapter: Chapter
    /// The situation in words.
    package let title: String
    /// The requirements, threats and clauses that it shows.
    package let proves: [String]
    /// How it is performed.
    package let kind: Kind
    /// What goes in, by the members of its kind.
    package let given: JSON.Object
    /// What has to come out.
    package let expect: JSON.Object

    /// How a vector is performed.
    package enum Kind: String, Sendable, CaseIterable {
        /// A hash of bytes.
        case hash
        /// An authentication code of bytes, or whether one is right.
        case mac
        /// A signature over bytes by a private key.
        case sign
        /// Whether a signature over bytes is right.
        case signature
        /// A JSON text that is read.
        case json
        /// A text in Base64url that is read.
        case base64url
        /// A URL that is read, or a reference that is resolved against one.
        case url
        /// A form that is read.
        case form
        /// A key as a JWK that is read.
        case jwk
        /// A key in DER or PEM that is read.
        case keyDocument = "key-document"
        /// A signature on a curve, in DER or as R and S, that is put into the other form.
        case signatureForm = "signature-form"
        /// Signed content that is checked.
        case jws
        /// A token that is checked with everything that is expected of it.
        case jwt
        /// A token that is made.
        case issue
        /// A list of service descriptions that is read.
        case services
        /// A query that a directory of service descriptions answers.
        case directory
        /// Rounds of a crawler at one service, answer by answer.
        case crawl
        /// Batches that a store applies or not, and what it says of its records afterwards.
        case tree
        /// A request as an endpoint reads it.
        case message
        /// An answer as the one who asked reads it.
        case reply
        /// A request to one of a party's endpoints.
        case exchange
        /// A request to a service's own endpoint, which is checked and not answered.
        case access
        /// A message of the edu-ID service that is due at another service.
        case delivery
        /// An app's request on the device, as the authorizing app takes it.
        case protocolRequest = "protocol-request"
        /// The authorizing app's answer, as the app takes it in, and what the app then knows.
        case protocolResponse = "protocol-response"
        /// A serialized state of an app that is read back.
        case state
        /// Bytes that are put under a seal, or taken from under one.
        case sealed
        /// The store of the authorizing app, read back and written again.
        case store
        /// A service description that is read, matched against a query, and asked for an endpoint.
        case document
        /// Actions and events in one of the modes of the authorizing app.
        case mode
        /// What an instance of the authorizing app asks others, answer by answer.
        case conversation
    }

    package init(
        _ id: String, _ chapter: Chapter, _ title: String, proves: [String], kind: Kind, given: JSON.Object,
        expect: JSON.Object
    ) {
        self.id = id
        self.chapter = chapter
        self.title = title
        self.proves = proves
        self.kind = kind
        self.given = given
        self.expect = expect
    }

    /// Whether the party says yes in it.
    package var isAccepted: Bool { expect["refusal"] == nil }
}

extension Vector {
    /// That a vector cannot be performed: a member is missing, or is not what its kind demands.
    package struct Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        package let member: String

        package init(_ member: String) { self.member = member }

        package var description: String { "the member '\(member)' is missing or malformed" }

        /// A value that must be there.
        static func need<Value>(_ value: Value?, _ member: String) throws(Rejection) -> Value {
            guard let value else { throw Rejection(member) }
            return value
        }
    }
}
