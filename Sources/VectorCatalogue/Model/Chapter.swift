/// What vectors are about, with a folder of its own: an interaction of the architecture by its number, or a module
/// below them by its name.
package enum Chapter: String, CaseIterable, Sendable {
    case hashing = "purecrypto"
    case formats = "wire"
    case tokens = "jose"
    case descriptions = "rsd2"
    case tree = "tokentree"
    case messages = "oauth2grants"
    case app = "nail"
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

    /// Whether it is an interaction.
    package var isInteraction: Bool {
        rawValue.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The interactions in their order.
    package static let interactions = allCases.filter { $0.isInteraction }

    /// The modules, lower layers first.
    package static let modules = allCases.filter { !$0.isInteraction }

    /// What happens in it.
    package var title: String {
        switch self {
        case .hashing: "hashes, authentication codes and signatures"
        case .formats: "JSON, Base64url, URLs and forms"
        case .tokens: "keys, signed content and tokens"
        case .descriptions: "service descriptions, their links, lists and queries"
        case .tree: "tokens that stand on each other, and what a store says of them"
        case .messages: "the messages of the endpoints, read on both sides"
        case .app: "what an app keeps of what it was granted, and makes of it"
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
        case .hashing, .formats, .tokens, .descriptions, .tree, .messages, .app: rawValue
        }
    }
}
