internal import JOSE
public import Wire

extension OpenID {
    /// Something that is told of a person: its name in a profile, and whether there may be several of it.
    ///
    /// Claims are carried, and nothing is decided by them: neither who somebody is, nor how he or she signed in
    /// (FED-6).
    public struct Claim: Hashable, Sendable, CustomStringConvertible {
        /// Its name in a profile.
        public let name: JSON.Name
        /// Whether a person may have several of it, which then stand in a list.
        public let isMultiple: Bool
        /// How else providers spell the name.
        fileprivate let spellings: [JSON.Name]

        /// A claim of one's own; `nil` for the name of one that makes a token what it is.
        public init?(_ name: JSON.Name, isMultiple: Bool = false) {
            guard !Statement.Kind.assertionGrant.interpreted.contains(name) else { return nil }
            self.init(known: name, isMultiple, [])
        }

        private init(known name: JSON.Name, _ isMultiple: Bool, _ spellings: [JSON.Name]) {
            self.name = name
            self.isMultiple = isMultiple
            self.spellings = spellings
        }

        /// The name.
        public var description: String { name.text }
    }
}

// MARK: - The catalogue

extension OpenID.Claim {
    private static func one(_ name: JSON.Name, _ spellings: JSON.Name...) -> Self {
        Self(known: name, false, spellings)
    }
    private static func several(_ name: JSON.Name, _ spellings: JSON.Name...) -> Self {
        Self(known: name, true, spellings)
    }

    /// OpenID Connect Core §5.1.
    public static let openID = [
        one("name"), one("given_name"), one("family_name"), one("middle_name"), one("nickname"),
        one("preferred_username"), one("profile"), one("picture"), one("website"), one("email"), one("email_verified"),
        one("gender"), one("birthdate"), one("zoneinfo"), one("locale"), one("phone_number"),
        one("phone_number_verified"), one("address"), one("updated_at"),
    ]
    /// eduPerson, with the assurance of REFEDS as its values have it, by the names of the schema; providers use those
    /// of REFEDS for OpenID Connect too.
    public static let eduPerson = [
        several("eduPersonAffiliation", "eduperson_affiliation"),
        several("eduPersonScopedAffiliation", "eduperson_scoped_affiliation"),
        one("eduPersonPrimaryAffiliation", "eduperson_primary_affiliation"),
        one("eduPersonPrincipalName", "eduperson_principal_name"),
        one("eduPersonUniqueId", "eduperson_unique_id"),
        several("eduPersonEntitlement", "eduperson_entitlement"),
        several("eduPersonOrcid", "eduperson_orcid"),
        several("eduPersonAssurance", "eduperson_assurance"),
    ]
    /// SCHAC, by the names of the schema.
    public static let schac = [
        one("schacHomeOrganization", "schac_home_organization"),
        several("schacHomeOrganizationType", "schac_home_organization_type"),
        several("schacPersonalUniqueCode", "schac_personal_unique_code"),
        several("schacPersonalUniqueID", "schac_personal_unique_id"),
        one("schacDateOfBirth", "schac_date_of_birth"),
    ]
    /// swissEduPerson, and what Switch edu-ID adds about linked organizations.
    public static let swissEduPerson = [
        one("swissEduPersonUniqueID"), one("swissEduPersonHomeOrganization"),
        one("swissEduPersonHomeOrganizationType"), one("swissEduPersonMatriculationNumber"),
        several("swissEduPersonStaffCategory"), several("swissEduPersonStudyBranch1"),
        several("swissEduPersonStudyBranch2"), several("swissEduPersonStudyBranch3"),
        several("swissEduPersonStudyLevel"), several("swissEduPersonCardUID"),
        one("swissEduID"), one("swissEduIDUniqueID"), several("swissEduIDAssuranceLevel"),
        several("swissEduIDLinkedAffiliation"), several("swissEduIDLinkedAffiliationUniqueID"),
        several("swissEduIDLinkedAffiliationMail"), several("swissEduIDAssociatedMail"),
    ]
    /// All of them.
    public static let catalogue = openID + eduPerson + schac + swissEduPerson
}

// MARK: - From a provider's claims to a profile

extension OpenID {
    /// Which of a provider's claims go into a profile, and under which names.
    public struct ClaimMapping: Sendable {
        private var rows: [(sources: [JSON.Name], claim: Claim)]

        /// Takes these claims over under their own names.
        public init(_ claims: [Claim] = Claim.catalogue) {
            rows = claims.map { ([$0.name] + $0.spellings, $0) }
        }

        /// Has a claim come from this member of a provider's and from no other.
        public mutating func take(_ claim: Claim, from source: JSON.Name) {
            rows.removeAll { $0.claim.name == claim.name }
            rows.append(([source], claim))
        }

        /// What of a provider's claims goes into a profile.
        ///
        /// One text stands for a list of one, and the other way round. What has another form, has several values where
        /// there can be one, or is longer than anybody's is left out, and the rest stays.
        public func profile(from claims: JSON.Object) -> JSON.Object {
            var profile = JSON.Object()
            for (sources, claim) in rows {
                guard let source = sources.first(where: { claims[$0] != nil }), let found = claims[source] else {
                    continue
                }
                let values = Array((found.array ?? [found]).prefix(Self.mostValues + 1)).filter {
                    Self.isFit($0, claim)
                }
                if claim.isMultiple {
                    guard 1...Self.mostValues ~= values.count else { continue }
                    profile[claim.name] = .array(values)
                } else if let value = values.first, values.count == 1, found.array?.count ?? 1 == 1 {
                    profile[claim.name] = value
                }
            }
            return profile
        }

        private static let mostValues = 64
        private static let longestValue = 1_024

        private static func isFit(_ value: JSON, _ claim: Claim) -> Bool {
            switch value {
            case .string(let text): !text.utf8.isEmpty && text.utf8.count <= longestValue
            // Flags, times and addresses stand alone.
            case .bool, .number: !claim.isMultiple
            case .object: !claim.isMultiple && value.encoded().count <= longestValue
            default: false
            }
        }
    }
}
