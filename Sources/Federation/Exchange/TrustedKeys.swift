internal import JOSE
internal import OAuth2Grants
internal import Wire

/// Where the keys of another party come from.
enum TrustedKeys: Sendable {
    /// Somebody gave them, and replaces them when they change.
    case given([VerificationKey])
    /// The party publishes them; without a URL nobody knows where. A policy says how they are kept, where the host's
    /// own is not meant for them.
    case published(Issuer, at: WebURL?, under: RemoteKeySet.Policy? = nil)

    /// The keys as they are at a time.
    struct Known: Sendable {
        let keys: [VerificationKey]
        /// The keys that their owner has withdrawn, and since when what they signed does not count.
        let withdrawn: [KeyID: Timestamp]
    }
}

extension Inquiry {
    /// The keys of another party as they are now: for a token that names one, or read anew.
    mutating func keys(
        of party: TrustedKeys, naming id: KeyID? = nil, anew isAnew: Bool = false
    ) throws(Refusal) -> TrustedKeys.Known {
        switch party {
        case .given(let keys): return TrustedKeys.Known(keys: keys, withdrawn: [:])
        case .published(let issuer, let url, let policy):
            guard let url else { throw .unreadableKeys }
            let lookup = Lookup.Keys(issuer: issuer, url: url, id: id, isAnew: isAnew, policy: policy)
            guard let set = try keySet(lookup),
                set.issuer == issuer
            else { throw .unreadableKeys }
            // A key without a name could not be withdrawn by its name.
            let known = TrustedKeys.Known(keys: set.prepared.filter { $0.id != nil }, withdrawn: set.withdrawn)
            guard !known.keys.isEmpty || !known.withdrawn.isEmpty else { throw .unreadableKeys }
            return known
        }
    }
}

extension Refusal {
    /// Whether a signature is right is not known; nothing ends, and another time helps.
    fileprivate static let unreadableKeys = Refusal(
        .temporarilyUnavailable, "the keys that the request is signed with cannot be read; try again later", "threat-76"
    )
}
