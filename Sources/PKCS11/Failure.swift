#if PKCS11
import CPKCS11

extension SecurityModule {
    /// Why a module did not do what was asked of it.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// What went wrong.
        public enum Reason: Equatable, Sendable {
            /// The library cannot be loaded, or is none of PKCS #11.
            case library(String)
            /// No slot has a token with this label.
            case token(String)
            /// The token has no pair with this label, or its login does not show it.
            case key(String)
            /// The pair is of a type that signs nothing here.
            case keyType(String)
            /// A function answered with another number than zero.
            case function(String, UInt)
        }

        /// What went wrong.
        public let reason: Reason

        init(_ reason: Reason) { self.reason = reason }

        /// What went wrong, and what to do.
        public var description: String {
            switch reason {
            case .library(let path): "no PKCS #11 library can be loaded from '\(path)'"
            case .token(let label): "no token is labelled '\(label)'; 'pkcs11-tool --list-slots' shows them"
            case .key(let label):
                "the token has no key pair labelled '\(label)'; 'pkcs11-tool --login --list-objects' shows them"
            case .keyType(let label):
                "the key '\(label)' is of another type than P-256, P-384, P-521 and RSA"
            case .function(let name, UInt(CKR_PIN_INCORRECT)), .function(let name, UInt(CKR_PIN_LOCKED)):
                "the PIN is not taken by \(name)"
            case .function(let name, let code): "\(name) failed with 0x\(String(code, radix: 16))"
            }
        }

        static func check(_ name: String, _ result: CK_RV) throws(Failure) {
            guard result == CK_RV(CKR_OK) else { throw Failure(.function(name, UInt(result))) }
        }
    }
}
#endif
