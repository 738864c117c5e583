import JOSE
import Wire

/// Looking at tokens, signing and verifying them.
enum Tokens {
    static let command = Command(
        name: "jwt", abstract: "Inspect, sign and verify tokens.",
        discussion: "Tokens are read from a file or standard input, because who has a token may use it.",
        subcommands: [inspect, sign, verify])

    private static let token = Argument(
        name: "file", kind: .file, abstract: "The file with the token ('-' for standard input).")
    private static let key = Option(
        name: "key", value: "file", abstract: "The key: JWK, set of JWKs, PEM or DER ('-' for standard input).",
        kind: .file, isRequired: true)

    /// The text of a token, without the line end that files have.
    private static func text(_ invocation: Invocation, _ console: Console) throws(Failure) -> String {
        let path = try invocation.required(token)
        // Every header begins so, in Base64url; the message does not repeat what may be a living token.
        guard !path.hasPrefix("eyJ") else {
            throw .misuse("A token is read from a file or standard input ('-'), not from the arguments")
        }
        let bytes = try console.read(path)
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
        let trimmed = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// The reason of a refusal, as JSON.
    private static func members(_ clause: String, _ reason: String) -> JSON.Object {
        ["clause": .string(clause), "reason": .string(reason)]
    }

    // MARK: inspect

    private static let inspect = Command(
        name: "inspect", abstract: "Show what a token says, without verifying it.", arguments: [token],
        options: [.output],
        discussion: """
            What is shown is only what somebody wrote: believe nothing of it before the token is
            verified. Tokens that 'jwt verify' would refuse unread are shown too, with the reason.

            As JSON: verified, which is false; header and claims, objects; signatureBytes; and
            where the token would be refused unread, refused, an object with clause and reason.
            """
    ) { (invocation, console) throws(Failure) in
        let text = try text(invocation, console)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw .refused("this is no token: it has \(parts.count) parts, a token has 3 (RFC7515-7.1)")
        }
        let (header, claims) = (try object(parts[0], "the header is"), try object(parts[1], "the claims are"))
        let signatureBytes = (try? Base64URL.decode(String(parts[2])))?.count ?? 0
        let refusal = refusalUnread(text)
        guard !invocation.isForPrograms else {
            var report: JSON.Object = ["verified": false, "header": .object(header), "claims": .object(claims)]
            report["signatureBytes"] = .number(JSON.Number(signatureBytes))
            report["refused"] = refusal.map { .object(members($0.clause, $0.text)) }
            console.report(report)
            return
        }
        console.say("NOT VERIFIED: anybody can write such a token. 'eduid jwt verify' checks it.", as: .bad)
        console.say("\nHeader", as: .strong)
        console.say(JSON.object(header).legible)
        console.say("\nClaims", as: .strong)
        console.say(JSON.object(claims).legible)
        let times = ["iat", "nbf", "exp"].compactMap { name in
            time(claims[JSON.Name(name)]).map { "  \(name): \($0)" }
        }
        if !times.isEmpty { console.say("\nTimes", as: .strong) }
        for line in times { console.say(line) }
        console.say("\nSignature of \(signatureBytes) bytes, not checked")
        if let refusal { console.say("Would be refused unread: \(refusal)", as: .bad) }
    }

    private static func object(_ part: Substring, _ subject: String) throws(Failure) -> JSON.Object {
        let what = "\(subject) not readable"
        let bytes = try Failure.refusing(what, try Base64URL.decode(String(part)))
        return try object(bytes, what, JSON.Limits(size: 1 << 20, depth: 64))
    }

    private static func object(
        _ bytes: [UInt8], _ what: String, _ limits: JSON.Limits
    ) throws(Failure) -> JSON.Object {
        let json = try Failure.refusing(what, try JSON(parsing: bytes, limits: limits))
        if let object = json.object { return object }
        let mismatch = JSON.Rejection.mismatch(at: "$", expected: .object, found: json.kind)
        throw .refused(what, mismatch, mismatch.clause)
    }

