import OAuth2Grants
import TestSupport
import Testing
import Wire

@Suite("Claims of a provider, and what of them goes into a profile")
struct ClaimTests {
    @Test("Each name stands once in the catalogue, whatever its spelling", .proves("OIC-12"))
    func catalogue() {
        let names = OpenID.Claim.catalogue.map(\.name)
        #expect(Set(names).count == names.count && names.count > 40)
        for name: JSON.Name in ["given_name", "eduPersonScopedAffiliation", "swissEduID", "schacHomeOrganization"] {
            #expect(names.contains(name))
        }
    }

    @Test("Names that make a token what it is are nobody's claims", .proves("threat-50"))
    func reserved() {
        for name: JSON.Name in ["iss", "sub", "aud", "azp", "jti", "iat", "exp", "nbf", "cnf"] {
            #expect(OpenID.Claim(name) == nil)
            #expect(!OpenID.Claim.catalogue.contains { $0.name == name })
        }
        #expect(OpenID.Claim("department")?.name == "department")
    }

    @Test("Known claims are taken over, unknown ones left out", .proves("OIC-12"))
    func standard() {
        let claims: JSON.Object = [
            "given_name": "Ada", "sub": "A-1", "nonce": "n", "swissEduPersonUniqueID": "1@a.example",
            "eduPersonAffiliation": ["staff", "member"], "email_verified": true, "x": "y",
            "address": ["locality": "Zürich"], "updated_at": 1,
        ]
        let profile = OpenID.ClaimMapping().profile(from: claims)
        #expect(Set(profile.map(\.name)) == Set(claims.map(\.name)).subtracting(["sub", "nonce", "x"]))
        for member in profile { #expect(member.value == claims[member.name]) }
    }

    @Test("Other spellings come under the name of the schema, which goes before them", .proves("OIC-12"))
    func spellings() {
        let mapping = OpenID.ClaimMapping()
        #expect(
            mapping.profile(from: ["eduperson_assurance": ["https://refeds.org/assurance/IAP/low"]])
                == ["eduPersonAssurance": ["https://refeds.org/assurance/IAP/low"]])
        #expect(
            mapping.profile(from: ["eduperson_affiliation": ["a"], "eduPersonAffiliation": ["b"]])
                == ["eduPersonAffiliation": ["b"]])
    }

    @Test("One text and a list of one are the same; several where there can be one are none", .proves("OIC-12"))
    func counts() {
        func profile(_ claims: JSON.Object) -> JSON.Object { OpenID.ClaimMapping().profile(from: claims) }
        #expect(profile(["eduPersonAffiliation": "staff"]) == ["eduPersonAffiliation": ["staff"]])
        #expect(profile(["given_name": ["Ada"]]) == ["given_name": "Ada"])
        #expect(profile(["given_name": ["Ada", "Grace"], "name": "n"]) == ["name": "n"])
        #expect(profile(["given_name": ["Ada", 1]]) == [:])
        #expect(profile(["given_name": ["Ada", .null]]) == [:])
        #expect(profile(["given_name": [], "eduPersonAffiliation": []]) == [:])
    }

    @Test(
        "What has another form or is too long is left out, and the rest stays", .proves("OIC-12"), .proves("threat-14"))
    func forms() {
        let long = JSON.string(String(repeating: "a", count: 1_025))
        let claims: JSON.Object = [
            "given_name": .null, "family_name": long, "nickname": "", "name": "n",
            "eduPersonAffiliation": [1, "staff", ["x": "y"], long, .null],
            "eduPersonEntitlement": .array(Array(repeating: "e", count: 65)),
            "schacPersonalUniqueCode": .array(Array(repeating: "c", count: 64)),
            "address": ["locality": long],
        ]
        #expect(
            OpenID.ClaimMapping().profile(from: claims) == [
                "name": "n", "eduPersonAffiliation": ["staff"],
                "schacPersonalUniqueCode": .array(Array(repeating: "c", count: 64)),
            ])
    }

    @Test("A claim comes from the member that is configured, and from no other", .proves("OIC-12"))
    func configured() throws {
        var mapping = OpenID.ClaimMapping(OpenID.Claim.openID)
        mapping.take(try #require(OpenID.Claim("name")), from: "cn")
        mapping.take(try #require(OpenID.Claim("groups", isMultiple: true)), from: "ou")
        #expect(
            mapping.profile(from: ["name": "n", "cn": "c", "ou": "o", "groups": "g", "eduPersonAffiliation": "x"])
                == ["name": "c", "groups": ["o"]])
        #expect(mapping.profile(from: ["name": "n", "groups": "g"]) == [:])
    }
}
