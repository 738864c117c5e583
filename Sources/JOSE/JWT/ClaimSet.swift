import Wire

extension JWT {
    /// The claims of a token while they are checked.
    struct ClaimSet {
        let claims: JSON.Document.Object

        typealias Rejection = JWT.Rejection

        func require(_ names: [JSON.Name]) throws(Rejection) {
            for name in names {
                guard let value = claims.optional(name), !value.isNull else { throw .missing(name) }
            }
        }

        /// A claim that must be a name where it is present.
        private func name(_ claim: JSON.Name) throws(Rejection) -> JSON.Document.Value? {
            guard let value = claims.optional(claim) else { return nil }
            try check(value, isNameIn: claim)
            return value
        }

        private func check(_ value: JSON.Document.Value, isNameIn claim: JSON.Name) throws(Rejection) {
            guard value.kind == .string else { throw .wrongType(claim, expected: .string, found: value.kind) }
            // Nearly every name is one beyond doubt; whatever is not has to be parsed as one to be told from none.
            if value.isPlainText(upTo: 256) { return }
            _ = try wrapping({ JWT.Rejection.malformedName(claim, $0) }, try Audience(parsing: text(value)))
        }

        private func text(_ value: JSON.Document.Value) -> String { (try? value.string()) ?? "" }

        func checkID() throws(Rejection) { _ = try name("jti") }
    }
}

// MARK: - Issuer, subject, audience

extension JWT.ClaimSet {
    func checkIssuer(_ expected: JWT.Expectation.Issuers, owner: Issuer?) throws(Rejection) {
        // What is the same as an issuer is a name; nearly always that is so.
        if case .exactly(let issuer) = expected, owner == nil, claims.optional("iss")?.isString(issuer.text) == true {
            return
        }
        let value = try name("iss")
        switch expected {
        case .unchecked: break
        case .exactly(let issuer):
            guard let value else { throw .missing("iss") }
            guard value.isString(issuer.text) else { throw .wrongIssuer(expected: [issuer], found: text(value)) }
        case .oneOf(let issuers):
            guard let value else { throw .missing("iss") }
            guard issuers.contains(where: { value.isString($0.text) }) else {
                throw .wrongIssuer(expected: issuers, found: text(value))
            }
        case .ownerOfKey:
            guard value != nil else { throw .missing("iss") }
            guard owner != nil else { throw .keyWithoutOwner }
        }
        // Whoever is expected: a key vouches only for the issuer that it belongs to.
        guard let owner else { return }
        guard let value else { throw .missing("iss") }
        guard value.isString(owner.text) else { throw .keyOfAnotherIssuer(owner: owner, found: text(value)) }
    }

    func checkSubject(_ expected: Subject?) throws(Rejection) {
        let value = try name("sub")
        guard let expected else { return }
        guard let value else { throw .missing("sub") }
        guard value.isString(expected.text) else { throw .wrongSubject(expected: expected, found: text(value)) }
    }

    func checkAudience(_ expected: JWT.Expectation.Audiences) throws(Rejection) {
        guard let value = claims.optional("aud") else {
            switch expected {
            case .unnamed, .unchecked: return
            case .only, .onlyOneOf, .including: throw .missing("aud")
            }
        }
        if case .only(let audience) = expected, value.isString(audience.text) { return }
        var members: [JSON.Document.Value] = []
        if value.kind == .array, let elements = try? value.array() {
            guard !elements.isEmpty else { throw .emptyAudience }
            for element in elements {
                try check(element, isNameIn: "aud")
                members.append(element)
            }
        } else {
            guard value.kind == .string else { throw .wrongType("aud", expected: .string, found: value.kind) }
            try check(value, isNameIn: "aud")
        }
        func isFor(_ audience: Audience) -> Bool {
            members.isEmpty ? value.isString(audience.text) : members.contains { $0.isString(audience.text) }
        }
        let isSole = members.count < 2
        let isMet =
            switch expected {
            case .only(let audience): isSole && isFor(audience)
            case .onlyOneOf(let audiences): isSole && audiences.contains { isFor($0) }
            case .including(let audience): isFor(audience)
            case .unnamed: false
            case .unchecked: true
            }
        guard isMet else { throw expected.refusing(members.isEmpty ? [text(value)] : members.map { text($0) }) }
    }
}

extension JWT.Expectation.Audiences {
    /// Why a token for these readers is not for this one.
    fileprivate func refusing(_ found: [String]) -> JWT.Rejection {
        switch self {
        case .only(let audience): .wrongAudience(expected: [audience], alone: true, found: found)
        case .onlyOneOf(let audiences): .wrongAudience(expected: audiences, alone: true, found: found)
        case .including(let audience): .wrongAudience(expected: [audience], alone: false, found: found)
        case .unnamed, .unchecked: .wrongAudience(expected: [], alone: true, found: found)
        }
    }
}

// MARK: - Times

extension JWT.ClaimSet {
    /// A numeric date (RFC 7519 §2): a number of seconds, with a fraction if need be, from 1970 to 9999.
    func time(_ claim: JSON.Name) throws(Rejection) -> Timestamp? {
        guard let value = claims.optional(claim) else { return nil }
        guard value.kind == .number else { throw .wrongType(claim, expected: .number, found: value.kind) }
        let time =
            if let seconds = try? value.integer(as: Int64.self) { Timestamp(seconds: seconds) } else {
                try wrapping(
                    { JWT.Rejection.malformedTime(claim, $0) }, try Timestamp(parsing: (try? value.number().text) ?? "")
                )
            }
        // Later dates are milliseconds mistaken for seconds, or made to outlive every check.
        guard time >= .epoch, time.seconds < 253_402_300_800 else { throw .malformedTime(claim, .outOfRange) }
        return time
    }
}

extension JWT.Expectation {
    func check(expiration: Timestamp?, notBefore: Timestamp?, issuedAt: Timestamp?, now: Timestamp) throws(JWT
        .Rejection)
    {
        if let expiration {
            let end = expirationLeeway == .zero ? expiration : expiration + expirationLeeway
            guard now < end else { throw .expired(at: expiration, now: now) }
        } else if requiresExpiration {
            throw .missing("exp")
        }
        if let notBefore, isAhead(notBefore, of: now) { throw .notYetValid(from: notBefore, now: now) }
        if let issuedAt, isAhead(issuedAt, of: now) { throw .issuedInTheFuture(at: issuedAt, now: now) }
        if let maximumAge {
            guard let issuedAt else { throw .missing("iat") }
            guard now <= issuedAt + maximumAge + expirationLeeway else { throw .tooOld(issued: issuedAt, now: now) }
        }
    }
}

extension JWT.Expectation {
    /// Whether a time is further ahead than the leeway allows; that is asked only of times that are ahead at all, as
    /// hardly any is.
    private func isAhead(_ time: Timestamp, of now: Timestamp) -> Bool {
        (time > now || leeway < .zero) && time > now + leeway
    }
}

// MARK: - Kinds

extension JWT.Kind {
    /// Whether a header names this kind.
    func check(_ header: JWS.Header) throws(JWT.Rejection) {
        if let content = header["cty"], !content.isNull { throw .nested }
        guard let found = header.type else {
            guard acceptsUntyped else { throw .wrongKind(expected: type, found: nil) }
            return
        }
        guard let type else {
            guard found.namesToken else { throw .wrongKind(expected: nil, found: found) }
            return
        }
        guard found == type || (acceptsUntyped && found == .jwt) else { throw .wrongKind(expected: type, found: found) }
    }
}
