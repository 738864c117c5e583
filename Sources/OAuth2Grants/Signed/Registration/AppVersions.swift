public import JOSE
public import Wire

/// The registered versions of the edu-ID app, found by the names of their keys: a value that the federation's
/// management replaces.
///
/// A host that keeps its versions elsewhere looks them up by itself, and sees to it that a key and its name are one
/// version's alone.
public struct AppVersions: Sendable {
    /// The versions in the order in which they were given.
    public let all: [AppVersion]
    private let versions: [KeyID: AppVersion]

    /// A registry without versions.
    public init() {
        all = []
        versions = [:]
    }

    /// A registry in which each key, and each name of a key, belongs to exactly one version (REQ-4).
    public init(_ versions: [AppVersion]) throws(Rejection) {
        var byID: [KeyID: AppVersion] = [:]
        var byThumbprint: [JWK.Thumbprint: KeyID] = [:]
        for version in versions {
            guard byID.updateValue(version, forKey: version.keyID) == nil else { throw .sharedKeyID(version.keyID) }
            guard let thumbprint = version.thumbprint else { continue }
            if let other = byThumbprint.updateValue(version.keyID, forKey: thumbprint) {
                throw .sharedKey(other, version.keyID)
            }
        }
        all = versions
        self.versions = byID
    }

    /// The version whose key has this name.
    public subscript(keyID: KeyID) -> AppVersion? { versions[keyID] }

    /// How many versions are registered.
    public var count: Int { versions.count }

    /// The rules for a registry.
    public enum Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        /// Two versions whose keys have one name.
        case sharedKeyID(KeyID)
        /// Two versions, named here by their keys' names, that have one key.
        case sharedKey(KeyID, KeyID)

        /// The rule in words.
        public var description: String {
            switch self {
            case .sharedKeyID(let id): "two versions have keys with the name '\(id)' (\(clause))"
            case .sharedKey(let one, let other): "the versions '\(one)' and '\(other)' have the same key (\(clause))"
            }
        }

        /// The clause that sets the rule.
        public var clause: String { "REQ-4" }
    }
}
