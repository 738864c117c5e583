public import JOSE
public import Wire

/// Why no token was made.
public enum IssuanceRejection: Error, Equatable, Sendable {
    /// Nothing was signed.
    case signing(SigningKey.Rejection)
    /// The key has no name, by which the reader could find it.
    case namelessKey
    /// The caller's claims would replace one that makes the token what it is.
    case reservedClaim(JSON.Name)
    /// The token would be longer than any reader takes.
    case tooLong(length: Int, limit: Int)
    /// The presenter's key cannot be written into the token.
    case key(JWK.Rejection)
}

extension IssuanceRejection: CustomStringConvertible {
    /// The rule that was broken, with what was expected and found.
    public var description: String {
        switch self {
        case .signing(let rejection): rejection.text
        case .namelessKey: "the key has no 'kid' (\(clause))"
        case .reservedClaim(let name): "the claim '\(name)' is not the caller's to set (\(clause))"
        case .tooLong(let length, let limit): "a token of \(length) bytes, at most \(limit) are read (\(clause))"
        case .key(let rejection): rejection.text
        }
    }

    /// The clause that sets the rule.
    public var clause: String {
        switch self {
        case .signing(let rejection): rejection.clause
        case .namelessKey: "RFC7515-4.1.4"
        case .reservedClaim: "threat-50"
        case .tooLong: "threat-14"
        case .key(let rejection): rejection.clause
        }
    }
}

// MARK: - Making

extension SecretText {
    /// Takes the compact serialization of a token that was made here, which consists of letters that every secret may
    /// have.
    init(compact text: String) throws(IssuanceRejection) {
        guard text.utf8.count <= Self.lengthLimit else {
            throw .tooLong(length: text.utf8.count, limit: Self.lengthLimit)
        }
        self.init(SecretContent(checked: text))
    }
}

extension JWT.Issuance {
    /// Prepares to sign tokens whose readers find the key by its name.
    init(named key: SigningKey, as kind: JWT.Kind) throws(IssuanceRejection) {
        guard key.id != nil else { throw .namelessKey }
        try self.init(signing: key, as: kind, JWS.SigningHeader())
    }

    init(signing key: SigningKey, as kind: JWT.Kind, _ header: JWS.SigningHeader) throws(IssuanceRejection) {
        do throws(SigningKey.Rejection) {
            try self.init(with: key, as: kind, header: header)
        } catch {
            throw .signing(error)
        }
    }

    /// A token of the claims that the closure writes.
    func issued<Kind: SecretText>(writing claims: (inout JSON.ObjectWriter) -> Void) throws(IssuanceRejection) -> Kind {
        let text: String
        do throws(SigningKey.Rejection) {
            text = try token(writing: claims)
        } catch {
            throw .signing(error)
        }
        return try Kind(compact: text)
    }
}

extension JSON.Object {
    /// Refuses claims of the caller's that would replace those which make the token what it is (threat 50).
    ///
    /// They are not dropped, because then the caller would believe that they were said.
    func refuse(_ reserved: [JSON.Name]) throws(IssuanceRejection) {
        for member in self where reserved.contains(member.name) { throw .reservedClaim(member.name) }
    }
}

extension JWTID {
    /// A name of 128 random bits, which nobody can guess and no two tokens share.
    static func text(using entropy: inout some RandomNumberGenerator) -> String {
        Base64URL.encode(entropy.bytes(16))
    }
}
