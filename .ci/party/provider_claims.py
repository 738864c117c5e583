"""Which claims of a provider go into a profile, and how (Fixtures/protocol/provider.md, Claims)."""

import re

from .json_text import compact_json, json_type

OPENID = """name given_name family_name middle_name nickname preferred_username profile picture website email
email_verified gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at"""
ONE, SEVERAL = False, True
CATALOGUE = (
    (ONE, OPENID),
    (SEVERAL, "eduPersonAffiliation eduPersonScopedAffiliation"),
    (ONE, "eduPersonPrimaryAffiliation eduPersonPrincipalName eduPersonUniqueId"),
    (SEVERAL, "eduPersonEntitlement eduPersonOrcid eduPersonAssurance"),
    (ONE, "schacHomeOrganization"),
    (SEVERAL, "schacHomeOrganizationType schacPersonalUniqueCode schacPersonalUniqueID"),
    (ONE, "schacDateOfBirth swissEduPersonUniqueID swissEduPersonHomeOrganization swissEduPersonHomeOrganizationType"),
    (ONE, "swissEduPersonMatriculationNumber"),
    (SEVERAL, "swissEduPersonStaffCategory swissEduPersonStudyBranch1 swissEduPersonStudyBranch2"),
    (SEVERAL, "swissEduPersonStudyBranch3 swissEduPersonStudyLevel swissEduPersonCardUID"),
    (ONE, "swissEduID swissEduIDUniqueID"),
    (SEVERAL, "swissEduIDAssuranceLevel swissEduIDLinkedAffiliation swissEduIDLinkedAffiliationUniqueID"),
    (SEVERAL, "swissEduIDLinkedAffiliationMail swissEduIDAssociatedMail"),
)
MOST_VALUES = 64
LONGEST_VALUE = 1_024


def profile(claims):
    """What of a provider's claims goes into a profile."""
    told = {}
    for several, names in CATALOGUE:
        for name in names.split():
            source = next((source for source in (name, spelled(name)) if source in claims), None)
            value = None if source is None else taken(claims[source], several)
            if value is not None:
                told[name] = value
    return told


def spelled(name):
    """The name as REFEDS spells it for OpenID Connect, or the same."""
    found = re.fullmatch("(eduPerson|schac)(.+)", name)
    if found is None:
        return name
    words = re.findall("[A-Z]+(?![a-z])|[A-Z][a-z]+", found[2])
    return "_".join([found[1].lower(), *(word.lower() for word in words)])


def taken(value, several):
    values = value if isinstance(value, list) else [value]
    fit = [one for one in values[:MOST_VALUES + 1] if is_fit(one, several)]
    if several:
        return fit if 1 <= len(fit) <= MOST_VALUES else None
    return fit[0] if len(fit) == 1 == len(values) else None


def is_fit(value, several):
    kind = json_type(value)
    if kind == "string":
        return 1 <= len(value.encode()) <= LONGEST_VALUE
    if several or kind in ("array", "null"):
        return False
    return kind != "object" or len(compact_json(value).encode()) <= LONGEST_VALUE