    /// Why the token is refused before any key is looked for, if it is.
    private static func refusalUnread(_ text: String) -> JWS.Rejection? {
        do throws(JWS.Rejection) {
            _ = try JWS.Unverified(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    private static func time(_ claim: JSON?) -> Timestamp? {
        claim?.number.flatMap { try? Timestamp(parsing: $0.text) }
    }

    // MARK: sign

    private static let claims = Argument(
        name: "claims", kind: .file, abstract: "The file with the claims, a JSON object ('-' for standard input).")
    private static let keyID = Option(name: "key-id", value: "name", abstract: "Which key of a set.")
    private static let type = Option(
        name: "type", value: "type", abstract: "The kind of token, 'typ', such as at+jwt.", fallback: "JWT")
    private static let lifetime = Option(
        name: "lifetime", value: "seconds", abstract: "Set 'iat' to the time and 'exp' to so many seconds later.")

    private static let sign = Command(
        name: "sign", abstract: "Sign claims as a token.", arguments: [claims],
        options: [key, keyID, type, lifetime, .at, .out, .force],
        discussion: "The key decides the algorithm. Claims are signed as they stand in the file, in their order."
    ) { (invocation, console) throws(Failure) in
        let document = try KeyFile(reading: invocation.required(key), from: console)
        var name: KeyID?
        if let text = invocation[keyID] { name = try invocation.identifier(keyID, text) }
        guard case .secret(let secret) = try document.only(named: name, otherwise: "; '--key-id' names one") else {
            throw .refused("a public key cannot sign")
        }
        var claims = JWT.Claims(try members(of: invocation.required(claims), console))
        if let lifetime = try invocation.seconds(lifetime) {
            let now = try invocation.time(on: console)
            (claims.issuedAt, claims.expiration) = (now, now + lifetime)
        }
        let signingKey = try Failure.refusing("the key cannot sign", try SigningKey(secret))
        let kind = JWT.Kind(JWS.ContentType(invocation[type] ?? "JWT"))
        let token = try Failure.refusing(
            "the claims cannot be signed", try JWT.signed(claims, with: signingKey, as: kind))
        try invocation.deliver(Array((token + "\n").utf8), .secret, to: &console)
    }

    private static func members(of path: String, _ console: Console) throws(Failure) -> JSON.Object {
        let what = "the claims in \(Console.name(of: path)) are refused"
        return try object(try console.read(path), what, JSON.Limits(size: 16 << 10, depth: 32))
    }

    // MARK: verify

    private static let issuer = Option(
        name: "issuer", value: "name", abstract: "Who may have issued the token; one of several.", isRepeated: true)
    private static let audience = Option(
        name: "audience", value: "name", abstract: "For whom the token must be meant, among others.")
    private static let algorithm = Option(
        name: "algorithm", value: "name", abstract: "An algorithm to accept (default: all that the keys are for).",
        kind: .choice([
            "EdDSA", "Ed25519", "ES256", "ES384", "ES512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512",
            "HS256",
            "HS384", "HS512",
        ]), isRepeated: true)
    private static let leeway = Option(
        name: "leeway", value: "seconds",
        abstract: "How far clocks may differ (default: 60 for 'nbf' and 'iat', 0 for 'exp').")
    private static let unlimited = Option(name: "unlimited", abstract: "Take a token that does not expire.")

    private static let verify = Command(
        name: "verify", abstract: "Verify a token, or say why it is refused.", arguments: [token],
        options: [key, issuer, audience, type, algorithm, leeway, unlimited, .at, .output],
        discussion: """
            The keys, never the token, decide which algorithms count; for an RSA key that names
            none, '--algorithm' does. An issuer or audience that is not given is not checked, and
            the answer says so. Access tokens, '--type at+jwt', must have all claims that RFC 9068
            demands.

            As JSON: valid and at; for a valid token header, claims, algorithm, unchecked (an array
            of claim names) and, where the key has a name, kid; for any other clause and reason.
            The exit status is 1 for a token that is refused.
            """
    ) { (invocation, console) throws(Failure) in
        let keys = try verificationKeys(try invocation.required(key), console)
        let text = try text(invocation, console)
        let now = try invocation.time(on: console)
        let accepted = invocation.all(algorithm).compactMap { Algorithm($0) }
        let (expectation, unchecked) = try expectation(invocation)
        do throws(JWT.Rejection) {
            let token = try JWS.Unverified(parsing: text)
                .verified(by: keys, accepting: accepted.isEmpty ? nil : accepted)
                .validated(expecting: expectation, at: now)
            show(token, unchecked, at: now, invocation, &console)
        } catch {
            if invocation.isForPrograms {
                var report: JSON.Object = ["valid": false, "at": .string(now.description)]
                for member in members(error.clause, error.text) { report[member.name] = member.value }
                console.report(report)
            }
            throw .refused("the token is refused", error, error.clause)
        }
    }

    /// Access tokens have rules of their own (RFC 9068); all other kinds differ in their names alone.
    private static func kind(_ type: String) -> JWT.Kind {
        let type = JWS.ContentType(type)
        if type == .jwt { return .plain }
        return type == "at+jwt" ? .accessToken : JWT.Kind(type)
    }

    private static func expectation(_ invocation: Invocation) throws(Failure) -> (JWT.Expectation, unchecked: [String])
    {
        var issuers: [Issuer] = []
        for name in invocation.all(issuer) { issuers.append(try invocation.identifier(issuer, name)) }
        var audiences = JWT.Expectation.Audiences.unchecked
        if let name = invocation[audience] { audiences = .including(try invocation.identifier(audience, name)) }
        var expectation = JWT.Expectation(
            issuer: issuers.isEmpty ? .unchecked : .oneOf(issuers), audience: audiences,
            type: kind(invocation[type] ?? "JWT"), leeway: .seconds(60))
        if let leeway = try invocation.seconds(leeway) {
            (expectation.leeway, expectation.expirationLeeway) = (leeway, leeway)
        }
        expectation.requiresExpiration = !invocation.has(unlimited)
        return (expectation, (issuers.isEmpty ? ["iss"] : []) + (audiences == .unchecked ? ["aud"] : []))
    }

    /// The keys of a file that can check signatures; others are named on standard error.
    private static func verificationKeys(_ path: String, _ console: Console) throws(Failure) -> [VerificationKey] {
        let bytes = try console.read(path)
        guard let set = try? JWKSet(parsing: bytes, allowingSecrets: true) else {
            let key = try KeyFile(parsing: bytes, of: path).only()
            let what = "the key in \(Console.name(of: path)) does not check signatures"
            return [try Failure.refusing(what, try key.verificationKey())]
        }
        for refused in set.refused {
            console.complain(
                "Note: key \(refused.position + 1) of the set is not used: \(refused.reason)"
            )
        }
        guard !set.keys.isEmpty else {
            throw .refused("there is no key in \(Console.name(of: path)) that checks signatures")
        }
        return set.keys
    }

    private static func show(
        _ token: JWT.Validated, _ unchecked: [String], at now: Timestamp, _ invocation: Invocation,
        _ console: inout Console
    ) {
        let (header, key) = (token.signature.header, token.signature.key)
        let claims = token.claims.tree()
        guard !invocation.isForPrograms else {
            var report: JSON.Object = ["valid": true, "at": .string(now.description)]
            report["header"] = header.protected.map { .object($0.tree()) }
            report["claims"] = .object(claims)
            report["algorithm"] = .string(header.algorithm.name.text)
            report["unchecked"] = .array(unchecked.map { .string($0) })
            report["kid"] = key.id.map { .string($0.text) }
            console.report(report)
            return
        }
        let name = key.id.map { " '\($0)'" } ?? ""
        console.say("VERIFIED by the key\(name) with \(header.algorithm), valid at \(now)", as: .good)
        if !unchecked.isEmpty { console.say("Not checked: " + unchecked.map { "'\($0)'" }.joined(separator: " and ")) }
        console.say("\nClaims", as: .strong)
        console.say(JSON.object(claims).legible)
    }
}
