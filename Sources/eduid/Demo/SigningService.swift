import FederationTesting
import Foundation
import JOSE
import PKCS11

/// Whoever signs for the edu-ID service of a story: a key in a security module, where the program was built with the
/// trait `PKCS11`.
struct SigningService {
    let publicKey: JWK
    let sign: @Sendable (SignatureRequest) -> [UInt8]?

    #if PKCS11
    private static let module = Option(
        name: "module", value: "library",
        abstract: "Let the edu-ID service sign with a key in the token of a PKCS #11 library.")
    private static let token = Option(
        name: "token", value: "label", abstract: "The token's label; its PIN is in EDUID_PIN.", fallback: "eduid")
    private static let key = Option(
        name: "key", value: "label", abstract: "The label of the key pair.", fallback: "edu-id")

    static let options = [module, token, key]

    /// The key that an invocation names, if it names a module.
    init?(_ invocation: Invocation, on console: Console) throws(Failure) {
        guard let library = invocation[Self.module] else { return nil }
        let pin = ProcessInfo.processInfo.environment["EDUID_PIN"] ?? ""
        do {
            let token = try SecurityModule(library: library, token: invocation[Self.token] ?? "eduid", pin: pin)
            let key = try token.key(labelled: invocation[Self.key] ?? "edu-id")
            publicKey = key.publicKey
            sign = { try? key.signature(for: $0) }
        } catch {
            throw .refused("the security module cannot be used: \(error)")
        }
    }
    #else
    static let options: [Option] = []

    init?(_ invocation: Invocation, on console: Console) throws(Failure) { return nil }
    #endif
}

extension Parties {
    /// Lets the edu-ID service sign there, from now on.
    mutating func sign(by service: SigningService) throws {
        try sign(withElsewhere: service.publicKey, publishing: [])
        federation.signer = service.sign
    }
}
