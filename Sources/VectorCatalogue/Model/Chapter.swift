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
    case journeys

    /// Whether it is an interaction.
    package var isInteraction: Bool {
        rawValue.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The interactions in their order.
    package static let interactions = allCases.filter { $0.isInteraction }

    /// The modules, lower layers first.
    package static let modules = allCases.filter { !$0.isInteraction }

    /// What happens in it.
    package var title: String { Self.contents[self]?.title ?? "" }

    /// The folder of its vectors.
    package var folder: String { Self.contents[self]?.folder ?? rawValue }

    private static let contents: [Chapter: (title: String, folder: String?)] = [
        .hashing: ("hashes, authentication codes and signatures", nil),
        .formats: ("JSON, Base64url, URLs and forms", nil),
        .tokens: ("keys, signed content and tokens", nil),
        .descriptions: ("service descriptions, their links, lists and queries", nil),
        .tree: ("tokens that stand on each other, and what a store says of them", nil),
        .messages: ("the messages of the endpoints, read on both sides", nil),
        .app: ("what an app keeps of what it was granted, and makes of it", nil),
        .publication: ("RSD discovery reads what a service publishes", "0-rsd-discovery"),
        .registration: ("an instance of the edu-ID app registers", "1-registration"),
        .authentication: ("a user signs in, and the app reads the profile", "2-authentication"),
        .discovery: ("usage list and protocol discovery", "3-usage-and-discovery"),
        .introduction: ("the edu-ID service introduces a user to a service", "4-service-assertion"),
        .redemption: ("an assertion is redeemed for a service token", "5-service-authorization"),
        .verification: ("a service verifies an assertion and reads the user's attributes", "6-verification"),
        .device: ("an app asks the authorizing app on its device", "7-device"),
        .appAuthorization: ("a service gives an app its token, and renews it", "8-app-authorization"),
        .use: ("an app uses the endpoints of a service", "9-use"),
        .revocation: ("tokens end", "10-revocation"),
        .journeys: ("what people do, from the first message to the last, among all parties", nil),
    ]
}
