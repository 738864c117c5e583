internal import JOSE
internal import Wire

/// Claims of a token that was verified, read with the types that they have here.
extension JWT.Validated {
    /// A name that must be there.
    func identifier<Kind>(_ claim: JSON.Name) throws(TokenRejection) -> Identifier<Kind> {
        guard let value = claims.optional(claim) else { throw .token(.missing(claim)) }
        let text: String
        do throws(JSON.Rejection) {
            text = try value.string()
        } catch {
            throw .token(.wrongType(claim, expected: .string, found: value.kind))
        }
        do throws(SyntaxError) {
            return try Identifier(parsing: text)
        } catch {
            throw .token(.malformedName(claim, error))
        }
    }

    /// When it was issued; a token that does not say so is refused.
    func beginning() throws(TokenRejection) -> Timestamp {
        guard let issuedAt else { throw .token(.missing("iat")) }
        return issuedAt
    }

    /// Refuses a token that is by another party than this one.
    func checkIssuer<Kind>(_ party: Identifier<Kind>) throws(TokenRejection) {
        guard let value = claims.optional("iss") else { throw .token(.missing("iss")) }
        guard value.isString(party.text) else {
            throw .issuer(expected: party.text, found: (try? value.string()) ?? "")
        }
    }

    /// The one audience that the token names.
    func soleAudience() throws(TokenRejection) -> String {
        guard let value = claims.optional("aud") else { throw .token(.missing("aud")) }
        if value.kind == .string, let text = try? value.string() { return text }
        guard value.kind == .array, let elements = try? value.array() else {
            throw .token(.wrongType("aud", expected: .string, found: value.kind))
        }
        guard elements.count == 1, let text = try? elements[0].string() else { throw .severalAudiences(elements.count) }
        return text
    }

    /// Refuses a token that is for anybody else than this server.
    func checkAudience(_ addressee: Addressee) throws(TokenRejection) {
        if claims.optional("aud")?.isString(addressee.issuer.text) == true { return }
        let found = try soleAudience()
        guard addressee.isMeant(by: found) else { throw .audience(expected: addressee.issuer.text, found: found) }
    }

    /// Refuses a token that is for any other URL.
    func checkAudience(_ url: WebURL) throws(TokenRejection) {
        let expected = url.text
        if claims.optional("aud")?.isString(expected) == true { return }
        let found = try soleAudience()
        guard url.isMeant(by: found) else { throw .audience(expected: expected, found: found) }
    }

    /// What the token says about the key that its presenter must prove to hold, where it says so.
    func bindingConfirmation() throws(TokenRejection) -> JWT.Confirmation? {
        do throws(JWT.Rejection) {
            return try confirmation()
        } catch {
            throw .confirmation(error)
        }
    }

    /// The public key in the token (`cnf.jwk`), where it has a `cnf` at all.
    func confirmedKey() throws(TokenRejection) -> JWK? {
        guard let confirmation = try bindingConfirmation() else { return nil }
        guard let key = confirmation.key else { throw .confirmationWithoutKey }
        return key
    }

    /// The claims without those that a kind interprets.
    func claims(beside names: [JSON.Name]) -> JSON.Object {
        var rest = JSON.Object()
        for member in claims where !names.contains(member.name) { rest[member.name] = member.value.tree() }
        return rest
    }
}
