package import Wire

/// One situation with what has to come of it: what a party knows, the time, its chance, what it is asked, and what it answers and changes.
///
/// Everything in it is JSON, so that no reader has to know this package.
package struct Vector: Sendable {
    /// What its names lead to.
    package let id: String
    /// The interaction, by its number in the architecture drawing.
    package let interaction: Interaction
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
        /// A service description that is read, matched against a query, and asked for an endpoint.
        case document
        /// Actions and events in one of the modes of the authorizing app.
        case mode
    }

    package init(
        _ id: String, _ interaction: Interaction, _ title: String, proves: [String], kind: Kind, given: JSON.Object, expect: JSON.Object
    ) {
        self.id = id
        self.interaction = interaction
        self.title = title
        self.proves = proves
        self.kind = kind
        self.given = given
        self.expect = expect
    }

    /// Whether the party says yes in it.
    package var isAccepted: Bool { expect["refusal"] == nil }
}

/// The interactions of the architecture, each with its folder.
package enum Interaction: String, CaseIterable, Sendable {
    case publication = "0"
    case registration = "1"
    case authentication = "2"
    case discovery = "3"
    case introduction = "4"
    case redemption = "5"
    case verification = "6"
    case device = "7"
    case appAuthorization = "8"
    case use = "9"
    case revocation = "10"

    /// What happens in it.
    package var title: String {
        switch self {
        case .publication: "RSD discovery reads what a service publishes"
        case .registration: "an instance of the edu-ID app registers"
        case .authentication: "a user signs in, and the app reads the profile"
        case .discovery: "usage list and protocol discovery"
        case .introduction: "the edu-ID service introduces a user to a service"
        case .redemption: "an assertion is redeemed for a service token"
        case .verification: "a service verifies an assertion and reads the user's attributes"
        case .device: "an app asks the authorizing app on its device"
        case .appAuthorization: "a service gives an app its token, and renews it"
        case .use: "an app uses the endpoints of a service"
        case .revocation: "tokens end"
        }
    }

    /// The folder of its vectors.
    package var folder: String {
        switch self {
        case .publication: "0-rsd-discovery"
        case .registration: "1-registration"
        case .authentication: "2-authentication"
        case .discovery: "3-usage-and-discovery"
        case .introduction: "4-service-assertion"
        case .redemption: "5-service-authorization"
        case .verification: "6-verification"
        case .device: "7-device"
        case .appAuthorization: "8-app-authorization"
        case .use: "9-use"
        case .revocation: "10-revocation"
        }
    }
}

/// That a vector cannot be performed: a member is missing, or is not what its kind demands.
package struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
    package let member: String

    package init(_ member: String) { self.member = member }

    package var description: String { "the member '\(member)' is missing or malformed" }

    /// A value that must be there.
    static func need<Value>(_ value: Value?, _ member: String) throws(Malformed) -> Value {
        guard let value else { throw Malformed(member) }
        return value
    }
}
