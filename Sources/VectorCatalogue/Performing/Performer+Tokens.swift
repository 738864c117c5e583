internal import JOSE
internal import Wire

// Keys, signed content and tokens.

extension Performer {
    static func key(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let text = try text(given, "text")
        do throws(JWK.Rejection) {
            guard given["secret"] == true else {
                let key = try JWK(parsing: text)
                return members(key.type, key.id, try? key.thumbprint())
            }
            let key = try JWK.Private(parsing: text)
            return members(key.type, key.id, try? key.thumbprint())
        } catch {
            return refused(error.clause)
        }
    }

    private static func members(_ type: KeyType, _ id: KeyID?, _ thumbprint: JWK.Thumbprint?) -> JSON.Object {
        var members: JSON.Object = ["type": .string(type.name.text)]
        members["kid"] = id.map { .string($0.text) }
        members["thumbprint"] = thumbprint.map { .string($0.text) }
        return members
    }

    static func signedContent(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let (text, keys) = (try text(given, "text"), try keys(given))
        var policy = JWS.Policy()
        policy.allowsUnencodedPayload = given["unencoded"] == true
        let detached = given["detached"]?.string.map { Array($0.utf8) }
        let received: JWS.Unverified
        do throws(JWS.Unverified.Rejection) {
            if text.utf8.first == UInt8(ascii: "{") {
                received = try JWS.Unverified(parsingJSON: text.utf8, detachedPayload: detached, policy: policy)
            } else if let detached {
                received = try JWS.Unverified(parsing: text, detachedPayload: detached, policy: policy)
            } else {
                received = try JWS.Unverified(parsing: text, policy: policy)
            }
        } catch {
            return refused(error.clause)
        }
        do throws(JWS.Verified.Rejection) {
            let verified = try received.verified(by: keys, accepting: algorithms(given))
            return [
                "payload": .string(String(decoding: verified.payload, as: UTF8.self)),
                "key": name(of: verified.signature.key),
            ]
        } catch {
            return refused(error.clause)
        }
    }

    static func token(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let (text, keys, now) = (try text(given, "text"), try keys(given), try now(given))
        let type = ContentType(try Self.text(given, "type"))
        let kind = JWT.Kind(type, acceptsUntyped: type == .jwt)
        let expectation = try expectation(given)
        do throws(JWT.Rejection) {
            let token = try JWT.Validated(
                parsing: text, by: keys, accepting: algorithms(given), as: kind, expecting: expectation, at: now)
            return ["claims": json(token.claims.tree()), "key": name(of: token.signature.key)]
        } catch {
            return refused(error.clause)
        }
    }

    static func issuance(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let claims = try Malformed.need(given["claims"]?.object, "claims")
        let jwk = try Malformed.need(given["key"].flatMap { try? JWK.Private(parsing: $0.encoded()) }, "key")
        let kind = given["type"]?.string.map { JWT.Kind(ContentType($0)) } ?? .plain
        let key: SigningKey
        do throws(KeyRejection) { key = try SigningKey(jwk) } catch { return refused(error.clause) }
        return ["text": .string(try Malformed.need(try? JWT.signed(JWT.Claims(claims), with: key, as: kind), "claims"))]
    }

    // MARK: What is given

    private static func keys(_ given: JSON.Object) throws(Malformed) -> [VerificationKey] {
        var keys: [VerificationKey] = []
        for entry in given["keys"]?.array ?? [] {
            let issuer = entry["issuer"]?.string.flatMap { try? Issuer(parsing: $0) }
            let jwk = try Malformed.need(entry["jwk"], "keys").encoded()
            let key =
                if let key = try? JWK(parsing: jwk) { try? VerificationKey(key, issuer: issuer) } else {
                    (try? JWK.Private(parsing: jwk)).flatMap { try? VerificationKey($0, issuer: issuer) }
                }
            keys.append(try Malformed.need(key, "keys"))
        }
        return keys
    }

    private static func name(of key: VerificationKey) -> JSON { key.id.map { .string($0.text) } ?? .null }

    private static func algorithms(_ given: JSON.Object) -> [Algorithm] {
        (given["algorithms"]?.array ?? []).compactMap { $0.string.flatMap { Algorithm($0) } }
    }

    private static func expectation(_ given: JSON.Object) throws(Malformed) -> JWT.Expectation {
        let issuers: JWT.Expectation.Issuers
        switch given["issuer"] {
        case nil: issuers = .unchecked
        case .string(let text): issuers = .exactly(try Malformed.need(try? Issuer(parsing: text), "issuer"))
        case .array(let names): issuers = .oneOf(names.compactMap { $0.string.flatMap { try? Issuer(parsing: $0) } })
        default: issuers = .ownerOfKey
        }
        let audiences: JWT.Expectation.Audiences
        switch given["audience"] {
        case nil: audiences = .unchecked
        case .string(let text): audiences = .only(try Malformed.need(try? Audience(parsing: text), "audience"))
        default: audiences = .unnamed
        }
        var expectation = JWT.Expectation(issuer: issuers, audience: audiences)
        expectation.subject = given["subject"]?.string.flatMap { try? Subject(parsing: $0) }
        expectation.requiresExpiration = given["endless"] != true
        expectation.requiredClaims = (given["requires"]?.array ?? []).compactMap { $0.string.map { JSON.Name($0) } }
        expectation.maximumAge = given["maximum_age"]?.number?.integer(as: Int64.self).map { .seconds($0) }
        return expectation
    }
}
