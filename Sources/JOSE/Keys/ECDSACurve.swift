package import Wire

/// A curve of NIST on which ECDSA signatures are made (FIPS 186-5, SP 800-186).
public enum ECDSACurve: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// P-256, also named secp256r1.
    case p256
    /// P-384, also named secp384r1.
    case p384
    /// P-521, also named secp521r1.
    case p521

    /// The name that RFC 7518 §6.2.1.1 registers.
    public var description: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        }
    }

    /// The curve of a registered name.
    package init?(_ name: JSON.Name) {
        switch name {
        case "P-256": self = .p256
        case "P-384": self = .p384
        case "P-521": self = .p521
        default: return nil
        }
    }

    /// The bytes of a coordinate, of a private key and of either half of a signature.
    package var coordinateLength: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// The one algorithm of JOSE on this curve (RFC 7518 §3.4).
    package var algorithm: Algorithm {
        switch self {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        }
    }
}
